(* The loop of the discrete Gaussian sampler of Canonne, Kamath and Steinke: a two-sided geometric proposal y at rate 1/t
   is kept with probability e^-x, x = (|y| t b - a)^2 / (2 a b t^2), variance parameter a/b. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import SamplerGeometric.
Open Scope R_scope.

Section Gaussian.
Variables a b t : nat.
Hypothesis a0 : (0 < a)%nat.
Hypothesis b0 : (0 < b)%nat.
Hypothesis t0 : (0 < t)%nat.

Definition s2 : R := INR a / INR b.                               (* sigma^2 *)
Definition size (y : Z) : R := IZR (Z.abs y).
Definition weight (y : Z) : R := exp (- (size y ^ 2 / (2 * s2))).
Definition proposal (y : Z) : R := (1 - q 1 t) / (1 + q 1 t) * q 1 t ^ Z.to_nat (Z.abs y).
Definition accept (y : Z) : R :=
  exp (- ((size y * INR t * INR b - INR a) ^ 2 / (2 * INR a * INR b * INR t ^ 2))).
Definition keep (y : Z) : R := proposal y * accept y.
Definition level : R := (1 - q 1 t) / (1 + q 1 t) * exp (- (s2 / (2 * INR t ^ 2))).

Lemma pos : 0 < INR a /\ 0 < INR b /\ 0 < INR t.
Proof. repeat split; apply lt_0_INR; assumption. Qed.
Lemma q_bounds : 0 < q 1 t < 1.
Proof. apply q_lt; [lia|assumption]. Qed.

Theorem keep_weight y : keep y = level * weight y.
Proof.
  destruct pos as (A & B & T). unfold keep, proposal, accept, level, weight. rewrite !Rmult_assoc. f_equal.
  unfold q. rewrite exp_pow, <- !exp_plus. f_equal. unfold s2, size.
  replace (INR (Z.to_nat (Z.abs y))) with (IZR (Z.abs y)).
  2:{ rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. }
  replace (INR 1) with 1 by reflexivity. field. lra.
Qed.

Definition both (f : Z -> R) (k : nat) : R := f (Z.of_nat k) + f (- Z.of_nat (S k))%Z.
Lemma weight_pos y : 0 < weight y. Proof. apply exp_pos. Qed.
Lemma level_pos : 0 < level.
Proof. unfold level. pose proof q_bounds. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply exp_pos]. Qed.
Lemma proposal_total : is_series (both proposal) 1.
Proof.
  pose proof q_bounds as Q. unfold both, proposal.
  replace 1 with ((1 - q 1 t) / (1 + q 1 t) * (1 + q 1 t) * / (1 - q 1 t)) at 1 by (field; lra).
  apply (is_series_ext (fun k => scal ((1 - q 1 t) / (1 + q 1 t) * (1 + q 1 t)) (q 1 t ^ k))).
  - intros k. replace (Z.to_nat (Z.abs (Z.of_nat k))) with k by lia.
    replace (Z.to_nat (Z.abs (- Z.of_nat (S k)))) with (S k) by lia. unfold scal. cbn. unfold mult. cbn. ring.
  - apply (is_series_scal_l (V := R_NormedModule)). apply is_series_geom. rewrite Rabs_pos_eq; lra.
Qed.
Lemma keep_le y : 0 <= keep y <= proposal y.
Proof.
  pose proof q_bounds as Q. assert (P : 0 < proposal y).
  { unfold proposal. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; lra]. }
  assert (E : 0 < accept y <= 1).
  { split; [apply exp_pos|]. unfold accept. destruct pos as (A & B & T). rewrite <- exp_0.
    assert (G : 0 <= (size y * INR t * INR b - INR a) ^ 2 / (2 * INR a * INR b * INR t ^ 2)).
    { apply Rle_mult_inv_pos; [apply pow2_ge_0|]. repeat apply Rmult_lt_0_compat; lra. }
    destruct G as [G|<-]; [left; apply exp_increasing; lra|right; f_equal; ring]. }
  unfold keep. split; nra.
