(** Mean estimation: θ' = (1-η)θ + ηz + η·noise (theory.md, Section 14; crates/unswayed-check/src/mean.rs). *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process Run.
Open Scope R_scope.

(** A step: whose point it is, and which noise. The noise is a finite distribution of its own. *)
Definition noisy := (draw * nat)%type.

Definition noisy_toss (N : nat) (w : nat -> R) (ε : R) (L : nat) (wn : nat -> R) (f : noisy -> R) : R :=
  toss N w ε (fun x => sum L (fun l => p L wn l * f (x, l))).

Definition mean_step (η : R) (θ z noise : vector) : vector :=
  fun j => (1 - η) * θ j + η * z j + η * noise j.

Fixpoint mean_model (η : R) (z noise : nat -> vector) (policy : list noisy -> vector) (θ0 : vector)
    (h : list noisy) : vector :=
  match h with
  | nil => θ0
  | (x, l) :: past =>
      mean_step η (mean_model η z noise policy θ0 past)
        (match x with benign i => z i | own => policy past end) (noise l)
  end.

Definition distance2 (d : nat) (x y : vector) : R := norm2 d (fun j => 1 * x j + -1 * y j).

(** The conditions of the checker, and its value. [μ] is the mean of the rows, the noise has mean 0. *)
Definition mean_conditions (η ε a ν : R) : Prop :=
  0 < a /\ 0 <= ν /\ 0 <= (2 * η - η ^ 2) * a - 1 /\ 0 <= ν - ε * η ^ 2 * a /\
  (ε * η * (1 - η) * a) ^ 2 <= ((2 * η - η ^ 2) * a - 1) * (ν - ε * η ^ 2 * a).

Definition mean_theorem : Prop :=
  forall d N z w η ε r L noise wn μ a ν,
  weights N w -> weights L wn -> 0 < η < 2 -> 0 <= ε <= 1 -> 0 <= r ->
  (forall j, (j < d)%nat -> sum N (fun i => p N w i * z i j) = μ j) ->
  (forall j, (j < d)%nat -> sum L (fun l => p L wn l * noise l j) = 0) ->
  mean_conditions η ε a ν ->
  let trΣ := sum N (fun i => p N w i * distance2 d (z i) μ) in
  let trS := sum L (fun l => p L wn l * norm2 d (noise l)) in
  let B := η ^ 2 * a * ((1 - ε) * trΣ + trS) + ν * r in
  forall policy : list noisy -> vector, (forall h, distance2 d (policy h) μ <= r) ->
  forall θ0,
  let mean T := average (fun _ => noisy_toss N w ε L wn) T
                  (fun h => distance2 d (mean_model η z noise policy θ0 h) μ) in
  (forall T, (1 <= T)%nat -> mean T <= B + a * distance2 d θ0 μ / INR T) /\ limsup_at_most mean B.

Definition noisy_possible (N L : nat) (_ : list noisy) (x : noisy) : Prop :=
  row_or_own N nil (fst x) /\ (snd x < L)%nat.

Lemma noisy_law N w ε L wn : weights N w -> weights L wn -> 0 <= ε <= 1 ->
  law (noisy_possible N L) (fun _ => noisy_toss N w ε L wn).
Proof.
  intros Hw Hn Hε. assert (Q := toss_law N w ε Hw Hε).
  split; intros; unfold noisy_toss.
  - apply (law_le _ _ Q nil). intros x Hx. apply sum_le. intros l Hl.
    apply Rmult_le_compat_l; [now apply p_nonneg|]. apply H. split; assumption.
  - rewrite <- (law_lin _ _ Q nil). apply (law_ext _ _ Q nil). intros x _.
    rewrite <- sum_lin. apply sum_ext. intros; ring.
  - rewrite (law_ext _ _ Q nil _ (fun _ => c)); [apply (law_const _ _ Q nil)|]. intros x _.
    rewrite (sum_ext L _ (fun l => c * p L wn l)) by (intros; ring). rewrite sum_scale, p_total by assumption. ring.
Qed.

(** e' = (1-η)e + ηx + η·noise, in squares. *)
Lemma mean_square d η θ z noise μ :
  distance2 d (mean_step η θ z noise) μ
  = (1 - η) ^ 2 * distance2 d θ μ
    + 2 * (1 - η) * η * dot d (fun j => 1 * θ j + -1 * μ j) (fun j => 1 * z j + -1 * μ j)
    + η ^ 2 * distance2 d z μ + η ^ 2 * norm2 d noise
    + 2 * η * dot d noise (fun j => (1 - η) * (1 * θ j + -1 * μ j) + η * (1 * z j + -1 * μ j)).
Proof.
  unfold distance2, norm2, dot, mean_step. induction d as [|d IH]; cbn [sum]; [ring|]. rewrite IH. ring.
Qed.

(** The 2×2 matrix of (2.2) is positive semidefinite. *)
Lemma two_by_two P Q c e2 x2 ex :
  0 <= P -> 0 <= Q -> c ^ 2 <= P * Q -> 0 <= e2 -> 0 <= x2 -> ex ^ 2 <= e2 * x2 ->
  2 * c * ex <= P * e2 + Q * x2.
Proof.
  intros HP HQ Hc He Hx Hex.
  assert (S : 2 * c * ex <= P * e2 + Q * x2 \/ P * e2 + Q * x2 < 2 * c * ex) by lra.
  destruct S as [S|S]; [assumption|exfalso].
  assert (N0 : 0 <= P * e2 + Q * x2) by (apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
  assert (S2 : (P * e2 + Q * x2) ^ 2 < (2 * c * ex) ^ 2).
  { replace ((P * e2 + Q * x2) ^ 2) with ((P * e2 + Q * x2) * (P * e2 + Q * x2)) by ring.
    replace ((2 * c * ex) ^ 2) with ((2 * c * ex) * (2 * c * ex)) by ring.
    apply Rmult_le_0_lt_compat; lra. }
  assert (U : c ^ 2 * ex ^ 2 <= P * Q * (e2 * x2)) by (apply Rmult_le_compat; trivial; apply pow2_ge_0).
  assert (V := pow2_ge_0 (P * e2 - Q * x2)). lra.
Qed.

Theorem mean_holds : mean_theorem.
Proof.
  intros d N z w η ε r L noise wn μ a ν Hw Hn Hη Hε Hr Hμ H0 (Ha & Hν & HP & HQ & HPQ) trΣ trS B
         policy Hpolicy θ0 mean.
  assert (Law := noisy_law N w ε L wn Hw Hn Hε).
  set (E := fun _ : list noisy => noisy_toss N w ε L wn) in *.
  set (λ := fun h => a * distance2 d (mean_model η z noise policy θ0 h) μ).
  assert (Step : forall h, happens (noisy_possible N L) h ->
            E h (fun x => λ (x :: h)) + distance2 d (mean_model η z noise policy θ0 h) μ - λ h <= B).
  { intros h _. set (θ := mean_model η z noise policy θ0 h) in *. set (x := policy h).
    set (e := fun j => 1 * θ j + -1 * μ j).
    (* the expected noise *)
    assert (Noise : forall y, sum L (fun l => p L wn l * distance2 d (mean_step η θ y (noise l)) μ)
        = (1 - η) ^ 2 * distance2 d θ μ + 2 * (1 - η) * η * dot d e (fun j => 1 * y j + -1 * μ j)
          + η ^ 2 * distance2 d y μ + η ^ 2 * trS).
    { intros y. set (t := fun j => (1 - η) * (1 * θ j + -1 * μ j) + η * (1 * y j + -1 * μ j)).
      set (C := (1 - η) ^ 2 * distance2 d θ μ + 2 * (1 - η) * η * dot d e (fun j => 1 * y j + -1 * μ j)
                + η ^ 2 * distance2 d y μ).
      rewrite (sum_ext L _ (fun l => C * p L wn l
                 + 1 * (η ^ 2 * (p L wn l * norm2 d (noise l)) + 2 * η * (p L wn l * dot d t (noise l)))))
        by (intros l _; rewrite mean_square, (dot_comm d (noise l)); fold t; fold e; unfold C; ring).
      rewrite sum_lin, sum_lin, <- (dot_sum d L (p L wn) noise t), p_total by assumption. fold trS.
      rewrite (dot_ext d _ (fun _ => 0) t t), dot_zero by (intros; auto). ring. }
    assert (Rows : sum N (fun i => p N w i * (2 * (1 - η) * η * dot d e (fun j => 1 * z i j + -1 * μ j)
                                              + η ^ 2 * distance2 d (z i) μ)) = η ^ 2 * trΣ).
    { rewrite (sum_ext N _ (fun i => 2 * (1 - η) * η * (p N w i * dot d e (fun j => 1 * z i j + -1 * μ j))
                                     + η ^ 2 * (p N w i * distance2 d (z i) μ))) by (intros; ring).
      rewrite sum_lin. fold trΣ.
      rewrite <- (dot_sum d N (p N w) (fun i j => 1 * z i j + -1 * μ j) e).
      rewrite (dot_ext d _ (fun _ => 0) e e), dot_zero; [ring| |reflexivity].
      intros j Hj. rewrite (sum_ext N _ (fun i => 1 * (p N w i * z i j) + - μ j * p N w i)) by (intros; ring).
      rewrite sum_lin, Hμ, p_total by assumption. ring. }
    assert (Total : E h (fun y => λ (y :: h))
        = a * ((1 - η) ^ 2 * distance2 d θ μ + η ^ 2 * trS + (1 - ε) * (η ^ 2 * trΣ)
               + ε * (2 * (1 - η) * η * dot d e (fun j => 1 * x j + -1 * μ j) + η ^ 2 * distance2 d x μ))).
    { rewrite <- Rows. unfold E, noisy_toss, toss, λ. cbn [mean_model]. fold θ. fold x.
      assert (Pull : forall y, sum L (fun l => p L wn l * (a * distance2 d (mean_step η θ y (noise l)) μ))
                = a * ((1 - η) ^ 2 * distance2 d θ μ + 2 * (1 - η) * η * dot d e (fun j => 1 * y j + -1 * μ j)
                       + η ^ 2 * distance2 d y μ + η ^ 2 * trS)).
      { intros y. rewrite <- Noise, <- sum_scale. apply sum_ext. intros; ring. }
      rewrite Pull.
      rewrite (sum_ext N _ (fun i => a * ((1 - η) ^ 2 * distance2 d θ μ + η ^ 2 * trS) * p N w i
                 + a * (p N w i * (2 * (1 - η) * η * dot d e (fun j => 1 * z i j + -1 * μ j)
                                   + η ^ 2 * distance2 d (z i) μ)))) by (intros i _; rewrite Pull; ring).
      rewrite sum_lin, p_total by assumption. ring. }
    rewrite Total. unfold λ. fold θ.
    assert (Cross := two_by_two ((2 * η - η ^ 2) * a - 1) (ν - ε * η ^ 2 * a) (ε * η * (1 - η) * a)
                       (distance2 d θ μ) (distance2 d x μ) (dot d e (fun j => 1 * x j + -1 * μ j))
                       HP HQ HPQ (norm2_nonneg d _) (norm2_nonneg d _) (cauchy_schwarz d _ _)).
    assert (Radius := Hpolicy h). fold x in Radius. apply (Rmult_le_compat_l ν) in Radius; [|assumption].
    unfold B. lra. }
  assert (H : forall T, (1 <= T)%nat -> mean T <= B + a * distance2 d θ0 μ / INR T).
  { intros T HT. eapply Rle_trans.
    - apply (theorem_1_low _ _ Law λ (fun h => distance2 d (mean_model η z noise policy θ0 h) μ) B 0 Step);
        [|assumption]. intros h _. unfold λ. apply Rmult_le_pos; [lra|apply norm2_nonneg].
    - unfold λ. cbn [mean_model]. rewrite Rminus_0_r. apply Rle_refl. }
  split; [exact H|].
  apply (limit_of_bound mean B (a * distance2 d θ0 μ)); [apply Rmult_le_pos; [lra|apply norm2_nonneg]|exact H].
Qed.
