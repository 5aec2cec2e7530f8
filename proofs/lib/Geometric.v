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

(* The law itself: the infinite normaliser of the product lattice is ((1+q)/(1-q))^d, for whatever counts. *)
From Coquelicot Require Import Coquelicot.

(* the integers within n of a, and the integer vectors within n of x in every cell *)
Fixpoint near (a : Z) (n : nat) : list Z :=
  match n with O => a :: nil | S m => (a - Z.of_nat n)%Z :: (a + Z.of_nat n)%Z :: near a m end.
Fixpoint box (x : list Z) (n : nat) : list (list Z) :=
  match x with nil => nil :: nil | a :: x' => flat_map (fun o => map (fun b => b :: o) (near a n)) (box x' n) end.
Definition law (q : R) (x : list Z) (S : list (list Z)) : R := mass q (((1 + q) / (1 - q)) ^ length x) x S.

Lemma near_in a n b : In b (near a n) <-> (Z.abs (b - a) <= Z.of_nat n)%Z.
Proof.
  induction n as [|n IH]; cbn [near].
  - cbn. split; [intros [->|[]]; lia|intros H; left; lia].
  - cbn [In]. rewrite IH. lia.
Qed.
Lemma box_in x n o : In o (box x n) <-> Forall2 (fun a b => (Z.abs (b - a) <= Z.of_nat n)%Z) x o.
Proof.
  revert o. induction x as [|a x IH]; intros o; cbn [box].
  - split; [intros [<-|[]]; constructor|intros H; inversion H; left; reflexivity].
  - rewrite in_flat_map. split.
    + intros (o' & Ho & Hb). apply in_map_iff in Hb. destruct Hb as (b & <- & Hb). constructor; [apply near_in|apply IH];
        assumption.
    + intros H. inversion H as [|? b ? o' H1 H2]; subst. exists o'. split; [apply IH; assumption|].
      apply in_map_iff. exists b. split; [reflexivity|apply near_in; assumption].
Qed.

Section Total.
Variable q : R.
Hypothesis q0 : 0 < q. Hypothesis q1 : q < 1.
Fixpoint side (n : nat) : R := match n with O => 1 | S m => 2 * q ^ n + side m end.
Fixpoint sum (x : list Z) (S : list (list Z)) : R := match S with [] => 0 | o :: S' => weight q x o + sum x S' end.

Lemma sum_app x S T : sum x (S ++ T) = sum x S + sum x T.
Proof. induction S; cbn; [|rewrite IHS]; lra. Qed.
Lemma mass_sum C x S : 0 < C -> mass q C x S = sum x S / C.
Proof. intros HC. induction S as [|o S IH]; cbn; [|rewrite IH]; field; lra. Qed.
Lemma sum_near a x o n : sum (a :: x) (map (fun b => b :: o) (near a n)) = side n * weight q x o.
Proof.
  assert (W : forall b, weight q (a :: x) (b :: o) = q ^ Z.to_nat (Z.abs (b - a)) * weight q x o).
  { intros b. unfold weight. cbn [dist]. rewrite Z2Nat.inj_add by (try apply dist_nonneg; lia). apply pow_add. }
  induction n as [|n IH].
  - cbn [near map sum side]. rewrite W. replace (Z.to_nat (Z.abs (a - a))) with O by lia. cbn [pow]. lra.
  - change (near a (S n)) with ((a - Z.of_nat (S n))%Z :: (a + Z.of_nat (S n))%Z :: near a n).
    cbn [map sum]. rewrite IH, !W. replace (Z.to_nat (Z.abs (a - Z.of_nat (S n) - a))) with (S n) by lia.
    replace (Z.to_nat (Z.abs (a + Z.of_nat (S n) - a))) with (S n) by lia.
    change (side (S n)) with (2 * q ^ S n + side n). lra.
Qed.
Lemma sum_box x n : sum x (box x n) = side n ^ length x.
Proof.
  induction x as [|a x IH]; [cbn; unfold weight; cbn; lra|].
  change (length (a :: x)) with (S (length x)). cbn [box pow]. rewrite <- IH. clear IH.
  induction (box x n) as [|o S IHS]; cbn [flat_map sum]; [lra|].
  rewrite sum_app, IHS, sum_near. lra.
Qed.
Lemma side_closed n : side n = (1 + q - 2 * q ^ S n) / (1 - q).
Proof. induction n as [|n IH]; cbn [side]; [cbn; field; lra|]. rewrite IH. cbn [pow]. field; lra. Qed.
Lemma side_limit : is_lim_seq side ((1 + q) / (1 - q)).
Proof.
  apply is_lim_seq_ext with (fun n => (1 + q) / (1 - q) + (- 2 / (1 - q)) * q ^ S n).
  { intros n. rewrite side_closed. field; lra. }
  assert (G : is_lim_seq (fun n => q ^ S n) 0).
  { apply (is_lim_seq_incr_1 (fun n => q ^ n)). apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra. }
  pose proof (is_lim_seq_plus' _ _ _ _ (is_lim_seq_const ((1 + q) / (1 - q)))
    (is_lim_seq_mult' _ _ _ _ (is_lim_seq_const (- 2 / (1 - q))) G)) as L.
  replace ((1 + q) / (1 - q) + - 2 / (1 - q) * 0) with ((1 + q) / (1 - q)) in L by ring. exact L.
Qed.
Lemma pow_limit (u : nat -> R) (l : R) d : is_lim_seq u l -> is_lim_seq (fun n => u n ^ d) (l ^ d).
Proof. intros H. induction d; cbn [pow]; [apply is_lim_seq_const|].
  exact (is_lim_seq_mult' u (fun n => u n ^ d) l (l ^ d) H IHd). Qed.

(* The weights over the normaliser are a probability: boxes around the counts exhaust it. *)
Theorem law_total x : is_lim_seq (fun n => law q x (box x n)) 1.
Proof.
  assert (P : 0 < (1 + q) / (1 - q)) by (apply Rdiv_lt_0_compat; lra).
  apply is_lim_seq_ext with (fun n => (side n / ((1 + q) / (1 - q))) ^ length x).
  { intros n. unfold law. rewrite mass_sum, sum_box by (apply pow_lt; assumption). unfold Rdiv at 1.
    rewrite Rpow_mult_distr, pow_inv. reflexivity. }
  pose proof (pow_limit _ _ (length x) (is_lim_seq_div' _ _ _ _ side_limit (is_lim_seq_const ((1 + q) / (1 - q)))
    (Rgt_not_eq _ _ P))) as L.
  replace ((1 + q) / (1 - q) / ((1 + q) / (1 - q))) with 1 in L by (field; lra). rewrite pow1 in L. exact L.
Qed.
End Total.

(* Noise on counts: a probability for whatever counts, and pure privacy for every finite set of outputs. *)
Theorem noise_private g x y k : 0 < g -> length x = length y -> (dist x y <= Z.of_nat k)%Z ->
  is_lim_seq (fun n => law (exp (- g)) x (box x n)) 1 /\
  forall S, (forall o, In o S -> length o = length x) -> law (exp (- g)) x S <= exp (g * INR k) * law (exp (- g)) y S.
Proof.
  intros Hg H D. pose proof (exp_pos (- g)) as P0.
  assert (P1 : exp (- g) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  split; [apply law_total; assumption|]. intros S HS. unfold law. rewrite <- H.
  apply pure_dp_rate; auto. apply pow_lt, Rdiv_lt_0_compat; lra.
Qed.
