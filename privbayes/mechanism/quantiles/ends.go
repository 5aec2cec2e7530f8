package quantiles

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// Intervals of quantiles by the exponential mechanism are drawn: beside the quantile at rank p·n its neighbours at the
// ranks p·n ∓ d, d = z·√(n·p(1 − p)) + t. Here t is how far a draw's rank may be off, and the root how far the rows'
// may be from the population's. An interval misses with probability .05 at most: the rows .04, z = 2.054 in normal
// approximation of the Binomial, and the draws .01. Of a census z is 0, and the draws have all.
//
// An end is wrong only where the draw is: with q the population's quantile, R rows are at most q, R ≥ p·n −
// z·√(n·p(1 − p)) but for .02. If the lower end's point v is above q, all of these lie below v, whose cost for the rank
// p·n − d is then at least t records. So it is for the upper end.
//
// Three draws and not two: the middle of an interval is no estimate of a quantile where values are skewed. At p = .9 of
// lognormal values it is off by .010 of the range at n = 5000, ε = .3 and by .035 at n = 1000, ε = 1, a draw with a
// third of the budget by .005 and .009; at the median both are alike. The price is a t of 3/2, intervals a third wider.
const (
	missedRows  = .04
	missedDraws = .01
	normalReach = 2.0537489106318225 // P(N(0, 1) > normalReach) = missedRows/2
	// intervalLevel is what the ends are drawn for.
	intervalLevel = 1 - missedRows - missedDraws
	// fineRanks is, about, the denominator of the ranks of ends.
	fineRanks = 1 << 20
)

// each is how many draws a quantile takes.
func (m Exponential) each() int {
	if m.intervals {
		return 3
	}
	return 1
}

// at is the problem of drawing the ends as well, at a rate from which they follow: of every quantile the lower end, the
// quantile, the upper end, without those that leave (0, n), where the end is the bound of the column. places has their
// numbers among the drawn ranks, −1 of those that are not drawn.
func (p *problem) at(q params) *problem {
	if !p.m.intervals || !(q.Rate > 0) || p.places != nil {
		return p
	}
	with := *p
	with.cells = q.Cells
	for draws := len(p.a); ; draws++ {
		with.around(p.reach(q.Rate, q.Cells, draws))
		if !p.m.joint || len(with.a) <= draws {
			return &with
		}
	}
}

// around takes the ranks of the asked quantiles and of their ends, t records beyond what rows are off.
func (p *problem) around(t float64) {
	asked, n := ranksOf(p.shape), float64(p.n)
	finer := (fineRanks + asked.b - 1) / asked.b
	p.b = asked.b * finer
	own, all := make([][3]int64, len(asked.a)), []int64{}
	for i, a := range asked.a {
		share := float64(a) / float64(asked.b)
		d := (p.ofRows()*math.Sqrt(n*float64(p.rows)*share*(1-share)) + t) / n
		own[i] = [3]int64{int64(math.Floor(math.Max(share-d, 0) * float64(p.b))), a * finer,
			int64(math.Ceil(math.Min(share+d, 1) * float64(p.b)))}
		for _, rank := range own[i] {
			if rank > 0 && rank < p.b {
				all = append(all, rank)
			}
		}
	}
	slices.Sort(all)
	p.a, p.places = slices.Compact(all), make([][3]int, len(own))
	for i := range own {
		for k, rank := range own[i] {
			at, drawn := slices.BinarySearch(p.a, rank)
			if p.places[i][k] = at; !drawn {
				p.places[i][k] = -1
			}
		}
	}
}

// ofRows is z, and ofDraws what the draws may miss.
func (p *problem) ofRows() float64 {
	if p.shape.Schema().Sampling == frame.Census {
		return 0
	}
	return normalReach
}

func (p *problem) ofDraws() float64 {
	if p.ofRows() == 0 {
		return missedRows + missedDraws
	}
	return missedDraws
}

// reach is t in records. Both costs are at least as many records as a rank is off, times b, or twice that of a joint
// draw, and a unit's row moves their exponents by the rate: all outcomes further off have at most N·e^{−rate·(t −
// least)}. The least cost is 0 of a draw of one quantile, which has the ends of an interval share what may be missed. A
// joint draw shares nothing, but finds every rank only to half a cell of tied records.
func (p *problem) reach(rate float64, cells, draws int) float64 {
	may := p.ofDraws()
	if !p.m.joint {
		return (p.outcomes(0, 1) - math.Log(may/2)) / rate
	}
	const ofCells = .1 // of what may be missed
	nats := p.outcomes(cells, draws) - math.Log(may*(1-ofCells))
	return nats/rate + float64(draws)*fullest(p.n, cells, may*ofCells)/2
}

