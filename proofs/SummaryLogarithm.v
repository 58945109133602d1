(** The same for the theorems about the logistic loss. Coq's own logarithm rests on the excluded middle, so these do. *)

From Unswayed Require Import Labels Logistic Certificates.

Print Assumptions logistic_ball.
Print Assumptions logistic_finite.
Print Assumptions label_logistic_lines.
Print Assumptions error_logistic_ball.
Print Assumptions piece_above.
Print Assumptions lambert.
Print Assumptions lambert_number.
