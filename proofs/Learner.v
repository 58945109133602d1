(** One point per step: from G_λ ≤ B for every model and point to the average loss of [model].

    [allowed θ z g] says which gradients the learner may have at θ for the point z: more than one at a kink. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run.
Open Scope R_scope.

(** G_λ ≤ B, in the form of theory.md, Section 2, for all models in Θ and points in A. *)
Definition residual_below (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector)
    (loss : vector -> R) (B : R) (Θ A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop) : Prop :=
  forall θ (gs : nat -> vector) x g,
  Θ θ -> (forall i, (i < N)%nat -> allowed θ (z i) (gs i)) -> A x -> allowed θ x g ->
  decay d η σ α β θ + ((1 - ε) * sum N (fun i => p N w i * c d η σ α β θ (gs i)) + loss θ)
    + ε * c d η σ α β θ g <= B.

Definition gradient_of (gradient : history -> vector -> vector -> vector) (z : nat -> vector)
    (policy : history -> vector) (h : history) (θ : vector) (x : draw) : vector :=
  gradient h θ (point z policy h x).

Lemma model_is_run η σ gradient z policy θ0 h :
  model η σ gradient z policy θ0 h
  = run σ (fun _ => η) (fun θ => θ) (gradient_of gradient z policy) θ0 h.
Proof. induction h as [|x h IH]; cbn; [reflexivity|]. rewrite IH. reflexivity. Qed.

Section Learner.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector).
  Variables (loss : vector -> R) (B : R).
  Variables (Θ A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop).
  Hypothesis Hw : weights N w.
  Hypothesis Hε : 0 <= ε <= 1.
  Hypothesis Hα : 0 < α.
  Hypothesis Hη : 0 < η.
  Hypothesis HB : residual_below d N z w η σ ε α β loss B Θ A allowed.

  Variables (gradient : history -> vector -> vector -> vector) (policy : history -> vector) (θ0 : vector).
  Hypothesis Hgradient : forall h θ x, allowed θ x (gradient h θ x).
  Hypothesis Hpolicy : forall h, A (policy h).
  Hypothesis Hstart : Θ θ0.
  Hypothesis Hkept : forall θ x g,
    Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g -> Θ (step η σ θ g).

  Let E := fun _ : history => toss N w ε.

  Lemma learner_step h θ : Θ θ ->
    decay d η σ α β θ + E h (fun x => c d η σ α β θ (gradient_of gradient z policy h θ x)) + loss θ <= B.
  Proof.
    intros Hθ.
    assert (R := HB θ (fun i => gradient h θ (z i)) (policy h) (gradient h θ (policy h)) Hθ
                   (fun i _ => Hgradient h θ (z i)) (Hpolicy h) (Hgradient h θ (policy h))).
    unfold E, toss, gradient_of. cbn. lra.
  Qed.

  Theorem kept_bound_low T low :
    (forall θ, Θ θ -> low <= Λ d α β θ) -> (1 <= T)%nat ->
    average E T (fun h => loss (model η σ gradient z policy θ0 h)) <= B + (Λ d α β θ0 - low) / (η * INR T).
  Proof.
    intros Hlow HT. assert (L := toss_law N w ε Hw Hε).
    eapply Rle_trans;
      [right; apply (average_ext _ _ L _ _ T (fun h => f_equal loss (model_is_run η σ gradient z policy θ0 h)))|].
    apply (average_of_weighted _ _ L); trivial.
    apply (run_weighted_low _ _ L d η σ α β B Θ (fun _ => η) (fun θ => θ) (gradient_of gradient z policy) θ0
             (fun _ => loss)); trivial; try (intros; lra).
    - intros h x Hx Hθ. apply (Hkept _ (point z policy h x)); [assumption| |apply Hgradient].
      destruct x as [i|]; [right; now exists i|left; apply Hpolicy].
    - intros h _. apply learner_step.
  Qed.

  (** Theorem L1's conclusion. *)
  Theorem kept_bound T : (1 <= T)%nat ->
    average E T (fun h => loss (model η σ gradient z policy θ0 h)) <= B + transient d η α β θ0 T.
  Proof.
    intros HT. rewrite <- transient_is, <- Λ_square by assumption.
    replace (Λ d α β θ0 + norm2 d β / (4 * α)) with (Λ d α β θ0 - - (norm2 d β / (4 * α))) by ring.
    apply kept_bound_low; trivial. intros. now apply Λ_least.
  Qed.
End Learner.
