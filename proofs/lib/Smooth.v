(* The exponential mechanism with smooth sensitivity: Theorem C of docs/theory/hellinger.md, section 6, for laws whose
   weights are within e^(+-eta) of those that are meant, as floating point leaves them. The sensitivity is the largest
   LS(y) e^(-beta d(x, y)): at least LS, and at most e^beta times that of a neighbour, by construction. *)
From Coq Require Import Reals Lra List.
From PrivBayes Require Import Exponential.
Import ListNotations.
Open Scope R_scope.

Section Smooth.
Variables (X : Type) (all : list X) (LS : X -> R) (d : X -> X -> R) (beta : R).
Hypothesis every : forall x, In x all.
Hypothesis positive : forall x, 0 < LS x.
Hypothesis beta0 : 0 < beta.
Hypothesis d_refl : forall x, d x x = 0.
Hypothesis d_sym : forall x y, d x y = d y x.
Hypothesis d_triangle : forall x y z, d x z <= d x y + d y z.

Definition candidate (x y : X) : R := LS y * exp (- (beta * d x y)).
Fixpoint most (x : X) (l : list X) : R := match l with [] => 0 | y :: l' => Rmax (candidate x y) (most x l') end.
Definition S (x : X) : R := most x all.

Lemma candidate_pos x y : 0 < candidate x y.
Proof. apply Rmult_lt_0_compat; [apply positive|apply exp_pos]. Qed.
Lemma most_ge x l y : In y l -> candidate x y <= most x l.
Proof.
  induction l as [|z l IH]; cbn [most]; [intros []|]. intros [<-|I]; [apply Rmax_l|].
  eapply Rle_trans; [apply IH; assumption|apply Rmax_r].
Qed.
Theorem above x : LS x <= S x.
Proof.
  pose proof (most_ge x all x (every x)) as M. unfold candidate in M. rewrite d_refl, Rmult_0_r, Ropp_0, exp_0 in M.
  unfold S. lra.
Qed.
Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [L| ->]; [left; apply exp_increasing; assumption|lra]. Qed.
Theorem smooth x y : S x <= exp (beta * d x y) * S y.
Proof.
  assert (G : forall l, most x l <= exp (beta * d x y) * S y); [|apply G].
  induction l as [|z l IH]; cbn [most].
  - apply Rmult_le_pos; [left; apply exp_pos|]. pose proof (positive y). pose proof (above y). lra.
  - apply Rmax_lub; [|assumption]. eapply Rle_trans; [|apply Rmult_le_compat_l; [left; apply exp_pos|]; apply (most_ge y
      all z (every z))].
    unfold candidate. rewrite (Rmult_comm (exp _)), Rmult_assoc, <- exp_plus. apply Rmult_le_compat_l; [left; apply
      positive|]. apply exp_le. pose proof (Rmult_le_compat_l beta _ _ (Rlt_le _ _ beta0) (d_triangle y x z)) as T.
    rewrite (d_sym y x) in T. lra.
Qed.
End Smooth.

Section TheoremC.
Variables (X : Type) (outs : list X) (H : X -> X -> R) (S : X -> R) (kappa beta : R).
Hypothesis every : forall a, In a outs.
Hypothesis zero : forall a, H a a = 0.
Hypothesis sym : forall a b, H a b = H b a.
Hypothesis tri : forall a b c, H a c <= H a b + H b c.
Hypothesis nonneg : forall a b, 0 <= H a b.
Hypothesis Spos : forall a, 0 < S a.
Hypothesis kappa0 : 0 < kappa. Hypothesis beta0 : 0 < beta.
Notation size := (INR (length outs)).
Notation t := (1 / (exp beta - 1)).
Definition expo (a r : X) : R := kappa * (1 / S a * H a r).
Definition delta : R := size * exp (- (kappa / (exp beta - 1))).
Definition law (a : X) : X -> R := prob X outs (expo a).
Definition Zof (a : X) : R := sumR (fun s => exp (- expo a s)) outs.

Lemma step : 1 < exp beta.
Proof. rewrite <- exp_0. apply exp_increasing. assumption. Qed.
Lemma sum_const (c : R) (l : list X) : sumR (fun _ : X => c) l = INR (length l) * c.
Proof. induction l as [|a l IH]; cbn [sumR length]; [cbn; ring|]. rewrite IH, S_INR. ring. Qed.
Lemma sum_plus (f g : X -> R) l : sumR (fun a => f a + g a) l = sumR f l + sumR g l.
Proof. induction l; cbn; [|rewrite IHl]; lra. Qed.
Lemma expo_pos a r : 0 <= expo a r.
Proof.
  apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [|apply nonneg]. left. apply Rdiv_lt_0_compat; [lra|apply Spos].
