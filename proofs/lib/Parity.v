(* Fourier coefficients of binary tables: their L1 sensitivity is 2 odd(N), and it is attained. *)
From Coq Require Import ZArith List Lia Bool.
From PrivBayes Require Import Counts.
Import ListNotations.
Open Scope Z_scope.
Arguments Z.add : simpl never. Arguments Z.mul : simpl never. Arguments Z.sub : simpl never.
  Arguments Z.of_nat : simpl never.

Fixpoint dot (g x : list bool) : bool :=
  match g, x with a :: g', b :: x' => xorb (a && b) (dot g' x') | _, _ => false end.
Fixpoint xor (x y : list bool) : list bool :=
  match x, y with a :: x', b :: y' => xorb a b :: xor x' y' | _, _ => [] end.

Lemma dot_xor g : forall x y, length x = length y -> dot g (xor x y) = xorb (dot g x) (dot g y).
Proof.
  induction g as [|a g IH]; intros [|b x] [|c y]; cbn; try discriminate; auto. intros [= H]. rewrite IH by assumption.
  destruct a, b, c, (dot g x), (dot g y); reflexivity.
Qed.
Lemma length_xor x : forall y, length x = length y -> length (xor x y) = length x.
Proof. induction x; intros [|c y]; cbn; try discriminate; auto. Qed.

Definition odd_rows g (D : list (list bool)) : Z := sumZ (fun x => ind (dot g x)) D.
  (* the parity count c_g *)
Definition phi g (D : list (list bool)) : Z := sumZ (fun x => if dot g x then -1 else 1) D.
  (* the coefficient *)
Definition odd_count (N : list (list bool)) z : Z := sumZ (fun g => ind (dot g z)) N.
  (* Go: Spectrum.OddCount *)

Lemma sumZ_app A (g : A -> Z) l m : sumZ g (l ++ m) = sumZ g l + sumZ g m.
Proof. induction l; cbn; lia. Qed.

Theorem phi_of_count g D : phi g D = Z.of_nat (length D) - 2 * odd_rows g D.
Proof. unfold phi, odd_rows. induction D as [|x D IH]; cbn; [reflexivity|]. rewrite IH.
  destruct (dot g x); cbn; lia. Qed.

Theorem counts_l1 N A B x y : length x = length y ->
  sumZ (fun g => Z.abs (odd_rows g (A ++ x :: B) - odd_rows g (A ++ y :: B))) N = odd_count N (xor x y).
Proof.
  intros H. apply sumZ_ext. intros g _. unfold odd_rows. rewrite !sumZ_app. cbn. rewrite dot_xor by assumption.
  destruct (dot g x), (dot g y); cbn; lia.
Qed.
Corollary phi_l1 N A B x y : length x = length y ->
  sumZ (fun g => Z.abs (phi g (A ++ x :: B) - phi g (A ++ y :: B))) N = 2 * odd_count N (xor x y).
Proof.
  intros H. rewrite <- (counts_l1 N A B) by assumption. rewrite <- sumZ_scale. apply sumZ_ext. intros g _.
  rewrite !phi_of_count, !app_length. cbn. lia.
Qed.

(* odd(N) = max_z, by recursion over the variables *)
Fixpoint odd_max k N acc : Z :=
  match k with O => odd_count N acc | S k' => Z.max (odd_max k' N (false :: acc)) (odd_max k' N (true :: acc)) end.
Definition odd k N := odd_max k N [].

Lemma odd_max_ge N : forall k acc z, length z = k -> odd_count N (rev_append z acc) <= odd_max k N acc.
Proof. induction k; intros acc [|b z]; cbn; try discriminate; [lia|]. intros [= H].
  pose proof (IHk (true :: acc) z H). pose proof (IHk (false :: acc) z H). destruct b; lia. Qed.
Lemma odd_max_in N : forall k acc, exists z, length z = k /\ odd_count N (rev_append z acc) = odd_max k N acc.
Proof.
  induction k; intros acc; cbn; [exists []; auto|].
  destruct (IHk (false :: acc)) as (z0 & L0 & E0), (IHk (true :: acc)) as (z1 & L1 & E1).
  destruct (Z.max_spec (odd_max k N (false :: acc)) (odd_max k N (true :: acc))) as [[_ ->]|[_ ->]].
  - exists (true :: z1). cbn. auto.
  - exists (false :: z0). cbn. auto.
Qed.

Definition zeros k := repeat false k.
Lemma xor_zeros z : xor (zeros (length z)) z = z.
Proof. unfold zeros. induction z as [|a z IH]; cbn; [|rewrite IH; destruct a]; reflexivity. Qed.

(* The sensitivity is odd(N) for the counts, 2 odd(N) for the coefficients; both are attained. *)
Theorem sensitivity k N A B x y : length x = k -> length y = k ->
  sumZ (fun g => Z.abs (phi g (A ++ x :: B) - phi g (A ++ y :: B))) N <= 2 * odd k N.
Proof.
  intros Hx Hy. rewrite phi_l1 by congruence. pose proof (odd_max_ge N k [] (rev (xor x y))) as H.
  rewrite rev_length, length_xor in H by congruence. rewrite rev_append_rev, rev_involutive, app_nil_r in H.
    unfold odd. specialize (H Hx). lia.
Qed.
Theorem attained k N A B : exists x y, length x = k /\ length y = k /\
  sumZ (fun g => Z.abs (phi g (A ++ x :: B) - phi g (A ++ y :: B))) N = 2 * odd k N.
Proof.
  destruct (odd_max_in N k []) as (z & L & E). exists (zeros k), (rev z).
    assert (length (rev z) = k) by (rewrite rev_length; assumption).
  split; [apply repeat_length|]. split; [assumption|].
  rewrite phi_l1 by (unfold zeros; rewrite repeat_length; congruence).
  rewrite <- H at 1. rewrite xor_zeros. rewrite rev_append_rev, app_nil_r in E. rewrite E. reflexivity.
Qed.
