(* The score by which structure is learned: the L1 distance of a table from public integers. One replaced record moves
   it by two at most, one added record by one: half of it has sensitivity one. *)
From Coq Require Import ZArith List Lia Bool.
From PrivBayes Require Import Counts.
Import ListNotations.
Open Scope Z_scope.

Section Score.
Context {row cell : Type} (eqb : cell -> cell -> bool).
Hypothesis eqb_spec : forall a b, reflect (a = b) (eqb a b).
Notation part := (@part row cell).

(* M: a public integer for every cell, from whatever was released before *)
Definition score (p : part) (M : cell -> Z) (D : list row) : Z :=
  sumZ (fun c => Z.abs (count eqb (pick p) c D - M c)) (measured p).

Lemma score_l1 (p : part) M D E : Z.abs (score p M D - score p M E) <= l1_parts eqb [p] D E.
Proof.
  unfold score, l1_parts. cbn [sumZ]. rewrite Z.add_0_r. induction (measured p) as [|c l IH]; cbn [sumZ]; lia.
Qed.
Lemma changed_two (p : part) x y : 0 <= @changed row cell eqb p x y <= 2.
Proof.
  assert (I : forall a, 0 <= inside eqb a (measured p) <= 1).
  { intros a. unfold inside. pose proof (once p) as N. induction N as [|e l Hn _ IH]; cbn [sumZ]; [lia|].
    destruct (eqb_spec a e) as [<-|]; [rewrite (sum_ind_out eqb eqb_spec) by assumption|]; cbn [ind]; lia. }
  unfold changed. destruct (eqb (pick p x) (pick p y)); [lia|]. pose proof (I (pick p x)). pose proof (I (pick p y)). lia.
Qed.

Theorem score_replace (p : part) M A B xs ys : length xs = length ys ->
  Z.abs (score p M (A ++ xs ++ B) - score p M (A ++ ys ++ B)) <= 2 * Z.of_nat (length xs).
Proof.
  intros L. eapply Z.le_trans; [apply score_l1|]. rewrite Z.mul_comm. apply replace_rows; auto.
  intros x y. cbn [sumZ]. pose proof (changed_two p x y). lia.
Qed.
Theorem score_add (p : part) M A B xs :
  Z.abs (score p M (A ++ xs ++ B) - score p M (A ++ B)) <= Z.of_nat (length xs).
Proof.
  eapply Z.le_trans; [apply score_l1|]. eapply Z.le_trans; [apply add_rows; assumption|]. cbn [length]. lia.
Qed.
End Score.
