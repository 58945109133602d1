(** What is proved, and nothing else: definitions, and the statements of Theorems 2 to 5 of docs/theory.md.

    This is what [unswayed check] relies on when it accepts a hinge certificate: the conditions below are
    those that crates/unswayed-check verifies of a proof with one case, and [value] is the number that it computes.
    The proofs are in Theorems.v. *)

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
  Variables (d N : nat) (z : nat -> vector) (w : nat -> R).
  Variables (η σ ε R0 : R).                                        (* R0: the radius R *)
  Variables (α : R) (β : vector) (τ ν μ ϱ : R) (T y : nat -> R).   (* T: the constant of row i's line *)

  Definition k := 1 - η * σ.
  Definition κ0 := 2 * α * k * (1 - ε).
  Definition κ := κ0 - 1.
  Definition χ := 2 * α * k - ν.
  Definition J (x : vector) := (1 - ε) * (2 * α * k + α * η * norm2 d x + dot d β x).
  Definition a := α * σ * (2 - η * σ) + μ - ε * R0 * χ ^ 2 / (2 * τ).
  Definition v : vector :=
    fun j => sum N (fun i => p N w i * y i * z i j) + (ε * R0 * χ / τ - σ) * β j.

  Definition conditions : Prop := 0 < α /\ 0 < τ /\ 0 <= ν /\ 0 <= μ /\ 0 < a.

  Definition value : R :=
    sum N (fun i => p N w i * T i)
    + ε * (α * η * R0 ^ 2 + ν + R0 * τ / 2 + R0 * norm2 d β / (2 * τ))
    + μ * ϱ ^ 2 + norm2 d v / (4 * a).

  (** What a start θ0 adds over T steps: Theorem 5 with m = 0, and with m ≥ 0 in the ball of radius ϱ. *)
  Definition transient (θ0 : vector) (T : nat) : R :=
    α / (η * INR T) * norm2 d (fun j => θ0 j + β j / (2 * α)).
  Definition transient_in_ball (m : R) (θ0 : vector) (T : nat) : R :=
    (norm2 d (fun j => 2 * (α + m) * θ0 j + β j) / (4 * (α + m)) + m * (ϱ ^ 2 - norm2 d θ0)) / (η * INR T).
End Formulas.

Definition share (x : R) : Prop := 0 <= x <= 1.

(** ** What a certificate says *)

(** The limit superior of [f] is at most [b]. *)
Definition limsup_at_most (f : nat -> R) (b : R) : Prop :=
  forall gap, 0 < gap -> exists T0, forall T, (T0 <= T)%nat -> f T <= b + gap.

(** For every rule at the kink, every policy with points in the ball of radius R0, and every start in [Θ]:
    over T steps the average expected loss is at most B plus what the start adds, and in the long run B. *)
Definition certified d N z w η σ ε R0 (loss : vector -> R) (Θ : vector -> Prop)
    (B : R) (added : vector -> nat -> R) : Prop :=
  forall (kink : history -> vector -> R), (forall h x, share (kink h x)) ->
  forall (policy : history -> vector), (forall h, norm2 d (policy h) <= R0 ^ 2) ->
  forall (θ0 : vector), Θ θ0 ->
  let mean T := average (fun _ => toss N w ε) T
                  (fun h => loss (model η σ (hinge_gradient d kink) z policy θ0 h)) in
  (forall T, (1 <= T)%nat -> mean T <= B + added θ0 T) /\ limsup_at_most mean B.

(** ** Method `convexity`: Theorem 2, with the horizon of Theorem 5 *)

Definition theorem_2 : Prop :=
  forall d N z w η σ ε R0 α β τ ν u,
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions η σ ε R0 α τ ν 0 -> 0 <= κ η σ ε α ->
  (forall i, (i < N)%nat -> share (u i)) ->
  let T i := Rmax (J d η σ ε α β (z i)) 0 - κ η σ ε α * u i in
  let y i := κ η σ ε α * u i in
  certified d N z w η σ ε R0 (hinge_loss d N z w) (fun _ => True)
    (value d N z w η σ ε R0 α β τ ν 0 0 T y) (transient d η α β).

(** ** Method `bounded-range`: Theorem 3, with the horizon of Theorem 5 *)

Definition range_envelope (j y κ h : R) : R :=
  if Rlt_dec h 1 then Rmax (j + (y - κ) * (1 + h)) (j + (y - κ) * (1 - h))
  else Rmax (Rmax (j + (y - κ) * (1 + h)) j) (Rmax 0 (y * (1 - h))).

Definition theorem_3 : Prop :=
  forall d N z w η σ ε R0 α β τ ν μ ϱ y reach m,
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions η σ ε R0 α τ ν μ -> 0 <= ϱ * σ - R0 -> 0 <= m ->
  (forall i, (i < N)%nat -> norm2 d (z i) <= (ϱ * σ) ^ 2 /\ 0 <= reach i /\
                            ϱ ^ 2 * norm2 d (z i) <= reach i ^ 2) ->
  let T i := range_envelope (J d η σ ε α β (z i)) (y i) (κ η σ ε α) (reach i) - y i in
  certified d N z w η σ ε R0 (hinge_loss d N z w) (fun θ => norm2 d θ <= ϱ ^ 2)
    (value d N z w η σ ε R0 α β τ ν μ ϱ T y) (transient_in_ball d η α β ϱ m).

(** ** Method `zero-one`: Theorem 4, with the horizon of Theorem 5 *)

Definition wrong (s : R) : R := if Rle_dec s 0 then 1 else 0.

Definition zero_one_error (d N : nat) (z : nat -> vector) (w : nat -> R) (θ : vector) : R :=
  sum N (fun i => p N w i * wrong (dot d θ (z i))).

Definition theorem_4 : Prop :=
  forall d N z w η σ ε R0 α β τ ν u u2 c,
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions η σ ε R0 α τ ν 0 ->
  (forall i, (i < N)%nat -> share (u i) /\ share (u2 i) /\ share (c i) /\ 0 <= κ η σ ε α + c i) ->
  let T i := Rmax (J d η σ ε α β (z i) + c i) 0 - (κ η σ ε α + c i) * u i in
  let y i := (κ η σ ε α + c i) * u i + (1 - c i) * u2 i in
  certified d N z w η σ ε R0 (zero_one_error d N z w) (fun _ => True)
    (value d N z w η σ ε R0 α β τ ν 0 0 T y) (transient d η α β).
