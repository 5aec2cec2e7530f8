(* Plans of geometric noise on count tables, from their public numbers to their guarantee: a checker in integers. *)
From Coq Require Import ZArith List Lia Bool Reals Lra.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Elimination Families Counts Geometric.
Import ListNotations.
Open Scope Z_scope.

(* lens: the measured cells of every table. One replaced row changes two of each, or one where only one is measured. *)
Definition moved_by (m : Z) : Z := Z.min 2 m.
Definition replace_ok (lens : list Z) (k : nat) (num den p q : Z) : bool :=
  (0 <? num) && (0 <? den) && (0 <? q) && (num * (Z.of_nat k * sumZ moved_by lens) * q <=? p * den).
Definition add_ok (lens : list Z) (k : nat) (num den p q : Z) : bool :=
  (0 <? num) && (0 <? den) && (0 <? q) && (num * (Z.of_nat k * Z.of_nat (length lens)) * q <=? p * den).

Section Plan.
Context {row cell : Type} (eqb : cell -> cell -> bool).
Hypothesis eqb_spec : forall a b, reflect (a = b) (eqb a b).
Notation part := (@part row cell).

(* all measured counts of a data set *)
Definition counts_of (ps : list part) (D : list row) : list Z :=
  flat_map (fun p : part => map (fun c => count eqb (pick p) c D) (measured p)) ps.
Definition lens_of (ps : list part) : list Z := map (fun p : part => Z.of_nat (length (measured p))) ps.

Lemma counts_length ps D E : length (counts_of ps D) = length (counts_of ps E).
Proof. unfold counts_of. induction ps; cbn [flat_map]; [reflexivity|]. rewrite !app_length, !map_length, IHps.
  reflexivity. Qed.
Lemma dist_app a : forall b c d, length a = length b -> dist (a ++ c) (b ++ d) = dist a b + dist c d.
Proof. induction a as [|x a IH]; intros [|y b] c d; cbn [app dist length]; intros L; try discriminate; [reflexivity|].
  rewrite IH by congruence. lia. Qed.
Lemma dist_counts ps D E : dist (counts_of ps D) (counts_of ps E) = l1_parts eqb ps D E.
Proof.
  unfold l1_parts. induction ps as [|p ps IH]; cbn [counts_of flat_map sumZ]; [reflexivity|].
  rewrite dist_app by (rewrite !map_length; reflexivity). unfold counts_of in IH. rewrite IH. f_equal.
  induction (measured p) as [|c l IHl]; cbn [map dist sumZ]; [reflexivity|]. rewrite IHl. reflexivity.
Qed.

Lemma inside_le a l : NoDup l -> inside eqb a l <= 1.
Proof.
  unfold inside. induction 1 as [|e l Hn _ IH]; cbn [sumZ]; [lia|].
  destruct (eqb_spec a e) as [<-|]; [rewrite sum_ind_out by assumption|]; cbn [ind]; lia.
Qed.
Lemma changed_le (p : part) x y : changed eqb p x y <= moved_by (Z.of_nat (length (measured p))).
Proof.
  unfold changed, moved_by. destruct (eqb_spec (pick p x) (pick p y)) as [|N]; [lia|].
  pose proof (inside_le (pick p x) _ (once p)). pose proof (inside_le (pick p y) _ (once p)).
  enough (inside eqb (pick p x) (measured p) + inside eqb (pick p y) (measured p) <= Z.of_nat (length (measured p)))
    by lia.
  unfold inside. rewrite <- sumZ_add, <- sumZ_ones. apply sumZ_le. intros c _.
  destruct (eqb_spec (pick p x) c), (eqb_spec (pick p y) c); subst; cbn [ind]; try lia; congruence.
Qed.
Lemma changed_all ps x y : sumZ (fun p : part => changed eqb p x y) ps <= sumZ moved_by (lens_of ps).
Proof. induction ps as [|p ps IH]; cbn [sumZ lens_of map]; [lia|]. pose proof (changed_le p x y).
  unfold lens_of in IH. lia. Qed.

Definition private (p q : Z) (rate : R) (x y : list Z) : Prop :=
  is_lim_seq (fun n => law (exp (- rate)) x (box x n)) 1%R /\
  forall S, (forall o, In o S -> length o = length x) ->
    (law (exp (- rate)) x S <= exp (IZR p / IZR q) * law (exp (- rate)) y S)%R.

Lemma enough_mass C num den p q d x y : (0 < C)%R -> 0 < num -> 0 < den -> 0 < q -> 0 <= d ->
  num * d * q <= p * den -> length x = length y -> dist x y <= d ->
  forall S, (forall o, In o S -> length o = length x) ->
    (mass (exp (- (IZR num / IZR den))) C x S <= exp (IZR p / IZR q) * mass (exp (- (IZR num / IZR den))) C y S)%R.
