(** The label-only attacker: with probability ε a row is drawn and the attacker chooses its label
    (Lemmas L5 and L6 of theory.md). *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Rows Logistic Parts Linear.
Open Scope R_scope.

Inductive labelled := clean (i : nat) | relabelled (i : nat).

Definition label_toss (N : nat) (w : nat -> R) (ε : R) (f : labelled -> R) : R :=
  (1 - ε) * sum N (fun i => p N w i * f (clean i)) + ε * sum N (fun i => p N w i * f (relabelled i)).

(** The attacker sees the history and the row, and keeps ([true]) or turns ([false]) its label. *)
Definition label_point (z : nat -> vector) (keeps : list labelled -> nat -> bool) (h : list labelled)
    (x : labelled) : vector :=
  match x with
  | clean i => z i
  | relabelled i => if keeps h i then z i else fun j => -1 * z i j
  end.

Definition label_model (η σ : R) (gradient : list labelled -> vector -> vector -> vector) (z : nat -> vector)
    (keeps : list labelled -> nat -> bool) (θ0 : vector) : list labelled -> vector :=
  run σ (fun _ => η) (fun θ => θ) (fun h θ x => gradient h θ (label_point z keeps h x)) θ0.

Definition labels_possible (N : nat) (_ : list labelled) (x : labelled) : Prop :=
  match x with clean i | relabelled i => (i < N)%nat end.

Lemma label_law N w ε : weights N w -> 0 <= ε <= 1 -> law (labels_possible N) (fun _ => label_toss N w ε).
Proof.
  intros Hw Hε. split; intros; unfold label_toss.
  - apply Rplus_le_compat; apply Rmult_le_compat_l; try lra;
      apply sum_le; intros i Hi; (apply Rmult_le_compat_l; [now apply p_nonneg|now apply H]).
  - rewrite (sum_ext N _ (fun i => a * (p N w i * f (clean i)) + b * (p N w i * g (clean i))))
      by (intros; ring).
    rewrite (sum_ext N (fun i => p N w i * (a * f (relabelled i) + b * g (relabelled i)))
               (fun i => a * (p N w i * f (relabelled i)) + b * (p N w i * g (relabelled i)))) by (intros; ring).
    rewrite !sum_lin. ring.
  - rewrite (sum_ext N _ (fun i => c * p N w i)) by (intros; ring).
    rewrite sum_scale, p_total by assumption. ring.
Qed.

(** Row and attacker together: below the line whichever label is chosen. *)
Definition label_lines d N z w η σ ε α β (act : R -> R -> Prop) (ψ : nat -> R -> R) (T y : nat -> R) : Prop :=
  forall θ i, (i < N)%nat ->
  let s := dot d θ (z i) in let b := dot d β (z i) in let n := norm2 d (z i) in
  forall q, act s q ->
  p N w i * (1 - ε) * contribution η σ α s b n q + ψ i s + p N w i * ε * contribution η σ α s b n q
    <= T i + y i * s /\
  forall q', act (- s) q' ->
  p N w i * (1 - ε) * contribution η σ α s b n q + ψ i s + p N w i * ε * contribution η σ α (- s) (- b) n q'
    <= T i + y i * s.

(** No quadratic for the point. *)
Definition label_parts N z (T y : nat -> R) : parts := {|
  line0 := sum N T; line := fun j => sum N (fun i => y i * z i j);
  point0 := 0; point1 := fun _ => 0; point2 := fun _ => 0;
  region0 := 0; region1 := fun _ => 0; region2 := fun _ => 0 |}.

Theorem labels_certified d N z w η σ ε α β act ψ (loss : vector -> R) T y gradient keeps θ0 :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 < α * σ * (2 - η * σ) ->
  (forall θ, loss θ = sum N (fun i => ψ i (dot d θ (z i)))) ->
  label_lines d N z w η σ ε α β act ψ T y ->
  (forall h θ x, along (fun _ => act) d θ x (gradient h θ x)) ->
  let B := B_of d η σ ε α β (label_parts N z T y) in
  let mean t := average (fun _ => label_toss N w ε) t (fun h => loss (label_model η σ gradient z keeps θ0 h)) in
  (forall t, (1 <= t)%nat -> mean t <= B + transient d η α β θ0 t) /\ limsup_at_most mean B.
Proof.
  intros Hw Hη Hε Hα Ha Hloss Hlines Hgradient B mean. assert (L := label_law N w ε Hw Hε).
  assert (H : forall t, (1 <= t)%nat -> mean t <= B + transient d η α β θ0 t).
  { intros t Ht. rewrite <- transient_is by assumption. apply (average_of_weighted _ _ L); trivial.
    apply (run_weighted _ _ L d η σ α β B (fun _ => True) (fun _ => η) (fun θ => θ)
             (fun h θ x => gradient h θ (label_point z keeps h x)) θ0 (fun _ => loss));
      trivial; try (intros; lra).
    intros h _ _. set (θ := run _ _ _ _ _ h). clearbody θ.
    assert (Q : label_toss N w ε (fun x => c d η σ α β θ (gradient h θ (label_point z keeps h x))) + loss θ
                <= sum N T + dot d (fun j => sum N (fun i => y i * z i j)) θ).
    { rewrite (dot_sum d N y z θ), Hloss. unfold label_toss. rewrite <- !sum_scale, <- !sum_plus.
      apply sum_le. intros i Hi. cbn [label_point].
      destruct (Hgradient h θ (z i)) as (q & Hq & Eq). destruct (Hlines θ i Hi q Hq) as [K1 K2].
      rewrite Eq, c_along. destruct (keeps h i).
      - rewrite Eq, c_along. lra.
      - destruct (Hgradient h θ (fun j => -1 * z i j)) as (q' & Hq' & Eq'). rewrite Eq', c_along.
        rewrite dot_scale_r in Hq' |- *. rewrite (dot_scale_r d (-1) (z i) β), norm2_scale.
        replace (-1 * dot d θ (z i)) with (- dot d θ (z i)) in * by ring.
        replace (-1 * dot d β (z i)) with (- dot d β (z i)) by ring.
        replace ((-1) ^ 2 * norm2 d (z i)) with (norm2 d (z i)) by ring.
        specialize (K2 q' Hq'). lra. }
    assert (C := case_holds d η σ ε α β (sum N T) (fun j => sum N (fun i => y i * z i j))
                   0 (fun _ => 0) (fun _ => 0) 0 (fun _ => 0) (fun _ => 0) θ
                   (label_toss N w ε (fun x => c d η σ α β θ (gradient h θ (label_point z keeps h x))) + loss θ) 0).
    assert (Z : sum d (fun j => 0 * θ j ^ 2) = 0) by (rewrite (sum_ext d _ (fun _ => 0)), sum_const; intros; ring).
    cbv beta in C. rewrite Z, dot_zero in C.
    specialize (C ltac:(lra) ltac:(intros; unfold case_A; lra) Q ltac:(lra) ltac:(lra)).
    unfold B, B_of. cbn [line0 line point0 point1 point2 region0 region1 region2 label_parts]. lra. }
  split; [exact H|]. now apply (transient_limit mean d η α β θ0 B).
Qed.

(** ** Lemma L5, as parts/rows/label_hinge.rs computes it *)

Definition label_hinge_T (F g y plus minus two_a : R) : R :=
  Rmax (F - 2 * g + y + Rmax (Rmax 0 (plus - two_a)) minus)
       (Rmax (Rmax (F + Rmax plus (minus - two_a)) 0) (minus - two_a) - y).

Lemma label_keep F g y plus minus two_a s q :
  0 <= y <= g -> 0 <= two_a -> hinge_acts s q ->
  q * (F + g * (s - 1)) + q * (plus + two_a / 2 * (s - 1)) <= label_hinge_T F g y plus minus two_a + y * s.
Proof.
  intros Hy Ha Hq. set (T := label_hinge_T F g y plus minus two_a).
  assert (T1 : F + plus <= T + y /\ 0 <= T + y).
  { unfold T, label_hinge_T. set (l := F - 2 * g + y + _). set (late := minus - two_a).
    assert (A1 := Rmax_r l (Rmax (Rmax (F + Rmax plus late) 0) late - y)).
    assert (A2 := Rmax_l (Rmax (F + Rmax plus late) 0) late).
    assert (A3 := Rmax_l (F + Rmax plus late) 0). assert (A4 := Rmax_r (F + Rmax plus late) 0).
    assert (A5 := Rmax_l plus late). lra. }
  assert (L := envelope_line (F + plus) (g + two_a / 2) y s q ltac:(lra) Hq).
  assert (Rmax (F + plus) 0 <= T + y) by (apply Rmax_lub; lra). lra.
Qed.

Lemma label_turn F g y plus minus two_a s q q' :
  0 <= y <= g -> 0 <= two_a -> hinge_acts s q -> hinge_acts (- s) q' ->
  q * (F + g * (s - 1)) + q' * (minus - two_a / 2 * (s + 1)) <= label_hinge_T F g y plus minus two_a + y * s.
Proof.
  intros Hy Ha (Hq & Hb & Hab) (Hq' & Hb' & Hab'). set (T := label_hinge_T F g y plus minus two_a).
  set (late := minus - two_a) in *.
  assert (T1 : F + late <= T + y /\ 0 <= T + y /\ late <= T + y /\ F - 2 * g <= T - y /\ F - 2 * g + minus <= T - y).
  { unfold T, label_hinge_T. fold late.
    assert (A1 := Rmax_r (F - 2 * g + y + Rmax (Rmax 0 (plus - two_a)) minus)
                    (Rmax (Rmax (F + Rmax plus late) 0) late - y)).
    assert (A0 := Rmax_l (F - 2 * g + y + Rmax (Rmax 0 (plus - two_a)) minus)
                    (Rmax (Rmax (F + Rmax plus late) 0) late - y)).
    assert (A2 := Rmax_l (Rmax (F + Rmax plus late) 0) late). assert (A6 := Rmax_r (Rmax (F + Rmax plus late) 0) late).
    assert (A3 := Rmax_l (F + Rmax plus late) 0). assert (A4 := Rmax_r (F + Rmax plus late) 0).
    assert (A5 := Rmax_r plus late). assert (A7 := Rmax_l (Rmax 0 (plus - two_a)) minus).
    assert (A8 := Rmax_r (Rmax 0 (plus - two_a)) minus). assert (A9 := Rmax_l 0 (plus - two_a)). lra. }
  destruct T1 as (T1 & T2 & T3 & T4 & T5). clearbody T.
  assert (G1 : s <= -1 -> 0 <= (g - y) * (- 1 - s)) by (intros; apply Rmult_le_pos; lra).
  assert (G2 : 1 <= s -> 0 <= (y + two_a / 2) * (s - 1)) by (intros; apply Rmult_le_pos; lra).
  destruct (Rtotal_order s (-1)) as [Hs|[Hs|Hs]].
  - rewrite (Hb ltac:(lra)), (Hab' ltac:(lra)). specialize (G1 ltac:(lra)). lra.
  - rewrite (Hb ltac:(lra)), Hs.
    assert (q' * minus <= T - y - (F - 2 * g)).
    { apply Rle_trans with (q' * (T - y - (F - 2 * g))); [apply Rmult_le_compat_l; lra|].
      apply Rle_trans with (1 * (T - y - (F - 2 * g))); [apply Rmult_le_compat_r; lra|lra]. }
    lra.
  - destruct (Rtotal_order s 1) as [H1|[H1|H1]].
    + rewrite (Hb H1), (Hb' ltac:(lra)).
      assert (Aff := affine_ends (F - g + minus - two_a / 2 - T) (g - two_a / 2 - y) (-1) 1 s 0).
      unfold late in *. lra.
    + rewrite (Hb' ltac:(lra)), H1.
      assert (q * F <= T + y - late); [|unfold late in *; lra].
      apply Rle_trans with (q * (T + y - late)); [apply Rmult_le_compat_l; lra|].
      apply Rle_trans with (1 * (T + y - late)); [apply Rmult_le_compat_r; lra|lra].
    + rewrite (Hab H1), (Hb' ltac:(lra)). specialize (G2 ltac:(lra)). unfold late in *. lra.
Qed.

Lemma label_hinge_lines d N z w η σ ε α β t u :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= k η σ ->
  (forall i, (i < N)%nat -> share (u i) /\ 0 <= κ_of N w η σ ε α t i) ->
  label_lines d N z w η σ ε α β hinge_acts (fun i s => t i * Rmax 0 (1 - s))
    (fun i => label_hinge_T (F d N z w η σ ε α β i) (κ_of N w η σ ε α t i) (κ_of N w η σ ε α t i * u i)
                (p N w i * ε * (2 * α * k η σ + α * η * norm2 d (z i) + dot d β (z i)))
                (p N w i * ε * (2 * α * k η σ + α * η * norm2 d (z i) - dot d β (z i)))
                (2 * (p N w i * ε) * (2 * α * k η σ)))
    (fun i => κ_of N w η σ ε α t i * u i).
Proof.
  intros Hw Hη Hε Hα Hk Hu θ i Hi s b n q Hq. destruct (Hu i Hi) as [Hs Hκ].
  assert (P := p_nonneg N w i Hw Hi). assert (Hn := αη_norm d η α Hη Hα (z i)). fold n in Hn.
  set (g := κ_of N w η σ ε α t i) in *.
  assert (Hy : 0 <= g * u i <= g).
  { destruct Hs. split; [now apply Rmult_le_pos|].
    apply Rle_trans with (g * 1); [now apply Rmult_le_compat_l|lra]. }
  assert (H2a : 0 <= 2 * (p N w i * ε) * (2 * α * k η σ)).
  { apply Rmult_le_pos; [|apply Rmult_le_pos; lra]. apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]. }
  assert (V := hinge_value η σ ε α (p N w i) (t i) s b n q P Hε Hn Hq).
  split.
  - assert (V1 := hinge_value η σ (1 - ε) α (p N w i) 0 s b n q P ltac:(lra) Hn Hq).
    assert (L := label_keep (F d N z w η σ ε α β i) g (g * u i)
                (p N w i * ε * (2 * α * k η σ + α * η * norm2 d (z i) + dot d β (z i)))
                (p N w i * ε * (2 * α * k η σ + α * η * norm2 d (z i) - dot d β (z i)))
                (2 * (p N w i * ε) * (2 * α * k η σ)) s q Hy H2a Hq).
    set (T := label_hinge_T _ _ _ _ _ _) in *. clearbody T. fold b n in L.
    unfold F, jump, g, κ_of, gain, κ0 in *. fold b n in L. lra.
  - intros q' Hq'.
    assert (V1 := hinge_value η σ (1 - ε) α (p N w i) 0 (- s) (- b) n q' P ltac:(lra) Hn Hq').
    assert (L := label_turn (F d N z w η σ ε α β i) g (g * u i)
                (p N w i * ε * (2 * α * k η σ + α * η * norm2 d (z i) + dot d β (z i)))
                (p N w i * ε * (2 * α * k η σ + α * η * norm2 d (z i) - dot d β (z i)))
                (2 * (p N w i * ε) * (2 * α * k η σ)) s q q' Hy H2a Hq Hq').
    set (T := label_hinge_T _ _ _ _ _ _) in *. clearbody T. fold b n in L.
    unfold F, jump, g, κ_of, gain, κ0 in *. fold b n in L. lra.
Qed.

(** ** Lemma L6, as parts/rows/label_logistic.rs computes it *)

Lemma turned_value η σ ε α p t y s b n :
  p * (1 - ε) * contribution η σ α s b n (sigmoid s) + t * logistic s
    + p * ε * contribution η σ α (- s) (- b) n (1 - sigmoid s) - y * s
  = hfun (2 * α * k η σ * p) (y + ε * (2 * α * k η σ * p)) (κ0 η σ ε α * p - t - y)
      (p * (b - 2 * ε * (α * η * n))) (p * (α * η * n)) (sigmoid s)
    + p * ε * (α * η * n - b).
Proof.
  rewrite logistic_is. assert (O := odds s). set (w := sigmoid s) in *. clearbody w. subst s.
  unfold contribution, hfun, entropy, κ0. ring.
Qed.

Lemma label_logistic_lines d N z w η σ ε α β t y w1 w2 :
  weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= k η σ ->
  (forall i, (i < N)%nat ->
     0 <= t i /\ 0 <= y i <= κ_of N w η σ ε α t i /\ 0 < w1 i < 1 /\ 0 < w2 i < 1 /\
     (p N w i <> 0 -> 0 < 2 * (2 * α * k η σ * p N w i) - p N w i * (α * η * norm2 d (z i)))) ->
  label_lines d N z w η σ ε α β logistic_acts (fun i s => t i * logistic s)
    (fun i => let a := 2 * α * k η σ * p N w i in let b := dot d β (z i) in let n := α * η * norm2 d (z i) in
       if Req_EM_T (p N w i) 0 then 0 else
       Rmax (above a (y i) (a - t i - y i) (p N w i * b) (p N w i * n) (w1 i))
            (above a (y i + ε * a) (κ_of N w η σ ε α t i - y i) (p N w i * (b - 2 * ε * n)) (p N w i * n) (w2 i)
             + p N w i * ε * (n - b)))
    y.
Proof.
  intros Hw Hη Hε Hα Hk H θ i Hi s b n q ->. destruct (H i Hi) as (Ht & Hy & Hw1 & Hw2 & Hm).
  assert (P := p_nonneg N w i Hw Hi). cbv zeta. destruct (Req_EM_T (p N w i) 0) as [Z|Z].
  { unfold κ_of, gain in Hy. rewrite Z, Rmult_0_r in Hy.
    replace (y i) with 0 by lra. replace (t i) with 0 by lra. rewrite Z. split; intros; lra. }
  specialize (Hm Z).
  assert (Ha : 0 <= 2 * α * k η σ * p N w i) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  assert (Hεa : 0 <= ε * (2 * α * k η σ * p N w i)) by (apply Rmult_le_pos; lra).
  fold b n in Hm |- *. unfold κ_of, gain in Hy |- *.
  set (A1 := above _ _ _ _ _ (w1 i)). set (A2 := above _ _ _ _ _ (w2 i) + _).
  assert (M1 := Rmax_l A1 A2). assert (M2 := Rmax_r A1 A2). split.
  - assert (V := logistic_value η σ 0 α (p N w i) (t i) (y i) s b n).
    assert (U := h_above (2 * α * k η σ * p N w i) (y i) (2 * α * k η σ * p N w i - t i - y i)
                   (p N w i * b) (p N w i * (α * η * n)) (sigmoid s) (w1 i) Ha ltac:(lra)
                   ltac:(unfold κ0 in Hy; lra) Hm (sigmoid_inside s) Hw1). fold A1 in U.
    unfold κ0 in V.
    replace (2 * α * k η σ * (1 - 0) * p N w i) with (2 * α * k η σ * p N w i) in V by ring.
    replace (p N w i * (1 - 0) * b) with (p N w i * b) in V by ring.
    replace (p N w i * (1 - 0) * (α * η * n)) with (p N w i * (α * η * n)) in V by ring. lra.
  - intros q' Hq'. unfold logistic_acts in Hq'. rewrite sigmoid_opp in Hq'. subst q'.
    assert (V := turned_value η σ ε α (p N w i) (t i) (y i) s b n).
    assert (U := h_above (2 * α * k η σ * p N w i) (y i + ε * (2 * α * k η σ * p N w i))
                   (κ0 η σ ε α * p N w i - t i - y i) (p N w i * (b - 2 * ε * (α * η * n)))
                   (p N w i * (α * η * n)) (sigmoid s) (w2 i) Ha ltac:(lra) ltac:(lra) Hm (sigmoid_inside s) Hw2).
    unfold A2 in M2 |- *. set (A3 := above _ _ _ _ _ (w2 i)) in *. lra.
Qed.
