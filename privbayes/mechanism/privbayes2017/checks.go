package privbayes2017

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// movesParams: tables of some records over the states of parents and the levels of a column.
type movesParams struct {
	Score   model.ParentScore `json:"score"`
	Parents int               `json:"parents"`
	Levels  int               `json:"levels"`
	N       int               `json:"n"`
}

// movesChecker derives the most that replacing a record moves a score by, over every table and every neighbour.
var movesChecker = cert.Define("privbayes/moves", func(ctx context.Context, p movesParams) (cert.Outcome, error) {
	if p.Parents < 2 || p.Levels < 2 || p.Parents*p.Levels > 9 || p.N < 2 || p.N > 8 {
		return cert.Outcome{}, domain.Refuse("privbayes", "parents, levels, n", fmt.Sprint(p.Parents, p.Levels, p.N),
			"a table of 4 to 9 cells, n of 2 to 8")
	}
	worst, work := 0.0, int64(0)
	space := finite.Space{Cells: p.Parents * p.Levels, N: p.N}
	for x := range space.Inputs() {
		before := scoreOf(p.Score, finite.Counts(x), p.Levels)
		for y := range space.Around(x) {
			worst = math.Max(worst, math.Abs(float64(scoreOf(p.Score, finite.Counts(y), p.Levels)-before)))
			work++
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
})

// releaseParams: whole releases of n records over a few columns.
type releaseParams struct {
	Score   model.ParentScore `json:"score"`
	Levels  []int             `json:"levels"`
	Degree  int               `json:"degree"`
	N       int               `json:"n"`
	Choose  noise.Rational    `json:"choose"`
	Noise   noise.Rational    `json:"noise"`
	Network bool              `json:"network,omitempty"` // the choices alone
}

// choiceLaw is the law of the sampler. Tests put others in its place.
var choiceLaw = sample.Selection.LogProbs

// smallInstance is a small release: the sampler of production, whose choices are listed.
type smallInstance struct{ sampler }

func (p releaseParams) smallInstance() (*smallInstance, error) {
	cells := 1
	for _, k := range p.Levels {
		if k < 2 || cells > 64 {
			return nil, domain.Refuse("privbayes", "levels", fmt.Sprint(p.Levels), "two to four columns of at most 64 cells")
		}
		cells *= k
	}
	d := len(p.Levels)
	if d < 2 || d > 4 || p.Degree < 1 || p.Degree >= d || p.N < 1 || p.N > 4 {
		return nil, domain.Refuse("privbayes", "release", fmt.Sprint(p.Levels, p.Degree, p.N), "a small one")
	}
	if err := (params{&p.Choose, p.Noise}).Valid(); err != nil {
		return nil, err
	}
	q := &problem{set: model.PrivBayes().Degree(p.Degree).Scored(p.Score).Settings(), n: float64(p.N), rows: 1}
	q.layout, q.share = lay(q.set, p.Levels, q.n, 1)
	pick, err := sample.NewSelection(p.Choose.Num, p.Choose.Den, false)
	return &smallInstance{sampler{problem: q, pick: pick}}, err
}

// path is one network with its log-probability and the private tables that are measured on it.
type path struct {
	logP     float64
	measured [][]int64
}

// outputs lists the networks of a table of all columns, in the order that all tables have.
func (t *smallInstance) outputs(ctx context.Context, all []int64, pick sample.Selection) (out []path, err error) {
	columns := make([]int, len(t.levels))
	for i := range columns {
		columns[i] = i
	}
	table := func(of []int) ([]int64, error) { return margin(all, columns, of, t.levels), nil }
	for first := range columns {
		for made, of := []int(nil), []int(nil); ; {
			p, at := path{}, 0
			network, err := t.network(ctx, table, first, func(scores []int64) int {
				if at == len(made) {
					made, of = append(made, 0), append(of, len(scores))
				}
				p.logP += choiceLaw(pick, scores)[made[at]]
				at++
				return made[at-1]
			})
			if err != nil {
				return nil, err
			}
			for i, c := range network {
				if t.sampler.measured(i) {
					m, _ := table(c.columns())
					p.measured = append(p.measured, m)
				}
			}
			out = append(out, p)
			for len(made) > 0 && made[len(made)-1] == of[len(made)-1]-1 {
				made, of = made[:len(made)-1], of[:len(made)-1]
			}
			if len(made) == 0 {
				break
			}
			made[len(made)-1]++
		}
	}
	return out, nil
}

// worst is the largest log-ratio of two lists of outputs, with noise at a rate for every count that differs.
func worst(a, b []path, rate float64) (most float64) {
	for i, p := range a {
		loss := p.logP - b[i].logP
		for k, t := range p.measured {
			for c, v := range t {
				loss += rate * math.Abs(float64(v-b[i].measured[k][c]))
			}
		}
		most = math.Max(most, loss)
	}
	return most
}

// releaseChecker derives the exact ε of releases, from records up: over every table of n records and every neighbour,
// every network and, unless the choices alone are asked for, every value of the noisy tables.
var releaseChecker = cert.Define("privbayes/release", func(ctx context.Context, p releaseParams) (cert.Outcome, error) {
	t, err := p.smallInstance()
	if err != nil {
		return cert.Outcome{}, err
	}
	rate, most, work := p.Noise.Float(), 0.0, int64(0)
	if p.Network {
		rate = 0
	}
	cells, laws := 1, map[string][]path{}
	for _, k := range p.Levels {
		cells *= k
	}
	law := func(x []int) ([]path, error) {
		key := fmt.Sprint(x)
		if l, ok := laws[key]; ok {
			return l, nil
		}
		l, err := t.outputs(ctx, finite.Counts(x), t.pick)
		laws[key] = l
		return l, err
	}
	for x, y := range (finite.Space{Cells: cells, N: p.N}).Neighbours() {
		a, err := law(x)
		if err != nil {
			return cert.Outcome{}, err
		}
		b, err := law(y)
		if err != nil {
			return cert.Outcome{}, err
		}
		most = math.Max(most, worst(a, b, rate))
		work++
	}
	return cert.Outcome{Value: most, Method: cert.Enumeration, Work: work}, nil
})

// sumParams are all that the loss of a release depends on.
type sumParams struct {
	Score  model.ParentScore `json:"score"`
	Levels []int             `json:"levels"`
	N      float64           `json:"n"`
	Rows   int               `json:"rows"`
	Tables int               `json:"tables"`
	Params params            `json:"params"`
	Want   dp.Parameters     `json:"want"`
}

// sumChecker derives what all choices and tables spend.
var sumChecker = cert.Define("privbayes/sum", func(ctx context.Context, p sumParams) (cert.Outcome, error) {
	if err := p.Params.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if err := p.Want.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if len(p.Levels) < 2 || p.Rows < 1 || p.Tables < 1 || !(p.N >= 2) {
		return cert.Outcome{}, domain.Refuse("privbayes", "levels, rows, tables, n",
			fmt.Sprint(len(p.Levels), p.Rows, p.Tables, p.N), "two columns, a row, a table and two records at least")
	}
	q := &problem{n: p.N, rows: p.Rows, set: model.PrivBayes().Scored(p.Score).Settings()}
	q.layout = layout{levels: p.Levels, tables: p.Tables}
	d, err := loss.DeclareByCurve(q.parts(p.Params)...)
	if err != nil {
		return cert.Outcome{}, err
	}
	return cert.Outcome{Value: loss.Spent(loss.Until(ctx, d), p.Want), Method: cert.ProvedBound}, ctx.Err()
})

const (
	source  = "Zhang et al. 2017; docs/structure.md"
	toyN    = 3
	toyHigh = 6 // ε of a choice: at small rates slack hides mistakes
)

// toyRate is the rate of small releases whose choices have an ε each.
func (q *problem) toyRate(epsilon float64, binary bool) noise.Rational {
	return noise.DyadicTo(epsilon/(2*moves(q.set.Greedy.Score, toyN, binary)), 24, 1<<40, false).Reduced()
}

// checks executes the claims behind a release.
func (q *problem) checks(ctx context.Context, p params, level dp.Parameters) ([]cert.Check, error) {
	ctx = cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
	score, binary := q.set.Greedy.Score, allBinary(q.levels)
	want := q.target.Parameters
	if q.target.NominalScale { // nothing was asked for: the check states what is true
		want = level
	}
	first, err := sumChecker.Check(ctx, cert.Check{
		Statement: "loss of all choices and tables, " + loss.NotionWords(want),
		Formula:   "(d − 1)·2Sx + tables·2γ",
		Source:    source, Bound: loss.Allowed(want), Scope: "all data; rates are exact, rounded toward privacy",
	}, sumParams{score, q.levels, q.n, q.rows, q.tables, p, want})
	if err != nil || p.Choose == nil {
		return []cert.Check{first}, err
	}
	out := []cert.Check{first}
	shapes := []movesParams{{score, 2, 2, 5}}
	if score == model.ByMaximum {
		shapes = append(shapes, movesParams{score, 4, 2, 4})
	} else if shapes = append(shapes, movesParams{score, 4, 2, 4}, movesParams{score, 2, 3, 5}); !binary {
		shapes = append(shapes, movesParams{score, 3, 3, 4}, movesParams{score, 3, 3, 5})
	}
	for _, s := range shapes {
		two := binary || s.Parents == 2 || s.Levels == 2
		c, err := movesChecker.Check(ctx, cert.Check{
			Statement: fmt.Sprintf("most that replacing a record moves the score %s by", score),
			Formula:   "2Sx·(1/x)/2, S by the paper's lemmas or what is proved", Source: source,
			Bound: cert.Number(moves(score, float64(s.N), two)),
			Scope: fmt.Sprintf("every table of %d records in %d × %d cells, every neighbour", s.N, s.Parents, s.Levels),
		}, s)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	each, eighth := q.chosenRange(*p.Choose)/float64(q.rows), noise.Rational{Num: 1, Den: 8}
	levels := []int{2, 2, 2}
	if !binary {
		levels = []int{3, 2, 3}
	}
	for _, r := range []struct {
		epsilon float64
		network bool
	}{{each, true}, {toyHigh, true}, {each, false}} {
		rate := q.toyRate(r.epsilon, binary)
		n := toyN
		if !binary {
			n = 2
			rate = noise.DyadicTo(r.epsilon/(2*moves(score, 2, false)), 24, 1<<40, false).Reduced()
		}
		bound := 2 * r.epsilon // two choices
		statement := "exact ε of the choices of a small release, by enumeration"
		if !r.network {
			bound += 2 * 2 * eighth.Float()
			statement = "exact ε of a small release, by enumeration"
		}
		c, err := releaseChecker.Check(ctx, cert.Check{
			Statement: statement, Formula: fmt.Sprintf("2·%.6g for choices, 2·2γ for tables", r.epsilon), Source: source,
			Bound: cert.Number(bound*(1+1e-12) + 1e-12),
			Scope: fmt.Sprintf("every table of %d records over columns of %v levels, every neighbour, every network", n, levels),
		}, releaseParams{score, levels, 1, n, rate, eighth, r.network})
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