Proof.
  intros HC Hn Hd Hq Hd0 Hb L D S HS.
  assert (G : (0 < IZR num / IZR den)%R) by (apply Rdiv_lt_0_compat; apply IZR_lt; assumption).
  eapply Rle_trans; [apply (pure_dp_rate _ C x y S (Z.to_nat d)); auto; lia|].
  apply Rmult_le_compat_r.
  - rewrite mass_sum by assumption. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; assumption].
    clear. induction S as [|o S IH]; cbn [sum]; [lra|]. unfold weight.
    pose proof (pow_lt _ (Z.to_nat (dist o y)) (exp_pos (- (IZR num / IZR den)))). lra.
  - assert (H : (IZR num / IZR den * INR (Z.to_nat d) <= IZR p / IZR q)%R).
    { rewrite INR_IZR_INZ, Z2Nat.id by assumption.
      apply (Rmult_le_reg_r (IZR den * IZR q)); [apply Rmult_lt_0_compat; apply IZR_lt; assumption|].
      replace (IZR num / IZR den * IZR d * (IZR den * IZR q))%R with (IZR (num * d * q)).
      2:{ rewrite !mult_IZR. field. apply IZR_lt in Hd. lra. }
      replace (IZR p / IZR q * (IZR den * IZR q))%R with (IZR (p * den)).
      2:{ rewrite !mult_IZR. field. apply IZR_lt in Hq. lra. }
      apply IZR_le. assumption. }
    destruct H as [H|H]; [left; apply exp_increasing; assumption|rewrite H; apply Rle_refl].
Qed.
Lemma enough_noise num den p q d x y : 0 < num -> 0 < den -> 0 < q -> 0 <= d -> num * d * q <= p * den ->
  length x = length y -> dist x y <= d -> private p q (IZR num / IZR den) x y.
Proof.
  intros Hn Hd Hq Hd0 Hb L D.
  assert (G : (0 < IZR num / IZR den)%R) by (apply Rdiv_lt_0_compat; apply IZR_lt; assumption).
  split; [apply (noise_private _ x y (Z.to_nat d) G L); lia|]. intros S HS. unfold law. rewrite <- L.
  apply (enough_mass _ num den p q d); auto. apply pow_lt.
  pose proof (exp_pos (- (IZR num / IZR den))).
  assert ((exp (- (IZR num / IZR den)) < 1)%R) by (rewrite <- exp_0; apply exp_increasing; lra).
  apply Rdiv_lt_0_compat; lra.
Qed.

(* Whatever the rows, the columns and the tables: with so many measured cells, units of at most k rows and this rate, the
   noisy counts are a law with pure privacy p/q. *)
Theorem replace_private lens k num den p q : replace_ok lens k num den p q = true ->
  forall ps, lens_of ps = lens -> forall A B xs ys, length xs = length ys -> (length xs <= k)%nat ->
  private p q (IZR num / IZR den) (counts_of ps (A ++ xs ++ B)) (counts_of ps (A ++ ys ++ B)).
Proof.
  unfold replace_ok. rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le. intros [[[Hn Hd] Hq] Hb] ps <- A B xs ys L K.
  assert (P : 0 <= sumZ moved_by (lens_of ps)).
  { clear. induction ps; cbn [lens_of map sumZ]; [lia|]. unfold lens_of in IHps. unfold moved_by at 1. lia. }
  apply (enough_noise num den p q (Z.of_nat k * sumZ moved_by (lens_of ps))); auto; [nia|apply counts_length|].
  rewrite dist_counts. eapply Z.le_trans; [apply replace_rows; [assumption| |assumption]|].
  - intros x y. apply changed_all.
  - apply Z.mul_le_mono_nonneg_r; lia.
Qed.

(* The same for noise on a part of the lattice, such as the tables with the totals of the data, whose law has one
   normaliser C for all data: K-norm noise. *)
Theorem slice_private lens k num den p q : replace_ok lens k num den p q = true ->
  forall C ps, (0 < C)%R -> lens_of ps = lens -> forall A B xs ys, length xs = length ys -> (length xs <= k)%nat ->
  forall S, (forall o, In o S -> length o = length (counts_of ps (A ++ xs ++ B))) ->
  (mass (exp (- (IZR num / IZR den))) C (counts_of ps (A ++ xs ++ B)) S <=
   exp (IZR p / IZR q) * mass (exp (- (IZR num / IZR den))) C (counts_of ps (A ++ ys ++ B)) S)%R.
Proof.
  unfold replace_ok. rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le. intros [[[Hn Hd] Hq] Hb] C ps HC <- A B xs ys L K.
  assert (P : 0 <= sumZ moved_by (lens_of ps)).
  { clear. induction ps; cbn [lens_of map sumZ]; [lia|]. unfold lens_of in IHps. unfold moved_by at 1. lia. }
  apply (enough_mass C num den p q (Z.of_nat k * sumZ moved_by (lens_of ps))); auto; [nia|apply counts_length|].
  rewrite dist_counts. eapply Z.le_trans; [apply replace_rows; [assumption| |assumption]|].
  - intros x y. apply changed_all.
  - apply Z.mul_le_mono_nonneg_r; lia.
Qed.

