package main

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/mapgrid"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// planner is a mechanism before it is calibrated.
type planner interface {
	Plan(ctx context.Context, sh *model.Shape, t dp.Target) (*mechanism.Plan, error)
}

// weighed draws from integer weights, flipped by coins.
type (
	weighed interface {
		Weights(x []int64) (*sample.Weights, error)
	}
	flipped interface {
		Coins(x []int64) (exponents []uint64, denominator uint64, err error)
	}
)

// law is a plan of a small shape, at an ε that is p/q.
type law struct {
	name, says string
	planner    planner
	alpha      []float64
	n          int
	p, q       int
	flips      bool // by coins, not by weights
}

var smallPlans = []law{
	{"Hellinger", "the Hellinger mechanism, DL(7,4,5), n = 6, epsilon = 1",
		hellinger.New(), []float64{7, 4, 5}, 6, 1, 1, false},
	{"HellingerHalf", "the Hellinger mechanism, DL(1/2,1/2,1/2), n = 5, epsilon = 1/2",
		hellinger.New(), []float64{.5, .5, .5}, 5, 1, 2, false},
	{"HellingerGlobal", "the Hellinger mechanism with its global sensitivity, DL(1,1,1,1), n = 3, epsilon = 2",
		hellinger.New().Global(), []float64{1, 1, 1, 1}, 3, 2, 1, false},
	{"Map", "MAP on the grid of eighths, DL(1,1,1), n = 5, epsilon = 1",
		mapgrid.New().WithGrid(8, 1), []float64{1, 1, 1}, 5, 1, 1, false},
	{"Flip", "permute-and-flip, DL(1,2,1), n = 5, epsilon = 1",
		hellinger.New().PermuteAndFlip(), []float64{1, 2, 1}, 5, 1, 1, true},
	{"FlipTwo", "permute-and-flip, DL(7,4), n = 12, epsilon = 1/2",
		hellinger.New().PermuteAndFlip(), []float64{7, 4}, 12, 1, 2, true},
}

// laws writes the integers that calibrated plans of small shapes draw from, for every data set.
func laws(ctx context.Context) ([]file, error) {
	var out []file
	for _, l := range smallPlans {
		f, err := l.file(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		out = append(out, f)
	}
	return out, nil
}

func (l law) file(ctx context.Context) (file, error) {
	d := len(l.alpha)
	levels := make([]string, d)
	for i := range levels {
		levels[i] = fmt.Sprint(i)
	}
	schema := &frame.Schema{Dataset: "small", Columns: []frame.Column{frame.Categorical("x", levels...)}}
	shape, err := model.NewShape(schema, model.Categorical("x").WithPrior(l.alpha...), l.n, true, "")
	if err != nil {
		return file{}, err
	}
	plan, err := l.planner.Plan(ctx, shape, dp.PureDP(float64(l.p)/float64(l.q)))
	if err != nil {
		return file{}, err
	}
	drawer, rows, unit := plan.Drawer(seal.Mine()), []string(nil), uint64(0)
	for i := range int(hellingersample.Count(int64(l.n), d)) {
		x, items := hellingersample.Unrank(i, int64(l.n), d), []string(nil)
		if l.flips {
			var coins []uint64
			coins, unit, err = drawer.(flipped).Coins(x)
			for _, c := range coins {
				items = append(items, fmt.Sprint(c))
			}
		} else {
			items, err = integers(drawer.(weighed), x)
		}
		if err != nil {
			return file{}, err
		}
		rows = append(rows, "("+numbers(x)+",\n"+list(items)+")")
	}
	return file{"Law" + l.name + ".v", l.text(rows, unit)}, nil
}

// integers are the weights at x over their greatest common power of two.
func integers(from weighed, x []int64) ([]string, error) {
	w, err := from.Weights(x)
	if err != nil {
		return nil, err
	}
	top := int32(0)
	for r := range w.Len() {
		k, _ := w.Dyadic(r)
		top = max(top, k)
	}
	items := make([]string, w.Len())
	for r := range items {
		k, m := w.Dyadic(r)
		items[r] = new(big.Int).Lsh(new(big.Int).SetUint64(m), uint(top-k)).String()
	}
	return items, nil
}

func (l law) text(rows []string, unit uint64) string {
	table := strings.Join(rows, ";\n")
	if unit > 0 {
		return fmt.Sprintf(`%sThe coins of a calibrated plan, in units of 1/%d, for every data set:
   %s. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import FlipCheck.
Import ListNotations.
Open Scope Z_scope.

Definition coins : list (list Z * list Z) := [
%s].
Theorem checked : flip_ok %d %d %d %d %d coins = true.
Proof. vm_compute. reflexivity. Qed.
Definition private := flip_private _ _ _ _ _ _ checked.
`, written, unit, l.says, table, unit, l.p, l.q, len(l.alpha), l.n)
	}
	return fmt.Sprintf(`%sThe weights that a calibrated plan draws from, for every data set:
   %s. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Law.
Import ListNotations.
Open Scope Z_scope.

Definition laws : list (list Z * list Z) := [
%s].
(* the fraction is just below e^epsilon *)
Theorem checked : law_ok 30 %s %d %d %d %d laws = true.
Proof. vm_compute. reflexivity. Qed.
Definition private := law_private _ _ _ _ _ _ _ _ checked.
`, written, l.says, table, expBelow(l.p, l.q), l.p, l.q, len(l.alpha), l.n)
}

// expBelow is a fraction just below e^(p/q), the partial sum of 31 terms of the series cut after 18 decimals.
func expBelow(p, q int) string {
	x, sum, term := big.NewRat(int64(p), int64(q)), big.NewRat(1, 1), big.NewRat(1, 1)
	for k := range int64(30) {
		term.Mul(term, x)
		term.Quo(term, big.NewRat(k+1, 1))
		sum.Add(sum, term)
	}
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	num := new(big.Int).Mul(sum.Num(), den)
	return num.Quo(num, sum.Denom()).String() + " " + den.String()
}
