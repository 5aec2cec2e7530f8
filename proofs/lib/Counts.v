(* L1 sensitivity of count tables, in integers. *)
From Coq Require Import ZArith List Lia Bool.
Import ListNotations.
Open Scope Z_scope.
Arguments Z.add : simpl never. Arguments Z.mul : simpl never. Arguments Z.sub : simpl never.
  Arguments Z.of_nat : simpl never.

Definition ind (b : bool) : Z := if b then 1 else 0.
Fixpoint sumZ {A} (g : A -> Z) (l : list A) : Z := match l with [] => 0 | a :: l' => g a + sumZ g l' end.

Lemma sumZ_ext A (g h : A -> Z) l : (forall a, In a l -> g a = h a) -> sumZ g l = sumZ h l.
Proof. induction l as [|a l IH]; cbn; intros H; [reflexivity|]. rewrite (H a) by auto. rewrite IH; auto. Qed.
Lemma sumZ_le A (g h : A -> Z) l : (forall a, In a l -> g a <= h a) -> sumZ g l <= sumZ h l.
Proof. induction l as [|a l IH]; cbn; intros H; [lia|]. pose proof (H a (or_introl eq_refl)).
  specialize (IH (fun a i => H a (or_intror i))). lia. Qed.
Lemma sumZ_add A (g h : A -> Z) l : sumZ (fun a => g a + h a) l = sumZ g l + sumZ h l.
Proof. induction l; cbn; lia. Qed.
Lemma sumZ_scale A k (g : A -> Z) l : sumZ (fun a => k * g a) l = k * sumZ g l.
Proof. induction l; cbn; lia. Qed.
Lemma sumZ_zero A (g : A -> Z) l : (forall a, In a l -> g a = 0) -> sumZ g l = 0.
Proof. intros H. rewrite (sumZ_ext _ g (fun _ => 0)) by assumption. clear. induction l; cbn; lia. Qed.
Lemma sumZ_ones A (l : list A) : sumZ (fun _ => 1) l = Z.of_nat (length l).
Proof. induction l; cbn; lia. Qed.

Section Counts.
Context {row cell : Type} (eqb : cell -> cell -> bool).
Hypothesis eqb_spec : forall a b, reflect (a = b) (eqb a b).

