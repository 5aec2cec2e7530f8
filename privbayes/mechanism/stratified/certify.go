package stratified

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// neighboursParams are the public inputs of the enumeration of small tables.
type neighboursParams struct {
	Rule      rule         `json:"rule"`
	Sampled   []int64      `json:"sampled"` // n_h
	Gaussian  bool         `json:"gaussian,omitempty"`
	Adjacency dp.Adjacency `json:"adjacency"`
}

func (q neighboursParams) valid() error {
	r, rows := q.Rule, int64(0)
	for _, n := range q.Sampled {
		if rows += n; n < 1 {
			rows = 5
		}
	}
	ofLevels := r.Levels >= 2 && r.Levels <= 4 && r.Steps == 0 && r.Coarse == 0
	ofSums := r.Levels == 0 && r.Coarse >= 1 && r.Coarse <= r.Steps && r.Steps <= 6
	if len(q.Sampled) < 1 || rows > 4 || !ofLevels && !ofSums {
		return domain.Refuse("stratified", "neighbours", fmt.Sprint(r, q.Sampled), "up to 4 levels, or K ≤ 6 and "+
			"J ≤ K, and up to 4 rows")
	}
	return q.Adjacency.Valid()
}

// member is a row of a small table: its stratum, and its level or place.
type member struct{ stratum, place int }

// claims are what a release rests on next to its noise: the numbers that get noise from the sums of a table, what
// stands in the release without noise, and how much of the noise's level a change of the numbers uses.
type claims struct {
	numbers func(whole []int64) []int64
	without func(rows []member) []int64
	gauge   func(z []int64) float64
}

// claims are those of production: nothing of the rows stands in a release without noise but n_h, which is the same in
// neighbours.
func (r rule) claims(sampled []int64, gaussian bool) claims {
	gauge := r.gauge
	if gaussian {
		gauge = r.square
	}
	return claims{
		numbers: func(whole []int64) []int64 { return r.released(whole, sampled) },
		without: func(rows []member) []int64 {
			out := make([]int64, len(sampled))
			for _, m := range rows {
				out[m.stratum]++
			}
			return out
		},
		gauge: gauge,
	}
}

// gauge is what a change of the numbers uses: ‖·‖₁ of counts, |Σk|/K + |Σc²|/(4J²) of sums, in units of the room.
func (r rule) gauge(z []int64) (sum float64) {
	for i, v := range z {
		v := math.Abs(float64(v))
		switch j := float64(r.Coarse); {
		case r.Levels > 0:
			sum += v
		case i%2 == 0:
			sum += v / float64(r.Steps) / r.room()
		default:
			sum += v / (4 * j * j) / r.room()
		}
	}
	return sum
}

// square is what a change of the numbers uses under Gaussian noise: ‖·‖₂² of counts, (Σk/K)² + 11(Σc²/(4J²))² of sums,
// in units of the room's square.
func (r rule) square(z []int64) (sum float64) {
	for i, v := range z {
		v := float64(v)
		switch j, room := float64(r.Coarse), float64(r.shift()); {
		case r.Levels > 0:
			sum += v * v
		case i%2 == 0:
			sum += v * v / (room * room)
		default:
			at := v * float64(r.Steps) / (4 * j * j * room)
			sum += gaussianFree * at * at
		}
	}
	return sum
}

// gaussianFree is how many times the square of Σc²/(4J²) counts that of Σk/K: 11, below φ⁵ = 11.09.
const gaussianFree = 11

// farthest is the greatest gauge between neighbours over all tables with n_h rows in the strata: rows are counted by
// the model's own lattice. Where neighbours differ in what stands without noise it is infinite.
func farthest(ctx context.Context, r rule, sampled []int64, adj dp.Adjacency, c claims) (far float64,
	work int64, err error) {
	like := &model.Lattice{Form: model.PerGroup}
	if r.Levels > 0 {
		like.Form = model.PerLevel
	}
	l := r.lattice(like, len(sampled))
	sums := func(rows []member) []int64 {
		out := make([]int64, l.Len())
		for _, m := range rows {
			l.Add(out, []int64{int64(m.place)}, m.stratum)
		}
		return out
	}
	var all []member // rows that may be
	for h := range sampled {
		for place := range int(l.Steps) + 1 {
			all = append(all, member{h, place})
		}
	}
	compare := func(a, b []member) {
		work++
		if !slices.Equal(c.without(a), c.without(b)) {
			far = math.Inf(1)
			return
		}
		x, y := c.numbers(sums(a)), c.numbers(sums(b))
		for i := range x {
			x[i] -= y[i]
		}
		far = math.Max(far, c.gauge(x))
	}
	var fill func(rows []member, h int, left int64)
	fill = func(rows []member, h int, left int64) {
		for h < len(sampled) && left == 0 {
			if h++; h < len(sampled) {
				left = sampled[h]
			}
		}
		if h == len(sampled) {
			neighbours(rows, all, adj, func(other []member) { compare(rows, other) })
			return
		}
		for place := range int(l.Steps) + 1 {
			fill(append(slices.Clip(rows), member{h, place}), h, left-1)
		}
	}
	fill(nil, 0, sampled[0])
	return far, work, ctx.Err()
}

