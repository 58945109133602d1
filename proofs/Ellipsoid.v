(** Points in an ellipsoid: the row "ellipsoid" of Lemma L7's table, with a dense matrix A in Theorem L1
    (theory.md, Sections 4 and 15; parts/points/ellipsoid.rs, evaluate.rs). *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Rows Parts Logistic Linear Certificates.
Open Scope R_scope.

(** Only that of a matrix which is used: the quadratic form. *)
Definition times (d : nat) (Q : nat -> nat -> R) (x : vector) : vector := fun i => sum d (fun j => Q i j * x j).
Definition form (d : nat) (Q : nat -> nat -> R) (x y : vector) : R := dot d x (times d Q y).

Section Ellipsoid.
  Variables (d : nat) (Q : nat -> nat -> R) (ω : R).
  Hypothesis Hsymmetric : forall i j, (i < d)%nat -> (j < d)%nat -> Q i j = Q j i.
  Hypothesis Hpositive : forall x, 0 <= form d Q x x.
  Hypothesis Hω : 0 < ω.
  Hypothesis Habove : forall x, form d Q x x <= ω * norm2 d x.

  Lemma form_comm x y : form d Q x y = form d Q y x.
  Proof.
    unfold form, dot, times.
    rewrite (sum_ext d _ (fun i => sum d (fun j => x i * Q i j * y j)))
      by (intros; rewrite <- sum_scale; apply sum_ext; intros; ring).
    rewrite (sum_swap d d (fun i j => x i * Q i j * y j)).
    apply sum_ext. intros j Hj. rewrite <- sum_scale. apply sum_ext. intros i Hi. rewrite (Hsymmetric i j) by assumption. ring.
  Qed.

  Lemma form_lin a b x y t : form d Q (fun j => a * x j + b * y j) t = a * form d Q x t + b * form d Q y t.
  Proof. unfold form. apply dot_lin. Qed.

  Lemma form_lin2 a b x y :
    form d Q (fun j => a * x j + b * y j) (fun j => a * x j + b * y j)
    = a ^ 2 * form d Q x x + 2 * a * b * form d Q x y + b ^ 2 * form d Q y y.
  Proof.
    rewrite form_lin, (form_comm x), (form_comm y), !form_lin, (form_comm y x). ring.
  Qed.

  (** z·Q⁻¹z ≤ 1, with u = Q⁻¹z. *)
  Definition ellipsoid (z : vector) : Prop :=
    exists u, (forall j, (j < d)%nat -> z j = times d Q u j) /\ form d Q u u <= 1.

  Lemma ellipsoid_bounds z τ x q : 0 < τ -> ellipsoid z ->
    q * dot d z x <= / 2 * (q ^ 2 * τ + form d Q x x / τ).
  Proof.
    intros Hτ (u & Hz & Hu).
    replace (dot d z x) with (form d Q x u)
      by (unfold form; rewrite (dot_comm d z x); apply dot_ext; intros; auto; symmetry; auto).
    assert (P := Hpositive (fun j => (q * τ) * u j + -1 * x j)). rewrite form_lin2, (form_comm u x) in P.
    assert (U : (q * τ) ^ 2 * form d Q u u <= (q * τ) ^ 2 * 1) by (apply Rmult_le_compat_l; [apply pow2_ge_0|assumption]).
    apply (Rmult_le_reg_l (2 * τ)); [lra|].
    replace (2 * τ * (/ 2 * (q ^ 2 * τ + form d Q x x / τ))) with ((q * τ) ^ 2 * 1 + form d Q x x) by (field; lra). lra.
  Qed.

  Lemma ellipsoid_norm z : ellipsoid z -> norm2 d z <= ω.
  Proof.
    intros Hz. assert (P := ellipsoid_bounds z ω z 1 Hω Hz). fold (norm2 d z) in P. assert (A := Habove z).
    apply (Rmult_le_compat_r (/ ω)) in A; [|left; now apply Rinv_0_lt_compat].
    replace (ω * norm2 d z * / ω) with (norm2 d z) in A by (field; lra). unfold Rdiv in P. lra.
  Qed.

  (** For any vector x: ¼v·A⁻¹v ≤ ¼(2v·x - x·Ax + ‖v - Ax‖²/a), A = base·I - s·Q ⪰ aI. *)
  Definition dense_peak (base s : R) (v x : vector) : R :=
    / 4 * (2 * dot d v x - (base * norm2 d x - s * form d Q x x)
           + norm2 d (fun j => 1 * v j + -1 * (base * x j + - s * times d Q x j)) / (base - s * ω)).

  Lemma dense_square base s v x θ : 0 <= s -> 0 < base - s * ω ->
    dot d v θ - (base * norm2 d θ - s * form d Q θ θ) <= dense_peak base s v x.
  Proof.
    intros Hs Ha. set (a := base - s * ω) in *. unfold dense_peak. fold a.
    set (y := fun j => 2 * θ j + -1 * x j).
    set (wv := fun j => 1 * v j + -1 * (base * x j + - s * times d Q x j)).
    assert (W : 2 * dot d wv y - a * norm2 d y <= norm2 d wv / a).
    { assert (P := norm2_nonneg d (fun j => 1 * wv j + - a * y j)). rewrite norm2_lin in P.
      apply (Rmult_le_reg_l a); [assumption|].
      replace (a * (norm2 d wv / a)) with (norm2 d wv) by (field; lra). lra. }
    assert (Y : a * norm2 d y <= base * norm2 d y - s * form d Q y y).
    { assert (A := Habove y). apply (Rmult_le_compat_l s) in A; [|assumption]. unfold a. lra. }
    assert (D : dot d wv y = dot d v y - base * dot d x y + s * form d Q y x).
    { unfold wv. rewrite dot_lin, (dot_lin d base (- s) x (times d Q x) y). unfold form. rewrite (dot_comm d y). ring. }
    assert (D1 : dot d v y = 2 * dot d v θ - dot d v x) by (unfold y; rewrite dot_lin_r; ring).
    assert (D2 : dot d x y = 2 * dot d x θ - norm2 d x) by (unfold y, norm2; rewrite dot_lin_r; ring).
    assert (D3 : form d Q y x = 2 * form d Q θ x - form d Q x x) by (unfold y; rewrite form_lin; ring).
    assert (D4 : norm2 d y = 4 * norm2 d θ - 4 * dot d x θ + norm2 d x)
      by (unfold y; rewrite norm2_lin, (dot_comm d θ x); ring).
    assert (D5 : form d Q y y = 4 * form d Q θ θ - 4 * form d Q θ x + form d Q x x) by (unfold y; rewrite form_lin2; ring).
    rewrite D, D1, D2, D3 in W. rewrite D4, D5 in Y. rewrite D4 in W. clearbody wv. lra.
  Qed.

  Variables (N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector).

  Definition ellipsoid_bound (C ν τ : R) (T y : nat -> R) (x : vector) : R :=
    sum N T + ε * (C + / 2 * (form d Q β β / τ))
    + dense_peak (α * σ * (2 - η * σ)) (ε * χ η σ α ν ^ 2 / (2 * τ))
        (fun j => sum N (fun i => y i * z i j) + (ε * χ η σ α ν / τ) * times d Q β j - σ * β j) x.

  Theorem ellipsoid_certified (act : vector -> R -> R -> Prop) ψ loss C ν τ T y x :
    weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 < τ ->
    (forall θ, loss θ = sum N (fun i => ψ i (dot d θ (z i)))) ->
    row_lines d N z w η σ ε α β act ψ everywhere T y ->
    (forall x s q, act x s q -> (τ / 2 + α * η * ω) * q ^ 2 + ν * q * s <= C) ->
    0 < α * σ * (2 - η * σ) - ε * χ η σ α ν ^ 2 / (2 * τ) * ω ->
    certified_for d N z w η σ ε (along act d) ellipsoid everywhere loss (ellipsoid_bound C ν τ T y x)
      (transient d η α β).
  Proof.
    intros Hw Hη Hε Hα Hτ Hloss Hlines HC Ha. apply residual_certified; trivial.
    intros θ gs u g _ Hgs Hu (q & Hq & ->). rewrite c_along, Hloss.
    assert (R := rows_line d N z w η σ ε α β act ψ T y θ gs (fun i q Hi Hq => Hlines θ i q I Hi Hq) Hgs).
    set (r := fun j => sum N (fun i => y i * z i j)) in *. set (X := χ η σ α ν) in *.
    assert (B1 := ellipsoid_bounds u τ (fun j => X * θ j + 1 * β j) q Hτ Hu).
    rewrite dot_lin_r, form_lin2, (dot_comm d u θ), (dot_comm d u β) in B1.
    assert (B2 := ellipsoid_norm u Hu). specialize (HC u _ q Hq).
    assert (B3 : 0 <= α * η * (q ^ 2 * (ω - norm2 d u))).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply Rmult_le_pos; [apply pow2_ge_0|lra]]. }
    assert (P : contribution η σ α (dot d θ u) (dot d β u) (norm2 d u) q
                <= C + / 2 * (form d Q β β / τ) + X / τ * form d Q θ β + X ^ 2 / (2 * τ) * form d Q θ θ).
    { replace (/ 2 * (q ^ 2 * τ + (X ^ 2 * form d Q θ θ + 2 * X * 1 * form d Q θ β + 1 ^ 2 * form d Q β β) / τ))
        with (q ^ 2 * τ / 2 + / 2 * (form d Q β β / τ) + X / τ * form d Q θ β + X ^ 2 / (2 * τ) * form d Q θ θ)
        in B1 by (field; lra).
      unfold contribution. unfold X, χ in *. lra. }
    apply (Rmult_le_compat_l ε) in P; [|lra].
    assert (S : 0 <= ε * X ^ 2 / (2 * τ)).
    { apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|left; apply Rinv_0_lt_compat; lra]. }
    assert (K := dense_square (α * σ * (2 - η * σ)) (ε * X ^ 2 / (2 * τ))
                   (fun j => r j + (ε * X / τ) * times d Q β j - σ * β j) x θ S Ha).
    change (ellipsoid_bound C ν τ T y x)
      with (sum N T + ε * (C + / 2 * (form d Q β β / τ))
            + dense_peak (α * σ * (2 - η * σ)) (ε * X ^ 2 / (2 * τ))
                (fun j => r j + (ε * X / τ) * times d Q β j - σ * β j) x).
    replace (dot d (fun j => r j + ε * X / τ * times d Q β j - σ * β j) θ)
      with (dot d r θ + ε * X / τ * form d Q θ β - σ * dot d β θ) in K.
    - replace (ε * X ^ 2 / (2 * τ) * form d Q θ θ) with (ε * (X ^ 2 / (2 * τ) * form d Q θ θ)) in K by (field; lra).
      replace (ε * X / τ * form d Q θ β) with (ε * (X / τ * form d Q θ β)) in K by (field; lra).
      unfold decay. lra.
    - rewrite (dot_ext d (fun j => r j + ε * X / τ * times d Q β j - σ * β j)
                 (fun j => 1 * r j + 1 * ((ε * X / τ) * times d Q β j + - σ * β j)) θ θ) by (intros; ring).
      rewrite dot_lin, dot_lin. unfold form. rewrite (dot_comm d θ). ring.
  Qed.
End Ellipsoid.
