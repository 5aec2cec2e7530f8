(* Releases one after another, each chosen with all outputs before it in sight: the ledger's rule, that a charge is
   admitted only within what is left, bounds the whole session. A session is a tree: after every output another release
   may be asked for, at another price, or none. *)
From Coq Require Import Reals Lra List ZArith Lia.
From PrivBayes Require Import Exponential.
Import ListNotations.
Open Scope R_scope.

Lemma sumR_plus {A} (f g : A -> R) l : sumR (fun a => f a + g a) l = sumR f l + sumR g l.
Proof. induction l; cbn; [|rewrite IHl]; lra. Qed.
Lemma sumR_app {A} (f : A -> R) l m : sumR f (l ++ m) = sumR f l + sumR f m.
Proof. induction l; cbn; [|rewrite IHl]; lra. Qed.
Lemma sumR_nonneg {A} (f : A -> R) l : (forall a, In a l -> 0 <= f a) -> 0 <= sumR f l.
Proof. induction l as [|a l IH]; cbn; intros H; [lra|]. apply Rplus_le_le_0_compat; auto. Qed.

Section Session.
Variable O : Type.
(* ask c d outs p q next: a release charged c (and d) whose law is p on the data and q on their neighbour, on any finite
   set of outputs, and the session after each output *)
Inductive session := stop | ask (c d : R) (outs : list O) (p q : O -> R) (next : O -> session).

(* the probability of an event: E past is in [0, 1], of all outputs, the latest first *)
Fixpoint first (s : session) (past : list O) (E : list O -> R) : R :=
  match s with stop => E past | ask _ _ outs p _ next => sumR (fun o => p o * first (next o) (o :: past) E) outs end.
Fixpoint second (s : session) (past : list O) (E : list O -> R) : R :=
  match s with stop => E past | ask _ _ outs _ q next => sumR (fun o => q o * second (next o) (o :: past) E) outs end.

Definition law (outs : list O) (p : O -> R) : Prop := (forall o, In o outs -> 0 <= p o) /\ sumR p outs <= 1.
Definition event (outs : list O) (f : O -> R) : Prop := forall o, In o outs -> 0 <= f o <= 1.
Definition private (c d : R) (outs : list O) (p q : O -> R) : Prop :=
  forall f, event outs f -> sumR (fun o => p o * f o) outs <= exp c * sumR (fun o => q o * f o) outs + d.

(* The rule: nothing is admitted beyond what is left of eps and delta. *)
Fixpoint admitted (s : session) (eps delta : R) : Prop :=
  match s with
  | stop => 0 <= eps /\ 0 <= delta
  | ask c d outs p q next => 0 <= c <= eps /\ 0 <= d <= delta /\ law outs p /\ law outs q /\ private c d outs p q /\
      forall o, In o outs -> admitted (next o) (eps - c) (delta - d)
  end.
Lemma exp_ge e : 0 <= e -> 1 <= exp e.
Proof. intros [H|<-]; [|rewrite exp_0; lra]. pose proof (exp_ineq1 e). lra. Qed.
Lemma second_event s : forall past E eps delta, admitted s eps delta -> (forall t, 0 <= E t <= 1) ->
  0 <= second s past E <= 1.
Proof.
  induction s as [|c d outs p q next IH]; intros past E eps delta A H; cbn [second]; [apply H|].
  destruct A as (_ & _ & _ & [Q T] & _ & N). split.
  - apply sumR_nonneg. intros o I. apply Rmult_le_pos; [auto|]. apply (IH o (o :: past) E _ _ (N o I) H).
  - apply Rle_trans with (sumR q outs); [|assumption]. apply sumR_le. intros o I.
    pose proof (IH o (o :: past) E _ _ (N o I) H). specialize (Q o I). nra.
Qed.
Theorem session_private s : forall past E eps delta, admitted s eps delta -> (forall t, 0 <= E t <= 1) ->
  first s past E <= exp eps * second s past E + delta.
