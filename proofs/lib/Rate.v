(* The rate of a Hellinger plan: an integer test that kappa times the bound of Theorem 1 is at most epsilon. *)
From Coq Require Import ZArith List Lia Bool Reals Lra.
From PrivBayes Require Import Exponential Reciprocal.
Open Scope Z_scope.

(* kappa = a/b, gamma = c/d, epsilon = p/q *)
Definition rate_i_ok (a b c d p q : Z) : bool :=
  (0 <? a) && (0 <? b) && (0 <=? c) && (0 <? d) && (0 <? q) && (a * (2 * d + c) * q <=? p * b * d).
Definition rate_ii_ok (a b c d p q : Z) : bool :=
  (0 <? a) && (0 <? b) && (0 <=? c) && (0 <? d) && (0 <? q) && (0 <=? p * b - a * q) &&
  ((a * q) * (a * q) * (d * d + 2 * (c * c)) <=? (p * b - a * q) * (p * b - a * q) * (d * d)).
Open Scope R_scope.

Lemma rate_i a b c d p q : rate_i_ok a b c d p q = true ->
  0 < IZR a / IZR b /\ IZR a / IZR b * (2 + IZR c / IZR d) <= IZR p / IZR q.
Proof.
  unfold rate_i_ok. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[[[[A B] C] D] Q] H].
  apply IZR_lt in A, B, D, Q. apply IZR_le in H. rewrite !mult_IZR, plus_IZR, mult_IZR in H.
  split; [apply Rdiv_lt_0_compat; assumption|].
  apply (Rmult_le_reg_r (IZR b * IZR d * IZR q)); [repeat apply Rmult_lt_0_compat; assumption|].
  replace (IZR a / IZR b * (2 + IZR c / IZR d) * (IZR b * IZR d * IZR q))
    with (IZR a * (2 * IZR d + IZR c) * IZR q) by (field; lra).
  replace (IZR p / IZR q * (IZR b * IZR d * IZR q)) with (IZR p * IZR b * IZR d) by (field; lra). assumption.
Qed.

Lemma rate_ii a b c d p q : rate_ii_ok a b c d p q = true ->
  0 < IZR a / IZR b /\ IZR a / IZR b * (1 + sqrt (1 + 2 * (IZR c / IZR d) ^ 2)) <= IZR p / IZR q.
Proof.
  unfold rate_ii_ok. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[[[[[A B] C] D] Q] P] H].
  apply IZR_lt in A, B, D, Q. apply IZR_le in P, H.
  rewrite !mult_IZR, plus_IZR, minus_IZR, !mult_IZR in H. rewrite minus_IZR, !mult_IZR in P.
  assert (K : 0 < IZR a / IZR b) by (apply Rdiv_lt_0_compat; assumption). split; [assumption|].
  assert (S : sqrt (1 + 2 * (IZR c / IZR d) ^ 2) <= IZR p / IZR q * (IZR b / IZR a) - 1).
  { assert (R : IZR p / IZR q * (IZR b / IZR a) - 1 = (IZR p * IZR b - IZR a * IZR q) / (IZR a * IZR q))
      by (field; lra).
    assert (N : 0 <= IZR p / IZR q * (IZR b / IZR a) - 1).
    { rewrite R. apply Rle_mult_inv_pos; [assumption|]. apply Rmult_lt_0_compat; assumption. }
    rewrite <- (sqrt_Rsqr _ N). apply sqrt_le_1_alt. rewrite R. unfold Rsqr.
    apply (Rmult_le_reg_r ((IZR a * IZR q) * (IZR a * IZR q) * (IZR d * IZR d)));
      [repeat apply Rmult_lt_0_compat; assumption|].
    replace ((1 + 2 * (IZR c / IZR d) ^ 2) * (IZR a * IZR q * (IZR a * IZR q) * (IZR d * IZR d)))
      with (IZR a * IZR q * (IZR a * IZR q) * (IZR d * IZR d + 2 * (IZR c * IZR c))) by (field; lra).
    match goal with |- _ <= ?r => replace r with ((IZR p * IZR b - IZR a * IZR q) * (IZR p * IZR b - IZR a * IZR q) *
      (IZR d * IZR d)) by (field; lra) end. assumption. }
  apply Rle_trans with (IZR a / IZR b * (1 + (IZR p / IZR q * (IZR b / IZR a) - 1))).
  - apply Rmult_le_compat_l; lra.
  - right. field. lra.
Qed.

Section Plan.
Variable X : Type.
Variable outs : list X.
Hypothesis some : outs <> nil.

(* The exponential mechanism of the distance to the posterior, scaled by 1/S: pure privacy p/q when the rate passes. *)
Theorem rate_i_private (H : X -> X -> R) (S : X -> R) a b c d p q :
  rate_i_ok a b c d p q = true ->
  (forall x y, H x y = H y x) -> (forall x y z, H x z <= H x y + H y z) -> (forall x y, 0 <= H x y <= 1) ->
  (forall x, 0 < S x) ->
  forall x y, H x y <= S x -> H x y <= S y -> Rabs (1 / S x - 1 / S y) <= IZR c / IZR d -> forall r, In r outs ->
  prob X outs (fun s => IZR a / IZR b * (1 / S x * H x s)) r <=
  exp (IZR p / IZR q) * prob X outs (fun s => IZR a / IZR b * (1 / S y * H y s)) r.
Proof.
  intros K Hs Ht Hr Sp x y Lx Ly G r I. destruct (rate_i _ _ _ _ _ _ K) as [K0 K1].
  eapply Rle_trans; [apply (theorem1_i X outs H S 1 (IZR c / IZR d) some Hs Ht Hr Sp x y Lx Ly G (IZR a / IZR b) _ r K0
    eq_refl I)|].
  apply Rmult_le_compat_r; [unfold prob; left; apply Rdiv_lt_0_compat; [apply exp_pos|apply normaliser_pos; assumption]|]. rewrite Rmult_1_r.
  destruct K1 as [K1| ->]; [left; apply exp_increasing; assumption|apply Rle_refl].
Qed.

Theorem rate_ii_private (theta : X -> X -> R) (S : X -> R) a b c d p q :
  rate_ii_ok a b c d p q = true ->
  (forall x y, theta x y = theta y x) -> (forall x y z, theta x z <= theta x y + theta y z) ->
  (forall x y, 0 <= theta x y <= PI / 2) -> (forall x, 0 < S x) ->
  forall x y, Reciprocal.H X theta x y <= S x -> Reciprocal.H X theta x y <= S y ->
  Rabs (1 / S x - 1 / S y) <= IZR c / IZR d -> forall r, In r outs ->
  prob X outs (fun s => IZR a / IZR b * (1 / S x * Reciprocal.H X theta x s)) r <=
  exp (IZR p / IZR q) * prob X outs (fun s => IZR a / IZR b * (1 / S y * Reciprocal.H X theta y s)) r.
Proof.
  intros K Hs Ht Hr Sp x y Lx Ly G r I. destruct (rate_ii _ _ _ _ _ _ K) as [K0 K1].
  eapply Rle_trans; [apply (theorem1_ii X outs theta S (IZR c / IZR d) some Hs Ht Hr Sp x y Lx Ly G (IZR a / IZR b) _ r
    K0 eq_refl I)|].
  apply Rmult_le_compat_r; [unfold prob; left; apply Rdiv_lt_0_compat; [apply exp_pos|apply normaliser_pos; assumption]|].
  destruct K1 as [K1| ->]; [left; apply exp_increasing; assumption|apply Rle_refl].
Qed.
End Plan.
