(* Integer tests of enclosures of exp and log at fractions: from the partial sums of e^y above and of e^-y below. *)
From Coq Require Import Reals Lra Lia ZArith Bool.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import ExpBound Sampler.
Open Scope R_scope.

(* for 0 <= y <= 1 an even number of terms of e^-y is below it *)
Lemma alternating_below y n : 0 <= y <= 1 -> sum_f_R0 (fun i => / INR (fact i) * (- y) ^ i) (2 * n + 1) <= exp (- y).
Proof.
  intros H.
  assert (G : forall m, sum_f_R0 (fun i => / INR (fact i) * (- y) ^ i) (2 * m + 1) =
              sum_f_R0 (fun i => Sampler.term y (2 * i) - Sampler.term y (2 * i + 1)) m) by (intros; symmetry; apply even_odd).
  assert (L : is_lim_seq (fun m => sum_f_R0 (fun i => / INR (fact i) * (- y) ^ i) (2 * m + 1)) (exp (- y))).
  { apply (is_lim_seq_subseq (sum_f_R0 (fun i => / INR (fact i) * (- y) ^ i)) (exp (- y)) (fun n => (2 * n + 1)%nat)).
    - apply eventually_subseq. intros. lia.
    - apply is_lim_seq_Reals. unfold exp. destruct (exist_exp (- y)) as [l Hl]. exact Hl. }
  apply (is_lim_seq_incr_compare _ _ L). intros m. rewrite !G, tech5.
  enough (Sampler.term y (2 * S m + 1) <= Sampler.term y (2 * S m)) by lra.
  replace (2 * S m + 1)%nat with (S (2 * S m)) by lia. rewrite Sampler.term_S.
  assert (0 <= Sampler.term y (2 * S m)).
  { unfold Sampler.term. apply Rle_mult_inv_pos; [apply pow_le; lra|apply INR_fact_lt_0]. }
  assert (0 < INR (S (2 * S m))) by (apply lt_0_INR; lia).
  assert (y / INR (S (2 * S m)) <= 1).
  { apply (Rmult_le_reg_r (INR (S (2 * S m)))); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (1 <= INR (S (2 * S m))) by (apply (le_INR 1); lia). lra. }
  rewrite <- (Rmult_1_l (Sampler.term y (2 * S m))) at 2. apply Rmult_le_compat_r; assumption.
Qed.
Lemma horner_negative y n : 0 <= y <= 1 -> horner (- y) (2 * n + 1) 0 <= exp (- y).
Proof.
  intros H. eapply Rle_trans; [|apply (alternating_below y n H)].
  assert (T : ExpBound.term (- y) 0 = 1) by (unfold ExpBound.term; cbn; field).
  rewrite <- (Rmult_1_l (horner (- y) (2 * n + 1) 0)), <- T, horner_sum. right. apply sum_eq. intros i _. cbn [Nat.add].
  unfold ExpBound.term. field. apply INR_fact_neq_0.
Qed.

(* e^(p/q) <= num/den: y = p/(q m) is at most 1, and num/den is at least the m-th power of a bound of e^y *)
Definition above_ok (n m : nat) (num den p q : Z) : bool :=
  ((0 <? q) && (0 <=? p) && (0 <? den) && (0 <? Z.of_nat m) && (p <=? q * Z.of_nat m) &&
   let (s, d) := fraction (2 * n + 1) 0 (- p) (q * Z.of_nat m) in
   (0 <? s) && (d ^ Z.of_nat m * den <=? num * s ^ Z.of_nat m))%Z.

Lemma exp_power x m : exp x ^ m = exp (INR m * x).
Proof. induction m as [|m IH]; [cbn; rewrite Rmult_0_l, exp_0; reflexivity|]. rewrite <- tech_pow_Rmult, IH, <- exp_plus.
  f_equal. rewrite S_INR. ring. Qed.

