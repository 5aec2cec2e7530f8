#!/usr/bin/env bash
# proofs.sh [record | plan DIR]: compiles the machine proofs in proofs/, all of them and from the start, compares every cited
# statement and the axioms that its proof uses with what proofs/statements keeps, and shows that mutants of the shipped
# numbers are rejected. record writes proofs/statements anew instead of comparing. plan DIR compiles a folder that
# "privbayes prove PLAN --out DIR" wrote, and nothing else.
#
# The checker of laws is also extracted as a program, which takes the laws that are too large for Coq.
#
# A number that moves by one unit and stays a true bound is accepted here. That the numbers and the syntax trees are those
# of the Go code, a test of Go says; it runs at the end, where there is Go.
#
# Coq comes from the Debian packages that proofs/packages.txt names, unpacked into build/coq: nothing is installed, and
# root is not needed.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
coq=$root/build/coq
work=$root/build/proofs
mode=${1:-check}
start=$EPOCHREALTIME

say() { printf 'proofs: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f s", b - a }'; }

# fetch downloads the pinned packages with whatever lists of packages there are, or else with lists of its own.
fetch() {
  local own=(-o "Dir::State::Lists=$coq/lists" -o "Dir::Cache=$coq/cache" -o APT::Sandbox::User=root) want
  want=$(sed -n 's/^\([a-z][^ ]*\) \([^ ]*\)$/\1=\2/p' proofs/packages.txt)
  mkdir -p "$coq/debs" "$coq/lists/partial" "$coq/cache/archives/partial"
  (
    cd "$coq/debs"
    # shellcheck disable=SC2086
    apt-get -o APT::Sandbox::User=root download -qq $want ||
      { apt-get "${own[@]}" update -qq && apt-get "${own[@]}" download -qq $want; }
  ) >"$coq/log" 2>&1 </dev/null || { tail -n 5 "$coq/log" >&2; die "Coq's packages could not be downloaded"; }
}

setup() {
  if ! cmp -s proofs/packages.txt "$coq/stamp"; then
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || die "needs Debian's apt-get and dpkg-deb"
    say "unpacking Coq into build/coq (660 MB)"
    rm -rf "$coq"
    fetch
    local d
    # of OCaml, the compiler and the standard library only
    local lib=./usr/lib/ocaml part
    part=(./usr/bin/ocamlopt.opt "$lib/*.cm[ix]" "$lib/stdlib.*a" "$lib/std_exit.*" "$lib/libasmrun.a")
    for d in "$coq"/debs/*.deb; do
      case $d in
      */ocaml_*) dpkg-deb --fsys-tarfile "$d" |
        tar -x -C "$coq/tree" --wildcards --no-wildcards-match-slash "${part[@]}" ;;
      *) dpkg-deb -x "$d" "$coq/tree" ;;
      esac
    done
    rm -rf "$coq/debs" "$coq/lists" "$coq/cache"
    lib=$coq/tree/usr/lib/ocaml
    printf 'destdir="%s"\npath="%s"\nstdlib="%s"\n' "$lib" "$lib" "$lib" >"$coq/findlib.conf"
    cp proofs/packages.txt "$coq/stamp"
    say "Coq unpacked: $(since "$start")"
  fi
  local lib=$coq/tree/usr/lib/ocaml
  export PATH=$coq/tree/usr/bin:$PATH COQLIB=$lib/coq COQCORELIB=$lib/coq-core OCAMLPATH=$lib
  export OCAMLFIND_CONF=$coq/findlib.conf CAML_LD_LIBRARY_PATH=$lib/stublibs
  flags=(-w -ambiguous-paths -Q lib PrivBayes -Q shipped PrivBayes.Shipped)
}

# gaps shows where a file leaves a proof out, or takes one for granted.
gaps() { grep -nwE 'Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|bypass_check' "$@"; }

