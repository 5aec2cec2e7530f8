package partition

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// certified are the public facts from which δ follows.
type certified struct {
	Rule
	Change
	Epsilon float64 `json:"epsilon"`
}

func (c certified) valid() error {
	if err := c.Rule.Valid(); err != nil {
		return err
	}
	if c.Noise == Plain {
		return domain.Refuse("partition", "noise", string(c.Noise), "one for categories without a public superset")
	}
	if !(c.Epsilon > 0) || c.Epsilon > 1e6 {
		return domain.Refuse("partition", "ε", c.Epsilon, "above 0")
	}
	return c.Change.valid()
}

// deltaChecker derives δ of the whole release.
var deltaChecker = cert.Define("partition/delta", func(_ context.Context, c certified) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	method := cert.ClosedForm
	if c.Noise == Gaussian {
		method = cert.ProvedBound
	}
	return cert.Outcome{Value: c.Delta(c.Epsilon, c.Change), Method: method, Work: int64(c.Moved)}, nil
})

// The largest rule that is enumerated.
const (
	enumeratedCut    = 24
	enumeratedSigma2 = 16
)

// small is the rule of the same form, no larger than what is enumerated.
func (r Rule) small() Rule {
	r.Cut = min(r.Cut, enumeratedCut)
	if r.Noise == Gaussian && r.parameter() > enumeratedSigma2 {
		r.Num, r.Den = enumeratedSigma2, 1
	}
	return r
}

// oneChecker finds δ of one category that a unit joins or leaves, over all counts at which anything differs.
var oneChecker = cert.Define("partition/one", func(_ context.Context, c certified) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	if c.Rule != c.small() || c.Most != 1 || c.Moved != 1 {
		return out, domain.Refuse("partition", "rule", fmt.Sprint(c.Rule), "a small one, of one category")
	}
	value, work := enumerate(c.Rule, c.Epsilon, c.Released)
	return cert.Outcome{Value: value, Method: cert.Enumeration, Work: work}, nil
})

// hidden stands for no output.
const hidden = math.MinInt64

// enumerate is the largest δ at ε between the outputs of n and n+1 units, in both directions, for n from 0 on. From
// 2·cut + 1 units on a category is always released, or nearly, and the outputs only move with n.
func enumerate(r Rule, epsilon float64, release func(n, z int64) (int64, bool)) (most float64, work int64) {
	reach := r.Cut
	if r.Noise == Gaussian {
		reach += int64(12 * r.SD())
	}
	dist := func(n int64) map[int64]float64 {
		out := map[int64]float64{}
		for z := -reach; z <= reach; z++ {
			p := math.Exp(r.logTail(z)) - math.Exp(r.logTail(z+1))
			if z > 0 { // of two small numbers
				p = math.Exp(r.logTail(z)) * -math.Expm1(r.logTail(z+1)-r.logTail(z))
			}
			y, shown := release(n, z)
			if !shown {
				y = hidden
			}
			out[y] += p
		}
		return out
	}
	e := math.Exp(epsilon)
	apart := func(p, q map[int64]float64) (sum float64) {
		for y, a := range p {
			sum += math.Max(0, a-e*q[y])
		}
		work += int64(len(p))
		return sum
	}
	before := dist(0)
	for n := int64(1); n <= 2*reach+2; n++ {
		now := dist(n)
		most = math.Max(most, math.Max(apart(before, now), apart(now, before)))
		before = now
	}
	return most, work
}

// The machine proofs of δ: of the truncated geometric noise, and of discrete Gaussian noise from that of noisy counts.
var truncated, gaussianUnits = cert.Cite("Partition.units_private"), cert.Cite("Categories.gaussian_units")

// Certify makes the checks of a rule at a level. The bound of the first is what the second rests on, in small.
func Certify(ctx context.Context, r Rule, c Change, level dp.Parameters) (*cert.Certificate, error) {
	epsilon, one := float64(level.Epsilon), Change{1, 1}
	of := r.small()
	a, err := oneChecker.Check(ctx, cert.Check{
		Statement: "δ of one category that a unit joins or leaves",
		Formula:   "max Σ_y (p − e^ε·p′)₊, p and p′ of n and n ± 1 units",
		Source:    "theory/categories.md §2", Bound: cert.Number(of.Delta(epsilon, one)*(1+1e-6) + 1e-14),
		Scope: fmt.Sprintf("every number of units n, with the cut %d: the largest of this form that is enumerated", of.Cut),
	}, certified{of, one, epsilon})
	if err != nil {
		return nil, err
	}
	formula := "δ∞ + (1 − δ∞)·Σ_j C(r,j) p^j (1−p)^{r−j} (1 − e^{ε−γ(2j−r)})₊, δ∞ = 1 − (1 − P(Z = cut))^r"
	source, citation := "theory/categories.md §2; Desfontaines, Voss, Gipson, Mandayam 2022", truncated
	if r.Noise == Gaussian {
		formula, source = "1 − (1−δ₁)^k + δ_r(ε + k·ln(1−δ₁)), δ₁ = P(Z ≥ cut)", "theory/categories.md §3"
		citation = gaussianUnits
	}
	b, err := deltaChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("δ of all categories together at ε = %.6g", epsilon), Formula: formula, Source: source,
		Bound: cert.Number(level.Delta), Citation: citation,
		Scope: fmt.Sprintf("all data: units of at most %d categories, of which one unit moves %d counts", c.Most, c.Moved),
	}, certified{r, c, epsilon})
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "categories", Checks: []cert.Check{a, b}}, nil
}

