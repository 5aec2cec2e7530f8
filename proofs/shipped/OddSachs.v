(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. The families of a network of binary variables
   and what Spectrum.OddSensitivity says of their parities: one record changes at most so many of them, and a
   difference of records, the witness, attains it. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Elimination Families.
Import ListNotations.

Definition sachs_families : list (list nat) := [[0; 1; 7]; [1; 3; 7]; [2; 7; 8]; [3; 7; 8; 10]; [4; 7; 8]; [5; 6; 9]; [6; 9]; [7; 8]; [8]; [9]; [7; 8; 10]]%nat.
Definition sachs_order : list nat := [0; 1; 2; 4; 5; 6; 9; 3; 7; 8; 10]%nat.
Definition sachs_witness : list nat := [0; 2; 3; 4; 5]%nat.
Theorem sachs_checked : odd_ok sachs_order sachs_families sachs_witness 39 26 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition sachs_odd := odd_sound _ _ _ _ _ sachs_checked.
