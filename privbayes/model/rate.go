package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// RateModel is the one parameter θ of a law whose likelihood is ∝ θ^{nκ}e^{−θΣT}, on a range: see Exponential,
// LaplaceScale and NormalPrecision.
type RateModel struct {
	ofSums
	law        int // of rates
	center     float64
	limits     []float64
	resolution int64
}

// rates are the laws: T is a function of the distance from the known location, which is 0 for the exponential law.
var rates = [...]struct {
	kind, constructor string
	distribution      string
	sum               string // names Σ T, of the column and the location
	power, constant   float64
	statistic         func(distance float64) float64
	draw              func(src rand.Source, theta float64) float64 // about the location
}{
	{"exponential", "Exponential", "exponential distribution", "Σ %[1]s", 1, 0, func(d float64) float64 { return d },
		func(src rand.Source, theta float64) float64 { return math.Exp(sample.LogGamma(src, 1)) / theta }},
	{"laplace-scale", "LaplaceScale", "Laplace distribution", "Σ |%s − %v|", 1, -math.Ln2, func(d float64) float64 { return d },
		func(src rand.Source, theta float64) float64 {
			return math.Copysign(math.Exp(sample.LogGamma(src, 1))/theta, sample.Float64(src)-.5)
		}},
	{"normal-precision", "NormalPrecision", "normal distribution", "Σ (%s − %v)²/2", .5, -math.Log(2*math.Pi) / 2,
		func(d float64) float64 { return d * d / 2 },
		func(src rand.Source, theta float64) float64 { return sample.Normal(src) / math.Sqrt(theta) }},
}

const exponential = 0 // in rates: the law without a location

func rate(law int, column string, center float64) RateModel {
	return RateModel{ofSums: ofSums{base{column, Prior{1}}}, law: law, center: center}
}

// Exponential is the rate θ of a column with density θe^{−θx} on values ≥ 0, under the prior Exp(λ), λ = 1, on a range
// that WithRange sets.
func Exponential(column string) RateModel { return rate(exponential, column, 0) }

// LaplaceScale is the inverse scale θ of a column with density ½θe^{−θ|x−μ|} and known location μ.
func LaplaceScale(column string, mu float64) RateModel { return rate(1, column, mu) }

// NormalPrecision is the precision θ of a normal column with known mean μ.
func NormalPrecision(column string, mu float64) RateModel { return rate(2, column, mu) }

// WithPrior sets the rate λ > 0 of the prior Exp(λ): a public choice.
func (m RateModel) WithPrior(lambda ...float64) RateModel { m.alpha = slices.Clone(lambda); return m }

// WithRange sets the range [c1, c2] of the rate, 0 < c1 < c2: a public choice, and what bounds the privacy loss of a
// posterior sample.
func (m RateModel) WithRange(c1, c2 float64) RateModel { m.limits = []float64{c1, c2}; return m }

// WithResolution sets the number K of steps of the statistic T's range that records are rounded to where noisy sums are
// released: a public choice, 1 ≤ K ≤ 2^13, 256 without. The rounding is part of the likelihood then.
func (m RateModel) WithResolution(k int64) RateModel { m.resolution = k; return m }

// String describes the model.
func (m RateModel) String() string {
	return fmt.Sprintf("%s rate of %s", strings.ReplaceAll(rates[m.law].kind, "-", " "), safetext.Quote(m.target))
}

func (m RateModel) describe() Description {
	return Description{Kind: rates[m.law].kind, Target: m.target, Alpha: m.alpha, Range: m.limits, Center: m.center,
		Resolution: m.resolution}
}

func (m RateModel) with(d Description) Model {
	m.target, m.alpha, m.limits, m.resolution = d.Target, d.Alpha, d.Range, d.Resolution
	if m.law != exponential {
		m.center = d.Center
	}
	return m
}

// columns checks the column, its public bounds, and the range.
func (m RateModel) columns(s *frame.Schema) ([]frame.Column, error) {
	c, err := bounded(m, nameColumns(s), m.target)
	if err != nil {
		return nil, err
	}
	if err := m.parameter(m, "prior rate λ"); err != nil {
		return nil, err
	}
	if r := m.limits; len(r) != 2 || !(r[0] > 0 && r[0] < r[1]) || math.IsInf(r[1], 1) {
		return nil, wrong(m, "", rangeText(r), "WithRange(c1, c2), 0 < c1 < c2 finite")
	}
	if m.law == exponential && c.Min < 0 {
		return nil, wrong(m, m.target, fmt.Sprintf("bounds [%v, %v]", c.Min, c.Max), "values ≥ 0 for exponential data")
	}
	if math.IsNaN(m.center) || math.IsInf(m.center, 0) {
		return nil, wrong(m, "", fmt.Sprintf("location %v", m.center), "a finite number")
	}
	if m.resolution < 0 || m.resolution > maxStepsSquare {
		return nil, wrong(m, "", fmt.Sprintf("resolution K = %d", m.resolution), fmt.Sprintf("1 ≤ K ≤ %d", maxStepsSquare))
	}
	return []frame.Column{c}, nil
}

