(** Lines above the rows: hinge rows (theory.md, Sections 3, 6 and 12). *)

From Coq Require Import Reals Lra Lia Arith.
From Unswayed Require Import Statement Vectors OneStep Process.
Open Scope R_scope.

(** ** Gradients that are a multiple q of the point x, which depends on s = θ·x *)

Definition along (act : vector -> R -> R -> Prop) (d : nat) (θ x g : vector) : Prop :=
  exists q, act x (dot d θ x) q /\ g = (fun j => q * x j).

(** What a row or a point contributes, as a function of s = θ·x, b = β·x, n = ‖x‖² and the multiple q. *)
Definition contribution (η σ α s b n q : R) : R := q * (2 * α * k η σ * s + b) + α * η * n * q ^ 2.

Lemma c_along d η σ α β θ x q :
  c d η σ α β θ (fun j => q * x j) = contribution η σ α (dot d θ x) (dot d β x) (norm2 d x) q.
Proof. unfold c, contribution. rewrite !dot_scale_r, norm2_scale. ring. Qed.

(** Lines add up row by row. Row i has the loss [ψ i s], weights included, and the line [T i + y i * s]. *)
Lemma rows_line d N z w η σ ε α β (act : vector -> R -> R -> Prop) (ψ : nat -> R -> R) (T y : nat -> R) θ gs :
  (forall i q, (i < N)%nat -> act (z i) (dot d θ (z i)) q ->
     p N w i * (1 - ε) * contribution η σ α (dot d θ (z i)) (dot d β (z i)) (norm2 d (z i)) q
       + ψ i (dot d θ (z i))
     <= T i + y i * dot d θ (z i)) ->
  (forall i, (i < N)%nat -> along act d θ (z i) (gs i)) ->
  (1 - ε) * sum N (fun i => p N w i * c d η σ α β θ (gs i)) + sum N (fun i => ψ i (dot d θ (z i)))
  <= sum N T + dot d (fun j => sum N (fun i => y i * z i j)) θ.
Proof.
  intros Hline Hgs.
  rewrite (dot_sum d N y z θ), <- sum_scale, <- !sum_plus.
  apply sum_le. intros i Hi. destruct (Hgs i Hi) as [q [Hq ->]]. rewrite c_along.
  specialize (Hline i q Hi Hq). lra.
Qed.

(** ** The hinge learner: 1 below the kink, 0 above it, anything between at it. *)

Definition hinge_acts (s q : R) : Prop := 0 <= q <= 1 /\ (s < 1 -> q = 1) /\ (1 < s -> q = 0).

Lemma activity_acts s r : 0 <= r <= 1 -> hinge_acts s (activity s r).
Proof.
  intros Hr. unfold activity, hinge_acts.
  destruct (Rlt_dec s 1); [lra|]. destruct (Rlt_dec 1 s); lra.
Qed.

Lemma hinge_gradient_along d kink h θ x :
  (forall h x, share (kink h x)) -> along (fun _ => hinge_acts) d θ x (hinge_gradient d kink h θ x).
Proof.
  intros H. exists (activity (dot d θ x) (kink h x)). split; [apply activity_acts; exact (H h x)|reflexivity].
Qed.

(** A hinge row of data weight p and loss weight t, up to the step that gives q² the value q. *)
Definition jump (η σ ε α p n b : R) : R := p * (1 - ε) * (2 * α * k η σ + α * η * n + b).
Definition gain (η σ ε α p t : R) : R := κ0 η σ ε α * p - t.

Lemma hinge_value η σ ε α p t s b n q :
  0 <= p -> 0 <= ε <= 1 -> 0 <= α * η * n -> hinge_acts s q ->
  p * (1 - ε) * contribution η σ α s b n q + t * Rmax 0 (1 - s)
  <= q * (jump η σ ε α p n b + gain η σ ε α p t * (s - 1)).
