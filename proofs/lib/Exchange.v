(* The dominating pair of geometric noise, also for units of k rows: shifts of counts that are at most k each and add up
   to at most k m lose no more, at every threshold, than m counts shifted by k. *)
From Coq Require Import Reals Lra Lia Arith List ZArith.
Import ListNotations.
Open Scope R_scope.

Section Exchange.
Variable q : R.
Hypothesis q0 : 0 < q. Hypothesis q1 : q < 1.

(* E s h: the mean of h(J), J the noise cut to 0 .. s; J = 0 has probability 1/(1+q), J = s has q^s/(1+q). *)
Fixpoint E (s : nat) (h : nat -> R) : R :=
  match s with O => h O | S t => E t h + q ^ S t / (1 + q) * (h (S t) - h t) end.

Lemma E_ext s f g : (forall i, (i <= s)%nat -> f i = g i) -> E s f = E s g.
Proof. intros H. induction s as [|s IH]; cbn [E]; [apply H; lia|]. rewrite IH, !H by (intros; try apply H; lia).
  reflexivity. Qed.
Lemma E_lin s a b f g : E s (fun i => a * f i + b * g i) = a * E s f + b * E s g.
Proof. induction s as [|s IH]; cbn [E]; [reflexivity|]. rewrite IH. ring. Qed.

(* the probabilities are positive: (1+q) E s h = q^s h(s) + rest, the rest a positive combination *)
Fixpoint rest (s : nat) (h : nat -> R) : R :=
  match s with O => q * h O | S t => rest t h + q ^ t * (1 - q) * h t end.
Lemma E_rest s h : (1 + q) * E s h = q ^ s * h s + rest s h.
Proof.
  induction s as [|s IH]; cbn [E rest]; [cbn; ring|]. rewrite Rmult_plus_distr_l, IH. cbn [pow]. field. lra.
Qed.
Lemma rest_pos s h : (forall i, 0 <= h i) -> 0 <= rest s h.
Proof.
  intros H. induction s as [|s IH]; cbn [rest].
  - apply Rmult_le_pos; [lra|apply H].
  - pose proof (pow_lt q s q0). assert (0 <= q ^ s * (1 - q)) by (apply Rmult_le_pos; lra).
    pose proof (Rmult_le_pos _ _ H1 (H s)). lra.
Qed.
Lemma E_pos s h : (forall i, 0 <= h i) -> 0 <= E s h.
Proof.
  intros H. pose proof (rest_pos s h H) as P. pose proof (E_rest s h) as Q. pose proof (pow_lt q s q0).
  pose proof (Rmult_le_pos _ _ (Rlt_le _ _ H0) (H s)). nra.
Qed.
Lemma E_mono s f g : (forall i, f i <= g i) -> E s f <= E s g.
Proof.
  intros H. assert (P : 0 <= E s (fun i => 1 * g i + -1 * f i)) by (apply E_pos; intros i; specialize (H i); lra).
  rewrite E_lin in P. lra.
Qed.
Lemma E_diff s f g : E s (fun i => f i - g i) = E s f - E s g.
Proof. rewrite (E_ext s _ (fun i => 1 * f i + -1 * g i)) by (intros; ring). rewrite E_lin. ring. Qed.
Lemma E_scal s a f : E s (fun i => a * f i) = a * E s f.
Proof. rewrite (E_ext s _ (fun i => a * f i + 0 * f i)) by (intros; ring). rewrite E_lin. ring. Qed.
Lemma E_swap a b h : E a (fun i => E b (fun j => h i j)) = E b (fun j => E a (fun i => h i j)).
Proof.
  induction a as [|a IH]; [reflexivity|]. cbn [E]. rewrite IH, <- E_diff, <- E_scal.
  rewrite (E_ext b (fun j => E a _ + _) (fun j => 1 * E a (fun i => h i j) + 1 * (q ^ S a / (1 + q) * (h (S a) j - h a j))))
    by (intros; ring).
  rewrite E_lin. ring.
Qed.

(* One step moved from the smaller shift to the larger: the gain is a sum of q^2 f(k+1) - f(k), f the differences of h. *)
Definition diff (h : nat -> R) (k : nat) : R := h (S k) - h k.
Definition bends (h : nat -> R) : Prop := forall k, (1 + q ^ 2) * h (S k) <= h k + q ^ 2 * h (S (S k)).

Lemma across f a b :
  E b (fun j => q * f (S a + j)%nat - f (a + j)%nat) - q ^ S b / (1 + q) * (f (S a + b)%nat - f (a + b)%nat) =
  (q ^ 2 * f (S a) - f a) / (1 + q).
