(* Categories that no public list names: of a category that n units hold, n + Z is released where it is above the cut K,
   and nothing otherwise, Z two-sided geometric noise cut to -K .. K. What one count that moves by one loses is that of
   geometric noise, but for the end of the noise, of probability delta0 = q^K (1-q)/(1 + q - 2 q^(K+1)). *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From PrivBayes Require Import Exchange Dominated.
Import ListNotations.
Open Scope R_scope.

Section Partition.
Variable q : R.                                                        (* e^-gamma *)
Hypothesis q0 : 0 < q. Hypothesis q1 : q < 1.
Variable K : nat.

Definition total : R := (1 + q - 2 * q ^ S K) / (1 - q).               (* of the weights *)
Definition noise (z : Z) : R := q ^ Z.to_nat (Z.abs z) / total.
Definition delta0 : R := q ^ K * (1 - q) / (1 + q - 2 * q ^ S K).
(* what is seen of a category that n units hold where its noise is z *)
Definition released (n z : Z) : option Z := if (0 <? n)%Z && (Z.of_nat K <? n + z)%Z then Some (n + z)%Z else None.
(* the mean of a test of all that is released, of independent noise on the counts x *)
Fixpoint chance (x : list Z) (test : list (option Z) -> R) : R :=
  match x with
  | [] => test []
  | n :: x' => sumR (fun z => noise z * chance x' (fun o => test (released n z :: o))) (around K)
  end.

(* delta of r counts that move by one, at the threshold c = e^epsilon: as docs/theory/categories.md has it *)
Definition binomial (r : nat) (f : nat -> R) : R :=
  sum_f_R0 (fun j => C r j * (1 / (1 + q)) ^ j * (q / (1 + q)) ^ (r - j) * f j) r.
Definition delta (r : nat) (c : R) : R :=
  1 - (1 - delta0) ^ r + (1 - delta0) ^ r * binomial r (fun j => Rmax 0 (1 - c * q ^ j / q ^ (r - j))).

Lemma power n : 0 < q ^ n. Proof. apply pow_lt. assumption. Qed.
Lemma power_le n : q ^ n <= 1.
Proof. rewrite <- (pow1 n). apply pow_incr. lra. Qed.
Lemma ends : 0 < 1 + q - 2 * q ^ S K.
Proof. pose proof (power_le K). pose proof (power K). cbn [pow]. nra. Qed.
Lemma total_pos : 0 < total. Proof. pose proof ends. apply Rdiv_lt_0_compat; lra. Qed.
Lemma noise_pos z : 0 < noise z.
Proof. apply Rdiv_lt_0_compat; [apply power|apply total_pos]. Qed.
Lemma delta0_noise : noise (Z.of_nat K) = delta0.
Proof.
  unfold noise, total, delta0. rewrite Z.abs_eq, Nat2Z.id by lia. pose proof ends. field. cbn [pow] in *. lra.
Qed.

(* sums over the noise, from the top and from the bottom *)
Fixpoint half (f : nat -> R) (n : nat) : R := match n with O => 0 | S m => half f m + f m end.
Lemma half_ext f g n : (forall i, f i = g i) -> half f n = half g n.
Proof. intros H. induction n; cbn; [reflexivity|]. rewrite IHn, H. reflexivity. Qed.
Lemma half_le f g n : (forall i, f i <= g i) -> half f n <= half g n.
Proof. intros H. induction n as [|n IH]; cbn; [lra|]. specialize (H n). lra. Qed.
Lemma half_plus f g n : half (fun i => f i + g i) n = half f n + half g n.
Proof. induction n; cbn; [|rewrite IHn]; lra. Qed.
Lemma half_scal a f n : half (fun i => a * f i) n = a * half f n.
Proof. induction n; cbn; [|rewrite IHn]; lra. Qed.
Lemma from_top f n : sumR f (around n) = f (Z.of_nat n) + half (fun i => f (Z.of_nat i) + f (- Z.of_nat (S i))%Z) n.
Proof. induction n as [|n IH]; [change (Z.of_nat 0) with 0%Z; cbn; lra|]. cbn [around sumR half]. rewrite IH. lra. Qed.
Lemma from_bottom f n : sumR f (around n) =
  f (- Z.of_nat n)%Z + half (fun i => f (Z.of_nat (S i)) + f (- Z.of_nat i)%Z) n.
