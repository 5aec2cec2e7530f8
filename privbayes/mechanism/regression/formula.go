package regression

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// formulaParams are what the sensitivity of a formula's products depends on: the text, and the levels of its factors.
type formulaParams struct {
	Text    string         `json:"text"`
	Columns []columnParams `json:"columns,omitempty"` // in the order of the formula
}

// columnParams is a column of a formula; a number has no levels.
type columnParams struct {
	Name   string   `json:"name"`
	Levels []string `json:"levels,omitempty"`
}

func formulaOf(sh *model.Shape) *formulaParams {
	q := &formulaParams{Text: sh.Linear().Formula.Text}
	for _, c := range sh.Columns()[1:] {
		column := columnParams{Name: c.Name}
		if !c.Numeric() {
			column.Levels = c.Labels()
		}
		q.Columns = append(q.Columns, column)
	}
	return q
}

// shape is that of one record, with numbers on [−1, 1].
func (q formulaParams) shape() (*model.Shape, error) {
	m := model.Linear(q.Text)
	s := &frame.Schema{Dataset: "records", Columns: []frame.Column{frame.Real(m.Target(), -1, 1)}}
	for _, c := range q.Columns {
		if len(c.Levels) > 0 {
			s.Columns = append(s.Columns, frame.Categorical(c.Name, c.Levels...))
		} else {
			s.Columns = append(s.Columns, frame.Real(c.Name, -1, 1))
		}
	}
	sh, err := model.NewShape(s, m, 1, true, "")
	if err == nil && q.Text != sh.Linear().Formula.Text {
		return nil, domain.Refuse("linear", "formula", q.Text, "its canonical text, "+sh.Linear().Formula.Text)
	}
	return sh, err
}

// byFormula sets what is released: every distinct product of two columns once, but for the constant where n is public,
// products with the response, and its square.
//
// The sensitivity is that of all rows of the unit ball (momentsSensitivity): with a_m ordered places of product m and
// noise D²σ²/a_m on it, the length of a change over the deviations of the noise is that of (XᵀX, Xᵀy, yᵀy) over σ. It
// does not depend on the formula, whose rows have squares that add up to D at most (formula.Formula.Code).
func (p *perturbing) byFormula(f *model.Formula, q *formulaParams) *perturbing {
	p.formula = q
	square, d := int64(len(f.Terms)), len(f.Columns)
	for k, places := range f.Places {
		if k == f.Constant && p.replaced {
			continue
		}
		ordered := int64(0)
		for _, at := range places {
			if ordered += 2; at[0] == at[1] {
				ordered--
			}
		}
		p.whole = append(p.whole, moment{places[0][0], places[0][1], 2 * square * square, 0, ordered, k,
			formula.LatticeBits})
	}
	for i := range d {
		p.whole = append(p.whole, moment{i, d, 2 * square, 1, 1, len(f.Places) + i, formula.LatticeBits})
	}
	p.whole = append(p.whole, moment{d, d, 2, 2, 1, len(f.Places) + d, formula.LatticeBits})
	return p
}

func (p *perturbing) formulaSettings() []mechanism.Setting {
	f := p.shape.Linear().Formula
	return []mechanism.Setting{
		{Name: "terms", Value: fmt.Sprintf("D = %d", len(f.Terms))},
		{Name: "grid", Value: fmt.Sprintf("numbers rounded to 2^−%d of half their range", 22/f.Degree)},
		{Name: "posterior", Value: "noise-aware, latent moments"},
		{Name: "prior sd of slopes", Value: fmt.Sprintf("%.6g half-ranges", f.Slopes)},
		{Name: "prior sd of the intercept", Value: fmt.Sprintf("%.6g half-ranges", f.InterceptSD)},
	}
}

// inBallChecker gives the greatest |x|²/D of the records of a lattice, of columns that were checked pair by pair.
var inBallChecker = cert.Define("linear-formula/rows", func(_ context.Context, q formulaParams) (cert.Outcome, error) {
	sh, err := q.shape()
	if err != nil {
		return cert.Outcome{}, err
	}
	f := sh.Linear().Formula
	out := cert.Outcome{Method: cert.Enumeration}
	row := make([][]float64, len(f.Columns))
	for c := range row {
		row[c] = make([]float64, 1)
	}
	records(f, mostRecords, func(numbers [][]float64, levels [][]int) {
		f.Fill(row, numbers, levels)
		square := 0.
		for _, x := range row {
			square += x[0] * x[0]
		}
		out.Value = math.Max(out.Value, square/float64(len(f.Terms)))
		out.Work++
	})
	return out, nil
})

