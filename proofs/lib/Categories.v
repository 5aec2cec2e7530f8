(* Categories that no public list names, with noise of any law, such as the discrete Gaussian: of a category that n
   units hold, n + Z is released where n > 0 and it is above the cut K. delta1 = P(Z >= K) is the probability that a
   category of one unit is seen. What noisy counts lose is given, a delta of them at one threshold. *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Partition.
From PrivBayes Require SamplerGaussian.
Import ListNotations.
Open Scope R_scope.

Section Categories.
Definition bounded (f : Z -> R) : Prop := exists m, forall z, Rabs (f z) <= m.
Variable mean : (Z -> R) -> R.                                     (* of a bounded function of the noise *)
Hypothesis mean_plus : forall f g, bounded f -> bounded g -> mean (fun z => f z + g z) = mean f + mean g.
Hypothesis mean_scal : forall c f, bounded f -> mean (fun z => c * f z) = c * mean f.
Hypothesis mean_le : forall f g, bounded f -> bounded g -> (forall z, f z <= g z) -> mean f <= mean g.
Hypothesis mean_one : mean (fun _ => 1) = 1.
Variable K : nat.

Definition seen (z : Z) : R := if (Z.of_nat K <? 1 + z)%Z then 1 else 0.
Definition delta1 : R := mean seen.
Fixpoint chance (x : list Z) (test : list (option Z) -> R) : R :=
  match x with [] => test [] | n :: x' => mean (fun z => chance x' (fun o => test (released K n z :: o))) end.
(* the noisy counts themselves *)
Fixpoint noisy (x : list Z) (test : list Z -> R) : R :=
  match x with [] => test [] | n :: x' => mean (fun z => noisy x' (fun o => test ((n + z)%Z :: o))) end.

Lemma bounded_unit f : (forall z, 0 <= f z <= 1) -> bounded f.
Proof. intros H. exists 1. intros z. specialize (H z). apply Rabs_le. lra. Qed.
Lemma bounded_const c : bounded (fun _ => c). Proof. exists (Rabs c). intros. lra. Qed.
Lemma bounded_plus f g : bounded f -> bounded g -> bounded (fun z => f z + g z).
Proof.
  intros [m M] [n N]. exists (m + n). intros z. specialize (M z). specialize (N z).
  eapply Rle_trans; [apply Rabs_triang|lra].
Qed.
Lemma bounded_scal c f : bounded f -> bounded (fun z => c * f z).
Proof.
  intros [m M]. exists (Rabs c * m). intros z. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|apply M].
Qed.
Lemma mean_const c : mean (fun _ => c) = c.
Proof.
  assert (E : mean (fun _ => c * 1) = c) by (rewrite mean_scal, mean_one by apply bounded_const; ring).
  rewrite <- E. apply Rle_antisym; apply mean_le; try apply bounded_const; intros; lra.
Qed.
Lemma mean_unit f : (forall z, 0 <= f z <= 1) -> 0 <= mean f <= 1.
Proof.
  intros H. rewrite <- (mean_const 0), <- mean_one. pose proof (bounded_unit f H).
  split; apply mean_le; try assumption; try apply bounded_const; intros z; apply H.
Qed.
Lemma seen_unit z : 0 <= seen z <= 1. Proof. unfold seen. destruct (_ <? _)%Z; lra. Qed.
Lemma delta1_range : 0 <= delta1 <= 1. Proof. apply mean_unit, seen_unit. Qed.
Lemma power n : 0 <= (1 - delta1) ^ n <= 1.
Proof. pose proof delta1_range. induction n as [|n IH]; cbn [pow]; nra. Qed.
Lemma noisy_range l : forall test, (forall o, 0 <= test o <= 1) -> 0 <= noisy l test <= 1.
Proof. induction l as [|n l IH]; intros t T; cbn [noisy]; [apply T|]. apply mean_unit. intros z. apply IH. auto. Qed.
Lemma chance_range x : forall test, (forall o, 0 <= test o <= 1) -> 0 <= chance x test <= 1.
Proof. induction x as [|n x IH]; intros t T; cbn [chance]; [apply T|]. apply mean_unit. intros z. apply IH. auto. Qed.
Lemma mean_ext f g : (forall z, 0 <= f z <= 1) -> (forall z, f z = g z) -> mean f = mean g.
Proof.
  intros U H. assert (V : forall z, 0 <= g z <= 1) by (intros z; rewrite <- H; apply U).
  apply Rle_antisym; apply mean_le; try apply bounded_unit; try assumption; intros z; rewrite H; lra.
