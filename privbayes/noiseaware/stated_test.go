package noiseaware

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// laws are one of each, with probabilities by the definition.
func statedLaws() map[string]struct {
	z StatedNoise
	p func(k float64) float64 // up to a constant
} {
	return map[string]struct {
		z StatedNoise
		p func(k float64) float64
	}{
		"geometric": {StatedGeometric(.7), func(k float64) float64 { return math.Exp(-.7 * math.Abs(k)) }},
		"Gaussian":  {StatedGaussian(2.5), func(k float64) float64 { return math.Exp(-k * k / 5) }},
		"narrow":    {StatedGaussian(.1), func(k float64) float64 { return math.Exp(-k * k / .2) }},
		"any": {Stated(struct{ noise.Probabilities }{StatedGeometric(.9)}, "noise of another module"),
			func(k float64) float64 { return math.Exp(-.9 * math.Abs(k)) }},
		"Laplace": {StatedLaplace(1.3), func(k float64) float64 { // ∫ over k ± ½ of the density
			f := func(x float64) float64 {
				if x < 0 {
					return math.Exp(x/1.3) / 2
				}
				return 1 - math.Exp(-x/1.3)/2
			}
			return f(k+.5) - f(k-.5)
		}},
	}
}

// Masses and tails of every law are those of its definition, summed.
func TestStatedLaws(t *testing.T) {
	for name, c := range statedLaws() {
		total := 0.0
		for k := -200.0; k <= 200; k++ {
			total += c.p(k)
		}
		below := 0.0
		for k := -200.0; k <= 40; k++ {
			below += c.p(k) / total
			if math.Abs(k) > 40 || c.p(k) < 1e-290 {
				continue
			}
			if got, want := c.z.mass(int64(k)), math.Log(c.p(k)/total); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) &&
				k > -12 && k < 12 {
				t.Errorf("%s: ln P(%g) = %v, want %v", name, k, got, want)
			}
			if got, want := c.z.below(int64(k)), math.Log(below); math.Abs(got-want) > 1e-6*(1e-6+math.Abs(want)) &&
				math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: ln P(Z ≤ %g) = %v, want %v", name, k, got, want)
			}
		}
	}
	if p := math.Exp(StatedLaplace(1).mass(0)); math.Abs(p-.3934693402873666) > 1e-12 {
		t.Errorf("rounded Laplace at 0: %v", p)
	}
	if p := math.Exp(StatedGeometric(1).mass(0)); math.Abs(p-.46211715726000973) > 1e-12 {
		t.Errorf("geometric at 0: %v", p)
	}
	// Beyond the table of a Gaussian's tails they go on smoothly.
	z := newGaussianTails(9)
	for d := -z.width - 5; d < -z.width+5; d++ {
		if step := z.below(d+1) - z.below(d); math.Abs(step-(-2*float64(d)-1)/18) > .02*step {
			t.Errorf("ln P(Z ≤ %d) steps by %v", d, step)
		}
	}
}

// coin is one column of two levels.
func coin(t testing.TB) *bayesnet.DAG {
	t.Helper()
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "c", States: []string{"no", "yes"}}})
	must(t, err)
	return d
}

// exactMean is E[θ_yes | y], both cells measured, by a sum over all counts: f yes of n, α = 2.
func exactMean(ns []int64, like func(cell int, f int64) float64) float64 {
	sum, mean := 0.0, 0.0
	for _, n := range ns {
		for f := int64(0); f <= n; f++ {
			// Dirichlet-multinomial with α = 2: ∝ (f + 1)(n − f + 1)/[(n+1)(n+2)(n+3)]
			w := float64((f+1)*(n-f+1)) / float64((n+1)*(n+2)*(n+3)) * like(0, n-f) * like(1, f)
			sum += w
			mean += w * float64(2+f) / float64(4+n)
		}
	}
	return mean / sum
}

// The posterior is that of enumeration for every law, clamped and not, public and latent n; laws taken for each other
// are told apart. 4000 draws or more of effective size at least 400: tolerance 6.5·sd/√400, false alarm below 1e-9.
func TestStatedByEnumeration(t *testing.T) {
	for name, c := range statedLaws() {
		if name == "narrow" {
			continue // its tails are tested above
		}
		for _, clamp := range []*Clamp{nil, {0, Unbounded}, {-1, 3}, {2, 14}} {
			for _, n := range []StatedN{PublicN(9), LatentN()} {
				y := []int64{4, 11}
				ns := []int64{9}
				if n.latent {
					ns = nil
					for k := int64(0); k < 90; k++ {
						ns = append(ns, k)
					}
				}
				if clamp != nil {
					for i := range y {
						y[i] = min(max(y[i]-3, clamp.Low), clamp.High)
					}
				}
				like := func(cell int, f int64) float64 {
					switch at := y[cell]; {
					case clamp != nil && at == clamp.Low:
						return math.Exp(c.z.below(at - f))
					case clamp != nil && at == clamp.High:
						return math.Exp(c.z.below(f - at))
					default:
						return c.p(float64(at - f))
					}
				}
				if n.latent && clamp != nil && clamp.High == 3 {
					continue // nothing bounds a latent n from above: refused, see TestWhatIsNotStated
				}
				ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
				defer end()
				p, err := FromNoisyCounts(ctx, coin(t), 2, []NoisyTable{{Columns: []string{"c"}, Counts: y, Noise: c.z,
					Clamp: clamp}}, n)
				if err != nil {
					t.Errorf("%s, %v, %v: %v", name, clamp, n, err)
					continue
				}
				a, err := p.Answers(t.Context(), Probability(Event{"c": "yes"}))
				must(t, err)
				q := a.List[0]
				if want := exactMean(ns, like); math.Abs(q.Mean()-want) > 6.5*q.SD()/math.Sqrt(q.ESS) {
					t.Errorf("%s, %v, %v: mean %v, want %v (sd %v, ESS %v)", name, clamp, n, q.Mean(), want, q.SD(), q.ESS)
				}
				if !strings.Contains(p.Caption(), "not certified") {
					t.Error(p.Caption())
				}
			}
		}
	}
}

