// Package logistic compares a logistic regression made of released moments with what else one would do: noisy
// full-batch gradient descent under the same (ε, δ), naive Bayes on public bins under pure ε, and no privacy.
// [Settings] are the tables; [Run] makes a [Result], and [Committed] are those of full runs, with what is needed to run
// them again.
package logistic

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Setting is a table with a class and features whose bounds, levels and bins are public.
type Setting struct {
	Name     string
	Data     string // where it comes from
	Class    string
	Features []string
	Splits   int
	Repeats  int // releases a split
	open     func(ctx context.Context) (*frame.Frame, error)
}

// Open reads the rows. Errors: *data.NotFoundError, *data.NotFetchedError where the table is not on this machine.
func (s Setting) Open(ctx context.Context) (*frame.Frame, error) { return s.open(ctx) }

// Settings are breast_cancer, embedded; pima, 532 women of whom 177 have diabetes; and the first 12,000 rows of adult,
// 4 numbers and 5 factors of 30 indicators. The last two are not embedded.
func Settings() []Setting {
	return []Setting{
		{"breast_cancer", "embedded", "benign", []string{"worst_radius", "worst_texture", "worst_smoothness",
			"worst_concave_points", "worst_symmetry"}, 10, 4, breastCancer},
		{"pima", "small/pima.csv, not embedded", "type", []string{"npreg", "glu", "bp", "skin", "bmi", "ped", "age"}, 10, 4,
			pima},
		{"adult", "adult, the first 12,000 rows, not embedded", "income", []string{"age", "education-num", "capital-gain",
			"hours-per-week", "marital-status", "occupation", "relationship", "race", "sex"}, 2, 1, adult},
	}
}

func breastCancer(ctx context.Context) (*frame.Frame, error) {
	r, s := data.BreastCancer()
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Numeric() {
			c.Edges = quarters(c.Min, c.Max)
		}
	}
	return frame.Read(ctx, r, s.Dataset, s)
}

// quarters are the edges of four bins of one width: no look at the data.
func quarters(lo, hi float64) []float64 {
	return []float64{lo, lo + (hi-lo)/4, lo + (hi-lo)/2, lo + 3*(hi-lo)/4, hi}
}

// pima has bounds from what the measures can be: an oral glucose test of 40 to 240 mg/dl, a diastolic pressure of 20 to
// 140 mm Hg, a body mass index of 10 to 70.
func pima(ctx context.Context) (*frame.Frame, error) {
	path, err := data.External("small/pima.csv")
	if err != nil {
		return nil, err
	}
	s := &frame.Schema{Dataset: "pima"}
	for _, c := range []struct {
		name   string
		whole  bool
		lo, hi float64
	}{{"npreg", true, 0, 20}, {"glu", true, 40, 240}, {"bp", true, 20, 140}, {"skin", true, 0, 100}, {"bmi", false, 10,
		70},
		{"ped", false, 0, 2.5}, {"age", true, 20, 90}} {
		column := frame.Real(c.name, quarters(c.lo, c.hi)...)
		if c.whole {
			column = frame.Integer(c.name, quarters(c.lo, c.hi)...)
		}
		column.OnOutOfDomain = frame.DomainClamp
		s.Columns = append(s.Columns, column)
	}
	s.Columns = append(s.Columns, frame.Categorical("type", "No", "Yes"))
	return frame.Load(ctx, path, s)
}

// adultRows are taken from the front of adult.
const adultRows = 12000

// adult has schooling as a number, and capital gains capped at 20,000 dollars.
func adult(ctx context.Context) (*frame.Frame, error) {
	r, s, err := data.OpenStudy("adult")
	if err != nil {
		return nil, err
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		switch c.Name {
		case "education-num":
			*c = frame.Integer(c.Name, quarters(1, 16)...)
		case "capital-gain":
			c.Max, c.Edges, c.OnOutOfDomain = 20000, []float64{0, 1, 5000, 10000, 20000}, frame.DomainClamp
		case "age", "hours-per-week":
			c.Edges = quarters(c.Min, c.Max)
		}
	}
	f, err := frame.Read(ctx, r, s.Dataset, s)
	if err != nil {
		return nil, err
	}
	return f.Head(adultRows)
}

// Delta is that of all (ε, δ) runs.
const Delta = 1e-5

// Epsilons are those of the runs.
var Epsilons = []float64{.3, 1, 3}

// Steps of gradient descent, and its rates: the one of the best accuracy on held-out rows is reported, which is not
// private and favours it.
const Steps = 20

