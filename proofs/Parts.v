(** Theorem L1: cases, and in each a line above the rows, a quadratic above the point and a quadratic that is
    not negative in the case. The quadratics are diagonal (a multiple of the identity is a special case). *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Learner.
Open Scope R_scope.

Definition diagonal (d : nat) (D θ : vector) : R := sum d (fun j => D j * θ j ^ 2).

(** The numbers of a case. *)
Record parts := {
  line0 : R; line : vector;                      (* r₀, r *)
  point0 : R; point1 : vector; point2 : vector;  (* m₀, m, M *)
  region0 : R; region1 : vector; region2 : vector (* g₀, g, W *) }.

Definition A_of η σ ε α (c : parts) : vector := case_A η σ ε α (point2 c) (region2 c).
Definition v_of σ ε β (c : parts) : vector := case_v σ ε β (line c) (point1 c) (region1 c).

(** B_case = r₀ + εm₀ + g₀ + ¼ v·A⁻¹v. *)
Definition B_of d η σ ε α β (c : parts) : R :=
  case_bound d η σ ε α β (line0 c) (line c) (point0 c) (point1 c) (point2 c) (region0 c) (region1 c) (region2 c).

Section L1.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector).
  Variables (loss : vector -> R) (Θ A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop).

  (** The parts are above what they should be above, for a model θ and a point x. *)
  Definition fits (c : parts) (θ x : vector) : Prop :=
    (forall gs : nat -> vector, (forall i, (i < N)%nat -> allowed θ (z i) (gs i)) ->
       (1 - ε) * sum N (fun i => p N w i * OneStep.c d η σ α β θ (gs i)) + loss θ <= line0 c + dot d (line c) θ)
    /\ (forall g, allowed θ x g ->
       OneStep.c d η σ α β θ g <= point0 c + dot d (point1 c) θ + diagonal d (point2 c) θ)
    /\ 0 <= region0 c + dot d (region1 c) θ - diagonal d (region2 c) θ.

  Theorem L1_residual (K : Type) (case : K -> parts) (inside : K -> vector -> vector -> Prop) (B : R) :
    0 <= ε ->
    (forall θ x, Θ θ -> A x -> exists i, inside i θ x) ->
    (forall i θ x, Θ θ -> A x -> inside i θ x -> fits (case i) θ x) ->
    (forall i j, (j < d)%nat -> 0 < A_of η σ ε α (case i) j) ->
    (forall i, B_of d η σ ε α β (case i) <= B) ->
    residual_below d N z w η σ ε α β loss B Θ A allowed.
  Proof.
    intros Hε Hcover Hfits HA HB θ gs x g Hθ Hgs Hx Hg.
    destruct (Hcover θ x Hθ Hx) as [i Hi].
    destruct (Hfits i θ x Hθ Hx Hi) as (F1 & F2 & F3).
    eapply Rle_trans; [|apply (HB i)].
    apply case_holds; auto; apply HA.
  Qed.

  (** One case only. *)
  Corollary L1_one_case (c : parts) :
    0 <= ε ->
    (forall θ x, Θ θ -> A x -> fits c θ x) ->
    (forall j, (j < d)%nat -> 0 < A_of η σ ε α c j) ->
    residual_below d N z w η σ ε α β loss (B_of d η σ ε α β c) Θ A allowed.
  Proof.
    intros Hε Hfits HA.
    apply (L1_residual unit (fun _ => c) (fun _ _ _ => True)); auto.
    - intros. now exists tt.
    - intros. apply Rle_refl.
  Qed.
End L1.

(** Sums of squares over a constant. *)
Lemma constant_A d (v : vector) (A : vector) a :
  0 < a -> (forall j, (j < d)%nat -> A j = a) -> sum d (fun j => v j ^ 2 / (4 * A j)) = norm2 d v / (4 * a).
Proof.
  intros Ha HA. rewrite (sum_ext d _ (fun j => / (4 * a) * (v j * v j))).
  - rewrite sum_scale. unfold norm2, dot. field. lra.
  - intros j Hj. rewrite HA by assumption. field. lra.
Qed.

Lemma diagonal_constant d a θ : diagonal d (fun _ => a) θ = a * norm2 d θ.
Proof. unfold diagonal. rewrite sum_scale. f_equal. apply sum_ext. intros; ring. Qed.