Qed.
Lemma noisy_ext l : forall t t', (forall o, 0 <= t o <= 1) -> (forall o, t o = t' o) -> noisy l t = noisy l t'.
Proof.
  induction l as [|n l IH]; intros t t' U T; cbn [noisy]; [apply T|].
  apply mean_ext; intros z; [apply noisy_range; auto|apply IH; auto].
Qed.
(* where nobody holds a category the noise says nothing, and where one unit does it shows it or not *)
Lemma hidden n x test : (n <= 0)%Z -> (forall o, 0 <= test o <= 1) ->
  mean (fun z => chance x (fun o => test (released K n z :: o))) = chance x (fun o => test (None :: o)).
Proof.
  intros N H. rewrite <- (mean_const (chance x (fun o => test (None :: o)))).
  apply mean_ext; intros z; [apply chance_range; auto|]. unfold released. destruct (Z.ltb_spec 0 n); [lia|reflexivity].
Qed.
Lemma single x test : (forall o, 0 <= test o <= 1) -> let rest := chance x (fun o => test (None :: o)) in
  (1 - delta1) * rest <= mean (fun z => chance x (fun o => test (released K 1 z :: o))) <= delta1 + (1 - delta1) * rest.
Proof.
  intros H rest. pose proof (bounded_unit seen seen_unit) as S.
  assert (B : bounded (fun z => chance x (fun o => test (released K 1 z :: o)))).
  { apply bounded_unit. intros z. apply chance_range. auto. }
  assert (C : forall z, seen z = 0 -> chance x (fun o => test (released K 1 z :: o)) = rest).
  { intros z. unfold seen, released, rest. destruct (Z.of_nat K <? 1 + z)%Z; [lra|reflexivity]. }
  assert (D : forall z, seen z = 1 \/ seen z = 0) by (intros z; unfold seen; destruct (_ <? _)%Z; auto).
  assert (E : forall z, 0 <= chance x (fun o => test (released K 1 z :: o)) <= 1) by (intros; apply chance_range; auto).
  assert (M : forall c, mean (fun z => c * seen z + rest) = c * delta1 + rest).
  { intros c. rewrite mean_plus, mean_scal, mean_const by
      (try apply bounded_scal; try apply bounded_const; assumption). reflexivity. }
  assert (Bc : forall c, bounded (fun z => c * seen z + rest)).
  { intros c. apply bounded_plus; [apply bounded_scal; assumption|apply bounded_const]. }
  split.
  - replace ((1 - delta1) * rest) with (- rest * delta1 + rest) by ring. rewrite <- M. apply mean_le; auto.
    intros z. specialize (E z). destruct (D z) as [F|F]; [rewrite F; lra|]. rewrite (C z F), F. lra.
  - replace (delta1 + (1 - delta1) * rest) with ((1 - rest) * delta1 + rest) by ring. rewrite <- M. apply mean_le; auto.
    intros z. specialize (E z). destruct (D z) as [F|F]; [rewrite F; lra|]. rewrite (C z F), F. lra.
Qed.

(* the categories that both have, and those that only the first has *)
Definition both (a b : Z) : bool := ((0 <? a) && (0 <? b))%Z.
Definition alone (a b : Z) : bool := ((0 <? a) && negb (0 <? b))%Z.
Fixpoint own (x y : list Z) : nat :=
  match x, y with a :: x', b :: y' => ((if alone a b then 1 else 0) + own x' y')%nat | _, _ => O end.
Fixpoint shared (x y : list Z) : list Z :=
  match x, y with a :: x', b :: y' => if both a b then a :: shared x' y' else shared x' y' | _, _ => [] end.
(* the outputs of which those of shared categories are these noisy counts, the others hidden *)
Fixpoint woven (x y o : list Z) : list (option Z) :=
  match x, y with
  | a :: x', b :: y' => if both a b then
      match o with v :: o' => (if (Z.of_nat K <? v)%Z then Some v else None) :: woven x' y' o' | [] => [] end
    else None :: woven x' y' o
  | _, _ => []
  end.
Lemma both_sym a b : both a b = both b a. Proof. apply andb_comm. Qed.
Lemma woven_sym x : forall y o, woven x y o = woven y x o.
Proof.
  induction x as [|a x IH]; intros [|b y] o; cbn [woven]; try reflexivity. rewrite (both_sym b a).
  destruct (both a b); [destruct o as [|v o]; [reflexivity|]|]; rewrite IH; reflexivity.
Qed.
Lemma released_some n z : (0 < n)%Z -> released K n z = if (Z.of_nat K <? n + z)%Z then Some (n + z)%Z else None.
Proof. intros H. unfold released. destruct (Z.ltb_spec 0 n); [reflexivity|lia]. Qed.

