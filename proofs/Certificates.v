(** The final theorems for docs/theory.md: what a certificate proves. Each says [certified_for]
    (Linear.v): for every policy, the average over T steps is at most B plus the transient, in the long run B. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Rows Points Parts Theorems Logistic Linear
  Labels Variants Randomised.
Open Scope R_scope.

(** ** Theorem L1 *)

Theorem theorem_L1 d N z w η σ ε α β loss (Θ A : vector -> Prop) (allowed : vector -> vector -> vector -> Prop)
    (K : Type) (case : K -> parts) (inside : K -> vector -> vector -> Prop) B :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α ->
  (forall θ x g, Θ θ -> (A x \/ exists i, (i < N)%nat /\ x = z i) -> allowed θ x g -> Θ (step η σ θ g)) ->
  (forall θ x, Θ θ -> A x -> exists i, inside i θ x) ->
  (forall i θ x, Θ θ -> A x -> inside i θ x -> fits d N z w η σ ε α β loss allowed (case i) θ x) ->
  (forall i j, (j < d)%nat -> 0 < A_of η σ ε α (case i) j) ->
  (forall i, B_of d η σ ε α β (case i) <= B) ->
  certified_for d N z w η σ ε allowed A Θ loss B (transient d η α β).
Proof.
  intros Hw Hη Hε Hα Hkept Hcover Hfits HA HB. apply residual_certified; trivial.
  apply (L1_residual d N z w η σ ε α β loss Θ A allowed K case inside); trivial. lra.
Qed.

(** ** One dataset, one symmetric set, on all of R^d *)

Definition everywhere (_ : vector) : Prop := True.
Definition weighted_loss (d N : nat) (z : nat -> vector) (t : nat -> R) (φ : R -> R) (θ : vector) : R :=
  sum N (fun i => t i * φ (dot d θ (z i))).
Definition hinge (s : R) : R := Rmax 0 (1 - s).

(** Any kind of rows, any set with [set_bounds] (the ball and the box have them: Points.v). *)
Theorem set_certified d N z w η σ ε α β (act : vector -> R -> R -> Prop) ψ loss A tt D n C ν T y :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α ->
  (forall θ, loss θ = sum N (fun i => ψ i (dot d θ (z i)))) ->
  row_lines d N z w η σ ε α β act ψ everywhere T y ->
  set_bounds d A tt D n ->
  (forall x s q, act x s q -> (tt / 2 + α * η * n) * q ^ 2 + ν * q * s <= C) ->
  let case := set_parts d N z η σ α β D C ν 0 0 T y in
  (forall j, (j < d)%nat -> 0 < A_of η σ ε α case j) ->
  certified_for d N z w η σ ε (along act d) A everywhere loss (B_of d η σ ε α β case) (transient d η α β).
Proof.
  intros Hw Hη Hε Hα Hloss Hlines Hset HC case HA. apply residual_certified; trivial.
  apply (set_residual d N z w η σ ε α β act ψ loss everywhere A tt D n C ν 0 0 T y); trivial.
  - lra.
  - apply Rmult_le_pos; lra.
  - intros; lra.
Qed.

(** Hinge rows with loss weights t, points in a box. *)
Theorem hinge_box d N z w η σ ε α β t u radii τ ν :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= ν ->
  (forall j, (j < d)%nat -> 0 <= radii j /\ 0 < τ j) ->
  (forall i, (i < N)%nat -> share (u i) /\ 0 <= κ_of N w η σ ε α t i) ->
  let case := set_parts d N z η σ α β (fun j => radii j / τ j)
    (sum d (fun j => radii j * τ j) / 2 + α * η * norm2 d radii + ν) ν 0 0
    (fun i => Rmax (F d N z w η σ ε α β i) 0 - κ_of N w η σ ε α t i * u i)
    (fun i => κ_of N w η σ ε α t i * u i) in
  (forall j, (j < d)%nat -> 0 < A_of η σ ε α case j) ->
  certified_for d N z w η σ ε (along (fun _ => hinge_acts) d) (box d radii) everywhere
    (weighted_loss d N z t hinge) (B_of d η σ ε α β case) (transient d η α β).
Proof.
  intros Hw Hη Hε Hα Hν Hτ Hu case HA.
  apply (set_certified d N z w η σ ε α β (fun _ => hinge_acts) (fun i s => t i * Rmax 0 (1 - s)) _ _
           (sum d (fun j => radii j * τ j)) _ (norm2 d radii)); trivial.
  - now apply hinge_lines.
  - now apply box_bounds.
  - intros _ s q Hq. apply hinge_constant; trivial. apply Rplus_le_le_0_compat.
    + apply Rmult_le_pos; [|lra]. apply sum_nonneg. intros j Hj. destruct (Hτ j Hj). apply Rmult_le_pos; lra.
    + apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply norm2_nonneg].
