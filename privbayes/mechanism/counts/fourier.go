package counts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// FourierNoise releases tables over two-level columns through their parities: see Fourier.
type FourierNoise struct {
	mechanism.Front
	nonNegative float64
}

// Fourier is Algorithm 2 of Zhang, Rubinstein and Dimitrakakis (AAAI 2016) in integers. With two levels everywhere, for
// every set g of columns inside a family it measures c_g, the number of records with an odd number of ones in g, and
// adds two-sided geometric noise; φ_g = n − 2c_g are the Fourier coefficients that determine all tables. Replacing a
// record changes at most odd(N) of the counts by one, computed exactly where the graph allows, so γ = ε/odd(N) is ε-DP;
// the paper's scale 2|N|/ε spends less than its ε (odd(N) lies between (|N|−1)/2 and |N|−1). φ_0 = n is public. All
// tables come from the same coefficients, so they agree wherever they share columns; cells may be negative and are cut
// to 0, which loses that, unless WithNonNegative raises them.
//
// With more levels it measures the coefficients φ_γ in products of Helmert bases, rounded to a public lattice; what
// rounding can add to the L1 sensitivity is charged. There it is noisier than noise on the tables (§2.6). Replace-one;
// arithmetic: exact. Source: theory/networks.md §2, §7.
func Fourier() FourierNoise { return FourierNoise{}.WithNonNegative(0) }

// WithNonNegative raises every cell of a table with s columns by a public amount increment/2^s so that, with the given
// probability over the noise, no cell of any table is negative. The increment is the quantile of the sum of the noise's
// absolute values in the coefficients, b·Gamma⁻¹(|N|−1; p) + |N| − 1 with b = 2/γ: |Z| of geometric noise is at most an
// exponential of rate γ plus ½ in distribution. It is free of data, and large.
func (m FourierNoise) WithNonNegative(probability float64) FourierNoise {
	m.nonNegative = probability
	m.Front = mechanism.FrontOf(func() mechanism.Family[*fourierPlan, fourierParams] { return m.mathematics() })
	return m
}

// fourierSupports accepts models with public n, at most 1e9 records where a column has more than two levels:
// *mechanism.UnsupportedError.
func fourierSupports(sh *model.Shape) error {
	if err := mechanism.CountsOnly(sh); err != nil {
		return err
	}
	if n, _ := sh.N(); n <= maxLatticeN {
		return nil
	}
	for _, c := range sh.Columns() {
		if c.Levels() != 2 {
			return mechanism.Unsupported(fmt.Sprintf("more than %d records with column %q of %d levels", maxLatticeN, c.Name,
				c.Levels()), "Geometric().WithPostProcess(Consistent), which is less noisy there (theory/networks.md §2.6)")
		}
	}
	return nil
}

type fourierParams struct {
	Noise       noise.Rational `json:"noise"`
	NonNegative float64        `json:"non_negative,omitempty"`
}

// fourierPlan is what planning needs of a shape.
type fourierPlan struct {
	shape    *model.Shape
	target   dp.Request
	spectrum *parity.Spectrum
	odd      int64 // with two levels everywhere
	exact    bool
	counts   sensitivity.CountTables
	lattice  lattice // with more
}

// oddLimit bounds the tables of the elimination that finds odd(N): a GiB.
const oddLimit = 100_000_000

func (m FourierNoise) prepare(ctx context.Context, sh *model.Shape, t dp.Request) (*fourierPlan, error) {
	if !(m.nonNegative >= 0 && m.nonNegative < 1) {
		return nil, domain.Refuse("counts", "non_negative", m.nonNegative, "a probability in [0, 1); 0 raises nothing")
	}
	s, err := sensitivity.OfCounts(sh, t.Adjacency)
	if err != nil {
		return nil, err
	}
	if t.Adjacency != dp.ReplaceOne {
		return nil, mechanism.Unsupported(t.Adjacency.String()+" adjacency", "replace-one, or Geometric()")
	}
	spectrum, err := spectrumOf(ctx, sh)
	if err != nil {
		return nil, err
	}
	if !spectrum.Binary() {
		n, _ := sh.N()
		l, err := newLattice(spectrum, n)
		if err != nil {
			return nil, cmp.Or(tooLarge(err), err)
		}
		return &fourierPlan{shape: sh, target: t, spectrum: spectrum, exact: l.exact,
			counts: sensitivity.CountTables{Cells: 1, Rows: int(l.steps) * s.Rows}, lattice: l}, nil
	}
	odd, exact, _, err := spectrum.OddSensitivity(oddLimit)
	if err != nil {
		return nil, cmp.Or(tooLarge(err), err)
	}
	return &fourierPlan{shape: sh, target: t, spectrum: spectrum, odd: odd, exact: exact,
		counts: sensitivity.CountTables{Cells: int(odd), Rows: s.Rows}}, nil
}

