package regression

import (
	"context"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"math"
)

// designParams are the public bounds of the columns.
type designParams struct {
	Features  [][2]float64 `json:"features"`
	Response  [2]float64   `json:"response"`
	Intercept bool         `json:"intercept"`
	Factors   [][2]int     `json:"factors,omitempty"` // the first indicator of each among the features, and how many
}

func (s *setting) designCheck(ctx context.Context) (cert.Check, error) {
	l := s.shape.Linear()
	q := designParams{Response: [2]float64{l.Y.Lo, l.Y.Hi}, Intercept: l.Intercept}
	for _, r := range l.X {
		q.Features = append(q.Features, [2]float64{r.Lo, r.Hi})
	}
	for _, f := range l.Runs {
		q.Factors = append(q.Factors, [2]int{f.First, f.Len})
	}
	return designChecker.Check(ctx, cert.Check{
		Statement: "no row leaves the unit ball: ‖x̃‖ ≤ 1 with the intercept inside, |ỹ| ≤ 1",
		Formula:   "x̃ = clip((x − mid)/half, ±1)/√D, intercept 1/√D", Source: "regression.Design; " +
			"theory/networks.md §5.2",
		Bound: 1, Scope: "rows at and beyond every public bound, and missing ones",
	}, q)
}

var designChecker = cert.Define("linear/design", func(_ context.Context, q designParams) (cert.Outcome, error) {
	var x []leastsquares.Range
	for _, r := range q.Features {
		x = append(x, leastsquares.Range{Lo: r[0], Hi: r[1]})
	}
	if len(x) > 4096 {
		return cert.Outcome{}, domain.Refuse("linear", "features", len(x), "at most 4096")
	}
	y := leastsquares.Range{Lo: q.Response[0], Hi: q.Response[1]}
	d, err := leastsquares.NewDesign(x, y, q.Intercept)
	if err != nil {
		return cert.Outcome{}, err
	}
	var factors []leastsquares.Run
	for _, f := range q.Factors {
		factors = append(factors, leastsquares.Run{First: f[0], Len: f[1]})
	}
	if d, err = d.WithFactors(factors...); err != nil {
		return cert.Outcome{}, err
	}
	return largestRow(d, x, y, factors...)
})

// scaler is a design, or a mutant of one.
type scaler interface {
	Dim() int
	Row(x []float64, y float64, out []float64) (clipped int, err error)
}

// largestRow is max(‖x̃‖, |ỹ|) over rows with every coordinate at, or far beyond, one of its bounds: coordinates are
// scaled one by one, so that each takes its extreme values in a handful of rows. Of a factor one indicator is 1, in
// turns.
func largestRow(d scaler, x []leastsquares.Range, y leastsquares.Range, factors ...leastsquares.Run) (cert.Outcome,
	error) {
	out := cert.Outcome{Method: cert.ClosedForm}
	at := func(r leastsquares.Range, k int) float64 {
		return []float64{r.Lo, r.Hi, r.Lo - 1e6*(r.Hi-r.Lo), r.Hi + 1e6*(r.Hi-r.Lo), math.Inf(1), math.NaN()}[k]
	}
	row, scaled := make([]float64, len(x)), make([]float64, d.Dim()+1)
	for k := range 6 {
		for j, r := range x {
			row[j] = at(r, k)
		}
		for _, f := range factors {
			for j := range f.Len {
				row[f.First+j] = 0
			}
			row[f.First+k%f.Len] = 1
		}
		if _, err := d.Row(row, at(y, k), scaled); err != nil {
			return out, err
		}
		out.Value = math.Max(out.Value, math.Max(exactNorm(scaled[:d.Dim()]), math.Abs(scaled[d.Dim()])))
	}
	return out, nil
}

// exactNorm is ‖v‖ to one unit in the last place, whatever its length: a sum that carries its rounding errors along. A
// plain sum takes rows of norm 1 above 1, in 100 coordinates for one. That unit is inside the margins of both
// mechanisms' losses.
func exactNorm(v []float64) float64 {
	sum, rest := 0.0, 0.0
	for _, x := range v {
		square := x * x
		rest += math.FMA(x, x, -square)
		next := sum + square
		part := next - sum
		rest += (sum - (next - part)) + (square - part)
		sum = next
	}
	return math.Sqrt(sum + rest)
}