Proof.
  induction s as [|c d outs p q next IH]; intros past E eps delta A H.
  - cbn in *. destruct A as [A B]. pose proof (exp_ge eps A). specialize (H past). nra.
  - pose proof A as A'. destruct A as (C & D & [P T] & [Q _] & V & N). cbn [first second].
    set (f := fun o => Rmin 1 (exp (eps - c) * second (next o) (o :: past) E)).
    assert (F : event outs f).
    { intros o I. pose proof (second_event (next o) (o :: past) E _ _ (N o I) H) as [S _].
      pose proof (exp_pos (eps - c)). unfold f. split; [apply Rmin_glb; [lra|apply Rmult_le_pos; lra]|apply Rmin_l]. }
    apply Rle_trans with (sumR (fun o => p o * f o + (delta - d) * p o) outs).
    + apply sumR_le. intros o I. specialize (P o I). pose proof (IH o (o :: past) E _ _ (N o I) H) as B.
      assert (U : first (next o) (o :: past) E <= f o + (delta - d)).
      { unfold f, Rmin. destruct (Rle_dec 1 _); [|lra].
        assert (W : forall s past eps delta, admitted s eps delta -> first s past E <= 1).
        { clear - H. induction s as [|c d outs p q next IH]; intros past eps delta A; cbn [first]; [apply H|].
          destruct A as (_ & _ & [P T] & _ & _ & N). apply Rle_trans with (sumR p outs); [|assumption].
          apply sumR_le. intros o I. pose proof (IH o (o :: past) _ _ (N o I)). specialize (P o I). nra. }
        pose proof (W _ (o :: past) _ _ (N o I)). lra. }
      nra.
    + rewrite sumR_plus, sumR_scal. specialize (V f F).
      set (X := sumR (fun o => q o * second (next o) (o :: past) E) outs).
      assert (Y : sumR (fun o => q o * f o) outs <= exp (eps - c) * X).
      { unfold X. rewrite <- sumR_scal. apply sumR_le. intros o I. specialize (Q o I).
        assert (f o <= exp (eps - c) * second (next o) (o :: past) E) by apply Rmin_r. nra. }
      replace (exp eps) with (exp c * exp (eps - c)) by (rewrite <- exp_plus; f_equal; ring).
      pose proof (exp_pos c).
      assert (exp c * sumR (fun o => q o * f o) outs <= exp c * (exp (eps - c) * X)) by (apply Rmult_le_compat_l; lra).
      assert ((delta - d) * sumR p outs <= delta - d) by nra. lra.
Qed.
(* pure guarantees are the case d = 0 *)
Lemma pure_private c outs p q : (forall o, In o outs -> p o <= exp c * q o) -> private c 0 outs p q.
Proof.
  intros H f F. rewrite Rplus_0_r, <- sumR_scal. apply sumR_le. intros o I. specialize (H o I). destruct (F o I). nra.
Qed.

(* Zero-concentrated privacy: c is rho, d is not used. Moments of every order alpha > 1 over all transcripts. *)
Fixpoint transcripts (s : session) (a b : R) : list (R * R) :=
  match s with
  | stop => [(a, b)]
  | ask _ _ outs p q next => flat_map (fun o => transcripts (next o) (a * p o) (b * q o)) outs
  end.
Definition term (alpha : R) (x : R * R) : R := Rpower (fst x) alpha * Rpower (snd x) (1 - alpha).
Fixpoint admitted_rho (s : session) (rho : R) : Prop :=
  match s with
  | stop => 0 <= rho
  | ask c _ outs p q next => c <= rho /\ (forall o, In o outs -> 0 < p o /\ 0 < q o) /\
      (forall alpha, 1 < alpha -> sumR (fun o => term alpha (p o, q o)) outs <= exp ((alpha - 1) * (alpha * c))) /\
      forall o, In o outs -> admitted_rho (next o) (rho - c)
  end.
Theorem session_zcdp alpha : 1 < alpha -> forall s rho a b, admitted_rho s rho -> 0 < a -> 0 < b ->
  sumR (term alpha) (transcripts s a b) <= term alpha (a, b) * exp ((alpha - 1) * (alpha * rho)).
