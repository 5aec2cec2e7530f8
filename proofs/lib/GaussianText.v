(* From the text of the sampler to discrete Gaussian noise: DiscreteGaussian.Draw, its calls of scale and accept with what
   their text gives, and proposals that, where the cut at 2^22 whole units does not show, have the law that the text of
   TwoSidedGeometric.Draw tends to. *)
From Coq Require Import ZArith String List Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import SamplerGeometric GoProgram BernoulliProgram AcceptProgram GaussianProgram GeometricText.
From PrivBayes Require SamplerGaussian Dominated.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope R_scope.

Lemma sum_le n f g : (forall i, (0 <= i < n)%Z -> f i <= g i) -> sum n f <= sum n g.
Proof.
  intros H. unfold sum.
  assert (G : forall m, (m <= Z.to_nat n)%nat -> below m (fun i => f (Z.of_nat i)) <= below m (fun i => g (Z.of_nat i))).
  { induction m as [|m IH]; intros M; cbn [below]; [lra|]. apply Rplus_le_compat; [apply IH|apply H]; lia. }
  apply G. lia.
Qed.

Section Text.
Variables a b : nat.                                              (* sigma^2 = a / b *)
Hypothesis a62 : (0 < Z.of_nat a <= 2 ^ 62)%Z.
Hypothesis b62 : (0 < Z.of_nat b <= 2 ^ 62)%Z.
Variables (guess : Z) (steps : nat).                              (* the root of floating point, and the loops after it *)
Hypothesis guess32 : (0 <= guess < 2 ^ 32)%Z.
Hypothesis steps32 : (2 ^ 32 < Z.of_nat steps)%Z.
Definition t : nat := Z.to_nat (Z.sqrt (Z.of_nat a / Z.of_nat b) + 1).
Definition most : Z := ((2 ^ 22 + 1) * Z.of_nat t)%Z.
Variable p : Z -> R.                                              (* the law of proposals on -most .. most *)
Hypothesis p0 : forall z, (- most <= z <= most)%Z -> 0 <= p z.
Hypothesis p1 : sum (2 * most + 1) (fun i => p (i - most)%Z) = 1.
Hypothesis proposed : forall z, short 1 t z -> p z = drawn 1 t z.
Definition proposal (args : list Z) (k : list Z -> R) : R := sum (2 * most + 1) (fun i => p (i - most)%Z * k [i - most]%Z).
Definition text_calls := calls (runs (roots guess) steps DiscreteGaussian_scale) proposal
  (runs accepts 0 DiscreteGaussian_accept).
Definition keep (y : Z) : R := AcceptProgram.chance (Z.of_nat a) (Z.of_nat b) y (Z.of_nat t).

Lemma t_value : Z.of_nat t = (Z.sqrt (Z.of_nat a / Z.of_nat b) + 1)%Z.
Proof. unfold t. apply Z2Nat.id. pose proof (Z.sqrt_nonneg (Z.of_nat a / Z.of_nat b)). lia. Qed.
Lemma t_range : (1 <= Z.of_nat t <= 2 ^ 32)%Z.
Proof.
  rewrite t_value. set (q := (Z.of_nat a / Z.of_nat b)%Z).
  assert (Q : (0 <= q <= 2 ^ 62)%Z).
  { split; [apply Z.div_pos; lia|]. apply Z.le_trans with (Z.of_nat a); [apply Z.div_le_upper_bound; nia|lia]. }
  pose proof (Z.sqrt_nonneg q). pose proof (Z.sqrt_le_mono q (2 ^ 62) (proj2 Q)) as M.
  change (Z.sqrt (2 ^ 62)) with (2 ^ 31)%Z in M. lia.
Qed.
Lemma keep_value z : keep (Z.abs z) = SamplerGaussian.accept a b t z.
Proof.
  unfold keep, AcceptProgram.chance, top, under, SamplerGaussian.accept, SamplerGaussian.size.
  rewrite !Z.pow_2_r, !mult_IZR, !minus_IZR, !mult_IZR, <- !INR_IZR_INZ. do 2 f_equal. unfold Rdiv.
  f_equal; [|f_equal]; ring.
Qed.
Lemma positive : (0 < a)%nat /\ (0 < b)%nat /\ (0 < t)%nat.
Proof. pose proof t_range. lia. Qed.
Lemma proposal_pos z : 0 < SamplerGaussian.proposal t z.
Proof.
  destruct positive as (A & B & T). pose proof (SamplerGaussian.q_bounds a b t A B T) as Q. unfold SamplerGaussian.proposal.
  apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; lra].
