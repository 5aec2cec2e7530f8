(* The text of TwoSidedGeometric.Draw and of its oneSided: discrete Laplace noise. Uniform integers, coins and, in Draw,
   one-sided draws have their laws. The number of whole units is cut at 2^22, as the text does. *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import SamplerGeometric GoProgram BernoulliProgram.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

Lemma sum_first n f : (0 <= n)%Z -> sum (1 + n) f = f 0%Z + sum n (fun i => f (1 + i)%Z).
Proof.
  intros N. unfold sum. rewrite Z2Nat.inj_add by lia. rewrite below_add. change (Z.to_nat 1) with 1%nat. cbn [below Z.of_nat].
  rewrite Rplus_0_l. f_equal. apply below_ext. intros i _. f_equal. lia.
Qed.
Definition Most : Z := 4194304.

Section OneSided.
Variables num den : nat.
Hypothesis num0 : (0 < num)%nat.
Hypothesis numW : (Z.of_nat num < W)%Z.
Hypothesis den0 : (0 < den)%nat.
Hypothesis den40 : (Z.of_nat den <= 2 ^ 40)%Z.

(* the expectation of k(V) when the loop of whole units stands at v *)
Definition units (k : Z -> R) (v : Z) : R :=
  sum (Most - v) (fun j => exp (- 1) ^ Z.to_nat j * (1 - exp (- 1)) * k (v + j)%Z) + exp (- 1) ^ Z.to_nat (Most - v) * k Most.
Lemma units_step k v : (0 <= v < Most)%Z -> units k v = (1 - exp (- 1)) * k v + exp (- 1) * units k (v + 1).
Proof.
  intros H. unfold units. replace (Most - v)%Z with (1 + (Most - (v + 1)))%Z by ring.
  rewrite sum_first by lia. rewrite Z2Nat.inj_add by lia. change (Z.to_nat 1) with 1%nat. cbn [Nat.add].
  replace (v + 0)%Z with v by ring. change (Z.to_nat 0) with O. cbn [pow].
  rewrite Rmult_plus_distr_l, <- sum_scal, Rmult_1_l.
  rewrite (sum_ext _ (fun i => exp (- 1) ^ Z.to_nat (1 + i) * (1 - exp (- 1)) * k (v + (1 + i))%Z)
    (fun i => exp (- 1) * (exp (- 1) ^ Z.to_nat i * (1 - exp (- 1)) * k (v + 1 + i)%Z))).
  - ring.
  - intros i I. rewrite Z2Nat.inj_add by lia. change (Z.to_nat 1) with 1%nat. cbn [Nat.add pow].
    replace (v + (1 + i))%Z with (v + 1 + i)%Z by ring. ring.
Qed.
Lemma units_end k : units k Most = k Most.
Proof. unfold units. rewrite Z.sub_diag. change (Z.to_nat 0) with O. unfold sum. cbn [Z.to_nat below pow]. ring. Qed.

Definition quotient (u v : Z) : Z := wrap I64 (wrap U64 (Z.quot (wrap U64 (u + wrap U64 (Z.of_nat den * v))) (Z.of_nat num))).
Lemma quotient_value u v : (0 <= u < Z.of_nat den)%Z -> (0 <= v <= Most)%Z ->
  quotient u v = ((u + Z.of_nat den * v) / Z.of_nat num)%Z.
Proof.
  intros U V. unfold quotient, Most in *. assert (B : (0 <= Z.of_nat den * v <= 2 ^ 40 * 2 ^ 22)%Z).
  { split; [nia|]. apply Z.mul_le_mono_nonneg; lia. }
  set (dv := (Z.of_nat den * v)%Z) in *. clearbody dv.
  unfold wrap, W in *. rewrite (Z.mod_small dv) by lia. rewrite (Z.mod_small (u + _)) by lia.
  rewrite Z.quot_div_nonneg by lia.
  assert (Q : (0 <= (u + dv) / Z.of_nat num <= u + dv)%Z).
  { split; [apply Z.div_pos; lia|]. apply Z.div_le_upper_bound; [lia|]. assert (1 <= Z.of_nat num)%Z by lia. nia. }
  set (r := ((u + dv) / Z.of_nat num)%Z) in *. clearbody r.
  rewrite (Z.mod_small r) by lia. replace (2 ^ 64 / 2)%Z with (2 ^ 63)%Z by reflexivity.
  rewrite Z.mod_small by lia. lia.
Qed.

Definition kept : R := / INR den * sum (Z.of_nat den) (fun u => exp (- (IZR u / INR den))).
Definition trial (post : Z -> R) : R :=
  / INR den * sum (Z.of_nat den) (fun u => exp (- (IZR u / INR den)) * units (fun v => post (quotient u v)) 0).
Lemma den_Z : IZR (Z.of_nat den) = INR den. Proof. symmetry. apply INR_IZR_INZ. Qed.
Lemma den_R : 0 < INR den. Proof. apply lt_0_INR. assumption. Qed.
Lemma kept_pos : 0 < kept.
Proof.
  pose proof den_R as D. unfold kept. apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; assumption|].
  unfold sum. destruct (Z.to_nat (Z.of_nat den)) as [|n] eqn:E; [lia|]. clear E. cbn [below].
  assert (0 <= below n (fun i => exp (- (IZR (Z.of_nat i) / INR den)))).
  { induction n as [|n IH]; cbn [below]; [lra|]. pose proof (exp_pos (- (IZR (Z.of_nat n) / INR den))). lra. }
  pose proof (exp_pos (- (IZR (Z.of_nat n) / INR den))). lra.