Proof.
  intros L s. assert (T : forall x, 0 < term alpha x) by (intros; apply Rmult_lt_0_compat; apply exp_pos).
  induction s as [|c d outs p q next IH]; intros rho a b A a0 b0; cbn [transcripts].
  - cbn in A. cbn [sumR]. specialize (T (a, b)). pose proof (exp_ge ((alpha - 1) * (alpha * rho))) as G.
    assert (0 <= (alpha - 1) * (alpha * rho)) by (repeat apply Rmult_le_pos; lra). specialize (G H). nra.
  - destruct A as (C & P & M & N). specialize (M alpha L).
    set (rest := exp ((alpha - 1) * (alpha * (rho - c)))).
    apply Rle_trans with (sumR (fun o => term alpha (a, b) * rest * term alpha (p o, q o)) outs).
    + clear M. induction outs as [|o outs IHo]; cbn [flat_map sumR]; [lra|]. rewrite sumR_app.
      apply Rplus_le_compat; [|apply IHo; intros; [apply P|apply N]; right; assumption].
      destruct (P o (or_introl eq_refl)) as [Po Qo].
      eapply Rle_trans.
      { apply (IH o (rho - c)); [apply N; left; reflexivity| |]; apply Rmult_lt_0_compat; assumption. }
      fold rest. right. unfold term. cbn [fst snd]. rewrite <- !Rpower_mult_distr by assumption. ring.
    + rewrite sumR_scal.
      replace ((alpha - 1) * (alpha * rho)) with ((alpha - 1) * (alpha * (rho - c)) + (alpha - 1) * (alpha * c)) by ring.
      rewrite exp_plus, <- (Rmult_assoc (term alpha (a, b))). fold rest. apply Rmult_le_compat_l; [|assumption].
      left. apply Rmult_lt_0_compat; [apply T|apply exp_pos].
Qed.

(* The rule of budget files: sums are exact, and a sum may be at most limit * (1 + 2^-50), as numbers such as 0.1 are
   not exact in binary. The session keeps that limit. *)
Definition leeway : R := / 2 ^ 50.
Fixpoint fits (s : session) (eps delta a b : R) : Prop :=
  match s with
  | stop => True
  | ask c d outs p q next => 0 <= c /\ 0 <= d /\ a + c <= eps * (1 + leeway) /\ b + d <= delta * (1 + leeway) /\
      law outs p /\ law outs q /\ private c d outs p q /\ forall o, In o outs -> fits (next o) eps delta (a + c) (b + d)
  end.
Fixpoint fits_rho (s : session) (rho a : R) : Prop :=
  match s with
  | stop => True
  | ask c _ outs p q next => a + c <= rho * (1 + leeway) /\ (forall o, In o outs -> 0 < p o /\ 0 < q o) /\
      (forall alpha, 1 < alpha -> sumR (fun o => term alpha (p o, q o)) outs <= exp ((alpha - 1) * (alpha * c))) /\
      forall o, In o outs -> fits_rho (next o) rho (a + c)
  end.
Theorem ledger_private s past E eps delta : 0 <= eps -> 0 <= delta -> fits s eps delta 0 0 ->
  (forall t, 0 <= E t <= 1) ->
  first s past E <= exp (eps * (1 + leeway)) * second s past E + delta * (1 + leeway).
Proof.
  intros P D F H. assert (L : 0 < leeway) by (apply Rinv_0_lt_compat, pow_lt; lra).
  apply session_private; [|assumption]. set (e := eps * (1 + leeway)) in *. set (d := delta * (1 + leeway)) in *.
  assert (G : forall s a b, a <= e -> b <= d -> fits s eps delta a b -> admitted s (e - a) (d - b)).
  { clear. induction s as [|c d' outs p q next IH]; intros a b A B F; cbn [fits admitted] in *; [lra|].
    destruct F as (C & D & C' & D' & P & Q & V & N). fold e in C'. fold d in D'.
    repeat (split; [first [lra|assumption]|]).
    intros o I. replace (e - a - c) with (e - (a + c)) by ring. replace (d - b - d') with (d - (b + d')) by ring.
    apply IH; auto. }
  replace e with (e - 0) by ring. replace d with (d - 0) by ring. apply G; [unfold e; nra|unfold d; nra|assumption].
Qed.
Theorem ledger_zcdp alpha s rho : 1 < alpha -> 0 <= rho -> fits_rho s rho 0 ->
  sumR (term alpha) (transcripts s 1 1) <= exp ((alpha - 1) * (alpha * (rho * (1 + leeway)))).
Proof.
  intros A P F. assert (L : 0 < leeway) by (apply Rinv_0_lt_compat, pow_lt; lra). set (e := rho * (1 + leeway)) in *.
  assert (G : forall s a, a <= e -> fits_rho s rho a -> admitted_rho s (e - a)).
  { clear. induction s as [|c d' outs p q next IH]; intros a A F; cbn [fits_rho admitted_rho] in *; [lra|].
    destruct F as (C & Q & M & N). fold e in C. repeat (split; [first [lra|assumption]|]).
    intros o I. replace (e - a - c) with (e - (a + c)) by ring. apply IH; auto. }
  eapply Rle_trans; [apply (session_zcdp alpha A s e 1 1)|]; try lra.
  - replace e with (e - 0) by ring. apply G; [unfold e; nra|assumption].
  - unfold term. cbn [fst snd]. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
Qed.
End Session.
