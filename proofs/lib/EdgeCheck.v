(* An integer checker of Hellinger edges for every rational prior: edge(a/b, c/d) <= u/2^s.
   Gamma is positive, Gamma(t+1) = t Gamma(t), and Gamma(t+1/2)^2 / (t Gamma(t)^2) -> 1 along t, t+1, ... (Wendel). *)
From Coq Require Import Reals Lra ZArith Lia.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition N t := t ^ 5 - t ^ 4 / 4 + t ^ 3 / 32 + t ^ 2 / 128 - 5 * t / 2048 - 23 / 8192.
Definition r t := N t / t ^ 5.

Section Bound.
Variable Gamma : R -> R.
Hypothesis Gpos : forall t, 0 < t -> 0 < Gamma t.
Hypothesis Grec : forall t, 0 < t -> Gamma (t + 1) = t * Gamma t.
Definition gsq t := (Gamma (t + / 2) / Gamma t) ^ 2 / t.
Hypothesis wendel : forall t, 0 < t -> is_lim_seq (fun n => gsq (t + INR n)) 1.

Lemma gsq_pos t : 0 < t -> 0 < gsq t.
Proof. intros H. unfold gsq. apply Rdiv_lt_0_compat; [|assumption]. apply pow_lt, Rdiv_lt_0_compat; apply Gpos; lra.
  Qed.
Lemma gsq_step t : 0 < t -> gsq (t + 1) = gsq t * ((t + / 2) ^ 2 / (t * (t + 1))).
Proof.
  intros H. unfold gsq. replace (t + 1 + / 2) with (t + / 2 + 1) by ring. rewrite (Grec (t + / 2)), (Grec t) by lra.
  pose proof (Gpos t H). field. lra.
Qed.
Lemma r_step t : 0 < t -> (t + / 2) ^ 2 / (t * (t + 1)) * r t <= r (t + 1).
Proof.
  intros H. unfold r. apply Rminus_le.
  replace ((t + / 2) ^ 2 / (t * (t + 1)) * (N t / t ^ 5) - N (t + 1) / (t + 1) ^ 5)
    with (- (23 / 32768 + 51 / 8192 * t + 347 / 16384 * t ^ 2 + 191 / 8192 * t ^ 3 + 159 / 32768 * t ^ 4) / (t ^ 6 *
      (t + 1) ^ 5)).
  2:{ unfold N. field. lra. }
  assert (P : 0 <= (23 / 32768 + 51 / 8192 * t + 347 / 16384 * t ^ 2 + 191 / 8192 * t ^ 3 + 159 / 32768 * t ^ 4) /
    (t ^ 6 * (t + 1) ^ 5)).
  { apply Rle_mult_inv_pos; [|apply Rmult_lt_0_compat; apply pow_lt; lra]. pose proof (pow_le t 2 ltac:(lra)).
    pose proof (pow_le t 3 ltac:(lra)). pose proof (pow_le t 4 ltac:(lra)). lra. }
  unfold Rdiv in *. rewrite Ropp_mult_distr_l_reverse. lra.
Qed.
Lemma r_range t : 1 <= t -> 0 < r t <= 1.
Proof.
  intros H. unfold r. assert (0 < t ^ 5) by (apply pow_lt; lra).
  assert (1 <= t ^ 2) by (apply pow_R1_Rle; lra). assert (1 <= t ^ 3) by (apply pow_R1_Rle; lra).
  assert (t <= t ^ 4) by (replace (t ^ 4) with (t * t ^ 3) by ring; rewrite <- (Rmult_1_r t) at 1;
    apply Rmult_le_compat_l; lra).
  assert (t ^ 4 <= t ^ 5) by (replace (t ^ 5) with (t * t ^ 4) by ring; rewrite <- (Rmult_1_l (t ^ 4)) at 1;
    apply Rmult_le_compat_r; [apply pow_le|]; lra).
  assert (t ^ 3 <= t ^ 4) by (replace (t ^ 4) with (t * t ^ 3) by ring; rewrite <- (Rmult_1_l (t ^ 3)) at 1;
    apply Rmult_le_compat_r; lra).
  assert (t ^ 2 <= t ^ 3) by (replace (t ^ 3) with (t * t ^ 2) by ring; rewrite <- (Rmult_1_l (t ^ 2)) at 1;
    apply Rmult_le_compat_r; lra).
  split; [apply Rdiv_lt_0_compat; unfold N; lra|]. apply (Rmult_le_reg_r (t ^ 5)); [assumption|].
    replace (N t / t ^ 5 * t ^ 5) with (N t) by (field; lra). unfold N. lra.
