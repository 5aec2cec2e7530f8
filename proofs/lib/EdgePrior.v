(* The shipped sensitivity of the Hellinger score: one integer test of a rational prior bounds every neighbouring pair
   of every data set of every size.  Gamma enters by positivity, its recurrence and Wendel's limit. *)
From Coq Require Import Reals Lra ZArith Lia List Bool.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import HellingerGlobal EdgeCheck.
Import ListNotations.
Open Scope R_scope.

(* a prior is a list of a/b; u/2^s is a bound of every edge between two of its cells *)
Definition prior_ok (K : nat) (alpha : list (Z * Z)) (u : Z) (s : nat) : bool :=
  let of := fun e => low K (fst e) (snd e) in
  let lows := map of alpha in let none := of (1, 1)%Z in let cells := seq 0 (length alpha) in
  forallb (fun i => forallb (fun j => Nat.eqb i j ||
    let (a, b) := nth i alpha (1, 1)%Z in let (c, d) := nth j alpha (1, 1)%Z in
    (0 <? a)%Z && (0 <? b)%Z && (0 <? c)%Z && (0 <? d)%Z && pair_ok K (nth i lows none) (nth j lows none) a b c d u s)
    cells) cells.

Definition at_cell (alpha : list (Z * Z)) i := let (a, b) := nth i alpha (1, 1)%Z in IZR a / IZR b.

Section Prior.
Variable Gamma : R -> R.
Hypothesis Gpos : forall t, 0 < t -> 0 < Gamma t.
Hypothesis Grec : forall t, 0 < t -> Gamma (t + 1) = t * Gamma t.
Hypothesis wendel : forall t, 0 < t -> is_lim_seq (fun n => gsq Gamma (t + INR n)) 1.

(* the record leaves cell i, where xi others are, and enters cell j, where xj are *)
Theorem prior_sound K alpha u s : prior_ok K alpha u s = true ->
  forall i j xi xj, (i < length alpha)%nat -> (j < length alpha)%nat -> i <> j ->
  edge Gamma (at_cell alpha i + INR xi) (at_cell alpha j + INR xj) <= IZR u / 2 ^ s.
Proof.
  unfold prior_ok. set (of := fun e => low K (fst e) (snd e)). cbv zeta.
  intros H i j xi xj Hi Hj N. rewrite forallb_forall in H.
  specialize (H i ltac:(apply in_seq; lia)). rewrite forallb_forall in H. specialize (H j ltac:(apply in_seq; lia)).
  apply orb_prop in H as [H|H]; [apply Nat.eqb_eq in H; contradiction|]. unfold at_cell.
  cbv beta zeta in H.
  change (low K (fst (1, 1)%Z) (snd (1, 1)%Z)) with (of (1, 1)%Z) in H. rewrite !map_nth in H. unfold of in H.
    cbn [fst snd] in H.
  destruct (nth i alpha (1, 1)%Z) as [a b]. destruct (nth j alpha (1, 1)%Z) as [c d].
  repeat (apply andb_prop in H as [H ?]). repeat match goal with E : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in E
    end.
  eapply Rle_trans; [apply local_le_global; auto; apply Rdiv_lt_0_compat; apply IZR_lt; assumption|].
  apply (edge_sound Gamma Gpos Grec wendel K a b c d u s). assumption.
Qed.
End Prior.