// rateSteps is K of a rate's lattice where nothing else is asked for.
const rateSteps = 1 << 8

func (RateModel) parameters(*Shape) []string { return []string{"rate"} }

func (m RateModel) layOut(sh *Shape) error {
	r := sh.Rate()
	sh.lattice = &Lattice{Form: oneSum, Steps: rateSteps, Low: []float64{r.Least}, High: []float64{r.Most}}
	if m.resolution > 0 {
		sh.lattice.Steps = m.resolution
	}
	if sum := rates[m.law].sum; m.law == exponential {
		sh.sums = []string{fmt.Sprintf(sum, m.target)}
	} else {
		sh.sums = []string{fmt.Sprintf(sum, m.target, m.center)}
	}
	return nil
}

// statistic is T(x); values outside the bounds, where the schema lets them in, count as the nearest bound.
func (m RateModel) statistic(c frame.Column, x float64) float64 {
	return rates[m.law].statistic(math.Abs(math.Min(math.Max(x, c.Min), c.Max) - m.center))
}

// Rate is what a model of a rate θ is made of: the likelihood of n records is ∝ θ^{nκ}e^{−θΣT}, on a public range of θ.
type Rate struct {
	Statistic   func(x float64) float64 // T
	Least, Most float64                 // of T between the column's bounds
	Power       float64                 // κ
	From, To    float64                 // the range of θ
}

// Rate is that of a model of a rate; nil for other models.
func (s *Shape) Rate() *Rate {
	m, ok := s.model.(RateModel)
	if !ok {
		return nil
	}
	c, law := s.columns[0], rates[m.law]
	far := math.Max(math.Abs(c.Min-m.center), math.Abs(c.Max-m.center))
	near := math.Max(0, math.Max(c.Min-m.center, m.center-c.Max))
	return &Rate{func(x float64) float64 { return law.statistic(math.Abs(x - m.center)) }, law.statistic(near),
		law.statistic(far), law.power, m.limits[0], m.limits[1]}
}

// recordLaw fills in the probabilities of a record's places at rate θ: T of a value that was moved to the bounds,
// rounded.
func (m RateModel) recordLaw(sh *Shape) func(theta float64, p []float64) {
	c, l := sh.columns[0], sh.lattice
	cdf := m.cdf()
	return func(theta float64, p []float64) {
		below := 0.0
		for k := range p {
			upper := 1.0
			if k < len(p)-1 {
				t := l.Value(0, float64(k)+.5)
				d := t
				if rates[m.law].power == .5 {
					d = math.Sqrt(2 * t)
				}
				if m.center+d < c.Max {
					upper = cdf(theta, m.center+d)
				}
				if m.center-d > c.Min {
					upper -= cdf(theta, m.center-d)
				}
			}
			p[k] = math.Max(upper-below, 0)
			below = upper
		}
	}
}

// cdf is the distribution function of a value.
func (m RateModel) cdf() func(theta, x float64) float64 {
	switch rates[m.law].kind {
	case "laplace-scale":
		return func(theta, x float64) float64 {
			if x < m.center {
				return math.Exp(theta*(x-m.center)) / 2
			}
			return 1 - math.Exp(-theta*(x-m.center))/2
		}
	case "normal-precision":
		return func(theta, x float64) float64 { return math.Erfc(-(x-m.center)*math.Sqrt(theta/2)) / 2 }
	}
	return func(theta, x float64) float64 { return -math.Expm1(-theta * math.Max(x, 0)) }
}

// summary shows the rate, and how much of its distribution lies outside the bounds.
func (m RateModel) summary(f *Fitted) *table.Table { return noteOutside(f, f.Draws().Summary()) }

// posterior is the exact posterior of the rate given Σ T, on the model's range: Gamma(1 + nκ, λ + ΣT) truncated.
func (m RateModel) posterior(n int, sum float64) (*truncated.Gamma, error) {
	return truncated.NewGamma(1+rates[m.law].power*float64(n), m.alpha[0]+sum, m.limits[0], m.limits[1])
}

