(* A checker of gamma+ = T(t+1) - T(t), T(p) = 1/sqrt(1 - g p), the constant by which the reciprocal of the local
   sensitivity moves: upper bounds at every rational t, in integers. *)
From Coq Require Import Reals Lra ZArith Lia Bool.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import EdgeCheck.
Open Scope R_scope.

(* From below by the recurrence; from above because the squares at t and t + 1/2 multiply to t/(t + 1/2).
   The square roots are integers over S = 2^m, taken by Z.sqrt and tested. *)
Definition step_ok (K m : nat) (a b u : Z) (s : nat) : bool :=
  (let S := 2 ^ Z.of_nat m in
   let (p0, q0) := low K a b in
   let (p, q) := low K (2 * a + 3 * b) (2 * b) in
   let P1 := 2 * (a + b) * q in let Q1 := (2 * a + 3 * b) * p in
   let x0 := Z.sqrt (S * S * p0 / q0) in let x1 := Z.sqrt (S * S * P1 / Q1) + 1 in
   let y0 := Z.sqrt (S * S * S / (S - x0)) in let y1 := Z.sqrt (S * S * S / (S - x1)) + 1 in
   (0 <? a) && (0 <? b) && (b <=? a + Z.of_nat K * b) && (2 * b <=? 2 * a + 3 * b + Z.of_nat K * (2 * b)) &&
   (0 <? p) && (0 <=? x0) && (0 <=? x1) && (0 <=? y0) && (0 <=? y1) && (x0 <? S) && (x1 <? S) &&
   (x0 * x0 * q0 <=? S * S * p0) && (S * S * P1 <=? x1 * x1 * Q1) &&
   (y0 * y0 * (S - x0) <=? S * S * S) && (S * S * S <=? y1 * y1 * (S - x1)) &&
   ((y1 - y0) * 2 ^ Z.of_nat s <=? u * S))%Z.

Lemma below x y : 0 <= x -> 0 <= y -> x * x <= y * y -> x <= y.
Proof. intros X Y L. apply Rsqr_incr_0_var; assumption. Qed.
(* z = 1 - g: the reciprocal root between y0/S and y1/S *)
Lemma root_low z y : 0 < z -> 0 <= y -> y * y * z <= 1 -> y <= 1 / sqrt z.
Proof.
  intros Z Y L. assert (R : 0 < sqrt z) by (apply sqrt_lt_R0; assumption). pose proof (sqrt_sqrt z ltac:(lra)) as E.
  apply (Rmult_le_reg_r (sqrt z)); [assumption|]. replace (1 / sqrt z * sqrt z) with 1 by (field; lra).
  apply below; [apply Rmult_le_pos; lra|lra|].
    replace (y * sqrt z * (y * sqrt z)) with (y * y * (sqrt z * sqrt z)) by ring.
  rewrite E. lra.
Qed.
Lemma root_high z y : 0 < z -> 0 <= y -> 1 <= y * y * z -> 1 / sqrt z <= y.
Proof.
  intros Z Y L. assert (R : 0 < sqrt z) by (apply sqrt_lt_R0; assumption). pose proof (sqrt_sqrt z ltac:(lra)) as E.
  apply (Rmult_le_reg_r (sqrt z)); [assumption|]. replace (1 / sqrt z * sqrt z) with 1 by (field; lra).
  apply below; [lra|apply Rmult_le_pos; lra|].
    replace (y * sqrt z * (y * sqrt z)) with (y * y * (sqrt z * sqrt z)) by ring.
  rewrite E. lra.
Qed.

Section Step.
Variable Gamma : R -> R.
Hypothesis Gpos : forall t, 0 < t -> 0 < Gamma t.
Hypothesis Grec : forall t, 0 < t -> Gamma (t + 1) = t * Gamma t.
Hypothesis wendel : forall t, 0 < t -> is_lim_seq (fun n => gsq Gamma (t + INR n)) 1.

Definition T t := 1 / sqrt (1 - g Gamma t).

Lemma halves t : 0 < t -> gsq Gamma t * gsq Gamma (t + / 2) = t / (t + / 2).
Proof.
  intros H. unfold gsq. replace (t + / 2 + / 2) with (t + 1) by field. rewrite Grec by assumption.
  pose proof (Gpos t H). pose proof (Gpos (t + / 2) ltac:(lra)). field. lra.
