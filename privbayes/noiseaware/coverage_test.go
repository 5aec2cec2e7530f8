package noiseaware

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// prior draws θ from Dirichlet(α).
func prior(t testing.TB, src *dp.Stream, alpha ...float64) []float64 {
	t.Helper()
	d, err := posterior.NewDirichlet(alpha)
	must(t, err)
	return d.Sample(src)
}

// multinomial counts n records.
func multinomial(src *dp.Stream, n int, theta []float64) []int64 {
	out := make([]int64, len(theta))
	for range n {
		out[choose(src, theta)]++
	}
	return out
}

func choose(src *dp.Stream, theta []float64) int {
	u := sample.Float64(src)
	for i, p := range theta[:len(theta)-1] {
		if u -= p; u < 0 {
			return i
		}
	}
	return len(theta) - 1
}

// halved is the distribution with half the variance: the wrong implementation that coverage must reject.
func halved(z noise.Probabilities) noise.Probabilities {
	if f := noise.FormOf(z); f.Rate > 0 {
		return wrong{z, noise.Form{Rate: f.Rate * math.Sqrt2}}
	}
	return wrong{z, noise.Form{Sigma2: noise.FormOf(z).Sigma2 / 2}}
}

// wrong is noise with a closed form of another.
type wrong struct {
	noise.Probabilities
	form noise.Form
}

func (z wrong) Form() noise.Form { return z.form }

// covered draws θ from the prior, data and noise, and counts how often 95 % intervals hold θ_0.
func covered(t testing.TB, p *mechanism.Plan, d, n, runs int,
	mutate func(noise.Probabilities) noise.Probabilities) (aware, naive float64) {
	stated, err := noiseOf(p)
	must(t, err)
	z := mutate(stated)
	src := dp.Seeded(11)
	for range runs {
		theta := prior(t, src, constant(1, d)...)
		r := draw(t, p, src, multinomial(src, n, theta))
		post, err := of(background, r, z)
		must(t, err)
		q := post.Parameters()[0]
		if l, u := q.Law().CredibleInterval(0.95); l <= theta[0] && theta[0] <= u {
			aware++
		}
		if l, u := q.Naive.CredibleInterval(0.95); l <= theta[0] && theta[0] <= u {
			naive++
		}
	}
	return aware / float64(runs), naive / float64(runs)
}

// When θ follows the prior and the data the model, intervals have exactly their level: tested at 6.5 standard errors
// (false alarms below 1e-9 under each). Naive ones fall short by more than that, and so do those of a law with half the
// variance, through the same path.
func TestCoverageIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of releases")
	}
	for _, c := range []struct {
		name   string
		mech   mechanism.Mechanism
		target dp.Request
		d, n   int
		runs   int
	}{
		{"one coin", counts.Geometric(), dp.PureDP(0.1), 2, 50, 4000},
		{"one coin, Gaussian", counts.DiscreteGaussian(), dp.ApproxDP(0.3, 1e-5), 2, 50, 4000},
		{"two noisy counts", counts.Laplace(), dp.PureDP(0.2), 2, 50, 4000},
		{"four cells, sum-zero noise", counts.KNorm(), dp.PureDP(0.3), 4, 60, 4000},
		{"four cells, geometric", counts.Geometric(), dp.PureDP(0.5), 4, 60, 4000},
	} {
		p := plan(t, c.mech, categorical(t, c.d, c.n), c.target)
		limit := 6.5 * math.Sqrt(0.95*0.05/float64(c.runs))
		aware, naive := covered(t, p, c.d, c.n, c.runs, func(z noise.Probabilities) noise.Probabilities { return z })
		if math.Abs(aware-0.95) > limit {
			t.Errorf("%s: coverage %.4f, want 0.95 ± %.4f", c.name, aware, limit)
		}
		if naive > 0.95-limit {
			t.Errorf("%s: the naive intervals cover %.4f: the case shows nothing", c.name, naive)
		}
		mutant, _ := covered(t, p, c.d, c.n, c.runs, halved)
		if math.Abs(mutant-0.95) <= limit {
			t.Errorf("%s: half the noise variance covers %.4f and is not rejected", c.name, mutant)
		}
		t.Logf("%s: aware %.4f, naive %.4f, half the variance %.4f", c.name, aware, naive, mutant)
	}
}

