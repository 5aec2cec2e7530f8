package sums

import (
	"context"
	"fmt"

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
	law string
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

func (m Noisy) with(law string) Noisy {
	m.law, m.Front = law, mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
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
	if len(p.laws()) == 0 {
		return nil, mechanism.Unsupported(fmt.Sprintf("%s for %s", t.Parameters, of), "NoisySums() with its own choice of noise, or "+
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
			law, err := p.noise(q)
			if err != nil {
				return nil, err
			}
			return p.expected(law), nil
		},
	}
}