Lemma above x y : near_counts x y -> forall test, (forall o, 0 <= test o <= 1) ->
  chance x test <= 1 - (1 - delta1) ^ own x y + noisy (shared x y) (fun o => test (woven x y o)).
Proof.
  pose proof delta1_range as D.
  induction 1 as [|a b x y (A & B & N) F IH]; intros test H; [cbn; lra|].
  cbn [chance own shared woven]. unfold both, alone.
  pose proof (power (own x y)) as W. set (w := (1 - delta1) ^ own x y) in *.
  destruct (Z.ltb_spec 0 a) as [a1|a1]; [destruct (Z.ltb_spec 0 b) as [b1|b1]|]; cbn [andb negb Nat.add noisy].
  - fold w. set (f := fun z => noisy (shared x y) _).
    assert (U : forall z, 0 <= f z <= 1) by (intros; apply noisy_range; auto).
    rewrite <- (mean_const (1 - w)), <- mean_plus by (try apply bounded_const; apply bounded_unit, U).
    apply mean_le.
    + apply bounded_unit. intros z. apply chance_range. auto.
    + apply bounded_plus; [apply bounded_const|apply bounded_unit, U].
    + intros z. rewrite released_some by assumption. unfold f. apply IH. auto.
  - assert (a = 1%Z) by lia. subst a. destruct (single x test H) as [_ R]. cbn [pow]. fold w.
    pose proof (IH (fun o => test (None :: o)) (fun o => H _)) as I.
    pose proof (noisy_range (shared x y) (fun o => test (None :: woven x y o)) (fun o => H _)). nra.
  - rewrite hidden by assumption. fold w. apply IH. auto.
Qed.
Lemma below x y : near_counts x y -> forall test, (forall o, 0 <= test o <= 1) ->
  (1 - delta1) ^ own x y * noisy (shared x y) (fun o => test (woven x y o)) <= chance x test.
Proof.
  pose proof delta1_range as D.
  induction 1 as [|a b x y (A & B & N) F IH]; intros test H; [cbn; lra|].
  cbn [chance own shared woven]. unfold both, alone. set (w := (1 - delta1) ^ own x y) in *.
  destruct (Z.ltb_spec 0 a) as [a1|a1]; [destruct (Z.ltb_spec 0 b) as [b1|b1]|]; cbn [andb negb Nat.add noisy].
  - fold w. set (f := fun z => noisy (shared x y) _).
    assert (U : bounded f) by (apply bounded_unit; intros; apply noisy_range; auto).
    rewrite <- mean_scal by assumption. apply mean_le; [apply bounded_scal, U| |].
    + apply bounded_unit. intros z. apply chance_range. auto.
    + intros z. rewrite released_some by assumption. unfold f.
      apply (IH (fun o => test ((if (Z.of_nat K <? a + z)%Z then Some (a + z)%Z else None) :: o))). auto.
  - assert (a = 1%Z) by lia. subst a. destruct (single x test H) as [R _]. cbn [pow]. fold w.
    pose proof (IH (fun o => test (None :: o)) (fun o => H _)) as I. nra.
  - rewrite hidden by assumption. fold w. apply (IH (fun o => test (None :: o))). auto.
Qed.
Lemma near_sym x y : near_counts x y -> near_counts y x.
Proof. induction 1 as [|a b x y H F IH]; constructor; [lia|assumption]. Qed.
Lemma shared_near x y : near_counts x y ->
  near_counts (shared x y) (shared y x) /\ (moved (shared x y) (shared y x) <= moved x y)%nat.
Proof.
  induction 1 as [|a b x y H F [IH1 IH2]]; [split; [constructor|cbn; lia]|].
  cbn [shared moved]. rewrite (both_sym b a). destruct (both a b); cbn [moved]; split; try lia; [|assumption].
  constructor; [lia|assumption].
Qed.

Variables (k r : nat) (eps delta : R).
(* of at most r counts that move by one, at a threshold that is lower by the categories that may be seen *)
Hypothesis profile : forall x y test, near_counts x y -> (moved x y <= r)%nat -> (forall o, 0 <= test o <= 1) ->
  noisy x test <= exp eps * (1 - delta1) ^ k * noisy y test + delta.
Theorem counts_private x y test : near_counts x y -> (own x y <= k)%nat -> (own y x <= k)%nat -> (moved x y <= r)%nat ->
  (forall o, 0 <= test o <= 1) -> chance x test <= exp eps * chance y test + (1 - (1 - delta1) ^ k + delta).
