(* One draw from the posterior of a discrete Bayesian network (Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein 2017,
   Lemma 24, corrected): with every conditional probability at least eps and every node of m states or more, a factor
   that differs moves the log-likelihood by at most L = ln((1 - (m-1) eps)/eps). A record has K factors, a value of node
   k is in 1 + outdegree k of them. *)
From Coq Require Import Reals Lra Lia List Bool PeanoNat.
From PrivBayes Require Import Exponential PosteriorDraw.
Import ListNotations.
Open Scope R_scope.

Fixpoint count {A} (f : A -> nat) (l : list A) : nat := match l with [] => 0 | a :: l' => f a + count f l' end%nat.
Definition b2n (b : bool) : nat := if b then 1%nat else 0%nat.
Lemma count_le A (f g : A -> nat) l : (forall i, In i l -> f i <= g i)%nat -> (count f l <= count g l)%nat.
Proof.
  induction l as [|a l IH]; intros H; [apply Nat.le_refl|]. cbn [count].
  specialize (IH (fun i I => H i (or_intror I))). specialize (H a (or_introl eq_refl)). lia.
Qed.
Lemma count_plus (f g : nat -> nat) l : count (fun i => f i + g i)%nat l = (count f l + count g l)%nat.
Proof. induction l as [|a l IH]; cbn [count]; lia. Qed.
Lemma count_scal c (f : nat -> nat) l : count (fun i => c * f i)%nat l = (c * count f l)%nat.
Proof. induction l as [|a l IH]; cbn [count]; [lia|]. rewrite IH. lia. Qed.
Lemma count_swap (f : nat -> nat -> nat) l l' :
  count (fun i => count (f i) l') l = count (fun j => count (fun i => f i j) l) l'.
Proof.
  induction l as [|a l IH]; cbn [count].
  - induction l' as [|b l' IH]; cbn [count] in *; lia.
  - rewrite IH, <- count_plus. reflexivity.
Qed.
Lemma count_const c (l : list nat) : count (fun _ => c) l = (c * length l)%nat.
Proof. induction l as [|a l IH]; cbn [count length]; lia. Qed.
Lemma count_in (f : nat -> nat) l i : In i l -> (f i <= count f l)%nat.
Proof.
  induction l as [|a l IH]; intros I; [destruct I|]. destruct I as [<-|I]; cbn [count]; [lia|]. specialize (IH I). lia.
Qed.
(* one value that is at least eps, with the others *)
Lemma above (f : nat -> R) e l : (forall i, In i l -> e <= f i) -> INR (length l) * e <= sumR f l.
Proof.
  induction l as [|a l IH]; intros H; [cbn; lra|]. change (length (a :: l)) with (S (length l)). rewrite S_INR.
  cbn [sumR].
  specialize (IH (fun i I => H i (or_intror I))). specialize (H a (or_introl eq_refl)). lra.
Qed.
Lemma above_one (f : nat -> R) e l s : (forall i, In i l -> e <= f i) -> In s l ->
  f s + (INR (length l) - 1) * e <= sumR f l.