(* A released table: how a row picks its cell, and the table's cells. *)
Record table := { fam : row -> cell; cells : list cell; distinct : NoDup cells; total : forall r, In (fam r) cells }.

Fixpoint count (f : row -> cell) (c : cell) (D : list row) : Z :=
  match D with [] => 0 | r :: D' => ind (eqb (f r) c) + count f c D' end.

(* L1 distance of what is released on two data sets *)
Definition l1 (ts : list table) (D D' : list row) : Z :=
  sumZ (fun t => sumZ (fun c => Z.abs (count (fam t) c D - count (fam t) c D')) (cells t)) ts.

Lemma count_app f c D E : count f c (D ++ E) = count f c D + count f c E.
Proof. induction D; cbn; lia. Qed.

Lemma sum_ind_out a l : ~ In a l -> sumZ (fun c => ind (eqb a c)) l = 0.
Proof. intros H. apply sumZ_zero. intros c Hc. destruct (eqb_spec a c); subst; [tauto|reflexivity]. Qed.
Lemma sum_ind_in a l : NoDup l -> In a l -> sumZ (fun c => ind (eqb a c)) l = 1.
Proof.
  induction l as [|b l IH]; cbn; [tauto|]. intros Hd [->|Hi]; inversion Hd; subst.
  - destruct (eqb_spec a a); [|tauto]. rewrite sum_ind_out by assumption. reflexivity.
  - destruct (eqb_spec a b); subst; [tauto|]. cbn. rewrite IH; auto.
Qed.

Lemma moved t x y :
  sumZ (fun c => Z.abs (ind (eqb (fam t x) c) - ind (eqb (fam t y) c))) (cells t)
  = 2 * ind (negb (eqb (fam t x) (fam t y))).
Proof.
  destruct (eqb_spec (fam t x) (fam t y)) as [E|N].
  - rewrite E. apply sumZ_zero. intros. lia.
  - rewrite (sumZ_ext _ _ (fun c => ind (eqb (fam t x) c) + ind (eqb (fam t y) c))).
    + rewrite sumZ_add, !sum_ind_in; auto using distinct, total.
    + intros c _. destruct (eqb_spec (fam t x) c), (eqb_spec (fam t y) c); subst; cbn; try lia. congruence.
Qed.

(* Replace one row: exactly two per table whose cell changes. *)
Theorem replace_one ts A B x y :
  l1 ts (A ++ x :: B) (A ++ y :: B) = 2 * sumZ (fun t => ind (negb (eqb (fam t x) (fam t y)))) ts.
Proof.
  unfold l1. rewrite <- sumZ_scale. apply sumZ_ext. intros t _. rewrite <- moved. apply sumZ_ext. intros c _.
  rewrite !count_app. cbn. f_equal. lia.
Qed.

Corollary replace_one_le ts A B x y : l1 ts (A ++ x :: B) (A ++ y :: B) <= 2 * Z.of_nat (length ts).
Proof.
  rewrite replace_one, <- sumZ_ones. apply Z.mul_le_mono_nonneg_l; [lia|]. apply sumZ_le. intros t _.
    destruct (eqb _ _); cbn; lia.
Qed.
Corollary replace_one_tight ts A B x y : (forall t, In t ts -> fam t x <> fam t y) ->
  l1 ts (A ++ x :: B) (A ++ y :: B) = 2 * Z.of_nat (length ts).
Proof.
  intros H. rewrite replace_one, <- sumZ_ones. f_equal. apply sumZ_ext. intros t Ht.
    destruct (eqb_spec (fam t x) (fam t y)); [destruct (H t Ht); assumption|reflexivity].
Qed.

(* Add or remove one row: exactly one per table. *)
Theorem add_one ts A B x : l1 ts (A ++ x :: B) (A ++ B) = Z.of_nat (length ts).
Proof.
  unfold l1. rewrite <- sumZ_ones. apply sumZ_ext. intros t _.
    rewrite <- (sum_ind_in (fam t x) (cells t)) by auto using distinct, total.
  apply sumZ_ext. intros c _. rewrite !count_app. cbn. destruct (eqb _ _); cbn; lia.
Qed.

(* A table whose family lies in another's is a marginal of it: releasing it is post-processing. *)
Theorem marginal (t : table) (g : cell -> cell) c D :
  count (fun r => g (fam t r)) c D = sumZ (fun e => if eqb (g e) c then count (fam t) e D else 0) (cells t).
Proof.
  induction D as [|r D IH]; cbn.
  - symmetry. apply sumZ_zero. intros. destruct (eqb _ _); reflexivity.
  - rewrite IH. rewrite (sumZ_ext _ (fun e => if eqb (g e) c then ind (eqb (fam t r) e) + count (fam t) e D else 0)
      (fun e => (if eqb (g e) c then ind (eqb (fam t r) e) else 0) + (if eqb (g e) c then count (fam t) e D else 0))).
    2:{ intros. destruct (eqb _ _); lia. }
    rewrite sumZ_add. f_equal.
    rewrite (sumZ_ext _ _ (fun e => ind (eqb (g (fam t r)) c) * ind (eqb (fam t r) e))).
    + rewrite sumZ_scale, sum_ind_in by auto using distinct, total. lia.
    + intros e _. destruct (eqb_spec (fam t r) e) as [<-|_]; [|destruct (eqb (g e) c)];
      destruct (eqb (g (fam t r)) c); reflexivity.
Qed.

(* A released list of cells of a table, maybe not all: a binary table of a public total has one cell that is measured. *)
Record part := { pick : row -> cell; measured : list cell; once : NoDup measured }.
Definition inside (c : cell) (l : list cell) : Z := sumZ (fun e => ind (eqb c e)) l.

(* the measured cells that change when row y stands for row x *)
Definition changed (p : part) (x y : row) : Z :=
  if eqb (pick p x) (pick p y) then 0 else inside (pick p x) (measured p) + inside (pick p y) (measured p).
Definition l1_parts (ps : list part) (D D' : list row) : Z :=
  sumZ (fun p => sumZ (fun c => Z.abs (count (pick p) c D - count (pick p) c D')) (measured p)) ps.

Lemma moved_part p x y :
  sumZ (fun c => Z.abs (ind (eqb (pick p x) c) - ind (eqb (pick p y) c))) (measured p) = changed p x y.
Proof.
  unfold changed, inside. destruct (eqb_spec (pick p x) (pick p y)) as [E|N].
  - rewrite E. apply sumZ_zero. intros. lia.
  - rewrite <- sumZ_add. apply sumZ_ext. intros c _.
    destruct (eqb_spec (pick p x) c), (eqb_spec (pick p y) c); subst; cbn; try lia. congruence.
Qed.

(* Replace one row: exactly the number of measured counts that change, each by one. *)
Theorem replace_one_measured ps A B x y :
  l1_parts ps (A ++ x :: B) (A ++ y :: B) = sumZ (fun p => changed p x y) ps.
Proof.
  unfold l1_parts. apply sumZ_ext. intros p _. rewrite <- moved_part. apply sumZ_ext. intros c _.
  rewrite !count_app. cbn. f_equal. lia.
Qed.

Lemma l1_parts_triangle ps D E F : l1_parts ps D F <= l1_parts ps D E + l1_parts ps E F.
Proof.
  unfold l1_parts. rewrite <- sumZ_add. apply sumZ_le. intros p _. rewrite <- sumZ_add. apply sumZ_le. intros c _. lia.
Qed.

(* A unit of k rows: at most k times what one row moves; and no count moves by more than k. *)
Theorem replace_rows ps d : (forall x y, sumZ (fun p => changed p x y) ps <= d) -> forall xs ys A B,
  length xs = length ys -> l1_parts ps (A ++ xs ++ B) (A ++ ys ++ B) <= Z.of_nat (length xs) * d.
Proof.
  intros H. induction xs as [|x xs IH]; intros [|y ys] A B; cbn [length]; intros L; try discriminate.
  - unfold l1_parts. rewrite sumZ_zero; [lia|]. intros p _. apply sumZ_zero. intros. lia.
  - pose proof (l1_parts_triangle ps (A ++ (x :: xs) ++ B) (A ++ y :: (xs ++ B)) (A ++ (y :: ys) ++ B)) as T.
    assert (S1 : l1_parts ps (A ++ (x :: xs) ++ B) (A ++ y :: (xs ++ B)) <= d).
    { change ((x :: xs) ++ B) with (x :: (xs ++ B)). rewrite replace_one_measured. apply H. }
    assert (S2 : l1_parts ps (A ++ y :: xs ++ B) (A ++ (y :: ys) ++ B) <= Z.of_nat (length xs) * d).
    { change (A ++ y :: xs ++ B) with (A ++ [y] ++ xs ++ B). change ((y :: ys) ++ B) with ([y] ++ ys ++ B).
      rewrite !(app_assoc A [y]). apply IH. congruence. }
    lia.
Qed.
Theorem cell_moves (f : row -> cell) c : forall xs ys A B, length xs = length ys ->
  Z.abs (count f c (A ++ xs ++ B) - count f c (A ++ ys ++ B)) <= Z.of_nat (length xs).
Proof.
  intros xs ys A B L. rewrite !count_app.
  assert (R : forall l, 0 <= count f c l <= Z.of_nat (length l)).
  { induction l as [|r l IHl]; cbn [count length]; [lia|]. unfold ind. destruct (eqb (f r) c); lia. }
  pose proof (R xs). pose proof (R ys). rewrite L in *. lia.
Qed.

(* Add or remove k rows: at most k times the number of released tables. *)
Theorem add_rows ps : forall xs A B,
  l1_parts ps (A ++ xs ++ B) (A ++ B) <= Z.of_nat (length xs) * Z.of_nat (length ps).
Proof.
  intros xs A B. unfold l1_parts.
  apply Z.le_trans with (sumZ (fun _ : part => Z.of_nat (length xs)) ps).
  - apply sumZ_le. intros p _.
    rewrite (sumZ_ext _ _ (fun c => count (pick p) c xs)).
    + clear A B. induction xs as [|x xs IH]; cbn [count length].
      * rewrite sumZ_zero; [lia|]. reflexivity.
      * rewrite sumZ_add. enough (sumZ (fun c => ind (eqb (pick p x) c)) (measured p) <= 1) by lia.
        clear IH. pose proof (once p) as N. induction N as [|e l Hn _ IHl]; cbn [sumZ]; [lia|].
        destruct (eqb_spec (pick p x) e) as [<-|]; [rewrite sum_ind_out by assumption|]; cbn [ind]; lia.
    + intros c _. rewrite !count_app.
      assert (0 <= count (pick p) c xs).
      { clear A B. induction xs as [|r l IHl]; cbn [count]; [lia|]. unfold ind.
        destruct (eqb (pick p r) c); lia. }
      lia.
  - clear A B. induction ps; cbn [sumZ length]; lia.
Qed.
End Counts.
