package regression

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// scoringProblem is what is public of the steps: a proposition on classes, or a formula, on classes or on counts up to
// a number.
type scoringProblem struct {
	Of       *proposition   `json:"of,omitempty"`
	Formula  *formulaParams `json:"formula,omitempty"`
	Counts   int            `json:"counts,omitempty"`   // 0 for classes
	Replaced bool           `json:"replaced,omitempty"` // of a formula
}

// problem is that of a certificate.
func (p *scoring) problem() scoringProblem {
	if l := p.shape.Linear(); l.Formula != nil {
		return scoringProblem{Formula: formulaOf(p.shape), Counts: l.Counts, Replaced: p.replaced}
	}
	of := p.proposition()
	return scoringProblem{Of: &of}
}

// small is the problem that records are enumerated of.
func (q scoringProblem) small() scoringProblem {
	if q.Of != nil {
		of := q.Of.small()
		q.Of = &of
	}
	return q
}

func (q scoringProblem) valid() error {
	if (q.Of == nil) == (q.Formula == nil) || q.Of != nil && (q.Counts != 0 || q.Replaced) {
		return domain.Refuse("regression", "of, formula", q.Formula != nil, "one of them, counts of a formula alone")
	}
	if q.Formula != nil {
		return nil
	}
	if err := q.Of.valid(); err != nil {
		return err
	}
	if !q.Of.Intercept || !q.Of.Classes {
		return domain.Refuse("regression", "of", q.Of.square(), "a logistic regression")
	}
	return nil
}

// replaced reports whether a record is replaced, rather than comes or goes.
func (q scoringProblem) replaced() bool {
	if q.Of != nil {
		return q.Of.Replaced
	}
	return q.Replaced
}

// steps is the public design of columns, numbers first; n is 1 where it is public.
func (q scoringProblem) steps() (d *steps.Design, sh *model.Shape, err error) {
	if err := q.valid(); err != nil {
		return nil, nil, err
	}
	d = &steps.Design{Family: steps.Logistic, Slope: 2, Intercept: 5}
	if q.replaced() {
		d.Rows = 1
	}
	if q.Formula == nil {
		l, err := q.Of.design()
		if err != nil {
			return nil, nil, err
		}
		columns := &model.RegressionDesign{Design: l, X: make([]leastsquares.Range, l.Dim()-1), Runs: l.Factors(),
			Intercept: true}
		d.Columns, d.Terms, d.ColumnBits = columns.Columns(), float64(l.Square()), columns.Bits()
		return d, nil, d.Check()
	}
	if sh, err = q.Formula.shape(); err != nil {
		return nil, nil, err
	}
	if q.Counts != 0 {
		if d.Family, err = steps.Poisson(q.Counts); err != nil {
			return nil, nil, err
		}
	}
	l := sh.Linear()
	d.Columns, d.Terms, d.ColumnBits = l.Columns(), float64(l.Square()), l.Bits()
	return d, sh, d.Check()
}

// rows are records whose pairs are enumerated, at most so many.
func (q scoringProblem) rows(d *steps.Design, sh *model.Shape, most int) (out [][]float64) {
	if q.Of != nil {
		return q.Of.rowsAt(d, stepPlaces)
	}
	f := sh.Linear().Formula
	row := make([][]float64, len(f.Columns))
	for c := range row {
		row[c] = make([]float64, 1)
	}
	records(f, most, func(numbers [][]float64, levels [][]int) {
		f.Fill(row, numbers, levels)
		x := make([]float64, len(row))
		for c := range row {
			x[c] = row[c][0]
		}
		out = append(out, x)
	})
	return out
}

// stepsParams are the public inputs of the enumeration of pairs of records at points.
type stepsParams struct {
	scoringProblem
	Points int `json:"points"`
}

var stepsChecker = cert.Define("fisher-scoring/records", func(ctx context.Context, q stepsParams) (cert.Outcome,
	error) {
	if err := q.valid(); err != nil {
		return cert.Outcome{}, err
	}
	d, _, err := q.steps()
	if err != nil {
		return cert.Outcome{}, err
	}
	return q.largestChange(ctx, d.Family.Weigh)
})

func (q stepsParams) valid() error {
	if err := q.scoringProblem.valid(); err != nil {
		return err
	}
	if q.Points < 1 || q.Points > 1000 {
		return domain.Refuse("regression", "points", q.Points, "1 to 1000")
	}
	if q.Of != nil {
		return q.Of.few()
	}
	return nil
}

