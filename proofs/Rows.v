(** Lines above the rows. *)

From Coq Require Import Reals Lra Lia Arith.
From Unswayed Require Import Statement Vectors OneStep Process.
Open Scope R_scope.

(** ** Gradients that are a multiple of the point *)

Definition along (act : R -> R -> Prop) (d : nat) (θ x g : vector) : Prop :=
  exists q, act (dot d θ x) q /\ g = (fun j => q * x j).

(** What a row or a point contributes, as a function of s = θ·x, b = β·x, n = ‖x‖² and the multiple q. *)
Definition contribution (η σ α s b n q : R) : R := q * (2 * α * k η σ * s + b) + α * η * n * q ^ 2.

Lemma c_along d η σ α β θ x q :
  c d η σ α β θ (fun j => q * x j) = contribution η σ α (dot d θ x) (dot d β x) (norm2 d x) q.
Proof. unfold c, contribution. rewrite !dot_scale_r, norm2_scale. ring. Qed.

(** ** The hinge learner: 1 below the kink, 0 above it, anything between at it. *)

Definition hinge_acts (s q : R) : Prop := 0 <= q <= 1 /\ (s < 1 -> q = 1) /\ (1 < s -> q = 0).

Lemma activity_acts s r : 0 <= r <= 1 -> hinge_acts s (activity s r).
Proof.
  intros Hr. unfold activity, hinge_acts.
  destruct (Rlt_dec s 1); [lra|]. destruct (Rlt_dec 1 s); lra.
Qed.

Lemma hinge_gradient_along d kink h θ x :
  (forall h x, 0 <= kink h x <= 1) -> along hinge_acts d θ x (hinge_gradient d kink h θ x).
Proof.
  intros H. exists (activity (dot d θ x) (kink h x)). split; [now apply activity_acts|reflexivity].
Qed.

(** ** Lines add up row by row *)

Lemma rows_line d N z w η σ ε α β (act : R -> R -> Prop) (φ : nat -> R -> R) (T y : nat -> R) θ gs :
  weights N w ->
  (forall i q, (i < N)%nat -> act (dot d θ (z i)) q ->
     (1 - ε) * contribution η σ α (dot d θ (z i)) (dot d β (z i)) (norm2 d (z i)) q + φ i (dot d θ (z i))
     <= T i + y i * dot d θ (z i)) ->
  (forall i, (i < N)%nat -> along act d θ (z i) (gs i)) ->
  (1 - ε) * sum N (fun i => p N w i * c d η σ α β θ (gs i)) + sum N (fun i => p N w i * φ i (dot d θ (z i)))
  <= sum N (fun i => p N w i * T i) + dot d (fun j => sum N (fun i => p N w i * y i * z i j)) θ.
Proof.
  intros Hw Hline Hgs.
  rewrite (dot_sum d N (fun i => p N w i * y i) z θ), <- sum_scale, <- !sum_plus.
  apply sum_le. intros i Hi. destruct (Hgs i Hi) as [q [Hq ->]]. rewrite c_along.
  assert (P := p_nonneg N w i Hw Hi). specialize (Hline i q Hi Hq).
  apply (Rmult_le_compat_l (p N w i)) in Hline; [|assumption]. lra.
Qed.

(** ** Hinge rows on the whole line: (3.2) of theory.md, Lemma L4 with κ ≥ 0 *)

Lemma hinge_row η σ ε α s b n q u :
  0 <= ε <= 1 -> 0 <= α * η * n -> 0 <= κ η σ ε α -> 0 <= u <= 1 -> hinge_acts s q ->
  (1 - ε) * contribution η σ α s b n q + Rmax 0 (1 - s)
  <= Rmax ((1 - ε) * (2 * α * k η σ + α * η * n + b)) 0 - κ η σ ε α * u + κ η σ ε α * u * s.
Proof.
  intros Hε Hn Hκ Hu [Hq [Hbelow Habove]].
  set (j := (1 - ε) * (2 * α * k η σ + α * η * n + b)).
  assert (M1 := Rmax_l j 0). assert (M0 := Rmax_r j 0).
  unfold contribution.
  destruct (Rtotal_order s 1) as [Hs|[Hs|Hs]].
  - rewrite (Hbelow Hs), (Rmax_right 0 (1 - s)) by lra.
    assert (0 <= κ η σ ε α * ((1 - u) * (1 - s)))
      by (apply Rmult_le_pos; [assumption|apply Rmult_le_pos; lra]).
    unfold κ, κ0 in *. unfold j in *. lra.
  - subst s. rewrite (Rmax_left 0 (1 - 1)) by lra.
    assert (0 <= (1 - ε) * (α * η * n * (q * (1 - q))))
      by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; [assumption|apply Rmult_le_pos; lra]]).
    assert (q * j <= Rmax j 0).
    { apply Rle_trans with (q * Rmax j 0); [apply Rmult_le_compat_l; lra|].
      rewrite <- (Rmult_1_l (Rmax j 0)) at 2. apply Rmult_le_compat_r; lra. }
    unfold j in *. lra.
  - rewrite (Habove Hs), (Rmax_left 0 (1 - s)) by lra.
    assert (0 <= κ η σ ε α * (u * (s - 1)))
      by (apply Rmult_le_pos; [assumption|apply Rmult_le_pos; lra]).
    lra.
Qed.