# compile makes everything, two files at a time, from a fresh copy.
compile() {
  ! gaps proofs/lib/*.v proofs/shipped/*.v proofs/program/*.v || die "a proof is missing"
  rm -rf "$work"
  mkdir -p "$work/out"
  cp -r proofs/lib proofs/shipped "$work"
  cd "$work"
  find lib shipped -type f ! -name '*.v' -delete
  local files=(lib/*.v shipped/*.v)
  {
    printf 'all: %s\n' "${files[*]/%.v/.vo}"
    printf '%%.vo: %%.v\n\t@coqc %s $< >$<.log 2>&1 || { cat $<.log; exit 1; }\n' "${flags[*]}"
    coqdep "${flags[@]:2}" "${files[@]}"
  } >rules 2>coqdep.log || { cat coqdep.log >&2; die "coqdep failed"; }
  make -s -j2 -f rules all || die "a proof failed"
}

# state writes, for every cited theorem, its statement, the hash of the statement and the axioms of its proof. record looks
# for the axioms of each one. Else the theorems that are kept with the same axioms are looked at together: no proof of a
# group may use another axiom, and each of its axioms is used by one.
state() {
  local name query=$work/Query.v of=$root/proofs/statements group
  mkdir -p "$work/statements"
  while read -r name; do
    group=$name
    [ "$mode" = record ] || group=$(kept_axioms "$of/$name.txt" | sha256sum | cut -c1-16)
    printf '%s group_%s\n' "$name" "${group//./_}"
  done <"$of/cited.list" >groups
  {
    printf 'From Coq Require Import ZArith List Bool Reals.\nFrom Coquelicot Require Import Coquelicot.\n'
    printf 'Set Printing Width 118.\nImport ListNotations.\nOpen Scope Z_scope.\nOpen Scope R_scope.\n'
    while read -r name; do
      printf 'Require PrivBayes.%s.\nRedirect "out/%s.statement" Check @PrivBayes.%s.\n' "${name%.*}" "$name" "$name"
    done <"$of/cited.list"
    awk '{ t = "@PrivBayes." $1; of[$2] = of[$2] == "" ? t : "(" t ", " of[$2] ")" }
      END { for (g in of) printf "Definition %s := %s.\nRedirect \"out/%s\" Print Assumptions %s.\n", g, of[g], g, g }' groups
  } >"$query"
  coqc "${flags[@]}" "$query" >"$query.log" 2>&1 || { cat "$query.log" >&2; die "a cited theorem is missing"; }
  while read -r name group; do
    {
      printf 'theorem %s\nsha256 %s\n\n' "$name" "$(sha256sum <"out/$name.statement.out" | cut -d' ' -f1)"
      cat "out/$name.statement.out"
      printf '\naxioms\n'
      axioms "out/$group.out"
    } >"statements/$name.txt"
  done <groups
}

# kept_axioms shows the axioms with which a statement is kept.
kept_axioms() { sed '1,/^axioms$/d' "$1" 2>/dev/null || true; }

# earlier keeps the hashes of statements that are written anew, with what they assumed: files cite them.
earlier() {
  local name hash
  while read -r name; do
    hash=$(sed -n 's/^sha256 //p' "$root/proofs/statements/$name.txt" 2>/dev/null) || continue
    grep -qs "^sha256 $hash\$" "statements/$name.txt" || printf '%s %s%s\n' "$name" "$hash" "$(assumed "$name")"
  done < <(cd "$root/proofs/statements" && find . -name '*.txt' ! -name 'Shipped.*' -printf '%f\n' | sed 's/\.txt$//' | LC_ALL=C sort) |
    LC_ALL=C sort -u - "$root/proofs/statements/earlier.list" >earlier.list
  cp earlier.list "$root/proofs/statements/earlier.list"
}

# assumed shows the assumptions of a kept statement, as certificates print them.
assumed() {
  local of=$root/proofs/statements words
  kept_axioms "$of/$1.txt" | grep -qx '  none' || printf " the axioms of Coq's real numbers"
  words=$(grep "^$1: " "$of/assumes.list" | sed 's/^[^:]*: //') || return 0
  kept_axioms "$of/$1.txt" | grep -qx '  none' && printf ' %s' "$words" || printf '; %s' "$words"
}

# unlisted shows the axioms of kept statements that proofs/axioms.list does not name.
unlisted() {
  sed -sn '/^axioms$/,$s/^  //p' "$@" | grep -v '^none$' | sort -u | grep -vxFf "$root/proofs/axioms.list" || true
}

# axioms shows what the file that Print Assumptions wrote names.
axioms() {
  if grep -q '^Closed under' "$1"; then
    printf '  none\n'
  else
    sed -nE '/^Axioms:/d; s/^([^ ]+)( .*)?$/  \1/p' "$1" | LC_ALL=C sort
  fi
}

compare() {
  local unlisted
  unlisted=$(unlisted statements/*.txt)
  [ -z "$unlisted" ] || die "not in proofs/axioms.list: $unlisted"
  if [ "$mode" = record ]; then
    earlier
    find "$root/proofs/statements" -name '*.txt' -delete
    cp statements/*.txt "$root/proofs/statements/"
    say "proofs/statements written"
    return
  fi
  diff -r -x '*.list' "$root/proofs/statements" statements ||
    die "a statement or its axioms are not what proofs/statements keeps (scripts/proofs.sh record writes them)"
}

# program extracts the checker of laws as OCaml text, compiles it, and has it accept the laws that Coq does not evaluate.
program() {
  command -v gcc >/dev/null || die "the extracted checker needs gcc, by which OCaml links"
  mkdir -p program laws
  cp "$root"/proofs/program/*.v "$root"/proofs/program/*.ml program
  ! grep -nE 'Extract (Inlined )?(Constant|Inductive)|ExtrO|ExtrH' program/*.v || die "extraction replaces what is proved"
  (
    cd program
    coqc -Q ../lib PrivBayes Extract.v
    OCAMLLIB=$coq/tree/usr/lib/ocaml ocamlopt.opt -inline 100 law.mli law.ml main.ml -o check
  ) >program/log 2>&1 || { cat program/log >&2; die "the checker could not be extracted and compiled"; }
  ! grep -nE 'Obj\.magic|AXIOM' program/law.ml || die "the extracted text is not the function alone"
  local f name pids=()
  for f in "$root"/proofs/shipped/*.law.gz; do
    name=$(basename "$f" .law.gz)
    gzip -dc "$f" >"laws/$name"
    program/check "laws/$name" >"laws/$name.log" 2>&1 &
    pids+=($!)
  done
  for f in "${pids[@]}"; do wait "$f" || { cat laws/*.log >&2; die "a large law is not accepted"; }; done
  sed 's/^/proofs: extracted checker /' laws/*.log
  turned
}

# turned shows that the extracted checker rejects mutants of the large laws, and what is not a law.
turned() {
  local law how code
  for law in LawHellingerLarge LawMapLarge; do
    turn same "$law"
    cmp "laws/$law" "laws/same$law" || die "the unchanged law changes"
    for how in exponents missing swapped zero epsilon text; do
      turn "$how" "$law"
      ! cmp -s "laws/$law" "laws/$how$law" || die "no mutant: $how"
      code=0
      program/check "laws/$how$law" >laws/log 2>&1 || code=$?
      [ "$code" = "$([ "$how" = text ] && echo 2 || echo 1)" ] || { cat laws/log >&2; die "mutant of $law: $how"; }
    done
  done
  say "extracted checker rejects: exponents 1 % more, a data set missing, two laws swapped, the last weight 0," \
    "e^epsilon 1 % too large; refuses a letter"
}

# turn HOW LAW: a large law with that change.
turn() {
  awk -v how="$1" '
    function change(w,   a, n, i, out, top) {
      n = split(w, a, " ")
      for (i = 1; i <= n; i++) if (a[i] + 0 > top) top = a[i] + 0
      for (i = 1; i <= n; i++) out = out (i > 1 ? " " : "") sprintf("%.0f", top * exp(1.01 * log(a[i] / top)))
      return out
    }
    NR == 1 {
      if (how == "epsilon") { e = $2; sub(/^..../, "", e); $2 = substr($2, 1, 4) + 28 e }
      print
      next
    }
    { i = index($0, " : "); key[NR] = substr($0, 1, i + 2); w[NR] = substr($0, i + 3) }
    END {
      if (how == "swapped") { t = w[2]; w[2] = w[NR]; w[NR] = t }
      if (how == "zero") sub(/[0-9]+$/, "0", w[NR])
      if (how == "text") sub(/.$/, "x", w[NR])
      for (i = 2 + (how == "missing"); i <= NR; i++) print key[i] (how == "exponents" ? change(w[i]) : w[i])
    }' "laws/$2" >"laws/$1$2"
}

# rejected NAME FILE: the mutant FILE must fail, and because the checker says false. The tactics here show what it says.
rejected() {
  sed -i 's/vm_cast_no_check (eq_refl true)/vm_compute. reflexivity/' "$2"
  if coqc "${flags[@]}" "$2" >"$2.log" 2>&1; then die "mutant accepted: $1"; fi
  grep -q 'Unable to unify "true" with "false"\|Unable to unify "false" with "true"' "$2.log" ||
    { cat "$2.log" >&2; die "mutant failed for another reason: $1"; }
  say "mutant rejected: $1"
}

# mutate HOW FILE: a law file with a change in its rows: none (same), swapped, missing, weights (1 % more) or coins (1 % more).
mutate() {
  awk -v how="$1" '
    function change(w,   a, n, i, out, top) {
      n = split(w, a, /; */)
      for (i = 1; i <= n; i++) if (a[i] + 0 > top) top = a[i] + 0
      for (i = 1; i <= n; i++) {
        v = how == "coins" ? a[i] * 1.01 : top * exp(1.01 * log(a[i] / top))
        out = out (i > 1 ? "; " : "") sprintf("%.0f", v)
      }
      return out
    }
    /^\(\[[0-9; ]*\],$/ { rows++; key[rows] = $0; next }
    rows && !foot {
      line = $0; end = line ~ /\]\)\]\.$/; gsub(/^\[|\]\)(;|\]\.)$/, "", line); w[rows] = w[rows] line
      if (end) foot = 1
      next
    }
    foot { tail = tail $0 "\n"; next }
    { print }
    END {
      if (how == "swapped") { t = w[1]; w[1] = w[rows]; w[rows] = t }
      for (i = (how == "missing") + 1; i <= rows; i++)
        print key[i] "\n[" (how ~ /weights|coins/ ? change(w[i]) : w[i]) "])" (i < rows ? ";" : "].")
      printf "%s", tail
    }' "shipped/$2" >"mutants/$1$2"
}

