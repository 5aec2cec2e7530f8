package export

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Estimates are the numbers of a release with their intervals, as a table for other programs. Its JSON is a form of it.
// Numbers are as precise as they are, so that sums of shares stay what they are; round what you print.
type Estimates struct {
	Release   string       `json:"release"`
	Of        string       `json:"of"`        // the model
	Guarantee dp.Guarantee `json:"guarantee"` // to quote: see release.Release.Stated
	Level     float64      `json:"level"`
	How       string       `json:"how,omitempty"` // in which way the intervals were found; empty where there are none
	Columns   []string     `json:"columns"`
	Rows      [][]any      `json:"rows"` // of each number texts, numbers, and nil where it has no such interval
}

// EstimatesOf are those of any release, with intervals at a level in (0, 1) where it has them: those of
// release.Release.Numbers. The columns are "of", "label" and "estimate", then the ends of the intervals that a number
// of the list has: of the population, of the rows, and of bands that contain all numbers together. Means of columns of
// numbers of a learned structure have the label "mean"; of dates they are days since 1970-01-01. Errors:
// *dp.ParameterError, those of release.Release.Intervals.
func EstimatesOf(ctx context.Context, r *release.Release, level float64) (*Estimates, error) {
	if r == nil || r.Plan() == nil {
		return nil, domain.Refuse("export", "release", nil, "one from Privatize or release.Load")
	}
	list, how, err := r.Numbers(ctx, level)
	if err != nil {
		return nil, err
	}
	e := &Estimates{Release: r.ID(), Of: r.Plan().Shape().Model().String(), Guarantee: r.Stated(), Level: level, How: how,
		Columns: []string{"of", "label", "estimate"}}
	for _, i := range list {
		e.Rows = append(e.Rows, []any{i.Of, i.Label, i.Estimate})
	}
	band := func(of func(*mechanism.Interval) *mechanism.Range) func(*mechanism.Interval) *mechanism.Range {
		return func(i *mechanism.Interval) *mechanism.Range {
			if i.AtOnce == nil {
				return nil
			}
			return of(i.AtOnce)
		}
	}
	population := func(i *mechanism.Interval) *mechanism.Range { return i.Population }
	rows := func(i *mechanism.Interval) *mechanism.Range { return i.Rows }
	e.add(list, "population", population)
	e.add(list, "rows", rows)
	e.add(list, "population_band", band(population))
	e.add(list, "rows_band", band(rows))
	return e, nil
}

// add adds two columns, if a number has such an interval.
func (e *Estimates) add(list []release.Interval, name string, of func(*mechanism.Interval) *mechanism.Range) {
	var ends [][]any
	some := false
	for k := range list {
		lower, upper := any(nil), any(nil)
		if r := of(&list[k].Interval); r != nil {
			lower, upper, some = r.Lower, r.Upper, true
		}
		ends = append(ends, []any{lower, upper})
	}
	if !some {
		return
	}
	e.Columns = append(e.Columns, name+"_lower", name+"_upper")
	for k := range ends {
		e.Rows[k] = append(e.Rows[k], ends[k]...)
	}
}

// CSV is the header and the rows as RFC 4180 text; what a number does not have is empty.
func (e *Estimates) CSV() string {
	t := table.New("", e.Columns...)
	for _, row := range e.Rows {
		cells := make([]any, len(row))
		for i, v := range row {
			if cells[i] = v; v == nil {
				cells[i] = ""
			} else if x, ok := v.(float64); ok {
				cells[i] = strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
		t.Add(cells...)
	}
	return t.CSV()
}

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
