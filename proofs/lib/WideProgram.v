(* The text of uniformWide and of bernoulliExpWide, with the integers of 192 bits that they use: every value has the same
   probability, and the chance of heads is that of the loop in Sampler. A call of a function without a loop is its text;
   uniform integers and the coin of words have their laws. *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Sampler SamplerGeometric GoProgram BernoulliProgram AcceptProgram.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition W3 : Z := W * W * W.
Lemma digits_words z : 0 <= z < W3 -> exists h m l, digits z = [h; m; l] /\ wide h m l = z /\ word h /\ word m /\ word l.
Proof.
  intros Z0. destruct (split z) as [E L], (split (z / W)) as [F M]. pose proof W_pos as P.
  exists (z / W / W), ((z / W) mod W), (z mod W). split; [reflexivity|]. split; [unfold wide; nia|]. split; [|tauto].
  unfold word, W3 in *. split; [apply Z.div_pos; [apply Z.div_pos; lia|lia]|].
  apply Z.div_lt_upper_bound; [lia|]. apply Z.div_lt_upper_bound; lia.
Qed.
(* what the machine says of the length of a word, and of the smaller of two *)
Definition length_law (args : list Z) (k : list Z -> R) : R :=
  match args with [w] => k [if w =? 0 then 0 else Z.log2 w + 1] | _ => 0%R end.
Definition min_law (args : list Z) (k : list Z -> R) : R := match args with [a; b] => k [Z.min a b] | _ => 0%R end.

Lemma less_text c fuel x y k : 0 <= x < W3 -> 0 <= y < W3 ->
  runs c fuel wide_less (digits x ++ digits y) k = k [truth (x <? y)].
Proof.
  intros X Y. destruct (digits_words x X) as (h & m & l & -> & E & H1 & M1 & L1),
    (digits_words y Y) as (h' & m' & l' & -> & E' & H2 & M2 & L2).
  assert (T : (x <? y) = if h =? h' then if m =? m' then l <? l' else m <? m' else h <? h').
  { subst. unfold wide, word in *. pose proof W_pos.
    destruct (Z.eqb_spec h h'), (Z.eqb_spec m m'), (Z.ltb_spec l l'), (Z.ltb_spec m m'), (Z.ltb_spec h h'), (Z.ltb_spec
      (h * (W * W) + m * W + l) (h' * (W * W) + m' * W + l')); try reflexivity; exfalso; subst; try lia; nia. }
  rewrite T. unfold runs, wide_less, execs. cbn -[W Z.mul Z.eqb Z.ltb truth].
  rewrite truth_eqb. destruct (h =? h'); cbn -[W Z.mul Z.eqb Z.ltb truth]; [|reflexivity].
  rewrite truth_eqb. destruct (m =? m'); reflexivity.
Qed.
Lemma plus_text fuel x y k : 0 <= x -> 0 <= y -> x + y < W3 ->
  runs machine fuel wide_plus (digits x ++ digits y) k = k (digits (x + y)).
Proof.
  intros X Y S. destruct (digits_words x ltac:(lia)) as (h & m & l & -> & E & H1 & M1 & L1),
    (digits_words y ltac:(lia)) as (h' & m' & l' & -> & E' & H2 & M2 & L2).
  unfold runs, wide_plus, execs. cbv -[W Z.mul Z.modulo Z.div Z.add wrap digits].
  destruct (split (l + l' + 0)) as [E1 B1], (split (m + m' + (l + l' + 0) / W)) as [E2 B2].
  set (c := (l + l' + 0) / W) in *. set (d := (m + m' + c) / W) in *.
  set (lo := (l + l' + 0) mod W) in *. set (mid := (m + m' + c) mod W) in *.
  assert (V : wide (h + h' + d) mid lo = x + y) by (subst x y; unfold wide; nia).
  pose proof W_pos as P.
  assert (D : 0 <= h + h' /\ 0 <= d /\ h + h' + d < W).
  { assert (C0 : 0 <= c) by (apply Z.div_pos; unfold word in *; lia).
    assert (D0 : 0 <= d) by (apply Z.div_pos; unfold word in *; lia).
    unfold word in *. split; [lia|]. split; [lia|]. unfold wide, W3 in *. clearbody c d lo mid. nia. }
  rewrite (wrap_word (h + h')), (wrap_word (h + h' + d)) by (unfold word; lia).
  rewrite <- V, digits_of by assumption. reflexivity.
Qed.
Lemma minus_text fuel x y k : 0 <= y <= x -> x < W3 ->
  runs machine fuel wide_minus (digits x ++ digits y) k = k (digits (x - y)).
Proof.
  intros X S. destruct (digits_words x ltac:(lia)) as (h & m & l & -> & E & H1 & M1 & L1),
    (digits_words y ltac:(lia)) as (h' & m' & l' & -> & E' & H2 & M2 & L2).
  unfold runs, wide_minus, execs. cbv -[W Z.mul Z.modulo Z.div Z.sub Z.opp wrap digits].
  destruct (split (l - l' - 0)) as [E1 B1], (split (m - m' - - ((l - l' - 0) / W))) as [E2 B2].
  set (c := (l - l' - 0) / W) in *. set (d := (m - m' - - c) / W) in *.
  set (lo := (l - l' - 0) mod W) in *. set (mid := (m - m' - - c) mod W) in *.
  assert (V : wide (h - h' - - d) mid lo = x - y) by (subst x y; unfold wide; nia).
  pose proof W_pos as P.
  assert (D : 0 <= h - h' - - d < W).
  { unfold word, wide, W3 in *. clearbody c d lo mid. nia. }
  replace (wrap U64 (wrap U64 (h - h') - - d)) with (h - h' - - d).
  2:{ unfold wrap. rewrite Zminus_mod_idemp_l. symmetry. apply Z.mod_small. assumption. }
  rewrite <- V, digits_of by assumption. reflexivity.
Qed.
Lemma lor_add a b s : 0 <= s -> 0 <= b < 2 ^ s -> Z.lor (a * 2 ^ s) b = a * 2 ^ s + b.
Proof.
  intros S B. assert (L : Z.land (a * 2 ^ s) b = 0).
  { apply Z.bits_inj'. intros n N. rewrite Z.land_spec, Z.bits_0. destruct (Z.lt_ge_cases n s) as [D|D].
    - rewrite Z.mul_pow2_bits_low by assumption. reflexivity.
    - rewrite <- (Z.mod_small b (2 ^ s)) by assumption. rewrite Z.mod_pow2_bits_high by lia. apply andb_false_r. }
  rewrite <- Z.lxor_lor by assumption. symmetry. apply Z.add_nocarry_lxor. assumption.
Qed.
Lemma limb a b s : word b -> 1 <= s <= 64 ->
  wrap U64 (Z.lor (wrap U64 (Z.shiftl a s)) (wrap U64 (Z.shiftr b (64 - s)))) = (a * 2 ^ s) mod W + b / 2 ^ (64 - s) /\
  word ((a * 2 ^ s) mod W + b / 2 ^ (64 - s)).
Proof.
  intros B S. rewrite Z.shiftl_mul_pow2, Z.shiftr_div_pow2 by lia. set (q := 2 ^ s). set (p := 2 ^ (64 - s)).
  assert (Q : 0 < q) by (apply Z.pow_pos_nonneg; lia). assert (P : 0 < p) by (apply Z.pow_pos_nonneg; lia).
  assert (PQ : W = p * q) by (unfold p, q, W; rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (D : 0 <= b / p < q).
  { unfold word in B. split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia]. }
  assert (M : (a * q) mod W = (a mod p) * q) by (rewrite PQ; apply Z.mul_mod_distr_r; lia).
  pose proof (Z.mod_pos_bound a p P) as A.
  assert (R : word ((a * q) mod W + b / p)) by (rewrite M; unfold word; rewrite PQ; nia).
  rewrite (wrap_word (b / p)) by (unfold word; nia). unfold wrap at 2. rewrite M in *.
  pose proof (lor_add (a mod p) (b / p) s ltac:(lia) D) as O. fold q in O. rewrite O. split; [|assumption].
  apply wrap_word. assumption.
Qed.
Lemma appended_text c fuel x w s k : 0 <= x -> 1 <= s <= 64 -> x * 2 ^ s < W3 -> word w ->
  runs c fuel wide_appended (digits x ++ [w; s]) k = k (digits (x * 2 ^ s + w / 2 ^ (64 - s))).
Proof.
  intros X S B Ww. assert (X3 : x < W3).
  { apply Z.le_lt_trans with (x * 2 ^ s); [|assumption]. assert (0 < 2 ^ s) by (apply Z.pow_pos_nonneg; lia).
    clear - X H. nia. }
  destruct (digits_words x ltac:(lia)) as (h & m & l & -> & E & H1 & M1 & L1).
  unfold runs, wide_appended, execs. cbv -[W Z.mul Z.modulo Z.div Z.add Z.sub Z.opp wrap Z.shiftl Z.shiftr Z.lor Z.pow digits].
  assert (I1 : wrap U64 s = s) by (apply wrap_word; unfold word, W; lia).
  assert (I2 : wrap U64 (wrap I64 (64 - s)) = 64 - s).
  { unfold wrap. change (W / 2) with (2 ^ 63). rewrite (Z.mod_small (64 - s + 2 ^ 63)) by (unfold W; lia).
    replace (64 - s + 2 ^ 63 - 2 ^ 63) with (64 - s) by ring. apply Z.mod_small. unfold W. lia. }
  rewrite I1, I2. destruct (limb h m s M1 S) as [-> _], (limb m l s L1 S) as [-> Bm], (limb l w s Ww S) as [-> Bl].
  rewrite <- digits_of by assumption. do 2 f_equal. unfold wide.
  set (q := 2 ^ s) in *. set (p := 2 ^ (64 - s)) in *.
  assert (Q : 0 < q) by (apply Z.pow_pos_nonneg; lia). assert (P : 0 < p) by (apply Z.pow_pos_nonneg; lia).
  assert (PQ : W = p * q) by (unfold p, q, W; rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (Dv : forall a, a * q = W * (a / p) + (a * q) mod W).
  { intros a. rewrite <- (Z.div_mul_cancel_r a p q), <- PQ by lia. apply Z.div_mod. lia. }
  pose proof (Dv m) as Dm. pose proof (Dv l) as Dl.
  assert (Hh : (h * q) mod W = h * q).
  { apply Z.mod_small. unfold word, wide, W3 in *. pose proof W_pos. split; [nia|]. subst x.
    assert (h * q * (W * W) < W * (W * W)) by nia. nia. }
  rewrite Hh. subst x. unfold wide. nia.
Qed.
(* the number of bits *)
Definition bits (z : Z) : Z := if z =? 0 then 0 else Z.log2 z + 1.
Definition lengths := also "Len64" length_law machine.
Lemma log2_top h z s : 0 < h -> 0 <= s -> h * 2 ^ s <= z < (h + 1) * 2 ^ s -> Z.log2 z = s + Z.log2 h.
Proof.
  intros H S Z0. destruct (Z.log2_spec h H) as [A B]. pose proof (Z.log2_nonneg h) as N.
  assert (P : 0 < 2 ^ s) by (apply Z.pow_pos_nonneg; lia).
  apply Z.log2_unique; [lia|]. rewrite Z.add_comm, <- Z.add_succ_l. rewrite !Z.pow_add_r by lia. nia.
Qed.
Lemma small_log2 h : word h -> 0 <= Z.log2 h < 64.
Proof.
  intros H. split; [apply Z.log2_nonneg|]. destruct (Z.eq_dec h 0) as [->|N]; [reflexivity|].
  apply Z.log2_lt_pow2; unfold word, W in *; lia.
Qed.
Lemma length_text fuel z k : 0 <= z < W3 -> runs lengths fuel wide_bitLen (digits z) k = k [bits z].
Proof.
  intros Z0. destruct (digits_words z Z0) as (h & m & l & -> & E & H & M & L).
  unfold runs, wide_bitLen, execs. cbn -[W Z.mul Z.add wrap truth Z.eqb Z.log2].
  pose proof (small_log2 h H) as Lh. pose proof (small_log2 m M) as Lm. unfold word, wide in *. pose proof W_pos as P.
  assert (I : forall v, 0 <= v < 256 -> wrap I64 v = v).
  { intros v V. unfold wrap. change (W / 2) with (2 ^ 63). rewrite Z.mod_small by (unfold W; lia). lia. }
  rewrite !truth_eqb. unfold bits.
  destruct (Z.eqb_spec h 0) as [H0|H0]; cbn [negb].
  - cbn -[W Z.mul Z.add wrap truth Z.eqb Z.log2]. rewrite ?truth_eqb. destruct (Z.eqb_spec m 0) as [M0|M0]; cbn [negb].
    + subst h m. replace z with l by lia. reflexivity.
    + cbn -[W Z.mul Z.add wrap truth Z.eqb Z.log2]. rewrite I by lia.
      destruct (Z.eqb_spec z 0); [nia|]. rewrite (log2_top m z 64); try lia; [do 2 f_equal; lia|].
      change (2 ^ 64) with W. nia.
  - cbn -[W Z.mul Z.add wrap truth Z.eqb Z.log2]. destruct (Z.eqb_spec h 0); [lia|]. rewrite I by lia.
    destruct (Z.eqb_spec z 0); [nia|]. rewrite (log2_top h z 128); try lia; [do 2 f_equal; lia|].
    change (2 ^ 128) with (W * W). nia.
Qed.
Open Scope R_scope.
Lemma sum_product p q g : (0 <= p)%Z -> (0 < q)%Z ->
  sum (p * q) g = sum p (fun a => sum q (fun v => g (a * q + v)%Z)).
Proof.
  intros P Q. unfold sum. rewrite Z2Nat.inj_mul, Nat.mul_comm by lia.
  assert (G : forall n, below (Z.to_nat q * n) (fun i => g (Z.of_nat i)) =
    below n (fun a => below (Z.to_nat q) (fun v => g (Z.of_nat a * q + Z.of_nat v)%Z))).
  { induction n as [|n IH]; [rewrite Nat.mul_0_r; reflexivity|]. cbn [below]. rewrite <- IH, Nat.mul_succ_r, below_add.
    f_equal. apply below_ext. intros i I. f_equal. lia. }
  apply G.
Qed.
Lemma top_bits s f : (1 <= s <= 64)%Z ->
  / IZR W * sum W (fun w => f (w / 2 ^ (64 - s))%Z) = / IZR (2 ^ s) * sum (2 ^ s) f.
Proof.
  intros S. set (q := (2 ^ s)%Z). set (p := (2 ^ (64 - s))%Z).
  assert (Q : (0 < q)%Z) by (apply Z.pow_pos_nonneg; lia). assert (P : (0 < p)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (PQ : W = (q * p)%Z) by (unfold p, q, W; rewrite <- Z.pow_add_r by lia; f_equal; lia).
  rewrite PQ, sum_product by lia.
  rewrite (sum_ext q _ (fun a => IZR p * f a)).
  - rewrite sum_scal, mult_IZR. apply IZR_lt in P, Q. field. lra.
  - intros a A. rewrite (sum_ext p _ (fun v => f a * (if (v <? p)%Z then 1 else 0))).
    + rewrite sum_scal, count_below by lia. ring.
    + intros v V. rewrite Z.div_add_l, Z.div_small by lia. destruct (Z.ltb_spec v p); [|lia]. rewrite Z.add_0_r. ring.
Qed.

(* uniformWide *)
Definition wide_texts := also "wide_minus" (text_of machine wide_minus) (also "wide_bitLen" (text_of lengths wide_bitLen)
  (also "wide_appended" (text_of machine wide_appended) (also "wide_less" (text_of machine wide_less)
  (also "min" min_law machine)))).
Definition wide_law (args : list Z) (k : list Z -> R) : R :=
  match args with [h; m; l] => let n := wide h m l in / IZR n * sum n (fun i => k (digits i)) | _ => 0 end.
Lemma word_draw k : machine "Uint64" [] k = / IZR W * sum W (fun w => k [w]). Proof. reflexivity. Qed.
Lemma count_single (f : Z -> R) : / IZR 1 * sum 1 f = f 0%Z.
Proof. unfold sum. change (Z.to_nat 1) with 1%nat. cbn [below Z.of_nat]. rewrite Rinv_1. ring. Qed.
Section Uniform.
Variable n : Z.
Hypothesis n1 : (0 < n < W3)%Z.
Definition size : Z := (2 ^ bits (n - 1))%Z.
Definition miss : R := 1 - IZR n / IZR size.
Lemma bits_range : (0 <= bits (n - 1) <= 192 /\ n <= size /\ size < 2 * n)%Z.
Proof.
  unfold size, bits. destruct (Z.eqb_spec (n - 1) 0) as [E|E].
  - change (2 ^ 0)%Z with 1%Z. lia.
  - destruct (Z.log2_spec (n - 1) ltac:(lia)) as [A B]. pose proof (Z.log2_nonneg (n - 1)) as N.
    assert (L : (Z.log2 (n - 1) < 192)%Z).
    { apply Z.log2_lt_pow2; [lia|]. change (2 ^ 192)%Z with W3. lia. }
    rewrite Z.pow_succ_r in B by assumption. rewrite Z.pow_add_r by lia. change (2 ^ 1)%Z with 2%Z. lia.
Qed.
Section Post.
Variable post : list Z -> R.
Fixpoint attempts (m : nat) : R :=
  match m with
  | O => 0
  | S m' => / IZR size * sum size (fun v => if (v <? n)%Z then post (digits v) else attempts m')
  end.
Lemma wide_meaning fuel : (3 < fuel)%nat -> runs wide_texts fuel uniformWide (digits n) post = attempts fuel.
Proof.
  intros F. destruct bits_range as (Bb & Bn & _).
  transitivity (runs machine 0 wide_minus (digits n ++ digits 1) (fun vs =>
    execs wide_texts fuel (tl (body uniformWide)) (sets ["last.hi"; "last.mid"; "last.lo"] vs
      (combine (params uniformWide) (digits n))) (fun o => match o with Result vs => post vs | _ => 0 end))).
  { reflexivity. }
  rewrite minus_text by lia.
  transitivity (runs lengths 0 wide_bitLen (digits (n - 1)) (fun vs =>
    execs wide_texts fuel (tl (tl (body uniformWide))) (sets ["length"] vs
      (sets ["last.hi"; "last.mid"; "last.lo"] (digits (n - 1)) (combine (params uniformWide) (digits n))))
      (fun o => match o with Result vs => post vs | _ => 0 end))).
  { reflexivity. }
  rewrite length_text by lia.
  set (size_ := bits (n - 1)) in *. fold size_ in Bb.
  cbn -[W W3 sum Z.mul Z.modulo Z.div Z.add Z.sub Z.opp Z.ltb Z.eqb Z.min wrap truth text_of machine bits].
  match goal with |- ?L fuel ?e = _ => set (outer := L); set (base := e) end.
  assert (O : forall m ex, (ex = [] \/ exists a b c d, ex = [("x.hi", a); ("x.mid", b); ("x.lo", c); ("left", d)]) ->
    outer m (base ++ ex)%list = attempts m).
  2:{ rewrite <- (O fuel []); [rewrite app_nil_r; reflexivity|left; reflexivity]. }
  induction m as [|m IH]; intros ex Ex; [reflexivity|].
  pose (B := fun z : Z => if (z <? n)%Z then post (digits z) else attempts m).
  pose (state := fun z r : Z => (base ++ [("x.hi", z / W / W); ("x.mid", (z / W) mod W); ("x.lo", z mod W); ("left", r)])%list%Z).
  unfold outer. cbn [Z.eqb]. fold outer.
  match goal with |- ?L fuel _ = _ => set (inner := L) end.
  assert (I : forall mi r x, (0 <= x)%Z -> (-64 < r <= 192)%Z -> ((x + 1) * 2 ^ Z.max 0 r <= W3)%Z ->
    (r <= 64 * (Z.of_nat mi - 1))%Z -> (0 < mi)%nat ->
    inner mi (state x r) = / IZR (2 ^ Z.max 0 r) * sum (2 ^ Z.max 0 r) (fun v => B (x * 2 ^ Z.max 0 r + v)%Z)).
  2:{ transitivity (inner fuel (state 0%Z size_)).
    - destruct Ex as [->|(a & b & c & d & ->)]; reflexivity.
    - rewrite I; try lia.
      + rewrite Z.max_r by lia. reflexivity.
      + rewrite Z.max_r by lia. change W3 with (2 ^ 192)%Z. rewrite Z.mul_1_l. apply Z.pow_le_mono_r; lia. }
  induction mi as [|mi IHi]; intros r x X Rr B3 Mi Pos; [lia|]. clear Pos.
  assert (P : (0 < 2 ^ Z.max 0 r)%Z) by (apply Z.pow_pos_nonneg; lia).
  unfold inner, state, base.
  cbn -[W W3 sum Z.mul Z.modulo Z.div Z.add Z.sub Z.opp Z.ltb Z.eqb Z.min wrap truth text_of machine bits Z.max Z.of_nat Z.pow].
  fold inner. rewrite truth_eqb. destruct (Z.ltb_spec 0 r) as [Rp|Rn]; cbn [negb].
  - rewrite word_draw.
    set (s := Z.min r 64). set (r' := Z.max 0 (r - 64)).
    assert (Rs : (r = s + r' /\ 1 <= s <= 64 /\ 0 <= r')%Z) by lia. destruct Rs as (Rs & S & R0).
    assert (Q : (0 < 2 ^ s)%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (Q' : (0 < 2 ^ r')%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (T : (2 ^ Z.max 0 r = 2 ^ s * 2 ^ r')%Z) by (rewrite Z.max_r, Rs by lia; apply Z.pow_add_r; lia).
    rewrite T in B3 |- *.
    transitivity (/ IZR W * sum W (fun w => (fun a => / IZR (2 ^ r') * sum (2 ^ r') (fun v =>
      B ((x * 2 ^ s + a) * 2 ^ r' + v)%Z)) (w / 2 ^ (64 - s))%Z)).
    { f_equal. apply sum_ext. intros w Hw. cbn [only hd]. unfold text_of at 1.
      match goal with |- context [runs machine 0 wide_appended ?l _] => change l with (digits x ++ [w; s])%list end.
      assert (Hw' : (0 <= w / 2 ^ (64 - s) < 2 ^ s)%Z).
      { assert (PQ : W = (2 ^ (64 - s) * 2 ^ s)%Z) by (unfold W; rewrite <- Z.pow_add_r by lia; f_equal; lia).
        assert (0 < 2 ^ (64 - s))%Z by (apply Z.pow_pos_nonneg; lia).
        split; [apply Z.div_pos; lia|apply Z.div_lt_upper_bound; lia]. }
      rewrite appended_text; [|assumption|assumption| |unfold word; lia].
      2:{ apply Z.lt_le_trans with ((x + 1) * (2 ^ s * 2 ^ r'))%Z; [|assumption]. nia. }
      set (z := (x * 2 ^ s + w / 2 ^ (64 - s))%Z) in *.
      transitivity (inner mi (state z (wrap I64 (r - 64)))); [reflexivity|].
      assert (Wr : wrap I64 (r - 64) = (r - 64)%Z).
      { unfold wrap. change (W / 2)%Z with (2 ^ 63)%Z. rewrite Z.mod_small by (unfold W; lia). lia. }
      assert (Z0 : (0 <= z)%Z) by (apply Z.add_nonneg_nonneg; [apply Z.mul_nonneg_nonneg; lia|lia]).
      assert (Zb : ((z + 1) * 2 ^ r' <= W3)%Z).
      { apply Z.le_trans with ((x + 1) * (2 ^ s * 2 ^ r'))%Z; [|assumption]. rewrite Z.mul_assoc.
        apply Z.mul_le_mono_nonneg_r; [lia|]. rewrite Z.mul_add_distr_r. unfold z. lia. }
      rewrite Wr. apply (IHi (r - 64)%Z z Z0 ltac:(lia) Zb); lia. }
    rewrite (top_bits s (fun a => / IZR (2 ^ r') * sum (2 ^ r') (fun v => B ((x * 2 ^ s + a) * 2 ^ r' + v)%Z))) by assumption.
    rewrite sum_scal, sum_product, mult_IZR by lia. apply IZR_lt in Q, Q'.
    rewrite Rinv_mult. rewrite Rmult_assoc. do 2 f_equal.
    apply sum_ext. intros a A. apply sum_ext. intros v V. f_equal. ring.
  - replace (Z.max 0 r) with 0%Z in * by lia. change (2 ^ 0)%Z with 1%Z in *.
    unfold text_of at 1.
    match goal with |- context [runs machine 0 wide_less ?l _] => change l with (digits x ++ digits n)%list end.
    rewrite less_text by lia. cbn [only hd]. rewrite truth_eqb.
    rewrite (count_single (fun v => B (x * 1 + v)%Z)). rewrite Z.mul_1_r, Z.add_0_r. unfold B.
    destruct (x <? n)%Z; cbn [negb]; [reflexivity|].
    apply IH. right. do 4 eexists. reflexivity.
Qed.
Lemma attempts_value m : attempts m = (1 - miss ^ m) * (/ IZR n * sum n (fun i => post (digits i))).
Proof.
  destruct bits_range as (_ & Bn & _). assert (N : 0 < IZR n) by (apply IZR_lt; lia).
  assert (S : IZR n <= IZR size) by (apply IZR_le; assumption).
  induction m as [|m IH]; [cbn; ring|]. cbn [attempts pow].
  set (x := attempts m) in *. set (T := sum n (fun i => post (digits i))) in *.
  assert (E : sum size (fun v => if (v <? n)%Z then post (digits v) else x) = T + (IZR size - IZR n) * x).
  { replace size with (n + (size - n))%Z by ring. unfold sum at 1. rewrite Z2Nat.inj_add, below_add by lia.
    replace (n + (size - n))%Z with size by ring. f_equal.
    - apply below_ext. intros i I. destruct (Z.ltb_spec (Z.of_nat i) n); [reflexivity|lia].
    - transitivity (sum (size - n) (fun v => x * (if (v <? size - n)%Z then 1 else 0))).
      + unfold sum. apply below_ext. intros i I. rewrite Nat2Z.inj_add, Z2Nat.id by lia.
        destruct (Z.ltb_spec (n + Z.of_nat i) n), (Z.ltb_spec (Z.of_nat i) (size - n)); try lia. ring.
      + rewrite sum_scal, count_below, minus_IZR by lia. ring. }
  rewrite E, IH. unfold miss. field. lra.
Qed.
(* While no loop runs more than fuel times, the values have the same probability; every attempt fails with less than 1/2. *)
Theorem uniform_wide_value fuel : (3 < fuel)%nat ->
  runs wide_texts fuel uniformWide (digits n) post = (1 - miss ^ fuel) * wide_law (digits n) post.
Proof.
  intros F. rewrite wide_meaning, attempts_value by assumption.
  destruct (wide_digits n) as (h & m & l & -> & E). cbn [wide_law]. cbv zeta. rewrite E. reflexivity.
Qed.
End Post.
Theorem miss_half : 0 <= miss < 1 / 2.
Proof.
  destruct bits_range as (_ & A & B). apply IZR_le in A. apply IZR_lt in B. rewrite mult_IZR in B.
  assert (N : 0 < IZR n) by (apply IZR_lt; lia). unfold miss.
  assert (D : IZR n / IZR size <= 1 /\ 1 / 2 < IZR n / IZR size); [|lra]. split.
  - apply (Rmult_le_reg_r (IZR size)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply (Rmult_lt_reg_r (IZR size)); [lra|]. unfold Rdiv. rewrite (Rmult_assoc (IZR n)), Rinv_l by lra. lra.
Qed.
End Uniform.
(* bernoulliExpWide: uniformWide and the coin of words have the laws that their texts tend to *)
Definition wide_coins := also "wide_less" (text_of machine wide_less) (also "wide_minus" (text_of machine wide_minus)
  (also "wide_plus" (text_of machine wide_plus) (also "wide_isWord" (text_of machine wide_isWord)
  (also "uniformWide" wide_law (also "bernoulliExpUnit" (coin_law coin) machine))))).
Lemma wide_law_digits z k : wide_law (digits z) k = / IZR z * sum z (fun i => k (digits i)).
Proof. destruct (wide_digits z) as (h & m & l & -> & E). cbn [wide_law]. cbv zeta. rewrite E. reflexivity. Qed.
Section Coin.
Variable den : Z.
Hypothesis den2 : (0 < den < W * W)%Z.
Variable fuel : nat.
Hypothesis fuel_word : (Z.of_nat fuel < W)%Z.
(* the chance of heads for what is left of the exponent, and for all of it *)
Definition rest (num : Z) : R := if (den <? W)%Z then exp (- (IZR num / IZR den)) else heads (IZR num / IZR den) fuel.
Fixpoint whole (m : nat) (num : Z) : R :=
  match m with O => 0 | S m' => if (den <? num)%Z then exp (- 1) * whole m' (num - den) else rest num end.
Lemma word_text h m l k : runs machine 0 wide_isWord [h; m; l] k = k [truth ((h =? 0) && (m =? 0))]%Z.
Proof.
  unfold runs, wide_isWord, execs. cbn -[Z.eqb truth]. rewrite truth_eqb.
  destruct (h =? 0)%Z; cbn -[Z.eqb truth]; [reflexivity|reflexivity].
Qed.
Theorem wide_true num : (0 <= num < W3)%Z ->
  run wide_coins fuel bernoulliExpWide (digits num ++ digits den) (is 1) = whole fuel num.
Proof.
  intros N. assert (D3 : (0 <= den < W3)%Z) by (unfold W3; pose proof W_pos; nia).
  assert (Dp : 0 < IZR den) by (apply IZR_lt; lia).
  unfold run, runs, execs, bernoulliExpWide, wide_coins, digits.
  cbn -[W W3 sum Z.mul Z.modulo Z.div Z.add Z.sub Z.ltb Z.eqb Z.rem wrap truth text_of machine wide_law coin_law coin].
  match goal with |- ?L fuel _ = _ => set (units := L) end.
  match goal with |- units ?n ?e = _ => set (start := e) end.
  assert (U : forall m x, (0 <= x < W3)%Z -> units m [("num.hi", x / W / W); ("num.mid", (x / W) mod W); ("num.lo", x mod W);
    ("den.hi", den / W / W); ("den.mid", (den / W) mod W); ("den.lo", den mod W)]%Z = whole m x); [|apply U; assumption].
  clear num N start. induction m as [|m IH]; intros x X; [reflexivity|].
  unfold units.
  cbn -[W W3 sum Z.mul Z.modulo Z.div Z.add Z.sub Z.ltb Z.eqb Z.rem wrap truth text_of machine wide_law coin_law coin].
  fold units. unfold text_of at 1.
  match goal with |- context [runs machine 0 wide_less ?l _] => change l with (digits den ++ digits x)%list end.
  rewrite less_text by assumption. cbn [only hd]. rewrite truth_eqb.
  destruct (Z.ltb_spec den x) as [L|L]; cbn [negb whole].
  - change (den <? x)%Z with (den <? x)%Z. destruct (Z.ltb_spec den x); [|lia].
    unfold coin_law at 1. unfold coin at 1 2. cbn [only hd].
    change (truth (truth (1 =? 0) =? 0) =? 0)%Z with false. change (truth (truth (0 =? 0) =? 0) =? 0)%Z with true.
    change (truth (1 =? 0) =? 0)%Z with true. change (truth (0 =? 0) =? 0)%Z with false. cbv iota.
    unfold text_of at 1.
    match goal with |- context [runs machine 0 wide_minus ?l _] => change l with (digits x ++ digits den)%list end.
    rewrite minus_text by lia.
    match goal with |- exp (- (1 / 1)) * ?a + _ = _ => change a with (units m [("num.hi", (x - den) / W / W);
      ("num.mid", ((x - den) / W) mod W); ("num.lo", (x - den) mod W);
      ("den.hi", den / W / W); ("den.mid", (den / W) mod W); ("den.lo", den mod W)]%Z) end.
    rewrite IH by lia. unfold is. cbn [only hd Z.eqb]. replace (1 / 1) with 1 by field.
    replace (exp (-1)) with (exp (- (1))) by (f_equal; lra). ring.
  - destruct (Z.ltb_spec den x); [lia|]. clear IH units m.
    unfold text_of at 1. rewrite word_text. cbn [only hd]. rewrite truth_eqb. unfold rest.
    assert (T : ((den / W / W =? 0) && ((den / W) mod W =? 0))%Z = (den <? W)%Z).
    { pose proof W_pos as P. assert (H0 : (den / W < W)%Z) by (apply Z.div_lt_upper_bound; lia).
      assert (H1 : (0 <= den / W)%Z) by (apply Z.div_pos; lia).
      rewrite (Z.div_small (den / W)), (Z.mod_small (den / W)) by lia. cbn [andb Z.eqb].
      destruct (Z.ltb_spec den W) as [A|A]; [rewrite Z.div_small by lia; reflexivity|].
      apply Z.eqb_neq. assert (1 <= den / W)%Z by (apply Z.div_le_lower_bound; lia). lia. }
    rewrite T. destruct (Z.ltb_spec den W) as [A|A]; cbn [negb].
    + unfold coin_law, coin. rewrite !(Z.mod_small _ W) by lia. unfold is. cbn. ring.
    + cbn -[W W3 sum Z.mul Z.modulo Z.div Z.add Z.sub Z.ltb Z.eqb Z.rem wrap truth text_of machine wide_law coin_law coin heads].
      match goal with |- ?L fuel _ = _ => set (trials := L) end.
      match goal with |- trials _ ?e = _ => set (start := e) end.
      set (base := [("num.hi", x / W / W); ("num.mid", (x / W) mod W); ("num.lo", x mod W);
        ("den.hi", den / W / W); ("den.mid", (den / W) mod W); ("den.lo", den mod W)]%Z).
      assert (G : forall m k ex, (1 <= k)%nat -> (Z.of_nat (k + m) <= W)%Z ->
        (ex = [] \/ exists a b c, ex = [("u.hi", a); ("u.mid", b); ("u.lo", c)]) ->
        let n := ((Z.of_nat k - 1) * den)%Z in
        trials m (base ++ [("n.hi", n / W / W); ("n.mid", (n / W) mod W); ("n.lo", n mod W); ("k", Z.of_nat k)] ++ ex)%list%Z =
        loop (IZR x / IZR den) m k).
      2:{ unfold heads. rewrite <- (G fuel 1%nat []); [reflexivity|lia|lia|left; reflexivity]. }
      induction m as [|m IH]; intros k ex K Km Ex n; [reflexivity|].
      assert (Kw : (Z.of_nat k * den < W3)%Z) by (unfold W3; nia).
      assert (Next : (Z.of_nat k + 1 < W)%Z -> wrap U64 (Z.of_nat k + 1) = Z.of_nat (S k)).
      { intros H'. unfold wrap. rewrite Z.mod_small; lia. }
      assert (Odd : wrap U64 (Z.rem (Z.of_nat k) 2) = Z.rem (Z.of_nat k) 2).
      { unfold wrap. apply Z.mod_small. rewrite Z.rem_mod_nonneg by lia. pose proof (Z.mod_pos_bound (Z.of_nat k) 2).
        unfold W. lia. }
      transitivity (text_of machine wide_plus (digits n ++ digits den) (fun vs => wide_law vs (fun us =>
        text_of machine wide_less (us ++ digits x) (fun u => if (truth (only u =? 0) =? 0)%Z
          then trials m (set "k" (wrap U64 (Z.of_nat k + 1)) (sets ["u.hi"; "u.mid"; "u.lo"] us
            (sets ["n.hi"; "n.mid"; "n.lo"] vs (base ++ [("n.hi", n / W / W); ("n.mid", (n / W) mod W);
            ("n.lo", n mod W); ("k", Z.of_nat k)] ++ ex))))%list%Z
          else is 1 (truth (wrap U64 (Z.rem (Z.of_nat k) 2) =? 1)%Z))))).
      { destruct Ex as [->|(a & b & c & ->)]; reflexivity. }
      unfold text_of at 1. rewrite plus_text by (unfold n; try lia; nia).
      replace (n + den)%Z with (Z.of_nat k * den)%Z by (unfold n; ring). rewrite wide_law_digits.
      assert (Pk : (den <= Z.of_nat k * den)%Z) by nia.
      set (P := if Nat.odd k then 1 else 0).
      rewrite (sum_ext _ _ (fun i => if (i <? x)%Z then loop (IZR x / IZR den) m (S k) else P)).
      2:{ intros i I. unfold text_of. rewrite less_text by lia. cbn [only hd]. rewrite truth_truth.
        destruct (i <? x)%Z.
        - destruct m as [|m']; [reflexivity|]. rewrite Next by lia.
          rewrite <- (IH (S k) [("u.hi", i / W / W); ("u.mid", (i / W) mod W); ("u.lo", i mod W)]%Z);
            [|lia|lia|right; do 3 eexists; reflexivity].
          replace (Z.of_nat (S k) - 1)%Z with (Z.of_nat k) by lia.
          destruct Ex as [->|(a & b & c & ->)]; reflexivity.
        - unfold P. rewrite Odd, odd_of. destruct (Nat.odd k); reflexivity. }
      rewrite <- (Z.max_r 1 (Z.of_nat k * den)) at 1 2 by lia. rewrite uniform_below by lia.
      rewrite mult_IZR, <- INR_IZR_INZ. cbn [loop]. fold P. assert (0 < INR k) by (apply lt_0_INR; lia). field. lra.
Qed.
(* every whole unit costs a factor of e^-1; with more units than loops there is no heads *)
Lemma whole_value u num m : (0 <= num)%Z -> (u < m)%nat -> (Z.of_nat u * den <= num)%Z ->
  (u = 0%nat \/ Z.of_nat u * den < num)%Z -> (num <= (Z.of_nat u + 1) * den)%Z ->
  whole m num = exp (- INR u) * rest (num - Z.of_nat u * den).
Proof.
  revert num m. induction u as [|u IH]; intros num m N M A A' B.
  - destruct m as [|m]; [lia|]. cbn [whole]. destruct (Z.ltb_spec den num); [lia|].
    change (INR 0) with 0. rewrite Ropp_0, exp_0, Rmult_1_l. f_equal. lia.
  - destruct m as [|m]; [lia|]. cbn [whole]. destruct (Z.ltb_spec den num); [|nia].
    rewrite IH; try lia.
    + rewrite <- Rmult_assoc, <- exp_plus. f_equal; [f_equal; rewrite S_INR; ring|f_equal; lia].
Qed.
Theorem wide_heads num u : (0 <= num < W3)%Z -> (u < fuel)%nat -> (u = 0%nat \/ Z.of_nat u * den < num)%Z ->
  (num <= (Z.of_nat u + 1) * den)%Z ->
  run wide_coins fuel bernoulliExpWide (digits num ++ digits den) (is 1) = exp (- INR u) * rest (num - Z.of_nat u * den).
Proof.
  intros N F A B. rewrite wide_true by assumption. apply whole_value; try assumption; try lia.
Qed.
End Coin.
