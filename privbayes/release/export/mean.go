package export

import (
	_ "embed"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

//go:embed programs/mean.py
var meanPython string

//go:embed programs/mean.stan
var meanStan string

// leastSteps is the standard deviation of noise, in steps, from which on a sum may be taken for a real number: its
// variance is wrong by 1/600 then at most.
const leastSteps = 10

// meanData are the numbers of a mean: y is the sum of the rows' places on the grid of steps, with noise.
type meanData struct {
	Y         int64   `json:"y"`
	N         int     `json:"n"`
	Steps     int64   `json:"steps"` // of the grid, from low to high
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	LogP0     float64 `json:"log_p0"`
	Rate      float64 `json:"rate"` // log P(Z = z) = log_p0 − rate·|z| − precision·z²/2
	Precision float64 `json:"precision"`
}

// mean is the program of one noisy sum of a public number of rows. The sum is a real number in it.
func mean(r *release.Release, to Form) ([]File, error) {
	sh := r.Plan().Shape()
	n, public := sh.N()
	_, one := sh.Model().(model.MeansModel)
	dist, first := r.Plan().Sum()
	switch l := sh.Lattice(); {
	case !one || len(l.Low) != 1:
		return nil, unsupported(r, to, "this model of numbers", programs)
	case !public || !r.Plan().Target().Adjacency.PublicN():
		return nil, unsupported(r, to, "a private n", programs)
	case n == 0:
		return nil, unsupported(r, to, "the mean of no rows", programs)
	case !first || noise.FormOf(dist) == (noise.Form{}):
		return nil, unsupported(r, to, "this noise", programs+"; of a mean geometric or Gaussian noise")
	case noise.SD(dist) < leastSteps:
		return nil, unsupported(r, to, fmt.Sprintf("noise of %.3g steps on a sum that is a real number", noise.SD(dist)),
			fmt.Sprintf("at least %d steps: WithResolution(K) with more of them, or Binary", leastSteps))
	}
	l, form := sh.Lattice(), noise.FormOf(dist)
	data := meanData{Y: r.Raw()[0][0], N: n, Steps: l.Steps, Low: l.Low[0], High: l.High[0], LogP0: dist.LogProb(0),
		Rate: form.Rate}
	if form.Sigma2 > 0 {
		data.Precision = 1 / form.Sigma2
	}
	code := meanStan
	if to == NumPyro {
		code = meanPython
	}
	return files(r, to, []string{
		fmt.Sprintf("The sum of %d rows was released, in steps of 1/%d of the range, plus noise: %v.", n, l.Steps, dist),
		"The mean is that of the rows: a model of the population they are from may stand above it.",
	}, code, data)
}
