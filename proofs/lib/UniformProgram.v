(* The text of sample.Uniform, Lemire's uniform integers: the values have the same probability, and the loop ends. *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import SamplerGeometric GoProgram.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope R_scope.

Section Uniform.
Variable n : Z.
Hypothesis n1 : (1 < n < W)%Z.
Definition hi (w : Z) : Z := (w * n / W)%Z.
Definition lo (w : Z) : Z := ((w * n) mod W)%Z.
Definition t : Z := (W mod n)%Z.
Fixpoint again (post : Z -> R) (m : nat) (h l : Z) : R :=
  match m with
  | O => 0
  | S m' => if (l <? t)%Z then / IZR W * sum W (fun w => again post m' (hi w) (lo w)) else post h
  end.
Lemma threshold : wrap U64 (Z.rem (wrap U64 (- n)) n) = t.
Proof.
  assert (M : ((- n) mod W = W - n)%Z) by (rewrite Z.mod_opp_l_nz; rewrite ?Z.mod_small; lia).
  unfold wrap. rewrite M, Z.rem_mod_nonneg by lia. unfold t.
  replace ((W - n) mod n)%Z with (W mod n)%Z by (rewrite <- (Z_mod_plus_full W (-1) n); f_equal; lia).
  apply Z.mod_small. pose proof (Z.mod_pos_bound W n). lia.
Qed.
Lemma meaning fuel post : run machine fuel Uniform [n] post =
  / IZR W * sum W (fun w => if (lo w <? n)%Z then again post fuel (hi w) (lo w) else post (hi w)).
Proof.
  unfold run, Uniform, execs. cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.rem Z.opp truth wrap].
  rewrite threshold, !truth_eqb. destruct (Z.ltb_spec 1 n); [|lia]. cbn [negb].
  f_equal. apply sum_ext. intros w _. fold (lo w). fold (hi w). rewrite truth_eqb.
  destruct (lo w <? n)%Z; cbn [negb]; [|reflexivity].
  generalize (hi w), (lo w). induction fuel as [|m IH]; intros h l; [reflexivity|].
  cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb truth]. rewrite truth_eqb.
  destruct (l <? t)%Z; cbn [negb]; [|reflexivity]. f_equal. apply sum_ext. intros v _. apply IH.
Qed.
Definition C : Z := (W / n)%Z.
Lemma digits_W : (W = n * C + t)%Z. Proof. apply Z.div_mod. lia. Qed.
Lemma t_bound : (0 <= t < n)%Z. Proof. apply Z.mod_pos_bound. lia. Qed.
Lemma C_pos : (0 < C)%Z. Proof. apply Z.div_str_pos. lia. Qed.

(* the words that give i without rejection: as many for every i *)
Lemma accepted i : (0 <= i < n)%Z -> sum W (fun w => if (lo w <? t)%Z then 0 else is i (hi w)) = IZR C.
Proof.
  intros I. pose proof digits_W as D. pose proof t_bound as T. pose proof C_pos as P. pose proof W_pos as Wp.
  set (a := ((i * W + t + n - 1) / n)%Z).
  assert (A : (n * a <= i * W + t + n - 1 < n * a + n)%Z).
  { pose proof (Z.div_mod (i * W + t + n - 1) n ltac:(lia)) as Q.
    pose proof (Z.mod_pos_bound (i * W + t + n - 1) n ltac:(lia)). fold a in Q. lia. }
  assert (A0 : (0 <= a)%Z) by (apply Z.div_pos; nia).
  rewrite <- (count_within W a C); [|assumption|lia|nia]. apply sum_ext. intros w Hw.
  assert (E : (w * n = W * hi w + lo w)%Z) by (apply Z.div_mod; lia).
  assert (L : (0 <= lo w < W)%Z) by (apply Z.mod_pos_bound; assumption).
  set (h := hi w) in *. set (l := lo w) in *. clearbody h l a. 
  unfold is. destruct (Z.ltb_spec l t), (Z.eqb_spec h i), (Z.leb_spec a w), (Z.ltb_spec w (a + C)); cbn [andb];
    try reflexivity; exfalso.
  all: try (subst i; nia).
  all: assert (h < i \/ i < h)%Z as [X|X] by lia; nia.
