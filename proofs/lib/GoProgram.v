(* Programs of Go's text: syntax trees of functions that compute with words of 64 bits and draw random ones, and what they
   mean. A program means an expectation: of every value of the result the probability that it is returned while no loop
   runs more than fuel times. Calls of other functions have laws, which are given. *)
From Coq Require Import ZArith String List Bool Lia Reals Lra.
From PrivBayes Require Import SamplerGeometric.
Import ListNotations.
Open Scope Z_scope.
Open Scope string_scope.

Inductive kind := U64 | I64 | Truth.
Inductive expr :=
| Num (z : Z)
| Var (x : string)
| Neg (k : kind) (a : expr)
| Add (k : kind) (a b : expr)
| Sub (k : kind) (a b : expr)
| Mul (k : kind) (a b : expr)
| Div (k : kind) (a b : expr)                          (* the divisor is not 0 *)
| Rem (k : kind) (a b : expr)
| Shr (k : kind) (a b : expr)
| Shl (k : kind) (a b : expr)
| Bor (k : kind) (a b : expr)
| Conv (k : kind) (a : expr)
| Eq (a b : expr)
| Lt (a b : expr)
| Not (a : expr)
| And (a b : expr)
| Or (a b : expr)
| Tuple (es : list expr)                                  (* several values: the fields of a structure, or results *)
| Call (f : string) (args : list expr).
Inductive stmt :=
| Assign (xs : list string) (e : expr)                    (* of a call or a tuple, all values *)
| If (c : expr) (yes no : list stmt)
| For (c : expr) (post body : list stmt)
| Return (e : expr)
| Continue.
Record function := { params : list string; body : list stmt }.

Definition W : Z := 2 ^ 64.
Definition wrap (k : kind) (z : Z) : Z :=
  match k with U64 => z mod W | I64 => (z + W / 2) mod W - W / 2 | Truth => z end.
Definition truth (b : bool) : Z := if b then 1 else 0.

Definition env := list (string * Z).
Fixpoint value (x : string) (e : env) : Z :=
  match e with [] => 0 | (y, v) :: e' => if String.eqb x y then v else value x e' end.
Fixpoint set (x : string) (v : Z) (e : env) : env :=
  match e with [] => [(x, v)] | (y, u) :: e' => if String.eqb x y then (y, v) :: e' else (y, u) :: set x v e' end.
Fixpoint sets (xs : list string) (vs : list Z) (e : env) : env :=
  match xs, vs with x :: xs', v :: vs' => sets xs' vs' (set x v e) | _, _ => e end.

Inductive outcome := Next (e : env) | Again (e : env) | Result (vs : list Z).

Open Scope R_scope.
Section Meaning.
Variable call : string -> list Z -> (list Z -> R) -> R.          (* the laws of calls *)
Variable fuel : nat.

Definition only (vs : list Z) : Z := hd 0%Z vs.
Fixpoint eval (x : expr) (e : env) (k : list Z -> R) {struct x} : R :=
  let one a (f : Z -> Z) := eval a e (fun u => k [f (only u)]) in
  let two a b (f : Z -> Z -> Z) := eval a e (fun u => eval b e (fun v => k [f (only u) (only v)])) in
  match x with
  | Num z => k [z]
  | Var y => k [value y e]
  | Neg t a => one a (fun u => wrap t (- u))%Z
  | Add t a b => two a b (fun u v => wrap t (u + v))%Z
  | Sub t a b => two a b (fun u v => wrap t (u - v))%Z
  | Mul t a b => two a b (fun u v => wrap t (u * v))%Z
  | Div t a b => two a b (fun u v => wrap t (Z.quot u v))
  | Rem t a b => two a b (fun u v => wrap t (Z.rem u v))
  | Shr t a b => two a b (fun u v => wrap t (Z.shiftr u v))
  | Shl t a b => two a b (fun u v => wrap t (Z.shiftl u v))
  | Bor t a b => two a b (fun u v => wrap t (Z.lor u v))
  | Conv t a => one a (wrap t)
  | Eq a b => two a b (fun u v => truth (u =? v))%Z
  | Lt a b => two a b (fun u v => truth (u <? v))%Z
  | Not a => one a (fun u => truth (u =? 0))%Z
  | And a b => eval a e (fun u => if (only u =? 0)%Z then k [0%Z] else eval b e k)
  | Or a b => eval a e (fun u => if (only u =? 0)%Z then eval b e k else k [1%Z])
  | Tuple es =>
      (fix evals (l : list expr) (vs : list Z) {struct l} : R :=
        match l with [] => k vs | a :: l' => eval a e (fun v => evals l' (vs ++ [only v])%list) end) es []
  | Call f args =>
      (fix evals (l : list expr) (vs : list Z) {struct l} : R :=
        match l with [] => call f vs k | a :: l' => eval a e (fun v => evals l' (vs ++ [only v])%list) end) args []
  end.

Fixpoint exec (s : stmt) (e : env) (k : outcome -> R) {struct s} : R :=
  let execs := fix execs (l : list stmt) (e : env) (k : outcome -> R) {struct l} : R :=
    match l with
    | [] => k (Next e)
    | s :: l' => exec s e (fun o => match o with Next e' => execs l' e' k | _ => k o end)
    end in
  match s with
  | Assign xs x => eval x e (fun vs => k (Next (sets xs vs e)))
  | If c yes no => eval c e (fun u => if (only u =? 0)%Z then execs no e k else execs yes e k)
  | For c post body =>
      (fix loop (n : nat) (e : env) {struct n} : R :=
        match n with
        | O => 0
        | S n' => eval c e (fun u =>
            if (only u =? 0)%Z then k (Next e)
            else execs body e (fun o =>
              match o with
              | Result _ => k o
              | Next e' | Again e' => execs post e' (fun o' => match o' with Next f => loop n' f | _ => 0 end)
              end))
        end) fuel e
  | Return x => eval x e (fun vs => k (Result vs))
  | Continue => k (Again e)
  end.
