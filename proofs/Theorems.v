(** Theorems 2 to 5: the statements of Statement.v, proved. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Rows Points Parts.
Open Scope R_scope.

(** ** The parts for the ball ‖z‖ ≤ R0, with μ(ϱ² - ‖θ‖²) ≥ 0 *)

Definition ball_parts d N z w η σ α β R0 τ ν μ ϱ (T y : nat -> R) : parts := {|
  line0 := sum N (fun i => p N w i * T i);
  line := fun j => sum N (fun i => p N w i * y i * z i j);
  point0 := R0 * τ / 2 + α * η * R0 ^ 2 + ν + / 2 * sum d (fun j => R0 / τ * β j ^ 2);
  point1 := fun j => χ η σ α ν * (R0 / τ) * β j;
  point2 := fun j => / 2 * χ η σ α ν ^ 2 * (R0 / τ);
  region0 := μ * ϱ ^ 2; region1 := fun _ => 0; region2 := fun _ => μ |}.

Lemma ball_parts_A d N z w η σ ε α β R0 τ ν μ ϱ T y j :
  0 < τ -> A_of η σ ε α (ball_parts d N z w η σ α β R0 τ ν μ ϱ T y) j = a η σ ε R0 α τ ν μ.
Proof. intros Hτ. unfold A_of, case_A, a. cbn. field. lra. Qed.

Lemma ball_parts_B d N z w η σ ε α β R0 τ ν μ ϱ T y :
  0 < τ -> 0 < a η σ ε R0 α τ ν μ ->
  B_of d η σ ε α β (ball_parts d N z w η σ α β R0 τ ν μ ϱ T y) = value d N z w η σ ε R0 α β τ ν μ ϱ T y.
Proof.
  intros Hτ Ha. unfold B_of, case_bound, value.
  rewrite (constant_A d _ _ (a η σ ε R0 α τ ν μ) Ha) by (intros j _; now apply ball_parts_A).
  rewrite (norm2_ext d _ (v N z w η σ ε R0 α β τ ν y))
    by (intros j _; unfold case_v, v; cbn; field; lra).
  cbn [line0 point0 region0 ball_parts].
  replace (sum d (fun j => R0 / τ * β j ^ 2)) with (R0 / τ * norm2 d β).
  - field. lra.
  - rewrite sum_scale. f_equal. apply sum_ext. intros; ring.
Qed.

(** All forms of hinge rows at once: [ψ i] is the loss of row i. *)
Lemma hinge_residual d N z w η σ ε R0 α β τ ν μ ϱ T y loss (ψ : nat -> R -> R) (Θ : vector -> Prop) :
  parameters η σ ε -> 0 <= R0 -> conditions η σ ε R0 α τ ν μ ->
  (forall θ, loss θ = sum N (fun i => ψ i (dot d θ (z i)))) ->
  (forall θ, Θ θ -> μ * norm2 d θ <= μ * ϱ ^ 2) ->
  (forall θ i q, Θ θ -> (i < N)%nat -> hinge_acts (dot d θ (z i)) q ->
     p N w i * (1 - ε) * contribution η σ α (dot d θ (z i)) (dot d β (z i)) (norm2 d (z i)) q
       + ψ i (dot d θ (z i))
     <= p N w i * T i + p N w i * y i * dot d θ (z i)) ->
  residual_below d N z w η σ ε α β loss (value d N z w η σ ε R0 α β τ ν μ ϱ T y)
    Θ (ball d R0) (along (fun _ => hinge_acts) d).
Proof.
  intros (Hη & Hσ & Hk & Hε) HR (Hα & Hτ & Hν & Hμ & Ha) Hloss Hregion Hline.
  rewrite <- ball_parts_B by assumption.
  assert (Hαη : 0 <= α * η) by (apply Rmult_le_pos; lra).
  apply L1_one_case; [lra| |intros; now rewrite ball_parts_A].
  intros θ x Hθ Hx. repeat split.
  - intros gs Hgs. rewrite Hloss. cbn.
    apply (rows_line d N z w η σ ε α β (fun _ => hinge_acts) ψ); [|assumption].
    intros i q Hi Hq. now apply Hline.
  - intros g (q & Hq & ->). rewrite c_along. cbn.
    apply (point_quadratic d η σ α β (ball d R0) (R0 * τ) (fun _ => R0 / τ) (R0 ^ 2) ν); trivial.
    + now apply ball_bounds.
    + apply hinge_constant; trivial.
      apply Rplus_le_le_0_compat; [|apply Rmult_le_pos; [assumption|apply pow2_ge_0]].
      apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
  - cbn [region0 region1 region2 ball_parts]. rewrite dot_zero, diagonal_constant. specialize (Hregion θ Hθ). lra.
Qed.

Lemma αηn α η d x : 0 < α -> 0 < η -> 0 <= α * η * norm2 d x.
Proof. intros. apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply norm2_nonneg]. Qed.

