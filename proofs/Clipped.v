(** Gradients clipped at the norm G, any point: Theorem L16 for the hinge (theory.md, Section 10;
    parts/rows/clipped.rs). *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Rows Points Parts Logistic Linear
  Certificates.
Open Scope R_scope.

(** r = min(1, G/‖x‖) *)
Definition clip (d : nat) (G : R) (x : vector) : R :=
  if Rle_dec (norm2 d x) (G ^ 2) then 1 else G / sqrt (norm2 d x).

(** The multiple of x in the step: q·r, with q as without clipping. *)
Definition clipped_acts (d : nat) (G : R) (x : vector) (s q : R) : Prop :=
  exists q0, hinge_acts s q0 /\ q = q0 * clip d G x.

Lemma clip_facts d G x : 0 < G ->
  0 < clip d G x <= 1 /\ clip d G x ^ 2 * norm2 d x <= G ^ 2 /\
  (clip d G x = 1 \/ (0 < norm2 d x /\ clip d G x ^ 2 * norm2 d x = G ^ 2)).
Proof.
  intros HG. unfold clip. destruct (Rle_dec (norm2 d x) (G ^ 2)) as [H|H]; [lra|].
  assert (P : 0 < norm2 d x) by (assert (Q := pow2_ge_0 G); lra).
  set (s := sqrt (norm2 d x)).
  assert (S : s * s = norm2 d x) by (apply sqrt_sqrt; lra). assert (S0 : 0 < s) by now apply sqrt_lt_R0.
  assert (E : (G / s) ^ 2 * norm2 d x = G ^ 2) by (rewrite <- S; field; lra).
  assert (L : G <= s).
  { apply Rnot_lt_le. intros C. apply H. rewrite <- S. replace (G ^ 2) with (G * G) by ring.
    apply Rmult_le_compat; lra. }
  repeat split; [now apply Rdiv_lt_0_compat| |lra|right; split; assumption].
  apply (Rmult_le_reg_r s); [assumption|]. replace (G / s * s) with G by (field; lra). lra.
Qed.

Lemma square_le x y : 0 <= y -> x ^ 2 <= y ^ 2 -> x <= y.
Proof. intros Hy H. now apply (square_between x y Hy). Qed.

(** The witness brings numbers around r. *)
Lemma clip_low d G x low : 0 < G -> 0 <= low <= 1 -> low ^ 2 * norm2 d x <= G ^ 2 -> low <= clip d G x.
Proof.
  intros HG Hl H. destruct (clip_facts d G x HG) as (Hr & _ & [->|(P & E)]); [lra|].
  apply square_le; [lra|]. apply (Rmult_le_reg_r (norm2 d x)); lra.
Qed.

Lemma clip_high d G x high :
  0 < G -> 0 < high -> (1 <= high \/ G ^ 2 <= high ^ 2 * norm2 d x) -> clip d G x <= high.
Proof.
  intros HG Hh H. destruct (clip_facts d G x HG) as (Hr & Hle & _). destruct H as [H|H]; [lra|].
  assert (PG : 0 < G ^ 2) by (apply pow_lt; assumption).
  destruct (norm2_nonneg d x) as [P|P]; [|rewrite <- P in H; lra].
  apply square_le; [lra|]. apply (Rmult_le_reg_r (norm2 d x)); lra.
Qed.

(** p·J̃(r), as the checker computes it. *)
Definition clipped_jump (η σ ε α p n b r : R) : R := p * (1 - ε) * r * (2 * α * k η σ + b + α * η * n * r).

Lemma clipped_jump_convex η σ ε α p n b low high r :
  0 <= p -> 0 <= ε <= 1 -> 0 <= α * η * n -> low <= r <= high ->
  clipped_jump η σ ε α p n b r <= Rmax (clipped_jump η σ ε α p n b low) (clipped_jump η σ ε α p n b high).
Proof.
  intros Hp Hε Hn Hr. unfold clipped_jump.
  set (A := p * (1 - ε) * (2 * α * k η σ + b)). set (C := p * (1 - ε) * (α * η * n)).
  assert (HC : 0 <= C) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  assert (Q : 0 <= C * ((r - low) * (high - r))) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
  assert (L := affine_ends (- (C * (low * high))) (A + C * (low + high)) low high r
    (Rmax (p * (1 - ε) * low * (2 * α * k η σ + b + α * η * n * low))
          (p * (1 - ε) * high * (2 * α * k η σ + b + α * η * n * high))) Hr).
  assert (M1 := Rmax_l (p * (1 - ε) * low * (2 * α * k η σ + b + α * η * n * low))
                       (p * (1 - ε) * high * (2 * α * k η σ + b + α * η * n * high))).
  assert (M2 := Rmax_r (p * (1 - ε) * low * (2 * α * k η σ + b + α * η * n * low))
                       (p * (1 - ε) * high * (2 * α * k η σ + b + α * η * n * high))).
  set (top := Rmax _ _) in *. clearbody top. unfold A, C in *. lra.
Qed.

Lemma clipped_value η σ ε α p t s b n r q0 :
  0 <= p -> 0 <= ε <= 1 -> 0 <= α * η * n -> 0 <= r -> hinge_acts s q0 ->
  p * (1 - ε) * contribution η σ α s b n (q0 * r) + t * Rmax 0 (1 - s)
  <= q0 * (clipped_jump η σ ε α p n b r + (κ0 η σ ε α * p * r - t) * (s - 1)).
Proof.
  intros Hp Hε Hn Hr [Hq [Hbelow Habove]].
  unfold contribution, clipped_jump, κ0.
  destruct (Rtotal_order s 1) as [Hs|[Hs|Hs]].
  - rewrite (Hbelow Hs), (Rmax_right 0 (1 - s)) by lra. lra.
  - subst s. rewrite (Rmax_left 0 (1 - 1)) by lra.
    assert (0 <= p * (1 - ε) * (α * η * n * (r ^ 2 * (q0 * (1 - q0))))).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. apply Rmult_le_pos; [assumption|].
      apply Rmult_le_pos; [apply pow2_ge_0|apply Rmult_le_pos; lra]. }
    lra.
  - rewrite (Habove Hs), (Rmax_left 0 (1 - s)) by lra. lra.
