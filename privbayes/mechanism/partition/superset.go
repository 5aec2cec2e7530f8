package partition

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Superset is a release of which of some public codes are held, with noisy counts. All codes get noise, those that
// nobody holds, too: geometric noise, not truncated. So no δ is needed. See theory/categories.md §4.
type Superset struct {
	Rule  Rule    `json:"rule"`
	Codes uint64  `json:"codes"` // how many there are
	Beta  float64 `json:"beta"`  // bounds the probability that any code is released which nobody holds
}

// CalibrateSuperset takes the greatest rate of r = c.Moved counts that meets the level, ε/r of pure ε, and the least
// cut with
//
//	codes·P(Z > cut) = codes·q^{cut+1}/(1+q) ≤ β,  q = e^{−γ}.
//
// The level is ε or (ε, δ). Errors: *dp.ParameterError.
func CalibrateSuperset(level dp.Parameters, c Change, codes uint64, beta float64) (Superset, error) {
	s := Superset{Codes: codes, Beta: beta}
	if err := wanted(level); err != nil {
		return s, err
	}
	rate, err := supersetRate(level, c)
	if err != nil {
		return s, err
	}
	s.Rule = Rule{Plain, rate.Num, rate.Den, maxCut}
	fits := func(cut int64) bool {
		s.Rule.Cut = cut
		return s.False() <= beta
	}
	s.Rule.Cut = first(0, maxCut, fits)
	if !fits(s.Rule.Cut) {
		return s, domain.Refuse("partition", "level", level, "an ε for which the cut is below 2^40")
	}
	return s, s.valid()
}

