(* The rate of a Hellinger plan as the text of theorem1 of mechanism/hellinger computes it in float64, with the texts of
   rho there, of Rho of internal/hellinger and of num.Up. Each operation is rounded to nearest and moved one step up,
   but for the last sum. What lipschitz and slack return is given. *)
From Coq Require Import ZArith String List Bool Reals Lra Lia.
From Flocq Require Import Core.
From PrivBayes Require Import Outward FloatProgram.
From PrivBayes.Shipped Require Import Rates.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

Definition over (x : R) : R := up (rnd x).
Definition rho (gamma diameter : R) : R :=
  if Req_EM_T gamma 0 then 2 else
    Rmin (over (2 + over (gamma * diameter))) (over (1 + over (sqrt (over (1 + rnd (2 * over (gamma * gamma))))))).
Definition exact (gamma diameter : R) : R := Rmin (2 + gamma * diameter) (1 + sqrt (1 + 2 * gamma ^ 2)).
(* the functions that the text calls: two of them are texts, two give what they give *)
Definition up_called := text "num_Up" num_Up machine.
Definition rho_called := text "hellinger_Rho" hellinger_Rho up_called.
Definition given (gamma ok : value) (eta : value -> value) :=
  also "space_slack" (fun vs k => k [eta (only vs)])
    (text "space_rho" space_rho (gives "space_lipschitz" [gamma; ok] rho_called)).

Notation infinity := (Infinite false).
Notation is_float := (generic_format radix2 fexp).
Lemma over_ge x : x <= over x. Proof. apply enclosed. Qed.
Lemma valid : Valid_exp fexp. Proof. apply FLT_exp_valid. reflexivity. Qed.
Lemma integer z : (Z.abs z < 2 ^ 53)%Z -> rounded (IZR z) = Finite (IZR z).
Proof.
  intros H. unfold rounded.
  assert (E : rnd (IZR z) = IZR z).
  { apply round_generic; [apply valid_rnd_N|]. apply generic_format_FLT.
    exists (Float radix2 z 0); cbn; [unfold F2R; cbn; ring|exact H|unfold emin; lia]. }
  rewrite E. unfold held. destruct (Rlt_dec _ _) as [L|L]; [reflexivity|]. exfalso. apply L.
  rewrite <- abs_IZR. apply Rlt_trans with (IZR (2 ^ 53)); [apply IZR_lt; assumption|].
  change (2 ^ 53)%Z with (radix2 ^ 53)%Z. rewrite IZR_Zpower by lia. apply bpow_lt. reflexivity.
Qed.
Lemma negative_pos x : 0 <= x -> negative x = false.
Proof. intros H. unfold negative. destruct (Rlt_dec x 0); [lra|reflexivity]. Qed.
Lemma true_truth b : true_of (truth b) = b.
Proof. unfold true_of, truth, zero, num. destruct b; destruct (Req_EM_T _ _); cbn; try reflexivity; lra. Qed.
Lemma rnd_pos x : 0 <= x -> 0 <= rnd x.
Proof. intros H. replace 0 with (rnd 0) by apply round_0, valid_rnd_N. apply rnd_le. assumption. Qed.
Lemma rnd_twice u : is_float u -> is_float (2 * u) /\ rnd (2 * u) = 2 * u.
Proof.
  intros F. assert (G : is_float (2 * u)).
  { apply FLT_format_generic in F; [|reflexivity]. destruct F as [f E M L].
    apply generic_format_FLT. exists (Float radix2 (Fnum f) (Fexp f + 1)); cbn [Fnum Fexp].
    - rewrite E. unfold F2R. cbn [Fnum Fexp]. rewrite bpow_plus. change (bpow radix2 1) with 2. ring.
    - exact M.
    - unfold emin in *. lia. }
  split; [exact G|]. apply round_generic; [apply valid_rnd_N|exact G].
Qed.
(* a float that is at least x, or what is rounded from that *)
Definition atleast (x : R) (v : float) := v = infinity \/ exists u, v = Finite u /\ is_float u /\ x <= u.
Definition near (x : R) (v : float) := v = infinity \/ exists w, v = rounded w /\ x <= w.
Lemma held_pos x : 0 <= x -> held x = Finite x \/ held x = infinity.
Proof. intros H. unfold held. rewrite (negative_pos x H). destruct (Rlt_dec _ _); auto. Qed.
Lemma rounded_pos x : 0 <= x -> rounded x = Finite (rnd x) \/ rounded x = infinity.
Proof. intros H. apply held_pos, rnd_pos. assumption. Qed.
Lemma next_near x v : 0 <= x -> near x v -> atleast x (next v infinity).
Proof.
  intros P [->|[w [-> L]]]; [left; reflexivity|].
  destruct (rounded_pos w) as [E|E]; [lra| |]; rewrite E; [|left; reflexivity].
  change (next _ _) with (held (up (rnd w))).
  destruct (held_pos (up (rnd w))) as [F|F].
  - apply Rle_trans with (rnd w); [apply rnd_pos; lra|apply succ_ge_id].
  - rewrite F. right. eexists. split; [reflexivity|]. split.
    + apply generic_format_succ; [apply valid|apply format].
    + apply Rle_trans with w; [assumption|]. apply enclosed.
  - rewrite F. left. reflexivity.
