(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. The families of a network of binary variables
   and what Spectrum.OddSensitivity says of their parities: one record changes at most so many of them, and a
   difference of records, the witness, attains it. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Elimination Families.
Import ListNotations.

Definition random0_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [1; 3]]%nat.
Definition random0_order : list nat := [3; 0; 1; 2]%nat.
Definition random0_witness : list nat := [0; 3]%nat.
Theorem random0_checked : odd_ok random0_order random0_families random0_witness 10 6 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random0_odd := odd_sound _ _ _ _ _ random0_checked.

Definition random1_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [3]]%nat.
Definition random1_order : list nat := [3; 0; 1; 2]%nat.
Definition random1_witness : list nat := [0; 3]%nat.
Theorem random1_checked : odd_ok random1_order random1_families random1_witness 9 5 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random1_odd := odd_sound _ _ _ _ _ random1_checked.

Definition random2_families : list (list nat) := [[0]; [0; 1]; [2]; [2; 3]; [0; 2; 3; 4]]%nat.
Definition random2_order : list nat := [1; 0; 2; 3; 4]%nat.
Definition random2_witness : list nat := [1; 2]%nat.
Theorem random2_checked : odd_ok random2_order random2_families random2_witness 18 10 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random2_odd := odd_sound _ _ _ _ _ random2_checked.

Definition random3_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [0; 3]; [0; 2; 3; 4]]%nat.
Definition random3_order : list nat := [1; 0; 2; 3; 4]%nat.
Definition random3_witness : list nat := [1; 3]%nat.
Theorem random3_checked : odd_ok random3_order random3_families random3_witness 20 12 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random3_odd := odd_sound _ _ _ _ _ random3_checked.

Definition random4_families : list (list nat) := [[0]; [0; 1]; [0; 2]; [0; 1; 2; 3]; [0; 4]; [2; 5]]%nat.
Definition random4_order : list nat := [4; 5; 0; 1; 2; 3]%nat.
Definition random4_witness : list nat := [1; 4; 5]%nat.
Theorem random4_checked : odd_ok random4_order random4_families random4_witness 20 12 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random4_odd := odd_sound _ _ _ _ _ random4_checked.

Definition random5_families : list (list nat) := [[0]; [0; 1]; [2]; [3]; [3; 4]; [5]]%nat.
Definition random5_order : list nat := [2; 5; 0; 1; 3; 4]%nat.
Definition random5_witness : list nat := [0; 2; 3; 5]%nat.
Theorem random5_checked : odd_ok random5_order random5_families random5_witness 9 6 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random5_odd := odd_sound _ _ _ _ _ random5_checked.

Definition random6_families : list (list nat) := [[0]; [0; 1]; [2]; [1; 3]; [4]; [1; 2; 3; 5]; [6]]%nat.
Definition random6_order : list nat := [4; 6; 0; 1; 2; 3; 5]%nat.
Definition random6_witness : list nat := [0; 2; 4; 6]%nat.
Theorem random6_checked : odd_ok random6_order random6_families random6_witness 20 12 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random6_odd := odd_sound _ _ _ _ _ random6_checked.

Definition random7_families : list (list nat) := [[0]; [1]; [0; 1; 2]; [3]; [0; 1; 3; 4]; [0; 3; 4; 5]; [0; 2; 4; 6]]%nat.
Definition random7_order : list nat := [5; 3; 1; 0; 2; 4; 6]%nat.
Definition random7_witness : list nat := [1; 5; 6]%nat.
Theorem random7_checked : odd_ok random7_order random7_families random7_witness 38 26 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random7_odd := odd_sound _ _ _ _ _ random7_checked.

Definition random8_families : list (list nat) := [[0]; [1]; [2]; [2; 3]; [3; 4]; [3; 5]; [6]; [2; 4; 6; 7]]%nat.
Definition random8_order : list nat := [0; 1; 5; 3; 2; 4; 6; 7]%nat.
Definition random8_witness : list nat := [0; 1; 2; 4; 5]%nat.
Theorem random8_checked : odd_ok random8_order random8_families random8_witness 23 14 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random8_odd := odd_sound _ _ _ _ _ random8_checked.

Definition random9_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [3]; [4]; [1; 2; 5]; [5; 6]; [0; 5; 7]]%nat.
Definition random9_order : list nat := [3; 4; 6; 7; 0; 1; 2; 5]%nat.
Definition random9_witness : list nat := [1; 3; 4; 6; 7]%nat.
Theorem random9_checked : odd_ok random9_order random9_families random9_witness 21 14 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random9_odd := odd_sound _ _ _ _ _ random9_checked.

Definition random10_families : list (list nat) := [[0]; [0; 1]; [0; 2]; [3]; [0; 2; 3; 4]; [5]; [6]; [4; 7]; [8]]%nat.
Definition random10_order : list nat := [5; 6; 8; 1; 7; 0; 2; 3; 4]%nat.
Definition random10_witness : list nat := [1; 2; 5; 6; 7; 8]%nat.
Theorem random10_checked : odd_ok random10_order random10_families random10_witness 23 15 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random10_odd := odd_sound _ _ _ _ _ random10_checked.

