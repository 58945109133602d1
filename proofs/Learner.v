(** From a residual below B for every model and point to the bound on the average loss.

    One point per step. The rate may change with the history (never above η), and each step may be followed
    by a map [post] that does not increase Λ (a projection). [allowed θ z g] says which gradients the
    learner may have at θ for the point z: more than one at a kink. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep.
Open Scope R_scope.

Fixpoint general_model (σ : R) (rate : history -> R) (post : vector -> vector)
    (gradient : history -> vector -> vector -> vector) (z : nat -> vector)
    (policy : history -> vector) (θ0 : vector) (h : history) : vector :=
  match h with
  | nil => θ0
  | x :: past => let θ := general_model σ rate post gradient z policy θ0 past in
                 post (step (rate past) σ θ (gradient past θ (point z policy past x)))
  end.

Lemma model_is_general η σ gradient z policy θ0 h :
  model η σ gradient z policy θ0 h
  = general_model σ (fun _ => η) (fun θ => θ) gradient z policy θ0 h.
Proof. induction h as [|x h IH]; cbn; [reflexivity|]. rewrite IH. reflexivity. Qed.

Section Learner.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector).
  Variables (loss : vector -> R) (B : R).
  Variables (Θ A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop).
  Hypothesis Hw : weights N w.
  Hypothesis Hε : 0 <= ε <= 1.
  Hypothesis Hα : 0 < α.

  (** G_λ ≤ B, in the form of learners.md, Section 1. *)
  Definition residual_below : Prop :=
    forall θ (gs : nat -> vector) x g,
    Θ θ -> (forall i, (i < N)%nat -> allowed θ (z i) (gs i)) -> A x -> allowed θ x g ->
    decay d η σ α β θ + ((1 - ε) * sum N (fun i => p N w i * c d η σ α β θ (gs i)) + loss θ)
      + ε * c d η σ α β θ g <= B.

  Section Run.
    Variables (rate : history -> R) (post : vector -> vector).
    Variables (gradient : history -> vector -> vector -> vector) (policy : history -> vector) (θ0 : vector).
    Hypothesis Hrate : forall h, 0 < rate h <= η.
    Hypothesis Hpost : forall θ, Λ d α β (post θ) <= Λ d α β θ.
    Hypothesis Hgradient : forall h θ x, allowed θ x (gradient h θ x).
    Hypothesis Hpolicy : forall h, A (policy h).
    Hypothesis Hstart : Θ θ0.
    Hypothesis Hkept : forall r θ x g,
      0 < r <= η -> Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g ->
      Θ (post (step r σ θ g)).
    Hypothesis HB : residual_below.

    Let θ := general_model σ rate post gradient z policy θ0.

    Lemma stays_kept h : happens (row_or_own N) h -> Θ (θ h).
    Proof.
      induction h as [|x h IH]; intros H; [exact Hstart|]. destruct H as [Hx Hh].
      apply (Hkept (rate h) (θ h) (point z policy h x)); auto.
      destruct x as [i|]; [right; now exists i|left; apply Hpolicy].
    Qed.

    Lemma step_below h : happens (row_or_own N) h ->
      toss N w ε (fun x => Λ d α β (θ (x :: h))) <= Λ d α β (θ h) + rate h * (B - loss (θ h)).
    Proof.
      intros Hh. assert (L := toss_law N w ε Hw Hε).
      set (G := fun x => gradient h (θ h) (point z policy h x)).
      set (D := decay d η σ α β (θ h)). set (C := fun x => c d η σ α β (θ h) (G x)).
      apply Rle_trans with (toss N w ε (fun x => 1 * (Λ d α β (θ h) + rate h * D) + rate h * C x)).
      { apply (law_le _ _ L h). intros x _.
        eapply Rle_trans; [apply Hpost|].
        assert (Q := one_step d η σ α β (rate h) (θ h) (G x)).
        specialize (Hrate h). fold D in Q. fold (C x) in Q.
        replace (1 * (Λ d α β (θ h) + rate h * D) + rate h * C x)
          with (Λ d α β (θ h) + rate h * (D + C x)) by ring.
        apply Q; lra. }
      rewrite (law_lin _ _ L h 1 (rate h) (fun _ => Λ d α β (θ h) + rate h * D) C).
      rewrite (law_const _ _ L h).
      assert (R := HB (θ h) (fun i => G (benign i)) (policy h) (G own) (stays_kept h Hh)
                     (fun i _ => Hgradient h (θ h) (z i)) (Hpolicy h) (Hgradient h (θ h) (policy h))).
      fold D in R. unfold toss.
      apply (Rmult_le_compat_l (rate h)) in R; [|specialize (Hrate h); lra].
      unfold C. lra.
    Qed.

    (** Theorem A1, for rates that may depend on the history. *)
    Theorem weighted_bound T :
      sum T (fun t => expected (fun _ => toss N w ε) t (fun h => rate h * (loss (θ h) - B)) nil)
      <= α * norm2 d (fun j => θ0 j + β j / (2 * α)).
    Proof.
      assert (L := toss_law N w ε Hw Hε).
      eapply Rle_trans.
      - apply (theorem_1_weighted _ _ L (fun h => Λ d α β (θ h)) rate (fun h => loss (θ h)) B step_below).
      - rewrite <- Λ_square by assumption.
        assert (P : - (norm2 d β / (4 * α)) <= expected (fun _ => toss N w ε) T (fun h => Λ d α β (θ h)) nil).
        { rewrite <- (expected_const _ _ L T (- (norm2 d β / (4 * α))) nil).
          apply (expected_le _ _ L); [exact I|]. intros; now apply Λ_least. }
        change (θ nil) with θ0. lra.
    Qed.

    (** The same with a lower bound of Λ on the kept set. *)
    Theorem weighted_bound_low T low :
      (forall θ, Θ θ -> low <= Λ d α β θ) ->
      sum T (fun t => expected (fun _ => toss N w ε) t (fun h => rate h * (loss (θ h) - B)) nil)
      <= Λ d α β θ0 - low.
    Proof.
      intros Hlow. assert (L := toss_law N w ε Hw Hε).
      eapply Rle_trans.
      - apply (theorem_1_weighted _ _ L (fun h => Λ d α β (θ h)) rate (fun h => loss (θ h)) B step_below).
      - assert (P : low <= expected (fun _ => toss N w ε) T (fun h => Λ d α β (θ h)) nil).
        { rewrite <- (expected_const _ _ L T low nil).
          apply (expected_le _ _ L); [exact I|]. intros h Hh. now apply Hlow, stays_kept. }
        change (θ nil) with θ0. lra.
    Qed.
  End Run.

  Hypothesis Hη : 0 < η.

  (** From a sum weighted by a constant rate to an average. *)
  Lemma average_of_weighted (f : history -> R) (C : R) T : (1 <= T)%nat ->
    sum T (fun t => expected (fun _ => toss N w ε) t (fun h => η * (f h - B)) nil) <= C ->
    average (fun _ => toss N w ε) T f <= B + C / (η * INR T).
  Proof.
    intros HT H. assert (L := toss_law N w ε Hw Hε).
    assert (P : 0 < INR T) by (apply lt_0_INR; lia).
    rewrite (sum_ext T _ (fun t => η * expected (fun _ => toss N w ε) t f nil + - η * B)) in H.
    - rewrite sum_lin, sum_const in H. unfold average.
      apply (Rmult_le_reg_r (η * INR T)); [now apply Rmult_lt_0_compat|].
      replace (sum T (fun t => expected (fun _ => toss N w ε) t f nil) / INR T * (η * INR T))
        with (η * sum T (fun t => expected (fun _ => toss N w ε) t f nil)) by (field; lra).
      replace ((B + C / (η * INR T)) * (η * INR T)) with (B * (η * INR T) + C) by (field; lra).
      lra.
    - intros t _.
      replace (- η * B) with (- η * expected (fun _ => toss N w ε) t (fun _ => B) nil)
        by (rewrite (expected_const _ _ L); reflexivity).
      rewrite <- (expected_lin _ _ L) by exact I. apply (expected_ext _ _ L); [exact I|]. intros; ring.
  Qed.

  (** Theorem L1's conclusion, and with [post] that of Theorem L15: rate η. *)
  Theorem average_bound post gradient policy θ0 T :
    (forall θ, Λ d α β (post θ) <= Λ d α β θ) ->
    (forall h θ x, allowed θ x (gradient h θ x)) ->
    (forall h, A (policy h)) ->
    Θ θ0 ->
    (forall θ x g, Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g ->
                   forall r, 0 < r <= η -> Θ (post (step r σ θ g))) ->
    residual_below ->
    (1 <= T)%nat ->
    average (fun _ => toss N w ε) T
      (fun h => loss (general_model σ (fun _ => η) post gradient z policy θ0 h))
    <= B + transient d η α β θ0 T.
  Proof.
    intros Hpost Hgradient Hpolicy Hstart Hkept HB HT.
    assert (P : 0 < INR T) by (apply lt_0_INR; lia).
    replace (transient d η α β θ0 T)
      with (α * norm2 d (fun j => θ0 j + β j / (2 * α)) / (η * INR T))
      by (unfold transient; field; lra).
    apply average_of_weighted; [assumption|].
    apply (weighted_bound (fun _ => η)); eauto; intros; lra.
  Qed.

  (** Without a projection: [model] of Statement.v. *)
  Theorem kept_bound_low gradient policy θ0 T low :
    (forall h θ x, allowed θ x (gradient h θ x)) ->
    (forall h, A (policy h)) ->
    Θ θ0 ->
    (forall r θ x g, 0 < r <= η -> Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g ->
                     Θ (step r σ θ g)) ->
    residual_below ->
    (forall θ, Θ θ -> low <= Λ d α β θ) ->
    (1 <= T)%nat ->
    average (fun _ => toss N w ε) T (fun h => loss (model η σ gradient z policy θ0 h))
    <= B + (Λ d α β θ0 - low) / (η * INR T).
  Proof.
    intros Hgradient Hpolicy Hstart Hkept HB Hlow HT.
    assert (L := toss_law N w ε Hw Hε).
    assert (Q := weighted_bound_low (fun _ => η) (fun θ => θ) gradient policy θ0).
    apply average_of_weighted; [assumption|].
    erewrite sum_ext; [apply Q; eauto; intros; lra|].
    intros t _. cbv beta. apply (expected_ext _ _ L); [exact I|].
    intros h _. rewrite model_is_general. reflexivity.
  Qed.

  (** With the least value of Λ over all models. *)
  Theorem kept_bound gradient policy θ0 T :
    (forall h θ x, allowed θ x (gradient h θ x)) ->
    (forall h, A (policy h)) ->
    Θ θ0 ->
    (forall r θ x g, 0 < r <= η -> Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g ->
                     Θ (step r σ θ g)) ->
    residual_below ->
    (1 <= T)%nat ->
    average (fun _ => toss N w ε) T (fun h => loss (model η σ gradient z policy θ0 h))
    <= B + transient d η α β θ0 T.
  Proof.
    intros Hgradient Hpolicy Hstart Hkept HB HT.
    assert (P : 0 < INR T) by (apply lt_0_INR; lia).
    replace (transient d η α β θ0 T)
      with ((Λ d α β θ0 - - (norm2 d β / (4 * α))) / (η * INR T)).
    - apply kept_bound_low; trivial. intros. now apply Λ_least.
    - unfold Rminus. rewrite Ropp_involutive, Λ_square by assumption. unfold transient. field. lra.
  Qed.
End Learner.

Lemma transient_limit (f : nat -> R) d η α β θ0 B :
  0 < η -> 0 < α -> (forall T, (1 <= T)%nat -> f T <= B + transient d η α β θ0 T) -> limsup_at_most f B.
Proof.
  intros Hη Hα H. apply (limit_of_bound f B (α / η * norm2 d (fun j => θ0 j + β j / (2 * α)))).
  - apply Rmult_le_pos; [|apply norm2_nonneg].
    apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
  - intros T HT. eapply Rle_trans; [now apply H|]. assert (0 < INR T) by (apply lt_0_INR; lia).
    right. unfold transient. field. lra.
Qed.
