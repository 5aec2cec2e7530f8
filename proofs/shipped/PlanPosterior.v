(* Written by privbayes prove: the numbers of the plan whose JSON has sha256
   15aecf6bd502d99b8cfa1e1844569a41774c1ce94bf3cd14405f8c21f80cb201. *)
From Coq Require Import ZArith List Reals.
From PrivBayes Require Import EdgePrior Lipschitz Rate StepCheck.
Import ListNotations.
Open Scope Z_scope.

(* The prior, and the bound of the global sensitivity as u/2^s. *)
Definition sensitivity_bounded_prior : list (Z * Z) := [(1, 1); (1, 1); (1, 1); (1, 1)].
Theorem sensitivity_bounded_checked : prior_ok 120 sensitivity_bounded_prior 4172597441243959 53 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition sensitivity_bounded := fun Gamma pos rec wendel =>
  prior_sound Gamma pos rec wendel _ _ _ _ sensitivity_bounded_checked.

Check sensitivity_bounded.
Print Assumptions sensitivity_bounded.

(* The least hyperparameter, and the bound of gamma+ as u/2^s. *)
Theorem step_bounded_checked : step_ok 400 128 1 1 2515928306270833 51 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition step_bounded := fun Gamma pos rec wendel =>
  step_sound Gamma pos rec wendel _ _ _ _ _ _ step_bounded_checked.

Check step_bounded.
Print Assumptions step_bounded.

(* kappa, gamma, and epsilon less the charge for floating point. *)
Theorem rate_private_checked : rate_ii_ok 5245231238747443 36028797018963968 1 4 24338891523996873830668948763421 81129638414606681695789005144064 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Definition rate_private := fun X outs LS dist theta =>
  reciprocal_private X outs LS dist theta _ _ _ _ _ _ rate_private_checked.

Check rate_private.
Print Assumptions rate_private.
