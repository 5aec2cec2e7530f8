package answers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Point is one planned release: what it guarantees and how far its noise is expected to move an estimate.
type Point struct {
	Level           float64   `json:"level"`
	N               int       `json:"n,omitempty"`
	Mechanism       string    `json:"mechanism"`
	Choice          string    `json:"choice"`
	Certified       string    `json:"certified"`
	StandardFormula string    `json:"textbook"`
	Error           *float64  `json:"error,omitempty"` // predicted; absent where there is no formula
	How             string    `json:"how,omitempty"`
	Measure         string    `json:"measure"` // what Error is the error of
	Lines           []Line    `json:"lines"`   // of the plan, as it is shown
	Checks          []Checked `json:"checks"`  // of its certificate
	Warnings        []string  `json:"warnings,omitempty"`
}

// Line is a setting of a plan.
type Line struct {
	Item  string `json:"item"`
	Value string `json:"value"`
}

// planned plans the mechanism asked for on a shape.
func (q *Question) planned(ctx context.Context, sh *model.Shape) (*mechanism.Plan, mechanism.Choice, error) {
	t, err := q.target()
	if err != nil {
		return nil, mechanism.Choice{}, err
	}
	c, d, err := q.chosen(sh)
	if err != nil {
		return nil, c, err
	}
	q.Mechanism, q.Choice = d.Title, c.Name
	p, err := c.Mechanism.Plan(ctx, sh, t)
	return p, c, err
}

// Point plans the mechanism asked for, and predicts its error.
func (q *Question) Point(ctx context.Context) (*Point, error) {
	sh, err := q.shape()
	if err != nil {
		return nil, err
	}
	p, _, err := q.planned(ctx, sh)
	if err != nil {
		return nil, err
	}
	out := &Point{Level: q.Level, N: q.N, Mechanism: q.Mechanism, Choice: q.Choice, Certified: p.Certified().String(),
		StandardFormula: p.StandardFormula().Level.String(), Measure: p.PredictUnit()}
	value, how := advise.Predict(p)
	out.Error, out.How = number(value), how
	for _, s := range p.Settings() {
		out.Lines = append(out.Lines, Line{s.Name, s.Value})
	}
	for _, k := range p.Certificate().All() {
		out.Checks = append(out.Checks, explained(k, float64(k.Value)))
	}
	for _, w := range p.Warnings() {
		out.Warnings = append(out.Warnings, w.Text)
	}
	return out, nil
}

// Solution is the level or the number of records at which a predicted error is reached.
type Solution struct {
	For   string `json:"for"`
	Value any    `json:"value"`
	Point *Point `json:"point"`
}

// The search of Solve.
const (
	leastLevel, mostLevel = 1e-4, 1e3
	mostN                 = 1_000_000_000
	sharpness             = 1e-3 // of a level; n is found exactly
	// where each step of the search over n takes longer, n up to this share will do
	coarse = 1e-2
)

// Solve finds the smallest level, or the smallest n, at which the predicted error of the mechanism asked for is at most
// q.Error. Predicted errors fall in both, so that bisection finds it; what it finds is planned, and its own error is in
// the answer.
func (q *Question) Solve(ctx context.Context, emit func(any)) (*Solution, error) {
	if !(q.Error > 0) || math.IsInf(q.Error, 1) {
		return nil, &Mistake{"error", "want a number above 0"}
	}
	at, low, high, first := q.atLevel, leastLevel, mostLevel, q.Level
	switch q.For {
	case "level":
	case "n":
		at, low, high, first = q.atN, 1, mostN, float64(q.N)
	default:
		return nil, &Mistake{"for", "want level or n"}
	}
	tries := 0
	meets := func(x float64) (bool, error) {
		tries++
		emit(Progress{Kind: "progress", Share: math.Min(.95, float64(tries)/30), Text: fmt.Sprintf("%s = %.4g", q.For, x)})
		p, err := at(x).Point(ctx)
		var unmet *mechanism.UnmetTarget
		switch {
		case errors.As(err, &unmet):
			return false, nil
		case err != nil:
			return false, err
		case p.Error == nil:
			return false, &Mistake{"mechanism", "no formula predicts its error: compare the mechanisms instead"}
		}
		return *p.Error <= q.Error, nil
	}
	x, err := bisect(math.Max(low, math.Min(high, first)), low, high, q.For == "n", meets)
	if err != nil {
		return nil, err
	}
	p, err := at(x).Point(ctx)
	if err != nil {
		return nil, err
	}
	return &Solution{q.For, x, p}, nil
}

func (q *Question) atLevel(x float64) *Question {
	own := *q
	own.Level = x
	return &own
}

func (q *Question) atN(x float64) *Question {
	own := *q
	own.N = int(x)
	return &own
}

// bisect finds the least x from low to high that meets, starting near first, on a logarithmic scale; whole numbers are
// found up to the share coarse, or exactly where they are small.
func bisect(first, low, high float64, whole bool, meets func(float64) (bool, error)) (float64, error) {
	round := func(x float64) float64 {
		if whole {
			return math.Round(x)
		}
		return x
	}
	x := round(first)
	ok, err := meets(x)
	if err != nil {
		return 0, err
	}
	lo, hi := x, x // then lo misses and hi meets
	for step := 4.; ; step *= 2 {
		if ok {
			lo = math.Max(low, round(lo/step))
		} else {
			hi = math.Min(high, round(hi*step))
		}
		edge := lo
		if !ok {
			edge = hi
		}
		good, err := meets(edge)
		if err != nil {
			return 0, err
		}
		switch {
		case good == !ok:
			return within(lo, hi, whole, round, meets)
		case edge == low:
			return low, nil
		case edge == high:
			return 0, &Mistake{"error", fmt.Sprintf("not reached up to %.4g: want a larger one", high)}
		}
		if ok {
			hi = lo
		} else {
			lo = hi
		}
	}
}

// within closes in on the bracket.
func within(lo, hi float64, whole bool, round func(float64) float64,
	meets func(float64) (bool, error)) (float64, error) {
	for {
		share := sharpness
		if whole {
			share = coarse
		}
		if hi <= lo*(1+share) || whole && hi <= lo+1 {
			return hi, nil
		}
		mid := round(math.Sqrt(lo * hi))
		if mid <= lo || mid >= hi {
			mid = round((lo + hi) / 2)
		}
		ok, err := meets(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			hi = mid
		} else {
			lo = mid
		}
	}
}
