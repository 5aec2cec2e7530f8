package linear

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// shipped is σ in units of the moments or, of integer moments, σ² as a fraction in those units; for pure ε it is a
// rate.
type shipped struct {
	Sigma     float64         `json:"sigma,omitempty"`
	Whole     *noise.Rational `json:"sigma2_moments,omitempty"` // σ² of moments: see moment
	Cube      *noise.Rational `json:"cube_rate,omitempty"`      // per product: see cubeLaw
	Geometric *noise.Rational `json:"geometric_rate,omitempty"`
}

// pure is the law for pure ε, with its rate; "" for others.
func (z shipped) pure() (law string, rate *noise.Rational) {
	switch {
	case z.Cube != nil:
		return cubeLaw, z.Cube
	case z.Geometric != nil:
		return geometricLaw, z.Geometric
	}
	return "", nil
}

// integer reports whether the noise is on integer moments.
func (z shipped) integer() bool { return z.Whole != nil || z.Cube != nil || z.Geometric != nil }

func (z shipped) valid() error {
	given := 0
	if z.Sigma != 0 {
		given++
	}
	for _, r := range []*noise.Rational{z.Whole, z.Cube, z.Geometric} {
		if r == nil {
			continue
		}
		if given++; r.Valid() != nil {
			return r.Valid()
		}
	}
	switch {
	case given > 1:
		return domain.Refuse("linear", "sigma", z.Sigma,
			"one of sigma, sigma2_moments, cube_rate and geometric_rate")
	case given == 1 && z.Sigma == 0:
		return nil
	}
	if !(z.Sigma > 0) || math.IsInf(z.Sigma, 1) {
		return domain.Refuse("linear", "sigma", z.Sigma, "a finite number > 0")
	}
	return nil
}
