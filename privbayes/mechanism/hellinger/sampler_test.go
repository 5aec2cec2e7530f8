package hellinger

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// flipLaw is the law of permute-and-flip from log-weights −e: p_r = a_r ∫₀¹ ∏_{s≠r}(1 − t·a_s) dt with a = exp(−e), by
// expanding the product exactly in powers of t (few candidates).
func flipLaw(e []float64) []float64 {
	out := make([]float64, len(e))
	for r := range e {
		poly := []float64{1}
		for s, v := range e {
			if s == r {
				continue
			}
			a, next := math.Exp(-v), make([]float64, len(poly)+1)
			for i, c := range poly {
				next[i] += c
				next[i+1] -= a * c
			}
			poly = next
		}
		for i, c := range poly {
			out[r] += math.Exp(-e[r]) * c / float64(i+1)
		}
	}
	return out
}

// Draws through the plan follow the law: every candidate's frequency within 6.5 standard errors (false alarm below 1e-9
// over all candidates), and a rate 15 % off does not pass.
func TestDrawsFollowTheLaw(t *testing.T) {
	const draws = 60_000
	for _, c := range []struct {
		e     Exponential
		alpha []float64
		x     []int64
	}{
		{New(), []float64{7, 4}, []int64{9, 3}}, {New().Global(), []float64{1, 1}, []int64{0, 8}},
		{New().LocalPlus(), []float64{.5, 1, 2}, []int64{3, 0, 1}},
		{New().Smooth(SizeNPlusOne), []float64{1, 1, 1}, []int64{2, 1, 1}},
		{New().PermuteAndFlip(), []float64{1, 2, 1}, []int64{2, 1, 0}},
	} {
		n := int64(0)
		for _, v := range c.x {
			n += v
		}
		sh := shapeOf(t, int(n), c.alpha...)
		target := dp.PureDP(4)
		if c.e.scale == smoothScale {
			target = dp.AsPublished(4, 1e-3)
		}
		p := planOf(t, c.e, sh, target)
		st := must.Get(model.FromCounts(sh, [][]int64{c.x}))(t)
		d := p.Sampler(access.Mine()).(*sampler)
		law := func(factor float64) []float64 {
			l := law{d.spaces[0], d.tables[0].Kappa * factor}
			x, out := make([]int, len(c.x)), make([]float64, l.Outputs())
			for i, v := range c.x {
				x[i] = int(v)
			}
			l.LogLaw(x, out)
			if c.e.flip {
				top := math.Inf(-1)
				for _, v := range out {
					top = math.Max(top, v)
				}
				for i := range out {
					out[i] = top - out[i]
				}
				return flipLaw(out)
			}
			for i := range out {
				out[i] = math.Exp(out[i])
			}
			return out
		}
		seen, stream := map[string]float64{}, dp.Seeded(7)
		for range draws {
			r := must.Get(p.Draw(t.Context(), st, "x", stream))(t)
			seen[fmt.Sprint(r.Raw[0])]++
		}
		worst := func(probs []float64) float64 {
			off, i, total := 0.0, 0, 0.0
			for r := range finite.Histograms(len(c.x), int(n)) {
				q := probs[i]
				total += q
				i++
				if q*draws > 5 {
					off = math.Max(off, math.Abs(seen[fmt.Sprint(r)]/draws-q)/math.Sqrt(q*(1-q)/draws))
				}
			}
			if math.Abs(total-1) > 1e-9 {
				t.Fatalf("%s: probabilities add up to %v", c.e.Title(), total)
			}
			return off
		}
		if z := worst(law(1)); z > 6.5 {
			t.Errorf("%s: %.1f standard errors off", c.e.Title(), z)
		}
		if z := worst(law(1.15)); z < 6.5 {
			t.Errorf("%s: a rate 15 %% off passes (%.1f)", c.e.Title(), z)
		}
	}
}

// The exact ε of permute-and-flip's own law stays within the certified range, and close to it or below.
func TestPermuteAndFlipIsWithinItsRange(t *testing.T) {
	for _, alpha := range [][]float64{{1, 1}, {7, 4}, {1, 1, 1}} {
		p := planOf(t, New().PermuteAndFlip(), shapeOf(t, 5, alpha...), dp.PureDP(1))
		d := p.Sampler(access.Mine()).(*sampler)
		res := must.Get(finite.Audit(t.Context(), flipped{law{d.spaces[0], d.tables[0].Kappa}},
			finite.Space{Cells: len(alpha), N: 5}, nil, nil))(t)
		if c := float64(p.Certified().Epsilon); res.Epsilon > c || res.Epsilon < c/2 {
			t.Errorf("prior %v: exact %v, certified %v", alpha, res.Epsilon, c)
		}
	}
}

