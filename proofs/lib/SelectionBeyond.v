(* The first accepted candidate beyond pure privacy, section 3 of docs/theory/selection.md: candidates with a profile,
   and with a Rényi divergence of one order. b and b' are the probabilities that a candidate is refused. *)
From Coq Require Import Reals Lra Lia Arith List Bool.
From PrivBayes Require Import Exponential Selection.
Import ListNotations.
Open Scope R_scope.

Section Beyond.
Variables (Y : Type) (outs : list Y) (accepted : Y -> bool).
Variables (q : R) (N : nat).                                            (* q = 1 - gamma *)
Hypothesis q0 : 0 <= q. Hypothesis q1 : q < 1. Hypothesis some : (0 < N)%nat.
Notation selected := (selected Y outs accepted q N).
Notation refused := (refused Y outs accepted).
Notation gained := (gained Y outs accepted).
Notation density := (density q N).
Notation none := (none q N).

Lemma sumR_pos (r : Y -> R) l : (forall y, In y l -> 0 <= r y) -> 0 <= sumR r l.
Proof.
  induction l as [|y l IH]; intros H; cbn [sumR]; [lra|]. pose proof (H y (or_introl eq_refl)).
  assert (0 <= sumR r l) by (apply IH; intros; apply H; right; assumption). lra.
Qed.
Lemma sumR_ext (r s : Y -> R) l : (forall y, In y l -> r y = s y) -> sumR r l = sumR s l.
Proof.
  induction l as [|y l IH]; intros H; cbn [sumR]; [reflexivity|]. rewrite IH by (intros; apply H; right; assumption).
  rewrite (H y) by (left; reflexivity). reflexivity.
Qed.
Lemma sumR_more (r s : Y -> R) l : (forall y, In y l -> r y <= s y) -> sumR r l <= sumR s l.
Proof. apply sumR_le. Qed.
Lemma parts (r : Y -> R) : sumR (fun y => if accepted y then r y else 0) outs + refused r = sumR r outs.
Proof.
  unfold Selection.refused. induction outs as [|y l IH]; cbn [sumR]; [ring|].
  rewrite <- IH. destruct (accepted y); ring.
Qed.
Lemma density_pos z : 0 <= z -> 0 < density z.
Proof.
  intros Z. apply poly_pos; try assumption.
  - apply goes_on_pos; assumption.
  - apply (Rmult_lt_reg_r ((1 - q) * below (fun i => q ^ i) N)); [apply scale_pos; assumption|].
    rewrite goes_on_rest by (try assumption; lia). assert (q ^ N < 1) by (apply power_below; assumption). cbn [pow]. lra.
Qed.
Lemma none_pos z : 0 <= z -> 0 <= none z.
Proof.
  intros Z. apply below_pos. intros j. apply Rmult_le_pos; [apply stops_pos; assumption|apply pow_le; assumption].
Qed.

(* d is the profile of a candidate at the threshold e^eps h(b') / h(b) *)
Theorem selection_approx (p p' : Y -> R) eps d test : (forall y, In y outs -> 0 <= p y /\ 0 <= p' y) ->
  sumR p outs = 1 -> (forall o, 0 <= test o <= 1) ->
  (forall t, (forall y, 0 <= t y <= 1) -> sumR (fun y => p y * t y) outs <=
    exp eps * (density (refused p') / density (refused p)) * sumR (fun y => p' y * t y) outs + d) ->
  selected p test <= exp eps * selected p' test +
    (density (refused p) * Rmin (1 - refused p) d + Rmax 0 (none (refused p) - exp eps * none (refused p'))).
Proof.
  intros H T O P. pose proof (parts p) as S. rewrite T in S.
  assert (B0 : 0 <= refused p) by (apply sumR_pos; intros y I; destruct (H y I); destruct (accepted y); lra).
  assert (B0' : 0 <= refused p') by (apply sumR_pos; intros y I; destruct (H y I); destruct (accepted y); lra).
  pose proof (density_pos _ B0) as D. pose proof (density_pos _ B0') as D'.
  set (h := density (refused p)) in *. set (h' := density (refused p')) in *.
  set (c := exp eps * (h' / h)) in *. assert (C : h * c = exp eps * h') by (unfold c; field; lra).
  assert (c0 : 0 < c) by (apply Rmult_lt_0_compat; [apply exp_pos|apply Rdiv_lt_0_compat; assumption]).
  assert (G : gained p test <= c * gained p' test + d).
  { specialize (P (fun y => if accepted y then test (Some y) else 0)).
    assert (E : forall r, sumR (fun y => r y * (if accepted y then test (Some y) else 0)) outs = gained r test).
    { intros r. apply sumR_ext. intros y _. destruct (accepted y); ring. }
    rewrite !E in P. apply P. intros y. destruct (accepted y); [apply O|lra]. }
  assert (G1 : gained p test <= 1 - refused p).
  { replace (1 - refused p) with (sumR (fun y => if accepted y then p y else 0) outs) by lra.
    apply sumR_more. intros y I. destruct (H y I). pose proof (O (Some y)). destruct (accepted y); nra. }
  assert (G0 : 0 <= gained p' test).
  { apply sumR_pos. intros y I. destruct (H y I). pose proof (O (Some y)). destruct (accepted y); nra. }
  rewrite !selected_closed by assumption. fold h h'.
  assert (F : gained p test - c * gained p' test <= Rmin (1 - refused p) d).
  { apply Rmin_glb; [|lra]. assert (0 <= c * gained p' test) by (apply Rmult_le_pos; lra). lra. }
  apply (Rmult_le_compat_l h) in F; [|lra].
  pose proof (O None) as [O0 O1]. set (u := none (refused p) - exp eps * none (refused p')) in *.
  assert (U : test None * u <= Rmax 0 u).
  { pose proof (Rmax_l 0 u). pose proof (Rmax_r 0 u). destruct (Rle_or_lt 0 u); nra. }
  replace (exp eps * (gained p' test * h' + test None * none (refused p'))) with
    (gained p' test * (h * c) + test None * (exp eps * none (refused p'))) by (rewrite C; ring).
  unfold u in U at 1. lra.
Qed.

(* merging outputs lowers the sums of a Rényi divergence *)
Lemma tangent r alpha : 0 < r -> 1 < alpha -> 1 + alpha * (r - 1) <= Rpower r alpha.
Proof.
  intros R A. assert (L : r - 1 <= r * ln r).
  { pose proof (exp_ineq1_le (- ln r)) as E. rewrite exp_Ropp, exp_ln in E by assumption.
    apply (Rmult_le_compat_l r) in E; [|lra]. rewrite Rinv_r in E by lra. lra. }
  replace (Rpower r alpha) with (r * exp ((alpha - 1) * ln r)).
  - pose proof (exp_ineq1_le ((alpha - 1) * ln r)) as E. apply (Rmult_le_compat_l r) in E; [|lra].
    assert (0 <= (alpha - 1) * (r * ln r - (r - 1))) by (apply Rmult_le_pos; lra). lra.
  - unfold Rpower. rewrite <- (exp_ln r) at 1 by assumption. rewrite <- exp_plus. f_equal. ring.
Qed.
Definition term (alpha : R) (u v : R) : R := Rpower u alpha * Rpower v (1 - alpha).
Lemma term_pos alpha u v : 0 < term alpha u v. Proof. apply Rmult_lt_0_compat; apply exp_pos. Qed.
Lemma term_scal alpha u v s t : 0 < u -> 0 < v -> 0 < s -> 0 < t ->
  term alpha (u * s) (v * t) = term alpha u v * term alpha s t.
Proof. intros. unfold term. rewrite <- !Rpower_mult_distr by assumption. ring. Qed.
Lemma merged alpha (p p' : Y -> R) l : 1 < alpha -> (forall y, In y l -> 0 < p y /\ 0 < p' y) -> l <> [] ->
  term alpha (sumR p l) (sumR p' l) <= sumR (fun y => term alpha (p y) (p' y)) l.
Proof.
  intros A H E. assert (Pos : forall r, (forall y, In y l -> 0 < r y) -> 0 < sumR r l).
  { intros r R. destruct l as [|y m]; [congruence|]. cbn [sumR]. pose proof (R y (or_introl eq_refl)).
    assert (0 <= sumR r m) by (apply sumR_pos; intros z I; left; apply R; right; assumption). lra. }
  assert (P : 0 < sumR p l) by (apply Pos; intros; apply H; assumption).
  assert (P' : 0 < sumR p' l) by (apply Pos; intros; apply H; assumption).
  set (s := sumR p l) in *. set (s' := sumR p' l) in *. set (x := term alpha s s').
  assert (X : 0 < x) by apply term_pos.
  assert (B : forall y, In y l -> x * (p' y / s' + alpha * (p y / s - p' y / s')) <= term alpha (p y) (p' y)).
  { intros y I. destruct (H y I) as [U V].
    replace (p y) with (p y / s * s) at 2 by (field; lra). replace (p' y) with (p' y / s' * s') at 3 by (field; lra).
    assert (U' : 0 < p y / s) by (apply Rdiv_lt_0_compat; assumption).
    assert (V' : 0 < p' y / s') by (apply Rdiv_lt_0_compat; assumption).
    rewrite term_scal by assumption. fold x. rewrite (Rmult_comm _ x). apply Rmult_le_compat_l; [lra|].
    set (u := p y / s) in *. set (v := p' y / s') in *.
    pose proof (tangent (u / v) alpha ltac:(apply Rdiv_lt_0_compat; assumption) A) as T.
    apply (Rmult_le_compat_l v) in T; [|lra].
    replace (term alpha u v) with (v * Rpower (u / v) alpha).
    - replace (v + alpha * (u - v)) with (v * (1 + alpha * (u / v - 1))) by (field; lra). assumption.
    - unfold term, Rpower, Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; assumption).
      rewrite <- (exp_ln v) at 1 by assumption. rewrite <- !exp_plus. f_equal. ring. }
  eapply Rle_trans; [|apply sumR_more; exact B].
  assert (Lin : forall m, sumR (fun y => x * (p' y / s' + alpha * (p y / s - p' y / s'))) m =
    x * (sumR p' m / s' + alpha * (sumR p m / s - sumR p' m / s'))).
  { induction m as [|y m IH]; cbn [sumR]; [field; lra|]. rewrite IH. field. lra. }
  rewrite Lin. fold s s'. right. field. lra.
Qed.

(* what is released has these probabilities: H (E - y) + K y bounds the sum of the released outputs *)
Theorem selection_renyi (p p' : Y -> R) alpha E : 1 < alpha -> (forall y, In y outs -> 0 < p y /\ 0 < p' y) ->
  (exists y, In y outs /\ accepted y = false) -> sumR (fun y => term alpha (p y) (p' y)) outs <= E ->
  let b := refused p in let b' := refused p' in let y := term alpha b b' in
  (forall test, selected p test =
    sumR (fun y => if accepted y then p y * density b * test (Some y) else 0) outs + none b * test None) /\
  sumR (fun y => if accepted y then term alpha (p y * density b) (p' y * density b') else 0) outs +
    term alpha (none b) (none b') <=
  term alpha (density b) (density b') * (E - y) + term alpha (none b / b) (none b' / b') * y.
Proof.
  intros A H [y1 [I1 R1]] S b b' y. split.
  { intros test. rewrite selected_closed by assumption. fold b. unfold Selection.gained.
    rewrite (Rmult_comm _ (density b)), <- sumR_scal, (Rmult_comm (test None)). f_equal.
    apply sumR_ext. intros z _. destruct (accepted z); ring. }
  assert (Part : forall r, refused r = sumR r (filter (fun z => negb (accepted z)) outs)).
  { intros r. unfold Selection.refused. clear. induction outs as [|z l IH]; cbn [sumR filter]; [reflexivity|].
    rewrite IH. destruct (accepted z); cbn [negb sumR]; ring. }
  assert (In1 : In y1 (filter (fun z => negb (accepted z)) outs)) by (apply filter_In; rewrite R1; auto).
  assert (Pos : forall r, (forall z, In z outs -> 0 < r z) -> 0 < refused r).
  { intros r R. rewrite Part. revert In1. generalize (filter_In (fun z => negb (accepted z))) as FI. intros FI.
    assert (Q : forall z, In z (filter (fun z => negb (accepted z)) outs) -> 0 < r z) by (intros z Z; apply R, FI, Z).
    revert Q. generalize (filter (fun z => negb (accepted z)) outs). intros l Q In1.
    induction l as [|z l IH]; [destruct In1|].
    cbn [sumR]. pose proof (Q z (or_introl eq_refl)).
    assert (0 <= sumR r l) by (apply sumR_pos; intros w W; left; apply Q; right; assumption). lra. }
  assert (B : 0 < b) by (apply Pos; intros; apply H; assumption).
  assert (B' : 0 < b') by (apply Pos; intros; apply H; assumption).
  pose proof (density_pos b ltac:(lra)) as D. pose proof (density_pos b' ltac:(lra)) as D'.
  assert (F : 0 < none b) by (apply both_pos; assumption). assert (F' : 0 < none b') by (apply both_pos; assumption).
  pose proof (parts (fun z => term alpha (p z) (p' z))) as Sum.
  set (X := sumR (fun z => if accepted z then term alpha (p z) (p' z) else 0) outs) in *.
  assert (M : y <= refused (fun z => term alpha (p z) (p' z))).
  { unfold y, b, b'. rewrite !Part. apply merged; [assumption| |].
    - intros z Z. apply filter_In in Z. apply H, Z.
    - intros Nil. rewrite Nil in In1. destruct In1. }
  rewrite (sumR_ext _ (fun z => term alpha (density b) (density b') *
    (if accepted z then term alpha (p z) (p' z) else 0))).
  2:{ intros z Z. destruct (H z Z). destruct (accepted z); [|ring]. rewrite term_scal by assumption. ring. }
  rewrite sumR_scal. fold X.
  replace (term alpha (none b) (none b')) with (term alpha (none b / b) (none b' / b') * y).
  - apply Rplus_le_compat_r, Rmult_le_compat_l; [left; apply term_pos|lra].
  - unfold y. rewrite <- term_scal by (try apply Rdiv_lt_0_compat; assumption). f_equal; field; lra.
Qed.
End Beyond.
