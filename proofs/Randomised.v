(** Adversaries that throw dice. Before each step a die of L faces is thrown, whose weights may depend on the history;
    the policy sees it, and all earlier ones. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner.
Open Scope R_scope.

Definition thrown := (draw * nat)%type.

Section Randomised.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector).
  Variables (loss : vector -> R) (B : R) (Θ A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop).
  Variables (L : nat) (die : list thrown -> nat -> R) (policy : list thrown -> nat -> vector).
  Variables (gradient : list thrown -> vector -> vector -> vector) (θ0 : vector).

  Definition throw (h : list thrown) (f : thrown -> R) : R :=
    toss N w ε (fun x => sum L (fun l => p L (die h) l * f (x, l))).

  Definition thrown_point (h : list thrown) (x : thrown) : vector :=
    match x with (benign i, _) => z i | (own, l) => policy h l end.

  Definition thrown_model : list thrown -> vector :=
    run σ (fun _ => η) (fun θ => θ) (fun h θ x => gradient h θ (thrown_point h x)) θ0.

  Theorem randomised T :
    weights N w -> (forall h, weights L (die h)) -> 0 < η -> 0 <= ε <= 1 -> 0 < α ->
    residual_below d N z w η σ ε α β loss B Θ A allowed ->
    (forall h θ x, allowed θ x (gradient h θ x)) -> (forall h l, A (policy h l)) -> Θ θ0 ->
    (forall θ x g, Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g -> Θ (step η σ θ g)) ->
    (1 <= T)%nat ->
    average throw T (fun h => loss (thrown_model h)) <= B + transient d η α β θ0 T.
  Proof.
    intros Hw Hdie Hη Hε Hα HB Hgradient Hpolicy Hstart Hkept HT.
    assert (Q := toss_law N w ε Hw Hε).
    assert (Law : law (fun _ x => row_or_own N nil (fst x)) throw).
    { split; intros h; intros; unfold throw.
      - apply (law_le _ _ Q nil). intros x Hx. apply sum_le. intros l Hl.
        apply Rmult_le_compat_l; [now apply p_nonneg|]. now apply H.
      - rewrite <- (law_lin _ _ Q nil). apply (law_ext _ _ Q nil). intros x _.
        rewrite <- sum_lin. apply sum_ext. intros; ring.
      - rewrite (law_ext _ _ Q nil _ (fun _ => c)); [apply (law_const _ _ Q nil)|]. intros x _.
        rewrite (sum_ext L _ (fun l => c * p L (die h) l)) by (intros; ring).
        rewrite sum_scale, p_total by auto. ring. }
    rewrite <- transient_is by assumption. apply (average_of_weighted _ _ Law); trivial.
    apply (run_weighted _ _ Law d η σ α β B Θ (fun _ => η) (fun θ => θ)
             (fun h θ x => gradient h θ (thrown_point h x)) θ0 (fun _ => loss)); trivial; try (intros; lra).
    - intros h [x l] Hx Hθ. apply (Hkept _ (thrown_point h (x, l))); [assumption| |apply Hgradient].
      destruct x as [i|]; [right; now exists i|left; apply Hpolicy].
    - intros h _ Hθ. set (θ := run _ _ _ _ _ h) in *. clearbody θ.
      set (F := fun i => c d η σ α β θ (gradient h θ (z i))).
      set (S := (1 - ε) * sum N (fun i => p N w i * F i)).
      assert (R : forall l, decay d η σ α β θ + (S + loss θ)
                            + ε * c d η σ α β θ (gradient h θ (policy h l)) <= B).
      { intros l. apply (HB θ (fun i => gradient h θ (z i)) (policy h l)); auto. }
      apply Rle_trans with (decay d η σ α β θ
        + (S + ε * sum L (fun l => p L (die h) l * c d η σ α β θ (gradient h θ (policy h l)))) + loss θ).
      2: { assert (M : sum L (fun l => p L (die h) l * (decay d η σ α β θ + (S + loss θ)
                        + ε * c d η σ α β θ (gradient h θ (policy h l)))) <= sum L (fun l => p L (die h) l * B)).
        { apply sum_le. intros l Hl. apply Rmult_le_compat_l; [now apply p_nonneg|apply R]. }
        rewrite (sum_ext L _ (fun l => (decay d η σ α β θ + (S + loss θ)) * p L (die h) l
                    + ε * (p L (die h) l * c d η σ α β θ (gradient h θ (policy h l))))) in M by (intros; ring).
        rewrite (sum_ext L (fun l => p L (die h) l * B) (fun l => B * p L (die h) l)) in M by (intros; ring).
        rewrite sum_lin, sum_scale, p_total in M by auto. lra. }
      apply Rplus_le_compat_r, Rplus_le_compat_l. right. unfold throw, toss, S. cbn [thrown_point]. f_equal.
      f_equal. apply sum_ext. intros i _.
        rewrite (sum_ext L _ (fun l => F i * p L (die h) l)) by (intros; unfold F; ring).
        rewrite sum_scale, p_total by auto. ring.
  Qed.
End Randomised.
