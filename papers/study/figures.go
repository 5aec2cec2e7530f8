package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Comparison is the accuracy of a selection of mechanisms at one setting, drawn and tabulated.
type Comparison struct {
	Setting  Setting
	Outcomes []Outcome
	Table    *table.Table // with the privacy of each mechanism
	caption  string
}

// compared are the mechanisms of Figures 2–4, at most twelve: the four of the notes and what improves on them.
var compared = map[string]bool{
	EMGlobal: true, EMLocal: true, EMSmoothN: true, EMSmoothProved: true, EMReciprocal025: true, EMLocalPlus: true,
	PFReciprocal: true,
	EMDistance:   true, KNorm: true, LaplaceOneCell: true, LaplacePerCell: true, DiscreteLaplace: true,
}

// Compare draws the exact distributions of the errors of up to twelve mechanisms at a setting: mean, median, quartiles
// and the range from 5 % to 95 %. The clamped geometric mechanism is not drawn: it is K-norm noise for two cells.
//
// labels says what privacy a mechanism has there, by its name, such as "0.8438-DP" for [EMLocal], where that was
// computed elsewhere; without a label the table says what is proved in general. Errors: *SettingError, for labels of
// unknown mechanisms too; ctx.Err().
func Compare(ctx context.Context, s Setting, labels map[string]string) (*Comparison, error) {
	if err := checkLabels(labels); err != nil {
		return nil, err
	}
	outcomes, err := accuracy(ctx, s, compared)
	if err != nil {
		return nil, err
	}
	for i, o := range outcomes {
		if l, ok := labels[o.Name]; ok {
			outcomes[i].Privacy = l
		}
	}
	caption := caption(s, outcomes, labels)
	c := &Comparison{Setting: s, Outcomes: outcomes, caption: caption}
	c.Table = table.New("Exact accuracy: "+s.Label, "mechanism", "privacy", "E[H]", "5 %", "25 %", "median", "75 %",
		"95 %", "E[L1]", "median L1", "95 % L1")
	for _, o := range outcomes {
		c.Table.Add(o.Name, o.Privacy, o.MeanH, o.Q05, o.Q25, o.Q50, o.Q75, o.Q95, o.MeanL1, o.Q50L1, o.Q95L1)
	}
	c.Table.Note(caption)
	return c, nil
}

func checkLabels(labels map[string]string) error {
	known := map[string]bool{}
	for _, m := range mechanisms() {
		known[m.name] = true
	}
	for name := range labels {
		if !known[name] {
			return &SettingError{"labels", name, "names of mechanisms, such as " + EMLocal}
		}
	}
	return nil
}

// caption says what the figure holds fixed, and the labels given.
func caption(s Setting, outcomes []Outcome, labels map[string]string) string {
	text := fmt.Sprintf("Exact, nothing simulated. x = %v, prior %v, n = %d; nominal ε = %v, δ = %s; %s.", s.X,
		s.Prior, s.N(), s.Epsilon, table.Number(s.Delta), dp.ReplaceOne)
	var said []string
	for _, o := range outcomes {
		if l, ok := labels[o.Name]; ok {
			said = append(said, o.Short+": "+l)
		}
	}
	if len(said) > 0 {
		text += " Privacy: " + strings.Join(said, "; ") + "."
	}
	return text
}

// Distances draws the Hellinger distance of the released posterior in comparisons of the same mechanisms: means, with
// lines from 5 % to 95 % and thick ones between the quartiles; a row for each mechanism, that with the least mean in
// the first comparison first. Domain: at least one comparison.
func Distances(list ...*Comparison) *figure.Forest {
	return distribution(list, "by Hellinger distance", "Hellinger distance H of the released posterior",
		func(o Outcome) figure.Mark {
			return figure.Mark{At: o.MeanH, From: o.Q05, To: o.Q95, From50: o.Q25, To50: o.Q75}
		})
}

