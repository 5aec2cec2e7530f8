package families

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
)

// Rate is n records that enter through a statistic T in [t0, t1] alone, with likelihood ∝ θ^{nκ}e^{−θΣT} and the prior
// Exp(λ) on θ trimmed to [c1, c2]:
//
//	posterior ∝ θ^{nκ}e^{−θ(λ+ΣT)} on [c1, c2].
//
// It is [Gamma] for any public range of the statistic. A likelihood to the power η is the same family with κ, t0, t1
// times η. Natural parameter −θ, Δ = t1 − t0, osc = (c2 − c1)Δ. It is Profiled. Source: theory/sampling.md §22.
type Rate struct {
	*logratio.Posteriors
	iid
	kappa, lambda, c1, c2, t0, t1 float64
}

// NewRate is the family with power κ > 0 of one record, prior rate λ > 0, 0 < c1 < c2 and t0 < t1, all finite:
// *ParameterError.
func NewRate(n int, power, lambda, c1, c2, t0, t1 float64) (*Rate, error) {
	one, err := logratio.NewRate(n, power, lambda, c1, c2, t0, t1)
	if err != nil {
		return nil, err
	}
	draw := func(src rand.Source) []float64 { return []float64{between(src, t0, t1)} }
	return &Rate{one, iid{n, draw}, power, lambda, c1, c2, t0, t1}, nil
}

// posterior is the density with n records' shape; n = 0 is the prior.
func (f *Rate) posterior(n int) logratio.GammaDensity {
	return logratio.NewGammaDensity(n, f.kappa, f.lambda, f.c1, f.c2)
}

// Describe names the family and its public bounds.
func (f *Rate) Describe() Description {
	return Description{Name: "rate, bounded statistic", Records: f.n,
		Bounds: fmt.Sprintf("T in [%.4g, %.4g]", f.t0, f.t1), Unit: "one number",
		Metric: "Σ|T(x) − T(y)|", Tight: true,
		Parameters: []Parameter{{"n", float64(f.n)}, {"κ", f.kappa}, {"λ", f.lambda}, {"c1", f.c1}, {"c2", f.c2},
			{"t0", f.t0}, {"t1", f.t1}}}
}

// Paper is 2Lρ with L = c2, ρ = t1 − t0.
func (f *Rate) Paper() Paper {
	return Paper{Epsilon: 2 * f.c2 * (f.t1 - f.t0), Source: "Theorem 8.1 with Lemmas 19, 20, 22",
		Verdict: "holds and ignores c1: osc is (c2 − c1)Δ, ε at most that"}
}

// Uniform is L = c2 under |T(x) − T(y)|.
func (f *Rate) Uniform() float64 { return f.c2 }

// Nodes is the prior by quadrature.
func (f *Rate) Nodes() (nodes []Node, exact bool) {
	return quadratureNodes(f.posterior(0), f.n, math.Exp), false
}

// LogLikelihood is nκ ln θ − θΣT; records are values of T.
func (f *Rate) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	for _, r := range data {
		sum += r[0]
	}
	return float64(len(data))*f.kappa*math.Log(theta[0]) - theta[0]*sum
}

// iid draws data sets of n independent records and their neighbours.
type iid struct {
	n      int
	record func(src rand.Source) []float64
}

// Draw is n records: half of the time all the same, else independent.
func (d iid) Draw(src rand.Source) Data {
	data := make(Data, d.n)
	same := src.Uint64()&1 == 0
	for i := range data {
		if same && i > 0 {
			data[i] = data[0]
		} else {
			data[i] = d.record(src)
		}
	}
	return data
}

// Neighbour replaces one record.
func (d iid) Neighbour(src rand.Source, data Data) Data {
	out := append(Data(nil), data...)
	out[int(src.Uint64()%uint64(len(out)))] = d.record(src)
	return out
}

// unit is a uniform number in [0, 1).
func unit(src rand.Source) float64 { return float64(src.Uint64()>>11) * 0x1p-53 }

// between is lo or hi, a quarter of the time each, else uniform in between.
func between(src rand.Source, lo, hi float64) float64 {
	switch src.Uint64() & 3 {
	case 0:
		return lo
	case 1:
		return hi
	}
	return lo + (hi-lo)*unit(src)
}

