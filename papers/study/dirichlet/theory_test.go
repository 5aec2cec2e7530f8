package dirichlet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func read(t testing.TB, path string, to any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		t.Fatal(path, err)
	}
}

// theoryRow is a line of the tables of theory/dirichlet.md §5.
type theoryRow struct {
	Task         Task
	Metric       Metric
	Data, Method string
	Mean, SE     []float64
}

func theory(t testing.TB) (rows []theoryRow, epsilons []float64) {
	var f struct {
		Source   string
		Epsilons []float64
		Rows     []theoryRow
	}
	read(t, "testdata/theory.json", &f)
	if len(f.Rows) != 270 || len(f.Epsilons) != 5 {
		t.Fatal("the tables of the theory are not whole")
	}
	return f.Rows, f.Epsilons
}

// slow keeps repeated experiments out of short runs, such as those under the race detector, where concurrency has tests
// of its own.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("an experiment; run without -short")
	}
}

// threshold is in combined standard errors. Both have nine degrees of freedom, so that a Gaussian tail of 8e-11 becomes
// a t tail of about 4e-6 a comparison; the seeds are fixed.
const threshold = 6.5

// disagree lists the cells of a report that are further from the theory than the threshold, and counts those compared.
func disagree(t testing.TB, r *Report) (cells []string, compared int) {
	rows, epsilons := theory(t)
	for _, row := range rows {
		for i, mean := range row.Mean {
			at := slices.Index(r.Settings.Epsilons, epsilons[i])
			if row.Method == MLE {
				at = 0
			}
			s, ok := r.Stat(row.Data, row.Method, row.Metric, at)
			if at < 0 || !ok {
				continue
			}
			compared++
			if z := (s.Mean - mean) / math.Hypot(s.SE, row.SE[i]); !(math.Abs(z) <= threshold) {
				cells = append(cells, fmt.Sprintf("%s %s %s %g: %s against %g ± %g, %.1f", row.Data, row.Method,
					row.Metric, epsilons[i], s, mean, row.SE[i], z))
			}
		}
	}
	return cells, compared
}

// Three differences from the theory are known, and what explains them is run below; every other cell of the committed
// run agrees.
func TestCommittedRunAgreesWithTheory(t *testing.T) {
	r, err := Results(Quantile)
	if err != nil {
		t.Fatal(err)
	}
	cells, compared := disagree(t, r)
	if compared != 8*3*(9*5+1)+3*(9*5+1) {
		t.Errorf("%d cells compared", compared)
	}
	known := map[string]int{"creditcard ": 0, "adult dir_opt kl 10:": 0, "adult gauss_paper ll 10:": 0}
	for _, c := range cells {
		explained := false
		for prefix := range known {
			if strings.HasPrefix(c, prefix) {
				known[prefix]++
				explained = true
			}
		}
		if !explained {
			t.Error(c)
		}
	}
	for prefix, n := range known {
		if n == 0 {
			t.Errorf("%q agrees now: take it off the list", prefix)
		}
	}
}

