(* Discrete Gaussian noise on integer counts has zero-concentrated privacy: Rényi divergences of every order alpha are
   at most alpha * rho, rho = |x - y|^2 / (2 sigma^2), for every finite set of outputs, vectors of counts of any length.
   What is needed is that the weights around a real number never add up to more than those around 0 (Canonne, Kamath and
   Steinke use Poisson summation). Here it follows from f(t)^4 <= f(2t) f(0)^3, by the parity of sums and differences. *)
From Coq Require Import Reals Lra Lia ZArith List Bool.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Geometric CountPlan Dominated SamplerGeometric SamplerGaussian.
Import ListNotations.
Open Scope R_scope.

Lemma sumR_map {A B} (f : B -> R) (g : A -> B) l : sumR f (map g l) = sumR (fun a => f (g a)) l.
Proof. induction l; cbn; [|rewrite IHl]; reflexivity. Qed.
Lemma NoDup_inj {A B} (g : A -> B) l : NoDup l -> (forall a b, In a l -> In b l -> g a = g b -> a = b) ->
  NoDup (map g l).
Proof.
  induction 1 as [|a l Ha N IH]; cbn; intros J; [constructor|]. constructor.
  - intros I. apply in_map_iff in I. destruct I as (b & E & I).
    rewrite (J b a) in I; [contradiction|right; assumption|left; reflexivity|assumption].
  - apply IH. intros; apply J; try right; assumption.
Qed.
Lemma sum_into {A B} (g : A -> B) (f : B -> R) l m : NoDup l ->
  (forall a b, In a l -> In b l -> g a = g b -> a = b) -> (forall a, In a l -> In (g a) m) -> (forall b, 0 <= f b) ->
  sumR (fun a => f (g a)) l <= sumR f m.
Proof.
  intros N J I P. rewrite <- sumR_map. apply sub_sum; [apply NoDup_inj; assumption| |assumption].
  intros b Hb. apply in_map_iff in Hb. destruct Hb as (a & <- & Ha). auto.
Qed.
Definition pairs (l m : list Z) : list (Z * Z) := flat_map (fun a => map (pair a) m) l.
Lemma pairs_in l m p : In p (pairs l m) <-> In (fst p) l /\ In (snd p) m.
Proof.
  unfold pairs. rewrite in_flat_map. destruct p as [u v]. cbn. split.
  - intros (a & Ha & H). apply in_map_iff in H. destruct H as (b & [= <- <-] & Hb). auto.
  - intros [Hu Hv]. exists u. split; [assumption|]. apply in_map. assumption.
Qed.
Lemma pairs_nodup l m : NoDup l -> NoDup m -> NoDup (pairs l m).
Proof.
  intros L M. induction L as [|a l Ha L IH]; cbn; [constructor|].
  change (flat_map _ l) with (pairs l m).
  assert (D : forall k, NoDup k -> (forall p, In p k -> fst p = a) -> NoDup (k ++ pairs l m)).
  { induction 1 as [|p k Hp K IHk]; intros E; cbn; [assumption|]. constructor.
    - rewrite in_app_iff, pairs_in. intros [H|[H _]]; [contradiction|]. rewrite (E p) in H by (left; reflexivity).
      contradiction.
    - apply IHk. intros; apply E; right; assumption. }
  apply D; [apply NoDup_inj; [assumption|congruence]|]. intros p Hp. apply in_map_iff in Hp.
  destruct Hp as (b & <- & _). reflexivity.
Qed.
Lemma pairs_sum (f g : Z -> R) l m : sumR (fun p => f (fst p) * g (snd p)) (pairs l m) = sumR f l * sumR g m.
Proof.
  induction l as [|a l IH]; cbn [pairs flat_map sumR]; [lra|].
  change (flat_map _ l) with (pairs l m). rewrite sumR_app, IH, sumR_map. cbn [fst snd]. rewrite sumR_scal. lra.
Qed.
Lemma around_in n k : In k (around n) <-> (Z.abs k <= Z.of_nat n)%Z.
Proof.
  induction n as [|n IH]; cbn [around].
  - cbn. lia.
  - cbn [In]. rewrite IH. lia.
