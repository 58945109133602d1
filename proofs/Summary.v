(** The final theorems, and what each rests on. [scripts/proofs] reads what this prints. *)

From Unswayed Require Import Statement Theorem2.

Print Assumptions theorem_2_holds.
Print Assumptions theorem_2_limit_holds.
