// Package prove writes the numbers of a plan as a folder that a proof assistant checks: an auditor who compiles it can
// reject a number without trusting this library's Go.
//
// What is written are the theorems and checkers of the folder proofs, the plan's own numbers with the statements that
// the checkers accept them, and a script that compiles all. No proof is found here: whether a statement is true is for
// the proof assistant to say. Nothing of a schema but numbers is written: names of columns and categories stay out.
//
// Place: above the mechanisms' common room; the command line and the kept files of the proofs use it.
package prove

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
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
		return nil, &NothingError{p.Title(), p.Target().Level.String()}
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
func pure(l dp.Level) (epsilon *big.Rat, ok bool) {
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
