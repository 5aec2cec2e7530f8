(* main FILE: reads the law of a plan and says whether the extracted checker accepts it. A file is lines of decimal
   integers with one blank between them:

     k num den p q d n          the arguments of Law.law_ok: terms, fraction below e^(p/q), epsilon p/q, cells, records
     x_1 … x_d : w_1 … w_r      one line per data set: its counts and its weights

   Exit codes: 0 accepted, 1 rejected, 2 not such a file. This file is not proved: it is read. *)

exception Malformed of int

(* The integers are those of Coq, made from their digits by its own operations. *)
let rec positive i =
  if i = 1 then Law.XH else if i land 1 = 0 then Law.XO (positive (i / 2)) else Law.XI (positive (i / 2))

let small i = if i = 0 then Law.Z0 else Law.Zpos (positive i)
let ten = small 10

let integer line word =
  if word = "" || (word <> "0" && word.[0] = '0') then raise (Malformed line);
  let step acc = function
    | '0' .. '9' as c -> Law.Z.add (Law.Z.mul ten acc) (small (Char.code c - Char.code '0'))
    | _ -> raise (Malformed line)
  in
  String.fold_left step Law.Z0 word

let natural line word = Law.Z.to_nat (integer line word)
let coq items = List.fold_right (fun a l -> Law.Cons (a, l)) items Law.Nil
let words text = String.split_on_char ' ' text

(* the words of a row before and after its colon *)
let row line text =
  let rec part x = function
    | ":" :: w -> Law.Pair (coq (List.rev x), coq (List.map (integer line) w))
    | a :: rest -> part (integer line a :: x) rest
    | [] -> raise (Malformed line)
  in
  part [] (words text)

let read file =
  let channel = open_in_bin file in
  let rec lines i acc =
    match input_line channel with
    | text -> lines (i + 1) (row i text :: acc)
    | exception End_of_file -> List.rev acc
  in
  match words (input_line channel) with
  | [ k; num; den; p; q; d; n ] ->
      let rows = lines 2 [] in
      let z = integer 1 and nat = natural 1 in
      let verdict = Law.law_ok (nat k) (z num) (z den) (z p) (z q) (nat d) (nat n) (coq rows) in
      (verdict, Printf.sprintf "%d data sets of %s records in %s cells, epsilon %s/%s" (List.length rows) n d p q)
  | _ -> raise (Malformed 1)
  | exception End_of_file -> raise (Malformed 1)

let () =
  if Array.length Sys.argv <> 2 then (
    prerr_endline "usage: check FILE";
    exit 2);
  match read Sys.argv.(1) with
  | Law.True, what -> print_endline ("accepted: " ^ what)
  | Law.False, what ->
      print_endline ("rejected: " ^ what);
      exit 1
  | exception Malformed line ->
      Printf.eprintf "line %d is not as expected\n" line;
      exit 2
  | exception Sys_error text ->
      prerr_endline text;
      exit 2
