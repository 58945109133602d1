(** The final theorems, and what each rests on. [scripts/proofs] reads what this prints. *)

From Unswayed Require Import Statement Theorems Labels Variants Certificates.

(* docs/theory.md: Theorems 2, 3 and 4, each with the horizon of Theorem 5 *)
Print Assumptions theorem_2_holds.
Print Assumptions theorem_3_holds.
Print Assumptions theorem_4_holds.

(* docs/learners.md *)
Print Assumptions theorem_L1.
Print Assumptions set_certified.
Print Assumptions hinge_box.
Print Assumptions hinge_finite.
Print Assumptions labels_certified.
Print Assumptions label_hinge_lines.
Print Assumptions batch_weighted.
Print Assumptions batches.
Print Assumptions projection.
Print Assumptions schedules.