Proof.
  induction n as [|n IH]; [change (- Z.of_nat 0)%Z with 0%Z; change (Z.of_nat 0) with 0%Z; cbn; lra|].
  cbn [around sumR half]. rewrite IH. lra.
Qed.
Lemma turned f n : sumR f (around n) = sumR (fun z => f (- z)%Z) (around n).
Proof.
  induction n as [|n IH]; cbn [around sumR]; [reflexivity|]. rewrite IH, Z.opp_involutive. lra.
Qed.

Lemma upper n : half (fun i => noise (Z.of_nat i)) n = (1 - q ^ n) / (1 - q) / total.
Proof.
  pose proof total_pos. induction n as [|n IH]; cbn [half].
  - cbn. field. lra.
  - rewrite IH. unfold noise. rewrite Z.abs_eq, Nat2Z.id by lia. cbn [pow]. field. lra.
Qed.
Lemma lower n : half (fun i => noise (- Z.of_nat (S i))) n = q * half (fun i => noise (Z.of_nat i)) n.
Proof.
  rewrite <- half_scal. apply half_ext. intros i. unfold noise.
  replace (Z.to_nat (Z.abs (- Z.of_nat (S i)))) with (S i) by lia.
  replace (Z.to_nat (Z.abs (Z.of_nat i))) with i by lia. cbn [pow]. unfold Rdiv. ring.
Qed.
Lemma upper_all : half (fun i => noise (Z.of_nat i)) K = (1 - delta0) / (1 + q).
Proof.
  rewrite upper. unfold total, delta0. pose proof ends as P. cbn [pow] in *. field. lra.
Qed.
Lemma noise_sum : sumR noise (around K) = 1.
Proof. rewrite from_top, half_plus, lower, upper_all, delta0_noise. field. lra. Qed.
Lemma delta0_range : 0 < delta0 <= 1.
Proof.
  split; [rewrite <- delta0_noise; apply noise_pos|]. rewrite <- noise_sum, from_top, delta0_noise.
  assert (0 <= half (fun i => noise (Z.of_nat i) + noise (- Z.of_nat (S i))) K); [|lra].
  generalize K. intros n. induction n as [|n IH]; cbn [half]; [lra|].
  pose proof (noise_pos (Z.of_nat n)). pose proof (noise_pos (- Z.of_nat (S n))). lra.
Qed.

(* One count, n + 1 against n: a and b are what follows the value v, T what the other counts lose. *)
Lemma step (a b : Z -> R) (T : R -> R) c n :
  (forall v, 0 <= a v <= 1) -> (forall v, 0 <= b v) -> 0 <= c -> (forall v d, 0 <= d -> a v <= d * b v + T d) ->
  sumR (fun z => noise z * a (n + 1 + z)%Z) (around K) <=
  c * sumR (fun z => noise z * b (n + z)%Z) (around K) +
  (delta0 + (1 - delta0) * (1 / (1 + q) * T (c * q) + q / (1 + q) * T (c / q))).
