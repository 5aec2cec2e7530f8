(* The exponential mechanism: from the range of its exponents, and with a sensitivity S that depends on the data
  through
   1/S gamma-Lipschitz, first bound of Theorem 1 of docs/theory/hellinger.md.
     Scores are a pseudo-metric H on a finite
   output space that contains x and y. *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Fixpoint sumR {A} (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: l' => f a + sumR f l' end.
Lemma sumR_le A (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> sumR f l <= sumR g l.
Proof. induction l as [|a l IH]; cbn; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma sumR_scal A k (f : A -> R) l : sumR (fun a => k * f a) l = k * sumR f l.
Proof. induction l; cbn; [ring|rewrite IHl; ring]. Qed.
Lemma sumR_pos A (f : A -> R) l : l <> [] -> (forall a, 0 < f a) -> 0 < sumR f l.
Proof. destruct l as [|a l]; [congruence|]. intros _ H. cbn. assert (0 <= sumR f l). { clear a.
  induction l; cbn; [lra|]. specialize (H a). lra. } specialize (H a). lra. Qed.

(* Any exponents: log-ratio at most the oscillation of their difference (bounded range). *)
Section Range.
Variables (O : Type) (outs : list O) (u v : O -> R) (lo hi : R).      (* P ~ exp(-u), Q ~ exp(-v) *)
Hypothesis nonempty : outs <> [].
Hypothesis range : forall r, In r outs -> lo <= u r - v r <= hi.
Definition prob (w : O -> R) r := exp (- w r) / sumR (fun s => exp (- w s)) outs.

Lemma normaliser_pos w : 0 < sumR (fun s => exp (- w s)) outs.
Proof. apply sumR_pos; auto. intros; apply exp_pos. Qed.

Theorem bounded_range r : In r outs -> prob u r <= exp (hi - lo) * prob v r.
Proof.
  intros Hr. unfold prob. set (Zu := sumR (fun s => exp (- u s)) outs). set (Zv := sumR (fun s => exp (- v s)) outs).
  assert (0 < Zu) by apply normaliser_pos. assert (0 < Zv) by apply normaliser_pos.
  assert (Hz : Zv <= exp hi * Zu).
  { unfold Zu, Zv. rewrite <- sumR_scal. apply sumR_le. intros s Hs. rewrite <- exp_plus.
    destruct (Req_dec (- v s) (hi + - u s)) as [->|]; [lra|]. left. apply exp_increasing. specialize (range s Hs).
      lra. }
  assert (Hw : exp (- u r) <= exp (- lo) * exp (- v r)).
  { rewrite <- exp_plus. destruct (Req_dec (- u r) (- lo + - v r)) as [->|]; [lra|]. left. apply exp_increasing.
    specialize (range r Hr). lra. }
  replace (hi - lo) with (hi + - lo) by ring. rewrite exp_plus.
  apply (Rmult_le_reg_l (Zu * Zv)); [nra|].
  replace (Zu * Zv * (exp (- u r) / Zu)) with (Zv * exp (- u r)) by (field; lra).
  replace (Zu * Zv * (exp hi * exp (- lo) * (exp (- v r) / Zv))) with ((exp hi * Zu) * (exp (- lo) * exp (- v r)))
    by (field; lra).
  apply Rmult_le_compat; auto; try (left; apply exp_pos); lra.
Qed.
End Range.

(* Part (i): rho = 2 + gamma D, for any pseudo-metric bounded by D. *)
Section Reciprocal.
Variables (X : Type) (outs : list X) (H : X -> X -> R) (S : X -> R) (D gamma : R).
Hypothesis nonempty : outs <> [].
Hypothesis sym : forall a b, H a b = H b a.
Hypothesis tri : forall a b c, H a c <= H a b + H b c.
Hypothesis bound : forall a b, 0 <= H a b <= D.
Hypothesis Spos : forall a, 0 < S a.

Variables x y : X.                                    (* neighbours *)
Hypothesis Sx : H x y <= S x. Hypothesis Sy : H x y <= S y.            (* S >= LS *)
Hypothesis lip : Rabs (1 / S x - 1 / S y) <= gamma.

Lemma half (a b : X) : H a b <= S a -> H a b <= S b -> 1 / S b <= 1 / S a -> 1 / S a - 1 / S b <= gamma ->
  forall r, - (1 / S b * H a b) <= 1 / S a * H a r - 1 / S b * H b r <= 1 / S b * H a b + gamma * D /\ 1 / S b * H a
    b <= 1.
Proof.
  intros Ha Hb Hab Hg r. pose proof (Spos a). pose proof (Spos b).
    assert (0 < 1 / S b) by (apply Rdiv_lt_0_compat; lra).
  pose proof (tri a b r). pose proof (tri b a r). pose proof (sym a b). pose proof (bound a r).
    pose proof (bound b r). pose proof (bound a b).
  assert (E : 1 / S b * S b = 1) by (field; lra).
  set (p := 1 / S a) in *. set (q := 1 / S b) in *. repeat split; nra.
Qed.

Theorem theorem1_i kappa eps r : 0 < kappa -> kappa * (2 + gamma * D) = eps -> In r outs ->
  prob X outs (fun s => kappa * (1 / S x * H x s)) r <= exp eps * prob X outs (fun s => kappa * (1 / S y * H y s)) r.
Proof.
  intros Hk He Hr. assert (lip' : - gamma <= 1 / S x - 1 / S y <= gamma) by (unfold Rabs in lip;
    destruct (Rcase_abs _) in lip; lra).
  assert (G : exists lo hi, (forall s, lo <= 1 / S x * H x s - 1 / S y * H y s <= hi) /\ hi - lo <= 2 + gamma * D).
  { destruct (Rle_or_lt (1 / S y) (1 / S x)) as [L|L].
    - exists (- (1 / S y * H x y)), (1 / S y * H x y + gamma * D).
      pose proof (fun r => half x y Sx Sy L ltac:(lra) r) as K. split; [intros s; apply K|].
        destruct (K x) as [_ ?]. lra.
    - assert (Sx' : H y x <= S x) by (rewrite sym; assumption).
      assert (Sy' : H y x <= S y) by (rewrite sym; assumption).
      pose proof (fun r => half y x Sy' Sx' (Rlt_le _ _ L) ltac:(lra) r) as K.
      exists (- (1 / S x * H y x + gamma * D)), (1 / S x * H y x). split; [intros s; specialize (K s); lra|].
        destruct (K x) as [_ ?]. lra. }
  destruct G as (lo & hi & G1 & G2).
  eapply Rle_trans. { apply (bounded_range X outs _ (fun s => kappa * (1 / S y * H y s)) (kappa * lo) (kappa * hi));
    auto. intros s _. specialize (G1 s). nra. }
  apply Rmult_le_compat_r.
  - unfold prob. left. apply Rdiv_lt_0_compat; [apply exp_pos|apply normaliser_pos; assumption].
  - destruct (Req_dec (kappa * hi - kappa * lo) eps) as [->|]; [lra|]. left. apply exp_increasing. nra.
Qed.
End Reciprocal.
