(* Choosing among candidates: G is geometric with ratio q = 1 - gamma, drawn anew until it is at most a public N; of
   the first G of N independent draws of one mechanism the first accepted one is released, or none. The level in closed
   form, sections 1 and 2 of docs/theory/selection.md. *)
From Coq Require Import Reals Lra Lia Arith List Bool.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Exponential.
Import ListNotations.
Open Scope R_scope.

Fixpoint below (f : nat -> R) (n : nat) : R := match n with O => 0 | S m => below f m + f m end.
Lemma below_ext f g n : (forall i, (i < n)%nat -> f i = g i) -> below f n = below g n.
Proof.
  intros H. induction n as [|n IH]; cbn; [reflexivity|]. rewrite H, IH by (intros; try apply H; lia). reflexivity.
Qed.
Lemma below_scal a f n : below (fun i => a * f i) n = a * below f n.
Proof. induction n as [|n IH]; cbn; [|rewrite IH]; ring. Qed.
Lemma below_le f g n : (forall i, (i < n)%nat -> f i <= g i) -> below f n <= below g n.
Proof.
  intros H. induction n as [|n IH]; cbn; [lra|]. pose proof (H n ltac:(lia)).
  assert (below f n <= below g n) by (apply IH; intros; apply H; lia). lra.
Qed.
Lemma below_pos f n : (forall i, 0 <= f i) -> 0 <= below f n.
Proof. intros H. induction n as [|n IH]; cbn; [lra|]. specialize (H n). lra. Qed.
Lemma below_plus f g n : below (fun i => f i + g i) n = below f n + below g n.
Proof. induction n as [|n IH]; cbn; [|rewrite IH]; ring. Qed.

(* polynomials of n terms, and how quotients of their values move *)
Definition poly (c : nat -> R) (n : nat) (z : R) : R := below (fun j => c j * z ^ j) n.
Lemma crossed j n y z : (j <= n)%nat -> 0 <= y <= z -> y ^ n * z ^ j <= z ^ n * y ^ j.
Proof.
  intros L Y. replace n with (j + (n - j))%nat by lia. rewrite !pow_add.
  assert (y ^ (n - j) <= z ^ (n - j)) by (apply pow_incr; lra).
  assert (0 <= y ^ j * z ^ j) by (apply Rmult_le_pos; apply pow_le; lra). nra.
Qed.
Lemma chebyshev t c y z n : (forall j m, (j <= m)%nat -> (m < n)%nat -> t j * c m <= t m * c j) -> 0 <= y <= z ->
  poly t n y * poly c n z <= poly t n z * poly c n y.
Proof.
  intros H Y. unfold poly. induction n as [|n IH]; cbn [below]; [lra|].
  assert (I : forall k, (k <= n)%nat ->
    below (fun j => t j * y ^ j) k * (c n * z ^ n) + t n * y ^ n * below (fun j => c j * z ^ j) k <=
    below (fun j => t j * z ^ j) k * (c n * y ^ n) + t n * z ^ n * below (fun j => c j * y ^ j) k).
  { induction k as [|k IHk]; intros K; cbn [below]; [lra|]. specialize (IHk ltac:(lia)).
    pose proof (H k n ltac:(lia) ltac:(lia)) as M. pose proof (crossed k n y z ltac:(lia) Y) as X.
    assert (0 <= (t n * c k - t k * c n) * (z ^ n * y ^ k - y ^ n * z ^ k)) by (apply Rmult_le_pos; lra). lra. }
  specialize (I n (Nat.le_refl n)).
  assert (below (fun j => t j * y ^ j) n * below (fun j => c j * z ^ j) n <=
    below (fun j => t j * z ^ j) n * below (fun j => c j * y ^ j) n) by (apply IH; intros; apply H; lia). lra.
Qed.
Lemma poly_mono c n y z : (forall j, 0 <= c j) -> 0 <= y <= z -> poly c n y <= poly c n z.
Proof. intros C Y. apply below_le. intros. apply Rmult_le_compat_l; [apply C|]. apply pow_incr. assumption. Qed.
Lemma poly_pos c n z : (forall j, 0 <= c j) -> 0 < c O -> (0 < n)%nat -> 0 <= z -> 0 < poly c n z.
Proof.
  intros C P N Z. unfold poly. induction N as [|n N IH]; cbn [below pow]; [lra|].
  assert (0 <= c n * z ^ n) by (apply Rmult_le_pos; [apply C|apply pow_le; assumption]). unfold poly in *. lra.
Qed.
Definition slope (c : nat -> R) (n : nat) (z : R) : R := below (fun j => c j * (INR j * z ^ pred j)) n.
Lemma poly_slope c n z : is_derive (poly c n) z (slope c n z).
Proof.
  unfold poly, slope. induction n as [|n IH]; cbn [below]; [auto_derive; [exact I|reflexivity]|].
  apply (is_derive_plus (fun z => below (fun j => c j * z ^ j) n) (fun z => c n * z ^ n)); [exact IH|].
  apply (is_derive_scal (fun z => z ^ n)). auto_derive; [exact I|]. ring.
