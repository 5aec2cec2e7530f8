package structure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// numbersShape is a shape of a class and of columns of numbers with sums.
func numbersShape(t testing.TB, m model.LearnedModel, n, rows, numbers int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "numbers", RowsPerUnit: rows, Columns: []frame.Column{frame.Categorical("c", "a", "b")}}
	for i := range numbers {
		s.Columns = append(s.Columns, frame.Real(fmt.Sprint("x", i), 0, 1, 2.5, 8))
	}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

// numbersOf are statistics of rows of a class and the values of a column of numbers.
func numbersOf(t testing.TB, sh *model.Shape, values []float64) *model.Statistics {
	t.Helper()
	tally := must.Get(model.NewTally(access.Mine(), sh))(t)
	classes := frame.Codes{Levels: 2, U8: make([]uint8, len(values))}
	must.Do(t, tally.Block(len(values), []frame.Codes{classes, {}}, [][]float64{nil, values}))
	return must.Get(tally.Statistics(frame.Selection{}))(t)
}

type kindOfSums struct {
	mechanism Learning
	target    dp.Request
}

func kindsOfSums() (out []kindOfSums) {
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for _, l := range []dp.Request{dp.ZCDP(.1), dp.RenyiDP(8, .5), dp.ApproxDP(1, 1e-9)} {
			out = append(out, kindOfSums{DiscreteGaussian(), l.Under(adj)})
		}
		out = append(out, kindOfSums{Geometric(), dp.PureDP(1).Under(adj)}, kindOfSums{Geometric(), dp.ZCDP(.1).Under(adj)})
	}
	return out
}

// The certified loss with sums is at most the target and within 1e-4 of it, whatever is asked for; the sums of a column
// take 1 % of it, and those of eight columns 5 %.
func TestBudgetOfSums(t *testing.T) {
	for _, k := range kindsOfSums() {
		for _, numbers := range []int{1, 8} {
			sh := numbersShape(t, model.MaxEntropy().Size(5000).Always(), 5000, 1, numbers)
			p := must.Get(k.mechanism.Plan(t.Context(), sh, k.target))(t)
			first := p.Certificate().Checks[0]
			tight := 1 - 1e-4
			if k.target.Notion == dp.Approximate { // of δ
				tight = .9
			}
			if v, b := float64(first.Value), float64(first.Bound); v > b || v < b*tight {
				t.Errorf("%v: spends %v of %v", k.target, v, b)
			}
			q := must.Get(k.mechanism.prepare(t.Context(), sh, k.target))(t)
			each := math.Min(.01, .05/float64(numbers))
			rates, left := q.scaledWithin(.3)
			if len(rates) != numbers || math.Abs(left-.3*(1-each*float64(numbers))) > 1e-12 {
				t.Errorf("%d columns: %d rates, %v left of .3", numbers, len(rates), left)
			}
			pair, spent := q.withinPair(rates[0]), 0.0
			if spent = pair.ZCDP(); q.pure() {
				spent = pair.PureEpsilon()
			}
			if spent > .3*each*(1+1e-12) || spent < .3*each*(1-3e-2) {
				t.Errorf("%v: the sums of a column spend %v of %v", k.target, spent, .3*each)
			}
		}
	}
}

// A plan is refused where the sums of a column are charged as a count, the replacement of a row as one more row, a unit
// of two rows as one, or where sums are not centred, or have less noise.
func TestMutantsOfSumsGetNoPlan(t *testing.T) {
	right, rightBins := withinShift, withinBinsOf
	for name, mutate := range map[string]func(t *testing.T){
		"none":    func(*testing.T) {},
		"a count": func(t *testing.T) { put(t, &withinShift, func(q *problem) int { return q.changed(2) * q.rows }) },
		"replace-one as add-remove": func(t *testing.T) {
			put(t, &withinShift, func(q *problem) int { return model.BinSteps / 2 * q.rows })
		},
		"two rows as one": func(t *testing.T) {
			put(t, &withinShift, func(q *problem) int { return right(q) / q.rows })
		},
		"not centred": func(t *testing.T) {
			put(t, &withinBinsOf, func(values []float64, steps int) (sums [2]int64) {
				sums = rightBins(values, steps)
				for _, v := range values {
					sums[int(math.Min(v, 1))] += int64(steps / 2)
				}
				return sums
			})
		},
		"less noise": func(t *testing.T) {
			put(t, &noiseLaw, func(l noise.Distribution, _ int64) noise.Distribution {
				if g, ok := l.(noise.Gaussian); ok {
					return must.Get(gaussian.Of(noise.Dyadic(g.Sigma2()/2, 20, true)))(t)
				}
				r := l.(noise.Geometric).Parameter()
				return must.Get(geometric.Of(noise.Rational{Num: 2 * r.Num, Den: r.Den}))(t)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			mutate(t)
			for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
				for _, m := range []Learning{Geometric(), DiscreteGaussian()} {
					q := &problem{noise: m.noise, rows: 2, within: []int{0}, target: dp.ZCDP(1).Under(adj)}
					checks, err := q.withinChecks(t.Context(), params{Within: []noise.Rational{tenth}})
					must.Do(t, err)
					fails := slices.ContainsFunc(checks, func(c cert.Check) bool { return !(c.Value <= c.Bound) })
					want := name != "none" && !(name == "replace-one as add-remove" && adj == dp.AddRemove)
					if fails != want {
						t.Errorf("%s noise, %s: a check fails: %v, want %v", m.noise.name, adj, fails, want)
					}
				}
			}
		})
	}
	// and so is the plan as a whole
	put(t, &withinShift, func(*problem) int { return 1 })
	_, err := Geometric().Plan(t.Context(), numbersShape(t, model.Tree().Always(), 200, 1, 1), dp.PureDP(1))
	var failed *mechanism.CheckError
	if !errors.As(err, &failed) {
		t.Errorf("a plan that charges sums as counts: %v", err)
	}
}