Qed.

(** ε m₀, m, M are those of the ball of radius G. *)
Theorem clipped_certified d N z w t η σ ε α β G low high u τ ν :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= k η σ -> 0 < G -> 0 < τ -> 0 <= ν ->
  (forall i, (i < N)%nat -> share (u i) /\ share (low i) /\ low i ^ 2 * norm2 d (z i) <= G ^ 2 /\
     0 < high i /\ (1 <= high i \/ G ^ 2 <= high i ^ 2 * norm2 d (z i)) /\
     0 <= κ0 η σ ε α * low i * p N w i - t i) ->
  let y i := (κ0 η σ ε α * low i * p N w i - t i) * u i in
  let jump i r := clipped_jump η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)) r in
  let case := set_parts d N z η σ α β (fun _ => G / τ) (G * τ / 2 + α * η * G ^ 2 + ν) ν 0 0
    (fun i => Rmax (Rmax (jump i (low i)) (jump i (high i))) 0 - y i) y in
  (forall j, (j < d)%nat -> 0 < A_of η σ ε α case j) ->
  certified_for d N z w η σ ε (along (clipped_acts d G) d) everywhere everywhere
    (weighted_loss d N z t hinge) (B_of d η σ ε α β case) (transient d η α β).
Proof.
  intros Hw Hη Hε Hα Hk HG Hτ Hν Hrow y jump case HA.
  assert (Hαη : 0 <= α * η) by (apply Rmult_le_pos; lra).
  apply residual_certified; trivial. apply L1_one_case; [lra| |assumption].
  intros θ x _ _. repeat split.
  - intros gs Hgs. cbn [line0 line set_parts case]. unfold weighted_loss, hinge.
    apply (rows_line d N z w η σ ε α β (clipped_acts d G) (fun i s => t i * Rmax 0 (1 - s))); [|assumption].
    intros i q Hi (q0 & Hq0 & ->). destruct (Hrow i Hi) as (Hu & Hl & Hl2 & Hh & Hh2 & Hroom).
    set (r := clip d G (z i)). assert (P := p_nonneg N w i Hw Hi).
    assert (Hn := αη_norm d η α Hη Hα (z i)).
    assert (Rl : low i <= r) by now apply clip_low.
    assert (Rh : r <= high i) by now apply clip_high.
    destruct (clip_facts d G (z i) HG) as (Hr & _ & _). fold r in Hr.
    eapply Rle_trans; [apply clipped_value; trivial; lra|].
    assert (K : 0 <= κ0 η σ ε α * p N w i).
    { unfold κ0. apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; lra. }
    assert (K1 : κ0 η σ ε α * p N w i * low i <= κ0 η σ ε α * p N w i * r) by (apply Rmult_le_compat_l; lra).
    assert (Y : 0 <= y i <= κ0 η σ ε α * p N w i * r - t i).
    { unfold y. destruct Hu as [Hu0 Hu1]. split; [now apply Rmult_le_pos|].
      apply Rle_trans with ((κ0 η σ ε α * low i * p N w i - t i) * 1); [now apply Rmult_le_compat_l|lra]. }
    assert (L := envelope_line (clipped_jump η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)) r)
                   (κ0 η σ ε α * p N w i * r - t i) (y i) (dot d θ (z i)) q0 Y Hq0).
    assert (C := clipped_jump_convex η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)) (low i) (high i) r
                   P Hε Hn (conj Rl Rh)).
    fold (jump i (low i)) in C. fold (jump i (high i)) in C.
    assert (M : Rmax (clipped_jump η σ ε α (p N w i) (norm2 d (z i)) (dot d β (z i)) r) 0
                <= Rmax (Rmax (jump i (low i)) (jump i (high i))) 0).
    { apply Rmax_lub; [eapply Rle_trans; [exact C|apply Rmax_l]|apply Rmax_r]. }
    lra.
  - intros g (q & (q0 & Hq0 & ->) & ->). set (r := clip d G x).
    destruct (clip_facts d G x HG) as (Hr & Hn & _). fold r in Hr, Hn. rewrite c_along.
    replace (contribution η σ α (dot d θ x) (dot d β x) (norm2 d x) (q0 * r))
      with (contribution η σ α (dot d θ (fun j => r * x j)) (dot d β (fun j => r * x j))
              (norm2 d (fun j => r * x j)) q0)
      by (unfold contribution; rewrite !dot_scale_r, norm2_scale; ring).
    apply (point_quadratic d η σ α β (ball d G) (G * τ) (fun _ => G / τ) (G ^ 2) ν); trivial.
    + apply ball_bounds; lra.
    + unfold ball. now rewrite norm2_scale.
    + rewrite dot_scale_r. destruct Hq0 as (Hq & Hb & Ha).
      assert (q0 ^ 2 <= 1) by (rewrite <- (pow1 2); apply pow_incr; lra).
      assert (D0 : 0 <= G * τ / 2 + α * η * G ^ 2).
      { apply Rplus_le_le_0_compat; [|apply Rmult_le_pos; [assumption|apply pow2_ge_0]].
        apply Rmult_le_pos; [apply Rmult_le_pos|]; lra. }
      assert ((G * τ / 2 + α * η * G ^ 2) * q0 ^ 2 <= (G * τ / 2 + α * η * G ^ 2) * 1)
        by (apply Rmult_le_compat_l; lra).
      assert (S : q0 * (r * dot d θ x) <= 1).
      { destruct (Rlt_dec 1 (dot d θ x)) as [H1|H1]; [rewrite (Ha H1); lra|].
        assert (r * dot d θ x <= 1).
        { apply Rle_trans with (r * 1); [apply Rmult_le_compat_l; lra|lra]. }
        apply Rle_trans with (q0 * 1); [apply Rmult_le_compat_l; lra|lra]. }
      apply (Rmult_le_compat_l ν) in S; [|assumption]. lra.
  - cbn [region0 region1 region2 set_parts case]. rewrite dot_zero, diagonal_constant. lra.
Qed.
