// Package sums releases means, rates and other models of numbers. [Noisy] adds integer noise to integer sums.
//
// Every record is rounded to a place k in {0, …, K} between the public bounds of its column (package model).
// Whatever the rounding does, one record then moves Σk by at most K, so that no floating-point error enters a
// guarantee, and the sums are exact in whatever order the rows come. What is released, and the noise it gets, depend on
// the model and on what neighbouring data sets differ in:
//
//	model          one record replaced                 one record added or removed
//	Mean           Σk and Σc²: geometric               Σ(J−j)², Σ2j(J−j), Σj²: geometric
//	Mean, census   Σk: geometric, or staircase         Σk and Σ(K−k): geometric
//	rates          Σk: geometric                       Σk and Σ(K−k): geometric
//	MeanSD         Σc, Σc²: K-norm of the parabola     –
//	Means          Σk and Σc² of every column: cubes   Σ(2k−K) of every column, K·n, Σc² of every column: cubes
//	Means, census  Σk of every column: the cube        Σ(2k−K) of every column, K·n: the cube
//	GroupMeans     Σ(J−j)², Σ2j(J−j), Σj² of every     the same
//	               group: geometric
//	Mean, ByUnit   five moments of units: geometric    the same
//	GroupMeans, ByUnit: five moments of units of every group: geometric
//	Mean, GroupMeans of a column whose missing values are omitted: as groups, a record without a value in none
//
// The squares, on a coarser grid of J steps, give the mean of the population an interval that assumes no distribution
// of the values; next to Σk they cost 1/J of the noise, next to Σk and Σ(K−k) at most an eighth. Squares of several
// columns take an eighth of the budget with the noise of the cube; with Gaussian noise they cost 1/J under
// replace-one, and one part in d + 2 of the budget for d columns under add-remove. Of a census, at levels for which the
// noise of squares leaves the sampler's range, and of several columns on one step under add-remove, there are none.
//
// with discrete Gaussian noise in their place where a target other than pure ε makes it the smaller. c is k about the
// middle of the grid, in half steps where K is odd: a middle rounded to the grid would change records by more than is
// charged for. How many records have a value is private under every adjacency: a record that is replaced may come to
// have one, or none.
//
// # The dominating pairs, and why they dominate
//
// Noise P(z) ∝ e^{−ε‖z‖/r} is ε-DP when a unit's r records move the sums by at most r in the norm: by the triangle
// inequality ‖o − S‖ and ‖o − S′‖ differ by at most r. Randomised response at ε dominates whatever is ε-DP. The norm is
// ‖z‖₁/Δ₁ for geometric noise, max|z_i|/K for the cube, and for (Σc, Σc²) the gauge of the convex hull of what a record
// can change (sample.ParabolaNorm): the smallest norm there is. Geometric noise is dominated by one count shifted by
// rΔ₁ (loss.GeometricPair's theorem). Discrete Gaussian noise has ρ = r²Δ₂²/(2σ²) (Canonne, Kamath, Steinke 2020,
// Proposition 5), with Σc² free next to Σc: d²/σ₁² + e²/σ₂² ≤ 4M²/σ₁² for all d = c − c′, e = c² − c′², as long as
// (M·σ₁/σ₂)² ≤ ((1 + √5)/2)⁵/4 = 2.77; 11/4 is used.
//
// # Estimates
//
// The estimates of a release are posteriors given the noisy sums. They account for the noise, the rounding and the
// clipping at the bounds (internal/roundedsum). They are made from public numbers only.
//
// Source: theory/numbers.md §1, §2; every sensitivity is enumerated again by the certificate.
package sums

