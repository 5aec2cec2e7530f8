(* From the text of the sampler to privacy: the noise that the text of TwoSidedGeometric.Draw tends to, on counts, where
   its calls of oneSided have the law that the text of oneSided tends to. Outputs are those of which the cut at 2^22
   whole units shows nothing: (|o - x| + 1) num <= 2^22 den in every cell. *)
From Coq Require Import ZArith String List Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Geometric SamplerGeometric GoProgram BernoulliProgram GeometricProgram.
From PrivBayes.Shipped Require Import Samplers.
From PrivBayes Require Dominated.
Import ListNotations.
Open Scope R_scope.

Section Text.
Variables num den : nat.
Hypothesis num0 : (0 < num)%nat.
Hypothesis den0 : (0 < den)%nat.
Hypothesis den40 : (Z.of_nat den <= 2 ^ 40)%Z.

Definition limit (u : nat -> R) : R := real (Lim_seq u).
Definition one_sided (i : Z) : R :=
  limit (fun fuel => run coins fuel TwoSidedGeometric_oneSided [Z.of_nat num; Z.of_nat den] (is i)).
Definition values : Z := (Most * Z.of_nat den + Z.of_nat den)%Z.
Definition drawn (z : Z) : R :=
  limit (fun fuel => run (draws values one_sided) fuel TwoSidedGeometric_Draw [Z.of_nat num; Z.of_nat den] (is z)).
(* the probability of the noisy counts o where the counts are x *)
Fixpoint chance (x o : list Z) : R :=
  match x, o with a :: x', b :: o' => drawn (b - a) * chance x' o' | _, _ => 1 end.
Definition short (z : Z) : Prop := ((Z.abs z + 1) * Z.of_nat num <= Most * Z.of_nat den)%Z.
Definition within (x o : list Z) : Prop := Forall2 (fun a b => short (b - a)) x o.

Notation q := (SamplerGeometric.q num den).
Lemma q_range : 0 < q < 1.
Proof.
  unfold SamplerGeometric.q. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
  assert (0 < INR num / INR den) by (apply Rdiv_lt_0_compat; apply lt_0_INR; assumption). lra.
Qed.
Lemma kept_one : 0 < kept den <= 1.
Proof.
  split; [eapply kept_pos; eassumption|]. unfold kept. assert (P : 0 < INR den) by (apply lt_0_INR; assumption).
  apply (Rmult_le_reg_l (INR den)); [assumption|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra.
  unfold sum. rewrite Nat2Z.id. clear - P.
  assert (G : forall m, below m (fun i => exp (- (IZR (Z.of_nat i) / INR den))) <= INR m); [|apply G].
  induction m as [|m IH]; [cbn; lra|]. rewrite S_INR. cbn [below].
  assert (exp (- (IZR (Z.of_nat m) / INR den)) <= 1); [|lra]. rewrite <- exp_0, <- INR_IZR_INZ.
  assert (0 <= INR m / INR den) by (apply Rle_mult_inv_pos; [apply pos_INR|assumption]).
  destruct (Req_dec (INR m / INR den) 0) as [->|]; [rewrite Ropp_0; lra|]. left. apply exp_increasing. lra.
Qed.
Lemma one_sided_at m : short (Z.of_nat m) -> one_sided (Z.of_nat m) = (1 - q) * q ^ m.
Proof.
  intros S. unfold short in S. rewrite Z.abs_eq in S by lia. unfold one_sided, limit.
  set (v := (1 - q) * q ^ m). assert (L : is_lim_seq (fun fuel => (1 - (1 - kept den) ^ fuel) * v) ((1 - 0) * v)).
  { apply (is_lim_seq_mult' _ (fun _ => _)); [|apply is_lim_seq_const].
    apply (is_lim_seq_minus' (fun _ => 1)); [apply is_lim_seq_const|].
    apply is_lim_seq_geom. pose proof kept_one. rewrite Rabs_pos_eq; lra. }
  rewrite Rminus_0_r, Rmult_1_l in L.
  rewrite (is_lim_seq_unique _ v); [reflexivity|]. eapply is_lim_seq_ext_loc; [|exact L].
  exists (Datatypes.S (Z.to_nat Most)). intros fuel F. symmetry. apply one_sided_law; try assumption; [|lia].
  nia.
Qed.
Lemma drawn_at z : short z -> drawn z = Dominated.noise q z.
Proof.
  intros S. unfold drawn, limit, Dominated.noise.
  assert (S0 : short (Z.of_nat 0)).
  { unfold short in *. change (Z.abs (Z.of_nat 0)) with 0%Z. pose proof (Z.abs_nonneg z). nia. }
  pose proof (one_sided_at 0 S0) as P0. change (Z.of_nat 0) with 0%Z in P0. cbn [pow] in P0. rewrite Rmult_1_r in P0.
  rewrite (is_lim_seq_unique _ ((1 - q) / (1 + q) * q ^ Z.to_nat (Z.abs z))); [reflexivity|].
  unfold short in S.
  apply draw_limit; [apply q_range| |exact P0| |].
  - assert (E : (W / 2 = 2 ^ 63)%Z) by reflexivity. rewrite E. unfold values, Most. lia.
  - assert (Z.abs z + 1 <= (Z.abs z + 1) * Z.of_nat num)%Z by (pose proof (Z.abs_nonneg z); nia).
    unfold values, Most in *. lia.
  - rewrite <- (Z2Nat.id (Z.abs z)) at 1 by lia. apply one_sided_at. unfold short.
    rewrite Z2Nat.id, Z.abs_involutive by lia. exact S.
Qed.
Lemma chance_prob x o : within x o -> chance x o = Dominated.prob q x o.
Proof. induction 1 as [|a b x o S F IH]; cbn; [reflexivity|]. rewrite IH, drawn_at by assumption. reflexivity. Qed.

Theorem text_private x y k : length x = length y -> (dist x y <= Z.of_nat k)%Z ->
  forall S, (forall o, In o S -> within x o /\ within y o) ->
  Dominated.sumR (chance x) S <= exp (INR num / INR den * INR k) * Dominated.sumR (chance y) S.
Proof.
  intros L D S H. pose proof q_range as [Q0 Q1].
  assert (Len : forall o, In o S -> length o = length x).
  { intros o I. destruct (H o I) as [F _]. symmetry. clear - F. induction F; cbn; congruence. }
  assert (G : 0 < INR num / INR den) by (apply Rdiv_lt_0_compat; apply lt_0_INR; assumption).
  pose proof (proj2 (noise_private (INR num / INR den) x y k G L D) S Len) as T.
  change (exp (- (INR num / INR den))) with q in T.
  rewrite (Dominated.law_prob q Q0 Q1) in T by assumption.
  rewrite (Dominated.law_prob q Q0 Q1) in T by (intros; rewrite <- L; auto).
  rewrite (Dominated.sumR_ext _ _ (Dominated.prob q x)) by (intros o I; apply chance_prob, H, I).
  rewrite (Dominated.sumR_ext _ (chance y) (Dominated.prob q y)) by (intros o I; apply chance_prob, H, I).
  exact T.
Qed.
End Text.