// Naive Bayes with every parameter drawn from the prior: class and one conditional probability.
func TestNaiveBayesCoverageIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of releases")
	}
	const n, runs = 60, 1500
	features := []int{2, 3}
	p := plan(t, counts.DiscreteGaussian(), bayes(t, n, 2, features...), dp.ApproxDP(1, 1e-5))
	z, err := noiseOf(p)
	must(t, err)
	limit := 6.5 * math.Sqrt(0.95*0.05/runs)
	run := func(z noise.Probabilities) (class, cell float64) {
		src := dp.Seeded(5)
		for range runs {
			theta := prior(t, src, 1, 1)
			cond := make([][][]float64, len(features))
			tabs := make([][]int64, len(features))
			for k, c := range features {
				tabs[k] = make([]int64, 2*c)
				cond[k] = [][]float64{prior(t, src, constant(1, c)...), prior(t, src, constant(1, c)...)}
			}
			for range n {
				j := choose(src, theta)
				for k, c := range features {
					tabs[k][j*c+choose(src, cond[k][j])]++
				}
			}
			post, err := of(background, draw(t, p, src, tabs...), z)
			must(t, err)
			inside := func(i int, x float64) float64 {
				if l, u := post.params[i].Law().CredibleInterval(0.95); l <= x && x <= u {
					return 1
				}
				return 0
			}
			class += inside(0, theta[0])
			cell += inside(6, cond[1][0][0]) // the first level of the second feature, in the first class
		}
		return class / runs, cell / runs
	}
	class, cell := run(z)
	wrongClass, wrongCell := run(halved(z))
	t.Logf("class %.4f, cell %.4f; half the variance %.4f, %.4f", class, cell, wrongClass, wrongCell)
	if math.Abs(class-0.95) > limit || math.Abs(cell-0.95) > limit {
		t.Errorf("coverage %.4f of the class, %.4f of a cell, want 0.95 ± %.4f", class, cell, limit)
	}
	if math.Abs(wrongClass-0.95) <= limit || math.Abs(wrongCell-0.95) <= limit {
		t.Errorf("half the noise variance covers %.4f and %.4f and is not rejected", wrongClass, wrongCell)
	}
}

// SimulateCoverage keeps the intervals of every seed and counts those that hold the truth; the figure shows them
// unchanged.
func TestRepeat(t *testing.T) {
	sh := categorical(t, 2, 40)
	pl := plan(t, counts.Geometric(), sh, dp.PureDP(1))
	draw := func(seed uint64) (*Posterior, error) { return Of(raws(t, pl, []int64{int64(seed)})) }
	truth := Truth{Level: "v0", Value: 0.3}
	r, err := SimulateCoverage(30, truth, draw)
	must(t, err)
	naive, aware := 0, 0
	for seed := range uint64(30) {
		p, err := draw(seed)
		must(t, err)
		q, _ := p.Parameter("x", "v0")
		l, u := q.Naive.CredibleInterval(0.95)
		if l <= 0.3 && 0.3 <= u {
			naive++
		}
		l, u = q.Law().CredibleInterval(0.95)
		if l <= 0.3 && 0.3 <= u {
			aware++
		}
		if r.Rows[seed].Lower != l || r.Rows[seed].Upper != u {
			t.Errorf("seed %d: %v", seed, r.Rows[seed])
		}
	}
	if n, a := r.Held(); n != naive || a != aware || n == 0 || n == 30 {
		t.Errorf("%d and %d hold the truth, counted %d and %d", n, a, naive, aware)
	}
	f := r.Figure()
	must(t, f.Validate())
	if len(f.Series[1].X) != shownRuns || f.Series[0].Lo[3] != r.Rows[3].Lower ||
		f.Series[1].Hi[3] != r.Rows[3].NaiveUpper || f.HLines[0].Y != 0.3 {
		t.Errorf("%v", f)
	}
	var e *dp.ParameterError
	for _, c := range []struct {
		runs  int
		truth Truth
	}{{0, truth}, {1, Truth{Level: "v0", Value: 30}}, {1, Truth{Level: "v2"}}} {
		if _, err := SimulateCoverage(c.runs, c.truth, draw); !errors.As(err, &e) {
			t.Errorf("%v: %v", c, err)
		}
	}
	failed := errors.New("failed")
	if _, err := SimulateCoverage(1, truth, func(uint64) (*Posterior, error) { return nil, failed }); err != failed {
		t.Error(err)
	}
}