import (
	"context"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// kind is the registered name.
const kind = "noisy-sums"

// Noisy adds integer noise to the integer sums of a model of numbers, and estimates its parameters by a posterior that
// knows the noise. It supports every notion. Arithmetic: exact.
type Noisy struct {
	mechanism.Front
	law    string
	byUnit bool
}

// New takes the law of noise that is smallest for the model and the target.
func New() Noisy { return Noisy{}.with("") }

// The laws of noise.
const (
	geometricLaw = "geometric"
	staircaseLaw = "staircase"
	parabolaLaw  = "parabola"
	cubeLaw      = "cube"
	gaussianLaw  = "gaussian"
)

// Geometric takes two-sided geometric noise, the discrete form of the Laplace mechanism: for one sum and for groups.
func (m Noisy) Geometric() Noisy { return m.with(geometricLaw) }

// Gaussian takes discrete Gaussian noise: for every target but pure ε.
func (m Noisy) Gaussian() Noisy { return m.with(gaussianLaw) }

// Refinements names what is not the usual choice. See mechanism.Refined.
func (m Noisy) Refinements() (out []string) {
	if m.law != "" {
		out = append(out, m.law+" noise")
	}
	if m.byUnit {
		out = append(out, "ByUnit()")
	}
	return out
}

func (m Noisy) with(law string) Noisy {
	m.law = law
	return m.made()
}

func (m Noisy) made() Noisy {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

func (m Noisy) title() string {
	switch m.law {
	case geometricLaw:
		return "Geometric noise on sums"
	case staircaseLaw:
		return "Staircase noise on sums"
	case parabolaLaw, cubeLaw:
		return "K-norm noise on sums"
	case gaussianLaw:
		return "Discrete Gaussian noise on sums"
	}
	return "Noise on sums"
}

// supports accepts means and the laws of one parameter, by name: a sum of another form would need other noise.
func supports(sh *model.Shape) error {
	switch sh.Model().(type) {
	case model.MeansModel, model.MeanSDModel, model.GroupMeansModel, model.PoissonModel, model.RateModel:
		return nil
	}
	return mechanism.Unsupported(sh.Model().String(), "Mean, MeanSD, Means, GroupMeans, Poisson or a rate; "+
		"SufficientStatistics() for regression; Geometric() for counts")
}

// problem is what a plan is made for.
type problem struct {
	design
	m      Noisy
	shape  *model.Shape
	target dp.Request
	rows   int // of a unit
	n      int // 0 where private
	about  int // n, or the size that the schema declares; 0 where there is neither
}

func (m Noisy) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	of := sh.Model().String()
	switch _, public := sh.N(); {
	case t.Adjacency == dp.AddRemove:
		sh = sh.WithoutN()
	case t.Adjacency != dp.ReplaceOne && t.Adjacency != dp.ReplaceValue:
		return nil, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: of, Want: "replace-one, replace-value " +
			"or add-remove"}
	case !public:
		return nil, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: of, Step: sh.PrivateNStep(),
			Want: "add-remove adjacency, under which n is private"}
	}
	_, rows := sh.Unit()
	n, _ := sh.N()
	p := &problem{design: designOf(sh.Lattice(), t.Adjacency), m: m, shape: sh, target: t, rows: rows, n: n,
		about: mechanism.Size(sh).Rows}
	if _, spread := sh.Model().(model.MeanSDModel); spread && t.Adjacency == dp.AddRemove {
		return nil, mechanism.Unsupported(of+" with a private n, on which its posterior depends", "replace-one; or, under "+
			"add-remove, Mean, and Histogram for the spread")
	}
	if _, spread := sh.Model().(model.MeanSDModel); spread && n == 0 {
		return nil, mechanism.Unsupported(of+" of no records", "a table with at least one row")
	}
	if perRow := float64(p.Steps) * float64(p.Steps); float64(n)*4*perRow >= 1<<62 &&
		sh.Lattice().Form == model.TwoPowers {
		return nil, mechanism.Unsupported(fmt.Sprintf("sums of squares of %d records on %d steps", n, p.Steps),
			"WithResolution(K) with fewer steps: n·(2K)² must stay below 2^62")
	}
	if rows > maxRows {
		return nil, mechanism.Unsupported(fmt.Sprintf("units of %d rows", rows), fmt.Sprintf("at most %d", maxRows))
	}
	if m.byUnit {
		if err := p.hasUnits(); err != nil {
			return nil, err
		}
	}
	if len(p.laws()) == 0 {
		return nil, mechanism.Unsupported(fmt.Sprintf("%s for %s", t.Parameters, of),
			"NoisySums() with its own choice of noise, or "+
				"an (ε, δ), Rényi or zCDP target for Gaussian noise")
	}
	return p, nil
}

