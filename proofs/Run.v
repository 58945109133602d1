(** From one step to the average over many: for any law of the draws, any gradients, rates up to η, and a map
    after each step that does not increase Λ. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep.
Open Scope R_scope.

(** The model after a history: [G h θ x] is the gradient of the draw x, [post] comes after the step. *)
Fixpoint run {X : Type} (σ : R) (rate : list X -> R) (post : vector -> vector)
    (G : list X -> vector -> X -> vector) (θ0 : vector) (h : list X) : vector :=
  match h with
  | nil => θ0
  | x :: past => let θ := run σ rate post G θ0 past in post (step (rate past) σ θ (G past θ x))
  end.

Section Run.
  Context {X : Type} (possible : list X -> X -> Prop) (E : list X -> (X -> R) -> R).
  Hypothesis HE : law possible E.
  Variables (d : nat) (η σ α : R) (β : vector) (B : R) (Θ : vector -> Prop).
  Variables (rate : list X -> R) (post : vector -> vector) (G : list X -> vector -> X -> vector) (θ0 : vector).
  Variable (loss : list X -> vector -> R).
  Hypothesis Hα : 0 < α.
  Hypothesis Hrate : forall h, 0 < rate h <= η.
  Hypothesis Hpost : forall θ, Λ d α β (post θ) <= Λ d α β θ.
  Hypothesis Hstart : Θ θ0.

  Let θ := run σ rate post G θ0.

  Hypothesis Hkept : forall h x, possible h x -> Θ (θ h) -> Θ (θ (x :: h)).
  Hypothesis Hstep : forall h, happens possible h -> Θ (θ h) ->
    decay d η σ α β (θ h) + E h (fun x => c d η σ α β (θ h) (G h (θ h) x)) + loss h (θ h) <= B.

  Lemma run_kept h : happens possible h -> Θ (θ h).
  Proof. induction h as [|x h IH]; intros H; [exact Hstart|]. destruct H. now apply Hkept, IH. Qed.

  Lemma run_step h : happens possible h ->
    E h (fun x => Λ d α β (θ (x :: h))) <= Λ d α β (θ h) + rate h * (B - loss h (θ h)).
  Proof.
    intros Hh. set (D := decay d η σ α β (θ h)). set (C := fun x => c d η σ α β (θ h) (G h (θ h) x)).
    assert (Hr := Hrate h).
    apply Rle_trans with (E h (fun x => 1 * (Λ d α β (θ h) + rate h * D) + rate h * C x)).
    - apply (law_le _ _ HE). intros x _. eapply Rle_trans; [apply Hpost|].
      assert (Q := one_step d η σ α β (rate h) (θ h) (G h (θ h) x)).
      fold D in Q. fold (C x) in Q.
      replace (1 * (Λ d α β (θ h) + rate h * D) + rate h * C x)
        with (Λ d α β (θ h) + rate h * (D + C x)) by ring.
      apply Q; lra.
    - rewrite (law_lin _ _ HE h 1 (rate h) (fun _ => Λ d α β (θ h) + rate h * D) C), (law_const _ _ HE).
      assert (S := Hstep h Hh (run_kept h Hh)). fold D in S. fold C in S.
      apply (Rmult_le_compat_l (rate h)) in S; lra.
  Qed.

  (** Sums weighted by the rates, with a lower bound of Λ on Θ, and with its least value. *)
  Theorem run_weighted_low T low :
    (forall θ, Θ θ -> low <= Λ d α β θ) ->
    sum T (fun t => expected E t (fun h => rate h * (loss h (θ h) - B)) nil) <= Λ d α β θ0 - low.
  Proof.
    intros Hlow. eapply Rle_trans.
    - apply (theorem_1_weighted _ _ HE (fun h => Λ d α β (θ h)) rate (fun h => loss h (θ h)) B run_step).
    - assert (P : low <= expected E T (fun h => Λ d α β (θ h)) nil).
      { rewrite <- (expected_const _ _ HE T low nil).
        apply (expected_le _ _ HE); [exact I|]. intros h Hh. now apply Hlow, run_kept. }
      change (θ nil) with θ0. lra.
  Qed.

  Theorem run_weighted T :
    sum T (fun t => expected E t (fun h => rate h * (loss h (θ h) - B)) nil)
    <= α * norm2 d (fun j => θ0 j + β j / (2 * α)).
  Proof.
    rewrite <- Λ_square by assumption.
    replace (Λ d α β θ0 + norm2 d β / (4 * α)) with (Λ d α β θ0 - - (norm2 d β / (4 * α))) by ring.
    apply run_weighted_low. intros. now apply Λ_least.
  Qed.
End Run.

(** From a sum weighted by a constant rate to an average. *)
Lemma average_of_weighted {X : Type} possible E (HE : @law X possible E) (f : list X -> R) η B C T :
  0 < η -> (1 <= T)%nat ->
  sum T (fun t => expected E t (fun h => η * (f h - B)) nil) <= C ->
  average E T f <= B + C / (η * INR T).
Proof.
  intros Hη HT H. assert (P : 0 < INR T) by (apply lt_0_INR; lia).
  rewrite (sum_ext T _ (fun t => η * expected E t f nil + - η * B)) in H.
  - rewrite sum_lin, sum_const in H. unfold average.
    apply (Rmult_le_reg_r (η * INR T)); [now apply Rmult_lt_0_compat|].
    replace (sum T (fun t => expected E t f nil) / INR T * (η * INR T))
      with (η * sum T (fun t => expected E t f nil)) by (field; lra).
    replace ((B + C / (η * INR T)) * (η * INR T)) with (B * (η * INR T) + C) by (field; lra).
    lra.
  - intros t _.
    replace (- η * B) with (- η * expected E t (fun _ => B) nil)
      by (rewrite (expected_const _ _ HE); reflexivity).
    rewrite <- (expected_lin _ _ HE) by exact I. apply (expected_ext _ _ HE); [exact I|]. intros; ring.
Qed.

Lemma average_ext {X : Type} possible E (HE : @law X possible E) f g T :
  (forall h, f h = g h) -> average E T f = average E T g.
Proof.
  intros H. unfold average. f_equal. apply sum_ext. intros t _.
  apply (expected_ext _ _ HE); [exact I|]. intros; apply H.
Qed.

Lemma transient_is d η α β θ0 T : 0 < η -> (1 <= T)%nat ->
  α * norm2 d (fun j => θ0 j + β j / (2 * α)) / (η * INR T) = transient d η α β θ0 T.
Proof.
  intros Hη HT. assert (P : 0 < INR T) by (apply lt_0_INR; lia). unfold transient. field. lra.
Qed.

Lemma transient_limit (f : nat -> R) d η α β θ0 B :
  0 < η -> 0 < α -> (forall T, (1 <= T)%nat -> f T <= B + transient d η α β θ0 T) -> limsup_at_most f B.
Proof.
  intros Hη Hα H. apply (limit_of_bound f B (α / η * norm2 d (fun j => θ0 j + β j / (2 * α)))).
  - apply Rmult_le_pos; [|apply norm2_nonneg].
    apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
  - intros T HT. eapply Rle_trans; [now apply H|]. assert (0 < INR T) by (apply lt_0_INR; lia).
    right. unfold transient. field. lra.
Qed.
