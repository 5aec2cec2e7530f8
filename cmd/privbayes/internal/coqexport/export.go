// Package coqexport writes the numbers of a plan as a folder that a proof assistant checks: an auditor who compiles it
// can reject a number without trusting this library's Go.
//
// What is written are the theorems and checkers of the folder proofs, the plan's own numbers with the statements that
// the checkers accept them, and a script that compiles all. No proof is found here: whether a statement is true is for
// the proof assistant to say. Nothing of a schema but numbers is written: names of columns and categories stay out.
package coqexport

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/proofs"
)

// Line says of one check of a plan's certificate what the folder has about it.
type Line struct {
	Statement string `json:"statement"`
	Theorem   string `json:"theorem,omitempty"` // in Plan.v
	Says      string `json:"says"`              // what it states, or why there is none
}

// Folder is what is written about a plan.
type Folder struct {
	Title   string `json:"title"`
	Lines   []Line `json:"checks"`
	Command string `json:"command"`
	parts   []part
	plan    []byte
}

// part is a piece of Plan.v: the files it requires, its text, its theorem.
type part struct {
	requires      []string
	text, theorem string
}

// NothingError says that no number of a plan has a machine proof.
type NothingError struct{ Mechanism, Level string }

func (e *NothingError) Error() string {
	return fmt.Sprintf("prove: no number of %s at %s is covered by a machine proof; want pure privacy by geometric, "+
		"k-norm or fourier noise on counts, by hellinger, or by map on one small table (proofs/README.md lists the theorems)",
		e.Mechanism, e.Level)
}

// Plan collects the numbers of a plan. Errors: *NothingError, or the context's.
func Plan(ctx context.Context, p *mechanism.Plan) (*Folder, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	f := &Folder{Title: p.Title() + ", " + p.Certified().String(), plan: raw}
	w := &writer{plan: p, folder: f}
	for _, k := range p.Certificate().All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.check(k); err != nil {
			return nil, err
		}
	}
	if len(f.parts) == 0 {
		return nil, &NothingError{p.Title(), p.Target().Parameters.String()}
	}
	return f, nil
}

// Table shows what the folder has about every check.
func (f *Folder) Table() *table.Table {
	t := table.New("Proof of "+f.Title, "check", "theorem in Plan.v", "what it says")
	for _, l := range f.Lines {
		t.Add(l.Statement, l.Theorem, l.Says)
	}
	return t.Note("Not covered by any of these: the random source, the path of the data, Go's compiler; and that the " +
		"plan is the one that was drawn from.").Note("To check it, with Coq 8.16 and its libraries: " + f.Command)
}

// String shows the table as text.
func (f *Folder) String() string { return table.Text(f) }

// writer goes through the checks of a plan.
type writer struct {
	plan   *mechanism.Plan
	folder *Folder
}

// check adds what is known about one check.
func (w *writer) check(k cert.Check) error {
	var p part
	var says string
	var err error
	switch k.Kind {
	case "geometric/pair", knormPair:
		p, says, err = w.counts(k)
	case "fourier/pair":
		p, says, err = w.parities(k)
	case "hellinger/global-interval":
		p, says, err = w.edge(k)
	case "hellinger/lipschitz-plus-interval":
		p, says, err = w.step(k)
	case "hellinger/theorem-1":
		p, says, err = w.rate(k)
	case "hellinger/pure-epsilon", "map-grid/loss":
		p, says, err = w.law(k)
	case "sensitivity/counts":
		says = "with the loss of the pair, where that has a theorem: what a row can change follows from the cells there"
	case "fourier/odd":
		says = "with the loss of the pair, where that has a theorem: order and witness are checked there"
	default:
		says = "no theorem"
	}
	if err != nil {
		return fmt.Errorf("prove: %s: %w", k.Kind, err)
	}
	if p.theorem == "" {
		w.folder.Lines = append(w.folder.Lines, Line{k.Statement, "", says})
		return nil
	}
	for _, known := range w.folder.parts { // tables with one prior and size
		if same := strings.ReplaceAll(p.text, p.theorem, known.theorem); same == known.text {
			w.folder.Lines = append(w.folder.Lines, Line{k.Statement, known.theorem, says})
			return nil
		}
	}
	w.folder.parts = append(w.folder.parts, p)
	w.folder.Lines = append(w.folder.Lines, Line{k.Statement, p.theorem, says})
	return nil
}

// name makes the name of a theorem, numbered from the second of its kind.
func (w *writer) name(kind string) string {
	n := 1
	for _, p := range w.folder.parts {
		if strings.HasPrefix(p.theorem, kind) {
			n++
		}
	}
	if n == 1 {
		return kind
	}
	return fmt.Sprintf("%s%d", kind, n)
}

// pure is the level of a target as a fraction; ok is false when it is no pure ε.
func pure(l dp.Parameters) (epsilon *big.Rat, ok bool) {
	if l.Notion != dp.Pure || !(float64(l.Epsilon) > 0) {
		return nil, false
	}
	return rational(float64(l.Epsilon)), true
}