Proof.
  intros A B c0 H. rewrite (from_top _ K), (from_bottom (fun z => noise z * b (n + z)%Z)), delta0_noise.
  set (last := noise (- Z.of_nat K) * b (n + - Z.of_nat K)%Z).
  assert (L : 0 <= last) by (apply Rmult_le_pos; [left; apply noise_pos|apply B]).
  assert (D : delta0 * a (n + 1 + Z.of_nat K)%Z <= delta0) by (pose proof (A (n + 1 + Z.of_nat K)%Z); pose proof
    delta0_range; nra).
  assert (M : half (fun i => noise (Z.of_nat i) * a (n + 1 + Z.of_nat i)%Z +
      noise (- Z.of_nat (S i)) * a (n + 1 + - Z.of_nat (S i))%Z) K <=
    half (fun i => c * (noise (Z.of_nat (S i)) * b (n + Z.of_nat (S i))%Z +
      noise (- Z.of_nat i) * b (n + - Z.of_nat i)%Z) +
      (T (c * q) * noise (Z.of_nat i) + T (c / q) * noise (- Z.of_nat (S i)))) K).
  { apply half_le. intros i.
    replace (n + 1 + Z.of_nat i)%Z with (n + Z.of_nat (S i))%Z by lia.
    replace (n + 1 + - Z.of_nat (S i))%Z with (n + - Z.of_nat i)%Z by lia.
    set (v := (n + Z.of_nat (S i))%Z). set (w := (n + - Z.of_nat i)%Z).
    assert (U : noise (Z.of_nat (S i)) = q * noise (Z.of_nat i)).
    { unfold noise. rewrite !Z.abs_eq, !Nat2Z.id by lia. cbn [pow]. unfold Rdiv. ring. }
    assert (W : noise (- Z.of_nat i) = / q * noise (- Z.of_nat (S i))).
    { unfold noise. replace (Z.to_nat (Z.abs (- Z.of_nat (S i)))) with (S i) by lia.
      replace (Z.to_nat (Z.abs (- Z.of_nat i))) with i by lia. pose proof total_pos. cbn [pow]. field. lra. }
    pose proof (noise_pos (Z.of_nat i)) as P. pose proof (noise_pos (- Z.of_nat (S i))) as Q. rewrite U, W.
    assert (I : 0 < / q) by (apply Rinv_0_lt_compat; assumption).
    pose proof (H v (c * q) ltac:(nra)) as H1. pose proof (H w (c / q) ltac:(unfold Rdiv; nra)) as H2.
    apply (Rmult_le_compat_l (noise (Z.of_nat i))) in H1; [|lra].
    apply (Rmult_le_compat_l (noise (- Z.of_nat (S i)))) in H2; [|lra]. unfold Rdiv in *. lra. }
  assert (R : forall f g h, half (fun i => c * f i + (T (c * q) * g i + T (c / q) * h i)) K =
    c * half f K + (T (c * q) * half g K + T (c / q) * half h K)).
  { intros. rewrite half_plus, half_scal, half_plus, !half_scal. reflexivity. }
  rewrite R, lower, upper_all in M. apply (Rmult_le_compat_l c) in L; [|assumption]. unfold Rdiv in *. lra.
Qed.

(* the recursion of the binomial mean *)
Lemma choose_none n : C n 0 = 1.
Proof. unfold C. rewrite Nat.sub_0_r. cbn [fact INR]. field. apply INR_fact_neq_0. Qed.
Lemma choose_all n : C n n = 1.
Proof. unfold C. rewrite Nat.sub_diag. cbn [fact INR]. field. apply INR_fact_neq_0. Qed.
Lemma binomial_ext r f g : (forall j, (j <= r)%nat -> f j = g j) -> binomial r f = binomial r g.
Proof. intros H. apply sum_eq. intros j L. rewrite H by assumption. reflexivity. Qed.
Lemma binomial_step r f : binomial (S r) f =
  1 / (1 + q) * binomial r (fun j => f (S j)) + q / (1 + q) * binomial r f.
Proof.
  unfold binomial. set (p := 1 / (1 + q)). set (s := q / (1 + q)).
  destruct r as [|r].
  - cbn [sum_f_R0]. rewrite !choose_all, !choose_none. cbn [pow Nat.sub]. ring.
  - rewrite tech5, (decomp_sum _ (S r)) by lia. cbn [Init.Nat.pred].
    rewrite (sum_eq _ (fun i => C (S r) i * p ^ i * s ^ (S r - i) * f (S i) * p +
        C (S r) (S i) * p ^ S i * s ^ (S r - S i) * f (S i) * s)).
    2:{ intros i L. rewrite <- (pascal (S r) i) by lia. replace (S (S r) - S i)%nat with (S (S r - S i)) by lia.
      replace (S r - i)%nat with (S (S r - S i)) by lia. cbn [pow]. ring. }
    rewrite sum_plus, <- !scal_sum, (tech5 _ r).
    rewrite (decomp_sum (fun j => C (S r) j * p ^ j * s ^ (S r - j) * f j) (S r)) by lia. cbn [Init.Nat.pred].
    rewrite !choose_all, !choose_none, !Nat.sub_diag, !Nat.sub_0_r. cbn [pow]. ring.
