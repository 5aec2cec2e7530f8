package logistic

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

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

func (r *runner) plain(method string, st *model.Statistics) {
	if r.err != nil {
		return
	}
	f, err := model.FitPrivately(seal.Mine(), st)
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
	r.add(PlainFit, 0, test.probabilities(train.fit()))
	r.plain(PlainMoment, lines)
	r.plain(PlainBayes, bayes)
	for k, eps := range Epsilons {
		at := seed*1000 + uint64(k)*100
		r.release(Moments, linear.SufficientStatistics(), lines, dp.ApproxDP(eps, Delta), at)
		r.release(PureMoments, linear.SufficientStatistics(), lines, dp.PureDP(eps), at)
		r.release(Bayes, counts.Geometric(), bayes, dp.PureDP(eps), at)
		for _, rate := range rates {
			for i := range r.setting.Repeats {
				r.add(fmt.Sprint(Descent, rate), eps, test.probabilities(train.descent(dp.ApproxDP(eps, Delta).Parameters, Steps, rate,
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