Qed.
Lemma rejected : sum W (fun w => if (lo w <? t)%Z then 1 else 0) = IZR t.
Proof.
  pose proof digits_W as D. pose proof t_bound as T. pose proof W_pos as Wp.
  assert (S : sum n (fun i => sum W (fun w => if (lo w <? t)%Z then 0 else is i (hi w))) = IZR n * IZR C).
  { rewrite (sum_ext n _ (fun i => IZR C * (if (i <? n)%Z then 1 else 0))).
    - rewrite sum_scal, count_below by lia. ring.
    - intros i I. rewrite accepted by assumption. destruct (Z.ltb_spec i n); [ring|lia]. }
  rewrite sum_swap in S.
  assert (A : sum W (fun w => if (w <? W)%Z then 1 else 0) = IZR W) by (apply count_below; lia).
  rewrite (sum_ext W _ (fun w => (if (lo w <? t)%Z then 1 else 0) +
    sum n (fun i => if (lo w <? t)%Z then 0 else is i (hi w)))) in A.
  - rewrite sum_plus, S in A. apply (f_equal IZR) in D. rewrite plus_IZR, mult_IZR in D. lra.
  - intros w Hw. destruct (Z.ltb_spec w W); [|lia]. destruct (lo w <? t)%Z.
    + rewrite sum_zero by reflexivity. ring.
    + unfold is. rewrite count_one; [ring|]. unfold hi. split; [apply Z.div_pos; nia|]. apply Z.div_lt_upper_bound; nia.
Qed.
Definition miss : R := IZR t / IZR W.
Lemma average i : (0 <= i < n)%Z -> forall m,
  / IZR W * sum W (fun w => again (is i) m (hi w) (lo w)) = (1 - miss ^ m) / IZR n.
Proof.
  intros I m. pose proof W_Rpos as Wp. pose proof digits_W as D. apply (f_equal IZR) in D.
  rewrite plus_IZR, mult_IZR in D. assert (N : 0 < IZR n) by (apply IZR_lt; lia).
  induction m as [|m IH].
  - cbn [again]. rewrite sum_zero by reflexivity. cbn [pow]. field. lra.
  - set (x := / IZR W * sum W (fun w => again (is i) m (hi w) (lo w))) in *.
    rewrite (sum_ext W _ (fun w => x * (if (lo w <? t)%Z then 1 else 0) + (if (lo w <? t)%Z then 0 else is i (hi w)))).
    2:{ intros w _. cbn [again]. fold x. destruct (lo w <? t)%Z; ring. }
    rewrite sum_plus, sum_scal, rejected, accepted, IH by assumption. unfold miss. cbn [pow].
    assert (Cn : IZR C = (IZR W - IZR t) / IZR n) by (rewrite D; field; lra). rewrite Cn. field. lra.
Qed.
(* While the loop runs fuel times at most, every i has the same probability; it tends to 1/n. *)
Theorem uniform_value i fuel : (0 <= i < n)%Z -> (0 < fuel)%nat ->
  run machine fuel Uniform [n] (is i) = (1 - miss ^ fuel) / IZR n.
Proof.
  intros I F. rewrite meaning, <- (average i I fuel). f_equal. apply sum_ext. intros w _.
  destruct (Z.ltb_spec (lo w) n); [reflexivity|]. destruct fuel as [|m]; [lia|]. cbn [again].
  pose proof t_bound. destruct (Z.ltb_spec (lo w) t); [lia|reflexivity].
Qed.
Theorem uniform_limit i : (0 <= i < n)%Z -> is_lim_seq (fun fuel => run machine fuel Uniform [n] (is i)) (/ IZR n).
Proof.
  intros I. assert (N : 0 < IZR n) by (apply IZR_lt; lia). pose proof W_Rpos as Wp. pose proof t_bound as T.
  apply is_lim_seq_incr_1. apply (is_lim_seq_ext (fun m => (1 - miss ^ S m) / IZR n)).
  - intros m. symmetry. apply uniform_value; [assumption|lia].
  - replace (/ IZR n) with ((1 - 0) * / IZR n) by ring. unfold Rdiv.
    apply (is_lim_seq_mult' (fun m => 1 - miss ^ S m) (fun _ => / IZR n)); [|apply is_lim_seq_const].
    apply (is_lim_seq_minus' (fun _ => 1) (fun m => miss ^ S m)); [apply is_lim_seq_const|].
    apply (is_lim_seq_incr_1 (fun m => miss ^ m)). apply is_lim_seq_geom.
    unfold miss. rewrite Rabs_pos_eq.
    + apply (Rmult_lt_reg_r (IZR W)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      rewrite Rmult_1_r, Rmult_1_l. apply IZR_lt. lia.
    + apply Rle_mult_inv_pos; [apply IZR_le; lia|assumption].
Qed.
End Uniform.