// Text is Plan.v.
func (f *Folder) Text() string {
	requires := []string{}
	for _, p := range f.parts {
		requires = append(requires, p.requires...)
	}
	slices.Sort(requires)
	var b strings.Builder
	fmt.Fprintf(&b, "(* Written by privbayes prove: the numbers of the plan whose JSON has sha256\n   %x. *)\n"+
		"From Coq Require Import ZArith List Reals.\nFrom PrivBayes Require Import %s.\nImport ListNotations.\n"+
		"Open Scope Z_scope.\n", sha256.Sum256(f.plan), strings.Join(slices.Compact(requires), " "))
	for _, p := range f.parts {
		fmt.Fprintf(&b, "\n%s\nCheck %s.\nPrint Assumptions %[2]s.\n", p.text, p.theorem)
	}
	return b.String()
}

// Write makes a folder and writes Plan.v, the plan as JSON, the theorems and checkers that Plan.v needs, and check.sh,
// which compiles all. It fails with the file system's errors, and when the folder is there and not empty: what an
// auditor is given is written at once.
func (f *Folder) Write(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("prove: %s is not empty; want a new folder", safetext.File(dir))
	}
	files := map[string]string{"Plan.v": f.Text(), "plan.json": string(f.plan) + "\n"}
	var order []string
	for _, p := range f.parts {
		for _, r := range p.requires {
			if err := library(r, files, &order); err != nil {
				return err
			}
		}
	}
	files["check.sh"] = script(order)
	if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	f.Command = "sh " + filepath.ToSlash(filepath.Join(dir, "check.sh"))
	return nil
}

var required = regexp.MustCompile(`(?m)^From PrivBayes Require (?:Import )?([^.]*)\.`)

// library adds a file of the proofs after those that it requires.
func library(name string, files map[string]string, order *[]string) error {
	path := "lib/" + name + ".v"
	if _, done := files[path]; done {
		return nil
	}
	b, err := fs.ReadFile(proofs.Library(), name+".v")
	if err != nil {
		return err
	}
	files[path] = string(b)
	for _, m := range required.FindAllStringSubmatch(string(b), -1) {
		for _, r := range strings.Fields(m[1]) {
			if err := library(r, files, order); err != nil {
				return err
			}
		}
	}
	*order = append(*order, name)
	return nil
}

// script compiles the files in an order in which each finds those that it requires.
func script(order []string) string {
	return fmt.Sprintf(`#!/bin/sh
# Compiles the theorems, the checkers and the numbers of one plan from the start. It needs coqc 8.16 with Coquelicot,
# Flocq and Interval; in the repository of privbayes, "scripts/proofs.sh plan DIR" unpacks them and runs this.
set -eu
cd "$(dirname "$0")"
for f in %s; do
  coqc -q -w -ambiguous-paths -Q lib PrivBayes "lib/$f.v"
done
if coqc -q -w -ambiguous-paths -Q lib PrivBayes Plan.v; then
  echo "accepted: every theorem of Plan.v has a proof"
else
  echo "REJECTED: a number of Plan.v is not what its theorem needs"
  exit 1
fi
`, strings.Join(order, " "))
}

// width is where lists are broken.
const width = 118

// List writes a list of Coq, broken into lines.
func List(items []string) string {
	var b strings.Builder
	line := 1
	b.WriteByte('[')
	for i, s := range items {
		if i > 0 {
			b.WriteString("; ")
			line += 2
		}
		if line+len(s) > width {
			b.WriteByte('\n')
			line = 0
		}
		b.WriteString(s)
		line += len(s)
		if at := strings.LastIndexByte(s, '\n'); at >= 0 {
			line = len(s) - at
		}
	}
	b.WriteByte(']')
	return strings.ReplaceAll(b.String(), "; \n", ";\n")
}

// Numbers writes integers as a list.
func Numbers[T int | int64](v []T) string {
	items := make([]string, len(v))
	for i, n := range v {
		items[i] = fmt.Sprint(n)
	}
	return List(items)
}

// Fraction writes a float64 as the pair of integers that it is.
func Fraction(v float64) string {
	r := rational(v)
	return "(" + r.Num().String() + ", " + r.Denom().String() + ")"
}

// Dyadic writes a float64 as u and s of u/2^s.
func Dyadic(v float64) string {
	r := rational(v)
	return fmt.Sprintf("(%s, %d%%nat)", r.Num(), r.Denom().BitLen()-1)
}

// rational is a finite float64 as the fraction that it is.
func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// over writes a fraction as two arguments.
func over(r *big.Rat) string { return r.Num().String() + " " + r.Denom().String() }

// checked is a theorem that the kernel decides by computing.
func checked(name, statement string) string {
	return fmt.Sprintf("Theorem %s : %s = true.\nProof. vm_cast_no_check (eq_refl true). Qed.\n", name, statement)
}