Proof.
  intros N X Y M H. pose proof delta1_range as D. destruct (shared_near x y N) as [S1 S2].
  pose proof (above x y N test H) as U. pose proof (below y x (near_sym x y N) test H) as L.
  pose proof (profile (shared x y) (shared y x) (fun o => test (woven x y o)) S1 ltac:(lia) (fun o => H _)) as P.
  assert (E : noisy (shared y x) (fun o => test (woven y x o)) = noisy (shared y x) (fun o => test (woven x y o))).
  { apply noisy_ext; [auto|]. intros o. rewrite woven_sym. reflexivity. }
  rewrite E in L. set (q := noisy (shared y x) (fun o => test (woven x y o))) in *.
  assert (Q0 : 0 <= q) by (apply noisy_range; auto).
  assert (Pow : forall m, (m <= k)%nat -> (1 - delta1) ^ k <= (1 - delta1) ^ m).
  { intros m Mk. replace k with (m + (k - m))%nat by lia. rewrite pow_add.
    pose proof (power m). pose proof (power (k - m)). nra. }
  pose proof (Pow _ X). pose proof (Pow _ Y) as Py. pose proof (exp_pos eps).
  assert (T : (1 - delta1) ^ k * q <= chance y test).
  { apply Rle_trans with ((1 - delta1) ^ own y x * q); [apply Rmult_le_compat_r; assumption|exact L]. }
  apply (Rmult_le_compat_l (exp eps)) in T; lra.
Qed.

Variable cat : Type.
Variable same : forall a b : cat, {a = b} + {a <> b}.
Notation units := (units cat same).
Notation holders := (holders cat same).
Lemma own_held cats A B u w : NoDup cats -> (own (units cats (A ++ u :: B)) (units cats (A ++ w :: B)) <= length u)%nat.
Proof.
  intros N. eapply Nat.le_trans; [|apply (held cat same cats u N)]. clear N. unfold Partition.units.
  induction cats as [|v cats IH]; cbn [map own filter]; [lia|]. unfold alone.
  pose proof (holders_nonneg cat same v A). pose proof (holders_nonneg cat same v B).
  rewrite !holders_app. cbn [Partition.holders]. unfold holds.
  destruct (in_dec same v u), (in_dec same v w); cbn [length];
    repeat match goal with |- context [(0 <? ?e)%Z] => destruct (Z.ltb_spec 0 e) end; cbn [andb negb]; lia.
Qed.
(* units of at most k categories each: one is replaced, where r >= 2 k, or added or removed, where r >= k *)
Theorem units_private cats A B u w test : NoDup cats -> (length u <= k)%nat -> (length w <= k)%nat ->
  (length u + length w <= r)%nat -> (forall o, 0 <= test o <= 1) ->
  chance (units cats (A ++ u :: B)) test <=
    exp eps * chance (units cats (A ++ w :: B)) test + (1 - (1 - delta1) ^ k + delta) /\
  chance (units cats (A ++ u :: B)) test <=
    exp eps * chance (units cats (A ++ B)) test + (1 - (1 - delta1) ^ k + delta) /\
  chance (units cats (A ++ B)) test <=
    exp eps * chance (units cats (A ++ u :: B)) test + (1 - (1 - delta1) ^ k + delta).
Proof.
  intros N U W L H.
  assert (G : forall s t, (length s <= k)%nat -> (length t <= k)%nat -> (length s + length t <= r)%nat ->
    chance (units cats (A ++ s :: B)) test <=
    exp eps * chance (units cats (A ++ t :: B)) test + (1 - (1 - delta1) ^ k + delta)).
  { intros s t S T R. destruct (unit_moves cat same cats A B s t N) as [C M]. apply counts_private; try assumption.
    - eapply Nat.le_trans; [apply (own_held cats A B s t N)|assumption].
    - eapply Nat.le_trans; [apply (own_held cats A B t s N)|assumption].
    - lia. }
  assert (E : units cats (A ++ B) = units cats (A ++ [] :: B)).
  { unfold Partition.units. apply map_ext. intros v. rewrite !holders_app. reflexivity. }
  rewrite E. repeat split; apply G; cbn [length]; lia.
Qed.
End Categories.

(* the discrete Gaussian has such a mean *)
Section Gaussian.
Variables a b : nat.                                               (* sigma^2 = a / b *)
Hypothesis a0 : (0 < a)%nat.
Hypothesis b0 : (0 < b)%nat.
Notation weight := (SamplerGaussian.weight a b).
Notation pairs := SamplerGaussian.both.
Definition mean (f : Z -> R) : R := Series (pairs (fun z => weight z * f z)) / SamplerGaussian.normaliser a b.
Lemma total : is_series (pairs weight) (SamplerGaussian.normaliser a b) /\ 0 < SamplerGaussian.normaliser a b.
Proof.
  split; [apply (SamplerGaussian.normaliser_sum a b 1)|apply (SamplerGaussian.normaliser_pos a b 1)]; auto.