// mostRecords are enumerated, and mostProducts compared in pairs of them.
const (
	mostRecords  = 1200
	mostProducts = 1 << 28
)

// pairsScope says which pairs of records are compared.
const pairsScope = "all pairs of records of a lattice, of up to five numbers a column and all levels where that is " +
	"feasible"

// records visits records of a formula's columns, at most so many: numbers at −1, −½, 0, ½ and 1 and all levels. Where
// those are too many the columns with the most options, the last first, have fewer: numbers −1, 0 and 1, −1 and 1, or
// 1, and levels the reference and those after it.
func records(f *model.Formula, most int, visit func(numbers [][]float64, levels [][]int)) {
	var options []int
	for range f.Numbers {
		options = append(options, 5)
	}
	for _, x := range f.Factors {
		options = append(options, len(x.Levels))
	}
	for {
		product, widest := 1, -1
		for i, k := range options {
			if product = min(product*k, 1<<30); widest < 0 || k >= options[widest] {
				widest = i
			}
		}
		if product <= most {
			break
		}
		if options[widest]--; options[widest] == 4 && widest < len(f.Numbers) {
			options[widest] = 3
		}
	}
	numbers, levels := make([][]float64, len(f.Numbers)), make([][]int, len(f.Factors))
	var from func(i int)
	from = func(i int) {
		if i == len(options) {
			visit(numbers, levels)
			return
		}
		for k := range options[i] {
			if j := i - len(numbers); j >= 0 {
				levels[j] = []int{(f.Factors[j].Reference + k) % len(f.Factors[j].Levels)}
			} else {
				numbers[i] = []float64{[][]float64{{1}, {-1, 1}, {-1, 0, 1}, nil, {-1, -.5, 0, .5, 1}}[options[i]-1][k]}
			}
			from(i + 1)
		}
	}
	from(0)
}

// pairsParams are the public inputs of the enumeration of all pairs of records of a lattice.
type pairsParams struct {
	Of       formulaParams `json:"of"`
	Replaced bool          `json:"replaced"`
}

var pairsChecker = cert.Define("linear-formula/records", func(ctx context.Context, q pairsParams) (cert.Outcome,
	error) {
	sh, err := q.Of.shape()
	if err != nil {
		return cert.Outcome{}, err
	}
	p := (&perturbing{setting: &setting{replaced: q.Replaced}}).byFormula(sh.Linear().Formula, &q.Of)
	vectors, err := p.changes(sh)
	if err != nil {
		return cert.Outcome{}, err
	}
	return farthest(ctx, vectors, q.Replaced, norm)
})

// farthest is the greatest size of a record's moments, or, where one is replaced, of the difference of two.
func farthest(ctx context.Context, records [][]float64, replaced bool, size func([]float64) float64) (cert.Outcome,
	error) {
	out := cert.Outcome{Method: cert.Enumeration}
	for i, a := range records {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if !replaced {
			out.Value = math.Max(out.Value, size(a))
			out.Work++
			continue
		}
		change := make([]float64, len(a))
		for _, b := range records[:i] {
			out.Value = math.Max(out.Value, size(floats.SubTo(change, a, b)))
			out.Work++
		}
	}
	return out, nil
}

// changes are the moments of records of a lattice, as they are summed up for a release, each over the deviation of its
// noise at σ = 1; responses are at −1, −½, 0, ½ and 1 where that leaves two values of every number, else at ±1.
func (p *perturbing) changes(sh *model.Shape) (out [][]float64, err error) {
	f, responses := sh.Linear().Formula, []float64{-1, 0, 1}
	most := min(mostRecords, int(math.Sqrt(float64(2*mostProducts/len(p.whole)))))
	columns := sh.Columns()
	values, codes := make([]float64, len(columns)), make([]int32, len(columns))
	records(f, most/len(responses), func(numbers [][]float64, levels [][]int) {
		for i, c := range columns[1:] {
			if j := slices.Index(f.Numbers, c.Name); j >= 0 {
				values[i+1] = numbers[j][0]
			} else {
				k := slices.IndexFunc(f.Factors, func(x formula.Factor) bool { return x.Name == c.Name })
				codes[i+1] = int32(levels[k][0])
			}
		}
		for _, values[0] = range responses {
			exact, e := recordMoments(sh, codes, values)
			if e != nil {
				err = e
				return
			}
			v := make([]float64, len(p.whole))
			for k, m := range p.whole {
				v[k] = exact[m.at] / m.deviation(1)
			}
			out = append(out, v)
		}
	})
	return out, err
}

