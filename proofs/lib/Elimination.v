(* odd(N) for networks too large to enumerate, by max-sum variable elimination.  The order and the witness come from
   outside and are not trusted. *)
From Coq Require Import ZArith List Lia Bool PeanoNat.
From PrivBayes Require Import Counts.
Import ListNotations.
Open Scope Z_scope.

Definition assignment := nat -> bool.
Definition upd (z : assignment) u b : assignment := fun w => if Nat.eqb w u then b else z w.
Inductive tree := Leaf (a : Z) | Node (l r : tree).
Inductive factor := Par (s : list nat) | Tab (s : list nat) (t : tree).
Definition scope f := match f with Par s => s | Tab s _ => s end.
Fixpoint parity (s : list nat) (z : assignment) := match s with [] => false | u :: s' => xorb (z u) (parity s' z) end.
Fixpoint look t s (z : assignment) : Z :=
  match t, s with Leaf a, _ => a | Node l r, u :: s' => look (if z u then r else l) s' z | Node _ _, [] => 0 end.
Definition eval f z := match f with Par s => ind (parity s z) | Tab s t => look t s z end.
Definition sum fs z := sumZ (fun f => eval f z) fs.

Fixpoint tabulate s z (F : assignment -> Z) : tree :=
  match s with [] => Leaf (F z) | u :: s' => Node (tabulate s' (upd z u false) F) (tabulate s' (upd z u true) F) end.
Fixpoint override z s (w : assignment) : assignment := match s with [] => z |
  u :: s' => override (upd z u (w u)) s' w end.
Lemma look_tabulate s : forall z F w, look (tabulate s z F) s w = F (override z s w).
Proof. induction s as [|u s IH]; intros; cbn; [reflexivity|]. destruct (w u); apply IH. Qed.
Lemma override_keeps s w u : forall z, z u = w u -> override z s w u = w u.
Proof. induction s as [|v s IH]; intros z H; cbn; [assumption|]. apply IH. unfold upd.
  destruct (Nat.eqb_spec u v); subst; auto. Qed.
Lemma override_agrees s w : forall z u, In u s -> override z s w u = w u.
Proof. induction s as [|v s IH]; intros z u H; cbn; [destruct H|].
  destruct H as [->|H]; [apply override_keeps; unfold upd; rewrite Nat.eqb_refl; reflexivity|auto]. Qed.

Definition agree s (z w : assignment) := forall u, In u s -> z u = w u.
Lemma eval_agree f z w : agree (scope f) z w -> eval f z = eval f w.
Proof.
  destruct f as [s|s t]; cbn; intros A.
  - f_equal. induction s as [|u s IH]; cbn; [reflexivity|]. rewrite (A u) by (left; reflexivity).
    rewrite IH; [reflexivity|]. intros v Hv. apply A. right; assumption.
  - revert t. induction s as [|u s IH]; intros [a|l r]; cbn; try reflexivity. rewrite (A u) by (left; reflexivity).
    apply IH. intros v Hv. apply A. right; assumption.
Qed.

Definition mem v s := existsb (Nat.eqb v) s.
Definition step (v : nat) (fs : list factor) : list factor :=
  let B := filter (fun f => mem v (scope f)) fs in
  let U := filter (fun u => negb (Nat.eqb u v)) (nodup Nat.eq_dec (flat_map scope B)) in
  let F z := Z.max (sum B (upd z v false)) (sum B (upd z v true)) in
  Tab U (tabulate U (fun _ => false) F) :: filter (fun f => negb (mem v (scope f))) fs.

Arguments eval : simpl never.
Lemma sum_split p fs z : sum fs z = sum (filter p fs) z + sum (filter (fun f => negb (p f)) fs) z.
Proof. unfold sum. induction fs as [|f fs IH]; cbn; [reflexivity|]. destruct (p f); cbn; lia. Qed.

Lemma step_sound v fs z : sum fs z <= sum (step v fs) z.
Proof.
  rewrite (sum_split (fun f => mem v (scope f))). unfold step. set (B := filter (fun f => mem v (scope f)) fs).
  set (U := filter _ (nodup _ _)). set (F := fun _ => Z.max _ _). unfold sum at 3. cbn [sumZ].
  change (eval (Tab U (tabulate U (fun _ => false) F)) z) with (look (tabulate U (fun _ => false) F) U z).
    fold (sum (filter (fun f => negb (mem v (scope f))) fs) z).
  apply Z.add_le_mono_r. rewrite look_tabulate. set (y := override _ U z).
  assert (A : forall f, In f B -> agree (scope f) z (upd y v (z v))).
  { intros f Hf u Hu. unfold upd. destruct (Nat.eqb_spec u v) as [->|N]; [reflexivity|]. symmetry.
    apply override_agrees.
    unfold U. apply filter_In. split; [apply nodup_In, in_flat_map; eauto|]. apply negb_true_iff, Nat.eqb_neq.
      assumption. }
  apply Z.le_trans with (sum B (upd y v (z v))).
  - unfold sum. apply sumZ_le. intros f Hf. rewrite (eval_agree f z _ (A f Hf)). lia.
  - unfold F. destruct (z v); lia.
Qed.

Definition run order fs := fold_left (fun fs v => step v fs) order fs.
Lemma run_sound order : forall fs z, sum fs z <= sum (run order fs) z.
Proof. induction order as [|v o IH]; intros fs z; [apply Z.le_refl|].
  exact (Z.le_trans _ _ _ (step_sound v fs z) (IH (step v fs) z)). Qed.

Definition check order (N : list (list nat)) (witness : list nat) (b : Z) : bool :=
  let fs := run order (map Par N) in
  forallb (fun f => match scope f with [] => true | _ => false end) fs && (sum fs (fun _ => false) <=? b) &&
  (sum (map Par N) (fun u => mem u witness) =? b).

Theorem check_sound order N witness b : check order N witness b = true ->
  (forall z, sumZ (fun g => ind (parity g z)) N <= b) /\ exists z, sumZ (fun g => ind (parity g z)) N = b.
Proof.
  unfold check. intros H. apply andb_prop in H as [H W]. apply andb_prop in H as [S H]. apply Z.leb_le in H.
    apply Z.eqb_eq in W.
  assert (E : forall z, sum (map Par N) z = sumZ (fun g => ind (parity g z)) N) by (intros z; unfold sum; clear;
    induction N as [|g N IH]; [reflexivity|cbn [map sumZ]; rewrite IH; reflexivity]).
  split; [|eexists; rewrite <- E; exact W]. intros z. rewrite <- E. eapply Z.le_trans; [apply (run_sound order)|].
  eapply Z.le_trans; [|exact H]. unfold sum. apply sumZ_le. intros f Hf. rewrite forallb_forall in S.
    specialize (S f Hf).
  rewrite (eval_agree f z (fun _ => false)); [lia|]. destruct (scope f); [intros u []|discriminate].
Qed.
