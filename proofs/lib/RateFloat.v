(* The rate of a Hellinger plan as it is computed in binary64, one step up after each operation that is rounded: Rho of
   internal/hellinger, and theorem1 of mechanism/hellinger, whose last sum is rounded to nearest. Values below overflow. *)
From Coq Require Import ZArith Reals Lra Lia.
From Flocq Require Import Core.
From PrivBayes Require Import Outward.
Open Scope R_scope.

Definition over (x : R) : R := up (rnd x).
Definition rho (gamma diameter : R) : R :=
  if Req_EM_T gamma 0 then 2 else
    Rmin (over (2 + over (gamma * diameter))) (over (1 + over (sqrt (over (1 + rnd (2 * over (gamma * gamma))))))).
Definition exact (gamma diameter : R) : R := Rmin (2 + gamma * diameter) (1 + sqrt (1 + 2 * gamma ^ 2)).

Lemma over_ge x : x <= over x. Proof. apply enclosed. Qed.
Lemma over_le x y : x <= y -> over x <= over y.
Proof.
  intros H. assert (V : Valid_exp fexp) by (apply FLT_exp_valid; reflexivity). unfold over, up.
  apply succ_le; try apply format; [assumption|]. apply round_le; [assumption|apply valid_rnd_N|assumption].
Qed.
(* twice a float is one *)
Lemma twice x : rnd (2 * over x) = 2 * over x.
Proof.
  assert (V : Valid_exp fexp) by (apply FLT_exp_valid; reflexivity).
  apply round_generic; [apply valid_rnd_N|].
  assert (F : generic_format radix2 fexp (over x)) by (apply generic_format_succ; [assumption|apply format]).
  apply FLT_format_generic in F; [|reflexivity]. destruct F as [f E M L].
  apply generic_format_FLT. exists (Float radix2 (Fnum f) (Fexp f + 1)); cbn [Fnum Fexp].
  - rewrite E. unfold F2R. cbn [Fnum Fexp]. rewrite bpow_plus. change (bpow radix2 1) with 2. ring.
  - exact M.
  - unfold emin in *. lia.
Qed.
Theorem rate_float gamma diameter kappa eta : 0 <= gamma -> 0 <= kappa ->
  exact gamma diameter <= rho gamma diameter /\
  kappa * exact gamma diameter + 4 * eta <= up (rnd (over (kappa * rho gamma diameter) + 4 * eta)).
Proof.
  intros G K. assert (R : exact gamma diameter <= rho gamma diameter).
  { unfold exact, rho. destruct (Req_EM_T gamma 0) as [->|_].
    - eapply Rle_trans; [apply Rmin_l|]. rewrite Rmult_0_l. lra.
    - apply Rmin_glb.
      + eapply Rle_trans; [apply Rmin_l|]. eapply Rle_trans; [|apply over_ge].
        pose proof (over_ge (gamma * diameter)). lra.
      + eapply Rle_trans; [apply Rmin_r|]. eapply Rle_trans; [|apply over_ge]. apply Rplus_le_compat_l.
        eapply Rle_trans; [|apply over_ge]. apply sqrt_le_1_alt. eapply Rle_trans; [|apply over_ge]. rewrite twice.
        pose proof (over_ge (gamma * gamma)). replace (gamma ^ 2) with (gamma * gamma) by ring. lra. }
  split; [exact R|]. eapply Rle_trans; [|apply enclosed].
  pose proof (over_ge (kappa * rho gamma diameter)) as O. pose proof (Rmult_le_compat_l kappa _ _ K R). lra.
Qed.
