package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Queries answers any number of questions from the one private sample of a release (PSAQR): a list of N draws of the
// parameters, in the order drawn, equal draws counted as often as they came. Whatever is computed from released draws
// costs no further budget. It never draws again: another sample would be another release, with its own cost.
//
// Answers are about the posterior that was sampled, trimmed or tempered as the plan says, and differ from its exact
// expectations by the error of N draws, which comes with every answer. Source: Dimitrakakis et al. 2017, Algorithm 2
// and Lemma 11, corrected in theory/sampling.md §18.
type Queries struct {
	release *Release
	draws   *model.Draws
	delta   float64 // error bars hold with probability 1 − delta
	queries int     // number of queries that answers may be chosen from
}

// Query holds the draws of a release for questions, with error bars at 95 % for one fixed query: *dp.ParameterError for
// a release without draws.
func (r *Release) Query() (*Queries, error) {
	d := r.Draws()
	if d == nil || r.plan.Shape().Weighted() != nil {
		return nil, domain.Refuse("release: query", "release of "+r.plan.Title(), "no draws of the parameters",
			"a posterior sample")
	}
	return &Queries{r, d, .05, 1}, nil
}

// Answer is P(target = state | evidence) of the released network, for every piece of evidence, in the order given; one
// without names is the margin. Its figure says which release it is of. Errors: *dp.ParameterError for a release of
// another model than a network, and those of bayesnet.Net.Answer.
func (r *Release) Answer(target, state string, evidence ...map[string]string) (*bayesnet.Answers, error) {
	net := r.Model().Network()
	if net == nil {
		return nil, domain.Refuse("release: answer", "release of "+r.plan.Title(), r.plan.Shape().Model().String(),
			"a network")
	}
	a, err := net.Answer(target, state, evidence...)
	if err != nil {
		return nil, err
	}
	a.Caption = r.Caption()
	return a, nil
}

// WithConfidence makes error bars hold with probability 1 − δ, 0 < δ < 1: *dp.ParameterError.
func (q *Queries) WithConfidence(delta float64) (*Queries, error) {
	if !(delta > 0 && delta < 1) {
		return nil, domain.Refuse("release: query", "δ", fmt.Sprint(delta), "0 < δ < 1")
	}
	c := *q
	c.delta = delta
	return &c, nil
}

// Adaptive makes error bars hold for all queries of a set of Q ≥ 1 at once, so that a query may be chosen in the light
// of earlier answers or of the draws themselves. Q is the size of the set that queries are chosen from, not the number
// asked; over unlimited queries no bar holds. *dp.ParameterError.
func (q *Queries) Adaptive(queries int) (*Queries, error) {
	if queries < 1 {
		return nil, domain.Refuse("release: query", "Q", fmt.Sprint(queries), "at least one query to choose from")
	}
	c := *q
	c.queries = queries
	return &c, nil
}

// Len is N.
func (q *Queries) Len() int { return q.draws.Len() }

// Names are the parameters' names, in the order in which functions of parameters get them; Parameter reads one by name.
func (q *Queries) Names() []string { return append([]string(nil), q.draws.Names...) }

// Parameter is the function that reads one parameter by its name, for use in functions of parameters:
// *dp.ParameterError for an unknown name, which suggests the one that was probably meant.
func (q *Queries) Parameter(name string) (func(params []float64) float64, error) {
	i := slices.Index(q.draws.Names, name)
	if i < 0 {
		return nil, domain.Refuse("release: query", "parameter", fmt.Sprintf("%q", name), safetext.OneOf(name, q.draws.Names))
	}
	return func(params []float64) float64 { return params[i] }, nil
}

// Answer is an expectation over the sampled posterior, and how far it may be off: |Value − expectation| ≤ Error with
// probability at least 1 − δ over the draws. Error is this Monte Carlo error and no other: see Queries.Warnings.
type Answer struct {
	Value, Error float64
	Basis        string // what Error rests on
}

