package sums

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// staircaseFrom is the least ε of one sum at which steps are taken in place of geometric noise: below, they save less
// than a tenth of the variance.
const staircaseFrom = 2

// laws are the laws of noise to choose from for the problem.
func (p *problem) laws() (out []string) {
	pure := map[string]string{columns: cubeLaw, columnsSquares: cubeLaw, columnsCount: cubeLaw,
		countedSquares: cubeLaw, moments: parabolaLaw}[p.Kind]
	switch {
	case pure == "" || pure == cubeLaw && p.target.Adjacency == dp.ReplaceValue:
		pure = geometricLaw
	case p.m.law == geometricLaw && p.Kind != moments:
		pure = geometricLaw
	}
	if p.m.law == "" || p.m.law == pure {
		out = append(out, pure)
	}
	rate := p.shape.OneParameter() != nil
	if p.m.law == "" && p.Kind == oneSum && !rate && p.target.Notion == dp.Pure &&
		float64(p.target.Epsilon) >= staircaseFrom {
		out = append(out, staircaseLaw)
	}
	// the posterior of a rate with a private n is known under geometric noise
	gaussian := p.target.Notion != dp.Pure && !(rate && p.Kind == halves)
	if gaussian && (p.m.law == "" || p.m.law == gaussianLaw) {
		out = append(out, gaussianLaw)
	}
	return out
}

// calibrate takes the release with squares where there is one and its noise can be drawn. Squares are of no use in a
// census, and of columns on one step, where all are one.
func calibrate(ctx context.Context, p *problem) (params, error) {
	coarse := p.shape.Lattice().Coarse
	if p.m.byUnit {
		of := params{Coarse: coarse, ByUnit: true}
		q, err := calibrateLaws(ctx, p.of(of))
		q.Coarse, q.ByUnit = of.Coarse, of.ByUnit
		return q, err
	}
	if _, ok := p.squared(coarse); ok && p.shape.Schema().Sampling != frame.Census && (coarse > 1 || p.Kind != columns) {
		q, err := calibrateLaws(ctx, p.of(params{Coarse: coarse}))
		if err == nil || ctx.Err() != nil {
			q.Coarse = coarse
			return q, err
		}
	}
	return calibrateLaws(ctx, p)
}

// of is the problem of the release that parameters are of.
func (p *problem) of(q params) *problem {
	with := *p
	if d, ok := p.squared(q.Coarse); ok {
		with.design = d
	}
	if q.ByUnit {
		with.byUnits()
	}
	return &with
}

// calibrateLaws finds the parameters that spend the target for every law, and takes the one with the least error.
func calibrateLaws(ctx context.Context, p *problem) (best params, err error) {
	least := math.Inf(1)
	for _, law := range p.laws() {
		var q params
		if law == gaussianLaw {
			q, err = p.calibrateGaussian(ctx)
		} else {
			q, err = p.calibratePure(ctx, law)
		}
		if err != nil {
			continue // the other law may do; the last error stands if none does
		}
		z, err := p.noise(q)
		if err != nil {
			return params{}, err
		}
		if v := p.score(z); v < least {
			best, least = q, v
		}
	}
	if best.Law != "" {
		return best, ctx.Err()
	}
	return best, err
}

// score is the sum of the noises' variances, those of moments in units of M and M².
func (p *problem) score(z onSums) float64 {
	sum := 0.0
	for i := range p.dims() {
		v := z.variance(i)
		switch m, _ := p.half(); {
		case p.Kind == moments && i == 1:
			v /= float64(m) * float64(m)
		case p.powers() > 0 && i >= p.powers(): // the means are what the release is for
			v = 0
		}
		sum += v
	}
	return sum
}

// denominator is the largest power of two that ε of a law may have below it: rates fit the integer samplers then.
func (p *problem) denominator(law string) int {
	c, r := p.changeOf(p.target.Adjacency), int64(p.rows)
	per := float64(c.l1 * r)
	switch law {
	case cubeLaw:
		per = float64(c.most * r)
	case parabolaLaw:
		m, _ := p.half()
		per = 9 * float64(m) * float64(m) * float64(r)
	case staircaseLaw:
		per = 1
	}
	return int(math.Min(32, math.Floor(math.Log2(samplerDen/per))))
}

// calibratePure finds the greatest ε of a law whose pair meets the target.
func (p *problem) calibratePure(ctx context.Context, law string) (params, error) {
	want, bits := p.target.Parameters, p.denominator(law)
	search := noise.Search{Low: 1e-9, High: 1e4, Bits: 64, Den: 1 << max(bits, 0), Pair: func(eps float64) loss.Pair {
		return p.pairAt(law, eps, p.target.Adjacency, p.rows, want.Notion)
	}}
	if want.Notion == dp.Pure {
		search.High = 1 << 20
	}
	switch {
	case want.Notion == dp.Pure && want.Epsilon >= 1<<20:
		return params{}, mechanism.Unsupported(want.String(), "an ε below 2^20, which promises nothing already")
	case bits < 0:
		return params{}, p.unsampled()
	}
	eps, met, err := search.Least(ctx, want)
	if err != nil {
		return params{}, err
	}
	if !met && want.Notion != dp.Pure && !loss.Meets(loss.Until(ctx, search.Pair(search.Low)), want) {
		return params{}, p.unmet(ctx, params{Law: law, Epsilon: &eps}, "a weaker target")
	}
	if !met {
		return params{}, p.unsampled()
	}
	q := params{Law: law, Epsilon: &eps}
	if law == staircaseLaw {
		period := uint64(p.changeOf(p.target.Adjacency).l1) * uint64(p.rows)
		q.Low = sample.BestLow(period, eps.Float())
	}
	if _, err := p.noise(q); err != nil {
		return params{}, p.unsampled()
	}
	return q, nil
}

