(** A certificate, to show that the conditions of Theorem 2 can be met and the bound is a useful number.
    Two rows in the plane, R = 1, η = 0.01, σ = 0.1, ε = 1 %. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Theorems.
Open Scope R_scope.

Definition rows (i j : nat) : R :=
  match i, j with O, O => 2 | O, _ => 1 | _, O => 2 | _, _ => -1 end.
Definition ones (_ : nat) : R := 1.
Definition β0 (j : nat) : R := match j with O => -1 | _ => 0 end.

Definition example_bound : R :=
  value 2 2 rows ones (1/100) (1/10) (1/100) 1 (7/10) β0 2 0 0 0
    (fun i => Rmax (J 2 (1/100) (1/10) (1/100) (7/10) β0 (rows i)) 0 - κ (1/100) (1/10) (1/100) (7/10) * 0)
    (fun i => κ (1/100) (1/10) (1/100) (7/10) * 0).

Ltac numbers := unfold value, conditions, parameters, weights, share, a, v, J, κ, χ, κ0, k, p, norm2, dot, ones, β0, rows in *;
  cbn [sum] in *.

Lemma example_conditions : conditions (1/100) (1/10) (1/100) 1 (7/10) 2 0 0 /\ 0 <= κ (1/100) (1/10) (1/100) (7/10).
Proof. numbers. repeat split; try lra. Qed.

Lemma example_number : example_bound <= 3 / 100.
Proof.
  unfold example_bound. numbers.
  repeat (match goal with |- context [Rmax ?x 0] => rewrite (Rmax_right x 0) by lra end).
  lra.
Qed.

(** Whatever the adversary does with its 1 % of the points, and wherever the model starts: the long-run hinge loss
    is at most 0.03. *)
Theorem example :
  forall policy : history -> vector, (forall h, norm2 2 (policy h) <= 1) ->
  forall θ0,
  limsup_at_most
    (fun T => average (fun _ => toss 2 ones (1/100)) T (fun h =>
       hinge_loss 2 2 rows ones (model (1/100) (1/10) (hinge_gradient 2 (fun _ _ => 1)) rows policy θ0 h)))
    (3 / 100).
Proof.
  intros policy Hpolicy θ0.
  destruct (theorem_2_holds 2%nat 2%nat rows ones (1/100) (1/10) (1/100) 1 (7/10) β0 2 0 (fun _ => 0)) with
    (kink := fun (_ : history) (_ : vector) => 1) (policy := policy) (θ0 := θ0) as [_ L].
  - numbers. split; intros; lra.
  - numbers. lra.
  - lra.
  - apply example_conditions.
  - apply example_conditions.
  - intros. unfold share. lra.
  - intros. unfold share. lra.
  - intros h. rewrite pow1. apply Hpolicy.
  - exact I.
  - intros gap Hgap. destruct (L gap Hgap) as [T0 HT]. exists T0. intros T H.
    eapply Rle_trans; [apply (HT T H)|]. assert (E := example_number). unfold example_bound in E. lra.
Qed.
