package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// noiseParams are the public inputs of the loss.
type noiseParams struct {
	Dim      int           `json:"dim"`
	Rows     int           `json:"rows"`
	Replaced bool          `json:"replaced"`
	Of       *proposition  `json:"of,omitempty"` // of integer moments
	Noise    shipped       `json:"noise"`
	Want     dp.Parameters `json:"want"`
}

func (q noiseParams) problem() (*perturbing, error) {
	if q.Dim < 1 || q.Dim > 4096 || q.Rows < 1 {
		return nil, domain.Refuse("linear", "dim, rows", fmt.Sprint(q.Dim, q.Rows), "1 to 4096 coordinates, at least one row")
	}
	if err := q.Noise.valid(); err != nil {
		return nil, err
	}
	if q.Of != nil && q.Of.Replaced != q.Replaced {
		return nil, domain.Refuse("linear", "replaced", q.Replaced, "as its columns say")
	}
	p := &perturbing{setting: &setting{dim: q.Dim, rows: q.Rows, replaced: q.Replaced, of: q.Of},
		delta: momentsSensitivity(q.Rows, q.Replaced)}
	switch {
	case q.Noise.integer() != (q.Of != nil):
		return nil, domain.Refuse("linear", "of", q.Of != nil, "the columns of integer moments, and of no others")
	case q.Of != nil:
		if err := q.Of.valid(); err != nil {
			return nil, err
		}
		d, err := q.Of.design()
		if err != nil {
			return nil, err
		}
		if law, _ := q.Noise.pure(); law != "" && !q.Of.Classes {
			return nil, domain.Refuse("linear", "classes", false, "classes, for a law of pure ε")
		}
		p.whole, p.delta = q.Of.moments(d), q.Of.rowsOf(q.Rows)
	}
	return p, nil
}

// movesParams are the public inputs of the enumeration of moments: dimensions, and directions on the circle.
type movesParams struct {
	Dim      int  `json:"dim"` // 1 or 2
	Angles   int  `json:"angles"`
	Replaced bool `json:"replaced"`
}

var noiseChecker = cert.Define("linear-statistics/loss",
	func(ctx context.Context, q noiseParams) (cert.Outcome, error) {
		p, err := q.problem()
		if err != nil {
			return cert.Outcome{}, err
		}
		if err := q.Want.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		method := cert.ClosedForm
		if q.Noise.integer() {
			method = cert.ProvedBound
		}
		value := loss.Spent(loss.Until(ctx, p.pair(q.Noise)), q.Want)
		return cert.Outcome{Value: value, Method: method}, ctx.Err()
	})

var movesChecker = cert.Define("linear-statistics/moves",
	func(ctx context.Context, q movesParams) (cert.Outcome, error) {
		return q.enumerate(ctx)
	})

func (p *perturbing) checks(ctx context.Context, z shipped) ([]cert.Check, error) {
	inside, err := p.designCheck(ctx)
	if err != nil {
		return nil, err
	}
	if z.integer() {
		return p.wholeChecks(ctx, inside, z)
	}
	moves, err := movesChecker.Check(ctx, cert.Check{
		Statement: "one record moves the moments by at most this, L2 norm, by enumeration",
		Formula:   "Δ₂² = ‖xxᵀ − zzᵀ‖² + ‖xy − zy′‖² + (y² − y′²)² ≤ 9/2; a record alone ≤ 3",
		Source:    "the shipped moments of pairs of records; proof at momentsSensitivity",
		Bound:     number(momentsSensitivity(1, p.replaced)),
		Scope:     "pairs of records of norm 0, ½, 1 on 24 directions, responses −1, 0, 1",
	}, movesParams{min(p.dim, 2), 24, p.replaced})
	if err != nil {
		return nil, err
	}
	q := noiseParams{Dim: p.dim, Rows: p.rows, Replaced: p.replaced, Noise: z, Want: p.target.Parameters}
	loss, err := noiseChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(p.target.Parameters),
		Formula:   fmt.Sprintf("%s, Δ₂ = %.6g", p.pair(z), p.delta), Source: "dp.GaussianPair; Balle, Wang 2018",
		Bound: loss.Allowed(p.target.Parameters), Scope: "all data of all sizes; " + p.change(),
	}, q)
	return []cert.Check{inside, moves, loss}, err
}

// enumerate is the greatest change of the shipped moments over pairs of records.
func (q movesParams) enumerate(ctx context.Context) (cert.Outcome, error) {
	if q.Dim < 1 || q.Dim > 2 || q.Angles < 1 || q.Angles > 360 {
		return cert.Outcome{}, domain.Refuse("linear", "dim, angles", fmt.Sprint(q.Dim, q.Angles),
			"1 or 2 dimensions, 1 to 360 directions")
	}
	directions := [][]float64{{1}, {-1}}
	if q.Dim == 2 {
		directions = nil
		for i := range q.Angles {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(q.Angles))
			directions = append(directions, []float64{c, s})
		}
	}
	var moments [][]float64
	for _, r := range []float64{0, .5, 1} {
		for _, u := range directions {
			for _, y := range []float64{-1, 0, 1} {
				row := make([]float64, q.Dim+1)
				for i, v := range u {
					row[i] = r * v
				}
				row[q.Dim] = y
				m, err := leastsquares.NewMoments(q.Dim)
				if err == nil {
					err = m.AddRows(row)
				}
				if err != nil {
					return cert.Outcome{}, err
				}
				moments = append(moments, append(m.Stack(), m.YY()))
			}
		}
	}
	out := cert.Outcome{Method: cert.Enumeration}
	for i, a := range moments {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if !q.Replaced {
			out.Value = math.Max(out.Value, norm(a))
			out.Work++
			continue
		}
		for _, b := range moments[:i] {
			change := 0.0
			for k, v := range a {
				change += (v - b[k]) * (v - b[k])
			}
			out.Value = math.Max(out.Value, math.Sqrt(change))
			out.Work++
		}
	}
	return out, nil
}
