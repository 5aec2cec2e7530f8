package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ResidualParameter names the standard deviation of the noise about the regression plane, in scaled units, among the draws of a linear
// regression. Draws without it know the plane only.
const ResidualParameter = "(residual sd)"

// WithResidual adds the residual standard deviation, in scaled units, to every draw.
func (d *Draws) WithResidual(sd float64) *Draws {
	out := &Draws{Names: append(append([]string(nil), d.Names...), ResidualParameter)}
	for _, v := range d.Values {
		out.Values = append(out.Values, append(append([]float64(nil), v...), sd))
	}
	return out
}

// weights are the draws of the plane, and their mean squared residual sd in scaled units; known is false without the latter.
func (f *Fitted) weights() (w [][]float64, residual float64, known bool, err error) {
	names := f.shape.Weights()
	if f.shape.model.Kind != KindLinearRegression || f.draws == nil || len(f.draws.Names) < len(names) {
		return nil, 0, false, &Error{Model: f.shape.model.String(), Value: "no draws of regression weights", Want: "a fitted LinearRegression"}
	}
	for i, name := range names {
		if f.draws.Names[i] != name {
			return nil, 0, false, &Error{Model: f.shape.model.String(), Value: fmt.Sprintf("draws of %q", f.draws.Names[i]), Want: fmt.Sprintf("of %q in its place", name)}
		}
	}
	known = len(f.draws.Names) == len(names)+1 && f.draws.Names[len(names)] == ResidualParameter
	for _, v := range f.draws.Values {
		w = append(w, v[:len(names)])
		if known {
			residual += v[len(names)] * v[len(names)] / float64(len(f.draws.Values))
		}
	}
	return w, residual, known, nil
}

// KnowsResidual reports whether the draws hold the residual standard deviation, so that Forecast's sd is that of a new response.
func (f *Fitted) KnowsResidual() bool {
	_, _, known, err := f.weights()
	return err == nil && known
}

// Forecast is the predictive distribution of the response of every row of x, in the units of the data: its mean, and its standard
// deviation
//
//	sd² = Var over draws of the plane + the residual variance.
//
// The second term is there only where the draws hold it (KnowsResidual); without, and with a single draw, sd says what the draws say, which
// is less than how far a new response lies. Features are clipped to their public bounds. The response's own values in x are not used.
// Errors: *Error for other models, *MismatchError for another schema.
func (f *Fitted) Forecast(x *frame.Frame) (mean, sd []float64, err error) {
	w, residual, _, err := f.weights()
	if err != nil {
		return nil, nil, err
	}
	if err := f.check(x); err != nil {
		return nil, nil, err
	}
	design, cols := f.shape.Design(), f.shape.columns
	values := make([][]float64, len(cols)-1)
	for i, c := range cols[1:] {
		if values[i], err = x.Values(c.Name); err != nil {
			return nil, nil, err
		}
	}
	centre, spread := moments(w)
	half := cols[0].Max/2 - cols[0].Min/2
	mean, sd = make([]float64, x.Len()), make([]float64, x.Len())
	row, scaled := make([]float64, len(values)), make([]float64, design.Dim()+1)
	for r := range mean {
		for i := range row {
			row[i] = values[i][r]
		}
		if _, err := design.Row(row, 0, scaled); err != nil {
			return nil, nil, err
		}
		mean[r] = design.Predict(centre, scaled)
		v := residual
		for i, a := range scaled[:design.Dim()] {
			for j, b := range scaled[:design.Dim()] {
				v += a * spread[i][j] * b
			}
		}
		sd[r] = half * math.Sqrt(math.Max(v, 0))
	}
	return mean, sd, nil
}

// moments are the mean and the covariance of draws; the latter is zero for one draw.
func moments(draws [][]float64) (mean []float64, cov [][]float64) {
	d, n := len(draws[0]), float64(len(draws))
	mean, cov = make([]float64, d), make([][]float64, d)
	for _, w := range draws {
		for i, v := range w {
			mean[i] += v / n
		}
	}
	for i := range cov {
		cov[i] = make([]float64, d)
		for _, w := range draws {
			for j := range d {
				cov[i][j] += (w[i] - mean[i]) * (w[j] - mean[j]) / math.Max(n-1, 1)
			}
		}
	}
	return mean, cov
}

// Coefficients tabulates the regression in the units of the data, intercept and slopes: mean, standard deviation and, from 20 draws on,
// the 2.5 % and 97.5 % quantiles over the draws. Errors: *Error for other models.
func (f *Fitted) Coefficients() (*table.Table, error) {
	w, residual, known, err := f.weights()
	if err != nil {
		return nil, err
	}
	design, target := f.shape.Design(), f.shape.columns[0]
	d := &Draws{Names: []string{"intercept"}}
	for _, c := range f.shape.columns[1:] {
		d.Names = append(d.Names, c.Name)
	}
	for _, v := range w {
		intercept, slopes, err := design.Coefficients(v)
		if err != nil {
			return nil, err
		}
		d.Values = append(d.Values, append([]float64{intercept}, slopes...))
	}
	t := d.Summary()
	t.Title = fmt.Sprintf("Coefficients of %s, from %s", target.Name, table.Count(d.Len(), "draw"))
	t.Notes = nil
	t.Note("In the units of the data: " + target.Name + " for one unit more of the feature.")
	if known {
		t.Note(fmt.Sprintf("Residual standard deviation %s.", table.Number((target.Max/2-target.Min/2)*math.Sqrt(residual))))
	}
	return t, nil
}