func small(t *testing.T, o Options, names ...string) *Report {
	t.Helper()
	for _, name := range names {
		info, err := data.StudyInfo(name)
		if err != nil {
			t.Fatal(err)
		}
		data.Need(t, info.File)
	}
	o.Data, o.Seeds = names, 10
	if o.Bins == "" {
		o.Bins = Quantile
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A part of the study, run again: it agrees with the theory, and with the committed run, whose seeds it shares.
func TestSmallPartAgain(t *testing.T) {
	slow(t)
	o := Options{Epsilons: []float64{0.1, 10},
		Methods: []string{MLE, "dir_alg1", "dir_opt", "dir_opt_debias", "gauss_paper", "gauss_fix"}, SkipNetworks: true}
	r := small(t, o, "german", "thyroid")
	cells, compared := disagree(t, r)
	if len(cells) > 0 || compared != 2*3*(5*2+1) {
		t.Error(compared, cells)
	}
	whole, err := Results(Quantile)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"german", "thyroid"} {
		for _, id := range o.Methods {
			for i, at := range []int{2, 4} {
				got, _ := r.Stat(name, id, KL, i)
				want, _ := whole.Stat(name, id, KL, at)
				if math.Abs(got.Mean-want.Mean) > 1e-5*want.Mean {
					t.Errorf("%s %s: %v, committed %v: the committed results are stale, run the command that they "+
						"name", name, id, got, want)
				}
			}
		}
	}
}

// mutate replaces a method for a test.
func mutate(t *testing.T, id string, plan planner) {
	t.Helper()
	i := slices.IndexFunc(methods, func(m method) bool { return m.ID == id })
	kept := methods[i].plan
	methods[i].plan = plan
	t.Cleanup(func() { methods[i].plan = kept })
}

// Half the noise, all of it for the tables, or the Dirichlet with another α: the comparison tells.
func TestComparisonRejectsMutants(t *testing.T) {
	slow(t)
	fixed := counts.DiscreteGaussian().WithPostProcess(counts.FlatPosteriorMean)
	o := Options{Epsilons: []float64{0.1, 10}, SkipNetworks: true}
	for _, m := range []struct {
		id   string
		plan planner
	}{
		{"gauss_fix", func(ctx context.Context, p *problem, e float64) (*drawing,
			error) {
			return plain(fixed)(ctx, p, 4*e)
		}},
		{"gauss_fix", plain(fixed.WithPostProcess(counts.Clip))},
		{"dir_alg1", func(ctx context.Context, p *problem, e float64) (*drawing, error) {
			return paper(dirichlet.Algorithm1)(ctx, p, 4*e)
		}},
		{"dir_opt_debias", perTable(average, raw1)},
	} {
		t.Run(m.id, func(t *testing.T) {
			o.Methods = []string{m.id}
			if cells, _ := disagree(t, small(t, o, "german", "thyroid")); len(cells) > 0 {
				t.Error("the method itself:", cells)
			}
			mutate(t, m.id, m.plan)
			if cells, _ := disagree(t, small(t, o, "german", "thyroid")); len(cells) == 0 {
				t.Error("the mutant passed")
			}
		})
	}
}

// The theory bins CreditCard by [q_{k−1}, q_k): where the 10 % quantile is the smallest value, as 0 is of the six
// columns of amounts paid, the lowest bin is empty, and there are 12 more empty cells. With these bins every cell
// agrees.
func TestCreditCardBinsOfTheory(t *testing.T) {
	slow(t)
	r := small(t, Options{bin: leftClosed, Epsilons: []float64{0.1, 10},
		Methods: []string{MLE, "dir_alg1", "dir_alphastar", "dir_opt_debias", "gauss_fix", "lap_fix"}}, "creditcard")
	cells, compared := disagree(t, r)
	if len(cells) > 0 || compared != 3*(5*2+1) {
		t.Error(compared, cells)
	}
}

// leftClosed puts bins [q_{k−1}, q_k), the lowest one open below, in place of those of QuantileSplit in columns of many
// values.
func leftClosed(train, test *frame.Frame) (*frame.Frame, *frame.Frame, error) {
	q, _, err := frame.QuantileSplit(train, test, QuantileBins)
	if err != nil {
		return nil, nil, err
	}
	s := q.Schema()
	for i := range s.Columns {
		c := &s.Columns[i]
		if !c.Numeric() {
			continue
		}
		v, err := train.Values(c.Name)
		if err != nil {
			return nil, nil, err
		}
		v = slices.Sorted(slices.Values(v))
		if len(slices.Compact(slices.Clone(v))) <= 30 {
			continue
		}
		low := math.Min(c.Min, v[0]) - 1
		edges := []float64{low}
		for k := 1; k < QuantileBins; k++ {
			place := float64(len(v)-1) * float64(k) / QuantileBins
			j := int(place)
			e := v[j] + (v[j+1]-v[j])*(place-float64(j))
			if c.Kind == frame.KindInteger {
				e = math.Ceil(e) // x ≥ e is the same
			}
			edges = append(edges, e)
		}
		c.Min, c.Edges = low, append(slices.Compact(edges), math.Max(c.Max, v[len(v)-1]+1))
		c.Max = c.Edges[len(c.Edges)-1]
	}
	if train, err = train.Under(s); err != nil {
		return nil, nil, err
	}
	test, err = test.Under(s)
	return train, test, err
}

// The r of dir_opt on Adult at ε = 10 is 1.3 to 2.8: the minimiser of the public objective. The theory's number is that
// of r ≤ 1.1, which happens to be better for these tables, as a sparser prior (dir_opt03) would be too.
func TestAdultRateOfTheory(t *testing.T) {
	slow(t)
	o := Options{Epsilons: []float64{10}, Methods: []string{"dir_opt"}, SkipNetworks: true}
	mutate(t, "dir_opt", perTable(average, func(ctx context.Context, s size, a0 float64) (part, error) {
		base, err := raw1(ctx, s, a0)
		if err != nil {
			return part{}, err
		}
		at, err := gammaOf(base.plan)
		if err != nil {
			return part{}, err
		}
		p, err := s.plan(ctx, dirichlet.AtRate(math.Min(at.Rate, 1.1)), true)
		return part{plan: p}, err
	}))
	if cells, compared := disagree(t, small(t, o, "adult")); len(cells) > 0 || compared != 3 {
		t.Error(compared, cells)
	}
}

// The theory clips continuous Gaussian noise; the discrete Gaussian leaves an empty cell at exactly 0 with chance P(Z =
// 0), and 0 is clipped too. With σ = 1.9, as for Adult's network at ε = 10, that is one cell in ten. Spread over the
// unit around each integer, which is free, the noise agrees.
func TestClippedNoiseOfTheory(t *testing.T) {
	slow(t)
	mutate(t, "gauss_paper", func(ctx context.Context, p *problem, e float64) (*drawing, error) {
		d, err := plain(counts.DiscreteGaussian().WithPostProcess(counts.Clip))(ctx, p, e)
		if err != nil {
			return nil, err
		}
		n, _ := p.shape.N()
		d.parts[0].post = func(_ context.Context, drawn *mechanism.Drawn) (model.Estimate, error) {
			src := rand.New(rand.NewPCG(*drawn.Seed, 1))
			var e model.Estimate
			for _, raw := range drawn.Raw {
				var est []float64
				for _, z := range raw {
					est = append(est, math.Max(float64(z)+src.Float64()-0.5, clip))
				}
				if len(raw) == 1 { // the other cell of two is not measured
					est = append(est, float64(n)-est[0])
				}
				e.Tables = append(e.Tables, est)
			}
			return e, nil
		}
		return d, nil
	})
	o := Options{Epsilons: []float64{10}, Methods: []string{"gauss_paper"}, SkipBayes: true}
	if cells, compared := disagree(t, small(t, o, "adult")); len(cells) > 0 || compared != 1 {
		t.Error(compared, cells)
	}
}

// Every part of every method has the guarantee that the figures state.
func TestPartsAddUp(t *testing.T) {
	info, err := data.StudyInfo("german")
	if err != nil {
		t.Fatal(err)
	}
	data.Need(t, info.File)
	var src sources
	f, err := src.open(context.Background(), "german")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []Task{NaiveBayes, Network} {
		p, err := split(f, "german", task, Public.binner(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range methods {
			if m.plan == nil {
				continue
			}
			for _, epsilon := range []float64{0.01, 10} {
				d, err := m.plan(context.Background(), p, epsilon)
				if err != nil {
					t.Fatal(m.ID, err)
				}
				sum := 0.0
				for _, part := range d.parts {
					sum += float64(loss.LevelOf(part.plan.Pair(), dp.RenyiDP(Order, epsilon).Parameters).Epsilon)
				}
				if !(sum <= epsilon*(1+1e-9)) || !m.Paper && m.ID != "geometric" && sum < 0.99*epsilon {
					t.Errorf("%s %s: %v of %v", task, m.ID, sum, epsilon)
				}
			}
		}
	}
}
