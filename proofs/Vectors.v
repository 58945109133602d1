(** Finite sums and dot products. *)

From Coq Require Import Reals Lra Lia Arith.
From Unswayed Require Import Statement.
Open Scope R_scope.

Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; intros H; cbn; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite (H n) by lia. reflexivity.
Qed.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; intros H; cbn; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply H | apply H]; lia.
Qed.

Lemma sum_lin n a b f g : sum n (fun i => a * f i + b * g i) = a * sum n f + b * sum n g.
Proof. induction n as [|n IH]; cbn; [ring|]. rewrite IH. ring. Qed.

Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; cbn; [ring|]. rewrite IH. ring. Qed.

Lemma sum_scale n a f : sum n (fun i => a * f i) = a * sum n f.
Proof. induction n as [|n IH]; cbn; [ring|]. rewrite IH. ring. Qed.

Lemma sum_const n a : sum n (fun _ => a) = INR n * a.
Proof. induction n as [|n IH]; [cbn; ring|]. rewrite S_INR. cbn [sum]. rewrite IH. ring. Qed.

Lemma sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  intros H. rewrite <- (Rmult_0_r (INR n)), <- (sum_const n 0). now apply sum_le.
Qed.

Lemma sum_swap n m f : sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; cbn.
  - rewrite sum_const. ring.
  - rewrite IH, sum_plus. reflexivity.
Qed.

Section Dot.
  Variable d : nat.

  Lemma dot_comm x y : dot d x y = dot d y x.
  Proof. apply sum_ext; intros; ring. Qed.

  Lemma dot_lin a b x y t : dot d (fun j => a * x j + b * y j) t = a * dot d x t + b * dot d y t.
  Proof. unfold dot. rewrite <- sum_lin. apply sum_ext; intros; ring. Qed.

  Lemma dot_lin_r a b x y t : dot d t (fun j => a * x j + b * y j) = a * dot d t x + b * dot d t y.
  Proof. unfold dot. rewrite <- sum_lin. apply sum_ext; intros; ring. Qed.

  Lemma dot_scale a x t : dot d (fun j => a * x j) t = a * dot d x t.
  Proof. unfold dot. rewrite <- sum_scale. apply sum_ext; intros; ring. Qed.

  Lemma dot_scale_r a x t : dot d t (fun j => a * x j) = a * dot d t x.
  Proof. unfold dot. rewrite <- sum_scale. apply sum_ext; intros; ring. Qed.

  Lemma dot_ext x y s t :
    (forall j, (j < d)%nat -> x j = y j) -> (forall j, (j < d)%nat -> s j = t j) -> dot d x s = dot d y t.
  Proof. intros H K. apply sum_ext; intros j Hj. rewrite H, K by assumption. reflexivity. Qed.

  Lemma norm2_nonneg x : 0 <= norm2 d x.
  Proof. apply sum_nonneg; intros. apply Rle_0_sqr. Qed.

  Lemma norm2_lin a b x y :
    norm2 d (fun j => a * x j + b * y j) = a ^ 2 * norm2 d x + 2 * a * b * dot d x y + b ^ 2 * norm2 d y.
  Proof. unfold norm2. rewrite dot_lin, !dot_lin_r, (dot_comm y x). ring. Qed.

  Lemma norm2_scale a x : norm2 d (fun j => a * x j) = a ^ 2 * norm2 d x.
  Proof. unfold norm2. rewrite dot_scale, dot_scale_r. ring. Qed.

  (** Σ_i c_i (z_i · θ) is the dot product of Σ_i c_i z_i with θ. *)
  Lemma dot_sum n (c : nat -> R) (z : nat -> vector) θ :
    dot d (fun j => sum n (fun i => c i * z i j)) θ = sum n (fun i => c i * dot d θ (z i)).
  Proof.
    unfold dot.
    rewrite (sum_ext d _ (fun j => sum n (fun i => c i * z i j * θ j))).
    - rewrite <- sum_swap. apply sum_ext; intros i _. rewrite <- sum_scale. apply sum_ext; intros; ring.
    - intros j _. rewrite (Rmult_comm _ (θ j)), <- sum_scale. apply sum_ext; intros; ring.
  Qed.

  Lemma dot_zero θ : dot d (fun _ => 0) θ = 0.
  Proof. unfold dot. rewrite (sum_ext d _ (fun _ => 0)) by (intros; ring). rewrite sum_const. ring. Qed.

  Lemma norm2_ext x y : (forall j, (j < d)%nat -> x j = y j) -> norm2 d x = norm2 d y.
  Proof. intros H. now apply dot_ext. Qed.
End Dot.

Lemma square_zero x : x ^ 2 <= 0 -> x = 0.
Proof.
  intros H. destruct (Req_dec x 0); [assumption|].
  assert (Q := Rsqr_pos_lt x H0). unfold Rsqr in Q. lra.
Qed.

Lemma norm2_zero d x : norm2 d x <= 0 -> forall j, (j < d)%nat -> x j = 0.
Proof.
  unfold norm2, dot. induction d as [|d IH]; intros H j Hj; [lia|]. cbn [sum] in H.
  assert (P : 0 <= sum d (fun j => x j * x j)) by (apply sum_nonneg; intros; apply Rle_0_sqr).
  assert (Q := Rle_0_sqr (x d)). unfold Rsqr in Q.
  destruct (Nat.eq_dec j d) as [->|]; [apply square_zero; lra|apply IH; [lra|lia]].
Qed.

(** The inequality of Cauchy and Schwarz. *)
Lemma cauchy_schwarz d x y : dot d x y ^ 2 <= norm2 d x * norm2 d y.
Proof.
  destruct (norm2_nonneg d x) as [P|P].
  - assert (Q := norm2_nonneg d (fun j => norm2 d x * y j + - dot d x y * x j)).
    rewrite norm2_lin, (dot_comm d y x) in Q.
    apply (Rmult_le_reg_l (norm2 d x)); [assumption|]. lra.
  - replace (dot d x y) with 0.
    + rewrite <- P. lra.
    + unfold dot. rewrite (sum_ext d _ (fun _ => 0)), sum_const; [ring|].
      intros j Hj. rewrite (norm2_zero d x); [ring|lra|assumption].
Qed.

Lemma square_between s h : 0 <= h -> s ^ 2 <= h ^ 2 -> - h <= s <= h.
Proof.
  intros Hh H. rewrite <- !Rsqr_pow2 in H. apply Rsqr_le_abs_0 in H.
  rewrite (Rabs_right h) in H by lra. 
  assert (A1 := Rle_abs s). assert (A2 := Rle_abs (- s)). rewrite Rabs_Ropp in A2. lra.
Qed.