// Two overlapping tables, one partly measured: the posterior of the joint agrees with a sum over all data sets' tables.
func TestStatedTablesTogether(t *testing.T) {
	two := []string{"0", "1"}
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: two}, {Name: "b", States: two, Parents: []string{"a"}}})
	must(t, err)
	const n = 7
	z := StatedGeometric(.5)
	joint, b := []int64{5, -1, 2, 4}, []int64{4, 2}
	measured := []bool{true, true, false, true}
	p, err := FromNoisyCounts(t.Context(), d, 1, []NoisyTable{{Columns: []string{"b", "a"}, Counts: joint, Noise: z,
		Measured: measured}, {Columns: []string{"b"}, Counts: b, Noise: StatedGaussian(3)}}, PublicN(n))
	must(t, err)
	sum, mean := 0.0, 0.0
	var f [4]int64 // a·2 + b
	for f[0] = 0; f[0] <= n; f[0]++ {
		for f[1] = 0; f[0]+f[1] <= n; f[1]++ {
			for f[2] = 0; f[0]+f[1]+f[2] <= n; f[2]++ {
				f[3] = n - f[0] - f[1] - f[2]
				// α = 1: a's law is uniform over totals, each row's over its cells
				w := 1 / float64((f[0]+f[1]+1)*(f[2]+f[3]+1))
				for c, y := range joint { // b·2 + a
					if measured[c] {
						w *= math.Exp(z.mass(y - f[c%2*2+c/2]))
					}
				}
				for l, y := range b {
					k := float64(y - f[l] - f[2+l])
					w *= math.Exp(-k * k / 6)
				}
				sum, mean = sum+w, mean+w*float64(f[3]+1)/float64(f[2]+f[3]+2)
			}
		}
	}
	a, err := p.Answers(t.Context(), Probability(Event{"b": "1"}, Event{"a": "1"}))
	must(t, err)
	if q := a.List[0]; math.Abs(q.Mean()-mean/sum) > 6.5*q.SD()/math.Sqrt(q.ESS) {
		t.Errorf("mean %v, want %v", q.Mean(), mean/sum)
	}
	s, err := p.SyntheticSets(3, 10)
	must(t, err)
	if f, err := s.Frame(0); err != nil || f.Len() != 10 {
		t.Error(err)
	}
}

// Each law, put in the place of another one, moves the exact posterior by more than the tolerance above sees.
func TestStatedLawsDiffer(t *testing.T) {
	mean := func(p func(float64) float64) float64 {
		return exactMean([]int64{9}, func(cell int, f int64) float64 { return p(float64([]int64{4, 11}[cell] - f)) })
	}
	if f := StatedGeometric(.5).Form(); f.Rate != .5 {
		t.Error(f)
	}
	round := mean(func(k float64) float64 { return math.Exp(StatedLaplace(.4).mass(int64(k))) })
	geo := mean(func(k float64) float64 { return math.Exp(StatedGeometric(1 / .4).mass(int64(k))) })
	if math.Abs(round-geo) < 1e-4 {
		t.Errorf("rounded Laplace %v, geometric %v", round, geo)
	}
}