Qed.

(** Logistic rows with loss weights t, points in a ball. C is any number above the supremum of Lemma L7. *)
Theorem logistic_ball d N z w η σ ε α β t y w0 R0 τ ν C :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= R0 -> 0 < τ ->
  (forall i, (i < N)%nat -> logistic_conditions η σ ε α (p N w i) (t i) (y i) (norm2 d (z i)) (w0 i)) ->
  (forall x, 0 < x < 1 ->
     (R0 * τ / 2 + α * η * R0 ^ 2) * x ^ 2 + ν * x * (ln (1 - x) - ln x) <= C) ->
  let case := set_parts d N z η σ α β (fun _ => R0 / τ) C ν 0 0
    (fun i => logistic_T η σ ε α (p N w i) (t i) (y i) (dot d β (z i)) (norm2 d (z i)) (w0 i)) y in
  (forall j, (j < d)%nat -> 0 < A_of η σ ε α case j) ->
  certified_for d N z w η σ ε (along (fun _ => logistic_acts) d) (ball d R0) everywhere
    (weighted_loss d N z t logistic) (B_of d η σ ε α β case) (transient d η α β).
Proof.
  intros Hw Hη Hε Hα HR Hτ Hrows HC case HA.
  apply (set_certified d N z w η σ ε α β (fun _ => logistic_acts) (fun i s => t i * logistic s) _ _
           (R0 * τ) _ (R0 ^ 2)); trivial.
  - now apply logistic_lines.
  - now apply ball_bounds.
  - intros _ s q Hq. now apply logistic_constant.
Qed.

(** The error of the logistic learner (Lemma L10), points in a ball. *)
Theorem error_logistic_ball d N z w η σ ε α β t y low high R0 τ ν C :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= R0 -> 0 < τ ->
  (forall i, (i < N)%nat -> 0 <= t i /\ 0 <= y i <= κ0 η σ ε α * p N w i /\
     let h := hfun (κ0 η σ ε α * p N w i) (y i) (κ0 η σ ε α * p N w i - y i)
                (p N w i * (1 - ε) * dot d β (z i)) (p N w i * (1 - ε) * (α * η * norm2 d (z i))) in
     (forall x, 0 < x <= / 2 -> h x <= low i) /\ (forall x, / 2 <= x < 1 -> h x <= high i)) ->
  (forall x, 0 < x < 1 ->
     (R0 * τ / 2 + α * η * R0 ^ 2) * x ^ 2 + ν * x * (ln (1 - x) - ln x) <= C) ->
  let case := set_parts d N z η σ α β (fun _ => R0 / τ) C ν 0 0 (fun i => Rmax (low i) (high i + t i)) y in
  (forall j, (j < d)%nat -> 0 < A_of η σ ε α case j) ->
  certified_for d N z w η σ ε (along (fun _ => logistic_acts) d) (ball d R0) everywhere
    (weighted_loss d N z t wrong) (B_of d η σ ε α β case) (transient d η α β).
Proof.
  intros Hw Hη Hε Hα HR Hτ Hrows HC case HA.
  apply (set_certified d N z w η σ ε α β (fun _ => logistic_acts) (fun i s => t i * wrong s) _ _
           (R0 * τ) _ (R0 ^ 2)); trivial.
  - now apply error_logistic_lines.
  - now apply ball_bounds.
  - intros _ s q Hq. now apply logistic_constant.
Qed.

(** ** Finite sets: Lemma L9 *)

Definition points_of (M : nat) (a : nat -> vector) (x : vector) : Prop := exists l, (l < M)%nat /\ x = a l.

Theorem finite_certified d N z w η σ ε α β (act : vector -> R -> R -> Prop) ψ loss M a (T y : nat -> nat -> R) T' y' B :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 < α * σ * (2 - η * σ) ->
  (forall θ, loss θ = sum N (fun i => ψ i (dot d θ (z i)))) ->
  (forall l, (l < M)%nat -> row_lines d N z w η σ ε α β act ψ everywhere (T l) (y l)) ->
  (forall l s q, (l < M)%nat -> act (a l) s q ->
     contribution η σ α s (dot d β (a l)) (norm2 d (a l)) q <= T' l + y' l * s) ->
  (forall l, (l < M)%nat -> B_of d η σ ε α β (finite_parts N z (a l) (T l) (y l) (T' l) (y' l)) <= B) ->
  certified_for d N z w η σ ε (along act d) (points_of M a) everywhere loss B (transient d η α β).