// unsampled says that no parameters are in the range of the integer samplers.
func (p *problem) unsampled() error {
	steps, rows := p.Steps, int64(p.rows)
	if p.Unit > 0 {
		steps, rows = p.Coarse, p.Unit
	}
	return mechanism.Unsupported(fmt.Sprintf("%s on a grid of K = %d steps and units of %d rows", p.target.Parameters,
		steps, rows), "WithResolution(K) with a smaller K, or a larger ε")
}

func (p *problem) unmet(ctx context.Context, q params, reachable string) error {
	return mechanism.Unmet(ctx, p.target.Parameters, p.pair(q, p.target.Adjacency, p.rows, p.target.Notion),
		reachable)
}

// maxSigma2 keeps σ² of the second moment in the sampler's range, too.
const maxSigma2 = 1 << 60

// calibrateGaussian finds the least σ² whose pair meets the target.
func (p *problem) calibrateGaussian(ctx context.Context) (params, error) {
	c := p.changeOf(p.target.Adjacency)
	search := noise.GaussianFamily.Search
	search.High = maxSigma2
	search.Start = math.Max(1.0/64, float64(c.cells)*math.Pow(float64(c.shift)*float64(p.rows), 2)*1e-6)
	q := params{Law: gaussianLaw}
	if p.target.Notion == dp.Approximate {
		q.Single, q.Vector = p.Kind == oneSum, p.Kind != oneSum && int(c.shift)*p.rows > 1
	}
	search.Pair = func(sigma2 float64) loss.Pair {
		at, about := q, noise.Dyadic(sigma2, noise.GaussianBits, true)
		at.Sigma2 = &about
		return p.pair(at, p.target.Adjacency, p.rows, p.target.Notion)
	}
	sigma2, met, err := search.Least(ctx, p.target.Parameters)
	if err != nil {
		return params{}, err
	}
	q.Sigma2 = &sigma2
	if !met {
		return params{}, p.unsampled() // a coarser lattice has room for it
	}
	if _, err := p.noise(q); err != nil {
		return params{}, p.unsampled()
	}
	return q, nil
}

// noiseOf is the standard deviation of the noise of an average, times n where n is private: of a mean at the middle of
// the range, which is the mean of least noise there.
func (p *problem) noiseOf(z onSums) float64 {
	sd := math.Sqrt(z.variance(0))
	switch p.Kind {
	case moments:
		_, unit := p.half()
		sd /= float64(unit)
	case halves, groupHalves: // A/(A+B) at one half: its noise is (Z_A − Z_B)/2, in steps
		sd /= math.Sqrt2
	case triple, groupTriple: // at one half (Z_2 − Z_0)/2, in squares of coarse steps
		sd *= float64(p.Steps) / float64(p.Coarse*p.Coarse) / math.Sqrt2
	case UnitMoments: // at one half, in squares of coarse steps
		sd *= float64(p.Steps) / float64(p.Coarse*p.Coarse*p.Unit) * math.Sqrt(.625)
	case groupUnitMoments:
		sd *= float64(p.Steps) / float64(p.Coarse*p.Coarse*p.Unit)
	case columnsCount, countedSquares: // (2k − K)
		sd /= 2
	}
	return sd
}

// expected are the predicted errors, known before anything is spent.
func (p *problem) expected(z onSums) (out []mechanism.Expectation) {
	l := p.shape.Lattice()
	how := "closed form; the rounding of records is not in it"
	names := make([]string, len(l.Low))
	for i := range names {
		names[i] = p.shape.Columns()[i].Name
	}
	per, of := float64(p.about), ""
	if p.n == 0 && p.about > 0 {
		how = fmt.Sprintf("closed form, at %s; the rounding of records is not in it", mechanism.Size(p.shape))
	}
	if p.about == 0 {
		per, of = 1, ", times the number of records"
	}
	if p.byGroup() {
		per, of = 1, ", times the number of records of the group"
		if p.lone() {
			of = ", times the number of records with a value"
		}
	}
	if p.shape.OneParameter() != nil {
		return []mechanism.Expectation{{Name: "noise of the mean of the rounded statistic (sd)" + of,
			Value: p.noiseOf(z) * l.Step(0) / per, How: how}}
	}
	for i, name := range names {
		out = append(out, mechanism.Expectation{Name: fmt.Sprintf("noise of the mean of %s (sd)%s", name, of),
			Value: p.noiseOf(z) * l.Step(i) / per, How: how})
	}
	if p.Kind == moments {
		_, unit := p.half()
		step := l.Step(0) / float64(unit)
		out = append(out, mechanism.Expectation{
			Name:  fmt.Sprintf("noise of the mean square about the middle of %s (sd)%s", names[0], of),
			Value: math.Sqrt(z.variance(1)) * step * step / per, How: how})
	}
	return out
}