Qed.
Lemma add_near c x v : atleast x v -> near (c + x) (add (Finite c) v).
Proof. intros [->|[u [-> [F L]]]]; [left; reflexivity|]. right. exists (c + u). split; [reflexivity|lra]. Qed.
Lemma root_near x v : 0 <= x -> atleast x v -> near (sqrt x) (root v).
Proof.
  intros X [->|[u [-> [F L]]]]; [left; reflexivity|]. right. exists (sqrt u). cbn.
  destruct (Rlt_dec u 0); [lra|]. split; [reflexivity|]. apply sqrt_le_1_alt. assumption.
Qed.
Lemma times_infinite c : 0 < c -> mul (Finite c) infinity = infinity.
Proof. intros C. cbn. destruct (Req_EM_T c 0); [lra|]. rewrite negative_pos by lra. reflexivity. Qed.
Lemma infinite_times c : 0 < c -> mul infinity (Finite c) = infinity.
Proof. intros C. cbn. destruct (Req_EM_T c 0); [lra|]. rewrite negative_pos by lra. reflexivity. Qed.
Lemma fused_infinite c a : 0 < c -> fused (Finite c) infinity (Finite a) = infinity.
Proof. intros C. unfold fused. rewrite times_infinite by assumption. reflexivity. Qed.
Lemma twice_atleast x v : 0 <= x -> atleast x v -> atleast (2 * x) (mul (Finite 2) v).
Proof.
  intros X [->|[u [-> [F L]]]].
  - left. apply times_infinite. lra.
  - destruct (rnd_twice u F) as [G E]. cbn. unfold rounded. rewrite E.
    destruct (held_pos (2 * u)) as [H|H]; [lra| |]; rewrite H; [|left; reflexivity].
    right. eexists. split; [reflexivity|]. split; [exact G|lra].
Qed.
Lemma fused_near a x v : 0 <= x -> atleast x v -> near (a + 2 * x) (fused (Finite 2) v (Finite a)).
Proof.
  intros X [->|[u [-> [F L]]]].
  - left. apply fused_infinite. lra.
  - right. exists (2 * u + a). split; [reflexivity|]. lra.
Qed.
Lemma least_atleast x y u v : atleast x u -> atleast y v -> atleast (Rmin x y) (least u v).
Proof.
  intros [->|[a [-> [F L]]]] [->|[b [-> [G M]]]]; cbn.
  - left. reflexivity.
  - right. eexists. split; [reflexivity|]. split; [assumption|]. eapply Rle_trans; [apply Rmin_r|assumption].
  - right. eexists. split; [reflexivity|]. split; [assumption|]. eapply Rle_trans; [apply Rmin_l|assumption].
  - destruct (Rlt_dec b a); right; eexists; (split; [reflexivity|]); (split; [assumption|]).
    + eapply Rle_trans; [apply Rmin_r|assumption].
    + eapply Rle_trans; [apply Rmin_l|assumption].
Qed.

Lemma zero_is : rounded 0 = Finite 0. Proof. apply (integer 0). reflexivity. Qed.
Lemma one_is : rounded 1 = Finite 1. Proof. apply (integer 1). reflexivity. Qed.
Lemma two_is : rounded 2 = Finite 2. Proof. apply (integer 2). reflexivity. Qed.
Lemma four_is : rounded 4 = Finite 4. Proof. apply (integer 4). reflexivity. Qed.
Lemma one_pos : negative 1 = false. Proof. apply negative_pos. lra. Qed.
Lemma le_finite x y : less (Finite x) (Finite y) || equal (Finite x) (Finite y) = if Rle_dec x y then true else false.
Proof. unfold less, equal. destruct (Rlt_dec x y), (Req_EM_T x y), (Rle_dec x y); cbn; try reflexivity; lra. Qed.
Ltac read :=
  cbv beta iota zeta delta [runs execs exec eval body params combine hellinger_Rho num_Up space_rho hellinger_theorem1
    up_called given text gives also machine look set sets only hd app String.eqb Ascii.eqb Bool.eqb];
  rewrite ?true_truth, ?zero_is, ?one_is, ?two_is, ?four_is; cbn [below num]; rewrite ?one_pos.


(* no overflow *)
Lemma small_over x e : 0 <= x <= bpow radix2 e -> (0 <= e < 1020)%Z ->
  rounded x = Finite (rnd x) /\ next (rounded x) infinity = Finite (over x) /\ 0 <= over x <= bpow radix2 (e + 1).
