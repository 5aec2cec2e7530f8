(* Programs of Go's text in float64: syntax trees of functions that compute with numbers of binary64 and truth values,
   and what they mean. A program means what holds of its result whatever the compiler does: it may fuse a product and a
   sum, also across statements and calls, so that the product is not rounded. Values of calls are given. Zeros have no
   sign, which nothing here shows. *)
From Coq Require Import ZArith String List Bool Reals Lra.
From Flocq Require Import Core.
From PrivBayes Require Import Outward.
Import ListNotations.
Open Scope string_scope.

Inductive expr :=
| Num (z : Z)
| Var (x : string)
| Add (a b : expr)
| Sub (a b : expr)
| Mul (a b : expr)
| Eq (a b : expr)
| Lt (a b : expr)
| Le (a b : expr)                                         (* not Not (Lt b a): of NaN both are false *)
| Not (a : expr)
| And (a b : expr)
| Or (a b : expr)
| Tuple (es : list expr)                                  (* several results *)
| Call (f : string) (args : list expr).
Inductive stmt :=
| Assign (xs : list string) (e : expr)                    (* of a call, all values *)
| If (c : expr) (yes no : list stmt)
| Return (e : expr).
Record function := { params : list string; body : list stmt }.

Open Scope R_scope.
Inductive float := Finite (x : R) | Infinite (below : bool) | NaN.
Definition negative (x : R) : bool := if Rlt_dec x 0 then true else false.
(* a number of the format, or infinite from 2^1024 on *)
Definition held (x : R) : float := if Rlt_dec (Rabs x) (bpow radix2 1024) then Finite x else Infinite (negative x).
Definition rounded (x : R) : float := held (rnd x).
Definition below (x : float) : bool := match x with Finite u => negative u | Infinite b => b | NaN => false end.
Definition zero (x : float) : bool := match x with Finite u => if Req_EM_T u 0 then true else false | _ => false end.
Definition neg (x : float) : float :=
  match x with Finite u => Finite (- u) | Infinite b => Infinite (negb b) | NaN => NaN end.
Definition add (x y : float) : float :=
  match x, y with
  | NaN, _ | _, NaN => NaN
  | Finite u, Finite v => rounded (u + v)
  | Infinite a, Infinite b => if eqb a b then Infinite a else NaN
  | Infinite a, _ | _, Infinite a => Infinite a
  end.
Definition mul (x y : float) : float :=
  match x, y with
  | NaN, _ | _, NaN => NaN
  | Finite u, Finite v => rounded (u * v)
  | _, _ => if zero x || zero y then NaN else Infinite (xorb (below x) (below y))
  end.
(* x y + z, rounded once *)
Definition fused (x y z : float) : float :=
  match x, y, z with
  | Finite u, Finite v, Finite w => rounded (u * v + w)
  | Finite _, Finite _, _ => z
  | _, _, _ => add (mul x y) z
  end.
Definition less (x y : float) : bool :=
  match x, y with
  | NaN, _ | _, NaN => false
  | Finite u, Finite v => if Rlt_dec u v then true else false
  | Infinite a, Infinite b => a && negb b
  | Infinite a, _ => a
  | _, Infinite b => negb b
  end.
Definition equal (x y : float) : bool :=
  match x, y with
  | Finite u, Finite v => if Req_EM_T u v then true else false
  | Infinite a, Infinite b => eqb a b
  | _, _ => false
  end.
Definition root (x : float) : float :=
  match x with
  | Finite u => if Rlt_dec u 0 then NaN else rounded (sqrt u)
  | Infinite false => x
  | _ => NaN
  end.
(* the next number above, and that after x towards y *)
Definition above (x : float) : float :=
  match x with
  | Finite u => held (up u)
  | Infinite true => Finite (- pred radix2 fexp (bpow radix2 1024))
  | _ => x
  end.
Definition next (x y : float) : float :=
  match x, y with
  | NaN, _ | _, NaN => NaN
  | _, _ => if less x y then above x else if less y x then neg (above (neg x)) else x
  end.
Definition least (x y : float) : float :=
  if equal x (Infinite true) || equal y (Infinite true) then Infinite true
  else match x, y with NaN, _ | _, NaN => NaN | _, _ => if less y x then y else x end.

(* A product remembers its factors: who adds it may leave it unrounded. *)
Inductive value := Known (x : float) | Product (x y : float).
Definition num (v : value) : float := match v with Known x => x | Product x y => mul x y end.
Definition sum (x y : value) (k : float -> Prop) : Prop :=
  k (add (num x) (num y)) /\
  match x with Product u v => k (fused u v (num y)) | _ => True end /\
  match y with Product u v => k (fused u v (num x)) | _ => True end.
Definition difference (x y : value) (k : float -> Prop) : Prop :=
  k (add (num x) (neg (num y))) /\
  match x with Product u v => k (fused u v (neg (num y))) | _ => True end /\
  match y with Product u v => k (fused (neg u) v (num x)) | _ => True end.