type flipped struct{ law }

func (f flipped) LogLaw(x []int, out []float64) {
	f.law.LogLaw(x, out)
	top := math.Inf(-1)
	for _, v := range out {
		top = math.Max(top, v)
	}
	for i := range out {
		out[i] = top - out[i]
	}
	for i, p := range flipLaw(out) {
		out[i] = math.Log(p)
	}
}

// perClass is the mutant that releases one posterior per class: a candidate with each class's own total, which is
// private.
type perClass struct{ kappa float64 }

func (perClass) Outputs() int { return 20 } // histograms of 3 records over 2 classes × 2 values

func (m perClass) LogLaw(x []int, out []float64) {
	o := 0
	for r := range finite.Histograms(4, 3) {
		out[o] = math.Inf(-1)
		if r[0]+r[1] == x[0]+x[1] {
			out[o] = 0
			for j := 0; j < 4; j += 2 {
				s, err := newSpace([]float64{1, 1}, int64(x[j]+x[j+1]), localPlusScale, 0, 0)
				if err != nil {
					return
				}
				l := law{s, m.kappa}
				probs := make([]float64, l.Outputs())
				l.LogLaw(x[j:j+2], probs)
				out[o] += probs[r[j]]
			}
		}
		o++
	}
}

// A posterior per class gives away the class counts; the joint table does not.
func TestOnePosteriorPerClassIsRejected(t *testing.T) {
	space := finite.Space{Cells: 4, N: 3, Adjacency: dp.ReplaceOne}
	res, err := finite.Audit(t.Context(), perClass{0.1}, space, nil, nil)
	if err != nil || !math.IsInf(res.Epsilon, 1) {
		t.Errorf("a posterior per class passes with ε = %v (%v)", res.Epsilon, err)
	}
	p := planOf(t, New(), modelShape(t, model.NaiveBayes("c0"), 3, 2, 2), dp.PureDP(1))
	d := p.Sampler(access.Mine()).(*sampler)
	res, err = finite.Audit(t.Context(), law{d.spaces[0], d.tables[0].Kappa}, space, nil, nil)
	if err != nil || res.Epsilon > 1 || res.Epsilon < .99 {
		t.Errorf("the joint table spends %v of 1 (%v)", res.Epsilon, err)
	}
}

// Twice the rate, and a rate at the local sensitivity sold under Theorem 1 of another scale, do not certify.
func TestMutantsDoNotCertify(t *testing.T) {
	sh := shapeOf(t, 20, 1, 1, 1)
	good := planOf(t, New(), sh, dp.PureDP(1))
	for name, edit := range map[string]func(*params){
		"twice the rate":          func(p *params) { p.Tables[0].Kappa *= 2 },
		"1 % more":                func(p *params) { p.Tables[0].Kappa *= 1.01 },
		"theorem for local":       func(p *params) { p.Scale, p.Gamma, p.Tables[0].Proof = localScale, 0, byTheorem1 },
		"theorem at this rate":    func(p *params) { p.Tables[0].Proof = byTheorem1 },
		"no proof":                func(p *params) { p.Tables[0].Proof = unproved },
		"a proof of another kind": func(p *params) { p.Tables[0].Proof = "trust me" },
		"global at this rate": func(p *params) {
			p.Scale, p.Gamma, p.Tables[0].Kappa = globalScale, 0,
				p.Tables[0].Kappa*2
		},
		"theorem C for local": func(p *params) { p.Scale, p.Gamma, p.Tables[0].Proof = localScale, 0, byTheoremC },
		"theorem C, no β": func(p *params) {
			p.Scale, p.Gamma, p.Size, p.Tables[0].Proof = smoothScale, 0,
				SizeN, byTheoremC
		},
		"a β for reciprocal": func(p *params) { p.Tables[0].Beta = 1 },
		"negative rate":      func(p *params) { p.Tables[0].Kappa = -1 },
		"no table":           func(p *params) { p.Tables = nil },
	} {
		p := edited(t, good, edit)
		if _, err := Descriptors()[0].Rebuild(t.Context(), sh, dp.PureDP(1), p); err == nil {
			t.Errorf("%s was certified", name)
		}
	}
	if _, err := Descriptors()[0].Rebuild(t.Context(), sh, dp.PureDP(1), edited(t, good, func(*params) {})); err != nil {
		t.Error("the real plan does not rebuild:", err)
	}
}

