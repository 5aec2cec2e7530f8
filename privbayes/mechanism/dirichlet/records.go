package dirichlet

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// RecordsKind is the registered name of SyntheticRecords.
const RecordsKind = "dirichlet-records"

// Synthesis releases synthetic records: see SyntheticRecords.
type Synthesis struct {
	mechanism.Front
	base  Dirichlet
	count int
}

// SyntheticRecords releases m synthetic records: what m draws from a model whose parameters are one draw of the
// Dirichlet mechanism would give. They are drawn from Pólya urns, in integers: r and α are dyadic rationals, the next
// record falls into a cell with probability (r·count + α + records there)/(total), and no floating-point number is
// drawn. Any number of records costs no more than the one draw, and a single table of m records has the pure ε
//
//	ln[(α+r)(α+r+1)…(α+r+m−1)] − ln[α(α+1)…(α+m−1)],
//
// which meets pure targets that the Dirichlet itself cannot. Supports categorical models and naive Bayes, whose classes
// come from the first table's urn (Theorem D). Arithmetic: exact. Source: theory/dirichlet.md §6.
func SyntheticRecords(m int) Synthesis {
	return Synthesis{base: Dirichlet{form: gammaForm}, count: m}.WithCalibration(AlphaStar)
}

// WithCalibration chooses r and α otherwise.
func (m Synthesis) WithCalibration(c Calibration) Synthesis {
	m.base.calibration = c
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, urnParams] { return m.mathematics() })
	return m
}

func urnSupports(sh *model.Shape) error {
	if !sh.Counts() || sh.Graph() != nil {
		return mechanism.Unsupported(sh.Model().String(),
			"categorical models or naive Bayes, or the synthesis of any release")
	}
	return nil
}

// urnBits are the fractional bits of r and α.
const urnBits = 20

// maxRecords bounds the released records, so that weights stay below 2^62.
const maxRecords = 1 << 27

func (m Synthesis) prepare(ctx context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	if m.count < 1 || m.count > maxRecords {
		return nil, domain.Refuse("dirichlet", "records", m.count, fmt.Sprintf("1 ≤ m ≤ %d synthetic records", maxRecords))
	}
	if t.NominalScale {
		return nil, mechanism.Unsupported("a nominal scale: it has no paper mode", "ApproxDP, RenyiDP, TCDP or PureDP")
	}
	relaxed := t
	relaxed.ExactOnly = false
	// checked by its own formula; prepare the same problem under a notion that the Dirichlet has
	if t.Notion == dp.Pure {
		relaxed.Parameters = dp.ApproxDP(1, .5).Parameters
	}
	p, err := m.base.prepare(ctx, sh, relaxed)
	if err != nil {
		return nil, err
	}
	if t.Notion == dp.Pure && (len(p.blocks) > 1 || p.rows > 1) {
		return nil, &mechanism.UnsupportedError{What: "pure ε-DP of several tables or of units " +
			"with several rows", Use: "ApproxDP(ε, δ), or Geometric()"}
	}
	p.target = t
	return p, nil
}

func (m Synthesis) mathematics() mechanism.Family[*problem, urnParams] {
	return mechanism.Family[*problem, urnParams]{
		Kind: RecordsKind, Title: fmt.Sprintf("Pólya urn, %d synthetic records", m.count), Supports: urnSupports,
		Prepare: m.prepare, Calibrate: m.calibrate, Certify: m.certify,
		Of: func(q urnParams) (mechanism.Family[*problem, urnParams], error) {
			return SyntheticRecords(q.Records).WithCalibration(q.Calibration).mathematics(), nil
		},
	}
}

func (m Synthesis) calibrate(ctx context.Context, p *problem) (q urnParams, err error) {
	pure := p.target.Notion == dp.Pure
	var r, alpha float64
	if pure {
		r, alpha = 1, m.leastShape(float64(p.target.Epsilon))
	} else if r, alpha, err = p.searched(ctx); err != nil {
		return q, err
	}
	one := math.Ldexp(1, urnBits)
	q = urnParams{Records: m.count, Rate: int64(math.Max(1, math.Floor(r*one))), Calibration: m.base.calibration}
	if !pure && float64(q.Rate)/one != r {
		p.ctx = ctx
		alpha, err = p.leastShape(float64(q.Rate) / one)
		p.ctx = nil
	}
	q.Shape = int64(math.Ceil(alpha * one))
	return q, err
}

