(* Written by privbayes prove: the numbers of the plan whose JSON has sha256
   1d89cf2d5688119100fde750f8f8b1b4c70e4bb9094305ce4d76d3f5858a5eed. *)
From Coq Require Import ZArith List Reals.
From PrivBayes Require Import CountPlan.
Import ListNotations.
Open Scope Z_scope.

(* The measured cells of every table, units of at most 3 row(s), noise at rate 1431655765/8589934592, epsilon = 1/2. *)
Definition counts_private_cells : list Z := [10].
Theorem counts_private_checked : add_ok counts_private_cells 3 1431655765 8589934592 1 2 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition counts_private := fun row cell eqb spec =>
  @add_private row cell eqb spec _ _ _ _ _ _ counts_private_checked.

Check counts_private.
Print Assumptions counts_private.
