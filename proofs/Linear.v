(** The learners of docs/theory.md: kinds of rows, sets of points, cases, put together by Theorem L1. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Rows Points Parts Logistic.
Open Scope R_scope.

(** ** What a certificate says, for any learner and set *)

(** Every learner whose gradients are allowed, every policy with points in A, every start in Θ. *)
Definition certified_for (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε : R)
    (allowed : vector -> vector -> vector -> Prop) (A Θ : vector -> Prop) (loss : vector -> R)
    (B : R) (added : vector -> nat -> R) : Prop :=
  forall gradient, (forall h θ x, allowed θ x (gradient h θ x)) ->
  forall policy : history -> vector, (forall h, A (policy h)) ->
  forall θ0, Θ θ0 ->
  let mean T := average (fun _ => toss N w ε) T (fun h => loss (model η σ gradient z policy θ0 h)) in
  (forall T, (1 <= T)%nat -> mean T <= B + added θ0 T) /\ limsup_at_most mean B.

Lemma residual_certified d N z w η σ ε α β loss B Θ A allowed :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α ->
  residual_below d N z w η σ ε α β loss B Θ A allowed ->
  (forall θ x g, Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g -> Θ (step η σ θ g)) ->
  certified_for d N z w η σ ε allowed A Θ loss B (transient d η α β).
Proof.
  intros Hw Hη Hε Hα HB Hkept gradient Hgradient policy Hpolicy θ0 Hstart mean.
  assert (H : forall T, (1 <= T)%nat -> mean T <= B + transient d η α β θ0 T).
  { intros T HT. now apply (kept_bound d N z w η σ ε α β loss B Θ A allowed). }
  split; [exact H|]. now apply (transient_limit mean d η α β θ0 B).
Qed.

(** ** Kinds of rows: the line of row i is T i + y i * s, weights included, on all models of Θ *)

Definition row_lines d N z w η σ ε α β (act : vector -> R -> R -> Prop) (ψ : nat -> R -> R)
    (Θ : vector -> Prop) (T y : nat -> R) : Prop :=
  forall θ i q, Θ θ -> (i < N)%nat -> act (z i) (dot d θ (z i)) q ->
  p N w i * (1 - ε) * contribution η σ α (dot d θ (z i)) (dot d β (z i)) (norm2 d (z i)) q
    + ψ i (dot d θ (z i))
  <= T i + y i * dot d θ (z i).

Section Kinds.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector) (Θ : vector -> Prop).
  Variables (t : nat -> R).   (* the weights of the loss; t i = p N w i for the data themselves *)
  Hypothesis Hw : weights N w.
  Hypothesis Hη : 0 < η.
  Hypothesis Hε : 0 <= ε <= 1.
  Hypothesis Hα : 0 < α.

  Let P i : (i < N)%nat -> 0 <= p N w i := p_nonneg N w i Hw.
  Definition F (i : nat) : R := jump η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)).
  Definition κ_of (i : nat) : R := gain η σ ε α (p N w i) (t i).

  Lemma αη_norm x : 0 <= α * η * norm2 d x.
  Proof. apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply norm2_nonneg]. Qed.

  (** parts/rows/hinge.rs *)
  Lemma hinge_lines u :
    (forall i, (i < N)%nat -> share (u i) /\ 0 <= κ_of i) ->
    row_lines d N z w η σ ε α β (fun _ => hinge_acts) (fun i s => t i * Rmax 0 (1 - s)) Θ
      (fun i => Rmax (F i) 0 - κ_of i * u i) (fun i => κ_of i * u i).
  Proof.
    intros Hu θ i q _ Hi Hq. destruct (Hu i Hi) as [Hs Hκ].
    eapply Rle_trans; [apply hinge_value; [now apply P|assumption|apply αη_norm|assumption]|].
    apply envelope_line; [|assumption]. destruct Hs. split; [now apply Rmult_le_pos|].
    fold (κ_of i). apply Rle_trans with (κ_of i * 1); [now apply Rmult_le_compat_l|lra].
  Qed.

  (** parts/rows/interval.rs: |s - o·z_i| ≤ reach, because ‖θ - o‖ ≤ r on Θ. *)
  Lemma interval_lines o r y reach :
    (forall θ, Θ θ -> norm2 d (fun j => θ j - o j) <= r ^ 2) ->
    (forall i, (i < N)%nat -> 0 <= reach i /\ r ^ 2 * norm2 d (z i) <= reach i ^ 2) ->
    row_lines d N z w η σ ε α β (fun _ => hinge_acts) (fun i s => t i * Rmax 0 (1 - s)) Θ
      (fun i => envelope (F i) (κ_of i) (y i) (dot d o (z i) - 1 - reach i) (dot d o (z i) - 1 + reach i) - y i) y.
  Proof.
    intros HΘ Hr θ i q Hθ Hi Hq. destruct (Hr i Hi) as [H0 H1].
    eapply Rle_trans; [apply hinge_value; [now apply P|assumption|apply αη_norm|assumption]|].
    assert (S : - reach i <= dot d (fun j => θ j - o j) (z i) <= reach i).
    { apply square_between; [assumption|]. eapply Rle_trans; [apply cauchy_schwarz|].
      eapply Rle_trans; [|exact H1]. apply Rmult_le_compat_r; [apply norm2_nonneg|now apply HΘ]. }
    replace (dot d (fun j => θ j - o j) (z i)) with (dot d θ (z i) - dot d o (z i)) in S.
    - assert (L := envelope_interval (F i) (κ_of i) (y i) (dot d o (z i) - 1 - reach i)
                     (dot d o (z i) - 1 + reach i) (dot d θ (z i)) q ltac:(lra) Hq).
      unfold F, κ_of in *. lra.
    - rewrite (dot_ext d (fun j => θ j - o j) (fun j => 1 * θ j + -1 * o j) (z i) (z i))
        by (intros; ring). rewrite dot_lin. ring.
  Qed.

  (** parts/rows/error_hinge.rs *)
  Lemma error_hinge_lines u u2 c :
    (forall i, (i < N)%nat -> 0 <= t i /\ share (u i) /\ share (u2 i) /\ share (c i) /\ 0 <= κ_of i + t i * c i) ->
    row_lines d N z w η σ ε α β (fun _ => hinge_acts) (fun i s => t i * wrong s) Θ
      (fun i => Rmax (F i + t i * c i) 0 - (κ_of i + t i * c i) * u i)
      (fun i => (κ_of i + t i * c i) * u i + (t i - t i * c i) * u2 i).
  Proof.
    intros Hu θ i q _ Hi Hq. destruct (Hu i Hi) as (Ht & H1 & H2 & H3 & H4).
    assert (V := hinge_value η σ ε α (p N w i) 0 (dot d θ (z i)) (dot d β (z i)) (norm2 d (z i)) q
                   (P i Hi) Hε (αη_norm (z i)) Hq).
    assert (L := error_line (F i) (gain η σ ε α (p N w i) 0) (t i) (u i) (u2 i) (c i) (dot d θ (z i)) q
                   Ht H1 H2 H3 ltac:(unfold κ_of, gain in *; lra) Hq).
    unfold κ_of, F, gain in *. lra.
  Qed.

  (** parts/rows/logistic.rs: y = κu, any place w₀ *)
  Lemma logistic_lines y w0 :
    (forall i, (i < N)%nat -> logistic_conditions η σ ε α (p N w i) (t i) (y i) (norm2 d (z i)) (w0 i)) ->
    row_lines d N z w η σ ε α β (fun _ => logistic_acts) (fun i s => t i * logistic s) Θ
      (fun i => logistic_T η σ ε α (p N w i) (t i) (y i) (dot d β (z i)) (norm2 d (z i)) (w0 i)) y.
  Proof. intros H θ i q _ Hi ->. now apply logistic_row_weighted, H. Qed.

  (** parts/rows/error_logistic.rs: [low] and [high] are numbers above sup h over w ≤ ½ and w ≥ ½ (h_above, h_above_half). *)
  Lemma error_logistic_lines y low high :
    (forall i, (i < N)%nat -> 0 <= t i /\ 0 <= y i <= κ0 η σ ε α * p N w i /\
       let h := hfun (κ0 η σ ε α * p N w i) (y i) (κ0 η σ ε α * p N w i - y i)
                  (p N w i * (1 - ε) * dot d β (z i)) (p N w i * (1 - ε) * (α * η * norm2 d (z i))) in
       (forall x, 0 < x <= / 2 -> h x <= low i) /\ (forall x, / 2 <= x < 1 -> h x <= high i)) ->
    row_lines d N z w η σ ε α β (fun _ => logistic_acts) (fun i s => t i * wrong s) Θ
      (fun i => Rmax (low i) (high i + t i)) y.
  Proof.
    intros H θ i q _ Hi ->. destruct (H i Hi) as (Ht & Hy & Hl & Hh). now apply error_logistic_row.
  Qed.
