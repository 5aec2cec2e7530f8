package quantiles

import (
	"context"
	"fmt"
	"iter"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// valid checks quantiles from a file.
func (r ranks) valid() error {
	last := int64(0)
	for _, a := range r.a {
		if a <= last || a >= r.b {
			return domain.Refuse("quantiles", "ranks", fmt.Sprint(r.a, "/", r.b), "0 < a_1 < … < a_m < b")
		}
		last = a
	}
	if len(r.a) == 0 || len(r.a) > maxDraws || r.b > 1000 {
		return domain.Refuse("quantiles", "ranks", fmt.Sprintf("%d with b = %d", len(r.a), r.b), "1 to 255, b ≤ 1000")
	}
	return nil
}

// enumerated is the number of records for which every change is visited: n where that is little work.
func (p *problem) enumerated() int64 {
	most := int64(64)
	if p.m.joint {
		for most > 1 && p.jointChanges(most) > jointWork {
			most--
		}
	}
	if p.n > 0 && int64(p.n) < most {
		return int64(p.n)
	}
	return most
}

// farthest is the largest change of a cost, in units of the sensitivity, over all data of n records and one record
// replaced, or added. A cost depends on the data through how many records lie below, at and above each quantile: for
// one quantile all (below, at, above) are visited, for several at once all counts between them, records that tie being
// placed on either side first.
func (r ranks) farthest(ctx context.Context, adj dp.Adjacency, joint bool, n int64) (cert.Outcome, error) {
	if joint {
		return r.farthestJoint(ctx, adj, n)
	}
	worst, work := 0.0, int64(0)
	for i := range r.a {
		s := float64(r.sensitivity(i, adj))
		cost := func(c []int) int64 {
			below, at, all := int64(c[0]), int64(c[1]), int64(c[0]+c[1]+c[2])
			return max(0, r.b*below-r.a[i]*all, r.a[i]*all-r.b*(below+at))
		}
		for x := range finite.Histograms(3, int(n)) {
			for y := range changed(x, adj) {
				work++
				worst = max(worst, float64(apart(cost(x), cost(y)))/s)
			}
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
}

// changed is what one record replaced, or added, makes of counts.
func changed(x []int, adj dp.Adjacency) iter.Seq[[]int] {
	if adj == dp.AddRemove {
		return finite.Stepped(x, 1)
	}
	return finite.Moved(x)
}

// jointWork bounds the changes that are visited.
const jointWork = 1e6

// jointChanges is the number of all counts of n records between m quantiles, times that of changes of one.
func (r ranks) jointChanges(n int64) float64 {
	m := float64(len(r.a))
	out := (m + 1) * (m + 1)
	for i := 1.0; i <= m; i++ {
		out *= (float64(n) + i) / i
	}
	return out
}

func (r ranks) farthestJoint(ctx context.Context, adj dp.Adjacency, n int64) (cert.Outcome, error) {
	gaps, s := r.gaps(), float64(r.jointSensitivity(adj))
	if changes := r.jointChanges(n); changes > jointWork {
		return cert.Outcome{}, domain.Refuse("quantiles", "n", n, "fewer records for so many quantiles at once")
	}
	worst, work := 0.0, int64(0)
	cost := func(counts []int) (sum int64) {
		all := int64(0)
		for _, c := range counts {
			all += int64(c)
		}
		for i, c := range counts {
			sum += apart(r.b*int64(c), gaps[i]*all)
		}
		return sum
	}
	for x := range finite.Histograms(len(gaps), int(n)) {
		before := cost(x)
		for y := range changed(x, adj) {
			work++
			worst = max(worst, float64(apart(before, cost(y)))/s)
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
}

func apart(a, b int64) int64 { return max(a-b, b-a) }
