// Package regression holds the linear regression experiment of Zhang, Rubinstein and Dimitrakakis (AAAI 2016, §5.2,
// Figure 2) in place of the closed census extract of the paper: on weekly wages, data set cps1988, embedded, and as a
// large run on the yearly salaries of 204309 government employees, data set acs_gov2018, which is not.
//
// [ByEpsilon] is mean squared error against ε for the posterior sampler and for noise on second moments; [ByPrior] is
// the paper's own axis, prior precision b with the ball ‖w‖ ≤ 10/√b, with the ε that its σ² = 1 really has. [Committed]
// and [CommittedSalaries] are the outcomes of full runs.
package regression

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// WageCap is the public upper bound of the weekly wage in dollars: 2000, in place of the schema's 20000, which would
// make the unit of every error ten times as large. It is a choice from public knowledge: $2000 a week was several times
// the published median of 1988.
const WageCap = 2000

// SalaryCap is the public upper bound of the yearly salary in dollars: 200000, in place of the schema's 1000000. It is
// a choice from public knowledge: the federal pay scales of 2018 ended near it.
const SalaryCap = 200000

// Wages is cps1988 with the wage moved to WageCap where it is above: 28155 rows.
func Wages() (*frame.Frame, error) {
	r, s := data.CPS1988()
	return read(r, s, "wage", WageCap, []float64{0, 100, 200, 300, 400, 500, 600, 800, 1000, 1500, WageCap})
}

// Salaries is acs_gov2018 with the salary moved to SalaryCap where it is above: 204309 rows. Errors: those of
// data.ACSGov2018, such as *data.NotFoundError where the table is not on this machine.
func Salaries() (*frame.Frame, error) {
	r, s, err := data.ACSGov2018()
	if err != nil {
		return nil, err
	}
	return read(r, s, "salary", SalaryCap,
		[]float64{0, 10000, 20000, 30000, 40000, 50000, 60000, 80000, 100000, 150000, SalaryCap})
}

// read reads a table with a lower cap on its response.
func read(r io.Reader, s *frame.Schema, response string, most float64, edges []float64) (*frame.Frame, error) {
	c, _, err := s.Column(response)
	if err != nil {
		return nil, err
	}
	c.Max, c.OnOutOfDomain, c.Edges = most, frame.DomainClamp, edges
	return frame.Read(context.Background(), r, s.Dataset, s)
}

// WageModel is the regression of wage on education and experience, with an intercept: three coordinates, B = 2, b = 1.
func WageModel() model.LinearRegressionModel {
	return model.LinearRegression("wage", "education", "experience")
}

// SalaryModel is the regression of salary on age, education, and hours and weeks of work, with an intercept: five
// coordinates, b = 1, and B = 3: weights on rows of norm 1 grow like the root of their number.
func SalaryModel() model.LinearRegressionModel {
	return model.LinearRegression("salary", "age", "education_level", "hours_worked", "weeks_worked").WithRadius(3)
}

// Options says what is run. Zero values take the paper's settings, or those in brackets.
type Options struct {
	Train    float64   // share of rows to train on [0.1, as in the paper]
	Splits   int       // [10]
	Repeats  int       // releases per run, point and split [10]
	Epsilons []float64 // of ByEpsilon [0.1, 0.3, 1, 3, 10]
	Priors   []float64 // b of ByPrior [0.1, 1, 10, 100, 1000, 10000]
	Delta    float64   // of the runs that have one [1e-6]
	Seed     uint64
	Progress func(done, total int64)
}

func (o Options) withDefaults() Options {
	if o.Train == 0 {
		o.Train = .1
	}
	if o.Splits == 0 {
		o.Splits = 10
	}
	if o.Repeats == 0 {
		o.Repeats = 10
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{.1, .3, 1, 3, 10}
	}
	if len(o.Priors) == 0 {
		o.Priors = []float64{.1, 1, 10, 100, 1000, 10000}
	}
	if o.Delta == 0 {
		o.Delta = 1e-6
	}
	return o
}

// Point is the held-out mean squared error of one curve at one place.
type Point struct {
	X       float64 `json:"x"`       // ε, or b
	Epsilon float64 `json:"epsilon"` // certified, with the curve's δ; 0 without privacy
	MSE     float64 `json:"mse"`
	SE      float64 `json:"se"` // over noise
}

// Curve is one line of a result.
type Curve struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Result is one experiment. The data are public, so nothing of it is private.
type Result struct {
	Title  string  `json:"title"`
	Data   string  `json:"data"` // and the range of the response
	Axis   string  `json:"axis"`
	N      int     `json:"n"` // training rows
	Splits int     `json:"splits"`
	Draws  int     `json:"draws"` // releases per curve and point
	Curves []Curve `json:"curves"`
}

