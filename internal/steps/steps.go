// Package steps is logistic and Poisson regression by steps at public points: what a record contributes to a step, the
// point of the next one, and the posterior after the last, all from released numbers.
//
// At a point w_k that is public a step releases, with noise, of the rows x in the unit ball
//
//	G = Σ x·ω(y − m) + N(0, τ²I),   A = Σ xxᵀ·min(a, cut), its distinct products with N(0, cut²τ²/places),
//
// ω, m, a functions of w_kᵀx, |ω(y − m)| ≤ 1. One record moves (G, A/cut) by at most √5 where it is replaced, √2 where
// it comes or goes. At w = w_k + u
//
//	G̃ ~ N(A·m(u), V_d + τ²I),   m(u) = A_ps⁻¹·Σ_i x_i·ω_i(μ(t_i + uᵀx_i) − m_i)
//
// over public pseudo-records x_i, drawn from the moments of the first step. m(0) = 0 whatever they are, and m saturates
// where a Newton step runs away. Records are read by [Family.Weigh] alone. Source: theory/glm.md §4.
package steps

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
)

// Squares of what one record moves (G, A/cut) by: where it is replaced, and where it is added or removed.
const (
	SquaredReplace = 5
	SquaredAdd     = 2
)

// Shares of the steps in Σ Δ²/σ², in per cent: a step of share q has τ = Δ·σ/√(q/100).
var Shares = [...]int64{7, 8, 15, 70}

// Design is what is public of a regression. The intercept is column 0.
type Design struct {
	Columns          []gram.Column
	Terms            float64 // D, the greatest squared norm of a row of columns
	Rows             float64 // n, where public; else 0
	Family           Family
	Slope, Intercept float64 // prior deviations, per half-range
	ColumnBits       int     // columns are multiples of 2^−ColumnBits, [Bits] or one more
}

// Point is where a step is made. Indices βᵀ(columns) are exact in double precision.
type Point struct {
	Beta  []float64 // per half-range, multiples of 2⁻²⁰
	Cut   int64     // of the weights, in units of 2⁻²²
	First bool      // every weight is the cut

	Likelihood bool `json:",omitempty"` // records are read by Score, without privacy
}

// Index is t = βᵀ(columns) = w_kᵀx.
func (p Point) Index(columns []float64) float64 { return dot(p.Beta, columns) }

// Released is what a step released, of rows scaled to the unit ball.
type Released struct {
	Point     Point
	Moments   []float64 // A at the products of gram.Products, but for the constant one at the first step, n public
	Gradient  []float64 // G
	Deviation float64   // τ
}

// Bits says that residuals and weights of records are multiples of 2^−Bits; LeastCut is the least cut of the weights in
// that unit, .005.
const (
	Bits     = 22
	LeastCut = 20972
)

const (
	grid          = 1 << 20 // points are multiples of 2⁻²⁰
	mostSlopes    = 20.     // Σ|β_j|
	mostIntercept = 40.
)

// Check refuses a design that has no intercept in front, a variable without a column of its own, or numbers outside
// their domain. Errors: *domain.Error.
func (d *Design) Check() error {
	bad := func(what string, value any, want string) error { return domain.Refuse("steps", what, value, want) }
	switch {
	case len(d.Columns) == 0 || len(d.Columns[0].Powers)+len(d.Columns[0].Levels) > 0:
		return bad("columns", len(d.Columns), "an intercept, and the columns after it")
	case len(d.Columns) > gram.MostColumns:
		return bad("columns", len(d.Columns), fmt.Sprintf("at most %d", gram.MostColumns))
	case !(d.Terms >= 1) || !domain.Finite(d.Terms):
		return bad("terms", d.Terms, "at least 1")
	case !(d.Rows >= 0) || !domain.Finite(d.Rows):
		return bad("rows", d.Rows, "n, or 0 where it is private")
	case d.ColumnBits != Bits && d.ColumnBits != Bits+1:
		return bad("bits of columns", d.ColumnBits, "22 or 23")
	case !(d.Slope > 0) || !domain.Finite(d.Slope):
		return bad("deviation of slopes", d.Slope, "a finite number > 0")
	case !(d.Intercept > 0) || !domain.Finite(d.Intercept):
		return bad("deviation of the intercept", d.Intercept, "a finite number > 0")
	}
	if products, _ := gram.Products(d.Columns, true); len(products) > gram.MostEntries {
		return bad("products", len(products), fmt.Sprintf("at most %d", gram.MostEntries))
	}
	_, err := variables(d.Columns)
	return err
}

// CheckReleased refuses numbers that no step of the design releases. Errors: *domain.Error.
func (d *Design) CheckReleased(r Released) error {
	bad := func(what string, value any, want string) error { return domain.Refuse("steps", what, value, want) }
	p, sum := r.Point, 0.
	if len(p.Beta) != len(d.Columns) {
		return bad("point", len(p.Beta), fmt.Sprintf("%d coefficients", len(d.Columns)))
	}
	for j, b := range p.Beta {
		if !domain.Finite(b) || b*grid != math.Round(b*grid) || j == 0 && math.Abs(b) > mostIntercept {
			return bad("point", b, "multiples of 2⁻²⁰, the intercept at most 40")
		}
		if j > 0 {
			sum += math.Abs(b)
		}
	}
	if most := mostSlopes + float64(len(p.Beta))/grid; sum > most {
		return bad("point", sum, fmt.Sprintf("slopes that add to at most %v", most))
	}
	if p.First && p.Cut != d.Family.first() || p.Cut < LeastCut || p.Cut > d.Family.first() {
		return bad("cut", p.Cut, fmt.Sprintf("%d to %d, at the first step the last", LeastCut, d.Family.first()))
	}
	if !(r.Deviation > 1e-9 && r.Deviation < 1e15) {
		return bad("deviation", r.Deviation, "one from 1e-9 to 1e15")
	}
	if len(r.Gradient) != len(d.Columns) {
		return bad("gradient", len(r.Gradient), fmt.Sprintf("%d numbers", len(d.Columns)))
	}
	if want := len(d.layout(p).Entries); len(r.Moments) != want {
		return bad("moments", len(r.Moments), fmt.Sprintf("%d numbers", want))
	}
	for _, list := range [][]float64{r.Gradient, r.Moments} {
		for _, v := range list {
			if !(math.Abs(v) < 1e15) {
				return bad("released number", v, "moments of rows, with noise")
			}
		}
	}
	return nil
}