Proof.
  induction l as [|a l IH]; intros H I; [destruct I|]. change (length (a :: l)) with (S (length l)). rewrite S_INR.
  cbn [sumR]. assert (H' : forall i, In i l -> e <= f i) by (intros; apply H; right; assumption).
  pose proof (above f e l H'). pose proof (H a (or_introl eq_refl)). destruct I as [<-|I]; [lra|].
  specialize (IH H' I). lra.
Qed.
Lemma sumR_ext A (f g : A -> R) l : (forall i, In i l -> f i = g i) -> sumR f l = sumR g l.
Proof.
  induction l as [|a l IH]; intros H; [reflexivity|]. cbn. rewrite (H a) by (left; reflexivity).
  rewrite IH by (intros; apply H; right; assumption). reflexivity.
Qed.

Section Network.
Variable K : nat.                                         (* nodes 0 .. K-1 *)
Variable parents : nat -> list nat.
Variable states : nat -> nat.
Variable m : nat.
Variable eps : R.
Hypothesis inside : forall j i, In i (parents j) -> (i < K)%nat.
Hypothesis states_m : forall j, (m <= states j)%nat.
Hypothesis eps0 : 0 < eps.
Definition nodes : list nat := seq 0 K.
Definition row := nat -> nat.                             (* the state of every node *)
Definition parameter := nat -> nat -> list nat -> R.      (* node, state, states of the parents *)
Definition allowed (p : parameter) : Prop := forall j c,
  (forall s, (s < states j)%nat -> eps <= p j s c) /\ sumR (fun s => p j s c) (seq 0 (states j)) = 1.
Definition is_row (x : row) : Prop := forall j, (x j < states j)%nat.
Definition factor (p : parameter) (x : row) (j : nat) : R := p j (x j) (map x (parents j)).
Definition log_row (p : parameter) (x : row) : R := sumR (fun j => ln (factor p x j)) nodes.
Definition log_data (p : parameter) (d : list row) : R := sumR (log_row p) d.
Definition most : R := 1 - (INR m - 1) * eps.
Definition L : R := ln (most / eps).

(* what changes between two rows *)
Definition changed (x y : row) (i : nat) : bool := negb (x i =? y i).
Definition differs (x y : row) (j : nat) : bool := changed x y j || existsb (changed x y) (parents j).
Definition factors (x y : row) : nat := count (fun j => b2n (differs x y j)) nodes.
Definition child (i j : nat) : bool := existsb (Nat.eqb i) (parents j).
Definition outdegree (i : nat) : nat := count (fun j => b2n (child i j)) nodes.
Definition rho (x y : row) : nat := count (fun i => (b2n (changed x y i) * (1 + outdegree i))%nat) nodes.

Lemma factors_rho x y : (factors x y <= rho x y)%nat.
Proof.
  apply Nat.le_trans with
    (count (fun j => b2n (changed x y j) + count (fun i => b2n (changed x y i) * b2n (child i j)) nodes) nodes)%nat.
  - apply count_le. intros j _. unfold differs. destruct (changed x y j) eqn:C; [cbn; lia|]. cbn [orb].
    destruct (existsb (changed x y) (parents j)) eqn:E; [|cbn; lia].
    apply existsb_exists in E. destruct E as (i & I & Ci).
    apply Nat.le_trans with (count (fun i => b2n (changed x y i) * b2n (child i j)) nodes)%nat; [|lia].
    apply Nat.le_trans with (b2n (changed x y i) * b2n (child i j))%nat.
    + replace (child i j) with true; [rewrite Ci; cbn; lia|]. symmetry. apply existsb_exists. exists i.
      split; [assumption|apply Nat.eqb_refl].
    + apply (count_in (fun i => b2n (changed x y i) * b2n (child i j))%nat). apply in_seq.
      specialize (inside j i I). lia.
  - rewrite count_plus, count_swap. unfold rho, outdegree.
    rewrite <- count_plus. apply count_le. intros i _. rewrite count_scal. lia.
Qed.
Lemma factors_K x y : (factors x y <= K)%nat.
Proof.
  apply Nat.le_trans with (count (fun _ => 1%nat) nodes).
  - apply count_le. intros j _. destruct (differs x y j); cbn; lia.
  - rewrite count_const. unfold nodes. rewrite seq_length. lia.
Qed.
Lemma rho_value x y k : (k < K)%nat -> (forall i, i <> k -> x i = y i) -> (rho x y <= 1 + outdegree k)%nat.
Proof.
  intros Kk E. unfold rho.
  assert (G : forall l, NoDup l -> (count (fun i => b2n (changed x y i) * (1 + outdegree i)) l <=
    1 + outdegree k)%nat /\ (~ In k l -> count (fun i => b2n (changed x y i) * (1 + outdegree i)) l = 0)%nat).
  { induction l as [|a l IH]; intros N; [cbn; lia|]. inversion N as [|? ? A N']. subst. destruct (IH N') as [I1 I2].
    change (count (fun i => b2n (changed x y i) * (1 + outdegree i)) (a :: l))%nat with
      (b2n (changed x y a) * (1 + outdegree a) + count (fun i => b2n (changed x y i) * (1 + outdegree i)) l)%nat.
    destruct (Nat.eq_dec a k) as [->|D].
    - rewrite I2 by assumption. split; [destruct (changed x y k); cbn; lia|]. intros B. destruct B. left. reflexivity.
    - unfold changed at 1 3. rewrite (E a D), Nat.eqb_refl. cbn [negb b2n]. split; [lia|].
      intros B. rewrite I2; [lia|]. intros I. apply B. right. assumption. }
  apply G. apply seq_NoDup.
Qed.

Lemma probability p j s c : allowed p -> (s < states j)%nat -> eps <= p j s c <= most.
Proof.
  intros A S. destruct (A j c) as [A1 A2]. split; [apply A1; assumption|].
  assert (G : p j s c + (INR (length (seq 0 (states j))) - 1) * eps <= 1).
  { apply Rle_trans with (sumR (fun s => p j s c) (seq 0 (states j))); [|lra].
    apply (above_one (fun s => p j s c) eps _ s); [intros i I; apply A1|]; try apply in_seq; try lia.
    apply in_seq in I. lia. }
  rewrite seq_length in G. pose proof (le_INR _ _ (states_m j)). unfold most. nra.
Qed.
Lemma ratio u v : eps <= u <= most -> eps <= v <= most -> Rabs (ln u - ln v) <= L.
Proof.
  intros U V. unfold L, Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra).
  pose proof (fun a b (H : a <= b) (P : 0 < a) => match H with or_introl l => Rlt_le _ _ (ln_increasing a b P l)
    | or_intror e => Req_le _ _ (f_equal ln e) end) as M.
  pose proof (M eps u). pose proof (M u most). pose proof (M eps v). pose proof (M v most).
  unfold Rabs. destruct (Rcase_abs _); lra.
Qed.
(* Lemma 24: of two rows, and of two data sets of as many *)
Theorem row_lipschitz p x y : allowed p -> is_row x -> is_row y ->
  Rabs (log_row p x - log_row p y) <= L * INR (factors x y).
Proof.
  intros A X Y. unfold log_row, factors. induction nodes as [|j l IH]; [cbn; rewrite Rminus_0_r, Rabs_R0; lra|].
  cbn [sumR]. change (count (fun j => b2n (differs x y j)) (j :: l)) with
    (b2n (differs x y j) + count (fun j => b2n (differs x y j)) l)%nat. rewrite plus_INR, Rmult_plus_distr_l.
  match goal with |- Rabs (?a + ?b - (?c + ?d)) <= _ => replace (a + b - (c + d)) with ((a - c) + (b - d)) by ring end.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact IH].
  destruct (differs x y j) eqn:D.
  - cbn. rewrite Rmult_1_r. apply ratio; apply probability; auto.
  - unfold differs in D. apply orb_false_iff in D. destruct D as [D1 D2].
    unfold changed in D1. apply negb_false_iff, Nat.eqb_eq in D1.
    replace (factor p y j) with (factor p x j); [cbn; rewrite Rminus_eq_0, Rabs_R0; lra|].
    unfold factor. rewrite D1. f_equal. apply map_ext_in. intros i I.
    destruct (Nat.eq_dec (x i) (y i)) as [|N]; [assumption|]. exfalso.
    assert (T : existsb (changed x y) (parents j) = true); [|congruence].
    apply existsb_exists. exists i. split; [assumption|]. unfold changed. apply Nat.eqb_neq in N. rewrite N.
    reflexivity.
Qed.
Definition pairs (f : row -> row -> nat) (d e : list row) : nat := count (fun xy => f (fst xy) (snd xy)) (combine d e).
Theorem data_lipschitz p d e : allowed p -> Forall is_row d -> Forall is_row e -> length d = length e ->
  Rabs (log_data p d - log_data p e) <= L * INR (pairs factors d e).
Proof.
  intros A. revert e. induction d as [|x d IH]; intros [|y e] X Y E; try discriminate.
  - cbn. rewrite Rminus_0_r, Rabs_R0. lra.
  - inversion X. inversion Y. subst. unfold log_data in *. cbn [sumR].
    change (pairs factors (x :: d) (y :: e)) with (factors x y + pairs factors d e)%nat.
    rewrite plus_INR, Rmult_plus_distr_l.
    match goal with |- Rabs (?a + ?b - (?c + ?d)) <= _ => replace (a + b - (c + d)) with ((a - c) + (b - d)) by ring end.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [apply row_lipschitz; assumption|].
    apply IH; try assumption. injection E. trivial.
Qed.

(* one draw from the posterior over finitely many networks *)
Section Draw.
Variable all : list parameter.
Variable prior : parameter -> R.                          (* logarithm *)
Hypothesis nonempty : all <> [].
Hypothesis every : forall p, In p all -> allowed p.
Definition drawn (d : list row) : parameter -> R := posterior parameter all prior (fun p => log_data p d).
Lemma L_pos : 0 <= L.
Proof.
  destruct all as [|p l]; [congruence|]. pose proof (every p (or_introl eq_refl)) as A.
  destruct (Nat.eq_dec (states 0) 0) as [Z|Z].
  - destruct (A 0%nat []) as [_ S]. rewrite Z in S. cbn in S. lra.
  - pose proof (probability p 0 0 [] A ltac:(lia)) as B. pose proof (ratio _ _ B B) as R.
    rewrite Rminus_eq_0, Rabs_R0 in R. assumption.
Qed.
Lemma drawn_at n d e : (pairs factors d e <= n)%nat -> Forall is_row d -> Forall is_row e -> length d = length e ->
  forall p, In p all -> drawn d p <= exp (2 * (L * INR n)) * drawn e p.
Proof.
  intros N X Y E p I. apply posterior_private; [assumption| |assumption]. intros q Iq.
  eapply Rle_trans; [apply data_lipschitz; auto|]. apply Rmult_le_compat_l; [apply L_pos|]. apply le_INR. assumption.
Qed.
Theorem rho_private d e : Forall is_row d -> Forall is_row e -> length d = length e ->
  forall p, In p all -> drawn d p <= exp (2 * (L * INR (pairs rho d e))) * drawn e p.
Proof.
  apply drawn_at. unfold pairs. apply count_le. intros. apply factors_rho.
Qed.
Lemma one_row d x y e : pairs factors (d ++ x :: e) (d ++ y :: e) = factors x y.
Proof.
  assert (S : forall l, pairs factors l l = 0%nat).
  { induction l as [|a l IH]; [reflexivity|].
    change (pairs factors (a :: l) (a :: l)) with (factors a a + pairs factors l l)%nat. rewrite IH, Nat.add_0_r.
    unfold factors. apply Nat.le_0_r. rewrite <- (Nat.mul_0_l (length nodes)), <- count_const. apply count_le.
    intros j _. apply Nat.eq_le_incl. unfold differs, changed. rewrite Nat.eqb_refl. cbn [negb orb].
    induction (parents j) as [|i q IH']; [reflexivity|]. cbn. rewrite Nat.eqb_refl. apply IH'. }
  induction d as [|a d IH].
  - change (pairs factors (x :: e) (y :: e) = factors x y)%nat.
    change (pairs factors (x :: e) (y :: e)) with (factors x y + pairs factors e e)%nat. rewrite S. lia.
  - change (pairs factors ((a :: d) ++ x :: e) ((a :: d) ++ y :: e)) with
      (factors a a + pairs factors (d ++ x :: e) (d ++ y :: e))%nat.
    pose proof (S [a]) as Sa. change (pairs factors [a] [a]) with (factors a a + 0)%nat in Sa. lia.
Qed.
(* one record replaced: all of its factors *)
Theorem record_private d x y e : Forall is_row (d ++ x :: e) -> Forall is_row (d ++ y :: e) ->
  forall p, In p all -> drawn (d ++ x :: e) p <= exp (2 * (L * INR K)) * drawn (d ++ y :: e) p.
Proof.
  intros X Y. apply drawn_at; try assumption; [rewrite one_row; apply factors_K|]. rewrite !app_length. reflexivity.
Qed.
(* one value replaced, that of node k *)
Theorem value_private d x y e k : Forall is_row (d ++ x :: e) -> Forall is_row (d ++ y :: e) ->
  (k < K)%nat -> (forall i, i <> k -> x i = y i) ->
  forall p, In p all -> drawn (d ++ x :: e) p <= exp (2 * (L * INR (1 + outdegree k))) * drawn (d ++ y :: e) p.
Proof.
  intros X Y Kk E. apply drawn_at; try assumption; [|rewrite !app_length; reflexivity].
  rewrite one_row. apply Nat.le_trans with (rho x y); [apply factors_rho|apply rho_value; assumption].
Qed.
End Draw.
End Network.

(* Every node with states and a least probability of its own, whatever parameters there are: what the posterior is drawn
   from in boxes rests on this. The range of the log-ratio of two rows over all parameters is at most twice the bound. *)
Section Own.
Variable K : nat.
Variable parents : nat -> list nat.
Variable states : nat -> nat.
Variable eps : nat -> R.
Hypothesis eps0 : forall j, 0 < eps j.
Definition own_allowed (p : parameter) : Prop := forall j c,
  (forall s, (s < states j)%nat -> eps j <= p j s c) /\ sumR (fun s => p j s c) (seq 0 (states j)) = 1.
Theorem row_range p x y : own_allowed p -> is_row states x -> is_row states y ->
  Rabs (log_row K parents p x - log_row K parents p y) <=
  sumR (fun j => ln ((1 - (INR (states j) - 1) * eps j) / eps j)) (nodes K).
Proof.
  intros A X Y. unfold log_row. induction (nodes K) as [|j l IH]; cbn [sumR]; [rewrite Rminus_0_r, Rabs_R0; lra|].
  match goal with |- Rabs (?a + ?b - (?c + ?d)) <= _ => replace (a + b - (c + d)) with ((a - c) + (b - d)) by ring end.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact IH].
  assert (P : forall z, is_row states z -> eps j <= factor parents p z j <= most (states j) (eps j)).
  { intros z Z. unfold factor. destruct (A j (map z (parents j))) as [A1 A2]. split; [apply A1, Z|].
    pose proof (above_one (fun s => p j s (map z (parents j))) (eps j) (seq 0 (states j)) (z j)) as G.
    rewrite A2, seq_length in G. unfold most.
    cut (p j (z j) (map z (parents j)) + (INR (states j) - 1) * eps j <= 1); [lra|]. apply G.
    - intros i I. apply A1. apply in_seq in I. lia.
    - apply in_seq. specialize (Z j). lia. }
  apply (ratio (states j) (eps j) (eps0 j)); apply P; assumption.
Qed.
End Own.

(* The likelihood attains both numbers, in every network whose nodes have m >= 2 states. *)
Section Attained.
Variable K : nat.
Variable parents : nat -> list nat.
Variable m : nat.
Variable eps : R.
Hypothesis m2 : (2 <= m)%nat.
Hypothesis eps0 : 0 < eps.
Hypothesis room : INR m * eps <= 1.
Let mostly : R := most m eps.
Definition one_state (at_ : list nat -> nat) : parameter := fun _ s c => if s =? at_ c then mostly else eps.
Lemma sum_one (u v : R) d n a : sumR (fun s => if s =? d then u else v) (seq a n) =
  if (a <=? d) && (d <? a + n) then u + (INR n - 1) * v else INR n * v.
Proof.
  revert a. induction n as [|n IH]; intros a.
  - cbn [seq sumR]. destruct (Nat.leb_spec a d), (Nat.ltb_spec d (a + 0)); cbn [andb]; try lia; cbn; ring.
  - cbn [seq sumR]. rewrite IH, S_INR.
    destruct (Nat.eqb_spec a d), (Nat.leb_spec a d), (Nat.leb_spec (S a) d), (Nat.ltb_spec d (S a + n)),
      (Nat.ltb_spec d (a + S n)); cbn [andb]; try lia; ring.
Qed.
Lemma one_state_allowed at_ : (forall c, (at_ c < m)%nat) -> allowed (fun _ => m) eps (one_state at_).
Proof.
  intros H j c. unfold one_state, mostly, most. split.
  - intros s _. destruct (s =? at_ c); [|lra]. lra.
  - rewrite sum_one. specialize (H c). destruct (Nat.ltb_spec (at_ c) (0 + m)); [cbn [Nat.leb andb]; ring|lia].
Qed.
Lemma log_rows p x y (f : nat -> nat) :
  (forall j, In j (nodes K) -> ln (factor parents p x j) - ln (factor parents p y j) = L m eps * INR (f j)) ->
  log_row K parents p x - log_row K parents p y = L m eps * INR (count f (nodes K)).
Proof.
  unfold log_row. induction (nodes K) as [|j l IH]; intros H; [cbn; ring|]. cbn [sumR count]. rewrite plus_INR.
  pose proof (H j (or_introl eq_refl)). specialize (IH (fun i I => H i (or_intror I))). lra.
Qed.
Lemma L_value : ln mostly - ln eps = L m eps.
Proof.
  assert (eps <= mostly) by (unfold mostly, most; lra). unfold L, Rdiv. fold mostly.
  rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). ring.
