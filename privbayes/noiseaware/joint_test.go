package noiseaware_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// The posterior in 300-bit numbers, from the definition: a sum over every data set, with nothing of the package in it.

func number() *big.Float             { return new(big.Float).SetPrec(300) }
func of(x float64) *big.Float        { return number().SetFloat64(x) }
func mul(a, b *big.Float) *big.Float { return number().Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return number().Quo(a, b) }

// decay is e^{−x}, x ≥ 0: its series at x/2^k, squared k times.
func decay(x *big.Float) *big.Float {
	k := 0
	for ; x.Cmp(of(1e-3)) > 0; k++ {
		x = quo(x, of(2))
	}
	sum, term := of(1), of(1)
	for i := 1; i < 40; i++ {
		term = quo(mul(term, x), of(float64(-i)))
		sum = number().Add(sum, term)
	}
	for ; k > 0; k-- {
		sum = mul(sum, sum)
	}
	return sum
}

// rising is a(a+1)…(a+k−1).
func rising(a float64, k int) *big.Float {
	out := of(1)
	for i := range k {
		out = mul(out, of(a+float64(i)))
	}
	return out
}

// likelihood is P(y | f) of a row of counts, up to a constant, by the noise that the plan states.
func likelihood(t *testing.T, p *mechanism.Plan) func(raw []int64, f []int) *big.Float {
	var params struct{ Noise, Rate noise.Rational }
	if err := json.Unmarshal(p.Params(), &params); err != nil {
		t.Fatal(err)
	}
	r, unit := params.Noise, int64(1)
	switch p.Mechanism() {
	case "k-norm":
		r = params.Rate
	case "laplace":
		unit = 1 << 16
	}
	rate := quo(number().SetUint64(r.Num), number().SetUint64(r.Den))
	known := map[int64]*big.Float{}
	one := func(z int64) *big.Float {
		z = max(z, -z)
		if known[z] == nil {
			if x := of(float64(z)); p.Mechanism() == "discrete-gaussian" {
				known[z] = decay(quo(mul(x, x), mul(of(2), rate)))
			} else {
				known[z] = decay(quo(mul(x, rate), of(float64(unit))))
			}
		}
		return known[z]
	}
	return func(raw []int64, f []int) *big.Float {
		out := of(1)
		for i, y := range raw {
			out = mul(out, one(y-unit*int64(f[i])))
		}
		return out
	}
}

// moment adds up w, w·E[θ | f] and w·E[θ² | f] for θ ~ Beta(a, s − a) given f.
type moment [3]*big.Float

func (m *moment) add(w *big.Float, a, s float64) {
	for i, x := range []*big.Float{w, quo(mul(w, of(a)), of(s)), quo(mul(w, of(a*(a+1))), of(s*(s+1)))} {
		if m[i] == nil {
			m[i] = number()
		}
		m[i] = number().Add(m[i], x)
	}
}

func (m *moment) agrees(q noiseaware.Parameter, tol float64) bool {
	mean, square := quo(m[1], m[0]), quo(m[2], m[0])
	sd := number().Sqrt(number().Sub(square, mul(mean, mean)))
	a, _ := mean.Float64()
	b, _ := sd.Float64()
	return math.Abs(q.Law().Mean()-a) <= tol*a && math.Abs(q.Law().SD()-b) <= tol*b
}

// each calls do for every table of d cells with total n.
func each(d, n int, f []int, do func(f []int)) {
	if d == 1 {
		do(append(f, n))
		return
	}
	for k := 0; k <= n; k++ {
		each(d-1, n-k, append(f, k), do)
	}
}

func released(t *testing.T, p *mechanism.Plan, tables ...[]int64) (*release.Release, []noiseaware.Parameter) {
	t.Helper()
	st, err := model.FromCounts(p.Shape(), tables)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Draw(context.Background(), st, "0123456789abcdef", dp.Seeded(2))
	if err != nil {
		t.Fatal(err)
	}
	r, err := release.New(t.Context(), p, d)
	if err != nil {
		t.Fatal(err)
	}
	post, err := noiseaware.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	return r, post.Parameters()
}

// exactCases are all noises, each with post-processing that must not matter.
var exactCases = []struct {
	mech   mechanism.Mechanism
	target dp.Request
}{
	{counts.Geometric(), dp.PureDP(0.2)}, {counts.Geometric().WithPostProcess(counts.Clamp), dp.ApproxDP(1, 1e-6)},
	{counts.DiscreteGaussian(), dp.ApproxDP(2, 1e-6)},
	{counts.DiscreteGaussian().WithPostProcess(counts.FlatPosteriorMean), dp.ZCDP(0.1)},
	{counts.Laplace(), dp.PureDP(1)}, {counts.Laplace().WithPostProcess(counts.Clip), dp.PureDP(0.2)},
	{counts.KNorm(), dp.PureDP(0.2)}, {counts.KNorm().WithPostProcess(counts.PosteriorMean), dp.ApproxDP(1, 1e-6)},
}