// First is the point of the first step: slopes 0, for counts the intercept at log(Y/2).
func (d *Design) First() Point {
	p := Point{Beta: make([]float64, len(d.Columns)), Cut: d.Family.first(), First: true}
	if d.Family.table != nil {
		p.Beta[0] = onGrid(math.Log(d.Family.most / 2))
	}
	return p
}

func onGrid(v float64) float64 { return math.Round(v*grid) / grid }

// precision of the prior of w = β√D.
func (d *Design) precision() (out []float64) {
	for j := range d.Columns {
		sd := d.Slope
		if j == 0 {
			sd = d.Intercept
		}
		out = append(out, 1/(sd*sd*d.Terms))
	}
	return out
}

// rows are pseudo-records from what the first step released.
func (d *Design) rows(first Released, l shape) [][]float64 {
	vars, _ := variables(d.Columns)
	return pseudo(d.Columns, vars, d.step(first).released, l)
}

// Next is the point of the next step from what the first one and the last one so far released. Slopes are scaled to
// Σ|β| ≤ 20; the cut is the quantile of the pseudo-records' weights at the point, .75 for classes, .95 for counts, and
// at least .005. Errors: *domain.Error.
func (d *Design) Next(first, last Released) (Point, error) {
	s, rows, err := d.begin(first, last)
	if err != nil {
		return Point{}, err
	}
	u, _ := s.mode()
	p, sum := Point{}, 0.
	for j := range u {
		b := (s.w[j] + u[j]) / math.Sqrt(d.Terms)
		if j > 0 {
			sum += math.Abs(b)
		}
		p.Beta = append(p.Beta, b)
	}
	for j, b := range p.Beta {
		if j == 0 {
			b = math.Min(math.Max(b, -mostIntercept), mostIntercept)
		} else if sum > mostSlopes {
			b *= mostSlopes / sum
		}
		p.Beta[j] = onGrid(b)
	}
	p.Cut = d.Family.first()
	s.under(rows, p)
	p.Cut = min(max(units(s.weightQuantile(d.Family.quantile())), LeastCut), d.Family.first())
	return p, nil
}

// Entries are what a step at the point releases of A: distinct products of columns, with their places.
func (d *Design) Entries(at Point) []gram.Entry { return d.layout(at).Entries }

// Mode is that of the weights w = β√D after the step that was released last. Errors: *domain.Error.
func (d *Design) Mode(first, last Released) (w []float64, err error) {
	s, _, err := d.begin(first, last)
	if err != nil {
		return nil, err
	}
	u, _ := s.mode()
	for j, v := range u {
		w = append(w, s.w[j]+v)
	}
	return w, nil
}

// begin is the step of what was released last, under the beta distribution.
func (d *Design) begin(first, last Released) (*step, [][]float64, error) {
	if err := d.Check(); err != nil {
		return nil, nil, err
	}
	for _, r := range []Released{first, last} {
		if err := d.CheckReleased(r); err != nil {
			return nil, nil, err
		}
	}
	if !first.Point.First {
		return nil, nil, domain.Refuse("steps", "first step", first.Point.Cut, "one whose weights are all the cut")
	}
	s, rows := d.step(last), d.rows(first, beta)
	s.under(rows, last.Point)
	return s, rows, nil
}

// Sample draws weights w = β√D from the posterior after the last step. Errors: *domain.Error; *gram.NotConvergedError;
// *ShapeError; ctx's.
func (d *Design) Sample(ctx context.Context, first, last Released, seed [32]byte) (*gram.Draws, error) {
	s, _, err := d.begin(first, last)
	if err != nil {
		return nil, err
	}
	draws, u, err := s.posterior(ctx, seed)
	if err == nil {
		err = s.settled(first, last, u, draws.Weights)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range draws.Weights {
		for j := range w {
			w[j] += s.w[j]
		}
	}
	return draws, nil
}

// posterior draws u, with V at its mode.
func (s *step) posterior(ctx context.Context, seed [32]byte) (draws *gram.Draws, u []float64, err error) {
	n := len(s.w)
	u, curvature := s.mode()
	v := s.variance(u)
	var spread mat.SymDense
	_ = cholesky(curvature, 0).InverseTo(&spread)
	c := &gram.Curve{Mean: s.mean, Mode: u, Variance: make([]float64, n*n), Spread: make([]float64, n*n),
		Centre: make([]float64, n)}
	for i := range n {
		c.Centre[i] = -s.w[i]
		for j := range n {
			c.Variance[i*n+j], c.Spread[i*n+j] = v.At(i, j), spread.At(i, j)
		}
		c.Variance[i*n+i] += s.tau2
	}
	s.problem.Curve = c
	draws, err = gram.Sample(ctx, s.problem, seed)
	return draws, u, err
}