// supersetRate is the greatest rate at which noise on the counts that a unit moves meets a level.
func supersetRate(level dp.Parameters, c Change) (noise.Rational, error) {
	if err := c.valid(); err != nil {
		return noise.Rational{}, err
	}
	meets := func(x float64) bool { return loss.Meets(loss.GeometricPair{Rate: x, Cells: c.Moved}, level) }
	const digits = 40
	low := noise.Dyadic(float64(level.Epsilon)/float64(c.Moved), digits, false)
	if level.Notion == dp.Approximate {
		lo, hi := low.Float(), low.Float()
		for hi < 1<<10 && meets(hi) {
			hi *= 2
		}
		for hi/lo > 1+1e-9 {
			if mid := math.Sqrt(lo * hi); meets(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		low = noise.Dyadic(lo, digits, false)
	}
	if _, err := sample.NewTwoSidedGeometric(low.Num, low.Den); err != nil || !meets(low.Float()) {
		return low, domain.Refuse("partition", "level", level, "an ε of at least 2^-31 for each count "+
			"that a unit moves, and below 2^53")
	}
	return low, nil
}

// valid checks what a file says.
func (s Superset) valid() error {
	switch {
	case s.Rule.Noise != Plain:
		return domain.Refuse("partition", "noise", string(s.Rule.Noise), fmt.Sprintf("%q", Plain))
	case s.Codes < 1 || s.Codes > 1<<32:
		return domain.Refuse("partition", "codes", s.Codes, "1 to 2^32")
	case !(s.Beta > 0 && s.Beta < 1):
		return domain.Refuse("partition", "β", s.Beta, "above 0 and below 1")
	}
	return s.Rule.Valid()
}

// False bounds the probability that any code is released which nobody holds, rounded up: their mean number, of all
// codes. It is above 0.
func (s Superset) False() float64 {
	return math.Exp(math.Log(float64(s.Codes))+s.Rule.logTail(s.Rule.Cut+1))*(1+1e-12) + math.SmallestNonzeroFloat64
}

// Cell is a code of a superset by its place, from 0 on, and a count.
type Cell struct {
	Place uint64
	Count int64
}

// Draw releases which codes have noisy counts above the cut, in the order of their places, with these counts. Held are
// the codes that units hold, in that order. What comes out has the distribution of noise on all codes. Its time grows
// with what is held, with what is released, and by two bits a code.
func (s Superset) Draw(src rand.Source, held []Cell) []Cell {
	g := sample.TwoSidedGeometric{Num: s.Rule.Num, Den: s.Rule.Den}
	return s.sparse(randomBits{
		noise:  func() int64 { return g.Draw(src) },
		above:  func(n uint64) uint64 { return g.Exceeding(src, n, s.Rule.Cut+1) },
		among:  func(n, m uint64) []uint64 { return sample.Subset(src, n, m) },
		excess: func() int64 { return g.Excess(src) },
	}, held)
}

// randomBits are the random choices of a draw, which a test enumerates.
type randomBits struct {
	noise  func() int64               // Z
	above  func(n uint64) uint64      // how many of n values of Z are above the cut
	among  func(n, m uint64) []uint64 // m of the numbers 0, …, n−1, in their order
	excess func() int64               // Z − cut − 1 of a Z above the cut
}

// sparse draws the noise of held codes one by one, and of the others only where it is above the cut: how many these
// are, which, and by how much.
func (s Superset) sparse(c randomBits, held []Cell) (out []Cell) {
	for _, h := range held {
		if y := h.Count + c.noise(); y > s.Rule.Cut {
			out = append(out, Cell{h.Place, y})
		}
	}
	empty := s.Codes - uint64(len(held))
	for _, rank := range c.among(empty, c.above(empty)) {
		// The rank-th code that nobody holds comes after all held ones with at most rank empty ones before them.
		before := sort.Search(len(held), func(i int) bool { return held[i].Place-uint64(i) > rank })
		out = append(out, Cell{rank + uint64(before), s.Rule.Cut + 1 + c.excess()})
	}
	slices.SortFunc(out, func(a, b Cell) int { return cmp.Compare(a.Place, b.Place) })
	return out
}

// supersetFacts are the public facts from which the guarantee follows.
type supersetFacts struct {
	Superset
	Change
	Want dp.Parameters `json:"want"`
}

func (f supersetFacts) valid() error {
	if err := cmp.Or(f.Superset.valid(), f.Change.valid(), f.Want.Valid()); err != nil {
		return err
	}
	return wanted(f.Want)
}

// wanted refuses what is neither ε nor (ε, δ).
func wanted(level dp.Parameters) error {
	if level.Notion != dp.Pure && level.Notion != dp.Approximate {
		return domain.Refuse("partition", "level", level, "ε or (ε, δ); noise at pure ε has ρ ≤ ε²/2")
	}
	return nil
}

// The checks: of all counts that a unit moves, of one by enumeration, and of the codes that nobody holds.
var (
	supersetChecker = cert.Define("partition/superset", func(_ context.Context, f supersetFacts) (out cert.Outcome,
		err error) {
		if err := f.valid(); err != nil {
			return out, err
		}
		pair := loss.GeometricPair{Rate: f.Rule.parameter(), Cells: f.Moved}
		return cert.Outcome{Value: loss.Spent(pair, f.Want), Method: cert.ClosedForm}, nil
	})
	emptyChecker = cert.Define("partition/empty", func(_ context.Context, s Superset) (out cert.Outcome, err error) {
		if err := s.valid(); err != nil {
			return out, err
		}
		return cert.Outcome{Value: s.False(), Method: cert.ClosedForm}, nil
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
func (s Superset) Certify(ctx context.Context, c Change, level dp.Parameters) (*cert.Certificate, error) {
	small := s.Rule
	small.Cut = min(small.Cut, enumeratedCut)
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
	if level.Notion == dp.Approximate {
		citation = noisyProfile
	}
	all, err := supersetChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair of all codes together, " + loss.NotionWords(level),
		Formula:   fmt.Sprintf("%d counts shifted by one, geometric noise at γ = %.6g", c.Moved, s.Rule.parameter()),
		Source:    "loss.GeometricPair; theory/categories.md §4", Bound: loss.Allowed(level), Citation: citation,
		Scope: fmt.Sprintf("all data: units of at most %d codes, of which one unit moves %d counts; all %d codes get noise",
			c.Most, c.Moved, s.Codes),
	}, supersetFacts{s, c, level})
	if err != nil {
		return nil, err
	}
	empty, err := emptyChecker.Check(ctx, cert.Check{
		Statement: "probability that any code is listed which nobody holds, at most",
		Formula:   "U·q^{cut+1}/(1+q), q = e^{−γ}",
		Source:    "theory/categories.md §4", Bound: cert.Number(s.Beta),
		Scope: fmt.Sprintf("all data; U = %d codes", s.Codes),
	}, s)
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "categories of a public superset", Checks: []cert.Check{one, all, empty}}, nil
}