// neighbours are the tables that differ from rows by one unit: replaced within its stratum or by any other, or gone.
func neighbours(rows, all []member, adj dp.Adjacency, of func(other []member)) {
	for i, own := range rows {
		if adj == dp.AddRemove {
			of(slices.Delete(slices.Clone(rows), i, i+1))
			continue
		}
		for _, other := range all {
			if adj == dp.WithinStrata && other.stratum != own.stratum {
				continue
			}
			next := slices.Clone(rows)
			next[i] = other
			of(next)
		}
	}
}

// neighboursChecker is the most that one unit moves the numbers of small tables.
var neighboursChecker = cert.Define("stratified/neighbours", func(ctx context.Context, q neighboursParams) (
	cert.Outcome, error) {
	if err := q.valid(); err != nil {
		return cert.Outcome{}, err
	}
	far, work, err := farthest(ctx, q.Rule, q.Sampled, q.Adjacency, q.Rule.claims(q.Sampled, q.Gaussian))
	return cert.Outcome{Value: far, Method: cert.Enumeration, Work: work}, err
})

// latticeParams are the public inputs of the enumeration of places.
type latticeParams struct {
	Rule     rule `json:"rule"`
	Gaussian bool `json:"gaussian,omitempty"`
}

// maxCoarse bounds J, whose pairs are enumerated.
const maxCoarse = 1 << 12

// latticeChecker is the most that one row changes Σk and Σc² by, at the plan's own K and J, over the room, in
// integers: over all pairs of coarse places, with the places farthest apart that are rounded to them. Under Gaussian
// noise it is the square of both over that of the room.
var latticeChecker = cert.Define("stratified/lattice", func(ctx context.Context, q latticeParams) (
	cert.Outcome, error) {
	k, j := q.Rule.Steps, q.Rule.Coarse
	if q.Rule.Levels != 0 || j < 1 || j > maxCoarse || k < j || k > model.MaxSteps {
		return cert.Outcome{}, domain.Refuse("stratified", "lattice", fmt.Sprint(q.Rule), "J of 1 to 2^12, K of J to 2^24")
	}
	most := 4 * j * j * k // of |Σk|·4J² + |Σc²|·K
	if j < k {
		most += 4 * j * k
	}
	room := product{}.plus(4*j*j*q.Rule.shift(), 1)
	out := cert.Outcome{Method: cert.Enumeration}
	far, farther := int64(0), product{}
	for a := range j + 1 {
		least := max((2*a-1)*k+2*j-1, 0) / (2 * j) // the least place that is rounded to a
		for b := a; b <= j; b++ {
			last := min(((2*b+1)*k+2*j-1)/(2*j)-1, k)
			x, y := 2*a-j, 2*b-j
			squares := max(x*x-y*y, y*y-x*x)
			if q.Gaussian {
				farther = farther.orMore(product{}.plus((last-least)*4*j*j, 1).plus(squares*k, gaussianFree))
			} else {
				far = max(far, (last-least)*4*j*j+squares*k)
			}
		}
		out.Work += j + 1 - a
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
	}
	if out.Value = float64(far) / float64(most); q.Gaussian {
		out.Value = farther.float() / room.float()
	}
	if far > most || room.orMore(farther) != room {
		out.Value = math.Max(out.Value, math.Nextafter(1, 2))
	}
	return out, nil
})

// product is an integer of 128 bits, of sums of squares.
type product struct{ high, low uint64 }

// plus adds times·x².
func (p product) plus(x int64, times uint64) product {
	high, low := bits.Mul64(uint64(x), uint64(x))
	over, low := bits.Mul64(low, times)
	low, carry := bits.Add64(p.low, low, 0)
	high, _ = bits.Add64(p.high, high*times+over, carry)
	return product{high, low}
}

// orMore is the larger of two.
func (p product) orMore(o product) product {
	if o.high > p.high || o.high == p.high && o.low > p.low {
		return o
	}
	return p
}

func (p product) float() float64 { return float64(p.high)*(1<<64) + float64(p.low) }

// lossParams are the public inputs of the loss.
type lossParams struct {
	Rule  rule          `json:"rule"`
	Noise params        `json:"noise"`
	Want  dp.Parameters `json:"want"`
}