Qed.
Lemma binomial_D r : forall c, binomial r (fun j => Rmax 0 (1 - c * q ^ j / q ^ (r - j))) = D q (repeat 1%nat r) c.
Proof.
  induction r as [|r IH]; intros c.
  { unfold binomial. cbn [repeat D sum_f_R0 pow Nat.sub]. rewrite choose_all.
    replace (1 - c * 1 / 1) with (1 - c) by field. ring. }
  rewrite binomial_step. cbn [repeat D E]. rewrite <- !IH.
  rewrite (binomial_ext r (fun j => Rmax 0 (1 - c * q ^ S j / q ^ (S r - S j)))
    (fun j => Rmax 0 (1 - c * q ^ 1 * Exchange.r q ^ 0 * q ^ j / q ^ (r - j)))).
  2:{ intros j L. cbn [Nat.sub pow]. do 2 f_equal. unfold Rdiv. ring. }
  rewrite (binomial_ext r (fun j => Rmax 0 (1 - c * q ^ j / q ^ (S r - j)))
    (fun j => Rmax 0 (1 - c * q ^ 1 * Exchange.r q ^ 1 * q ^ j / q ^ (r - j)))).
  2:{ intros j L. rewrite Nat.sub_succ_l by assumption. unfold Exchange.r. cbn [pow]. do 2 f_equal. field.
    pose proof (power (r - j)). lra. }
  cbn [pow]. field. lra.
Qed.

Lemma delta_D r c : delta r c = 1 - (1 - delta0) ^ r + (1 - delta0) ^ r * D q (repeat 1%nat r) c.
Proof. unfold delta. rewrite binomial_D. reflexivity. Qed.
Lemma delta_step r c :
  delta (S r) c = delta0 + (1 - delta0) * (1 / (1 + q) * delta r (c * q) + q / (1 + q) * delta r (c / q)).
Proof.
  rewrite !delta_D. cbn [repeat D E pow]. unfold Exchange.r. cbn [pow].
  replace (c * (q * 1) * 1) with (c * q) by ring.
  replace (c * (q * 1) * (/ (q * (q * 1)) * 1)) with (c / q) by (field; lra). field. lra.
Qed.
Lemma D_one l : forall c, 0 <= c -> D q l c <= 1.
Proof.
  assert (M : forall s, E q s (fun _ => 1) = 1) by (induction s as [|s IH]; cbn [E]; [|rewrite IH]; ring).
  induction l as [|s l IH]; intros c c0; cbn [D]; [apply Rmax_lub; lra|].
  rewrite <- (M s). apply E_mono; [assumption|assumption|]. intros i. apply IH.
  repeat apply Rmult_le_pos; [assumption|left; apply power|]. apply pow_le. left. apply Rinv_0_lt_compat, power.
Qed.
Lemma delta_more r s c : 0 <= c -> (r <= s)%nat -> delta r c <= delta s c.
Proof.
  intros c0 L. induction L as [|s _ IH]; [lra|]. eapply Rle_trans; [exact IH|]. rewrite !delta_D.
  pose proof (dom_one q q0 q1 (repeat 1%nat s) c) as M. change (1%nat :: repeat 1%nat s) with (repeat 1%nat (S s)) in M.
  pose proof (D_one (repeat 1%nat (S s)) c c0) as O. pose proof delta0_range as R.
  assert (P : 0 <= (1 - delta0) ^ s) by (apply pow_le; lra).
  set (w := (1 - delta0) ^ s) in *. change ((1 - delta0) ^ S s) with ((1 - delta0) * w).
  set (d := D q (repeat 1%nat s) c) in *. set (e := D q (repeat 1%nat (S s)) c) in *.
  assert (w * d <= w * e) by (apply Rmult_le_compat_l; assumption).
  assert (0 <= delta0 * (w * (1 - e))) by (apply (Rmult_le_pos delta0); [lra|apply Rmult_le_pos; lra]). lra.