// recordMoments are the exact moments of one record, in products of [−1, 1].
func recordMoments(sh *model.Shape, codes []int32, values []float64) (out []float64, err error) {
	t, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return nil, err
	}
	if err := t.Group(codes, values, 1); err != nil {
		return nil, err
	}
	st, err := t.Statistics(frame.Selection{})
	if err != nil {
		return nil, err
	}
	for _, v := range st.OpenMoments(access.Mine()) {
		out = append(out, v.Float(-2*formula.LatticeBits))
	}
	return out, nil
}

// inBallCheck says that no row of a formula leaves the unit ball.
func inBallCheck(ctx context.Context, q formulaParams) (cert.Check, error) {
	return inBallChecker.Check(ctx, cert.Check{
		Statement: "no row leaves the unit ball: the squares of its columns add up to D at most, the number of terms",
		Formula:   "Σ x_c² ≤ D, of the columns of a term one is not 0 at most", Source: "formula.Code; theory/glm.md §3",
		Bound: 1, Scope: fmt.Sprintf("columns pair by pair; up to %d records of a lattice", mostRecords),
	}, q)
}

// formulaChecks are the certificate of noise on the products of a formula.
func (p *perturbing) formulaChecks(ctx context.Context, z shipped) ([]cert.Check, error) {
	inside, err := inBallCheck(ctx, *p.formula)
	if err != nil {
		return nil, err
	}
	pairs, err := pairsChecker.Check(ctx, cert.Check{
		Statement: "one record moves the products by at most this, in standard deviations of the noise at σ = 1, by " +
			"enumeration",
		Formula: "√(Σ a_m·Δ_m²/D² + Σ Δ_cy²/D + Δ_yy²) = ‖Δ(XᵀX, Xᵀy, yᵀy)‖ ≤ 3/√2; a record alone ≤ √3",
		Source:  "the shipped sums of pairs of records; proof at momentsSensitivity",
		Bound:   number(momentsSensitivity(1, p.replaced)),
		Scope:   pairsScope,
	}, pairsParams{*p.formula, p.replaced})
	if err != nil {
		return nil, err
	}
	loss, err := noiseChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(p.target.Parameters),
		Formula:   fmt.Sprintf("%s, Δ₂ = %.6g, D = %d", p.pair(z), p.delta, len(p.shape.Linear().Formula.Terms)),
		Source:    "latticePair; Canonne, Kamath, Steinke 2020, Proposition 5; Balle, Wang 2018",
		Bound:     loss.Allowed(p.target.Parameters), Scope: "all data of all sizes; " + p.change(),
	}, noiseParams{Dim: p.dim, Rows: p.rows, Replaced: p.replaced, Formula: p.formula, Noise: z,
		Want: p.target.Parameters})
	return []cert.Check{inside, pairs, loss}, err
}

// formulaError is weightError for columns of numbers uniform on their bounds and factors uniform on their levels.
func (p *perturbing) formulaError(tau float64) (float64, string) {
	n, public := p.shape.N()
	if !public || n == 0 {
		return math.NaN(), ""
	}
	linear := p.shape.Linear()
	square := float64(linear.Square())
	sum := 0.
	layout := gram.Layout(linear.Columns(), square, float64(n))
	for c := range p.dim {
		share, precision := 1., p.prior/square
		if c == 0 && linear.Intercept {
			precision /= p.wider * p.wider
		}
		for _, e := range layout.Entries {
			if slices.Contains(e.Places, [2]int{c, c}) {
				share = e.Interior
			}
		}
		information := float64(n) / square * share
		v := tau * tau * (1 + (float64(p.dim)+1)*square/p.prior/2)
		sum += math.Sqrt(2/math.Pi/(precision+information*information/v)) / float64(p.dim)
	}
	return sum, "closed form, first order, columns uniform on their bounds"
}
