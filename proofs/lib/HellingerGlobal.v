(* Closed form and global sensitivity of the Hellinger score, for every n and prior, from Gamma(t+1) = t Gamma(t)
  alone.
   Gamma is any positive function with the recurrence; H any metric whose square is 1 - BC, a distance in L2. *)
From Coq Require Import Reals Lra ZArith Lia Psatz.
Open Scope R_scope.

Section Hellinger.
Variable Gamma : R -> R.
Hypothesis Gpos : forall t, 0 < t -> 0 < Gamma t.
Hypothesis Grec : forall t, 0 < t -> Gamma (t + 1) = t * Gamma t.

Definition g t := Gamma (t + /2) / (Gamma t * sqrt t).
(* the factor of one cell in the Bhattacharyya coefficient of two Dirichlets with the same total *)
Definition bc a b := Gamma ((a + b) / 2) / sqrt (Gamma a * Gamma b).

(* a record leaves a cell: c -> c - 1 = t *)
Lemma leave t : 0 < t -> bc (t + 1) t = g t.
Proof.
  intros H. unfold bc, g. rewrite Grec by assumption. replace ((t + 1 + t) / 2) with (t + /2) by field.
  replace (t * Gamma t * Gamma t) with (Gamma t * Gamma t * t) by ring. pose proof (Gpos t H).
  rewrite sqrt_mult, sqrt_square; try lra. nra.
Qed.
Lemma bc_sym a b : bc a b = bc b a.
Proof. unfold bc. rewrite (Rplus_comm a), (Rmult_comm (Gamma a)). reflexivity. Qed.
Lemma bc_same a : 0 < a -> bc a a = 1.
Proof. intros H. unfold bc. replace ((a + a) / 2) with a by field. pose proof (Gpos a H).
  rewrite sqrt_square by lra. field. lra. Qed.

(* BC of neighbours, a record moved from cell i to cell j (the others are bc a a = 1): the closed form *)
Theorem move ci cj : 1 < ci -> 0 < cj -> bc ci (ci - 1) * bc cj (cj + 1) = g (ci - 1) * g cj.
Proof. intros Hi Hj. rewrite (bc_sym cj). rewrite <- (leave (ci - 1)), <- (leave cj) by lra.
  replace (ci - 1 + 1) with ci by ring. reflexivity. Qed.

Lemma gpos t : 0 < t -> 0 < g t.
Proof. intros H. unfold g. apply Rdiv_lt_0_compat; [apply Gpos; lra|].
  apply Rmult_lt_0_compat; [auto|apply sqrt_lt_R0; assumption]. Qed.

(* g grows along integer steps *)
Lemma gstep t : 0 < t -> g t <= g (t + 1).
Proof.
  intros H. unfold g. replace (t + 1 + /2) with (t + /2 + 1) by ring. rewrite (Grec (t + /2)), (Grec t) by lra.
  pose proof (Gpos t H). assert (0 < Gamma (t + /2)) by (apply Gpos; lra).
  assert (0 < sqrt t) by (apply sqrt_lt_R0; assumption). assert (0 < sqrt (t + 1)) by (apply sqrt_lt_R0; lra).
  assert (K : t * sqrt (t + 1) <= (t + /2) * sqrt t).
  { apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
    replace (t * sqrt (t + 1) * (t * sqrt (t + 1))) with (t * t * (sqrt (t + 1) * sqrt (t + 1))) by ring.
    replace ((t + /2) * sqrt t * ((t + /2) * sqrt t)) with ((t + /2) * (t + /2) * (sqrt t * sqrt t)) by ring.
    rewrite !sqrt_sqrt by lra. nra. }
  apply (Rmult_le_reg_l (Gamma t * sqrt t * (t * Gamma t * sqrt (t + 1)))).
    { repeat apply Rmult_lt_0_compat; assumption. }
  replace (_ * (Gamma (t + /2) / (Gamma t * sqrt t))) with (Gamma t * Gamma (t + /2) * (t * sqrt (t + 1))) by
    (field; lra).
  replace (_ * ((t + /2) * Gamma (t + /2) / (t * Gamma t * sqrt (t + 1)))) with (Gamma t * Gamma (t + /2) * ((t +
    /2) * sqrt t)) by (field; lra).
  apply Rmult_le_compat_l; [|assumption]. left. apply Rmult_lt_0_compat; assumption.
Qed.
Lemma gmono t k : 0 < t -> g t <= g (t + INR k).
Proof.
  intros H. induction k as [|k IH]. { rewrite Rplus_0_r. lra. }
  rewrite S_INR, <- Rplus_assoc. eapply Rle_trans; [exact IH|]. apply gstep. pose proof (pos_INR k). lra.
Qed.

Definition edge p q := sqrt (1 - g p * g q).

(* Every neighbouring pair, any n: the record leaves cell i, which holds xi + 1 records, and enters j, which holds
  xj. *)
Theorem local_le_global ai aj xi xj : 0 < ai -> 0 < aj -> edge (ai + INR xi) (aj + INR xj) <= edge ai aj.
Proof.
  intros Hi Hj. unfold edge. apply sqrt_le_1_alt. pose proof (gmono ai xi Hi). pose proof (gmono aj xj Hj).
    pose proof (gpos ai Hi). pose proof (gpos aj Hj). nra.
Qed.

(* Scores: any output r. H is a metric on data sets (through the posterior), H x y the edge of a neighbouring pair. *)
Variables (X : Type) (H : X -> X -> R).
Hypothesis sym : forall a b, H a b = H b a.
Hypothesis tri : forall a b c, H a c <= H a b + H b c.
Theorem score_sensitivity x y r D : H x y <= D -> Rabs (H x r - H y r) <= D.
Proof. intros L. pose proof (tri x y r). pose proof (tri y x r). pose proof (sym x y). apply Rabs_le. lra. Qed.
End Hellinger.
