(** Theorem 2: the statement of Statement.v, proved. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Learner Rows Points.
Open Scope R_scope.

Lemma theorem_2_residual d N z w η σ ε R0 α β τ ν u :
  weights N w -> parameters η σ ε -> 0 <= R0 -> conditions N η σ ε R0 α τ ν u ->
  residual_below d N z w η σ ε α β (hinge_loss d N z w) (bound d N z w η σ ε R0 α β τ ν u)
    (fun _ => True) (ball d R0) (along hinge_acts d).
Proof.
  intros Hw (Hη & Hσ & Hk & Hε) HR (Hα & Hτ & Hν & Hκ & Ha & Hu) θ gs x g _ Hgs Hx (q & Hq & ->).
  assert (Hαη : 0 <= α * η) by (apply Rmult_le_pos; lra).
  assert (Hrows := rows_line d N z w η σ ε α β hinge_acts (fun _ s => Rmax 0 (1 - s))
    (fun i => Rmax (J d η σ ε α β (z i)) 0 - κ η σ ε α * u i) (fun i => κ η σ ε α * u i) θ gs Hw).
  assert (Hpoint := point_quadratic d η σ α β (ball d R0) (R0 * τ) (fun _ => R0 / τ) (R0 ^ 2) ν
    (R0 * τ / 2 + α * η * R0 ^ 2 + ν) θ x q Hαη (ball_bounds d R0 τ HR Hτ) Hx).
  rewrite <- (c_along d) in Hpoint.
  set (r := fun j => sum N (fun i => p N w i * (κ η σ ε α * u i) * z i j)) in Hrows.
  assert (Hcase := case_holds d η σ ε α β
    (sum N (fun i => p N w i * (Rmax (J d η σ ε α β (z i)) 0 - κ η σ ε α * u i))) r
    (R0 * τ / 2 + α * η * R0 ^ 2 + ν + / 2 * sum d (fun j => R0 / τ * β j ^ 2))
    (fun j => χ η σ α ν * (R0 / τ) * β j) (fun j => / 2 * χ η σ α ν ^ 2 * (R0 / τ))
    0 (fun _ => 0) (fun _ => 0) θ).
  assert (EA : forall j, case_A η σ ε α (fun _ => / 2 * χ η σ α ν ^ 2 * (R0 / τ)) (fun _ => 0) j
                         = a η σ ε R0 α τ ν) by (intros; unfold case_A, a; field; lra).
  eapply Rle_trans.
  - apply Hcase.
    + lra.
    + intros j _. rewrite EA. exact Ha.
    + apply Hrows; [|exact Hgs]. intros i q' Hi Hq'. apply hinge_row; auto; [lra|].
      apply Rmult_le_pos; [assumption|apply norm2_nonneg].
    + apply Hpoint. apply hinge_constant; trivial.
      apply Rplus_le_le_0_compat; [|apply Rmult_le_pos; [assumption|apply pow2_ge_0]].
      apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
    + unfold dot. rewrite (sum_ext d _ (fun _ => 0)), (sum_ext d (fun j => 0 * θ j ^ 2) (fun _ => 0)), !sum_const
        by (intros; ring). lra.
  - right. unfold case_bound, bound.
    assert (E1 : sum d (fun j => R0 / τ * β j ^ 2) = R0 / τ * norm2 d β).
    { rewrite sum_scale. f_equal. apply sum_ext. intros; ring. }
    assert (E2 : sum d (fun j =>
         case_v σ ε β r (fun j => χ η σ α ν * (R0 / τ) * β j) (fun _ => 0) j ^ 2
         / (4 * case_A η σ ε α (fun _ => / 2 * χ η σ α ν ^ 2 * (R0 / τ)) (fun _ => 0) j))
       = norm2 d (v N z w η σ ε R0 α β τ ν u) / (4 * a η σ ε R0 α τ ν)).
    { rewrite (sum_ext d _ (fun j => / (4 * a η σ ε R0 α τ ν)
                 * (v N z w η σ ε R0 α β τ ν u j * v N z w η σ ε R0 α β τ ν u j)));
        [rewrite sum_scale; unfold norm2, dot; field; lra|]. intros j _.
      assert (V : case_v σ ε β r (fun j => χ η σ α ν * (R0 / τ) * β j) (fun _ => 0) j
                  = v N z w η σ ε R0 α β τ ν u j).
      { unfold case_v, v, r. rewrite <- sum_scale.
        rewrite (sum_ext N _ (fun i => κ η σ ε α * (p N w i * u i * z i j))) by (intros; ring).
        field. lra. }
      rewrite V, EA. field. lra. }
    cbv beta in *. rewrite E1, E2. field. lra.
Qed.

Theorem theorem_2_holds : theorem_2.
Proof.
  intros d N z w η σ ε R0 α β τ ν u Hw Hp HR Hc kink Hkink policy Hpolicy θ0 T HT.
  destruct Hp as (Hη & Hσ & Hk & Hε). assert (Hα := proj1 Hc).
  apply (plain_bound d N z w η σ ε α β (hinge_loss d N z w) _ (fun _ => True) (ball d R0) (along hinge_acts d));
    trivial; try lra.
  - intros h θ x. now apply hinge_gradient_along.
  - apply theorem_2_residual; trivial. repeat split; lra.
Qed.

Theorem theorem_2_limit_holds : theorem_2_limit.
Proof.
  intros d N z w η σ ε R0 α β τ ν u Hw Hp HR Hc kink Hkink policy Hpolicy θ0.
  apply (limit_of_bound _ _ (α / η * norm2 d (fun j => θ0 j + β j / (2 * α)))).
  - apply Rmult_le_pos; [|apply norm2_nonneg].
    destruct Hp as (Hη & _), Hc as (Hα & _).
    apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
  - intros T HT. eapply Rle_trans; [apply (theorem_2_holds d N z w η σ ε R0 α β τ ν u); assumption|].
    destruct Hp as (Hη & _). assert (0 < INR T) by (apply lt_0_INR; lia).
    right. unfold transient. field. lra.
Qed.