Qed.

(* Where nobody holds a category nothing is released: the threshold alone says what is. *)
Definition shown (v : Z) : option Z := if (Z.of_nat K <? v)%Z then Some v else None.
Lemma sumR_plus A (f g : A -> R) l : sumR (fun a => f a + g a) l = sumR f l + sumR g l.
Proof. induction l; cbn; [|rewrite IHl]; lra. Qed.
Lemma around_up n z : In z (around n) -> (z <= Z.of_nat n)%Z.
Proof. induction n as [|n IH]; cbn [around In]; [lia|]. intros [H|[H|H]]; [lia|lia|specialize (IH H); lia]. Qed.
Lemma released_shown n z : (0 <= n)%Z -> In z (around K) -> released n z = shown (n + z).
Proof.
  intros N I. apply around_up in I. unfold released, shown.
  destruct (Z.ltb_spec 0 n); [reflexivity|]. destruct (Z.ltb_spec (Z.of_nat K) (n + z)); [lia|reflexivity].
Qed.
Lemma chance_cons n x test : (0 <= n)%Z ->
  chance (n :: x) test = sumR (fun z => noise z * chance x (fun o => test (shown (n + z) :: o))) (around K).
Proof. intros N. cbn [chance]. apply sumR_ext. intros z I. rewrite released_shown by assumption. reflexivity. Qed.
Lemma mean (f : Z -> R) lo hi : (forall z, lo <= f z <= hi) -> lo <= sumR (fun z => noise z * f z) (around K) <= hi.
Proof.
  intros H. rewrite <- (Rmult_1_r lo), <- (Rmult_1_r hi), <- noise_sum, <- !sumR_scal.
  split; apply sumR_le; intros z _; pose proof (H z); pose proof (noise_pos z); nra.
Qed.
Lemma chance_range x : forall test, (forall o, 0 <= test o <= 1) -> 0 <= chance x test <= 1.
Proof. induction x as [|n x IH]; intros test H; cbn [chance]; [apply H|]. apply mean. intros z. apply IH. auto. Qed.

Fixpoint moved (x y : list Z) : nat :=
  match x, y with a :: x', b :: y' => ((if Z.eqb a b then 0 else 1) + moved x' y')%nat | _, _ => O end.
Definition near_counts (x y : list Z) : Prop := Forall2 (fun a b => 0 <= a /\ 0 <= b /\ Z.abs (a - b) <= 1)%Z x y.
Theorem counts_private x y : near_counts x y -> forall r c test, (moved x y <= r)%nat -> 0 <= c ->
  (forall o, 0 <= test o <= 1) -> chance x test <= c * chance y test + delta r c.