Qed.
Lemma Z_one a : 1 <= Zof a.
Proof.
  unfold Zof. assert (G : forall l, In a l -> 1 <= sumR (fun s => exp (- expo a s)) l); [|apply G, every].
  induction l as [|s l IH]; [intros []|]. cbn [sumR].
  assert (P : 0 <= sumR (fun s => exp (- expo a s)) l).
  { clear. induction l as [|u l IH]; cbn [sumR]; [lra|]. pose proof (exp_pos (- expo a u)). lra. }
  intros [->|I]; [|specialize (IH I); pose proof (exp_pos (- expo a s)); lra].
  unfold expo at 1. rewrite zero, !Rmult_0_r, Ropp_0, exp_0. lra.
Qed.
Lemma law_sum a : sumR (law a) outs = 1.
Proof.
  unfold law, prob. fold (Zof a). pose proof (Z_one a) as P.
  assert (E : forall l, sumR (fun r => exp (- expo a r) / Zof a) l = / Zof a * sumR (fun r => exp (- expo a r)) l).
  { intros l. rewrite <- sumR_scal. induction l as [|r l IH]; cbn [sumR]; [reflexivity|]. rewrite IH. unfold Rdiv.
    ring. }
  rewrite E. fold (Zof a). apply Rinv_l. lra.
Qed.
Lemma law_pos a r : 0 < law a r.
Proof. apply Rdiv_lt_0_compat; [apply exp_pos|]. pose proof (Z_one a). fold (Zof a). lra. Qed.
(* the ratio of two probabilities, from bounds of exponents and of normalisers *)
Lemma ratio x y r u v : expo y r - expo x r <= u -> Zof y <= exp v * Zof x -> law x r <= exp (u + v) * law y r.
Proof.
  intros U V. unfold law, prob. fold (Zof x). fold (Zof y). pose proof (Z_one x). pose proof (Z_one y).
  assert (L : exp (- expo x r) <= exp u * exp (- expo y r)) by (rewrite <- exp_plus; apply exp_le; lra).
  apply (Rmult_le_reg_r (Zof x * Zof y)); [nra|].
  replace (exp (- expo x r) / Zof x * (Zof x * Zof y)) with (exp (- expo x r) * Zof y) by (field; lra).
  replace (exp (u + v) * (exp (- expo y r) / Zof y) * (Zof x * Zof y)) with
    (exp u * exp (- expo y r) * (exp v * Zof x)) by (rewrite exp_plus; field; lra).
  apply Rmult_le_compat; [left; apply exp_pos|lra|assumption|assumption].
Qed.
Lemma convex s a b : 0 <= s <= 1 -> exp (s * a + (1 - s) * b) <= s * exp a + (1 - s) * exp b.
Proof.
  intros P. set (m := s * a + (1 - s) * b).
  assert (G : forall z, exp m * (1 + (z - m)) <= exp z).
  { intros z. replace (exp z) with (exp m * exp (z - m)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [left; apply exp_pos|]. destruct (Req_dec (z - m) 0) as [->|N]; [rewrite exp_0; lra|].
    left. apply exp_ineq1. assumption. }
  pose proof (Rmult_le_compat_l s _ _ (proj1 P) (G a)). pose proof (Rmult_le_compat_l (1 - s) _ _ ltac:(lra) (G b)).
  assert (E : s * (exp m * (1 + (a - m))) + (1 - s) * (exp m * (1 + (b - m))) = exp m) by (unfold m; ring). lra.
Qed.

Variables x y : X.                                                     (* neighbours *)
Hypothesis Sx : H x y <= S x. Hypothesis Sy : H x y <= S y.
Hypothesis Sxy : S x <= exp beta * S y. Hypothesis Syx : S y <= exp beta * S x.

(* S x >= S y: but for outputs as far away as t, which have the probability delta at most *)
Lemma wider : S y <= S x -> forall r, 1 / S x * H x r <= t -> law x r <= exp (3 * kappa) * law y r.
Proof.
  intros L r F. pose proof (Spos x) as Px. pose proof (Spos y) as Py. pose proof step as E.
  replace (3 * kappa) with (kappa * 2 + kappa * 1) by ring. apply ratio.
  - unfold expo. rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; [lra|].
    set (h := 1 / S x * H x r) in *. assert (Hh : H x r = S x * h) by (unfold h; field; lra).
    assert (h0 : 0 <= h) by (apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra|apply nonneg]).
    assert (D : H y r <= S y + S x * h) by (pose proof (tri y x r); rewrite (sym y x) in *; lra).
    apply (Rmult_le_reg_l (S y)); [assumption|].
    replace (S y * (1 / S y * H y r - h)) with (H y r - S y * h) by (field; lra).
    assert (M : (exp beta - 1) * h <= 1).
    { apply (Rmult_le_compat_l (exp beta - 1)) in F; [|lra].
      replace ((exp beta - 1) * (1 / (exp beta - 1))) with 1 in F by (field; lra). exact F. }
    assert (S x * h <= exp beta * S y * h) by (apply Rmult_le_compat_r; assumption).
    assert (S y * ((exp beta - 1) * h) <= S y * 1) by (apply Rmult_le_compat_l; lra). lra.
  - unfold Zof. rewrite <- sumR_scal. apply sumR_le. intros s _. rewrite <- exp_plus. apply exp_le. unfold expo.
    assert (D : 1 / S x * H x s <= 1 + 1 / S y * H y s).
    { apply Rle_trans with (1 / S x * (H x y + H y s)).
      - apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|apply tri].
      - rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
        + apply (Rmult_le_reg_l (S x)); [assumption|]. replace (S x * (1 / S x * H x y)) with (H x y) by (field; lra).
          lra.
        + apply Rmult_le_compat_r; [apply nonneg|]. unfold Rdiv. rewrite !Rmult_1_l.
          apply Rinv_le_contravar; assumption. }
    apply (Rmult_le_compat_l kappa) in D; lra.