// maxRows bounds the rows of a unit.
const maxRows = 1 << 12

func (m Noisy) mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: kind, Title: m.title(), Supports: supports,
		Prepare: m.prepare, Calibrate: calibrate, Certify: certify, NoNominal: true,
		Of: func(params) (mechanism.Family[*problem, params], error) { return New().mathematics(), nil },
		Expect: func(_ context.Context, p *problem, q params) ([]mechanism.Expectation, error) {
			with := p.of(q)
			law, err := with.noise(q)
			if err != nil {
				return nil, err
			}
			return with.expected(law), nil
		},
	}
}

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	d := mechanism.Describe(New(), "NoisySums", "noisy-sums", "Noisy sums")
	d.Choices = func(sh *model.Shape) []mechanism.Choice {
		if supports(sh) != nil {
			return nil
		}
		return []mechanism.Choice{{Name: "noise-aware posterior", Mechanism: New(), Go: "NoisySums()"}}
	}
	return []mechanism.Descriptor{d}
}

// Cost estimates a plan by the enumerations of its certificate, and a draw by its posterior.
func (m Noisy) Cost(sh *model.Shape, _ dp.Request) mechanism.Cost {
	c := mechanism.Cost{Plan: 3e5, Draw: 3e5, Bytes: 1 << 20}
	l := sh.Lattice()
	if l == nil {
		return c
	}
	c.Bytes += 8 * 600 * float64(l.Len())
	c.Draw += 500 * 40 * float64(l.Len())
	switch {
	case l.Form == model.PerColumn:
		d := float64(len(l.Low))
		c.Plan, c.Draw = 2e6, c.Draw+4000*d*d
	case l.Form == model.PerGroup:
		c.Plan = 5e6
	case l.Form == model.TwoPowers:
		c.Draw += 2e7
	}
	if sh.OneParameter() != nil {
		c.Draw += 1.5e7
	}
	return c
}

// sampler adds noise to the integers released, and estimates from them.
type sampler struct {
	*problem
	law onSums
}

// Draw reads the integer sums once.
func (d *sampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	whole := data.Whole()
	if len(whole) != d.shape.Lattice().Len() {
		return mechanism.Output{}, &mechanism.StatisticsError{Have: "statistics without integer sums",
			Want: "the integer sums of " + d.shape.Model().String()}
	}
	out := d.measured(whole, data.Rows())
	if d.Unit > 0 {
		out = slices.Clone(data.Units())
	}
	z := make([]int64, len(out))
	d.law.draw(src, z)
	for i, v := range z {
		out[i] += v
	}
	return mechanism.Output{Raw: [][]int64{out}}, nil
}

// Estimate is the posterior of the model's parameters given the noisy sums.
func (d *sampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	if len(drawn.Raw) != 1 || len(drawn.Raw[0]) != d.dims() {
		return model.Estimate{}, domain.Refuse("sums", "raw", "numbers of another shape",
			fmt.Sprintf("one list of %d integers", d.dims()))
	}
	for _, v := range drawn.Raw[0] {
		if v > maxDrawn || v < -maxDrawn {
			return model.Estimate{}, domain.Refuse("sums", "raw", v, "sums and noise below 2^62")
		}
	}
	values, err := d.posterior(ctx, drawn.Raw[0])
	if err != nil {
		return model.Estimate{}, err
	}
	return model.Estimate{Draws: &model.Draws{Names: d.shape.Parameters(), Values: values}}, nil
}

const maxDrawn = 1 << 62