// rateSum is Σ T over rows, each T rounded to the nearest multiple of 2^exp, ties to even, within its public range: the
// multiples between T's bounds low and high, so that a row moves the sum by at most high − low. The step is below
// 2^−62·2·high, and T's own rounding, to 53 bits, is coarser for all T above high/1024.
type rateSum struct {
	model     RateModel
	column    frame.Column
	exp       int
	low, high float64 // in steps
	lattice   *Lattice
	sum       []num.Int128 // Σ T in steps, Σ k on the lattice
}

func (m RateModel) summer(sh *Shape) (summer, error) {
	r := sh.Rate()
	low, high := r.Least, r.Most
	s := &rateSum{model: m, column: sh.columns[0], lattice: sh.lattice, sum: make([]num.Int128, 2)}
	if high > 0 && !math.IsInf(high, 1) {
		_, top := math.Frexp(high)
		s.exp = top - 62
		s.low, s.high = math.Ceil(math.Ldexp(low, -s.exp)), math.Ldexp(high, -s.exp)
	}
	return s, nil
}

// steps is what a row with value x adds: to Σ T, and its place on the lattice.
func (s *rateSum) steps(x float64) (steps, place int64) {
	v := s.model.statistic(s.column, x)
	t := math.RoundToEven(math.Ldexp(v, -s.exp))
	if !(t > s.low) {
		t = s.low
	}
	return int64(math.Min(t, s.high)), s.lattice.At(0, v)
}

func (s *rateSum) add(_ []frame.Codes, values [][]float64) error {
	sum, places := s.sum[0], s.sum[1]
	for _, x := range values[0] {
		t, k := s.steps(x)
		sum, places = sum.Add(t), places.Add(k)
	}
	s.sum[0], s.sum[1] = sum, places
	return nil
}

func (s *rateSum) addRow(_ []int32, values []float64, count int64) error {
	t, k := s.steps(values[0])
	s.sum[0], s.sum[1] = s.sum[0].AddProduct(t, count), s.sum[1].AddProduct(k, count)
	return nil
}

func (s *rateSum) numbers() []num.Int128 { return s.sum }

func (s *rateSum) sums() []float64 { return []float64{s.sum[0].Float(s.exp)} }

func (s *rateSum) whole() []int64 { return wholes(s.sum[1:]) }

// fitPlain is the posterior by its quantiles.
func (m RateModel) fitPlain(st *Statistics) (*Fitted, error) {
	law, err := m.posterior(st.rows, st.sums[0])
	if err != nil {
		return nil, err
	}
	s, d := law.Sampler(), &Draws{Names: []string{"rate"}}
	for i := range fitDraws {
		d.Values = append(d.Values, []float64{s.Quantile((float64(i) + .5) / fitDraws)})
	}
	return Fit(st.shape, Estimate{Draws: d})
}

// exactMeans is in place of the mean of quantiles.
func (m RateModel) exactMeans(st *Statistics) ([][]float64, error) {
	law, err := m.posterior(st.rows, st.sums[0])
	if err != nil {
		return nil, err
	}
	return [][]float64{{math.Exp(law.LogMoment(1))}}, nil
}

func (RateModel) words() Words {
	return Words{
		Measures: []string{"−log-density (nats)"}, Headline: "log-density", Score: densityScore, Public: "bounds",
		Error: "the rate, relative", Source: "the rate from the model's prior on its range",
	}
}

const densityScore = "mean log-density at the posterior mean (nats)"

// scores is the mean log-density of held-out values at the posterior mean θ of the rate: κ ln θ − θT(x) + the law's
// constant.
func (m RateModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	values, err := f.heldOut(x, m.target)
	if err != nil {
		return nil, err
	}
	theta, sum := f.Draws().Mean()[0], 0.0
	for _, v := range values {
		sum += m.statistic(f.shape.columns[0], v)
	}
	law := rates[m.law]
	return []Score{{Name: densityScore,
		Value: law.power*math.Log(theta) - theta*sum/float64(len(values)) + law.constant}}, nil
}

func (m RateModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	if unseen(x) {
		return []float64{0}, nil
	}
	s, err := f.Scores(x)
	if err != nil {
		return nil, err
	}
	return []float64{-s[0].Value}, nil
}

func (RateModel) means(f *Fitted) [][]float64 { return [][]float64{f.Draws().Mean()} }