// weigh is the map of a record at a point, or a mutant of it.
type weigh func(at steps.Point, columns []float64, y float64) (residual, weight int64)

// stepPlaces are those of a number in the enumeration: −1 and −.8, .8 and 1 are near enough for two records with the
// same direction and other weights.
var stepPlaces = []float64{-1, -.8, 0, .8, 1}

// largestChange is the greatest change of a step by one record, every sum in standard deviations of its noise at τ = 1,
// over points near and far; +Inf where a row has a squared norm above D.
func (q stepsParams) largestChange(ctx context.Context, of weigh) (out cert.Outcome, err error) {
	out.Method = cert.Enumeration
	d, sh, err := q.steps()
	if err != nil {
		return out, err
	}
	responses := []float64{-1, 1}
	if q.Counts > 0 {
		responses = []float64{0, math.Ceil(float64(q.Counts) / 2), float64(q.Counts)}
	}
	sums := len(d.Columns) + len(d.Entries(steps.Point{Cut: steps.LeastCut}))
	most := int(math.Sqrt(float64(2 * mostProducts / (sums * q.Points))))
	rows, src := q.rows(d, sh, min(mostRecords, most)/len(responses)), dp.Seeded(1)
	for _, x := range rows {
		square := 0.0
		for _, v := range x {
			square += v * v
		}
		if square > d.Terms {
			out.Value = math.Inf(1)
			return out, nil
		}
	}
	for k := range q.Points {
		at := d.First()
		if k > 0 {
			at = somePoint(d, rows, src, k%2 == 1)
		}
		var records [][]float64
		for _, x := range rows {
			for _, y := range responses {
				records = append(records, contribution(d, at, x, y, of))
			}
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		for i, a := range records {
			if !q.replaced() {
				out.Value, out.Work = math.Max(out.Value, norm(a)), out.Work+1
				continue
			}
			for _, b := range records[:i] {
				square := 0.0
				for j, v := range a {
					square += (v - b[j]) * (v - b[j])
				}
				out.Value, out.Work = math.Max(out.Value, math.Sqrt(square)), out.Work+1
			}
		}
	}
	return out, nil
}

// contribution is what a record adds to the sums of a step at a point, each in standard deviations of its noise at τ =
// 1.
func contribution(d *steps.Design, at steps.Point, x []float64, y float64, of weigh) (v []float64) {
	residual, weight := of(at, x, y)
	for _, e := range d.Entries(at) {
		place := e.Places[0]
		v = append(v, x[place[0]]*x[place[1]]*float64(weight)/float64(at.Cut)*math.Sqrt(float64(e.Ordered()))/d.Terms)
	}
	for _, c := range x {
		v = append(v, c*math.Ldexp(float64(residual), -steps.Bits)/math.Sqrt(d.Terms))
	}
	return v
}

// somePoint has the log-odds 0, or the log-rate of the first step, at one of the rows. Every other one has a slope of
// ±20, which parts weights of rows that are near each other, and the greatest cut; the rest slopes of Σ|β| up to 20 and
// a cut from the least on.
func somePoint(d *steps.Design, rows [][]float64, src *dp.Stream, steep bool) steps.Point {
	grid := func(v float64) float64 { return math.Round(v*(1<<20)) / (1 << 20) }
	p, sum := steps.Point{Beta: make([]float64, len(d.Columns))}, 0.0
	for j := range p.Beta[1:] {
		p.Beta[j+1] = sample.Normal(src)
		sum += math.Abs(p.Beta[j+1])
	}
	size := math.Min(40*sample.Float64(src), 20) / math.Max(sum, 1e-9)
	only := int(sample.Uniform(src, uint64(len(p.Beta)-1)))
	for j, b := range p.Beta[1:] {
		if p.Beta[j+1] = grid(b * size); steep {
			p.Beta[j+1] = math.Copysign(20*indicator(j == only), b)
		}
	}
	row := rows[int(sample.Uniform(src, uint64(len(rows))))]
	p.Beta[0] = d.First().Beta[0] - grid(p.Index(row))
	first := float64(d.First().Cut)
	if p.Cut = int64(first); !steep {
		p.Cut = int64(first * math.Pow(steps.LeastCut/first, sample.Float64(src)))
	}
	return p
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// rowsAt are all rows of the design's columns with numbers at the places.
func (q proposition) rowsAt(d *steps.Design, places []float64) (out [][]float64) {
	number, level := map[int]float64{}, map[int]int{}
	var visit func(j int)
	visit = func(j int) {
		switch {
		case j < q.Numbers:
			for _, u := range places {
				number[j] = u
				visit(j + 1)
			}
		case j < q.Numbers+len(q.Levels):
			for l := range q.Levels[j-q.Numbers] {
				level[j-q.Numbers] = l
				visit(j + 1)
			}
		default:
			row := make([]float64, len(d.Columns))
			for i, c := range d.Columns {
				row[i] = c.Value(number, level)
			}
			out = append(out, row)
		}
	}
	visit(0)
	return out
}

// stepsLossParams are the public inputs of the loss.
type stepsLossParams struct {
	scoringProblem
	Rows  int           `json:"rows"`
	Noise scoringParams `json:"noise"`
	Want  dp.Parameters `json:"want"`
}

var stepsLossChecker = cert.Define("fisher-scoring/loss",
	func(ctx context.Context, q stepsLossParams) (cert.Outcome, error) {
		d, _, err := q.steps()
		if err != nil {
			return cert.Outcome{}, err
		}
		if err := q.Noise.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		if err := q.Want.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		if q.Rows < 1 {
			return cert.Outcome{}, domain.Refuse("regression", "rows", q.Rows, "at least one")
		}
		pair := stepsPair(d, stepSensitivity(q.Rows, q.replaced()), q.Noise)
		return cert.Outcome{Value: loss.Spent(loss.Until(ctx, pair), q.Want), Method: cert.ProvedBound}, ctx.Err()
	})

// stepPoints is how many points the certificate tries.
const stepPoints = 40

// checks are the certificate of the steps.
func (p *scoring) checks(ctx context.Context, q scoringParams) ([]cert.Check, error) {
	of := p.problem()
	inside, err := p.rowsCheck(ctx, of)
	if err != nil {
		return nil, err
	}
	records, err := stepsChecker.Check(ctx, cert.Check{
		Statement: "one record moves a step by at most this, every sum in standard deviations of its noise at τ = 1, by " +
			"enumeration; no row leaves the unit ball",
		Formula: "Δ² = r² + s² + k² + l² − 2rsc − 2klc² ≤ 5, of residuals r, s in [−1, 1], weights k, l in [0, 1] of " +
			"the cut, rows at cosine c; of one record ≤ 2",
		Source: "steps.Family.Weigh on pairs of records; proof in docs/theory/glm.md §3",
		Bound:  number(stepSensitivity(1, p.replaced)),
		Scope: fmt.Sprintf("%d points with slopes up to Σ|β| = 20 and cuts from .005 to %s, %s", stepPoints,
			map[bool]string{false: ".5", true: "1"}[of.Counts > 0], of.small().scope()),
	}, stepsParams{of.small(), stepPoints})
	if err != nil {
		return nil, err
	}
	loss, err := stepsLossChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair of all steps, " + loss.NotionWords(p.target.Parameters),
		Formula:   fmt.Sprintf("%s, Δ₂ = %.6g, shares %v %%", stepsPair(p.design, p.delta, q), p.delta, steps.Shares),
		Source: "latticePair; Canonne, Kamath, Steinke 2020, Proposition 5; Dong, Roth, Su 2022, on adaptive composition; " +
			"Balle, Wang 2018",
		Bound: loss.Allowed(p.target.Parameters), Scope: "all data of all sizes; " + p.change(),
	}, stepsLossParams{of, p.rows, q, p.target.Parameters})
	return []cert.Check{inside, records, loss}, err
}

// rowsCheck says that no row leaves the unit ball.
func (p *scoring) rowsCheck(ctx context.Context, of scoringProblem) (cert.Check, error) {
	if of.Formula == nil {
		return p.designCheck(ctx)
	}
	return inBallCheck(ctx, *of.Formula)
}

// scope says which records are enumerated.
func (q scoringProblem) scope() string {
	if q.Of != nil {
		return fmt.Sprintf("all pairs of records with numbers in {−1, −.8, 0, .8, 1}: D = %d, factors of %d levels",
			q.Of.square(), q.Of.Levels)
	}
	return pairsScope
}