// quadratureNodes is a prior density as nodes θ(t) with weights, fine enough for posteriors of n records, and its two
// ends without weight.
func quadratureNodes(k logratio.Density, n int, theta func(t float64) float64) []Node {
	lo, hi := k.Ends()
	count := math.Min(400, math.Ceil((hi-lo)/logratio.MaxStep*math.Max(1, math.Sqrt(float64(n))/6)))
	nodes := []Node{{[]float64{theta(lo)}, math.Inf(-1)}, {[]float64{theta(hi)}, math.Inf(-1)}}
	step := (hi - lo) / count
	for i := range int(count) {
		logratio.Panels(lo+step*float64(i), lo+step*float64(i+1), 0, func(t, w float64) {
			h, _ := k.Eval(0, t)
			nodes = append(nodes, Node{[]float64{theta(t)}, h + math.Log(w)})
		})
	}
	return nodes
}

// Draw is one draw of a share from the posterior of a power of the likelihood, Beta(α + η·ones, α + η(n − ones)).
type Draw struct {
	Alpha, Power float64 // of the prior Beta(α, α); of the likelihood
	Bias, SD     float64 // of the draw as an estimate of the share ones/n
	Error        float64 // root mean square
}

// draw has the exact moments of the Beta law.
func draw(n int, ones, alpha, power float64) Draw {
	a, b := alpha+power*ones, alpha+power*(float64(n)-ones)
	mean, d := a/(a+b), Draw{Alpha: alpha, Power: power}
	d.Bias, d.SD = mean-ones/float64(n), math.Sqrt(mean*(1-mean)/(a+b+1))
	d.Error = math.Hypot(d.Bias, d.SD)
	return d
}

// TemperedDraw is section 6.2 of the JMLR paper made precise: under the prior Beta(α, α), untrimmed, the power of the
// likelihood is the largest one up to 1, to within 1e-4 of itself, at which one draw is (ε, δ)-differentially private
// for every data set of n bits. The error is that for data with this many ones, which may be a fraction. Domain: n from
// 1 to 5000, 0 ≤ ones ≤ n, α > 0, ε > 0, 0 < δ < 1; otherwise a *ParameterError. Source: theory/sampling.md §24.
func TemperedDraw(n int, ones, alpha, epsilon, delta float64) (Draw, error) {
	if err := checkDraw("TemperedDraw", n, ones, alpha, epsilon, delta); err != nil {
		return Draw{}, err
	}
	if ok, err := private(n, alpha, 1, epsilon, delta); err != nil || ok {
		return draw(n, ones, alpha, 1), err
	}
	power, err := geometric(1, 1e-9, func(power float64) (bool, error) {
		return private(n, alpha, power, epsilon, delta)
	})
	return draw(n, ones, alpha, power), err
}

// StrongestPrior is the other way: the whole likelihood, under the least α at which one draw is (ε, δ)-differentially
// private. Domain and errors as [TemperedDraw].
func StrongestPrior(n int, ones, epsilon, delta float64) (Draw, error) {
	if err := checkDraw("StrongestPrior", n, ones, 1, epsilon, delta); err != nil {
		return Draw{}, err
	}
	least, err := geometric(1e-3, 1e9, func(alpha float64) (bool, error) {
		return private(n, alpha, 1, epsilon, delta)
	})
	return draw(n, ones, least, 1), err
}

func checkDraw(function string, n int, ones, alpha, epsilon, delta float64) error {
	return domain.Check("families", function, domain.Between("n", n, 1, 5000),
		domain.Arg("ones", ones, ones >= 0 && ones <= float64(n), "from 0 to n"),
		domain.Positive("alpha", alpha), domain.Positive("epsilon", epsilon), domain.Probability("delta", delta))
}

// private tells whether the exact profile of the worst neighbours meets (ε, δ).
func private(n int, alpha, power, epsilon, delta float64) (bool, error) {
	f, err := NewTemperedBeta(n, alpha, alpha, 0, 1, power)
	if err != nil {
		return false, err
	}
	return Profile(f, epsilon) <= delta, nil
}

// geometric bisects between a point that is not private and one that is: the private end, to within 1e-4 of itself.
func geometric(public, private float64, ok func(x float64) (bool, error)) (float64, error) {
	for math.Abs(public-private) > 1e-4*private {
		mid := math.Sqrt(public * private)
		good, err := ok(mid)
		if err != nil {
			return 0, err
		}
		if good {
			private = mid
		} else {
			public = mid
		}
	}
	return private, nil
}
