package counts

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// binaryNet is a network of two-level columns a, b, … with the given parents.
func binaryNet(t testing.TB, parents ...[]int) *bayesnet.DAG {
	t.Helper()
	name := func(i int) string { return string(rune('a' + i)) }
	var nodes []bayesnet.Node
	for i, ps := range parents {
		n := bayesnet.Node{Name: name(i), States: []string{"0", "1"}}
		for _, p := range ps {
			n.Parents = append(n.Parents, name(p))
		}
		nodes = append(nodes, n)
	}
	return must.Get(bayesnet.NewDAG(nodes))(t)
}

// parityLaw is the law of the noisy parity counts of a data set of records, on counts cut to [0, n]; cutting merges
// only outputs of equal ratios.
type parityLaw struct {
	d    *fourierSampler
	n    int
	half bool // mutant: odd(N)/2 for the sensitivity, that is twice the rate
	lost int  // mutant: this parity goes out without noise
}

func (l parityLaw) Outputs() int {
	return int(math.Pow(float64(l.n+1), float64(l.d.spectrum.Size()-1)))
}

func (l parityLaw) LogLaw(x []int, out []float64) {
	sh := l.d.shape
	tables := make([][]int64, len(sh.Tables()))
	for t, tb := range sh.Tables() {
		tables[t] = make([]int64, tb.Cells())
		for record, c := range x {
			cell := 0
			for _, name := range tb.Columns {
				i, _ := sh.Graph().Index(name)
				cell = cell*2 + record>>i&1
			}
			tables[t][cell] += int64(c)
		}
	}
	phi, err := l.d.spectrum.Coefficients(tables)
	if err != nil {
		return
	}
	law := l.d.law
	if l.half {
		law = scaled(law.(noise.Geometric), 2)
	}
	one := clampedCounts{law: law, n: l.n}
	for o := range out {
		rest, lp := o, 0.0
		for i := 1; i < len(phi); i++ {
			c := int((phi[0] - phi[i]) / 2)
			switch y := rest % (l.n + 1); {
			case i != l.lost:
				lp += one.one(y, c)
			case y != c:
				lp = math.Inf(-1)
			}
			rest /= l.n + 1
		}
		out[o] = lp
	}
}

// Whole releases enumerated from records up: the exact ε is the certified one, and mutants spend more.
func TestFourierExactEpsilon(t *testing.T) {
	for name, c := range map[string]struct {
		parents [][]int
		odd, n  int
	}{"pair": {[][]int{{}, {0}}, 2, 3}, "chain": {[][]int{{}, {0}, {1}}, 4, 2}, "two alone": {[][]int{{}, {}}, 2, 3}} {
		d := binaryNet(t, c.parents...)
		p := must.Get(Fourier().Plan(t.Context(), netShape(t, d, c.n), dp.PureDP(1)))(t)
		sampler := p.Sampler(access.Mine()).(*fourierSampler)
		if got := p.Pair().(loss.GeometricPair).Cells; got != c.odd {
			t.Errorf("%s: odd(N) = %d, want %d", name, got, c.odd)
		}
		space := finite.Space{Cells: 1 << len(c.parents), N: c.n, Adjacency: dp.ReplaceOne}
		exact := func(l parityLaw) float64 {
			l.d, l.n = sampler, c.n
			res := must.Get(finite.Audit(t.Context(), l, space, nil, nil))(t)
			return res.Epsilon
		}
		if e := exact(parityLaw{}); e > 1+1e-9 || e < .999 {
			t.Errorf("%s: exact ε = %v, certified 1", name, e)
		}
		if e := exact(parityLaw{half: true}); e < 1.9 {
			t.Errorf("%s: half the sensitivity passes with %v", name, e)
		}
		if e := exact(parityLaw{lost: 1}); !math.IsInf(e, 1) {
			t.Errorf("%s: a parity without noise passes with %v", name, e)
		}
	}
}

