(* The text of DiscreteGaussian.scale, exponent and accept, and of the integers of 192 bits that they use: no word wraps
   around where it should not. The text's calls of each other are the text; coins have their laws, and the root of
   floating point is any word below 2^32. *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From PrivBayes Require Import SamplerGeometric GoProgram BernoulliProgram.
From PrivBayes.Shipped Require Import Samplers.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition word (z : Z) : Prop := 0 <= z < W.
Definition wide (h m l : Z) : Z := h * (W * W) + m * W + l.
Definition digits (z : Z) : list Z := [z / W / W; (z / W) mod W; z mod W].
Lemma split z : z = W * (z / W) + z mod W /\ word (z mod W).
Proof. pose proof W_pos. split; [apply Z.div_mod; lia|apply Z.mod_pos_bound; lia]. Qed.
Lemma join q r : word r -> (q * W + r) / W = q /\ (q * W + r) mod W = r.
Proof.
  intros H. unfold word in H. rewrite Z.add_comm, Z.div_add, Z_mod_plus_full, Z.div_small, Z.mod_small by lia. lia.
Qed.
Lemma digits_of h m l : word m -> word l -> digits (wide h m l) = [h; m; l].
Proof.
  intros M L. unfold digits, wide. replace (h * (W * W) + m * W + l) with ((h * W + m) * W + l) by ring.
  destruct (join (h * W + m) l L) as [-> ->], (join h m M) as [-> ->]. reflexivity.
Qed.
Lemma wide_digits z : exists h m l, digits z = [h; m; l] /\ wide h m l = z.
Proof.
  do 3 eexists. split; [reflexivity|]. unfold wide. destruct (split z) as [E _], (split (z / W)) as [F _]. nia.
Qed.
Lemma wrap_word z : word z -> wrap U64 z = z. Proof. apply Z.mod_small. Qed.

(* what the text of squared128 returns *)
Definition squared_words (hi lo : Z) : list Z :=
  [wrap U64 (wrap U64 (wrap U64 (hi * hi) + wrap U64 (2 * hi) * lo / W) +
     (lo * lo / W + wrap U64 (2 * hi) * lo mod W + 0) / W);
   (lo * lo / W + wrap U64 (2 * hi) * lo mod W + 0) mod W; lo * lo mod W].
Lemma squared_digits hi lo : 0 <= hi < 2 ^ 31 -> word lo -> squared_words hi lo = digits ((hi * W + lo) ^ 2).
Proof.
  intros H L. unfold squared_words.
  assert (H2 : wrap U64 (2 * hi) = 2 * hi) by (apply wrap_word; unfold word, W; lia). rewrite H2.
  destruct (split (lo * lo)) as [E1 B1], (split (2 * hi * lo)) as [E2 B2].
  destruct (split (lo * lo / W + 2 * hi * lo mod W + 0)) as [E3 B3].
  assert (P : 0 <= lo * lo / W < W).
  { unfold word in *. split; [apply Z.div_pos; nia|apply Z.div_lt_upper_bound; nia]. }
  assert (P1 : 0 <= 2 * hi * lo / W < 2 ^ 32).
  { unfold word in *. split; [apply Z.div_pos; nia|apply Z.div_lt_upper_bound; [lia|]].
    apply Z.le_lt_trans with (2 * hi * W); [nia|unfold W; lia]. }
  set (h0 := lo * lo / W) in *. set (l0 := (lo * lo) mod W) in *. set (h1 := 2 * hi * lo / W) in *.
  set (l1 := (2 * hi * lo) mod W) in *. set (mid := (h0 + l1 + 0) mod W) in *. set (c := (h0 + l1 + 0) / W) in *.
  assert (C : 0 <= c <= 1) by (unfold word in *; nia).
  assert (S : 0 <= hi * hi <= (2 ^ 31 - 1) * (2 ^ 31 - 1)) by (clear - H; nia).
  clearbody h0 l0 h1 l1 mid c. remember (hi * hi) as s eqn:Es.
  rewrite (wrap_word s), (wrap_word (s + h1)), (wrap_word (s + h1 + c)) by (unfold word, W in *; lia).
  rewrite <- digits_of by assumption. f_equal. unfold wide.
  replace ((hi * W + lo) ^ 2) with (hi * hi * (W * W) + W * (2 * hi * lo) + lo * lo) by ring.
  rewrite E1, E2. replace mid with (h0 + l1 + 0 - W * c) by lia. subst s. ring.
Qed.
Theorem squared_value hi lo fuel post : 0 <= hi < 2 ^ 31 -> word lo ->
  runs machine fuel squared128 [hi; lo] post = post (digits ((hi * W + lo) ^ 2)).
Proof. intros. rewrite <- squared_digits by assumption. reflexivity. Qed.
(* calls of a function are its text *)
Definition text_of (c : string -> list Z -> (list Z -> R) -> R) (f : function) (args : list Z) (k : list Z -> R) : R :=
  runs c 0 f args k.
Definition squares := also "squared128" (text_of machine squared128) machine.

(* the exponent as a fraction: every case in which the words hold it *)
Section Exponent.
Variables a b y t : Z.
Hypothesis A : 0 < a /\ 2 * a < W.
Hypothesis B : 0 < b.
Hypothesis T : 0 < t /\ t * b < W.
Hypothesis Y : 0 <= y < W /\ y * t * b < 2 ^ 95.
Hypothesis D : 2 * a * b * t ^ 2 < W * W.
Definition top : Z := (y * t * b - a) ^ 2.
Definition under : Z := 2 * a * b * t ^ 2.
Lemma under_mid : let tb := t * b in
  wrap U64 (wrap U64 (wrap U64 (t * tb / W * 2) * a) + t * tb mod W * (2 * a) / W) =
  t * tb / W * 2 * a + t * tb mod W * (2 * a) / W.
Proof.
  intros tb. destruct (split (t * tb)) as [E1 B1], (split (t * tb mod W * (2 * a))) as [E2 B2].
  set (u := t * tb / W) in *. set (l := t * tb mod W) in *. set (c := l * (2 * a) / W) in *.
  set (r := (l * (2 * a)) mod W) in *. unfold wrap.
  rewrite Zmult_mod_idemp_l, Zplus_mod_idemp_l. apply Z.mod_small. unfold word in *. pose proof W_pos.
  assert (U : 0 <= u) by (apply Z.div_pos; nia). assert (C : 0 <= c) by (apply Z.div_pos; nia).
  assert (V : (u * 2 * a + c) * W + r = under).
  { unfold under. replace (2 * a * b * t ^ 2) with (2 * a * (t * tb)) by (unfold tb; ring). rewrite E1. lia. }
  split; [nia|]. apply (Zmult_lt_reg_r _ _ W); [assumption|]. fold under in D. lia.
Qed.
Lemma under_digits : let tb := t * b in
  digits under = [0; t * tb / W * 2 * a + t * tb mod W * (2 * a) / W; (t * tb mod W * (2 * a)) mod W].
Proof.
  intros tb. destruct (split (t * tb)) as [E1 B1], (split (t * tb mod W * (2 * a))) as [E2 B2].
  pose proof under_mid as M. cbv zeta in M. fold tb in M.
  rewrite <- digits_of; [|rewrite <- M; apply Z.mod_pos_bound, W_pos|assumption].
  f_equal. unfold wide, under. replace (2 * a * b * t ^ 2) with (2 * a * (t * tb)) by (unfold tb; ring).
  rewrite E1 at 1. lia.
Qed.
(* y t b - a by words: the difference, or its negative where it borrows *)
Lemma distance : let tb := t * b in let hi := y * tb / W in let lo := y * tb mod W in
  let lo1 := (lo - a - 0) mod W in let b1 := - ((lo - a - 0) / W) in
  let hi1 := (hi - 0 - b1) mod W in let b2 := - ((hi - 0 - b1) / W) in
  let lo2 := (0 - lo1 - 0) mod W in let b3 := - ((0 - lo1 - 0) / W) in
  let hi2 := (0 - hi1 - b3) mod W in
  (b2 = 0 /\ hi1 * W + lo1 = y * t * b - a /\ 0 <= hi1 < 2 ^ 31 /\ word lo1) \/
  (b2 <> 0 /\ hi2 * W + lo2 = a - y * t * b /\ 0 <= hi2 < 2 ^ 31 /\ word lo2).
Proof.
  intros tb hi lo lo1 b1 hi1 b2 lo2 b3 hi2. pose proof W_pos as Wp.
  destruct (split (y * tb)) as [E0 B0], (split (lo - a - 0)) as [E1 B1], (split (hi - 0 - b1)) as [E2 B2],
    (split (0 - lo1 - 0)) as [E3 B3], (split (0 - hi1 - b3)) as [E4 B4].
  fold hi lo in E0. fold lo in B0. fold lo1 in E1, B1. fold hi1 in E2, B2. fold lo2 in E3, B3. fold hi2 in E4, B4.
  replace ((lo - a - 0) / W) with (- b1) in E1 by (unfold b1; lia).
  replace ((hi - 0 - b1) / W) with (- b2) in E2 by (unfold b2; lia).
  replace ((0 - lo1 - 0) / W) with (- b3) in E3 by (unfold b3; lia).
  set (q := (0 - hi1 - b3) / W) in E4.
  assert (N : 0 <= y * t * b) by nia. replace (y * tb) with (y * t * b) in E0 by (unfold tb; ring).
  assert (H31 : 2 ^ 95 = 2 ^ 31 * W) by reflexivity. destruct Y as [_ Y1]. rewrite H31 in Y1.
  clearbody q hi lo lo1 b1 hi1 b2 lo2 b3 hi2. generalize dependent (y * t * b). intros d E0 N Y1. unfold word in *.
  clear T D. clearbody tb. clear tb. unfold W in *.
  destruct (Z.eq_dec b2 0) as [Z0|Z0]; [left|right]; lia.
Qed.
Theorem exponent_value fuel post :
  runs squares fuel DiscreteGaussian_exponent [a; b; y; t] post = post (digits top ++ digits under)%list.
Proof.
  pose proof under_mid as M. pose proof under_digits as U. pose proof distance as Ds. cbv zeta in M, U, Ds.
  destruct A as [A0 A1], T as [T0 T1].
  assert (Case : forall hi lo, 0 <= hi < 2 ^ 31 -> word lo -> (hi * W + lo) ^ 2 = top ->
    post (squared_words hi lo ++ [0;
      wrap U64 (wrap U64 (wrap U64 (t * (t * b) / W * 2) * a) + t * (t * b) mod W * (2 * a) / W);
      t * (t * b) mod W * (2 * a) mod W])%list = post (digits top ++ digits under)%list).
  { intros hi lo H L V. rewrite squared_digits, V, U, M by assumption. reflexivity. }
  clear M U. set (goal := post (digits top ++ digits under)%list) in *. clearbody goal.
  unfold runs, DiscreteGaussian_exponent, execs.
  cbv -[W Z.mul Z.modulo Z.div Z.add Z.sub Z.opp Z.eqb wrap digits Z.pow truth].
  assert (E1 : wrap U64 (t * b) = t * b) by (apply wrap_word; unfold word; nia).
  assert (E2 : wrap U64 (2 * a) = 2 * a) by (apply wrap_word; unfold word; lia).
  rewrite E1, E2, truth_truth.
  destruct Ds as [(E & V & H & L)|(E & V & H & L)].
  - rewrite E. apply (Case _ _ H L). rewrite V. reflexivity.
  - apply Z.eqb_neq in E. rewrite E.
    apply (Case _ _ H L). rewrite V. unfold top. ring.
Qed.
Definition wide_coin (args : list Z) : R :=
  match args with [h; m; l; h'; m'; l'] => exp (- (IZR (wide h m l) / IZR (wide h' m' l'))) | _ => 0%R end.
