(** Multi-class hinge: parts (a) and (c) of Lemma L11 (theory.md, Section 7).

    A sample x stands for L = K-1 margins θ·z_l, z_l = [family x l]. The gradient is Σ q_l z_l, where q_l says whether margin l acts. *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Rows Points Parts Logistic Linear Certificates.
Open Scope R_scope.

(** ‖z‖² ≤ Γ², with τ/Γ in place of τ, so that no root is needed. *)
Lemma norm_bounds d Γ2 τ : 0 < τ -> set_bounds d (fun z => norm2 d z <= Γ2) (Γ2 * τ) (fun _ => / τ) Γ2.
Proof.
  intros Hτ z Hz. split; [exact Hz|]. intros x q. rewrite sum_scale.
  replace (sum d (fun j => x j ^ 2)) with (norm2 d x) by (apply sum_ext; intros; ring).
  assert (P := norm2_nonneg d (fun j => (q * τ) * z j + -1 * x j)). rewrite norm2_lin in P.
  assert (U : (q * τ) ^ 2 * norm2 d z <= (q * τ) ^ 2 * Γ2) by (apply Rmult_le_compat_l; [apply pow2_ge_0|assumption]).
  apply (Rmult_le_reg_l (2 * τ)); [lra|].
  replace (2 * τ * (/ 2 * (q ^ 2 * (Γ2 * τ) + / τ * norm2 d x))) with ((q * τ) ^ 2 * Γ2 + norm2 d x) by (field; lra). lra.
Qed.

Section Families.
  Variables (d L : nat) (family : vector -> nat -> vector).

  Definition family_acts (θ x g : vector) : Prop :=
    exists q : nat -> R, (forall l, (l < L)%nat -> hinge_acts (dot d θ (family x l)) (q l)) /\
                         g = (fun j => sum L (fun l => q l * family x l j)).

  (** What the norms of all gradients of a row are below: Σ q_l n. *)
  Definition norm_share (x : vector) (n : R) : Prop :=
    forall q, (forall l, (l < L)%nat -> 0 <= q l <= 1) ->
    norm2 d (fun j => sum L (fun l => q l * family x l j)) <= sum L (fun l => q l * n).

  Variables (N : nat) (z : nat -> vector) (w : nat -> R) (η σ ε α : R) (β : vector).
  Variables (n : nat -> R) (Γ2 τ ν : R) (u : nat -> nat -> R).

  Definition family_loss (θ : vector) : R :=
    sum N (fun i => p N w i * sum L (fun l => Rmax 0 (1 - dot d θ (family (z i) l)))).

  Definition family_J (i l : nat) : R := (1 - ε) * (2 * α * k η σ + α * η * n i + dot d β (family (z i) l)).

  Definition family_parts : parts := {|
    line0 := sum N (fun i => p N w i * sum L (fun l => Rmax (family_J i l) 0 - κ η σ ε α * u i l));
    line := fun j => sum N (fun i => p N w i * sum L (fun l => κ η σ ε α * u i l * family (z i) l j));
    point0 := Γ2 * τ / 2 + α * η * Γ2 + INR L * ν + / 2 * sum d (fun j => / τ * β j ^ 2);
    point1 := fun j => χ η σ α ν * (/ τ) * β j;
    point2 := fun _ => / 2 * χ η σ α ν ^ 2 * (/ τ);
    region0 := 0; region1 := fun _ => 0; region2 := fun _ => 0 |}.

  Lemma dot_family t q x :
    dot d t (fun j => sum L (fun l => q l * family x l j)) = sum L (fun l => q l * dot d t (family x l)).
  Proof. rewrite dot_comm. apply dot_sum. Qed.

  Theorem classes_certified (A : vector -> Prop) :
    weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= κ η σ ε α -> 0 < τ -> 0 <= ν ->
    (forall i l, (i < N)%nat -> (l < L)%nat -> share (u i l)) ->
    (forall i, (i < N)%nat -> norm_share (z i) (n i)) ->
    (forall x θ g, A x -> family_acts θ x g -> norm2 d g <= Γ2) ->
    (forall j, (j < d)%nat -> 0 < A_of η σ ε α family_parts j) ->
    certified_for d N z w η σ ε family_acts A everywhere family_loss (B_of d η σ ε α β family_parts) (transient d η α β).
  Proof.
    intros Hw Hη Hε Hα Hκ Hτ Hν Hu Hn HA Hpos. assert (Hαη : 0 <= α * η) by (apply Rmult_le_pos; lra).
    apply residual_certified; trivial. apply L1_one_case; [lra| |assumption]. intros θ x _ Hx. repeat split.
    - intros gs Hgs. cbn [line0 line family_parts]. unfold family_loss.
      rewrite (dot_sum d N (p N w) (fun i j => sum L (fun l => κ η σ ε α * u i l * family (z i) l j)) θ).
      rewrite <- sum_scale, <- !sum_plus. apply sum_le. intros i Hi.
      destruct (Hgs i Hi) as (q & Hq & E). rewrite E. unfold c. rewrite !dot_family.
      assert (P := p_nonneg N w i Hw Hi).
      assert (Hnorm := Hn i Hi q (fun l Hl => proj1 (Hq l Hl))).
      set (G := norm2 d _) in *. clearbody G.
      assert (M : (1 - ε) * (2 * α * k η σ * sum L (fun l => q l * dot d θ (family (z i) l))
                    + sum L (fun l => q l * dot d β (family (z i) l)) + α * η * G)
                  + sum L (fun l => Rmax 0 (1 - dot d θ (family (z i) l)))
                  <= sum L (fun l => Rmax (family_J i l) 0 - κ η σ ε α * u i l)
                     + sum L (fun l => κ η σ ε α * u i l * dot d θ (family (z i) l))).
      { apply Rle_trans with ((1 - ε) * (2 * α * k η σ * sum L (fun l => q l * dot d θ (family (z i) l))
                    + sum L (fun l => q l * dot d β (family (z i) l)) + α * η * sum L (fun l => q l * n i))
                  + sum L (fun l => Rmax 0 (1 - dot d θ (family (z i) l)))).
        - apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_l. now apply Rmult_le_compat_l.
        - rewrite <- !sum_scale, <- !sum_plus, <- sum_scale, <- sum_plus. apply sum_le. intros l Hl.
          destruct (Hu i l Hi Hl) as [U0 U1].
          assert (Y : 0 <= κ η σ ε α * u i l <= κ η σ ε α).
          { split; [now apply Rmult_le_pos|].
            apply Rle_trans with (κ η σ ε α * 1); [now apply Rmult_le_compat_l|lra]. }
          assert (V := envelope_line (family_J i l) (κ η σ ε α) (κ η σ ε α * u i l) (dot d θ (family (z i) l)) (q l)
                         Y (Hq l Hl)).
          destruct (Hq l Hl) as (H01 & Hb & Ha). set (s := dot d θ (family (z i) l)) in *.
          assert (W : q l * (1 - s) = Rmax 0 (1 - s)).
          { destruct (Rtotal_order s 1) as [H|[H|H]].
            - rewrite (Hb H), Rmax_right by lra. ring.
            - rewrite H, Rmax_left by lra. ring.
            - rewrite (Ha H), Rmax_left by lra. ring. }
          rewrite <- W. unfold family_J, κ, κ0 in *. lra. }
      apply (Rmult_le_compat_l (p N w i)) in M; [|assumption].
      replace (dot d θ (fun j => sum L (fun l => κ η σ ε α * u i l * family (z i) l j)))
        with (sum L (fun l => κ η σ ε α * u i l * dot d θ (family (z i) l)))
        by (rewrite (dot_family θ (fun l => κ η σ ε α * u i l)); reflexivity).
      lra.
    - intros g Hg. assert (Hball := HA x θ g Hx Hg). destruct Hg as (q & Hq & E).
      cbn [point0 point1 point2 family_parts].
      assert (S : dot d θ g <= INR L * 1).
      { rewrite E, dot_family, <- sum_const. apply sum_le. intros l Hl. destruct (Hq l Hl) as (H01 & _ & Ha).
        destruct (Rlt_dec 1 (dot d θ (family x l))) as [H|H]; [rewrite (Ha H); lra|].
        apply Rle_trans with (q l * 1); [apply Rmult_le_compat_l; lra|lra]. }
      assert (Q := point_quadratic d η σ α β (fun g => norm2 d g <= Γ2) (Γ2 * τ) (fun _ => / τ) Γ2 ν
                     (Γ2 * τ / 2 + α * η * Γ2 + INR L * ν) θ g 1 Hαη (norm_bounds d Γ2 τ Hτ) Hball).
      rewrite <- c_along in Q.
      replace (c d η σ α β θ g) with (c d η σ α β θ (fun j => 1 * g j))
        by (unfold c; rewrite !dot_scale_r, norm2_scale; ring).
      apply Q. apply (Rmult_le_compat_l ν) in S; [|assumption]. lra.
    - cbn [region0 region1 region2 family_parts]. rewrite dot_zero, diagonal_constant. lra.
  Qed.
End Families.

(** ** K classes: z_l = (e_y - e_j) ⊗ x, j the l-th of the other labels; parameter c·D + t is entry t of class c *)

Lemma sum_app a b f : sum (a + b) f = sum a f + sum b (fun i => f (a + i)%nat).
Proof.
  induction b as [|b IH]; [rewrite Nat.add_0_r; cbn; ring|].
  rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. ring.
Qed.

Lemma sum_blocks K D f : sum (K * D) f = sum K (fun c => sum D (fun t => f (c * D + t)%nat)).
Proof.
  induction K as [|K IH]; [reflexivity|]. cbn [sum]. rewrite <- IH, <- sum_app. f_equal. cbn. apply Nat.add_comm.
Qed.

Definition delta (a b : nat) : R := if Nat.eq_dec a b then 1 else 0.

Section Classes.
  Variables (K D : nat) (label : vector -> nat) (feature : vector -> vector).

  Definition other (y l : nat) : nat := if lt_dec l y then l else S l.

  Definition class_family (x : vector) (l : nat) : vector := fun m =>
    (delta (m / D) (label x) - delta (m / D) (other (label x) l)) * feature x (m mod D).

  Lemma other_at_most_once (q : nat -> R) y c L :
    (forall l, (l < L)%nat -> 0 <= q l <= 1) ->
    0 <= sum L (fun l => q l * delta c (other y l)) <= 1 /\
    ((forall l, (l < L)%nat -> c <> other y l) -> sum L (fun l => q l * delta c (other y l)) = 0).
  Proof.
    induction L as [|L IH]; intros Hq; [cbn; split; [lra|reflexivity]|].
    destruct IH as [I1 I2]; [intros; apply Hq; lia|]. cbn [sum]. specialize (Hq L ltac:(lia)).
    destruct (Nat.eq_dec c (other y L)) as [E|E].
    - replace (delta c (other y L)) with 1 by (unfold delta; destruct (Nat.eq_dec c (other y L)); [reflexivity|contradiction]).
      rewrite I2; [split; [lra|intros H; exfalso; now apply (H L ltac:(lia))]|].
      intros l Hl C. rewrite C in E. unfold other in E. destruct (lt_dec l y), (lt_dec L y); lia.
    - replace (delta c (other y L)) with 0 by (unfold delta; destruct (Nat.eq_dec c (other y L)); [contradiction|reflexivity]).
      split; [lra|]. intros H. rewrite I2; [ring|]. intros l Hl. apply H. lia.
  Qed.

  (** ‖g‖² ≤ K·S·‖x‖², S = Σ q_l. *)
  Lemma class_norm x q :
    (1 <= K)%nat -> (1 <= D)%nat -> (forall l, (l < K - 1)%nat -> 0 <= q l <= 1) ->
    norm2 (K * D) (fun m => sum (K - 1) (fun l => q l * class_family x l m))
    <= INR K * sum (K - 1) q * norm2 D (feature x).
  Proof.
    intros HK HD Hq. unfold norm2 at 1, dot. rewrite sum_blocks.
    set (y := label x). set (t := fun c => sum (K - 1) (fun l => q l * delta c (other y l))).
    set (S := sum (K - 1) q).
    rewrite (sum_ext K _ (fun c => norm2 D (feature x) * (delta c y * S - t c) ^ 2)).
    2: { intros c Hc. unfold norm2, dot. rewrite (Rmult_comm _ ((delta c y * S - t c) ^ 2)), <- sum_scale.
         apply sum_ext. intros i Hi.
         replace (sum (K - 1) (fun l => q l * class_family x l (c * D + i)%nat))
           with ((delta c y * S - t c) * feature x i); [ring|].
         unfold class_family. rewrite Nat.div_add_l, (Nat.div_small i D), Nat.add_0_r by lia.
         rewrite (Nat.add_comm (c * D)), Nat.mod_add, Nat.mod_small by lia. fold y.
         rewrite (sum_ext (K - 1) _ (fun l => (feature x i * delta c y) * q l
                    + - feature x i * (q l * delta c (other y l)))) by (intros; ring).
         rewrite sum_lin. unfold S, t. ring. }
    rewrite sum_scale, (Rmult_comm (INR K * S)). apply Rmult_le_compat_l; [apply norm2_nonneg|].
    assert (HS : 0 <= S <= INR (K - 1)).
    { split; [apply sum_nonneg; intros; now apply Hq|].
      rewrite <- (Rmult_1_r (INR (K - 1))), <- sum_const. apply sum_le. intros; now apply Hq. }
    (* Σ_c (δ_cy S - t_c)² ≤ S² Σ_c δ_cy + Σ_c t_c ≤ S² + S *)
    apply Rle_trans with (sum K (fun c => S ^ 2 * delta c y + 1 * t c)).
    - apply sum_le. intros c Hc. destruct (other_at_most_once q y c (K - 1) Hq) as [[T0 T1] TZ]. fold (t c) in *.
      assert (T2 : t c ^ 2 <= t c) by (replace (t c ^ 2) with (t c * t c) by ring;
        apply Rle_trans with (t c * 1); [apply Rmult_le_compat_l|]; lra).
      unfold delta at 1 2. destruct (Nat.eq_dec c y) as [->|_]; [|lra].
      rewrite TZ; [lra|]. intros l _. unfold other. destruct (lt_dec l y); lia.
    - assert (Once : forall c n, sum n (fun i => delta i c) <= 1).
      { intros c. assert (Z : forall n, (n <= c)%nat -> sum n (fun i => delta i c) = 0).
        { induction n as [|n IH]; intros H; [reflexivity|]. cbn [sum]. rewrite IH by lia. unfold delta.
          destruct (Nat.eq_dec n c); [lia|ring]. }
        induction n as [|n IH]; [cbn; lra|]. cbn [sum]. unfold delta at 2.
        destruct (Nat.eq_dec n c) as [->|]; [rewrite Z by lia|]; lra. }
      rewrite sum_lin. unfold t. rewrite sum_swap.
      assert (TS : sum (K - 1) (fun l => sum K (fun c => q l * delta c (other y l))) <= S).
      { apply sum_le. intros l Hl. rewrite sum_scale.
        apply Rle_trans with (q l * 1); [apply Rmult_le_compat_l; [now apply Hq|apply Once]|lra]. }
      assert (S2 : S ^ 2 * sum K (fun c => delta c y) <= S ^ 2 * 1)
        by (apply Rmult_le_compat_l; [apply pow2_ge_0|apply Once]).
      assert (S3 : S * S <= INR (K - 1) * S) by (apply Rmult_le_compat_r; lra).
      rewrite minus_INR in S3 by assumption. cbn [INR] in S3. lra.
  Qed.

  (** The two facts that [classes_certified] asks for: n = K‖x‖², and Γ² = K(K-1)R0². *)
  Lemma class_norm_share x : (1 <= K)%nat -> (1 <= D)%nat ->
    norm_share (K * D) (K - 1) class_family x (INR K * norm2 D (feature x)).
  Proof.
    intros HK HD q Hq. eapply Rle_trans; [now apply class_norm|]. right.
    rewrite (sum_ext (K - 1) (fun l => q l * (INR K * norm2 D (feature x))) (fun l => (INR K * norm2 D (feature x)) * q l))
      by (intros; ring). rewrite sum_scale. ring.
  Qed.

  Lemma class_radius R0 x θ g : (1 <= K)%nat -> (1 <= D)%nat -> norm2 D (feature x) <= R0 ^ 2 ->
    family_acts (K * D) (K - 1) class_family θ x g -> norm2 (K * D) g <= INR K * INR (K - 1) * R0 ^ 2.
  Proof.
    intros HK HD Hx (q & Hq & ->).
    assert (H01 : forall l, (l < K - 1)%nat -> 0 <= q l <= 1) by (intros l Hl; apply (Hq l Hl)).
    eapply Rle_trans; [now apply class_norm|].
    assert (S1 : sum (K - 1) q <= INR (K - 1)).
    { rewrite <- (Rmult_1_r (INR (K - 1))), <- sum_const. apply sum_le. intros; now apply H01. }
    assert (S0 : 0 <= sum (K - 1) q) by (apply sum_nonneg; intros; now apply H01).
    apply Rmult_le_compat; trivial; [|apply norm2_nonneg|].
    - apply Rmult_le_pos; [apply pos_INR|assumption].
    - apply Rmult_le_compat_l; [apply pos_INR|assumption].
  Qed.

  (** All labels in one case: the adversary sends any label, and features in the ball of radius R0. *)
  Theorem multiclass_certified N z w η σ ε α β τ ν u R0 :
    (1 <= K)%nat -> (1 <= D)%nat ->
    weights N w -> 0 < η -> 0 <= ε <= 1 -> 0 < α -> 0 <= κ η σ ε α -> 0 < τ -> 0 <= ν ->
    (forall i l, (i < N)%nat -> (l < K - 1)%nat -> share (u i l)) ->
    let case := family_parts (K * D) (K - 1) class_family N z w η σ ε α β
      (fun i => INR K * norm2 D (feature (z i))) (INR K * INR (K - 1) * R0 ^ 2) τ ν u in
    (forall j, (j < K * D)%nat -> 0 < A_of η σ ε α case j) ->
    certified_for (K * D) N z w η σ ε (family_acts (K * D) (K - 1) class_family)
      (fun x => norm2 D (feature x) <= R0 ^ 2) everywhere (family_loss (K * D) (K - 1) class_family N z w)
      (B_of (K * D) η σ ε α β case) (transient (K * D) η α β).
  Proof.
    intros HK HD Hw Hη Hε Hα Hκ Hτ Hν Hu case Hpos.
    apply classes_certified; trivial.
    - intros i _. now apply class_norm_share.
    - intros x θ g Hx Hg. now apply (class_radius R0 x θ g).
  Qed.
End Classes.
