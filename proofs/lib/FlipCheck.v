(* A checker of the coins of permute-and-flip, for every data set of n records in d cells: flip_ok = true implies pure
   differential privacy with eps = p/q of every released candidate. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From PrivBayes Require Import Counts Law PermuteFlip.
Import ListNotations.
Open Scope Z_scope.

(* neighbours' exponents, in units of 1/unit, differ by half of eps at most *)
Definition near (unit p q a b : Z) : bool := (0 <=? a) && (0 <=? b) && (2 * q * Z.abs (a - b) <=? p * unit).
Definition flip_ok (unit p q : Z) (d n : nat) (t : list (list Z * list Z)) : bool :=
  (0 <? unit) && (0 <=? p) && (0 <? q) && keys t (compositions d n) &&
  forallb (fun e => forallb (fun f =>
    if dist (fst e) (fst f) <=? 2 then all2 (near unit p q) (snd e) (snd f) else true) t) t.

(* the law of the candidate after the coins of head, where tail are the coins after its own *)
Definition exponents (unit : Z) (w : list Z) : list R := map (fun a => (IZR a / IZR unit)%R) w.
Definition released unit (head : list Z) a tail : R := flip (IZR a / IZR unit) (exponents unit (head ++ tail)).

Lemma all2_Forall2 f w : forall v, all2 f w v = true -> Forall2 (fun a b => f a b = true) w v.
Proof.
  induction w as [|a w IH]; intros [|b v]; cbn; try discriminate; [constructor|].
  intros H. apply andb_prop in H as [H1 H2]. constructor; auto.
Qed.
Lemma near_real unit p q a b : 0 < unit -> 0 < q -> near unit p q a b = true ->
  (0 <= IZR a / IZR unit /\ 0 <= IZR b / IZR unit /\
   Rabs (IZR a / IZR unit - IZR b / IZR unit) <= IZR p / IZR q / 2)%R.
Proof.
  unfold near. intros U Q H. repeat (apply andb_prop in H as [H ?]).
  repeat match goal with E : (_ <=? _)%Z = true |- _ => apply Z.leb_le in E end.
  apply IZR_lt in U, Q. repeat match goal with E : (_ <= _)%Z |- _ => apply IZR_le in E end.
  repeat split; try (apply Rle_mult_inv_pos; lra).
  rewrite !mult_IZR, abs_IZR, minus_IZR in *.
  replace (IZR a / IZR unit - IZR b / IZR unit)%R with ((IZR a - IZR b) * / IZR unit)%R by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ IZR unit)) by (left; apply Rinv_0_lt_compat; assumption).
  apply (Rmult_le_reg_r (2 * IZR q * IZR unit)). { repeat apply Rmult_lt_0_compat; lra. }
  replace (Rabs (IZR a - IZR b) * / IZR unit * (2 * IZR q * IZR unit))%R
    with (2 * IZR q * Rabs (IZR a - IZR b))%R by (field; lra).
  replace (IZR p / IZR q / 2 * (2 * IZR q * IZR unit))%R with (IZR p * IZR unit)%R by (field; lra). assumption.
Qed.

Theorem flip_private unit p q d n t : flip_ok unit p q d n t = true ->
  (forall x, length x = d -> Forall (fun a => 0 <= a) x -> total x = Z.of_nat n -> exists w, In (x, w) t) /\
  (forall x y head a tail head' b tail', length head = length head' ->
     In (x, head ++ a :: tail) t -> In (y, head' ++ b :: tail') t -> dist x y <= 2 ->
     (released unit head a tail <= exp (IZR p / IZR q) * released unit head' b tail')%R).
Proof.
  unfold flip_ok. intros H. apply andb_prop in H as [H C]. apply andb_prop in H as [H K].
  apply andb_prop in H as [H Q]. apply andb_prop in H as [U P]. apply Z.ltb_lt in U, Q. apply Z.leb_le in P. split.
  - intros x L F T. apply keys_eq in K. pose proof (compositions_complete d n x L F T) as I. rewrite <- K in I.
    apply in_map_iff in I as ([x' w] & E & I). cbn in E; subst. eauto.
  - intros x y head a tail head' b tail' L Ix Iy D. rewrite forallb_forall in C. specialize (C _ Ix).
    rewrite forallb_forall in C. specialize (C _ Iy). cbn [fst snd] in C. apply Z.leb_le in D. rewrite D in C.
    apply all2_Forall2 in C.
    assert (S : Forall2 (fun a b => near unit p q a b = true) head head' /\ near unit p q a b = true /\
                Forall2 (fun a b => near unit p q a b = true) tail tail').
    { clear Ix Iy. revert head' L C. induction head as [|h head IH]; intros [|h' head'] L C; try discriminate;
      cbn in C;
        inversion C; subst; [auto|]. injection L as L. destruct (IH head' L ltac:(assumption)) as (? & ? & ?). auto. }
    destruct S as (S1 & S2 & S3). unfold released.
    replace (IZR p / IZR q)%R with (2 * (IZR p / IZR q / 2))%R by (field; apply IZR_lt in Q; lra).
    apply flip_private.
    + apply IZR_lt in Q. apply IZR_le in P. assert (0 <= IZR p / IZR q)%R by (apply Rle_mult_inv_pos; lra). lra.
    + apply (near_real unit p q a b U Q S2).
    + assert (M : Forall2 (fun a b => near unit p q a b = true) (head ++ tail) (head' ++ tail')) by (apply
      Forall2_app; assumption).
      unfold exponents. clear - M U Q. induction M; cbn; constructor; auto. apply near_real; assumption.
Qed.
