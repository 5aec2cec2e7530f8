(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. The integer samplers: syntax trees of
   the Go text of package sample, node by node. A call of a method is one of a function of the fields; the source of
   random words is no argument. *)
From Coq Require Import ZArith String List.
From PrivBayes Require Import GoProgram.
Import ListNotations.
Open Scope string_scope.
Definition Uniform : function := {| params := ["n"]; body := [
  If (Not (Lt (Num 1) (Var "n"))) [
    Return (Num 0)] [];
  Assign ["hi"; "lo"] (Call "Mul64" [(Call "Uint64" []); (Var "n")]);
  If (Lt (Var "lo") (Var "n")) [
    Assign ["threshold"] (Rem U64 (Neg U64 (Var "n")) (Var "n"));
    For (Lt (Var "lo") (Var "threshold")) [] [
      Assign ["hi"; "lo"] (Call "Mul64" [(Call "Uint64" []); (Var "n")])]] [];
  Return (Var "hi")] |}.
Definition bernoulliExpUnit : function := {| params := ["num"; "den"]; body := [
  Assign ["k"] (Num 1);
  For (Num 1) [
    Assign ["k"] (Add U64 (Var "k") (Num 1))] [
    Assign ["ok"] (Num 0);
    Assign ["over"; "n"] (Call "Mul64" [(Var "k"); (Var "den")]);
    If (Eq (Var "over") (Num 0)) [
      Assign ["ok"] (Lt (Call "Uniform" [(Var "n")]) (Var "num"))] [
      Assign ["ok"] (And (Eq (Call "Uniform" [(Var "k")]) (Num 0)) (Lt (Call "Uniform" [(Var "den")]) (Var "num")))];
    If (Not (Var "ok")) [
      Return (Eq (Rem U64 (Var "k") (Num 2)) (Num 1))] []]] |}.
Definition BernoulliExp : function := {| params := ["num"; "den"]; body := [
  If (Eq (Var "den") (Num 0)) [
    Return (Num 0)] [];
  For (Lt (Var "den") (Var "num")) [
    Assign ["num"] (Sub U64 (Var "num") (Var "den"))] [
    If (Not (Call "bernoulliExpUnit" [(Num 1); (Num 1)])) [
      Return (Num 0)] []];
  Return (Call "bernoulliExpUnit" [(Var "num"); (Var "den")])] |}.
Definition TwoSidedGeometric_oneSided : function := {| params := ["g.Num"; "g.Den"]; body := [
  For (Num 1) [] [
    Assign ["u"] (Call "Uniform" [(Var "g.Den")]);
    If (Not (Call "bernoulliExpUnit" [(Var "u"); (Var "g.Den")])) [
      Continue] [];
    Assign ["v"] (Num 0);
    For (And (Lt (Var "v") (Num 4194304)) (Call "bernoulliExpUnit" [(Num 1); (Num 1)])) [] [
      Assign ["v"] (Add U64 (Var "v") (Num 1))];
    Return (Conv I64 (Div U64 (Add U64 (Var "u") (Mul U64 (Var "g.Den") (Var "v"))) (Var "g.Num")))]] |}.
Definition TwoSidedGeometric_Draw : function := {| params := ["g.Num"; "g.Den"]; body := [
  For (Num 1) [] [
    Assign ["z"] (Call "TwoSidedGeometric_oneSided" [(Var "g.Num"); (Var "g.Den")]);
    If (Eq (Shr U64 (Call "Uint64" []) (Num 63)) (Num 0)) [
      Return (Var "z")] [];
    If (Not (Eq (Var "z") (Num 0))) [
      Return (Neg I64 (Var "z"))] []]] |}.
Definition squared128 : function := {| params := ["hi"; "lo"]; body := [
  Assign ["h0"; "l0"] (Call "Mul64" [(Var "lo"); (Var "lo")]);
  Assign ["h1"; "l1"] (Call "Mul64" [(Mul U64 (Num 2) (Var "hi")); (Var "lo")]);
  Assign ["mid"; "c"] (Call "Add64" [(Var "h0"); (Var "l1"); (Num 0)]);
  Return (Tuple [(Add U64 (Add U64 (Mul U64 (Var "hi") (Var "hi")) (Var "h1")) (Var "c")); (Var "mid"); (Var "l0")])] |}.
Definition wide_isWord : function := {| params := ["x.hi"; "x.mid"; "x.lo"]; body := [
  Return (And (Eq (Var "x.hi") (Num 0)) (Eq (Var "x.mid") (Num 0)))] |}.
Definition wide_less : function := {| params := ["x.hi"; "x.mid"; "x.lo"; "y.hi"; "y.mid"; "y.lo"]; body := [
  If (Not (Eq (Var "x.hi") (Var "y.hi"))) [
    Return (Lt (Var "x.hi") (Var "y.hi"))] [
    If (Not (Eq (Var "x.mid") (Var "y.mid"))) [
      Return (Lt (Var "x.mid") (Var "y.mid"))] []];
  Return (Lt (Var "x.lo") (Var "y.lo"))] |}.