Qed.
Lemma around_nodup n : NoDup (around n).
Proof.
  induction n as [|n IH]; cbn [around]; [repeat constructor; intros []|].
  constructor; [|constructor; [|assumption]].
  - cbn [In]. rewrite around_in. lia.
  - rewrite around_in. lia.
Qed.
Lemma within (l : list Z) : exists n, incl l (around n).
Proof.
  exists (fold_right Nat.max O (map (fun k => Z.to_nat (Z.abs k)) l)). induction l as [|a l IH]; [intros ? []|].
  intros b [<-|Hb]; apply around_in; cbn [map fold_right]; [lia|]. specialize (IH b Hb). apply around_in in IH. lia.
Qed.

(* Weights e^(-c z^2) around real numbers. *)
Section Theta.
Variable c : R.
Hypothesis c0 : 0 < c.
Definition e (z : R) : R := exp (- (c * z ^ 2)).
Definition e2 (z : R) : R := exp (- (2 * c * z ^ 2)).
Definition F (l : list Z) (t : R) : R := sumR (fun k => e (IZR k - t)) l.
Definition G (l : list Z) (t : R) : R := sumR (fun k => e2 (IZR k - t)) l.
Lemma e_pos z : 0 < e z. Proof. apply exp_pos. Qed.
Lemma e2_pos z : 0 < e2 z. Proof. apply exp_pos. Qed.

(* a sum and a difference of integers are both even or both odd *)
Definition halves (p : Z * Z) : bool * (Z * Z) :=
  let (j, k) := p in (Z.odd (j + k), ((j + k) / 2, (j - k) / 2))%Z.
Definition value (t : R) (x : bool * (Z * Z)) : R :=
  let h := if fst x then 1 / 2 else 0 in
  e2 (IZR (fst (snd x)) + h - t) * e2 (IZR (snd (snd x)) + h).
Lemma halves_spec j k : exists u v, halves (j, k) = (Z.odd (j + k), (u, v)) /\
  (j + k = 2 * u + (if Z.odd (j + k) then 1 else 0))%Z /\ (j - k = 2 * v + (if Z.odd (j + k) then 1 else 0))%Z.
Proof.
  exists ((j + k) / 2)%Z, ((j - k) / 2)%Z. split; [reflexivity|].
  assert (O : Z.odd (j - k) = Z.odd (j + k)) by (rewrite Z.odd_sub, Z.odd_add; reflexivity).
  split; [rewrite (Z.div_mod (j + k) 2) at 1 by lia|rewrite (Z.div_mod (j - k) 2) at 1 by lia; rewrite <- O];
    rewrite Zmod_odd; reflexivity.
Qed.
Lemma halves_value t p : value t (halves p) = e (IZR (fst p) - t) * e (IZR (snd p) - t).
Proof.
  destruct p as [j k]. destruct (halves_spec j k) as (u & v & -> & U & V). unfold value, e, e2. cbn [fst snd].
  rewrite <- !exp_plus. f_equal.
  destruct (Z.odd (j + k)); cbv iota in *; apply (f_equal IZR) in U, V;
    rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR in U; rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR in V.
  - assert (J : IZR j = IZR u + IZR v + 1) by lra. assert (K : IZR k = IZR u - IZR v) by lra. rewrite J, K. field.
  - assert (J : IZR j = IZR u + IZR v) by lra. assert (K : IZR k = IZR u - IZR v) by lra. rewrite J, K. field.
Qed.
Lemma halves_inj p q : halves p = halves q -> p = q.
Proof.
  destruct p as [j k], q as [j' k']. destruct (halves_spec j k) as (u & v & -> & U & V).
  destruct (halves_spec j' k') as (u' & v' & -> & U' & V'). intros [= O <- <-]. rewrite O in *. f_equal; lia.
Qed.
Lemma square l t : NoDup l -> exists n,
  F l t ^ 2 <= G (around n) t * G (around n) 0 + G (around n) (t - 1 / 2) * G (around n) (- (1 / 2)).