mutants() {
  mkdir -p mutants
  mutate same LawHellinger.v
  cmp <(tr -d ' \n' <shipped/LawHellinger.v) <(tr -d ' \n' <mutants/sameLawHellinger.v) || die "the unchanged law changes"
  mutate weights LawHellinger.v
  rejected "the Hellinger law, exponents 1 % more" mutants/weightsLawHellinger.v
  mutate missing LawHellinger.v
  rejected "the Hellinger law, a data set missing" mutants/missingLawHellinger.v
  mutate swapped LawHellinger.v
  rejected "the Hellinger law, two laws swapped" mutants/swappedLawHellinger.v
  mutate weights LawMap.v
  rejected "the MAP law, exponents 1 % more" mutants/weightsLawMap.v
  mutate coins LawFlip.v
  rejected "permute-and-flip, exponents 1 % more" mutants/coinsLawFlip.v
  sed 's/ 142 93 = true/ 142 92 = true/' shipped/OddAlarm.v >mutants/OddAlarm.v
  rejected "odd(alarm) = 92 for 93" mutants/OddAlarm.v
  sed 's/(131521705282907, 49/(130206488230077, 49/' shipped/Sensitivities.v >mutants/Sensitivities.v
  rejected "a sensitivity 1 % less" mutants/Sensitivities.v
  sed 's/ 1 1 32 1 1 = true/ 1 1 31 1 1 = true/' shipped/PlanCounts.v >mutants/PlanCounts.v
  rejected "a plan with less noise" mutants/PlanCounts.v
  sed 's/ 3 1431655765 / 4 1431655765 /' shipped/PlanVisits.v >mutants/PlanVisits.v
  rejected "a plan with units of one row more" mutants/PlanVisits.v
  sed 's/ 5245231238747443 / 5297683551134917 /' shipped/PlanPosterior.v >mutants/PlanPosterior.v
  rejected "a plan at a rate 1 % more" mutants/PlanPosterior.v
  sed -E 's/(witness [0-9]+ )14 /\113 /' shipped/PlanParities.v >mutants/PlanParities.v
  rejected "a plan that counts a parity less" mutants/PlanParities.v
  sed -E '/^Definition exps/,/\]\.$/{s/, \(1, 1048576\), \(([0-9]+)/, (2, 1048576), (\1/}' shipped/Enclosures.v >mutants/Enclosures.v
  rejected "an enclosure of e^x at another x" mutants/Enclosures.v
  stated 's/q ^ K \* (1 - q)/q ^ S K * (1 - q)/' Partition "categories, delta of noise cut one higher"
  stated 's/(Z.of_nat K <? /(Z.of_nat K <=? /' Partition "categories, a release one lower"
  stated 's/(eps + ln (density/(ln (density/' Selection "selection at the level of what is accepted without its epsilon"
  stated 's/3 \* kappa/2 * kappa/g' Smooth "Theorem C at 2 kappa"
  stated 's/f b <= f a/f a <= f b/' PermuteFlip "permute-and-flip better also at what rises with the exponent"
  stated 's/INR (1 + outdegree k)/INR (outdegree k)/' NetworkDraw "a network's value without its own factor"
  stated 's/1 - (INR m - 1) \* eps/1 - INR m * eps/' NetworkDraw "a network's largest probability one state lower"
  stated 's/exp (INR num . INR den . INR k)/exp (INR num \/ INR den * INR k \/ 2)/' GeometricText \
    "the sampler's text at half of the level"
  stated 's/squared x y) . (2 \* (INR/squared x y) \/ (4 * (INR/' GaussianWhole "the Gaussian's text at half of the divergence"
  stated 's/exp (- eta) \* (exp (- (IZR z/exp eta * (exp (- (IZR z/' GaussianWhole "the Gaussian's text always above its normaliser"
  stated 's/<? 1 + z)%Z then 1/<? z)%Z then 1/' Categories "categories of any noise, one unit seen one higher"
  stated 's/(1 - (1 - d1) ^ k + delta)/(1 - (1 - d1) + delta)/' Categories "categories of any noise, one seen of k"
  stated 's/Rmin (1 - refused p) d +/Rmin (refused p) d +/' SelectionBeyond "selection by a profile, refused for accepted"
  stated 's/(E - y) + term/(E - 2 * y) + term/' SelectionBeyond "selection by a Rényi divergence, less of what is accepted"
  stated 's/a + c <= eps \* (1 + leeway)/a <= eps * (1 + leeway)/' Session "a charge that is not counted before it is admitted"
  stated 's/(INR (states j) - 1) \* eps j) . eps j/INR (states j) * eps j) \/ eps j/' NetworkDraw \
    "the range of a network's rows one state lower"
  text \
    's/(Lt (Var "lo") (Var "threshold"))/(Not (Lt (Var "threshold") (Var "lo")))/' UniformProgram \
    "Uniform with <= for <, which draws cannot show: one word of 2^64" \
    '0,/(Rem U64 (Var "k") (Num 2)) (Num 1)/s//(Rem U64 (Var "k") (Num 2)) (Num 0)/' BernoulliProgram \
    "bernoulliExpUnit, even for odd" \
    's/(Neg I64 (Var "y"))/(Var "y")/' GaussianProgram "DiscreteGaussian.Draw without the absolute value"
  rated 's/(Num 4) (Call "space_slack"/(Num 2) (Call "space_slack"/' "the rate with half of the charge"
  rated 's/(Call "num_Up" \[(Mul (Var "gamma") (Var "diameter"))\])/(Mul (Var "gamma") (Var "diameter"))/' \
    "Rho without a step up, which values do not show"
  text 's/(Lt (Var "v") (Num 4194304))/(Lt (Var "v") (Num 2097152))/' GeometricProgram "oneSided with a lower cut" \
    's/(Lt (Num 0) (Var "left"))/(Lt (Num 64) (Var "left"))/' WideProgram "uniformWide without its last word"
  text 's/(Mul U64 (Num 2) (Var "hi"))/(Var "hi")/' AcceptProgram "squared128 without the double of the product"
  holes
}