Definition wide_plus : function := {| params := ["x.hi"; "x.mid"; "x.lo"; "y.hi"; "y.mid"; "y.lo"]; body := [
  Assign ["lo"; "c"] (Call "Add64" [(Var "x.lo"); (Var "y.lo"); (Num 0)]);
  Assign ["mid"; "c"] (Call "Add64" [(Var "x.mid"); (Var "y.mid"); (Var "c")]);
  Return (Tuple [(Add U64 (Add U64 (Var "x.hi") (Var "y.hi")) (Var "c")); (Var "mid"); (Var "lo")])] |}.
Definition wide_minus : function := {| params := ["x.hi"; "x.mid"; "x.lo"; "y.hi"; "y.mid"; "y.lo"]; body := [
  Assign ["lo"; "b"] (Call "Sub64" [(Var "x.lo"); (Var "y.lo"); (Num 0)]);
  Assign ["mid"; "b"] (Call "Sub64" [(Var "x.mid"); (Var "y.mid"); (Var "b")]);
  Return (Tuple [(Sub U64 (Sub U64 (Var "x.hi") (Var "y.hi")) (Var "b")); (Var "mid"); (Var "lo")])] |}.
Definition wide_appended : function := {| params := ["x.hi"; "x.mid"; "x.lo"; "w"; "s"]; body := [
  Assign ["left"] (Conv U64 (Var "s"));
  Assign ["right"] (Conv U64 (Sub I64 (Num 64) (Var "s")));
  Return (Tuple [(Bor U64 (Shl U64 (Var "x.hi") (Var "left")) (Shr U64 (Var "x.mid") (Var "right"))); (Bor U64 (Shl U64 (Var "x.mid") (Var "left")) (Shr U64 (Var "x.lo") (Var "right"))); (Bor U64 (Shl U64 (Var "x.lo") (Var "left")) (Shr U64 (Var "w") (Var "right")))])] |}.
Definition wide_bitLen : function := {| params := ["x.hi"; "x.mid"; "x.lo"]; body := [
  If (Not (Eq (Var "x.hi") (Num 0))) [
    Return (Add I64 (Num 128) (Call "Len64" [(Var "x.hi")]))] [
    If (Not (Eq (Var "x.mid") (Num 0))) [
      Return (Add I64 (Num 64) (Call "Len64" [(Var "x.mid")]))] []];
  Return (Call "Len64" [(Var "x.lo")])] |}.
Definition uniformWide : function := {| params := ["n.hi"; "n.mid"; "n.lo"]; body := [
  Assign ["last.hi"; "last.mid"; "last.lo"] (Call "wide_minus" [(Var "n.hi"); (Var "n.mid"); (Var "n.lo"); (Num 0); (Num 0); (Num 1)]);
  Assign ["length"] (Call "wide_bitLen" [(Var "last.hi"); (Var "last.mid"); (Var "last.lo")]);
  For (Num 1) [] [
    Assign ["x.hi"] (Num 0);
    Assign ["x.mid"] (Num 0);
    Assign ["x.lo"] (Num 0);
    Assign ["left"] (Var "length");
    For (Lt (Num 0) (Var "left")) [
      Assign ["left"] (Sub I64 (Var "left") (Num 64))] [
      Assign ["x.hi"; "x.mid"; "x.lo"] (Call "wide_appended" [(Var "x.hi"); (Var "x.mid"); (Var "x.lo"); (Call "Uint64" []); (Call "min" [(Var "left"); (Num 64)])])];
    If (Call "wide_less" [(Var "x.hi"); (Var "x.mid"); (Var "x.lo"); (Var "n.hi"); (Var "n.mid"); (Var "n.lo")]) [
      Return (Tuple [(Var "x.hi"); (Var "x.mid"); (Var "x.lo")])] []]] |}.
Definition bernoulliExpWide : function := {| params := ["num.hi"; "num.mid"; "num.lo"; "den.hi"; "den.mid"; "den.lo"]; body := [
  For (Call "wide_less" [(Var "den.hi"); (Var "den.mid"); (Var "den.lo"); (Var "num.hi"); (Var "num.mid"); (Var "num.lo")]) [
    Assign ["num.hi"; "num.mid"; "num.lo"] (Call "wide_minus" [(Var "num.hi"); (Var "num.mid"); (Var "num.lo"); (Var "den.hi"); (Var "den.mid"); (Var "den.lo")])] [
    If (Not (Call "bernoulliExpUnit" [(Num 1); (Num 1)])) [
      Return (Num 0)] []];
  If (Call "wide_isWord" [(Var "den.hi"); (Var "den.mid"); (Var "den.lo")]) [
    Return (Call "bernoulliExpUnit" [(Var "num.lo"); (Var "den.lo")])] [];
  Assign ["n.hi"] (Num 0);
  Assign ["n.mid"] (Num 0);
  Assign ["n.lo"] (Num 0);
  Assign ["k"] (Num 1);
  For (Num 1) [
    Assign ["k"] (Add U64 (Var "k") (Num 1))] [
    Assign ["n.hi"; "n.mid"; "n.lo"] (Call "wide_plus" [(Var "n.hi"); (Var "n.mid"); (Var "n.lo"); (Var "den.hi"); (Var "den.mid"); (Var "den.lo")]);
    Assign ["u.hi"; "u.mid"; "u.lo"] (Call "uniformWide" [(Var "n.hi"); (Var "n.mid"); (Var "n.lo")]);
    If (Not (Call "wide_less" [(Var "u.hi"); (Var "u.mid"); (Var "u.lo"); (Var "num.hi"); (Var "num.mid"); (Var "num.lo")])) [
      Return (Eq (Rem U64 (Var "k") (Num 2)) (Num 1))] []]] |}.