Qed.
(* S x < S y: everywhere *)
Lemma narrower : S x < S y -> delta <= 1 -> forall r, law x r <= exp (3 * kappa) * law y r.
Proof.
  intros L B r. pose proof (Spos x) as Px. pose proof (Spos y) as Py. pose proof step as E.
  set (s := S x / S y). assert (s1 : 0 < s < 1).
  { split; [apply Rdiv_lt_0_compat; assumption|]. apply (Rmult_lt_reg_r (S y)); [assumption|]. unfold s.
    replace (S x / S y * S y) with (S x) by (field; lra). lra. }
  assert (Es : S x = s * S y) by (unfold s; field; lra).
  assert (T : (1 - s) * t <= 1).
  { apply (Rmult_le_reg_r (exp beta - 1)); [lra|]. replace ((1 - s) * t * (exp beta - 1)) with (1 - s) by (field; lra).
    assert (1 <= exp beta * s) by (apply (Rmult_le_reg_r (S y)); [assumption|]; rewrite Rmult_assoc, <- Es; lra).
    assert (0 <= (exp beta - 1) * (1 - s)) by (apply Rmult_le_pos; lra). lra. }
  assert (Far : forall u, 1 / S y * H x u = s * (1 / S x * H x u)) by (intros; unfold s; field; lra).
  assert (Near : 1 / S y * H x y <= s).
  { apply (Rmult_le_reg_l (S y)); [assumption|]. replace (S y * (1 / S y * H x y)) with (H x y) by (field; lra).
    rewrite Rmult_comm, <- Es. assumption. }
  assert (I : 0 <= 1 / S y) by (left; apply Rdiv_lt_0_compat; lra).
  apply Rle_trans with (exp (kappa * s + (kappa * s + (1 - s) * (kappa * t))) * law y r).
  2:{ apply Rmult_le_compat_r; [left; apply law_pos|]. apply exp_le.
    apply (Rmult_le_compat_l kappa) in T; [|lra]. nra. }
  apply ratio.
  - unfold expo. rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; [lra|].
    assert (D : 1 / S y * H y r <= 1 / S y * (H x y + H x r)).
    { apply Rmult_le_compat_l; [assumption|]. pose proof (tri y x r). rewrite (sym y x) in *. lra. }
    rewrite Rmult_plus_distr_l, (Far r) in D. assert (0 <= 1 / S x * H x r).
    { apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra|apply nonneg]. }
    assert (s * (1 / S x * H x r) <= 1 * (1 / S x * H x r)) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite exp_plus, Rmult_assoc.
    apply Rle_trans with (exp (kappa * s) * sumR (fun u => exp (- (s * expo x u))) outs).
    + unfold Zof. rewrite <- sumR_scal. apply sumR_le. intros u _. rewrite <- exp_plus. apply exp_le. unfold expo.
      assert (D : 1 / S y * H x u <= 1 / S y * (H x y + H y u)) by (apply Rmult_le_compat_l; [assumption|apply tri]).
      rewrite (Far u), Rmult_plus_distr_l in D.
      apply (Rplus_le_compat_r (1 / S y * H y u)) in Near.
      apply (Rle_trans _ _ _ D), (Rmult_le_compat_l kappa) in Near; lra.
    + apply Rmult_le_compat_l; [left; apply exp_pos|].
      apply Rle_trans with (sumR (fun u => exp ((1 - s) * (kappa * t)) *
        (s * exp (- expo x u) + (1 - s) * exp (- (kappa * t)))) outs).
      * apply sumR_le. intros u _. pose proof (convex s (- expo x u) (- (kappa * t)) ltac:(lra)) as C.
        apply (Rmult_le_compat_l (exp ((1 - s) * (kappa * t)))) in C; [|left; apply exp_pos].
        rewrite <- exp_plus in C. eapply Rle_trans; [|exact C]. apply exp_le. lra.
      * rewrite sumR_scal. apply Rmult_le_compat_l; [left; apply exp_pos|].
        rewrite sum_plus, sumR_scal, sum_const. fold (Zof x).
        assert (F : size * exp (- (kappa * t)) <= 1).
        { unfold delta in B. replace (kappa * t) with (kappa / (exp beta - 1)) by (field; lra). assumption. }
        pose proof (Z_one x). assert ((1 - s) * (size * exp (- (kappa * t))) <= (1 - s) * 1).
        { apply Rmult_le_compat_l; lra. }
        nra.