var rates = []float64{4, 16, 64}

// The methods.
const (
	Moments     = "moments, (ε, δ)"
	PureMoments = "moments, pure ε"
	Descent     = "noisy gradient descent, (ε, δ), best of three rates"
	Bayes       = "naive Bayes on public bins, pure ε"
	PlainFit    = "logistic regression, no privacy"
	PlainMoment = "moments, no privacy"
	PlainBayes  = "naive Bayes on public bins, no privacy"
)

// Score is the mean over splits and releases of what a method gets on held-out rows.
type Score struct {
	Method   string  `json:"method"`
	Epsilon  float64 `json:"epsilon,omitempty"` // 0 without privacy
	Accuracy float64 `json:"accuracy"`
	AUC      float64 `json:"auc"`
	LogLoss  float64 `json:"log_loss"`
}

// Result is the comparison on one table, split 70 to 30.
type Result struct {
	Name   string  `json:"name"`
	Data   string  `json:"data"`
	N      int     `json:"n"` // training rows
	Splits int     `json:"splits"`
	Draws  int     `json:"draws"` // releases a method and ε
	Scores []Score `json:"scores"`
}

// runner is one run; the first error sticks.
type runner struct {
	ctx         context.Context
	setting     Setting
	train, test *frame.Frame
	labels      []int
	sums        map[Score][4]float64 // by method and ε
	order       []Score
	err         error
}

func (r *runner) add(method string, epsilon float64, p [][]float64) {
	if r.err != nil {
		return
	}
	s, err := eval.Score(p, r.labels, []string{"0", "1"})
	if err != nil {
		r.err = err
		return
	}
	key := Score{Method: method, Epsilon: epsilon}
	v, seen := r.sums[key]
	if !seen {
		r.order = append(r.order, key)
	}
	r.sums[key] = [4]float64{v[0] + s.Accuracy, v[1] + s.AUC, v[2] + s.CrossEntropy, v[3] + 1}
}

// release draws a release and predicts.
func (r *runner) release(method string, m mechanism.Mechanism, st *model.Statistics, t dp.Request, seed uint64) {
	if r.err != nil {
		return
	}
	var p *mechanism.Plan
	if p, r.err = m.Plan(r.ctx, st.Shape(), t); r.err != nil {
		return
	}
	for i := range r.setting.Repeats {
		d, err := p.Draw(r.ctx, st, "study", dp.Seeded(seed+uint64(i)))
		if err != nil {
			r.err = err
			return
		}
		rel, err := release.New(r.ctx, p, d)
		if err != nil {
			r.err = err
			return
		}
		probs, err := rel.Predict(r.test)
		if err != nil {
			r.err = err
			return
		}
		r.add(method, float64(t.Epsilon), probs)
	}
}

func (r *runner) statistics(m model.Model) *model.Statistics {
	if r.err != nil {
		return nil
	}
	var sh *model.Shape
	if sh, r.err = model.NewShape(r.train.Schema(), m, r.train.Len(), true, ""); r.err != nil {
		return nil
	}
	var st *model.Statistics
	st, r.err = model.Count(sh, r.train)
	return st
}

// withoutRows are statistics that cannot be read again, of which the fit is 2.4 times least squares.
func (r *runner) withoutRows(st *model.Statistics) *model.Statistics {
	if r.err != nil {
		return nil
	}
	key := access.Mine()
	st, r.err = model.FromSums(st.Shape(), st.Rows(key), st.OpenSums(key))
	return st
}

func (r *runner) plain(method string, st *model.Statistics) {
	if r.err != nil {
		return
	}
	f, err := model.FitPrivately(access.Mine(), st)
	if err == nil {
		var p [][]float64
		if p, err = f.Predict(r.test); err == nil {
			r.add(method, 0, p)
		}
	}
	r.err = err
}