// runs are the curves of ByEpsilon: the sampler at pure ε with one draw and with ten, the sampler at (ε, δ), and noise
// on second moments.
func (o Options) runs() []eval.Run {
	approximate := func(eps float64) dp.Request { return dp.ApproxDP(eps, o.Delta) }
	with := ", δ = " + strings.TrimPrefix(figure.Number(o.Delta), "1 × ")
	return []eval.Run{
		{Name: "sampler, 1 draw, pure ε", Mechanism: regression.Sampler(1)},
		{Name: "sampler, 10 draws, pure ε", Mechanism: regression.Sampler(10)},
		{Name: "sampler, 10 draws" + with, Mechanism: regression.Sampler(10), Target: approximate},
		{Name: "noise on moments" + with, Mechanism: regression.SufficientStatistics().Continuous(), Target: approximate},
		{Name: "noise on moments, plain posterior" + with, Mechanism: regression.SufficientStatistics().Continuous().Plain(),
			Target: approximate},
	}
}

// ByEpsilon runs the mechanisms at every ε. Errors: of planning, and the context's.
func ByEpsilon(ctx context.Context, f *frame.Frame, m model.LinearRegressionModel, o Options) (*Result, error) {
	o = o.withDefaults()
	d, err := eval.Compare(ctx, f, m, eval.CompareOptions{
		Runs: o.runs(), Epsilons: o.Epsilons, Train: o.Train, Splits: o.Splits, Repeats: o.Repeats, Seed: o.Seed,
		Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	r := &Result{Title: "Mean squared error against ε", Data: describe(f, m), Axis: "ε", N: d.N, Splits: o.Splits,
		Draws: o.Splits * o.Repeats}
	for i, run := range o.runs() {
		c := Curve{Name: run.Name}
		for _, out := range d.Outcomes[i*len(o.Epsilons) : (i+1)*len(o.Epsilons)] {
			c.Points = append(c.Points, Point{out.Epsilon, float64(out.Certified.Epsilon), out.Score.Mean,
				out.Score.OverNoise})
		}
		r.Curves = append(r.Curves, c)
	}
	for _, line := range []struct {
		name string
		mse  float64
	}{{"non-private", d.NonPrivate.Mean}, {"middle of the range", d.Guess.Mean}} {
		c := Curve{Name: line.name}
		for _, e := range o.Epsilons {
			c.Points = append(c.Points, Point{X: e, MSE: line.mse})
		}
		r.Curves = append(r.Curves, c)
	}
	return r, nil
}

// ByPrior runs Figure 2 on its own axis: prior precision b, weights in the ball 10/√b, one draw. The paper takes σ² =
// 1, whose ε is osc(10/√b); beside it stands the sampler calibrated to ε = 1. Errors: of planning, and the context's.
func ByPrior(ctx context.Context, f *frame.Frame, m model.LinearRegressionModel, o Options) (*Result, error) {
	o = o.withDefaults()
	r := &Result{Title: "Mean squared error against prior precision", Data: describe(f, m), Axis: "b",
		Splits: o.Splits, Draws: o.Splits * o.Repeats,
		Curves: []Curve{{Name: "paper: one draw at σ² = 1"}, {Name: "one draw at ε = 1"}, {Name: "non-private"}}}
	sh, err := model.NewShape(f.Schema(), m, 0, true, "")
	if err != nil {
		return nil, err
	}
	for i, b := range o.Priors {
		radius := 10 / math.Sqrt(b)
		osc, err := leastsquares.Osc(radius, len(sh.Linear().Weights()))
		if err != nil {
			return nil, err
		}
		progress := func(done, total int64) {
			if o.Progress != nil {
				o.Progress(int64(i)*total+done, int64(len(o.Priors))*total)
			}
		}
		d, err := eval.Compare(ctx, f, m.WithPrior(b).WithRadius(radius), eval.CompareOptions{
			Runs: []eval.Run{
				{Name: "paper", Mechanism: regression.Sampler(1),
					Target: func(float64) dp.Request { return dp.PureDP(osc) }},
				{Name: "calibrated", Mechanism: regression.Sampler(1)},
			},
			Epsilons: []float64{1}, Train: o.Train, Splits: o.Splits, Repeats: o.Repeats, Seed: o.Seed,
			Progress: progress,
		})
		if err != nil {
			return nil, err
		}
		r.N = d.N
		for k, out := range d.Outcomes {
			r.Curves[k].Points = append(r.Curves[k].Points,
				Point{b, float64(out.Certified.Epsilon), out.Score.Mean, out.Score.OverNoise})
		}
		r.Curves[2].Points = append(r.Curves[2].Points, Point{X: b, MSE: d.NonPrivate.Mean})
	}
	return r, nil
}

// Caption says what was run.
func (r *Result) Caption() string {
	return fmt.Sprintf("%s, %s training rows, %d splits, %d releases a point; replace-one. Bars: ± 2 standard errors "+
		"over noise.", r.Data, figure.Number(float64(r.N)), r.Splits, r.Draws)
}

// describe names the data set and the response's public range.
func describe(f *frame.Frame, m model.LinearRegressionModel) string {
	c, _, err := f.Schema().Column(m.Target())
	if err != nil {
		return f.Schema().Dataset // the comparison refuses such a model
	}
	return fmt.Sprintf("%s, %s in [%g, %g] dollars", f.Schema().Dataset, m.Target(), c.Min, c.Max)
}

// useless is the curve of a prediction that reads nothing: it is in the table only, since it flattens all others.
const useless = "middle of the range"

// Figure is the experiment as curves, on logarithmic axes: roots of the mean squared errors, in the response's unit.
func (r *Result) Figure() *figure.Figure {
	f := &figure.Figure{Title: r.rooted(), XLabel: r.Axis,
		YLabel: "held-out root mean squared error, dollars", LogX: true, LogY: true, Caption: r.Caption()}
	if r.Axis == "b" {
		f.XLabel = "precision b of the prior"
	}
	for _, c := range r.Curves {
		if c.Name == useless {
			continue
		}
		s := figure.Series{Name: c.Name, Kind: figure.Band}
		for _, p := range c.Points {
			s.X, s.Y = append(s.X, p.X), append(s.Y, math.Sqrt(p.MSE))
			s.Lo = append(s.Lo, math.Sqrt(math.Max(p.MSE-2*p.SE, p.MSE/2)))
			s.Hi = append(s.Hi, math.Sqrt(p.MSE+2*p.SE))
		}
		if c.Points[0].Epsilon == 0 {
			s.Kind, s.Lo, s.Hi, s.Dashed = figure.Line, nil, nil, true
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// rooted is the title of what shows roots of the mean squared errors.
func (r *Result) rooted() string { return "Root m" + strings.TrimPrefix(r.Title, "M") }

// Table is the experiment in numbers, roots of mean squared errors in dollars, with the certified ε of every private
// point where it is not the axis.
func (r *Result) Table() *table.Table {
	head := []string{"curve"}
	for _, p := range r.Curves[0].Points {
		head = append(head, fmt.Sprintf("%s = %g", r.Axis, p.X))
	}
	t := table.New(r.rooted()+", dollars", head...)
	for _, c := range r.Curves {
		row, eps := []any{c.Name}, []any{"  its ε"}
		for _, p := range c.Points {
			row, eps = append(row, root(p)), append(eps, p.Epsilon)
		}
		t.Add(row...)
		if r.Axis != "ε" && c.Points[0].Epsilon > 0 {
			t.Add(eps...)
		}
	}
	return t.Note(strings.Replace(r.Caption(), "Bars: ± 2 standard errors", "± one standard error", 1))
}

// root is √MSE ± SE/(2√MSE), both to two digits of the standard error.
func root(p Point) string {
	mean := math.Sqrt(p.MSE)
	se := p.SE / (2 * mean)
	if !(se > 0) {
		return table.Number(mean)
	}
	return figure.Estimate(mean, se)
}

//go:embed results.json
var results []byte

//go:embed results_acs.json
var salaryResults []byte

// Results are committed outcomes with what is needed to run them again.
type Results struct {
	Library    string  `json:"library"`
	Data       string  `json:"data"`
	DataSHA256 string  `json:"data_sha256"` // as package data tells it
	Command    string  `json:"command"`
	Seed       uint64  `json:"seed"`
	ByEpsilon  *Result `json:"by_epsilon"`
	ByPrior    *Result `json:"by_prior"`
}

// Committed reads the outcomes of the full runs on cps1988.
func Committed() (*Results, error) { return parse(results) }

// CommittedSalaries reads the outcomes of the large run on acs_gov2018.
func CommittedSalaries() (*Results, error) { return parse(salaryResults) }

func parse(b []byte) (*Results, error) {
	var r Results
	return &r, json.Unmarshal(b, &r)
}
