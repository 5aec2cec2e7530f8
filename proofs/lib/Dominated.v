(* Two-sided geometric noise on counts is dominated by its pair: for every finite set of outputs, and for every threshold
   c = e^epsilon, P(A) - c Q(A) is at most what m counts shifted by k lose. *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From PrivBayes Require Import Geometric CountPlan Exchange.
Import ListNotations.
Open Scope R_scope.

Section Dominated.
Variable q : R.
Hypothesis q0 : 0 < q. Hypothesis q1 : q < 1.

Fixpoint sumR {A} (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: l' => f a + sumR f l' end.
Lemma sumR_app A (f : A -> R) l m : sumR f (l ++ m) = sumR f l + sumR f m.
Proof. induction l; cbn; [|rewrite IHl]; lra. Qed.
Lemma sumR_le A (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> sumR f l <= sumR g l.
Proof. induction l as [|a l IH]; cbn; intros H; [lra|]. pose proof (H a (or_introl eq_refl)).
  specialize (IH (fun b i => H b (or_intror i))). lra. Qed.
Lemma sumR_ext A (f g : A -> R) l : (forall a, In a l -> f a = g a) -> sumR f l = sumR g l.
Proof. induction l as [|a l IH]; cbn; intros H; [reflexivity|]. rewrite (H a) by auto. rewrite IH; auto. Qed.
Lemma sumR_scal A c (f : A -> R) l : sumR (fun a => c * f a) l = c * sumR f l.
Proof. induction l; cbn; [|rewrite IHl]; lra. Qed.

Lemma sub_sum A (S B : list A) (f : A -> R) : NoDup S -> incl S B -> (forall o, 0 <= f o) -> sumR f S <= sumR f B.
Proof.
  intros N. revert B. induction N as [|o S Ho N IH]; intros B I P.
  - cbn. clear I. induction B as [|b B IHB]; cbn; [lra|]. pose proof (P b). lra.
  - destruct (in_split o B) as (B1 & B2 & ->); [apply I; left; reflexivity|].
    cbn [sumR]. rewrite sumR_app. cbn [sumR].
    assert (I' : incl S (B1 ++ B2)).
    { intros p Hp. specialize (I p (or_intror Hp)). apply in_app_iff in I. apply in_app_iff.
      destruct I as [I|[->|I]]; [left; assumption|contradiction|right; assumption]. }
    specialize (IH _ I' P). rewrite sumR_app in IH. lra.
Qed.

(* one count: noise z around x, the other data set at x + s or x - s *)
Definition noise (z : Z) : R := (1 - q) / (1 + q) * q ^ Z.to_nat (Z.abs z).
Definition cut (s : nat) (z : Z) : nat := Nat.min s (Z.to_nat z).       (* z below 0 counts as 0 *)
Lemma noise_pos z : 0 < noise z.
Proof. unfold noise. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; assumption]. Qed.
Lemma noise_ratio s z : noise (z - Z.of_nat s) = noise z * (q ^ s * r q ^ cut s z).
Proof.
  unfold noise, cut, r. rewrite Rmult_assoc. f_equal. rewrite <- pow_inv, <- pow_mult.
  assert (P : forall n, 0 < q ^ n) by (intros; apply pow_lt; assumption).
  apply (Rmult_eq_reg_r (q ^ (2 * Nat.min s (Z.to_nat z)))); [|pose proof (P (2 * Nat.min s (Z.to_nat z))%nat); lra].
  rewrite <- pow_add, !Rmult_assoc.
  replace ((/ q) ^ (2 * Nat.min s (Z.to_nat z)) * q ^ (2 * Nat.min s (Z.to_nat z))) with 1.
  2:{ rewrite pow_inv. field. pose proof (P (2 * Nat.min s (Z.to_nat z))%nat). lra. }
  rewrite Rmult_1_r, <- pow_add. f_equal. lia.
Qed.

Fixpoint around (n : nat) : list Z :=
  match n with O => [0%Z] | S m => (- Z.of_nat n)%Z :: Z.of_nat n :: around m end.
Lemma around_below s h : forall n, (n <= s)%nat ->
  (1 + q) * sumR (fun z => noise z * h (cut s z)) (around n) + q ^ S n * (h O + h n) = (1 + q) * E q n h.
Proof.
  induction n as [|n IH]; intros L.
  - cbn [around sumR E]. unfold noise. replace (cut s 0) with O by (unfold cut; cbn; lia). cbn. field. lra.
  - cbn [around sumR E]. specialize (IH ltac:(lia)).
    replace (cut s (- Z.of_nat (S n))) with O by (unfold cut; lia).
    replace (cut s (Z.of_nat (S n))) with (S n) by (unfold cut; lia).
    unfold noise at 1 2. replace (Z.to_nat (Z.abs (- Z.of_nat (S n)))) with (S n) by lia.
    replace (Z.to_nat (Z.abs (Z.of_nat (S n)))) with (S n) by lia.
    rewrite (Rmult_plus_distr_l (1 + q) (E q n h)), <- IH. cbn [pow]. field. lra.
Qed.
Lemma around_above s h : forall n, (s <= n)%nat ->
  (1 + q) * sumR (fun z => noise z * h (cut s z)) (around n) + q ^ S n * (h O + h s) = (1 + q) * E q s h.
Proof.
  induction 1 as [|n L IH]; [apply around_below; lia|].
  cbn [around sumR]. rewrite <- IH.
  replace (cut s (- Z.of_nat (S n))) with O by (unfold cut; lia).
  replace (cut s (Z.of_nat (S n))) with s by (unfold cut; lia).
  unfold noise at 1 2. replace (Z.to_nat (Z.abs (- Z.of_nat (S n)))) with (S n) by lia.
  replace (Z.to_nat (Z.abs (Z.of_nat (S n)))) with (S n) by lia. cbn [pow]. field. lra.
Qed.
Lemma around_le s h n : (s <= n)%nat -> (forall i, 0 <= h i) ->
  sumR (fun z => noise z * h (cut s z)) (around n) <= E q s h.
Proof.
  intros L H. pose proof (around_above s h n L) as A. pose proof (H O). pose proof (H s).
  pose proof (pow_lt q (S n) q0). assert (0 <= q ^ S n * (h O + h s)) by (apply Rmult_le_pos; lra).
  apply (Rmult_le_reg_l (1 + q)); lra.
Qed.

(* near x n is x plus what is around 0; the order of the signs does not matter *)
Lemma near_plus x n f : sumR f (near x n) = sumR (fun z => f (x + z)%Z) (around n).
Proof.
  induction n as [|n IH]; cbn [near around sumR]; [rewrite Z.add_0_r; reflexivity|]. rewrite IH. reflexivity.
Qed.
Lemma near_minus x n f : sumR f (near x n) = sumR (fun z => f (x - z)%Z) (around n).
Proof.
  induction n as [|n IH]; cbn [near around sumR]; [rewrite Z.sub_0_r; reflexivity|]. rewrite IH.
  replace (x - - Z.of_nat (S n))%Z with (x + Z.of_nat (S n))%Z by lia. lra.
Qed.
Lemma noise_even z : noise (- z) = noise z.
Proof. unfold noise. rewrite Z.abs_opp. reflexivity. Qed.

(* many counts *)
Fixpoint prob (x o : list Z) : R :=
  match x, o with a :: x', b :: o' => noise (b - a) * prob x' o' | _, _ => 1 end.
Fixpoint shifts (x y : list Z) : list nat :=
  match x, y with a :: x', b :: y' => Z.to_nat (Z.abs (a - b)) :: shifts x' y' | _, _ => [] end.
Lemma prob_pos x : forall o, 0 < prob x o.
Proof. induction x as [|a x IH]; intros [|b o]; cbn; try lra. apply Rmult_lt_0_compat; [apply noise_pos|apply IH]. Qed.
Definition most (x y : list Z) : nat := fold_right Nat.max O (shifts x y).

Lemma Rmax_scal a b : 0 < a -> Rmax 0 (a * b) = a * Rmax 0 b.
Proof. intros H. unfold Rmax. destruct (Rle_dec 0 (a * b)), (Rle_dec 0 b); try nra. Qed.

Lemma sum_product (f : list Z -> R) (l : list Z) (B : list (list Z)) :
  sumR f (flat_map (fun o => map (fun z => z :: o) l) B) = sumR (fun z => sumR (fun o => f (z :: o)) B) l.
Proof.
  induction B as [|o B IH]; cbn [flat_map sumR].
  - induction l as [|z l IHl]; cbn [sumR]; lra.
  - rewrite sumR_app, IH. clear IH. induction l as [|z l IHl]; cbn [map sumR]; lra.
Qed.
Lemma box_bound n : forall x y, length x = length y -> (most x y <= n)%nat -> forall c,
  sumR (fun o => Rmax 0 (prob x o - c * prob y o)) (box x n) <= D q (shifts x y) c.
Proof.
  induction x as [|a x IH]; intros [|b y] L M c; try discriminate.
  - cbn. replace (1 - c * 1) with (1 - c) by ring. lra.
  - cbn [shifts D box]. cbn [most shifts fold_right] in M. unfold most in IH. injection L as L.
    set (s := Z.to_nat (Z.abs (a - b))) in *.
    rewrite sum_product.
    (* h j: what is left when the cut noise of this count is j *)
    set (h := fun j => D q (shifts x y) (c * q ^ s * r q ^ j)).
    assert (P : forall j, 0 <= h j) by (intros; apply D_pos; assumption).
    apply Rle_trans with (sumR (fun z => noise z * h (cut s z)) (around n)).
    2:{ apply around_le; [lia|assumption]. }
    assert (Step : forall z w, noise w = noise z * (q ^ s * r q ^ cut s z) -> forall p, p = noise z ->
      sumR (fun o => Rmax 0 (p * prob x o - c * (noise w * prob y o))) (box x n) <= noise z * h (cut s z)).
    { intros z w W p ->. pose proof (noise_pos z) as N. unfold h.
      rewrite (sumR_ext _ _ (fun o => noise z * Rmax 0 (prob x o - c * q ^ s * r q ^ cut s z * prob y o))).
      - rewrite sumR_scal. apply Rmult_le_compat_l; [lra|]. apply IH; [assumption|lia].
      - intros o _. rewrite <- Rmax_scal by assumption. f_equal. rewrite W. ring. }
    destruct (Z.le_ge_cases a b) as [O|O].
    + rewrite near_plus. apply sumR_le. intros z _. cbn [prob].
      apply (Step z (a + z - b)%Z).
      * rewrite <- noise_ratio. f_equal. lia.
      * f_equal. lia.
    + rewrite near_minus. apply sumR_le. intros z _. cbn [prob].
      apply (Step z (a - z - b)%Z).
      * rewrite <- noise_ratio, <- noise_even. f_equal. lia.
      * rewrite <- noise_even. f_equal. lia.
Qed.

(* any finite set of outputs lies in a box *)
Lemma weaken (P Q : Z -> Z -> Prop) x o : (forall a b, P a b -> Q a b) -> Forall2 P x o -> Forall2 Q x o.
Proof. induction 2; constructor; auto. Qed.
Lemma included (S : list (list Z)) x y : length x = length y -> (forall o, In o S -> length o = length x) ->
  exists n, (most x y <= n)%nat /\ incl S (box x n).
Proof.
  intros L. induction S as [|o S IH]; intros H; [exists (most x y); split; [lia|intros ? []]|].
  destruct IH as (n & M & I); [intros; apply H; right; assumption|].
  set (m := fold_right Nat.max O (shifts x o)). exists (Nat.max n m). split; [lia|].
  assert (G : forall k p, In p (box x k) -> forall k', (k <= k')%nat -> In p (box x k')).
  { intros k p Hp k' Hk. apply box_in. apply box_in in Hp.
    eapply weaken; [|exact Hp]. intros u v Huv. cbn beta in *. lia. }
  intros p [<-|Hp]; [|apply (G n); [apply I; assumption|lia]]. apply (G m); [|lia]. apply box_in.
  specialize (H o (or_introl eq_refl)). unfold m. clear - H. revert o H.
  induction x as [|a x IH]; intros [|b o] E; try discriminate; [constructor|]. injection E as E.
  cbn [shifts fold_right]. set (w := fold_right Nat.max O (shifts x o)).
  constructor; [lia|]. specialize (IH o E). fold w in IH.
  eapply weaken; [|exact IH]. intros u v Huv. cbn beta in *. lia.
Qed.
(* The theorem of loss.GeometricPair. *)
Theorem dominated k m x y c : length x = length y -> List.Forall (fun s => (s <= k)%nat) (shifts x y) ->
  (total (shifts x y) <= k * m)%nat -> 0 <= c ->
  forall S, NoDup S -> (forall o, In o S -> length o = length x) ->
  sumR (prob x) S - c * sumR (prob y) S <= D q (repeat k m) c.
Proof.
  intros L F T C S N H. destruct (included S x y L H) as (n & M & I).
  eapply Rle_trans; [|apply (gathered q q0 q1 k m _ F T c)].
  eapply Rle_trans; [|apply (box_bound n x y L M c)].
  eapply Rle_trans; [|apply (sub_sum _ S (box x n)); [assumption|assumption|intros; apply Rmax_l]].
  clear. induction S as [|o S IH]; cbn [sumR]; [lra|]. pose proof (Rmax_r 0 (prob x o - c * prob y o)). lra.
Qed.

(* the same in the words of Geometric.v and CountPlan.v *)
Lemma prob_weight x : forall o, length o = length x -> prob x o = weight q x o / ((1 + q) / (1 - q)) ^ length x.
Proof.
  induction x as [|a x IH]; intros [|b o] L; try discriminate; [cbn; unfold weight; cbn; field|].
  injection L as L. cbn [prob length]. rewrite (IH o L). unfold weight, noise. cbn [dist].
  rewrite Z2Nat.inj_add by (try apply dist_nonneg; lia). rewrite pow_add. cbn [pow].
  assert (P : 0 < ((1 + q) / (1 - q)) ^ length x) by (apply pow_lt, Rdiv_lt_0_compat; lra).
  field. repeat split; lra.
Qed.
Lemma law_prob x S : (forall o, In o S -> length o = length x) -> law q x S = sumR (prob x) S.
Proof.
  intros H. unfold law. rewrite mass_sum by (apply pow_lt, Rdiv_lt_0_compat; lra).
  induction S as [|o S IH]; cbn [sum sumR]; [unfold Rdiv; ring|]. rewrite <- IH by (intros; apply H; right; assumption).
  rewrite prob_weight by (apply H; left; reflexivity). unfold Rdiv. ring.
Qed.
Lemma total_dist x : forall y, length x = length y -> Z.of_nat (total (shifts x y)) = dist x y.
Proof. induction x as [|a x IH]; intros [|b y] L; try discriminate; [reflexivity|]. injection L as L.
  cbn [shifts total dist]. rewrite Nat2Z.inj_add, (IH y L). lia. Qed.

Theorem law_dominated k m x y c : length x = length y -> Forall2 (fun a b => (Z.abs (a - b) <= Z.of_nat k)%Z) x y ->
  (dist x y <= Z.of_nat k * Z.of_nat m)%Z -> 0 <= c -> forall S, NoDup S -> (forall o, In o S -> length o = length x) ->
  law q x S <= c * law q y S + D q (repeat k m) c.
Proof.
  intros L F T C S N H. rewrite !law_prob by (intros; rewrite <- ?L; auto).
  pose proof (dominated k m x y c L) as G. rewrite <- total_dist in T by assumption.
  assert (K : List.Forall (fun s => (s <= k)%nat) (shifts x y)).
  { clear - F. induction F; cbn [shifts]; constructor; [lia|assumption]. }
  assert (T' : (total (shifts x y) <= k * m)%nat) by lia. specialize (G K T' C S N H). lra.
Qed.
End Dominated.

(* Count tables: whatever rows, columns and tables with so many measured cells, units of at most k rows. *)
Section Plan.
Context {row cell : Type} (eqb : cell -> cell -> bool).
Hypothesis eqb_spec : forall a b, reflect (a = b) (eqb a b).
Notation part := (@Counts.part row cell).

Theorem counts_dominated (q : R) (ps : list part) k A B xs ys c : 0 < q -> q < 1 ->
  length xs = length ys -> (length xs <= k)%nat -> 0 <= c ->
  let x := counts_of eqb ps (A ++ xs ++ B) in let y := counts_of eqb ps (A ++ ys ++ B) in
  forall S, NoDup S -> (forall o, In o S -> length o = length x) ->
  law q x S <= c * law q y S + D q (repeat k (Z.to_nat (Counts.sumZ moved_by (lens_of ps)))) c.
Proof.
  intros q0 q1 L K C x y S N H.
  assert (P : (0 <= Counts.sumZ moved_by (lens_of ps))%Z).
  { clear. induction ps; cbn [lens_of map Counts.sumZ]; [lia|]. unfold lens_of in IHps. unfold moved_by at 1. lia. }
  apply law_dominated; auto; unfold x, y.
  - apply counts_length.
  - clear - L K eqb_spec. unfold counts_of. induction ps as [|p ps IH]; cbn [flat_map]; [constructor|].
    apply Forall2_app; [|assumption]. induction (Counts.measured p) as [|e l IHl]; cbn [map]; constructor; [|assumption].
    pose proof (Counts.cell_moves eqb (Counts.pick p) e xs ys A B L). lia.
  - rewrite Z2Nat.id by assumption. rewrite (dist_counts eqb). eapply Z.le_trans.
    + apply (Counts.replace_rows eqb eqb_spec); [|assumption]. intros u v. apply (changed_all eqb eqb_spec).
    + apply Z.mul_le_mono_nonneg_r; lia.
Qed.
End Plan.
