(** Targets other than the data: Theorem L12 (theory.md, Sections 5 and 8). The ball that the steps keep is cut into
    shells around a centre o; each is a case with its own lines, τ, ν, ω (outer) and μ (inner). *)

From Coq Require Import Reals Lra Lia List Arith.
From Unswayed Require Import Statement Vectors Process OneStep Run Learner Rows Points Parts Theorems Logistic Linear
  Certificates.
Open Scope R_scope.

(** The numbers of one shell. *)
Record shell := { τ_ : R; ν_ : R; outer : R; inner : R;
  row_y : nat -> R; row_reach : nat -> R; target_y : nat -> R; target_reach : nat -> R }.

Section Shells.
  Variables (d N : nat) (z : nat -> vector) (w t : nat -> R) (η σ ε R0 α : R) (β : vector).
  Variables (N' : nat) (z' : nat -> vector) (t' : nat -> R).   (* target points that are no rows *)
  Variables (o : vector) (ϱ : R) (M : nat) (radius : nat -> R) (witness : nat -> shell).

  Definition target_loss (θ : vector) : R :=
    sum N (fun i => t i * Rmax 0 (1 - dot d θ (z i))) + sum N' (fun i => t' i * Rmax 0 (1 - dot d θ (z' i))).

  (** Lemma L4 on the interval of the shell: with F and κ of a row, and with F = 0, κ = -t of a target point. *)
  Definition row_T (m i : nat) : R :=
    let s := dot d o (z i) - 1 in let reach := row_reach (witness m) i in let y := row_y (witness m) i in
    envelope (F d N z w η σ ε α β i) (κ_of N w η σ ε α t i) y (s - reach) (s + reach) - y.
  Definition target_T (m i : nat) : R :=
    let s := dot d o (z' i) - 1 in let reach := target_reach (witness m) i in let y := target_y (witness m) i in
    envelope 0 (- t' i) y (s - reach) (s + reach) - y.

  Definition shell_parts (m : nat) : parts :=
    let s := witness m in let ω := outer s in let μ := inner s in let D := R0 / τ_ s in {|
    line0 := sum N (row_T m) + sum N' (target_T m);
    line := fun j => sum N (fun i => row_y s i * z i j) + sum N' (fun i => target_y s i * z' i j);
    point0 := R0 * τ_ s / 2 + α * η * R0 ^ 2 + ν_ s + / 2 * sum d (fun j => D * β j ^ 2);
    point1 := fun j => χ η σ α (ν_ s) * D * β j;
    point2 := fun _ => / 2 * χ η σ α (ν_ s) ^ 2 * D;
    region0 := ω * (radius (S m) ^ 2 - norm2 d o) - μ * (radius m ^ 2 - norm2 d o);
    region1 := fun j => 2 * (ω - μ) * o j;
    region2 := fun _ => ω - μ |}.

  Definition from_centre (θ : vector) : R := norm2 d (fun j => θ j - o j).
  Definition inside (m : nat) (θ : vector) : Prop := radius m ^ 2 <= from_centre θ <= radius (S m) ^ 2.

  (** What the checker verifies. *)
  Definition shells_fit : Prop :=
    radius 0%nat = 0 /\ (1 <= M)%nat /\ 0 <= radius M - ϱ /\ norm2 d o <= (radius M - ϱ) ^ 2 /\ 0 < ϱ /\
    R0 <= ϱ * σ /\ (forall i, (i < N)%nat -> norm2 d (z i) <= (ϱ * σ) ^ 2) /\
    forall m, (m < M)%nat -> let s := witness m in
      0 < τ_ s /\ 0 <= ν_ s /\ 0 <= outer s /\ 0 <= inner s /\
      (forall i, (i < N)%nat -> 0 <= row_reach s i /\ radius (S m) ^ 2 * norm2 d (z i) <= row_reach s i ^ 2) /\
      (forall i, (i < N')%nat -> 0 <= target_reach s i /\
                                 radius (S m) ^ 2 * norm2 d (z' i) <= target_reach s i ^ 2) /\
      (forall j, (j < d)%nat -> 0 < A_of η σ ε α (shell_parts m) j).

  Lemma from_centre_is θ : from_centre θ = norm2 d θ - 2 * dot d o θ + norm2 d o.
  Proof.
    unfold from_centre. rewrite (norm2_ext d _ (fun j => 1 * θ j + -1 * o j)) by (intros; ring).
    rewrite norm2_lin, (dot_comm d θ o). ring.
  Qed.

  (** The shells cover the ball. *)
  Lemma covered θ :
    radius 0%nat = 0 -> (1 <= M)%nat -> 0 <= radius M - ϱ -> norm2 d o <= (radius M - ϱ) ^ 2 -> 0 < ϱ ->
    norm2 d θ <= ϱ ^ 2 -> exists m, (m < M)%nat /\ inside m θ.
  Proof.
    intros H0 HM HD Ho Hϱ Hθ.
    assert (Top : from_centre θ <= radius M ^ 2).
    { rewrite from_centre_is.
      assert (S : - (ϱ * (radius M - ϱ)) <= dot d θ o <= ϱ * (radius M - ϱ)).
      { apply square_between; [apply Rmult_le_pos; lra|]. eapply Rle_trans; [apply cauchy_schwarz|].
        replace ((ϱ * (radius M - ϱ)) ^ 2) with (ϱ ^ 2 * (radius M - ϱ) ^ 2) by ring.
        apply Rmult_le_compat; trivial; apply norm2_nonneg. }
      rewrite (dot_comm d o θ).
      replace (radius M ^ 2) with (ϱ ^ 2 + 2 * (ϱ * (radius M - ϱ)) + (radius M - ϱ) ^ 2) by ring. lra. }
    assert (Bottom := norm2_nonneg d (fun j => θ j - o j)). fold (from_centre θ) in Bottom.
    clear HD Ho. unfold inside. induction M as [|m IH]; [lia|].
    destruct (Rle_dec (radius m ^ 2) (from_centre θ)) as [Hm|Hm].
    - exists m. split; [lia|lra].
    - destruct m as [|m]; [rewrite H0 in Hm; lra|].
      destruct IH as (l & Hl & Hin); [lia|lra|]. exists l. split; [lia|assumption].
  Qed.

  (** A target point on an interval. *)
  Lemma target_line m θ i :
    (i < N')%nat -> inside m θ -> 0 <= target_reach (witness m) i ->
    radius (S m) ^ 2 * norm2 d (z' i) <= target_reach (witness m) i ^ 2 ->
    t' i * Rmax 0 (1 - dot d θ (z' i)) <= target_T m i + target_y (witness m) i * dot d θ (z' i).
  Proof.
    intros Hi Hin H0 H1. set (s := dot d θ (z' i)).
    assert (S : - target_reach (witness m) i <= dot d (fun j => θ j - o j) (z' i) <= target_reach (witness m) i).
    { apply square_between; [assumption|]. eapply Rle_trans; [apply cauchy_schwarz|].
      eapply Rle_trans; [|exact H1]. apply Rmult_le_compat_r; [apply norm2_nonneg|apply Hin]. }
    replace (dot d (fun j => θ j - o j) (z' i)) with (s - dot d o (z' i)) in S.
    - assert (Q : hinge_acts s (activity s 1)) by (apply activity_acts; lra).
      assert (L := envelope_interval 0 (- t' i) (target_y (witness m) i)
                     (dot d o (z' i) - 1 - target_reach (witness m) i)
                     (dot d o (z' i) - 1 + target_reach (witness m) i) s (activity s 1) ltac:(lra) Q).
      assert (V : t' i * Rmax 0 (1 - s) = activity s 1 * (0 + - t' i * (s - 1))).
      { unfold activity. destruct (Rlt_dec s 1); [rewrite Rmax_right by lra; ring|].
        rewrite Rmax_left by lra. destruct (Rlt_dec 1 s); [ring|]. replace s with 1 by lra. ring. }
      rewrite V. unfold target_T. lra.
    - rewrite (dot_ext d (fun j => θ j - o j) (fun j => 1 * θ j + -1 * o j) (z' i) (z' i)) by (intros; ring).
      rewrite dot_lin. unfold s. ring.
  Qed.

  Theorem theorem_L12 B :
    weights N w -> parameters η σ ε -> 0 < α -> 0 <= R0 -> shells_fit ->
    (forall m, (m < M)%nat -> B_of d η σ ε α β (shell_parts m) <= B) ->
    certified_for d N z w η σ ε (along (fun _ => hinge_acts) d) (ball d R0) (fun θ => norm2 d θ <= ϱ ^ 2)
      target_loss B (transient d η α β).
  Proof.
    intros Hw (Hη & Hσ & Hk & Hε) Hα HR (H0 & HM & HD & Ho & Hϱ & HRϱ & Hz & Hshell) HB.
    apply (theorem_L1 d N z w η σ ε α β target_loss (fun θ => norm2 d θ <= ϱ ^ 2) (ball d R0) _
             {m | (m < M)%nat} (fun m => shell_parts (proj1_sig m)) (fun m θ _ => inside (proj1_sig m) θ));
      trivial; try lra.
    - intros θ x g Hθ Hx (q & Hq & ->). destruct Hq as (Hq & _). apply ball_kept; trivial.
      destruct Hx as [Hx|(i & Hi & ->)]; [|now apply Hz].
      eapply Rle_trans; [exact Hx|]. apply pow_incr. lra.
    - intros θ x Hθ _. destruct (covered θ H0 HM HD Ho Hϱ Hθ) as (m & Hm & Hin). now exists (exist _ m Hm).
    - intros [m Hm] θ x Hθ Hx Hin. cbn [proj1_sig] in *.
      destruct (Hshell m Hm) as (Hτ & Hν & Hout & Hinn & Hrow & Htarget & _).
      assert (Hαη : 0 <= α * η) by (apply Rmult_le_pos; lra). repeat split.
      + intros gs Hgs. cbn [line0 line shell_parts].
        assert (R1 := rows_line d N z w η σ ε α β (fun _ => hinge_acts) (fun i s => t i * Rmax 0 (1 - s))
                        (row_T m) (row_y (witness m)) θ gs).
        assert (R2 : sum N' (fun i => t' i * Rmax 0 (1 - dot d θ (z' i)))
                     <= sum N' (target_T m) + dot d (fun j => sum N' (fun i => target_y (witness m) i * z' i j)) θ).
        { rewrite (dot_sum d N' (target_y (witness m)) z' θ), <- sum_plus. apply sum_le. intros i Hi.
          destruct (Htarget i Hi). now apply target_line. }
        assert (R3 := interval_lines d N z w η σ ε α β (inside m) t Hw Hη ltac:(lra) Hα o (radius (S m))
                        (row_y (witness m)) (row_reach (witness m)) (fun θ H => proj2 H) Hrow).
        specialize (R1 (fun i q Hi Hq => R3 θ i q Hin Hi Hq) Hgs).
        rewrite (dot_ext d _ (fun j => 1 * sum N (fun i => row_y (witness m) i * z i j)
                   + 1 * sum N' (fun i => target_y (witness m) i * z' i j)) θ θ) by (intros; ring).
        rewrite (dot_lin d 1 1 (fun j => sum N (fun i => row_y (witness m) i * z i j))). unfold target_loss. lra.
      + intros g (q & Hq & ->). rewrite c_along.
        apply (point_quadratic d η σ α β (ball d R0) (R0 * τ_ (witness m)) (fun _ => R0 / τ_ (witness m)) (R0 ^ 2)
                 (ν_ (witness m))); trivial.
        * now apply ball_bounds.
        * apply hinge_constant; trivial.
          apply Rplus_le_le_0_compat; [|apply Rmult_le_pos; [assumption|apply pow2_ge_0]].
          apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
      + cbn [region0 region1 region2 shell_parts]. rewrite diagonal_constant, dot_scale.
        destruct Hin as [Hi Hou]. rewrite from_centre_is in Hi, Hou.
        assert (0 <= inner (witness m) * (norm2 d θ - 2 * dot d o θ + norm2 d o - radius m ^ 2))
          by (apply Rmult_le_pos; lra).
        assert (0 <= outer (witness m) * (radius (S m) ^ 2 - (norm2 d θ - 2 * dot d o θ + norm2 d o)))
          by (apply Rmult_le_pos; lra). lra.
    - intros [m Hm] j Hj. now apply (Hshell m Hm).
    - intros [m Hm]. now apply HB.
  Qed.
End Shells.