Qed.
Lemma meant f : (forall r, 0 <= f r <= 1) ->
  sumR (fun r => law x r * f r) outs <= exp (3 * kappa) * sumR (fun r => law y r * f r) outs + delta.
Proof.
  intros F. assert (P : 0 <= exp (3 * kappa) * sumR (fun r => law y r * f r) outs).
  { apply Rmult_le_pos; [left; apply exp_pos|]. clear - F every zero nonneg Spos kappa0 beta0.
    assert (G : forall l, 0 <= sumR (fun r => law y r * f r) l); [|apply G].
    induction l as [|r l IH]; cbn [sumR]; [lra|]. pose proof (F r). pose proof (law_pos y r). nra. }
  destruct (Rle_or_lt 1 delta) as [B|B].
  { apply Rle_trans with (sumR (law x) outs); [|rewrite law_sum; lra]. apply sumR_le. intros r _. pose proof (F r).
    pose proof (law_pos x r). nra. }
  destruct (Rle_or_lt (S y) (S x)) as [L|L].
  - unfold delta. rewrite <- sum_const, <- sumR_scal, <- sum_plus. apply sumR_le. intros r _. pose proof (F r) as Fr.
    pose proof (law_pos x r) as Px. pose proof (law_pos y r) as Py. pose proof (exp_pos (3 * kappa)) as P3.
    destruct (Rle_or_lt (1 / S x * H x r) t) as [N|N].
    + pose proof (wider L r N) as W. pose proof (exp_pos (- (kappa / (exp beta - 1)))).
      apply (Rmult_le_compat_r (f r)) in W; lra.
    + assert (law x r <= exp (- (kappa / (exp beta - 1)))).
      { unfold law, prob. fold (Zof x). pose proof (Z_one x). apply Rle_trans with (exp (- expo x r)).
        - apply (Rmult_le_reg_r (Zof x)); [lra|]. replace (exp (- expo x r) / Zof x * Zof x) with (exp (- expo x r)) by
            (field; lra). pose proof (exp_pos (- expo x r)). nra.
        - apply exp_le. unfold expo. pose proof step. apply (Rmult_lt_compat_l kappa) in N; [|assumption].
          replace (kappa * t) with (kappa / (exp beta - 1)) in N by (field; lra). lra. }
      assert (0 <= exp (3 * kappa) * (law y r * f r)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). nra.
  - pose proof (narrower L (Rlt_le _ _ B)) as W. assert (0 <= delta).
    { apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos]. }
    rewrite <- sumR_scal. apply Rle_trans with (sumR (fun r => exp (3 * kappa) * (law y r * f r)) outs); [|lra].
    apply sumR_le. intros r _. pose proof (F r) as Fr. specialize (W r). apply (Rmult_le_compat_r (f r)) in W; lra.
Qed.
(* the drawn law: exponents u and v within eta of those that are meant *)
Theorem theorem_c u v eta f : (forall r, Rabs (u r - expo x r) <= eta) -> (forall r, Rabs (v r - expo y r) <= eta) ->
  (forall r, 0 <= f r <= 1) ->
  sumR (fun r => prob X outs u r * f r) outs <=
    exp (3 * kappa + 4 * eta) * sumR (fun r => prob X outs v r * f r) outs + exp (2 * eta) * delta.