Proof.
  induction b as [|b IH].
  - cbn [E]. rewrite !Nat.add_0_r. cbn [pow]. field. lra.
  - cbn [E]. rewrite <- IH. replace (S a + S b)%nat with (S (S (a + b))) by lia.
    replace (a + S b)%nat with (S (a + b)) by lia. replace (S a + b)%nat with (S (a + b)) by lia.
    replace (q ^ S (S b)) with (q * q ^ S b) by reflexivity. field. lra.
Qed.
Lemma gain f b : (forall k, f k <= q ^ 2 * f (S k)) -> forall d,
  q ^ b * E (b + d) (fun i => f (b + i)%nat) <= q ^ (b + d) * E b (fun j => f (b + d + j)%nat).
Proof.
  intros H d. induction d as [|d IH]; [rewrite Nat.add_0_r; lra|].
  rewrite Nat.add_succ_r. cbn [E]. pose proof (across f (b + d) b) as A. rewrite E_diff, E_scal in A.
  pose proof (H (b + d)%nat) as U. pose proof (pow_lt q (b + d) q0) as P.
  replace (b + S (b + d))%nat with (S (b + d) + b)%nat by lia. replace (b + (b + d))%nat with (b + d + b)%nat by lia.
  assert (D : 0 <= (q ^ 2 * f (S (b + d)) - f (b + d)%nat) / (1 + q)) by (apply Rle_mult_inv_pos; lra).
  rewrite <- A in D. apply (Rmult_le_compat_l (q ^ (b + d))) in D; [|lra]. rewrite Rmult_0_r in D.
  replace (q ^ S (b + d)) with (q * q ^ (b + d)) by reflexivity.
  set (F := f (S (b + d) + b)%nat - f (b + d + b)%nat) in *.
  replace (q ^ b * (E (b + d) (fun i => f (b + i)%nat) + q * q ^ (b + d) / (1 + q) * F))
    with (q ^ b * E (b + d) (fun i => f (b + i)%nat) + q ^ (b + d) * (q ^ S b / (1 + q) * F)) by (cbn [pow]; field; lra).
  lra.
Qed.

Theorem exchange a b h : bends h -> (b <= a)%nat ->
  E a (fun i => E (S b) (fun j => h (i + j)%nat)) <= E (S a) (fun i => E b (fun j => h (i + j)%nat)).
Proof.
  intros H L. cbn [E]. set (f := diff h).
  assert (G : q ^ b * E a (fun i => f (b + i)%nat) <= q ^ a * E b (fun j => f (a + j)%nat)).
  { replace a with (b + (a - b))%nat by lia. apply gain. intros k. unfold f, diff. specialize (H k). lra. }
  rewrite (E_ext a (fun i => E b (fun j => h (i + j)%nat) + _)
    (fun i => 1 * E b (fun j => h (i + j)%nat) + q ^ S b / (1 + q) * f (b + i)%nat)).
  2:{ intros i _. unfold f, diff. replace (S (b + i)) with (i + S b)%nat by lia. rewrite (Nat.add_comm b i). ring. }
  rewrite E_lin, <- E_diff. rewrite (E_ext b (fun j => h (S a + j)%nat - h (a + j)%nat) (fun j => f (a + j)%nat)) by
    reflexivity.
  assert (I : 0 < q / (1 + q)) by (apply Rdiv_lt_0_compat; lra).
  apply (Rmult_le_compat_l (q / (1 + q))) in G; [|lra].
  replace (q ^ S b / (1 + q)) with (q / (1 + q) * q ^ b) by (cbn [pow]; field; lra).
  replace (q ^ S a / (1 + q)) with (q / (1 + q) * q ^ a) by (cbn [pow]; field; lra). lra.
Qed.

(* D l c: the largest P(A) - c Q(A), P and Q the noisy counts of two data sets whose counts are l apart *)
Definition r : R := / q ^ 2.
Fixpoint D (l : list nat) (c : R) : R :=
  match l with [] => Rmax 0 (1 - c) | s :: l' => E s (fun i => D l' (c * q ^ s * r ^ i)) end.
Definition dom (l m : list nat) : Prop := forall c, D l c <= D m c.

Lemma D_pos l : forall c, 0 <= D l c.
Proof. induction l as [|s l IH]; intros c; cbn [D]; [apply Rmax_l|]. apply E_pos. intros. apply IH. Qed.
Lemma D_convex l : forall t x y, 0 <= t <= 1 -> D l (t * x + (1 - t) * y) <= t * D l x + (1 - t) * D l y.
Proof.
  induction l as [|s l IH]; intros t x y H; cbn [D].
  - pose proof (Rmax_l 0 (1 - x)). pose proof (Rmax_r 0 (1 - x)). pose proof (Rmax_l 0 (1 - y)).
    pose proof (Rmax_r 0 (1 - y)). apply Rmax_lub; nra.
  - rewrite <- E_lin. apply E_mono. intros i.
    replace ((t * x + (1 - t) * y) * q ^ s * r ^ i) with (t * (x * q ^ s * r ^ i) + (1 - t) * (y * q ^ s * r ^ i)) by ring.
    apply IH. assumption.
