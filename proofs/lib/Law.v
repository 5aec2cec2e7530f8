(* A checker of finite output laws: the integer weights that a sampler draws from, for every data set of n records in
   d cells.  law_ok = true implies pure differential privacy with eps = p/q, for all data sets, neighbours, events. *)
From Coq Require Import ZArith List Bool Lia Reals Lra.
From PrivBayes Require Import Counts ExpBound.
Import ListNotations.
Open Scope Z_scope.

Definition total (w : list Z) : Z := sumZ (fun a => a) w.

Fixpoint dist (x y : list Z) : Z :=
  match x, y with a :: x', b :: y' => Z.abs (a - b) + dist x' y' | _, _ => 0 end.

(* all data sets: compositions of n into d cells, in the order of the Go enumeration *)
Definition upto (n : nat) : list Z := map Z.of_nat (seq 0 (S n)).
Fixpoint compositions (d n : nat) : list (list Z) :=
  match d with
  | O => match n with O => [[]] | _ => [] end
  | S d' => flat_map (fun k => map (cons (Z.of_nat k)) (compositions d' (n - k))) (seq 0 (S n))
  end.
Lemma compositions_complete d : forall n x, length x = d -> Forall (fun a => 0 <= a) x -> total x = Z.of_nat n -> In
  x (compositions d n).
Proof.
  induction d as [|d IH]; intros n [|a x]; cbn -[seq]; try discriminate.
  - intros _ _ H. destruct n; [left; reflexivity|cbn in H; lia].
  - intros [= L] P T. inversion P as [|? ? Pa Px]; subst. unfold total in *. cbn in T.
    assert (0 <= sumZ (fun a => a) x) by (clear - Px; induction Px; cbn; lia).
    apply in_flat_map. exists (Z.to_nat a). split; [apply in_seq; lia|]. apply in_map_iff. exists x.
      split; [f_equal; lia|].
    apply IH; auto. unfold total. lia.
Qed.

Fixpoint all2 (f : Z -> Z -> bool) (w v : list Z) : bool :=
  match w, v with [], [] => true | a :: w', b :: v' => f a b && all2 f w' v' | _, _ => false end.

(* P_w(r) <= num/den P_v(r) for every output r, in integers *)
Definition close num den (w v : list Z) (W V : Z) : bool := let l := den * V in let r := num * W in all2 (fun a b =>
  a * l <=? b * r) w v.

Fixpoint same (x y : list Z) : bool := match x, y with [], [] => true | a :: x', b :: y' => (a =? b) && same x' y' |
  _, _ => false end.
Fixpoint keys (t : list (list Z * list Z)) (l : list (list Z)) : bool :=
  match t, l with [], [] => true | (x, _) :: t', y :: l' => same x y && keys t' l' | _, _ => false end.