Qed.
Lemma chain t n : 1 <= t -> gsq (t + INR n) * r t <= gsq t * r (t + INR n).
Proof.
  intros H. induction n as [|n IH]. { simpl. rewrite !Rplus_0_r. lra. }
  rewrite S_INR, <- Rplus_assoc. set (s := t + INR n) in *.
    assert (Hs : 1 <= s) by (unfold s; pose proof (pos_INR n); lra).
  rewrite gsq_step by lra. set (k := (s + / 2) ^ 2 / (s * (s + 1))).
  assert (K : 0 < k) by (unfold k; apply Rdiv_lt_0_compat; [apply pow_lt|apply Rmult_lt_0_compat]; lra).
  apply Rle_trans with (k * (gsq t * r s)). { replace (gsq s * k * r t) with (k * (gsq s * r t)) by ring.
    apply Rmult_le_compat_l; lra. }
  replace (k * (gsq t * r s)) with (gsq t * (k * r s)) by ring.
    apply Rmult_le_compat_l; [left; apply gsq_pos; lra|]. apply r_step. lra.
Qed.
Theorem lower t : 1 <= t -> r t <= gsq t.
Proof.
  intros H. assert (L : is_lim_seq (fun n => gsq (t + INR n) * r t) (1 * r t)) by (apply is_lim_seq_mult';
    [apply wendel; lra|apply is_lim_seq_const]).
  apply (is_lim_seq_le (fun n => gsq (t + INR n) * r t) (fun _ => gsq t) (1 * r t) (gsq t)) in L; [simpl in L;
    lra| |apply is_lim_seq_const].
  intros n. eapply Rle_trans; [apply chain; assumption|]. rewrite <- (Rmult_1_r (gsq t)) at 2.
  apply Rmult_le_compat_l; [left; apply gsq_pos; lra|]. apply r_range. pose proof (pos_INR n). lra.
Qed.

(* K steps down from t + K in fixed point, t = a/b: a pair p, q with p/q below, rounded down at every step *)
Open Scope Z_scope.
Definition unit := 2 ^ 128.
Fixpoint low (K : nat) (a b : Z) : Z * Z :=
  match K with
  | O => (unit * (8192 * a ^ 5 - 2048 * a ^ 4 * b + 256 * a ^ 3 * b ^ 2 + 64 * a ^ 2 * b ^ 3 - 20 * a * b ^ 4 - 23 *
    b ^ 5)
          / (8192 * a ^ 5), unit)
  | S K' => let (p, q) := low K' (a + b) b in (4 * a * (a + b) * p / (2 * a + b) ^ 2, q)
  end.
Close Scope Z_scope.
Lemma floor_sound X Q q G : (0 < Q)%Z -> IZR X <= IZR Q * IZR q * G -> IZR (X / Q) <= IZR q * G.
Proof.
  intros H L. pose proof (Z.mul_div_le X Q H) as D. apply IZR_le in D. rewrite mult_IZR in D. apply IZR_lt in H.
  apply (Rmult_le_reg_l (IZR Q)); [assumption|]. lra.
Qed.
Lemma low_sound K : forall a b, (0 < b)%Z -> (0 < a)%Z -> (b <= a + Z.of_nat K * b)%Z ->
  (0 < snd (low K a b))%Z /\ IZR (fst (low K a b)) <= IZR (snd (low K a b)) * gsq (IZR a / IZR b).