# stated HOW FILE NAME: with that change in what a file of theorems states, its proofs must fail.
stated() {
  sed "$1" "lib/$2.v" >"mutants/$2.v"
  ! cmp -s "lib/$2.v" "mutants/$2.v" || die "no mutant: $3"
  if coqc "${flags[@]}" "mutants/$2.v" >"mutants/$2.v.log" 2>&1; then die "mutant accepted: $3"; fi
  ! grep -q 'Syntax error\|was not found' "mutants/$2.v.log" || die "mutant failed for another reason: $3"
  say "mutant rejected: $3"
}

# programs are the proofs about the samplers' text, in an order in which they compile.
programs=(UniformProgram BernoulliProgram GeometricProgram AcceptProgram WideProgram GaussianProgram)

# text HOW PROOF NAME ...: with that change in one line of the syntax trees of the samplers, the proof about them must
# fail, and none of those that it needs. Proofs of one call need none of each other, so that those are compiled once.
text() {
  local of=$work/mutants/$2 f proofs
  local -A name=()
  local there=(-w -ambiguous-paths -Q "$of/lib" PrivBayes -Q "$of/shipped" PrivBayes.Shipped)
  mkdir -p "$of/shipped" "$of/lib"
  ln -sf "$work"/lib/*.vo "$of/lib/"
  for f in "${programs[@]}"; do rm -f "$of/lib/$f.vo"; done
  cp shipped/Samplers.v "$of/shipped/Samplers.v"
  for (( ; $#; )); do
    sed -i "$1" "$of/shipped/Samplers.v"
    name[$2]=$3
    [ "$(diff shipped/Samplers.v "$of/shipped/Samplers.v" | grep -c '^>')" = ${#name[@]} ] || die "no mutant of one line: $3"
    shift 3
  done
  proofs=$(IFS='|' && printf '%s' "${!name[*]}")
  coqc "${there[@]}" "$of/shipped/Samplers.v" >"$of/log" 2>&1 || { cat "$of/log" >&2; die "a mutant is no program: $proofs"; }
  for f in "${programs[@]}"; do
    grep -qE "^lib/($proofs)\.vo .* lib/$f\.vo?( |$)" rules || continue
    cp "lib/$f.v" "$of/lib/$f.v"
    if coqc "${there[@]}" "$of/lib/$f.v" >"$of/log" 2>&1; then
      [ -z "${name[$f]-}" ] || die "mutant accepted: ${name[$f]}"
      continue
    fi
    [ -n "${name[$f]-}" ] || { cat "$of/log" >&2; die "another proof fails: $f, of $proofs"; }
    ! grep -q 'Syntax error\|was not found' "$of/log" || die "mutant failed for another reason: ${name[$f]}"
    say "mutant rejected: ${name[$f]}"
    unset "name[$f]"
  done
  [ ${#name[@]} = 0 ] || die "no proof: ${!name[*]}"
}

# rated HOW NAME: with that change in one line of the syntax trees of the rate, the proof about it must fail.
rated() {
  local of=$work/mutants/Rates
  local there=(-w -ambiguous-paths -Q lib PrivBayes -Q "$of" PrivBayes.Shipped)
  mkdir -p "$of"
  sed "$1" shipped/Rates.v >"$of/Rates.v"
  [ "$(diff shipped/Rates.v "$of/Rates.v" | grep -c '^>')" = 1 ] || die "no mutant of one line: $2"
  coqc "${there[@]}" "$of/Rates.v" >"$of/log" 2>&1 || { cat "$of/log" >&2; die "a mutant is no program: $2"; }
  cp lib/RateFloat.v mutants/RateText.v
  if coqc "${there[@]}" mutants/RateText.v >"$of/log" 2>&1; then die "mutant accepted: $2"; fi
  ! grep -q 'Syntax error\|was not found' "$of/log" || die "mutant failed for another reason: $2"
  say "mutant rejected: $2"
}

# holes shows that a proof that is left out is seen, in the text and in what a theorem assumes.
holes() {
  printf 'Theorem t : 0 = 1.\nProof. Admitted.\n' >mutants/Left.v
  gaps mutants/Left.v >/dev/null || die "Admitted is not seen"
  printf 'Require Import ProofIrrelevance.\nTheorem t (P : Prop) (p q : P) : p = q.\n%s\n%s\n' \
    'Proof. apply proof_irrelevance. Qed.' 'Redirect "out/irrelevant" Print Assumptions t.' >mutants/Axiom.v
  ! gaps mutants/Axiom.v || die "the axiom of another library is seen in the text"
  coqc "${flags[@]}" mutants/Axiom.v >mutants/log 2>&1 || { cat mutants/log >&2; die "the mutant with an axiom fails"; }
  { printf 'axioms\n'; axioms out/irrelevant.out; } >mutants/axiom.txt
  unlisted mutants/axiom.txt | grep -q proof_irrelevance || die "an unlisted axiom is not seen"
  say "a proof left out and an unlisted axiom are seen"
}

# kept runs the test that the shipped files are what the Go code writes now.
kept() {
  local go
  go=$(command -v go || ls "$root/build/bin/go" 2>/dev/null) || { say "no Go here: that shipped/ is what it writes was not tested"; return 0; }
  (cd "$root/cmd/privbayes" && "$go" test -count=1 ./internal/coqexport/write) >keptlog 2>&1 ||
    { cat keptlog >&2; die "shipped/ is not what the Go code writes"; }
  say "shipped/ is what the Go code writes, by its test"
}

setup
if [ "$mode" = plan ]; then
  exec sh "${2:?the folder that privbayes prove wrote}/check.sh"
fi
t=$EPOCHREALTIME
compile
say "$(ls lib/*.v | wc -l) files of theorems and $(ls shipped/*.v | wc -l) of numbers compiled: $(since "$t")"
program >program.log 2>&1 & # beside what follows, which takes one processor
checker=$!
t=$EPOCHREALTIME
state
compare
say "$(ls statements | wc -l) statements and their axioms compared: $(since "$t")"
t=$EPOCHREALTIME
mutants
say "mutants: $(since "$t")"
wait "$checker" || { cat program.log >&2; die "the large laws, by the extracted checker"; }
cat program.log
kept
say "all: $(since "$start")"