Qed.
(* (1 - z) times the slope has these coefficients *)
Definition turn (c : nat -> R) (j : nat) : R := INR (S j) * c (S j) - INR j * c j.
Lemma turn_slope c n z : c n = 0 -> (1 - z) * slope c n z = poly (turn c) n z.
Proof.
  assert (G : forall n, (1 - z) * slope c n z = poly (turn c) n z - INR n * c n * z ^ pred n).
  { clear n. induction n as [|n IH]; [cbn; ring|]. unfold slope, poly in *. cbn [below]. rewrite Rmult_plus_distr_l, IH.
    unfold turn. cbn [pred]. destruct n as [|n]; [cbn; ring|]. cbn [pred pow]. ring. }
  intros H. rewrite G, H. ring.
Qed.

Section Quotient.
Variables (c : nat -> R) (n : nat) (e : R).
Hypothesis pos : forall j, 0 <= c j.
Hypothesis first_pos : 0 < c O.
Hypothesis some : (0 < n)%nat.
Hypothesis ends : c n = 0.
Hypothesis falls : forall j, c (S j) <= c j.
Hypothesis concave : forall j m, (j <= m)%nat -> (m < n)%nat -> c (S m) * c j <= c (S j) * c m.
Hypothesis e1 : 1 <= e.
Notation F := (poly c n).

Lemma from_zero x y : 0 <= x <= y -> F (e * x) * F y <= F (e * y) * F x.
Proof.
  intros X. assert (E : forall z, F (e * z) = poly (fun j => c j * e ^ j) n z).
  { intros z. apply below_ext. intros. rewrite Rpow_mult_distr. ring. }
  rewrite !E. apply chebyshev; [|assumption]. intros j m L _.
  assert (e ^ j <= e ^ m) by (apply Rle_pow; assumption).
  pose proof (Rmult_le_pos _ _ (pos j) (pos m)). nra.
Qed.
Lemma turned y z : 0 <= y <= z -> (1 - z) * slope c n z * F y <= (1 - y) * slope c n y * F z.
Proof.
  intros Y. rewrite !turn_slope by assumption. rewrite (Rmult_comm _ (F y)), (Rmult_comm _ (F z)).
  apply chebyshev; [|assumption]. intros j m L M. unfold turn. pose proof (concave j m L M) as V.
  pose proof (falls j) as D. pose proof (pos m) as P. pose proof (le_INR j m L) as I. rewrite !S_INR.
  assert (0 <= (INR m - INR j) * (c m * (c j - c (S j)))) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= (INR m + 1) * (c (S j) * c m - c (S m) * c j)).
  { apply Rmult_le_pos; [|lra]. pose proof (pos_INR m). lra. }
  lra.
Qed.
Lemma from_one a b : 0 <= a <= b -> e * b <= 1 -> F (1 - a) * F (1 - e * b) <= F (1 - b) * F (1 - e * a).
Proof.
  intros A B. assert (P : forall x, x <= b -> 0 < F (1 - e * x)).
  { intros x X. apply poly_pos; auto. nra. }
  destruct (Req_dec a 0) as [->|A0].
  { rewrite Rmult_0_r, Rminus_0_r, Rmult_comm. apply Rmult_le_compat_r; [left; apply poly_pos; auto; lra|].
    apply poly_mono; [assumption|]. nra. }
  set (g := fun x => F (1 - x) / F (1 - e * x)).
  set (d := fun x => (- slope c n (1 - x) * F (1 - e * x) - F (1 - x) * (- e * slope c n (1 - e * x))) /
    F (1 - e * x) ^ 2).
  assert (D : forall x, x <= b -> is_derive g x (d x)).
  { intros x X. apply (is_derive_div (fun x => F (1 - x)) (fun x => F (1 - e * x)) x (- slope c n (1 - x))
      (- e * slope c n (1 - e * x))); [| |pose proof (P x X); lra].
    - replace (- slope c n (1 - x)) with (scal (-1) (slope c n (1 - x))) by (unfold scal; cbn; unfold mult; cbn; ring).
      apply (is_derive_comp (poly c n) (fun x => 1 - x)); [apply poly_slope|]. auto_derive; [exact I|ring].
    - replace (- e * slope c n (1 - e * x)) with (scal (- e) (slope c n (1 - e * x))) by reflexivity.
      apply (is_derive_comp (poly c n) (fun x => 1 - e * x)); [apply poly_slope|]. auto_derive; [exact I|ring]. }
  destruct (MVT_gen g a b d) as (x & X & M); rewrite ?Rmin_left, ?Rmax_right in * by lra.
  { intros x X. apply D. lra. }
  { intros x X. apply derivable_continuous_pt. exists (d x). apply is_derive_Reals, D. lra. }
  assert (S : 0 <= d x).
  { unfold d. apply Rle_mult_inv_pos; [|apply pow_lt, P; lra]. apply (Rmult_le_reg_l x); [lra|].
    pose proof (turned (1 - e * x) (1 - x) ltac:(nra)) as T.
    replace (1 - (1 - x)) with x in T by ring. replace (1 - (1 - e * x)) with (e * x) in T by ring. lra. }
  assert (G : g a <= g b) by nra. unfold g in G.
  pose proof (P a ltac:(lra)) as Pa. pose proof (P b ltac:(lra)) as Pb.
  apply (Rmult_le_compat_r (F (1 - e * a) * F (1 - e * b))) in G; [|apply Rmult_le_pos; lra].
  replace (F (1 - a) / F (1 - e * a) * (F (1 - e * a) * F (1 - e * b))) with (F (1 - a) * F (1 - e * b)) in G
    by (field; lra).
  replace (F (1 - b) / F (1 - e * b) * (F (1 - e * a) * F (1 - e * b))) with (F (1 - b) * F (1 - e * a)) in G
    by (field; lra). exact G.
