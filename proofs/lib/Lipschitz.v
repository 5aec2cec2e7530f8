(* The reciprocal sensitivity S of the Hellinger mechanism: 1/S(x) = min over y of 1/LS(y) + gamma d(x, y).
   It is at least LS, and 1/S changes by at most gamma between neighbours, by construction. *)
From Coq Require Import List Reals Lra Bool ZArith.
From PrivBayes Require Import Exponential Reciprocal Rate.
Import ListNotations.
Open Scope R_scope.

Section Smooth.
Variable X : Type.
Variable all : list X.
Variable LS : X -> R.
Variable d : X -> X -> R.
Variable gamma : R.
Hypothesis every : forall x, In x all.
Hypothesis positive : forall x, 0 < LS x.
Hypothesis gamma0 : 0 <= gamma.
Hypothesis d_refl : forall x, d x x = 0.
Hypothesis d_pos : forall x y, 0 <= d x y.
Hypothesis d_sym : forall x y, d x y = d y x.
Hypothesis d_triangle : forall x y z, d x z <= d x y + d y z.

Definition candidate (x y : X) : R := 1 / LS y + gamma * d x y.
Fixpoint least (x : X) (l : list X) (top : R) : R :=
  match l with nil => top | y :: l' => Rmin (candidate x y) (least x l' top) end.
(* 1/S, and S *)
Definition inverse (x : X) : R := least x all (candidate x x).
Definition S (x : X) : R := 1 / inverse x.

Lemma least_le x l top : least x l top <= top /\ forall y, In y l -> least x l top <= candidate x y.
Proof.
  induction l as [|z l [IH1 IH2]]; cbn [least]; [split; [lra|intros y []]|].
  pose proof (Rmin_l (candidate x z) (least x l top)). pose proof (Rmin_r (candidate x z) (least x l top)).
  split; [lra|]. intros y [<-|I]; [assumption|]. specialize (IH2 y I). lra.
Qed.
Lemma least_attained x l top : least x l top = top \/ exists y, In y l /\ least x l top = candidate x y.
Proof.
  induction l as [|z l IH]; cbn [least]; [left; reflexivity|].
  destruct (Rle_dec (candidate x z) (least x l top)) as [L|L].
  - right. exists z. split; [left; reflexivity|]. apply Rmin_left. assumption.
  - rewrite Rmin_right by lra. destruct IH as [->|(y & I & ->)]; [left; reflexivity|].
    right. exists y. split; [right|]; auto.
Qed.
Lemma inverse_attained x : exists y, inverse x = candidate x y.
Proof. unfold inverse. destruct (least_attained x all (candidate x x)) as [E|(y & _ & E)]; eauto. Qed.
Lemma inverse_le x y : inverse x <= candidate x y.
Proof. apply least_le, every. Qed.
Lemma inverse_pos x : 0 < inverse x.
Proof.
  destruct (inverse_attained x) as [y ->]. unfold candidate. pose proof (Rdiv_lt_0_compat 1 (LS y) Rlt_0_1 (positive y)).
  pose proof (Rmult_le_pos _ _ gamma0 (d_pos x y)). lra.
Qed.
Lemma S_inverse x : 1 / S x = inverse x.
Proof. unfold S. field. pose proof (inverse_pos x). lra. Qed.

Theorem S_positive x : 0 < S x.
Proof. unfold S. apply Rdiv_lt_0_compat; [lra|apply inverse_pos]. Qed.

Theorem S_above x : LS x <= S x.
Proof.
  unfold S. pose proof (inverse_pos x) as P. pose proof (inverse_le x x) as L. pose proof (positive x) as Q.
  unfold candidate in L. rewrite d_refl, Rmult_0_r, Rplus_0_r in L.
  apply (Rmult_le_reg_r (inverse x)); [assumption|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (LS x * (1 / LS x)); [apply Rmult_le_compat_l; lra|]. right. field. lra.
Qed.

Lemma one_side x y : inverse x <= inverse y + gamma * d x y.
Proof.
  destruct (inverse_attained y) as [z ->]. eapply Rle_trans; [apply (inverse_le x z)|]. unfold candidate.
  pose proof (Rmult_le_compat_l gamma _ _ gamma0 (d_triangle x y z)). lra.
Qed.
Theorem S_lipschitz x y : Rabs (1 / S x - 1 / S y) <= gamma * d x y.
Proof.
  rewrite !S_inverse. pose proof (one_side x y). pose proof (one_side y x). rewrite (d_sym y x) in *.
  apply Rabs_le. lra.
Qed.
End Smooth.

(* With Theorem 1: a local sensitivity, any one, makes a mechanism with pure privacy p/q when the rate passes. *)
Theorem reciprocal_private (X : Type) (all : list X) (LS : X -> R) (dist : X -> X -> R) (theta : X -> X -> R)
  a b c e p q :
  rate_ii_ok a b c e p q = true -> (forall x, In x all) -> (forall x, 0 < LS x) ->
  (forall x, dist x x = 0) -> (forall x y, 0 <= dist x y) -> (forall x y, dist x y = dist y x) ->
  (forall x y z, dist x z <= dist x y + dist y z) ->
  (forall x y, theta x y = theta y x) -> (forall x y z, theta x z <= theta x y + theta y z) ->
  (forall x y, 0 <= theta x y <= PI / 2) ->
  (forall x y, dist x y <= 1 -> Reciprocal.H X theta x y <= LS x) ->
  let SS := S X all LS dist (IZR c / IZR e) in
  forall x y, dist x y <= 1 -> forall r,
  prob X all (fun s => IZR a / IZR b * (1 / SS x * Reciprocal.H X theta x s)) r <=
  exp (IZR p / IZR q) * prob X all (fun s => IZR a / IZR b * (1 / SS y * Reciprocal.H X theta y s)) r.
Proof.
  intros K every pos d0 dp ds dt ts tt tr loc SS x y N r.
  assert (G : 0 <= IZR c / IZR e).
  { unfold rate_ii_ok in K. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in K.
    destruct K as [[[[[[_ _] C] E] _] _] _]. apply IZR_le in C. apply IZR_lt in E. apply Rle_mult_inv_pos; assumption. }
  apply (rate_ii_private X all) with (c := c) (d := e); auto.
  - intros E. specialize (every x). rewrite E in every. exact every.
  - intros z. apply S_positive; auto.
  - eapply Rle_trans; [apply loc; assumption|]. apply S_above; auto.
  - eapply Rle_trans; [|apply S_above; auto]. eapply Rle_trans; [|apply (loc y x); rewrite ds; assumption].
    right. unfold Reciprocal.H. rewrite ts. reflexivity.
  - eapply Rle_trans; [apply S_lipschitz; auto|]. rewrite <- (Rmult_1_r (IZR c / IZR e)) at 2.
    apply Rmult_le_compat_l; assumption.
Qed.