Qed.
Theorem one_sided_value fuel post : (Most < Z.of_nat fuel)%Z ->
  run coins fuel TwoSidedGeometric_oneSided [Z.of_nat num; Z.of_nat den] post =
  trial post * ((1 - (1 - kept) ^ fuel) / kept).
Proof.
  intros F. unfold run, TwoSidedGeometric_oneSided, execs, coins, uniforms.
  cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.quot Z.max truth wrap Z.add coin Z.of_nat pow].
  match goal with |- ?L fuel ?e = _ => set (outer := L); set (start := e) end.
  assert (Again_ : forall m u, outer m [("g.Num", Z.of_nat num); ("g.Den", Z.of_nat den); ("u", u)] =
    trial post * ((1 - (1 - kept) ^ m) / kept)).
  { pose proof kept_pos as Kp. pose proof den_R as D. induction m as [|m IH]; intros u0.
    - cbn. field. lra.
    - unfold outer. cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.quot Z.max truth wrap Z.add coin Z.of_nat pow].
      fold outer. change (1 =? 0)%Z with false. cbv iota.
      rewrite Z.max_r, den_Z by lia.
      rewrite (sum_ext _ _ (fun u => exp (- (IZR u / INR den)) * units (fun v => post (quotient u v)) 0 +
        (1 - exp (- (IZR u / INR den))) * (trial post * ((1 - (1 - kept) ^ m) / kept)))).
      + rewrite sum_plus.
        rewrite (sum_ext _ (fun u => (1 - exp (- (IZR u / INR den))) * (trial post * ((1 - (1 - kept) ^ m) / kept)))
          (fun u => trial post * ((1 - (1 - kept) ^ m) / kept) * (if (u <? Z.of_nat den)%Z then 1 else 0) +
            - (trial post * ((1 - (1 - kept) ^ m) / kept)) * exp (- (IZR u / INR den)))).
        2:{ intros u U. destruct (Z.ltb_spec u (Z.of_nat den)); [ring|lia]. }
        rewrite sum_plus, !sum_scal, count_below, den_Z by lia.
        set (s1 := sum (Z.of_nat den) (fun u => exp (- (IZR u / INR den)) * units (fun v => post (quotient u v)) 0)).
        assert (T : s1 = INR den * trial post) by (unfold trial; fold s1; field; lra).
        assert (K : sum (Z.of_nat den) (fun u => exp (- (IZR u / INR den))) = INR den * kept) by (unfold kept; field; lra).
        rewrite T, K. cbn [pow]. field. lra.
      + intros u U. unfold coin_law. rewrite IH. unfold coin at 1 3. rewrite den_Z.
        change (truth (only [1%Z] =? 0) =? 0)%Z with true. change (truth (only [0%Z] =? 0) =? 0)%Z with false. cbv iota.
        f_equal; [f_equal|unfold coin; rewrite den_Z; reflexivity].
        match goal with |- ?L fuel ?e = _ => set (inner := L) end.
        assert (G : forall n v, (0 <= v <= Most)%Z -> (Most - v < Z.of_nat n)%Z ->
          inner n [("g.Num", Z.of_nat num); ("g.Den", Z.of_nat den); ("u", u); ("v", v)] =
          units (fun v => post (quotient u v)) v).
        { induction n as [|n IHn]; intros v V N; [lia|].
          unfold inner. cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.quot Z.max truth wrap Z.add coin Z.of_nat units].
          fold inner. change 4194304%Z with Most. rewrite truth_eqb. destruct (Z.ltb_spec v Most) as [L|L]; cbn [negb].
          - rewrite units_step by lia. unfold coin_law, coin.
            assert (Wv : wrap U64 (v + 1) = (v + 1)%Z) by (unfold wrap; apply Z.mod_small; unfold W, Most in *; lia).
            rewrite Wv, IHn by lia. fold (quotient u v). replace (- (1 / 1)) with (-1) by field.
            change (1 =? 0)%Z with false. change (0 =? 0)%Z with true. cbv iota. ring.
          - assert (v = Most) as E by lia. subst v. change (0 =? 0)%Z with true. cbv iota. rewrite units_end. reflexivity. }
        apply G; unfold Most in *; lia. }
  transitivity (outer fuel [("g.Num", Z.of_nat num); ("g.Den", Z.of_nat den); ("u", 0%Z)]); [|apply Again_].
  destruct fuel; reflexivity.