End Kinds.

(** ** A set of points as in theory.md, Section 4, one case, with μ(ϱ² - ‖θ‖²) ≥ 0 on Θ *)

Definition set_parts d N z η σ α (β : vector) (D : vector) (C ν μ ϱ : R) (T y : nat -> R) : parts := {|
  line0 := sum N T;
  line := fun j => sum N (fun i => y i * z i j);
  point0 := C + / 2 * sum d (fun j => D j * β j ^ 2);
  point1 := fun j => χ η σ α ν * D j * β j;
  point2 := fun j => / 2 * χ η σ α ν ^ 2 * D j;
  region0 := μ * ϱ ^ 2; region1 := fun _ => 0; region2 := fun _ => μ |}.

Lemma set_residual d N z w η σ ε α β act ψ loss (Θ A : vector -> Prop) tt D n C ν μ ϱ T y :
  0 <= ε -> 0 <= α * η ->
  (forall θ, loss θ = sum N (fun i => ψ i (dot d θ (z i)))) ->
  row_lines d N z w η σ ε α β act ψ Θ T y ->
  set_bounds d A tt D n ->
  (forall x s q, act x s q -> (tt / 2 + α * η * n) * q ^ 2 + ν * q * s <= C) ->
  (forall θ, Θ θ -> μ * norm2 d θ <= μ * ϱ ^ 2) ->
  (forall j, (j < d)%nat -> 0 < A_of η σ ε α (set_parts d N z η σ α β D C ν μ ϱ T y) j) ->
  residual_below d N z w η σ ε α β loss (B_of d η σ ε α β (set_parts d N z η σ α β D C ν μ ϱ T y))
    Θ A (along act d).