Qed.

(* the normaliser of the discrete Gaussian, and the probability that a proposal is kept *)
Definition normaliser : R := Series (both weight).
Definition kept : R := level * normaliser.
Lemma keep_series : is_series (both keep) kept.
Proof.
  assert (E : ex_series (both keep)).
  { apply (ex_series_le (V := R_CompleteNormedModule)) with (b := both proposal).
    - intros k. unfold both. pose proof (keep_le (Z.of_nat k)). pose proof (keep_le (- Z.of_nat (S k))).
      change (norm (keep (Z.of_nat k) + keep (- Z.of_nat (S k)))) with (Rabs (keep (Z.of_nat k) + keep (- Z.of_nat (S k)))).
      rewrite Rabs_pos_eq; lra.
    - exists 1. apply proposal_total. }
  unfold kept, normaliser. rewrite <- Series_scal_l.
  replace (Series (fun n => level * both weight n)) with (Series (both keep)).
  - apply Series_correct. assumption.
  - apply Series_ext. intros k. unfold both. rewrite !keep_weight. ring.
Qed.
Theorem normaliser_sum : is_series (both weight) normaliser.
Proof.
  pose proof level_pos as L. pose proof keep_series as K.
  replace normaliser with (/ level * kept) by (unfold kept; field; lra).
  apply (is_series_ext (fun k => scal (/ level) (both keep k))).
  - intros k. unfold both. rewrite !keep_weight. unfold scal. cbn. unfold mult. cbn. field. lra.
  - apply (is_series_scal_l (V := R_NormedModule)). assumption.
Qed.
Lemma normaliser_pos : 0 < normaliser.
Proof.
  apply Rlt_le_trans with (both weight 0).
  - unfold both. pose proof (weight_pos (Z.of_nat 0)). pose proof (weight_pos (- Z.of_nat 1)). lra.
  - rewrite <- (is_series_unique _ _ normaliser_sum).
    rewrite (Series_incr_1 (both weight)) by (eexists; apply normaliser_sum).
    assert (0 <= Series (fun k => both weight (S k))).
    { rewrite <- (Rmult_0_l (Series (fun k => both weight (S k)))), <- Series_scal_l. apply Series_le.
      - intros k. unfold both. pose proof (weight_pos (Z.of_nat (S k))). pose proof (weight_pos (- Z.of_nat (S (S k)))).
        lra.
      - apply (ex_series_incr_1 (both weight)). eexists. apply normaliser_sum. }
    lra.
Qed.
Lemma kept_bounds : 0 < kept <= 1.
Proof.
  split; [apply Rmult_lt_0_compat; [apply level_pos|apply normaliser_pos]|].
  rewrite <- (is_series_unique _ _ keep_series), <- (is_series_unique _ _ proposal_total).
  apply Series_le; [|eexists; apply proposal_total].
  intros k. unfold both. pose proof (keep_le (Z.of_nat k)). pose proof (keep_le (- Z.of_nat (S k))). lra.
Qed.

(* The loop repeats until a proposal is kept: the discrete Gaussian, exactly, for every t. *)
Theorem gaussian_law y : is_series (fun n => (1 - kept) ^ n * keep y) (weight y / normaliser).
Proof.
  pose proof kept_bounds as K. pose proof level_pos as L. pose proof normaliser_pos as N.
  replace (weight y / normaliser) with (keep y * / (1 - (1 - kept))).
  - apply (is_series_ext (fun n => scal (keep y) ((1 - kept) ^ n))).
    + intros n. unfold scal. cbn. unfold mult. cbn. ring.
    + apply (is_series_scal_l (V := R_NormedModule)). apply is_series_geom. rewrite Rabs_pos_eq; lra.
  - replace (1 - (1 - kept)) with kept by ring. rewrite keep_weight. unfold kept. field. lra.
Qed.
End Gaussian.
