package posteriorsample

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

const (
	scanned   = 2000 // a binary model's counts are visited one by one up to there, then evenly
	sums      = 33   // sums of a rate's statistic that are visited
	corners   = 12   // levels of a conditional whose pairs are visited
	untrimmed = 1.0  // the ε at which an untrimmed model's δ is visited
)

// rounding is taken off what an enumeration found: its own rounding must not exceed the exact value.
func rounding(v float64) float64 { return math.Max(0, v-1e-9*math.Max(1, v)) }

// enumerated says what enumerate visits, and the bound on what it finds.
func (p *problem) enumerated(s setting, pair *Pair) (statement, scope string, bound float64) {
	switch {
	case p.Rate != nil:
		return "no neighbouring sums exceed the pure ε: log-ratio of the laws that are drawn, at both ends of the " +
				"range",
			fmt.Sprintf("%d sums ΣT of n = %d records, each with two replacements", sums, p.N), pair.PureEpsilon()
	case p.untrimmed():
		return fmt.Sprintf("no neighbouring counts exceed one draw's δ at ε = %g: hockey-stick divergence of the "+
				"laws that are drawn", untrimmed),
			p.countsScope(), pair.with(1).Delta(untrimmed)
	case p.binary:
		return "no neighbouring counts exceed the pure ε: log-ratio of the laws that are drawn, at both ends of the " +
			"box", p.countsScope(), pair.PureEpsilon()
	}
	return "range of the log-likelihood ratio of two records over the corners of the box",
		fmt.Sprintf("every pair of values of up to %d levels, in one row of a conditional distribution or in two",
			corners), float64(s.draws) * pair.one.Oscillation()
}

func (p *problem) countsScope() string {
	if p.N <= scanned {
		return fmt.Sprintf("every count of n = %d records", p.N)
	}
	return fmt.Sprintf("%d counts, evenly spaced, of n = %d records", scanned, p.N)
}

// enumerate is the greatest loss of the laws that are drawn, found without the accounting's formulas.
func (l law) enumerate(ctx context.Context, s setting) (cert.Outcome, error) {
	out := cert.Outcome{Method: cert.Enumeration}
	visit := func(v float64) {
		out.Value = math.Max(out.Value, v)
		out.Work++
	}
	var err error
	switch {
	case l.Rate != nil:
		err = l.visitSums(ctx, s, visit)
	case l.binary:
		err = l.visitCounts(ctx, s, visit)
	default:
		out.Value, out.Work = l.visitCorners(s)
	}
	if !(l.binary && s.floors[0] == 0) {
		out.Value *= float64(s.draws) // N draws repeat the worst point
	}
	out.Value = rounding(out.Value)
	return out, err
}

// visitCounts visits the pairs of k and k+1 ones.
func (l law) visitCounts(ctx context.Context, s setting, visit func(float64)) error {
	at := func(k int) (*truncated.Beta, error) { return l.beta(s, int64(l.N-k), int64(k), 0) }
	step := max(1, float64(l.N)/scanned)
	for i := 0.0; int(i) < l.N; i += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := int(i)
		x, err := at(k)
		if err != nil {
			return err
		}
		y, err := at(k + 1)
		if err != nil {
			return err
		}
		w := s.floors[0]
		if w == 0 {
			visit(math.Max(excess(x, y), excess(y, x)))
			continue
		}
		if float64(l.N)+l.cellPrior(0)+l.cellPrior(1) > distinct {
			a, b, err := l.apart(s, k)
			if err != nil {
				return err
			}
			visit(a)
			visit(b)
			continue
		}
		for _, t := range []float64{w, 1 - w} {
			visit(math.Abs(y.LogDensity(t) - x.LogDensity(t)))
		}
	}
	return nil
}

// distinct is the number of counts, prior ones included, up to which the difference of two log-densities keeps its
// digits.
const distinct = 1e6

