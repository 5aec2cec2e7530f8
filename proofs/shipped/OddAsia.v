(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. The families of a network of binary variables
   and what Spectrum.OddSensitivity says of their parities: one record changes at most so many of them, and a
   difference of records, the witness, attains it. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Elimination Families.
Import ListNotations.

Definition asia_families : list (list nat) := [[0]; [0; 1]; [2]; [2; 3]; [2; 4]; [1; 3; 5]; [5; 6]; [4; 5; 7]]%nat.
Definition asia_order : list nat := [0; 6; 1; 7; 2; 3; 4; 5]%nat.
Definition asia_witness : list nat := [1; 2; 6; 7]%nat.
Theorem asia_checked : odd_ok asia_order asia_families asia_witness 21 14 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition asia_odd := odd_sound _ _ _ _ _ asia_checked.