Proof.
  intros Hε Hαη Hloss Hlines Hset HC Hregion HA.
  apply L1_one_case; trivial. intros θ x Hθ Hx. repeat split.
  - intros gs Hgs. rewrite Hloss.
    apply (rows_line d N z w η σ ε α β act ψ T y); [|assumption]. intros i q Hi Hq. now apply Hlines.
  - intros g (q & Hq & ->). rewrite c_along.
    apply (point_quadratic d η σ α β A tt D n ν C); trivial. now apply (HC x).
  - cbn [region0 region1 region2 set_parts]. rewrite dot_zero, diagonal_constant.
    specialize (Hregion θ Hθ). lra.
Qed.

(** ** A finite set: every point is a case with its own line (Lemma L9) *)

Definition finite_parts N z (a : vector) (T y : nat -> R) (T' y' : R) : parts := {|
  line0 := sum N T; line := fun j => sum N (fun i => y i * z i j);
  point0 := T'; point1 := fun j => y' * a j; point2 := fun _ => 0;
  region0 := 0; region1 := fun _ => 0; region2 := fun _ => 0 |}.

Lemma hinge_point η σ α s b n q share :
  0 <= α * η * n -> 0 <= 2 * α * k η σ -> 0 <= share <= 1 -> hinge_acts s q ->
  contribution η σ α s b n q
  <= Rmax (2 * α * k η σ + α * η * n + b) 0 - 2 * α * k η σ * share + 2 * α * k η σ * share * s.