Qed.
Theorem record_attained : exists p x y, allowed (fun _ => m) eps p /\ is_row (fun _ => m) x /\ is_row (fun _ => m) y /\
  log_row K parents p x - log_row K parents p y = L m eps * INR K.
Proof.
  exists (one_state (fun _ => 0%nat)), (fun _ => 0%nat), (fun _ => 1%nat).
  split; [apply one_state_allowed; intros; lia|].
  split; [intros j; lia|]. split; [intros j; lia|].
  rewrite (log_rows _ _ _ (fun _ => 1%nat)).
  - rewrite count_const. unfold nodes. rewrite seq_length, Nat.mul_1_l. reflexivity.
  - intros j _. unfold factor, one_state. cbn [Nat.eqb]. rewrite L_value. cbn. ring.
Qed.
Lemma count_self k n a : count (fun j => b2n (j =? k)) (seq a n) = b2n ((a <=? k) && (k <? a + n)).
Proof.
  revert a. induction n as [|n IH]; intros a; cbn [seq count].
  - destruct (Nat.leb_spec a k), (Nat.ltb_spec k (a + 0)); cbn; lia.
  - rewrite IH. destruct (Nat.eqb_spec a k), (Nat.leb_spec a k), (Nat.leb_spec (S a) k), (Nat.ltb_spec k (S a + n)),
      (Nat.ltb_spec k (a + S n)); cbn; lia.