Theorem above_sound n m num den p q : above_ok n m num den p q = true -> exp (IZR p / IZR q) <= IZR num / IZR den.
Proof.
  unfold above_ok. intros H. repeat rewrite andb_true_iff in H. destruct H as [[[[[Q P] D] M] L] H].
  apply Z.ltb_lt in Q, D, M. apply Z.leb_le in P, L.
  assert (QM : (0 < q * Z.of_nat m)%Z) by nia.
  pose proof (fraction_sound (2 * n + 1) (- p) (q * Z.of_nat m) QM 0) as F.
  destruct (fraction (2 * n + 1) 0 (- p) (q * Z.of_nat m)) as [s d]. cbn [fst snd] in F. destruct F as [Dd E].
  apply andb_true_iff in H as [Sp H]. apply Z.ltb_lt in Sp. apply Z.leb_le in H.
  apply IZR_le in H. rewrite !mult_IZR, <- !pow_IZR in H.
  assert (Qr : 0 < IZR (q * Z.of_nat m)) by (apply IZR_lt; assumption).
  set (y := IZR p / IZR (q * Z.of_nat m)) in *.
  assert (Y : 0 <= y <= 1).
  { apply IZR_le in P, L. split; [apply Rle_mult_inv_pos; assumption|].
    apply (Rmult_le_reg_r (IZR (q * Z.of_nat m))); [assumption|]. unfold y, Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  pose proof (horner_negative y n Y) as B. replace (- y) with (IZR (- p) / IZR (q * Z.of_nat m)) in B at 1.
  2:{ unfold y. rewrite opp_IZR. field. lra. }
  apply IZR_lt in Dd, Sp, D, Q, M.
  assert (X : exp y <= IZR d / IZR s).
  { rewrite exp_Ropp in B. pose proof (exp_pos y) as Ey.
    apply (Rmult_le_reg_l (/ exp y)); [apply Rinv_0_lt_compat; assumption|]. rewrite Rinv_l by lra.
    replace (/ exp y * (IZR d / IZR s)) with (IZR d * / exp y / IZR s) by (field; lra).
    apply (Rmult_le_reg_r (IZR s)); [assumption|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
    rewrite E. apply (Rmult_le_compat_l (IZR d)) in B; lra. }
  assert (XX : exp (IZR p / IZR q) = exp y ^ m).
  { rewrite exp_power. f_equal. unfold y. rewrite mult_IZR, INR_IZR_INZ. field. lra. }
  rewrite XX. eapply Rle_trans; [apply pow_incr; split; [left; apply exp_pos|exact X]|].
  unfold Rdiv at 1. rewrite Rpow_mult_distr, pow_inv.
  assert (0 < IZR s ^ m) by (apply pow_lt; assumption).
  apply (Rmult_le_reg_r (IZR s ^ m * IZR den)); [apply Rmult_lt_0_compat; assumption|].
  replace (IZR d ^ m * / IZR s ^ m * (IZR s ^ m * IZR den)) with (IZR d ^ m * IZR den) by (field; lra).
  replace (IZR num / IZR den * (IZR s ^ m * IZR den)) with (IZR num * IZR s ^ m) by (field; lra). assumption.
Qed.

(* lo <= e^x <= hi, and lo <= ln y <= hi, all fractions, x and the ends of ln y not negative *)
Definition exp_enclosed (k n m : nat) (x lo hi : Z * Z) : bool :=
  exp_ok k (fst lo) (snd lo) (fst x) (snd x) && above_ok n m (fst hi) (snd hi) (fst x) (snd x).
Definition log_enclosed (k n m : nat) (y lo hi : Z * Z) : bool :=
  (0 <? fst y)%Z && above_ok n m (fst y) (snd y) (fst lo) (snd lo) && exp_ok k (fst y) (snd y) (fst hi) (snd hi).
Definition value (x : Z * Z) : R := IZR (fst x) / IZR (snd x).

Theorem exp_enclosed_sound k n m x lo hi : exp_enclosed k n m x lo hi = true -> value lo <= exp (value x) <= value hi.
Proof.
  unfold exp_enclosed, value. intros H. apply andb_true_iff in H as [A B].
  split; [apply (exp_sound _ _ _ _ _ A)|apply (above_sound _ _ _ _ _ _ B)].
Qed.
Theorem log_enclosed_sound k n m y lo hi : log_enclosed k n m y lo hi = true -> value lo <= ln (value y) <= value hi.
Proof.
  unfold log_enclosed, value. intros H. apply andb_true_iff in H as [H B]. apply andb_true_iff in H as [P A].
  apply above_sound in A. apply exp_sound in B. destruct B as [D B]. apply Z.ltb_lt, IZR_lt in P. apply IZR_lt in D.
  assert (Y : 0 < IZR (fst y) / IZR (snd y)) by (apply Rdiv_lt_0_compat; assumption).
  split.
  - rewrite <- (ln_exp (IZR (fst lo) / IZR (snd lo))). destruct A as [A| ->]; [left; apply ln_increasing; [apply exp_pos|exact A]|lra].
  - rewrite <- (ln_exp (IZR (fst hi) / IZR (snd hi))). destruct B as [B| ->]; [left; apply ln_increasing; assumption|lra].
Qed.