// split compares on one split.
func (r *runner) split(seed uint64) {
	lines := r.statistics(model.LogisticRegression(r.setting.Class, r.setting.Features...))
	bayes := r.statistics(model.NaiveBayes(r.setting.Class, r.setting.Features...))
	if r.err != nil {
		return
	}
	train, err := newRows(lines.Shape(), r.train)
	if err != nil {
		r.err = err
		return
	}
	test, err := newRows(lines.Shape(), r.test)
	if err != nil {
		r.err = err
		return
	}
	r.labels = r.labels[:0]
	for _, y := range test.y {
		r.labels = append(r.labels, int(y+1)/2)
	}
	r.add(PlainFit, 0, test.probabilities(train.fit(false)))
	r.plain(PlainMoment, r.withoutRows(lines))
	r.plain(PlainBayes, bayes)
	for k, eps := range Epsilons {
		at := seed*1000 + uint64(k)*100
		r.release(Moments, regression.SufficientStatistics(), lines, dp.ApproxDP(eps, Delta), at)
		r.release(PureMoments, regression.SufficientStatistics(), lines, dp.PureDP(eps), at)
		r.release(Bayes, counts.Geometric(), bayes, dp.PureDP(eps), at)
		for _, rate := range rates {
			for i := range r.setting.Repeats {
				r.add(fmt.Sprint(Descent, rate), eps, test.probabilities(train.descent(dp.ApproxDP(eps, Delta).Parameters, Steps,
					rate,
					dp.Seeded(at+uint64(i)))))
			}
		}
	}
}