// distance is relative.
func (RateModel) distance(_ *Shape, plain, released [][]float64) (absolute, kl float64) {
	return difference(plain, released) / plain[0][0], math.NaN()
}

// figure is the distribution function of the draws.
func (m RateModel) figure(f, np *Fitted, caption string) *figure.Figure {
	name := f.Draws().Names[0]
	out := &figure.Figure{Title: fmt.Sprintf("Draws of the %s", name), XLabel: name, YLabel: "share of draws at most",
		Caption: caption, Private: np != nil}
	for i, s := range compared(f, np) {
		values, _ := s.draws.Parameter(name)
		slices.Sort(values)
		line := figure.Series{Name: s.name, Kind: figure.Line, Dashed: i > 0, X: values}
		if len(values) == 1 {
			line.Kind = figure.Points
		}
		for k := range values {
			line.Y = append(line.Y, float64(k+1)/float64(len(values)))
		}
		out.Series = append(out.Series, line)
	}
	return out
}

// rateRows are the rows drawn for the sum of a rate; for larger n the sum is scaled up. What is left out is sampling
// variation, which both estimates share.
const rateRows = 10_000

func (m RateModel) steps(_ *Shape, n int) float64 { return 2e4 + 80*float64(min(n, rateRows)) }

// simulate draws a rate from the model's own prior on its range, and values with that rate, moved to the column's
// bounds where they are outside.
func (m RateModel) simulate(_ context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	prior, err := m.posterior(0, 0)
	if err != nil {
		return nil, err
	}
	theta := prior.Sampler().Draw(src)
	rows, sum, places := min(n, rateRows), 0.0, int64(0)
	for range rows {
		t := m.statistic(sh.columns[0], m.center+rates[m.law].draw(src, theta))
		sum += t
		places += sh.lattice.At(0, t)
	}
	scale := float64(n) / float64(rows)
	st, err := FromSums(sh, n, []float64{sum * scale})
	if err == nil {
		st.whole = []int64{int64(math.Round(float64(places) * scale))}
	}
	return st, err
}

// PoissonModel is the mean λ of a column of Poisson counts: see Poisson.
type PoissonModel struct {
	ofWhole
	limits []float64
}

// Poisson is the mean λ of a column of whole numbers with P(x) = e^{−λ}λ^x/x!, moved to the column's public bounds. Its
// prior is uniform on a public range, by default from a thousandth of the upper bound to the bound.
func Poisson(column string) PoissonModel {
	return PoissonModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}}
}

// WithRange sets the range [c1, c2] of λ, 0 < c1 < c2: a public choice.
func (m PoissonModel) WithRange(c1, c2 float64) PoissonModel { m.limits = []float64{c1, c2}; return m }

// String describes the model.
func (m PoissonModel) String() string { return "Poisson mean of " + safetext.Quote(m.target) }

func (m PoissonModel) describe() Description {
	return Description{Kind: "poisson", Target: m.target, Alpha: m.alpha, Range: m.limits}
}

func (m PoissonModel) with(d Description) Model {
	m.target, m.alpha, m.limits = d.Target, d.Alpha, d.Range
	return m
}

// maxEvents bounds the distance of the bounds, and with it the work of a posterior.
const maxEvents = 1 << 12

func (m PoissonModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, 0); err != nil {
		return nil, err
	}
	list, err := numericColumns(m, s, []string{m.target})
	if err != nil {
		return nil, err
	}
	c := list[0]
	switch r := m.limits; {
	case c.Kind != frame.KindInteger || math.Ceil(c.Min) < 0:
		return nil, wrong(m, c.Name, fmt.Sprintf("kind %s, from %v", c.Kind, c.Min), "whole numbers ≥ 0")
	case len(r) != 0 && (len(r) != 2 || !(r[0] > 0 && r[0] < r[1]) || math.IsInf(r[1], 1)):
		return nil, wrong(m, "", rangeText(r), "WithRange(c1, c2), 0 < c1 < c2 finite")
	}
	return list, nil
}

// rangeOf is the range of λ.
func (m PoissonModel) rangeOf(sh *Shape) (c1, c2 float64) {
	if len(m.limits) == 2 {
		return m.limits[0], m.limits[1]
	}
	top := sh.lattice.High[0]
	return top / 1000, top
}

func (PoissonModel) parameters(*Shape) []string { return []string{"mean"} }