// Records is [Distances] of the ℓ₁ distance of the released counts, in records.
func Records(list ...*Comparison) *figure.Forest {
	return distribution(list, "by records moved", "L1 distance of the released counts, records",
		func(o Outcome) figure.Mark {
			return figure.Mark{At: o.MeanL1, From: o.Q05L1, To: o.Q95L1, From50: o.Q25L1, To50: o.Q75L1}
		})
}

func distribution(list []*Comparison, how, quantity string, of func(Outcome) figure.Mark) *figure.Forest {
	f := &figure.Forest{XLabel: quantity,
		Subtitle: "Means, with lines from 5 % to 95 %, thick between the quartiles. Written: the mean of the last series."}
	var captions []string
	for k, c := range list {
		f.Series = append(f.Series, fmt.Sprintf("n = %d", c.Setting.N()))
		captions = append(captions, strings.TrimPrefix(c.caption, "Exact, nothing simulated. "))
		for i, o := range c.Outcomes {
			if k == 0 {
				f.Rows = append(f.Rows, figure.ForestRow{Name: o.Short})
			}
			if i < len(f.Rows) {
				m := of(o)
				f.Rows[i].Marks, f.Rows[i].Text = append(f.Rows[i].Marks, m), figure.Digits(m.At, 2)
			}
		}
	}
	f.Caption = "Exact, nothing simulated. " + strings.Join(captions, " ")
	slices.SortStableFunc(f.Rows, func(a, b figure.ForestRow) int { return cmp.Compare(a.Marks[0].At, b.Marks[0].At) })
	f.Title = f.Rows[0].Name + " is the most accurate, " + how
	return f
}

// Figure2 repeats Figure 2 of the notes: beta(7,4), ε = 0.5, n = 500 and 300, at the vectors of [NotesSettings]; four
// comparisons. Errors as [Compare].
func Figure2(ctx context.Context, labels map[string]string) ([]*Comparison, error) {
	return compareAll(ctx, NotesSettings()[0:4], labels)
}

// Figure3 repeats Figure 3 of the notes: DL(7,4,5), ε = δ = 0.8, n = 100 and 120; four comparisons. Errors as
// [Compare].
func Figure3(ctx context.Context, labels map[string]string) ([]*Comparison, error) {
	return compareAll(ctx, NotesSettings()[4:8], labels)
}

// Figure4 repeats Figure 4 of the notes: DL(7,4,5), ε = δ = 0.8, n = 150, in H (a) and in ℓ₁ (b); two comparisons.
// Errors as [Compare].
func Figure4(ctx context.Context, labels map[string]string) ([]*Comparison, error) {
	return compareAll(ctx, NotesSettings()[8:10], labels)
}

