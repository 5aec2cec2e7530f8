(* The second bound of Theorem 1 of docs/theory/hellinger.md: rho = 1 + sqrt(1 + 2 gamma^2), where H = sqrt 2
  sin(theta/2)
   and theta is a metric with values in [0, pi/2]. *)
From Coq Require Import Reals List Lra Psatz.
From PrivBayes Require Import Exponential.
Open Scope R_scope.

(* the core: a sin(u+d) - b sin u is at most the length of a vector *)
Lemma cauchy a b u d : (a * sin (u + d) - b * sin u) ^ 2 <= a ^ 2 + b ^ 2 - 2 * a * b * cos d.
Proof.
  rewrite sin_plus. pose proof (sin2_cos2 u) as U. pose proof (sin2_cos2 d) as V. unfold Rsqr in *.
  replace (a ^ 2 + b ^ 2 - 2 * a * b * cos d) with ((a * cos d - b) ^ 2 + (a * sin d) ^ 2) by nra.
  replace (a * (sin u * cos d + cos u * sin d) - b * sin u) with ((a * cos d - b) * sin u + (a * sin d) * cos u) by
    ring.
  set (p := a * cos d - b). set (q := a * sin d).
    assert ((p * sin u + q * cos u) ^ 2 + (p * cos u - q * sin u) ^ 2 = p ^ 2 + q ^ 2) by nra.
  assert (0 <= (p * cos u - q * sin u) ^ 2) by apply pow2_ge_0. lra.
Qed.

Section Sphere.
Variables (X : Type) (outs : list X) (theta : X -> X -> R) (S : X -> R) (gamma : R).
Hypothesis nonempty : outs <> nil.
Hypothesis sym : forall a b, theta a b = theta b a.
Hypothesis tri : forall a b c, theta a c <= theta a b + theta b c.
Hypothesis bound : forall a b, 0 <= theta a b <= PI / 2.
Hypothesis Spos : forall a, 0 < S a.
Definition H a b := sqrt 2 * sin (theta a b / 2).
Variables x y : X.
Hypothesis Sx : H x y <= S x. Hypothesis Sy : H x y <= S y.
Hypothesis lip : Rabs (1 / S x - 1 / S y) <= gamma.

Lemma upper (p q : X) a b : 0 < b <= a -> a * H p q <= 1 -> a - b <= gamma ->
  forall r, a * H p r - b * H q r <= sqrt (1 + 2 * gamma ^ 2).
