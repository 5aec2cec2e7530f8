(* The text of sample.BernoulliExp and of bernoulliExpUnit: coins of probability e^-(num/den). Uniform integers have their
   law, and BernoulliExp's calls of bernoulliExpUnit theirs. *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Sampler SamplerGeometric GoProgram.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

Definition uniforms := also "Uniform" uniform_law machine.
Lemma uniform_below n m x y : (0 <= m <= n)%Z -> (0 < n)%Z ->
  / IZR (Z.max 1 n) * sum (Z.max 1 n) (fun i => if (i <? m)%Z then x else y) =
  IZR m / IZR n * x + (1 - IZR m / IZR n) * y.
Proof.
  intros H N. rewrite Z.max_r by lia. assert (P : 0 < IZR n) by (apply IZR_lt; assumption).
  rewrite (sum_ext n _ (fun i => (x - y) * (if (i <? m)%Z then 1 else 0) + y * (if (i <? n)%Z then 1 else 0))).
  - rewrite sum_plus, !sum_scal, !count_below by lia. field. lra.
  - intros i I. destruct (Z.ltb_spec i n); [|lia]. destruct (i <? m)%Z; ring.
Qed.
Lemma uniform_first n x y : (0 < n)%Z ->
  / IZR (Z.max 1 n) * sum (Z.max 1 n) (fun i => if (i =? 0)%Z then x else y) = / IZR n * x + (1 - / IZR n) * y.
Proof.
  intros N. rewrite (sum_ext _ _ (fun i => if (i <? 1)%Z then x else y)).
  - rewrite uniform_below by lia. unfold Rdiv. rewrite Rmult_1_l. reflexivity.
  - intros i I. destruct (Z.eqb_spec i 0), (Z.ltb_spec i 1); try lia; reflexivity.
Qed.

(* the chance that the loop, entered at k, ends within m trials at an odd k, and at an even one *)
Fixpoint even_loop (x : R) (m k : nat) : R :=
  match m with
  | O => 0
  | S m' => (1 - x / INR k) * (if Nat.odd k then 0 else 1) + x / INR k * even_loop x m' (S k)
  end.
Lemma truth_truth b : (truth (truth b =? 0) =? 0)%Z = b. Proof. destruct b; reflexivity. Qed.
Lemma odd_of k : truth (Z.rem (Z.of_nat k) 2 =? 1)%Z = if Nat.odd k then 1%Z else 0%Z.
Proof.
  rewrite Z.rem_mod_nonneg by lia. rewrite Zmod_odd. replace (Z.odd (Z.of_nat k)) with (Nat.odd k).
  - destruct (Nat.odd k); reflexivity.
  - rewrite <- Nat.negb_even, <- Z.negb_even. f_equal. destruct (Nat.Even_or_Odd k) as [H|H]; pose proof H as H'.
    + apply Nat.even_spec in H'. rewrite H'. symmetry. apply Z.even_spec. destruct H as [j ->]. exists (Z.of_nat j). lia.
    + apply Nat.odd_spec in H'. rewrite <- Nat.negb_even in H'. apply negb_true_iff in H'. rewrite H'. symmetry.
      rewrite <- Z.negb_odd. apply negb_false_iff. apply Z.odd_spec. destruct H as [j ->]. exists (Z.of_nat j). lia.
Qed.
Theorem unit_value num den fuel post : (0 <= num <= den)%Z -> (0 < den < W)%Z -> (Z.of_nat fuel < W)%Z ->
  run uniforms fuel bernoulliExpUnit [num; den] post =
  post 1%Z * loop (IZR num / IZR den) fuel 1 + post 0%Z * even_loop (IZR num / IZR den) fuel 1.
Proof.
  intros N D F. unfold run, bernoulliExpUnit, execs, uniforms.
  cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.rem Z.max truth wrap Z.add loop even_loop].
  match goal with |- ?L fuel ?e = _ => set (run_loop := L); set (start := e) end.
  assert (G : forall m k ok over n, (1 <= k)%nat -> (Z.of_nat (k + m) <= W)%Z ->
    run_loop m [("num", num); ("den", den); ("k", Z.of_nat k); ("ok", ok); ("over", over); ("n", n)] =
    post 1%Z * loop (IZR num / IZR den) m k + post 0%Z * even_loop (IZR num / IZR den) m k).
  { induction m as [|m IH]; intros k ok over n K L; [cbn; ring|].
    unfold run_loop. cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.rem Z.max truth wrap Z.add loop even_loop Z.of_nat].
    fold run_loop. change (1 =? 0)%Z with false. cbv iota.
    assert (Dp : 0 < IZR den) by (apply IZR_lt; lia).
    assert (Kp : 0 < INR k) by (apply lt_0_INR; lia).
    assert (Kz : IZR (Z.of_nat k) = INR k) by (symmetry; apply INR_IZR_INZ).
    assert (One : (truth (truth (1 =? 0) =? 0) =? 0)%Z = false) by reflexivity.
    assert (Odd : wrap U64 (Z.rem (Z.of_nat k) 2) = Z.rem (Z.of_nat k) 2).
    { unfold wrap. apply Z.mod_small. rewrite Z.rem_mod_nonneg by lia. pose proof (Z.mod_pos_bound (Z.of_nat k) 2).
      unfold W. lia. }
    assert (Next : (Z.of_nat k + 1 < W)%Z -> wrap U64 (Z.of_nat k + 1) = Z.of_nat (S k)).
    { intros H. unfold wrap. rewrite Z.mod_small; lia. }
    set (stay := fun b : Z => run_loop m [("num", num); ("den", den); ("k", wrap U64 (Z.of_nat k + 1)); ("ok", b);
      ("over", (Z.of_nat k * den / W)%Z); ("n", (Z.of_nat k * den) mod W)%Z]).
    assert (Stay : forall b, stay b = post 1%Z * loop (IZR num / IZR den) m (S k) + post 0%Z * even_loop (IZR num / IZR den) m (S k)).
    { intros b. unfold stay. destruct m as [|m']; [cbn; ring|]. rewrite Next by lia. apply IH; lia. }
    set (A := post 1%Z * loop (IZR num / IZR den) m (S k) + post 0%Z * even_loop (IZR num / IZR den) m (S k)) in Stay.
    set (P := post (truth (wrap U64 (Z.rem (Z.of_nat k) 2) =? 1)%Z)).
    assert (Pv : P = if Nat.odd k then post 1%Z else post 0%Z).
    { unfold P. rewrite Odd, odd_of. destruct (Nat.odd k); reflexivity. }
    assert (Goal_ : IZR num / IZR den / INR k * A + (1 - IZR num / IZR den / INR k) * P =
      post 1%Z * loop (IZR num / IZR den) (S m) k + post 0%Z * even_loop (IZR num / IZR den) (S m) k).
    { rewrite Pv. unfold A. cbn [loop even_loop]. destruct (Nat.odd k); field; lra. }
    rewrite <- Goal_, truth_eqb. clear Goal_.
    destruct (Z.eqb_spec (Z.of_nat k * den / W) 0) as [E|E]; cbn [negb].
    - assert (M : ((Z.of_nat k * den) mod W = Z.of_nat k * den)%Z).
      { apply Z.mod_small. apply Z.div_small_iff in E; [|pose proof W_pos; lia]. pose proof W_pos. lia. }
      rewrite (sum_ext _ _ (fun i => if (i <? num)%Z then A else P)).
      2:{ intros i _. rewrite truth_truth. fold (stay (truth (i <? num)%Z)). rewrite Stay. reflexivity. }
      rewrite M, uniform_below by nia. rewrite mult_IZR, Kz. field. lra.
    - rewrite (sum_ext _ _ (fun i => if (i =? 0)%Z then IZR num / IZR den * A + (1 - IZR num / IZR den) * P else P)).
      2:{ intros i _. rewrite truth_eqb. destruct (i =? 0)%Z; cbn [negb]; [|reflexivity].
        rewrite <- uniform_below by lia. f_equal. apply sum_ext. intros j _.
        rewrite truth_truth. fold (stay (truth (j <? num)%Z)). rewrite Stay. reflexivity. }
      rewrite uniform_first by lia. rewrite Kz. field. lra. }
  destruct fuel as [|m]; [cbn; ring|].
  transitivity (run_loop (S m) [("num", num); ("den", den); ("k", Z.of_nat 1); ("ok", 0%Z); ("over", 0%Z); ("n", 0%Z)]).
  - reflexivity.
  - apply G; lia.
Qed.
(* the chance of heads is that of the model, which tends to e^-(num/den) *)
Corollary unit_heads num den fuel : (0 <= num <= den)%Z -> (0 < den < W)%Z -> (Z.of_nat fuel < W)%Z ->
  run uniforms fuel bernoulliExpUnit [num; den] (fun v => if (v =? 1)%Z then 1 else 0) = heads (IZR num / IZR den) fuel.
Proof. intros. rewrite unit_value by assumption. unfold heads. cbn. ring. Qed.

(* calls of bernoulliExpUnit have the law of the limit *)
Definition coin (args : list Z) : R := match args with [num; den] => exp (- (IZR num / IZR den)) | _ => 0 end.
Definition coins := also "bernoulliExpUnit" (coin_law coin) uniforms.
Theorem bernoulli_value num den fuel post : (0 <= num < W)%Z -> (0 < den < W)%Z -> (num / den < Z.of_nat fuel)%Z ->
  run coins fuel BernoulliExp [num; den] post = coin_law coin [num; den] (fun v => post (only v)).
Proof.
  intros N D F. unfold run, BernoulliExp, execs, coins.
  cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.rem Z.max truth wrap Z.sub coin uniforms].
  destruct (Z.eqb_spec den 0); [lia|]. change (truth false =? 0)%Z with true. cbv iota.
  revert num N F. induction fuel as [|m IH]; intros num N F.
  { assert (0 <= num / den)%Z by (apply Z.div_pos; lia). lia. }
  cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.rem Z.max truth wrap Z.sub coin uniforms Z.of_nat].
  rewrite truth_eqb. destruct (Z.ltb_spec den num) as [L|L]; cbn [negb]; [|reflexivity].
  assert (Wr : wrap U64 (num - den) = (num - den)%Z) by (apply Z.mod_small; lia).
  rewrite Wr. rewrite IH; [|lia|].
  2:{ replace num with (num - den + 1 * den)%Z in F by ring. rewrite Z.div_add in F by lia. lia. }
  unfold coin_law, coin. cbn [only hd].
  assert (Dp : 0 < IZR den) by (apply IZR_lt; lia).
  replace (exp (- (IZR num / IZR den))) with (exp (- (1 / 1)) * exp (- (IZR (num - den) / IZR den))).
  { change (truth (1 =? 0) =? 0)%Z with true. change (truth (0 =? 0) =? 0)%Z with false. cbv iota. ring. }
  rewrite <- exp_plus. f_equal. rewrite minus_IZR. field. lra.
Qed.