// Run compares the methods on a table. Errors: of reading, of planning, and the context's.
func Run(ctx context.Context, s Setting, seed uint64) (*Result, error) {
	f, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, setting: s, sums: map[Score][4]float64{}}
	for i := range s.Splits {
		if r.train, r.test, err = f.Split(.7, seed+uint64(i)); err != nil {
			return nil, err
		}
		if r.split(seed + uint64(i)); r.err != nil {
			return nil, r.err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	out := &Result{Name: s.Name, Data: s.Data, N: r.train.Len(), Splits: s.Splits, Draws: s.Splits * s.Repeats}
	best := map[float64]int{} // of gradient descent at every ε
	for _, key := range r.order {
		v := r.sums[key]
		score := Score{key.Method, key.Epsilon, v[0] / v[3], v[1] / v[3], v[2] / v[3]}
		if len(key.Method) > len(Descent) && key.Method[:len(Descent)] == Descent {
			score.Method = Descent
			if i, seen := best[key.Epsilon]; seen {
				if score.Accuracy > out.Scores[i].Accuracy {
					out.Scores[i] = score
				}
				continue
			}
			best[key.Epsilon] = len(out.Scores)
		}
		out.Scores = append(out.Scores, score)
	}
	return out, nil
}

// Of is the score of a method at ε; ok is false if there is none.
func (r *Result) Of(method string, epsilon float64) (s Score, ok bool) {
	for _, s := range r.Scores {
		if s.Method == method && s.Epsilon == epsilon {
			return s, true
		}
	}
	return s, false
}

// Table has a row for every method, with accuracy, AUC and log loss at every ε.
func (r *Result) Table() *table.Table {
	head := []string{"method"}
	for _, e := range Epsilons {
		head = append(head, fmt.Sprintf("ε = %g", e))
	}
	t := table.New(fmt.Sprintf("%s, %d training rows: accuracy / AUC / log loss", r.Name, r.N), head...)
	cell := func(s Score) string { return fmt.Sprintf("%.3f / %.3f / %.3f", s.Accuracy, s.AUC, s.LogLoss) }
	for _, m := range []string{Moments, PureMoments, Descent, Bayes} {
		row := []any{m}
		for _, e := range Epsilons {
			s, _ := r.Of(m, e)
			row = append(row, cell(s))
		}
		t.Add(row...)
	}
	for _, m := range []string{PlainFit, PlainMoment, PlainBayes} {
		s, _ := r.Of(m, 0)
		t.Add(m, "", "", cell(s))
	}
	return t.Note(fmt.Sprintf("%d splits, %d releases; δ = %g.", r.Splits, r.Draws, Delta))
}

// String is the table as text.
func (r *Result) String() string { return table.Text(r) }

//go:embed results.json
var results []byte

// Results are committed outcomes with what is needed to run them again.
type Results struct {
	Library string    `json:"library"`
	Command string    `json:"command"`
	Seed    uint64    `json:"seed"`
	Results []*Result `json:"results"`
}

// Committed reads the outcomes of the full runs.
func Committed() (*Results, error) {
	var r Results
	return &r, json.Unmarshal(results, &r)
}

// rows are scaled rows of a design, ‖x̃‖ ≤ 1, with classes −1 and 1.
type rows struct {
	dim int
	x   [][]float64
	y   []float64
}

func newRows(sh *model.Shape, f *frame.Frame) (*rows, error) {
	design, columns := sh.Linear().Design, sh.Columns()
	out := &rows{dim: design.Dim()}
	type feature struct {
		values []float64
		codes  frame.Codes
		levels int
	}
	var list []feature
	for _, c := range columns[1:] {
		var one feature
		var err error
		if c.Numeric() {
			one.values, err = f.Values(c.Name)
		} else {
			one.codes, err = f.Codes(c.Name)
			one.levels = c.Levels()
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	class, err := f.Codes(columns[0].Name)
	if err != nil {
		return nil, err
	}
	for r := range f.Len() {
		var x []float64
		for _, c := range list {
			if c.values != nil {
				x = append(x, c.values[r])
				continue
			}
			for level := 1; level < c.levels; level++ {
				if c.codes.At(r) == level {
					x = append(x, 1)
				} else {
					x = append(x, 0)
				}
			}
		}
		row := make([]float64, out.dim+1)
		if _, err := design.Row(x, 0, row); err != nil {
			return nil, err
		}
		out.x, out.y = append(out.x, row[:out.dim]), append(out.y, float64(2*class.At(r)-1))
	}
	return out, nil
}

// probabilities are those of both classes at weights.
func (r *rows) probabilities(w []float64) [][]float64 {
	out := make([][]float64, len(r.x))
	for i, x := range r.x {
		odds := 0.0
		for j, v := range x {
			odds += w[j] * v
		}
		out[i] = []float64{1 / (1 + math.Exp(odds)), 1 / (1 + math.Exp(-odds))}
	}
	return out
}

// gradient is the sum over rows of −y·x̃/(1 + e^{y·w·x̃}), each of norm at most 1.
func (r *rows) gradient(w, out []float64) {
	clear(out)
	for i, x := range r.x {
		odds := 0.0
		for j, v := range x {
			odds += w[j] * v
		}
		c := -r.y[i] / (1 + math.Exp(r.y[i]*odds))
		for j, v := range x {
			out[j] += c * v
		}
	}
}

// descent is noisy full-batch gradient descent: T steps, each with Gaussian noise on the summed gradient, which a
// replaced record moves by at most 2. T steps with noise σ are one Gaussian mechanism with μ = 2√T/σ, so that σ is the
// least that (ε, δ) allows, without a loss in accounting.
func (r *rows) descent(want dp.Parameters, steps int, rate float64, src rand.Source) []float64 {
	root := 2 * math.Sqrt(float64(steps))
	sigma := noise.Least(root*1e-3, root*1e5, func(sigma float64) bool {
		return loss.Meets(loss.GaussianPair{Mu: root / sigma}, want)
	})
	w, g := make([]float64, r.dim), make([]float64, r.dim)
	for range steps {
		r.gradient(w, g)
		for j := range w {
			w[j] -= rate / float64(len(r.x)) * (g[j] + sigma*sample.Normal(src))
		}
	}
	return w
}

// Fit is logistic regression without privacy: the weights on scaled rows, as a shape names them. Weighted it is the
// root of Σ x̃·(y − m)/(1 + |m|), m = tanh(w·x̃/2) the predicted response: what Fisher scoring with bounded records
// estimates, and the same where the model holds. Errors: of reading f.
func Fit(sh *model.Shape, f *frame.Frame, weighted bool) ([]float64, error) {
	r, err := newRows(sh, f)
	if err != nil {
		return nil, err
	}
	return r.fit(weighted), nil
}

// fit makes Newton steps, with a ridge of 10⁻³ for directions without data.
func (r *rows) fit(weighted bool) []float64 {
	w := make([]float64, r.dim)
	for range 30 {
		g, h := make([]float64, r.dim), mat.NewSymDense(r.dim, nil)
		for i := range w {
			h.SetSym(i, i, 1e-3)
			g[i] = -1e-3 * w[i]
		}
		for i, x := range r.x {
			odds := 0.0
			for j, v := range x {
				odds += w[j] * v
			}
			m := math.Tanh(odds / 2)
			factor := .5
			if weighted {
				factor = 1 / (1 + math.Abs(m))
			}
			for j, v := range x {
				g[j] += v * factor * (r.y[i] - m)
			}
			h.SymRankOne(h, factor*(1-m*m)/2, mat.NewVecDense(r.dim, x))
		}
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(h) || chol.SolveVecTo(&step, mat.NewVecDense(r.dim, g)) != nil {
			return w
		}
		for j := range w {
			w[j] += step.AtVec(j)
		}
		if mat.Norm(&step, 2) < 1e-9 {
			break
		}
	}
	return w
}
