(* Written by privbayes prove: the numbers of the plan whose JSON has sha256
   9e28f232bd688a039bd8fc3644252ec48fdf3a5a4d00ca1c91fe6fa872e58373. *)
From Coq Require Import ZArith List Reals.
From PrivBayes Require Import CountPlan Families.
Import ListNotations.
Open Scope Z_scope.

(* The families, an elimination order, a witness, and the number of parities that one record changes; units of
   at most 1 record(s), noise at rate 1227133513/17179869184, epsilon = 1. *)
Definition parities_private_families : list (list nat) := [[0; 1]; [2; 3]; [2; 4]; [1; 3; 5]; [5; 6]; [4; 5; 7]]%nat.
Definition parities_private_order : list nat := [0; 6; 1; 7; 2; 3; 4; 5]%nat.
Definition parities_private_witness : list nat := [1; 2; 6; 7]%nat.
Theorem parities_private_checked : fourier_ok parities_private_order parities_private_families parities_private_witness 21 14 1 1227133513 17179869184 1 1 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition parities_private := fourier_private _ _ _ _ _ _ _ _ _ _ parities_private_checked.

Check parities_private.
Print Assumptions parities_private.