func compareAll(ctx context.Context, settings []Setting, labels map[string]string) ([]*Comparison, error) {
	out := make([]*Comparison, 0, len(settings))
	for _, s := range settings {
		c, err := Compare(ctx, s, labels)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return slices.Clip(out), nil
}

// ray is a direction of noise with its quadrature weight; the weights sum to 1.
type ray struct {
	dir    []float64
	weight float64
}

// orthants are directions for noise in all cells: every orthant of signs with weight 2^−d, and in it sizes (s, 1 − s)
// or (s, (1−s)t, (1−s)(1−t)), uniform on the simplex, whose density in (s, t) is 2(1 − s).
//
// Noise proportional to the posterior's parameters does not change the posterior's mean and changes H little: near this
// ridge, H depends steeply on the direction, and the panels are short. The ridge runs through the orthants of one sign,
// and with clamped counts it can be near in all of them.
func orthants(posterior []float64, everywhere bool, points int) []ray {
	var out []ray
	d, rule := len(posterior), legendre(points)
	for signs := range 1 << d {
		near := everywhere || signs == 0 || signs == 1<<d-1
		share := math.Ldexp(1, -d)
		add := func(w float64, size ...float64) {
			for i := range size {
				if signs>>i&1 == 1 {
					size[i] = -size[i]
				}
			}
			out = append(out, ray{size, w * share})
		}
		rest := posterior[1:]
		panels(cuts(posterior[0], sum(rest), near), rule, func(s, ws float64) {
			if d == 2 {
				add(ws, s, 1-s)
				return
			}
			panels(cuts(rest[0], rest[1], near), rule, func(t, wt float64) {
				add(2*(1-s)*ws*wt, s, (1-s)*t, (1-s)*(1-t))
			})
		})
	}
	return out
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// cuts divides [0, 1]: in the middle, or, with a ridge of parameters a and b near, at a/(a + b) and one and four
// standard deviations of Beta(a, b) on either side.
func cuts(a, b float64, near bool) []float64 {
	if !near {
		return []float64{0, 0.5, 1}
	}
	mean := a / (a + b)
	width := math.Sqrt(mean * (1 - mean) / (a + b + 1))
	out := []float64{0, mean, 1}
	for _, k := range []float64{-4, -1, 1, 4} {
		if c := mean + k*width; c > width/4 && c < 1-width/4 {
			out = append(out, c)
		}
	}
	return out
}

// rule is a quadrature rule on [−1, 1].
type rule []struct{ node, weight float64 }

// legendre is the Gauss–Legendre rule, nodes ascending: the zeros of P_n by Newton's method from cos(π(i + ¾)/(n + ½)),
// weights 2/((1 − x²)P_n′²).
func legendre(n int) rule {
	out := make(rule, n)
	for i := range out {
		x, slope := math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)), 1.0
		for range 20 {
			p, before := x, 1.0
			for k := 2.0; k <= float64(n); k++ {
				p, before = ((2*k-1)*x*p-(k-1)*before)/k, p
			}
			slope = float64(n) * (x*p - before) / (x*x - 1)
			step := p / slope
			if x -= step; math.Abs(step) < 1e-16 {
				break
			}
		}
		out[n-1-i].node, out[n-1-i].weight = x, 2/((1-x*x)*slope*slope)
	}
	return out
}

// panels visits the nodes of the rule between neighbouring cuts, which may come in any order.
func panels(cuts []float64, r rule, visit func(at, weight float64)) {
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		half := (cuts[i] - cuts[i-1]) / 2
		if half <= 0 {
			continue
		}
		for _, g := range r {
			visit(cuts[i-1]+half*(1+g.node), g.weight*half)
		}
	}
}

// Curve is how far one record can move the score of each candidate: Figure 1 of the notes.
type Curve struct {
	Local    float64   // LS(x) in closed form
	Y        []int64   // a neighbour y′ of x at distance LS(x)
	Max      float64   // the maximum over all candidates and neighbours, by enumeration
	Argmax   [][]int64 // the candidates that attain it, within 1e-12 relative: x and every y′
	RunnerUp float64   // the largest value at any other candidate
	Figure   *figure.Figure
	Table    *table.Table
}

// Figure1 enumerates max_{y ~ x} |H(x, r) − H(y, r)| for every candidate r and shows that the maximum is LS(x),
// attained at r = x and r = y′ only, y′ a farthest neighbour: this is why the local sensitivity costs O(d) instead of a
// search through R.
//
// For d = 2 the figure runs through all candidates; for d = 3 along the line of candidates through x and y′. n must be
// Σx ≥ 1. Errors: *SettingError, ctx.Err(). Source: notes, §4.1; theory/hellinger.md §2.
func Figure1(ctx context.Context, prior []float64, n int64, x []int64) (*Curve, error) {
	s := Setting{Prior: prior, X: x, Epsilon: 1, Delta: 0.5}
	if have := s.N(); have != n {
		return nil, &SettingError{"ΣX", have, fmt.Sprintf("n = %d", n)}
	}
	b, err := newBench(ctx, s)
	if err != nil {
		return nil, err
	}
	local, from, to := b.space.Local(x)
	c := &Curve{Local: local, Y: moved(x, from, to)}
	gaps := make([]float64, len(b.h))
	hy := make([]float64, len(b.h))
	for i := range x {
		for j := range x {
			if i == j || x[i] == 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := hellingersample.Exponents(prior, moved(x, i, j), 1, hy); err != nil {
				return nil, fmt.Errorf("study: %w", err)
			}
			for k, h := range b.h {
				gaps[k] = max(gaps[k], math.Abs(h-hy[k]))
			}
		}
	}
	c.Max = slices.Max(gaps)
	for k, g := range gaps {
		if g >= c.Max*(1-1e-12) {
			c.Argmax = append(c.Argmax, hellingersample.Unrank(k, n, len(x)))
		} else {
			c.RunnerUp = max(c.RunnerUp, g)
		}
	}
	c.describe(b, gaps, from, to)
	return c, nil
}

