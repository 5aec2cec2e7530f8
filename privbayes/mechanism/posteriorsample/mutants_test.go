package posteriorsample

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Plan files whose parameters spend more than their target get no plan, through the same code that reads the honest
// file: ω per conditional sold as ε, N draws charged once, a power for one draw shared by two, a box without the power.
func TestMutantPlansAreRefused(t *testing.T) {
	paper := naive(t, 16, 50)
	for _, c := range []struct {
		name   string
		m      Sample
		target dp.Request
		mutate func(q *params)
	}{
		{"ω per conditional sold as ε", New(1).ByBounds(), dp.PureDP(2), func(q *params) {
			for i := range q.Floors {
				q.Floors[i] = math.Exp(-1)
			}
		}},
		{"N draws charged once", New(1).ByBounds(), dp.PureDP(4), func(q *params) { q.Draws, q.Asked = 3, 3 }},
		{"N tempered draws charged once", New(1), dp.PureDP(4), func(q *params) { q.Draws, q.Asked = 2, 2 }},
		{"not tempered", New(2), dp.PureDP(4), func(q *params) { q.Power = 1 }},
		{"N draws charged once, with a δ", New(1), dp.ApproxDP(1, 1e-6), func(q *params) { q.Draws, q.Asked = 3, 3 }},
	} {
		p := planOf(t, c.m, paper, c.target)
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mechanism.ParsePlan(t.Context(), b); err != nil {
			t.Fatalf("%s: the honest file: %v", c.name, err)
		}
		var file map[string]json.RawMessage
		var q params
		must.Do(t, errors.Join(json.Unmarshal(b, &file), json.Unmarshal(p.Params(), &q)))
		c.mutate(&q)
		if file["params"], err = json.Marshal(q); err != nil {
			t.Fatal(err)
		}
		if b, err = json.Marshal(file); err != nil {
			t.Fatal(err)
		}
		var check *mechanism.CheckError
		var unmet *mechanism.UnmetTarget
		if got, err := mechanism.ParsePlan(t.Context(), b); !errors.As(err, &check) && !errors.As(err, &unmet) {
			t.Errorf("%s: certified as %v, %v", c.name, got.Certified(), err)
		}
	}
}

// The spread that a plan predicts for equal counts is that of its draws, where the trim is far away: 6.5 standard
// errors of a variance.
func TestPredictedSpread(t *testing.T) {
	const draws = 20_000
	sh := shape(t, model.Categorical("c0"), 300, 3)
	st := must.Get(model.FromCounts(sh, [][]int64{{100, 100, 100}}))(t)
	for _, eta := range []float64{.3, 1} {
		p := planOf(t, New(draws).WithBounds(1e-4).WithPower(eta), sh, dp.PureDP(1e7))
		want, ok := p.ExpectedValue(balancedName)
		sum, square := 0.0, 0.0
		for _, v := range draw(t, p, st, 9) {
			sum += v[0]
			square += v[0] * v[0]
		}
		variance := square/draws - sum/draws*sum/draws
		off := func(sd float64) float64 { return math.Abs(variance/(sd*sd)-1) * math.Sqrt(draws/2.) }
		if !ok || off(want) > standardErrors {
			t.Errorf("η = %v: sd %v, predicted %v", eta, math.Sqrt(variance), want)
		}
		if off(want*1.05) < standardErrors {
			t.Errorf("η = %v: 5 %% more passes", eta)
		}
	}
}

// chainSampler runs a few Metropolis steps for every parameter in place of the exact draw: Markov-chain Monte Carlo
// sold as exact.
type chainSampler struct {
	*sampler
	steps int
}

func (d chainSampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	out := make([][]float64, d.s.draws)
	for k := range out {
		for i, counts := range d.shape.ConditionalCounts(data.Tables()) {
			for lo := 0; lo < len(counts); lo += 2 {
				law, err := d.beta(d.s, counts[lo], counts[lo+1], i)
				if err != nil {
					return mechanism.Output{}, err
				}
				w, x := d.s.floors[i], .5
				for range d.steps {
					next := x + .1*sample.Normal(src)
					if next >= w && next <= 1-w &&
						math.Log(sample.Float64(src)) <= law.LogDensity(next)-law.LogDensity(x) {
						x = next
					}
				}
				out[k] = append(out[k], 1-x, x)
			}
		}
	}
	return mechanism.Output{Real: out}, nil
}

// The mean of every parameter over many draws of a plan, against the truncated law, within 6.5 standard errors; the
// same plan with a Markov chain as its sampler is told apart.
func TestChainSoldAsExactIsRejected(t *testing.T) {
	const draws = 20_000
	sh := shape(t, model.NaiveBayes("c0", "c1"), 60, 2, 2)
	st := must.Get(model.FromCounts(sh, [][]int64{{30, 10, 2, 18}}))(t)
	p := planOf(t, New(draws).WithBounds(.05).WithPower(1), sh, dp.PureDP(1e7))
	exact := p.Sampler(key).(*sampler)
	worst := func(p *mechanism.Plan) float64 {
		z, at := 0.0, 0
		real := draw(t, p, st, 5)
		for i, counts := range sh.ConditionalCounts(st.Open(key)) {
			for lo := 0; lo < len(counts); lo += 2 {
				law := must.Get(exact.beta(exact.s, counts[lo], counts[lo+1], i))(t)
				mean, square := math.Exp(law.LogMoment(1, 0)), math.Exp(law.LogMoment(2, 0))
				sum := 0.0
				for _, v := range real {
					sum += v[at+1]
				}
				z = math.Max(z, math.Abs(sum/draws-mean)/math.Sqrt((square-mean*mean)/draws))
				at += 2
			}
		}
		return z
	}
	with := func(d mechanism.Sampler) *mechanism.Plan {
		return must.Get(mechanism.New(mechanism.Spec{
			Mechanism: Kind, Title: p.Title(), Shape: sh, Target: p.Target(), Params: p.Params(),
			Level: p.Certified().Parameters, Arithmetic: dp.Ideal,
			Pair: p.Pair(), Certificate: &cert.Certificate{Title: p.Title(), Checks: p.Certificate().Checks},
			Sampler: d, Draws: mechanism.Reals,
		}))(t)
	}
	if z := worst(with(exact)); z > standardErrors {
		t.Errorf("exact draws are %.1f standard errors off", z)
	}
	for _, steps := range []int{2, 10} {
		if z := worst(with(chainSampler{exact, steps})); z <= standardErrors {
			t.Errorf("%d steps of a chain pass: %.1f standard errors", steps, z)
		}
	}
}