Proof.
  intros N. destruct (within l) as (n & I). exists (S n).
  replace (F l t ^ 2) with (F l t * F l t) by ring. unfold F. rewrite <- pairs_sum.
  rewrite (sumR_ext _ _ (fun p => value t (halves p))) by (intros; symmetry; apply halves_value).
  set (U := around (S n)).
  apply Rle_trans with (sumR (value t) (map (pair false) (pairs U U) ++ map (pair true) (pairs U U))).
  - apply sum_into.
    + apply pairs_nodup; assumption.
    + intros p q _ _. apply halves_inj.
    + intros [j k] H. apply pairs_in in H. cbn [fst snd] in H. destruct H as [Hj Hk].
      apply I, around_in in Hj. apply I, around_in in Hk.
      destruct (halves_spec j k) as (u & v & -> & Eu & Ev). rewrite in_app_iff.
      destruct (Z.odd (j + k)); [right|left]; apply in_map, pairs_in; split; apply around_in; cbn [fst snd]; lia.
    + intros [b [u v]]. unfold value. left. apply Rmult_lt_0_compat; apply e2_pos.
  - rewrite sumR_app, !sumR_map. right. unfold G. rewrite <- !pairs_sum.
    f_equal; apply sumR_ext; intros [u v] _; unfold value; cbn [fst snd]; f_equal; f_equal; field.
Qed.
Lemma squares n t : G (around n) t ^ 2 + G (around n) (t - 1 / 2) ^ 2 <=
  F (around (2 * n + 1)) (2 * t) * F (around (2 * n + 1)) 0.