// levelFacts are the public facts from which the guarantee follows.
type levelFacts struct {
	Levels
	Change
	Want dp.Parameters `json:"want"`
}

func (f levelFacts) valid() error { return cmp.Or(f.Levels.valid(), f.Change.valid(), f.Want.Valid()) }

// The checks: of all counts that a unit moves, of one by enumeration, and of the codes that nobody holds.
var (
	supersetChecker = cert.Define("partition/superset", func(_ context.Context, f levelFacts) (out cert.Outcome,
		err error) {
		if err := f.valid(); err != nil {
			return out, err
		}
		return cert.Outcome{Value: loss.Spent(f.pair(f.Rule.parameter(), f.Change), f.Want), Method: cert.ClosedForm}, nil
	})
	emptyChecker = cert.Define("partition/empty", func(_ context.Context, l Levels) (out cert.Outcome, err error) {
		if err := l.valid(); err != nil {
			return out, err
		}
		return cert.Outcome{Value: l.False(), Method: cert.ClosedForm}, nil
	})
	ratioChecker = cert.Define("partition/ratio", func(_ context.Context, r Rule) (out cert.Outcome, err error) {
		if err := (Superset{r, 1, .5}).valid(); err != nil || r.Cut > enumeratedCut {
			return out, cmp.Or(err, domain.Refuse("partition", "cut", r.Cut, "a small one"))
		}
		value, work := r.ratio()
		return cert.Outcome{Value: value, Method: cert.Enumeration, Work: work}, nil
	})
)

// ratio is the largest |log P(y)/P′(y)| between the outputs of n and n+1 units, n from 0 on, by the sampler's own
// probabilities. Released counts from a reach beyond the cut on are one output; more of n only moves the others.
func (r Rule) ratio() (most float64, work int64) {
	g := sample.TwoSidedGeometric{Num: r.Num, Den: r.Den}
	top := r.Cut + 8
	apart := func(a, b float64) { most, work = math.Max(most, math.Abs(a-b)), work+1 }
	for n := int64(0); n <= top; n++ {
		apart(g.LogTail(n-r.Cut), g.LogTail(n+1-r.Cut)) // nothing: Z ≤ cut − n, and Z is symmetric
		apart(g.LogTail(top-n), g.LogTail(top-n-1))
		for y := r.Cut + 1; y < top; y++ {
			apart(g.LogProb(y-n), g.LogProb(y-n-1))
		}
	}
	return most, work
}

// The machine proofs of noise on counts: of pure ε, and of the profile of its pair.
var noisyCounts, noisyProfile = cert.Cite("Geometric.noise_private"), cert.Cite("Dominated.law_dominated")

// Certify makes the checks at a level.
func (l Levels) Certify(ctx context.Context, c Change, level dp.Parameters) (*cert.Certificate, error) {
	small := l.Rule
	small.Cut = min(small.Cut, enumeratedCut)
	if l.Shares != nil {
		small.Num *= slices.Max(l.Shares)
	}
	one, err := ratioChecker.Check(ctx, cert.Check{
		Statement: "ε of one code that a unit joins or leaves", Formula: "max |log p(y)/p′(y)| = γ, of n and n + 1 units",
		Source: "theory/categories.md §4", Bound: cert.Number(small.parameter()*(1+1e-9) + 1e-9),
		Scope: fmt.Sprintf("numbers of units from 0 on, with the cut %d: the largest of this form that is enumerated",
			small.Cut),
	}, small)
	if err != nil {
		return nil, err
	}
	citation := noisyCounts
	if level.Notion != dp.Pure {
		citation = noisyProfile
	}
	formula := fmt.Sprintf("%d counts shifted by one, geometric noise at γ = %.6g", c.Moved, l.Rule.parameter())
	scope := fmt.Sprintf("all %d codes get noise", l.Nodes[0])
	nobody := "U·q^{cut+1}/(1+q), q = e^{−γ}"
	if m := len(l.Nodes); m > 1 {
		formula = fmt.Sprintf("%d counts shifted by one at each of %d levels, geometric noise at γ = %.6g times the share",
			c.Moved, m, l.Rule.parameter())
		scope = fmt.Sprintf("what is released of %d levels is a function of noisy counts of all their nodes", m)
		nobody = "Σ U·q^{cut+1}/(1+q) over levels, q = e^{−γ}"
	}
	all, err := supersetChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair of all codes together, " + loss.NotionWords(level), Formula: formula,
		Source: "loss.GeometricPair; theory/categories.md §4", Bound: loss.Allowed(level), Citation: citation,
		Scope: fmt.Sprintf("all data: units of at most %d codes, of which one unit moves %d counts; %s", c.Most, c.Moved,
			scope),
	}, levelFacts{l, c, level})
	if err != nil {
		return nil, err
	}
	empty, err := emptyChecker.Check(ctx, cert.Check{
		Statement: "probability that any code is listed which nobody holds, at most", Formula: nobody,
		Source: "theory/categories.md §4", Bound: cert.Number(l.Beta),
		Scope: fmt.Sprintf("all data; U = %d codes", l.Nodes[len(l.Nodes)-1]),
	}, l)
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "categories of a public superset", Checks: []cert.Check{one, all, empty}}, nil
}