func (m FourierNoise) mathematics() mechanism.Family[*fourierPlan, fourierParams] {
	return mechanism.Family[*fourierPlan, fourierParams]{
		Kind: "fourier", Title: "Fourier: geometric noise on parities", Supports: fourierSupports,
		Prepare: m.prepare, Calibrate: m.calibrate, Certify: m.certify,
		Of: func(p fourierParams) (mechanism.Family[*fourierPlan, fourierParams], error) {
			return m.WithNonNegative(p.NonNegative).mathematics(), p.Noise.Valid()
		},
	}
}

// calibrate finds the greatest rate that meets the target. AsPublished(ε) is the paper's own scale, |N| in place of
// odd(N).
func (m FourierNoise) calibrate(ctx context.Context, p *fourierPlan) (fourierParams, error) {
	calibrated := p.counts
	if p.target.NominalScale {
		if !p.spectrum.Binary() {
			return fourierParams{}, mechanism.Unsupported("a nominal scale with more than two levels: the paper has none",
				"PureDP(ε)")
		}
		calibrated.Cells = p.spectrum.Size()
	}
	d, err := least(ctx, noise.GeometricFamily, calibrated, p.target.Parameters)
	if err != nil {
		return fourierParams{}, err
	}
	return fourierParams{parameter(d), m.nonNegative}, nil
}

func (m FourierNoise) certify(ctx context.Context, p *fourierPlan,
	params fourierParams) (spec mechanism.Spec, err error) {
	sh, t, r := p.shape, p.target, params.Noise
	law, err := noise.NewGeometric(r)
	if err != nil {
		return spec, err
	}
	checks, err := m.checks(ctx, sh, t, p, r)
	if err != nil {
		return spec, err
	}
	n, _ := sh.N()
	d := &fourierSampler{shape: sh, spectrum: p.spectrum.Watched(parity.Watch{}), law: law, n: float64(n),
		lattice: p.lattice}
	size := p.spectrum.Size()
	how := "exact, by elimination"
	if !p.exact {
		how = "a proved bound: the graph is too wide for the exact value"
	}
	scale := 2 / r.Float() // of the noise on φ
	settings := []mechanism.Setting{
		{Name: "coefficients", Value: fmt.Sprintf("|N| = %d, φ₀ = n public", size)},
		{Name: "sensitivity", Value: fmt.Sprintf("odd(N) = %d parity counts, by one each (%s); the paper's 2|N| is "+
			"%.3g times that of φ", p.odd, how, float64(size)/float64(p.odd))},
		{Name: "noise", Value: fmt.Sprintf("two-sided geometric, rate γ = %s = %.6g per parity count", r, r.Float())},
	}
	textbook := mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure,
		Epsilon: cert.Number(r.Float() * float64(size*p.counts.Rows))}, Source: "scale 2|N|/ε, Corollary 2"}
	round := 1.0 // what |Z| of geometric noise on φ may exceed an exponential by, in distribution
	if !p.spectrum.Binary() {
		scale, round = p.lattice.step/r.Float(), p.lattice.step // half for the noise, half for rounding
		settings[1].Value = fmt.Sprintf("S = %.6g on φ (%s), %d steps of %.3g with rounding", p.lattice.sensitivity,
			how, p.lattice.steps, p.lattice.step)
		settings[2].Value = fmt.Sprintf("two-sided geometric, rate γ = %s = %.6g per step", r, r.Float())
		textbook = mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure,
			Epsilon: cert.Number(r.Float() * float64(p.counts.Rows))}, Source: "ε = Δ₁γ"}
	}
	if m.nonNegative > 0 {
		k := float64(size - 1)
		d.increment = (mathext.GammaIncRegCompInv(k, 1-m.nonNegative)*scale + k*round) * p.spectrum.Largest()
		settings = append(settings, mechanism.Setting{Name: "increment", Value: fmt.Sprintf("%.6g records, no "+
			"negative cell with probability %g", d.increment, m.nonNegative)})
	}
	expected, err := m.expected(sh, p, law)
	if err != nil {
		return spec, err
	}
	return mechanism.Spec{
		Shape: sh, Settings: settings, Arithmetic: dp.Exact, Pair: law.Pair(p.counts.Cells,
			p.counts.Rows), StandardFormula: textbook,
		Checks: checks, Expected: expected, Sampler: d,
		Measured: &mechanism.Measured{Parities: &mechanism.ParityNoise{Noise: law,
			Spectrum: d.spectrum, Step: p.lattice.step}},
	}, nil
}