func TestWhatIsNotStated(t *testing.T) {
	good := NoisyTable{Columns: []string{"c"}, Counts: []int64{4, 5}, Noise: StatedGeometric(1)}
	with := func(change func(*NoisyTable)) []NoisyTable {
		b := good
		change(&b)
		return []NoisyTable{b}
	}
	var d *dp.ParameterError
	var e *EvidenceError
	for name, c := range map[string]struct {
		tables []NoisyTable
		n      StatedN
		want   any
	}{
		"no tables":       {nil, PublicN(9), &d},
		"no noise":        {with(func(b *NoisyTable) { b.Noise = StatedNoise{} }), PublicN(9), &d},
		"no distribution": {with(func(b *NoisyTable) { b.Noise = Stated(nil, "none") }), PublicN(9), &d},
		"rate 0":          {with(func(b *NoisyTable) { b.Noise = StatedGeometric(0) }), PublicN(9), &d},
		"rate ∞":          {with(func(b *NoisyTable) { b.Noise = StatedGeometric(math.Inf(1)) }), PublicN(9), &d},
		"σ² = 0":          {with(func(b *NoisyTable) { b.Noise = StatedGaussian(0) }), PublicN(9), &d},
		"σ² NaN":          {with(func(b *NoisyTable) { b.Noise = StatedGaussian(math.NaN()) }), PublicN(9), &d},
		"b < 0":           {with(func(b *NoisyTable) { b.Noise = StatedLaplace(-1) }), PublicN(9), &d},
		"other column":    {with(func(b *NoisyTable) { b.Columns = []string{"x"} }), PublicN(9), &d},
		"column twice":    {with(func(b *NoisyTable) { b.Columns = []string{"c", "c"} }), PublicN(9), &d},
		"no column":       {with(func(b *NoisyTable) { b.Columns = nil }), PublicN(9), &d},
		"a cell short":    {with(func(b *NoisyTable) { b.Counts = []int64{1} }), PublicN(9), &d},
		"a cell more":     {with(func(b *NoisyTable) { b.Counts = []int64{1, 2, 3} }), PublicN(9), &d},
		"measured short":  {with(func(b *NoisyTable) { b.Measured = []bool{true} }), PublicN(9), &d},
		"clamp backwards": {with(func(b *NoisyTable) { b.Clamp = &Clamp{3, 3} }), PublicN(9), &d},
		"below its clamp": {with(func(b *NoisyTable) { b.Counts, b.Clamp = []int64{-1, 3}, &Clamp{0, Unbounded} }), PublicN(9), &d},
		"n < 0":           {[]NoisyTable{good}, PublicN(-1), &d},
		"n huge":          {[]NoisyTable{good}, PublicN(math.MaxInt64), &d},
		"count huge":      {with(func(b *NoisyTable) { b.Counts = []int64{math.MinInt64, 1} }), PublicN(9), &d},
		"latent, at the upper end": {with(func(b *NoisyTable) {
			b.Counts, b.Clamp = []int64{3, 10}, &Clamp{0, 10}
		}), LatentN(), &d},
		"latent, all at the upper end": {with(func(b *NoisyTable) {
			b.Counts, b.Clamp = []int64{10, 10}, &Clamp{0, 10}
		}), LatentN(), &d},
		"latent, at the upper end and partly": {append(with(func(b *NoisyTable) {
			b.Counts, b.Clamp = []int64{3, 10}, &Clamp{0, 10}
		}), with(func(b *NoisyTable) { b.Measured = []bool{true, false} })...), LatentN(), &d},
		"latent, partly":  {with(func(b *NoisyTable) { b.Measured = []bool{true, false} }), LatentN(), &d},
		"impossible cell": {with(func(b *NoisyTable) { b.Counts = []int64{-100, 5} }), PublicN(9), &e},
		"impossible sum":  {with(func(b *NoisyTable) { b.Counts = []int64{500, 500} }), PublicN(9), &e},
		"impossible, Laplace": {with(func(b *NoisyTable) {
			b.Counts, b.Noise = []int64{-400, 5}, StatedLaplace(1)
		}), PublicN(9), &e},
		"contradiction": {append(with(func(b *NoisyTable) { b.Counts = []int64{5000, 5000} }), good), LatentN(), &e},
	} {
		if p, err := FromNoisyCounts(context.Background(), coin(t), 1, c.tables, c.n); p != nil || !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FromNoisyCounts(context.Background(), nil, 1, []NoisyTable{good}, PublicN(9)); !errors.As(err, &d) {
		t.Error(err)
	}
	for _, alpha := range []float64{1e-4, -1, math.NaN(), math.Inf(1)} {
		if _, err := FromNoisyCounts(context.Background(), coin(t), alpha, []NoisyTable{good}, PublicN(9)); !errors.As(err, &d) {
			t.Error(err)
		}
	}
}

// Under a small alpha entries are drawn below the smallest number: what is asked given one names alpha and says what to
// do, and what is asked given nothing has its answer.
func TestSmallAlpha(t *testing.T) {
	d := threeNodes(t).DAG()
	for _, alpha := range []float64{.01, .001} {
		p, err := FromNoisyCounts(t.Context(), d, alpha, []NoisyTable{
			{Columns: []string{"a", "b"}, Counts: []int64{40, 0, 0, 60}, Noise: StatedGeometric(3)},
			{Columns: []string{"b", "c"}, Counts: []int64{40, 0, 0, 60}, Noise: StatedGeometric(3)}}, PublicN(100))
		must(t, err)
		_, err = p.Answers(t.Context(), Probability(Event{"c": "yes"}, Event{"a": "yes", "b": "no"}))
		var e *dp.ParameterError
		if !errors.As(err, &e) || e.Parameter != "alpha" || e.Value != alpha {
			t.Errorf("alpha %v, given what is rare: %v", alpha, err)
		}
		if _, err := p.Answers(t.Context(), Probability(Event{"c": "yes"})); err != nil {
			t.Errorf("alpha %v, given nothing: %v", alpha, err)
		}
	}
}