// moved is x with one record moved.
func moved(x []int64, from, to int) []int64 {
	y := slices.Clone(x)
	y[from]--
	y[to]++
	return y
}

// describe draws the section through x along the move, and lists the largest values.
func (c *Curve) describe(b *bench, gaps []float64, from, to int) {
	var xs, ys []float64
	r := slices.Clone(b.X) // from the end of the line where cell to is empty
	r[from], r[to] = r[from]+r[to], 0
	for ; r[from] >= 0; r[from], r[to] = r[from]-1, r[to]+1 {
		xs, ys = append(xs, float64(r[to])), append(ys, gaps[b.rank(r)])
	}
	line := "all candidates"
	if len(b.X) > 2 {
		line = "candidates on the line through x and y′"
	}
	mark := func(name string, v []int64) figure.Series {
		return figure.Series{Name: name, Kind: figure.Points, X: []float64{float64(v[to])},
			Y: []float64{gaps[b.rank(v)]}}
	}
	c.Figure = &figure.Figure{
		Title:  "One record changes a score most at r = BI(x) and r = BI(y′)",
		XLabel: fmt.Sprintf("count of cell %d in the candidate r", to+1),
		YLabel: "largest |H(x, r) − H(y, r)|",
		Caption: fmt.Sprintf("Prior %v, x = %v, n = %d, y′ = %v; replace-one neighbours y; %s. Local sensitivity "+
			"%.3g.", b.Prior, b.X, b.space.N(), c.Y, line, c.Local),
		Series: []figure.Series{{Name: "maximum over neighbours y", Kind: figure.Step, X: xs, Y: ys}, mark("r = BI(x)", b.X),
			mark("r = BI(y′)", c.Y)},
	}
	order := make([]int, len(gaps))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gaps[j], gaps[i]) })
	c.Table = table.New("Candidates whose score one record changes most", "candidate r", "replaced from x",
		"largest |H(x, r) − H(y, r)|", "share of LS(x)")
	for _, k := range order[:min(10, len(order))] {
		c.Table.Add(fmt.Sprint(hellingersample.Unrank(k, b.space.N(), len(b.X))), b.l1[k]/2, gaps[k], gaps[k]/c.Local)
	}
	c.Table.Note(fmt.Sprintf("%d candidates enumerated; LS(x) = %.12g in closed form.", len(gaps), c.Local))
}

// lines says which mechanisms a sweep draws. For two cells the geometric mechanism on one count is K-norm noise: one
// line has both.
func lines(d int, exponential ...string) []string {
	if d == 2 {
		return append(exponential, KNorm)
	}
	return append(exponential, KNorm, DiscreteLaplace)
}

// lineName is how a sweep calls a mechanism.
func lineName(name string, d int) string {
	switch {
	case name == KNorm && d == 2:
		return "geometric = K-norm"
	case name == KNorm:
		return "K-norm"
	case name == DiscreteLaplace:
		return "geometric per cell"
	}
	for _, m := range mechanisms() {
		if m.name == name {
			return m.short
		}
	}
	return name
}