Qed.
Lemma keep_range z : 0 < keep (Z.abs z) <= 1.
Proof.
  destruct positive as (A & B & T). split; [apply exp_pos|]. rewrite keep_value. pose proof (proposal_pos z) as P.
  pose proof (SamplerGaussian.keep_le a b t A B T z) as [_ K]. unfold SamplerGaussian.keep in K.
  apply (Rmult_le_reg_l (SamplerGaussian.proposal t z)); [assumption|]. lra.
Qed.
Lemma accepted_range z : (- most <= z <= most)%Z -> 0 < p z -> 0 < accepted most p keep <= 1.
Proof.
  intros Z0 P. unfold accepted. split.
  - pose proof (keep_range z) as K. apply Rlt_le_trans with (p z * keep (Z.abs z)); [nra|].
    rewrite <- (count_one (2 * most + 1) (z + most) (p z * keep (Z.abs z))) by lia. apply sum_le. intros i I.
    destruct (Z.eqb_spec (z + most) i) as [<-|_]; [replace (z + most - most)%Z with z by ring; lra|].
    pose proof (keep_range (i - most)). pose proof (p0 (i - most) ltac:(lia)). nra.
  - rewrite <- p1. apply sum_le. intros i I. pose proof (keep_range (i - most)).
    pose proof (p0 (i - most) ltac:(lia)). nra.
Qed.
(* at every value that may be proposed *)
Theorem text_limit z : (- most <= z <= most)%Z -> 0 < p z ->
  is_lim_seq (fun fuel => run text_calls fuel DiscreteGaussian_Draw [Z.of_nat a; Z.of_nat b] (is z))
    (p z * SamplerGaussian.accept a b t z / accepted most p keep).
Proof.
  intros Z0 P. pose proof t_range as T. rewrite <- keep_value.
  apply (gaussian_limit (Z.of_nat a) (Z.of_nat b) most (Z.of_nat t)); try assumption.
  - unfold most. lia.
  - intros k. rewrite t_value. apply scale_value; try assumption; unfold W; lia.
  - reflexivity.
  - intros y k Y. unfold most in Y. rewrite t_value in Y.
    destruct (domain (Z.of_nat a) (Z.of_nat b) y a62 b62 Y) as (H1 & H2 & H3 & H4 & H5). rewrite <- t_value in *.
    apply accept_value; assumption.
  - apply (accepted_range z); assumption.
Qed.
(* where the cut does not show: the discrete Gaussian, up to its normaliser *)
Theorem gaussian_text : exists c, 0 < c /\ forall z, short 1 t z ->
  is_lim_seq (fun fuel => run text_calls fuel DiscreteGaussian_Draw [Z.of_nat a; Z.of_nat b] (is z))
    (c * exp (- (IZR z ^ 2 / (2 * (INR a / INR b))))).
Proof.
  pose proof t_range as T.
  assert (Pz : forall z, short 1 t z -> (- most <= z <= most)%Z /\ p z = SamplerGaussian.proposal t z).
  { intros z S. split; [unfold short, most, GeometricProgram.Most in *; lia|]. rewrite proposed by assumption.
    apply drawn_at; try assumption; lia. }
  assert (S0 : short 1 t 0) by (unfold short, GeometricProgram.Most; lia).
  exists (SamplerGaussian.level a b t / accepted most p keep). split.
  - apply Rdiv_lt_0_compat; [apply SamplerGaussian.level_pos; lia|]. destruct (Pz 0%Z S0) as [Z0 P].
    apply (accepted_range 0 Z0). rewrite P. apply proposal_pos.
  - intros z S. destruct (Pz z S) as [Z0 P].
    replace (_ / _ * _) with (p z * SamplerGaussian.accept a b t z / accepted most p keep).
    + apply text_limit; [assumption|]. rewrite P. apply proposal_pos.
    + rewrite P. change (SamplerGaussian.proposal t z * SamplerGaussian.accept a b t z) with (SamplerGaussian.keep a b t z).
      rewrite SamplerGaussian.keep_weight by lia. unfold SamplerGaussian.weight, SamplerGaussian.size, SamplerGaussian.s2.
      replace (IZR (Z.abs z) ^ 2) with (IZR z ^ 2); [unfold Rdiv; ring|].
      rewrite <- Rabs_Zabs. symmetry. apply pow2_abs.
Qed.
End Text.
