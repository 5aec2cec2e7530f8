(* The text of DiscreteGaussian.Draw: proposals are kept until one is accepted. Proposals, the scale and the coin of
   acceptance have given laws at the arguments of these calls; GaussianText says that the text of the last two has them,
   and what these make of the limit. *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import SamplerGeometric GoProgram.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

Section Gaussian.
Definition law := list Z -> (list Z -> R) -> R.
Variables (num den n t : Z) (p keep : Z -> R) (scale draw accept : law).
Hypothesis n0 : (0 <= n < 2 ^ 63)%Z.
Hypothesis total : sum (2 * n + 1) (fun i => p (i - n)%Z) = 1.          (* proposals -n .. n *)
Hypothesis scaled : forall k, scale [num; den] k = k [t].
Hypothesis drawn : forall k, draw [1%Z; t] k = sum (2 * n + 1) (fun i => p (i - n)%Z * k [i - n]%Z).
Hypothesis kept : forall y k, (0 <= y <= n)%Z -> accept [num; den; y; t] k = keep y * k [1%Z] + (1 - keep y) * k [0%Z].
Definition larger (args : list Z) (k : list Z -> R) : R := match args with [a; b] => k [Z.max a b] | _ => 0 end.
Definition calls := also "DiscreteGaussian_scale" scale (also "TwoSidedGeometric_Draw" draw
  (also "DiscreteGaussian_accept" accept (also "max" larger machine))).
Definition accepted : R := sum (2 * n + 1) (fun i => p (i - n)%Z * keep (Z.abs (i - n))).
Theorem gaussian_value z fuel : (- n <= z <= n)%Z -> accepted <> 0 ->
  run calls fuel DiscreteGaussian_Draw [num; den] (is z) =
  (1 - (1 - accepted) ^ fuel) * (p z * keep (Z.abs z) / accepted).
Proof.
  intros Hz A. unfold run, DiscreteGaussian_Draw, execs.
  cbn -[sum Z.mul Z.eqb truth wrap Z.opp Z.sub Z.max is pow]. rewrite scaled.
  cbn -[sum Z.mul Z.eqb truth wrap Z.opp Z.sub Z.max is pow].
  match goal with |- ?L fuel ?e = _ => set (loop := L); set (start := e) end.
  set (v := p z * keep (Z.abs z) / accepted).
  assert (G : forall m y, loop m [("g.Num", num); ("g.Den", den); ("t", t); ("proposal.Num", 1%Z); ("proposal.Den", t); ("y", y)] =
    (1 - (1 - accepted) ^ m) * v).
  { induction m as [|m IH]; intros y; [cbn; ring|].
    unfold loop. cbn -[sum Z.mul Z.eqb truth wrap Z.opp Z.sub Z.max is pow]. fold loop.
    change (1 =? 0)%Z with false. cbv iota. rewrite drawn.
    set (L := (1 - (1 - accepted) ^ m) * v) in *.
    rewrite (sum_ext _ _ (fun i => (if (z + n =? i)%Z then p z * keep (Z.abs z) else 0) +
      (L * p (i - n)%Z + - L * (p (i - n)%Z * keep (Z.abs (i - n)))))).
    - rewrite sum_plus, sum_plus, !sum_scal, total. fold accepted. rewrite count_one by lia.
      unfold L, v. cbn [pow]. field. assumption.
    - intros i I. cbn -[sum Z.mul Z.eqb truth wrap Z.opp Z.sub Z.max is pow].
      assert (N : wrap I64 (- (i - n)) = (- (i - n))%Z).
      { assert (H : (W / 2 = 2 ^ 63)%Z) by reflexivity. assert (H' : (W = 2 ^ 64)%Z) by reflexivity.
        unfold wrap. rewrite H, H', Z.mod_small by lia. lia. }
      rewrite N. replace (Z.max (i - n) (- (i - n))) with (Z.abs (i - n)) by lia.
      assert (U : wrap U64 (Z.abs (i - n)) = Z.abs (i - n)).
      { assert (H' : (W = 2 ^ 64)%Z) by reflexivity. unfold wrap. rewrite H', Z.mod_small by lia. reflexivity. }
      rewrite U, kept by lia. cbn [only hd]. rewrite IH.
      change (1 =? 0)%Z with false. change (0 =? 0)%Z with true. cbv iota. unfold is.
      destruct (Z.eqb_spec (i - n) z) as [E|E], (Z.eqb_spec (z + n) i) as [F|F]; try lia; [rewrite E|]; ring. }
  transitivity (loop fuel [("g.Num", num); ("g.Den", den); ("t", t); ("proposal.Num", 1%Z); ("proposal.Den", t); ("y", 0%Z)]).
  - destruct fuel; [reflexivity|]. unfold loop, start.
    cbn -[sum Z.mul Z.eqb truth wrap Z.opp Z.sub Z.max is pow]. change (1 =? 0)%Z with false. cbv iota.
    rewrite !drawn. reflexivity.
  - apply G.
Qed.
Theorem gaussian_limit z : (- n <= z <= n)%Z -> 0 < accepted <= 1 ->
  is_lim_seq (fun fuel => run calls fuel DiscreteGaussian_Draw [num; den] (is z)) (p z * keep (Z.abs z) / accepted).
Proof.
  intros Hz A. apply (is_lim_seq_ext (fun fuel => (1 - (1 - accepted) ^ fuel) * (p z * keep (Z.abs z) / accepted))).
  - intros. symmetry. apply gaussian_value; [assumption|lra].
  - rewrite <- (Rmult_1_l (p z * _ / _)) at 1. apply (is_lim_seq_mult' _ (fun _ => _)); [|apply is_lim_seq_const].
    replace 1 with (1 - 0) at 1 by ring. apply (is_lim_seq_minus' (fun _ => 1)); [apply is_lim_seq_const|].
    apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra.
Qed.
End Gaussian.
