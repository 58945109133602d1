(** Quadratics above the adversary's point (theory.md, Section 4). *)

From Coq Require Import Reals Lra Lia Arith.
From Unswayed Require Import Statement Vectors OneStep Rows.
Open Scope R_scope.

(** ** Sets: w·(z·x) ≤ ½(w²t + Σ D_j x_j²) and ‖z‖² ≤ n on the set *)

Definition set_bounds (d : nat) (A : vector -> Prop) (t : R) (D : vector) (n : R) : Prop :=
  forall z, A z -> norm2 d z <= n /\
    forall x q, q * dot d z x <= / 2 * (q ^ 2 * t + sum d (fun j => D j * x j ^ 2)).

Lemma mean_inequality R0 τ z2 x2 zx q :
  0 < R0 -> 0 < τ -> z2 <= R0 ^ 2 ->
  0 <= (q * τ) ^ 2 * z2 + 2 * (q * τ) * (- R0) * zx + (- R0) ^ 2 * x2 ->
  q * zx <= / 2 * (q ^ 2 * (R0 * τ) + R0 / τ * x2).
Proof.
  intros HR Hτ Hz H.
  assert (P : 0 <= (q * τ) ^ 2 * (R0 ^ 2 - z2)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  apply (Rmult_le_reg_l (2 * R0 * τ)); [repeat apply Rmult_lt_0_compat; lra|].
  replace (2 * R0 * τ * (/ 2 * (q ^ 2 * (R0 * τ) + R0 / τ * x2)))
    with ((q * τ) ^ 2 * R0 ^ 2 + R0 ^ 2 * x2) by (field; lra).
  lra.
Qed.

Definition ball (d : nat) (R0 : R) (z : vector) : Prop := norm2 d z <= R0 ^ 2.

Lemma ball_bounds d R0 τ :
  0 <= R0 -> 0 < τ -> set_bounds d (ball d R0) (R0 * τ) (fun _ => R0 / τ) (R0 ^ 2).
Proof.
  intros HR Hτ z Hz. split; [exact Hz|]. intros x q.
  rewrite sum_scale.
  replace (sum d (fun j => x j ^ 2)) with (norm2 d x) by (apply sum_ext; intros; ring).
  destruct HR as [HR|<-].
  - apply (mean_inequality R0 τ (norm2 d z)); trivial. rewrite <- norm2_lin. apply norm2_nonneg.
  - replace (dot d z x) with 0; [unfold Rdiv; lra|].
    unfold dot. rewrite (sum_ext d _ (fun _ => 0)), sum_const; [ring|].
    intros j Hj. rewrite (norm2_zero d z); [ring| |assumption]. unfold ball in Hz. lra.
Qed.

Definition box (d : nat) (radii : vector) (z : vector) : Prop := forall j, (j < d)%nat -> Rabs (z j) <= radii j.

Lemma box_bounds d (radii τ : vector) :
  (forall j, (j < d)%nat -> 0 <= radii j /\ 0 < τ j) ->
  set_bounds d (box d radii) (sum d (fun j => radii j * τ j)) (fun j => radii j / τ j) (norm2 d radii).
Proof.
  intros H z Hz.
  assert (Q : forall j, (j < d)%nat -> z j ^ 2 <= radii j ^ 2).
  { intros j Hj. rewrite <- (pow2_abs (z j)). apply pow_incr. split; [apply Rabs_pos|now apply Hz]. }
  split.
  - apply sum_le. intros j Hj. specialize (Q j Hj). lra.
  - intros x q. unfold dot. rewrite <- !sum_scale, <- sum_plus, <- sum_scale. apply sum_le. intros j Hj.
    destruct (H j Hj) as [HR Hτ]. specialize (Q j Hj). destruct HR as [HR|HR].
    + assert (P := pow2_ge_0 (q * τ j * z j - radii j * x j)).
      apply Rle_trans with (/ 2 * (q ^ 2 * (radii j * τ j) + radii j / τ j * x j ^ 2)); [|lra].
      apply (mean_inequality (radii j) (τ j) (z j ^ 2)); trivial. lra.
    + rewrite <- HR in *. rewrite (square_zero (z j)) by lra. unfold Rdiv. lra.
Qed.

(** ** Lemma L7 *)

(** [C] bounds what is left of the point after the set's inequality: Dw² + νws. *)
Lemma point_quadratic d η σ α β A t D n ν C θ x q :
  0 <= α * η -> set_bounds d A t D n -> A x ->
  (t / 2 + α * η * n) * q ^ 2 + ν * q * dot d θ x <= C ->
  contribution η σ α (dot d θ x) (dot d β x) (norm2 d x) q
  <= (C + / 2 * sum d (fun j => D j * β j ^ 2))
     + dot d (fun j => χ η σ α ν * D j * β j) θ
     + sum d (fun j => / 2 * χ η σ α ν ^ 2 * D j * θ j ^ 2).
Proof.
  intros Hαη Hset Hx HC. destruct (Hset x Hx) as [Hn Hs].
  specialize (Hs (fun j => χ η σ α ν * θ j + 1 * β j) q).
  rewrite dot_lin_r, (dot_comm d x θ), (dot_comm d x β) in Hs.
  assert (E : sum d (fun j => D j * (χ η σ α ν * θ j + 1 * β j) ^ 2)
              = sum d (fun j => D j * β j ^ 2) + 2 * dot d (fun j => χ η σ α ν * D j * β j) θ
                + 2 * sum d (fun j => / 2 * χ η σ α ν ^ 2 * D j * θ j ^ 2)).
  { unfold dot. rewrite <- !sum_scale, <- !sum_plus. apply sum_ext. intros; field. }
  rewrite E in Hs.
  assert (P : 0 <= α * η * (q ^ 2 * (n - norm2 d x)))
    by (apply Rmult_le_pos; [assumption|apply Rmult_le_pos; [apply pow2_ge_0|lra]]).
  unfold contribution, χ in *. lra.
Qed.

(** Hinge: C = t/2 + αηn + ν. *)
Lemma hinge_constant D ν s q : 0 <= D -> 0 <= ν -> hinge_acts s q -> D * q ^ 2 + ν * q * s <= D + ν.
Proof.
  intros HD Hν [Hq [Hbelow Habove]].
  assert (q ^ 2 <= 1) by (rewrite <- (pow1 2); apply pow_incr; lra).
  assert (D * q ^ 2 <= D * 1) by (apply Rmult_le_compat_l; lra).
  assert (q * s <= 1).
  { destruct (Rlt_dec 1 s) as [Hs|Hs]; [rewrite (Habove Hs); lra|].
    apply Rle_trans with (q * 1); [apply Rmult_le_compat_l|]; lra. }
  assert (ν * (q * s) <= ν * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