// apart is |η·logit θ − ln E[θ^η] + ln E[(1−θ)^η]| at both ends of the box, in the law of the records that the data of
// k and of k+1 ones share: their log-ratio without the difference of two large logarithms.
func (l law) apart(s setting, k int) (low, high float64, err error) {
	shared, err := l.beta(s, int64(l.N-k-1), int64(k), 0)
	if err != nil {
		return 0, 0, err
	}
	w := s.floors[0]
	end := s.power * (math.Log1p(-w) - math.Log(w))
	rest := shared.LogMoment(0, s.power) - shared.LogMoment(s.power, 0)
	return math.Abs(rest - end), math.Abs(rest + end), nil
}

// excess is the hockey-stick divergence at ε = untrimmed of two laws with a monotone log-ratio: that of the tail in
// which it exceeds ε.
func excess(p, q *truncated.Beta) float64 {
	ratio := func(t float64) float64 { return p.LogDensity(t) - q.LogDensity(t) - untrimmed }
	const edge = 1e-300
	lo, hi := edge, math.Nextafter(1, 0)
	rising := ratio(hi) > 0
	if !rising && !(ratio(lo) > 0) {
		return 0
	}
	logit := func(t float64) float64 { return math.Log(t) - math.Log1p(-t) }
	a, b := logit(lo), logit(hi)
	for range 100 {
		mid := (a + b) / 2
		if (ratio(1/(1+math.Exp(-mid))) > 0) == rising {
			b = mid
		} else {
			a = mid
		}
	}
	t := 1 / (1 + math.Exp(-(a+b)/2))
	x, y := p.Sampler().CDF(t), q.Sampler().CDF(t)
	if rising {
		x, y = 1-x, 1-y
	}
	return x - math.Exp(untrimmed)*y
}

// visitSums visits pairs of sums that differ by the whole or half of one record's range.
func (l law) visitSums(ctx context.Context, s setting, visit func(float64)) error {
	r := l.Rate
	first, span := float64(l.N)*r.Low, float64(l.N-1)*(r.High-r.Low)
	for i := range sums {
		if err := ctx.Err(); err != nil {
			return err
		}
		sum := first + span*float64(i)/(sums-1)
		x, err := l.gamma(s, sum)
		if err != nil {
			return err
		}
		for _, d := range []float64{r.High - r.Low, (r.High - r.Low) / 2} {
			y, err := l.gamma(s, sum+d)
			if err != nil {
				return err
			}
			for _, t := range []float64{r.C1, r.C2} {
				visit(math.Abs(y.LogDensity(t) - x.LogDensity(t)))
			}
		}
	}
	return nil
}

// visitCorners adds, over the conditionals, the greatest range of η(ln θ_a − ln θ_b) over the corners of the box, for
// values a, b of the replaced record and its replacement: in one row, θ is one point; in two rows, two.
func (l law) visitCorners(s setting) (value float64, work int64) {
	for i, v := range l.nodes {
		levels, w := v.Levels, s.floors[i]
		log := func(corner, level int) float64 {
			if corner == level {
				return s.power * math.Log1p(-float64(levels-1)*w)
			}
			return s.power * math.Log(w)
		}
		most := 0.0
		tried := min(levels, corners)
		for a := range tried {
			for b := range tried {
				one, left, right := newRange(), newRange(), newRange()
				for corner := range tried {
					one.add(log(corner, a) - log(corner, b))
					left.add(log(corner, a))
					right.add(log(corner, b))
					work++
				}
				most = math.Max(most, one.width())
				if v.Rows > 1 {
					most = math.Max(most, left.width()+right.width())
				}
			}
		}
		value += most
	}
	return value, work
}

type interval struct{ lo, hi float64 }

func newRange() *interval { return &interval{math.Inf(1), math.Inf(-1)} }

func (r *interval) add(v float64)  { r.lo, r.hi = math.Min(r.lo, v), math.Max(r.hi, v) }
func (r *interval) width() float64 { return r.hi - r.lo }
