// Command write writes what this module computes as files that the proofs in proofs/ check: the odd parity counts of
// networks, the sensitivities of the Hellinger score, enclosures of exp and log, the integers that calibrated plans
// draw from, and what the command prove writes of some plans.
//
//	go run ./cmd/privbayes/internal/coqexport/write [DIR]
//
// DIR is proofs/shipped unless another is named. A file holds numbers and the statement about them; whether it is true
// is for the proof assistant to say (make proofs). Distributions that are too large for it are files of numbers alone,
// which the program extracted from its checker reads. The test of this package, which needs no proof assistant, fails
// when a file in proofs/shipped is not what would be written now.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/coqexport"
	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/coqexport/gosyntax"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// dir is where the files are kept, from the root of the checkout.
const dir = "proofs/shipped"

// file is a file to write: its name and its text.
type file struct{ name, text string }

// compressed ends the names of laws for the extracted checker, which are kept under gzip.
const compressed = ".law.gz"

// bytes are what is kept on disk.
func (f file) bytes() ([]byte, error) {
	if !strings.HasSuffix(f.name, compressed) {
		return []byte(f.text), nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = z.Write([]byte(f.text)); err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

func main() {
	to := dir
	if len(os.Args) > 1 {
		to = os.Args[1]
	}
	files, err := all(context.Background(), ".")
	for _, f := range files {
		var b []byte
		if err == nil {
			b, err = f.bytes()
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, f.name), b, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

// all makes every file. root is the checkout.
func all(ctx context.Context, root string) ([]file, error) {
	odds, err := odd(root)
	if err != nil {
		return nil, err
	}
	edges, err := edges()
	if err != nil {
		return nil, err
	}
	enclosures, err := enclosures()
	if err != nil {
		return nil, err
	}
	laws, err := laws(ctx)
	if err != nil {
		return nil, err
	}
	plans, err := plans(ctx)
	if err != nil {
		return nil, err
	}
	samplers, err := samplers(root)
	if err != nil {
		return nil, err
	}
	rates, err := rates(root)
	return slices.Concat(odds, []file{edges, enclosures, samplers, rates}, laws, plans), err
}

// proved are the functions of the samplers whose text is proved about, in an order in which they call each other.
var proved = []string{"Uniform", "bernoulliExpUnit", "BernoulliExp", "TwoSidedGeometric.oneSided",
	"TwoSidedGeometric.Draw", "squared128", "wide.isWord", "wide.less", "wide.plus", "wide.minus", "wide.appended",
	"wide.bitLen", "uniformWide", "bernoulliExpWide", "DiscreteGaussian.exponent", "DiscreteGaussian.accept",
	"DiscreteGaussian.scale", "DiscreteGaussian.Draw"}

// samplers writes the syntax trees of the integer samplers, from the Go text of their whole package: any of its files
// could give a name another meaning.
func samplers(root string) (file, error) {
	sources, err := sources(root, "internal/sample")
	if err != nil {
		return file{}, err
	}
	text, err := gosyntax.Functions(sources, proved...)
	return file{"Samplers.v", written + `The integer samplers: syntax trees of
   the Go text of package sample, node by node. A call of a method is one of a function of the fields; the source of
   random words is no argument. *)
From Coq Require Import ZArith String List.
From PrivBayes Require Import GoProgram.
Import ListNotations.
Open Scope string_scope.
` + text}, err
}

// rates writes the syntax trees of what computes the rate of a Hellinger plan, of three packages, in an order in which
// they call each other.
func rates(root string) (file, error) {
	var all strings.Builder
	for _, from := range []struct {
		folder string
		names  []string
	}{
		{"internal/num", []string{"Up"}},
		{"internal/hellinger", []string{"Rho"}},
		{"privbayes/mechanism/hellinger", []string{"space.rho", "theorem1"}},
	} {
		sources, err := sources(root, from.folder)
		if err != nil {
			return file{}, err
		}
		text, err := gosyntax.Floats(sources, from.names...)
		if err != nil {
			return file{}, err
		}
		all.WriteString(text)
	}
	return file{"Rates.v", written + `What computes the rate of a Hellinger plan:
   syntax trees of Go text in float64, node by node. A call of a method has no receiver, which is always that of the
   function itself. *)
From Coq Require Import ZArith String List.
From PrivBayes Require Import FloatProgram.
Import ListNotations.
Open Scope string_scope.
` + all.String()}, nil
}

// sources are the files of a package by name, without its tests.
func sources(root, folder string) (map[string]string, error) {
	out := map[string]string{}
	names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out[filepath.Base(name)] = string(b)
	}
	return out, err
}

// written heads every file.
const written = "(* Written by go run ./cmd/privbayes/internal/coqexport/write; do not edit. "

// odd writes odd(N), the elimination order and the witness of every network with its variables taken as binary: the
// embedded ones, two larger ones, and random ones.
func odd(root string) ([]file, error) {
	var out []file
	for _, name := range data.NetworkNames() {
		r, err := data.Network(name)
		if err != nil {
			return nil, err
		}
		f, err := networkFile(name, r)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	for _, name := range []string{"child", "alarm"} {
		b, err := os.ReadFile(filepath.Join(root, "data/testdata/networks", name+".bif"))
		if err != nil {
			return nil, err
		}
		f, err := networkFile(name, bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	var random strings.Builder
	src := rand.New(rand.NewPCG(21, 7))
	for i := range 20 {
		theorem, err := oddTheorem(fmt.Sprintf("random%d", i), randomNetwork(src, 4+i/2))
		if err != nil {
			return nil, err
		}
		random.WriteString(theorem)
	}
	return append(out, oddFile("random", random.String())), nil
}

func networkFile(name string, r io.Reader) (file, error) {
	dag, _, err := bayesnet.ReadBIF(r)
	if err != nil {
		return file{}, err
	}
	theorem, err := oddTheorem(name, families(dag))
	return oddFile(name, theorem), err
}

func oddFile(name, theorems string) file {
	return file{"Odd" + strings.ToUpper(name[:1]) + name[1:] + ".v", written +
		`The families of a network of binary variables
   and what Spectrum.OddSensitivity says of their parities: one record changes at most so many of them, and a
   difference of records, the witness, attains it. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Elimination Families.
Import ListNotations.
` + theorems}
}

// families are a node and its parents, in increasing order.
func families(dag *bayesnet.DAG) [][]int {
	out := make([][]int, dag.Len())
	for v := range out {
		out[v] = dag.Family(v)
		slices.Sort(out[v])
	}
	return out
}

// randomNetwork gives every variable up to three parents among those before it.
func randomNetwork(src *rand.Rand, variables int) [][]int {
	out := make([][]int, variables)
	for v := range out {
		out[v] = append(src.Perm(v)[:min(v, src.IntN(4))], v)
		slices.Sort(out[v])
	}
	return out
}

func oddTheorem(name string, families [][]int) (string, error) {
	o, exact, err := coqexport.NewOdd(families, len(families))
	if err != nil || !exact {
		return "", fmt.Errorf("%s: exact = %t: %w", name, exact, err)
	}
	return fmt.Sprintf("\n%[2]sTheorem %[1]s_checked : odd_ok %[3]s = true.\n"+
		"Proof. vm_cast_no_check (eq_refl true). Qed.\nDefinition %[1]s_odd := odd_sound _ _ _ _ _ %[1]s_checked.\n",
		name, o.Definitions(name+"_"), o.Arguments(name+"_")), nil
}

// priors are the grid: every value is a float64, a rational with a power of two below.
var priors = [][]float64{
	{1, 1, 1}, {.5, .5, .5}, {7, 4, 5}, {1. / 3, 1. / 3, 1. / 3}, {.1, .2, .3}, {1, 2, 3, 4}, {.01, 1, 100},
	{.25, .25, .25, .25}, {12.5, 3.75, 8}, {1000, 2000, 1500}, {50, .5, 5},
}

// edges writes the float64 that bound the global sensitivity of the Hellinger score and the constant γ⁺ of its local
// one, for every prior of the grid; with three cells or more neither depends on the number of records.
func edges() (file, error) {
	var global, step []string
	for _, alpha := range priors {
		s, err := hellinger.New(alpha, 100)
		if err != nil {
			return file{}, err
		}
		cells, least := make([]string, len(alpha)), alpha[0]
		for i, a := range alpha {
			cells[i] = coqexport.Fraction(a)
			least = min(least, a)
		}
		global = append(global, "("+coqexport.List(cells)+", "+coqexport.Dyadic(s.GlobalUpper())+")")
		step = append(step, "("+coqexport.Fraction(least)+", "+coqexport.Dyadic(s.GammaPlusUpper())+")")
	}
	return file{"Sensitivities.v", written + `For every prior of a grid, the numbers u/2^s that
   the Hellinger mechanism takes for the global sensitivity and for gamma+. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import EdgePrior StepCheck.
Import ListNotations.
Open Scope Z_scope.

Definition global : list (list (Z * Z) * (Z * nat)) := [
` + strings.Join(global, ";\n") + `].
Definition step : list ((Z * Z) * (Z * nat)) := [
` + strings.Join(step, ";\n") + `].
Theorem global_checked : forallb (fun e => prior_ok 120 (fst e) (fst (snd e)) (snd (snd e))) global = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem step_checked :
  forallb (fun e => step_ok 400 128 (fst (fst e)) (snd (fst e)) (fst (snd e)) (snd (snd e))) step = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
`}, nil
}

// enclosures writes intervals of the exponential function and the logarithm, which interval checks of certificates are
// made of, at float64 arguments of all sizes that certificates meet.
func enclosures() (file, error) {
	var exps, logs []string
	add := func(list *[]string, x float64, i num.Interval, terms, pieces int) error {
		if !(i.Lo > 0 && i.Lo < i.Hi) || math.IsInf(i.Hi, 0) {
			return fmt.Errorf("no enclosure at %v: %v", x, i)
		}
		*list = append(*list, fmt.Sprintf("(%d%%nat, %d%%nat, %s, %s, %s)", terms, pieces, coqexport.Fraction(x),
			coqexport.Fraction(i.Lo), coqexport.Fraction(i.Hi)))
		return nil
	}
	for _, x := range []float64{0x1p-20, .001, .1, .25, .5, math.Log(2), 1, 1.5, 2, math.Pi, 5, 8.25} {
		if err := add(&exps, x, num.Point(x).Exp(), 40+int(6*x), int(x)+1); err != nil {
			return file{}, err
		}
	}
	for _, y := range []float64{1 + 0x1p-20, 1.001, 1.1, 1.5, 2, math.E, 3, 7, 10, 100, 12345.678} {
		i := num.Point(y).Log()
		if err := add(&logs, y, i, 40+int(6*i.Hi), int(i.Hi)+1); err != nil {
			return file{}, err
		}
	}
	return file{"Enclosures.v", written + `Enclosures of e^x and of ln y in float64,
   at float64 arguments: how many terms of the series and how many factors decide, the argument, the two ends. *)
From Coq Require Import ZArith List Reals.
From PrivBayes Require Import ExpEnclosure.
Import ListNotations.
Open Scope Z_scope.

Definition exps : list (nat * nat * (Z * Z) * (Z * Z) * (Z * Z)) := [
` + strings.Join(exps, ";\n") + `].
Definition logs : list (nat * nat * (Z * Z) * (Z * Z) * (Z * Z)) := [
` + strings.Join(logs, ";\n") + `].
Theorem exps_checked : forallb (fun '(k, m, x, lo, hi) => exp_enclosed k 10 m x lo hi) exps = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem logs_checked : forallb (fun '(k, m, y, lo, hi) => log_enclosed k 10 m y lo hi) logs = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem exps_enclosed k m x lo hi : In (k, m, x, lo, hi) exps -> (value lo <= exp (value x) <= value hi)%R.
Proof.
  intros H. pose proof (proj1 (forallb_forall _ _) exps_checked _ H) as C. exact (exp_enclosed_sound _ _ _ _ _ _ C).
Qed.
Theorem logs_enclosed k m y lo hi : In (k, m, y, lo, hi) logs -> (value lo <= ln (value y) <= value hi)%R.
Proof.
  intros H. pose proof (proj1 (forallb_forall _ _) logs_checked _ H) as C. exact (log_enclosed_sound _ _ _ _ _ _ C).
Qed.
`}, nil
}
