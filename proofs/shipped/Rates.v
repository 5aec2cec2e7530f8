(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. What computes the rate of a Hellinger plan:
   syntax trees of Go text in float64, node by node. A call of a method has no receiver, which is always that of the
   function itself. *)
From Coq Require Import ZArith String List.
From PrivBayes Require Import FloatProgram.
Import ListNotations.
Open Scope string_scope.
Definition num_Up : function := {| params := ["x"]; body := [
  Return (Call "math_Nextafter" [(Var "x"); (Call "math_Inf" [(Num 1)])])] |}.
Definition hellinger_Rho : function := {| params := ["gamma"; "diameter"]; body := [
  If (Not (And (And (Le (Num 0) (Var "gamma")) (Le (Num 0) (Var "diameter"))) (Le (Var "diameter") (Num 1)))) [
    Return (Call "math_NaN" [])] [];
  Assign ["root"] (Call "num_Up" [(Add (Num 1) (Call "num_Up" [(Call "math_Sqrt" [(Call "num_Up" [(Add (Num 1) (Mul (Num 2) (Call "num_Up" [(Mul (Var "gamma") (Var "gamma"))])))])])]))]);
  If (Eq (Var "gamma") (Num 0)) [
    Return (Num 2)] [];
  Return (Call "math_Min" [(Call "num_Up" [(Add (Num 2) (Call "num_Up" [(Mul (Var "gamma") (Var "diameter"))]))]); (Var "root")])] |}.
Definition space_rho : function := {| params := []; body := [
  Assign ["g"; "ok"] (Call "space_lipschitz" []);
  Return (Tuple [(Call "hellinger_Rho" [(Var "g"); (Num 1)]); (Var "ok")])] |}.
Definition hellinger_theorem1 : function := {| params := ["kappa"]; body := [
  Assign ["rho"; "_"] (Call "space_rho" []);
  Return (Add (Call "math_Nextafter" [(Mul (Var "kappa") (Var "rho")); (Call "math_Inf" [(Num 1)])]) (Mul (Num 4) (Call "space_slack" [(Var "kappa")])))] |}.