Proof.
  induction 1 as [|a b x y (a0 & b0 & N) F IH]; intros r c test M c0 H.
  - cbn [chance moved] in *. pose proof (delta_more O r c c0 M) as L. rewrite delta_D in L. cbn [pow repeat D] in L.
    pose proof (Rmax_l 0 (1 - c)). pose proof (Rmax_r 0 (1 - c)). pose proof (H []).
    destruct (Rle_lt_dec c 1); nra.
  - rewrite !chance_cons by assumption. cbn [moved] in M.
    assert (W : forall (u : list Z) v, 0 <= chance u (fun o => test (shown v :: o)) <= 1).
    { intros. apply chance_range. auto. }
    destruct (Z.eqb_spec a b) as [->|D].
    + pose proof (IH r c) as S. set (d := delta r c) in *.
      rewrite <- (Rmult_1_r d), <- noise_sum, <- !sumR_scal, <- sumR_plus.
      apply sumR_le. intros z _. pose proof (noise_pos z) as P.
      specialize (S (fun o => test (shown (b + z) :: o)) ltac:(lia) c0 (fun o => H _)).
      apply (Rmult_le_compat_l (noise z)) in S; [|lra]. lra.
    + destruct r as [|r]; [lia|]. rewrite delta_step.
      assert (S : forall v d, 0 <= d -> chance x (fun o => test (shown v :: o)) <=
        d * chance y (fun o => test (shown v :: o)) + delta r d) by (intros; apply IH; [lia|assumption|auto]).
      destruct (Z.lt_ge_cases b a) as [L|L].
      * replace a with (b + 1)%Z by lia.
        apply (step (fun v => chance x (fun o => test (shown v :: o)))
          (fun v => chance y (fun o => test (shown v :: o))));
          [apply W|intros; apply W|assumption|exact S].
      * replace b with (a + 1)%Z by lia. rewrite (turned (fun z => _ * chance x _)), (turned (fun z => _ * chance y _)).
        pose proof (step (fun v => chance x (fun o => test (shown (- v) :: o)))
          (fun v => chance y (fun o => test (shown (- v) :: o))) (delta r) c (- (a + 1))) as G.
        cbv beta in G. specialize (G (fun v => W x (- v)%Z) (fun v => proj1 (W y (- v)%Z)) c0 (fun v => S (- v)%Z)).
        rewrite (sumR_ext _ (fun z => noise (- z) * _) (fun z => noise z * chance x (fun o =>
          test (shown (- (- (a + 1) + 1 + z)) :: o)))).
        2:{ intros z _. unfold noise. rewrite Z.abs_opp. replace (- (- (a + 1) + 1 + z))%Z with (a + - z)%Z by lia.
          reflexivity. }
        rewrite (sumR_ext _ (fun z => noise (- z) * _) (fun z => noise z * chance y (fun o =>
          test (shown (- (- (a + 1) + z)) :: o)))).
        2:{ intros z _. unfold noise. rewrite Z.abs_opp. replace (- (- (a + 1) + z))%Z with (a + 1 + - z)%Z by lia.
          reflexivity. }
        exact G.
Qed.

(* The units of a data set, each with the categories that it holds: those that its bound lets it keep. cats is any
   finite list in which the categories stand that somebody holds. *)
Variable cat : Type.
Variable same : forall a b : cat, {a = b} + {a <> b}.
Definition holds (v : cat) (u : list cat) : Z := if in_dec same v u then 1%Z else 0%Z.
Fixpoint holders (v : cat) (us : list (list cat)) : Z :=
  match us with [] => 0%Z | u :: us' => (holds v u + holders v us')%Z end.
Definition units (cats : list cat) (us : list (list cat)) : list Z := map (fun v => holders v us) cats.

Lemma holders_app v us ws : holders v (us ++ ws) = (holders v us + holders v ws)%Z.
Proof. induction us as [|u us IH]; cbn [app holders]; [reflexivity|]. rewrite IH. lia. Qed.
Lemma holders_nonneg v us : (0 <= holders v us)%Z.
Proof. induction us as [|u us IH]; cbn [holders]; [lia|]. unfold holds. destruct (in_dec _ _ _); lia. Qed.
Lemma held cats u : NoDup cats ->
  (length (filter (fun v => if in_dec same v u then true else false) cats) <= length u)%nat.
Proof.
  intros N. apply NoDup_incl_length; [apply NoDup_filter; assumption|]. intros v I. apply filter_In in I.
  destruct I as [_ I]. destruct (in_dec same v u); [assumption|discriminate].
Qed.
Lemma unit_moves cats A B u w : NoDup cats ->
  near_counts (units cats (A ++ u :: B)) (units cats (A ++ w :: B)) /\
  (moved (units cats (A ++ u :: B)) (units cats (A ++ w :: B)) <= length u + length w)%nat.
