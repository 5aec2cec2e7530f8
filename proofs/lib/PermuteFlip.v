(* Permute-and-flip: candidates are visited in random order, and candidate r is taken with probability a_r when it is
   visited.  A random order is a uniform arrival time t for every candidate, so that r is released with probability
   a_r times the integral over t in [0, 1] of the product of 1 - t a_s over the others. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Fixpoint missed (others : list R) (t : R) : R := match others with [] => 1 |
  e :: l => (1 - t * exp (- e)) * missed l t end.
(* the law: e is the exponent of the candidate's own coin, others are those of the other candidates *)
Definition flip (e : R) (others : list R) : R := exp (- e) * RInt (missed others) 0 1.

Lemma coin_range e : 0 <= e -> 0 < exp (- e) <= 1.
Proof.
  intros H. split; [apply exp_pos|]. rewrite <- exp_0. destruct (Req_dec e 0) as [->|]; [rewrite Ropp_0; lra|].
  left. apply exp_increasing. lra.
Qed.
Lemma missed_range l t : List.Forall (Rle 0) l -> 0 <= t <= 1 -> 0 <= missed l t <= 1.
Proof.
  intros F H. induction F as [|e l He F IH]; cbn; [lra|]. pose proof (coin_range e He).
  assert (0 <= t * exp (- e) <= 1) by nra. nra.
Qed.
Lemma missed_continuous l t : continuous (missed l) t.
Proof.
  induction l as [|e l IH]; cbn; [apply continuous_const|].
  apply (continuous_mult (fun t => 1 - t * exp (- e)) (missed l)); [|assumption].
  apply (ex_derive_continuous (fun t => 1 - t * exp (- e))). auto_derive. exact I.
Qed.
Lemma missed_integrable l a b : ex_RInt (missed l) a b.
Proof. apply (ex_RInt_continuous (missed l)). intros. apply missed_continuous. Qed.

(* coins of y, slowed down by the factor b, are missed at least as often as those of x *)
Lemma missed_slower c l m t : 0 <= c -> 0 <= t <= 1 -> List.Forall2 (fun e f => 0 <= e /\ 0 <= f /\ Rabs (e - f) <=
  c) l m ->
  0 <= missed l t /\ missed l t <= missed m (exp (- c) * t).
Proof.
  intros C H F. induction F as [|e f l m (E & E' & D) F [IH0 IH]]; cbn; [lra|].
  pose proof (coin_range e E). pose proof (coin_range f E'). pose proof (coin_range c C).
  assert (B : exp (- c) * exp (- f) <= exp (- e)).
  { rewrite <- exp_plus. destruct (Req_dec (- c + - f) (- e)) as [->|]; [lra|]. left. apply exp_increasing.
    unfold Rabs in D. destruct (Rcase_abs _) in D; lra. }
  assert (0 <= t * exp (- e) <= 1) by nra.
  assert (exp (- c) * t * exp (- f) <= t * exp (- e)).
  { replace (exp (- c) * t * exp (- f)) with (t * (exp (- c) * exp (- f))) by ring. apply Rmult_le_compat_l; lra. }
  split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
Qed.

Theorem flip_private c e f l m : 0 <= c -> Rabs (e - f) <= c ->
  List.Forall2 (fun e f => 0 <= e /\ 0 <= f /\ Rabs (e - f) <= c) l m -> flip e l <= exp (2 * c) * flip f m.
Proof.
  intros C D F. unfold flip. pose proof (coin_range c C) as [b0 b1]. set (b := exp (- c)) in *.
  assert (P : List.Forall (Rle 0) m) by (clear - F; induction F; constructor; tauto).
  assert (X : ex_RInt (fun t => missed m (b * t)) 0 1).
  { apply (ex_RInt_continuous (fun t => missed m (b * t))). intros t _.
    apply (continuous_comp (fun t => b * t) (missed m)); [|apply missed_continuous].
    apply (ex_derive_continuous (fun t => b * t)). auto_derive. exact I. }
  assert (S1 : RInt (missed l) 0 1 <= RInt (fun t => missed m (b * t)) 0 1).
  { apply RInt_le; [lra|apply missed_integrable|assumption|]. intros t Ht.
    apply (missed_slower c l m t); auto; lra. }
  assert (S2 : b * RInt (fun t => missed m (b * t)) 0 1 = RInt (missed m) 0 b).
  { pose proof (RInt_comp_lin (missed m) b 0 0 1 (missed_integrable m _ _)) as L.
    replace (b * 0 + 0) with 0 in L by ring. replace (b * 1 + 0) with b in L by ring. rewrite <- L.
    rewrite (RInt_ext (fun y => scal b (missed m (b * y + 0))) (fun y => scal b (missed m (b * y)))) by (intros z _;
      rewrite Rplus_0_r; reflexivity).
    symmetry. exact (RInt_scal (fun t => missed m (b * t)) 0 1 b X). }
  assert (S3 : RInt (missed m) 0 b <= RInt (missed m) 0 1).
  { rewrite <- (RInt_Chasles (missed m) 0 b 1) by apply missed_integrable. unfold plus; simpl.
    assert (0 <= RInt (missed m) b 1); [|lra]. apply RInt_ge_0; [assumption|apply missed_integrable|].
    intros t Ht. apply missed_range; [assumption|lra]. }
  assert (bc : b * exp c = 1) by (unfold b; rewrite <- exp_plus, Rplus_opp_l, exp_0; reflexivity).
  pose proof (exp_pos c) as ec. pose proof (exp_pos (- f)) as ef.
  assert (E : exp (- e) <= exp c * exp (- f)).
  { rewrite <- exp_plus. destruct (Req_dec (- e) (c + - f)) as [->|]; [lra|]. left. apply exp_increasing.
    unfold Rabs in D. destruct (Rcase_abs _) in D; lra. }
  set (J := RInt (fun t => missed m (b * t)) 0 1) in *. set (I1 := RInt (missed m) 0 1) in *.
  assert (J1 : J <= exp c * I1).
  { replace J with (exp c * (b * J)) by (rewrite <- Rmult_assoc, (Rmult_comm (exp c)), bc; ring).
    apply Rmult_le_compat_l; lra. }
  assert (L0 : 0 <= RInt (missed l) 0 1).
  { apply RInt_ge_0; [lra|apply missed_integrable|]. intros t Ht. apply (missed_slower c l m t); auto; lra. }
  replace (2 * c) with (c + c) by ring. rewrite exp_plus.
  replace (exp c * exp c * (exp (- f) * I1)) with ((exp c * exp (- f)) * (exp c * I1)) by ring.
  apply Rmult_le_compat; [left; apply exp_pos|assumption|assumption|lra].
Qed.