Definition check (num den : Z) (d n : nat) (t : list (list Z * list Z)) : bool :=
  (0 <? num) && (0 <? den) && keys t (compositions d n) &&
  forallb (fun e => forallb (fun a => 0 <? a) (snd e) && negb (Nat.eqb (length (snd e)) 0)) t &&
  let t' := map (fun e => (e, total (snd e))) t in
  forallb (fun e => forallb (fun f => if dist (fst (fst e)) (fst (fst f)) <=? 2 then close num den (snd (fst e))
    (snd (fst f)) (snd e) (snd f) else true) t') t'.

(* the mass of an event: the outputs at the places where it is true *)
Fixpoint mass (w : list Z) (E : list bool) : Z := match w, E with a :: w', e :: E' => (if e : bool then a else 0) +
  mass w' E' | _, _ => 0 end.

Lemma all2_mass l r : 0 <= l -> 0 <= r -> forall w v E, all2 (fun a b => a * l <=? b * r) w v = true -> mass w E * l
  <= mass v E * r.
Proof.
  intros Hl Hr. induction w as [|a w IH]; intros [|b v] [|e E]; cbn; try discriminate; try lia.
  intros H. apply andb_prop in H as [H1 H2]. apply Z.leb_le in H1. specialize (IH v E H2). destruct e; lia.
Qed.

Lemma same_eq x : forall y, same x y = true -> x = y.
Proof. induction x; intros [|b y]; cbn; try discriminate; auto. intros H. apply andb_prop in H as [H1 H2].
  apply Z.eqb_eq in H1. f_equal; auto. Qed.
Lemma keys_eq t : forall l, keys t l = true -> map fst t = l.
Proof. induction t as [|[x w] t IH]; intros [|y l]; cbn; try discriminate; auto. intros H.
  apply andb_prop in H as [H1 H2]. f_equal; auto using same_eq. Qed.

Lemma mass_nonneg w : (forall a, In a w -> 0 < a) -> forall E, 0 <= mass w E.
Proof.
  induction w as [|a w IH]; intros P [|e E]; cbn; try lia.
  pose proof (P a (or_introl eq_refl)). pose proof (IH (fun b i => P b (or_intror i)) E). destruct e; lia.
Qed.
Lemma total_pos w : (forall a, In a w -> 0 < a) -> negb (Nat.eqb (length w) 0) = true -> 0 < total w.
Proof.
  unfold total. destruct w as [|a w]; [discriminate|]. intros P _. cbn. pose proof (P a (or_introl eq_refl)).
  assert (N : forall b, In b w -> 0 < b) by (intros b i; apply P; right; assumption). clear P.
  assert (0 <= sumZ (fun b => b) w); [|lia]. induction w as [|b w IH]; cbn; [lia|].
  pose proof (N b (or_introl eq_refl)). specialize (IH (fun c i => N c (or_intror i))). lia.
Qed.

(* Every data set is listed, and between listed neighbours every event is within the factor num/den. *)
Theorem sound num den d n t : check num den d n t = true ->
  (forall x, length x = d -> Forall (fun a => 0 <= a) x -> total x = Z.of_nat n -> exists w, In (x, w) t) /\
  (forall x y w v E, In (x, w) t -> In (y, v) t -> dist x y <= 2 ->
     0 < total w /\ 0 < total v /\ 0 <= mass v E /\ mass w E * (den * total v) <= mass v E * (num * total w)).
Proof.
  unfold check. intros H. repeat (apply andb_prop in H as [H ?]). rename H0 into C, H1 into P, H2 into K, H3 into D.
  apply Z.ltb_lt in H, D. split.
  - intros x L F T. apply keys_eq in K. pose proof (compositions_complete d n x L F T) as I. rewrite <- K in I.
    apply in_map_iff in I as ([x' w] & E & I). cbn in E; subst. eauto.
  - intros x y w v E Iw Iv Dxy. rewrite forallb_forall in P, C.
    assert (Pos : forall z u, In (z, u) t -> (forall a, In a u -> 0 < a) /\ 0 < total u).
    { intros z u I. specialize (P _ I). cbn in P. apply andb_prop in P as [P1 P2]. rewrite forallb_forall in P1.
      assert (Q : forall a, In a u -> 0 < a) by (intros a Ia; apply Z.ltb_lt, P1; assumption).
      split; [assumption|apply total_pos; assumption]. }
    specialize (C ((x, w), total w)). cbn in C.
    assert (I1 : In (x, w, total w) (map (fun e => (e, total (snd e))) t)) by (apply in_map_iff; exists (x, w); auto).
    assert (I2 : In (y, v, total v) (map (fun e => (e, total (snd e))) t)) by (apply in_map_iff; exists (y, v); auto).
    specialize (C I1). rewrite forallb_forall in C. specialize (C _ I2). cbn in C.
    apply Z.leb_le in Dxy. rewrite Dxy in C. destruct (Pos _ _ Iw) as [_ ?], (Pos _ _ Iv) as [Pv ?].
    repeat split; auto using mass_nonneg. apply all2_mass; auto; nia.
Qed.

(* with the last step: num/den is at most e^(p/q), by a partial sum of k + 1 terms *)
Definition law_ok (k : nat) (num den p q : Z) (d n : nat) t : bool := exp_ok k num den p q && check num den d n t.
Definition prob (w : list Z) E : R := (IZR (mass w E) / IZR (total w))%R.

Theorem law_private k num den p q d n t : law_ok k num den p q d n t = true ->
  (forall x, length x = d -> Forall (fun a => 0 <= a) x -> total x = Z.of_nat n -> exists w, In (x, w) t) /\
  (forall x y w v E, In (x, w) t -> In (y, v) t -> dist x y <= 2 ->
     (prob w E <= exp (IZR p / IZR q) * prob v E)%R).
Proof.
  unfold law_ok. intros H. apply andb_prop in H as [X H]. destruct (exp_sound _ _ _ _ _ X) as [D B].
  destruct (sound _ _ _ _ _ H) as [A S]. split; [exact A|]. intros x y w v E Iw Iv Dxy.
  destruct (S x y w v E Iw Iv Dxy) as (W & V & M & L). unfold prob.
  apply IZR_lt in D, W, V. apply IZR_le in M, L. rewrite !mult_IZR in L.
  apply Rle_trans with (IZR num / IZR den * (IZR (mass v E) / IZR (total v)))%R.
  - apply (Rmult_le_reg_r (IZR den * IZR (total v) * IZR (total w))).
    { repeat apply Rmult_lt_0_compat; assumption. }
    replace (IZR (mass w E) / IZR (total w) * (IZR den * IZR (total v) * IZR (total w)))%R
      with (IZR (mass w E) * (IZR den * IZR (total v)))%R by (field; lra).
    replace (IZR num / IZR den * (IZR (mass v E) / IZR (total v)) * (IZR den * IZR (total v) * IZR (total w)))%R
      with (IZR (mass v E) * (IZR num * IZR (total w)))%R by (field; lra).
    assumption.
  - apply Rmult_le_compat_r; [apply Rle_mult_inv_pos; assumption|assumption].
Qed.
