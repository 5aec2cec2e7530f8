(* Permute-and-flip: candidates are visited in random order, and candidate r is taken with probability a_r when it is
   visited.  A random order is a uniform arrival time t for every candidate, so that r is released with probability
   a_r times the integral over t in [0, 1] of the product of 1 - t a_s over the others. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Fixpoint missed (others : list R) (t : R) : R := match others with [] => 1 |
  e :: l => (1 - t * exp (- e)) * missed l t end.
(* the law: e is the exponent of the candidate's own coin, others are those of the other candidates *)
Definition flip (e : R) (others : list R) : R := exp (- e) * RInt (missed others) 0 1.

Lemma coin_range e : 0 <= e -> 0 < exp (- e) <= 1.
Proof.
  intros H. split; [apply exp_pos|]. rewrite <- exp_0. destruct (Req_dec e 0) as [->|]; [rewrite Ropp_0; lra|].
  left. apply exp_increasing. lra.
Qed.
Lemma missed_range l t : List.Forall (Rle 0) l -> 0 <= t <= 1 -> 0 <= missed l t <= 1.
Proof.
  intros F H. induction F as [|e l He F IH]; cbn; [lra|]. pose proof (coin_range e He).
  assert (0 <= t * exp (- e) <= 1) by nra. nra.
Qed.
Lemma missed_continuous l t : continuous (missed l) t.
Proof.
  induction l as [|e l IH]; cbn; [apply continuous_const|].
  apply (continuous_mult (fun t => 1 - t * exp (- e)) (missed l)); [|assumption].
  apply (ex_derive_continuous (fun t => 1 - t * exp (- e))). auto_derive. exact I.
Qed.
Lemma missed_integrable l a b : ex_RInt (missed l) a b.
Proof. apply (ex_RInt_continuous (missed l)). intros. apply missed_continuous. Qed.

(* coins of y, slowed down by the factor b, are missed at least as often as those of x *)
Lemma missed_slower c l m t : 0 <= c -> 0 <= t <= 1 -> List.Forall2 (fun e f => 0 <= e /\ 0 <= f /\ Rabs (e - f) <=
  c) l m ->
  0 <= missed l t /\ missed l t <= missed m (exp (- c) * t).
Proof.
  intros C H F. induction F as [|e f l m (E & E' & D) F [IH0 IH]]; cbn; [lra|].
  pose proof (coin_range e E). pose proof (coin_range f E'). pose proof (coin_range c C).
  assert (B : exp (- c) * exp (- f) <= exp (- e)).
  { rewrite <- exp_plus. destruct (Req_dec (- c + - f) (- e)) as [->|]; [lra|]. left. apply exp_increasing.
    unfold Rabs in D. destruct (Rcase_abs _) in D; lra. }
  assert (0 <= t * exp (- e) <= 1) by nra.
  assert (exp (- c) * t * exp (- f) <= t * exp (- e)).
  { replace (exp (- c) * t * exp (- f)) with (t * (exp (- c) * exp (- f))) by ring. apply Rmult_le_compat_l; lra. }
  split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
Qed.

Theorem flip_private c e f l m : 0 <= c -> Rabs (e - f) <= c ->
  List.Forall2 (fun e f => 0 <= e /\ 0 <= f /\ Rabs (e - f) <= c) l m -> flip e l <= exp (2 * c) * flip f m.
Proof.
  intros C D F. unfold flip. pose proof (coin_range c C) as [b0 b1]. set (b := exp (- c)) in *.
  assert (P : List.Forall (Rle 0) m) by (clear - F; induction F; constructor; tauto).
  assert (X : ex_RInt (fun t => missed m (b * t)) 0 1).
  { apply (ex_RInt_continuous (fun t => missed m (b * t))). intros t _.
    apply (continuous_comp (fun t => b * t) (missed m)); [|apply missed_continuous].
    apply (ex_derive_continuous (fun t => b * t)). auto_derive. exact I. }
  assert (S1 : RInt (missed l) 0 1 <= RInt (fun t => missed m (b * t)) 0 1).
  { apply RInt_le; [lra|apply missed_integrable|assumption|]. intros t Ht.
    apply (missed_slower c l m t); auto; lra. }
  assert (S2 : b * RInt (fun t => missed m (b * t)) 0 1 = RInt (missed m) 0 b).
  { pose proof (RInt_comp_lin (missed m) b 0 0 1 (missed_integrable m _ _)) as L.
    replace (b * 0 + 0) with 0 in L by ring. replace (b * 1 + 0) with b in L by ring. rewrite <- L.
    rewrite (RInt_ext (fun y => scal b (missed m (b * y + 0))) (fun y => scal b (missed m (b * y)))) by (intros z _;
      rewrite Rplus_0_r; reflexivity).
    symmetry. exact (RInt_scal (fun t => missed m (b * t)) 0 1 b X). }
  assert (S3 : RInt (missed m) 0 b <= RInt (missed m) 0 1).
  { rewrite <- (RInt_Chasles (missed m) 0 b 1) by apply missed_integrable. unfold plus; simpl.
    assert (0 <= RInt (missed m) b 1); [|lra]. apply RInt_ge_0; [assumption|apply missed_integrable|].
    intros t Ht. apply missed_range; [assumption|lra]. }
  assert (bc : b * exp c = 1) by (unfold b; rewrite <- exp_plus, Rplus_opp_l, exp_0; reflexivity).
  pose proof (exp_pos c) as ec. pose proof (exp_pos (- f)) as ef.
  assert (E : exp (- e) <= exp c * exp (- f)).
  { rewrite <- exp_plus. destruct (Req_dec (- e) (c + - f)) as [->|]; [lra|]. left. apply exp_increasing.
    unfold Rabs in D. destruct (Rcase_abs _) in D; lra. }
  set (J := RInt (fun t => missed m (b * t)) 0 1) in *. set (I1 := RInt (missed m) 0 1) in *.
  assert (J1 : J <= exp c * I1).
  { replace J with (exp c * (b * J)) by (rewrite <- Rmult_assoc, (Rmult_comm (exp c)), bc; ring).
    apply Rmult_le_compat_l; lra. }
  assert (L0 : 0 <= RInt (missed l) 0 1).
  { apply RInt_ge_0; [lra|apply missed_integrable|]. intros t Ht. apply (missed_slower c l m t); auto; lra. }
  replace (2 * c) with (c + c) by ring. rewrite exp_plus.
  replace (exp c * exp c * (exp (- f) * I1)) with ((exp c * exp (- f)) * (exp c * I1)) by ring.
  apply Rmult_le_compat; [left; apply exp_pos|assumption|assumption|lra].
Qed.

(* Never worse than the exponential mechanism (McKenna and Sheldon 2020): of the same exponents, of which the best
   candidate's is 0, the mean of whatever falls with the exponent is at least as large. *)
From PrivBayes Require Import Exponential.

Local Ltac real := match goal with |- ?a = ?b => change (@eq R a b) end.
(* the probabilities of all candidates, in their order *)
Fixpoint flips (before l : list R) : list R :=
  match l with [] => [] | e :: l' => flip e (before ++ l') :: flips (e :: before) l' end.
Definition exponential (l : list R) : list R := map (Exponential.prob R l (fun e => e)) l.
Fixpoint mean (p l : list R) (f : R -> R) : R :=
  match p, l with a :: p', e :: l' => a * f e + mean p' l' f | _, _ => 0 end.

Lemma missed_app l m t : missed (l ++ m) t = missed l t * missed m t.
Proof. induction l as [|e l IH]; cbn; [|rewrite IH]; ring. Qed.
Lemma missed_end l : In 0 l -> missed l 1 = 0.
Proof.
  induction l as [|e l IH]; cbn; [intros []|]. intros [->|I]; [rewrite Ropp_0, exp_0; ring|].
  rewrite IH by assumption. ring.
Qed.
Lemma missed_start l : missed l 0 = 1.
Proof. induction l as [|e l IH]; cbn; [reflexivity|]. rewrite IH. ring. Qed.
(* the speed at which missed falls *)
Fixpoint speed (l : list R) (t : R) : R :=
  match l with [] => 0 | e :: l' => exp (- e) * missed l' t + (1 - t * exp (- e)) * speed l' t end.
Lemma missed_derive l t : is_derive (missed l) t (- speed l t).
Proof.
  induction l as [|e l IH]; cbn [missed speed]; [auto_derive; [exact I|ring]|].
  replace (- (exp (- e) * missed l t + (1 - t * exp (- e)) * speed l t)) with
    (- exp (- e) * missed l t + (1 - t * exp (- e)) * - speed l t) by ring.
  apply (is_derive_mult (fun t => 1 - t * exp (- e)) (missed l)); [|exact IH|intros; apply Rmult_comm].
  auto_derive; [exact I|ring].
Qed.
Lemma speed_continuous l t : continuous (speed l) t.
Proof.
  induction l as [|e l IH]; cbn [speed]; [apply continuous_const|].
  apply (continuous_plus (fun t => exp (- e) * missed l t) (fun t => (1 - t * exp (- e)) * speed l t)).
  - apply (continuous_mult (fun _ => exp (- e)) (missed l)); [apply continuous_const|apply missed_continuous].
  - apply (continuous_mult (fun t => 1 - t * exp (- e)) (speed l)); [|assumption].
    apply (ex_derive_continuous (fun t => 1 - t * exp (- e))). auto_derive. exact I.
Qed.
Lemma flips_sum l : forall before,
  mean (flips before l) l (fun _ => 1) = RInt (fun t => missed before t * speed l t) 0 1.
Proof.
  induction l as [|e l IH]; intros before; cbn [flips mean speed].
  - rewrite (RInt_ext _ (fun _ => 0)) by (intros; apply Rmult_0_r). rewrite RInt_const. symmetry. apply Rmult_0_r.
  - rewrite IH. unfold flip. rewrite Rmult_1_r, <- (RInt_scal (missed (before ++ l))) by apply missed_integrable.
    assert (X : ex_RInt (fun t => missed (e :: before) t * speed l t) 0 1).
    { apply (ex_RInt_continuous (fun t => missed (e :: before) t * speed l t)). intros t _.
      apply (continuous_mult (missed (e :: before)) (speed l)); [apply missed_continuous|apply speed_continuous]. }
    change (?a + ?b) with (plus a b). rewrite <- RInt_plus; [|apply (ex_RInt_scal (missed (before ++ l))),
      missed_integrable|exact X].
    apply RInt_ext. intros t _. unfold scal, plus; cbn; unfold mult; cbn. rewrite missed_app. ring.
Qed.
Lemma speed_total l : In 0 l -> RInt (speed l) 0 1 = 1.
Proof.
  intros Z. pose proof (is_RInt_derive (missed l) (fun t => - speed l t) 0 1) as D.
  rewrite missed_end, missed_start in D by assumption.
  assert (E : RInt (fun t => - speed l t) 0 1 = -1).
  { replace (-1) with (minus 0 1) by (unfold minus, plus, opp; cbn; ring). apply is_RInt_unique, D.
    - intros. apply missed_derive.
    - intros t _. apply (continuous_opp (speed l)), speed_continuous. }
  assert (X : ex_RInt (speed l) 0 1) by (apply (ex_RInt_continuous (speed l)); intros; apply speed_continuous).
  pose proof (RInt_opp (speed l) 0 1 X) as O. change (RInt (fun t => - speed l t) 0 1 = - RInt (speed l) 0 1) in O. lra.
Qed.

(* where t < 1, what the others miss is what all miss, divided by the own factor *)
Definition factor (all : list R) (e : R) : R := RInt (fun t => missed all t / (1 - t * exp (- e))) 0 1.
Lemma own e t : 0 <= e -> 0 < t < 1 -> 0 < 1 - t * exp (- e).
Proof. intros E T. pose proof (coin_range e E). nra. Qed.
Lemma flips_factor all l f : List.Forall (Rle 0) l -> forall before,
  (forall t, missed before t * missed l t = missed all t) ->
  mean (flips before l) l f = sumR (fun e => exp (- e) * factor all e * f e) l.
Proof.
  induction 1 as [|e l E F IH]; intros before H; cbn [flips mean Exponential.sumR]; [reflexivity|].
  rewrite IH by (intros t; rewrite <- H; cbn [missed]; ring). unfold flip, factor at 2. f_equal. f_equal. f_equal.
  apply RInt_ext. rewrite Rmin_left, Rmax_right by lra. intros t T. rewrite missed_app, <- H. cbn [missed].
  pose proof (own e t E T). real. field. lra.
Qed.
Lemma factor_integrable all e : 0 <= e -> In e all -> ex_RInt (fun t => missed all t / (1 - t * exp (- e))) 0 1.
Proof.
  intros E I. destruct (in_split e all I) as (l & m & ->).
  apply (ex_RInt_ext (missed (l ++ m))); [|apply missed_integrable].
  rewrite Rmin_left, Rmax_right by lra. intros t T. rewrite !missed_app. cbn [missed]. pose proof (own e t E T).
  real. field. lra.
Qed.
Lemma factor_falls all e g : List.Forall (Rle 0) all -> In e all -> In g all -> e <= g -> factor all g <= factor all e.
Proof.
  intros F Ie Ig L. pose proof (proj1 (Forall_forall _ _) F) as P. pose proof (P e Ie) as Pe. pose proof (P g Ig) as Pg.
  unfold factor. apply RInt_le; [lra|exact (factor_integrable all g Pg Ig)|exact (factor_integrable all e Pe Ie)|].
  intros t T. pose proof (own e t Pe T). pose proof (own g t Pg T). pose proof (missed_range all t F ltac:(lra)).
  apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; [assumption|].
  assert (exp (- g) <= exp (- e)) by (destruct L as [L| ->]; [left; apply exp_increasing; lra|lra]). nra.
Qed.
Lemma together (w a b : R -> R) l : (forall x, 0 <= w x) ->
  (forall x y, In x l -> In y l -> 0 <= (a x - a y) * (b x - b y)) ->
  sumR (fun x => w x * a x) l * sumR (fun x => w x * b x) l <= sumR (fun x => w x * a x * b x) l * sumR w l.
Proof.
  intros W H. induction l as [|x l IH]; cbn [Exponential.sumR]; [lra|].
  specialize (IH (fun u v iu iv => H u v (or_intror iu) (or_intror iv))).
  assert (I : forall k, incl k l -> sumR (fun x => w x * a x) k * b x + a x * sumR (fun x => w x * b x) k <=
    sumR (fun x => w x * a x * b x) k + a x * b x * sumR w k).
  { induction k as [|y k IHk]; intros I; cbn [Exponential.sumR]; [lra|].
    specialize (IHk (fun z iz => I z (or_intror iz))).
    pose proof (H x y (or_introl eq_refl) (or_intror (I y (or_introl eq_refl)))) as G.
    pose proof (Rmult_le_pos _ _ (W y) G). lra. }
  specialize (I l (fun z iz => iz)). apply (Rmult_le_compat_l (w x)) in I; [|apply W]. lra.
Qed.

Theorem flip_better l f : List.Forall (Rle 0) l -> In 0 l -> (forall a b, 0 <= a <= b -> f b <= f a) ->
  mean (flips [] l) l (fun _ => 1) = 1 /\ mean (exponential l) l f <= mean (flips [] l) l f.
Proof.
  intros F Z M. assert (One : mean (flips [] l) l (fun _ => 1) = 1).
  { rewrite flips_sum. rewrite (RInt_ext _ (speed l)) by (intros; apply Rmult_1_l). apply speed_total. assumption. }
  split; [assumption|].
  rewrite (flips_factor l l) in One by (assumption || (intros; cbn [missed]; ring)).
  rewrite (flips_factor l l) by (assumption || (intros; cbn [missed]; ring)).
  assert (X : forall g k, mean (map g k) k f = sumR (fun e => g e * f e) k).
  { intros g k. induction k as [|e k IH]; cbn; [reflexivity|]. rewrite IH. reflexivity. }
  unfold exponential. rewrite X. unfold Exponential.prob. set (T := sumR (fun e => exp (- e)) l).
  assert (T0 : 0 < T) by (apply Exponential.sumR_pos; [intros ->; destruct Z|intros; apply exp_pos]).
  pose proof (together (fun e => exp (- e)) (factor l) f l (fun e => Rlt_le _ _ (exp_pos (- e)))) as C.
  assert (E : forall g h : R -> R, (forall e, g e = h e) -> sumR g l = sumR h l).
  { intros g h G. clear - G. induction l as [|e k IH]; cbn; [reflexivity|]. rewrite IH, G. reflexivity. }
  rewrite (E _ (fun e => exp (- e) * factor l e)) in One by (intros; ring). cbv beta in C. rewrite One in C.
  fold T in C.
  rewrite (E (fun e => exp (- e) / T * f e) (fun e => / T * (exp (- e) * f e))) by (intros; field; lra).
  rewrite Exponential.sumR_scal. apply (Rmult_le_reg_l T); [assumption|].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. rewrite (Rmult_comm T).
  rewrite <- (Rmult_1_l (sumR (fun e => _ * f e) l)).
  apply C. intros a b Ia Ib. pose proof (proj1 (Forall_forall _ _) F) as P. pose proof (P a Ia). pose proof (P b Ib).
  destruct (Rle_or_lt a b) as [L|L].
  - pose proof (factor_falls l a b F Ia Ib L). pose proof (M a b ltac:(lra)). apply Rmult_le_pos; lra.
  - pose proof (factor_falls l b a F Ib Ia ltac:(lra)). pose proof (M b a ltac:(lra)).
    replace ((factor l a - factor l b) * (f a - f b)) with ((factor l b - factor l a) * (f b - f a)) by ring.
    apply Rmult_le_pos; lra.
Qed.
