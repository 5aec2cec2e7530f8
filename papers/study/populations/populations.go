// Package populations measures how often the intervals that a release shows hold the number of a population that its
// rows are an independent sample of.
//
// The population is fixed: distributions of means that are skewed, flat, cut at a bound or mixtures, shares from .02 to
// .8, groups that may be empty. Nothing is drawn from a prior. [Run] counts; [Committed] is the outcome of the full
// run. Source: theory/intervals.md §1 to §3, §8.
//
// The least coverage is that of the share .02 of 50 rows at ρ = 4.5: exactly .9202, which is that of Wilson's interval,
// .9216, with a little noise. A count of so few rows takes whole numbers, and no change of the noise's distribution
// moves it.
package populations

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cell is what was counted at one ε: the share of the runs whose interval held the truth, and the mean width, as a
// share of the range.
type Cell struct {
	Epsilon, Coverage, Width float64
}

// Row are the cells of one population and size under one kind of guarantee. Its text, a line of a file of results,
// has the fields in order between bars, the cells last, each ε, coverage and width.
type Row struct {
	Of        string // mean, share or group
	Law       string
	Guarantee string // pure, add-remove or zCDP, where ρ = ε²/2
	N         int    // rows; of a group its own
	Runs      int
	Cells     []Cell
}

// MarshalText writes the row.
func (r Row) MarshalText() ([]byte, error) {
	b := fmt.Appendf(nil, "%s | %s | %s | %d | %d", r.Of, r.Law, r.Guarantee, r.N, r.Runs)
	for _, c := range r.Cells {
		b = fmt.Appendf(b, " | %v %v %v", c.Epsilon, c.Coverage, c.Width)
	}
	return b, nil
}

// UnmarshalText reads what MarshalText wrote.
func (r *Row) UnmarshalText(text []byte) error {
	fields := strings.Split(string(text), " | ")
	if len(fields) < 5 {
		return fmt.Errorf("populations: %q is no row", text)
	}
	*r = Row{Of: fields[0], Law: fields[1], Guarantee: fields[2], Cells: make([]Cell, len(fields)-5)}
	_, err := fmt.Sscan(fields[3]+" "+fields[4], &r.N, &r.Runs)
	for i, f := range fields[5:] {
		c := &r.Cells[i]
		if _, e := fmt.Sscan(f, &c.Epsilon, &c.Coverage, &c.Width); e != nil {
			err = e
		}
	}
	return err
}

// Result is the outcome of a run. Committed results say what wrote them.
type Result struct {
	Library string `json:"library,omitempty"`
	Command string `json:"command,omitempty"`
	Seed    uint64 `json:"seed"`
	Rows    []Row  `json:"rows"`
}

//go:embed results.json
var committed []byte

// Committed is the full run. It panics where the embedded file is damaged.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// law is a population of values on [0, 100] with its mean after they are cut to the bounds.
type law struct {
	name string
	mean float64
	draw func(src *dp.Stream) float64
}

