(** Smaller poison rates (theory.md, Section 2): if the rows lie in the adversary's set, a bound for ε holds for every
    rate up to ε, also for one that changes with the history. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner.
Open Scope R_scope.

Section Rates.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector).
  Variables (loss : vector -> R) (B : R) (Θ A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop).
  Hypothesis Hw : weights N w.
  (** All rows with positive weight are points that the adversary could send. *)
  Hypothesis Hrows : forall i, (i < N)%nat -> 0 < w i -> A (z i).

  (** G for the smaller rate is a mean of values of G for ε: at the point, and at the rows. *)
  Lemma smaller_rate ε' : 0 <= ε' <= ε ->
    residual_below d N z w η σ ε α β loss B Θ A allowed -> residual_below d N z w η σ ε' α β loss B Θ A allowed.
  Proof.
    intros Hε HB θ gs x g Hθ Hgs Hx Hg.
    set (D := decay d η σ α β θ). set (C := fun i => c d η σ α β θ (gs i)). set (cx := c d η σ α β θ g).
    set (S := sum N (fun i => p N w i * C i)).
    change (D + ((1 - ε') * S + loss θ) + ε' * cx <= B).
    assert (G : forall y h, A y -> allowed θ y h ->
              D + ((1 - ε) * S + loss θ) + ε * c d η σ α β θ h <= B) by (intros y h; now apply HB).
    assert (Gx := G x g Hx Hg). fold cx in Gx.
    assert (Gmean : D + ((1 - ε) * S + loss θ) + ε * S <= B).
    { assert (T : sum N (fun i => p N w i * (D + ((1 - ε) * S + loss θ) + ε * C i)) <= sum N (fun i => p N w i * B)).
      { apply sum_le. intros i Hi. destruct Hw as [W0 W1].
        assert (Q := p_nonneg N w i Hw Hi). destruct (W0 i Hi) as [P|P].
        - apply Rmult_le_compat_l; [assumption|]. apply (G (z i)); auto.
        - replace (p N w i) with 0 by (unfold p; rewrite <- P; unfold Rdiv; ring). lra. }
      rewrite (sum_ext N (fun i => p N w i * (D + ((1 - ε) * S + loss θ) + ε * C i))
                 (fun i => (D + ((1 - ε) * S + loss θ)) * p N w i + ε * (p N w i * C i))) in T by (intros; ring).
      rewrite (sum_ext N (fun i => p N w i * B) (fun i => B * p N w i)) in T by (intros; ring).
      rewrite sum_lin, sum_scale, p_total in T by assumption. fold S in T. lra. }
    destruct Hε as [H0 [H1|H1]]; [|rewrite H1; lra].
    assert (E1 : 0 <= ε' / ε) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    assert (E2 : ε' / ε <= 1) by (apply (Rmult_le_reg_r ε); [lra|]; replace (ε' / ε * ε) with ε' by (field; lra); lra).
    apply (Rmult_le_compat_l (ε' / ε)) in Gx; [|assumption].
    apply (Rmult_le_compat_l (1 - ε' / ε)) in Gmean; [|lra].
    assert (F : ε' / ε * (D + ((1 - ε) * S + loss θ) + ε * cx) + (1 - ε' / ε) * (D + ((1 - ε) * S + loss θ) + ε * S)
                = D + ((1 - ε') * S + loss θ) + ε' * cx) by (field; lra).
    lra.
  Qed.

  (** A rate that the history decides, never above ε. *)
  Theorem varying_poison_rate gradient policy θ0 (rate : history -> R) T :
    0 < η -> ε <= 1 -> 0 < α -> (forall h, 0 <= rate h <= ε) ->
    residual_below d N z w η σ ε α β loss B Θ A allowed ->
    (forall h θ x, allowed θ x (gradient h θ x)) -> (forall h, A (policy h)) -> Θ θ0 ->
    (forall θ x g, Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g -> Θ (step η σ θ g)) ->
    (1 <= T)%nat ->
    average (fun h => toss N w (rate h)) T (fun h => loss (model η σ gradient z policy θ0 h))
    <= B + transient d η α β θ0 T.
  Proof.
    intros Hη Hε Hα Hrate HB Hgradient Hpolicy Hstart Hkept HT.
    assert (L : law (row_or_own N) (fun h => toss N w (rate h))).
    { split; intros h.
      - apply (law_le _ _ (toss_law N w (rate h) Hw ltac:(specialize (Hrate h); lra)) h).
      - apply (law_lin _ _ (toss_law N w (rate h) Hw ltac:(specialize (Hrate h); lra)) h).
      - apply (law_const _ _ (toss_law N w (rate h) Hw ltac:(specialize (Hrate h); lra)) h). }
    rewrite <- transient_is by assumption.
    eapply Rle_trans;
      [right; apply (average_ext _ _ L _ _ T (fun h => f_equal loss (model_is_run η σ gradient z policy θ0 h)))|].
    apply (average_of_weighted _ _ L); trivial.
    apply (run_weighted _ _ L d η σ α β B Θ (fun _ => η) (fun θ => θ) (gradient_of gradient z policy) θ0
             (fun _ => loss)); trivial; try (intros; lra).
    - intros h x Hx Hθ. apply (Hkept _ (point z policy h x)); [assumption| |apply Hgradient].
      destruct x as [i|]; [right; now exists i|left; apply Hpolicy].
    - intros h _ Hθ.
      apply (learner_step d N z w η σ (rate h) α β loss B Θ A allowed (smaller_rate (rate h) (Hrate h) HB)
               gradient policy Hgradient Hpolicy h); assumption.
  Qed.
End Rates.
