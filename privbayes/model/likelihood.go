package model

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/steps"
)

// mostPasses are the readings of the rows that a fit takes at most. About ten are enough, and hundreds where classes
// are separated and the prior is wide.
const mostPasses = 1000

// likeliest are the weights on scaled rows of greatest posterior density: the likelihood of a logistic or Poisson
// regression, times the prior. ok is false where the rows cannot be read again, or the equations have no solution in
// floating point. The weights are private.
//
// A Newton step moves no row's log-odds or log-rate by more than R = Σ|Δβ|, and the curvature along it by a factor e^R
// at most. Of the step log(1 + R)/R is taken, which maximises the rise of the density that this bound assures; a cut of
// counts may break it. Source: Bach 2010, Proposition 1.
func (s *Statistics) likeliest(ctx context.Context) (w []float64, ok bool) {
	if !s.CanPass() {
		return nil, false
	}
	l := s.shape.linear
	slope, intercept := s.shape.FamilyPrior()
	d := len(l.weights)
	beta := make([]float64, d)
	for range mostPasses {
		sums, err := s.readAgain(ctx, steps.Point{Beta: beta, Cut: 1 << steps.Bits, Likelihood: true})
		if err != nil {
			return nil, false
		}
		information, score := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				if k := l.passAt(i, j); k >= 0 {
					information.SetSym(i, j, sums[k].Float(-2*l.Bits()-steps.Bits))
				}
			}
			sd := slope
			if i == 0 {
				sd = intercept
			}
			score.SetVec(i, sums[l.passAt(i, d)].Float(-l.Bits()-steps.Bits)-beta[i]/(sd*sd))
			information.SetSym(i, i, information.At(i, i)+1/(sd*sd))
		}
		var root mat.Cholesky
		var move mat.VecDense
		if !root.Factorize(information) || root.SolveVecTo(&move, score) != nil {
			return nil, false
		}
		length := mat.Norm(&move, 1)
		for j := range beta {
			beta[j] += move.AtVec(j) * math.Log1p(length) / math.Max(length, 1e-300)
		}
		if length < 1e-6 { // of which the next would be about the square
			break
		}
	}
	for _, b := range beta {
		w = append(w, b*math.Sqrt(float64(l.Square())))
	}
	return w, true
}

// fitLikelihood fits a regression by a formula that is read in steps.
func fitLikelihood(st *Statistics) (*Fitted, error) {
	w, ok := st.likeliest(context.Background())
	if !ok {
		return nil, noRows(st.shape.model)
	}
	fit, err := Fit(st.shape, Estimate{Draws: &Draws{Names: st.shape.linear.Weights(), Values: [][]float64{w}}})
	if err != nil {
		return nil, err
	}
	if fit.likeliest = true; st.sums[len(st.shape.linear.Formula.Places)] > 0 { // Σ y of classes −1 and 1
		fit.majority = 1
	}
	return fit, nil
}

// FittedBy says how FitPrivately fitted a logistic or Poisson regression; it is empty for other models.
func (f *Fitted) FittedBy() string {
	switch _, ok := f.shape.Family(); {
	case !ok:
		return ""
	case f.shape.linear.Formula != nil:
		return "maximum likelihood, with the model's prior"
	case f.likeliest:
		return "logistic regression by maximum likelihood, with the prior of FisherScoring()"
	}
	return "2.4 times least squares, which is not logistic regression: the rows cannot be read again"
}