// pureLoss is the greatest privacy loss of m records of one table with a moved record; adding or removing one costs
// less.
func pureLoss(r, alpha float64, m int) float64 {
	return (num.LogGammaDiff(alpha+float64(m), r) - num.LogGammaDiff(alpha, r)) * (1 + 1e-9)
}

// leastShape is the smallest α at r = 1 with pure loss at most ε.
func (m Synthesis) leastShape(epsilon float64) float64 {
	// at r = 1 the loss is ln((α+m)/α)
	return noise.Least(1e-6, 1e12, func(alpha float64) bool { return pureLoss(1, alpha, m.count) <= epsilon })
}

type urnParams struct {
	Records     int         `json:"records"`
	Rate        int64       `json:"rate"`  // r in units of 2^−20
	Shape       int64       `json:"shape"` // α in units of 2^−20
	Calibration Calibration `json:"calibration"`
}

func (m Synthesis) certify(ctx context.Context, p *problem, q urnParams) (spec mechanism.Spec, err error) {
	r, alpha := math.Ldexp(float64(q.Rate), -urnBits), math.Ldexp(float64(q.Shape), -urnBits)
	if err := validPair(r, alpha); err != nil {
		return spec, err
	}
	cells := 0
	for _, b := range p.blocks {
		cells = max(cells, b.rows*b.levels)
	}
	if total := r*math.Max(p.n, 1<<32) + alpha*float64(cells) + float64(q.Records); total > 1<<(62-urnBits) {
		return spec, &mechanism.UnmetTarget{Target: p.target.Parameters,
			Reachable: "a weaker target, or fewer cells: the urn's weights would pass 2^62"}
	}
	var level dp.Parameters
	var pair loss.Pair
	var checks []cert.Check
	if p.target.Notion == dp.Pure {
		level = dp.Parameters{Notion: dp.Pure, Epsilon: number(pureLoss(r, alpha, q.Records))}
		pair = loss.PurePair{Epsilon: float64(level.Epsilon)}
		var c cert.Check
		if c, err = urnChecker.Check(ctx, cert.Check{
			Statement: "pure ε of the urn's records", Formula: "ln[(α+r)(α+r+1)…(α+r+m−1)] − ln[α(α+1)…(α+m−1)]",
			Source: "theory/dirichlet.md §6; all records in the cell that gained one", Bound: p.target.Epsilon,
			Scope: "all data; r and α are exact",
		}, q); err == nil {
			checks = append(checks, c)
		}
	} else {
		pair = p.pair(r, alpha)
		if level, _, err = loss.Spend(ctx, pair, p.target); err == nil {
			checks, err = p.checks(ctx, r, alpha)
		}
	}
	if err != nil {
		return spec, err
	}
	settings := []mechanism.Setting{
		{Name: "law", Value: fmt.Sprintf("Pólya urn, %d records", q.Records)},
		{Name: "r", Value: fmt.Sprintf("%d/2^%d = %.6g", q.Rate, urnBits, r)},
		{Name: "α", Value: fmt.Sprintf("%d/2^%d = %.6g", q.Shape, urnBits, alpha)},
		{Name: "pseudo-count α/r", Value: fmt.Sprintf("%.6g records per cell", alpha/r)},
	}
	simplex := *p
	simplex.m.form = simplexForm
	return mechanism.Spec{
		Shape: p.shape, Settings: settings, Level: level, Arithmetic: dp.Exact, StandardFormula: p.standardFormula(r, alpha),
		Pair: pair, Checks: checks,
		Expected: simplex.expect(r, alpha), Sampler: &urnSampler{p, q}, Sampled: p.sampled(r, alpha),
	}, nil
}

var urnChecker = cert.Define("dirichlet-records/pure", func(_ context.Context, q urnParams) (cert.Outcome, error) {
	if q.Records < 1 || q.Rate < 1 || q.Shape < 1 {
		return cert.Outcome{}, domain.Refuse("dirichlet", "records, rate, shape",
			fmt.Sprint(q.Records, q.Rate, q.Shape), "≥ 1")
	}
	loss := pureLoss(math.Ldexp(float64(q.Rate), -urnBits), math.Ldexp(float64(q.Shape), -urnBits), q.Records)
	return cert.Outcome{Value: loss, Method: cert.ClosedForm}, nil
})

// Valid checks parameters from a file: *dp.ParameterError.
func (q urnParams) Valid() error {
	if q.Rate < 1 || q.Shape < 1 {
		return domain.Refuse("dirichlet", "rate, shape", fmt.Sprint(q.Rate, q.Shape), "≥ 1, in units of 2^−20")
	}
	return q.Calibration.valid()
}