// counted are the public facts from which ε follows.
type counted struct {
	Octaves
	Moved int `json:"moved"` // counts that change by one
}

func (c counted) valid() error {
	if c.Moved != 1 && c.Moved != 2 {
		return domain.Refuse("partition", "moved", c.Moved, "1 or 2")
	}
	return c.Octaves.Valid()
}

// lossChecker derives ε of all noisy counts: exact, as the rate is a dyadic number of at most 53 bits.
var lossChecker = cert.Define("octaves/loss", func(_ context.Context, c counted) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	if c.Den&(c.Den-1) != 0 {
		return out, domain.Refuse("partition", "den", c.Den, "a power of two, so that γ is a float")
	}
	return cert.Outcome{Value: float64(c.Moved) * c.Rate(), Method: cert.ClosedForm, Work: int64(c.Moved)}, nil
})

// enumeratedNoise is how far noise is enumerated.
const enumeratedNoise = 4096

// shiftChecker finds the loss of one count that moves by one, from the probabilities of the sampler. Beyond what is
// enumerated they fall by the same ratio from one to the next.
var shiftChecker = cert.Define("octaves/shift", func(_ context.Context, c counted) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	z := c.noise()
	out.Method = cert.Enumeration
	for y := int64(-enumeratedNoise); y < enumeratedNoise; y++ {
		out.Value = math.Max(out.Value, math.Abs(z.LogProb(y)-z.LogProb(y+1)))
		out.Work++
	}
	return out, nil
})

// endChecker derives the probability of a false end.
var endChecker = cert.Define("octaves/end", func(_ context.Context, o Octaves) (out cert.Outcome, err error) {
	if err := o.Valid(); err != nil {
		return out, err
	}
	return cert.Outcome{Value: o.FalseEnd(), Method: cert.ProvedBound, Work: OctaveCount}, nil
})

// CertifyOctaves makes the checks at a pure ε under an adjacency.
func CertifyOctaves(ctx context.Context, o Octaves, epsilon float64, adjacency dp.Adjacency) (*cert.Certificate,
	error) {
	change, err := ChangeOf(1, adjacency)
	if err != nil {
		return nil, err
	}
	source, c := "theory/range.md §2", counted{o, change.Moved}
	loss, err := lossChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("privacy loss of the noisy counts of all %d octaves", OctaveCount), Formula: "moved·γ",
		Source: source, Bound: cert.Number(epsilon), Citation: noisyCounts,
		Scope: fmt.Sprintf("all data: a unit counts in one octave, so one unit under %s moves %d of the counts by one",
			adjacency, c.Moved),
	}, c)
	if err != nil {
		return nil, err
	}
	shift, err := shiftChecker.Check(ctx, cert.Check{
		Statement: "privacy loss of one count that moves by one", Formula: "max_y |ln P(Z = y) − ln P(Z = y + 1)|",
		Source: source, Bound: cert.Number(o.Rate()*(1+1e-9) + 1e-12),
		Scope: fmt.Sprintf("the probabilities of the sampler up to ±%d; beyond, each is the one before times e^−γ",
			enumeratedNoise),
	}, c)
	if err != nil {
		return nil, err
	}
	end, err := endChecker.Check(ctx, cert.Check{
		Statement: "probability that an end of the range is that of an octave which nobody holds",
		Formula:   "B·q^cut/(1 + q), q = e^−γ", Source: "theory/range.md §3", Bound: FalseEnd,
		Scope: "all data: this is about accuracy, and not about privacy",
	}, o)
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "range", Checks: []cert.Check{loss, shift, end}}, nil
}
