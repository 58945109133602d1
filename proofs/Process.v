(** Theorem 1: a one-step inequality, summed over the steps. For any law of the next draw given the history. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors.
Open Scope R_scope.

(** A law: linear, monotone, with total 1. [possible h x]: only these draws count after [h]. *)
Record law {X : Type} (possible : list X -> X -> Prop) (E : list X -> (X -> R) -> R) : Prop := {
  law_le : forall h f g, (forall x, possible h x -> f x <= g x) -> E h f <= E h g;
  law_lin : forall h a b f g, E h (fun x => a * f x + b * g x) = a * E h f + b * E h g;
  law_const : forall h c, E h (fun _ => c) = c }.

Section Theorem1.
  Context {X : Type} (possible : list X -> X -> Prop) (E : list X -> (X -> R) -> R).
  Hypothesis HE : law possible E.

  (** Histories that can happen. *)
  Fixpoint happens (h : list X) : Prop :=
    match h with nil => True | x :: past => possible past x /\ happens past end.

  Lemma expected_le t : forall f g h,
    happens h -> (forall h', happens h' -> f h' <= g h') -> expected E t f h <= expected E t g h.
  Proof.
    induction t as [|t IH]; intros f g h Hh H; cbn; [now apply H|].
    apply (law_le _ _ HE). intros x Hx. apply IH; [now split|assumption].
  Qed.

  Lemma expected_ext t f g h :
    happens h -> (forall h', happens h' -> f h' = g h') -> expected E t f h = expected E t g h.
  Proof.
    intros Hh H. apply Rle_antisym; apply expected_le; trivial;
      intros h' Hh'; rewrite H by assumption; lra.
  Qed.

  Lemma law_ext h f g : (forall x, possible h x -> f x = g x) -> E h f = E h g.
  Proof.
    intros H. apply Rle_antisym; apply (law_le _ _ HE); intros x Hx; rewrite H by assumption; lra.
  Qed.

  Lemma expected_lin t : forall a b f g h,
    happens h ->
    expected E t (fun h' => a * f h' + b * g h') h = a * expected E t f h + b * expected E t g h.
  Proof.
    induction t as [|t IH]; intros a b f g h Hh; cbn; [ring|].
    rewrite <- (law_lin _ _ HE). apply law_ext. intros x Hx. apply IH. now split.
  Qed.

  Lemma expected_const t : forall c h, expected E t (fun _ => c) h = c.
  Proof.
    induction t as [|t IH]; intros c h; cbn; [reflexivity|].
    transitivity (E h (fun _ => c)); [apply law_ext; intros; apply IH|apply (law_const _ _ HE)].
  Qed.

  (** One more step at the end. *)
  Lemma expected_step t : forall f h,
    expected E (S t) f h = expected E t (fun h' => E h' (fun x => f (x :: h'))) h.
  Proof.
    induction t as [|t IH]; intros f h; [reflexivity|].
    change (expected E (S (S t)) f h) with (E h (fun x => expected E (S t) f (x :: h))).
    cbn [expected]. apply law_ext. intros x _. apply (IH f).
  Qed.

  (** Theorem 1, with weights [rate] on the steps: the average of [loss] is at most [B] plus what Λ loses. *)
  Theorem theorem_1_weighted (Λ rate loss : list X -> R) (B : R) :
    (forall h, happens h -> E h (fun x => Λ (x :: h)) <= Λ h + rate h * (B - loss h)) ->
    forall T, sum T (fun t => expected E t (fun h => rate h * (loss h - B)) nil)
              <= Λ nil - expected E T Λ nil.
  Proof.
    intros H T. induction T as [|T IH]; [cbn; lra|]. cbn [sum].
    assert (S : expected E (S T) Λ nil + expected E T (fun h => rate h * (loss h - B)) nil
                <= expected E T Λ nil).
    { rewrite expected_step.
      replace (expected E T (fun h => E h (fun x => Λ (x :: h))) nil
               + expected E T (fun h => rate h * (loss h - B)) nil)
        with (1 * expected E T (fun h => E h (fun x => Λ (x :: h))) nil
              + 1 * expected E T (fun h => rate h * (loss h - B)) nil) by ring.
      rewrite <- expected_lin by exact I. apply expected_le; [exact I|].
      intros h Hh. specialize (H h Hh). lra. }
    lra.
  Qed.

  (** Theorem 1 as in theory.md, times T, for λ = Λ/η. *)
  Theorem theorem_1 (λ loss : list X -> R) (B : R) :
    (forall h, happens h -> E h (fun x => λ (x :: h)) + loss h - λ h <= B) ->
    forall T, (1 <= T)%nat -> average E T loss <= B + (λ nil - expected E T λ nil) / INR T.
  Proof.
    intros H T HT. unfold average.
    assert (P : 0 < INR T) by (apply lt_0_INR; lia).
    assert (Q := theorem_1_weighted λ (fun _ => 1) loss B).
    specialize (Q (fun h Hh => ltac:(specialize (H h Hh); lra)) T).
    rewrite (sum_ext T _ (fun t => 1 * expected E t loss nil + -1 * B)) in Q.
    - rewrite sum_lin, sum_const in Q.
      apply (Rmult_le_reg_r (INR T)); [assumption|].
      replace (sum T (fun t => expected E t loss nil) / INR T * INR T)
        with (sum T (fun t => expected E t loss nil)) by (field; lra).
      replace ((B + (λ nil - expected E T λ nil) / INR T) * INR T)
        with (INR T * B + (λ nil - expected E T λ nil)) by (field; lra).
      lra.
    - intros t _.
      replace (-1 * B) with (-1 * expected E t (fun _ => B) nil) by (rewrite expected_const; ring).
      rewrite <- expected_lin by exact I. apply expected_ext; [exact I|]. intros; ring.
  Qed.

  (** With a lower bound [low] of λ. *)
  Corollary theorem_1_low (λ loss : list X -> R) (B low : R) :
    (forall h, happens h -> E h (fun x => λ (x :: h)) + loss h - λ h <= B) ->
    (forall h, happens h -> low <= λ h) ->
    forall T, (1 <= T)%nat -> average E T loss <= B + (λ nil - low) / INR T.
  Proof.
    intros H L T HT. eapply Rle_trans; [apply (theorem_1 λ loss B H T HT)|].
    assert (P : 0 < / INR T) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
    assert (K : low <= expected E T λ nil).
    { rewrite <- (expected_const T low nil). apply expected_le; [exact I|assumption]. }
    unfold Rdiv. apply Rplus_le_compat_l, Rmult_le_compat_r; lra.
  Qed.
End Theorem1.

(** A bound that adds a constant over T is a bound in the limit. *)
Lemma limit_of_bound (f : nat -> R) (B C : R) :
  0 <= C -> (forall T, (1 <= T)%nat -> f T <= B + C / INR T) -> limsup_at_most f B.
Proof.
  intros HC H gap Hgap.
  destruct (archimed (C / gap)) as [Hup _].
  exists (S (Z.to_nat (up (C / gap)))). intros T HT.
  eapply Rle_trans; [apply H; lia|]. apply Rplus_le_compat_l.
  assert (P : 0 < INR T) by (apply lt_0_INR; lia).
  assert (Q : 0 <= C / gap) by (apply Rmult_le_pos; [assumption|left; now apply Rinv_0_lt_compat]).
  assert (Z0 : (0 <= up (C / gap))%Z) by (apply le_IZR; lra).
  assert (K : C / gap <= INR T).
  { apply Rle_trans with (IZR (up (C / gap))); [lra|].
    rewrite <- (Z2Nat.id (up (C / gap))) by assumption. rewrite <- INR_IZR_INZ.
    apply le_INR. lia. }
  apply (Rmult_le_reg_r (INR T)); [assumption|].
  replace (C / INR T * INR T) with (C / gap * gap) by (field; lra).
  rewrite (Rmult_comm gap). apply Rmult_le_compat_r; lra.
Qed.

(** The draws of one point per step. *)
Definition row_or_own (N : nat) (_ : history) (x : draw) : Prop :=
  match x with benign i => (i < N)%nat | own => True end.

Lemma p_nonneg N w i : weights N w -> (i < N)%nat -> 0 <= p N w i.
Proof.
  intros [H P] Hi. apply Rmult_le_pos; [now apply H|left; now apply Rinv_0_lt_compat].
Qed.

Lemma p_total N w : weights N w -> sum N (p N w) = 1.
Proof.
  intros [_ P]. unfold p, Rdiv.
  rewrite (sum_ext N _ (fun i => / sum N w * w i)) by (intros; ring).
  rewrite sum_scale. field. lra.
Qed.

Lemma toss_law N w ε : weights N w -> 0 <= ε <= 1 -> law (row_or_own N) (fun _ => toss N w ε).
Proof.
  intros HW Hε. split; intros; unfold toss.
  - apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; [|now apply H].
    apply sum_le; intros i Hi. apply Rmult_le_compat_l; [now apply p_nonneg|now apply H].
  - rewrite (sum_ext N _ (fun i => a * (p N w i * f (benign i)) + b * (p N w i * g (benign i))))
      by (intros; ring).
    rewrite sum_lin. ring.
  - rewrite (sum_ext N _ (fun i => c * p N w i)) by (intros; ring).
    rewrite sum_scale, p_total by assumption. ring.
Qed.
