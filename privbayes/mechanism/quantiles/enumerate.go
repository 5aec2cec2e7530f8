package quantiles

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
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
		cost := func(below, at, above int64) int64 {
			all := below + at + above
			return max(0, r.b*below-r.a[i]*all, r.a[i]*all-r.b*(below+at))
		}
		for below := int64(0); below <= n; below++ {
			for at := int64(0); below+at <= n; at++ {
				before := [3]int64{below, at, n - below - at}
				each(before, adj, func(c [3]int64) {
					work++
					worst = max(worst, float64(apart(cost(before[0], before[1], before[2]), cost(c[0], c[1], c[2])))/s)
				})
			}
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
}

// each calls f with what one record replaced, or added, makes of counts.
func each(counts [3]int64, adj dp.Adjacency, f func([3]int64)) {
	for to := range counts {
		if adj == dp.AddRemove {
			c := counts
			c[to]++
			f(c)
			continue
		}
		for from := range counts {
			if from != to && counts[from] > 0 {
				c := counts
				c[from]--
				c[to]++
				f(c)
			}
		}
	}
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
	counts := make([]int64, len(gaps))
	cost := func(all int64) (sum int64) {
		for i, c := range counts {
			sum += apart(r.b*c, gaps[i]*all)
		}
		return sum
	}
	visit := func() {
		before := cost(n)
		for to := range counts {
			counts[to]++
			if adj == dp.AddRemove {
				work++
				worst = max(worst, float64(apart(before, cost(n+1)))/s)
			}
			for from := range counts {
				if adj != dp.AddRemove && from != to && counts[from] > 0 {
					counts[from]--
					work++
					worst = max(worst, float64(apart(before, cost(n)))/s)
					counts[from]++
				}
			}
			counts[to]--
		}
	}
	var fill func(i int, left int64)
	fill = func(i int, left int64) {
		if i == len(counts)-1 {
			counts[i] = left
			visit()
			return
		}
		for c := int64(0); c <= left && ctx.Err() == nil; c++ {
			counts[i] = c
			fill(i+1, left-c)
		}
	}
	fill(0, n)
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, ctx.Err()
}

func apart(a, b int64) int64 { return max(a-b, b-a) }