Proof.
  intros Hw Hη Hε Hα Ha Hloss Hlines Hpoint HB. apply residual_certified; trivial.
  apply (finite_residual d N z w η σ ε α β act ψ loss everywhere M a T y T' y'); trivial. lra.
Qed.

Corollary hinge_finite d N z w η σ ε α β t M a (u : nat -> nat -> R) v B :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 < α * σ * (2 - η * σ) -> 0 <= k η σ ->
  (forall l i, (l < M)%nat -> (i < N)%nat -> share (u l i) /\ 0 <= κ_of N w η σ ε α t i) ->
  (forall l, (l < M)%nat -> share (v l)) ->
  (forall l, (l < M)%nat -> B_of d η σ ε α β (finite_parts N z (a l)
     (fun i => Rmax (F d N z w η σ ε α β i) 0 - κ_of N w η σ ε α t i * u l i)
     (fun i => κ_of N w η σ ε α t i * u l i)
     (Rmax (2 * α * k η σ + α * η * norm2 d (a l) + dot d β (a l)) 0 - 2 * α * k η σ * v l)
     (2 * α * k η σ * v l)) <= B) ->
  certified_for d N z w η σ ε (along (fun _ => hinge_acts) d) (points_of M a) everywhere
    (weighted_loss d N z t hinge) B (transient d η α β).
Proof.
  intros Hw Hη Hε Hα Ha Hk Hu Hv HB.
  apply (finite_certified d N z w η σ ε α β (fun _ => hinge_acts) (fun i s => t i * Rmax 0 (1 - s)) _ M a
     (fun l i => Rmax (F d N z w η σ ε α β i) 0 - κ_of N w η σ ε α t i * u l i)
     (fun l i => κ_of N w η σ ε α t i * u l i)
     (fun l => Rmax (2 * α * k η σ + α * η * norm2 d (a l) + dot d β (a l)) 0 - 2 * α * k η σ * v l)
     (fun l => 2 * α * k η σ * v l)); trivial.
  - intros l Hl. apply hinge_lines; trivial. intros i Hi. now apply Hu.
  - intros l s q Hl Hq. apply hinge_point; trivial.
    + now apply αη_norm.
    + apply Rmult_le_pos; lra.
    + now apply Hv.
Qed.