Qed.
Lemma dom_refl l : dom l l. Proof. intros c. lra. Qed.
Lemma dom_trans l m n : dom l m -> dom m n -> dom l n.
Proof. intros H K c. specialize (H c). specialize (K c). lra. Qed.
Lemma dom_cons s l m : dom l m -> dom (s :: l) (s :: m).
Proof. intros H c. cbn [D]. apply E_mono. intros i. apply H. Qed.
Lemma dom_app k l m : dom l m -> dom (k ++ l) (k ++ m).
Proof. intros H. induction k; [assumption|]. apply dom_cons. assumption. Qed.
Lemma D_zero l c : D (O :: l) c = D l c.
Proof. cbn [D E pow]. f_equal. ring. Qed.

Lemma bends_D l c : bends (fun k => D l (c * r ^ k)).
Proof.
  intros k. assert (Q : 0 < q ^ 2) by (apply pow_lt; assumption).
  pose proof (D_convex l (/ (1 + q ^ 2)) (c * r ^ k) (c * r ^ S (S k))) as V.
  replace (/ (1 + q ^ 2) * (c * r ^ k) + (1 - / (1 + q ^ 2)) * (c * r ^ S (S k))) with (c * r ^ S k) in V.
  2:{ cbn [pow]. unfold r. field. lra. }
  assert (I : 0 < / (1 + q ^ 2) <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1 at 2. apply Rinv_le_contravar; lra. }
  specialize (V ltac:(lra)). apply (Rmult_le_compat_l (1 + q ^ 2)) in V; [|lra].
  match type of V with _ <= ?R => replace R with (D l (c * r ^ k) + q ^ 2 * D l (c * r ^ S (S k))) in V by (field; lra) end.
  exact V.
Qed.
Lemma D_two a b l c : D (a :: b :: l) c = E a (fun i => E b (fun j => D l (c * q ^ (a + b) * r ^ (i + j)))).
Proof. cbn [D]. apply E_ext. intros i _. apply E_ext. intros j _. f_equal. rewrite !pow_add. ring. Qed.
Lemma dom_swap a b l : dom (a :: b :: l) (b :: a :: l).
Proof.
  intros c. rewrite !D_two, E_swap. right. apply E_ext. intros j _. apply E_ext. intros i _.
  rewrite (Nat.add_comm a b), (Nat.add_comm i j). reflexivity.
Qed.
Lemma dom_exchange a b l : (b <= a)%nat -> dom (a :: S b :: l) (S a :: b :: l).
Proof.
  intros L c. rewrite !D_two. replace (S a + b)%nat with (a + S b)%nat by lia.
  apply (exchange a b (fun k => D l (c * q ^ (a + S b) * r ^ k))); [apply bends_D|assumption].
Qed.
Lemma dom_one l : dom l (1%nat :: l).
Proof.
  intros c. cbn [D E]. pose proof (D_convex l (/ (1 + q)) (c * q) (c * / q)) as V.
  replace (/ (1 + q) * (c * q) + (1 - / (1 + q)) * (c * / q)) with c in V by (field; lra).
  assert (I : 0 < / (1 + q) <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1 at 2. apply Rinv_le_contravar; lra. }
  specialize (V ltac:(lra)). replace (c * q ^ 1 * r ^ 0) with (c * q) by (cbn; ring).
  replace (c * q ^ 1 * r ^ 1) with (c * / q) by (unfold r; cbn [pow]; field; lra).
  replace (D l (c * q) + q ^ 1 / (1 + q) * (D l (c * / q) - D l (c * q)))
    with (/ (1 + q) * D l (c * q) + (1 - / (1 + q)) * D l (c * / q)) by (cbn [pow]; field; lra). assumption.
Qed.
Lemma dom_raise s l : dom (s :: l) (S s :: l).
Proof.
  destruct s as [|s].
  - intros c. rewrite D_zero. apply dom_one.
  - apply dom_trans with (S s :: 1%nat :: l); [apply dom_cons, dom_one|].
    apply dom_trans with (S (S s) :: O :: l); [apply dom_exchange; lia|]. apply dom_cons. intros c. rewrite D_zero. lra.
Qed.
Lemma dom_raise_to s k l : (s <= k)%nat -> dom (s :: l) (k :: l).
Proof. induction 1; [apply dom_refl|]. eapply dom_trans; [eassumption|]. apply dom_raise. Qed.

