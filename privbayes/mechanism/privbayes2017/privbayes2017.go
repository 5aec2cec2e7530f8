// Package privbayes2017 implements PrivBayes as published, to compare with the library's own learners: Zhang, Cormode,
// Procopiuc, Srivastava, Xiao, PrivBayes: Private Data Release via Bayesian Networks, ACM TODS 42(4), 2017 (SIGMOD
// 2014).
//
// # The algorithm
//
// A first column is drawn uniformly. Then, d − 1 times, a column X and parents Π among those that have been taken are
// chosen together by the exponential mechanism, P(X, Π) ∝ e^{ε′s(X, Π)/(2S)}, ε′ = βε/(d − 1), S the sensitivity of the
// score s. At last the table of every (X, Π) gets Laplace noise, negative counts become 0, and rows are divided by
// their sums. With a degree k, or where all columns have two levels, Π has k columns, the tables of the first k columns
// are margins of the next one's, and the d − k others have noise of scale 2(d − k)/((1 − β)ε) on counts; without it, Π
// is any largest set whose table is useful, |X|·|Π| ≤ n(1 − β)ε/(2dθ), and d tables have noise of scale 2d/((1 − β)ε).
//
// # Its privacy
//
// The paper takes n public: replace-one. Its sensitivities of I and F hold and are attained; that of R, 3/n + 2/n²,
// holds and is not: with a column of two levels R moves by at most 2/n − 2/n² ([moves]), so that AsPublished(ε) spends
// less than ε on such tables. PureDP(ε) takes what is proved. The first column and what follows from n cost nothing.
// Under add-remove nothing of it stands: rates, degree and sensitivities are functions of a private n. That is refused.
//
// Scores are whole numbers. R and F are so by themselves, up to a factor; I is rounded to steps of 1/1024 bit/n, for
// which the rate pays, but logarithms are taken in floating point: arithmetic ideal. Noise is Laplace on a grid of
// 1/65536 of a record, exact.
package privbayes2017

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// Published is PrivBayes with the Laplace noise of its paper.
type Published struct{ mechanism.Front }

// New is PrivBayes as published, for AsPublished(ε), its own formulas with the privacy that they really have, and for
// PureDP(ε), the same where what is proved of its scores asks for no less noise. Arithmetic: exact with the scores R
// and F, ideal with I.
func New() Published { return Published{mathematics().Front()} }

// With is PrivBayes with the noise of a mechanism on counts: Laplace, or itself. Error: *mechanism.UnsupportedError.
func With(m mechanism.Mechanism) (mechanism.Mechanism, error) {
	title := "no mechanism"
	if m != nil {
		title = m.Title()
		options, told := m.(mechanism.Refined)
		switch {
		case m.Name() == kind:
			return m, nil
		case m.Name() == "laplace" && told && len(options.Refinements()) == 0:
			return New(), nil
		}
	}
	return nil, &mechanism.UnsupportedError{Mechanism: title, What: "PrivBayes, which is as published", Use: "Laplace()"}
}

const kind = "privbayes"

// lattice is the steps of the noise for each record; coarse are those of its dominating pair.
const (
	lattice = noise.LaplaceSteps
	coarse  = 1 << 10
)

// supports accepts PrivBayes.
func supports(sh *model.Shape) error {
	if l := sh.Learning(); l == nil || l.Algorithm != model.Greedy {
		return &mechanism.UnsupportedError{What: sh.Model().String(), Use: "PrivBayes()"}
	}
	return nil
}

// problem is what a release is planned for.
type problem struct {
	layout
	shape  *model.Shape
	target dp.Request
	set    model.LearnedSettings
	share  float64 // β
	n      float64
	rows   int // of a unit
}

// params are the public parameters of a release.
type params struct {
	Choose *noise.Rational `json:"choose,omitempty"` // x of P(X, Π) ∝ e^{xL}, L the whole score
	Noise  noise.Rational  `json:"noise"`            // γ: the scale of the noise is 1/γ records
}

// Valid checks parameters from a file: *dp.ParameterError.
func (p params) Valid() error {
	if err := p.Noise.Valid(); err != nil || p.Choose == nil {
		return err
	}
	return p.Choose.Valid()
}

func mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{Kind: kind, Title: "PrivBayes, as published", Supports: supports,
		Prepare: prepare, Calibrate: calibrate, Certify: certify}
}

// Limits of n: of the information's steps, and of n² in the other scores.
const mostRows = 1 << 30

func prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	switch {
	case t.Adjacency != dp.ReplaceOne:
		return nil, mechanism.Unsupported(t.Adjacency.String()+" adjacency: its degree, rates and sensitivities are "+
			"functions of n",
			"replace-one, or MaxEntropy()")
	case t.Notion != dp.Pure:
		return nil, mechanism.Unsupported(t.Parameters.String(), "AsPublished(ε) or PureDP(ε), the paper's privacy "+
			"definition")
	}
	if _, err := sensitivity.OfMeasured(sh, t.Adjacency, nil); err != nil {
		return nil, err
	}
	n, _ := sh.N()
	q := &problem{shape: sh, target: t, n: float64(n)}
	q.set = sh.Learning().LearnedSettings
	_, q.rows = sh.Unit()
	if n < 2 || n > mostRows {
		return nil, mechanism.Unsupported(fmt.Sprintf("n = %d", n), fmt.Sprintf("2 to %d records", mostRows))
	}
	var levels []int
	for _, c := range sh.Columns() {
		levels = append(levels, c.Levels())
	}
	if q.set.Greedy.Score == model.ByMaximum && !allBinary(levels) {
		return nil, mechanism.Unsupported("the score F with columns of more than two levels", "ByDistance or ByInformation")
	}
	q.layout, q.share = lay(q.set, levels, q.n, float64(t.Epsilon))
	if most := q.largest(); most > q.set.MaxCells {
		return nil, mechanism.Unsupported(fmt.Sprintf("degree %d, whose largest table has %d cells", q.degree, most),
			fmt.Sprintf("a smaller Degree, or MaxCells above %d", q.set.MaxCells))
	}
	if q.count(mostSets) >= mostSets {
		return nil, mechanism.Unsupported(fmt.Sprintf("%d candidates or more in a step", mostSets),
			"Degree(1) or Degree(2), a larger Theta, or fewer columns: Of")
	}
	return q, nil
}

// calibrate sets the paper's rates at ε, in units of rows; PureDP takes the proved bound of the score's moves.
func calibrate(_ context.Context, q *problem) (p params, err error) {
	epsilon, d := float64(q.target.Epsilon), float64(len(q.levels))
	r := (1 - q.share) * epsilon / (2 * float64(q.tables) * float64(q.rows))
	p.Noise = noise.DyadicTo(math.Min(r*below, maxRate), 24, 1<<24, false).Reduced()
	if q.chooses {
		move := q.moves()
		if q.target.NominalScale {
			move = printed(q.set.Greedy.Score, q.n, allBinary(q.levels))
		}
		x := noise.Dyadic(math.Min(q.share*epsilon/(d-1)/(2*move*float64(q.rows))*below, maxPick), 24, false).Reduced()
		p.Choose = &x
	}
	return p, q.wide(p)
}

// Limits of the samplers.
const (
	maxRate = 64
	minRate = 1.0 / (1 << 15)
	maxPick = 1 << 20
	minPick = 1.0 / (1 << 34)
)

// below takes a rate down by more than sums of rounded terms may be too large: a rate that needs no rounding, such as
// 1/8, would miss its target by an ulp.
const below = 1 - 1e-12

// wide refuses rates so small that rounding them would cost.
func (q *problem) wide(p params) error {
	if p.Noise.Float() < minRate || p.Choose != nil && p.Choose.Float() < minPick {
		return mechanism.Unsupported(fmt.Sprintf("%s with %d columns and %.0f records: rates too small to draw exactly",
			q.target.Parameters, len(q.levels), q.n), "a larger ε, or fewer columns")
	}
	return nil
}

// moves is the most that one record moves a score by.
func (q *problem) moves() float64 { return moves(q.set.Greedy.Score, q.n, allBinary(q.levels)) }

// chosenRange is the ε of one choice.
func (q *problem) chosenRange(x noise.Rational) float64 {
	return 2 * q.moves() * x.Float() * float64(q.rows)
}

// parts lists the release: d − 1 choices, and every measured table, of which two counts change.
func (q *problem) parts(p params) (out []loss.Repeat) {
	if p.Choose != nil {
		out = append(out, loss.Repeat{Pair: loss.SelectionPair{Epsilon: q.chosenRange(*p.Choose)}, Times: len(q.levels) - 1})
	}
	// a coarser lattice dominates the finer one of the noise: see counts.Laplace
	table := loss.ShiftedGeometricPair{Rate: p.Noise.Float() / coarse, Shift: coarse * q.rows, Cells: 2}
	return append(out, loss.Repeat{Pair: table, Times: q.tables})
}