// expected is the noise of a cell of each family, averaged, before cutting.
func (m FourierNoise) expected(sh *model.Shape, p *fourierPlan, law noise.Probabilities) ([]mechanism.Expectation,
	error) {
	sum, cells := 0.0, 0.0
	arities := p.spectrum.Arities()
	for _, set := range familySets(sh, p.spectrum) {
		v, err := p.spectrum.FourierVariance(set)
		if err != nil {
			return nil, err
		}
		size := 1.0
		for _, x := range set {
			size *= float64(arities[x])
		}
		sum, cells = sum+size*v, cells+size
	}
	unit := 2.0 // φ = n − 2c
	if !p.spectrum.Binary() {
		unit = p.lattice.step
	}
	sd := unit * math.Sqrt(law.Variance()*sum/cells)
	out := []mechanism.Expectation{{Name: FamilyNoiseName, Value: sd, Unit: "records", How: "closed form, root mean " +
		"square, before cutting"}}
	if n, _ := sh.N(); n > 0 {
		out = append(out, mechanism.Expectation{Name: mechanism.ProportionErrorName,
			Value: sd * math.Sqrt(2/math.Pi) / float64(n), How: "normal approximation of the sum of many noises"})
	}
	return out, nil
}

// fourierSampler measures parities.
type fourierSampler struct {
	shape     *model.Shape
	spectrum  *parity.Spectrum
	law       noise.Distribution
	n         float64
	increment float64 // added to φ₀
	lattice   lattice // with more than two levels
}

// Draw turns the tables into parity counts, as one list without the constant, and adds noise.
func (d *fourierSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	if !d.spectrum.Binary() {
		raw, err := d.drawLattice(ctx, tables, src)
		return mechanism.Output{Raw: raw}, err
	}
	phi, err := d.spectrum.Coefficients(tables)
	if err != nil {
		// the cause would show counts
		return mechanism.Output{}, fmt.Errorf("mechanism: the tables are not of the same records")
	}
	out := make([]int64, len(phi)-1)
	progress := cert.NewProgress(ctx, drawSteps*float64(len(out)))
	for i, v := range phi[1:] {
		if err := progress.Step(drawSteps); err != nil {
			return mechanism.Output{}, err
		}
		out[i] = (phi[0]-v)/2 + d.law.Draw(src)
	}
	return mechanism.Output{Raw: [][]int64{out}}, nil
}

// Estimate makes the tables of the noisy coefficients and cuts negative cells.
func (d *fourierSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	if len(raw) != 1 || len(raw[0]) != d.spectrum.Size()-1 {
		return model.Estimate{}, domain.Refuse("counts", "raw", "a wrong number of parities",
			"one list with a count for every coefficient but the constant")
	}
	phi := make([]float64, len(raw[0])+1)
	phi[0] = d.n + d.increment
	for i, c := range raw[0] {
		phi[i+1] = d.n - 2*float64(c)
		if !d.spectrum.Binary() {
			phi[i+1] = d.lattice.step * float64(c)
		}
	}
	tables, err := d.spectrum.Tables(phi)
	if err != nil {
		return model.Estimate{}, err
	}
	for _, t := range tables {
		for i, v := range t {
			t[i] = math.Min(math.Max(v, 0), phi[0]) // φ₀: n, and the increment if there is one
		}
	}
	return model.Estimate{Tables: tables, Class: model.ClassMargin(d.shape, tables)}, nil
}

// lattice is the public grid that coefficients of columns with more than two levels are rounded to.
type lattice struct {
	step        float64 // a power of two
	sensitivity float64 // S, the L1 sensitivity of φ
	exact       bool
	steps       int64 // the L1 sensitivity of the rounded coefficients, in steps
}

// maxLatticeN keeps the rounding of φ far below a step.
const maxLatticeN = 1_000_000_000

