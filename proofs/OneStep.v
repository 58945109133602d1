(** One step of the learner against Λ(θ) = α‖θ‖² + β·θ, and the completed square of Theorem L1.
    Λ is η times the λ of theory.md. *)

From Coq Require Import Reals Lra Lia Arith.
From Unswayed Require Import Statement Vectors.
Open Scope R_scope.

Section OneStep.
  Variables (d : nat) (η σ ε α : R) (β : vector).

  Definition Λ (θ : vector) : R := α * norm2 d θ + dot d β θ.

  (** c(θ, z) of theory.md, as a function of the gradient g: (2αkθ + β)·g + αη‖g‖². *)
  Definition c (θ g : vector) : R := 2 * α * k η σ * dot d θ g + dot d β g + α * η * norm2 d g.

  (** What a step takes off without any gradient. *)
  Definition decay (θ : vector) : R := - (α * σ * (2 - η * σ)) * norm2 d θ - σ * dot d β θ.

  (** (2.1) of theory.md: equality for the rate η. *)
  Lemma one_step_exact θ g : Λ (step η σ θ g) = Λ θ + η * (decay θ + c θ g).
  Proof.
    unfold Λ, step, decay, c, k. rewrite norm2_lin, dot_lin_r. ring.
  Qed.

  (** For every smaller rate it is an upper bound (Theorem A1). *)
  Lemma one_step r θ g :
    0 <= α -> 0 <= r <= η -> Λ (step r σ θ g) <= Λ θ + r * (decay θ + c θ g).
  Proof.
    intros Hα Hr.
    assert (P := norm2_nonneg d (fun j => 1 * g j + - σ * θ j)).
    rewrite norm2_lin, (dot_comm d g θ) in P.
    assert (Q : 0 <= α * r * (η - r)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
    assert (S := Rmult_le_pos _ _ Q P).
    unfold Λ, step, decay, c, k. rewrite norm2_lin, dot_lin_r. lra.
  Qed.

  (** Λ is least at -β/(2α). *)
  Lemma Λ_least θ : 0 < α -> - (norm2 d β / (4 * α)) <= Λ θ.
  Proof.
    intros Hα. assert (P := norm2_nonneg d (fun j => 1 * θ j + / (2 * α) * β j)).
    rewrite norm2_lin, (dot_comm d θ β) in P.
    apply (Rmult_le_compat_l α) in P; [|lra].
    replace (α * (1 ^ 2 * norm2 d θ + 2 * 1 * / (2 * α) * dot d β θ + (/ (2 * α)) ^ 2 * norm2 d β))
      with (Λ θ + norm2 d β / (4 * α)) in P by (unfold Λ; field; lra).
    lra.
  Qed.

  Lemma Λ_square θ : 0 < α ->
    Λ θ + norm2 d β / (4 * α) = α * norm2 d (fun j => θ j + β j / (2 * α)).
  Proof.
    intros Hα.
    replace (norm2 d (fun j => θ j + β j / (2 * α)))
      with (norm2 d (fun j => 1 * θ j + / (2 * α) * β j)).
    - rewrite norm2_lin, (dot_comm d θ β). unfold Λ. field. lra.
    - unfold norm2. apply dot_ext; intros; field; lra.
  Qed.

  Lemma Λ_ext θ θ' : (forall j, (j < d)%nat -> θ j = θ' j) -> Λ θ = Λ θ'.
  Proof.
    intros H. unfold Λ, norm2.
    rewrite (dot_ext d θ θ' θ θ'), (dot_ext d β β θ θ') by (intros; auto). reflexivity.
  Qed.
End OneStep.

(** ** Completing the square *)

Lemma square_below A v t : 0 < A -> v * t - A * t ^ 2 <= v ^ 2 / (4 * A).
Proof.
  intros HA. replace (v ^ 2 / (4 * A)) with (v * t - A * t ^ 2 + A * (t - v / (2 * A)) ^ 2) by (field; lra).
  assert (0 <= A * (t - v / (2 * A)) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]). lra.
Qed.

(** The bound of a case of Theorem L1, with diagonal M and W. *)
Section Case.
  Variables (d : nat) (η σ ε α : R) (β : vector).
  Variables (r0 : R) (r : vector) (m0 : R) (m M : vector) (g0 : R) (g W : vector).

  Definition case_A : vector := fun j => α * σ * (2 - η * σ) + W j - ε * M j.
  Definition case_v : vector := fun j => r j + ε * m j + g j - σ * β j.
  Definition case_bound : R := r0 + ε * m0 + g0 + sum d (fun j => case_v j ^ 2 / (4 * case_A j)).

  Lemma case_expand θ n :
    dot n r θ + ε * dot n m θ + dot n g θ - σ * dot n β θ
      - α * σ * (2 - η * σ) * norm2 n θ - sum n (fun j => W j * θ j ^ 2)
      + ε * sum n (fun j => M j * θ j ^ 2)
    = sum n (fun j => case_v j * θ j - case_A j * θ j ^ 2).
  Proof.
    unfold norm2, dot. induction n as [|n IH]; cbn [sum]; [ring|].
    rewrite <- IH. unfold case_v, case_A. ring.
  Qed.

  (** [slack] may be added to the left: what the quadratic of the case is known to be above. *)
  Lemma case_holds_slack θ ρ cz slack :
    0 <= ε ->
    (forall j, (j < d)%nat -> 0 < case_A j) ->
    ρ <= r0 + dot d r θ ->
    cz <= m0 + dot d m θ + sum d (fun j => M j * θ j ^ 2) ->
    slack <= g0 + dot d g θ - sum d (fun j => W j * θ j ^ 2) ->
    decay d η σ α β θ + ρ + ε * cz + slack <= case_bound.
  Proof.
    intros Hε HA Hρ Hc Hg.
    assert (S : sum d (fun j => case_v j * θ j - case_A j * θ j ^ 2)
                <= sum d (fun j => case_v j ^ 2 / (4 * case_A j)))
      by (apply sum_le; intros j Hj; apply square_below; auto).
    rewrite <- case_expand in S.
    apply (Rmult_le_compat_l ε) in Hc; [|assumption]. unfold case_bound, decay. lra.
  Qed.

  Lemma case_holds θ ρ cz :
    0 <= ε ->
    (forall j, (j < d)%nat -> 0 < case_A j) ->
    ρ <= r0 + dot d r θ ->
    cz <= m0 + dot d m θ + sum d (fun j => M j * θ j ^ 2) ->
    0 <= g0 + dot d g θ - sum d (fun j => W j * θ j ^ 2) ->
    decay d η σ α β θ + ρ + ε * cz <= case_bound.
  Proof. intros H1 H2 H3 H4 H5. assert (Q := case_holds_slack θ ρ cz 0 H1 H2 H3 H4 H5). lra. Qed.
End Case.
