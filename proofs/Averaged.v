(** The averaged model: its expected hinge loss at one time is at most the average of the losses, so every bound
    on the average holds for it, too (the loss is convex). *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Variants.
Open Scope R_scope.

Lemma sum_first n f : sum (S n) f = f O + sum n (fun i => f (S i)).
Proof. induction n as [|n IH]; [cbn; ring|]. cbn [sum] in *. rewrite IH. ring. Qed.

Lemma sum_reverse n f : sum n (fun i => f (n - 1 - i)%nat) = sum n f.
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite sum_first. cbn [sum]. rewrite <- IH.
  replace (S n - 1 - 0)%nat with n by lia. rewrite Rplus_comm. f_equal.
  apply sum_ext. intros i Hi. f_equal. lia.
Qed.

(** Jensen's inequality for the hinge loss. *)
Lemma hinge_loss_mean d N z w T (θ : nat -> vector) : weights N w -> (1 <= T)%nat ->
  hinge_loss d N z w (mean T θ) <= / INR T * sum T (fun t => hinge_loss d N z w (θ t)).
Proof.
  intros Hw HT. assert (P : 0 < INR T) by (apply lt_0_INR; lia).
  assert (PI : 0 < / INR T) by now apply Rinv_0_lt_compat.
  unfold hinge_loss. rewrite sum_swap, <- sum_scale. apply sum_le. intros i Hi.
  rewrite sum_scale, <- Rmult_assoc, (Rmult_comm (/ INR T)), Rmult_assoc.
  apply Rmult_le_compat_l; [now apply p_nonneg|].
  rewrite (dot_comm d (mean T θ)), dot_mean. apply Rmax_lub.
  - apply Rmult_le_pos; [lra|]. apply sum_nonneg. intros; apply Rmax_l.
  - apply Rle_trans with (/ INR T * sum T (fun t => 1 * 1 + -1 * dot d (z i) (θ t))).
    + rewrite sum_lin, sum_const. right. field. lra.
    + apply Rmult_le_compat_l; [lra|]. apply sum_le. intros t _. rewrite (dot_comm d (z i)).
      eapply Rle_trans; [|apply Rmax_r]. lra.
Qed.

(** What depends on all but the last i draws does not see them. *)
Lemma expected_skip {X : Type} possible E (HE : @law X possible E) f n i h :
  expected E (n + i) (fun h' => f (skipn i h')) h = expected E n f h.
Proof.
  induction i as [|i IH]; [rewrite Nat.add_0_r; reflexivity|].
  rewrite Nat.add_succ_r, (expected_step _ _ HE), <- IH. clear IH.
  generalize (n + i)%nat as m. intros m. revert h. induction m as [|m IH]; intros h; cbn [expected].
  - change (E h (fun _ => f (skipn i h)) = f (skipn i h)). apply (law_const _ _ HE).
  - apply (law_ext _ _ HE). intros x _. apply IH.
Qed.

(** θ̄ = the mean of θ_0 … θ_(T-1), at a history of T-1 draws. *)
Theorem averaged_model {X : Type} possible E (HE : @law X possible E) d N z w (model : list X -> vector) T :
  weights N w -> (1 <= T)%nat ->
  expected E (T - 1) (fun h => hinge_loss d N z w (mean T (fun i => model (skipn i h)))) nil
  <= average E T (fun h => hinge_loss d N z w (model h)).
Proof.
  intros Hw HT. set (f := fun h => hinge_loss d N z w (model h)).
  assert (S : forall n, expected E (T - 1) (fun h => sum n (fun i => f (skipn i h))) nil
              = sum n (fun i => expected E (T - 1) (fun h => f (skipn i h)) nil)).
  { induction n as [|n IH]; cbn [sum]; [apply (expected_const _ _ HE)|]. rewrite <- IH.
    rewrite (expected_ext _ _ HE (T - 1) _ (fun h => 1 * sum n (fun i => f (skipn i h)) + 1 * f (skipn n h)) nil I)
      by (intros; ring).
    rewrite (expected_lin _ _ HE (T - 1) 1 1 (fun h => sum n (fun i => f (skipn i h))) (fun h => f (skipn n h)) nil I). ring. }
  apply Rle_trans with (expected E (T - 1) (fun h => / INR T * sum T (fun i => f (skipn i h)) + 0 * 0) nil).
  - apply (expected_le _ _ HE); [exact I|]. intros h _. rewrite Rmult_0_r, Rplus_0_r. now apply hinge_loss_mean.
  - rewrite (expected_lin _ _ HE (T - 1) (/ INR T) 0 (fun h => sum T (fun i => f (skipn i h))) (fun _ => 0) nil I), S.
    unfold average. right.
    rewrite (sum_ext T _ (fun i => expected E (T - 1 - i) f nil)).
    + rewrite (sum_reverse T (fun t => expected E t f nil)). unfold Rdiv, f. ring.
    + intros i Hi. rewrite <- (expected_skip _ _ HE f (T - 1 - i) i nil). f_equal. lia.
Qed.