Theorem add_private lens k num den p q : add_ok lens k num den p q = true ->
  forall ps, lens_of ps = lens -> forall A B xs, (length xs <= k)%nat ->
  private p q (IZR num / IZR den) (counts_of ps (A ++ xs ++ B)) (counts_of ps (A ++ B)) /\
  private p q (IZR num / IZR den) (counts_of ps (A ++ B)) (counts_of ps (A ++ xs ++ B)).
Proof.
  unfold add_ok. rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le. intros [[[Hn Hd] Hq] Hb] ps <- A B xs K.
  assert (D : dist (counts_of ps (A ++ xs ++ B)) (counts_of ps (A ++ B)) <= Z.of_nat k * Z.of_nat (length (lens_of ps))).
  { rewrite dist_counts. eapply Z.le_trans; [apply add_rows; assumption|]. unfold lens_of. rewrite map_length.
    apply Z.mul_le_mono_nonneg_r; lia. }
  split; apply (enough_noise num den p q (Z.of_nat k * Z.of_nat (length (lens_of ps)))); auto;
    try apply counts_length; try nia. rewrite dist_sym. assumption.
Qed.
End Plan.

(* The same for the parity counts of a network's families: how many records have odd parity on each set of variables. *)
Definition odds (N : list (list nat)) (D : list Elimination.assignment) : list Z :=
  map (fun g => sumZ (fun x => ind (Elimination.parity g x)) D) N.
Definition fourier_ok order families witness (size : nat) (b : Z) (k : nat) (num den p q : Z) : bool :=
  Families.odd_ok order families witness size b && (0 <=? b) &&
  ((0 <? num) && (0 <? den) && (0 <? q) && (num * (Z.of_nat k * b) * q <=? p * den)).

Lemma dist_odds N D E : dist (odds N D) (odds N E) =
  sumZ (fun g => Z.abs (sumZ (fun x => ind (Elimination.parity g x)) D -
                        sumZ (fun x => ind (Elimination.parity g x)) E)) N.
Proof. unfold odds. induction N as [|g N IH]; cbn [map dist sumZ]; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma sumZ_app A (f : A -> Z) l m : sumZ f (l ++ m) = sumZ f l + sumZ f m.
Proof. induction l; cbn [app sumZ]; lia. Qed.
Lemma odds_moved N A B x y : 2 * dist (odds N (A ++ x :: B)) (odds N (A ++ y :: B)) =
  Families.l1 N (A ++ x :: B) (A ++ y :: B).
Proof.
  rewrite dist_odds, Families.l1_odd. f_equal. apply sumZ_ext. intros g _. rewrite !sumZ_app. cbn [sumZ].
  rewrite Families.parity_xor. destruct (Elimination.parity g x), (Elimination.parity g y); cbn [ind xorb]; lia.
Qed.

Theorem fourier_private order families witness size b k num den p q :
  fourier_ok order families witness size b k num den p q = true ->
  forall A B xs ys, length xs = length ys -> (length xs <= k)%nat ->
  private p q (IZR num / IZR den) (odds (Families.coefficients families) (A ++ xs ++ B))
                                  (odds (Families.coefficients families) (A ++ ys ++ B)).
Proof.
  unfold fourier_ok. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[Ho B0] [[[Hn Hd] Hq] Hb]] A B xs ys L K.
  destruct (Families.odd_sound _ _ _ _ _ Ho) as (_ & U & _). set (N := Families.coefficients families) in *.
  assert (D : dist (odds N (A ++ xs ++ B)) (odds N (A ++ ys ++ B)) <= Z.of_nat (length xs) * b).
  { clear K. revert ys A L. induction xs as [|x xs IH]; intros [|y ys] A L; cbn [length] in *; try discriminate.
    - rewrite dist_odds, sumZ_zero; [lia|]. intros. lia.
    - pose proof (dist_triangle (odds N (A ++ (x :: xs) ++ B)) (odds N (A ++ y :: xs ++ B)) (odds N (A ++ (y :: ys) ++ B)))
        as T.
      assert (S1 : dist (odds N (A ++ (x :: xs) ++ B)) (odds N (A ++ y :: xs ++ B)) <= b).
      { change ((x :: xs) ++ B) with (x :: xs ++ B). pose proof (odds_moved N A (xs ++ B) x y).
        specialize (U A (xs ++ B) x y). lia. }
      assert (S2 : dist (odds N (A ++ y :: xs ++ B)) (odds N (A ++ (y :: ys) ++ B)) <= Z.of_nat (length xs) * b).
      { change (A ++ y :: xs ++ B) with (A ++ [y] ++ xs ++ B). change ((y :: ys) ++ B) with ([y] ++ ys ++ B).
        rewrite !(app_assoc A [y]). apply IH. congruence. }
      specialize (T ltac:(unfold odds; rewrite !map_length; reflexivity) ltac:(unfold odds; rewrite !map_length; reflexivity)).
      rewrite Nat2Z.inj_succ. change (A ++ (y :: ys) ++ B) with (A ++ y :: ys ++ B) in *. lia. }
  apply (enough_noise num den p q (Z.of_nat k * b)); auto; [nia|unfold odds; rewrite !map_length; reflexivity|nia].
Qed.
