package warner

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// pairChecker derives what the pair spends in the notion of the target.
var pairChecker = cert.Define(kind+"/pair", func(_ context.Context, p pairParams) (cert.Outcome, error) {
	if err := p.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	return cert.Outcome{Value: loss.Spent(p.pair(), p.Want), Method: cert.ClosedForm}, p.Want.Valid()
})

type pairParams struct {
	params
	Want dp.Parameters `json:"want"`
}

// lawChecker derives the exact ε of the law that is drawn: every count of n records, every neighbour, every output.
var lawChecker = cert.Define(kind+"/law", func(ctx context.Context, p lawParams) (cert.Outcome, error) {
	if err := p.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if p.N < 1 || p.N > enumerated {
		want := fmt.Sprintf("1 ≤ n ≤ %d", enumerated)
		return cert.Outcome{}, &dp.ParameterError{Of: "warner", Parameter: "n", Value: p.N, Want: want}
	}
	res, err := finite.Audit(ctx, p, finite.Space{Cells: 2, N: p.N}, nil, nil)
	if err != nil {
		return cert.Outcome{}, err
	}
	return cert.Outcome{Value: res.Epsilon, Method: cert.Enumeration, Work: res.Work}, nil
})

// enumerated is the greatest n whose law is enumerated.
const enumerated = 12

type lawParams struct {
	params
	N int `json:"n"`
}

// Outputs are the counts 0 … n.
func (p lawParams) Outputs() int { return p.N + 1 }

// LogLaw is the law of the count shown: a sum of n independent records, of which x[0] show the first level with
// probability 1−q and the others with probability q.
func (p lawParams) LogLaw(x []int, out []float64) {
	law := make([]float64, p.N+1)
	law[0] = 1
	for i := range p.N {
		shows := p.q()
		if i < x[0] {
			shows = 1 - p.q()
		}
		for k := i + 1; k > 0; k-- {
			law[k] = law[k]*(1-shows) + law[k-1]*shows
		}
		law[0] *= 1 - shows
	}
	for k, v := range law {
		out[k] = math.Log(v)
	}
}

// certify states what a release at given parameters has, with the checks that show it.
func certify(ctx context.Context, q problem, p params) (spec mechanism.Spec, err error) {
	ofPair, err := pairChecker.Check(ctx, cert.Check{
		Statement: "privacy loss of what one record shows, " + loss.NotionWords(q.target.Parameters),
		Formula:   fmt.Sprintf("±ln((1−q)/q) = ±%.6g, + with probability 1−q", p.rate()),
		Source:    "Warner 1965; the count is post-processing",
		Bound:     loss.Allowed(q.target.Parameters), Scope: "all data of any n",
	}, pairParams{p, q.target.Parameters})
	if err != nil {
		return spec, err
	}
	n := min(q.n, enumerated)
	ofLaw, err := lawChecker.Check(ctx, cert.Check{
		Statement: "exact pure ε of the law that is drawn, by enumeration",
		Formula:   "max |ln P_x(k)/P_y(k)| ≤ ln((1−q)/q), and 1e-12 for the rounding of log-probabilities",
		Source:    "dp/finite.Audit",
		Bound:     cert.Number(p.rate() + 1e-12),
		Scope:     fmt.Sprintf("every data set of %d records, every neighbour, every output", n),
	}, lawParams{p, n})
	rate := cert.Number(p.rate())
	sd := math.Sqrt(p.q()*(1-p.q())/float64(q.n)) / (1 - 2*p.q())
	return mechanism.Spec{
		Shape: q.shape, Arithmetic: dp.Exact, Pair: p.pair(), Checks: []cert.Check{ofPair, ofLaw},
		Sampler: sampler{q.n, p},
		StandardFormula: mechanism.StandardFormula{
			Level: dp.Parameters{Notion: dp.Pure, Epsilon: rate}, Source: "ε = ln((1−q)/q), Warner 1965",
		},
		Settings: []mechanism.Setting{
			{Name: "flips", Value: fmt.Sprintf("each record with probability q = %d/2^32 = %.6g", p.Flips, p.q())},
		},
		Expected: []mechanism.Expectation{
			{Name: "root mean squared error of the share", Value: sd, How: "closed form, before it is cut to [0, 1]"},
		},
	}, err
}