func (m PoissonModel) layOut(sh *Shape) error {
	sh.lattice = latticeOf(oneSum, 0, maxEvents+1, maxEvents, sh.columns...)
	sh.sums = []string{"Σ " + sh.columns[0].Name}
	if sh.lattice.Steps < 1 || sh.lattice.Steps > maxEvents {
		return wrong(m, m.target, fmt.Sprintf("bounds [%v, %v]", sh.columns[0].Min, sh.columns[0].Max),
			fmt.Sprintf("bounds 1 to %d apart", maxEvents))
	}
	return nil
}

// recordLaw fills in the probabilities of a count's places: those of a Poisson count, the ends with what lies beyond.
func (m PoissonModel) recordLaw(sh *Shape) func(theta float64, p []float64) {
	low := int(sh.lattice.Low[0])
	return func(lambda float64, p []float64) {
		clear(p)
		rest, last := 1.0, len(p)-1
		logp := -lambda
		for x := 0; x < low+last; x++ {
			v := math.Exp(logp)
			p[max(x-low, 0)] += v
			rest -= v
			logp += math.Log(lambda / float64(x+1))
		}
		p[last] += math.Max(rest, 0)
	}
}

func (m PoissonModel) plainMeans(st *Statistics) []float64 {
	return []float64{st.shape.lattice.Value(0, float64(st.whole[0])/float64(st.rows))}
}

func (m PoissonModel) ranges(sh *Shape) []float64 {
	return []float64{sh.lattice.High[0] - sh.lattice.Low[0]}
}

// summary shows the mean, and how much of its distribution lies outside the bounds.
func (m PoissonModel) summary(f *Fitted) *table.Table { return noteOutside(f, m.ofWhole.summary(f)) }

// fitPlain is the posterior by its quantiles, Gamma(1 + Σx, n) on the range: what is at the bounds is taken as it is.
func (m PoissonModel) fitPlain(st *Statistics) (*Fitted, error) {
	c1, c2 := m.rangeOf(st.shape)
	sum := float64(st.whole[0]) + float64(st.rows)*st.shape.lattice.Low[0]
	law, err := truncated.NewGamma(1+sum, math.Max(float64(st.rows), 1e-9), c1, c2)
	if err != nil {
		return nil, err
	}
	s, d := law.Sampler(), &Draws{Names: st.shape.Parameters()}
	for i := range fitDraws {
		d.Values = append(d.Values, []float64{s.Quantile((float64(i) + .5) / fitDraws)})
	}
	return Fit(st.shape, Estimate{Draws: d})
}

// simulate draws λ uniform on its range, and counts as the number of exponential waiting times in a unit of time.
func (m PoissonModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	c1, c2 := m.rangeOf(sh)
	lambda, rows := c1+sample.Float64(src)*(c2-c1), min(n, simulatedRows)
	sums := []int64{0}
	for range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x, t := 0.0, math.Exp(sample.LogGamma(src, 1))
		for ; t < lambda; t += math.Exp(sample.LogGamma(src, 1)) {
			x++
		}
		sh.lattice.Add(sums, []int64{sh.lattice.At(0, x)}, 0)
	}
	if rows > 0 {
		sums[0] = int64(math.Round(float64(sums[0]) * float64(n) / float64(rows)))
	}
	return FromWhole(sh, n, sums)
}

// OneParameter is the likelihood of one record of a model with one parameter θ > 0, for a posterior given a noisy sum:
// the distribution of the record's place, the public range of θ and the log of its prior's density there.
type OneParameter struct {
	Record    func(theta float64, p []float64) // fills in P(place | θ)
	Low, High float64
	LogPrior  func(theta float64) float64
}

// OneParameter is that of a model with one parameter; nil for other models.
func (s *Shape) OneParameter() *OneParameter {
	if m, ok := s.model.(interface{ oneParameter(*Shape) *OneParameter }); ok {
		return m.oneParameter(s)
	}
	return nil
}

func (m RateModel) oneParameter(sh *Shape) *OneParameter {
	prior := func(theta float64) float64 { return -m.alpha[0] * theta }
	return &OneParameter{m.recordLaw(sh), m.limits[0], m.limits[1], prior}
}

func (m PoissonModel) oneParameter(sh *Shape) *OneParameter {
	low, high := m.rangeOf(sh)
	return &OneParameter{m.recordLaw(sh), low, high, func(float64) float64 { return 0 }}
}

// rangeText is a range of a parameter as it was given.
func rangeText(r []float64) string {
	if len(r) == 0 {
		return "no range"
	}
	return fmt.Sprintf("range %v", r)
}
