package mechanism_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A contingency table is released as the column of its cells is, by every mechanism that takes that one, under every
// adjacency and for units of several rows: the same guarantee, the same numbers from one seed, the same shares.
// Parities and synthetic records are of the columns, so that theirs differ.
func TestTablesAreReleasedAsCategories(t *testing.T) {
	cells := []string{"v0, v0", "v0, v1", "v0, v2", "v1, v0", "v1, v1", "v1, v2"}
	data, released := [][]int64{{9, 14, 4, 0, 8, 5}}, 0
	for _, m := range mechanisms() {
		if m.Name() == "fourier" {
			continue
		}
		for i, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.ZCDP(.2).Under(dp.AddRemove),
			dp.ApproxDP(1, 1e-6).Under(dp.ReplaceValue), dp.PureDP(1), dp.ApproxDP(2, 1e-3).Under(dp.AddRemove)} {
			two, one := schema(1+i/4, 2, 3), schema(1+i/4)
			one.Columns = []frame.Column{frame.Categorical("cell", cells...)}
			var plans [2]*mechanism.Plan
			var errs [2]error
			for j, sh := range []*model.Shape{onSchema(t, one, model.Categorical("cell")),
				onSchema(t, two, model.ContingencyTable("c0", "c1"))} {
				plans[j], errs[j] = m.Plan(quick(t), sh, target)
			}
			what := fmt.Sprintf("%s, %v, units of %d", m.Title(), target, 1+i/4)
			if errs[0] != nil || errs[1] != nil {
				if reflect.TypeOf(errs[0]) != reflect.TypeOf(errs[1]) {
					t.Errorf("%s: %v, want a refusal as %v", what, errs[1], errs[0])
				}
				continue
			}
			if a, b := plans[0].Certified(), plans[1].Certified(); a != b {
				t.Errorf("%s: certified %v, want %v", what, b, a)
			}
			st := [2]*model.Statistics{}
			for j, p := range plans {
				var err error
				if st[j], err = model.FromCounts(p.Shape(), data); err != nil {
					t.Fatal(err)
				}
			}
			a, b := releaseOf(t, plans[0], st[0]), releaseOf(t, plans[1], st[1])
			same := reflect.DeepEqual(a.Raw(), b.Raw()) && reflect.DeepEqual(a.Real(), b.Real())
			if !same && m.Name() != dirichlet.RecordsKind {
				t.Errorf("%s: drew %v %v, want %v %v", what, b.Raw(), b.Real(), a.Raw(), a.Real())
			}
			x, y := a.Model().Means()[0], b.Model().Means()[0]
			if !slices.EqualFunc(x, y, func(p, q float64) bool { return math.Abs(p-q) <= 1e-12 }) {
				t.Errorf("%s: shares %v, want %v", what, y, x)
			}
			if l := b.Model().Target().Labels; !slices.Equal(l, cells) {
				t.Errorf("%s: cells %q", what, l)
			}
			if _, err := b.Synthesize(20, dp.Seeded(1)); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			want, _, _ := a.Intervals(t.Context(), .9)
			got, _, _ := b.Intervals(t.Context(), .9)
			for k, w := range want {
				if !reflect.DeepEqual(got[k].Interval, w.Interval) {
					t.Errorf("%s: interval %v of %s, want %v", what, got[k].Interval, got[k].Label, w.Interval)
				}
			}
			if len(want) > 0 && len(got) != len(want)+5 {
				t.Errorf("%s: %d intervals, want those of 6 cells and 5 levels", what, len(got))
			}
			released++
		}
	}
	if released < 60 {
		t.Errorf("%d releases of tables", released)
	}
}

func onSchema(t *testing.T, s *frame.Schema, m model.Model) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(s, m, 40, true, ""))(t)
}

