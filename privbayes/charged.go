package privbayes

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Accuracy is a held-out accuracy that may be published: a noisy count of right predictions.
type Accuracy struct {
	Share      float64      // noisy share of right predictions, cut to [0, 1]
	HalfWidth  float64      // the noise moves the share by at most this with probability 0.95
	Guarantee  dp.Guarantee // about the test rows
	TestRows   int
	Randomness string
	warnings   warning.List
}

// Table shows the accuracy with its guarantee.
func (a *Accuracy) Table() *table.Table {
	t := table.New("Held-out accuracy (may be published)", "item", "value")
	t.Add("accuracy", a.Share).Add("noise, 95 %", "± "+table.Number(a.HalfWidth)).Add("test rows", a.TestRows)
	return t.Add("guarantee", a.Guarantee.String()).Add("randomness", a.Randomness)
}

// String shows the accuracy as text.
func (a *Accuracy) String() string { return table.Text(a) }

// ChargedAccuracy releases the number of test rows that the release predicts right, with geometric noise at the given target, and
// charges it to the budget of the test frame. Replacing one row changes the number by at most one. The number of test rows is
// published with it, so an adjacency under which it is private is refused (*mechanism.UnsupportedError). The predictions come from the
// release, so only the test rows are read. Errors are those of Privatize and Evaluate.
func (p *Privatized) ChargedAccuracy(test *Frame, t Target, opts ...Option) (*Accuracy, error) {
	const name = "ChargedAccuracy"
	if err := p.Err(); err != nil {
		return nil, err
	}
	if err := test.Err(); err != nil {
		return nil, step(name, err)
	}
	o := options{ctx: context.Background()}
	for _, opt := range opts {
		opt(&o)
	}
	if o.keep != "" {
		return nil, step(name, fmt.Errorf("KeepIn is for releases of Privatize; publish the returned value itself"))
	}
	n, public := test.f.PublicN()
	if !public {
		return nil, step(name, fmt.Errorf("%w: the number of test rows must be public", frame.ErrPrivateN))
	}
	if !t.Adjacency.PublicN() { // the share is a number of rows over n: publishing it publishes n
		return nil, step(name, &mechanism.UnsupportedError{Mechanism: "a charged accuracy", What: t.Adjacency.String() + " adjacency", Use: "an adjacency under which the number of test rows is public, such as replace-one"})
	}
	right, err := p.countRight(test)
	if err != nil {
		return nil, step(name, err)
	}
	// right and wrong are a column with two levels, so the binary model's machinery plans, certifies, charges and draws it
	read, fitted := test.f.Schema(), p.plan.Shape().Schema()
	s := &frame.Schema{Dataset: read.Dataset, Unit: read.Unit, RowsPerUnit: read.RowsPerUnit, Inferred: read.Inferred || fitted.Inferred,
		Columns: []frame.Column{frame.Categorical("prediction", "right", "wrong")}}
	sh, err := model.NewShape(s, model.Binary("prediction"), n, true, "")
	if err != nil {
		return nil, step(name, err)
	}
	st, err := model.FromCounts(sh, [][]int64{{right, int64(n) - right}})
	if err != nil {
		return nil, step(name, err)
	}
	plan, err := counts.Geometric().WithPostProcess(counts.Clamp).Plan(o.ctx, sh, t)
	if err != nil {
		return nil, step(name, err)
	}
	one := &Privatized{plan: plan, stats: st, frame: test}
	if err := one.draw(&Model{frame: test, shape: sh}, o); err != nil {
		return nil, step(name, err)
	}
	a := &Accuracy{Guarantee: one.release.Guarantee(), TestRows: n, Randomness: one.release.Randomness(), warnings: p.accuracyWarnings(plan, test)}
	rows := math.Max(1, float64(n))
	a.Share = one.release.Estimate().Tables[0][0] / rows
	a.HalfWidth = math.Min(1, halfWidth(plan)/rows)
	return a, nil
}

// halfWidth is the 95 % bound on the noise of a count, from its standard deviation: Laplace-like tails put P(|Z| > t) at
// e^{−√2 t/sd}, so t = sd·ln(20)/√2.
func halfWidth(p *mechanism.Plan) float64 {
	for _, e := range p.Expected() {
		if e.Unit == "records" {
			return math.Ceil(e.Value * math.Log(20) / math.Sqrt2)
		}
	}
	return math.NaN()
}

func (p *Privatized) countRight(test *Frame) (int64, error) {
	probs, err := p.release.Predict(test.f)
	if err != nil {
		return 0, err
	}
	labels, err := p.release.Model().Labels(test.f)
	if err != nil {
		return 0, err
	}
	right := int64(0)
	for i, row := range probs {
		best := 0
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		if best == labels[i] {
			right++
		}
	}
	return right, nil
}
