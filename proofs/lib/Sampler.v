(* Bernoulli(e^-x) of Canonne, Kamath and Steinke: trials Bernoulli(x/k), k = 1, 2, ...; the run stops at the first
   failure K and answers whether K is odd.  The loop is modelled with fuel; its law in the limit is e^-x. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Section Bernoulli.
Variable x : R.
Hypothesis unit : 0 <= x <= 1.

(* for k := 1; ; k++ { if !Bernoulli(x/k) { return k odd } }: P(true within n more trials), the loop entered at k *)
Fixpoint loop (n k : nat) : R :=
  match n with
  | O => 0
  | S n' => (1 - x / INR k) * (if Nat.odd k then 1 else 0) + x / INR k * loop n' (S k)
  end.
Definition heads n := loop n 1.

Definition term k := x ^ k / INR (fact k).
(* x^(k-1)/(k-1)! times what the loop adds from k on *)
Fixpoint partial (n k : nat) : R := match n with O => 0 |
  S n' => (if Nat.odd k then term (k - 1) - term k else 0) + partial n' (S k) end.

Lemma term_S k : term (S k) = x / INR (S k) * term k.
Proof. unfold term. rewrite fact_simpl, mult_INR. simpl pow. field.
  split; [apply INR_fact_neq_0|apply not_0_INR; lia]. Qed.

Lemma loop_partial n : forall k, term k * loop n (S k) = partial n (S k).
Proof.
  induction n as [|n IH]; intros k; [cbn; ring|]. cbn [loop partial]. rewrite <- IH, term_S.
    replace (S k - 1)%nat with k by lia.
  destruct (Nat.odd (S k)); ring.
Qed.

(* two trials at a time: the alternating series of e^-x *)
Lemma partial_two n : forall j, partial (2 * n) (2 * j + 1) = sum_f_R0 (fun i => term (2 * (j + i)) - term (2 * (j +
  i) + 1)) n - (term (2 * (j + n)) - term (2 * (j + n) + 1)).
Proof.
  induction n as [|n IH]; intros j.
  - cbn. rewrite !Nat.add_0_r. ring.
  - replace (2 * S n)%nat with (S (S (2 * n))) by lia. cbn [partial].
    replace (Nat.odd (2 * j + 1)) with true by (symmetry; apply Nat.odd_spec; exists j; lia).
    replace (Nat.odd (S (2 * j + 1))) with false by (symmetry; rewrite Nat.odd_succ;
      replace (2 * j + 1)%nat with (S (2 * j)) by lia; rewrite Nat.even_succ, Nat.odd_mul; reflexivity).
    replace (S (S (2 * j + 1))) with (2 * S j + 1)%nat by lia. rewrite IH.
    rewrite (decomp_sum (fun i => term (2 * (j + i)) - term (2 * (j + i) + 1)) (S n)) by lia. cbn [pred].
    replace (j + 0)%nat with j by lia. replace (2 * j + 1 - 1)%nat with (2 * j)%nat by lia.
    rewrite (sum_eq _ (fun i => term (2 * (j + S i)) - term (2 * (j + S i) + 1)) n) by (intros;
      replace (S j + i)%nat with (j + S i)%nat by lia; reflexivity).
    replace (S j + n)%nat with (j + S n)%nat by lia. ring.
Qed.

Lemma even_odd n : sum_f_R0 (fun i => term (2 * i) - term (2 * i + 1)) n = sum_f_R0 (fun i => / INR (fact i) * (- x)
  ^ i) (2 * n + 1).
Proof.
  assert (A : forall k, (-1) ^ k * term k = / INR (fact k) * (- x) ^ k).
  { intros k. unfold term. replace (- x) with (-1 * x) by ring. rewrite Rpow_mult_distr. field.
    apply INR_fact_neq_0. }
  induction n as [|n IH].
  - replace (2 * 0 + 1)%nat with 1%nat by lia. cbn [sum_f_R0]. rewrite <- !A. cbn. ring.
  - replace (2 * S n + 1)%nat with (S (S (2 * n + 1))) by lia. rewrite tech5, IH. rewrite !tech5, <- !A.
    replace (2 * S n)%nat with (S (2 * n + 1)) by lia.
      replace (S (2 * n + 1) + 1)%nat with (S (S (2 * n + 1))) by lia.
    replace ((-1) ^ S (2 * n + 1)) with 1. 2:{ replace (S (2 * n + 1)) with (2 * (n + 1))%nat by lia.
      rewrite pow_1_even. reflexivity. }
    replace ((-1) ^ S (S (2 * n + 1))) with (-1). 2:{ replace (S (S (2 * n + 1))) with (S (2 * (n + 1))) by lia.
      rewrite pow_1_odd. reflexivity. }
    ring.
Qed.

Theorem heads_law : is_lim_seq (fun n => heads (2 * n)) (exp (- x)).
Proof.
  assert (E : forall n, heads (2 * S n) = sum_f_R0 (fun i => / INR (fact i) * (- x) ^ i) (2 * n + 1)).
  { intros n. unfold heads. rewrite <- even_odd.
    assert (T0 : term 0 = 1) by (unfold term; cbn; field). rewrite <- (Rmult_1_l (loop _ 1)), <- T0, loop_partial.
    change 1%nat with (2 * 0 + 1)%nat at 2. rewrite partial_two. rewrite tech5.
    rewrite (sum_eq _ (fun i => term (2 * i) - term (2 * i + 1)) n) by (intros; reflexivity). cbn [Nat.add]. ring. }
  apply is_lim_seq_incr_1. apply is_lim_seq_ext with (fun n => sum_f_R0 (fun i => / INR (fact i) * (- x) ^ i) (2 * n
    + 1)); [intros; symmetry; apply E|].
  apply (is_lim_seq_subseq (sum_f_R0 (fun i => / INR (fact i) * (- x) ^ i)) (exp (- x)) (fun n => (2 * n + 1)%nat)).
  - apply eventually_subseq. intros. lia.
  - apply is_lim_seq_Reals. unfold exp. destruct (exist_exp (- x)) as [l Hl]. exact Hl.
Qed.
(* and the loop is still running after n trials with probability x^n/n! <= 1/n! *)
End Bernoulli.