(** From the residual to what a certificate says, on all of R^d. *)
Lemma certified_everywhere d N z w η σ ε R0 α β B loss :
  weights N w -> parameters η σ ε -> 0 < α ->
  residual_below d N z w η σ ε α β loss B (fun _ => True) (ball d R0) (along (fun _ => hinge_acts) d) ->
  certified d N z w η σ ε R0 loss (fun _ => True) B (transient d η α β).
Proof.
  intros Hw (Hη & Hσ & Hk & Hε) Hα HB kink Hkink policy Hpolicy θ0 _ mean.
  assert (H : forall T, (1 <= T)%nat -> mean T <= B + transient d η α β θ0 T).
  { intros T HT.
    apply (kept_bound d N z w η σ ε α β loss B (fun _ => True) (ball d R0) (along (fun _ => hinge_acts) d));
      trivial; try lra.
    intros h θ x. now apply hinge_gradient_along. }
  split; [exact H|]. now apply (transient_limit mean d η α β θ0 B).
Qed.

(** G_λ ≤ B under the conditions of Theorem 2. *)
Lemma theorem_2_residual d N z w η σ ε R0 α β τ ν u :
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions η σ ε R0 α τ ν 0 -> 0 <= κ η σ ε α ->
  (forall i, (i < N)%nat -> share (u i)) ->
  let T i := Rmax (J d η σ ε α β (z i)) 0 - κ η σ ε α * u i in
  let y i := κ η σ ε α * u i in
  residual_below d N z w η σ ε α β (hinge_loss d N z w) (value d N z w η σ ε R0 α β τ ν 0 0 T y)
    (fun _ => True) (ball d R0) (along (fun _ => hinge_acts) d).
Proof.
  intros Hw Hp HR Hc Hκ Hu T y.
  assert (Hα := proj1 Hc). assert (Hη := proj1 Hp).
  apply (hinge_residual d N z w η σ ε R0 α β τ ν 0 0 T y _ (fun i s => p N w i * Rmax 0 (1 - s))); trivial.
  - intros; lra.
  - intros θ i q _ Hi Hq. destruct Hp as (_ & _ & _ & Hε).
    assert (P := p_nonneg N w i Hw Hi). assert (Hn := αηn α η d (z i) Hα Hη).
    eapply Rle_trans; [apply hinge_value; trivial; lra|].
    replace (jump η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)))
      with (p N w i * J d η σ ε α β (z i)) by (unfold jump, J; ring).
    assert (L := envelope_line (J d η σ ε α β (z i)) (κ η σ ε α) (y i) (dot d θ (z i)) q).
    assert (Hy : 0 <= y i <= κ η σ ε α).
    { unfold y. destruct (Hu i Hi). split; [now apply Rmult_le_pos|].
      rewrite <- (Rmult_1_r (κ η σ ε α)) at 2. now apply Rmult_le_compat_l. }
    specialize (L Hy Hq). apply (Rmult_le_compat_l (p N w i)) in L; [|assumption].
    unfold gain, T, y, κ in *. lra.
Qed.

Theorem theorem_2_holds : theorem_2.
Proof.
  intros d N z w η σ ε R0 α β τ ν u Hw Hp HR Hc Hκ Hu T y.
  apply (certified_everywhere d N z w η σ ε R0 α); trivial; [apply Hc|now apply theorem_2_residual].
Qed.