// The loss of a table's counts, summed up over all that two data sets whose records differ by one unit may be moved by,
// and over all outputs, is at most the guarantee, and near it: for tables of 2 × 2 and 2 × 3, every adjacency and units
// of one and of two rows. With noise for half the counts it is not.
func TestTheGuaranteeOfTablesIsTheirLoss(t *testing.T) {
	for _, levels := range [][]int{{2, 2}, {2, 3}} {
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue} {
			for rows := 1; rows <= 2; rows++ {
				moves := moved(levels, adj, rows)
				for _, c := range []struct {
					m      mechanism.Mechanism
					target dp.Request
				}{{counts.Geometric(), dp.PureDP(1)}, {counts.Geometric(), dp.ApproxDP(1, 1e-3)},
					{counts.DiscreteGaussian(), dp.ApproxDP(1, 1e-3)}} {
					sh := onSchema(t, schema(rows, levels...), model.ContingencyTable("c0", "c1"))
					p := must.Get(c.m.Plan(quick(t), sh, c.target.Under(adj)))(t)
					half := c.target
					half.Parameters.Epsilon *= 2
					mutant := must.Get(c.m.Plan(quick(t), sh, half.Under(adj)))(t)
					what := fmt.Sprintf("%s of %v under %v, units of %d, %v", c.m.Title(), levels, adj, rows, c.target.Parameters)
					const slack = 1e-9 // of sums of 1e5 terms, and of outputs beyond the box
					delta := excessOf(t, p, moves, float64(c.target.Epsilon))
					if delta > c.target.Delta*(1+1e-6)+slack {
						t.Errorf("%s: δ = %.3g, want at most %.3g", what, delta, c.target.Delta)
					}
					if wrong := excessOf(t, mutant, moves, float64(c.target.Epsilon)); wrong <= c.target.Delta*(1+1e-6)+slack {
						t.Errorf("%s: too little noise is not seen: δ = %.3g", what, wrong)
					}
					if tight := excessOf(t, p, moves, .8*float64(c.target.Epsilon)); tight <= c.target.Delta {
						t.Errorf("%s: the guarantee is loose: δ = %.3g at .8ε", what, tight)
					}
				}
			}
		}
	}
}

// moved lists the differences of the tables of two neighbouring data sets, from the records of a unit: every record of
// it is replaced, comes, or has one value replaced.
func moved(levels []int, adj dp.Adjacency, rows int) [][]int64 {
	d := levels[0] * levels[1]
	var one [][]int64
	for a := range d {
		for b := range d {
			v := make([]int64, d)
			v[b]++
			if adj != dp.AddRemove {
				v[a]--
			}
			if adj == dp.ReplaceValue && a/levels[1] != b/levels[1] && a%levels[1] != b%levels[1] {
				continue
			}
			one = append(one, v)
		}
	}
	out := one
	for range rows - 1 {
		var next [][]int64
		for _, u := range out {
			for _, v := range one {
				sum := slices.Clone(u)
				for i := range sum {
					sum[i] += v[i]
				}
				next = append(next, sum)
			}
		}
		out = append(out, next...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(v []int64) bool { // differences alike but for their order lose the same
		slices.Sort(v)
		key := fmt.Sprint(v)
		was := seen[key]
		seen[key] = true
		return was
	})
}

// excessOf is the greatest δ = Σ (P − e^ε·Q)₊ over outputs, of tables that differ by one of the moves.
func excessOf(t *testing.T, p *mechanism.Plan, moves [][]int64, epsilon float64) (worst float64) {
	t.Helper()
	z, ok := p.Noise()
	if !ok {
		t.Fatal("no noise")
	}
	for _, v := range moves {
		lost := map[int64]float64{0: 1} // of the loss, in steps of 1e-9
		for _, shift := range v {
			if shift == 0 {
				continue
			}
			next, losses := map[int64]float64{}, lossOf(z, shift)
			for loss, q := range lost {
				for y, w := range losses {
					next[loss+y] += q * w
				}
			}
			lost = next
		}
		delta := 0.0
		for loss, q := range lost {
			delta += q * math.Max(0, -math.Expm1(epsilon-float64(loss)*1e-9))
		}
		worst = math.Max(worst, delta)
	}
	return worst
}

// lossOf is the distribution of log P(Z = y)/P(Z = y − shift) for y drawn from the noise.
func lossOf(z noise.Distribution, shift int64) map[int64]float64 {
	out, far := map[int64]float64{}, int64(12*noise.SD(z)+40)
	for y := -far; y <= far; y++ {
		loss := z.LogProb(y) - z.LogProb(y-shift)
		out[int64(math.Round(loss*1e9))] += math.Exp(z.LogProb(y))
	}
	return out
}
