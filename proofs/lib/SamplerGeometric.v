(* Bernoulli(e^-x) for every x = num/den, and the loop of the two-sided geometric sampler, both of Canonne, Kamath and
   Steinke. Coins are taken with their exact probabilities, and the sampler's number of whole units is not cut. *)
From Coq Require Import Reals Lra Lia Arith List.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Sampler.
Open Scope R_scope.

(* for ; num > den; num -= den { if !Bernoulli(e^-1) { return false } }; return Bernoulli(e^-(num/den)), within n trials
   for each coin *)
Fixpoint wide (n fuel num den : nat) : R :=
  match fuel with
  | O => 0
  | S f => if den <? num then heads 1 n * wide n f (num - den) den else heads (INR num / INR den) n
  end.

Theorem bernoulli_law num den : (0 < den)%nat ->
  is_lim_seq (fun n => wide (2 * n) (S num) num den) (exp (- (INR num / INR den))).
Proof.
  intros Hd. assert (Dr : 0 < INR den) by (apply lt_0_INR; assumption).
  assert (G : forall fuel num, (num < fuel)%nat ->
    is_lim_seq (fun n => wide (2 * n) fuel num den) (exp (- (INR num / INR den)))).
  2:{ apply G. lia. }
  induction fuel as [|f IH]; intros m Hm; [lia|]. cbn [wide]. destruct (Nat.ltb_spec den m) as [L|L].
  - replace (exp (- (INR m / INR den))) with (exp (- 1) * exp (- (INR (m - den) / INR den))).
    + exact (is_lim_seq_mult' _ _ _ _ (heads_law 1) (IH (m - den)%nat ltac:(lia))).
    + rewrite <- exp_plus. f_equal. rewrite minus_INR by lia. field. lra.
  - apply heads_law.
Qed.

(* sums over 0 .. n-1 *)
Fixpoint below (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => below m f + f m end.
Lemma below_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> below n f = below n g.
Proof. intros H. induction n as [|n IH]; cbn [below]; [reflexivity|]. rewrite IH, H by (intros; try apply H; lia).
  reflexivity. Qed.
Lemma below_scal n c f : below n (fun i => c * f i) = c * below n f.
Proof. induction n as [|n IH]; cbn [below]; [ring|]. rewrite IH. ring. Qed.
Lemma below_zero n f : (forall i, (i < n)%nat -> f i = 0) -> below n f = 0.
Proof. intros H. induction n as [|n IH]; cbn [below]; [reflexivity|]. rewrite IH, H by (intros; try apply H; lia). ring.
Qed.
Lemma below_add n m f : below (n + m) f = below n f + below m (fun i => f (n + i)%nat).
Proof. induction m as [|m IH]; [rewrite Nat.add_0_r; cbn; ring|]. rewrite Nat.add_succ_r. cbn [below]. rewrite IH. ring.
Qed.

Section Geometric.
Variables num den : nat.
Hypothesis num0 : (0 < num)%nat.
Hypothesis den0 : (0 < den)%nat.

(* one pass: u uniform below den, kept with probability e^-(u/den), v geometric at e^-1 *)
Definition pass (u v : nat) : R := / INR den * exp (- (INR u / INR den)) * ((1 - exp (- 1)) * exp (- 1) ^ v).
(* the pass gives |z| = m: all u and all v up to a bound beyond which (u + den v)/num is larger *)
Definition gives (bound m : nat) : R :=
  below bound (fun v => below den (fun u => if (u + den * v) / num =? m then pass u v else 0)).

Definition q0 : R := exp (- / INR den).
Definition q : R := exp (- (INR num / INR den)).
Definition unit : R := / INR den * (1 - exp (- 1)).

Lemma den_pos : 0 < INR den. Proof. apply lt_0_INR. assumption. Qed.
Lemma q0_lt : 0 < q0 < 1.
Proof. split; [apply exp_pos|]. unfold q0. rewrite <- exp_0. apply exp_increasing.
  pose proof (Rinv_0_lt_compat _ den_pos). lra. Qed.
Lemma exp_pow x n : exp x ^ n = exp (INR n * x).
Proof. induction n as [|n IH]; [cbn; rewrite Rmult_0_l, exp_0; reflexivity|]. rewrite <- tech_pow_Rmult, IH, <- exp_plus.
  f_equal. rewrite S_INR. ring. Qed.
Lemma pass_power u v : pass u v = unit * q0 ^ (u + den * v).
Proof.
  unfold pass, unit, q0. rewrite !exp_pow, plus_INR, mult_INR. pose proof den_pos.
  replace ((INR u + INR den * INR v) * - / INR den) with (- (INR u / INR den) + INR v * - 1) by (field; lra).
  rewrite exp_plus. ring.
Qed.
Lemma q_power : q = q0 ^ num.
Proof. unfold q, q0. rewrite exp_pow. f_equal. unfold Rdiv. ring. Qed.

(* u and v are the digits of x = u + den v *)
Lemma digits bound (g : nat -> R) : below bound (fun v => below den (fun u => g (u + den * v)%nat)) = below (den * bound) g.
Proof.
  induction bound as [|b IH]; [rewrite Nat.mul_0_r; reflexivity|]. cbn [below]. rewrite IH, Nat.mul_succ_r, below_add.
  f_equal. apply below_ext. intros. f_equal. lia.
Qed.
Lemma window m bound (g : nat -> R) : (num * S m <= bound)%nat ->
  below bound (fun x => if x / num =? m then g x else 0) = below num (fun j => g (num * m + j)%nat).
Proof.
  intros B. replace bound with (num * m + (num + (bound - num * S m)))%nat by lia. rewrite !below_add.
  rewrite (below_zero (num * m)), (below_zero (bound - num * S m)).
  - rewrite Rplus_0_l, Rplus_0_r. apply below_ext. intros j Hj.
    replace ((num * m + j) / num)%nat with m; [rewrite Nat.eqb_refl; reflexivity|].
    apply (Nat.div_unique _ _ _ j); lia.
  - intros i Hi. replace ((num * m + (num + i)) / num =? m) with false; [reflexivity|]. symmetry. apply Nat.eqb_neq.
    intros E. assert (num * S m <= num * m + (num + i))%nat as L by lia.
    apply (Nat.div_le_mono _ _ num) in L; [|lia]. rewrite E, Nat.mul_comm, Nat.div_mul in L by lia. lia.
  - intros i Hi. replace (i / num =? m) with false; [reflexivity|]. symmetry. apply Nat.eqb_neq. intros E.
    assert (i / num < m)%nat by (apply Nat.div_lt_upper_bound; lia). lia.
Qed.
Lemma powers n x : x < 1 -> below n (fun j => x ^ j) = (1 - x ^ n) / (1 - x).
Proof. intros H. induction n as [|n IH]; cbn [below]; [cbn; field; lra|]. rewrite IH. cbn [pow]. field. lra. Qed.

Theorem gives_law m bound : (num * S m <= den * bound)%nat ->
  gives bound m = unit / (1 - q0) * (1 - q) * q ^ m.
Proof.
  intros B. unfold gives.
  transitivity (below (den * bound) (fun x => if x / num =? m then unit * q0 ^ x else 0)).
  { rewrite <- (digits bound (fun x => if x / num =? m then unit * q0 ^ x else 0)). apply below_ext. intros v _.
    apply below_ext. intros u _. cbn beta. destruct (_ =? m); [apply pass_power|reflexivity]. }
  rewrite (window m _ (fun x => unit * q0 ^ x)) by assumption.
  rewrite (below_ext _ _ (fun j => unit * q0 ^ (num * m) * q0 ^ j)) by (intros; rewrite pow_add; ring).
  pose proof q0_lt. rewrite below_scal, powers by lra. rewrite pow_mult, <- q_power. field. lra.
Qed.

(* a fair sign; 0 with the sign - is refused, and the pass is made again *)
Definition trial (z : Z) : R :=
  / 2 * (unit / (1 - q0) * (1 - q) * q ^ Z.to_nat (Z.abs z)).
Theorem trial_is_a_pass z bound : (num * S (Z.to_nat (Z.abs z)) <= den * bound)%nat ->
  trial z = / 2 * gives bound (Z.to_nat (Z.abs z)).
Proof. intros B. unfold trial. rewrite gives_law by assumption. reflexivity. Qed.

(* the probability that a trial returns: the sum of trial z over all z *)
Definition returns : R := / 2 * (unit / (1 - q0)) * (1 + q).
Lemma q_lt : 0 < q < 1.
Proof. split; [apply exp_pos|]. unfold q. rewrite <- exp_0. apply exp_increasing.
  pose proof (Rdiv_lt_0_compat _ _ (lt_0_INR _ num0) den_pos). lra. Qed.
Theorem returns_total : is_series (fun k => trial (Z.of_nat k) + trial (- Z.of_nat (S k))) returns.
Proof.
  pose proof q_lt. pose proof q0_lt. unfold returns.
  replace (/ 2 * (unit / (1 - q0)) * (1 + q)) with (/ 2 * (unit / (1 - q0)) * (1 - q) * (1 + q) * / (1 - q)) by
    (field; lra).
  apply (is_series_ext (fun k => scal (/ 2 * (unit / (1 - q0)) * (1 - q) * (1 + q)) (q ^ k))).
  - intros k. unfold trial. replace (Z.to_nat (Z.abs (Z.of_nat k))) with k by lia.
    replace (Z.to_nat (Z.abs (- Z.of_nat (S k)))) with (S k) by lia. cbn [pow]. unfold scal. cbn. unfold mult. cbn. ring.
  - apply (is_series_scal_l (V := R_NormedModule)). apply is_series_geom. rewrite Rabs_pos_eq; lra.
Qed.
Lemma bernoulli x n : 0 < x < 1 -> 1 - x ^ n <= INR n * (1 - x).
Proof.
  intros H. induction n as [|n IH]; [cbn; lra|]. rewrite S_INR. cbn [pow].
  assert (x ^ n <= 1) by (rewrite <- (pow1 n); apply pow_incr; lra).
  assert (0 < x ^ n) by (apply pow_lt; lra). nra.
Qed.
Lemma returns_pos : 0 < returns <= 1.
Proof.
  pose proof q_lt as Q. pose proof q0_lt as Q0. pose proof den_pos as D.
  assert (E1 : q0 ^ den = exp (- 1)) by (unfold q0; rewrite exp_pow; f_equal; field; lra).
  pose proof (bernoulli q0 den Q0) as B. rewrite E1 in B.
  assert (P : 0 < 1 - exp (- 1)).
  { assert (L : exp (- 1) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in L. lra. }
  assert (U : 0 < unit / (1 - q0) <= 1).
  { unfold unit. assert (X : 0 < INR den * (1 - q0)) by (apply Rmult_lt_0_compat; lra).
    replace (/ INR den * (1 - exp (- 1)) / (1 - q0)) with ((1 - exp (- 1)) / (INR den * (1 - q0))) by (field; lra).
    split; [apply Rdiv_lt_0_compat; assumption|]. apply (Rmult_le_reg_r (INR den * (1 - q0))); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  unfold returns. set (w := unit / (1 - q0)) in *. split; nra.
Qed.

(* The loop repeats trials until one returns: the law of two-sided geometric noise at rate num/den, exactly. *)
Theorem sampler_law z : is_series (fun n => (1 - returns) ^ n * trial z) ((1 - q) / (1 + q) * q ^ Z.to_nat (Z.abs z)).
Proof.
  pose proof q_lt as Q. pose proof q0_lt as Q0. pose proof returns_pos as R.
  assert (W : unit / (1 - q0) <> 0). { intros E. unfold returns in R. rewrite E in R. lra. }
  replace ((1 - q) / (1 + q) * q ^ Z.to_nat (Z.abs z)) with (trial z * / (1 - (1 - returns))).
  - apply (is_series_ext (fun n => scal (trial z) ((1 - returns) ^ n))).
    + intros n. unfold scal. cbn. unfold mult. cbn. ring.
    + apply (is_series_scal_l (V := R_NormedModule)). apply is_series_geom. rewrite Rabs_pos_eq; lra.
  - replace (1 - (1 - returns)) with returns by ring. unfold trial, returns.
    set (w := unit / (1 - q0)) in *. field. lra.
Qed.
End Geometric.