// lossChecker derives the level from the rates; that the noise can be drawn as planned is checked by building it.
var lossChecker = cert.Define("stratified/loss", func(ctx context.Context, q lossParams) (cert.Outcome, error) {
	if err := q.Noise.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if r := q.Rule; r.Levels < 0 || r.Levels == 1 || r.Levels == 0 && (r.Coarse < 1 || r.Steps < r.Coarse ||
		r.Coarse > maxCoarse || r.Steps > model.MaxSteps) {
		return cert.Outcome{}, domain.Refuse("stratified", "rule", fmt.Sprint(r), "two levels or more, or K and J ≤ K")
	}
	if err := q.Want.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if _, err := q.Noise.noise(q.Rule); err != nil {
		return cert.Outcome{}, err
	}
	method := cert.ClosedForm
	if q.Noise.Sigma2 != nil {
		method = cert.ProvedBound
	}
	value := loss.Spent(loss.Until(ctx, q.Noise.pair(q.Rule)), q.Want)
	return cert.Outcome{Value: value, Method: method}, ctx.Err()
})

// formula says what of the change of a stratum's numbers the checks bound.
func (r rule) formula(gaussian bool) string {
	switch {
	case r.Levels > 0 && gaussian:
		return fmt.Sprintf("‖·‖₂² of the change of the counts, at most %d", r.changed())
	case r.Levels > 0:
		return fmt.Sprintf("‖·‖₁ of the change of the counts, at most %d", r.changed())
	case gaussian:
		return "((Σk − Σk′)/K)² + 11((Σc² − Σc′²)/(4J²))², over (1 + ⌈K/J⌉/K)², or over 1 where J = K"
	}
	return "|Σk − Σk′|/K + |Σc² − Σc′²|/(4J²), over 1 + 1/J, or over 1 where J = K"
}

func certify(ctx context.Context, p *problem, q params) (s mechanism.Spec, err error) {
	noises, err := q.noise(p.rule)
	if err != nil {
		return s, err
	}
	r, want := p.rule, p.target.Parameters
	small := neighboursParams{Sampled: []int64{2, 1}, Adjacency: p.target.Adjacency, Gaussian: q.Sigma2 != nil,
		Rule: rule{Levels: min(r.Levels, 3), Steps: min(r.Steps, 3), Coarse: min(r.Coarse, 3)}}
	if r.Coarse < r.Steps {
		small.Rule.Steps, small.Rule.Coarse = 5, min(r.Coarse, 3)
	}
	if len(p.strata) == 1 {
		small.Sampled = []int64{2}
	}
	formula := r.formula(small.Gaussian)
	first, err := neighboursChecker.Check(ctx, cert.Check{
		Statement: small.Adjacency.String() + ": one unit changes the numbers of its own stratum, and n_h of none",
		Formula:   formula,
		Source:    "docs/theory/survey.md, Strata; proof at package stratified for all sizes",
		Bound:     cert.Number(r.changed()),
		Scope:     fmt.Sprintf("every table of %v rows in the strata, and every neighbour; %s", small.Sampled, small.Rule),
	}, small)
	if err != nil {
		return s, err
	}
	checks := []cert.Check{first}
	if r.Levels == 0 {
		lattice, err := latticeChecker.Check(ctx, cert.Check{
			Statement: "one row changes the sum of values and that of squares by no more than their rates are for",
			Formula:   formula, Source: "docs/theory/survey.md, Strata", Bound: 1,
			Scope: fmt.Sprintf("every two places, K = %d, J = %d", r.Steps, r.Coarse),
		}, latticeParams{r, small.Gaussian})
		if err != nil {
			return s, err
		}
		checks = append(checks, lattice)
	}
	name, _ := p.shape.Unit()
	pair := q.pair(r)
	level, err := lossChecker.Check(ctx, cert.Check{
		Statement: "loss in one stratum, the only one that differs, " + loss.NotionWords(want),
		Formula:   pair.String(), Source: "doc of package stratified", Bound: loss.Allowed(want),
		Scope: "all data of the strata's sizes; one " + name + ", replaced within its stratum",
	}, lossParams{r, q, want})
	if err != nil {
		return s, err
	}
	title := "Geometric noise in every stratum"
	if q.Sigma2 != nil {
		title = "Discrete Gaussian noise in every stratum"
	}
	return mechanism.Spec{
		Title: title, Shape: p.shape, Arithmetic: dp.Exact, StandardFormula: p.standardFormula(q), Pair: pair,
		Checks: append(checks, level), Settings: p.settings(q), Expected: p.expected(q),
		Draws: mechanism.Integers, Count: r.each() * len(p.strata), Sampler: &sampler{p, q, noises},
	}, ctx.Err()
}
