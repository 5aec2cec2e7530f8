package counts

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// keyed is a table of units with up to four rows.
func keyed(t testing.TB, pad bool, m model.Model, keys, a, b []string) (*frame.Frame, *model.Shape) {
	t.Helper()
	s := &frame.Schema{Dataset: "visits", UnitKey: "who", RowsPerUnit: 4, PadUnits: pad,
		Columns: []frame.Column{frame.Categorical("a", "0", "1", "2"), frame.Categorical("b", "0", "1")}}
	for i := range s.Columns {
		s.Columns[i].Pad = "0"
	}
	f := must.Get(frame.FromColumns(s, map[string]any{"who": keys, "a": a, "b": b}))(t)
	n, public := f.PublicN()
	sh := must.Get(model.NewShape(s, m, n, public, f.PrivateNStep()))(t)
	return f, sh
}

// What a unit of up to k rows on d cells changes, by enumeration: (D, E − D) by k² where it comes or goes; where it is
// replaced by 12, 20 and 24 for (k, d) = (3, 3), (4, 3) and (4, 4), so that D alone is released there; what it changes
// by is momentChange, no more and no less.
func TestUnitsChangeMoments(t *testing.T) {
	for _, c := range []struct{ k, d, pair int }{{2, 2, 4}, {3, 3, 12}, {4, 2, 16}, {4, 3, 20}, {4, 4, 24}} {
		one := noise.Rational{Num: 1, Den: 1}
		p := unitParams{Noise: one, Units: one, Cells: c.d, Measured: c.d, Changed: 1, Rows: c.k, Adjacency: dp.AddRemove}
		var moments, alone [][]int64
		for _, u := range p.units() {
			moments = append(moments, u[c.d:])
		}
		p.Measured = 0
		if got, _ := p.farthest(moments); got != float64(c.k*c.k) {
			t.Errorf("k = %d, d = %d: comes or goes: %v", c.k, c.d, got)
		}
		p.Adjacency, p.Measured = dp.ReplaceOne, c.d
		for _, u := range p.units() {
			alone = append(alone, u[c.d:])
		}
		p.Measured = 0
		if got, _ := p.farthest(moments); got != float64(c.pair) {
			t.Errorf("k = %d, d = %d: replaced: %v; want %d", c.k, c.d, got, c.pair)
		}
		if got, _ := p.farthest(alone); got != float64(momentChange(c.k, c.d, true)) || len(alone[0]) != 1 {
			t.Errorf("k = %d, d = %d: D of a unit that is replaced: %v", c.k, c.d, got)
		}
	}
}

// Plans by unit spend the target and no more, for every notion and adjacency, 15 % of it on the moments; they are
// planned again from their parameters, and parameters that spend more are rejected.
func TestPlansByUnit(t *testing.T) {
	src := dp.Seeded(3)
	var keys, a, b []string
	for i := range 300 {
		keys, a = append(keys, strconv.Itoa(i/3)), append(a, strconv.Itoa(i%3))
		b = append(b, strconv.Itoa(int(sample.Uniform(src, 2))))
	}
	for _, m := range []model.Model{model.Binary("b"), model.Categorical("a"), model.ContingencyTable("a", "b")} {
		for _, target := range []dp.Request{dp.PureDP(1), dp.ZCDP(.1), dp.ApproxDP(.5, 1e-6), dp.RenyiDP(4, .5)} {
			for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
				f, sh := keyed(t, adj == dp.ReplaceOne, m, keys, a, b)
				target := target.Under(adj)
				p, err := Geometric().ByUnit().Plan(t.Context(), sh, target)
				if err != nil {
					t.Fatal(m, target, err)
				}
				allowed := float64(loss.Allowed(target.Parameters))
				if got := loss.Spent(p.Pair(), target.Parameters); !p.Certificate().OK() || got > allowed || got < .99*allowed {
					t.Errorf("%v, %v: spends %v of %v", m, target, got, allowed)
				}
				st := must.Get(model.Count(p.Shape(), f))(t)
				drawn := must.Get(p.Draw(t.Context(), st, "id", src))(t)
				family := Geometric().mathematics()
				q := must.Get(family.Read(p.Params()))(t)
				again := must.Get(family.Of(q))(t)
				rebuilt := must.Get(again.Rebuild(t.Context(), sh, target, q))(t)
				list, _, ok, err := rebuilt.Intervals(t.Context(), drawn, .95)
				if err != nil || !ok || !(list[0].Population.Lower < list[0].Population.Upper) {
					t.Errorf("%v, %v: %+v, %v", m, target, list, err)
				}
				if _, err := rebuilt.Estimate(t.Context(), drawn); err != nil {
					t.Error(err)
				}
				change := momentChange(4, sh.Tables()[0].Cells(), adj == dp.ReplaceOne)
				if share := q.Units.Float() * float64(change) / rebuilt.Pair().PureEpsilon(); target.Notion == dp.Pure &&
					math.Abs(share-.15) > 1e-6 {
					t.Errorf("%v: the moments have %v of the loss", target, share)
				}
				more := noise.Rational{Num: 2 * q.Units.Num, Den: q.Units.Den}
				q.Units = &more
				if _, err := again.Rebuild(t.Context(), sh, target, q); err == nil {
					t.Errorf("%v, %v: moments with half the noise", m, target)
				}
			}
		}
	}
}