// CompareWidths has the ratio of Summary at every name and ε, in the order given.
func TestCompareWidths(t *testing.T) {
	sh := map[string]int{"few": 30, "many": 3000}
	draw := func(name string, eps float64) (*Posterior, error) {
		n := sh[name]
		return Of(raws(t, plan(t, counts.Geometric(), categorical(t, 2, n), dp.PureDP(eps)), []int64{int64(n / 3)}))
	}
	w, err := CompareWidths([]string{"many", "few"}, []float64{0.1, 1}, draw)
	must(t, err)
	for i, name := range w.Names {
		for k, eps := range w.Epsilons {
			p, err := draw(name, eps)
			must(t, err)
			s, err := p.Summary(0.95)
			must(t, err)
			if want := (s[0].Upper - s[0].Lower) / (s[0].NaiveUpper - s[0].NaiveLower); w.Ratios[i][k] != want {
				t.Errorf("%s, %g: %g, want %g", name, eps, w.Ratios[i][k], want)
			}
		}
	}
	if w.Ratios[1][0] < w.Ratios[0][0] || w.Ratios[1][0] < w.Ratios[1][1] || w.Ratios[1][1] < 1 {
		t.Errorf("noise matters most with few records and small ε: %v", w.Ratios)
	}
	f := w.Figure()
	must(t, f.Validate())
	if !strings.HasPrefix(f.Caption, "Geometric noise on counts, replace-one; ") || strings.Count(f.Caption, ";") != 1 ||
		f.Series[0].Name != "many, n = 3000" || f.Series[1].Name != "few, n = 30" {
		t.Errorf("%q of %q and %q", f.Caption, f.Series[0].Name, f.Series[1].Name)
	}
	var e *dp.ParameterError
	if _, err := CompareWidths(nil, []float64{1}, draw); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := CompareWidths([]string{"few"}, nil, draw); !errors.As(err, &e) {
		t.Error(err)
	}
}

// A table of two ways has a line for every row, and what is not one has a line for every label.
func TestTwoWay(t *testing.T) {
	for _, c := range []struct {
		labels        []string
		rows, columns []string
	}{
		{[]string{"1st, m", "1st, f", "2nd, m", "2nd, f"}, []string{"1st", "2nd"}, []string{"m", "f"}},
		{[]string{"1st, m", "2nd, m", "1st, f", "2nd, f"}, nil, nil}, // another order
		{[]string{"1st, m", "1st, f", "2nd, m"}, nil, nil},           // a cell is missing
		{[]string{"1st, m", "1st, m", "2nd, f", "2nd, f"}, nil, nil}, // twice the same
		{[]string{"1st, m", "1st, f"}, nil, nil},                     // one row
		{[]string{"y", "n"}, nil, nil},
		{nil, nil, nil},
	} {
		if rows, columns := twoWay(c.labels); !slices.Equal(rows, c.rows) || !slices.Equal(columns, c.columns) {
			t.Errorf("%q: %q × %q", c.labels, rows, columns)
		}
	}
}

// ByClass and ByFeature choose among the conditional probabilities, and figures name them by what differs.
func TestAcross(t *testing.T) {
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 40, 2, 2, 3), dp.PureDP(2)),
		[]int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5}))
	byClass, err := p.ByClass("x1", "v2")
	must(t, err)
	byFeature, err := p.ByFeature("v1", "v0")
	must(t, err)
	for _, c := range []struct {
		got          []Parameter
		names, ticks [2]string
		title, level string
	}{
		{byClass, [2]string{"x1 | class = v0", "x1 | class = v1"}, [2]string{"v0", "v1"},
			"P(x1 = v2), given: means and 95 % intervals", "v2"},
		{byFeature, [2]string{"x0 | class = v1", "x1 | class = v1"}, [2]string{"x0", "x1"},
			"Share of v0, given v1: means and 95 % intervals", "v0"},
	} {
		if len(c.got) != 2 {
			t.Fatalf("%d parameters", len(c.got))
		}
		f, err := p.Intervals(c.got...)
		must(t, err)
		for i, q := range c.got {
			if q.Name != c.names[i] || q.Label != c.level || f.Rows[i].Name != c.ticks[i] || f.Title != c.title {
				t.Errorf("%s, %s, %q, %q", q.Name, q.Label, f.Rows[i].Name, f.Title)
			}
		}
	}
	coin := posteriorOf(t, raws(t, plan(t, counts.Geometric(), categorical(t, 2, 40), dp.PureDP(2)), []int64{10}))
	var e *dp.ParameterError
	for _, c := range []struct {
		p           *Posterior
		name, level string
		want        string
	}{
		{p, "x1", "v3", `one of "v0", "v1", "v2"`}, {p, "x9", "v0", `one of "x0", "x1"`},
		{coin, "x", "v0", "a release of a NaiveBayes model"},
	} {
		if _, err := c.p.ByClass(c.name, c.level); !errors.As(err, &e) || e.Want != c.want {
			t.Error(err)
		}
	}
}