Definition execs := fix execs (l : list stmt) (e : env) (k : outcome -> R) {struct l} : R :=
  match l with
  | [] => k (Next e)
  | s :: l' => exec s e (fun o => match o with Next e' => execs l' e' k | _ => k o end)
  end.
(* the expectation of post, of all results or of the first *)
Definition runs (f : function) (args : list Z) (post : list Z -> R) : R :=
  execs (body f) (combine (params f) args) (fun o => match o with Result vs => post vs | _ => 0 end).
Definition run (f : function) (args : list Z) (post : Z -> R) : R := runs f args (fun vs => post (only vs)).
End Meaning.

(* whether the result is i: its expectation is the probability *)
Definition is (i v : Z) : R := if (v =? i)%Z then 1 else 0.

(* sums over 0 .. n-1 *)
Definition sum (n : Z) (f : Z -> R) : R := below (Z.to_nat n) (fun i => f (Z.of_nat i)).
(* a random word, and what the machine multiplies, adds with a carry and subtracts with a borrow *)
Definition machine (f : string) (args : list Z) (k : list Z -> R) : R :=
  match args with
  | [] => if String.eqb f "Uint64" then / IZR W * sum W (fun w => k [w]) else 0
  | [a; b] => if String.eqb f "Mul64" then k [a * b / W; (a * b) mod W]%Z else 0
  | [a; b; c] =>
      if String.eqb f "Add64" then k [(a + b + c) mod W; (a + b + c) / W]%Z
      else if String.eqb f "Sub64" then k [(a - b - c) mod W; - ((a - b - c) / W)]%Z else 0
  | _ => 0
  end.
(* with the law of one more function *)
Definition also (name : string) (law : list Z -> (list Z -> R) -> R) (c : string -> list Z -> (list Z -> R) -> R) f args k :=
  if String.eqb f name then law args k else c f args k.
Definition uniform_law (args : list Z) (k : list Z -> R) : R :=
  match args with [n] => / IZR (Z.max 1 n) * sum (Z.max 1 n) (fun i => k [i]) | _ => 0 end.
Definition coin_law (p : list Z -> R) (args : list Z) (k : list Z -> R) : R := p args * k [1%Z] + (1 - p args) * k [0%Z].

Lemma sum_ext n f g : (forall i, (0 <= i < n)%Z -> f i = g i) -> sum n f = sum n g.
Proof. intros H. unfold sum. apply below_ext. intros i I. apply H. lia. Qed.
Lemma sum_scal n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. apply below_scal. Qed.
Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. unfold sum. induction (Z.to_nat n) as [|m IH]; cbn [below]; [ring|]. rewrite IH. ring. Qed.
Lemma sum_zero n f : (forall i, (0 <= i < n)%Z -> f i = 0) -> sum n f = 0.
Proof. intros H. unfold sum. apply below_zero. intros i I. apply H. lia. Qed.
Lemma sum_swap n m (f : Z -> Z -> R) : sum n (fun i => sum m (f i)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  unfold sum at 1 4. induction (Z.to_nat n) as [|k IH]; cbn [below].
  - symmetry. apply sum_zero. reflexivity.
  - rewrite sum_plus, <- IH. reflexivity.
Qed.
(* how many of 0 .. n-1 are below a, or lie in an interval *)
Lemma count_below n a : (0 <= a <= n)%Z -> sum n (fun i => if (i <? a)%Z then 1 else 0) = IZR a.
Proof.
  intros H. unfold sum.
  assert (G : forall m, (below m (fun i => if (Z.of_nat i <? a)%Z then 1 else 0) = IZR (Z.min (Z.of_nat m) a))).
  { induction m as [|m IH]; cbn [below]; [rewrite Z.min_l by lia; reflexivity|]. rewrite IH.
    destruct (Z.ltb_spec (Z.of_nat m) a); [rewrite !Z.min_l by lia; rewrite Nat2Z.inj_succ, succ_IZR; ring|].
    rewrite !Z.min_r by lia. ring. }
  rewrite G. f_equal. lia.
Qed.
Lemma count_within n a c : (0 <= a)%Z -> (0 <= c)%Z -> (a + c <= n)%Z ->
  sum n (fun i => if (a <=? i)%Z && (i <? a + c)%Z then 1 else 0) = IZR c.
Proof.
  intros A C N.
  replace (IZR c) with (IZR (a + c) + -1 * IZR a) by (rewrite plus_IZR; ring).
  rewrite <- (count_below n (a + c)), <- (count_below n a), <- sum_scal, <- sum_plus by lia.
  apply sum_ext. intros i _.
  destruct (Z.leb_spec a i), (Z.ltb_spec i (a + c)), (Z.ltb_spec i a); cbn [andb]; try lia; ring.
Qed.
Lemma count_one n i x : (0 <= i < n)%Z -> sum n (fun j => if (i =? j)%Z then x else 0) = x.
Proof.
  intros H. transitivity (x * 1); [|ring]. change 1 with (IZR 1). rewrite <- (count_within n i 1), <- sum_scal by lia.
  apply sum_ext. intros j _. destruct (Z.eqb_spec i j), (Z.leb_spec i j), (Z.ltb_spec j (i + 1)); cbn [andb]; try lia; ring.
Qed.
Lemma W_pos : (0 < W)%Z. Proof. unfold W. lia. Qed.
Lemma W_Rpos : 0 < IZR W. Proof. apply IZR_lt, W_pos. Qed.
Lemma truth_eqb b : (truth b =? 0)%Z = negb b. Proof. destruct b; reflexivity. Qed.
