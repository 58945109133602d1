(** Coordinates without regularization: Theorem L17 (theory.md, Section 10), with the numbers of
    crates/unswayed-check/src/lambda.rs: Λ has the curvature α, and αk in free coordinates. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Rows Points.
Open Scope R_scope.

Section FreeBias.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector) (free : nat -> bool).

  Definition shrink (j : nat) : R := if free j then 1 else k η σ.
  Definition curve (j : nat) : R := if free j then α * k η σ else α.

  (** θ'_j = k_jθ_j + ηg_j *)
  Definition free_step (θ g : vector) : vector := fun j => shrink j * θ j + η * g j.

  Fixpoint free_model (gradient : history -> vector -> vector -> vector) (policy : history -> vector) (θ0 : vector)
      (h : history) : vector :=
    match h with
    | nil => θ0
    | x :: past => let θ := free_model gradient policy θ0 past in
                   free_step θ (gradient past θ (point z policy past x))
    end.

  Definition free_Λ (θ : vector) : R := sum d (fun j => curve j * θ j ^ 2 + β j * θ j).
  (** ‖x‖², where free coordinates count k-fold. *)
  Definition free_norm2 (x : vector) : R := sum d (fun j => (if free j then k η σ else 1) * x j ^ 2).
  Definition free_decay (θ : vector) : R :=
    sum d (fun j => if free j then 0 else - (α * σ * (2 - η * σ)) * θ j ^ 2 - σ * β j * θ j).

  Lemma free_one_step θ x q :
    free_Λ (free_step θ (fun j => q * x j))
    = free_Λ θ + η * (free_decay θ + contribution η σ α (dot d θ x) (dot d β x) (free_norm2 x) q).
  Proof.
    unfold free_Λ, free_step, free_decay, contribution, free_norm2, dot.
    replace (η * (sum d (fun j => if free j then 0 else - (α * σ * (2 - η * σ)) * θ j ^ 2 - σ * β j * θ j)
              + (q * (2 * α * k η σ * sum d (fun j => θ j * x j) + sum d (fun j => β j * x j))
                 + α * η * sum d (fun j => (if free j then k η σ else 1) * x j ^ 2) * q ^ 2)))
      with (sum d (fun j => η * ((if free j then 0 else - (α * σ * (2 - η * σ)) * θ j ^ 2 - σ * β j * θ j)
              + (q * (2 * α * k η σ * (θ j * x j) + β j * x j)
                 + α * η * ((if free j then k η σ else 1) * x j ^ 2) * q ^ 2)))).
    - rewrite <- sum_plus. apply sum_ext. intros j _. unfold shrink, curve, k. destruct (free j); ring.
    - induction d as [|n IH]; cbn [sum]; [ring|]. rewrite IH. ring.
  Qed.

  Definition free_transient (θ0 : vector) (T : nat) : R :=
    sum d (fun j => curve j * (θ0 j + β j / (2 * curve j)) ^ 2) / (η * INR T).

  Variables (act : vector -> R -> R -> Prop) (ψ : nat -> R -> R) (A : vector -> Prop) (t n C : R) (D : vector).
  Variables (T y : nat -> R).

  Definition free_v : vector := fun j => sum N (fun i => y i * z i j) - σ * β j.
  Definition free_bound : R :=
    sum N T + ε * (C + / 2 * sum d (fun j => D j * β j ^ 2))
    + sum d (fun j => if free j then 0 else free_v j ^ 2 / (4 * (α * σ * (2 - η * σ)))).

  Theorem theorem_L17 gradient policy θ0 steps :
    weights N w -> 0 < η -> 0 < σ -> 0 < k η σ -> 0 <= ε <= 1 -> 0 < α ->
    (* lines above the rows, and slopes that cancel in every free coordinate *)
    (forall θ i q, (i < N)%nat -> act (z i) (dot d θ (z i)) q ->
       p N w i * (1 - ε) * contribution η σ α (dot d θ (z i)) (dot d β (z i)) (free_norm2 (z i)) q
         + ψ i (dot d θ (z i)) <= T i + y i * dot d θ (z i)) ->
    (forall j, (j < d)%nat -> free j = true -> sum N (fun i => y i * z i j) = 0) ->
    (* the point: Lemma L7 with ν = 2αk, χ = 0 *)
    set_bounds d A t D n ->
    (forall x s q, act x s q -> (t / 2 + α * η * n) * q ^ 2 + 2 * α * k η σ * q * s <= C) ->
    (forall h θ x, along act d θ x (gradient h θ x)) -> (forall h, A (policy h)) -> (1 <= steps)%nat ->
    average (fun _ => toss N w ε) steps
      (fun h => sum N (fun i => ψ i (dot d (free_model gradient policy θ0 h) (z i))))
    <= free_bound + free_transient θ0 steps.
  Proof.
    intros Hw Hη Hσ Hk Hε Hα Hline Hzero Hset HC Hgradient Hpolicy HT.
    assert (L := toss_law N w ε Hw Hε).
    assert (Hc : forall j, 0 < curve j) by (intros j; unfold curve; destruct (free j); [apply Rmult_lt_0_compat|]; lra).
    set (θ := free_model gradient policy θ0).
    set (low := - sum d (fun j => β j ^ 2 / (4 * curve j))).
    assert (Hlow : forall x, low / η <= free_Λ x / η).
    { intros x. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. unfold low, free_Λ.
      replace (- sum d (fun j => β j ^ 2 / (4 * curve j))) with (-1 * sum d (fun j => β j ^ 2 / (4 * curve j))) by ring.
      rewrite <- sum_scale. apply sum_le. intros j _.
      assert (S := square_below (curve j) (- β j) (x j) (Hc j)).
      replace ((- β j) ^ 2) with (β j ^ 2) in S by ring. lra. }
    eapply Rle_trans.
    - apply (theorem_1_low _ _ L (fun h => free_Λ (θ h) / η)
               (fun h => sum N (fun i => ψ i (dot d (θ h) (z i)))) free_bound (low / η)); [|intros; apply Hlow|assumption].
      intros h _. unfold toss. cbn [θ free_model point]. fold θ.
      assert (X : forall x, exists q, act x (dot d (θ h) x) q /\
                free_Λ (free_step (θ h) (gradient h (θ h) x)) / η
                = free_Λ (θ h) / η + (free_decay (θ h)
                    + contribution η σ α (dot d (θ h) x) (dot d β x) (free_norm2 x) q)).
      { intros x. destruct (Hgradient h (θ h) x) as (q & Hq & E). exists q. split; [assumption|].
        rewrite E, free_one_step. field. lra. }
      (* the rows *)
      assert (R1 : (1 - ε) * sum N (fun i => p N w i * (free_Λ (free_step (θ h) (gradient h (θ h) (z i))) / η))
                   + sum N (fun i => ψ i (dot d (θ h) (z i)))
                   <= (1 - ε) * (free_Λ (θ h) / η + free_decay (θ h))
                      + (sum N T + dot d (fun j => sum N (fun i => y i * z i j)) (θ h))).
      { rewrite (dot_sum d N y z (θ h)).
        replace (1 - ε) with ((1 - ε) * sum N (p N w)) at 2 by (rewrite p_total by assumption; ring).
        rewrite Rmult_assoc, (Rmult_comm (sum N (p N w))), <- !sum_scale, <- !sum_plus.
        apply sum_le. intros i Hi. destruct (X (z i)) as (q & Hq & ->).
        specialize (Hline (θ h) i q Hi Hq). lra. }
      (* the point *)
      assert (R2 : free_Λ (free_step (θ h) (gradient h (θ h) (policy h))) / η
                   <= free_Λ (θ h) / η + free_decay (θ h) + (C + / 2 * sum d (fun j => D j * β j ^ 2))).
      { destruct (X (policy h)) as (q & Hq & ->). destruct (Hset (policy h) (Hpolicy h)) as [Hn Hs].
        specialize (Hs β q). rewrite (dot_comm d (policy h) β) in Hs. specialize (HC (policy h) _ q Hq).
        assert (Nk : free_norm2 (policy h) <= n).
        { eapply Rle_trans; [|exact Hn]. apply sum_le. intros j _.
          assert (Q := pow2_ge_0 (policy h j)). destruct (free j); [|lra].
          assert (k η σ <= 1) by (unfold k; assert (0 < η * σ) by (apply Rmult_lt_0_compat; lra); lra).
          apply Rle_trans with (1 * policy h j ^ 2); [apply Rmult_le_compat_r|]; lra. }
        assert (0 <= α * η * (q ^ 2 * (n - free_norm2 (policy h)))).
        { apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply Rmult_le_pos; [apply pow2_ge_0|lra]]. }
        unfold contribution. lra. }
      apply (Rmult_le_compat_l ε) in R2; [|lra].
      (* the square *)
      assert (R3 : free_decay (θ h) + dot d (fun j => sum N (fun i => y i * z i j)) (θ h)
                   <= sum d (fun j => if free j then 0 else free_v j ^ 2 / (4 * (α * σ * (2 - η * σ))))).
      { unfold free_decay, dot. rewrite <- sum_plus. apply sum_le. intros j Hj.
        destruct (free j) eqn:Ef; [rewrite Hzero by assumption; lra|].
        assert (Ha : 0 < α * σ * (2 - η * σ)).
        { apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|]. unfold k in Hk. lra. }
        assert (S := square_below _ (free_v j) (θ h j) Ha). unfold free_v in *. lra. }
      unfold free_bound. lra.
    - right. f_equal. assert (P : 0 < INR steps) by (apply lt_0_INR; lia).
      unfold free_transient. change (θ nil) with θ0.
      replace (sum d (fun j => curve j * (θ0 j + β j / (2 * curve j)) ^ 2)) with (free_Λ θ0 - low); [field; lra|].
      unfold low, free_Λ.
      replace (sum d (fun j => curve j * θ0 j ^ 2 + β j * θ0 j) - - sum d (fun j => β j ^ 2 / (4 * curve j)))
        with (sum d (fun j => curve j * θ0 j ^ 2 + β j * θ0 j) + sum d (fun j => β j ^ 2 / (4 * curve j))) by ring.
      rewrite <- sum_plus. apply sum_ext. intros j _. specialize (Hc j). field. lra.
  Qed.
End FreeBias.