// String shows the answer.
func (a Answer) String() string {
	return figure.Estimate(a.Value, a.Error) + " (Monte Carlo only: " + a.Basis + ")"
}

// evaluate is f at every draw; it gets a copy of each.
func (q *Queries) evaluate(f func(params []float64) float64) ([]float64, error) {
	out := make([]float64, q.Len())
	for i, v := range q.draws.Values {
		out[i] = f(append([]float64(nil), v...))
		if math.IsNaN(out[i]) || math.IsInf(out[i], 0) {
			return nil, domain.Refuse("release: query", "function of the parameters", fmt.Sprintf("%v at draw %d", out[i],
				i+1), "a finite number at every draw")
		}
	}
	return out, nil
}

// hoeffding is √(ln(2Q/δ)/(2N)), for values in [0, 1].
func (q *Queries) hoeffding() float64 {
	return math.Sqrt((math.Log(2*float64(q.queries)) - math.Log(q.delta)) / (2 * float64(q.Len())))
}

// Mean is the posterior mean of a function of the parameters: its mean over the draws. Error is the standard error
// s/√N, +Inf for one draw, which promises nothing for a function without known bounds: MeanWithin has a bar that holds.
// *dp.ParameterError for a value that is not finite.
func (q *Queries) Mean(f func(params []float64) float64) (Answer, error) {
	values, err := q.evaluate(f)
	if err != nil {
		return Answer{}, err
	}
	n := float64(len(values))
	mean := 0.0
	for _, v := range values {
		mean += v
	}
	mean /= n
	ss := 0.0
	for _, v := range values {
		ss += (v - mean) * (v - mean)
	}
	a := Answer{mean, math.Inf(1), "one draw: no standard error"}
	if n > 1 {
		a.Error, a.Basis = math.Sqrt(ss/(n-1)/n), "standard error"
	}
	return a, nil
}

// MeanWithin is Mean for a function that lies in [lo, hi], with Hoeffding's bar
//
//	(hi − lo)·√(ln(2Q/δ)/(2N)).
//
// *dp.ParameterError for lo ≥ hi or a value outside.
func (q *Queries) MeanWithin(lo, hi float64, f func(params []float64) float64) (Answer, error) {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return Answer{}, domain.Refuse("release: query", "bounds", fmt.Sprintf("[%v, %v]", lo, hi), "finite lo < hi")
	}
	values, err := q.evaluate(f)
	if err != nil {
		return Answer{}, err
	}
	mean := 0.0
	for i, v := range values {
		if v < lo || v > hi {
			return Answer{}, domain.Refuse("release: query", "function of the parameters", fmt.Sprintf("%v at draw %d", v,
				i+1), fmt.Sprintf("a value in [%v, %v]", lo, hi))
		}
		mean += v
	}
	return Answer{mean / float64(len(values)), (hi - lo) * q.hoeffding(), q.basis("Hoeffding")}, nil
}

func (q *Queries) basis(name string) string {
	s := fmt.Sprintf("%s, %s, probability %g", name, table.Count(q.Len(), "draw"), 1-q.delta)
	if q.queries > 1 {
		s += fmt.Sprintf(", adaptive over %d queries", q.queries)
	}
	return s
}

// Probability is the posterior probability of an event: the share of draws for which it holds, with the bar of
// MeanWithin.
func (q *Queries) Probability(event func(params []float64) bool) (Answer, error) {
	return q.MeanWithin(0, 1, func(params []float64) float64 {
		if event(params) {
			return 1
		}
		return 0
	})
}

// Best is the response with the greatest mean utility over the draws, the first of equals.
type Best struct {
	Response  int
	Utility   float64   // its mean utility over the draws
	Utilities []float64 // of every response
	// Regret bounds, with probability at least 1 − δ, how much posterior expected utility the response loses to the
	// best one.
	Regret float64
	Basis  string
}