Definition random11_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [3]; [1; 4]; [1; 2; 3; 5]; [6]; [7]; [8]]%nat.
Definition random11_order : list nat := [6; 7; 8; 4; 0; 1; 2; 3; 5]%nat.
Definition random11_witness : list nat := [0; 3; 4; 6; 7; 8]%nat.
Theorem random11_checked : odd_ok random11_order random11_families random11_witness 25 17 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random11_odd := odd_sound _ _ _ _ _ random11_checked.

Definition random12_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [3]; [0; 1; 4]; [2; 3; 4; 5]; [6]; [7]; [0; 1; 8]; [9]]%nat.
Definition random12_order : list nat := [6; 7; 9; 8; 0; 1; 2; 3; 4; 5]%nat.
Definition random12_witness : list nat := [2; 4; 6; 7; 8; 9]%nat.
Theorem random12_checked : odd_ok random12_order random12_families random12_witness 32 21 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random12_odd := odd_sound _ _ _ _ _ random12_checked.

Definition random13_families : list (list nat) := [[0]; [0; 1]; [2]; [3]; [0; 1; 2; 4]; [1; 2; 4; 5]; [0; 6]; [5; 6; 7]; [8]; [1; 3; 7; 9]]%nat.
Definition random13_order : list nat := [8; 3; 9; 7; 6; 0; 1; 2; 4; 5]%nat.
Definition random13_witness : list nat := [0; 3; 5; 8]%nat.
Theorem random13_checked : odd_ok random13_order random13_families random13_witness 45 29 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random13_odd := odd_sound _ _ _ _ _ random13_checked.

Definition random14_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [2; 3]; [0; 1; 4]; [2; 3; 4; 5]; [0; 6]; [3; 7]; [1; 6; 8]; [1; 7; 9]; [0; 9; 10]]%nat.
Definition random14_order : list nat := [8; 6; 10; 5; 9; 3; 0; 1; 2; 4; 7]%nat.
Definition random14_witness : list nat := [2; 4; 6; 7; 10]%nat.
Theorem random14_checked : odd_ok random14_order random14_families random14_witness 44 28 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random14_odd := odd_sound _ _ _ _ _ random14_checked.

Definition random15_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [0; 3]; [1; 2; 4]; [1; 5]; [6]; [2; 7]; [0; 2; 3; 8]; [9]; [4; 6; 10]]%nat.
Definition random15_order : list nat := [9; 5; 7; 6; 10; 4; 1; 0; 2; 3; 8]%nat.
Definition random15_witness : list nat := [0; 4; 5; 7; 9]%nat.
Theorem random15_checked : odd_ok random15_order random15_families random15_witness 35 22 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random15_odd := odd_sound _ _ _ _ _ random15_checked.

Definition random16_families : list (list nat) := [[0]; [0; 1]; [0; 1; 2]; [3]; [1; 4]; [2; 3; 5]; [3; 6]; [7]; [8]; [0; 5; 9]; [7; 8; 10]; [0; 1; 11]]%nat.
Definition random16_order : list nat := [4; 6; 3; 7; 8; 10; 9; 5; 2; 0; 1; 11]%nat.
Definition random16_witness : list nat := [2; 4; 6; 7; 9; 11]%nat.
Theorem random16_checked : odd_ok random16_order random16_families random16_witness 34 23 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random16_odd := odd_sound _ _ _ _ _ random16_checked.

Definition random17_families : list (list nat) := [[0]; [0; 1]; [2]; [1; 2; 3]; [0; 3; 4]; [3; 4; 5]; [5; 6]; [0; 7]; [8]; [0; 3; 7; 9]; [1; 10]; [0; 6; 10; 11]]%nat.
Definition random17_order : list nat := [8; 2; 7; 9; 11; 1; 4; 3; 0; 5; 6; 10]%nat.
Definition random17_witness : list nat := [1; 4; 5; 7; 8; 11]%nat.
Theorem random17_checked : odd_ok random17_order random17_families random17_witness 48 30 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random17_odd := odd_sound _ _ _ _ _ random17_checked.

Definition random18_families : list (list nat) := [[0]; [0; 1]; [0; 2]; [1; 2; 3]; [1; 3; 4]; [5]; [6]; [0; 4; 5; 7]; [2; 4; 8]; [4; 6; 9]; [1; 4; 10]; [11]; [4; 12]]%nat.
Definition random18_order : list nat := [11; 12; 6; 9; 8; 10; 3; 1; 2; 0; 4; 5; 7]%nat.
Definition random18_witness : list nat := [0; 3; 6; 8; 10; 11; 12]%nat.
Theorem random18_checked : odd_ok random18_order random18_families random18_witness 46 31 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random18_odd := odd_sound _ _ _ _ _ random18_checked.

Definition random19_families : list (list nat) := [[0]; [1]; [2]; [3]; [0; 1; 3; 4]; [0; 1; 2; 5]; [1; 3; 4; 6]; [7]; [8]; [1; 2; 8; 9]; [2; 3; 6; 10]; [10; 11];
[7; 12]]%nat.
Definition random19_order : list nat := [7; 12; 11; 5; 8; 9; 10; 0; 1; 2; 3; 4; 6]%nat.
Definition random19_witness : list nat := [0; 6; 7; 8; 11]%nat.
Theorem random19_checked : odd_ok random19_order random19_families random19_witness 64 40 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition random19_odd := odd_sound _ _ _ _ _ random19_checked.