Qed.
Lemma summable f : bounded f -> ex_series (pairs (fun z => weight z * f z)).
Proof.
  intros [m M]. apply (ex_series_le (V := R_CompleteNormedModule)) with (b := fun k => m * pairs weight k).
  - intros k. unfold SamplerGaussian.both. change (norm ?u) with (Rabs u). eapply Rle_trans; [apply Rabs_triang|].
    rewrite !Rabs_mult, !(Rabs_pos_eq (weight _)) by (left; apply SamplerGaussian.weight_pos).
    pose proof (SamplerGaussian.weight_pos a b (Z.of_nat k)).
    pose proof (SamplerGaussian.weight_pos a b (- Z.of_nat (S k))).
    pose proof (M (Z.of_nat k)). pose proof (M (- Z.of_nat (S k))%Z). nra.
  - apply (ex_series_scal_l (V := R_NormedModule) m). exists (SamplerGaussian.normaliser a b). apply total.
Qed.
Lemma gaussian_plus f g : bounded f -> bounded g -> mean (fun z => f z + g z) = mean f + mean g.
Proof.
  intros F G. unfold mean, Rdiv. rewrite <- Rmult_plus_distr_r, <- Series_plus by (apply summable; assumption).
  f_equal. apply Series_ext. intros k. unfold SamplerGaussian.both. ring.
Qed.
Lemma gaussian_scal c f : bounded f -> mean (fun z => c * f z) = c * mean f.
Proof.
  intros F. unfold mean, Rdiv. rewrite <- Rmult_assoc, <- Series_scal_l. f_equal. apply Series_ext. intros k.
  unfold SamplerGaussian.both. ring.
Qed.
Lemma gaussian_le f g : bounded f -> bounded g -> (forall z, f z <= g z) -> mean f <= mean g.
Proof.
  intros F G H. pose proof (bounded_scal (- 1) f F) as F'. pose proof (gaussian_plus g _ G F') as P.
  rewrite gaussian_scal in P by assumption.
  assert (0 <= mean (fun z => g z + - 1 * f z)); [|lra]. unfold mean. destruct total as [_ T].
  apply Rle_mult_inv_pos; [|assumption]. rewrite <- (Rmult_0_l (Series (pairs weight))), <- Series_scal_l.
  apply Series_le.
  - intros k. rewrite Rmult_0_l. split; [lra|]. unfold SamplerGaussian.both.
    pose proof (SamplerGaussian.weight_pos a b (Z.of_nat k)).
    pose proof (SamplerGaussian.weight_pos a b (- Z.of_nat (S k))).
    pose proof (H (Z.of_nat k)). pose proof (H (- Z.of_nat (S k))%Z). nra.
  - apply summable, bounded_plus; assumption.
Qed.
Lemma gaussian_one : mean (fun _ => 1) = 1.
Proof.
  destruct total as [S T]. unfold mean. rewrite (Series_ext _ (pairs weight)).
  - rewrite (is_series_unique _ _ S). field. lra.
  - intros k. unfold SamplerGaussian.both. ring.
Qed.
(* docs/theory/categories.md, 3: units of at most k categories, r counts that one unit moves *)
Theorem gaussian_units K k r eps delta cat same cats A B u w test :
  let d1 := delta1 mean K in
  (forall x y t, near_counts x y -> (moved x y <= r)%nat -> (forall o, 0 <= t o <= 1) ->
    noisy mean x t <= exp eps * (1 - d1) ^ k * noisy mean y t + delta) ->
  NoDup cats -> (length u <= k)%nat -> (length w <= k)%nat -> (length u + length w <= r)%nat ->
  (forall o, 0 <= test o <= 1) ->
  let seen := fun us => chance mean K (units cat same cats us) test in
  seen (A ++ u :: B) <= exp eps * seen (A ++ w :: B) + (1 - (1 - d1) ^ k + delta) /\
  seen (A ++ u :: B) <= exp eps * seen (A ++ B) + (1 - (1 - d1) ^ k + delta) /\
  seen (A ++ B) <= exp eps * seen (A ++ u :: B) + (1 - (1 - d1) ^ k + delta).
Proof.
  intros d1 P N U W L H.
  apply (units_private mean gaussian_plus gaussian_scal gaussian_le gaussian_one K k r); assumption.
Qed.
End Gaussian.