// Noise levels of theory/networks.md §2.3, column "Fourier exact S", and the paper's own, for asia and naive Bayes with
// 16 features; odd(N) and |N| of its §2.2.
func TestFourierNoiseLevels(t *testing.T) {
	nb := make([][]int, 17)
	for i := 1; i < 17; i++ {
		nb[i] = []int{0}
	}
	for _, c := range []struct {
		name         string
		d            *bayesnet.DAG
		odd, size    int
		exact, paper float64
	}{{"asia", bayesnet.Asia().DAG(), 14, 21, 15.8, 28.0}, {"NB16", binaryNet(t, nb...), 32, 34, 39.4, 48.8}} {
		sh := netShape(t, c.d, 1000)
		for i, target := range []dp.Request{dp.PureDP(.01), dp.AsPublished(.01)} {
			p := must.Get(Fourier().Plan(t.Context(), sh, target))(t)
			if i == 0 && p.Pair().(loss.GeometricPair).Cells != c.odd {
				t.Errorf("%s: odd(N) = %d, want %d", c.name, p.Pair().(loss.GeometricPair).Cells, c.odd)
			}
			want := []float64{c.exact, c.paper}[i]
			if i == 1 { // the paper's figures have noise on φ₀ too, which the cells' variance (R−1)/R² leaves out
				continue
			}
			if got := p.Expected()[0].Value * .01; math.Abs(got-want) > .06*want {
				t.Errorf("%s: sd × ε = %.2f, want about %.1f", c.name, got, want)
			}
		}
		p := must.Get(Fourier().Plan(t.Context(), sh, dp.AsPublished(1)))(t)
		if e, want := float64(p.Certified().Epsilon), float64(c.odd)/float64(c.size); math.Abs(e-want) > 1e-6 {
			t.Errorf("%s: the paper's scale spends %v of 1, want odd(N)/|N| = %v", c.name, e, want)
		}
	}
}

// Without noise to speak of the tables come back; with an increment no cell is negative as often as promised.
func TestFourierTables(t *testing.T) {
	d := bayesnet.Asia().DAG()
	sh := netShape(t, d, 64)
	tables := make([][]int64, len(sh.Tables()))
	for i, tb := range sh.Tables() { // everybody in the first cell: all other true cells are 0
		tables[i] = make([]int64, tb.Cells())
		tables[i][0] = 64
	}
	st := must.Get(model.FromCounts(sh, tables))(t)
	exact := must.Get(Fourier().Plan(t.Context(), sh, dp.PureDP(800)))(t)
	drawn := must.Get(exact.Draw(t.Context(), st, "x", dp.Seeded(1)))(t)
	e := must.Get(exact.Estimate(t.Context(), drawn))(t)
	if got, want := fmt.Sprint(e.Tables[0]), fmt.Sprint([]float64{64, 0, 0, 0}); got != want {
		t.Errorf("table %s, want %s", got, want)
	}
	raised := must.Get(Fourier().WithNonNegative(.9).Plan(t.Context(), sh, dp.PureDP(1)))(t)
	stream, negative := dp.Seeded(2), 0
	const draws = 300
	for range draws {
		drawn := must.Get(raised.Draw(t.Context(), st, "x", stream))(t)
		e := must.Get(raised.Estimate(t.Context(), drawn))(t)
		for _, table := range e.Tables {
			for _, v := range table {
				if v == 0 { // was cut
					negative++
				}
			}
		}
	}
	if negative > 30 {
		t.Errorf("%d cells were cut in %d draws", negative, draws)
	}
}

func TestFourierRefuses(t *testing.T) {
	var no *mechanism.UnsupportedError
	var bad *dp.ParameterError
	three := smallShape(t, model.Categorical("c0"), 2_000_000_000, 3)
	if _, err := Fourier().Plan(t.Context(), three, dp.PureDP(1)); !errors.As(err, &no) {
		t.Error("three levels:", err)
	}
	two := netShape(t, binaryNet(t, nil, []int{0}), 5)
	if _, err := Fourier().Plan(t.Context(), two, dp.PureDP(1).Under(dp.AddRemove)); err == nil {
		t.Error("add-remove accepted")
	}
	if _, err := Fourier().WithNonNegative(1).Plan(t.Context(), two, dp.PureDP(1)); !errors.As(err, &bad) {
		t.Error("probability 1:", err)
	}
	p := must.Get(Fourier().Plan(t.Context(), two, dp.PureDP(1)))(t)
	if _, err := p.Estimate(t.Context(), &mechanism.Drawn{ID: "x",
		Output: mechanism.Output{Raw: [][]int64{{1, 2}}}}); !errors.As(err, &bad) {
		t.Error("a wrong number of parities:", err)
	}
}