Definition accepts :=
  also "DiscreteGaussian_exponent" (text_of squares DiscreteGaussian_exponent)
    (also "wide_isWord" (text_of machine wide_isWord)
      (also "BernoulliExp" (coin_law coin) (also "bernoulliExpWide" (coin_law wide_coin) machine))).
Definition chance : R := exp (- (IZR top / IZR under)).
Theorem accept_value fuel post :
  runs accepts fuel DiscreteGaussian_accept [a; b; y; t] post = (chance * post [1%Z] + (1 - chance) * post [0%Z])%R.
Proof.
  transitivity (runs squares 0 DiscreteGaussian_exponent [a; b; y; t] (fun vs =>
    execs accepts fuel (tl (body DiscreteGaussian_accept))
      (sets ["num.hi"; "num.mid"; "num.lo"; "den.hi"; "den.mid"; "den.lo"] vs
        [("g.Num", a); ("g.Den", b); ("y", y); ("t", t)]) (fun o => match o with Result vs => post vs | _ => 0%R end))).
  { reflexivity. }
  rewrite exponent_value.
  destruct (wide_digits top) as (h & m & l & -> & N), (wide_digits under) as (h' & m' & l' & -> & U).
  assert (Big : coin_law wide_coin [h; m; l; h'; m'; l'] post =
    (chance * post [1%Z] + (1 - chance) * post [0%Z])%R).
  { unfold coin_law, wide_coin. rewrite N, U. reflexivity. }
  assert (Small : h = 0 -> m = 0 -> h' = 0 -> m' = 0 -> coin_law coin [l; l'] post =
    (chance * post [1%Z] + (1 - chance) * post [0%Z])%R).
  { intros -> -> -> ->. change (l = top) in N. change (l' = under) in U.
    unfold coin_law, coin. rewrite N, U. reflexivity. }
  clear A B T Y D N U. set (goal := (chance * post [1%Z] + (1 - chance) * post [0%Z])%R) in *. clearbody goal.
  cbv -[Z.eqb truth coin_law coin wide_coin IZR] in *.
  destruct (Z.eqb_spec h 0); [destruct (Z.eqb_spec m 0); [destruct (Z.eqb_spec h' 0); [destruct (Z.eqb_spec m' 0)|]|]|];
    cbn -[coin_law coin wide_coin]; auto.
Qed.
End Exponent.
(* the domain of DiscreteGaussian: a, b <= 2^62, proposals up to (2^22 + 1) t at its scale *)
Lemma domain a b y : 0 < a <= 2 ^ 62 -> 0 < b <= 2 ^ 62 -> let t := Z.sqrt (a / b) + 1 in 0 <= y <= (2 ^ 22 + 1) * t ->
  (0 < a /\ 2 * a < W) /\ 0 < b /\ (0 < t /\ t * b < W) /\ (0 <= y < W /\ y * t * b < 2 ^ 95) /\
  2 * a * b * t ^ 2 < W * W.
Proof.
  intros A B t Y. assert (Q : 0 <= a / b) by (apply Z.div_pos; lia).
  destruct (Z.sqrt_spec (a / b) Q) as [S _]. set (s := Z.sqrt (a / b)) in *.
  assert (S0 : 0 <= s) by apply Z.sqrt_nonneg.
  assert (S1 : s * s * b <= a).
  { apply Z.le_trans with (a / b * b); [nia|]. rewrite Z.mul_comm. apply Z.mul_div_le. lia. }
  assert (S2 : s * b <= 2 ^ 62).
  { apply Z.square_le_simpl_nonneg; [lia|]. replace (s * b * (s * b)) with (s * s * b * b) by ring.
    apply Z.le_trans with (a * b); [apply Z.mul_le_mono_nonneg_r; lia|]. apply Z.mul_le_mono_nonneg; lia. }
  assert (T2 : t ^ 2 * b <= 2 ^ 64).
  { replace (t ^ 2 * b) with (s * s * b + 2 * (s * b) + b) by (unfold t; ring). lia. }
  assert (T1 : t * b <= 2 ^ 63) by (unfold t; replace ((s + 1) * b) with (s * b + b) by ring; lia).
  assert (T0 : 1 <= t <= 2 ^ 32) by (unfold t in *; nia).
  split; [unfold W; lia|]. split; [lia|]. split; [unfold W; lia|]. split; [split; [unfold W; lia|]|].
  - replace (y * t * b) with (y * (t * b)) by ring. apply Z.le_lt_trans with ((2 ^ 22 + 1) * (t ^ 2 * b)); [|lia].
    replace ((2 ^ 22 + 1) * (t ^ 2 * b)) with ((2 ^ 22 + 1) * t * (t * b)) by ring. apply Z.mul_le_mono_nonneg_r; nia.
  - replace (2 * a * b * t ^ 2) with (2 * a * (t ^ 2 * b)) by ring.
    apply Z.le_lt_trans with (2 ^ 63 * 2 ^ 64); [|unfold W; lia]. apply Z.mul_le_mono_nonneg; nia.
Qed.

(* the scale, from any guess of the root below 2^32 *)
Section Scale.
Variables a b guess : Z.
Hypothesis A : 0 <= a <= 2 ^ 62.
Hypothesis B : 0 < b < W.
Hypothesis guess32 : 0 <= guess < 2 ^ 32.
Definition roots := also "nearRoot" (fun _ k => k [guess]) machine.
Theorem scale_value fuel post : 2 ^ 32 < Z.of_nat fuel ->
  runs roots fuel DiscreteGaussian_scale [a; b] post = post [Z.sqrt (a / b) + 1].
Proof.
  intros F. assert (Q : 0 <= a / b <= 2 ^ 62).
  { split; [apply Z.div_pos; lia|]. apply Z.le_trans with a; [apply Z.div_le_upper_bound; nia|lia]. }
  destruct (Z.sqrt_spec (a / b) (proj1 Q)) as [Sa Sb]. pose proof (Z.sqrt_nonneg (a / b)) as S0.
  set (root := Z.sqrt (a / b)) in *.
  assert (S1 : root <= 2 ^ 31).
  { apply Z.square_le_simpl_nonneg; [lia|]. clearbody root. lia. }
  unfold runs, DiscreteGaussian_scale, execs.
  cbn -[W Z.mul Z.add Z.sub Z.ltb Z.eqb Z.quot truth wrap Z.of_nat].
  replace (wrap U64 (a ÷ b)) with (a / b).
  2:{ rewrite Z.quot_div_nonneg by lia. symmetry. apply wrap_word. unfold word, W. lia. }
  generalize dependent (a / b). intros q Q root Sa Sb S0 S1.
  match goal with |- ?L fuel _ = _ => set (down := L) end.
  assert (G : forall m s, 0 <= s < 2 ^ 32 -> Z.max 0 (s - root) < Z.of_nat m ->
    down m [("g.Num", a); ("g.Den", b); ("q", q); ("s", s)] = post [root + 1]); [|apply G; lia].
  clearbody root. induction m as [|m IH]; intros s H M; [lia|]. unfold down.
  cbn -[W Z.mul Z.add Z.sub Z.ltb Z.eqb Z.quot truth wrap Z.of_nat]. fold down.
  rewrite truth_eqb, wrap_word by (unfold word, W; nia).
  destruct (Z.ltb_spec q (s * s)) as [L|L]; cbn [negb].
  { rewrite wrap_word by (unfold word, W; nia). apply IH; nia. }
  match goal with |- ?L fuel _ = _ => set (up := L) end. clear IH M m down.
  assert (G : forall m s, 0 <= s <= root -> Z.max 0 (root - s) < Z.of_nat m ->
    up m [("g.Num", a); ("g.Den", b); ("q", q); ("s", s)] = post [root + 1]); [|apply G; nia].
  clear s H L. induction m as [|m IH]; intros s H M; [lia|]. unfold up.
  cbn -[W Z.mul Z.add Z.sub Z.ltb Z.eqb Z.quot truth wrap Z.of_nat]. fold up.
  rewrite truth_truth, (wrap_word (s + 1)), wrap_word by (unfold word, W; nia).
  destruct (Z.ltb_spec q ((s + 1) * (s + 1))) as [L|L].
  - do 2 f_equal. nia.
  - apply IH; nia.
Qed.
End Scale.