Qed.
Theorem value_attained k : (k < K)%nat -> ~ In k (parents k) ->
  exists p x y, allowed (fun _ => m) eps p /\ is_row (fun _ => m) x /\ is_row (fun _ => m) y /\
  (forall i, i <> k -> x i = y i) /\
  log_row K parents p x - log_row K parents p y = L m eps * INR (1 + outdegree K parents k).
Proof.
  intros Kk Own. set (at_ := fun c : list nat => if forallb (Nat.eqb 0) c then 0%nat else 1%nat).
  set (y := fun i : nat => if i =? k then 1%nat else 0%nat).
  exists (one_state at_), (fun _ => 0%nat), y.
  split; [apply one_state_allowed; intros c; unfold at_; destruct (forallb _ c); lia|].
  split; [intros j; lia|]. split; [intros j; unfold y; destruct (j =? k); lia|].
  split; [intros i D; unfold y; apply Nat.eqb_neq in D; rewrite D; reflexivity|].
  rewrite (log_rows _ _ _ (fun j => b2n (j =? k) + b2n (child parents k j))%nat).
  - rewrite count_plus. unfold nodes at 1. rewrite count_self. destruct (Nat.ltb_spec k (0 + K)); [reflexivity|lia].
  - intros j _. unfold factor, one_state.
    assert (Zeros : forall l : list nat, forallb (Nat.eqb 0) (map (fun _ => 0%nat) l) = true).
    { induction l as [|a l IH]; [reflexivity|exact IH]. }
    assert (Ys : forall l : list nat, forallb (Nat.eqb 0) (map y l) = negb (existsb (Nat.eqb k) l)).
    { induction l as [|a l IH]; [reflexivity|]. cbn [map forallb existsb]. rewrite IH, negb_orb. f_equal.
      unfold y. rewrite (Nat.eqb_sym k a). destruct (a =? k); reflexivity. }
    unfold at_. rewrite Zeros, Ys. fold (child parents k j). unfold y. cbn [Nat.eqb].
    destruct (Nat.eqb_spec j k) as [->|D].
    + assert (C : child parents k k = false).
      { apply not_true_is_false. intros C. apply existsb_exists in C. destruct C as (i & I & E). apply Nat.eqb_eq in E.
        subst. contradiction. }
      rewrite C. cbn [negb b2n Nat.eqb Nat.add INR]. rewrite L_value. ring.
    + destruct (child parents k j); cbn [negb b2n Nat.eqb Nat.add INR]; [rewrite L_value|]; ring.
Qed.
End Attained.