Theorem theorem_4_holds : theorem_4.
Proof.
  intros d N z w η σ ε R0 α β τ ν u u2 c Hw Hp HR Hc Hu T y.
  assert (Hα := proj1 Hc). assert (Hη := proj1 Hp).
  apply certified_everywhere; trivial.
  apply (hinge_residual d N z w η σ ε R0 α β τ ν 0 0 T y _ (fun i s => p N w i * wrong s)); trivial.
  - intros; lra.
  - intros θ i q _ Hi Hq. destruct Hp as (_ & _ & _ & Hε).
    assert (P := p_nonneg N w i Hw Hi). assert (Hn := αηn α η d (z i) Hα Hη).
    assert (V := hinge_value η σ ε α (p N w i) 0 (dot d θ (z i)) (dot d β (z i)) (norm2 d (z i)) q
                   P ltac:(lra) Hn Hq).
    replace (jump η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)))
      with (p N w i * J d η σ ε α β (z i)) in V by (unfold jump, J; ring).
    destruct (Hu i Hi) as (H1 & H2 & H3 & H4).
    assert (L := error_line (J d η σ ε α β (z i)) (κ0 η σ ε α) 1 (u i) (u2 i) (c i) (dot d θ (z i)) q
                   ltac:(lra) H1 H2 H3 ltac:(unfold κ in H4; lra) Hq).
    apply (Rmult_le_compat_l (p N w i)) in L; [|assumption].
    rewrite (Rmult_1_l (c i)) in L. unfold gain, T, y, κ in *. lra.
Qed.

(** ** The ball that the steps keep *)

Lemma ball_kept d σ r ϱ θ x q :
  0 < σ -> 0 < r -> 0 < 1 - r * σ -> 0 <= q <= 1 -> norm2 d θ <= ϱ ^ 2 -> norm2 d x <= (ϱ * σ) ^ 2 ->
  norm2 d (step r σ θ (fun j => q * x j)) <= ϱ ^ 2.