Proof.
  intros [P L] E. assert (V := valid).
  assert (B : forall k, (0 <= k)%Z -> is_float (bpow radix2 k)).
  { intros k K. apply generic_format_bpow. unfold fexp, FLT_exp, emin, prec. lia. }
  assert (U : rnd x <= bpow radix2 e).
  { apply round_le_generic; [assumption|apply valid_rnd_N|apply B; lia|assumption]. }
  assert (T : over x <= bpow radix2 (e + 1)).
  { apply succ_le_lt; [assumption|apply format|apply B; lia|]. eapply Rle_lt_trans; [exact U|]. apply bpow_lt. lia. }
  assert (O : x <= over x) by apply enclosed. pose proof (rnd_pos x P) as N.
  assert (H : forall y, 0 <= y <= bpow radix2 (e + 1) -> held y = Finite y).
  { intros y Y. unfold held. destruct (Rlt_dec _ _) as [|F]; [reflexivity|]. exfalso. apply F.
    rewrite Rabs_pos_eq by lra. eapply Rle_lt_trans; [apply Y|]. apply bpow_lt. lia. }
  assert (R : rounded x = Finite (rnd x)).
  { apply H. split; [assumption|]. eapply Rle_trans; [exact U|]. apply bpow_le. lia. }
  split; [exact R|]. split; [|lra]. rewrite R. apply (H (over x)). lra.
Qed.
Lemma power x e f : x <= bpow radix2 e -> (0 <= e)%Z -> (e + 2 <= f)%Z -> 2 + 2 * x <= bpow radix2 f.
Proof.
  intros L E F. apply Rle_trans with (bpow radix2 (e + 2)); [|apply bpow_le; exact F]. rewrite bpow_plus.
  change (bpow radix2 2) with 4. pose proof (bpow_le radix2 0 e E). change (bpow radix2 0) with 1 in *. lra.
Qed.
Definition good (gamma r : float) : Prop :=
  r = NaN \/ r = infinity \/ exists x u, gamma = Finite x /\ 0 <= x /\ r = Finite u /\ exact x 1 <= u /\
    (x <= bpow radix2 500 -> u = rho x 1).
Lemma least_finite a b : least (Finite a) (Finite b) = Finite (Rmin a b).
Proof. cbn. unfold Rmin. destruct (Rlt_dec b a), (Rle_dec a b); f_equal; lra. Qed.
(* 1 + 2 x^2 rounded, by one rounding or two, and what comes of it *)
Definition inner (x : R) (s : float) : Prop :=
  near (1 + 2 * (x * x)) s /\ (x <= bpow radix2 500 -> s = rounded (1 + rnd (2 * over (x * x)))).
Definition outer (x : R) : R := over (1 + over (sqrt (over (1 + rnd (2 * over (x * x)))))).
Lemma square_small x : 0 <= x <= bpow radix2 500 ->
  next (mul (Finite x) (Finite x)) infinity = Finite (over (x * x)) /\ 0 <= over (x * x) <= bpow radix2 1001.
Proof.
  intros [P L]. change (mul (Finite x) (Finite x)) with (rounded (x * x)).
  apply (small_over (x * x) 1000); [|lia]. split; [apply Rmult_le_pos; assumption|].
  replace (bpow radix2 1000) with (bpow radix2 500 * bpow radix2 500) by (rewrite <- bpow_plus; reflexivity).
  apply Rmult_le_compat; assumption.
Qed.
Lemma over_float x : is_float (over x). Proof. apply generic_format_succ; [apply valid|apply format]. Qed.
Lemma inner_added x : 0 <= x ->
  inner x (add (Finite 1) (mul (Finite 2) (next (mul (Finite x) (Finite x)) infinity))).
Proof.
  intros P. assert (Q : 0 <= x * x) by (apply Rmult_le_pos; assumption). split.
  - apply add_near, twice_atleast; [assumption|]. apply next_near; [assumption|].
    right. eexists. split; [reflexivity|lra].
  - intros S. destruct (square_small x) as [-> [O U]]; [lra|].
    change (mul (Finite 2) (Finite ?y)) with (rounded (2 * y)).
    destruct (small_over (2 * over (x * x)) 1003) as [-> _]; [|lia|reflexivity].
    split; [lra|]. assert (2 + 2 * over (x * x) <= bpow radix2 1003) by (apply (power _ _ _ U); lia). lra.
Qed.
Lemma inner_fused x : 0 <= x ->
  inner x (fused (Finite 2) (next (mul (Finite x) (Finite x)) infinity) (Finite 1)).