// predict is the mean absolute noise of an average as a share of the range, by the ratio √½ of Laplace noise and √(2/π)
// of normal noise to the standard deviation.
func (p *problem) predict(z onSums) func() (float64, string) {
	if p.about == 0 || p.Kind == moments || p.byGroup() || p.Kind == columnsCount || p.Kind == countedSquares {
		return nil
	}
	ratio := math.Sqrt(.5)
	if z.law == gaussianLaw || z.law == cubeLaw {
		ratio = math.Sqrt(2 / math.Pi)
	}
	if p.shape.OneParameter() != nil {
		return func() (float64, string) {
			return p.relative(ratio * p.noiseOf(z)), "to first order, averaged over the prior"
		}
	}
	return func() (float64, string) {
		return ratio * p.noiseOf(z) / float64(p.Steps) / float64(p.about), "closed form, as a share of the range"
	}
}

// priorPoints are the values of a parameter that its error is averaged over.
const priorPoints = 64

// relative is the mean relative error of a one-parameter model's θ, where the sum's is noise on average: noise/(n·|dm/d
// log θ|), m the mean of a record's place, averaged over the prior on its range. A single θ counts at most 1.
func (p *problem) relative(noise float64) float64 {
	one := p.shape.OneParameter()
	law, low, high, prior := one.Record, one.Low, one.High, one.LogPrior
	cells := make([]float64, p.Steps+1)
	mean := func(theta float64) (m float64) {
		law(theta, cells)
		for k, v := range cells {
			m += float64(k) * v
		}
		return m
	}
	unit := func(float64) float64 { return 1 }
	if l := p.shape.Lattice(); p.countsEvents() { // its errors are shares of the range
		unit = func(theta float64) float64 { return theta / (l.High[0] - l.Low[0]) }
	}
	sum, total := 0.0, 0.0
	for i := range priorPoints {
		theta := low + (float64(i)+.5)/priorPoints*(high-low)
		const h = 1e-3
		slope := math.Abs(mean(theta*(1+h))-mean(theta*(1-h))) / (2 * h)
		w := math.Exp(prior(theta) - prior(low))
		sum += w * math.Min(1, noise/(float64(p.about)*slope)) * unit(theta)
		total += w
	}
	return sum / total
}

func (p *problem) countsEvents() bool {
	_, ok := p.shape.Model().(model.PoissonModel)
	return ok
}

func (p *problem) settings(q params) []mechanism.Setting {
	noise := q.Law
	if q.Epsilon != nil {
		noise += fmt.Sprintf(", ε = %s = %.6g", q.Epsilon, q.Epsilon.Float())
	} else {
		noise += fmt.Sprintf(", σ² = %s = %.6g squared steps", q.Sigma2, q.Sigma2.Float())
	}
	lattice := fmt.Sprintf("K = %d steps of %.6g", p.Steps, p.shape.Lattice().Step(0))
	if p.Coarse > 0 && p.Coarse < p.Steps {
		lattice += fmt.Sprintf("; squares on J = %d", p.Coarse)
	}
	return []mechanism.Setting{
		{Name: "noise", Value: noise}, {Name: "grid", Value: lattice}, {Name: "released", Value: p.released()},
	}
}

// byGroup reports whether groups have sums of their own, and a private number of records.
func (d design) byGroup() bool {
	return d.Kind == groupHalves || d.Kind == groupTriple || d.Kind == groupUnitMoments
}

// lone reports whether the release is a single column's, whose records without a value are omitted.
func (p *problem) lone() bool { return p.Omit && len(p.shape.Columns()) == 1 }

// released says in words which integers are released, and of which records.
func (p *problem) released() string {
	switch {
	case p.lone():
		return strings.TrimSuffix(p.Kind, " by group") + " of the records with a value"
	case p.Omit:
		return p.Kind + ", of the records with a value"
	}
	return p.Kind
}

// standardFormula is what the usual formula claims: Laplace noise at ε = Δ₁γ, or ρ = Δ₂²/(2σ²) and its conversion.
func (p *problem) standardFormula(q params) mechanism.StandardFormula {
	c := p.changeOf(p.target.Adjacency)
	if q.Epsilon != nil {
		return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(q.Epsilon.Float())},
			Source: "the noise's own norm; Dwork, McSherry, Nissim, Smith 2006; Hardt, Talwar 2010"}
	}
	out := mechanism.StandardFormula{}
	out.Level, out.Source = noise.StandardGaussian(q.Sigma2.Float(),
		float64(c.cells)*float64(c.shift*c.shift)*float64(p.rows*p.rows), p.target.Parameters)
	return out
}
