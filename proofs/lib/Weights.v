(* The law of the table sampler is exactly its integer weights; and what a weight off by e^{+-eta} costs. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Exponential.
Import ListNotations.
Open Scope R_scope.

(* One round: a group (count c, weight c 2^-k of total G), an entry of it uniformly, kept with probability m 2^-53. *)
Section Draw.
Variables (c k m : nat -> nat) (G : R) (A : R).
(* entry i lies in a group of c i entries and shift k i *)
Hypothesis cpos : forall i, (0 < c i)%nat. Hypothesis Gpos : 0 < G.
Definition w i := INR (m i) * / 2 ^ 53 * / 2 ^ k i.
Definition round i := (INR (c i) * / 2 ^ k i / G) * / INR (c i) * (INR (m i) * / 2 ^ 53).
Lemma round_weight i : round i = w i / G.
Proof. unfold round, w. field. repeat split; try (apply pow_nonzero; lra); try lra. apply not_0_INR.
  specialize (cpos i). intros E. rewrite E in cpos. inversion cpos. Qed.

(* A = sum of all weights / G is the probability that a round accepts; otherwise Draw starts again *)
Theorem draw_exact i : 0 < A <= 1 -> is_series (fun n => round i * (1 - A) ^ n) (w i / (A * G)).
Proof.
  intros H. rewrite round_weight. replace (w i / (A * G)) with (scal (w i / G) (/ (1 - (1 - A)))).
  2:{ unfold scal; simpl; unfold mult; simpl. field. lra. }
  apply (is_series_scal_l (V := R_NormedModule)). apply is_series_geom. rewrite Rabs_pos_eq; lra.
Qed.
End Draw.

(* Weights within e^{+-eta} of exp(-u) and exp(-v): the bounded range grows by 4 eta. *)
Theorem slack (O : Type) (outs : list O) (u v u' v' : O -> R) lo hi eta r :
  outs <> [] -> (forall s, In s outs -> lo <= u s - v s <= hi) ->
  (forall s, Rabs (u' s - u s) <= eta) -> (forall s, Rabs (v' s - v s) <= eta) -> In r outs ->
  prob O outs u' r <= exp (hi - lo + 4 * eta) * prob O outs v' r.
Proof.
  intros N R U V Hr. replace (hi - lo + 4 * eta) with ((hi + 2 * eta) - (lo - 2 * eta)) by ring.
    apply bounded_range; auto.
  intros s Hs. specialize (R s Hs). specialize (U s). specialize (V s). unfold Rabs in *.
    repeat destruct (Rcase_abs _) in *; lra.
Qed.