Qed.
End OneSided.

(* For a value below the cut the chance of a pass is that of the model: the law is geometric at e^-(num/den). *)
Section Law.
Variables num den m : nat.
Hypothesis num0 : (0 < num)%nat.
Hypothesis numW : (Z.of_nat num < W)%Z.
Hypothesis den0 : (0 < den)%nat.
Hypothesis den40 : (Z.of_nat den <= 2 ^ 40)%Z.
Hypothesis low : (Z.of_nat num * (Z.of_nat m + 1) <= Z.of_nat den * Most)%Z.
Lemma kept_value : kept den = unit den / (1 - q0 den).
Proof.
  assert (D : 0 < INR den) by (apply lt_0_INR; assumption). pose proof (q0_lt den den0) as Q.
  unfold kept, unit, sum. rewrite Nat2Z.id.
  rewrite (below_ext _ _ (fun i => q0 den ^ i)).
  - rewrite powers by lra. unfold Rdiv. rewrite !Rmult_assoc. f_equal. f_equal.
    unfold q0. rewrite exp_pow. f_equal. f_equal. field. lra.
  - intros i _. unfold q0. rewrite exp_pow, <- INR_IZR_INZ. f_equal. field. lra.
Qed.
Lemma trial_value : trial num den (is (Z.of_nat m)) = gives num den (Z.to_nat Most) m.
Proof.
  assert (D : 0 < INR den) by (apply lt_0_INR; assumption).
  unfold trial. rewrite <- sum_scal.
  rewrite (sum_ext _ _ (fun u => sum Most (fun v =>
    if ((Z.to_nat u + den * Z.to_nat v) / num =? m)%nat then pass den (Z.to_nat u) (Z.to_nat v) else 0))).
  - rewrite sum_swap. unfold gives, sum. rewrite Nat2Z.id. apply below_ext. intros v _. apply below_ext. intros u _.
    rewrite !Nat2Z.id. reflexivity.
  - intros u U. unfold units. rewrite Z.sub_0_r.
    assert (Last : is (Z.of_nat m) (quotient num den u Most) = 0).
    { unfold is. rewrite quotient_value by (try assumption; unfold Most; lia).
      destruct (Z.eqb_spec ((u + Z.of_nat den * Most) / Z.of_nat num) (Z.of_nat m)) as [X|X]; [|reflexivity].
      assert (Z.of_nat m + 1 <= (u + Z.of_nat den * Most) / Z.of_nat num)%Z by (apply Z.div_le_lower_bound; lia). lia. }
    rewrite Last, Rmult_0_r, Rplus_0_r, <- !sum_scal. apply sum_ext. intros v V. rewrite Z.add_0_l.
    assert (Eq_ : is (Z.of_nat m) (quotient num den u v) = if ((Z.to_nat u + den * Z.to_nat v) / num =? m)%nat then 1 else 0).
    { unfold is. rewrite quotient_value by (try assumption; unfold Most in *; lia).
      assert (Q : ((u + Z.of_nat den * v) / Z.of_nat num = Z.of_nat ((Z.to_nat u + den * Z.to_nat v) / num))%Z).
      { rewrite Nat2Z.inj_div, Nat2Z.inj_add, Nat2Z.inj_mul, !Z2Nat.id by lia. reflexivity. }
      rewrite Q. destruct (Nat.eqb_spec ((Z.to_nat u + den * Z.to_nat v) / num) m) as [X|X].
      - rewrite X, Z.eqb_refl. reflexivity.
      - destruct (Z.eqb_spec (Z.of_nat ((Z.to_nat u + den * Z.to_nat v) / num)) (Z.of_nat m)); [lia|reflexivity]. }
    rewrite Eq_. destruct (Nat.eqb _ m); [|ring]. unfold pass.
    replace (IZR u) with (INR (Z.to_nat u)) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity). ring.
