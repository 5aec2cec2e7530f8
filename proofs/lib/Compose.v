(* Post-processing and adaptive composition of pure guarantees, for finite laws. *)
From Coq Require Import Reals Lra List.
From PrivBayes Require Import Exponential.
Import ListNotations.
Open Scope R_scope.

(* a law: outputs with non-negative masses; P <= c Q pointwise on the same outputs *)
Section PostProcessing.
Variables (O T : Type) (outs : list O) (p q : O -> R) (c : R).
Hypothesis dominated : forall o, In o outs -> p o <= c * q o.
(* any event after any map f: the mass of {o : f o in E} *)
Theorem post (f : O -> T) (E : T -> bool) :
  sumR (fun o => if E (f o) then p o else 0) outs <= c * sumR (fun o => if E (f o) then q o else 0) outs.
Proof. rewrite <- sumR_scal. apply sumR_le. intros o H. destruct (E (f o)); [auto|lra]. Qed.
(* randomised: a kernel k o t >= 0 *)
Theorem post_random (k : O -> T -> R) (t : T) : (forall o, 0 <= k o t) ->
  sumR (fun o => k o t * p o) outs <= c * sumR (fun o => k o t * q o) outs.
Proof. intros K. rewrite <- sumR_scal. apply sumR_le. intros o H. specialize (dominated o H). specialize (K o).
  replace (c * (k o t * q o)) with (k o t * (c * q o)) by ring. apply Rmult_le_compat_l; assumption. Qed.
End PostProcessing.

(* the second release may depend on the first output *)
Theorem compose (O1 O2 : Type) (p1 q1 : O1 -> R) (p2 q2 : O1 -> O2 -> R) e1 e2 a b :
  0 <= p1 a -> 0 <= p2 a b -> 0 <= q1 a -> p1 a <= exp e1 * q1 a -> p2 a b <= exp e2 * q2 a b ->
  p1 a * p2 a b <= exp (e1 + e2) * (q1 a * q2 a b).
Proof.
  intros. rewrite exp_plus. replace (exp e1 * exp e2 * (q1 a * q2 a b)) with ((exp e1 * q1 a) * (exp e2 * q2 a b))
    by ring. apply Rmult_le_compat; assumption.
Qed.
