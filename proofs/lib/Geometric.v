(* Two-sided geometric noise on integer counts, and K-norm noise on the sum-zero lattice: the ratio bound.
   A law is given by weights; a normaliser that does not depend on the data cancels. *)
From Coq Require Import ZArith List Lia Reals Lra.
From PrivBayes Require Import Counts.
Import ListNotations.

(* L1 distance of integer vectors *)
Fixpoint dist (x y : list Z) : Z :=
  match x, y with a :: x', b :: y' => (Z.abs (a - b) + dist x' y')%Z | _, _ => 0%Z end.
Lemma dist_nonneg x : forall y, (0 <= dist x y)%Z.
Proof. induction x; intros [|b y]; cbn; try lia. specialize (IHx y). lia. Qed.
Lemma dist_triangle o : forall x y, length o = length x -> length x = length y -> (dist o y <= dist o x + dist x y)%Z.
Proof. induction o; intros [|b x] [|c y]; cbn; try discriminate; try lia. intros [= H] [= H'].
  specialize (IHo x y H H'). lia. Qed.
Lemma dist_sym x : forall y, dist x y = dist y x.
Proof. induction x; intros [|b y]; cbn; auto. rewrite IHx. lia. Qed.

Open Scope R_scope.
Section Law.
Variable q : R.                                 (* e^-gamma *)
Hypothesis q0 : 0 < q. Hypothesis q1 : q < 1.

(* Weight of output o on counts x: the product of q^|o_i - x_i| *)
Definition weight (x o : list Z) : R := q ^ Z.to_nat (dist o x).

Lemma pow_anti m n : (m <= n)%nat -> q ^ n <= q ^ m.
Proof. intros H. replace n with (m + (n - m))%nat by lia. rewrite pow_add. rewrite <- (Rmult_1_r (q ^ m)) at 2.
  apply Rmult_le_compat_l; [apply pow_le; lra|]. rewrite <- (pow1 (n - m)). apply pow_incr. lra. Qed.

Theorem ratio x y o k : length o = length x -> length x = length y -> (dist x y <= Z.of_nat k)%Z ->
  q ^ k * weight x o <= weight y o.
Proof.
  intros Ho H D. unfold weight. rewrite <- pow_add. apply pow_anti.
  pose proof (dist_triangle o x y Ho H). pose proof (dist_nonneg o x). pose proof (dist_nonneg o y). lia.
Qed.

(* Probabilities: outputs in any finite set, any common normaliser C > 0 (of the product lattice, or of one sum-zero
  slice) *)
Fixpoint mass (C : R) (x : list Z) (S : list (list Z)) : R := match S with [] => 0 |
  o :: S' => weight x o / C + mass C x S' end.

Theorem pure_dp C x y S k : 0 < C -> length x = length y -> (forall o, In o S -> length o = length x) ->
  (dist x y <= Z.of_nat k)%Z -> mass C x S <= exp (- ln q * INR k) * mass C y S.
Proof.
  intros HC H HS D. rewrite (Rmult_comm (- ln q)). rewrite <- Ropp_mult_distr_r, exp_Ropp.
  assert (E : exp (INR k * ln q) = q ^ k) by (rewrite <- Rpower_pow by assumption; reflexivity). rewrite E.
  assert (P : 0 < q ^ k) by (apply pow_lt; assumption).
  induction S as [|o S IH]; cbn; [lra|]. rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
  - pose proof (ratio x y o k (HS o (or_introl eq_refl)) H D) as R.
    apply (Rmult_le_reg_l (q ^ k * C)); [nra|].
    replace (q ^ k * C * (weight x o / C)) with (q ^ k * weight x o) by (field; lra).
    replace (q ^ k * C * (/ q ^ k * (weight y o / C))) with (weight y o) by (field; lra). assumption.
  - apply IH. intros; apply HS; right; assumption.
Qed.

End Law.

(* The shipped rate: q = e^-gamma, gamma = num/den; k steps cost k gamma. *)
Corollary pure_dp_rate g C x y S k : 0 < g -> 0 < C -> length x = length y -> (forall o, In o S -> length o = length
  x) ->
  (dist x y <= Z.of_nat k)%Z -> mass (exp (- g)) C x S <= exp (g * INR k) * mass (exp (- g)) C y S.
Proof.
  intros Hg HC H HS D. pose proof (pure_dp (exp (- g)) (exp_pos _)) as T. rewrite ln_exp, Ropp_involutive in T.
  apply T; auto. rewrite <- exp_0. apply exp_increasing. lra.
Qed.

(* Composition of a K-table release: what Counts.replace_one bounds by 2K is what pure_dp_rate consumes. *)

(* K-norm on the sum-zero lattice: a move of one record has dist 2, so rate eps/2 gives eps. *)
Corollary k_norm eps C x y S : 0 < eps -> 0 < C -> length x = length y -> (forall o, In o S -> length o = length x) ->
  (dist x y <= 2)%Z -> mass (exp (- (eps / 2))) C x S <= exp eps * mass (exp (- (eps / 2))) C y S.
Proof.
  intros He HC H HS D. replace eps with (eps / 2 * INR 2) at 2 by (cbn; field).
  apply pure_dp_rate; auto; try lra.
Qed.

(* The one-dimensional law is a probability: sum over |z| <= n tends to 1 *)
From Coquelicot Require Import Coquelicot.
Lemma one_side q : 0 < q < 1 -> is_series (fun n => (1 - q) / (1 + q) * q ^ S n) ((1 - q) / (1 + q) * (q / (1 - q))).
Proof.
  intros H. apply (is_series_scal_l (V := R_NormedModule)).
  apply is_series_ext with (fun n => scal q (q ^ n)); [reflexivity|].
  replace (q / (1 - q)) with (scal q (/ (1 - q))) by reflexivity.
  apply (is_series_scal_l (V := R_NormedModule)). apply is_series_geom. rewrite Rabs_pos_eq; lra.
Qed.
Lemma geometric_total q : 0 < q < 1 -> (1 - q) / (1 + q) + 2 * ((1 - q) / (1 + q) * (q / (1 - q))) = 1.
Proof. intros. field. lra. Qed.