// sweep is E[H] of some mechanisms over a list of settings, at the abscissas xs.
func sweep(ctx context.Context, f *figure.Figure, names []string, xs []float64,
	settings []Setting) (*figure.Figure, error) {
	only := map[string]bool{}
	for _, name := range names {
		only[name] = true
	}
	at := map[string][]float64{}
	for _, s := range settings {
		outcomes, err := accuracy(ctx, s, only)
		if err != nil {
			return nil, err
		}
		for _, o := range outcomes {
			at[o.Name] = append(at[o.Name], o.MeanH)
		}
	}
	for i, name := range names {
		f.Series = append(f.Series, figure.Series{Name: lineName(name, len(settings[0].X)), X: slices.Clone(xs),
			Y: at[name], Dashed: i >= 3})
	}
	return f, nil
}

// ascending checks the abscissas of a sweep.
func ascending(field string, v []float64) error {
	if len(v) < 2 {
		return &SettingError{"len(" + field + ")", len(v), "at least 2 values"}
	}
	for i, a := range v {
		if !(a > 0) || math.IsInf(a, 1) || i > 0 && a <= v[i-1] {
			return &SettingError{fmt.Sprintf("%s[%d]", field, i), a, "finite positive numbers in ascending order"}
		}
	}
	return nil
}

// AgainstPrior draws E[H] at x against the parameter α of the symmetric prior (α, …, α), on a logarithmic axis: the
// exponential mechanism with Δ_g, S_γ (γ = 0.25) and LS⁺, all at the rates ε/(ρS) that make them ε-DP, and K-norm and
// geometric noise. Its table twin has the numbers.
//
// A strong prior moves every posterior toward its own mean, so that all errors fall; Δ_g falls fastest, as the smallest
// α sets it. Errors: *SettingError, ctx.Err().
func AgainstPrior(ctx context.Context, alphas []float64, x []int64, epsilon float64) (*figure.Figure, error) {
	if err := ascending("alphas", alphas); err != nil {
		return nil, err
	}
	var settings []Setting
	for _, a := range alphas {
		s := Setting{X: x, Epsilon: epsilon, Delta: 0.5}
		for range x {
			s.Prior = append(s.Prior, a)
		}
		if _, err := s.check(); err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	f := &figure.Figure{
		Title: "Mean Hellinger distance of the release against the prior", XLabel: "α of the symmetric " +
			"prior", YLabel: "E[H]", LogX: true, LogY: true,
		Caption: fmt.Sprintf("Exact means at x = %v, n = %d; ε = %v, pure; %s. Rates ε/(ρS) of Theorem 1.", x,
			settings[0].N(), epsilon, dp.ReplaceOne),
	}
	return sweep(ctx, f, lines(len(x), EMGlobal, EMReciprocal025, EMLocalPlus), alphas, settings)
}

// AgainstEpsilon draws E[H] at x against ε, on a logarithmic axis: the exponential mechanism with Δ_g, S_γ (γ = 0.25)
// and LS⁺, all at their ε-DP rates, K-norm, geometric and Laplace noise. Its table twin has the numbers. Errors:
// *SettingError, ctx.Err().
func AgainstEpsilon(ctx context.Context, prior []float64, x []int64, epsilons []float64) (*figure.Figure, error) {
	if err := ascending("epsilons", epsilons); err != nil {
		return nil, err
	}
	var settings []Setting
	for _, e := range epsilons {
		s := Setting{Prior: prior, X: x, Epsilon: e, Delta: 0.5}
		if _, err := s.check(); err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	f := &figure.Figure{
		Title: "Mean Hellinger distance of the released posterior against ε", XLabel: "ε", YLabel: "E[H]", LogX: true,
		LogY: true,
		Caption: fmt.Sprintf("Exact means at x = %v, prior %v, n = %d; pure ε-DP; %s. Rates ε/(ρS) of Theorem 1.", x,
			prior, settings[0].N(), dp.ReplaceOne),
	}
	return sweep(ctx, f, append(lines(len(x), EMGlobal, EMReciprocal025, EMLocalPlus), LaplacePerCell), epsilons,
		settings)
}