// The pair of a column's sums dominates the noise as drawn at every split of the shift over two sums: its profile is
// nowhere below theirs, computed from the probabilities, and at one sum of geometric noise within 1e-3 of it.
func TestPairOfSumsDominates(t *testing.T) {
	profile := func(l noise.Distribution, a, b, reach int64, eps float64) (sum float64) {
		moved := func(move int64) (p []float64) {
			for y := -reach; y <= reach; y++ {
				p = append(p, math.Exp(l.LogProb(y-move)))
			}
			return p
		}
		still, first, second := moved(0), moved(a), moved(b)
		for i, p := range still {
			if b == 0 {
				sum += math.Max(0, p-math.Exp(eps)*first[i])
				continue
			}
			for j, q := range still {
				sum += math.Max(0, p*q-math.Exp(eps)*first[i]*second[j])
			}
		}
		return sum
	}
	// s = 100 steps of geometric noise on the lattice of 2, as s = 500 is on that of 10
	fine := noise.Rational{Num: 1, Den: 64}
	l := must.Get(geometric.Of(fine))(t)
	coarser := loss.ShiftedGeometricPair{Rate: 2 * fine.Float(), Shift: coarse, Cells: 1}
	for _, eps := range []float64{0, .1, .5, 1, 1.4} {
		exact := profile(l, 100, 0, 4000, eps)
		if got := coarser.Delta(eps); got < exact*(1-1e-9) || got > exact*(1+1e-3)+1e-4 {
			t.Errorf("geometric noise, ε = %v: %v for %v", eps, got, exact)
		}
		if split := profile(l, 60, 40, 700, eps); coarser.Delta(eps) < split*(1-1e-4)-1e-4 {
			t.Errorf("geometric noise on two sums, ε = %v: %v below %v", eps, coarser.Delta(eps), split)
		}
	}
	put(t, &withinShift, func(*problem) int { return 5 })
	q, sigma2 := &problem{noise: gaussian}, noise.Rational{Num: 40, Den: 1}
	g := must.Get(gaussian.Of(sigma2))(t)
	for _, eps := range []float64{0, .1, .5, 1, 2} {
		for _, move := range [][2]int64{{5, 0}, {3, 4}, {1, 4}, {2, 2}} {
			if got, exact := q.withinPair(sigma2).Delta(eps), profile(g, move[0], move[1], 90, eps); got < exact*(1-1e-12) {
				t.Errorf("Gaussian noise, sums moved by %v, ε = %v: %v below %v", move, eps, got, exact)
			}
		}
	}
}

// Neighbouring tables in lockstep: with the same noise the noisy sums differ by what the rows add to them and by
// nothing else, by at most the sensitivity, under one plan. Sums of another layout are refused in a file.
func TestSumsInLockstep(t *testing.T) {
	for _, k := range kindsOfSums() {
		sh := numbersShape(t, model.Tree().Always(), 4, 1, 1)
		x, y := []float64{.25, 1, 2, 8}, []float64{.25, 1, 2, 0}
		p := must.Get(k.mechanism.Plan(t.Context(), sh, k.target))(t)
		d := p.Sampler(access.Mine())
		var drawn [2]mechanism.Output
		for i, values := range [][]float64{x, y} {
			drawn[i] = must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), numbersOf(t, sh, values)), dp.Seeded(5)))(t)
		}
		var moved []int64
		for b := range drawn[0].Within[0] {
			moved = append(moved, drawn[0].Within[0][b]-drawn[1].Within[0][b])
		}
		if !slices.Equal(moved, []int64{500, 0, 500}) {
			t.Errorf("%v: 8 in place of 0 moves the sums by %v", k.target, moved)
		}
		must.Get(d.Estimate(t.Context(), drawn[0]))(t)
		for _, bad := range [][][]int64{nil, {{1, 2}}, {{1, 2, 3}, {1, 2, 3}}} {
			forged := drawn[0]
			forged.Within = bad
			var refused *dp.ParameterError
			if _, err := d.Estimate(t.Context(), forged); !errors.As(err, &refused) {
				t.Errorf("sums %v of a file: %v", bad, err)
			}
		}
	}
}
