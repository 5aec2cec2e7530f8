package linear

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// lawWords say how records are measured, and why the loss is rate times reach.
var lawWords = map[string]struct{ title, change, source string }{
	cubeLaw: {"Cube noise on second moments", "max over k of w_k·|Δ_k|, w_k = C/c_k",
		"the K-norm mechanism of a cube; Hardt, Talwar 2010"},
	geometricLaw: {"Geometric noise on second moments", "Σ w_k·|Δ_k| ≤ 2s(c−s) + ac + a(a−1)/2 + bc + b(b−1)/2 + 2·max(s, c−s) + a + b + p/2",
		"two-sided geometric noise; Ghosh, Roughgarden, Sundararajan 2012"},
}

// tinyParams are the public inputs of the enumeration of whole releases of a number and a class.
type tinyParams struct {
	Law      string `json:"law"`
	Replaced bool   `json:"replaced"`
	Records  int    `json:"records"`
	Box      int64  `json:"box"` // released numbers are enumerated in {−Box, …, Box}
}

var tinyChecker = cert.Define("linear-statistics/releases", func(ctx context.Context, q tinyParams) (cert.Outcome, error) {
	if q.Law != cubeLaw && q.Law != geometricLaw {
		return cert.Outcome{}, domain.Refuse("linear", "law", q.Law, "a law of the noise for classes")
	}
	if q.Records < 1 || q.Records > 2 || q.Box < 1 || q.Box > 4 {
		return cert.Outcome{}, domain.Refuse("linear", "records, box", fmt.Sprint(q.Records, q.Box), "1 or 2 records, a box of 1 to 4")
	}
	of := proposition{Numbers: 1, Intercept: true, Classes: true, Replaced: q.Replaced}
	d, err := of.design()
	if err != nil {
		return cert.Outcome{}, err
	}
	list := of.moments(d)
	return q.largestLoss(ctx, list, of.weighed(list, d, q.Law))
})

func (p *perturbing) releasesCheck(ctx context.Context, law string) (cert.Check, error) {
	q := tinyParams{Law: law, Replaced: p.replaced, Records: 2, Box: 4}
	if !p.replaced {
		q.Box = 2 // one more moment
	}
	of := proposition{Numbers: 1, Intercept: true, Classes: true, Replaced: p.replaced}
	return tinyChecker.Check(ctx, cert.Check{
		Statement: "log-ratio of the probabilities of a release, over the rate, by enumeration",
		Formula:   "max over neighbours D, D′ and releases o of ‖o − WM(D′)‖ − ‖o − WM(D)‖", Source: lawWords[law].source,
		Bound: number(of.reach(law, 1)),
		Scope: fmt.Sprintf("%d records of one number in {−1, 0, 1} and a class; releases within ±%d", q.Records, q.Box),
	}, q)
}

// largestLoss enumerates all neighbouring data sets of records (u, y), u in {−1, 0, 1}, y = ±1, and all releases in a
// box. Neighbours share all records but one, and a shift of both by these is one of the release: those of up to the
// given number of records are listed all the same, for the law is enumerated and not argued about.
func (q tinyParams) largestLoss(ctx context.Context, list []moment, weights []int64) (cert.Outcome, error) {
	out := cert.Outcome{Method: cert.Enumeration}
	var records [][]float64 // weighted moments, in lattice steps
	for _, u := range []float64{-1, 0, 1} {
		for _, y := range []float64{-1, 1} {
			row, v := []float64{1, u, y}, make([]float64, len(list))
			for k, m := range list {
				v[k] = row[m.i] * row[m.j] * float64(weights[k])
			}
			records = append(records, v)
		}
	}
	rest := [][]float64{make([]float64, len(list))}
	if q.Records == 2 {
		rest = append(rest, records...)
	}
	gauge := func(o []int64, at []float64) float64 { // in products: half a doubled weight
		sum, top := 0.0, 0.0
		for k, v := range o {
			z := math.Abs(float64(v)-at[k]) / 2
			sum, top = sum+z, math.Max(top, z)
		}
		if q.Law == cubeLaw {
			return top
		}
		return sum
	}
	neighbours := func(visit func(a, b []float64)) {
		for _, r := range rest {
			for i, x := range records {
				a := floats.AddTo(make([]float64, len(x)), r, x)
				if !q.Replaced {
					visit(a, r)
					visit(r, a)
					continue
				}
				for _, z := range records[:i] {
					b := floats.AddTo(make([]float64, len(z)), r, z)
					visit(a, b)
					visit(b, a)
				}
			}
		}
	}
	o := make([]int64, len(list))
	for k := range o {
		o[k] = -q.Box
	}
	for {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		neighbours(func(a, b []float64) {
			out.Value = math.Max(out.Value, gauge(o, b)-gauge(o, a))
			out.Work++
		})
		k := 0
		for ; k < len(o) && o[k] == q.Box; k++ {
			o[k] = -q.Box
		}
		if k == len(o) {
			return out, nil
		}
		o[k]++
	}
}