Qed.
Theorem one_sided_law fuel : (Most < Z.of_nat fuel)%Z ->
  run coins fuel TwoSidedGeometric_oneSided [Z.of_nat num; Z.of_nat den] (is (Z.of_nat m)) =
  (1 - (1 - kept den) ^ fuel) * ((1 - q num den) * q num den ^ m).
Proof.
  intros F. rewrite one_sided_value by assumption. assert (K : 0 < kept den) by (eapply kept_pos; eassumption).
  rewrite trial_value, gives_law; try assumption.
  - rewrite <- kept_value. field. lra.
  - apply Nat2Z.inj_le. rewrite !Nat2Z.inj_mul, Nat2Z.inj_succ, Z2Nat.id by (unfold Most; lia). lia.
Qed.
End Law.

(* The sign: one draw of two that is 0 is made again. The one-sided law is any p on 0 .. n-1 that is geometric at 0 and at
   the value asked for. *)
Section Draw.
Variables (n : Z) (p : Z -> R) (qq : R).
Hypothesis q01 : 0 < qq < 1.
Hypothesis n0 : (0 < n < W / 2)%Z.
Hypothesis law : sum n p = 1.
Hypothesis at0 : p 0%Z = 1 - qq.
Definition one_sided_call (args : list Z) (k : list Z -> R) : R := sum n (fun i => p i * k [i]).
Definition draws := also "TwoSidedGeometric_oneSided" one_sided_call machine.
Lemma sign x y : / IZR W * sum W (fun w => if (truth (wrap U64 (Z.shiftr w 63) =? 0) =? 0)%Z then x else y) = / 2 * x + / 2 * y.
Proof.
  pose proof W_Rpos as P.
  rewrite (sum_ext _ _ (fun w => (y - x) * (if (w <? 2 ^ 63)%Z then 1 else 0) + x * (if (w <? W)%Z then 1 else 0))).
  - rewrite sum_plus, !sum_scal, !count_below by (unfold W; lia).
    assert (H : IZR W = 2 * IZR (2 ^ 63)) by (rewrite <- mult_IZR; reflexivity). rewrite H in *. field. lra.
  - intros w Hw. rewrite truth_eqb. destruct (Z.ltb_spec w W); [|lia]. rewrite Z.shiftr_div_pow2 by lia.
    assert (Q : (0 <= w / 2 ^ 63 < 2)%Z) by (split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; unfold W in *; lia]).
    unfold wrap. rewrite Z.mod_small by (unfold W; lia).
    destruct (Z.ltb_spec w (2 ^ 63)) as [L|L].
    + rewrite Z.div_small by lia. cbn [Z.eqb negb]. ring.
    + destruct (Z.eqb_spec (w / 2 ^ 63) 0) as [E|E]; cbn [negb]; [|ring].
      assert (1 <= w / 2 ^ 63)%Z by (apply Z.div_le_lower_bound; lia). lia.
Qed.
Lemma pick i z L : (0 <= i)%Z ->
  p i * (/ 2 * (if (i =? 0)%Z then L else if (- i =? z)%Z then 1 else 0) + / 2 * (if (i =? z)%Z then 1 else 0)) =
  (if (Z.abs z =? i)%Z then / 2 * p (Z.abs z) else 0) + (if (0 =? i)%Z then / 2 * p 0%Z * L else 0).
