(** The final theorems, and what each rests on. [scripts/proofs] reads what this prints. *)

From Unswayed Require Import Statement Theorems.

(* docs/theory.md: Theorems 2, 3 and 4, each with the horizon of Theorem 5 *)
Print Assumptions theorem_2_holds.
Print Assumptions theorem_3_holds.
Print Assumptions theorem_4_holds.
