(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. The families of a network of binary variables
   and what Spectrum.OddSensitivity says of their parities: one record changes at most so many of them, and a
   difference of records, the witness, attains it. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Elimination Families.
Import ListNotations.

Definition child_families : list (list nat) := [[0]; [1; 15; 16]; [2; 16; 17]; [3; 17]; [4; 17; 18]; [5; 17; 19]; [6; 14]; [1; 2; 7]; [2; 8]; [3; 9]; [4; 10];
[0; 11]; [5; 12]; [11; 13; 19]; [11; 14]; [11; 15]; [11; 16]; [11; 17]; [11; 18]; [11; 19]]%nat.
Definition child_order : list nat := [0; 6; 8; 9; 3; 10; 12; 14; 4; 5; 7; 13; 18; 19; 1; 2; 11; 15; 16; 17]%nat.
Definition child_witness : list nat := [0; 3; 5; 7; 8; 10; 13; 14; 15; 16; 18]%nat.
Theorem child_checked : odd_ok child_order child_families child_witness 57 39 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition child_odd := odd_sound _ _ _ _ _ child_checked.