Proof.
  intros Hσ Hr Hk Hq Hθ Hx. unfold step. rewrite norm2_lin, dot_scale_r, norm2_scale.
  assert (P := norm2_nonneg d (fun j => σ * θ j + - q * x j)). rewrite norm2_lin in P.
  assert (Q2 : q ^ 2 <= 1) by (rewrite <- (pow1 2); apply pow_incr; lra).
  assert (X : q ^ 2 * norm2 d x <= 1 * (ϱ * σ) ^ 2)
    by (apply Rmult_le_compat; [apply pow2_ge_0|apply norm2_nonneg|assumption..]).
  assert (S1 : 0 <= (1 - r * σ) * r * (σ ^ 2 * norm2 d θ + 2 * σ * - q * dot d θ x + (- q) ^ 2 * norm2 d x))
    by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]).
  assert (S2 : 0 <= (1 - r * σ) * σ * (ϱ ^ 2 - norm2 d θ)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  assert (S3 : 0 <= r * ((ϱ * σ) ^ 2 - q ^ 2 * norm2 d x)) by (apply Rmult_le_pos; lra).
  apply (Rmult_le_reg_l σ); [assumption|]. lra.
Qed.

(** The least value of Λ on the ball, from below: Theorem 5. *)
Lemma Λ_least_in_ball d α β ϱ m θ :
  0 < α -> 0 <= m -> norm2 d θ <= ϱ ^ 2 -> - (norm2 d β / (4 * (α + m))) - m * ϱ ^ 2 <= Λ d α β θ.
Proof.
  intros Hα Hm Hθ. assert (P := Λ_least d (α + m) β θ ltac:(lra)).
  assert (0 <= m * (ϱ ^ 2 - norm2 d θ)) by (apply Rmult_le_pos; lra). unfold Λ in *. lra.
Qed.

Lemma transient_in_ball_is d η α β ϱ m θ0 T :
  0 < η -> 0 < α -> 0 <= m -> (1 <= T)%nat ->
  (Λ d α β θ0 - (- (norm2 d β / (4 * (α + m))) - m * ϱ ^ 2)) / (η * INR T)
  = transient_in_ball d η α β ϱ m θ0 T.
Proof.
  intros Hη Hα Hm HT. assert (P : 0 < INR T) by (apply lt_0_INR; lia).
  unfold transient_in_ball, Λ.
  rewrite (norm2_ext d (fun j => 2 * (α + m) * θ0 j + β j) (fun j => 2 * (α + m) * θ0 j + 1 * β j))
    by (intros; ring).
  rewrite norm2_lin, (dot_comm d θ0 β). field. lra.
Qed.

Theorem theorem_3_holds : theorem_3.
Proof.
  intros d N z w η σ ε R0 α β τ ν μ ϱ y reach m Hw Hp HR Hc Hϱ Hm Hrows T
         kink Hkink policy Hpolicy θ0 Hstart mean.
  assert (Hc' := Hc). assert (Hp' := Hp).
  destruct Hc as (Hα & Hτ & Hν & Hμ & Ha), Hp as (Hη & Hσ & Hk & Hε).
  set (B := value d N z w η σ ε R0 α β τ ν μ ϱ T y).
  assert (HB : residual_below d N z w η σ ε α β (hinge_loss d N z w) B
                 (fun θ => norm2 d θ <= ϱ ^ 2) (ball d R0) (along (fun _ => hinge_acts) d)).
  { apply (hinge_residual d N z w η σ ε R0 α β τ ν μ ϱ T y _ (fun i s => p N w i * Rmax 0 (1 - s))); trivial.
    - intros. now apply Rmult_le_compat_l.
    - intros θ i q Hθ Hi Hq. destruct (Hrows i Hi) as (_ & Hr0 & Hr).
      assert (P := p_nonneg N w i Hw Hi). assert (Hn := αηn α η d (z i) Hα Hη).
      eapply Rle_trans; [apply hinge_value; trivial; lra|].
      replace (jump η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)))
        with (p N w i * J d η σ ε α β (z i)) by (unfold jump, J; ring).
      assert (Hs : - reach i <= dot d θ (z i) <= reach i).
      { apply square_between; [assumption|].
        eapply Rle_trans; [apply cauchy_schwarz|]. eapply Rle_trans; [|exact Hr].
        apply Rmult_le_compat_r; [apply norm2_nonneg|assumption]. }
      assert (L := envelope_interval (J d η σ ε α β (z i)) (κ η σ ε α) (y i) (- reach i - 1) (reach i - 1)
                     (dot d θ (z i)) q ltac:(lra) Hq).
      rewrite <- range_envelope_is in L by assumption.
      apply (Rmult_le_compat_l (p N w i)) in L; [|assumption].
      unfold gain, T, κ in *. lra. }
  assert (Hadded : forall T, (1 <= T)%nat -> mean T <= B + transient_in_ball d η α β ϱ m θ0 T).
  { intros t Ht. rewrite <- transient_in_ball_is by assumption.
    apply (kept_bound_low d N z w η σ ε α β (hinge_loss d N z w) B (fun θ => norm2 d θ <= ϱ ^ 2)
             (ball d R0) (along (fun _ => hinge_acts) d)); trivial; try lra.
    - intros h θ x. now apply hinge_gradient_along.
    - intros θ x g Hθ Hx (q & Hq & ->). destruct Hq as (Hq & _).
      apply ball_kept; trivial; try lra.
      destruct Hx as [Hx|(i & Hi & ->)]; [|apply (Hrows i Hi)].
      eapply Rle_trans; [exact Hx|]. apply pow_incr. lra.
    - intros θ Hθ. now apply Λ_least_in_ball. }
  split; [exact Hadded|].
  apply (limit_of_bound mean B
    ((norm2 d (fun j => 2 * (α + m) * θ0 j + β j) / (4 * (α + m)) + m * (ϱ ^ 2 - norm2 d θ0)) / η)).
  - apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. apply Rplus_le_le_0_compat.
    + apply Rmult_le_pos; [apply norm2_nonneg|left; apply Rinv_0_lt_compat; lra].
    + apply Rmult_le_pos; lra.
  - intros t Ht. eapply Rle_trans; [now apply Hadded|].
    assert (0 < INR t) by (apply lt_0_INR; lia). right. unfold transient_in_ball. field. lra.
Qed.
