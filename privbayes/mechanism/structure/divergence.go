package structure

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// tableParams: one noisy table of two cells.
type tableParams struct {
	Noise     string         `json:"noise"`
	Rate      noise.Rational `json:"rate"`
	Adjacency dp.Adjacency   `json:"adjacency"`
}

// tableChecker derives what a table of two cells spends, from records up by the shipped law: its exact ε over outputs
// near the counts under geometric noise, its divergence of order 2 under Gaussian noise.
var tableChecker = cert.Define("structure/table", func(ctx context.Context, p tableParams) (cert.Outcome, error) {
	family, err := familyOf(p.Noise)
	if err != nil {
		return cert.Outcome{}, err
	}
	if err := p.Rate.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	l, err := family.Of(p.Rate)
	if err != nil {
		return cert.Outcome{}, err
	}
	reach := int64(12)
	if family.unbounded {
		reach = int64(14*math.Sqrt(p.Rate.Float())) + 14
	}
	if err := within(ctx, 100*float64(reach)); err != nil {
		return cert.Outcome{}, err
	}
	worst, work := 0.0, int64(0)
	cell := func(a, b int64) (apart float64) { // of one count, a and b
		of, than := noiseLaw(l, a), noiseLaw(l, b)
		if !family.unbounded {
			for y := -reach; y <= reach; y++ {
				if lp, lq := of.LogProb(y-a), than.LogProb(y-b); !math.IsInf(lp, -1) {
					apart = math.Max(apart, lp-lq)
				}
			}
			return apart
		}
		sum := 0.0
		for y := -reach; y <= reach; y++ {
			sum += math.Exp(2*of.LogProb(y-a) - than.LogProb(y-b))
		}
		return math.Log(sum)
	}
	for n := int64(1); n <= 3; n++ {
		for a := int64(0); a <= n; a++ {
			moves := [][2]int64{{a + 1, n - a - 1}, {a - 1, n - a + 1}}
			if p.Adjacency == dp.AddRemove {
				moves = [][2]int64{{a - 1, n - a}, {a, n - a - 1}, {a + 1, n - a}, {a, n - a + 1}}
			}
			for _, m := range moves {
				if m[0] >= 0 && m[1] >= 0 {
					worst = math.Max(worst, cell(a, m[0])+cell(n-a, m[1]))
					work++
				}
			}
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work * reach}, ctx.Err()
})

func familyOf(name string) (*added, error) {
	for _, n := range []*added{geometric, gaussian} {
		if n.name == name {
			return n, nil
		}
	}
	return nil, domain.Refuse("structure", "noise", name, fmt.Sprintf("%q or %q", geometric.name, gaussian.name))
}

// divergenceParams: a release of a tree over two binary columns, of which not pure ε is wanted.
type divergenceParams struct {
	Noise     string         `json:"noise"`
	Column    noise.Rational `json:"column"`
	Choose    noise.Rational `json:"choose"`
	Table     noise.Rational `json:"table"`
	N         int            `json:"n"`
	Adjacency dp.Adjacency   `json:"adjacency"`
	Order     float64        `json:"order"` // 1: Kullback–Leibler
}

// smallInstance is the release, whose one-way counts are listed as far as they have a probability to speak of.
func (p divergenceParams) smallInstance() (*smallInstance, error) {
	family, err := familyOf(p.Noise)
	if err != nil {
		return nil, err
	}
	for _, r := range []noise.Rational{p.Column, p.Choose, p.Table} {
		if err := r.Valid(); err != nil {
			return nil, err
		}
	}
	if p.N < 1 || p.N > 3 || !(p.Order >= 1 && p.Order <= 4) {
		return nil, domain.Refuse("structure", "n, order", fmt.Sprint(p.N, p.Order), "n of 1 to 3, an order of 1 to 4")
	}
	q := &problem{noise: family, target: dp.ZCDP(1).Under(p.Adjacency), levels: []int{2, 2}, pairs: [][2]int{{0, 1}},
		set: model.Tree().Settings(), rows: 1}
	if q.publicN = p.Adjacency.PublicN(); q.publicN {
		q.n = p.N
	}
	l, err := family.Of(p.Column)
	if err != nil {
		return nil, err
	}
	window := 1
	for l.LogTail(int64(window)) > math.Log(1e-13) {
		if window++; window > 64 {
			return nil, domain.Refuse("structure", "column", p.Column.String(), "noise within 64 of a count, but for 1e-13")
		}
	}
	return newSmallInstance(q, params{Columns: []noise.Rational{p.Column, p.Column},
		Phases: []phase{{Rounds: 1, Choose: &p.Choose, Noise: p.Table}}}, p.N, window)
}

// divergenceChecker derives the Rényi divergence of the whole release, from records up, by the learner and the laws of
// production: the sum over all one-way tables and choices; the divergence of a measured table is that of its noise.
var divergenceChecker = cert.Define("structure/divergence", func(ctx context.Context, p divergenceParams) (cert.Outcome,
	error) {
	t, err := p.smallInstance()
	if err != nil {
		return cert.Outcome{}, err
	}
	counts := 2 * len(t.levels)
	if t.publicN {
		counts = len(t.levels)
	}
	listed := math.Pow(float64(p.N+1+2*t.window), float64(counts))
	if err := within(ctx, 500*listed*math.Pow(float64(p.N+1), 3)); err != nil {
		return cert.Outcome{}, err
	}
	worst, pairs, err := t.divergence(ctx, p.Order, p.Table)
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: pairs}, err
})

// divergence is the largest divergence of an order between the releases of neighbouring data sets.
func (t *smallInstance) divergence(ctx context.Context, order float64, table noise.Rational) (worst float64, pairs int64,
	err error) {
	one := t.noise.pair(table, 1, 1) // of a count that moves by one
	each := one.RDP(order)
	if order == 1 {
		each = one.ZCDP()
	}
	pairs, err = t.neighbours(ctx, func(a, b []path) {
		if len(a) != len(b) {
			worst = math.Inf(1)
			return
		}
		sum := 0.0
		for i, p := range a {
			moved := 0.0
			for k, m := range p.measured {
				if len(m) != len(b[i].measured[k]) {
					worst = math.Inf(1)
					return
				}
				moved += each * float64(distance(m, b[i].measured[k]))
			}
			switch apart := p.logP - b[i].logP; {
			case math.IsInf(p.logP, -1):
			case order == 1:
				sum += math.Exp(p.logP) * (apart + moved)
			default:
				sum += math.Exp(p.logP + (order-1)*(apart+moved))
			}
		}
		if order > 1 {
			sum = math.Log(sum) / (order - 1)
		}
		worst = math.Max(worst, sum)
	})
	return worst, pairs, err
}

// allowed is what the composition says of the release.
func (p divergenceParams) allowed() (float64, error) {
	t, err := p.smallInstance()
	if err != nil {
		return 0, err
	}
	d, err := loss.Declare(t.parts(params{Columns: []noise.Rational{p.Column, p.Column},
		Phases: []phase{{Rounds: 1, Choose: &p.Choose, Noise: p.Table}}})...)
	if err != nil {
		return 0, err
	}
	if p.Order == 1 {
		return d.ZCDP(), nil
	}
	return d.RDP(p.Order), nil
}
