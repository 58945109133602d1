(** The final theorems, and what each rests on. [scripts/proofs] reads what this prints. *)

From Unswayed Require Import Statement Process Theorems Labels Variants Randomised Averaged Schedule Certificates Shells Clipped
  Rates FreeBias Ellipsoid Classes Mean Example.

(* docs/theory.md: Theorem 1; Theorems 2, 3 and 4, each with the horizon of Theorem 5; mean estimation *)
Print Assumptions theorem_1.
Print Assumptions theorem_2_holds.
Print Assumptions theorem_3_holds.
Print Assumptions theorem_4_holds.
Print Assumptions theorem_2_randomised.
Print Assumptions varying_poison_rate.
Print Assumptions mean_holds.
Print Assumptions example.

(* Theorem L1 with its parts *)
Print Assumptions theorem_L1.
Print Assumptions set_certified.
Print Assumptions hinge_box.
Print Assumptions hinge_finite.
Print Assumptions labels_certified.
Print Assumptions label_hinge_lines.
Print Assumptions theorem_L12.
Print Assumptions batch_weighted.
Print Assumptions batches.
Print Assumptions theorem_2_batches.
Print Assumptions projection.
Print Assumptions schedules.
Print Assumptions theorem_A2.
Print Assumptions averaged_model.
Print Assumptions clipped_certified.
Print Assumptions theorem_L17.
Print Assumptions ellipsoid_certified.
Print Assumptions multiclass_certified.