(* d steps moved from one count to another *)
Lemma dom_steps d : forall a b l, (b <= a)%nat -> (d <= b)%nat -> dom (a :: b :: l) ((a + d)%nat :: (b - d)%nat :: l).
Proof.
  induction d as [|d IH]; intros a b l L H; [rewrite Nat.add_0_r, Nat.sub_0_r; apply dom_refl|].
  destruct b as [|b]; [lia|]. apply dom_trans with (S a :: b :: l); [apply dom_exchange; lia|].
  replace (a + S d)%nat with (S a + d)%nat by lia. replace (S b - S d)%nat with (b - d)%nat by lia. apply IH; lia.
Qed.
Lemma dom_merge a b k l : (a <= k)%nat -> (b <= k)%nat ->
  dom (a :: b :: l) (if (a + b <=? k)%nat then (a + b)%nat :: l else k :: (a + b - k)%nat :: l).
Proof.
  intros Ha Hb.
  assert (G : forall a b, (b <= a)%nat -> (a <= k)%nat ->
    dom (a :: b :: l) (if (a + b <=? k)%nat then (a + b)%nat :: l else k :: (a + b - k)%nat :: l)).
  { intros x y L K. destruct (Nat.leb_spec (x + y) k).
    - eapply dom_trans; [apply (dom_steps y); lia|]. rewrite Nat.sub_diag. apply dom_cons. intros c. rewrite D_zero. lra.
    - pose proof (dom_steps (k - x) x y l L ltac:(lia)) as S. replace (x + (k - x))%nat with k in S by lia.
      replace (y - (k - x))%nat with (x + y - k)%nat in S by lia. exact S. }
  destruct (Nat.le_ge_cases b a) as [L|L]; [apply G; assumption|].
  eapply dom_trans; [apply dom_swap|]. rewrite (Nat.add_comm a b). apply G; assumption.
Qed.

Fixpoint total (l : list nat) : nat := match l with [] => O | s :: l' => (s + total l')%nat end.
Lemma gather k l : Forall (fun s => (s <= k)%nat) l -> forall s, (s <= k)%nat ->
  exists t s', (s' <= k)%nat /\ (t * k + s' = s + total l)%nat /\ dom (s :: l) (repeat k t ++ [s']).
Proof.
  induction 1 as [|x l Hx _ IH]; intros s Hs; cbn [total].
  - exists O, s. repeat split; [assumption|lia|apply dom_refl].
  - pose proof (dom_merge s x k l Hs Hx) as M. destruct (Nat.leb_spec (s + x) k).
    + destruct (IH (s + x)%nat) as (t & s' & B & T & G); [assumption|]. exists t, s'.
      repeat split; [assumption|lia|eapply dom_trans; eassumption].
    + destruct (IH (s + x - k)%nat) as (t & s' & B & T & G); [lia|]. exists (S t), s'.
      repeat split; [assumption|lia|]. eapply dom_trans; [eassumption|]. cbn [repeat app]. apply dom_cons. assumption.
Qed.
Lemma dom_more k t : dom [] (repeat k t).
Proof.
  induction t as [|t IH]; [apply dom_refl|]. cbn [repeat]. eapply dom_trans; [apply IH|].
  apply dom_trans with (O :: repeat k t); [intros c; rewrite D_zero; lra|]. apply dom_raise_to. lia.
Qed.

(* Shifts of at most k each, of at most k m in all, are dominated by m counts shifted by k. *)
Theorem gathered k m l : Forall (fun s => (s <= k)%nat) l -> (total l <= k * m)%nat -> dom l (repeat k m).
Proof.
  intros F T. destruct (Nat.eq_dec k 0) as [->|K].
  - assert (Z : dom l []).
    { clear T. induction F as [|x l Hx _ IH]; [apply dom_refl|]. replace x with O by lia. intros c. rewrite D_zero.
      apply IH. }
    eapply dom_trans; [eassumption|apply dom_more].
  - apply dom_trans with (O :: l); [intros c; rewrite D_zero; lra|].
    destruct (gather k l F O) as (t & s' & B & T' & G); [lia|]. eapply dom_trans; [eassumption|].
    destruct (Nat.le_gt_cases m t) as [L|L].
    + assert (t = m) by nia. assert (s' = O) by nia. subst. rewrite <- (app_nil_r (repeat k m)) at 2. apply dom_app.
      intros c. rewrite D_zero. lra.
    + replace m with (t + S (m - S t))%nat by lia. rewrite repeat_app. apply dom_app. cbn [repeat].
      eapply dom_trans; [apply (dom_raise_to s' k); assumption|]. apply dom_cons, dom_more.
Qed.
End Exchange.
