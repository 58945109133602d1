(** Variants of the step, all at once (theory.md, Sections 9 and 10): mini-batches (Theorem L14), drifting data
    (Theorem L13), a projection (Theorem L15), smaller and changing learning rates, and adversaries that
    throw dice. Each needs only that the residual of one point per step is below B: [residual_below]. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner.
Open Scope R_scope.

Record dataset := { size : nat; its_row : nat -> vector; its_weight : nat -> R; its_loss : vector -> R }.

(** ** The mean of a batch *)

Definition mean (b : nat) (g : nat -> vector) : vector := fun l => / INR b * sum b (fun j => g j l).

Lemma square_of_sum b (x : nat -> R) : sum b x ^ 2 <= INR b * sum b (fun j => x j ^ 2).
Proof.
  assert (Q := cauchy_schwarz b (fun _ => 1) x). unfold norm2, dot in Q.
  rewrite sum_const in Q.
  rewrite (sum_ext b (fun j => 1 * x j) x) in Q by (intros; ring).
  rewrite (sum_ext b (fun j => x j * x j) (fun j => x j ^ 2)) in Q by (intros; ring). lra.
Qed.

Lemma dot_mean d b t g : dot d t (mean b g) = / INR b * sum b (fun j => dot d t (g j)).
Proof.
  unfold mean. rewrite dot_scale_r. f_equal. rewrite dot_comm.
  rewrite (sum_ext b _ (fun j => 1 * dot d t (g j))) by (intros; ring).
  rewrite <- dot_sum. apply dot_ext; [|reflexivity]. intros l _. apply sum_ext. intros; ring.
Qed.

Lemma norm2_mean d b g : (1 <= b)%nat -> norm2 d (mean b g) <= / INR b * sum b (fun j => norm2 d (g j)).
Proof.
  intros Hb. assert (P : 0 < INR b) by (apply lt_0_INR; lia).
  unfold mean. rewrite norm2_scale.
  assert (Q : norm2 d (fun l => sum b (fun j => g j l)) <= INR b * sum b (fun j => norm2 d (g j))).
  { unfold norm2, dot. rewrite (sum_swap b d (fun j l => g j l * g j l)), <- sum_scale.
    apply sum_le. intros l _. rewrite (sum_ext b (fun i => g i l * g i l) (fun j => g j l ^ 2)) by (intros; ring).
    assert (S := square_of_sum b (fun j => g j l)). cbv beta in S. lra. }
  apply (Rmult_le_compat_l ((/ INR b) ^ 2)) in Q; [|apply pow2_ge_0].
  replace ((/ INR b) ^ 2 * (INR b * sum b (fun j => norm2 d (g j))))
    with (/ INR b * sum b (fun j => norm2 d (g j))) in Q by (field; lra).
  exact Q.
Qed.

(** c is convex in the gradient. *)
Lemma c_mean d η σ α β θ b g : (1 <= b)%nat -> 0 <= α * η ->
  c d η σ α β θ (mean b g) <= / INR b * sum b (fun j => c d η σ α β θ (g j)).
Proof.
  intros Hb Hαη. unfold c. rewrite !dot_mean, !sum_plus, !sum_scale.
  assert (Q := norm2_mean d b g Hb).
  apply (Rmult_le_compat_l (α * η)) in Q; [|assumption]. lra.
Qed.

Lemma law_sum {X : Type} possible E (HE : @law X possible E) h n (f : nat -> X -> R) :
  E h (fun x => sum n (fun j => f j x)) = sum n (fun j => E h (f j)).
Proof.
  induction n as [|n IH]; cbn [sum]; [apply (law_const _ _ HE)|].
  rewrite <- IH.
  replace (E h (fun x => sum n (fun j => f j x)) + E h (f n))
    with (1 * E h (fun x => sum n (fun j => f j x)) + 1 * E h (f n)) by ring.
  rewrite <- (law_lin _ _ HE). apply (law_ext _ _ HE). intros; ring.
Qed.

(** ** The theorem *)

Section Batches.
  Context {X : Type} (possible : list X -> X -> Prop) (E : list X -> (X -> R) -> R).
  Hypothesis HE : law possible E.

  (** The dataset of a step is chosen knowing the history. A draw fills b slots: each has a row ([Some i]) or
      is the adversary's ([None]). The adversary may see the whole batch. *)
  Variables (data : list X -> dataset) (b : nat).
  Variable (slot : list X -> X -> nat -> option nat).
  Variable (policy : list X -> X -> nat -> vector).
  Variable (gradient : list X -> vector -> vector -> vector).

  Definition slot_point (h : list X) (x : X) (j : nat) : vector :=
    match slot h x j with Some i => its_row (data h) i | None => policy h x j end.

  Definition batch_gradient (h : list X) (θ : vector) (x : X) : vector :=
    mean b (fun j => gradient h θ (slot_point h x j)).

  Variables (d : nat) (η σ ε α : R) (β : vector) (B : R) (Θ A : vector -> Prop).
  Variable (allowed : vector -> vector -> vector -> Prop).
  Variables (rate : list X -> R) (post : vector -> vector) (θ0 : vector).

  Definition batch_model : list X -> vector := run σ rate post batch_gradient θ0.

  (** Given the history, each slot is the adversary's with probability ε, and otherwise a draw from the data.
      The slots of a batch may depend on each other. *)
  Hypothesis Hmarginal : forall h j (F : nat -> R) (M : R), (j < b)%nat ->
    E h (fun x => match slot h x j with Some i => F i | None => M end)
    = (1 - ε) * sum (size (data h)) (fun i => p (size (data h)) (its_weight (data h)) i * F i) + ε * M.

  Hypothesis Hb : (1 <= b)%nat.
  Hypothesis Hε : 0 <= ε.
  Hypothesis Hα : 0 < α.
  Hypothesis Hη : 0 < η.
  Hypothesis Hrate : forall h, 0 < rate h <= η.
  Hypothesis Hpost : forall θ, Λ d α β (post θ) <= Λ d α β θ.
  Hypothesis Hstart : Θ θ0.
  Hypothesis Hkept : forall h x, possible h x -> Θ (batch_model h) -> Θ (batch_model (x :: h)).
  Hypothesis Hgradient : forall h θ x, allowed θ x (gradient h θ x).
  Hypothesis Hpolicy : forall h x j, A (policy h x j).
  Hypothesis HA : exists x, A x.
  (** With ε = 0 a point of probability 0 must not count: it contributes a bounded amount. *)
  Hypothesis Hbounded : 0 < ε \/
    forall θ, exists M, forall x g, A x -> allowed θ x g -> c d η σ α β θ g <= M.
  Hypothesis HB : forall h, residual_below d (size (data h)) (its_row (data h)) (its_weight (data h))
    η σ ε α β (its_loss (data h)) B Θ A allowed.

  Lemma batch_step h θ : Θ θ ->
    decay d η σ α β θ + E h (fun x => c d η σ α β θ (batch_gradient h θ x)) + its_loss (data h) θ <= B.
  Proof.
    intros Hθ. set (D := data h) in *. set (F := fun i => c d η σ α β θ (gradient h θ (its_row D i))).
    set (benign := (1 - ε) * sum (size D) (fun i => p (size D) (its_weight D) i * F i)).
    assert (R : forall x g, A x -> allowed θ x g ->
              decay d η σ α β θ + (benign + its_loss D θ) + ε * c d η σ α β θ g <= B).
    { intros x g Hx Hg. apply (HB h θ (fun i => gradient h θ (its_row D i)) x g); auto. }
    assert (P : exists M, (forall x, A x -> c d η σ α β θ (gradient h θ x) <= M)
                          /\ decay d η σ α β θ + (benign + its_loss D θ) + ε * M <= B).
    { destruct Hε as [He|He].
      - exists ((B - decay d η σ α β θ - (benign + its_loss D θ)) / ε). split.
        + intros x Hx. specialize (R x (gradient h θ x) Hx (Hgradient h θ x)).
          apply (Rmult_le_reg_l ε); [assumption|].
          replace (ε * ((B - decay d η σ α β θ - (benign + its_loss D θ)) / ε))
            with (B - decay d η σ α β θ - (benign + its_loss D θ)) by (field; lra). lra.
        + right. field. lra.
      - destruct Hbounded as [|Hbd]; [lra|]. destruct (Hbd θ) as [M HM]. exists M.
        split; [intros x Hx; apply (HM x); auto|].
        destruct HA as [x0 Hx0]. specialize (R x0 (gradient h θ x0) Hx0 (Hgradient h θ x0)).
        assert (Z : forall y, ε * y = 0) by (intros; rewrite <- He; ring). rewrite Z in *. lra. }
    destruct P as (M & HM & Hfinal).
    assert (Hαη : 0 <= α * η) by (apply Rmult_le_pos; lra).
    assert (Pb : 0 < INR b) by (apply lt_0_INR; lia).
    assert (Q : E h (fun x => c d η σ α β θ (batch_gradient h θ x)) <= benign + ε * M).
    { eapply Rle_trans.
      - apply (law_le _ _ HE) with (g := fun x => / INR b * sum b (fun j =>
            match slot h x j with Some i => F i | None => M end) + 0 * 0).
        intros x _. unfold batch_gradient. eapply Rle_trans; [now apply c_mean|].
        rewrite Rmult_0_r, Rplus_0_r.
        apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. apply sum_le. intros j _.
        unfold slot_point. destruct (slot h x j); [apply Rle_refl|apply HM, Hpolicy].
      - rewrite (law_lin _ _ HE h (/ INR b) 0 _ (fun _ => 0)), (law_sum _ _ HE), (law_const _ _ HE).
        rewrite (sum_ext b _ (fun _ => benign + ε * M)) by (intros; now apply Hmarginal).
        rewrite sum_const. right. field. lra. }
    lra.
  Qed.

  (** Sums weighted by the learning rates: the rate of a step may depend on the past, but not on its coin. *)
  Theorem batch_weighted T :
    sum T (fun t => expected E t (fun h => rate h * (its_loss (data h) (batch_model h) - B)) nil)
    <= α * norm2 d (fun j => θ0 j + β j / (2 * α)).
  Proof.
    apply (run_weighted possible E HE d η σ α β B Θ rate post batch_gradient θ0 (fun h => its_loss (data h)));
      trivial.
    intros h _. apply batch_step.
  Qed.

  Lemma expected_schedule (schedule : nat -> R) f t : forall h,
    expected E t (fun h' => schedule (length h') * f h') h = schedule (t + length h)%nat * expected E t f h.
  Proof.
    induction t as [|t IH]; intros h; [reflexivity|]. cbn [expected].
    rewrite (law_ext _ _ HE h _ (fun x => schedule (S t + length h)%nat * expected E t f (x :: h) + 0 * 0)).
    - rewrite (law_lin _ _ HE h _ 0 _ (fun _ => 0)). ring.
    - intros x _. rewrite IH. cbn [length]. rewrite Nat.add_succ_r. cbn [Nat.add]. ring.
  Qed.

  (** A fixed schedule of rates: the η-weighted average is at most B + Λ(θ_0)/Ση_t (Theorem A1). *)
  Corollary batch_schedule (schedule : nat -> R) T :
    (forall h, rate h = schedule (length h)) ->
    sum T (fun t => schedule t * expected E t (fun h => its_loss (data h) (batch_model h)) nil)
    <= B * sum T schedule + α * norm2 d (fun j => θ0 j + β j / (2 * α)).
  Proof.
    intros Hs. assert (Q := batch_weighted T).
    rewrite (sum_ext T _ (fun t => 1 * (schedule t * expected E t (fun h => its_loss (data h) (batch_model h)) nil)
                                   + - B * schedule t)) in Q.
    - rewrite sum_lin in Q. lra.
    - intros t _.
      rewrite (expected_ext _ _ HE t _ (fun h => schedule (length h)
                 * (1 * its_loss (data h) (batch_model h) + - B * 1)) nil I)
        by (intros h _; rewrite Hs; ring).
      rewrite (expected_schedule schedule _ t),
        (expected_lin _ _ HE t 1 (- B) (fun h => its_loss (data h) (batch_model h)) (fun _ => 1)) by exact I.
      rewrite (expected_const _ _ HE), Nat.add_0_r. ring.
  Qed.

  (** A constant rate: the plain average. *)
  Corollary batch_average T : (forall h, rate h = η) -> (1 <= T)%nat ->
    average E T (fun h => its_loss (data h) (batch_model h)) <= B + transient d η α β θ0 T.
  Proof.
    intros Hconst HT. rewrite <- transient_is by assumption.
    apply (average_of_weighted _ _ HE); trivial.
    assert (Q := batch_weighted T). erewrite sum_ext; [exact Q|].
    intros t _. cbv beta. apply (expected_ext _ _ HE); [exact I|]. intros h _. now rewrite Hconst.
  Qed.
End Batches.

(** ** Batches with a coin of its own for each slot *)

Fixpoint tosses (N : nat) (w : nat -> R) (ε : R) (b : nat) (f : list draw -> R) : R :=
  match b with
  | O => f nil
  | S b' => toss N w ε (fun x => tosses N w ε b' (fun batch => f (x :: batch)))
  end.

Definition rows_or_own (N : nat) (_ : list (list draw)) (batch : list draw) : Prop :=
  forall x, In x batch -> row_or_own N nil x.

Lemma tosses_law N w ε b : weights N w -> 0 <= ε <= 1 -> law (rows_or_own N) (fun _ => tosses N w ε b).
Proof.
  intros Hw Hε. assert (L := toss_law N w ε Hw Hε).
  assert (Le : forall f g, (forall l, (forall x, In x l -> row_or_own N nil x) -> f l <= g l) ->
               tosses N w ε b f <= tosses N w ε b g).
  { induction b as [|b IH]; intros f g H; cbn; [apply H; intros x []|].
    apply (law_le _ _ L nil). intros x Hx. apply IH. intros l Hl. apply H.
    intros y [<-|Hy]; [exact Hx|now apply Hl]. }
  split.
  - intros h f g H. apply Le. exact H.
  - intros h a b' f g. clear Le h. revert f g.
    induction b as [|b IH]; intros f g; cbn; [reflexivity|].
    rewrite <- (law_lin _ _ L nil). apply (law_ext _ _ L nil). intros x _. apply IH.
  - intros h t. clear Le h. induction b as [|b IH]; cbn; [reflexivity|].
    rewrite IH. apply (law_const _ _ L nil).
Qed.

Definition slot_of (_ : list (list draw)) (batch : list draw) (j : nat) : option nat :=
  match nth j batch own with benign i => Some i | own => None end.

Lemma tosses_marginal N w ε b j F M : weights N w -> 0 <= ε <= 1 -> (j < b)%nat ->
  tosses N w ε b (fun x => match slot_of nil x j with Some i => F i | None => M end)
  = (1 - ε) * sum N (fun i => p N w i * F i) + ε * M.
Proof.
  intros Hw Hε. assert (L := toss_law N w ε Hw Hε). revert j.
  induction b as [|b IH]; intros j Hj; [lia|]. cbn [tosses].
  destruct j as [|j].
  - unfold slot_of. cbn [nth].
    rewrite (law_ext _ _ L nil _ (fun x => match x with benign i => F i | own => M end)); [reflexivity|].
    intros [i|] _; apply (law_const _ _ (tosses_law N w ε b Hw Hε) nil).
  - transitivity (toss N w ε (fun _ => (1 - ε) * sum N (fun i => p N w i * F i) + ε * M)).
    + apply (law_ext _ _ L nil). intros x _. rewrite <- (IH j) by lia. reflexivity.
    + apply (law_const _ _ L nil).
Qed.

(** ** Projection on the ball of radius ϱ *)

Definition project (d : nat) (ϱ : R) (θ : vector) : vector :=
  if Rle_dec (norm2 d θ) (ϱ ^ 2) then θ else fun j => ϱ / sqrt (norm2 d θ) * θ j.

Lemma project_in_ball d ϱ θ : norm2 d (project d ϱ θ) <= ϱ ^ 2.
Proof.
  unfold project. destruct (Rle_dec (norm2 d θ) (ϱ ^ 2)) as [H|H]; [assumption|].
  rewrite norm2_scale. assert (P : 0 < norm2 d θ) by (assert (Q := pow2_ge_0 ϱ); lra).
  assert (S := sqrt_sqrt (norm2 d θ) ltac:(lra)). assert (S0 := sqrt_lt_R0 _ P).
  right. rewrite <- S at 2. field. lra.
Qed.

(** If -β/(2α) is in the ball, the projection does not increase Λ: ‖β‖² ≤ 4α²ϱ². *)
Lemma project_descends d α β ϱ θ :
  0 < α -> 0 <= ϱ -> norm2 d β <= 4 * α ^ 2 * ϱ ^ 2 -> Λ d α β (project d ϱ θ) <= Λ d α β θ.
Proof.
  intros Hα Hϱ Hβ. unfold project. destruct (Rle_dec (norm2 d θ) (ϱ ^ 2)) as [H|H]; [apply Rle_refl|].
  assert (P : 0 < norm2 d θ) by (assert (Q := pow2_ge_0 ϱ); lra).
  set (s := sqrt (norm2 d θ)).
  assert (S : s * s = norm2 d θ) by (apply sqrt_sqrt; lra). assert (S0 : 0 < s) by now apply sqrt_lt_R0.
  assert (Hs : ϱ <= s).
  { apply Rnot_lt_le. intros C. apply H. rewrite <- S.
    replace (ϱ ^ 2) with (ϱ * ϱ) by ring. apply Rmult_le_compat; lra. }
  assert (Hdot : - (2 * α * ϱ * s) <= dot d β θ <= 2 * α * ϱ * s).
  { apply square_between; [repeat apply Rmult_le_pos; lra|].
    eapply Rle_trans; [apply cauchy_schwarz|].
    replace ((2 * α * ϱ * s) ^ 2) with (4 * α ^ 2 * ϱ ^ 2 * (s * s)) by ring. rewrite S.
    apply Rmult_le_compat_r; lra. }
  unfold Λ. rewrite norm2_scale, dot_scale_r, <- S.
  replace (α * ((ϱ / s) ^ 2 * (s * s)) + ϱ / s * dot d β θ)
    with (α * ϱ ^ 2 + dot d β θ - (s - ϱ) / s * dot d β θ) by (field; lra).
  assert (D : - ((s - ϱ) / s * dot d β θ) <= (s - ϱ) / s * (2 * α * ϱ * s)).
  { rewrite Ropp_mult_distr_r. apply Rmult_le_compat_l; [|lra].
    apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]. }
  replace ((s - ϱ) / s * (2 * α * ϱ * s)) with (2 * α * ϱ * (s - ϱ)) in D by (field; lra).
  assert (0 <= α * (s - ϱ) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]). lra.
Qed.

