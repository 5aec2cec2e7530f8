(* The Fourier coefficients of the families of a network, and what one record changes of them: a number, an
  elimination
   order and a witness, which come from elsewhere, are accepted or rejected. *)
From Coq Require Import ZArith List Lia Bool PeanoNat.
From PrivBayes Require Import Counts Elimination.
Import ListNotations.
Open Scope Z_scope.
Arguments Z.add : simpl never. Arguments Z.mul : simpl never. Arguments Z.sub : simpl never.

(* N: every set of variables that lies in a family, once *)
Fixpoint subsets (s : list nat) : list (list nat) :=
  match s with [] => [[]] | u :: s' => let p := subsets s' in p ++ map (cons u) p end.
Definition coefficients (families : list (list nat)) := nodup (list_eq_dec Nat.eq_dec) (flat_map subsets families).

(* a data set is a list of records; phi g adds up their signs *)
Definition phi g (D : list assignment) : Z := sumZ (fun x => if parity g x then -1 else 1) D.
Definition l1 N (D D' : list assignment) : Z := sumZ (fun g => Z.abs (phi g D - phi g D')) N.

Lemma phi_app g A B : phi g (A ++ B) = phi g A + phi g B.
Proof. unfold phi. induction A; cbn; lia. Qed.
Lemma parity_xor g (x y : assignment) : parity g (fun u => xorb (x u) (y u)) = xorb (parity g x) (parity g y).
Proof.
  induction g as [|u g IH]; cbn; [reflexivity|]. rewrite IH.
  destruct (x u), (y u), (parity g x), (parity g y); reflexivity.
Qed.
Lemma l1_odd N A B x y :
  l1 N (A ++ x :: B) (A ++ y :: B) = 2 * sumZ (fun g => ind (parity g (fun u => xorb (x u) (y u)))) N.
Proof.
  unfold l1. rewrite <- sumZ_scale. apply sumZ_ext. intros g _. rewrite !phi_app, parity_xor. unfold phi. cbn [sumZ].
  destruct (parity g x), (parity g y); cbn; lia.
Qed.

Definition odd_ok order families witness (size : nat) (b : Z) : bool :=
  Nat.eqb (length (coefficients families)) size && check order (coefficients families) witness b.

(* Replacing a record moves the coefficients by 2b at most, and by 2b for some pair of records. *)
Theorem odd_sound order families witness size b : odd_ok order families witness size b = true ->
  length (coefficients families) = size /\
  (forall A B x y, l1 (coefficients families) (A ++ x :: B) (A ++ y :: B) <= 2 * b) /\
  exists x y, forall A B, l1 (coefficients families) (A ++ x :: B) (A ++ y :: B) = 2 * b.
Proof.
  unfold odd_ok. intros H. apply andb_prop in H as [L H]. apply Nat.eqb_eq in L.
  destruct (check_sound _ _ _ _ H) as [U [z E]]. split; [assumption|]. split.
  - intros A B x y. rewrite l1_odd. specialize (U (fun u => xorb (x u) (y u))). lia.
  - exists z, (fun _ => false). intros A B. rewrite l1_odd. f_equal. rewrite <- E. apply sumZ_ext. intros g _.
    f_equal.
    induction g as [|u g IH]; cbn; [reflexivity|]. rewrite IH. destruct (z u); reflexivity.
Qed.