Definition DiscreteGaussian_exponent : function := {| params := ["g.Num"; "g.Den"; "y"; "t"]; body := [
  Assign ["num.hi"] (Num 0);
  Assign ["num.mid"] (Num 0);
  Assign ["num.lo"] (Num 0);
  Assign ["den.hi"] (Num 0);
  Assign ["den.mid"] (Num 0);
  Assign ["den.lo"] (Num 0);
  Assign ["tb"] (Mul U64 (Var "t") (Var "g.Den"));
  Assign ["hi"; "lo"] (Call "Mul64" [(Var "y"); (Var "tb")]);
  Assign ["lo"; "borrow"] (Call "Sub64" [(Var "lo"); (Var "g.Num"); (Num 0)]);
  Assign ["hi"; "borrow"] (Call "Sub64" [(Var "hi"); (Num 0); (Var "borrow")]);
  If (Not (Eq (Var "borrow") (Num 0))) [
    Assign ["lo"; "borrow"] (Call "Sub64" [(Num 0); (Var "lo"); (Num 0)]);
    Assign ["hi"; "_"] (Call "Sub64" [(Num 0); (Var "hi"); (Var "borrow")])] [];
  Assign ["num.hi"; "num.mid"; "num.lo"] (Call "squared128" [(Var "hi"); (Var "lo")]);
  Assign ["upper"; "lower"] (Call "Mul64" [(Var "t"); (Var "tb")]);
  Assign ["carry"; "low"] (Call "Mul64" [(Var "lower"); (Mul U64 (Num 2) (Var "g.Num"))]);
  Return (Tuple [(Var "num.hi"); (Var "num.mid"); (Var "num.lo"); (Num 0); (Add U64 (Mul U64 (Mul U64 (Var "upper") (Num 2)) (Var "g.Num")) (Var "carry")); (Var "low")])] |}.
Definition DiscreteGaussian_accept : function := {| params := ["g.Num"; "g.Den"; "y"; "t"]; body := [
  Assign ["num.hi"; "num.mid"; "num.lo"; "den.hi"; "den.mid"; "den.lo"] (Call "DiscreteGaussian_exponent" [(Var "g.Num"); (Var "g.Den"); (Var "y"); (Var "t")]);
  If (And (Call "wide_isWord" [(Var "num.hi"); (Var "num.mid"); (Var "num.lo")]) (Call "wide_isWord" [(Var "den.hi"); (Var "den.mid"); (Var "den.lo")])) [
    Return (Call "BernoulliExp" [(Var "num.lo"); (Var "den.lo")])] [];
  Return (Call "bernoulliExpWide" [(Var "num.hi"); (Var "num.mid"); (Var "num.lo"); (Var "den.hi"); (Var "den.mid"); (Var "den.lo")])] |}.
Definition DiscreteGaussian_scale : function := {| params := ["g.Num"; "g.Den"]; body := [
  Assign ["q"] (Div U64 (Var "g.Num") (Var "g.Den"));
  Assign ["s"] (Call "nearRoot" [(Var "q")]);
  For (Lt (Var "q") (Mul U64 (Var "s") (Var "s"))) [] [
    Assign ["s"] (Sub U64 (Var "s") (Num 1))];
  For (Not (Lt (Var "q") (Mul U64 (Add U64 (Var "s") (Num 1)) (Add U64 (Var "s") (Num 1))))) [] [
    Assign ["s"] (Add U64 (Var "s") (Num 1))];
  Return (Add U64 (Var "s") (Num 1))] |}.
Definition DiscreteGaussian_Draw : function := {| params := ["g.Num"; "g.Den"]; body := [
  Assign ["t"] (Call "DiscreteGaussian_scale" [(Var "g.Num"); (Var "g.Den")]);
  Assign ["proposal.Num"] (Num 1);
  Assign ["proposal.Den"] (Var "t");
  For (Num 1) [] [
    Assign ["y"] (Call "TwoSidedGeometric_Draw" [(Var "proposal.Num"); (Var "proposal.Den")]);
    If (Call "DiscreteGaussian_accept" [(Var "g.Num"); (Var "g.Den"); (Conv U64 (Call "max" [(Var "y"); (Neg I64 (Var "y"))])); (Var "t")]) [
      Return (Var "y")] []]] |}.
