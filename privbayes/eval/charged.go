package eval

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// NoisyAccuracy is a held-out accuracy that may be published: a noisy count of right predictions.
type NoisyAccuracy struct {
	Share      float64      // noisy share of right predictions, cut to [0, 1]
	HalfWidth  float64      // the noise moves the share by at most this with probability 0.95
	Guarantee  dp.Guarantee // about the test rows
	TestRows   int
	Randomness string
	warnings   warning.List
}

// Table shows the accuracy with its guarantee.
func (a *NoisyAccuracy) Table() *table.Table {
	t := table.New("Held-out accuracy (may be published)", "item", "value")
	t.Add("accuracy", a.Share).Add("noise, 95 %", "± "+table.Number(a.HalfWidth)).Add("test rows", a.TestRows)
	return t.Add("guarantee", a.Guarantee.String()).Add("randomness", a.Randomness)
}

// String shows the accuracy as text.
func (a *NoisyAccuracy) String() string { return table.Text(a) }

// Warnings lists what is dangerous about the accuracy: about its level for that many test rows, test rows that the
// release was made from, and a number of test rows that tells how many rows there are in all where the release hides
// that.
func (a *NoisyAccuracy) Warnings() warning.List { return a.warnings }

// PrivateAccuracy releases the number of test rows that the release r of the statistics st predicts right, with
// geometric noise at a target; the request has the budget of the test rows and the seed, if any. Replacing one row
// changes the number by at most one. The number of test rows is published with it, so an adjacency under which it is
// private is refused (*mechanism.UnsupportedError). The predictions come from the release, so only the test rows are
// read.
func PrivateAccuracy(ctx context.Context, r *release.Release, st *model.Statistics, test *frame.Frame, t dp.Request,
	q keep.Request) (*NoisyAccuracy, error) {
	if q.Path != "" {
		return nil, fmt.Errorf("KeepIn is for releases of Privatize; publish the returned value itself")
	}
	n, public := test.PublicN()
	if !public {
		return nil, fmt.Errorf("%w: the number of test rows must be public", frame.ErrPrivateN)
	}
	if !t.Adjacency.PublicN() { // the share is a number of rows over n: publishing it publishes n
		return nil, &mechanism.UnsupportedError{Mechanism: "a charged accuracy",
			What: t.Adjacency.String() + " adjacency",
			Use:  "an adjacency under which the number of test rows is public, such as replace-one"}
	}
	right, err := countRight(r, test)
	if err != nil {
		return nil, err
	}
	// right and wrong are a column with two levels, so the binary model's machinery plans, certifies, charges and draws
	// it
	read, fitted := test.Schema(), r.Plan().Shape().Schema()
	column := frame.Categorical("prediction", "right", "wrong")
	column.Pad = "wrong" // of a schema that pads units; no row is made of this one
	s := &frame.Schema{Dataset: read.Dataset, Unit: read.Unit, RowsPerUnit: read.RowsPerUnit, UnitKey: read.UnitKey,
		PadUnits: read.PadUnits, Inferred: read.Inferred || fitted.Inferred, Columns: []frame.Column{column}}
	sh, err := model.NewShape(s, model.Binary("prediction"), n, true, "")
	if err != nil {
		return nil, err
	}
	if q.Statistics, err = model.FromCounts(sh, [][]int64{{right, int64(n) - right}}); err != nil {
		return nil, err
	}
	if q.Plan, err = counts.Geometric().WithPostProcess(counts.Clamp).Plan(ctx, sh, t); err != nil {
		return nil, err
	}
	one, _, err := q.Draw(ctx)
	if err != nil {
		return nil, err
	}
	a := &NoisyAccuracy{Guarantee: one.Guarantee(), TestRows: n, Randomness: one.Randomness(),
		warnings: accuracyWarnings(r, st, q.Plan, test)}
	rows := math.Max(1, float64(n))
	a.Share = one.Estimate().Tables[0][0] / rows
	a.HalfWidth = math.Min(1, halfWidth(q.Plan)/rows)
	return a, nil
}

// accuracyWarnings are those of an accuracy of r on test rows.
func accuracyWarnings(r *release.Release, st *model.Statistics, plan *mechanism.Plan, test *frame.Frame) warning.List {
	adj := r.Plan().Certified().Adjacency
	out := plan.Certified().Warnings(mechanism.Size(plan.Shape())).And(trainingRows(st, test, adj))
	if n, public := test.PublicN(); public && !adj.PublicN() && st.Selection().SameSource(test.Selection()) {
		out = append(out, warning.NNotPublic(n, "beside a release under "+adj.String()+", of the same source, this "+
			"shows"))
	}
	return out
}

// halfWidth is the 95 % bound on the noise of a count, from its standard deviation: Laplace-like tails put P(|Z| > t)
// at e^{−√2 t/sd}, so t = sd·ln(20)/√2.
func halfWidth(p *mechanism.Plan) float64 {
	for _, e := range p.Expected() {
		if e.Unit == "records" {
			return math.Ceil(e.Value * math.Log(20) / math.Sqrt2)
		}
	}
	return math.NaN()
}

// countRight counts the rows whose most probable class is theirs.
func countRight(r *release.Release, test *frame.Frame) (int64, error) {
	probs, err := r.Predict(test)
	if err != nil {
		return 0, err
	}
	labels, err := r.Model().Labels(test)
	if err != nil {
		return 0, err
	}
	right := int64(0)
	for i, row := range probs {
		if floats.MaxIdx(row) == labels[i] {
			right++
		}
	}
	return right, nil
}
