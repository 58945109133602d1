(** Plain averages when the learning rate falls: if 1/η_t - 1/η_(t-1) ≤ δ, put δ·Λ into the residual. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Parts.
Open Scope R_scope.

(** Abel's summation: V_t are nonnegative, r_t the rates. *)
Lemma abel (V l r : nat -> R) B δ T :
  (forall t, 0 <= V t) -> (forall t, 0 < r t) -> (forall t, / r (S t) - / r t <= δ) -> 0 <= δ ->
  (forall t, V (S t) <= V t + r t * (B - l t - δ * V t)) ->
  sum (S T) l <= INR (S T) * B + V O / r O - V (S T) / r T.
Proof.
  intros HV Hr Hδ Hδ0 H.
  assert (Step : forall t, l t <= B - δ * V t + V t / r t - V (S t) / r t).
  { intros t. specialize (H t). specialize (Hr t). apply (Rmult_le_compat_r (/ r t)) in H;
      [|left; now apply Rinv_0_lt_compat].
    replace ((V t + r t * (B - l t - δ * V t)) * / r t) with (V t / r t + (B - l t - δ * V t)) in H by (field; lra).
    unfold Rdiv in *. lra. }
  induction T as [|T IH].
  - cbn [sum INR]. specialize (Step O). assert (Q := HV O). assert (0 <= δ * V O) by now apply Rmult_le_pos. lra.
  - rewrite S_INR. change (sum (S (S T)) l) with (sum (S T) l + l (S T)). specialize (Step (S T)).
    assert (Q : V (S T) * (/ r (S T) - / r T) <= V (S T) * δ) by (apply Rmult_le_compat_l; [apply HV|apply Hδ]).
    unfold Rdiv in *. lra.
Qed.

Section Schedule.
  Context {X : Type} (possible : list X -> X -> Prop) (E : list X -> (X -> R) -> R).
  Hypothesis HE : law possible E.
  Variables (d : nat) (η σ α δ : R) (β : vector) (B : R).
  Variables (schedule : nat -> R) (G : list X -> vector -> X -> vector) (θ0 : vector) (loss : list X -> vector -> R).

  (** Λ with least value 0. *)
  Definition Λ0 (θ : vector) : R := α * norm2 d (fun j => θ j + β j / (2 * α)).

  Let rate (h : list X) : R := schedule (length h).
  Let θ := run σ rate (fun θ => θ) G θ0.

  Theorem falling_rates T :
    0 < α -> (forall t, 0 < schedule t <= η) -> 0 <= δ -> (forall t, / schedule (S t) - / schedule t <= δ) ->
    (forall h, happens possible h ->
       decay d η σ α β (θ h) + E h (fun x => c d η σ α β (θ h) (G h (θ h) x)) + (loss h (θ h) + δ * Λ0 (θ h)) <= B) ->
    (1 <= T)%nat ->
    average E T (fun h => loss h (θ h)) <= B + Λ0 θ0 / (schedule O * INR T).
  Proof.
    intros Hα Hs Hδ0 Hδ Hstep HT.
    set (V := fun t => expected E t (fun h => Λ0 (θ h)) nil).
    set (l := fun t => expected E t (fun h => loss h (θ h)) nil).
    assert (Pos : forall x, 0 <= Λ0 x) by (intros x; apply Rmult_le_pos; [lra|apply norm2_nonneg]).
    assert (HV : forall t, 0 <= V t).
    { intros t. unfold V. rewrite <- (expected_const _ _ HE t 0 nil). apply (expected_le _ _ HE); [exact I|]. auto. }
    assert (HS : forall t, V (S t) <= V t + schedule t * (B - l t - δ * V t)).
    { intros t. unfold V at 1. rewrite (expected_step _ _ HE).
      assert (Len : forall n h, happens possible h -> forall g, 
          expected E n (fun h' => schedule (length h') * g h') h = schedule (n + length h)%nat * expected E n g h).
      { induction n as [|n IH]; intros h Hh g; [reflexivity|]. cbn [expected].
        rewrite (law_ext _ _ HE h _ (fun x => schedule (S n + length h)%nat * expected E n g (x :: h) + 0 * 0)).
        - rewrite (law_lin _ _ HE h _ 0 _ (fun _ => 0)). ring.
        - intros x Hx. rewrite IH by (now split). cbn [length]. rewrite Nat.add_succ_r. cbn [Nat.add]. ring. }
      apply Rle_trans with (expected E t (fun h => 1 * Λ0 (θ h) + 1 * (schedule (length h)
          * (1 * (1 * B + -1 * loss h (θ h)) + - δ * Λ0 (θ h)))) nil).
      - apply (expected_le _ _ HE); [exact I|]. intros h Hh.
        assert (Q := run_step possible E HE d η σ α β B (fun _ => True) rate (fun θ => θ) G θ0
                       (fun h θ => loss h θ + δ * Λ0 θ) Hα (fun h => Hs (length h)) (fun θ => Rle_refl _) I
                       (fun _ _ _ _ => I) (fun h Hh _ => Hstep h Hh) h Hh). fold θ in Q. cbv beta in Q.
        change (rate h) with (schedule (length h)) in Q.
        assert (N0 : forall x, Λ0 x = Λ d α β x + norm2 d β / (4 * α)) by (intros; symmetry; now apply Λ_square).
        rewrite (law_ext _ _ HE h _ (fun x => 1 * Λ d α β (θ (x :: h)) + (norm2 d β / (4 * α)) * 1))
          by (intros; rewrite N0; ring).
        rewrite (law_lin _ _ HE h 1 _ (fun x => Λ d α β (θ (x :: h))) (fun _ => 1)), (law_const _ _ HE).
        rewrite (N0 (θ h)) in Q |- *. lra.
      - rewrite (expected_lin _ _ HE t 1 1 (fun h => Λ0 (θ h)) _ nil I), (Len t nil I).
        rewrite (expected_lin _ _ HE t 1 (- δ) (fun h => 1 * B + -1 * loss h (θ h)) (fun h => Λ0 (θ h)) nil I).
        rewrite (expected_lin _ _ HE t 1 (-1) (fun _ => B) (fun h => loss h (θ h)) nil I), (expected_const _ _ HE).
        cbn [length]. rewrite Nat.add_0_r. fold (V t). fold (l t). right. ring. }
    destruct T as [|T]; [lia|].
    assert (Q := abel V l schedule B δ T HV (fun t => proj1 (Hs t)) Hδ Hδ0 HS).
    assert (P : 0 < INR (S T)) by (apply lt_0_INR; lia). assert (P0 := proj1 (Hs O)).
    assert (Last : 0 <= V (S T) / schedule T).
    { apply Rmult_le_pos; [apply HV|left; apply Rinv_0_lt_compat, Hs]. }
    unfold average. fold l. change (V O) with (Λ0 θ0) in Q.
    apply (Rmult_le_reg_r (INR (S T))); [assumption|].
    replace (sum (S T) l / INR (S T) * INR (S T)) with (sum (S T) l) by (field; lra).
    replace ((B + Λ0 θ0 / (schedule O * INR (S T))) * INR (S T)) with (INR (S T) * B + Λ0 θ0 / schedule O) by (field; lra).
    lra.
  Qed.
End Schedule.

(** ** One point per step, with the parts of Theorem L1: A → A - δα, v → v + δβ, B → B + δ‖β‖²/(4α) *)

Definition slower (d : nat) (α δ : R) (β : vector) (case : parts) : parts := {|
  line0 := line0 case; line := line case;
  point0 := point0 case; point1 := point1 case; point2 := point2 case;
  region0 := region0 case + δ * (norm2 d β / (4 * α));
  region1 := fun j => 1 * region1 case j + δ * β j;
  region2 := fun j => 1 * region2 case j + - (δ * α) * 1 |}.

Theorem theorem_A2 d N z w η σ ε α δ β loss (A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop)
    (K : Type) (case : K -> parts) (inside : K -> vector -> vector -> Prop) B schedule :
  weights N w -> 0 <= ε <= 1 -> 0 < α -> 0 <= δ ->
  (forall t, 0 < schedule t <= η) -> (forall t, / schedule (S t) - / schedule t <= δ) ->
  (forall θ x, A x -> exists i, inside i θ x) ->
  (forall i θ x, A x -> inside i θ x -> fits d N z w η σ ε α β loss allowed (case i) θ x) ->
  (forall i j, (j < d)%nat -> 0 < A_of η σ ε α (slower d α δ β (case i)) j) ->
  (forall i, B_of d η σ ε α β (slower d α δ β (case i)) <= B) ->
  forall gradient, (forall h θ x, allowed θ x (gradient h θ x)) ->
  forall policy : history -> vector, (forall h, A (policy h)) ->
  forall θ0 T, (1 <= T)%nat ->
  average (fun _ => toss N w ε) T (fun h =>
    loss (run σ (fun h => schedule (length h)) (fun θ => θ) (gradient_of gradient z policy) θ0 h))
  <= B + Λ0 d α β θ0 / (schedule O * INR T).
Proof.
  intros Hw Hε Hα Hδ Hs Hsδ Hcover Hfits HA HB gradient Hgradient policy Hpolicy θ0 T HT.
  assert (L := toss_law N w ε Hw Hε).
  apply (falling_rates _ _ L d η σ α δ β B schedule (gradient_of gradient z policy) θ0 (fun _ => loss)); trivial.
  intros h _. set (θ := run _ _ _ _ _ h). clearbody θ.
  assert (R : residual_below d N z w η σ ε α β (fun θ => loss θ + δ * Λ0 d α β θ) B (fun _ => True) A allowed).
  { clear θ h. intros θ gs x g _ Hgs Hx Hg. destruct (Hcover θ x Hx) as [i Hi].
    destruct (Hfits i θ x Hx Hi) as (F1 & F2 & F3). eapply Rle_trans; [|apply (HB i)].
    assert (Q := case_holds_slack d η σ ε α β (line0 (case i)) (line (case i)) (point0 (case i)) (point1 (case i))
      (point2 (case i)) (region0 (slower d α δ β (case i))) (region1 (slower d α δ β (case i)))
      (region2 (slower d α δ β (case i))) θ
      ((1 - ε) * sum N (fun i => p N w i * c d η σ α β θ (gs i)) + loss θ) (c d η σ α β θ g) (δ * Λ0 d α β θ)
      ltac:(lra) (HA i) (F1 gs Hgs) (F2 g Hg)).
    assert (N0 : Λ0 d α β θ = Λ d α β θ + norm2 d β / (4 * α)) by (symmetry; now apply Λ_square).
    assert (Quad : δ * Λ0 d α β θ <= region0 (slower d α δ β (case i)) + dot d (region1 (slower d α δ β (case i))) θ
                   - sum d (fun j => region2 (slower d α δ β (case i)) j * θ j ^ 2)).
    { cbn [region0 region1 region2 slower]. rewrite (dot_lin d 1 δ (region1 (case i)) β θ).
      rewrite (sum_ext d _ (fun j => 1 * (region2 (case i) j * θ j ^ 2) + - (δ * α) * (θ j * θ j))) by (intros; ring).
      rewrite sum_lin. fold (diagonal d (region2 (case i)) θ). fold (dot d θ θ). fold (norm2 d θ).
      rewrite N0. unfold Λ. lra. }
    specialize (Q Quad). unfold B_of. cbn [line0 line point0 point1 point2 slower] in *. lra. }
  assert (Q := learner_step d N z w η σ ε α β (fun θ => loss θ + δ * Λ0 d α β θ) B (fun _ => True) A allowed R
                 gradient policy Hgradient Hpolicy h θ I). cbv beta in Q. exact Q.
Qed.