Proof.
  intros Hp Hε Hn [Hq [Hbelow Habove]].
  unfold contribution, jump, gain, κ0.
  destruct (Rtotal_order s 1) as [Hs|[Hs|Hs]].
  - rewrite (Hbelow Hs), (Rmax_right 0 (1 - s)) by lra. lra.
  - subst s. rewrite (Rmax_left 0 (1 - 1)) by lra.
    assert (0 <= p * (1 - ε) * (α * η * n * (q * (1 - q))))
      by (apply Rmult_le_pos; [|apply Rmult_le_pos; [assumption|]]; apply Rmult_le_pos; lra).
    lra.
  - rewrite (Habove Hs), (Rmax_left 0 (1 - s)) by lra. lra.
Qed.

(** (12.1) of theory.md; Lemma L4 on the whole line: T = max(F, 0) - y for 0 ≤ y ≤ κ. *)
Lemma envelope_line F g y s q :
  0 <= y <= g -> hinge_acts s q -> q * (F + g * (s - 1)) <= Rmax F 0 - y + y * s.
Proof.
  intros Hy [Hq [Hbelow Habove]].
  assert (M1 := Rmax_l F 0). assert (M0 := Rmax_r F 0).
  destruct (Rtotal_order s 1) as [Hs|[Hs|Hs]].
  - rewrite (Hbelow Hs). assert (0 <= (g - y) * (1 - s)) by (apply Rmult_le_pos; lra). lra.
  - subst s. assert (q * F <= Rmax F 0); [|lra].
    apply Rle_trans with (q * Rmax F 0); [apply Rmult_le_compat_l; lra|].
    rewrite <- (Rmult_1_l (Rmax F 0)) at 2. apply Rmult_le_compat_r; lra.
  - rewrite (Habove Hs). assert (0 <= y * (s - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Lemma L4: T with q(F + κx) ≤ T + yx for low ≤ x = s - 1 ≤ high; parts/rows/interval.rs. *)
Definition envelope (F g y low high : R) : R :=
  let acts x := F + (g - y) * x in
  let idles x := - (y * x) in
  if Rle_dec low 0
  then if Rlt_dec high 0 then Rmax (acts low) (acts high)
       else Rmax (Rmax (Rmax (acts low) F) (idles high)) 0
  else Rmax (idles low) (idles high).

Lemma affine_ends b m low high x top :
  low <= x <= high -> b + m * low <= top -> b + m * high <= top -> b + m * x <= top.
Proof.
  intros [Hl Hh] H1 H2. destruct (Rle_dec 0 m) as [Hm|Hm].
  - assert (m * x <= m * high) by (apply Rmult_le_compat_l; lra). lra.
  - assert (0 <= (- m) * (x - low)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma envelope_interval F g y low high s q :
  low <= s - 1 <= high -> hinge_acts s q ->
  q * (F + g * (s - 1)) <= envelope F g y low high + y * (s - 1).
Proof.
  intros Hs [Hq [Hbelow Habove]]. set (x := s - 1) in *.
  set (top := envelope F g y low high).
  assert (One : x <= 0 -> F + (g - y) * x <= top).
  { intros Hx. unfold top, envelope. destruct (Rle_dec low 0) as [_|]; [|lra].
    destruct (Rlt_dec high 0).
    - apply (affine_ends F (g - y) low high); [assumption|apply Rmax_l|apply Rmax_r].
    - apply (affine_ends F (g - y) low 0); [lra|..].
      + eapply Rle_trans; [|apply Rmax_l]. eapply Rle_trans; [|apply Rmax_l]. apply Rmax_l.
      + rewrite Rmult_0_r, Rplus_0_r.
        eapply Rle_trans; [|apply Rmax_l]. eapply Rle_trans; [|apply Rmax_l]. apply Rmax_r. }
  assert (Zero : 0 <= x -> 0 + (- y) * x <= top).
  { intros Hx. unfold top, envelope. destruct (Rle_dec low 0).
    - destruct (Rlt_dec high 0); [lra|].
      apply (affine_ends 0 (- y) 0 high); [lra|..].
      + rewrite Rmult_0_r, Rplus_0_r. apply Rmax_r.
      + eapply Rle_trans; [|apply Rmax_l]. eapply Rle_trans; [|apply Rmax_r]. lra.
    - apply (affine_ends 0 (- y) low high); [lra|..].
      + eapply Rle_trans; [|apply Rmax_l]. lra.
      + eapply Rle_trans; [|apply Rmax_r]. lra. }
  destruct (Rtotal_order x 0) as [Hx|[Hx|Hx]].
  - rewrite Hbelow by (unfold x in Hx; lra). specialize (One (Rlt_le _ _ Hx)). lra.
  - specialize (One (Req_le _ _ Hx)). specialize (Zero (Req_le _ _ (eq_sym Hx))). rewrite Hx in *.
    assert (q * F <= q * top) by (apply Rmult_le_compat_l; lra).
    assert (q * top <= 1 * top) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite Habove by (unfold x in Hx; lra). specialize (Zero (Rlt_le _ _ Hx)). lra.
Qed.

(** T of method `bounded-range`, as parts/rows/interval.rs computes it for one shell around 0. *)
Lemma range_envelope_is j y g h : 0 <= h -> range_envelope j y g h = envelope j g y (- h - 1) (h - 1).
Proof.
  intros Hh. unfold range_envelope, envelope.
  destruct (Rle_dec (- h - 1) 0); [|lra].
  replace (j + (g - y) * (- h - 1)) with (j + (y - g) * (1 + h)) by ring.
  replace (j + (g - y) * (h - 1)) with (j + (y - g) * (1 - h)) by ring.
  replace (- (y * (h - 1))) with (y * (1 - h)) by ring.
  destruct (Rlt_dec h 1), (Rlt_dec (h - 1) 0); try lra.
  rewrite (Rmax_comm 0), Rmax_assoc. reflexivity.
Qed.

(** ** Zero-one error of the hinge learner: (6.1) of theory.md *)

(** [t] is the weight of the row in the error, [κ0p] its weight in the data; shares u, u', c. *)
Lemma error_line F g t u u' c s q :
  0 <= t -> 0 <= u <= 1 -> 0 <= u' <= 1 -> 0 <= c <= 1 -> 0 <= g - t + t * c -> hinge_acts s q ->
  q * (F + g * (s - 1)) + t * wrong s
  <= Rmax (F + t * c) 0 - (g - t + t * c) * u + ((g - t + t * c) * u + (t - t * c) * u') * s.
Proof.
  intros Ht Hu Hu' Hc Hg [Hq [Hbelow Habove]].
  assert (M1 := Rmax_l (F + t * c) 0). assert (M0 := Rmax_r (F + t * c) 0).
  assert (Hcc : 0 <= t * c) by (apply Rmult_le_pos; lra).
  assert (Hc1 : 0 <= t * (1 - c)) by (apply Rmult_le_pos; lra).
  set (G := g - t + t * c) in *.
  destruct (Rtotal_order s 1) as [Hs|[Hs|Hs]].
  - rewrite (Hbelow Hs).
    assert (A1 : 0 <= G * ((1 - u) * (1 - s))) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
    unfold wrong. destruct (Rle_dec s 0).
    + assert (A2 : 0 <= t * (1 - c) * ((1 - u') * (- s))) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
      unfold G in *. lra.
    + assert (A2 : 0 <= t * (1 - c) * (u' * s)) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
      assert (A3 : 0 <= t * (1 - c) * (1 - s)) by (apply Rmult_le_pos; lra).
      unfold G in *. lra.
  - subst s. unfold wrong. destruct (Rle_dec 1 0); [lra|].
    assert (0 <= t * (1 - c) * u') by (apply Rmult_le_pos; lra).
    assert (q * F <= Rmax (F + t * c) 0); [|lra].
    apply Rle_trans with (q * Rmax (F + t * c) 0); [apply Rmult_le_compat_l; lra|].
    rewrite <- (Rmult_1_l (Rmax (F + t * c) 0)) at 2. apply Rmult_le_compat_r; lra.
  - rewrite (Habove Hs). unfold wrong. destruct (Rle_dec s 0); [lra|].
    assert (0 <= G * (u * (s - 1))) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
    assert (0 <= t * (1 - c) * (u' * s)) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra). lra.
Qed.
