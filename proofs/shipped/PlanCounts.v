(* Written by privbayes prove: the numbers of the plan whose JSON has sha256
   c1a2de023ae292d7ece716c3a9eabc5e1dac7606785409b83f664be8bd5b09fe. *)
From Coq Require Import ZArith List Reals.
From PrivBayes Require Import CountPlan.
Import ListNotations.
Open Scope Z_scope.

(* The measured cells of every table, units of at most 1 row(s), noise at rate 1/32, epsilon = 1. *)
Definition counts_private_cells : list Z := [6; 6; 6; 6; 6; 6; 6; 6; 6; 6; 6; 6; 6; 6; 6; 6].
Theorem counts_private_checked : replace_ok counts_private_cells 1 1 32 1 1 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition counts_private := fun row cell eqb spec =>
  @replace_private row cell eqb spec _ _ _ _ _ _ counts_private_checked.

Check counts_private.
Print Assumptions counts_private.