Proof.
  intros P. assert (Q : 0 <= x * x) by (apply Rmult_le_pos; assumption). split.
  - apply fused_near; [assumption|]. apply next_near; [assumption|]. right. eexists. split; [reflexivity|lra].
  - intros S. destruct (square_small x) as [-> _]; [lra|].
    change (fused (Finite 2) (Finite ?y) (Finite 1)) with (rounded (2 * y + 1)).
    rewrite (proj2 (rnd_twice _ (over_float (x * x)))). f_equal. ring.
Qed.
Lemma outer_text x s r : 0 <= x -> inner x s -> r = add (Finite 1) (next (root (next s infinity)) infinity) ->
  atleast (1 + sqrt (1 + 2 * (x * x))) (next r infinity) /\
  (x <= bpow radix2 500 -> next r infinity = Finite (outer x)).
Proof.
  intros P [N S] ->. assert (Q : 0 <= x * x) by (apply Rmult_le_pos; assumption). split.
  - pose proof (sqrt_pos (1 + 2 * (x * x))). apply next_near; [lra|]. apply add_near.
    apply next_near; [lra|]. apply root_near; [lra|]. apply next_near; [lra|assumption].
  - intros L. rewrite (S L). destruct (square_small x) as [_ [O U]]; [lra|].
    rewrite (proj2 (rnd_twice _ (over_float (x * x)))).
    assert (B : 2 + 2 * over (x * x) <= bpow radix2 1003) by (apply (power _ _ _ U); lia).
    destruct (small_over (1 + 2 * over (x * x)) 1003) as [_ [-> [O1 U1]]]; [|lia|].
    { split; lra. }
    assert (A1 : 1 <= over (1 + 2 * over (x * x))) by (pose proof (over_ge (1 + 2 * over (x * x))); lra).
    set (y := over (1 + 2 * over (x * x))) in *. assert (R : sqrt y <= y).
    { rewrite <- (sqrt_Rsqr y) at 2 by lra. apply sqrt_le_1_alt. unfold Rsqr. nra. }
    change (root (Finite y)) with (if Rlt_dec y 0 then NaN else rounded (sqrt y)).
    destruct (Rlt_dec y 0) as [|_]; [lra|].
    destruct (small_over (sqrt y) 1004) as [_ [-> [O2 U2]]]; [|lia|].
    { split; [apply sqrt_pos|]. eapply Rle_trans; [exact R|]. exact U1. }
    change (add (Finite 1) (Finite ?z)) with (rounded (1 + z)).
    destruct (small_over (1 + over (sqrt y)) 1007) as [_ [-> _]]; [|lia|].
    { assert (2 + 2 * over (sqrt y) <= bpow radix2 1007) by (apply (power _ _ _ U2); lia). lra. }
    unfold outer. rewrite (proj2 (rnd_twice _ (over_float (x * x)))). reflexivity.
Qed.
Lemma linear_text x : 0 <= x -> let v := next (add (Finite 2) (next (mul (Finite x) (Finite 1)) infinity)) infinity in
  atleast (2 + x * 1) v /\ (x <= bpow radix2 500 -> v = Finite (over (2 + over (x * 1)))).
Proof.
  intros P. cbv zeta. split.
  - apply next_near; [lra|]. apply add_near. apply next_near; [lra|]. right. eexists. split; [reflexivity|lra].
  - intros L. change (mul (Finite x) (Finite 1)) with (rounded (x * 1)).
    destruct (small_over (x * 1) 500) as [_ [-> [O U]]]; [lra|lia|].
    change (add (Finite 2) (Finite ?z)) with (rounded (2 + z)).
    destruct (small_over (2 + over (x * 1)) 503) as [_ [-> _]]; [|lia|reflexivity].
    assert (2 + 2 * over (x * 1) <= bpow radix2 503) by (apply (power _ _ _ U); lia). lra.
Qed.
Definition formula (gamma r : float) : Prop :=
  forall x, gamma = Finite x -> 0 <= x <= bpow radix2 500 -> r = Finite (rho x 1).
Lemma rho_text gamma (k : list value -> Prop) :
  (forall r, good (num gamma) r -> formula (num gamma) r -> k [Known r]) ->
  rho_called "hellinger_Rho" [gamma; Known (Finite 1)] k.