Proof.
  intros U V F. assert (N : outs <> []) by (intros E; specialize (every x); rewrite E in every; exact every).
  assert (Two : forall a b, (forall r, Rabs (a r - b r) <= eta) ->
    forall r, prob X outs a r <= exp (2 * eta) * prob X outs b r).
  { intros a b A r. replace (2 * eta) with (eta - - eta) by ring. apply bounded_range; [assumption| |apply every].
    intros s _. specialize (A s). unfold Rabs in A. destruct (Rcase_abs _) in A; lra. }
  pose proof (exp_pos (2 * eta)) as E2.
  apply Rle_trans with (exp (2 * eta) * sumR (fun r => law x r * f r) outs).
  { rewrite <- sumR_scal. apply sumR_le. intros r _. pose proof (Two u _ U r) as T. destruct (F r) as [F0 _].
    apply (Rmult_le_compat_r (f r)) in T; [|assumption]. unfold law. lra. }
  apply Rle_trans with (exp (2 * eta) * (exp (3 * kappa) * sumR (fun r => law y r * f r) outs + delta)).
  { apply Rmult_le_compat_l; [lra|apply meant; assumption]. }
  assert (Back : sumR (fun r => law y r * f r) outs <= exp (2 * eta) * sumR (fun r => prob X outs v r * f r) outs).
  { rewrite <- sumR_scal. apply sumR_le. intros r _. destruct (F r) as [F0 _].
    pose proof (Two (expo y) v (fun r => ltac:(rewrite Rabs_minus_sym; apply V)) r) as T.
    apply (Rmult_le_compat_r (f r)) in T; [|assumption]. unfold law. lra. }
  replace (3 * kappa + 4 * eta) with (2 * eta + (3 * kappa + 2 * eta)) by ring. rewrite !exp_plus.
  pose proof (exp_pos (3 * kappa)) as E3. apply (Rmult_le_compat_l (exp (2 * eta) * exp (3 * kappa))) in Back; [|nra].
  lra.
Qed.
End TheoremC.

(* With the sensitivity above, from any bound LS of the distance to neighbours: (3 kappa + 4 eta)-privacy but for
   e^(2 eta) |R| e^(-kappa/(e^beta - 1)), for every test of what is drawn. *)
Theorem smooth_private (X : Type) (all : list X) (LS : X -> R) (d H : X -> X -> R) (kappa beta eta : R) :
  (forall x, In x all) -> (forall x, 0 < LS x) -> 0 < kappa -> 0 < beta ->
  (forall x, d x x = 0) -> (forall x y, d x y = d y x) -> (forall x y z, d x z <= d x y + d y z) ->
  (forall x, H x x = 0) -> (forall x y, H x y = H y x) -> (forall x y z, H x z <= H x y + H y z) ->
  (forall x y, 0 <= H x y) -> (forall x y, d x y <= 1 -> H x y <= LS x) ->
  let S := S X all LS d beta in
  forall x y, d x y <= 1 -> forall u v f,
  (forall r, Rabs (u r - kappa * (1 / S x * H x r)) <= eta) ->
  (forall r, Rabs (v r - kappa * (1 / S y * H y r)) <= eta) ->
  (forall r, 0 <= f r <= 1) ->
  sumR (fun r => prob X all u r * f r) all <= exp (3 * kappa + 4 * eta) * sumR (fun r => prob X all v r * f r) all +
    exp (2 * eta) * (INR (length all) * exp (- (kappa / (exp beta - 1)))).
Proof.
  intros every pos k0 b0 d0 ds dt h0 hs ht hp loc S x y D u v f U V F.
  assert (P : forall z, LS z <= S z) by (intros; apply above; assumption).
  assert (P0 : forall z, 0 < S z) by (intros z; specialize (P z); specialize (pos z); lra).
  assert (M : forall a b, d a b <= 1 -> S a <= exp beta * S b).
  { intros a b N. eapply Rle_trans; [apply smooth; assumption|]. apply Rmult_le_compat_r; [left; apply P0|].
    apply exp_le. rewrite <- (Rmult_1_r beta) at 2. apply Rmult_le_compat_l; lra. }
  apply (theorem_c X all H S kappa beta every h0 hs ht hp P0 k0 b0 x y); auto.
  - eapply Rle_trans; [apply loc; assumption|apply P].
  - rewrite hs. eapply Rle_trans; [apply loc; rewrite ds; assumption|apply P].
  - apply M. rewrite ds. assumption.
Qed.