// newLattice chooses the step and bounds the sensitivity of the rounded coefficients. |round(a) − round(b)| ≤ |a − b| +
// 1 for each of the k = |N| − 1 coefficients, so rounding adds at most k steps; and computed φ are within 2^−44·n·√R of
// the true ones (sums of n terms of size at most √R, R the cells of the largest family, by a transform of log R
// levels), which adds 2k·2^−44·n·√R/step more. The step is S/(4000k) rounded down to a power of two: rounding costs
// about 0.03 % of the budget.
func newLattice(s *parity.Spectrum, n int) (lattice, error) {
	sens, exact, _, _, err := s.HelmertSensitivity(oddLimit)
	if err != nil {
		return lattice{}, err
	}
	k := float64(s.Size() - 1)
	_, exp := math.Frexp(sens / (4000 * k))
	l := lattice{step: math.Ldexp(1, exp-1), sensitivity: sens, exact: exact}
	computed := 2 * k * math.Ldexp(float64(n), -44) * s.Largest() / l.step
	l.steps = int64(math.Ceil(sens/l.step*(1+1e-15)) + k + math.Ceil(computed))
	return l, nil
}

// drawLattice rounds the coefficients to the lattice and adds noise in steps.
func (d *fourierSampler) drawLattice(ctx context.Context, tables [][]int64, src *dp.Stream) ([][]int64, error) {
	real := make([][]float64, len(tables))
	for t, counts := range tables {
		for _, c := range counts {
			real[t] = append(real[t], float64(c))
		}
	}
	phi, err := d.spectrum.CoefficientsReal(real)
	if err != nil {
		return nil, errors.New("mechanism: the tables are not those of the plan") // the cause would show counts
	}
	out := make([]int64, len(phi)-1)
	progress := cert.NewProgress(ctx, drawSteps*float64(len(out)))
	for i, v := range phi[1:] {
		if err := progress.Step(drawSteps); err != nil {
			return nil, err
		}
		out[i] = int64(math.Round(v/d.lattice.step)) + d.law.Draw(src)
	}
	return [][]int64{out}, nil
}

// latticeParams are the public inputs of the checks of the lattice's sensitivity.
type latticeParams struct {
	Arities  []int   `json:"arities"`
	Families [][]int `json:"families"`
	N        int     `json:"n"`
}

func (m FourierNoise) latticeChecks(ctx context.Context, sh *model.Shape, t dp.Request, p *fourierPlan,
	r noise.Rational) ([]cert.Check, error) {
	n, _ := sh.N()
	a, err := latticeChecker.Check(ctx, cert.Check{
		Statement: "replacing one record changes the rounded coefficients by at most this many steps in all",
		Formula: fmt.Sprintf("⌈S/h⌉ + |N| − 1 and the rounding of φ, S = max over records x, y of Σ|u_γ(x) − "+
			"u_γ(y)| = %.6g, h = %.3g", p.lattice.sensitivity, p.lattice.step),
		Source: "theory/networks.md §2.6; parity.HelmertSensitivity", Bound: cert.Number(p.lattice.steps),
		Scope: "every pair of records of this network",
	}, latticeParams{p.spectrum.Arities(), p.spectrum.Families(), n})
	if err != nil {
		return nil, err
	}
	b, err := fourierPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula:   shiftWords(r.Float(), p.counts),
		Source:    "dp.GeometricPair, theorem: shifts that add up to this many steps", Bound: loss.Allowed(t.Parameters),
		Scope: "all data; the rate is exact, rounded toward privacy",
	}, pairParams{r, 1, p.counts.Rows, t.Parameters})
	if err != nil || p.counts.Rows == 1 {
		return []cert.Check{a, b}, err
	}
	c, err := shiftsCheck(ctx, r, p.counts.Rows)
	return []cert.Check{a, b, c}, err
}

var latticeChecker = cert.Define("fourier/lattice", func(ctx context.Context, p latticeParams) (cert.Outcome, error) {
	if p.N < 0 || p.N > maxLatticeN {
		return cert.Outcome{}, domain.Refuse("counts", "n", p.N, "0 … 1e9")
	}
	s, err := parity.WatchedSpectrum(watch(ctx), p.Arities, p.Families)
	if err != nil {
		return cert.Outcome{}, cmp.Or(tooLarge(err), err)
	}
	l, err := newLattice(s, p.N)
	if err != nil {
		return cert.Outcome{}, cmp.Or(tooLarge(err), err)
	}
	method := cert.ClosedForm
	if !l.exact {
		method = cert.ProvedBound
	}
	return cert.Outcome{Value: float64(l.steps), Method: method}, nil
})
