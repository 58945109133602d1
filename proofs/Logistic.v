(** Logistic rows and points: Lemmas L3, L6, L8, L9, L10 and the constant of L7 (theory.md, Sections 3, 4 and 6). *)

From Coq Require Import Reals Lra Lia Arith.
From Unswayed Require Import Statement Vectors OneStep Process Rows Points.
Open Scope R_scope.

(** ** The entropy lies below its tangent, by 2(w-w₀)² *)

Definition entropy (w : R) : R := - (w * ln w + (1 - w) * ln (1 - w)).

Lemma ln_tangent w w0 : 0 < w -> 0 < w0 -> ln w <= ln w0 + (w - w0) / w0.
Proof.
  intros Hw Hw0.
  assert (P : ln (w / w0) <= w / w0 - 1).
  { assert (Q : 0 < w / w0) by (apply Rdiv_lt_0_compat; assumption).
    destruct (Req_dec (w / w0 - 1) 0) as [Z|Z].
    - replace (w / w0) with 1 by lra. rewrite ln_1. lra.
    - assert (X := exp_ineq1 (w / w0 - 1) Z).
      rewrite <- (ln_exp (w / w0 - 1)). left. apply ln_increasing; lra. }
  unfold Rdiv in P at 1. rewrite ln_mult, ln_Rinv in P; [|assumption..|now apply Rinv_0_lt_compat].
  replace ((w - w0) / w0) with (w / w0 - 1) by (field; lra). lra.
Qed.