Proof.
  intros Hb Hh Hg r. pose proof PI_RGT_0. pose proof (bound p q). pose proof (bound q r). pose proof (bound p r).
    pose proof (tri p q r).
  assert (R2 : 0 < sqrt 2) by (apply sqrt_lt_R0; lra). assert (R22 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
  assert (One : 1 <= sqrt (1 + 2 * gamma ^ 2)). { rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt.
    pose proof (pow2_ge_0 gamma). lra. }
  unfold H in *. set (u := theta q r / 2) in *. set (d := theta p q / 2) in *.
  assert (M : sin (theta p r / 2) <= sin (u + d)) by (apply sin_incr_1; unfold u, d; lra).
  assert (Su : 0 <= sin u) by (apply sin_ge_0; unfold u; lra).
    assert (Sd : 0 <= sin d) by (apply sin_ge_0; unfold d; lra).
  assert (Cd : 0 <= cos d) by (apply cos_ge_0; unfold d; lra). destruct (COS_bound d) as [_ Cd1].
    destruct (COS_bound u) as [_ Cu1].
  apply Rle_trans with (sqrt 2 * (a * sin (u + d) - b * sin u)).
  { replace (a * (sqrt 2 * sin (theta p r / 2)) - b * (sqrt 2 * sin u)) with (sqrt 2 * (a * sin (theta p r / 2) - b
    * sin u)) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_r. apply Rmult_le_compat_l; lra. }
  destruct (Rle_or_lt (a * cos d) b) as [L|L].
  - apply Rle_trans with 1; [|assumption]. rewrite sin_plus.
    apply Rle_trans with (a * (sqrt 2 * sin d)); [|assumption].
    replace (a * (sqrt 2 * sin d)) with (sqrt 2 * (a * sin d)) by ring. apply Rmult_le_compat_l; [lra|].
    assert (a * sin d * cos u <= a * sin d * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
    assert (0 <= sin u * (b - a * cos d)) by (apply Rmult_le_pos; lra). lra.
  - pose proof (cauchy a b u d) as C. pose proof (sin2_cos2 d) as P. unfold Rsqr in P.
    apply Rle_trans with (sqrt ((sqrt 2 * (a * sin (u + d) - b * sin u)) ^ 2)).
    { rewrite <- Rsqr_pow2, sqrt_Rsqr_abs. apply Rle_abs. }
    apply sqrt_le_1_alt. rewrite Rpow_mult_distr. replace (sqrt 2 ^ 2) with 2 by (simpl; lra).
    assert (P' : sin d * sin d = (1 - cos d) * (1 + cos d)) by lra.
    assert (Q : a * a * (2 * ((1 - cos d) * (1 + cos d))) <= 1).
    { rewrite <- P'. replace (a * a * (2 * (sin d * sin d))) with ((a * (sqrt 2 * sin d)) * (a * (sqrt 2 * sin d))).
      2:{ transitivity (a * a * (sqrt 2 * sqrt 2 * (sin d * sin d))); [ring|rewrite R22; ring]. }
      assert (0 <= a * (sqrt 2 * sin d)). { apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]. }
      rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; assumption. }
    assert (W : 4 * (a * b * (1 - cos d)) <= 1).
    { apply Rle_trans with (4 * (a * (a * cos d) * (1 - cos d))).
      - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
      - eapply Rle_trans; [|exact Q]. assert (0 <= (a * (1 - cos d)) * (a * (1 - cos d))) by apply Rle_0_sqr.
        apply Rminus_le. replace (_ - _) with (- (2 * ((a * (1 - cos d)) * (a * (1 - cos d))))) by ring. lra. }
    assert (Z : (a - b) ^ 2 <= gamma ^ 2) by (apply pow_incr; lra).
    apply Rle_trans with (2 * (a ^ 2 + b ^ 2 - 2 * a * b * cos d)); [lra|].
    replace (a ^ 2 + b ^ 2 - 2 * a * b * cos d) with ((a - b) ^ 2 + 2 * (a * b * (1 - cos d))) by ring. lra.
Qed.

Lemma Htri a b c : H a c <= H a b + H b c.
Proof.
  pose proof PI_RGT_0. pose proof (bound a b). pose proof (bound b c). pose proof (bound a c). pose proof (tri a b c).
  unfold H. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [apply sqrt_pos|].
  apply Rle_trans with (sin (theta a b / 2 + theta b c / 2)); [apply sin_incr_1; lra|]. rewrite sin_plus.
  assert (0 <= sin (theta a b / 2)) by (apply sin_ge_0; lra).
    assert (0 <= sin (theta b c / 2)) by (apply sin_ge_0; lra).
  destruct (COS_bound (theta a b / 2)), (COS_bound (theta b c / 2)). nra.
Qed.
Lemma Hpos a b : 0 <= H a b.
Proof. pose proof PI_RGT_0. pose proof (bound a b). apply Rmult_le_pos; [apply sqrt_pos|apply sin_ge_0; lra]. Qed.
Lemma Hsym a b : H a b = H b a.
Proof. unfold H. rewrite sym. reflexivity. Qed.

Lemma range (p q : X) : H p q <= S p -> 1 / S q <= 1 / S p -> 1 / S p - 1 / S q <= gamma ->
  (forall r, - (1 / S q * H p q) <= 1 / S p * H p r - 1 / S q * H q r <= sqrt (1 + 2 * gamma ^ 2)) /\ 1 / S q * H p
    q <= 1.
Proof.
  intros Hp L G. pose proof (Spos p). pose proof (Spos q). assert (0 < 1 / S q) by (apply Rdiv_lt_0_compat; lra).
  assert (E : 1 / S p * S p = 1) by (field; lra). assert (K : 1 / S p * H p q <= 1).
    { apply Rle_trans with (1 / S p * S p); [|lra]. apply Rmult_le_compat_l; lra. }
  split; [|pose proof (Hpos p q); nra]. intros r. split; [|apply upper with (p := p) (q := q); auto; lra].
  pose proof (Htri q p r). pose proof (Hsym p q). pose proof (Hpos p r). pose proof (Hpos q r). nra.
Qed.

Theorem theorem1_ii kappa eps r : 0 < kappa -> kappa * (1 + sqrt (1 + 2 * gamma ^ 2)) = eps -> In r outs ->
  prob X outs (fun s => kappa * (1 / S x * H x s)) r <= exp eps * prob X outs (fun s => kappa * (1 / S y * H y s)) r.
Proof.
  intros Hk He Hr. assert (lip' : - gamma <= 1 / S x - 1 / S y <= gamma) by (unfold Rabs in lip;
    destruct (Rcase_abs _) in lip; lra).
  assert (G : exists lo hi, (forall s, lo <= 1 / S x * H x s - 1 / S y * H y s <= hi) /\ hi - lo <= 1 + sqrt (1 + 2
    * gamma ^ 2)).
  { destruct (Rle_or_lt (1 / S y) (1 / S x)) as [L|L].
    - destruct (range x y Sx L ltac:(lra)) as [K B]. exists (- (1 / S y * H x y)), (sqrt (1 + 2 * gamma ^ 2)).
      split; [assumption|lra].
    - assert (Sy' : H y x <= S y) by (rewrite Hsym; assumption).
      destruct (range y x Sy' (Rlt_le _ _ L) ltac:(lra)) as [K B].
      exists (- sqrt (1 + 2 * gamma ^ 2)), (1 / S x * H y x). split; [intros s; specialize (K s); lra|lra]. }
  destruct G as (lo & hi & G1 & G2).
  eapply Rle_trans. { apply (bounded_range X outs _ (fun s => kappa * (1 / S y * H y s)) (kappa * lo) (kappa * hi));
    auto. intros s _. specialize (G1 s). nra. }
  apply Rmult_le_compat_r.
  - unfold prob. left. apply Rdiv_lt_0_compat; [apply exp_pos|apply normaliser_pos; assumption].
  - destruct (Req_dec (kappa * hi - kappa * lo) eps) as [->|]; [lra|]. left. apply exp_increasing. nra.
Qed.
End Sphere.