// Moments are refused of what has none, and of statistics that do not know the units.
func TestByUnitRefusals(t *testing.T) {
	var unsupported *mechanism.UnsupportedError
	_, sh := keyed(t, false, model.Categorical("a"), []string{"x"}, []string{"0"}, []string{"1"})
	target := dp.PureDP(1).Under(dp.AddRemove)
	refused := map[string]error{}
	_, refused["Gaussian"] = DiscreteGaussian().ByUnit().Plan(t.Context(), sh, dp.ZCDP(1).Under(dp.AddRemove))
	_, refused["Laplace"] = Laplace().ByUnit().Plan(t.Context(), sh, target)
	_, refused["no key"] = Geometric().ByUnit().Plan(t.Context(), unitShape(t, model.Categorical("c0"), 4, 3), target)
	_, bayes := keyed(t, false, model.NaiveBayes("a", "b"), []string{"x"}, []string{"0"}, []string{"1"})
	_, refused["naive Bayes"] = Geometric().ByUnit().Plan(t.Context(), bayes, target)
	for name, err := range refused {
		if !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := must.Get(Geometric().ByUnit().Plan(t.Context(), sh, target))(t)
	st := must.Get(model.FromCounts(p.Shape(), [][]int64{{1, 2, 3}}))(t)
	var other *mechanism.StatisticsError
	if _, err := p.Draw(t.Context(), st, "id", dp.Seeded(1)); !errors.As(err, &other) {
		t.Errorf("counts without their units: %v", err)
	}
}

// The moments are those of the definition, in whatever order the rows come, and a unit of any size moves them by at
// most k².
func TestTableMoments(t *testing.T) {
	src := dp.Seeded(6)
	moments := func(keys, a, b []string) []int64 {
		f, sh := keyed(t, false, model.ContingencyTable("a", "b"), keys, a, b)
		st := must.Get(model.Count(sh, f))(t)
		return st.OpenUnits(access.Mine())
	}
	for range 30 {
		var keys, a, b []string
		want := [2]int64{}
		for u := range 5 {
			cells := map[string]int64{}
			n := int64(sample.Uniform(src, 5))
			for range n {
				x, y := strconv.Itoa(int(sample.Uniform(src, 3))), strconv.Itoa(int(sample.Uniform(src, 2)))
				keys, a, b = append(keys, strconv.Itoa(u)), append(a, x), append(b, y)
				cells[x+y]++
			}
			for _, c := range cells {
				want[0] += c * c
				want[1] -= c * c
			}
			want[1] += n * n
		}
		got := moments(keys, a, b)
		for i := range keys {
			j := i + int(sample.Uniform(src, uint64(len(keys)-i)))
			for _, s := range [][]string{keys, a, b} {
				s[i], s[j] = s[j], s[i]
			}
		}
		if same := moments(keys, a, b); !slices.Equal(got, want[:]) || !slices.Equal(same, got) {
			t.Fatalf("%v, shuffled %v; want %v", got, same, want)
		}
		for i := range 7 {
			keys, a, b = append(keys, "new"), append(a, strconv.Itoa(i%2)), append(b, "0")
		}
		more := moments(keys, a, b)
		if moved := more[0] - got[0] + more[1] - got[1]; moved != 16 || more[0] < got[0] || more[1] < got[1] {
			t.Fatalf("seven rows of a unit of four move %v to %v", got, more)
		}
	}
}

// Intervals of cells by unit hold the population's shares in .91 of releases but for chance (false alarm below 1e-9),
// whether the rows of a unit are all alike, repeat one value half of the time, or are independent, with a private and a
// public n. Intervals that take rows as independent do not where they are alike, and those without units are wider
// where they are independent.
func TestSharesByUnitHold(t *testing.T) {
	const times, units = 200, 120
	refuted := func(hold int, with float64) bool {
		_, upper, err := num.ClopperPearson(hold, times, 1e-10)
		return err != nil || upper < with
	}
	src := dp.Seeded(31)
	shares := []float64{.6, .3, .1}
	pick := func() string {
		u := sample.Float64(src)
		for i, p := range shares {
			if u -= p; u < 0 {
				return strconv.Itoa(i)
			}
		}
		return "2"
	}
	for _, c := range [][2]float64{{1, 1}, {1, 20}, {.5, 1}, {0, 20}} {
		alike, epsilon := c[0], c[1]
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			var by *mechanism.Plan
			held, independent, width, usual := [3]int{}, 0, 0.0, 0.0
			for range times {
				var keys, a, b []string
				for u := range units {
					own, rows := pick(), 4
					if adj == dp.AddRemove {
						rows = 1 + int(sample.Uniform(src, 4))
					}
					for range rows {
						v := own
						if sample.Float64(src) >= alike {
							v = pick()
						}
						keys, a, b = append(keys, strconv.Itoa(u)), append(a, v), append(b, "0")
					}
				}
				f, sh := keyed(t, adj == dp.ReplaceOne, model.Categorical("a"), keys, a, b)
				if by == nil {
					var err error
					if by, err = Geometric().ByUnit().Plan(t.Context(), sh, dp.PureDP(epsilon).Under(adj)); err != nil {
						t.Fatal(err)
					}
				}
				st := must.Get(model.Count(by.Shape(), f))(t)
				drawn := must.Get(by.Draw(t.Context(), st, "id", src))(t)
				list, _, _, err := by.Intervals(t.Context(), drawn, .95)
				if err != nil {
					t.Fatal(err)
				}
				for i := range held {
					if r := list[i].Population; r.Lower <= shares[i] && shares[i] <= r.Upper {
						held[i]++
					}
				}
				width += list[0].Population.Upper - list[0].Population.Lower
				with := *by.Sampler(access.Mine()).(*countSampler)
				of := func(moments int64) mechanism.Range { // all rows of a unit in one cell, or in four
					n, raw := int64(0), slices.Clone(drawn.Raw)
					for _, y := range raw[0] {
						n += y
					}
					raw[1] = []int64{moments * n, 0}[:len(raw[1])]
					list, _, _ := with.Intervals(t.Context(), mechanism.Output{Raw: raw}, .95)
					return *list[0].Population
				}
				if r := of(0); r.Lower <= shares[0] && shares[0] <= r.Upper {
					independent++
				}
				r := of(4)
				usual += r.Upper - r.Lower
			}
			for i, h := range held {
				if refuted(h, .91) {
					t.Errorf("alike %v, %s, ε = %v: share %d held in %d", alike, adj, epsilon, i, h)
				}
			}
			if alike == 1 && epsilon > 1 && adj == dp.ReplaceOne && !refuted(independent, .91) {
				t.Errorf("%s: rows taken as independent hold the share in %d: the test tells nothing", adj, independent)
			}
			if alike == 0 && epsilon > 1 && width > .7*usual {
				t.Errorf("%s: independent rows: width %.4f, and %.4f of rows all alike", adj, width/times, usual/times)
			}
		}
	}
}