Proof.
  induction K as [|K IH]; intros a b Hb Ha Hab.
  - assert (IZR b <= IZR a) by (apply IZR_le; lia). assert (B : 0 < IZR b) by (apply IZR_lt; lia).
    cbn [low fst snd]. split; [reflexivity|]. assert (UP : 0 < IZR unit) by (apply IZR_lt; reflexivity).
    pose proof (Z.pow_pos_nonneg a 5 Ha ltac:(lia)).
    apply floor_sound; [lia|].
    assert (T : 1 <= IZR a / IZR b).
    { apply (Rmult_le_reg_r (IZR b)); [assumption|]. replace (IZR a / IZR b * IZR b) with (IZR a) by (field; lra).
      lra. }
    pose proof (lower _ T) as L. rewrite mult_IZR. generalize dependent (IZR unit). intros W UP.
    change (a ^ 5)%Z with (a ^ Z.of_nat 5)%Z. change (a ^ 4)%Z with (a ^ Z.of_nat 4)%Z.
    change (a ^ 3)%Z with (a ^ Z.of_nat 3)%Z. change (a ^ 2)%Z with (a ^ Z.of_nat 2)%Z.
    change (b ^ 5)%Z with (b ^ Z.of_nat 5)%Z. change (b ^ 4)%Z with (b ^ Z.of_nat 4)%Z.
    change (b ^ 3)%Z with (b ^ Z.of_nat 3)%Z. change (b ^ 2)%Z with (b ^ Z.of_nat 2)%Z.
    repeat (rewrite minus_IZR || rewrite plus_IZR || rewrite mult_IZR). rewrite <- !pow_IZR.
    set (x := IZR a) in *. set (y := IZR b) in *. assert (P5 : 0 < x ^ 5) by (apply pow_lt; lra).
    apply Rle_trans with (8192 * x ^ 5 * W * r (x / y)).
    + right. unfold r, N. field. lra.
    + apply Rmult_le_compat_l; [|assumption]. repeat apply Rmult_le_pos; lra.
  - cbn [low]. specialize (IH (a + b)%Z b Hb ltac:(lia) ltac:(lia)).
    destruct (low K (a + b) b) as [p q]. cbn [fst snd] in *. destruct IH as [Q IH].
    assert (A : 0 < IZR a) by (apply IZR_lt; lia). assert (B : 0 < IZR b) by (apply IZR_lt; lia).
    assert (Q' : 0 < IZR q) by (apply IZR_lt; lia).
    assert (0 < (2 * a + b) ^ 2)%Z by (apply Z.pow_pos_nonneg; lia). split; [assumption|].
      apply floor_sound; [assumption|].
    change ((2 * a + b) ^ 2)%Z with ((2 * a + b) ^ Z.of_nat 2)%Z.
    rewrite !mult_IZR, <- pow_IZR, !plus_IZR, !mult_IZR. rewrite plus_IZR in IH.
    replace ((IZR a + IZR b) / IZR b) with (IZR a / IZR b + 1) in IH by (field; lra).
    rewrite gsq_step in IH by (apply Rdiv_lt_0_compat; lra).
    set (x := IZR a) in *. set (y := IZR b) in *. set (G := gsq (x / y)) in *.
    apply Rle_trans with (4 * x * (x + y) * (IZR q * (G * ((x / y + / 2) ^ 2 / (x / y * (x / y + 1)))))).
    + apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; lra.
    + right. field. lra.
Qed.

(* what the test takes of the two cells: the pairs that low gives of a/b and c/d *)
Definition pair_ok (K : nat) (l l' : Z * Z) (a b c d u : Z) (s : nat) : bool :=
  (let (p, q) := l in let (p', q') := l' in let D := 2 ^ (2 * Z.of_nat s) in
   (0 <? a) && (0 <? b) && (0 <? c) && (0 <? d) && (0 <=? u) && (u * u <=? D) && (b <=? a + Z.of_nat K * b) &&
   (d <=? c + Z.of_nat K * d) && (0 <=? p) && (0 <=? p') &&
   ((D - u * u) ^ 2 * (q * q') <=? p * p' * (D * D)))%Z%bool.
Definition edge_ok K a b c d u s := pair_ok K (low K a b) (low K c d) a b c d u s.
Definition g t := Gamma (t + / 2) / (Gamma t * sqrt t).
Lemma g_gsq t : 0 < t -> 0 < g t /\ g t * g t = gsq t.
Proof.
  intros H. pose proof (Gpos t H). assert (0 < Gamma (t + / 2)) by (apply Gpos; lra).
    assert (0 < sqrt t) by (apply sqrt_lt_R0; assumption).
  split; [unfold g; apply Rdiv_lt_0_compat; [assumption|apply Rmult_lt_0_compat; assumption]|].
  unfold g, gsq. transitivity (Gamma (t + / 2) * Gamma (t + / 2) / (Gamma t * Gamma t * (sqrt t * sqrt t))); [field;
    lra|]. rewrite sqrt_sqrt by lra. field. lra.
Qed.
Theorem edge_sound K a b c d u s : edge_ok K a b c d u s = true ->
  sqrt (1 - g (IZR a / IZR b) * g (IZR c / IZR d)) <= IZR u / 2 ^ s.
Proof.
  unfold edge_ok, pair_ok. intros H.
  assert (X := fun A B C => low_sound K a b A B C). assert (Y := fun A B C => low_sound K c d A B C).
  destruct (low K a b) as [p q], (low K c d) as [p' q']. cbn [fst snd] in *.
  repeat (apply andb_prop in H as [H ?]). repeat match goal with E : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in E |
    E : (_ <=? _)%Z = true |- _ => apply Z.leb_le in E end.
  destruct (X ltac:(assumption) ltac:(assumption) ltac:(assumption)) as [Q L].
    destruct (Y ltac:(assumption) ltac:(assumption) ltac:(assumption)) as [Q' L'].
  assert (Ra : 0 < IZR a / IZR b) by (apply Rdiv_lt_0_compat; apply IZR_lt; assumption).
  assert (Rc : 0 < IZR c / IZR d) by (apply Rdiv_lt_0_compat; apply IZR_lt; assumption).
  destruct (g_gsq _ Ra) as [G1 G2], (g_gsq _ Rc) as [G3 G4]. rewrite <- G2 in L. rewrite <- G4 in L'.
  set (x := g (IZR a / IZR b)) in *. set (y := g (IZR c / IZR d)) in *.
  assert (E : IZR (2 ^ (2 * Z.of_nat s)) = (2 ^ s) ^ 2).
  { rewrite <- pow_mult. replace (2 * Z.of_nat s)%Z with (Z.of_nat (s * 2)) by lia. rewrite <- pow_IZR. reflexivity. }
  apply IZR_lt in Q, Q'. 
  repeat match goal with E : (_ <= _)%Z |- _ => apply IZR_le in E end. rewrite ?mult_IZR in *.
  set (DD := (2 ^ (2 * Z.of_nat s))%Z) in *. set (V := 2 ^ s) in *. assert (VP : 0 < V) by (apply pow_lt; lra).
  change ((DD - u * u) ^ 2)%Z with ((DD - u * u) ^ Z.of_nat 2)%Z in *.
    rewrite <- pow_IZR, minus_IZR, mult_IZR, E in *.
  set (U := IZR u) in *.
  apply Rle_trans with (sqrt ((U / V) * (U / V))); [|rewrite sqrt_square; [lra|apply Rle_mult_inv_pos; lra]].
  apply sqrt_le_1_alt.
  assert (M : (V ^ 2 - U * U) ^ 2 <= (V ^ 2 * (x * y)) ^ 2).
  { apply (Rmult_le_reg_r (IZR q * IZR q')); [apply Rmult_lt_0_compat; assumption|].
    apply Rle_trans with (IZR p * IZR p' * (V ^ 2 * V ^ 2)); [assumption|].
    replace ((V ^ 2 * (x * y)) ^ 2 * (IZR q * IZR q')) with ((IZR q * (x * x)) * (IZR q' * (y * y)) * (V ^ 2 * V ^
      2)) by ring.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; apply pow_le; lra|]. apply Rmult_le_compat; assumption. }
  assert (W : V ^ 2 - U * U <= V ^ 2 * (x * y)).
  { apply Rsqr_incr_0_var; [rewrite !Rsqr_pow2; assumption|].
    apply Rmult_le_pos; [apply pow_le; lra|apply Rmult_le_pos; lra]. }
  replace (U / V * (U / V)) with (U * U / V ^ 2) by (field; lra).
    apply (Rmult_le_reg_r (V ^ 2)); [apply pow_lt; lra|].
  replace (U * U / V ^ 2 * V ^ 2) with (U * U) by (field; lra). lra.
Qed.
End Bound.