// normalBelow is the standard normal's distribution function.
func normalBelow(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// cutLognormal is E min(e^{μ + σZ}, 100), cutNormal E min(μ + σZ, 100).
func cutLognormal(mu, sigma float64) float64 {
	a := (math.Log(100) - mu) / sigma
	return math.Exp(mu+sigma*sigma/2)*normalBelow(a-sigma) + 100*normalBelow(-a)
}

func cutNormal(mu, sigma float64) float64 {
	a := (100 - mu) / sigma
	return mu*normalBelow(a) + 100*normalBelow(-a) - sigma*math.Exp(-a*a/2)/math.Sqrt(2*math.Pi)
}

// laws are those of the note.
func laws() []law {
	lognormal := func(mu, sigma float64) func(src *dp.Stream) float64 {
		return func(src *dp.Stream) float64 { return math.Exp(mu + sigma*sample.Normal(src)) }
	}
	return []law{
		{"lognormal, σ = ½", cutLognormal(3, .5), lognormal(3, .5)},
		{"lognormal, σ = 1", cutLognormal(2, 1), lognormal(2, 1)},
		{"gamma, shape 2", 10, func(src *dp.Stream) float64 {
			return -5 * math.Log((1-sample.Float64(src))*(1-sample.Float64(src)))
		}},
		{"mixture, 90 % at 20 and 10 % at 70", 25, func(src *dp.Stream) float64 {
			if sample.Float64(src) < .9 {
				return 20 + 4*sample.Normal(src)
			}
			return 70 + 6*sample.Normal(src)
		}},
		{"normal", 50, func(src *dp.Stream) float64 { return 50 + 10*sample.Normal(src) }},
		{"normal, cut at its bound", cutNormal(95, 10), func(src *dp.Stream) float64 { return 95 + 10*sample.Normal(src) }},
		{"exponential, bounds 30 means apart", 100. / 30, func(src *dp.Stream) float64 {
			return -100. / 30 * math.Log(1-sample.Float64(src))
		}},
	}
}

// problem is one population and size: its statistics for every guarantee, and where the interval stands.
type problem struct {
	of, law string
	n, at   int // rows that are meant, and the place among the intervals
	truth   float64
	shape   *model.Shape
	release mechanism.Mechanism
	draw    func(src *dp.Stream) (*model.Statistics, error)
}

// guarantees are the kinds of guarantee at ε.
var guarantees = []struct {
	name string
	at   func(eps float64) dp.Request
}{
	{"pure", func(eps float64) dp.Request { return dp.PureDP(eps) }},
	{"add-remove", func(eps float64) dp.Request { return dp.PureDP(eps).Under(dp.AddRemove) }},
	{"zCDP", func(eps float64) dp.Request { return dp.ZCDP(eps * eps / 2) }},
}

var epsilons = []float64{.1, .3, 1, 3}

func shapeOf(m model.Model, n int) (*model.Shape, error) {
	return model.NewShape(&frame.Schema{Dataset: "simulated", Columns: []frame.Column{frame.Real("x", 0, 100),
		frame.Categorical("g", "a", "b"), frame.Categorical("y", "yes", "no")}}, m, n, true, "")
}

// problems are 35 means, 20 shares and 20 groups.
func problems() (list []problem, err error) {
	add := func(p problem, m model.Model, n int) {
		if p.shape, err = shapeOf(m, n); err == nil {
			list = append(list, p)
		}
	}
	// values adds n of a law, all in one group
	values := func(sums []int64, l *model.Lattice, w law, n, group int, src *dp.Stream) {
		place := []int64{0}
		for range n {
			place[0] = l.At(0, w.draw(src))
			l.Add(sums, place, group)
		}
	}
	for _, w := range laws() {
		for _, n := range []int{50, 200, 1000, 5000, 30000} {
			add(problem{of: "mean", law: w.name, n: n, truth: w.mean, release: sums.New()}, model.Mean("x"), n)
		}
	}
	for _, p := range []float64{.02, .1, .3, .5, .8} {
		for _, n := range []int{50, 200, 1000, 5000} {
			add(problem{of: "share", law: fmt.Sprint(p), n: n, truth: p, release: counts.Geometric()}, model.Binary("y"), n)
		}
	}
	const others = 500
	for _, w := range laws()[:4] {
		for _, n := range []int{0, 10, 40, 150, 1000} {
			add(problem{of: "group", law: w.name, n: n, truth: w.mean, release: sums.New()}, model.GroupMeans("x", "g"),
				n+others)
		}
	}
	for i := range list {
		p := &list[i]
		p.draw = func(src *dp.Stream) (*model.Statistics, error) {
			rows, _ := p.shape.N()
			if p.of == "share" {
				ill := int64(0)
				for range rows {
					if sample.Float64(src) < p.truth {
						ill++
					}
				}
				return model.FromCounts(p.shape, [][]int64{{ill, int64(rows) - ill}})
			}
			l := p.shape.Lattice()
			whole := make([]int64, l.Len())
			for _, w := range laws() {
				if w.name == p.law {
					values(whole, l, w, p.n, 0, src)
					values(whole, l, w, rows-p.n, 1, src)
				}
			}
			return model.FromWhole(p.shape, rows, whole)
		}
	}
	return list, err
}

// Run simulates the problems for which wanted is true (nil: all), runs of each: the same data for every guarantee and
// ε. Errors: those of planning, and ctx's.
func Run(ctx context.Context, runs int, seed uint64, wanted func(of, law string, n int) bool) (*Result, error) {
	list, err := problems()
	if err != nil {
		return nil, err
	}
	out := &Result{Seed: seed}
	var chosen []problem
	for _, p := range list {
		if wanted == nil || wanted(p.of, p.law, p.n) {
			chosen = append(chosen, p)
		}
	}
	rows := make([][]Row, len(chosen))
	err = simulate.Each(ctx, len(chosen), func(ctx context.Context, i int) (err error) {
		rows[i], err = chosen[i].run(ctx, runs, seed)
		return err
	})
	for _, r := range rows {
		out.Rows = append(out.Rows, r...)
	}
	return out, err
}

func (p problem) run(ctx context.Context, runs int, seed uint64) (rows []Row, err error) {
	plans := make([][]*mechanism.Plan, len(guarantees))
	for g, of := range guarantees {
		rows = append(rows, Row{p.of, p.law, of.name, p.n, runs, make([]Cell, len(epsilons))})
		plans[g] = make([]*mechanism.Plan, len(epsilons))
		for k, eps := range epsilons {
			rows[g].Cells[k].Epsilon = eps
			if plans[g][k], err = p.release.Plan(ctx, p.shape, of.at(eps)); err != nil {
				return nil, err
			}
		}
	}
	low, high := 0., 1.
	if l := p.shape.Lattice(); l != nil {
		low, high = l.Low[0], l.High[0]
	}
	point := fmt.Sprint(p.of, p.law, p.n)
	for run := range runs {
		src := simulate.Stream("populations", seed, point, run)
		st, err := p.draw(src)
		if err != nil {
			return nil, err
		}
		for g := range plans {
			for k, plan := range plans[g] {
				d, err := plan.Draw(ctx, st, "simulated", src)
				if err != nil {
					return nil, err
				}
				found, _, _, err := plan.Intervals(ctx, d, simulate.Level)
				if err != nil {
					return nil, err
				}
				c, i := &rows[g].Cells[k], found[p.at].Population
				c.Coverage += simulate.Held(i.Lower, i.Upper, p.truth) / float64(runs)
				c.Width += (i.Upper - i.Lower) / (high - low) / float64(runs)
			}
		}
	}
	for g := range rows {
		for k := range rows[g].Cells {
			rows[g].Cells[k].round()
		}
	}
	return rows, nil
}