// certify states the release at given parameters.
func certify(ctx context.Context, q *problem, p params) (spec mechanism.Spec, err error) {
	if (p.Choose != nil) != q.chooses {
		return spec, mechanism.Unsupported("a rate of choices", "none, where no column can have a parent, and one otherwise")
	}
	if err := q.wide(p); err != nil {
		return spec, err
	}
	d := &sampler{problem: q}
	if d.noise, err = noise.NewLaplace(p.Noise); err != nil {
		return spec, err
	}
	if p.Choose != nil {
		if d.pick, err = sample.NewSelection(p.Choose.Num, p.Choose.Den, false); err != nil {
			return spec, err
		}
	}
	pair, err := loss.DeclareByCurve(q.parts(p)...)
	if err != nil {
		return spec, err
	}
	level, _, err := loss.Spend(ctx, pair, q.target)
	if err != nil {
		return spec, err
	}
	checks, err := q.checks(ctx, p, level)
	if err != nil {
		return spec, err
	}
	arithmetic := dp.Exact
	if q.set.Greedy.Score == model.ByInformation && q.chooses {
		arithmetic = dp.Ideal
	}
	return mechanism.Spec{
		Shape: q.shape, Settings: q.settings(p), Arithmetic: arithmetic, Pair: pair,
		StandardFormula: mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: q.target.Epsilon},
			Source: "ε = βε + (1 − β)ε, Zhang et al. 2017"},
		Checks: checks, Sampler: d, Count: len(q.levels) * q.largest(),
		Expected: []mechanism.Expectation{{Name: "absolute error of a count of a table", Value: 1 / p.Noise.Float(),
			Unit: "records", How: "closed form, before negative counts become 0"}},
	}, nil
}

// largest bounds the cells of a table.
func (q *problem) largest() int {
	if q.degree < 0 {
		most := 1.0
		for i, k := range q.levels {
			most = math.Max(most, float64(k)*math.Max(1, q.most[i]))
		}
		return int(math.Min(most, float64(q.cells)))
	}
	sizes := make([]float64, 0, len(q.levels))
	for _, k := range q.levels {
		sizes = append(sizes, float64(k))
	}
	most := 1.0
	for range q.degree + 1 {
		at := 0
		for i, k := range sizes {
			if k > sizes[at] {
				at = i
			}
		}
		most, sizes[at] = most*sizes[at], 1
	}
	return int(math.Min(most, 1e15))
}

// settings are the public parameters, for people.
func (q *problem) settings(p params) []mechanism.Setting {
	network := fmt.Sprintf("degree %d", q.degree)
	if q.degree < 0 {
		network = fmt.Sprintf("tables of usefulness %g", q.set.Greedy.Theta)
	}
	out := []mechanism.Setting{{Name: "network", Value: network},
		{Name: "tables", Value: fmt.Sprintf("%d, Laplace noise of scale %.6g records, on a grid of 1/%d", q.tables,
			1/p.Noise.Float(), lattice)}}
	if p.Choose != nil {
		out = append(out, mechanism.Setting{Name: "choices", Value: fmt.Sprintf("%d by the exponential mechanism, score %s, "+
			"%.6g each of ε", len(q.levels)-1, q.set.Greedy.Score, q.chosenRange(*p.Choose))})
	}
	if q.target.NominalScale {
		out = append(out, mechanism.Setting{Name: "nominal",
			Value: fmt.Sprintf("the paper's own formulas at ε = %v", float64(q.target.Epsilon))})
	}
	return out
}

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{mechanism.Describe(New(), "LearnedAsPublished", "privbayes", "PrivBayes")}
}

// Cost estimates a plan by its enumerations and a draw by the tables that it counts.
func (m Published) Cost(sh *model.Shape, t dp.Request) (c mechanism.Cost) {
	if m.Supports(sh) != nil {
		return c
	}
	q, err := prepare(context.Background(), sh, t)
	if err != nil {
		return c
	}
	sets := float64(q.count(mostSets))
	c.Plan = 1e8
	c.Draw = 2e6 + sets*(float64(q.largest())*10+q.n)
	c.Bytes = 1e6 + 16*sets*math.Min(float64(q.largest()), 1e4)
	return c
}