Qed.

Theorem step_sound K m a b u s : step_ok K m a b u s = true ->
  T (IZR a / IZR b + 1) - T (IZR a / IZR b) <= IZR u / 2 ^ s.
Proof.
  unfold step_ok. set (S := (2 ^ Z.of_nat m)%Z). intros H.
  pose proof (low_sound Gamma Gpos Grec wendel K a b) as L0.
  pose proof (low_sound Gamma Gpos Grec wendel K (2 * a + 3 * b) (2 * b)) as L1.
  destruct (low K a b) as [p0 q0]. destruct (low K (2 * a + 3 * b) (2 * b)) as [p q]. cbn [fst snd] in *.
  set (P1 := (2 * (a + b) * q)%Z) in *. set (Q1 := ((2 * a + 3 * b) * p)%Z) in *.
  set (x0 := Z.sqrt (S * S * p0 / q0)) in *. set (x1 := (Z.sqrt (S * S * P1 / Q1) + 1)%Z) in *.
  set (y0 := Z.sqrt (S * S * S / (S - x0))) in *. set (y1 := (Z.sqrt (S * S * S / (S - x1)) + 1)%Z) in *.
  clearbody x0 x1 y0 y1.
  repeat (apply andb_prop in H as [H ?]).
  repeat match goal with
    | E : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in E
    | E : (_ <=? _)%Z = true |- _ => apply Z.leb_le in E
    end.
  destruct (L0 ltac:(lia) ltac:(lia) ltac:(lia)) as [q0pos B0].
  destruct (L1 ltac:(lia) ltac:(lia) ltac:(lia)) as [qpos B1]. clear L0 L1.
  assert (Sr : IZR (2 ^ Z.of_nat s) = 2 ^ s) by (rewrite <- pow_IZR; reflexivity).
  assert (apos : 0 < IZR a) by (apply IZR_lt; lia). assert (bpos : 0 < IZR b) by (apply IZR_lt; lia).
  set (t := IZR a / IZR b) in *. assert (tpos : 0 < t) by (apply Rdiv_lt_0_compat; assumption).
  replace (IZR (2 * a + 3 * b) / IZR (2 * b)) with (t + 1 + / 2) in B1
    by (unfold t; rewrite plus_IZR, !mult_IZR; field; lra).
  pose proof (halves (t + 1) ltac:(lra)) as Hv.
  pose proof (g_gsq Gamma Gpos t tpos) as [g0 E0]. pose proof (g_gsq Gamma Gpos (t + 1) ltac:(lra)) as [g1 E1].
  pose proof (gsq_pos Gamma Gpos (t + 1 + / 2) ltac:(lra)) as Gh.
  repeat match goal with
    | E : (_ < _)%Z |- _ => apply IZR_lt in E
    | E : (_ <= _)%Z |- _ => apply IZR_le in E
    end.
  unfold P1, Q1 in *. rewrite ?minus_IZR, ?mult_IZR, ?plus_IZR, ?minus_IZR, ?mult_IZR, ?plus_IZR, ?Sr in *.
  set (V := IZR S) in *. set (X0 := IZR x0) in *. set (X1 := IZR x1) in *.
  set (Y0 := IZR y0) in *. set (Y1 := IZR y1) in *.
  assert (Vpos : 0 < V) by lra.
  (* g t >= X0/V *)
  assert (A0 : X0 / V <= g Gamma t).
  { apply below; [apply Rle_mult_inv_pos; lra|lra|]. rewrite E0.
    apply (Rmult_le_reg_r (V * V * IZR q0)). { repeat apply Rmult_lt_0_compat; lra. }
    replace (X0 / V * (X0 / V) * (V * V * IZR q0)) with (X0 * X0 * IZR q0) by (field; lra).
    replace (gsq Gamma t * (V * V * IZR q0)) with (V * V * (IZR q0 * gsq Gamma t)) by ring.
    eapply Rle_trans; [eassumption|]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption]. }
  (* g (t + 1) <= X1/V *)
  assert (A1 : g Gamma (t + 1) <= X1 / V).
  { apply below; [lra|apply Rle_mult_inv_pos; lra|]. rewrite E1.
    assert (U : gsq Gamma (t + 1) * ((2 * IZR a + 3 * IZR b) * IZR p) <= 2 * (IZR a + IZR b) * IZR q).
    { apply Rle_trans with (gsq Gamma (t + 1) * ((2 * IZR a + 3 * IZR b) * (IZR q * gsq Gamma (t + 1 + / 2)))).
      - apply Rmult_le_compat_l; [left; apply gsq_pos; auto; lra|]. apply Rmult_le_compat_l; lra.
      - replace (gsq Gamma (t + 1) * ((2 * IZR a + 3 * IZR b) * (IZR q * gsq Gamma (t + 1 + / 2))))
          with ((gsq Gamma (t + 1) * gsq Gamma (t + 1 + / 2)) * ((2 * IZR a + 3 * IZR b) * IZR q)) by ring.
        rewrite Hv. right. unfold t. field. lra. }
    apply (Rmult_le_reg_r (V * V * ((2 * IZR a + 3 * IZR b) * IZR p))).
    { repeat apply Rmult_lt_0_compat; lra. }
    replace (X1 / V * (X1 / V) * (V * V * ((2 * IZR a + 3 * IZR b) * IZR p)))
      with (X1 * X1 * ((2 * IZR a + 3 * IZR b) * IZR p)) by (field; lra).
    eapply Rle_trans; [|eassumption].
    replace (gsq Gamma (t + 1) * (V * V * ((2 * IZR a + 3 * IZR b) * IZR p)))
      with (V * V * (gsq Gamma (t + 1) * ((2 * IZR a + 3 * IZR b) * IZR p))) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption]. }
  assert (X1V : X1 / V < 1).
  { apply (Rmult_lt_reg_r V); [assumption|]. replace (X1 / V * V) with X1 by (field; lra). lra. }
  assert (mono : g Gamma t <= g Gamma (t + 1)).
  { apply below; [lra|lra|]. rewrite E0, E1, gsq_step by assumption.
    rewrite <- (Rmult_1_r (gsq Gamma t)) at 1. apply Rmult_le_compat_l; [left; apply gsq_pos; auto|].
    apply (Rmult_le_reg_r (t * (t + 1))); [apply Rmult_lt_0_compat; lra|].
    replace ((t + / 2) ^ 2 / (t * (t + 1)) * (t * (t + 1))) with ((t + / 2) ^ 2) by (field; lra). lra. }
  assert (R0 : Y0 / V <= T t).
  { apply root_low; [lra|apply Rle_mult_inv_pos; lra|].
    apply Rle_trans with (Y0 / V * (Y0 / V) * (1 - X0 / V)).
    - apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Rle_mult_inv_pos; lra|lra].
    - apply (Rmult_le_reg_r (V * V * V)); [repeat apply Rmult_lt_0_compat; assumption|].
      replace (Y0 / V * (Y0 / V) * (1 - X0 / V) * (V * V * V)) with (Y0 * Y0 * (V - X0)) by (field; lra). lra. }
  assert (R1 : T (t + 1) <= Y1 / V).
  { apply root_high; [lra|apply Rle_mult_inv_pos; lra|].
    apply Rle_trans with (Y1 / V * (Y1 / V) * (1 - X1 / V)).
    - apply (Rmult_le_reg_r (V * V * V)); [repeat apply Rmult_lt_0_compat; assumption|].
      replace (Y1 / V * (Y1 / V) * (1 - X1 / V) * (V * V * V)) with (Y1 * Y1 * (V - X1)) by (field; lra). lra.
    - apply Rmult_le_compat_l; [apply Rmult_le_pos; apply Rle_mult_inv_pos; lra|lra]. }
  assert (W : 0 < 2 ^ s) by (apply pow_lt; lra).
  apply Rle_trans with (Y1 / V - Y0 / V); [lra|].
  apply (Rmult_le_reg_r (V * 2 ^ s)); [apply Rmult_lt_0_compat; assumption|].
  replace ((Y1 / V - Y0 / V) * (V * 2 ^ s)) with ((Y1 - Y0) * 2 ^ s) by (field; lra).
  replace (IZR u / 2 ^ s * (V * 2 ^ s)) with (IZR u * V) by (field; lra). assumption.
Qed.
End Step.