Definition truth (b : bool) : value := Known (Finite (if b then 1 else 0)).
Definition true_of (v : value) : bool := negb (zero (num v)).

Definition env := list (string * value).
Fixpoint look (x : string) (e : env) : value :=
  match e with [] => Known NaN | (y, v) :: e' => if String.eqb x y then v else look x e' end.
Fixpoint set (x : string) (v : value) (e : env) : env :=
  match e with [] => [(x, v)] | (y, u) :: e' => if String.eqb x y then (y, v) :: e' else (y, u) :: set x v e' end.
Fixpoint sets (xs : list string) (vs : list value) (e : env) : env :=
  match xs, vs with x :: xs', v :: vs' => sets xs' vs' (set x v e) | _, _ => e end.
Definition only (vs : list value) : value := hd (Known NaN) vs.

Inductive outcome := Next (e : env) | Result (vs : list value).
Definition calls := string -> list value -> (list value -> Prop) -> Prop.
Section Meaning.
Variable call : calls.

Fixpoint eval (x : expr) (e : env) (k : list value -> Prop) {struct x} : Prop :=
  let two a b (f : value -> value -> Prop) := eval a e (fun u => eval b e (fun v => f (only u) (only v))) in
  let test a b (f : float -> float -> bool) := two a b (fun u v => k [truth (f (num u) (num v))]) in
  match x with
  | Num z => k [Known (rounded (IZR z))]
  | Var y => k [look y e]
  | Add a b => two a b (fun u v => sum u v (fun r => k [Known r]))
  | Sub a b => two a b (fun u v => difference u v (fun r => k [Known r]))
  | Mul a b => two a b (fun u v => k [Product (num u) (num v)])
  | Eq a b => test a b equal
  | Lt a b => test a b less
  | Le a b => test a b (fun u v => less u v || equal u v)
  | Not a => eval a e (fun u => k [truth (negb (true_of (only u)))])
  | And a b => eval a e (fun u => if true_of (only u) then eval b e k else k [truth false])
  | Or a b => eval a e (fun u => if true_of (only u) then k [truth true] else eval b e k)
  | Tuple es =>
      (fix evals (l : list expr) (vs : list value) {struct l} : Prop :=
        match l with [] => k vs | a :: l' => eval a e (fun v => evals l' (vs ++ [only v])%list) end) es []
  | Call f args =>
      (fix evals (l : list expr) (vs : list value) {struct l} : Prop :=
        match l with [] => call f vs k | a :: l' => eval a e (fun v => evals l' (vs ++ [only v])%list) end) args []
  end.
Fixpoint exec (s : stmt) (e : env) (k : outcome -> Prop) {struct s} : Prop :=
  let execs := fix execs (l : list stmt) (e : env) {struct l} : Prop :=
    match l with
    | [] => k (Next e)
    | s :: l' => exec s e (fun o => match o with Next e' => execs l' e' | _ => k o end)
    end in
  match s with
  | Assign xs x => eval x e (fun vs => k (Next (sets xs vs e)))
  | If c yes no => eval c e (fun u => if true_of (only u) then execs yes e else execs no e)
  | Return x => eval x e (fun vs => k (Result vs))
  end.
Definition execs := fix execs (l : list stmt) (e : env) (k : outcome -> Prop) {struct l} : Prop :=
  match l with
  | [] => k (Next e)
  | s :: l' => exec s e (fun o => match o with Next e' => execs l' e' k | _ => k o end)
  end.
(* post holds of all results, in every way to compute them; a program that returns none has no meaning *)
Definition runs (f : function) (args : list value) (post : list value -> Prop) : Prop :=
  execs (body f) (combine (params f) args) (fun o => match o with Result vs => post vs | _ => False end).
End Meaning.

(* what package math computes *)
Definition machine : calls := fun f args k =>
  match args with
  | [] => if String.eqb f "math_NaN" then k [Known NaN] else False
  | [x] =>
      if String.eqb f "math_Inf" then k [Known (Infinite (below (num x)))]
      else if String.eqb f "math_Sqrt" then k [Known (root (num x))] else False
  | [x; y] =>
      if String.eqb f "math_Nextafter" then k [Known (next (num x) (num y))]
      else if String.eqb f "math_Min" then k [Known (least (num x) (num y))] else False
  | _ => False
  end.
(* with one more function, of a text or given *)
Definition also (name : string) (means : list value -> (list value -> Prop) -> Prop) (c : calls) : calls :=
  fun f args k => if String.eqb f name then means args k else c f args k.
Definition text (name : string) (f : function) (c : calls) : calls := also name (runs c f) c.
Definition gives (name : string) (vs : list value) (c : calls) : calls := also name (fun _ k => k vs) c.