// fullest is a number of records that no cell holds more of, with probability 1 − missed: of a point with c records a
// cell has Binomial(c, 1/cells) of them. P(cell ≥ k) is convex in c as long as c ≤ (k − 1)·cells, so that all cells of
// all points together are worst where all records tie; and it is at most e^{−n·KL(k/n, 1/cells)} (Chernoff).
func fullest(n, cells int, missed float64) float64 {
	all, q := float64(n), 1/float64(cells)
	first := math.Ceil(all*q) + 1
	if more := int(all - first); more > 0 { // KL increases in k from all·q on
		i := sort.Search(more, func(i int) bool {
			x := (first + float64(i)) / all
			kl := x*math.Log(x/q) + (1-x)*math.Log((1-x)/(1-q))
			return math.Log(float64(cells))-all*kl <= math.Log(missed)
		})
		if i < more {
			return first + float64(i) - 1
		}
	}
	return all
}

// nearest is into how many cells a point is divided for the ends of a joint draw to be nearest.
func (p *problem) nearest(rate float64) int {
	best, draws := p.cells, len(p.a)*p.m.each()
	for cells := 4; cells <= maxCells && p.sumsFit(cells); cells *= 2 {
		if p.reach(rate, cells, draws) < p.reach(rate, best, draws) {
			best = cells
		}
	}
	return best
}

// widest is the greatest share of the rows between the ends of an interval, as it is asked for.
func (p *problem) widest() []mechanism.Expectation {
	most := 0.0
	for i := range p.places {
		low, high := p.endsOf(i)
		most = math.Max(most, high-low)
	}
	if p.places == nil {
		return nil
	}
	return []mechanism.Expectation{{Name: "interval, share of the rows between its ends", Value: most,
		How: "the ranks that are drawn"}}
}

// endsOf are the ranks of the ends of an interval, as shares.
func (p *problem) endsOf(i int) (low, high float64) {
	if high = 1; p.places[i][0] >= 0 {
		low = float64(p.a[p.places[i][0]]) / float64(p.b)
	}
	if at := p.places[i][2]; at >= 0 {
		high = float64(p.a[at]) / float64(p.b)
	}
	return low, high
}

func (p *problem) endsText() string {
	var list []string
	for i := range p.places {
		low, high := p.endsOf(i)
		list = append(list, fmt.Sprintf("%.4g to %.4g", low, high))
	}
	return fmt.Sprintf("%g, between the quantiles %s", intervalLevel, strings.Join(list, ", "))
}

// threes are the points of every quantile's draws, in order.
func (d *sampler) threes(points []int64) (out [][3]int64) {
	for _, at := range d.places {
		own := [3]int64{0, points[at[1]], d.points - 1}
		for _, k := range []int{0, 2} {
			if at[k] >= 0 {
				own[k] = points[at[k]]
			}
		}
		slices.Sort(own[:])
		out = append(out, own)
	}
	return out
}

// Intervals are those whose ends were drawn, of a level up to .95; of the rows they hold more often.
func (d *sampler) Intervals(_ context.Context, drawn mechanism.Output, level float64) (list []mechanism.Interval,
	how string, ok bool) {
	if !d.m.intervals || level > intervalLevel+1e-12 || d.fits(drawn) != nil {
		return nil, "", false
	}
	how = fmt.Sprintf("quantiles at ranks about it, drawn for %g", intervalLevel)
	if d.ofRows() > 0 {
		how += fmt.Sprintf(" of the population; they hold those of the rows in %g", 1-missedDraws)
	}
	short := false
	for i, own := range d.threes(drawn.Raw[0]) {
		r := readAs(d.shape, own[0], own[2])
		list = append(list, mechanism.Interval{Population: r, Rows: r})
		short = short || d.places[i][0] < 0 || d.places[i][2] < 0
	}
	if short {
		how += fmt.Sprintf(". n = %d is too small at this level of privacy for some ends, which are the column's bounds", d.n)
	}
	return list, how, true
}
