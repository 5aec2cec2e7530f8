package sampling

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// AnswerOptions are the settings of [Family.Answers].
type AnswerOptions struct {
	Data     int     // the data set x
	Samples  int     // N
	Trials   int     // independent sample sets
	Query    Utility // fixed in advance; nil for the adaptive query
	Default  float64 // of the adaptive query: what its sure response is worth
	Bar      float64 // the claimed bound of the regret
	Progress func(done, total int64)
}

// Answers simulates Lemma 11: how often the response that is best on N samples of ξ(·|x) loses more posterior expected
// utility than the bar. Ties are broken against us. A nil Query is one that looks at the samples first, as PSAQR
// allows: its responses are a sure one, worth Default for every θ, and the indicator of "θ is one of the samples",
// which looks perfect. Domain: a data set, N and trials from 1 to 1e6, utilities and Default in [0, 1], Bar ≥ 0, a
// source; otherwise a *ParameterError; or the error of the context.
func (f *Family) Answers(ctx context.Context, src Source, o AnswerOptions) (Rate, error) {
	const name = "Answers"
	if err := check(name, domain.Between("data", o.Data, 0, len(f.post)-1),
		domain.Between("samples", o.Samples, 1, 1_000_000), domain.Between("trials", o.Trials, 1, 1_000_000),
		domain.Arg("source", src, src != nil, "one"),
		domain.Arg("default", o.Default, o.Default >= 0 && o.Default <= 1, "in [0, 1]"),
		domain.NotNegative("bar", o.Bar)); err != nil {
		return Rate{}, err
	}
	p, u := f.post[o.Data], o.Query
	if u == nil {
		u = make(Utility, len(p))
		for i := range u {
			u[i] = []float64{o.Default, 0}
		}
	} else if err := u.validate(name, len(p)); err != nil {
		return Rate{}, err
	}
	over, counts, scores := 0, make([]int, len(p)), make([]float64, len(u[0]))
	for trial := range o.Trials {
		if err := ctx.Err(); err != nil {
			return Rate{}, err
		}
		if o.Progress != nil && trial%max(1, o.Trials/100) == 0 {
			o.Progress(int64(trial), int64(o.Trials))
		}
		clear(counts)
		clear(scores)
		for range o.Samples {
			counts[pick(p, sample.Float64(src))]++
		}
		for i, k := range counts {
			if o.Query == nil {
				u[i][1] = 0
				if k > 0 {
					u[i][1] = 1
				}
			}
			for r, v := range u[i] {
				scores[r] += float64(k) * v / float64(o.Samples)
			}
		}
		if loss(scores, u.expected(p)) > o.Bar {
			over++
		}
	}
	if o.Progress != nil {
		o.Progress(int64(o.Trials), int64(o.Trials))
	}
	return clopperPearson(over, o.Trials, 1e-9), nil
}

// pick is the outcome of p at the uniform number v.
func pick(p []float64, v float64) int {
	for i, w := range p {
		if v -= w; v < 0 {
			return i
		}
	}
	for i := len(p) - 1; i > 0; i-- { // rounding of the sum: the last outcome that has mass
		if p[i] > 0 {
			return i
		}
	}
	return 0
}