func TestEstimateRefusesWhatIsNoCandidate(t *testing.T) {
	p := planOf(t, New(), shapeOf(t, 5, 1, 1), dp.PureDP(1))
	var bad *dp.ParameterError
	for _, raw := range [][][]int64{{{5, 1}}, {{6, -1}}, {{5}}, {}, {{5, 0}, {5, 0}}} {
		drawn := &mechanism.Drawn{ID: "x", Output: mechanism.Output{Raw: raw}}
		if _, err := p.Estimate(t.Context(), drawn); !errors.As(err, &bad) {
			t.Errorf("%v: %v", raw, err)
		}
	}
}

func BenchmarkBetaRelease(b *testing.B) {
	sh := shapeOf(b, 100_000, 7, 4)
	p := planOf(b, New(), sh, dp.PureDP(0.5))
	st := must.Get(model.FromCounts(sh, [][]int64{{30_000, 70_000}}))(b)
	s := dp.Seeded(1)
	for b.Loop() {
		must.Get(p.Draw(b.Context(), st, "x", s))(b)
	}
}

func BenchmarkCalibrate(b *testing.B) {
	for _, n := range []int{100, 500, 2000} {
		sh := shapeOf(b, n, 7, 4)
		b.Run(fmt.Sprint("beta n=", n), func(b *testing.B) {
			for b.Loop() {
				planOf(b, New(), sh, dp.PureDP(0.5))
			}
		})
	}
}

// bothTables is the law of a whole naive Bayes release with two features, from records up: record = class + 2·x₁ +
// 4·x₂.
type bothTables struct{ tables [2]law }

func (b bothTables) Outputs() int { return b.tables[0].Outputs() * b.tables[1].Outputs() }

func (b bothTables) LogLaw(x []int, out []float64) {
	var probs [2][]float64
	for k, l := range b.tables {
		cells := make([]int, 4)
		for record, c := range x {
			cells[record&1*2+record>>(k+1)&1] += c
		}
		probs[k] = make([]float64, l.Outputs())
		l.LogLaw(cells, probs[k])
	}
	for o := range out {
		out[o] = probs[0][o%len(probs[0])] + probs[1][o/len(probs[0])]
	}
}

// The whole release of two tables spends what is certified for both together, and more where one table's ε is
// forgotten.
func TestTwoTablesByEnumeration(t *testing.T) {
	for _, e := range []Exponential{New(), New().Global(), New().LocalPlus().ByTheorem()} {
		p := planOf(t, e, modelShape(t, model.NaiveBayes("c0"), 2, 2, 2, 2), dp.PureDP(1))
		d := p.Sampler(access.Mine()).(*sampler)
		exact := func(factor float64) float64 {
			b := bothTables{[2]law{{d.spaces[0], d.tables[0].Kappa * factor},
				{d.spaces[1], d.tables[1].Kappa * factor}}}
			res := must.Get(finite.Audit(t.Context(), b, finite.Space{Cells: 8, N: 2}, nil, nil))(t)
			return res.Epsilon
		}
		if got, certified := exact(1), float64(p.Certified().Epsilon); got > certified || !e.theorem &&
			got < .99*certified {
			t.Errorf("%s: exact ε of both tables %v, certified %v", e.Title(), got, certified)
		}
		if got := exact(2); got < float64(p.Certified().Epsilon) && !e.theorem {
			t.Errorf("%s: ε per table passes for both: %v", e.Title(), got)
		}
	}
}

// Two rows per unit: moving two records at once spends at most the certified ε, and one row's calibration would not
// hold.
func TestRowsPerUnit(t *testing.T) {
	sh := shapeOf(t, 6, 1, 1)
	s := *sh.Schema()
	s.RowsPerUnit = 2
	two := must.Get(model.NewShape(&s, sh.Model(), 6, true, ""))(t)
	spends := func(p *mechanism.Plan) float64 {
		d := p.Sampler(access.Mine()).(*sampler)
		l := law{d.spaces[0], d.tables[0].Kappa}
		laws := make([][]float64, 7)
		for x := range laws {
			laws[x] = make([]float64, 7)
			l.LogLaw([]int{x, 6 - x}, laws[x])
		}
		worst := 0.0
		for x := range 7 {
			for y := max(0, x-2); y <= min(6, x+2); y++ {
				for o := range 7 {
					worst = math.Max(worst, math.Abs(laws[x][o]-laws[y][o]))
				}
			}
		}
		return worst
	}
	p := planOf(t, New(), two, dp.PureDP(1))
	if e, c := spends(p), float64(p.Certified().Epsilon); e > c || c > 1 || p.Certified().RowsPerUnit != 2 {
		t.Errorf("two records spend %v, certified %s", e, p.Certified())
	}
	if e := spends(planOf(t, New(), sh, dp.PureDP(1))); e < 1.2 {
		t.Errorf("one row's calibration passes for two: %v", e)
	}
}
