(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. For every prior of a grid, the numbers u/2^s that
   the Hellinger mechanism takes for the global sensitivity and for gamma+. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import EdgePrior StepCheck.
Import ListNotations.
Open Scope Z_scope.

Definition global : list (list (Z * Z) * (Z * nat)) := [
([(1, 1); (1, 1); (1, 1)], (4172597441243959, 53%nat));
([(1, 2); (1, 2); (1, 2)], (5429632259631935, 53%nat));
([(7, 1); (4, 1); (5, 1)], (131521705282907, 49%nat));
([(6004799503160661, 18014398509481984); (6004799503160661, 18014398509481984); (6004799503160661, 18014398509481984)], (3078885385043213, 52%nat));
([(3602879701896397, 36028797018963968); (3602879701896397, 18014398509481984); (5404319552844595, 18014398509481984)], (933231113238047, 50%nat));
([(1, 1); (2, 1); (3, 1); (4, 1)], (7360804231876899, 54%nat));
([(5764607523034235, 576460752303423488); (1, 1); (100, 1)], (4140025200175523, 52%nat));
([(1, 4); (1, 4); (1, 4); (1, 4)], (3318799764963185, 52%nat));
([(25, 2); (15, 4); (8, 1)], (3933472242876417, 54%nat));
([(1000, 1); (2000, 1); (1500, 1)], (8320060787921377, 59%nat));
([(50, 1); (1, 2); (5, 1)], (1060459612152165, 51%nat))].
Definition step : list ((Z * Z) * (Z * nat)) := [
((1, 1), (2515928306270833, 51%nat));
((1, 2), (6037892090534209, 52%nat));
((4, 1), (5953859912887379, 53%nat));
((6004799503160661, 18014398509481984), (6540203737695323, 52%nat));
((3602879701896397, 36028797018963968), (949257627333063, 49%nat));
((1, 1), (2515928306270833, 51%nat));
((5764607523034235, 576460752303423488), (4226507826023047, 51%nat));
((1, 4), (1712445778905175, 50%nat));
((15, 4), (95669154639751, 47%nat));
((1000, 1), (3221607514646811, 56%nat));
((1, 2), (6037892090534209, 52%nat))].
Theorem global_checked : forallb (fun e => prior_ok 120 (fst e) (fst (snd e)) (snd (snd e))) global = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem step_checked :
  forallb (fun e => step_ok 400 128 (fst (fst e)) (snd (fst e)) (fst (snd e)) (snd (snd e))) step = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
