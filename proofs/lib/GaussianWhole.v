(* From the texts of the sampler to discrete Gaussian noise and its privacy: that of DiscreteGaussian.Draw with those of
   scale and accept, accept with that of bernoulliExpWide, no loop of which runs 2^64 times. Proposals have the law that
   the text of TwoSidedGeometric.Draw tends to, where its cut at 2^22 whole units does not show. There every value has
   the probability of the discrete Gaussian, with its normaliser, up to e^eta, eta = e^-(2^21). *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import SamplerGeometric GoProgram BernoulliProgram AcceptProgram WideProgram GaussianProgram.
From PrivBayes Require Import GeometricText.
From PrivBayes Require Sampler SamplerGaussian Dominated GaussianPrivacy GaussianText.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope R_scope.

Notation sumR := Dominated.sumR.
Notation around := Dominated.around.

(* the loop of Bernoulli(e^-x): what n trials leave open is at most 2^-(n-1) *)
Section Trials.
Variable x : R.
Hypothesis unit : 0 <= x <= 1.
Lemma part k : (1 <= k)%nat -> 0 <= x / INR k <= 1.
Proof.
  intros K. apply le_INR in K. change (INR 1) with 1 in K. split; [apply Rle_mult_inv_pos; lra|].
  apply (Rmult_le_reg_r (INR k)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma loop_range n : forall k, (1 <= k)%nat -> 0 <= Sampler.loop x n k <= 1.
Proof.
  induction n as [|n IH]; intros k K; cbn [Sampler.loop]; [lra|].
  pose proof (part k K). pose proof (IH (S k) ltac:(lia)). destruct (Nat.odd k); nra.
Qed.
Lemma loop_more j n : forall k, (1 <= k)%nat -> Sampler.loop x n k <= Sampler.loop x (n + j) k.
Proof.
  induction n as [|n IH]; intros k K; [cbn [Sampler.loop]; apply loop_range; assumption|].
  cbn [Nat.add Sampler.loop]. pose proof (part k K). pose proof (IH (S k) ltac:(lia)). nra.
Qed.
Lemma loop_later j n : forall k, (2 <= k)%nat -> Sampler.loop x (n + j) k <= Sampler.loop x n k + (1 / 2) ^ n.
Proof.
  induction n as [|n IH]; intros k K.
  - cbn [Nat.add Sampler.loop pow]. pose proof (loop_range j k ltac:(lia)). lra.
  - cbn [Nat.add Sampler.loop pow]. pose proof (part k ltac:(lia)) as P. pose proof (IH (S k) ltac:(lia)) as I.
    assert (H : x / INR k <= 1 / 2).
    { apply le_INR in K. change (INR 2) with (1 + 1) in K. apply (Rmult_le_reg_r (INR k)); [lra|]. unfold Rdiv at 1.
      rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (0 < (1 / 2) ^ n) by (apply pow_lt; lra). nra.
Qed.
Lemma heads_near n : 0 <= exp (- x) - Sampler.heads x (S n) <= (1 / 2) ^ n.
Proof.
  pose proof (Sampler.heads_law x) as L. unfold Sampler.heads in *. split.
  - apply Rge_le, Rge_minus, Rle_ge.
    apply (is_lim_seq_le_loc (fun _ => Sampler.loop x (S n) 1) (fun m => Sampler.loop x (2 * m) 1)
      (Sampler.loop x (S n) 1) (exp (- x))); [|apply is_lim_seq_const|exact L].
    exists (S n). intros m M. replace (2 * m)%nat with (S n + (2 * m - S n))%nat by lia. apply loop_more. lia.
  - apply Rle_minus_l. rewrite Rplus_comm.
    apply (is_lim_seq_le_loc (fun m => Sampler.loop x (2 * m) 1) (fun _ => Sampler.loop x (S n) 1 + (1 / 2) ^ n)
      (exp (- x)) (Sampler.loop x (S n) 1 + (1 / 2) ^ n)); [|exact L|apply is_lim_seq_const].
    exists (S n). intros m M. replace (2 * m)%nat with (S (n + (2 * m - S n)))%nat by lia. cbn [Sampler.loop].
    pose proof (part 1 ltac:(lia)). pose proof (loop_later (2 * m - S n) n 2 ltac:(lia)).
    assert (0 < (1 / 2) ^ n) by (apply pow_lt; lra). destruct (Nat.odd 1); nra.
Qed.
End Trials.

(* sums over -n .. n *)
Lemma sum_around M : forall g, sum (2 * Z.of_nat M + 1) (fun i => g (i - Z.of_nat M)%Z) = sumR g (around M).
Proof.
  intros g. unfold sum. replace (Z.to_nat (2 * Z.of_nat M + 1)) with (2 * M + 1)%nat by lia.
  assert (G : forall m, below (2 * m + 1) (fun i => g (Z.of_nat i - Z.of_nat m)%Z) = sumR g (around m)); [|apply G].
  induction m as [|m IH]; [cbn; change (Z.of_nat 0 - Z.of_nat 0)%Z with 0%Z; ring|].
  replace (2 * S m + 1)%nat with (S (1 + (2 * m + 1)))%nat by lia. cbn [below]. rewrite below_add. cbn [below].
  rewrite (below_ext (2 * m + 1) _ (fun i => g (Z.of_nat i - Z.of_nat m)%Z)) by (intros; f_equal; lia).
  rewrite IH. cbn [around Dominated.around Dominated.sumR].
  replace (Z.of_nat 0 - Z.of_nat (S m))%Z with (- Z.of_nat (S m))%Z by lia.
  replace (Z.of_nat (1 + (2 * m + 1)) - Z.of_nat (S m))%Z with (Z.of_nat (S m)) by lia. ring.
Qed.
Lemma sum_inside (f g : Z -> R) n j : (forall z, (Z.abs z <= Z.of_nat (n + j))%Z -> 0 <= f z <= g z) ->
  0 <= sumR f (around (n + j)) - sumR f (around n) <= sumR g (around (n + j)) - sumR g (around n).
Proof.
  induction j as [|j IH]; intros H; [rewrite Nat.add_0_r; lra|].
  rewrite Nat.add_succ_r. cbn [Dominated.around Dominated.sumR].
  specialize (IH ltac:(intros; apply H; lia)). pose proof (H (Z.of_nat (S (n + j))) ltac:(lia)).
  pose proof (H (- Z.of_nat (S (n + j)))%Z ltac:(lia)). lra.
Qed.
Lemma sum_series f l n : (forall z, 0 <= f z) -> is_series (SamplerGaussian.both f) l -> sumR f (around n) <= l.
Proof.
  intros P S. apply Rle_trans with (sum_n (SamplerGaussian.both f) n).
  - assert (W : forall m, sumR f (around m) + f (- Z.of_nat (Datatypes.S m))%Z = sum_n (SamplerGaussian.both f) m).
    { induction m as [|m IH].
      - rewrite sum_O. unfold SamplerGaussian.both. cbn [Dominated.around Dominated.sumR].
        change (Z.of_nat 0) with 0%Z. lra.
      - rewrite sum_Sn. change (plus ?u ?v) with (u + v). rewrite <- IH. unfold SamplerGaussian.both.
        cbn [Dominated.around Dominated.sumR]. lra. }
    rewrite <- W. pose proof (P (- Z.of_nat (Datatypes.S n))%Z). lra.
  - apply is_lim_seq_incr_compare with (u := sum_n (SamplerGaussian.both f)); [exact S|].
    intros m. rewrite sum_Sn. unfold SamplerGaussian.both at 3. pose proof (P (Z.of_nat (Datatypes.S m))).
    pose proof (P (- Z.of_nat (Datatypes.S (Datatypes.S m)))%Z). unfold plus. cbn in *. lra.
Qed.

Definition eta : R := exp (- IZR (2 ^ 21)).
Lemma two_exp n : 2 ^ n <= exp (INR n).
Proof.
  replace (exp (INR n)) with (exp 1 ^ n) by (rewrite exp_pow; f_equal; ring). apply pow_incr.
  pose proof (exp_ineq1_le 1). lra.
Qed.
Lemma eta_square : 2 * exp (- IZR (2 ^ 22)) <= eta / 4 * / 2 ^ 35.
Proof.
  assert (E : exp (- IZR (2 ^ 22)) = eta * eta).
  { unfold eta. rewrite <- exp_plus. f_equal. change (2 ^ 22)%Z with (2 ^ 21 + 2 ^ 21)%Z. rewrite plus_IZR. ring. }
  assert (H : 2 ^ 38 * eta <= 1).
  { unfold eta. apply Rle_trans with (exp (INR 38) * exp (- IZR (2 ^ 21))).
    - apply Rmult_le_compat_r; [left; apply exp_pos|apply two_exp].
    - rewrite <- exp_plus, <- exp_0. left. apply exp_increasing. rewrite INR_IZR_INZ, <- opp_IZR, <- plus_IZR.
      apply IZR_lt. reflexivity. }
  rewrite E. pose proof (exp_pos (- IZR (2 ^ 21))) as P. fold eta in P.
  assert (D : 0 < 2 ^ 35) by (apply pow_lt; lra).
  replace (2 ^ 38) with (8 * 2 ^ 35) in H by (cbn; ring). set (d := 2 ^ 35) in *. clearbody d.
  apply (Rmult_le_reg_r d); [assumption|]. replace (eta / 4 * / d * d) with (eta / 4) by (field; lra). nra.
Qed.
Lemma eta_range : 0 < eta <= 1 / 8.
Proof.
  unfold eta. split; [apply exp_pos|]. apply Rle_trans with (exp (- INR 3)).
  - left. apply exp_increasing. rewrite INR_IZR_INZ, <- !opp_IZR. apply IZR_lt. reflexivity.
  - pose proof (two_exp 3) as T.
    assert (I : exp (- INR 3) * exp (INR 3) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    pose proof (exp_pos (- INR 3)). cbn [pow] in T. nra.
Qed.

Section Text.
Variables a b : nat.                                              (* sigma^2 = a / b *)
Hypothesis a62 : (0 < Z.of_nat a <= 2 ^ 62)%Z.
Hypothesis b62 : (0 < Z.of_nat b <= 2 ^ 62)%Z.
Hypothesis least : (Z.of_nat b <= 2 ^ 18 * Z.of_nat a)%Z.          (* sigma^2 >= 2^-18 *)
Variables (guess : Z) (steps trials : nat).                     (* the root of floating point, and the loops after it *)
Hypothesis guess32 : (0 <= guess < 2 ^ 32)%Z.
Hypothesis steps32 : (2 ^ 32 < Z.of_nat steps)%Z.
Hypothesis trials64 : (Z.of_nat trials = W - 1)%Z.                 (* of bernoulliExpWide *)
Notation t := (GaussianText.t a b).
Notation most := (GaussianText.most a b).
Variable p : Z -> R.                                              (* the law of proposals on -most .. most *)
Hypothesis p0 : forall z, (- most <= z <= most)%Z -> 0 <= p z.
Hypothesis p1 : sum (2 * most + 1) (fun i => p (i - most)%Z) = 1.
Hypothesis proposed : forall z, short 1 t z -> p z = GeometricText.drawn 1 t z.

Definition wide_text (args : list Z) : R := run wide_coins trials bernoulliExpWide args (is 1).
Definition accept_texts := also "DiscreteGaussian_exponent" (text_of squares DiscreteGaussian_exponent)
  (also "wide_isWord" (text_of machine wide_isWord)
    (also "BernoulliExp" (coin_law coin) (also "bernoulliExpWide" (coin_law wide_text) machine))).
Definition texts := calls (runs (roots guess) steps DiscreteGaussian_scale) (GaussianText.proposal a b p)
  (runs accept_texts 0 DiscreteGaussian_accept).
(* what the text of Draw tends to *)
Definition gauss (z : Z) : R :=
  limit (fun fuel => run texts fuel DiscreteGaussian_Draw [Z.of_nat a; Z.of_nat b] (is z)).

Notation Top y := (top (Z.of_nat a) (Z.of_nat b) y (Z.of_nat t)).
Notation Under := (under (Z.of_nat a) (Z.of_nat b) (Z.of_nat t)).
Definition keep (y : Z) : R :=
  if ((Top y / W / W =? 0) && ((Top y / W) mod W =? 0) && ((Under / W / W =? 0) && ((Under / W) mod W =? 0)))%Z
  then exp (- (IZR (Top y) / IZR Under)) else wide_text (digits (Top y) ++ digits Under).

Lemma accept_text y fuel post : (0 <= y <= most)%Z ->
  runs accept_texts fuel DiscreteGaussian_accept [Z.of_nat a; Z.of_nat b; y; Z.of_nat t] post =
  keep y * post [1%Z] + (1 - keep y) * post [0%Z].
Proof.
  intros Y. unfold GaussianText.most in Y. pose proof (GaussianText.t_value a b 0%nat) as TV. rewrite TV in Y.
  destruct (domain (Z.of_nat a) (Z.of_nat b) y a62 b62 Y) as (H1 & H2 & H3 & H4 & H5). rewrite <- TV in *.
  transitivity (runs squares 0 DiscreteGaussian_exponent [Z.of_nat a; Z.of_nat b; y; Z.of_nat t] (fun vs =>
    execs accept_texts fuel (tl (body DiscreteGaussian_accept))
      (sets ["num.hi"; "num.mid"; "num.lo"; "den.hi"; "den.mid"; "den.lo"]%string vs
        [("g.Num", Z.of_nat a); ("g.Den", Z.of_nat b); ("y", y); ("t", Z.of_nat t)]%string)
        (fun o => match o with Result vs => post vs | _ => 0%R end))).
  { reflexivity. }
  rewrite exponent_value by assumption. unfold keep.
  destruct (wide_digits (Top y)) as (h & m & l & D & N), (wide_digits Under) as (h' & m' & l' & D' & U).
  unfold digits in D, D'. injection D as Dh Dm Dl. injection D' as Dh' Dm' Dl'.
  unfold digits. rewrite Dh, Dm, Dl, Dh', Dm', Dl'.
  assert (Small : h = 0%Z -> m = 0%Z -> h' = 0%Z -> m' = 0%Z -> coin_law coin [l; l'] post =
    (exp (- (IZR (Top y) / IZR Under)) * post [1%Z] + (1 - exp (- (IZR (Top y) / IZR Under))) * post [0%Z])%R).
  { intros -> -> -> ->. unfold wide in N, U. cbn [Z.mul Z.add] in N, U. rewrite <- N, <- U. reflexivity. }
  assert (Big : coin_law wide_text [h; m; l; h'; m'; l'] post = wide_text ([h; m; l] ++ [h'; m'; l']) * post [1%Z] +
    (1 - wide_text ([h; m; l] ++ [h'; m'; l'])) * post [0%Z]) by reflexivity.
  set (e := exp (- (IZR (Top y) / IZR Under))) in *. clearbody e.
  set (w := wide_text ([h; m; l] ++ [h'; m'; l'])) in *. clearbody w.
  clear - Small Big.
  set (goal := _ * post [1%Z] + _) in |- *.
  assert (G : goal = if ((h =? 0) && (m =? 0) && ((h' =? 0) && (m' =? 0)))%Z
    then e * post [1%Z] + (1 - e) * post [0%Z] else w * post [1%Z] + (1 - w) * post [0%Z]).
  { unfold goal. destruct (_ && _)%bool; reflexivity. }
  rewrite G. clear G goal. set (A := e * _ + _) in *. set (B := w * _ + _) in *. clearbody A B.
  cbv -[Z.eqb truth coin_law coin wide_text andb] in *.
  destruct (Z.eqb_spec h 0); [destruct (Z.eqb_spec m 0); [destruct (Z.eqb_spec h' 0); [destruct (Z.eqb_spec m' 0)|]|]|];
    cbn -[coin_law coin wide_text]; auto.
Qed.
(* the text of bernoulliExpWide: a chance, and that of e^-x up to 2^-(trials-3) of it where x has fewer whole units *)
Definition theta : R := 8 * (1 / 2) ^ trials.
Lemma trials_two : exists n, trials = Datatypes.S n.
Proof. exists (Nat.pred trials). assert (W = 2 ^ 64)%Z by reflexivity. lia. Qed.
Lemma small_pow : 0 < (1 / 2) ^ trials. Proof. apply pow_lt. lra. Qed.
Lemma rest_near den num : (0 < den)%Z -> (0 <= num <= den)%Z ->
  0 <= rest den trials num <= 1 /\
  (1 - theta) * exp (- (IZR num / IZR den)) <= rest den trials num <= exp (- (IZR num / IZR den)).
Proof.
  intros D N. assert (Dp : 0 < IZR den) by (apply IZR_lt; assumption).
  assert (X : 0 <= IZR num / IZR den <= 1).
  { split; [apply Rle_mult_inv_pos; [apply IZR_le; lia|assumption]|].
    apply (Rmult_le_reg_r (IZR den)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
    apply IZR_le. lia. }
  set (x := IZR num / IZR den) in *. pose proof small_pow as P.
  assert (E : 1 / 4 <= exp (- x) <= 1).
  { split.
    - pose proof (exp_ineq1_le (- (1 / 2))) as A. assert (B : exp (- (1)) <= exp (- x)).
      { destruct (Req_dec x 1) as [E|]; [rewrite E; lra|]. left. apply exp_increasing. lra. }
      replace (- (1)) with (- (1 / 2) + - (1 / 2)) in B by field. rewrite exp_plus in B. nra.
    - rewrite <- exp_0. destruct (Req_dec x 0) as [E|]; [rewrite E, Ropp_0; lra|]. left. apply exp_increasing. lra. }
  unfold rest. fold x. destruct (den <? W)%Z.
  - split; [lra|]. unfold theta. split; [|lra].
    assert (0 <= (1 / 2) ^ trials * exp (- x)) by (apply Rmult_le_pos; lra). lra.
  - destruct trials_two as [n Tn]. unfold theta. rewrite Tn in *. cbn [pow] in *.
    pose proof (heads_near x X n) as H. pose proof (loop_range x X (Datatypes.S n) 1 ltac:(lia)) as L.
    change (Sampler.loop x (Datatypes.S n) 1) with (Sampler.heads x (Datatypes.S n)) in L.
    split; [exact L|]. split; nra.
Qed.
Lemma whole_range den m : (0 < den)%Z -> forall num, (0 <= num)%Z -> 0 <= whole den trials m num <= 1.
Proof.
  intros D. induction m as [|m IH]; intros num N; cbn [whole]; [lra|]. destruct (Z.ltb_spec den num).
  - pose proof (IH (num - den)%Z ltac:(lia)). pose proof (exp_pos (-1)).
    assert (exp (-1) <= 1) by (rewrite <- exp_0; left; apply exp_increasing; lra). nra.
  - apply rest_near; lia.
Qed.
Lemma wide_near num den : (0 <= num < W3)%Z -> (0 < den < W * W)%Z ->
  0 <= wide_text (digits num ++ digits den) <= 1 /\
  ((num <= (Z.of_nat trials - 1) * den)%Z ->
    (1 - theta) * exp (- (IZR num / IZR den)) <= wide_text (digits num ++ digits den) <= exp (- (IZR num / IZR den))).
Proof.
  intros N D. assert (T : (Z.of_nat trials < W)%Z) by lia. unfold wide_text. split.
  - rewrite wide_true by assumption. apply whole_range; lia.
  - intros B. set (u := Z.to_nat (if (num =? 0)%Z then 0 else (num - 1) / den)).
    assert (U : (u < trials)%nat /\ (u = 0%nat \/ Z.of_nat u * den < num)%Z /\ (Z.of_nat u * den <= num)%Z /\
      (num <= (Z.of_nat u + 1) * den)%Z).
    { unfold u. destruct (Z.eqb_spec num 0) as [->|Z0]; [cbn; assert (W = 2 ^ 64)%Z by reflexivity; lia|].
      assert (Q : (0 <= (num - 1) / den)%Z) by (apply Z.div_pos; lia). rewrite !Z2Nat.id by assumption.
      pose proof (Z.div_mod (num - 1) den ltac:(lia)) as E. pose proof (Z.mod_pos_bound (num - 1) den ltac:(lia)) as M.
      set (k := ((num - 1) / den)%Z) in *. assert (k < Z.of_nat trials)%Z by nia. nia. }
    destruct U as (U1 & U2 & U3 & U4). rewrite (wide_heads den D trials T num u N U1 U2 U4).
    destruct (rest_near den (num - Z.of_nat u * den) ltac:(lia) ltac:(lia)) as [_ R].
    replace (exp (- (IZR num / IZR den))) with
      (exp (- INR u) * exp (- (IZR (num - Z.of_nat u * den) / IZR den))).
    + pose proof (exp_pos (- INR u)). split; nra.
    + rewrite <- exp_plus. f_equal. rewrite minus_IZR, mult_IZR, <- INR_IZR_INZ. field. apply not_0_IZR. lia.
Qed.
Lemma theta_eta : theta <= eta / 4.
Proof.
  assert (H : 1 / 2 <= exp (- (1 / 2))) by (pose proof (exp_ineq1_le (- (1 / 2))); lra).
  assert (P : (1 / 2) ^ trials <= exp (INR trials * (- (1 / 2)))).
  { rewrite <- exp_pow. apply pow_incr. lra. }
  assert (E : 2 ^ 5 * exp (INR trials * (- (1 / 2))) <= eta).
  { apply Rle_trans with (exp (INR 5) * exp (INR trials * (- (1 / 2)))).
    - apply Rmult_le_compat_r; [left; apply exp_pos|apply two_exp].
    - unfold eta. rewrite <- exp_plus. left. apply exp_increasing. rewrite !INR_IZR_INZ, trials64.
      assert (I : IZR (2 ^ 23) < IZR (W - 1)) by (apply IZR_lt; reflexivity).
      change (IZR (2 ^ 23)) with 8388608 in I. change (IZR (2 ^ 21)) with 2097152. change (IZR (Z.of_nat 5)) with 5.
      set (w := IZR (W - 1)) in *. clearbody w. lra. }
  unfold theta. cbn [pow] in E. lra.
Qed.

(* what the text accepts where the cut does not show, and elsewhere *)
Lemma t_facts : (1 <= Z.of_nat t <= 2 ^ 32)%Z /\ (Z.of_nat a < Z.of_nat b * Z.of_nat t ^ 2 <= 2 ^ 18 * Z.of_nat a)%Z.
Proof.
  split; [apply (GaussianText.t_range a b a62 b62 0%nat)|]. rewrite (GaussianText.t_value a b 0%nat).
  set (A := Z.of_nat a) in *. set (B := Z.of_nat b) in *. assert (Q : (0 <= A / B)%Z) by (apply Z.div_pos; lia).
  destruct (Z.sqrt_spec (A / B) Q) as [S1 S2]. pose proof (Z.sqrt_nonneg (A / B)) as S0. set (s := Z.sqrt (A / B)) in *.
  pose proof (Z.div_mod A B ltac:(lia)) as E. pose proof (Z.mod_pos_bound A B ltac:(lia)) as R.
  set (k := (A / B)%Z) in *. set (r := (A mod B)%Z) in *. clearbody A B k r s. rewrite Z.pow_2_r. split; [nia|].
  destruct (Z.eq_dec s 0) as [->|N]; [lia|]. apply Z.le_trans with (B * (4 * k))%Z; [|nia].
  apply Z.mul_le_mono_nonneg_l; nia.
Qed.
Lemma fractions y : (0 <= y <= most)%Z -> (0 <= Top y < W3)%Z /\ (0 < Under < W * W)%Z.
Proof.
  intros Y. unfold GaussianText.most in Y. pose proof (GaussianText.t_value a b 0%nat) as TV. rewrite TV in Y.
  destruct (domain (Z.of_nat a) (Z.of_nat b) y a62 b62 Y) as (H1 & H2 & H3 & H4 & H5). rewrite <- TV in *.
  unfold top, under in *. split; [|split; [|exact H5]].
  - destruct H4 as [H4 H6]. set (w := (y * Z.of_nat t * Z.of_nat b)%Z) in *. assert (0 <= w)%Z by (unfold w; nia).
    clearbody w. rewrite Z.pow_2_r. unfold W3, W in *. split; [apply Z.square_nonneg|].
    apply Z.le_lt_trans with (2 ^ 95 * 2 ^ 95)%Z; [|lia]. rewrite <- Z.abs_square. apply Z.mul_le_mono_nonneg; lia.
  - assert (0 < Z.of_nat t ^ 2)%Z by (rewrite Z.pow_2_r; nia). nia.
Qed.
Lemma keep_range y : (0 <= y <= most)%Z -> 0 <= keep y <= 1.
Proof.
  intros Y. destruct (fractions y Y) as [N D]. unfold keep. destruct (_ && _)%bool; [|apply wide_near; assumption].
  split; [left; apply exp_pos|]. rewrite <- exp_0.
  assert (X : 0 <= IZR (Top y) / IZR Under) by (apply Rle_mult_inv_pos; [apply IZR_le|apply IZR_lt]; lia).
  destruct X as [X|<-]; [left; apply exp_increasing; lra|rewrite Ropp_0; lra].
Qed.
Lemma short_most z : short 1 t z -> (- most <= z <= most)%Z.
Proof. intros S. unfold short, GaussianText.most, GeometricProgram.Most in *. lia. Qed.
Lemma theta_pos : 0 < theta. Proof. pose proof small_pow. unfold theta. lra. Qed.
Lemma keep_close z : short 1 t z ->
  (1 - theta) * SamplerGaussian.accept a b t z <= keep (Z.abs z) <= SamplerGaussian.accept a b t z.
Proof.
  intros S. pose proof (short_most z S) as M. destruct t_facts as [T [V1 V2]].
  destruct (fractions (Z.abs z) ltac:(lia)) as [N D]. rewrite <- (GaussianText.keep_value a b).
  unfold GaussianText.keep, AcceptProgram.chance. pose proof theta_pos as P. unfold keep. destruct (_ && _)%bool.
  - pose proof (exp_pos (- (IZR (Top (Z.abs z)) / IZR Under))). split; nra.
  - apply wide_near; [assumption|assumption|]. rewrite trials64. unfold short, GeometricProgram.Most in S.
    assert (Y : (Z.abs z <= 2 ^ 22 * Z.of_nat t)%Z) by lia. unfold top, under. set (y := Z.abs z) in *.
    assert (Y0 : (0 <= y)%Z) by (unfold y; lia).
    set (A := Z.of_nat a) in *. set (B := Z.of_nat b) in *. set (s := Z.of_nat t) in *. set (V := (B * s ^ 2)%Z) in *.
    assert (B0 : (0 <= y * s * B <= 2 ^ 22 * V)%Z).
    { unfold V. split; [apply Z.mul_nonneg_nonneg; [apply Z.mul_nonneg_nonneg|]; lia|].
      replace (2 ^ 22 * (B * s ^ 2))%Z with (2 ^ 22 * s * (s * B))%Z by ring.
      rewrite <- Z.mul_assoc. apply Z.mul_le_mono_nonneg_r; nia. }
    replace (2 * A * B * s ^ 2)%Z with (2 * (A * V))%Z by (unfold V; ring). set (w := (y * s * B)%Z) in *.
    clearbody w V A. clear - B0 V1 V2 a62.
    assert (w * w <= 2 ^ 62 * (A * V))%Z.
    { apply Z.le_trans with ((2 ^ 22 * V) * (2 ^ 22 * V))%Z; [apply Z.mul_le_mono_nonneg; lia|].
      replace (2 ^ 22 * V * (2 ^ 22 * V))%Z with (2 ^ 44 * V * V)%Z by ring.
      replace (2 ^ 62 * (A * V))%Z with (2 ^ 44 * (2 ^ 18 * A) * V)%Z by ring. apply Z.mul_le_mono_nonneg_r; lia. }
    assert (0 <= A)%Z by lia. assert (A * A <= A * V)%Z by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (0 <= w * A)%Z by (apply Z.mul_nonneg_nonneg; lia). rewrite Z.pow_2_r.
    assert (W = 2 ^ 64)%Z by reflexivity. nia.
Qed.

Notation SG := (SamplerGaussian.keep a b t).
Notation kept := (SamplerGaussian.kept a b t).
Notation prop := (SamplerGaussian.proposal t).
Definition acc : R := accepted most p keep.
Definition N : nat := Nat.pred (Z.to_nat (2 ^ 22 * Z.of_nat t)).
Definition mu : R := 1 - sumR prop (around N).
Lemma positive : (0 < a)%nat /\ (0 < b)%nat /\ (0 < t)%nat.
Proof. apply (GaussianText.positive a b a62 b62 0%nat). Qed.
Lemma short_N z : short 1 t z <-> (Z.abs z <= Z.of_nat N)%Z.
Proof. destruct t_facts as [T _]. unfold short, GeometricProgram.Most, N. lia. Qed.
Lemma p_short z : short 1 t z -> p z = prop z.
Proof.
  intros S. rewrite proposed by assumption. destruct t_facts as [T _]. apply drawn_at; try assumption; lia.
Qed.
Lemma prop_sum n : sumR prop (around n) = 1 - 2 * SamplerGeometric.q 1 t ^ Datatypes.S n / (1 + SamplerGeometric.q 1 t).
Proof.
  destruct positive as (A & B & T). pose proof (SamplerGaussian.q_bounds a b t A B T) as Q.
  unfold SamplerGaussian.proposal. set (q := SamplerGeometric.q 1 t) in *. clearbody q.
  induction n as [|n IH]; cbn [Dominated.around Dominated.sumR].
  - cbn. field. lra.
  - rewrite IH. replace (Z.to_nat (Z.abs (- Z.of_nat (S n)))) with (S n) by lia.
    replace (Z.to_nat (Z.abs (Z.of_nat (S n)))) with (S n) by lia. cbn [pow]. field. lra.
Qed.
Lemma mu_small : 0 <= mu <= 2 * exp (- IZR (2 ^ 22)).
Proof.
  destruct positive as (A & B & T). pose proof (SamplerGaussian.q_bounds a b t A B T) as Q. destruct t_facts as [T0 _].
  unfold mu. rewrite prop_sum. set (q := SamplerGeometric.q 1 t) in *.
  assert (E : q ^ Datatypes.S N = exp (- IZR (2 ^ 22))).
  { unfold q, SamplerGeometric.q. rewrite exp_pow. f_equal.
    assert (I : INR (Datatypes.S N) = IZR (2 ^ 22) * INR t).
    { rewrite !INR_IZR_INZ, <- mult_IZR. f_equal. unfold N. lia. }
    rewrite I. change (INR 1) with 1. assert (0 < INR t) by (apply lt_0_INR; assumption). field. lra. }
  rewrite E. pose proof (exp_pos (- IZR (2 ^ 22))) as X. set (x := exp _) in *. clearbody x.
  assert (0 <= 2 * x / (1 + q) <= 2 * x); [|lra]. split; [apply Rle_mult_inv_pos; lra|].
  apply (Rmult_le_reg_r (1 + q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.
Lemma kept_near : kept - mu <= sumR SG (around N) <= kept.
Proof.
  destruct positive as (A & B & T). pose proof (SamplerGaussian.keep_le a b t A B T) as K.
  pose proof (SamplerGaussian.keep_series a b t A B T) as S. split.
  - pose proof (SamplerGaussian.proposal_total a b t A B T) as P.
    assert (D : sumR (fun z => prop z + - 1 * SG z) (around N) <= 1 + - 1 * kept).
    { apply sum_series; [intros z; pose proof (K z); lra|].
      apply (is_series_ext (fun k => plus (SamplerGaussian.both prop k) (scal (- 1) (SamplerGaussian.both SG k)))).
      - intros k. unfold SamplerGaussian.both, plus, scal. cbn. unfold mult. cbn. ring.
      - apply (is_series_plus (V := R_NormedModule)); [exact P|].
        apply (is_series_scal_l (V := R_NormedModule)). exact S. }
    unfold mu. assert (L : sumR (fun z => prop z + - 1 * SG z) (around N) = sumR prop (around N) - sumR SG (around N)).
    { generalize (around N). induction l as [|z l IH]; cbn [Dominated.sumR]; [ring|]. rewrite IH. ring. }
    lra.
  - apply sum_series; [intros z; apply K|exact S].
Qed.
Lemma acc_near : (1 - theta) * (kept - mu) <= acc <= kept + mu.
Proof.
  destruct t_facts as [T _]. assert (M0 : (0 <= most)%Z) by (unfold GaussianText.most; lia).
  set (M := Z.to_nat most). assert (EM : most = Z.of_nat M) by (unfold M; lia).
  assert (NM : (N <= M)%nat) by (unfold M, N, GaussianText.most; lia).
  unfold acc, accepted. pose proof p1 as P1. rewrite EM in *.
  rewrite (sum_around M p) in P1. rewrite (sum_around M (fun z => p z * keep (Z.abs z))).
  replace M with (N + (M - N))%nat in * by lia. set (j := (M - N)%nat) in *.
  pose proof (sum_inside (fun z => p z * keep (Z.abs z)) p N j) as I.
  assert (Hi : forall z, (Z.abs z <= Z.of_nat (N + j))%Z -> 0 <= p z * keep (Z.abs z) <= p z).
  { intros z Z0. pose proof (p0 z ltac:(lia)). pose proof (keep_range (Z.abs z) ltac:(lia)). nra. }
  specialize (I Hi). rewrite P1 in I. clear Hi.
  assert (P : sumR p (around N) = sumR prop (around N)).
  { apply Dominated.sumR_ext. intros z Z0. apply p_short, short_N, GaussianPrivacy.around_in, Z0. }
  rewrite P in I. fold mu in I. destruct kept_near as [K1 K2]. pose proof theta_pos.
  destruct positive as (A & B & T'). pose proof (SamplerGaussian.keep_le a b t A B T') as K.
  assert (In : (1 - theta) * sumR SG (around N) <= sumR (fun z => p z * keep (Z.abs z)) (around N) <=
    sumR SG (around N)).
  { rewrite <- Dominated.sumR_scal. split; apply Dominated.sumR_le; intros z Z0;
      apply GaussianPrivacy.around_in, short_N in Z0; rewrite (p_short z Z0); unfold SamplerGaussian.keep;
      pose proof (keep_close z Z0); pose proof (GaussianText.proposal_pos a b a62 b62 0%nat z); nra. }
  pose proof theta_eta. pose proof eta_range.
  split; [|lra]. apply Rle_trans with ((1 - theta) * sumR SG (around N)); [|lra]. apply Rmult_le_compat_l; lra.
Qed.
Lemma kept_least : / 2 ^ 35 <= kept.
Proof.
  destruct positive as (A & B & T). destruct t_facts as [T0 [V1 _]].
  pose proof (SamplerGaussian.level_pos a b t A B T) as L.
  assert (Z1 : 1 <= SamplerGaussian.normaliser a b).
  { replace 1 with (sumR (SamplerGaussian.weight a b) (around 0)).
    - apply sum_series; [intros; left; apply exp_pos|apply (SamplerGaussian.normaliser_sum a b t A B T)].
    - cbn [Dominated.around Dominated.sumR]. unfold SamplerGaussian.weight, SamplerGaussian.size.
      change (Z.abs 0) with 0%Z. rewrite Rplus_0_r, <- exp_0. f_equal. unfold Rdiv. ring. }
  assert (Level : / 2 ^ 35 <= SamplerGaussian.level a b t); [|unfold SamplerGaussian.kept; nra].
  assert (Tr : 1 <= INR t <= IZR (2 ^ 32)) by (rewrite INR_IZR_INZ; split; apply IZR_le; lia).
  pose proof (SamplerGaussian.q_bounds a b t A B T) as Q. unfold SamplerGaussian.level.
  assert (Half : 1 / 2 <= exp (- (SamplerGaussian.s2 a b / (2 * INR t ^ 2)))).
  { eapply Rle_trans; [|apply exp_ineq1_le]. unfold SamplerGaussian.s2.
    assert (INR a / INR b <= INR t ^ 2).
    { assert (Bp : 0 < INR b) by (apply lt_0_INR; assumption).
      apply (Rmult_le_reg_r (INR b)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      rewrite !INR_IZR_INZ, pow_IZR, <- !mult_IZR. apply IZR_le. change (Z.of_nat 2) with 2%Z. lia. }
    assert (P : 0 < 2 * INR t ^ 2) by nra.
    assert (INR a / INR b / (2 * INR t ^ 2) <= 1 / 2); [|lra]. apply (Rmult_le_reg_r (2 * INR t ^ 2)); [assumption|].
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (G : / (2 * (INR t + 1)) <= (1 - SamplerGeometric.q 1 t) / (1 + SamplerGeometric.q 1 t)).
  { unfold SamplerGeometric.q in *. change (INR 1) with 1 in *. set (x := 1 / INR t) in *.
    assert (X : x * INR t = 1) by (unfold x, Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
    pose proof (exp_ineq1_le x) as E.
    assert (Y : exp (- x) * exp x = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    set (y := exp (- x)) in *. clearbody y. set (e := exp x) in *. clearbody e x.
    assert (Yt : y * (INR t + 1) <= INR t).
    { assert (y * (1 + x) <= 1) by nra. replace (y * (INR t + 1)) with (INR t * (y * (1 + x))); nra. }
    apply (Rmult_le_reg_r (1 + y)); [lra|]. unfold Rdiv. rewrite (Rmult_assoc (1 - y)), Rinv_l, Rmult_1_r by lra.
    apply (Rmult_le_reg_l (2 * (INR t + 1))); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. nra. }
  assert (I : / 2 ^ 34 <= / (2 * (INR t + 1))).
  { apply Rinv_le_contravar; [lra|]. change (IZR (2 ^ 32)) with 4294967296 in Tr.
    replace (2 ^ 34) with 17179869184 by (cbn; ring). lra. }
  replace (/ 2 ^ 35) with (/ 2 ^ 34 * (1 / 2)).
  - apply Rmult_le_compat; [left; apply Rinv_0_lt_compat, pow_lt; lra|lra|lra|exact Half].
  - change 35%nat with (Datatypes.S 34). rewrite <- tech_pow_Rmult. field.
Qed.
Notation Z1 := (SamplerGaussian.normaliser a b).
Notation weight := (SamplerGaussian.weight a b).
Lemma acc_eta : (1 - eta / 4) * (1 - eta / 4) * kept <= acc <= (1 + eta / 4) * kept.
Proof.
  pose proof acc_near as A. pose proof theta_eta as Th. pose proof mu_small as M. pose proof eta_range as E.
  pose proof kept_least as K. pose proof theta_pos.
  assert (mu <= eta / 4 * kept).
  { apply Rle_trans with (eta / 4 * / 2 ^ 35); [|apply Rmult_le_compat_l; lra]. pose proof eta_square. lra. }
  assert (0 < kept) by (assert (0 < / 2 ^ 35) by (apply Rinv_0_lt_compat, pow_lt; lra); lra). split; [|nra].
  apply Rle_trans with ((1 - theta) * (kept - mu)); [|apply A]. rewrite Rmult_assoc.
  apply Rmult_le_compat; nra.
Qed.
Lemma gauss_lim z : short 1 t z ->
  is_lim_seq (fun fuel => run texts fuel DiscreteGaussian_Draw [Z.of_nat a; Z.of_nat b] (is z))
    (p z * keep (Z.abs z) / acc).
Proof.
  intros S. pose proof (short_most z S) as Z0. destruct t_facts as [T _].
  pose proof acc_eta as A. pose proof eta_range as E. pose proof kept_least as K.
  assert (0 < / 2 ^ 35) by (apply Rinv_0_lt_compat, pow_lt; lra).
  apply (gaussian_limit (Z.of_nat a) (Z.of_nat b) most (Z.of_nat t)); try assumption.
  - unfold GaussianText.most. lia.
  - intros k. rewrite (GaussianText.t_value a b 0%nat). apply scale_value; try assumption; unfold W; lia.
  - reflexivity.
  - intros y k Y. apply accept_text; assumption.
  - fold acc. split; [nra|]. unfold acc, accepted. rewrite <- p1. apply GaussianText.sum_le. intros i I.
    pose proof (keep_range (Z.abs (i - most)) ltac:(lia)). pose proof (p0 (i - most) ltac:(lia)). nra.
Qed.
(* where the cut does not show: the discrete Gaussian, with its normaliser *)
Theorem text_normalised z : short 1 t z ->
  is_lim_seq (fun fuel => run texts fuel DiscreteGaussian_Draw [Z.of_nat a; Z.of_nat b] (is z)) (gauss z) /\
  exp (- eta) * (exp (- (IZR z ^ 2 / (2 * (INR a / INR b)))) / Z1) <= gauss z <=
  exp eta * (exp (- (IZR z ^ 2 / (2 * (INR a / INR b)))) / Z1).
Proof.
  intros S. pose proof (gauss_lim z S) as G. unfold gauss, limit. rewrite (is_lim_seq_unique _ _ G). cbn [real].
  split; [exact G|]. destruct positive as (A & B & T).
  replace (exp (- (IZR z ^ 2 / (2 * (INR a / INR b))))) with (weight z).
  2:{ unfold SamplerGaussian.weight, SamplerGaussian.size, SamplerGaussian.s2. do 3 f_equal.
    rewrite <- Rabs_Zabs. apply pow2_abs. }
  rewrite (p_short z S). pose proof (SamplerGaussian.keep_weight a b t A B T z) as K. unfold SamplerGaussian.keep in K.
  pose proof (keep_close z S) as C. pose proof (GaussianText.proposal_pos a b a62 b62 0%nat z) as P.
  pose proof acc_eta as Acc. pose proof eta_range as E. pose proof theta_eta as Th. pose proof theta_pos as Tp.
  pose proof kept_least as Kl. assert (K0 : 0 < / 2 ^ 35) by (apply Rinv_0_lt_compat, pow_lt; lra).
  pose proof (SamplerGaussian.normaliser_pos a b t A B T) as Z0. pose proof (SamplerGaussian.weight_pos a b z) as W0.
  assert (V : SamplerGaussian.level a b t * weight z = kept * (weight z / Z1)).
  { unfold SamplerGaussian.kept. field. lra. }
  rewrite V in K. set (v := weight z / Z1) in *. assert (v0 : 0 < v) by (apply Rdiv_lt_0_compat; assumption).
  assert (X : (1 - theta) * (kept * v) <= prop z * keep (Z.abs z) <= kept * v) by (rewrite <- K; split; nra).
  set (x := prop z * keep (Z.abs z)) in *. clearbody x v. clear K V C P.
  assert (A0 : 0 < acc) by nra.
  pose proof (exp_ineq1_le eta) as E1. pose proof (exp_ineq1_le (- eta)) as E2.
  assert (Inv : exp (- eta) * exp eta = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  assert (E3 : exp (- eta) <= 1 - eta / 2).
  { pose proof (exp_pos (- eta)). set (e := exp (- eta)) in *. assert (e * (1 + eta) <= 1) by nra. nra. }
  pose proof (exp_pos (- eta)) as E4.
  set (k := kept) in *. clearbody k.
  split; apply (Rmult_le_reg_r acc); try assumption; unfold Rdiv; rewrite (Rmult_assoc x), Rinv_l, Rmult_1_r by lra.
  - apply Rle_trans with ((1 - theta) * (k * v)); [|lra].
    assert (exp (- eta) * acc <= (1 - theta) * k); [|nra].
    apply Rle_trans with ((1 - eta / 2) * ((1 + eta / 4) * k)); [apply Rmult_le_compat; lra|]. nra.
  - apply Rle_trans with (k * v); [lra|].
    assert (k <= exp eta * acc); [|nra].
    apply Rle_trans with ((1 + eta) * ((1 - eta / 4) * (1 - eta / 4) * k)); [|apply Rmult_le_compat; nra].
    assert (1 <= (1 + eta) * ((1 - eta / 4) * (1 - eta / 4))) by nra. nra.
Qed.

(* noisy counts: the probability of o where the counts are x, on outputs of which the cut shows nothing *)
Fixpoint chance (x o : list Z) : R :=
  match x, o with u :: x', v :: o' => gauss (v - u) * chance x' o' | _, _ => 1 end.
Definition within (x o : list Z) : Prop := Forall2 (fun u v => short 1 t (v - u)) x o.
Lemma chance_near x o : within x o -> 0 < chance x o /\
  Rabs (ln (chance x o) - ln (GaussianPrivacy.prob a b x o)) <= INR (length x) * eta.
Proof.
  destruct positive as (A & B & T).
  induction 1 as [|u v x o S F [P L]]; [cbn; rewrite Rminus_eq_0, Rabs_R0; lra|].
  cbn [chance GaussianPrivacy.prob]. destruct (text_normalised (v - u) S) as [_ G].
  replace (exp (- (IZR (v - u) ^ 2 / (2 * (INR a / INR b))))) with (weight (v - u)) in G.
  2:{ unfold SamplerGaussian.weight, SamplerGaussian.size, SamplerGaussian.s2. do 3 f_equal.
    rewrite <- Rabs_Zabs. apply pow2_abs. }
  pose proof (SamplerGaussian.normaliser_pos a b t A B T) as Z0.
  pose proof (SamplerGaussian.weight_pos a b (v - u)) as W0.
  unfold GaussianPrivacy.Z1. set (w := weight (v - u) / Z1) in *.
  assert (w0 : 0 < w) by (apply Rdiv_lt_0_compat; assumption).
  clearbody w. pose proof (exp_pos (- eta)) as E1. pose proof (exp_pos eta) as E2.
  assert (g0 : 0 < gauss (v - u)) by nra. set (g := gauss (v - u)) in *. clearbody g.
  pose proof (GaussianPrivacy.prob_pos a b A B x o) as Q.
  split; [apply Rmult_lt_0_compat; assumption|]. rewrite !ln_mult by assumption. cbn [length]. rewrite S_INR.
  assert (D : - eta <= ln g - ln w <= eta).
  { split.
    - assert (ln (exp (- eta) * w) <= ln g) as H; [|rewrite ln_mult, ln_exp in H by assumption; lra].
      apply ln_le; [apply Rmult_lt_0_compat; assumption|apply G].
    - assert (ln g <= ln (exp eta * w)) as H; [|rewrite ln_mult, ln_exp in H by assumption; lra].
      apply ln_le; [assumption|apply G]. }
  apply Rabs_le_between in L. apply Rabs_le_between. lra.
Qed.
(* Rényi divergences of every order alpha > 1 *)
Theorem text_zcdp alpha x y : 1 < alpha -> length x = length y ->
  forall S, NoDup S -> (forall o, In o S -> within x o /\ within y o) ->
  sumR (fun o => Rpower (chance x o) alpha * Rpower (chance y o) (1 - alpha)) S <=
  exp ((alpha - 1) * (alpha * (IZR (GaussianPrivacy.squared x y) / (2 * (INR a / INR b)))) +
    (2 * alpha - 1) * (INR (length x) * eta)).
Proof.
  intros A1 L S D H. destruct positive as (A & B & T).
  rewrite Rplus_comm, exp_plus.
  apply Rle_trans with (sumR (fun o => exp ((2 * alpha - 1) * (INR (length x) * eta)) *
    GaussianPrivacy.moment a b alpha x y o) S).
  - apply Dominated.sumR_le. intros o I. destruct (H o I) as [Wx Wy].
    destruct (chance_near x o Wx) as [_ X]. destruct (chance_near y o Wy) as [_ Y]. rewrite <- L in Y.
    apply Rabs_le_between in X. apply Rabs_le_between in Y. unfold GaussianPrivacy.moment, Rpower.
    rewrite <- !exp_plus.
    match goal with |- exp ?u <= exp ?v =>
      assert (V : u <= v) by nra; destruct V as [V| ->]; [left; apply exp_increasing, V|lra] end.
  - rewrite Dominated.sumR_scal. apply Rmult_le_compat_l; [left; apply exp_pos|].
    apply (GaussianPrivacy.gaussian_renyi a b A B alpha x y L S D).
    intros o I. destruct (H o I) as [F _]. symmetry. clear - F. induction F; cbn; congruence.
Qed.
End Text.