Proof.
  intros N. split.
  - unfold units. induction cats as [|v cats IH]; cbn [map]; constructor.
    + pose proof (holders_nonneg v (A ++ u :: B)). pose proof (holders_nonneg v (A ++ w :: B)).
      rewrite !holders_app in *. cbn [holders] in *. unfold holds in *.
      destruct (in_dec same v u), (in_dec same v w); lia.
    + apply IH. inversion N; assumption.
  - pose proof (held cats u N) as U. pose proof (held cats w N) as W.
    eapply Nat.le_trans; [|apply Nat.add_le_mono; [exact U|exact W]]. clear N U W.
    unfold units. induction cats as [|v cats IH]; cbn [map moved filter]; [lia|].
    destruct (Z.eqb_spec (holders v (A ++ u :: B)) (holders v (A ++ w :: B))) as [|D].
    + destruct (in_dec same v u), (in_dec same v w); cbn [length]; lia.
    + rewrite !holders_app in D. cbn [holders] in D. unfold holds in D.
      destruct (in_dec same v u), (in_dec same v w); cbn [length]; lia.
Qed.

(* Units of at most k categories each: a unit is replaced, added or removed. *)
Theorem units_private k cats A B u w eps test : NoDup cats -> (length u <= k)%nat -> (length w <= k)%nat ->
  (forall o, 0 <= test o <= 1) -> sumR noise (around K) = 1 /\
  chance (units cats (A ++ u :: B)) test <=
    exp eps * chance (units cats (A ++ w :: B)) test + delta (2 * k) (exp eps) /\
  chance (units cats (A ++ u :: B)) test <= exp eps * chance (units cats (A ++ B)) test + delta k (exp eps) /\
  chance (units cats (A ++ B)) test <= exp eps * chance (units cats (A ++ u :: B)) test + delta k (exp eps).
Proof.
  intros N U W H. pose proof (Rlt_le _ _ (exp_pos eps)) as P.
  assert (G : forall u w r, (length u + length w <= r)%nat -> chance (units cats (A ++ u :: B)) test <=
    exp eps * chance (units cats (A ++ w :: B)) test + delta r (exp eps)).
  { intros s t r L. destruct (unit_moves cats A B s t N) as [C M]. apply counts_private; auto; lia. }
  assert (E : units cats (A ++ B) = units cats (A ++ [] :: B)).
  { unfold units. apply map_ext. intros v. rewrite !holders_app. reflexivity. }
  rewrite E. split; [apply noise_sum|]. repeat split; apply G; cbn [length]; lia.
Qed.

(* No smaller delta0 is true: the count K + 1 is seen of a category that one unit holds, and never of one of nobody. *)
Definition last (o : list (option Z)) : R :=
  match o with [Some v] => if (v =? Z.of_nat K + 1)%Z then 1 else 0 | _ => 0 end.
Theorem attained : (0 < K)%nat -> chance [1%Z] last = delta0 /\ chance [0%Z] last = 0.
Proof.
  intros K0. split.
  - rewrite chance_cons by lia. rewrite from_top, delta0_noise. cbn [chance]. unfold shown at 1. cbn [last].
    destruct (Z.ltb_spec (Z.of_nat K) (1 + Z.of_nat K)); [|lia].
    destruct (Z.eqb_spec (1 + Z.of_nat K) (Z.of_nat K + 1)); [|lia].
    assert (Low : forall v, (v <= Z.of_nat K)%Z -> last [shown v] = 0).
    { intros v L. unfold shown, last. destruct (Z.ltb_spec (Z.of_nat K) v); [lia|reflexivity]. }
    assert (Z0 : forall n, (n <= K)%nat -> half (fun i => noise (Z.of_nat i) * last [shown (1 + Z.of_nat i)] +
      noise (- Z.of_nat (S i)) * last [shown (1 + - Z.of_nat (S i))]) n = 0).
    { induction n as [|n IH]; intros L; cbn [half]; [reflexivity|]. rewrite IH, !Low by lia. ring. }
    rewrite Z0 by lia. ring.
  - cbn [chance]. rewrite (sumR_ext _ _ (fun _ => 0 * 0)); [rewrite sumR_scal; ring|].
    intros z _. unfold released. cbn [Z.ltb andb]. cbn. ring.
Qed.
End Partition.
