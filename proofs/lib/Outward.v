(* One step outward after rounding to nearest encloses the exact result: binary64 with gradual underflow, values below
   overflow. *)
From Coq Require Import ZArith Reals Lra.
From Flocq Require Import Core.
Open Scope R_scope.

Definition emin := (-1074)%Z. Definition prec := 53%Z.
Definition fexp := FLT_exp emin prec.
Global Instance prec_pos : Prec_gt_0 prec. Proof. reflexivity. Qed.
Definition rnd := round radix2 fexp ZnearestE.
Definition up := succ radix2 fexp. Definition down := pred radix2 fexp.

Lemma format x : generic_format radix2 fexp (rnd x).
Proof. apply generic_format_round; [apply FLT_exp_valid; reflexivity|apply valid_rnd_N]. Qed.

Lemma enclosed x : down (rnd x) <= x <= up (rnd x).
Proof.
  assert (V : Valid_exp fexp) by (apply FLT_exp_valid; reflexivity).
  destruct (Rle_or_lt x (rnd x)) as [L|L].
  - split; [|apply Rle_trans with (rnd x); [assumption|apply succ_ge_id]].
    unfold down. destruct (Rle_or_lt (pred radix2 fexp (rnd x)) x) as [K|K]; [assumption|exfalso].
    (* x < pred (rnd x), which is a float: rounding cannot pass it *)
    assert (M : rnd x <= pred radix2 fexp (rnd x)).
    { apply round_le_generic; [assumption|apply valid_rnd_N|apply generic_format_pred;
      [assumption|apply format]|lra]. }
    destruct (Req_dec (rnd x) 0) as [Z|Z].
    + rewrite Z, pred_0 in M by assumption. pose proof (bpow_gt_0 radix2 emin).
      unfold fexp in M. rewrite ulp_FLT_0 in M by reflexivity. unfold emin in *. lra.
    + pose proof (pred_lt_id radix2 fexp (rnd x) Z). lra.
  - split; [apply Rle_trans with (rnd x); [apply pred_le_id|lra]|].
    unfold up. destruct (Rle_or_lt x (succ radix2 fexp (rnd x))) as [K|K]; [assumption|exfalso].
    assert (M : succ radix2 fexp (rnd x) <= rnd x).
    { apply round_ge_generic; [assumption|apply valid_rnd_N|apply generic_format_succ;
      [assumption|apply format]|lra]. }
    destruct (Req_dec (rnd x) 0) as [Z|Z].
    + rewrite Z, succ_0 in M. pose proof (bpow_gt_0 radix2 emin). unfold fexp in M.
      rewrite ulp_FLT_0 in M by reflexivity. unfold emin in *. lra.
    + pose proof (succ_gt_id radix2 fexp (rnd x) Z). lra.
Qed.

(* Interval.Add, Mul (four corners), Sqrt *)
Record interval := { lo : R; hi : R }.
Definition has i v := lo i <= v <= hi i.
Definition add i j := {| lo := down (rnd (lo i + lo j)); hi := up (rnd (hi i + hi j)) |}.
Theorem add_sound i j v w : has i v -> has j w -> has (add i j) (v + w).
Proof. unfold has; cbn. intros. pose proof (enclosed (lo i + lo j)). pose proof (enclosed (hi i + hi j)). lra. Qed.
Definition mul i j :=
  let a := rnd (lo i * lo j) in let b := rnd (lo i * hi j) in let c := rnd (hi i * lo j) in let d := rnd (hi i * hi
    j) in
  {| lo := down (Rmin (Rmin a b) (Rmin c d)); hi := up (Rmax (Rmax a b) (Rmax c d)) |}.
Lemma ends a b v w : a <= v <= b -> Rmin (a * w) (b * w) <= v * w <= Rmax (a * w) (b * w).
Proof.
  intros [A B]. destruct (Rle_or_lt 0 w) as [W|W].
  - assert (a * w <= v * w) by (apply Rmult_le_compat_r; lra).
    assert (v * w <= b * w) by (apply Rmult_le_compat_r; lra).
    unfold Rmin, Rmax. repeat destruct (Rle_dec _ _); lra.
  - assert (v * w <= a * w) by nra. assert (b * w <= v * w) by nra. unfold Rmin, Rmax.
    repeat destruct (Rle_dec _ _); lra.
Qed.
Lemma corners a b c d v w : a <= v <= b -> c <= w <= d ->
  Rmin (Rmin (a * c) (a * d)) (Rmin (b * c) (b * d)) <= v * w <= Rmax (Rmax (a * c) (a * d)) (Rmax (b * c) (b * d)).
Proof.
  intros V W. pose proof (ends a b v w V) as E. pose proof (ends c d w a W) as A. pose proof (ends c d w b W) as B.
  rewrite (Rmult_comm c a), (Rmult_comm d a), (Rmult_comm w a) in A.
    rewrite (Rmult_comm c b), (Rmult_comm d b), (Rmult_comm w b) in B.
  revert E A B. unfold Rmin, Rmax. repeat destruct (Rle_dec _ _); lra.
Qed.
Lemma rnd_le x y : x <= y -> rnd x <= rnd y.
Proof. apply round_le; [apply FLT_exp_valid; reflexivity|apply valid_rnd_N]. Qed.
Lemma rnd_min x y : Rmin (rnd x) (rnd y) = rnd (Rmin x y).
Proof. unfold Rmin at 2. destruct (Rle_dec x y) as [L|L]; [apply Rmin_left, rnd_le;
  assumption|apply Rmin_right, rnd_le; lra]. Qed.
Lemma rnd_max x y : Rmax (rnd x) (rnd y) = rnd (Rmax x y).
Proof. unfold Rmax at 2. destruct (Rle_dec x y) as [L|L]; [apply Rmax_right, rnd_le;
  assumption|apply Rmax_left, rnd_le; lra]. Qed.
Theorem mul_sound i j v w : has i v -> has j w -> has (mul i j) (v * w).
Proof.
  unfold has, mul; cbn. intros V W. rewrite !rnd_min, !rnd_max. pose proof (corners _ _ _ _ _ _ V W).
  set (m := Rmin _ _) in *. set (M := Rmax _ _) in *. pose proof (enclosed m). pose proof (enclosed M). lra.
Qed.
Theorem sqrt_sound x v : 0 <= x -> v = sqrt x -> down (rnd (sqrt x)) <= v <= up (rnd (sqrt x)).
Proof. intros _ ->. apply enclosed. Qed.