Proof.
  intros Hn Hk Hs Hq.
  assert (V := hinge_value η σ 0 α 1 0 s b n q ltac:(lra) ltac:(lra) Hn Hq).
  assert (L := envelope_line (jump η σ 0 α 1 n b) (gain η σ 0 α 1 0) (2 * α * k η σ * share) s q).
  unfold jump, gain, κ0 in *.
  replace (1 * (1 - 0) * (2 * α * k η σ + α * η * n + b)) with (2 * α * k η σ + α * η * n + b) in * by ring.
  assert (0 <= 2 * α * k η σ * share) by (apply Rmult_le_pos; lra).
  assert (2 * α * k η σ * share <= 2 * α * k η σ * 1) by (apply Rmult_le_compat_l; lra).
  specialize (L ltac:(lra) Hq). lra.
Qed.

Lemma logistic_point η σ α s b n y w0 :
  0 <= y <= 2 * α * k η σ -> 0 < 2 * (2 * α * k η σ) - α * η * n -> 0 < w0 < 1 ->
  contribution η σ α s b n (sigmoid s)
  <= above (2 * α * k η σ) y (2 * α * k η σ - y) b (α * η * n) w0 + y * s.
Proof.
  intros Hy Hm Hw0.
  assert (R := logistic_row η σ 0 α 1 0 y s b n w0). unfold κ0 in R.
  replace (2 * α * k η σ * (1 - 0) * 1) with (2 * α * k η σ) in R by ring.
  replace (1 * (1 - 0) * b) with b in R by ring.
  replace (1 * (1 - 0) * (α * η * n)) with (α * η * n) in R by ring.
  replace (2 * α * k η σ - 0) with (2 * α * k η σ) in R by ring.
  specialize (R ltac:(lra) Hy Hm Hw0). lra.
Qed.

(** The points of the set are a_0 … a_(M-1). *)
Lemma finite_residual d N z w η σ ε α β act ψ loss (Θ : vector -> Prop) M a (T y : nat -> nat -> R) T' y' B :
  0 <= ε ->
  (forall θ, loss θ = sum N (fun i => ψ i (dot d θ (z i)))) ->
  (forall l, (l < M)%nat -> row_lines d N z w η σ ε α β act ψ Θ (T l) (y l)) ->
  (forall l s q, (l < M)%nat -> act (a l) s q ->
     contribution η σ α s (dot d β (a l)) (norm2 d (a l)) q <= T' l + y' l * s) ->
  0 < α * σ * (2 - η * σ) ->
  (forall l, (l < M)%nat -> B_of d η σ ε α β (finite_parts N z (a l) (T l) (y l) (T' l) (y' l)) <= B) ->
  residual_below d N z w η σ ε α β loss B Θ (fun x => exists l, (l < M)%nat /\ x = a l) (along act d).
Proof.
  intros Hε Hloss Hlines Hpoint HA HB.
  apply (L1_residual d N z w η σ ε α β loss Θ _ (along act d) {l | (l < M)%nat}
           (fun l => let i := proj1_sig l in finite_parts N z (a i) (T i) (y i) (T' i) (y' i))
           (fun l _ x => x = a (proj1_sig l))); trivial.
  - intros θ x _ (l & Hl & ->). now exists (exist _ l Hl).
  - intros [l Hl] θ x Hθ _ ->. cbn [proj1_sig]. repeat split.
    + intros gs Hgs. rewrite Hloss.
      apply (rows_line d N z w η σ ε α β act ψ (T l) (y l)); [|assumption].
      intros i q Hi Hq. now apply Hlines.
    + intros g (q & Hq & ->). rewrite c_along. cbn [point0 point1 point2 finite_parts].
      rewrite dot_scale, (dot_comm d (a l) θ), diagonal_constant. specialize (Hpoint l _ q Hl Hq). lra.
    + cbn [region0 region1 region2 finite_parts]. rewrite dot_zero, diagonal_constant. lra.
  - intros l j _. unfold A_of, case_A. cbn. lra.
  - intros [l Hl]. now apply HB.
Qed.
