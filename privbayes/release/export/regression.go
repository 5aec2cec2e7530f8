package export

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

//go:embed programs/regression.py
var regressionPython string

//go:embed programs/regression.stan
var regressionStan string

// regressionData are the noisy moments of scaled rows, whose squares add up to at most 1, and their variances.
type regressionData struct {
	N         float64     `json:"n"`
	Scale     float64     `json:"scale"` // rows are columns in [−1, 1] over its root
	XX        []float64   `json:"xx"`    // above the diagonal and on it, row by row, the first, n/scale, left out
	NoiseXX   []float64   `json:"noise_xx"`
	XY        []float64   `json:"xy"`
	NoiseXY   float64     `json:"noise_xy"`
	YY        float64     `json:"yy"`
	NoiseY    float64     `json:"noise_y"`
	WeightSD  []float64   `json:"weight_sd"`  // of the prior
	Offset    []float64   `json:"offset"`     // coefficients in the units of the data are offset + units·w
	Units     [][]float64 `json:"units"`      // coefficients × weights
	HalfRange float64     `json:"half_range"` // of the response
}

// regression is the program of a linear regression on numbers. The prior of other columns' moments is flat on a cone
// that has no coordinates for Stan.
func regression(r *release.Release, to Form) ([]File, error) {
	sh, sampling := r.Plan().Shape(), r.Estimate().Sampling
	if sampling == nil || sampling.Problem == nil {
		return nil, unsupported(r, to, "a regression whose moments were not released", programs)
	}
	p := sampling.Problem()
	if p.Curve != nil || p.Count >= 0 || p.Fixed == 0 {
		return nil, unsupported(r, to, "a private n, or no intercept", "a public n and an intercept")
	}
	if len(p.Numbers) != p.Dim-1 || len(p.Entries) != p.Dim*(p.Dim+1)/2-1 {
		return nil, unsupported(r, to, "a formula with factors, powers or products", "numbers, such as y ~ a + b")
	}
	data, err := momentsOf(r, p)
	if err != nil {
		return nil, err
	}
	about := []string{"Moments X'X, X'y, y'y of scaled rows were released, plus noise of these variances.",
		"Coefficients: " + strings.Join(sh.CoefficientNames(), ", ") + "."}
	if to == NumPyro {
		return files(r, to, about, regressionPython, data)
	}
	block := fmt.Sprintf(`data {
  real n;
  real scale;
  vector[%d] xx; // above the diagonal and on it, row by row
  vector[%[1]d] noise_xx;
  vector[COLUMNS] xy;
  real noise_xy;
  real yy;
  real noise_y;
  vector[COLUMNS] weight_sd;
  vector[%d] offset;
  matrix[%[2]d, COLUMNS] units;
  real half_range;
}
`, len(data.XX), len(data.Offset))
	code := strings.ReplaceAll(block+regressionStan, "COLUMNS - 1", fmt.Sprint(p.Dim-1))
	code = strings.ReplaceAll(code, "COLUMNS + 1", fmt.Sprint(p.Dim+1))
	return files(r, to, about, strings.ReplaceAll(code, "COLUMNS", fmt.Sprint(p.Dim)), data)
}

// momentsOf are the numbers of a problem.
func momentsOf(r *release.Release, p *gram.Problem) (*regressionData, error) {
	sh := r.Plan().Shape()
	y := sh.Columns()[0]
	data := &regressionData{N: p.N, Scale: p.D, XY: p.XY, NoiseXY: p.NoiseXY, YY: p.YY, NoiseY: p.NoiseY,
		HalfRange: y.Max/2 - y.Min/2}
	for _, e := range p.Entries {
		data.XX, data.NoiseXX = append(data.XX, e.Noisy), append(data.NoiseXX, e.Variance)
	}
	for _, v := range p.Precision {
		data.WeightSD = append(data.WeightSD, 1/math.Sqrt(v))
	}
	w := make([]float64, p.Dim)
	var err error
	if data.Offset, err = sh.Coefficients(w); err != nil {
		return nil, err
	}
	data.Units = make([][]float64, len(data.Offset))
	for j := range w {
		w[j] = 1
		at, err := sh.Coefficients(w)
		if err != nil {
			return nil, err
		}
		for c, v := range at {
			data.Units[c] = append(data.Units[c], v-data.Offset[c])
		}
		w[j] = 0
	}
	return data, nil
}