// urn draws cells with probability proportional to integer weights, and adds one record's weight to the drawn cell.
type urn struct {
	weights []uint64
	total   uint64
}

// newURN starts with r·count + α in every cell, in units of 2^−20.
func newURN(counts []int64, rate, shape int64) *urn {
	u := &urn{weights: make([]uint64, len(counts))}
	for i, c := range counts {
		u.weights[i] = uint64(rate)*uint64(c) + uint64(shape)
		u.total += u.weights[i]
	}
	return u
}

func (u *urn) draw(src rand.Source) int {
	x := sample.Uniform(src, u.total)
	i := 0
	for x >= u.weights[i] {
		x -= u.weights[i]
		i++
	}
	u.weights[i] += 1 << urnBits
	u.total += 1 << urnBits
	return i
}

// urnSampler releases the codes of the synthetic records, one list per column, the target first.
type urnSampler struct {
	*problem
	q urnParams
}

// Draw fills the columns record by record: for naive Bayes the class from the first table's margin, then every feature
// from the row of its class.
func (d *urnSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	out := make([][]int64, len(d.shape.Columns()))
	for c := range out {
		out[c] = make([]int64, d.q.Records)
	}
	if !d.shape.SharesClass() { // one distribution, of the levels of a column or of the cells of a table
		u, cols := newURN(tables[0], d.q.Rate, d.q.Shape), d.shape.Columns()
		for i := range out[0] {
			if i%4096 == 0 && ctx.Err() != nil {
				return mechanism.Output{}, ctx.Err()
			}
			cell := u.draw(src)
			for c := len(out) - 1; c >= 0; c-- {
				l := cols[c].Levels()
				out[c][i], cell = int64(cell%l), cell/l
			}
		}
		return mechanism.Output{Raw: out}, nil
	}
	levels := d.blocks[0].levels
	class := newURN(classCounts(tables[0], levels), d.q.Rate, d.q.Shape*int64(levels))
	rows := make([][]*urn, len(tables))
	for k, cells := range tables {
		for lo := 0; lo < len(cells); lo += d.blocks[k].levels {
			rows[k] = append(rows[k], newURN(cells[lo:lo+d.blocks[k].levels], d.q.Rate, d.q.Shape))
		}
	}
	for i := range d.q.Records {
		if i%4096 == 0 && ctx.Err() != nil {
			return mechanism.Output{}, ctx.Err()
		}
		j := class.draw(src)
		out[0][i] = int64(j)
		for k := range rows {
			out[k+1][i] = int64(rows[k][j].draw(src))
		}
	}
	return mechanism.Output{Raw: out}, nil
}

// Estimate counts the synthetic records and scales them to n in all; where n is private, they stand for themselves.
func (d *urnSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	cols := d.shape.Columns()
	if len(raw) != len(cols) {
		return model.Estimate{}, domain.Refuse("dirichlet", "raw", fmt.Sprintf("%d columns", len(raw)), fmt.Sprint(len(cols)))
	}
	for c, codes := range raw {
		if len(codes) != d.q.Records {
			return model.Estimate{}, domain.Refuse("dirichlet", "raw", fmt.Sprintf("%d records", len(codes)),
				fmt.Sprint(d.q.Records))
		}
		for _, v := range codes {
			if v < 0 || v >= int64(cols[c].Levels()) {
				return model.Estimate{}, domain.Refuse("dirichlet", "raw", v, fmt.Sprintf("codes of %s", cols[c].Name))
			}
		}
	}
	scale := 1.0
	if _, public := d.shape.N(); public {
		scale = d.n / float64(d.q.Records)
	}
	e := model.Estimate{}
	if d.shape.SharesClass() {
		e.Class = make([]float64, cols[0].Levels())
		for _, y := range raw[0] {
			e.Class[y] += scale
		}
	}
	for k, t := range d.shape.Tables() {
		est, own := make([]float64, t.Cells()), raw
		if d.shape.SharesClass() {
			own = [][]int64{raw[0], raw[k+1]}
		}
		for i := range d.q.Records {
			cell := int64(0)
			for c, codes := range own {
				cell = cell*int64(t.Levels[c]) + codes[i]
			}
			est[cell] += scale
		}
		for i := range est {
			est[i] = math.Min(est[i], scale*float64(d.q.Records)) // the sum of equal parts may round up
		}
		e.Tables = append(e.Tables, est)
	}
	return e, nil
}