Qed.
(* b and b' are the chances that a candidate is refused, of neighbours: the corner is the worst. *)
Lemma corner b b' : 0 <= b <= 1 -> 0 <= b' <= 1 -> b <= e * b' -> 1 - b' <= e * (1 - b) ->
  F b * F (1 / (1 + e)) <= F (e / (1 + e)) * F b'.
Proof.
  intros B B' L U. set (u := 1 / (1 + e)). assert (E : e / (1 + e) = e * u) by (unfold u; field; lra).
  assert (Q : u * (1 + e) = 1) by (unfold u; field; lra).
  assert (U0 : 0 < u) by (unfold u; apply Rdiv_lt_0_compat; lra).
  rewrite E. destruct (Rle_or_lt b' u) as [C|C].
  - eapply Rle_trans; [|apply from_zero; lra]. apply Rmult_le_compat_r; [left; apply poly_pos; auto; lra|].
    apply poly_mono; [assumption|lra].
  - assert (V : 0 < / e) by (apply Rinv_0_lt_compat; lra). set (a := (1 - b') * / e).
    assert (EA : e * a = 1 - b') by (unfold a; field; lra).
    assert (A : 0 <= a <= u) by (split; [unfold a; apply Rmult_le_pos; lra|apply (Rmult_le_reg_l e); lra]).
    pose proof (from_one a u A ltac:(lra)) as G. rewrite EA in G.
    replace (1 - (1 - b')) with b' in G by ring. replace (1 - e * u) with u in G by lra.
    replace (1 - u) with (e * u) in G by lra. eapply Rle_trans; [|exact G].
    apply Rmult_le_compat_r; [left; apply poly_pos; auto; lra|]. apply poly_mono; [assumption|]. nra.
Qed.
End Quotient.

Section Selection.
Variables (Y : Type) (outs : list Y) (accepted : Y -> bool).
Variables (q : R) (N : nat).                                            (* q = 1 - gamma *)
Hypothesis q0 : 0 <= q. Hypothesis q1 : q < 1. Hypothesis some : (0 < N)%nat.

(* of at most k candidates the first accepted one is released, or None *)
Fixpoint tried (k : nat) (p : Y -> R) (test : option Y -> R) : R :=
  match k with
  | O => test None
  | S k' => sumR (fun y => p y * (if accepted y then test (Some y) else tried k' p test)) outs
  end.
(* P(G = j + 1), and P(G > j) *)
Definition stops (j : nat) : R := q ^ j / below (fun i => q ^ i) N.
Definition goes_on (j : nat) : R := below (fun i => if (j <=? i)%nat then stops i else 0) N.
Definition selected (p : Y -> R) (test : option Y -> R) : R := below (fun j => stops j * tried (S j) p test) N.
(* the probability of none where each candidate is refused with probability b; the density of what is accepted *)
Definition none (b : R) : R := below (fun j => stops j * b ^ S j) N.
Definition density (b : R) : R := poly goes_on N b.
Definition level (eps : R) : R :=
  let b := exp eps / (1 + exp eps) in let b' := 1 / (1 + exp eps) in
  Rmax (ln (none b / none b')) (eps + ln (density b / density b')).

Definition refused (p : Y -> R) : R := sumR (fun y => if accepted y then 0 else p y) outs.
Definition gained (p : Y -> R) (test : option Y -> R) : R :=
  sumR (fun y => if accepted y then p y * test (Some y) else 0) outs.
Lemma below_shift b k : below (fun j => b ^ j) (S k) = 1 + b * below (fun j => b ^ j) k.
Proof. induction k as [|k IH]; [cbn; ring|]. cbn [below] in *. rewrite IH at 1. cbn [pow]. ring. Qed.
Lemma tried_closed p test k :
  tried k p test = gained p test * below (fun j => refused p ^ j) k + refused p ^ k * test None.
Proof.
  induction k as [|k IH]; [cbn; ring|]. cbn [tried]. rewrite below_shift.
  assert (S : forall t, sumR (fun y => p y * (if accepted y then test (Some y) else t)) outs =
    gained p test + refused p * t).
  { intros t. unfold gained, refused. induction outs as [|y l IHl]; cbn [sumR]; [ring|]. rewrite IHl.
    destruct (accepted y); ring. }
  rewrite S, IH. cbn [pow]. ring.
Qed.
Lemma total_pos : 0 < below (fun i => q ^ i) N.
Proof.
  replace (below (fun i => q ^ i) N) with (poly (fun _ => 1) N q) by (apply below_ext; intros; ring).
  apply poly_pos; auto; intros; lra.
Qed.
Lemma stops_pos j : 0 <= stops j.
Proof. apply Rle_mult_inv_pos; [apply pow_le; assumption|apply total_pos]. Qed.
Lemma double (s : nat -> R) b n : below (fun j => s j * below (fun i => b ^ i) (S j)) n =
  below (fun j => below (fun i => if (j <=? i)%nat then s i else 0) n * b ^ j) n.
Proof.
  induction n as [|n IH]; [reflexivity|]. cbn [below] in *. rewrite IH.
  assert (Z0 : forall k, (k <= n)%nat -> below (fun i => if (n <=? i)%nat then s i else 0) k = 0).
  { induction k as [|k IHk]; intros L; cbn [below]; [reflexivity|]. rewrite IHk by lia.
    destruct (Nat.leb_spec n k); [lia|ring]. }
  rewrite Z0 by lia. rewrite Nat.leb_refl.
  rewrite (below_ext (fun j => (_ + _) * b ^ j) (fun j => below (fun i => if (j <=? i)%nat then s i else 0) n * b ^ j +
    s n * b ^ j)).
  2:{ intros j L. destruct (Nat.leb_spec j n); [ring|lia]. }
  rewrite below_plus, (below_scal (s n) (fun i => b ^ i)). ring.
Qed.
Lemma selected_closed p test : selected p test = gained p test * density (refused p) + test None * none (refused p).
Proof.
  unfold selected, density, none, poly, goes_on. rewrite <- double, <- !below_scal.
  rewrite <- below_plus. apply below_ext. intros j _. rewrite tried_closed. ring.
Qed.

(* the coefficients: P(G > j) falls, and its quotients do, too; those of none are geometric *)
Lemma goes_on_rest j : (j <= N)%nat -> goes_on j * ((1 - q) * below (fun i => q ^ i) N) = q ^ j - q ^ N.
Proof.
  intros L. pose proof total_pos as P. unfold goes_on.
  assert (G : forall n, (j <= n)%nat -> below (fun i => if (j <=? i)%nat then stops i else 0) n *
    ((1 - q) * below (fun i => q ^ i) N) = q ^ j - q ^ n); [|apply G; assumption].
  induction 1 as [|n M IH].
  - assert (Z0 : forall k, (k <= j)%nat -> below (fun i => if (j <=? i)%nat then stops i else 0) k = 0).
    { induction k as [|k IHk]; intros K; cbn [below]; [reflexivity|]. rewrite IHk by lia.
      destruct (Nat.leb_spec j k); [lia|ring]. }
    rewrite Z0 by lia. ring.
  - cbn [below]. rewrite Rmult_plus_distr_r, IH. destruct (Nat.leb_spec j n); [|lia]. unfold stops.
    cbn [pow]. field. lra.
Qed.
Lemma rest_step (t : nat -> R) j n : below (fun i => if (j <=? i)%nat then t i else 0) n =
  (if (j <? n)%nat then t j else 0) + below (fun i => if (S j <=? i)%nat then t i else 0) n.
Proof.
  induction n as [|n IH]; cbn [below]; [cbn; ring|]. rewrite IH.
  destruct (Nat.ltb_spec j n), (Nat.ltb_spec j (S n)), (Nat.leb_spec j n), (Nat.leb_spec (S j) n); try lia; try ring.
  replace n with j by lia. ring.
Qed.
Lemma goes_on_pos j : 0 <= goes_on j.
Proof.
  apply below_pos. intros i. destruct (j <=? i)%nat; [apply stops_pos|lra].
Qed.
Definition early (j : nat) : R := if (j <? N)%nat then stops j else 0.
Lemma early_pos j : 0 <= early j.
Proof. unfold early. destruct (j <? N)%nat; [apply stops_pos|lra]. Qed.
Lemma stops_step j : stops (S j) = q * stops j.
Proof. unfold stops. cbn [pow]. unfold Rdiv. ring. Qed.
Lemma power_below : q ^ N < 1.
Proof.
  destruct N as [|n]; [lia|]. cbn [pow]. assert (q ^ n <= 1) by (rewrite <- (pow1 n); apply pow_incr; lra). nra.
Qed.
Lemma scale_pos : 0 < (1 - q) * below (fun i => q ^ i) N.
Proof. pose proof total_pos. apply Rmult_lt_0_compat; lra. Qed.
Lemma none_early z : none z = z * poly early N z.
Proof.
  unfold none, poly. rewrite <- below_scal. apply below_ext. intros j L. unfold early.
  destruct (Nat.ltb_spec j N); [cbn [pow]; ring|lia].
Qed.
Lemma at_corner (e b b' : R) : 1 <= e -> 0 <= b <= 1 -> 0 <= b' <= 1 -> b <= e * b' -> 1 - b' <= e * (1 - b) ->
  density b * density (1 / (1 + e)) <= density (e / (1 + e)) * density b' /\
  none b * none (1 / (1 + e)) <= none (e / (1 + e)) * none b'.
Proof.
  intros E B B' L U. pose proof scale_pos as P. set (s := (1 - q) * below (fun i => q ^ i) N) in *.
  assert (Q : forall j, 0 <= q ^ j) by (intros; apply pow_le; assumption). split.
  - apply corner; try assumption.
    + exact goes_on_pos.
    + apply (Rmult_lt_reg_r s); [assumption|]. unfold s. rewrite goes_on_rest by lia. fold s. pose proof power_below.
      cbn [pow]. lra.
    + apply (Rmult_eq_reg_r s); [|lra]. unfold s. rewrite goes_on_rest by lia. ring.
    + intros j. unfold goes_on. rewrite (rest_step stops j). pose proof (early_pos j) as H. unfold early in H. lra.
    + intros j m J M. apply (Rmult_le_reg_r (s * s)); [apply Rmult_lt_0_compat; assumption|].
      replace (goes_on (S m) * goes_on j * (s * s)) with (goes_on (S m) * s * (goes_on j * s)) by ring.
      replace (goes_on (S j) * goes_on m * (s * s)) with (goes_on (S j) * s * (goes_on m * s)) by ring.
      unfold s. rewrite !goes_on_rest by lia. cbn [pow].
      assert (F : q ^ m <= q ^ j).
      { replace m with (j + (m - j))%nat by lia. rewrite pow_add. pose proof (Q j).
        assert (q ^ (m - j) <= 1) by (rewrite <- (pow1 (m - j)); apply pow_incr; lra). nra. }
      assert (0 <= q ^ N * ((1 - q) * (q ^ j - q ^ m))) by (repeat apply Rmult_le_pos; try apply Q; lra). lra.
  - assert (G : poly early N b * poly early N (1 / (1 + e)) <= poly early N (e / (1 + e)) * poly early N b').
    { apply corner; try assumption.
      + exact early_pos.
      + unfold early. destruct (Nat.ltb_spec 0 N); [|lia]. unfold stops. cbn [pow]. apply Rdiv_lt_0_compat;
          [lra|apply total_pos].
      + unfold early. rewrite Nat.ltb_irrefl. reflexivity.
      + intros j. unfold early. rewrite stops_step. pose proof (stops_pos j).
        destruct (Nat.ltb_spec (S j) N), (Nat.ltb_spec j N); try lia; nra.
      + intros j m J M. pose proof (Rmult_le_pos _ _ (early_pos (S j)) (early_pos m)) as H.
        unfold early at 1. destruct (Nat.ltb_spec (S m) N); [|rewrite Rmult_0_l; exact H].
        unfold early. destruct (Nat.ltb_spec j N), (Nat.ltb_spec m N), (Nat.ltb_spec (S j) N); try lia.
        rewrite !stops_step. lra. }
    rewrite !none_early. set (u := 1 / (1 + e)) in *. replace (e / (1 + e)) with (e * u) in * by (unfold u; field; lra).
    assert (U0 : 0 < u) by (unfold u; apply Rdiv_lt_0_compat; lra).
    assert (V : b * u <= e * u * b') by nra.
    replace (b * poly early N b * (u * poly early N u)) with (b * u * (poly early N b * poly early N u)) by ring.
    replace (e * u * poly early N (e * u) * (b' * poly early N b'))
      with (e * u * b' * (poly early N (e * u) * poly early N b')) by ring.
    apply Rmult_le_compat; [nra| |assumption|assumption].
    apply Rmult_le_pos; apply below_pos; intros j; apply Rmult_le_pos; try apply early_pos; apply pow_le; lra.
Qed.

Lemma both_pos z : 0 < z -> 0 < density z /\ 0 < none z.
Proof.
  intros Z. split.
  - apply poly_pos; [exact goes_on_pos| |assumption|lra]. apply (Rmult_lt_reg_r _ _ _ scale_pos).
    rewrite goes_on_rest by lia. pose proof power_below. cbn [pow]. lra.
  - rewrite none_early. apply Rmult_lt_0_compat; [assumption|]. apply poly_pos; [exact early_pos| |assumption|lra].
    unfold early. destruct (Nat.ltb_spec 0 N); [|lia]. apply Rdiv_lt_0_compat; [cbn; lra|apply total_pos].
Qed.
(* without a limit N the level would be this one *)
Lemma density_line z : density z * ((1 - q) * below (fun i => q ^ i) N) * (1 - q * z) =
  1 - q ^ N - q ^ N * ((1 - q) * (z * below (fun i => z ^ i) N)).
Proof.
  assert (G : forall n, (n <= N)%nat -> below (fun j => goes_on j * z ^ j) n * ((1 - q) * below (fun i => q ^ i) N) *
    (1 - q * z) = 1 - (q * z) ^ n - q ^ N * ((1 - q * z) * below (fun i => z ^ i) n)).
  { induction n as [|n IH]; intros L; cbn [below]; [cbn; ring|]. rewrite !Rmult_plus_distr_r, IH by lia.
    replace (goes_on n * z ^ n * ((1 - q) * below (fun i => q ^ i) N)) with
      (goes_on n * ((1 - q) * below (fun i => q ^ i) N) * z ^ n) by ring.
    rewrite goes_on_rest by lia. rewrite !Rpow_mult_distr. cbn [pow]. ring. }
  unfold density, poly. rewrite G by lia. rewrite Rpow_mult_distr.
  assert (Z : forall n, z ^ n = 1 - (1 - z) * below (fun i => z ^ i) n).
  { induction n as [|n IH]; cbn [below pow]; [ring|]. lra. }
  rewrite (Z N). ring.
Qed.
Lemma none_line z : none z * below (fun i => q ^ i) N * (1 - q * z) = z * (1 - (q * z) ^ N).
Proof.
  pose proof total_pos as P. unfold none.
  assert (G : forall n, below (fun j => stops j * z ^ S j) n * below (fun i => q ^ i) N * (1 - q * z) =
    z * (1 - (q * z) ^ n)); [|apply G].
  induction n as [|n IH]; cbn [below]; [cbn; ring|]. rewrite !Rmult_plus_distr_r, IH. unfold stops.
  rewrite !Rpow_mult_distr. cbn [pow]. field. lra.
Qed.
Lemma level_le eps : 0 <= eps -> level eps <= eps + ln ((exp eps + (1 - q)) / (1 + (1 - q) * exp eps)).
Proof.
  intros E0. assert (E1 : 1 <= exp eps) by (rewrite <- exp_0; destruct E0 as [E|<-]; [left; apply exp_increasing;
    assumption|lra]).
  unfold level. set (e := exp eps) in *. set (u := 1 / (1 + e)).
  assert (Eu : e / (1 + e) = e * u) by (unfold u; field; lra). rewrite Eu.
  assert (U : 0 < u) by (apply Rdiv_lt_0_compat; lra). assert (Q : u * (1 + e) = 1) by (unfold u; field; lra).
  destruct (both_pos u U) as [D1 N1]. destruct (both_pos (e * u) ltac:(nra)) as [D2 N2].
  assert (V : u <= e * u < 1) by nra. assert (W : q * u <= q * (e * u) < 1) by nra.
  assert (R : (e + (1 - q)) / (1 + (1 - q) * e) = (1 - q * u) / (1 - q * (e * u))).
  { unfold u. field. repeat split; nra. }
  rewrite R. pose proof scale_pos as P. pose proof total_pos as P'. pose proof (pow_le q N q0) as QN.
  assert (D : density (e * u) / density u <= (1 - q * u) / (1 - q * (e * u))).
  { apply (Rmult_le_reg_r (density u * (1 - q * (e * u)))); [apply Rmult_lt_0_compat; lra|].
    replace (density (e * u) / density u * (density u * (1 - q * (e * u)))) with (density (e * u) * (1 - q * (e * u)))
      by (field; lra).
    replace ((1 - q * u) / (1 - q * (e * u)) * (density u * (1 - q * (e * u)))) with (density u * (1 - q * u))
      by (field; lra).
    apply (Rmult_le_reg_r _ _ _ P).
    pose proof (density_line (e * u)) as L2. pose proof (density_line u) as L1.
    assert (M : u * below (fun i => u ^ i) N <= e * u * below (fun i => (e * u) ^ i) N).
    { apply Rmult_le_compat; [lra|apply below_pos; intros; apply pow_le; lra|lra|].
      apply below_le. intros. apply pow_incr. lra. }
    assert (0 <= q ^ N * ((1 - q) * (e * u * below (fun i => (e * u) ^ i) N - u * below (fun i => u ^ i) N))).
    { repeat apply Rmult_le_pos; lra. }
    lra. }
  assert (M : none (e * u) / none u <= e * ((1 - q * u) / (1 - q * (e * u)))).
  { apply (Rmult_le_reg_r (none u * (1 - q * (e * u)))); [apply Rmult_lt_0_compat; lra|].
    replace (none (e * u) / none u * (none u * (1 - q * (e * u)))) with (none (e * u) * (1 - q * (e * u)))
      by (field; lra).
    replace (e * ((1 - q * u) / (1 - q * (e * u))) * (none u * (1 - q * (e * u)))) with (e * (none u * (1 - q * u)))
      by (field; lra).
    apply (Rmult_le_reg_r _ _ _ P'). pose proof (none_line (e * u)) as L2. pose proof (none_line u) as L1.
    assert (I : (q * u) ^ N <= (q * (e * u)) ^ N) by (apply pow_incr; split; [apply Rmult_le_pos; lra|lra]).
    set (x := (q * u) ^ N) in *. set (y := (q * (e * u)) ^ N) in *.
    assert (0 <= e * u * (y - x)) by (apply (Rmult_le_pos (e * u)); lra). apply (f_equal (Rmult e)) in L1. lra. }
  assert (L : forall x y, 0 < x -> x <= y -> ln x <= ln y).
  { intros x y X [Y' | ->]; [left; apply ln_increasing; assumption|lra]. }
  assert (S : 0 < (1 - q * u) / (1 - q * (e * u))) by (apply Rdiv_lt_0_compat; lra).
  apply Rmax_lub.
  - eapply Rle_trans; [apply L; [|exact M]|]; [apply Rdiv_lt_0_compat; assumption|].
    rewrite ln_mult by lra. unfold e. rewrite ln_exp. lra.
  - apply Rplus_le_compat_l, L; [apply Rdiv_lt_0_compat; assumption|exact D].
Qed.

(* Candidates that are eps-private, with what decides about them; every test of what is released, in [0, 1] or not. *)
Theorem selection_private (p p' : Y -> R) eps test : 0 <= eps ->
  (forall y, In y outs -> 0 <= p y /\ 0 <= p' y /\ p y <= exp eps * p' y /\ p' y <= exp eps * p y) ->
  sumR p outs = 1 -> sumR p' outs = 1 -> (forall o, 0 <= test o) ->
  selected p (fun _ => 1) = 1 /\
  selected p test <= exp (level eps) * selected p' test /\
  level eps <= eps + ln ((exp eps + (1 - q)) / (1 + (1 - q) * exp eps)).
Proof.
  intros E0 H T T' O. split; [|split; [|apply level_le; assumption]].
  { assert (G : forall k, tried k p (fun _ => 1) = 1).
    { induction k as [|k IH]; cbn [tried]; [reflexivity|]. rewrite IH.
      assert (X : forall l, sumR (fun y => p y * (if accepted y then 1 else 1)) l = sumR p l).
      { induction l as [|y l IHl]; cbn [sumR]; [reflexivity|]. rewrite IHl. destruct (accepted y); ring. }
      rewrite X. exact T. }
    unfold selected. rewrite (below_ext _ (fun j => / below (fun i => q ^ i) N * q ^ j)).
    - rewrite (below_scal _ (fun i => q ^ i)). apply Rinv_l. pose proof total_pos. lra.
    - intros j _. rewrite G. unfold stops. unfold Rdiv. ring. }
  assert (E1 : 1 <= exp eps) by (rewrite <- exp_0; destruct E0 as [E|<-]; [left; apply exp_increasing; assumption|lra]).
  assert (Split : forall r, sumR r outs = sumR (fun y => if accepted y then r y else 0) outs + refused r).
  { intros r. unfold refused. clear. induction outs as [|y l IH]; cbn [sumR]; [ring|]. rewrite IH.
    destruct (accepted y); ring. }
  assert (Pos : forall r, (forall y, In y outs -> 0 <= r y) -> 0 <= sumR r outs).
  { intros r R. clear - R. induction outs as [|y l IH]; cbn [sumR]; [lra|]. pose proof (R y (or_introl eq_refl)).
    assert (0 <= sumR r l) by (apply IH; intros; apply R; right; assumption). lra. }
  assert (Up : forall r r', (forall y, In y outs -> r y <= exp eps * r' y) -> sumR r outs <= exp eps * sumR r' outs).
  { intros r r' R. rewrite <- sumR_scal. apply sumR_le. assumption. }
  pose proof (Split p) as S. pose proof (Split p') as S'. rewrite T in S. rewrite T' in S'.
  set (a := sumR (fun y => if accepted y then p y else 0) outs) in *.
  set (a' := sumR (fun y => if accepted y then p' y else 0) outs) in *.
  assert (A0 : 0 <= a) by (apply Pos; intros y I; destruct (H y I); destruct (accepted y); lra).
  assert (A0' : 0 <= a') by (apply Pos; intros y I; destruct (H y I) as (_ & ? & _); destruct (accepted y); lra).
  assert (B0 : 0 <= refused p) by (apply Pos; intros y I; destruct (H y I); destruct (accepted y); lra).
  assert (B0' : 0 <= refused p').
  { apply Pos. intros y I. destruct (H y I) as (_ & ? & _). destruct (accepted y); lra. }
  assert (B : refused p <= exp eps * refused p').
  { apply Up. intros y I. destruct (H y I) as (_ & _ & ? & _). destruct (accepted y); lra. }
  assert (A : a' <= exp eps * a).
  { apply Up. intros y I. destruct (H y I) as (_ & _ & _ & ?). destruct (accepted y); lra. }
  assert (G : gained p test <= exp eps * gained p' test).
  { apply Up. intros y I. destruct (H y I) as (_ & _ & ? & _). pose proof (O (Some y)). destruct (accepted y); nra. }
  assert (G0 : 0 <= gained p' test).
  { apply Pos. intros y I. destruct (H y I) as (_ & ? & _). pose proof (O (Some y)). destruct (accepted y); nra. }
  destruct (at_corner (exp eps) (refused p) (refused p')) as [D N']; try lra.
  { replace (1 - refused p) with a by lra. lra. }
  rewrite !selected_closed. unfold level.
  set (u := 1 / (1 + exp eps)) in *. set (v := exp eps / (1 + exp eps)) in *.
  assert (U0 : 0 < u) by (apply Rdiv_lt_0_compat; lra). assert (V0 : 0 < v) by (apply Rdiv_lt_0_compat; lra).
  destruct (both_pos u U0) as [Du Nu]. destruct (both_pos v V0) as [Dv Nv].
  set (x := ln (none v / none u)). set (y := eps + ln (density v / density u)).
  assert (Ex : exp x = none v / none u) by (apply exp_ln, Rdiv_lt_0_compat; assumption).
  assert (Ey : exp y = exp eps * (density v / density u)).
  { unfold y. rewrite exp_plus, exp_ln by (apply Rdiv_lt_0_compat; assumption). reflexivity. }
  assert (Mono : forall s t, s <= t -> exp s <= exp t).
  { intros s t [X | ->]; [left; apply exp_increasing; assumption|lra]. }
  pose proof (Mono _ _ (Rmax_l x y)) as Mx. pose proof (Mono _ _ (Rmax_r x y)) as My. rewrite Ex in Mx.
  rewrite Ey in My.
  set (m := exp (Rmax x y)) in *.
  assert (D' : density (refused p) <= density v / density u * density (refused p')).
  { apply (Rmult_le_reg_r (density u)); [assumption|].
    replace (density v / density u * density (refused p') * density u) with (density v * density (refused p'))
      by (field; lra). assumption. }
  assert (N2 : none (refused p) <= none v / none u * none (refused p')).
  { apply (Rmult_le_reg_r (none u)); [assumption|].
    replace (none v / none u * none (refused p') * none u) with (none v * none (refused p')) by (field; lra).
    assumption. }
  assert (P0 : 0 <= density (refused p')).
  { apply below_pos. intros. apply Rmult_le_pos; [apply goes_on_pos|apply pow_le; assumption]. }
  assert (P1 : 0 <= density (refused p)).
  { apply below_pos. intros. apply Rmult_le_pos; [apply goes_on_pos|apply pow_le; assumption]. }
  assert (P2 : 0 <= none (refused p')).
  { apply below_pos. intros. apply Rmult_le_pos; [apply stops_pos|apply pow_le; assumption]. }
  assert (F1 : gained p test * density (refused p) <= m * (gained p' test * density (refused p'))).
  { apply Rle_trans with (exp eps * gained p' test * (density v / density u * density (refused p'))).
    - apply Rle_trans with (exp eps * gained p' test * density (refused p)); [apply Rmult_le_compat_r; assumption|].
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption].
    - replace (exp eps * gained p' test * (density v / density u * density (refused p'))) with
        (exp eps * (density v / density u) * (gained p' test * density (refused p'))) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; assumption|assumption]. }
  assert (F2 : test None * none (refused p) <= m * (test None * none (refused p'))).
  { apply Rle_trans with (test None * (none v / none u * none (refused p'))).
    - apply Rmult_le_compat_l; [apply O|assumption].
    - replace (test None * (none v / none u * none (refused p'))) with
        (none v / none u * (test None * none (refused p'))) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply O|assumption]|assumption]. }
  lra.
Qed.
End Selection.
