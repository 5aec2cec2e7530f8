(* The last step of every check: an integer test that num/den is at most e^(p/q), by a partial sum of the series. *)
From Coq Require Import Reals Lra ZArith Lia.
Open Scope R_scope.

Section Series.
Variable x : R.
Hypothesis x0 : 0 <= x.
Definition term j := x ^ j / INR (fact j).
(* 1 + x/(i+1) (1 + x/(i+2) (1 + ...)), k factors *)
Fixpoint horner (k i : nat) : R := match k with O => 1 | S k' => 1 + x / INR (S i) * horner k' (S i) end.

Lemma term_S j : term (S j) = term j * (x / INR (S j)).
Proof.
  unfold term. rewrite fact_simpl, mult_INR. simpl pow. field.
  split; [apply not_0_INR; lia|apply INR_fact_neq_0].
Qed.
Lemma horner_sum k : forall i, term i * horner k i = sum_f_R0 (fun j => term (i + j)) k.
Proof.
  induction k as [|k IH]; intros i. { cbn. rewrite Nat.add_0_r. ring. }
  rewrite (decomp_sum _ (S k)) by lia. cbn [pred horner]. rewrite Nat.add_0_r.
  rewrite Rmult_plus_distr_l, Rmult_1_r, <- Rmult_assoc, <- term_S, IH. f_equal.
  apply sum_eq. intros. f_equal. lia.
Qed.
Theorem horner_below k : horner k 0 <= exp x.
Proof.
  assert (T : term 0 = 1) by (unfold term; cbn; field).
  rewrite <- (Rmult_1_l (horner k 0)), <- T, horner_sum. cbn [Nat.add].
  rewrite (sum_eq _ (fun i => / INR (fact i) * x ^ i)) by (intros; unfold term; field; apply INR_fact_neq_0).
  apply (sum_incr (fun i => / INR (fact i) * x ^ i)).
  - unfold exp. destruct (exist_exp x) as [l H]. exact H.
  - intros n. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|apply pow_le; assumption].
Qed.
End Series.

(* the same sum as a fraction of integers, x = p/q *)
Open Scope Z_scope.
Fixpoint fraction (k i : nat) (p q : Z) : Z * Z :=
  match k with
  | O => (1, 1)
  | S k' => let (n, d) := fraction k' (S i) p q in let m := q * Z.of_nat (S i) in (m * d + p * n, m * d)
  end.
Definition exp_ok (k : nat) (num den p q : Z) : bool :=
  (0 <? q) && (0 <=? p) && (0 <? den) && let (n, d) := fraction k 0 p q in num * d <=? n * den.
Close Scope Z_scope.

Lemma fraction_sound k p q : (0 < q)%Z -> forall i,
  (0 < snd (fraction k i p q))%Z /\
  IZR (fst (fraction k i p q)) = IZR (snd (fraction k i p q)) * horner (IZR p / IZR q) k i.
Proof.
  intros Q. assert (Qr : 0 < IZR q) by (apply IZR_lt; assumption).
  induction k as [|k IH]; intros i; [cbn; split; [lia|ring]|]. specialize (IH (S i)).
  cbn [fraction horner]. destruct (fraction k (S i) p q) as [n d]. cbn [fst snd] in *. destruct IH as [D E].
  split; [nia|]. rewrite plus_IZR, !mult_IZR, E, <- INR_IZR_INZ. field. split; [lra|apply not_0_INR; lia].
Qed.

Theorem exp_sound k num den p q : exp_ok k num den p q = true ->
  (0 < den)%Z /\ IZR num / IZR den <= exp (IZR p / IZR q).
Proof.
  unfold exp_ok. intros H. apply andb_prop in H as [H L]. apply andb_prop in H as [H D].
    apply andb_prop in H as [Q P].
  apply Z.ltb_lt in Q, D. apply Z.leb_le in P. split; [assumption|].
  pose proof (fraction_sound k p q Q 0) as F. destruct (fraction k 0 p q) as [n d]. cbn [fst snd] in F.
  destruct F as [Dd E]. apply Z.leb_le, IZR_le in L. rewrite !mult_IZR in L. apply IZR_lt in Q, D, Dd.
    apply IZR_le in P.
  eapply Rle_trans; [|apply (horner_below (IZR p / IZR q)) with (k := k)].
  2:{ apply Rle_mult_inv_pos; lra. }
  apply (Rmult_le_reg_r (IZR den * IZR d)); [apply Rmult_lt_0_compat; assumption|].
  replace (IZR num / IZR den * (IZR den * IZR d)) with (IZR num * IZR d) by (field; lra).
  rewrite E in L. lra.
Qed.