Lemma middle_value f f' (x y : R) :
  (forall t, Rmin x y <= t <= Rmax x y -> derivable_pt_lim f t (f' t)) ->
  exists t, Rmin x y <= t <= Rmax x y /\ f y - f x = f' t * (y - x).
Proof.
  intros H. destruct (Rtotal_order x y) as [L|[->|L]].
  - rewrite Rmin_left, Rmax_right in * by lra.
    destruct (MVT_cor2 f f' x y L H) as (t & Ht & Hb). exists t. split; [lra|assumption].
  - exists y. split; [split; [apply Rmin_l|apply Rmax_l]|ring].
  - rewrite Rmin_right, Rmax_left in * by lra.
    destruct (MVT_cor2 f f' y x L H) as (t & Ht & Hb). exists t. split; [lra|]. lra.
Qed.

Lemma convex_tangent f f' f'' (w w0 : R) :
  (forall t, Rmin w0 w <= t <= Rmax w0 w -> derivable_pt_lim f t (f' t)) ->
  (forall t, Rmin w0 w <= t <= Rmax w0 w -> derivable_pt_lim f' t (f'' t)) ->
  (forall t, Rmin w0 w <= t <= Rmax w0 w -> 0 <= f'' t) ->
  f w0 + f' w0 * (w - w0) <= f w.
Proof.
  intros H1 H2 H3. destruct (middle_value f f' w0 w H1) as (t & Ht & E1).
  destruct (middle_value f' f'' w0 t) as (r & Hr & E2).
  { intros u Hu. apply H2. revert Hu Ht. unfold Rmin, Rmax.
    destruct (Rle_dec w0 t), (Rle_dec w0 w); lra. }
  assert (P : 0 <= f'' r).
  { apply H3. revert Hr Ht. unfold Rmin, Rmax. destruct (Rle_dec w0 t), (Rle_dec w0 w); lra. }
  assert (Q : 0 <= (f' t - f' w0) * (w - w0)).
  { rewrite E2. replace (f'' r * (t - w0) * (w - w0)) with (f'' r * ((t - w0) * (w - w0))) by ring.
    apply Rmult_le_pos; [assumption|]. revert Ht. unfold Rmin, Rmax. destruct (Rle_dec w0 w); intros Ht.
    - apply Rmult_le_pos; lra.
    - replace ((t - w0) * (w - w0)) with ((w0 - t) * (w0 - w)) by ring. apply Rmult_le_pos; lra. }
  lra.
Qed.

Lemma derive_ln_complement t : t < 1 -> derivable_pt_lim (fun w => ln (1 - w)) t (- / (1 - t)).
Proof.
  intros Ht. replace (- / (1 - t)) with (/ (1 - t) * (0 - 1)) by ring.
  apply (derivable_pt_lim_comp (fun w => 1 - w) ln).
  - apply (derivable_pt_lim_minus (fct_cte 1) id); [apply derivable_pt_lim_const|apply derivable_pt_lim_id].
  - apply derivable_pt_lim_ln. lra.
Qed.

(** The binary form of Pinsker's inequality. *)
Lemma entropy_tangent w w0 : 0 < w < 1 -> 0 < w0 < 1 ->
  entropy w <= entropy w0 + (ln (1 - w0) - ln w0) * (w - w0) - 2 * (w - w0) ^ 2.
Proof.
  intros Hw Hw0.
  assert (I : forall t, Rmin w0 w <= t <= Rmax w0 w -> 0 < t < 1).
  { intros t. unfold Rmin, Rmax. destruct (Rle_dec w0 w); lra. }
  set (f := fun t => (t * ln t + (1 - t) * ln (1 - t)) - 2 * (t * t)).
  assert (C : f w0 + (ln w0 - ln (1 - w0) - 4 * w0) * (w - w0) <= f w).
  { apply (convex_tangent f (fun t => ln t - ln (1 - t) - 4 * t) (fun t => / t - - / (1 - t) - 4 * 1)).
    - intros t Ht. apply I in Ht.
      replace (ln t - ln (1 - t) - 4 * t)
        with ((1 * ln t + t * / t) + ((0 - 1) * ln (1 - t) + (1 - t) * - / (1 - t)) - 2 * (1 * t + t * 1))
        by (field; lra).
      apply derivable_pt_lim_minus; [apply derivable_pt_lim_plus|apply derivable_pt_lim_scal].
      + apply (derivable_pt_lim_mult id ln); [apply derivable_pt_lim_id|now apply derivable_pt_lim_ln].
      + apply (derivable_pt_lim_mult (fun w => 1 - w) (fun w => ln (1 - w))); [|now apply derive_ln_complement].
        apply (derivable_pt_lim_minus (fct_cte 1) id); [apply derivable_pt_lim_const|apply derivable_pt_lim_id].
      + apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
    - intros t Ht. apply I in Ht.
      apply derivable_pt_lim_minus; [apply derivable_pt_lim_minus|].
      + now apply derivable_pt_lim_ln.
      + now apply derive_ln_complement.
      + apply derivable_pt_lim_scal, derivable_pt_lim_id.
    - intros t Ht. apply I in Ht.
      replace (/ t - - / (1 - t) - 4 * 1) with ((1 - 2 * t) ^ 2 * (/ t * / (1 - t))) by (field; lra).
      apply Rmult_le_pos; [apply pow2_ge_0|].
      apply Rmult_le_pos; left; apply Rinv_0_lt_compat; lra. }
  unfold f, entropy in *. lra.
Qed.

(** ** Lemma L3: h(w) = aH(w) + y₁ log w + y₀ log(1-w) + bw + cw² *)

Definition hfun (a y1 y0 b c w : R) : R :=
  a * entropy w + y1 * ln w + y0 * ln (1 - w) + b * w + c * w ^ 2.

Definition hslope (a y1 y0 b c w : R) : R :=
  a * (ln (1 - w) - ln w) + y1 / w - y0 / (1 - w) + b + 2 * c * w.

Lemma h_tangent a y1 y0 b c w w0 :
  0 <= a -> 0 <= y1 -> 0 <= y0 -> 0 < w < 1 -> 0 < w0 < 1 ->
  hfun a y1 y0 b c w
  <= hfun a y1 y0 b c w0 + hslope a y1 y0 b c w0 * (w - w0) - (2 * a - c) * (w - w0) ^ 2.
Proof.
  intros Ha H1 H0 Hw Hw0.
  assert (E := entropy_tangent w w0 Hw Hw0). apply (Rmult_le_compat_l a) in E; [|assumption].
  assert (L1 := ln_tangent w w0 ltac:(lra) ltac:(lra)). apply (Rmult_le_compat_l y1) in L1; [|assumption].
  assert (L0 := ln_tangent (1 - w) (1 - w0) ltac:(lra) ltac:(lra)).
  apply (Rmult_le_compat_l y0) in L0; [|assumption].
  unfold hfun, hslope.
  replace (y0 * (ln (1 - w0) + (1 - w - (1 - w0)) / (1 - w0)))
    with (y0 * ln (1 - w0) - y0 / (1 - w0) * (w - w0)) in L0 by (field; lra).
  replace (y1 * (ln w0 + (w - w0) / w0)) with (y1 * ln w0 + y1 / w0 * (w - w0)) in L1 by (field; lra).
  lra.
Qed.

(** (2.3): a number above sup h, from any place w₀. *)
Definition above (a y1 y0 b c w0 : R) : R :=
  hfun a y1 y0 b c w0 + hslope a y1 y0 b c w0 ^ 2 / (4 * (2 * a - c)).

Lemma h_above a y1 y0 b c w w0 :
  0 <= a -> 0 <= y1 -> 0 <= y0 -> 0 < 2 * a - c -> 0 < w < 1 -> 0 < w0 < 1 ->
  hfun a y1 y0 b c w <= above a y1 y0 b c w0.
Proof.
  intros Ha H1 H0 Hm Hw Hw0. eapply Rle_trans; [now apply (h_tangent a y1 y0 b c w w0)|].
  assert (S := square_below (2 * a - c) (hslope a y1 y0 b c w0) (w - w0) Hm). unfold above. lra.
Qed.

(** ** The logistic learner: w = 1/(1 + e^s) *)

Definition sigmoid (s : R) : R := / (1 + exp s).
Definition logistic (s : R) : R := ln (1 + exp (- s)).
Definition logistic_acts (s q : R) : Prop := q = sigmoid s.

Lemma sigmoid_inside s : 0 < sigmoid s < 1.
Proof.
  unfold sigmoid. assert (P := exp_pos s). split; [apply Rinv_0_lt_compat; lra|].
  apply (Rmult_lt_reg_r (1 + exp s)); [lra|]. rewrite Rinv_l; lra.
Qed.

Lemma sigmoid_complement s : 1 - sigmoid s = / (1 + exp (- s)).
Proof.
  unfold sigmoid. rewrite exp_Ropp. assert (P := exp_pos s). field. split; [|lra]. lra.
Qed.

Lemma logistic_is s : logistic s = - ln (1 - sigmoid s).
Proof.
  rewrite sigmoid_complement, ln_Rinv; [unfold logistic; ring|]. assert (P := exp_pos (- s)). lra.
Qed.

Lemma odds s : s = ln (1 - sigmoid s) - ln (sigmoid s).
Proof.
  assert (P := exp_pos s).
  replace (1 - sigmoid s) with (exp s * sigmoid s) by (unfold sigmoid; field; lra).
  rewrite ln_mult, ln_exp; [ring|assumption|apply sigmoid_inside].
Qed.

Lemma sigmoid_opp s : sigmoid (- s) = 1 - sigmoid s.
Proof. rewrite sigmoid_complement. reflexivity. Qed.

(** What a logistic row contributes, minus ys, is h(w). *)
Lemma logistic_value η σ ε α p t y s b n :
  p * (1 - ε) * contribution η σ α s b n (sigmoid s) + t * logistic s - y * s
  = hfun (κ0 η σ ε α * p) y (κ0 η σ ε α * p - t - y) (p * (1 - ε) * b) (p * (1 - ε) * (α * η * n)) (sigmoid s).
Proof.
  rewrite logistic_is. assert (O := odds s). set (w := sigmoid s) in *. clearbody w. subst s.
  unfold contribution, hfun, entropy, κ0. ring.
Qed.

(** Lemma L3. *)
Lemma logistic_row η σ ε α p t y s b n w0 :
  0 <= κ0 η σ ε α * p -> 0 <= y <= κ0 η σ ε α * p - t ->
  0 < 2 * (κ0 η σ ε α * p) - p * (1 - ε) * (α * η * n) -> 0 < w0 < 1 ->
  p * (1 - ε) * contribution η σ α s b n (sigmoid s) + t * logistic s
  <= above (κ0 η σ ε α * p) y (κ0 η σ ε α * p - t - y) (p * (1 - ε) * b) (p * (1 - ε) * (α * η * n)) w0 + y * s.
Proof.
  intros Ha Hy Hm Hw0.
  assert (V := logistic_value η σ ε α p t y s b n).
  assert (U := h_above (κ0 η σ ε α * p) y (κ0 η σ ε α * p - t - y) (p * (1 - ε) * b)
                 (p * (1 - ε) * (α * η * n)) (sigmoid s) w0 Ha ltac:(lra) ltac:(lra) Hm (sigmoid_inside s) Hw0).
  lra.
Qed.

(** The constant that parts/rows/logistic.rs takes: 0 for a row without weight in the data. *)
Definition logistic_T (η σ ε α p t y b n w0 : R) : R :=
  if Req_EM_T p 0 then 0
  else above (κ0 η σ ε α * p) y (κ0 η σ ε α * p - t - y) (p * (1 - ε) * b) (p * (1 - ε) * (α * η * n)) w0.

(** The conditions that it checks: 0 ≤ y ≤ κ, 0 < w₀ < 1, and m > 0 unless the row has no weight. *)
Definition logistic_conditions (η σ ε α p t y n w0 : R) : Prop :=
  0 <= t /\ 0 <= y <= κ0 η σ ε α * p - t /\ 0 < w0 < 1 /\
  (p <> 0 -> 0 < 2 * (κ0 η σ ε α * p) - p * (1 - ε) * (α * η * n)).

Lemma logistic_row_weighted η σ ε α p t y s b n w0 :
  logistic_conditions η σ ε α p t y n w0 ->
  p * (1 - ε) * contribution η σ α s b n (sigmoid s) + t * logistic s
  <= logistic_T η σ ε α p t y b n w0 + y * s.
Proof.
  intros (Ht & Hy & Hw0 & Hm). unfold logistic_T. destruct (Req_EM_T p 0) as [Z|Z].
  - rewrite Z, Rmult_0_r in *. replace t with 0 by lra. replace y with 0 by lra. lra.
  - apply logistic_row; trivial; [lra|now apply Hm].
Qed.

(** Lemma L10: the error of a logistic learner. [low] serves w ≤ ½, [high] w ≥ ½. *)
Lemma error_logistic_row η σ ε α p t y s b n low high :
  0 <= t -> 0 <= y <= κ0 η σ ε α * p -> 
  (forall w, 0 < w <= / 2 -> hfun (κ0 η σ ε α * p) y (κ0 η σ ε α * p - y) (p * (1 - ε) * b)
                               (p * (1 - ε) * (α * η * n)) w <= low) ->
  (forall w, / 2 <= w < 1 -> hfun (κ0 η σ ε α * p) y (κ0 η σ ε α * p - y) (p * (1 - ε) * b)
                               (p * (1 - ε) * (α * η * n)) w <= high) ->
  p * (1 - ε) * contribution η σ α s b n (sigmoid s) + t * wrong s <= Rmax low (high + t) + y * s.
Proof.
  intros Ht Hy Hlow Hhigh.
  assert (V := logistic_value η σ ε α p 0 y s b n). rewrite Rmult_0_l, Rplus_0_r, Rminus_0_r in V.
  assert (I := sigmoid_inside s). assert (M1 := Rmax_l low (high + t)). assert (M2 := Rmax_r low (high + t)).
  unfold wrong. destruct (Rle_dec s 0) as [Hs|Hs].
  - assert (exp s <= 1) by (rewrite <- exp_0; destruct Hs as [Hs| ->]; [left; now apply exp_increasing|lra]).
    assert (/ 2 <= sigmoid s).
    { unfold sigmoid. apply Rinv_le_contravar; [|lra]. assert (P := exp_pos s). lra. }
    specialize (Hhigh (sigmoid s) ltac:(lra)). lra.
  - assert (1 < exp s) by (rewrite <- exp_0; apply exp_increasing; lra).
    assert (sigmoid s <= / 2) by (unfold sigmoid; apply Rinv_le_contravar; lra).
    specialize (Hlow (sigmoid s) ltac:(lra)). lra.
Qed.

(** If h falls from ½ on, it is at most h(½) there; and likewise on the other side. *)
Lemma h_above_half a y1 y0 b c w :
  0 <= a -> 0 <= y1 -> 0 <= y0 -> 0 <= 2 * a - c -> 0 < w < 1 ->
  0 <= hslope a y1 y0 b c (/ 2) * (/ 2 - w) -> hfun a y1 y0 b c w <= hfun a y1 y0 b c (/ 2).
Proof.
  intros Ha H1 H0 Hm Hw Hs.
  assert (T := h_tangent a y1 y0 b c w (/ 2) Ha H1 H0 Hw ltac:(lra)).
  assert (0 <= (2 * a - c) * (w - / 2) ^ 2) by (apply Rmult_le_pos; [assumption|apply pow2_ge_0]). lra.
Qed.

(** ** The constant of Lemma L7 *)

(** Lemma L8. *)
Lemma lambert m s : 0 < m -> 1 <= m * exp (1 + m) -> sigmoid s * s <= m.
Proof.
  intros Hm H. unfold sigmoid. assert (P := exp_pos s).
  apply (Rmult_le_reg_r (1 + exp s)); [lra|].
  replace (/ (1 + exp s) * s * (1 + exp s)) with s by (field; lra).
  assert (Q : s - m <= m * exp s).
  { apply Rle_trans with (m * exp (1 + m) * exp (s - 1 - m)).
    - apply Rle_trans with (1 * exp (s - 1 - m)).
      + rewrite Rmult_1_l. destruct (Req_dec (s - 1 - m) 0) as [Y|Z]; [rewrite Y, exp_0; lra|].
        assert (X := exp_ineq1 (s - 1 - m) Z). lra.
      + apply Rmult_le_compat_r; [left; apply exp_pos|assumption].
    - right. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
  lra.
Qed.

Lemma exp_partial x n : 0 <= x -> sum_f_R0 (fun i => / INR (fact i) * x ^ i) n <= exp x.
Proof.
  intros Hx. apply sum_incr.
  - unfold exp. destruct (exist_exp x) as [l Hl]. exact Hl.
  - intros i. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|now apply pow_le].
Qed.

(** 0.27847 is large enough for Lemma L8. *)
Lemma lambert_number : 1 <= 27847 / 100000 * exp (1 + 27847 / 100000).
Proof.
  assert (P := exp_partial (1 + 27847 / 100000) 8 ltac:(lra)).
  cbn [sum_f_R0] in P.
  replace (INR (fact 0)) with 1 in P by (cbn; lra).
  replace (INR (fact 1)) with 1 in P by (cbn; lra).
  replace (INR (fact 2)) with 2 in P by (cbn; lra).
  replace (INR (fact 3)) with 6 in P by (cbn; lra).
  replace (INR (fact 4)) with 24 in P by (cbn; lra).
  replace (INR (fact 5)) with 120 in P by (rewrite INR_IZR_INZ; reflexivity).
  replace (INR (fact 6)) with 720 in P by (rewrite INR_IZR_INZ; reflexivity).
  replace (INR (fact 7)) with 5040 in P by (rewrite INR_IZR_INZ; reflexivity).
  replace (INR (fact 8)) with 40320 in P by (rewrite INR_IZR_INZ; reflexivity).
  lra.
Qed.

(** One interval [l, r] of w in the checker's search. *)
Lemma piece_above D ν l r w0 w :
  0 <= D -> 0 <= ν -> l <= w <= r -> 0 < w < 1 -> 0 < w0 < 1 ->
  let odds := ln (1 - w0) - ln w0 in
  D * w ^ 2 + ν * w * (ln (1 - w) - ln w)
  <= D * ((l + r) * w0 - l * r) + ν * w0 * odds
     + Rabs (D * (l + r) + ν * (odds - / (1 - w0))) * Rmax (r - w0) (w0 - l).
Proof.
  intros HD Hν Hlr Hw Hw0 odds.
  assert (C : 0 <= D * ((w - l) * (r - w))) by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
  assert (E := entropy_tangent w w0 Hw Hw0). assert (Q := pow2_ge_0 (w - w0)).
  assert (L := ln_tangent (1 - w) (1 - w0) ltac:(lra) ltac:(lra)).
  replace ((1 - w - (1 - w0)) / (1 - w0)) with (- / (1 - w0) * (w - w0)) in L by (field; lra).
  assert (V : w * (ln (1 - w) - ln w) <= w0 * odds + (odds - / (1 - w0)) * (w - w0)).
  { unfold odds, entropy in *. lra. }
  apply (Rmult_le_compat_l ν) in V; [|assumption].
  set (slope := D * (l + r) + ν * (odds - / (1 - w0))).
  assert (S : slope * (w - w0) <= Rabs slope * Rmax (r - w0) (w0 - l)).
  { eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|].
    unfold Rabs. destruct (Rcase_abs (w - w0)).
    - eapply Rle_trans; [|apply Rmax_r]. lra.
    - eapply Rle_trans; [|apply Rmax_l]. lra. }
  change ((D * (l + r) + ν * (odds - / (1 - w0))) * (w - w0) <= Rabs slope * Rmax (r - w0) (w0 - l)) in S.
  lra.
Qed.

(** C of Lemma L7: any number above the supremum over w. *)
Lemma logistic_constant D ν C s q :
  (forall w, 0 < w < 1 -> D * w ^ 2 + ν * w * (ln (1 - w) - ln w) <= C) ->
  logistic_acts s q -> D * q ^ 2 + ν * q * s <= C.
Proof.
  intros H ->. assert (O := odds s). assert (I := sigmoid_inside s).
  set (w := sigmoid s) in *. clearbody w. subst s. now apply H.
Qed.
