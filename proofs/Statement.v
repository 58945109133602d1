(** What is proved, and nothing else: definitions and the statement of Theorem 2.

    This is what [unswayed check] relies on when it accepts a hinge certificate (method `convexity`):
    the conditions below are those of crates/unswayed-check/src/hinge.rs, and [bound] is the number
    that it computes. The proof is in Theorem2.v. *)

From Coq Require Import Reals List.
Open Scope R_scope.

(** ** Vectors: the entries 0 … d-1 of a function count. *)

Definition vector := nat -> R.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S m => sum m f + f m end.

Definition dot (d : nat) (x y : vector) : R := sum d (fun j => x j * y j).
Definition norm2 (d : nat) (x : vector) : R := dot d x x.

(** ** What happens in a step: the coin says whose point it is, the dice which row. *)

Inductive draw := benign (i : nat) | own.

(** All draws so far, the newest first. With the start and the policy it fixes the model, so whoever
    sees the history sees everything. *)
Definition history := list draw.

(** With probability 1-ε row i with its share of the weights, with probability ε the adversary. *)
Definition p (N : nat) (w : nat -> R) (i : nat) : R := w i / sum N w.

Definition toss (N : nat) (w : nat -> R) (ε : R) (f : draw -> R) : R :=
  (1 - ε) * sum N (fun i => p N w i * f (benign i)) + ε * f own.

(** The expected value of [f] at the history t steps after [h]. *)
Fixpoint expected {X : Type} (E : list X -> (X -> R) -> R) (t : nat) (f : list X -> R) (h : list X) : R :=
  match t with O => f h | S t' => E h (fun x => expected E t' f (x :: h)) end.

(** ** The learner: θ' = (1-ησ)θ + ηqz with q = 1 if θ·z < 1, q = 0 if θ·z > 1.
    At the kink θ·z = 1 it may be any number in [0,1]; the program's own learner has 1. *)

Definition activity (s kink : R) : R :=
  if Rlt_dec s 1 then 1 else if Rlt_dec 1 s then 0 else kink.

Definition hinge_gradient (d : nat) (kink : history -> vector -> R) (h : history) (θ z : vector) : vector :=
  fun j => activity (dot d θ z) (kink h z) * z j.

Definition step (η σ : R) (θ g : vector) : vector := fun j => (1 - η * σ) * θ j + η * g j.

(** The point of a draw, and the model after a history. The policy sees the history. *)
Definition point (z : nat -> vector) (policy : history -> vector) (h : history) (x : draw) : vector :=
  match x with benign i => z i | own => policy h end.

Fixpoint model (η σ : R) (gradient : history -> vector -> vector -> vector) (z : nat -> vector)
    (policy : history -> vector) (θ0 : vector) (h : history) : vector :=
  match h with
  | nil => θ0
  | x :: past => let θ := model η σ gradient z policy θ0 past in
                 step η σ θ (gradient past θ (point z policy past x))
  end.

(** The hinge loss on the benign rows, and its expected average over the models θ_0 … θ_(T-1). *)
Definition hinge_loss (d N : nat) (z : nat -> vector) (w : nat -> R) (θ : vector) : R :=
  sum N (fun i => p N w i * Rmax 0 (1 - dot d θ (z i))).

Definition average {X : Type} (E : list X -> (X -> R) -> R) (T : nat) (f : list X -> R) : R :=
  sum T (fun t => expected E t f nil) / INR T.

(** ** Rows, weights and parameters that the checker accepts *)

Definition weights (N : nat) (w : nat -> R) : Prop := (forall i, (i < N)%nat -> 0 <= w i) /\ 0 < sum N w.

Definition parameters (η σ ε : R) : Prop := 0 < η /\ 0 < σ /\ 0 < 1 - η * σ /\ 0 <= ε < 1.

(** ** The checker's formulas *)

Section Formulas.
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε R0 : R).  (* R0: the radius R *)
  Variables (α : R) (β : vector) (τ ν : R) (u : nat -> R).                 (* the witness *)

  Definition k := 1 - η * σ.
  Definition κ0 := 2 * α * k * (1 - ε).
  Definition κ := κ0 - 1.
  Definition χ := 2 * α * k - ν.
  Definition J (x : vector) := (1 - ε) * (2 * α * k + α * η * norm2 d x + dot d β x).
  Definition a := α * σ * (2 - η * σ) - ε * R0 * χ ^ 2 / (2 * τ).
  Definition v : vector :=
    fun j => κ * sum N (fun i => p N w i * u i * z i j) + (ε * R0 * χ / τ - σ) * β j.

  Definition conditions : Prop :=
    0 < α /\ 0 < τ /\ 0 <= ν /\ 0 <= κ /\ 0 < a /\ forall i, (i < N)%nat -> 0 <= u i <= 1.

  Definition bound : R :=
    sum N (fun i => p N w i * (Rmax (J (z i)) 0 - κ * u i))
    + ε * (α * η * R0 ^ 2 + ν + R0 * τ / 2 + R0 * norm2 d β / (2 * τ))
    + norm2 d v / (4 * a).

  (** What a start θ0 adds over T steps. *)
  Definition transient (θ0 : vector) (T : nat) : R :=
    α / (η * INR T) * norm2 d (fun j => θ0 j + β j / (2 * α)).
End Formulas.

(** ** The theorem *)

Definition theorem_2 : Prop :=
  forall d N z w η σ ε R0 α β τ ν u,
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions N η σ ε R0 α τ ν u ->
  forall (kink : history -> vector -> R), (forall h x, 0 <= kink h x <= 1) ->
  forall (policy : history -> vector), (forall h, norm2 d (policy h) <= R0 ^ 2) ->
  forall (θ0 : vector) (T : nat), (1 <= T)%nat ->
  average (fun _ => toss N w ε) T
    (fun h => hinge_loss d N z w (model η σ (hinge_gradient d kink) z policy θ0 h))
  <= bound d N z w η σ ε R0 α β τ ν u + transient d η α β θ0 T.

(** The same in the limit: the limit superior of the averages is at most the bound. *)
Definition limsup_at_most (f : nat -> R) (b : R) : Prop :=
  forall gap, 0 < gap -> exists T0, forall T, (T0 <= T)%nat -> f T <= b + gap.

Definition theorem_2_limit : Prop :=
  forall d N z w η σ ε R0 α β τ ν u,
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions N η σ ε R0 α τ ν u ->
  forall (kink : history -> vector -> R), (forall h x, 0 <= kink h x <= 1) ->
  forall (policy : history -> vector), (forall h, norm2 d (policy h) <= R0 ^ 2) ->
  forall (θ0 : vector),
  limsup_at_most
    (fun T => average (fun _ => toss N w ε) T
       (fun h => hinge_loss d N z w (model η σ (hinge_gradient d kink) z policy θ0 h)))
    (bound d N z w η σ ε R0 α β τ ν u).