// String shows the response.
func (b Best) String() string {
	return fmt.Sprintf("response %d, utility %.6g, regret at most %.2g (Monte Carlo only: %s)", b.Response, b.Utility,
		b.Regret, b.Basis)
}

// Argmax is the response in 0 … responses − 1 that maximises mean utility over the draws; utility(θ, r) lies in [0, 1].
// By Hoeffding's inequality for the difference to the best response, once for each of the others, its regret is at most
//
//	√(2 ln((R−1)/δ)/N),  and √(2 ln(Q(R−1)/δ)/N) when the query was chosen among Q.
//
// The paper's Lemma 11 leaves out the union over responses and queries and is false in general. *dp.ParameterError for
// R < 1 or a utility outside [0, 1].
func (q *Queries) Argmax(responses int, utility func(params []float64, response int) float64) (Best, error) {
	if responses < 1 {
		return Best{}, domain.Refuse("release: query", "R", fmt.Sprint(responses), "at least one response")
	}
	b := Best{Utilities: make([]float64, responses), Basis: q.basis("Lemma 11, corrected")}
	n := float64(q.Len())
	for r := range responses {
		for i, v := range q.draws.Values {
			u := utility(append([]float64(nil), v...), r)
			if !(u >= 0 && u <= 1) {
				return Best{}, domain.Refuse("release: query", "utility", fmt.Sprintf("%v of response %d at draw %d", u, r, i+1),
					"a number in [0, 1]")
			}
			b.Utilities[r] += u
		}
		b.Utilities[r] /= n
		if b.Utilities[r] > b.Utilities[b.Response] {
			b.Response = r
		}
	}
	b.Utility = b.Utilities[b.Response]
	if responses > 1 {
		b.Regret = math.Sqrt(2 * (math.Log(float64(q.queries)*float64(responses-1)) - math.Log(q.delta)) / n)
	}
	return b, nil
}

// Predict is the posterior predictive probability of every class for every row of x: the mean of the predictions of all
// draws, where the release's own Predict uses the mean parameters. Errors: *model.Error for a model of numbers, those
// of the model's Predict.
func (q *Queries) Predict(x *frame.Frame) ([][]float64, error) {
	sh := q.release.plan.Shape()
	var out [][]float64
	for _, v := range q.draws.Values {
		e := model.Estimate{Draws: &model.Draws{Names: q.draws.Names, Values: [][]float64{v}}}
		at := 0
		for _, c := range sh.Conditionals() {
			size := c.Rows * c.Levels
			if at+size > len(v) {
				return nil, domain.Refuse("release: query", "release of "+q.release.plan.Title(),
					fmt.Sprintf("draws of %d numbers", len(v)), "draws of every conditional distribution")
			}
			e.Conditionals, at = append(e.Conditionals, v[at:at+size]), at+size
		}
		f, err := model.Fit(sh, e)
		if err != nil {
			return nil, err
		}
		p, err := f.Predict(x)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = make([][]float64, len(p))
			for i := range p {
				out[i] = make([]float64, len(p[i]))
			}
		}
		for i := range p {
			for j, u := range p[i] {
				out[i][j] += u / float64(q.Len())
			}
		}
	}
	return out, nil
}

// Table says what is asked, and that asking is free.
func (q *Queries) Table() *table.Table {
	t := table.New("Queries on a posterior sample", "item", "value")
	t.Add("draws", fmt.Sprintf("%d of %d parameters, a list in the order drawn", q.Len(), len(q.draws.Names)))
	t.Add("guarantee", q.release.Guarantee().String())
	t.Add("cost of a query", "none: every answer is computed from the released draws")
	t.Add("error of a probability", q.hoeffding()).Add("error bars", q.basis("hold for the posterior as sampled"))
	return t.Note("Queries never draw again: another sample would be another release, with its own cost.")
}

// String shows the table and the warnings as text.
func (q *Queries) String() string { return table.Text(q) }
