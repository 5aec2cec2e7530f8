(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. The families of a network of binary variables
   and what Spectrum.OddSensitivity says of their parities: one record changes at most so many of them, and a
   difference of records, the witness, attains it. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Elimination Families.
Import ListNotations.

Definition alarm_families : list (list nat) := [[0; 5]; [1; 4]; [2; 4]; [3]; [3; 4; 5]; [5]; [3; 5; 6]; [7]; [7; 8; 34]; [9; 10; 34]; [10]; [10; 11; 34]; [12]; [13];
[13; 14]; [15; 30; 32]; [16]; [17; 24; 30]; [18]; [18; 19; 31]; [19; 20; 23]; [21; 22]; [22]; [22; 23; 24]; [24];
[16; 24; 25; 29]; [26]; [27]; [27; 28]; [26; 28; 29]; [16; 24; 29; 30]; [24; 30; 31]; [31; 32]; [12; 14; 20; 32; 33];
[33; 34]; [6; 34; 35]; [14; 35; 36]]%nat.
Definition alarm_order : list nat := [0; 1; 2; 13; 21; 27; 4; 3; 5; 6; 7; 8; 9; 10; 11; 15; 17; 18; 22; 26; 28; 36; 25; 16; 29; 12; 34; 35; 14; 33; 30; 19;
20; 23; 24; 31; 32]%nat.
Definition alarm_witness : list nat := [0; 4; 6; 7; 9; 11; 13; 15; 16; 17; 21; 23; 26; 27; 31; 33; 36]%nat.
Theorem alarm_checked : odd_ok alarm_order alarm_families alarm_witness 142 93 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition alarm_odd := odd_sound _ _ _ _ _ alarm_checked.
