package quantiles

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// wholeChecker enumerates whole releases on a tiny lattice: the noisy counts of every data set against those of every
// neighbour, for every output in a box beyond which no ratio changes any more.
var wholeChecker = cert.Define("quantile-tree/releases",
	func(ctx context.Context, q countLossParams) (cert.Outcome, error) {
		l, err := q.distribution(3)
		if err != nil {
			return cert.Outcome{}, err
		}
		if noise.FormOf(l).Rate == 0 || q.Rows > 2 {
			return cert.Outcome{}, domain.Refuse("quantiles", "law, rows", q.Noise.Family, "geometric, 1 or 2 rows")
		}
		return largestLoss(ctx, q.Tree, q.Adjacency, q.Rows, l)
	})

// largestLoss is max |log P_x(o)/P_y(o)| over data sets x of 2 records, neighbours y and outputs o. The counts' noises
// are independent, so that the greatest ratio is the product of the counts' greatest: every output of every count is
// visited.
func largestLoss(ctx context.Context, t tree, adj dp.Adjacency, rows int, l noise.Probabilities) (cert.Outcome, error) {
	const records = 2
	out := cert.Outcome{Method: cert.Enumeration}
	ratio := func(x, y [][]int64) {
		sum := 0.0
		for k := range x {
			for i := range x[k] {
				worst := math.Inf(-1)
				for o := int64(-1); o <= int64(records+rows+1); o++ {
					out.Work++
					worst = math.Max(worst, l.LogProb(o-x[k][i])-l.LogProb(o-y[k][i]))
				}
				sum += worst
			}
		}
		out.Value = math.Max(out.Value, sum)
	}
	sums := func(x []int) [][]int64 { return t.sums(finite.Counts(x)) }
	for x := range finite.Histograms(int(t.Points), records) {
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
		a := sums(x)
		if adj != dp.AddRemove {
			for y := range finite.Histograms(int(t.Points), records) {
				if between(x, y) <= 2*rows {
					ratio(a, sums(y))
				}
			}
			continue
		}
		for more := 1; more <= rows; more++ {
			for y := range finite.Histograms(int(t.Points), records+more) {
				if between(x, y) == more { // x and more records
					b := sums(y)
					ratio(a, b)
					ratio(b, a)
				}
			}
		}
	}
	return out, ctx.Err()
}

func between(x, y []int) (sum int) {
	for i := range x {
		sum += max(x[i]-y[i], y[i]-x[i])
	}
	return sum
}
