(* One draw from the posterior of a finite parameter space (Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein 2017,
   Theorem 8.1): log-likelihoods of neighbours that differ by L at most give 2L, and k draws 2Lk. The prior is any,
   through its logarithm. *)
From Coq Require Import Reals Lra List.
From PrivBayes Require Import Exponential.
Import ListNotations.
Open Scope R_scope.

Section Posterior.
Variables (theta : Type) (all : list theta) (prior at_x at_y : theta -> R) (L : R).    (* logarithms *)
Hypothesis nonempty : all <> [].
Hypothesis lipschitz : forall t, In t all -> Rabs (at_x t - at_y t) <= L.
Definition posterior (likelihood : theta -> R) : theta -> R := prob theta all (fun t => - (prior t + likelihood t)).
Theorem posterior_private t : In t all -> posterior at_x t <= exp (2 * L) * posterior at_y t.
Proof.
  intros I. unfold posterior. replace (2 * L) with (L - - L) by ring. apply bounded_range; [assumption| |assumption].
  intros r Ir. pose proof (lipschitz r Ir) as H. unfold Rabs in H. destruct (Rcase_abs _) in H; lra.
Qed.
(* independent draws *)
Fixpoint draws (p : theta -> R) (l : list theta) : R := match l with [] => 1 | t :: l' => p t * draws p l' end.
Theorem draws_private l : (forall t, In t l -> In t all) ->
  draws (posterior at_x) l <= exp (2 * L * INR (length l)) * draws (posterior at_y) l.
Proof.
  assert (P : forall f t, 0 <= posterior f t).
  { intros f t. unfold posterior, prob. left. apply Rdiv_lt_0_compat; [apply exp_pos|]. apply sumR_pos; [assumption|].
    intros; apply exp_pos. }
  assert (D : forall f l, 0 <= draws (posterior f) l).
  { intros f l'. induction l'; cbn; [lra|]. apply Rmult_le_pos; auto. }
  induction l as [|t l IH]; intros I.
  - cbn. rewrite Rmult_0_r, exp_0. lra.
  - cbn [draws]. change (length (t :: l)) with (S (length l)). rewrite S_INR, Rmult_plus_distr_l, Rmult_1_r, Rplus_comm.
    rewrite exp_plus.
    replace (exp (2 * L) * exp (2 * L * INR (length l)) * (posterior at_y t * draws (posterior at_y) l)) with
      ((exp (2 * L) * posterior at_y t) * (exp (2 * L * INR (length l)) * draws (posterior at_y) l)) by ring.
    apply Rmult_le_compat; [apply P|apply D|apply posterior_private; apply I; left; reflexivity|].
    apply IH. intros; apply I; right; assumption.
Qed.
End Posterior.
