(* The checker of laws as a program: OCaml text of the very function of which Law.law_private speaks. Every type is
   Coq's own inductive one, numbers too: nothing is replaced by a type or function of OCaml. *)
From Coq Require Extraction.
From Coq Require Import ZArith List.
From PrivBayes Require Import Law.
Extraction Language OCaml.
Extraction "law.ml" law_ok Z.add Z.mul Z.to_nat.