Corollary logistic_finite d N z w η σ ε α β t M a (y w0 : nat -> nat -> R) y' w' B :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 < α * σ * (2 - η * σ) ->
  (forall l i, (l < M)%nat -> (i < N)%nat ->
     logistic_conditions η σ ε α (p N w i) (t i) (y l i) (norm2 d (z i)) (w0 l i)) ->
  (forall l, (l < M)%nat -> 0 <= y' l <= 2 * α * k η σ /\ 0 < w' l < 1 /\
     0 < 2 * (2 * α * k η σ) - α * η * norm2 d (a l)) ->
  (forall l, (l < M)%nat -> B_of d η σ ε α β (finite_parts N z (a l)
     (fun i => logistic_T η σ ε α (p N w i) (t i) (y l i) (dot d β (z i)) (norm2 d (z i)) (w0 l i))
     (y l)
     (above (2 * α * k η σ) (y' l) (2 * α * k η σ - y' l) (dot d β (a l)) (α * η * norm2 d (a l)) (w' l))
     (y' l)) <= B) ->
  certified_for d N z w η σ ε (along (fun _ => logistic_acts) d) (points_of M a) everywhere
    (weighted_loss d N z t logistic) B (transient d η α β).
Proof.
  intros Hw Hη Hε Hα Ha Hrows Hpoints HB.
  apply (finite_certified d N z w η σ ε α β (fun _ => logistic_acts) (fun i s => t i * logistic s) _ M a
     (fun l i => logistic_T η σ ε α (p N w i) (t i) (y l i) (dot d β (z i)) (norm2 d (z i)) (w0 l i)) y
     (fun l => above (2 * α * k η σ) (y' l) (2 * α * k η σ - y' l) (dot d β (a l)) (α * η * norm2 d (a l)) (w' l))
     y'); trivial.
  - intros l Hl. apply logistic_lines; trivial. intros i Hi. now apply Hrows.
  - intros l s q Hl ->. destruct (Hpoints l Hl) as (H1 & H2 & H3). now apply logistic_point.
Qed.

(** ** Mini-batches, each slot with its own coin: Theorem L14, for every residual (so for every theorem above) *)

Theorem batches d N z w η σ ε α β loss B A (allowed : vector -> vector -> vector -> Prop) b :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> (1 <= b)%nat -> (exists x, A x) ->
  (0 < ε \/ forall θ, exists M, forall x g, A x -> allowed θ x g -> c d η σ α β θ g <= M) ->
  residual_below d N z w η σ ε α β loss B everywhere A allowed ->
  forall gradient, (forall h θ x, allowed θ x (gradient h θ x)) ->
  forall policy : list (list draw) -> list draw -> nat -> vector, (forall h x j, A (policy h x j)) ->
  forall θ0 T, (1 <= T)%nat ->
  let data := {| size := N; its_row := z; its_weight := w; its_loss := loss |} in
  average (fun _ => tosses N w ε b) T
    (fun h => loss (batch_model (fun _ => data) b slot_of policy gradient σ (fun _ => η) (fun θ => θ) θ0 h))
  <= B + transient d η α β θ0 T.
Proof.
  intros Hw Hη Hε Hα Hb HA Hbounded HB gradient Hgradient policy Hpolicy θ0 T HT data.
  apply (batch_average (rows_or_own N) (fun _ => tosses N w ε b) (tosses_law N w ε b Hw Hε)
           (fun _ => data) b slot_of policy gradient d η σ ε α β B everywhere A allowed (fun _ => η)
           (fun θ => θ) θ0); trivial; try easy; try (intros; lra).
  intros h j G M Hj. cbn. now apply tosses_marginal.
Qed.

(** ** A projection after each step: Theorem L15. Here σ = 0 is allowed. *)

Theorem projection d N z w η σ ε α β loss B A (allowed : vector -> vector -> vector -> Prop) ϱ :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= ϱ -> norm2 d β <= 4 * α ^ 2 * ϱ ^ 2 ->
  residual_below d N z w η σ ε α β loss B (fun θ => norm2 d θ <= ϱ ^ 2) A allowed ->
  forall gradient, (forall h θ x, allowed θ x (gradient h θ x)) ->
  forall policy : history -> vector, (forall h, A (policy h)) ->
  forall θ0 T, norm2 d θ0 <= ϱ ^ 2 -> (1 <= T)%nat ->
  average (fun _ => toss N w ε) T
    (fun h => loss (run σ (fun _ => η) (project d ϱ) (gradient_of gradient z policy) θ0 h))
  <= B + transient d η α β θ0 T.
Proof.
  intros Hw Hη Hε Hα Hϱ Hβ HB gradient Hgradient policy Hpolicy θ0 T Hstart HT.
  assert (L := toss_law N w ε Hw Hε).
  rewrite <- transient_is by assumption. apply (average_of_weighted _ _ L); trivial.
  apply (run_weighted _ _ L d η σ α β B (fun θ => norm2 d θ <= ϱ ^ 2) (fun _ => η) (project d ϱ)
           (gradient_of gradient z policy) θ0 (fun _ => loss)); trivial; try (intros; lra).
  - intros θ. now apply project_descends.
  - intros h x _ _. apply project_in_ball.
  - intros h _ Hθ.
    now apply (learner_step d N z w η σ ε α β loss B (fun θ => norm2 d θ <= ϱ ^ 2) A allowed HB).
Qed.

(** ** Smaller and changing rates: a witness for η holds for every schedule below it (Theorem A1) *)

Theorem schedules d N z w η σ ε α β loss B A (allowed : vector -> vector -> vector -> Prop) :
  weights N w -> 0 <= ε <= 1 -> 0 < α ->
  residual_below d N z w η σ ε α β loss B everywhere A allowed ->
  forall gradient, (forall h θ x, allowed θ x (gradient h θ x)) ->
  forall policy : history -> vector, (forall h, A (policy h)) ->
  forall rate : history -> R, (forall h, 0 < rate h <= η) ->
  forall θ0 T,
  sum T (fun t => expected (fun _ => toss N w ε) t (fun h =>
    rate h * (loss (run σ rate (fun θ => θ) (gradient_of gradient z policy) θ0 h) - B)) nil)
  <= α * norm2 d (fun j => θ0 j + β j / (2 * α)).
Proof.
  intros Hw Hε Hα HB gradient Hgradient policy Hpolicy rate Hrate θ0 T.
  assert (L := toss_law N w ε Hw Hε).
  apply (run_weighted _ _ L d η σ α β B everywhere rate (fun θ => θ) (gradient_of gradient z policy) θ0
           (fun _ => loss)); trivial; try easy; try (intros; lra).
  intros h _ Hθ. now apply (learner_step d N z w η σ ε α β loss B everywhere A allowed HB).
Qed.

(** ** Theorem 2 for batches and for adversaries that throw dice *)

Corollary theorem_2_batches d N z w η σ ε R0 α β τ ν u b :
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions η σ ε R0 α τ ν 0 -> 0 <= κ η σ ε α ->
  (forall i, (i < N)%nat -> share (u i)) -> (1 <= b)%nat ->
  let T i := Rmax (J d η σ ε α β (z i)) 0 - κ η σ ε α * u i in
  let y i := κ η σ ε α * u i in
  let data := {| size := N; its_row := z; its_weight := w; its_loss := hinge_loss d N z w |} in
  forall gradient, (forall h θ x, along (fun _ => hinge_acts) d θ x (gradient h θ x)) ->
  forall policy : list (list draw) -> list draw -> nat -> vector, (forall h x j, ball d R0 (policy h x j)) ->
  forall θ0 t, (1 <= t)%nat ->
  average (fun _ => tosses N w ε b) t (fun h => hinge_loss d N z w
    (batch_model (fun _ => data) b slot_of policy gradient σ (fun _ => η) (fun θ => θ) θ0 h))
  <= value d N z w η σ ε R0 α β τ ν 0 0 T y + transient d η α β θ0 t.
Proof.
  intros Hw Hp HR Hc Hκ Hu Hb T y data gradient Hgradient policy Hpolicy θ0 t Ht.
  assert (R := theorem_2_residual d N z w η σ ε R0 α β τ ν u Hw Hp HR Hc Hκ Hu). cbv zeta in R. fold T y in R.
  destruct Hp as (Hη & Hσ & Hk & Hε), Hc as (Hα & Hτ & Hν & _).
  apply (batches d N z w η σ ε α β (hinge_loss d N z w) _ (ball d R0) (along (fun _ => hinge_acts) d)); trivial; try lra.
  - exists (fun _ => 0). unfold ball, norm2. rewrite dot_zero. apply pow2_ge_0.
  - right. intros θ. eexists. intros x g Hx (q & Hq & ->). rewrite c_along.
    apply (point_quadratic d η σ α β (ball d R0) (R0 * τ) (fun _ => R0 / τ) (R0 ^ 2) ν); trivial.
    + apply Rmult_le_pos; lra.
    + now apply ball_bounds.
    + apply (hinge_constant _ ν); trivial.
      apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply Rmult_le_pos; try lra.
Qed.

Corollary theorem_2_randomised d N z w η σ ε R0 α β τ ν u L die :
  weights N w -> parameters η σ ε -> 0 <= R0 ->
  conditions η σ ε R0 α τ ν 0 -> 0 <= κ η σ ε α ->
  (forall i, (i < N)%nat -> share (u i)) -> (forall h, weights L (die h)) ->
  let T i := Rmax (J d η σ ε α β (z i)) 0 - κ η σ ε α * u i in
  let y i := κ η σ ε α * u i in
  forall gradient, (forall h θ x, along (fun _ => hinge_acts) d θ x (gradient h θ x)) ->
  forall policy : list thrown -> nat -> vector, (forall h l, ball d R0 (policy h l)) ->
  forall θ0 t, (1 <= t)%nat ->
  average (throw N w ε L die) t (fun h => hinge_loss d N z w (thrown_model z η σ policy gradient θ0 h))
  <= value d N z w η σ ε R0 α β τ ν 0 0 T y + transient d η α β θ0 t.
Proof.
  intros Hw Hp HR Hc Hκ Hu Hdie T y gradient Hgradient policy Hpolicy θ0 t Ht.
  assert (R := theorem_2_residual d N z w η σ ε R0 α β τ ν u Hw Hp HR Hc Hκ Hu). cbv zeta in R. fold T y in R.
  destruct Hp as (Hη & Hσ & Hk & Hε), Hc as (Hα & _).
  apply (randomised d N z w η σ ε α β (hinge_loss d N z w) _ (fun _ => True) (ball d R0)
           (along (fun _ => hinge_acts) d)); trivial; lra.
Qed.
