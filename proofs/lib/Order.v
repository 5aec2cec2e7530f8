(* Counts do not see the order of the rows: units whose rows are scattered over a table are as good as gathered ones. *)
From Coq Require Import ZArith List Lia Permutation.
From PrivBayes Require Import Counts CountPlan.
Import ListNotations.
Open Scope Z_scope.

Section Order.
Context {row cell : Type} (eqb : cell -> cell -> bool).
Lemma count_order (f : row -> cell) c D E : Permutation D E -> count eqb f c D = count eqb f c E.
Proof. induction 1; cbn; lia. Qed.
Theorem counts_order (ps : list (@part row cell)) D E : Permutation D E -> counts_of eqb ps D = counts_of eqb ps E.
Proof.
  intros P. unfold counts_of. induction ps as [|p ps IH]; cbn [flat_map]; [reflexivity|]. rewrite IH. f_equal.
  apply map_ext. intros c. apply count_order. assumption.
Qed.
End Order.