Proof.
  intros K. change (runs up_called hellinger_Rho [gamma; Known (Finite 1)] k). read. rewrite !le_finite.
  destruct (Rle_dec 0 1) as [_|]; [|lra]. destruct (Rle_dec 1 1) as [_|]; [|lra].
  cbn [negb]. set (y := num gamma) in *. destruct y as [x|[|]|].
  - rewrite le_finite. destruct (Rle_dec 0 x) as [X|X].
    2: { apply K; [left; reflexivity|]. intros x' E ?. injection E as <-. lra. }
    assert (Z : forall s, inner x s ->
      sum (Known (Finite 1)) (Known (next (root (next s infinity)) infinity)) (fun r0 =>
        if equal (Finite x) (Finite 0) then k [Known (Finite 2)]
        else sum (Known (Finite 2)) (Known (next (mul (Finite x) (Finite 1)) infinity))
          (fun r1 => k [Known (least (next r1 infinity) (next r0 infinity))]))).
    { intros s N. split; [|split; exact I]. cbv beta. unfold equal. destruct (Req_EM_T x 0) as [E|E].
      - assert (T : 2 = rho x 1) by (unfold rho; destruct (Req_EM_T x 0); [reflexivity|contradiction]). apply K.
        + right. right. exists x, 2. split; [reflexivity|]. split; [assumption|]. split; [reflexivity|]. split; [|auto].
          unfold exact. rewrite E. eapply Rle_trans; [apply Rmin_l|lra].
        + intros x' H _. injection H as <-. rewrite <- T. reflexivity.
      - split; [|split; exact I]. cbn [num].
        destruct (outer_text x s _ X N eq_refl) as [A1 B1]. destruct (linear_text x X) as [A2 B2].
        assert (T : forall u w, x <= bpow radix2 500 -> u = Finite (over (2 + over (x * 1))) -> w = Finite (outer x) ->
          least u w = Finite (rho x 1)).
        { intros u w _ -> ->. rewrite least_finite. unfold rho, outer.
          destruct (Req_EM_T x 0); [contradiction|reflexivity]. }
        apply K; [|intros x' H [_ S]; injection H as <-; auto].
        destruct (least_atleast _ _ _ _ A2 A1) as [F|[u [F [_ L]]]]; [right; left; exact F|right; right].
        exists x, u. split; [reflexivity|]. split; [assumption|]. split; [exact F|]. split.
        + unfold exact. replace (x ^ 2) with (x * x) by ring. exact L.
        + intros S. rewrite (T _ _ S (B2 S) (B1 S)) in F. injection F as <-. reflexivity. }
    split; [|split; [exact I|]]; cbn [num]; apply Z; [apply inner_added|apply inner_fused]; assumption.
  - apply K; [left; reflexivity|discriminate].
  - change (less (Finite 0) infinity || equal (Finite 0) infinity) with true.
    change (equal infinity (Finite 0)) with false.
    change (mul infinity infinity) with infinity. change (next infinity infinity) with infinity.
    split; [|split; [exact I|]]; cbn [num]; rewrite ?fused_infinite, ?times_infinite by lra;
      (split; [|split; exact I]); (split; [|split; exact I]); cbn [num]; rewrite infinite_times by lra;
      (apply K; [right; left; reflexivity|discriminate]).
  - apply K; [left; reflexivity|discriminate].
Qed.


Lemma times_four h : is_float h -> rnd (4 * h) = 4 * h.
Proof.
  intros F. destruct (rnd_twice h F) as [G _]. destruct (rnd_twice _ G) as [_ E].
  replace (4 * h) with (2 * (2 * h)) by ring. exact E.
Qed.
Lemma held_finite x v : held x = Finite v -> v = x.
Proof. unfold held. destruct (Rlt_dec _ _); [|discriminate]. intros H. injection H. auto. Qed.
Lemma rounded_finite x v : rounded x = Finite v -> v = rnd x.
Proof. apply held_finite. Qed.
(* of a sum that is finite *)
Lemma added a b v : add a b = Finite v -> exists x y, a = Finite x /\ b = Finite y /\ v = rnd (x + y).
Proof.
  destruct a as [x|p|], b as [y|q|]; cbn; try discriminate; [|destruct (eqb p q); discriminate].
  intros H. exists x, y. repeat split. apply rounded_finite. assumption.
Qed.
Lemma charged a eta v : (forall h, eta = Finite h -> is_float h) ->
  add a (mul (Finite 4) eta) = Finite v \/ fused (Finite 4) eta a = Finite v ->
  exists x h, a = Finite x /\ eta = Finite h /\ v = rnd (x + 4 * h).
Proof.
  intros F [H|H].
  - destruct (added _ _ _ H) as [x [y [-> [M ->]]]]. destruct eta as [h|p|]; try discriminate.
    + apply rounded_finite in M. subst y. rewrite (times_four h) by (apply F; reflexivity). eauto.
    + cbn in M. destruct (Req_EM_T 4 0); [lra|]. discriminate.
  - destruct a as [x|p|], eta as [h|q|]; try discriminate; try (cbn in H; destruct (Req_EM_T 4 0) in H; [lra|]).
    + apply rounded_finite in H. exists x, h. repeat split. rewrite H. f_equal. ring.
    + discriminate.
    + cbn in H. destruct (eqb _ p) in H; discriminate.
    + discriminate.
Qed.
Lemma exact_pos x : 0 <= x -> 0 < exact x 1.
Proof. intros P. unfold exact. apply Rmin_glb_lt; [lra|]. pose proof (sqrt_pos (1 + 2 * x ^ 2)). lra. Qed.
Lemma multiplied gamma kappa r a : below kappa = false -> good gamma r -> next (mul kappa r) infinity = Finite a ->
  exists x k, gamma = Finite x /\ kappa = Finite k /\ 0 <= x /\ k * exact x 1 <= a /\
    (x <= bpow radix2 500 -> a = over (k * rho x 1)).
Proof.
  intros B G H. destruct G as [->|[->|[x [u [-> [P [-> [L S]]]]]]]].
  - destruct kappa; discriminate.
  - exfalso. destruct kappa as [k|p|]; try discriminate; cbn in B.
    + unfold mul in H. destruct (zero (Finite k) || zero infinity); [discriminate|]. cbn [below] in H.
      rewrite B in H. discriminate.
    + subst p. discriminate.
  - pose proof (exact_pos x P). destruct kappa as [k|p|]; try discriminate.
    + assert (K : 0 <= k) by (unfold below, negative in B; destruct (Rlt_dec k 0); [discriminate|lra]).
      exists x, k. split; [reflexivity|]. split; [reflexivity|]. split; [assumption|].
      change (mul (Finite k) (Finite u)) with (rounded (k * u)) in H.
      pose proof (Rmult_le_compat_l k _ _ K L). pose proof (Rmult_le_pos k u K).
      destruct (rounded_pos (k * u)) as [E|E]; [lra| |]; rewrite E in H; [|discriminate].
      apply held_finite in H. fold (over (k * u)) in H. subst a. split.
      * pose proof (over_ge (k * u)). lra.
      * intros Q. rewrite (S Q). reflexivity.
    + exfalso. cbn in B. subst p. unfold mul in H. destruct (zero infinity || zero (Finite u)); [discriminate|].
      cbn [below] in H. rewrite negative_pos in H by lra. discriminate.
Qed.
(* A finite result comes from finite numbers, and one step above it bounds the privacy loss. Unless gamma is beyond
   2^500, it is the formula. *)
Theorem rate_float gamma ok eta kappa :
  below (num kappa) = false -> (forall h, num (eta kappa) = Finite h -> is_float h) ->
  runs (given gamma ok eta) hellinger_theorem1 [kappa] (fun vs => forall v, num (only vs) = Finite v ->
    exists x k h, num gamma = Finite x /\ num kappa = Finite k /\ num (eta kappa) = Finite h /\ 0 <= x /\
      k * exact x 1 + 4 * h <= up v /\ (x <= bpow radix2 500 -> v = rnd (over (k * rho x 1) + 4 * h))).
Proof.
  intros B F. read. apply rho_text. intros r G _. cbv [rho_called]. read.
  assert (A : forall v, add (next (mul (num kappa) r) infinity) (mul (Finite 4) (num (eta kappa))) = Finite v \/
    fused (Finite 4) (num (eta kappa)) (next (mul (num kappa) r) infinity) = Finite v ->
    exists x k h, num gamma = Finite x /\ num kappa = Finite k /\ num (eta kappa) = Finite h /\ 0 <= x /\
      k * exact x 1 + 4 * h <= up v /\ (x <= bpow radix2 500 -> v = rnd (over (k * rho x 1) + 4 * h))).
  { intros v C. destruct (charged _ _ _ F C) as [a [h [N [-> ->]]]].
    destruct (multiplied _ _ _ _ B G N) as [x [k [-> [-> [P [L S]]]]]].
    exists x, k, h. repeat (split; [reflexivity|]). split; [assumption|]. split.
    - pose proof (proj2 (enclosed (a + 4 * h))). lra.
    - intros Q. rewrite (S Q). reflexivity. }
  split; [|split; [exact I|]]; cbn [num]; intros v H; apply A; auto.
Qed.

(* Its result is finite, and there are such numbers: where nothing comes near 2^1024 it is the formula. *)
Theorem rate_finite gamma ok eta kappa x k h : num gamma = Finite x -> num kappa = Finite k ->
  num (eta kappa) = Finite h -> is_float h ->
  0 <= x <= bpow radix2 500 -> 0 <= k <= bpow radix2 500 -> 0 <= h <= bpow radix2 1000 ->
  runs (given gamma ok eta) hellinger_theorem1 [kappa] (fun vs =>
    num (only vs) = Finite (rnd (over (k * rho x 1) + 4 * h))).
Proof.
  intros EG EK EH F X K H. read. apply rho_text. intros r _ G. rewrite (G x EG X). cbv [rho_called]. read.
  assert (U : 0 <= rho x 1 <= bpow radix2 504).
  { unfold rho. destruct (Req_EM_T x 0); [split; [lra|change 2 with (bpow radix2 1); apply bpow_le; lia]|].
    destruct (small_over (x * 1) 500) as [_ [_ [O1 U1]]]; [lra|lia|].
    destruct (small_over (2 + over (x * 1)) 503) as [_ [_ [O2 U2]]]; [|lia|].
    { assert (2 + 2 * over (x * 1) <= bpow radix2 503) by (apply (power _ _ _ U1); lia). lra. }
    split.
    - apply Rmin_glb; [assumption|]. apply Rle_trans with (1 + 0); [lra|].
      eapply Rle_trans; [|apply over_ge]. apply Rplus_le_compat_l. eapply Rle_trans; [|apply over_ge]. apply sqrt_pos.
    - eapply Rle_trans; [apply Rmin_l|exact U2]. }
  assert (D : forall a b c, (a + b)%Z = c -> bpow radix2 c = bpow radix2 a * bpow radix2 b).
  { intros a b c <-. apply bpow_plus. }
  destruct (small_over (k * rho x 1) 1004) as [_ [M [O1 U1]]]; [|lia|].
  { split; [apply Rmult_le_pos; lra|]. rewrite (D 500 504 1004)%Z by reflexivity. apply Rmult_le_compat; lra. }
  assert (B : 4 * h <= bpow radix2 1002).
  { rewrite (D 2 1000 1002)%Z by reflexivity. change (bpow radix2 2) with 4. lra. }
  destruct (small_over (4 * h) 1002) as [N _]; [lra|lia|]. rewrite (times_four h F) in N.
  destruct (small_over (over (k * rho x 1) + 4 * h) 1006) as [T _]; [|lia|].
  { split; [lra|]. rewrite (D 1 1005 1006)%Z by reflexivity. change (bpow radix2 1) with 2.
    change (1004 + 1)%Z with 1005%Z in U1.
    pose proof (bpow_le radix2 1002 1005 ltac:(lia)). lra. }
  rewrite EK, EH. change (mul (Finite k) (Finite (rho x 1))) with (rounded (k * rho x 1)). rewrite M.
  change (mul (Finite 4) (Finite h)) with (rounded (4 * h)). split; [|split; [exact I|]]; cbn [num only hd].
  - change (mul (Finite 4) (Finite h)) with (rounded (4 * h)). rewrite N. exact T.
  - change (fused (Finite 4) (Finite h) (Finite ?a)) with (rounded (4 * h + a)). rewrite Rplus_comm. exact T.
Qed.

(* Numbers of a plan, of which a test of mechanism/hellinger says that its rate is this one. *)
Definition number (m n : Z) : R := IZR m / IZR (2 ^ n).
Lemma rnd_at m n x : (2 ^ 52 < m < 2 ^ 53)%Z -> (0 <= n <= 1074)%Z ->
  IZR m - / 2 < x * IZR (2 ^ n) < IZR m + / 2 -> rnd x = number m n.
Proof.
  unfold number.
  intros [M1 M2] [N1 N2] [L U]. change (2 ^ n)%Z with (radix2 ^ n)%Z in *. rewrite IZR_Zpower in * by lia.
  pose proof (bpow_gt_0 radix2 n) as P.
  pose proof (IZR_le (2 ^ 52 + 1) m ltac:(lia)) as A. pose proof (IZR_le (m + 1) (2 ^ 53) ltac:(lia)) as B.
  rewrite plus_IZR in A, B. change (2 ^ 52)%Z with (radix2 ^ 52)%Z in A. change (2 ^ 53)%Z with (radix2 ^ 53)%Z in B.
  rewrite IZR_Zpower in A, B by lia.
  assert (E : cexp radix2 fexp x = (- n)%Z).
  { unfold cexp. rewrite (mag_unique_pos radix2 x (53 - n)); [unfold fexp, FLT_exp, emin, prec; lia|].
    replace (53 - n - 1)%Z with (52 - n)%Z by ring. unfold Z.sub. rewrite !bpow_plus, bpow_opp. split.
    - apply Rmult_le_reg_r with (bpow radix2 n); [exact P|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - apply Rmult_lt_reg_r with (bpow radix2 n); [exact P|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  unfold rnd, round, scaled_mantissa. rewrite E, Z.opp_involutive. rewrite (Znearest_imp _ _ m).
  - unfold F2R. cbn [Fnum Fexp]. rewrite bpow_opp. reflexivity.
  - apply Rabs_def1; lra.
Qed.
Lemma over_at m n x : (2 ^ 52 < m < 2 ^ 53)%Z -> (0 <= n <= 1074)%Z ->
  IZR m - / 2 < x * IZR (2 ^ n) < IZR m + / 2 -> over x = number (m + 1) n.
Proof.
  intros M N H. unfold over. rewrite (rnd_at m n x M N H). unfold number.
  assert (P : 0 < IZR (2 ^ n)) by (apply IZR_lt; lia).
  assert (L : 0 < IZR m) by (apply IZR_lt; lia).
  assert (Q : 0 < IZR m / IZR (2 ^ n)) by (apply Rdiv_lt_0_compat; assumption).
  unfold up. rewrite succ_eq_pos by lra. rewrite ulp_neq_0 by lra.
  assert (E : cexp radix2 fexp (IZR m / IZR (2 ^ n)) = (- n)%Z).
  { change (2 ^ n)%Z with (radix2 ^ n)%Z in *. rewrite IZR_Zpower in * by lia. unfold cexp.
    pose proof (bpow_gt_0 radix2 n).
    rewrite (mag_unique_pos radix2 _ (53 - n)); [unfold fexp, FLT_exp, emin, prec; lia|].
    replace (53 - n - 1)%Z with (52 - n)%Z by ring. unfold Z.sub, Rdiv. rewrite !bpow_plus, bpow_opp.
    rewrite <- !IZR_Zpower by lia. change (radix2 ^ 52)%Z with (2 ^ 52)%Z. change (radix2 ^ 53)%Z with (2 ^ 53)%Z.
    split; [apply Rmult_le_compat_r|apply Rmult_lt_compat_r].
    - left. apply Rinv_0_lt_compat. rewrite IZR_Zpower by lia. assumption.
    - apply IZR_le. lia.
    - apply Rinv_0_lt_compat. rewrite IZR_Zpower by lia. assumption.
    - apply IZR_lt. lia. }
  rewrite E, bpow_opp, plus_IZR. change (2 ^ n)%Z with (radix2 ^ n)%Z. rewrite IZR_Zpower by lia.
  pose proof (bpow_gt_0 radix2 n). field. lra.
Qed.
Lemma number_float m n : (Z.abs m < 2 ^ 53)%Z -> (0 <= n <= 1074)%Z -> is_float (number m n).
Proof.
  intros M N. apply generic_format_FLT. exists (Float radix2 m (- n)); cbn [Fnum Fexp]; [|exact M|unfold emin; lia].
  unfold number, F2R. cbn [Fnum Fexp]. rewrite bpow_opp. change (2 ^ n)%Z with (radix2 ^ n)%Z.
  rewrite IZR_Zpower by lia. reflexivity.
Qed.
Ltac evaluated z := let d := eval vm_compute in z in change z with d.
Ltac powers := unfold number; repeat match goal with
  | |- context [Z.pow ?a ?b] => evaluated (Z.pow a b)
  | |- context [IZR (Z.add ?a ?b)] => evaluated (Z.add a b)
  end.
Ltac at_number := powers; lra.
Lemma rho_number : rho (number 5944751508129055 53) 1 = number 5332077595410179 51.
Proof.
  unfold rho. destruct (Req_EM_T _ _) as [E|_]; [exfalso; revert E; powers; lra|].
  rewrite (over_at 7847071990730353 54 (_ * number _ _)) by (try lia; at_number).
  rewrite (rnd_at 7847071990730354 53 (2 * number _ _)) by (try lia; at_number).
  rewrite (over_at 8427135622735673 52 (1 + number _ _)) by (try lia; at_number).
  rewrite (over_at 6160555563449859 52 (sqrt (number _ _))).
  2,3: lia.
  2: { set (y := number _ _). assert (Y : 0 <= y) by (unfold y; powers; lra).
       pose proof (sqrt_pos y). pose proof (sqrt_sqrt y Y) as S.
       assert (B : y = 8427135622735674 / 4503599627370496) by (unfold y; powers; reflexivity). rewrite B in S at 3.
       powers. split; apply Rnot_le_lt; intros L; nra. }
  rewrite (over_at 5332077595410178 51 (1 + number _ _)) by (try lia; at_number).
  rewrite (over_at 5944751508129055 53 (_ * 1)) by (try lia; at_number).
  rewrite (over_at 5989787504402760 51 (2 + number _ _)) by (try lia; at_number).
  rewrite Rmin_right by at_number. reflexivity.
Qed.
Example rate_number :
  runs (given (Known (Finite (number 5944751508129055 53))) (truth true)
    (fun _ => Known (Finite (number 5585927014082881 92)))) hellinger_theorem1
    [Known (Finite (number 5404319552844595 54))]
    (fun vs => num (only vs) = Finite (number 6398493114532859 53)).
Proof.
  assert (E : rnd (over (number 5404319552844595 54 * rho (number 5944751508129055 53) 1) +
    4 * number 5585927014082881 92) = number 6398493114532859 53).
  { rewrite rho_number, (over_at 6398493114492215 53) by (try lia; at_number).
    apply rnd_at; [lia|lia|]. at_number. }
  rewrite <- E. apply (rate_finite _ _ _ _ (number 5944751508129055 53) (number 5404319552844595 54)
    (number 5585927014082881 92)); try reflexivity; [apply number_float; lia| | |];
    (split; [powers; lra|]); (apply Rle_trans with (bpow radix2 0); [|apply bpow_le; lia]);
    change (bpow radix2 0) with 1; powers; lra.
Qed.