// One column: every table of n records, also where a unit has several rows.
func TestColumnsFromTheDefinition(t *testing.T) {
	for _, c := range exactCases {
		for _, alpha := range [][]float64{{1, 1}, {0.5, 2, 1}} {
			const n = 7
			m, labels, truth, sum := model.Binary("x"), []string{"a", "b"}, []int64{6, 1}, 2.0
			if len(alpha) == 3 {
				m, labels, truth, sum = model.Categorical("x").WithPrior(alpha...), append(labels, "c"),
					[]int64{5, 0, 2}, 3.5
			}
			sh, err := model.NewShape(&frame.Schema{Dataset: "s", RowsPerUnit: len(alpha) - 1,
				Columns: []frame.Column{frame.Categorical("x", labels...)}}, m, n, true, "")
			if err != nil {
				t.Fatal(err)
			}
			p, err := c.mech.Plan(context.Background(), sh, c.target)
			if err != nil {
				t.Fatal(err)
			}
			r, got := released(t, p, truth)
			post := must.Get(noiseaware.Of(r))(t)
			if strings.Contains(fmt.Sprint(post), "rows of a unit are taken as independent") != (len(alpha) == 3) {
				t.Errorf("%s: units of %d rows: %v", p.Title(), len(alpha)-1, post)
			}
			like, want := likelihood(t, p), make([]moment, len(alpha))
			each(len(alpha), n, nil, func(f []int) {
				w := like(r.Raw()[0], f)
				for i, a := range alpha {
					w = quo(mul(w, rising(a, f[i])), rising(1, f[i]))
				}
				for i, a := range alpha {
					want[i].add(w, a+float64(f[i]), sum+n)
				}
			})
			for i, q := range got {
				if !want[i].agrees(q, 1e-13) {
					t.Errorf("%s, %s, %v: θ_%d has mean %g, sd %g", p.Title(), p.Target().Parameters, alpha, i,
						q.Law().Mean(), q.Law().SD())
				}
			}
		}
	}
}

// Naive Bayes: every joint table of a class and two features, features independent given the class. Tables exchanged,
// as a wrong implementation might, do not agree.
func TestNaiveBayesFromTheDefinition(t *testing.T) {
	const n, alpha = 4, 0.5
	yes := []string{"0", "1"}
	s := &frame.Schema{Dataset: "s", Columns: []frame.Column{frame.Categorical("c", yes...),
		frame.Categorical("x", yes...), frame.Categorical("y", yes...)}}
	sh, err := model.NewShape(s, model.NaiveBayes("c").WithPrior(alpha), n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	least := counts.Geometric().WithPostProcess(counts.Consistent)
	for _, c := range append(exactCases, struct {
		mech   mechanism.Mechanism
		target dp.Request
	}{least, dp.PureDP(1)}) {
		p, err := c.mech.Plan(context.Background(), sh, c.target)
		if err != nil {
			t.Fatal(err)
		}
		r, got := released(t, p, []int64{2, 0, 1, 1}, []int64{1, 1, 0, 2})
		like, want, wrong := likelihood(t, p), make([]moment, 10), make([]moment, 10)
		each(8, n, nil, func(f []int) { // cell 4j + 2x + y
			class, x, y := make([]int, 2), make([]int, 4), make([]int, 4)
			w := of(1)
			for k, v := range f {
				j := k / 4
				class[j], x[2*j+k/2%2], y[2*j+k%2] = class[j]+v, x[2*j+k/2%2]+v, y[2*j+k%2]+v
				w = quo(w, rising(1, v))
			}
			for j, v := range class { // (α)_N of the class over (2α)_N twice, for two features
				w = quo(quo(mul(w, rising(alpha, v)), rising(2*alpha, v)), rising(2*alpha, v))
				for i := range 2 {
					w = mul(w, mul(rising(alpha, x[2*j+i]), rising(alpha, y[2*j+i])))
				}
			}
			add := func(m []moment, w *big.Float) {
				for j, v := range class {
					m[j].add(w, alpha+float64(v), 2*alpha+n)
					for i := range 2 {
						m[2+2*j+i].add(w, alpha+float64(x[2*j+i]), 2*alpha+float64(v))
						m[6+2*j+i].add(w, alpha+float64(y[2*j+i]), 2*alpha+float64(v))
					}
				}
			}
			add(want, mul(w, mul(like(r.Raw()[0], x), like(r.Raw()[1], y))))
			add(wrong, mul(w, mul(like(r.Raw()[0], y), like(r.Raw()[1], x))))
		})
		differ := false
		for i, q := range got {
			if !want[i].agrees(q, 1e-13) {
				t.Errorf("%s, %s: %s has mean %g, sd %g", p.Title(), p.Target().Parameters,
					fmt.Sprint(q.Name, " ", q.Label), q.Law().Mean(), q.Law().SD())
			}
			differ = differ || !wrong[i].agrees(q, 1e-3)
		}
		if !differ {
			t.Errorf("%s, %s: exchanged tables agree", p.Title(), p.Target().Parameters)
		}
	}
}
