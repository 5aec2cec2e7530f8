package advise

import (
	"encoding/json"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Predict is the error that theory predicts for a plan, in the unit of [Advice.Measure], and how: the plan's own expectation of a proportion
// where it has one (mechanism.Plan.ExpectedError), else
//
//   - a posterior sample of counts: E|θ − Eθ| of one tempered draw at equal counts, 2aᵃbᵇ/(B(a, b)(a+b)^{a+b+1}), over √N for N draws
//     (theory/sampling.md §22, without the trim);
//   - of a rate: E|θ/m − 1| of Gamma(a), a = 1 + ηκn, about √(2/(πa)), over √N (without the range);
//   - a linear regression: see predictWeights (theory/networks.md §5.2–5.3);
//   - a mechanism over a grid: the sum over it, averaged over distributions spread over the simplex (theory/networks.md §4);
//   - any other mechanism with a short list of outputs: the sum over it at equal counts.
//
// Where there is no formula (the Hellinger mechanism on tables with too many candidates to sum), it is NaN.
func Predict(p *mechanism.Plan) (value float64, how string) {
	for _, e := range p.Expected() {
		if e.Name == mechanism.ProportionErrorName {
			return e.Value, e.How
		}
	}
	n, public := p.Shape().N()
	switch {
	case !public || n == 0:
		return math.NaN(), ""
	case p.Mechanism() == posteriorsample.Kind:
		return predictSample(p, float64(n))
	case p.Shape().Design() != nil:
		return predictWeights(p, float64(n))
	}
	if d, ok := p.Drawer(seal.Key{}).(interface {
		SpreadError() (value float64, ok bool)
	}); ok {
		if v, ok := d.SpreadError(); ok {
			return v, "sum over all candidates, data spread over the simplex"
		}
	}
	return predictBalanced(p, n)
}

// sampleParams are the public parameters of a posterior sample.
type sampleParams struct {
	Draws int     `json:"draws"`
	Power float64 `json:"power"`
}

func predictSample(p *mechanism.Plan, n float64) (float64, string) {
	var q sampleParams
	if err := json.Unmarshal(p.Params(), &q); err != nil || q.Draws < 1 {
		return math.NaN(), ""
	}
	root := math.Sqrt(float64(q.Draws))
	if _, _, _, kappa, rate := p.Shape().RateStatistic(); rate {
		return math.Sqrt(2/(math.Pi*(1+q.Power*kappa*n))) / root, "closed form of the gamma law, without its range"
	}
	sum, conds := 0.0, p.Shape().Conditionals()
	prior := p.Shape().Model().Prior()
	for _, c := range conds {
		levels := float64(c.Levels)
		a := q.Power*n/float64(c.Rows)/levels + prior.At(0)
		b := (levels - 1) * a
		logs := math.Ln2 + a*math.Log(a/(a+b)) + b*math.Log(b/(a+b)) - math.Log(a+b) - num.LogBeta(a, b)
		sum += math.Exp(logs) / float64(len(conds))
	}
	return sum / root, "closed form, equal counts, without the trim"
}

// predictWeights is the error of a weight on scaled rows, first order, for features uniform on their bounds: XᵀX = n·diag(S), S = 1/D for the
// intercept and 1/(3D) for a feature, D the number of weights. With v = min(1/b, B²/(D+2)) the prior variance of a weight,
//
//	draws at σ²   variance v(s² + s/N), s = σ²/(σ² + nSv): what is shrunk toward 0, and the spread of the mean of N draws
//	moments with noise τ   variance 1/(1/v + (nS)²/(τ²(1 + ½(D+1)v)))
//
// and the mean absolute error is √(2/π) times the root.
func predictWeights(p *mechanism.Plan, n float64) (float64, string) {
	sh := p.Shape()
	weights, radius := sh.Weights(), sh.Radius()
	d := float64(len(weights))
	v := math.Min(1/sh.Model().Prior()[0], radius*radius/(d+2))
	tau, moments := p.ExpectedValue("standard deviation of a second moment")
	var q struct {
		Draws    int     `json:"draws"`
		Variance float64 `json:"variance"`
	}
	if err := json.Unmarshal(p.Params(), &q); err != nil || !moments && (p.Mechanism() != linear.SamplerKind || q.Draws < 1) {
		return math.NaN(), ""
	}
	sum := 0.0
	for i := range weights {
		s := n / d
		if i > 0 || !sh.Intercept() {
			s /= 3
		}
		variance := 1 / (1/v + s*s/(tau*tau*(1+(d+1)*v/2)))
		if !moments {
			shrink := q.Variance / (q.Variance + s*v)
			variance = v * (shrink*shrink + shrink/float64(q.Draws))
		}
		sum += math.Sqrt(2/math.Pi*variance) / d
	}
	return sum, "closed form, first order, features uniform on their bounds"
}

// predictBalanced sums over the outputs of one table at equal counts.
func predictBalanced(p *mechanism.Plan, n int) (float64, string) {
	drawer, ok := p.Drawer(seal.Key{}).(lawful)
	conds := p.Shape().Conditionals()
	if !ok || len(conds) != 1 || conds[0].Rows != 1 {
		return math.NaN(), ""
	}
	levels := conds[0].Levels
	x, plain := make([]int64, levels), make([]float64, levels)
	total, prior := float64(n), p.Shape().Model().Prior()
	for i := range x {
		total += prior.At(i)
	}
	for i := range x {
		x[i] = int64(n / levels)
		if i < n%levels {
			x[i]++
		}
		plain[i] = (float64(x[i]) + prior.At(i)) / total
	}
	sum, failed := 0.0, error(nil)
	ok = drawer.OutputLaw([][]int64{x}, func(raw [][]int64, q float64) {
		if failed != nil {
			return
		}
		var e model.Estimate
		if e, failed = p.Estimate(&mechanism.Drawn{Raw: raw}); failed != nil {
			return
		}
		var out [][]float64
		if out, failed = estimates(p.Shape(), e); failed != nil {
			return
		}
		for i := range plain {
			sum += q * math.Abs(out[0][i]-plain[i]) / float64(levels)
		}
	})
	if !ok || failed != nil {
		return math.NaN(), ""
	}
	return sum, "sum over all candidates, at balanced data"
}