Proof.
  clear. intros I. destruct (Z.eqb_spec (Z.abs z) i) as [A|A].
  - rewrite A. destruct (Z.eqb_spec i 0) as [Z0|Z0].
    + subst i. rewrite Z0 in *. destruct (Z.eqb_spec 0 z); [|lia]. cbn [Z.eqb]. ring.
    + destruct (Z.eqb_spec 0 i); [lia|]. destruct (Z.eqb_spec i z), (Z.eqb_spec (- i) z); try lia; ring.
  - destruct (Z.eqb_spec i z); [lia|]. destruct (Z.eqb_spec i 0) as [Z0|Z0].
    + subst i. cbn [Z.eqb]. ring.
    + destruct (Z.eqb_spec 0 i); [lia|]. destruct (Z.eqb_spec (- i) z); [lia|]. ring.
Qed.
Theorem draw_value z fuel num den : (Z.abs z < n)%Z -> p (Z.abs z) = (1 - qq) * qq ^ Z.to_nat (Z.abs z) ->
  run draws fuel TwoSidedGeometric_Draw [num; den] (is z) =
  (1 - ((1 - qq) / 2) ^ fuel) * ((1 - qq) / (1 + qq) * qq ^ Z.to_nat (Z.abs z)).
Proof.
  intros Z0 Pz. unfold run, TwoSidedGeometric_Draw, execs, draws.
  cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.shiftr truth wrap Z.opp is pow].
  match goal with |- ?L fuel ?e = _ => set (loop := L); set (start := e) end.
  set (r := (1 - qq) / 2). set (v := (1 - qq) / (1 + qq) * qq ^ Z.to_nat (Z.abs z)).
  assert (G : forall m y, loop m [("g.Num", num); ("g.Den", den); ("z", y)] = (1 - r ^ m) * v).
  { induction m as [|m IH]; intros y.
    - cbn. ring.
    - unfold loop. cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.shiftr truth wrap Z.opp is pow]. fold loop.
      change (1 =? 0)%Z with false. cbv iota.
      unfold one_sided_call.
      rewrite (sum_ext _ _ (fun i => (if (Z.abs z =? i)%Z then / 2 * p (Z.abs z) else 0) +
        (if (0 =? i)%Z then / 2 * p 0%Z * ((1 - r ^ m) * v) else 0))).
      + rewrite sum_plus, !count_one, Pz, at0 by lia. unfold v, r. cbn [pow]. field. lra.
      + intros i I. cbn [only hd]. rewrite sign, IH, truth_truth. unfold is.
        assert (Wi : wrap I64 (- i) = (- i)%Z).
        { assert (H : (W / 2 = 2 ^ 63)%Z) by reflexivity. assert (H' : (W = 2 ^ 64)%Z) by reflexivity.
          unfold wrap. rewrite H in *. rewrite H'. rewrite Z.mod_small by lia. lia. }
        change (value "z" _) with i. rewrite Wi.
        apply pick. lia. }
  transitivity (loop fuel [("g.Num", num); ("g.Den", den); ("z", 0%Z)]); [|apply G].
  destruct fuel; [reflexivity|]. unfold loop, start.
  cbn -[W sum Z.mul Z.modulo Z.div Z.ltb Z.eqb Z.shiftr truth wrap Z.opp is pow]. unfold one_sided_call. reflexivity.
Qed.
(* it tends to the law of two-sided geometric noise *)
Theorem draw_limit z num den : (Z.abs z < n)%Z -> p (Z.abs z) = (1 - qq) * qq ^ Z.to_nat (Z.abs z) ->
  is_lim_seq (fun fuel => run draws fuel TwoSidedGeometric_Draw [num; den] (is z))
    ((1 - qq) / (1 + qq) * qq ^ Z.to_nat (Z.abs z)).
Proof.
  intros Z0 Pz. apply (is_lim_seq_ext (fun fuel => (1 - ((1 - qq) / 2) ^ fuel) * ((1 - qq) / (1 + qq) * qq ^ Z.to_nat (Z.abs z)))).
  - intros. symmetry. apply draw_value; assumption.
  - rewrite <- (Rmult_1_l ((1 - qq) / (1 + qq) * _)) at 1. apply (is_lim_seq_mult' _ (fun _ => _)); [|apply is_lim_seq_const].
    replace 1 with (1 - 0) at 1 by ring. apply (is_lim_seq_minus' (fun _ => 1)); [apply is_lim_seq_const|].
    apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra.
Qed.
End Draw.