Proof.
  set (U := around n). set (V := around (2 * n + 1)).
  replace (G U t ^ 2) with (G U t * G U t) by ring.
  replace (G U (t - 1 / 2) ^ 2) with (G U (t - 1 / 2) * G U (t - 1 / 2)) by ring.
  unfold G, F. rewrite <- !pairs_sum.
  set (g := fun x : bool * (Z * Z) => let (b, p) := x in
    (fst p + snd p + (if b then 1 else 0), fst p - snd p)%Z).
  set (f := fun p : Z * Z => e (IZR (fst p) - 2 * t) * e (IZR (snd p) - 0)).
  apply Rle_trans with (sumR (fun x => f (g x)) (map (pair false) (pairs U U) ++ map (pair true) (pairs U U))).
  - right. rewrite sumR_app, !sumR_map. f_equal; apply sumR_ext; intros [u v] _; unfold f, g, e, e2; cbn [fst snd];
      rewrite <- !exp_plus; f_equal; rewrite ?plus_IZR, ?minus_IZR; field.
  - apply sum_into.
    + assert (D : NoDup (pairs U U)) by (apply pairs_nodup; apply around_nodup).
      assert (L : forall k : list (bool * (Z * Z)), NoDup k -> (forall x, In x k -> fst x = false) ->
        NoDup (k ++ map (pair true) (pairs U U))).
      { induction 1 as [|x k Hx K IHk]; intros E; cbn; [apply NoDup_inj; [assumption|congruence]|]. constructor.
        - rewrite in_app_iff. intros [H|H]; [contradiction|]. apply in_map_iff in H. destruct H as (y & <- & _).
          specialize (E _ (or_introl eq_refl)). discriminate E.
        - apply IHk. intros; apply E; right; assumption. }
      apply L; [apply NoDup_inj; [assumption|congruence]|]. intros x Hx. apply in_map_iff in Hx.
      destruct Hx as (y & <- & _). reflexivity.
    + intros [b [u v]] [b' [u' v']] _ _. unfold g. cbn [fst snd]. intros [= A B].
      destruct b, b'; try (exfalso; lia); f_equal; f_equal; lia.
    + intros [b [u v]] H. rewrite in_app_iff in H. apply pairs_in. unfold g. cbn [fst snd].
      assert (B : (Z.abs u <= Z.of_nat n /\ Z.abs v <= Z.of_nat n)%Z).
      { destruct H as [H|H]; apply in_map_iff in H; destruct H as ([u' v'] & [= _ <- <-] & H); apply pairs_in in H;
          cbn [fst snd] in H; destruct H as [Hu Hv]; apply around_in in Hu, Hv; auto. }
      split; apply around_in; destruct b; lia.
    + intros p. unfold f. left. apply Rmult_lt_0_compat; apply e_pos.
Qed.
Lemma G_even n : G (around n) (- (1 / 2)) = G (around n) (0 - 1 / 2). Proof. f_equal. field. Qed.

Variable total : R.
Hypothesis bounded : forall l, NoDup l -> F l 0 <= total.
Lemma total_pos : 1 <= total.
Proof.
  specialize (bounded [0%Z]). assert (N : NoDup [0%Z]) by (repeat constructor; intros []). specialize (bounded N).
  unfold F, e in bounded. cbn [sumR] in bounded. replace (- (c * (0 - 0) ^ 2)) with 0 in bounded by ring.
  rewrite exp_0 in bounded. lra.
Qed.
Lemma fourth l t : NoDup l -> exists m, NoDup m /\ F l t ^ 4 <= F m (2 * t) * total ^ 3.
Proof.
  intros N. destruct (square l t N) as (n & A). exists (around (2 * n + 1)). split; [apply around_nodup|].
  set (V := around (2 * n + 1)) in *.
  pose proof (squares n t) as B. pose proof (squares n 0) as C. rewrite Rmult_0_r, <- G_even in C. fold V in B, C.
  set (a := G (around n) t) in *. set (b := G (around n) 0) in *. set (a' := G (around n) (t - 1 / 2)) in *.
  set (b' := G (around n) (- (1 / 2))) in *.
  assert (P : forall k s, 0 <= F k s).
  { intros k s. unfold F. induction k as [|z k IH]; cbn; [lra|]. pose proof (e_pos (IZR z - s)). lra. }
  assert (T : F V 0 <= total) by (apply bounded, around_nodup).
  pose proof (P l t). pose proof (P V 0) as P0. pose proof (P V (2 * t)) as Pt. pose proof total_pos.
  assert (S : F l t ^ 4 <= (a ^ 2 + a' ^ 2) * (b ^ 2 + b' ^ 2)).
  { replace (F l t ^ 4) with ((F l t ^ 2) ^ 2) by ring.
    apply Rle_trans with ((a * b + a' * b') ^ 2).
    - apply pow_incr. split; [apply pow2_ge_0|assumption].
    - pose proof (pow2_ge_0 (a * b' - a' * b)). nra. }
  apply Rle_trans with ((F V (2 * t) * F V 0) * (F V 0 * F V 0)).
  - eapply Rle_trans; [exact S|]. apply Rmult_le_compat; try assumption.
    + pose proof (pow2_ge_0 a). pose proof (pow2_ge_0 a'). lra.
    + pose proof (pow2_ge_0 b). pose proof (pow2_ge_0 b'). lra.
  - replace (total ^ 3) with (total * (total * total)) by ring. rewrite Rmult_assoc.
    apply Rmult_le_compat_l; [assumption|].
    apply Rmult_le_compat; try assumption; [apply Rmult_le_pos; assumption|].
    apply Rmult_le_compat; assumption.
Qed.
Lemma twice l t : NoDup l -> F l t <= 2 * total.
Proof.
  intros N. set (i := Int_part t). destruct (base_Int_part t) as [A B]. fold i in A, B.
  assert (S : forall d, F (map (fun k => (k - d)%Z) l) 0 <= total).
  { intros d. apply bounded. apply NoDup_inj; [assumption|]. intros; lia. }
  pose proof (S i) as S0. pose proof (S (i + 1)%Z) as S1. clear S.
  apply Rle_trans with (F (map (fun k => (k - i)%Z) l) 0 + F (map (fun k => (k - (i + 1))%Z) l) 0); [|lra].
  clear S0 S1 N. unfold F. rewrite !sumR_map. induction l as [|k l IH]; cbn [sumR]; [lra|].
  rewrite !minus_IZR, plus_IZR in *.
  assert (E : forall x y, 0 <= x -> (x <= y \/ x <= - y) -> e y <= e x).
  { intros x y X Y. unfold e. assert (Q : x ^ 2 <= y ^ 2) by (destruct Y; nra).
    destruct (Req_dec (x ^ 2) (y ^ 2)) as [->|D]; [lra|]. left. apply exp_increasing. nra. }
  assert (K : e (IZR k - t) <= e (IZR k - IZR i - 0) + e (IZR k - (IZR i + 1) - 0)).
  { pose proof (e_pos (IZR k - IZR i - 0)). pose proof (e_pos (IZR k - (IZR i + 1) - 0)).
    destruct (Z_le_gt_dec k i) as [L|L].
    - apply IZR_le in L. apply Rle_trans with (e (IZR i - IZR k)); [apply E; lra|].
      replace (e (IZR i - IZR k)) with (e (IZR k - IZR i - 0)); [lra|]. unfold e. f_equal. ring.
    - assert (L' : (i + 1 <= k)%Z) by lia. apply IZR_le in L'. rewrite plus_IZR in L'.
      apply Rle_trans with (e (IZR k - (IZR i + 1) - 0)); [apply E; lra|lra]. }
  lra.
Qed.
Lemma power n : forall l t, NoDup l -> (F l t / total) ^ (4 ^ n) <= 2.
Proof.
  pose proof total_pos as T.
  assert (P : forall k s, 0 <= F k s).
  { intros k s. unfold F. induction k as [|z k IH]; cbn; [lra|]. pose proof (e_pos (IZR z - s)). lra. }
  induction n as [|n IH]; intros l t N.
  - cbn [Nat.pow pow]. rewrite Rmult_1_r. apply (Rmult_le_reg_r total); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. pose proof (twice l t N). lra.
  - destruct (fourth l t N) as (m & M & A). eapply Rle_trans; [|apply (IH m (2 * t) M)].
    replace (4 ^ S n)%nat with (4 * 4 ^ n)%nat by reflexivity. rewrite pow_mult. apply pow_incr. split.
    + apply pow_le. apply Rle_mult_inv_pos; [apply P|lra].
    + unfold Rdiv. rewrite Rpow_mult_distr, pow_inv.
      apply (Rmult_le_reg_r (total ^ 4)); [apply pow_lt; lra|].
      rewrite Rmult_assoc, Rinv_l by (apply pow_nonzero; lra).
      replace (F m (2 * t) * / total * total ^ 4) with (F m (2 * t) * total ^ 3) by (field; lra). lra.
Qed.
Theorem shifted l t : NoDup l -> F l t <= total.
Proof.
  intros N. pose proof total_pos as T. destruct (Rle_or_lt (F l t) total) as [L|L]; [assumption|exfalso].
  set (h := F l t / total - 1).
  assert (H : 0 < h).
  { unfold h. apply Rlt_Rminus. apply (Rmult_lt_reg_r total); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  destruct (archimed (1 / h)) as [A _]. set (k := Z.to_nat (up (1 / h))).
  assert (K : 1 / h < INR k).
  { unfold k. rewrite INR_IZR_INZ, Z2Nat.id; [assumption|]. apply le_IZR, Rlt_le.
    apply Rlt_trans with (1 / h); [|assumption]. apply Rdiv_lt_0_compat; lra. }
  pose proof (power k l t N) as P.
  assert (Q : 1 + INR (4 ^ k) * h <= (F l t / total) ^ (4 ^ k)).
  { replace (F l t / total) with (1 + h) by (unfold h; ring). apply poly. assumption. }
  assert (W : (k <= 4 ^ k)%nat) by (apply Nat.lt_le_incl, Nat.pow_gt_lin_r; lia).
  apply le_INR in W. assert (X : 1 < INR k * h).
  { apply (Rmult_lt_compat_r h) in K; [|assumption]. unfold Rdiv in K. rewrite Rmult_assoc, Rinv_l in K by lra. lra. }
  nra.
Qed.
End Theta.

(* the square of the Euclidean distance *)
Fixpoint squared (x y : list Z) : Z :=
  match x, y with u :: x', v :: y' => ((u - v) ^ 2 + squared x' y')%Z | _, _ => 0%Z end.
Lemma squared_le k x : forall y, Forall2 (fun u v => (Z.abs (u - v) <= k)%Z) x y -> (squared x y <= k * dist x y)%Z.
Proof.
  intros y H. induction H as [|u v x y A H IH]; cbn [squared dist]; [lia|].
  assert (B : ((u - v) ^ 2 <= k * Z.abs (u - v))%Z).
  { rewrite Z.pow_2_r, <- Z.abs_square. apply Z.mul_le_mono_nonneg_r; lia. }
  lia.
Qed.

(* Noise of variance parameter a/b, whose law gaussian_law samples. *)
Section Noise.
Variables a b : nat.
Hypothesis a0 : (0 < a)%nat.
Hypothesis b0 : (0 < b)%nat.

Definition rate : R := 1 / (2 * s2 a b).
Definition Z1 : R := normaliser a b.
Lemma s2_pos : 0 < s2 a b.
Proof. unfold s2. apply Rdiv_lt_0_compat; apply lt_0_INR; assumption. Qed.
Lemma rate_pos : 0 < rate.
Proof. unfold rate. pose proof s2_pos. apply Rdiv_lt_0_compat; lra. Qed.
Lemma Z1_pos : 0 < Z1. Proof. apply (normaliser_pos a b 1); auto. Qed.
Lemma weight_e y : weight a b y = e rate (IZR y).
Proof.
  unfold weight, e, rate, size. pose proof s2_pos. f_equal. rewrite abs_IZR, pow2_abs. field. lra.
Qed.
Lemma weights_bounded l : NoDup l -> F rate l 0 <= Z1.
Proof.
  intros N. destruct (within l) as (n & I).
  apply Rle_trans with (F rate (around n) 0).
  { apply sub_sum; [assumption|assumption|]. intros; left; apply exp_pos. }
  apply Rle_trans with (sum_n (both (weight a b)) n).
  - assert (W : forall m, F rate (around m) 0 + weight a b (- Z.of_nat (S m)) = sum_n (both (weight a b)) m).
    { clear - a0 b0. induction m as [|m IH].
      - rewrite sum_O. unfold F, both. cbn [around sumR]. rewrite Rminus_0_r, <- weight_e.
        change (Z.of_nat 0) with 0%Z. lra.
      - rewrite sum_Sn. change (plus ?u ?v) with (u + v). rewrite <- IH. unfold both, F. cbn [around sumR].
        rewrite !Rminus_0_r, <- !weight_e. lra. }
    rewrite <- W. pose proof (weight_pos a b (- Z.of_nat (S n))). lra.
  - unfold Z1. apply is_lim_seq_incr_compare with (u := sum_n (both (weight a b))).
    + apply (normaliser_sum a b 1); auto.
    + intros m. rewrite sum_Sn. unfold both at 3. pose proof (weight_pos a b (Z.of_nat (S m))).
      pose proof (weight_pos a b (- Z.of_nat (S (S m)))). unfold plus. cbn in *. lra.
Qed.

(* the probability of outputs o where the counts are x *)
Fixpoint prob (x o : list Z) : R :=
  match x, o with u :: x', v :: o' => weight a b (v - u) / Z1 * prob x' o' | _, _ => 1 end.
Lemma prob_pos x : forall o, 0 < prob x o.
Proof.
  induction x as [|u x IH]; intros [|v o]; cbn; try lra. apply Rmult_lt_0_compat; [|apply IH].
  apply Rdiv_lt_0_compat; [apply weight_pos|apply Z1_pos].
Qed.

Variable alpha : R.
Definition moment (x y o : list Z) : R := Rpower (prob x o) alpha * Rpower (prob y o) (1 - alpha).
Lemma one u v o : Rpower (weight a b (o - u) / Z1) alpha * Rpower (weight a b (o - v) / Z1) (1 - alpha) =
  exp (alpha * (alpha - 1) * (rate * IZR ((u - v) ^ 2))) *
    (e rate (IZR o - (alpha * IZR u + (1 - alpha) * IZR v)) / Z1).
Proof.
  pose proof Z1_pos as P. rewrite !weight_e. unfold Rpower, Rdiv.
  assert (I : 0 < / Z1) by (apply Rinv_0_lt_compat; assumption).
  rewrite !ln_mult by (try apply exp_pos; assumption). unfold e. rewrite !ln_exp, !ln_Rinv by assumption.
  replace (/ Z1) with (exp (- ln Z1)) by (rewrite <- ln_Rinv, exp_ln by assumption; reflexivity).
  rewrite <- !exp_plus. f_equal. rewrite Z.pow_2_r, mult_IZR, !minus_IZR. ring.
Qed.
Lemma column n u v :
  sumR (fun z => Rpower (weight a b (z - u) / Z1) alpha * Rpower (weight a b (z - v) / Z1) (1 - alpha)) (near u n) <=
  exp (alpha * (alpha - 1) * (rate * IZR ((u - v) ^ 2))).
Proof.
  pose proof Z1_pos as P. rewrite (sumR_ext _ _ _ _ (fun z _ => one u v z)), sumR_scal.
  rewrite <- (Rmult_1_r (exp _)) at 2. apply Rmult_le_compat_l; [left; apply exp_pos|].
  apply (Rmult_le_reg_l Z1); [assumption|]. rewrite <- sumR_scal, Rmult_1_r.
  apply Rle_trans with (F rate (near u n) (alpha * IZR u + (1 - alpha) * IZR v)).
  - right. apply sumR_ext. intros. field. lra.
  - apply (shifted rate rate_pos); [apply weights_bounded|].
    assert (M : near u n = map (fun z => (u + z)%Z) (around n)).
    { clear. induction n as [|n IH]; cbn [near around map]; [f_equal; lia|]. rewrite IH. reflexivity. }
    rewrite M. apply NoDup_inj; [apply around_nodup|]. intros; lia.
Qed.
Lemma boxed n : forall x y, length x = length y ->
  sumR (moment x y) (box x n) <= exp (alpha * (alpha - 1) * (rate * IZR (squared x y))).
Proof.
  induction x as [|u x IH]; intros [|v y] L; try discriminate.
  - cbn [box sumR squared]. unfold moment. cbn [prob]. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
  - cbn [box squared]. injection L as L. rewrite sum_product.
    set (c := fun z => Rpower (weight a b (z - u) / Z1) alpha * Rpower (weight a b (z - v) / Z1) (1 - alpha)).
    apply Rle_trans with (sumR (fun z => exp (alpha * (alpha - 1) * (rate * IZR (squared x y))) * c z) (near u n)).
    + apply sumR_le. intros z _. rewrite (sumR_ext _ _ (fun o => c z * moment x y o)).
      * rewrite sumR_scal, Rmult_comm. apply Rmult_le_compat_r; [|apply IH; assumption].
        unfold c. left. apply Rmult_lt_0_compat; apply exp_pos.
      * intros o _. unfold moment, c. cbn [prob].
        assert (W : forall k, 0 < weight a b k / Z1).
        { intros. apply Rdiv_lt_0_compat; [apply weight_pos|apply Z1_pos]. }
        rewrite <- !Rpower_mult_distr by (try apply W; apply prob_pos). ring.
    + rewrite sumR_scal. apply Rle_trans with (exp (alpha * (alpha - 1) * (rate * IZR (squared x y))) *
        exp (alpha * (alpha - 1) * (rate * IZR ((u - v) ^ 2)))).
      * apply Rmult_le_compat_l; [left; apply exp_pos|exact (column n u v)].
      * rewrite <- exp_plus, plus_IZR. right. f_equal. ring.
Qed.

(* The divergence of order alpha, exponentiated, is at most exp((alpha - 1) * alpha * |x - y|^2 / (2 sigma^2)). *)
Theorem gaussian_renyi x y : length x = length y -> forall S, NoDup S -> (forall o, In o S -> length o = length x) ->
  sumR (moment x y) S <= exp ((alpha - 1) * (alpha * (IZR (squared x y) / (2 * s2 a b)))).
Proof.
  intros L S N H. destruct (included S x y L H) as (n & _ & I).
  eapply Rle_trans.
  { apply (sub_sum _ S (box x n) _ N I). intros. unfold moment. left. apply Rmult_lt_0_compat; apply exp_pos. }
  eapply Rle_trans; [apply boxed; assumption|]. right. f_equal. unfold rate. pose proof s2_pos. field. lra.
Qed.
End Noise.

(* Count tables under zero-concentrated privacy: a unit of k rows at most is replaced, of tables whose replaced row moves
   m cells in all, or it is added to m tables; rho = k^2 m / (2 sigma^2). *)
Section Plan.
Context {row cell : Type} (eqb : cell -> cell -> bool).
Hypothesis eqb_spec : forall u v, reflect (u = v) (eqb u v).
Notation part := (@Counts.part row cell).
Variables (a b : nat) (ps : list part) (k : nat) (alpha : R).
Hypothesis a0 : (0 < a)%nat.
Hypothesis b0 : (0 < b)%nat.
Hypothesis above : 1 < alpha.
Definition zcdp (m : Z) (x y : list Z) : Prop := forall S, NoDup S -> (forall o, In o S -> length o = length x) ->
  sumR (moment a b alpha x y) S <= exp ((alpha - 1) * (alpha * (IZR (Z.of_nat k ^ 2 * m) / (2 * s2 a b)))).
Lemma moved m x y : length x = length y -> Forall2 (fun u v => (Z.abs (u - v) <= Z.of_nat k)%Z) x y ->
  (dist x y <= Z.of_nat k * m)%Z -> zcdp m x y.
Proof.
  intros XY F D S N H. eapply Rle_trans; [apply gaussian_renyi; assumption|].
  assert (M : IZR (squared x y) / (2 * s2 a b) <= IZR (Z.of_nat k ^ 2 * m) / (2 * s2 a b)).
  { pose proof (s2_pos a b a0 b0). apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    apply IZR_le. eapply Z.le_trans; [apply squared_le; eassumption|].
    rewrite Z.pow_2_r, <- Z.mul_assoc. apply Z.mul_le_mono_nonneg_l; lia. }
  destruct M as [M|M]; [left; apply exp_increasing; apply Rmult_lt_compat_l; [lra|]; apply Rmult_lt_compat_l; lra|].
  rewrite M. lra.
Qed.
Lemma cells A B xs ys : (forall (f : row -> cell) c, Z.abs (Counts.count eqb f c (A ++ xs ++ B) -
  Counts.count eqb f c (A ++ ys ++ B)) <= Z.of_nat k)%Z ->
  Forall2 (fun u v => (Z.abs (u - v) <= Z.of_nat k)%Z) (counts_of eqb ps (A ++ xs ++ B)) (counts_of eqb ps (A ++ ys ++ B)).
Proof.
  intros M. unfold counts_of. induction ps as [|p l IH]; cbn [flat_map]; [constructor|].
  apply Forall2_app; [|assumption]. induction (Counts.measured p) as [|c m IHm]; cbn [map]; constructor; [|assumption].
  apply M.
Qed.
Theorem replace_zcdp A B xs ys : length xs = length ys -> (length xs <= k)%nat ->
  zcdp (Counts.sumZ moved_by (lens_of ps)) (counts_of eqb ps (A ++ xs ++ B)) (counts_of eqb ps (A ++ ys ++ B)).
Proof.
  intros L K. apply moved; [apply counts_length| |].
  - apply cells. intros f c. pose proof (Counts.cell_moves eqb f c xs ys A B L). lia.
  - rewrite (dist_counts eqb). eapply Z.le_trans.
    + apply (Counts.replace_rows eqb eqb_spec); [|assumption]. intros u v. apply (changed_all eqb eqb_spec).
    + apply Z.mul_le_mono_nonneg_r; [|lia].
      clear. induction ps; cbn [lens_of map Counts.sumZ]; [lia|]. unfold lens_of in IHl. unfold moved_by at 1. lia.
Qed.
Theorem add_zcdp A B xs : (length xs <= k)%nat ->
  zcdp (Z.of_nat (length ps)) (counts_of eqb ps (A ++ xs ++ B)) (counts_of eqb ps (A ++ B)) /\
  zcdp (Z.of_nat (length ps)) (counts_of eqb ps (A ++ B)) (counts_of eqb ps (A ++ xs ++ B)).
Proof.
  intros K. assert (C : forall (f : row -> cell) c, (0 <= Counts.count eqb f c xs <= Z.of_nat k)%Z).
  { intros f c. assert (G : forall l, (0 <= Counts.count eqb f c l <= Z.of_nat (length l))%Z).
    { induction l as [|r l IH]; cbn [Counts.count length]; [lia|]. unfold Counts.ind. destruct (eqb _ _); lia. }
    specialize (G xs). lia. }
  assert (D : (dist (counts_of eqb ps (A ++ xs ++ B)) (counts_of eqb ps (A ++ B)) <= Z.of_nat k * Z.of_nat (length ps))%Z).
  { rewrite (dist_counts eqb). eapply Z.le_trans; [apply (Counts.add_rows eqb eqb_spec)|].
    apply Z.mul_le_mono_nonneg_r; lia. }
  split; apply moved; try apply counts_length; [apply (cells A B xs [])| |apply (cells A B [] xs)|];
    try assumption; try (rewrite dist_sym; assumption);
    intros f c; rewrite !Counts.count_app; cbn [Counts.count]; specialize (C f c); lia.
Qed.
End Plan.
