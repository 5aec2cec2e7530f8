package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ResidualParameter names the standard deviation of the noise about the regression plane, in scaled units, among the
// draws of a linear regression. Draws without it know the plane only.
const ResidualParameter = "(residual sd)"

// WithResidual adds the residual standard deviation, in scaled units, to every draw.
func (d *Draws) WithResidual(sd float64) *Draws {
	out := &Draws{Names: append(append([]string(nil), d.Names...), ResidualParameter)}
	for _, v := range d.Values {
		out.Values = append(out.Values, append(append([]float64(nil), v...), sd))
	}
	return out
}

// weights are the draws of the plane, and their mean squared residual sd in scaled units; known is false without the
// latter.
func (f *Fitted) weights() (w [][]float64, residual float64, known bool, err error) {
	var names []string
	if f.shape.linear != nil {
		names = f.shape.linear.weights
	}
	if len(names) == 0 || f.Draws() == nil || len(f.Draws().Names) < len(names) {
		return nil, 0, false, wrong(f.shape.model, "", "no draws of regression weights",
			"a fitted LinearRegression or LogisticRegression")
	}
	for i, name := range names {
		if f.Draws().Names[i] != name {
			return nil, 0, false, wrong(f.shape.model, "", fmt.Sprintf("draws of %q", f.Draws().Names[i]),
				fmt.Sprintf("of %q in its place", name))
		}
	}
	known = len(f.Draws().Names) == len(names)+1 && f.Draws().Names[len(names)] == ResidualParameter
	for _, v := range f.Draws().Values {
		w = append(w, v[:len(names)])
		if known {
			residual += v[len(names)] * v[len(names)] / float64(len(f.Draws().Values))
		}
	}
	return w, residual, known, nil
}

// ResidualDraws are the draws of the residual standard deviation of a linear regression, in the units of the response;
// nil where the draws do not have it.
func (f *Fitted) ResidualDraws() (out []float64) {
	if f.Draws() == nil {
		return nil
	}
	sds, _ := f.Draws().Parameter(ResidualParameter)
	for _, sd := range sds {
		out = append(out, sd*(f.shape.columns[0].Max/2-f.shape.columns[0].Min/2))
	}
	return out
}

// KnowsResidual reports whether the draws hold the residual standard deviation, so that Forecast's sd is that of a new
// response.
func (f *Fitted) KnowsResidual() bool {
	_, _, known, err := f.weights()
	return err == nil && known
}

// Forecast is the predictive distribution of the response of every row of x, in the units of the data: its mean, and
// its standard deviation
//
//	sd² = Var over draws of the plane + the residual variance.
//
// The second term is there only where the draws hold it (KnowsResidual); without, and with a single draw, sd says what
// the draws say, which is less than how far a new response lies. Features are clipped to their public bounds. The
// response's own values in x are not used; the column may be absent. Of a Poisson regression they are those of the cut
// count. Errors: *Error for other models, *MismatchError for another schema.
func (f *Fitted) Forecast(x *frame.Frame) (mean, sd []float64, err error) {
	if f.shape.Classifies() {
		return nil, nil, wrong(f.shape.model, "", "no numbers to forecast", "Predict, which gives class probabilities")
	}
	w, residual, _, err := f.weights()
	if err != nil {
		return nil, nil, err
	}
	if err := f.shape.acceptsFeatures(x); err != nil {
		return nil, nil, err
	}
	if m, ok := f.shape.model.(interface {
		forecast(f *Fitted, x *frame.Frame) (mean, sd []float64, err error)
	}); ok {
		return m.forecast(f, x)
	}
	y := f.shape.columns[0]
	row, err := f.shape.scaledRows(x)
	if err != nil {
		return nil, nil, err
	}
	centre, spread := moments(w)
	mid, half := y.Min/2+y.Max/2, y.Max/2-y.Min/2
	mean, sd = make([]float64, x.Len()), make([]float64, x.Len())
	scaled := make([]float64, len(centre))
	for r := range mean {
		if err := row(r, scaled); err != nil {
			return nil, nil, err
		}
		v := residual
		for i, a := range scaled {
			mean[r] += centre[i] * a
			for j, b := range scaled {
				v += a * spread[i][j] * b
			}
		}
		mean[r] = mid + half*mean[r]
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

// Coefficients tabulates the regression in the units of the data, intercept and slopes: mean, standard deviation and,
// from 20 draws on, the 2.5 % and 97.5 % quantiles over the draws. Errors: *Error for other models.
func (f *Fitted) Coefficients() (*table.Table, error) {
	d, residual, known, err := f.coefficients()
	if err != nil {
		return nil, err
	}
	target := f.shape.columns[0]
	of, unit, scale, leastSquares := target.Name, target.Name, "the units of the response", false
	if link, in := f.shape.Link(); link != "" {
		of, unit, scale = link, in, in
		leastSquares = f.shape.linear.Formula == nil && f.later == nil && !f.likeliest
	}
	t := d.Summary()
	t.Title = fmt.Sprintf("Coefficients of %s, from %s", of, table.Count(d.Len(), "draw"))
	t.Notes = nil
	if leastSquares || f.likeliest || f.later != nil && d.Len() == 1 {
		t = table.New("Coefficients of "+of, "parameter", "estimate")
		for i, v := range d.Mean() {
			t.Add(d.Names[i], v)
		}
	}
	if text := f.shape.linear.scaledNote(scale); text != "" {
		t.Note(text)
	} else {
		t.Note("In the units of the data: " + unit + " for one unit more of the feature.")
	}
	if leastSquares {
		t.Note("2.4 times least squares: flatter than logistic regression where classes are nearly certain. Intervals " +
			"would not know that bias, and there are none.")
	}
	for _, c := range f.shape.columns {
		if c.Date != "" {
			t.Note("Dates of " + safetext.Word(c.Name) + " count days since 1970-01-01, and their differences are in days.")
		}
	}
	for _, text := range f.shape.references() {
		t.Note(text)
	}
	if !f.shape.linear.Intercept {
		t.Note("Without an intercept the plane passes through the middle of all bounds.")
	}
	if err := f.Unsampled(); err != nil {
		t.Note("No interval is shown: " + strings.TrimPrefix(err.Error(), "regression: ") + ".")
	}
	if known {
		half, last, interval := target.Max/2-target.Min/2, len(f.Draws().Names)-1, ""
		if lo, hi := f.Draws().Quantile(last, .025), f.Draws().Quantile(last, .975); lo < hi &&
			f.Draws().Len() >= summaryDraws {
			interval = fmt.Sprintf(", 95 %% between %s and %s", table.Number(half*lo), table.Number(half*hi))
		}
		t.Note(fmt.Sprintf("Residual standard deviation %s%s.", table.Number(half*math.Sqrt(residual)), interval))
	}
	return t, nil
}

// references say which level of every factor the others are compared with.
func (s *Shape) references() (out []string) {
	if s.linear != nil && s.linear.Formula != nil {
		return s.linear.Formula.references()
	}
	for i, c := range s.columns {
		if i > 0 && s.grouping(i) {
			out = append(out, fmt.Sprintf("Levels of %s are compared with %s.", safetext.Word(c.Name),
				safetext.Word(c.Labels()[0])))
		}
	}
	return out
}

func (ofPlane) summary(f *Fitted) *table.Table { return coefficientTable(f) }

// CoefficientDraws are the draws of the intercept and the slopes in the units of the data: those of a factor's level
// say how far the response lies from where it does at the first one. Errors: *Error for other models.
func (f *Fitted) CoefficientDraws() (*Draws, error) {
	d, _, _, err := f.coefficients()
	return d, err
}

// CoefficientCovariance is the covariance over the draws of the intercept and the slopes, in the units of the data and
// the order of names; zero for one draw. Errors: *Error for other models.
func (f *Fitted) CoefficientCovariance() (names []string, cov [][]float64, err error) {
	d, err := f.CoefficientDraws()
	if err != nil {
		return nil, nil, err
	}
	_, cov = moments(d.Values)
	return d.Names, cov, nil
}

// coefficients are CoefficientDraws, and the residual variance in scaled units.
func (f *Fitted) coefficients() (d *Draws, residual float64, known bool, err error) {
	w, residual, known, err := f.weights()
	if err != nil {
		return nil, 0, false, err
	}
	d = &Draws{Names: f.shape.CoefficientNames(), Chains: f.Draws().Chains}
	for _, v := range w {
		values, err := f.shape.Coefficients(v)
		if err != nil {
			return nil, 0, false, err
		}
		d.Values = append(d.Values, values)
	}
	return d, residual, known, nil
}

// CoefficientNames names the coefficients of a linear regression, in the order of Coefficients.
func (s *Shape) CoefficientNames() []string {
	if s.linear.Formula != nil {
		return s.linear.coefficientNames()
	}
	names := []string{"intercept"}
	for _, c := range s.coordinates() {
		names = append(names, c.name)
	}
	return names
}

// Coefficients are the intercept and the slopes of a linear regression in the units of the data, by its weights on
// scaled rows: a linear function of them and 1. Errors: weights of another number.
func (s *Shape) Coefficients(w []float64) ([]float64, error) {
	if s.linear.Formula != nil {
		return s.linear.inUnits(s.columns, w), nil
	}
	intercept, slopes, err := s.linear.Coefficients(w)
	return append([]float64{intercept}, slopes...), err
}

// Effects are the draws of what the response changes by when a column goes up by a round part of its public range, or
// from a factor's reference to another level, in the units of the response; nil for other models and
// without draws of weights.
func (f *Fitted) Effects() *Draws {
	d, _, _, err := f.coefficients()
	if err != nil {
		return nil
	}
	if f.shape.linear.Formula != nil {
		return f.ofHalfRanges()
	}
	out := &Draws{Names: slices.Clone(d.Names[1:])}
	for _, v := range d.Values {
		row := slices.Clone(v[1:])
		for j, c := range f.shape.coordinates() {
			name := safetext.Word(f.shape.columns[c.column].Name)
			if out.Names[j] = name + ": " + strings.TrimPrefix(c.name, f.shape.columns[c.column].Name+"="); c.level == 0 {
				step := round(f.shape.columns[c.column].Max - f.shape.columns[c.column].Min)
				row[j] *= step
				out.Names[j] = figure.Number(step) + " more of " + name
			}
		}
		out.Values = append(out.Values, row)
	}
	return out
}

// EffectsOf says what the effects are of.
func (f *Fitted) EffectsOf() string {
	switch l := f.shape.linear; {
	case l == nil || l.Formula == nil:
		return "a named change of one column, others held fixed"
	case !l.Intercept:
		return "columns scaled to [−1, 1] and of levels, from the middle of all bounds"
	}
	return "columns scaled to [−1, 1] and of levels, other numbers in the middle of their bounds"
}

// round is 1, 2 or 5 times a power of ten, about a quarter of a range.
func round(wide float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(wide/4)))
	for _, k := range []float64{5, 2} {
		if k*ten <= wide/4 {
			return k * ten
		}
	}
	return ten
}

func (ofPlane) words() Words {
	return Words{
		Measures: []string{"mean squared error"}, LogScale: true, Guess: "middle of the public range",
		Headline: "root mean squared error", Score: "root mean squared error", Bars: "Error on held-out rows",
		Public: "bounds",
		Error:  "a weight on scaled rows", Source: "weights from the model's prior, features uniform on their bounds",
	}
}

// z95 is the 97.5 % point of the standard normal.
const z95 = 1.959963984540054

// scores are in the units of the response. R² is 1 − MSE/variance of the held-out response, 0 if that does not vary;
// intervals are mean ± 1.96 sd; the log-density is that of the predictive normal, of models that know how far responses
// scatter: of others intervals are those of the plane alone.
func (m ofPlane) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	mean, sd, err := f.Forecast(x)
	if err != nil {
		return nil, err
	}
	y, err := f.heldOut(x, m.target)
	if err != nil {
		return nil, err
	}
	var width, covered, density float64
	n := float64(len(y))
	for i, v := range y {
		e := v - mean[i]
		width += 2 * z95 * sd[i] / n
		covered += indicator(math.Abs(e) <= z95*sd[i]) / n
		density -= (e*e/(sd[i]*sd[i])/2 + math.Log(sd[i]) + math.Log(2*math.Pi)/2) / n
	}
	if !f.KnowsResidual() {
		density = math.NaN()
	}
	return append(errorScores(y, mean), Score{Name: "coverage of 95 % intervals", Value: covered, Share: true},
		Score{Name: "width of 95 % intervals", Value: width},
		Score{Name: "log-density per row (nats)", Value: density}), nil
}

// errorScores are those of forecasts of some values, the first one the mean squared error: R² is 1 − MSE/variance, 0 if
// the values do not vary.
func errorScores(y, mean []float64) []Score {
	var centre, mse, mae, total, r2 float64
	n := float64(len(y))
	for _, v := range y {
		centre += v / n
	}
	for i, v := range y {
		mse += (v - mean[i]) * (v - mean[i]) / n
		mae += math.Abs(v-mean[i]) / n
		total += (v - centre) * (v - centre) / n
	}
	if total > 0 {
		r2 = 1 - mse/total
	}
	return []Score{{Name: "mean squared error", Value: mse}, {Name: "root mean squared error", Value: math.Sqrt(mse)},
		{Name: "mean absolute error", Value: mae}, {Name: "R²", Value: r2}}
}

func (ofPlane) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) { return firstScore(f, x) }

func firstScore(f *Fitted, x *frame.Frame) ([]float64, error) {
	if unseen(x) {
		return []float64{0}, nil
	}
	s, err := f.Scores(x)
	if err != nil {
		return nil, err
	}
	return []float64{s[0].Value}, nil
}

// guess is the mean squared error of saying the middle of the response's public range.
func (m ofPlane) guess(np *Fitted, x *frame.Frame) (mse float64, err error) {
	c := np.shape.columns[0]
	values, err := x.Values(c.Name)
	centre := c.Min/2 + c.Max/2
	for _, v := range values {
		mse += (v - centre) * (v - centre) / math.Max(1, float64(len(values)))
	}
	return mse, err
}

func (ofPlane) means(f *Fitted) [][]float64 {
	return [][]float64{f.Draws().Mean()[:len(f.shape.linear.weights)]}
}

func (ofPlane) distance(_ *Shape, plain, released [][]float64) (absolute, kl float64) {
	return difference(plain, released), math.NaN()
}

// namedDraws are draws with their name in a figure.
type namedDraws struct {
	name  string
	draws *Draws
}

// compared are the released draws and, if there are any, those without privacy.
func compared(f, np *Fitted) []namedDraws {
	list := []namedDraws{{"released", f.Draws()}}
	if np != nil {
		list = append(list, namedDraws{"non-private", np.Draws()})
	}
	return list
}

// figure is a forest plot: what goes with a named change of each column, released with 2.5 % and 97.5 % quantiles,
// and the mean without privacy.
func (ofPlane) figure(f, np *Fitted, caption string) *figure.Figure {
	target := f.shape.columns[0]
	return effectsFigure(f, np, caption, "Effects on "+safetext.Word(target.Name), "difference of "+target.Difference())
}

func effectsFigure(f, np *Fitted, caption, title, effect string) *figure.Figure {
	released := f.Effects()
	if released == nil {
		released = f.Draws()
	}
	if list := f.shape.references(); len(list) > 0 {
		caption = strings.TrimSuffix(caption, ".") + ". " + strings.Join(list, " ")
	}
	with := "with 95 %"
	if released.Len() == 1 {
		with = "without"
	}
	out := &figure.Figure{Title: title, XLabel: "column", YLabel: effect, XTicks: released.Names, Caption: caption,
		Subtitle: "Of " + f.EffectsOf() + "; released " + with + " intervals. Associations, not causes.",
		Private:  np != nil, HLines: []figure.Reference{{Name: "no difference", Y: 0}}}
	for k, m := range []*Fitted{f, np} {
		if m == nil {
			continue
		}
		draws := m.Effects()
		if draws == nil {
			draws = m.Draws()
		}
		mean, many := draws.Mean(), k == 0 && draws.Len() > 1
		point := figure.Series{Name: []string{"released", "non-private"}[k], Kind: figure.Points}
		for i := range released.Names {
			point.X, point.Y = append(point.X, float64(i)), append(point.Y, mean[i])
			if many {
				point.Lo = append(point.Lo, min(draws.Quantile(i, .025), mean[i]))
				point.Hi = append(point.Hi, max(draws.Quantile(i, .975), mean[i]))
			}
		}
		out.Series = append(out.Series, point)
	}
	return out
}

// Coverage draws the share of held-out responses inside the central predictive interval of every level, of the release
// and of the model without privacy: private. It is nil for models that forecast nothing. Errors: *Error if np is none
// or fitted to another model, those of Forecast.
func (f *Fitted) Coverage(np *Fitted, x *frame.Frame, caption string) (*figure.Figure, error) {
	if link, _ := f.shape.Link(); link != "" || f.shape.linear == nil {
		return nil, nil
	}
	if err := f.beside(np); err != nil {
		return nil, err
	}
	out := &figure.Figure{
		Title: "Coverage of predictive intervals", XLabel: "stated level", YLabel: "share of responses inside",
		Caption: caption, Private: true,
		Series: []figure.Series{{Name: "as stated", Kind: figure.Line, X: []float64{0, 1}, Y: []float64{0, 1},
			Guide: true}},
	}
	y, err := x.Values(f.shape.columns[0].Name)
	if err != nil {
		return nil, err
	}
	for i, m := range []*Fitted{f, np} {
		mean, sd, err := m.Forecast(x)
		if err != nil {
			return nil, err
		}
		line := figure.Series{Name: []string{"release", "non-private"}[i], Kind: figure.Line, Dashed: i > 0}
		for k := 1; k < 20; k++ {
			level := float64(k) / 20
			z, in := math.Sqrt2*math.Erfinv(level), 0
			for r, v := range y {
				if math.Abs(v-mean[r]) <= z*sd[r] {
					in++
				}
			}
			line.X, line.Y = append(line.X, level), append(line.Y, float64(in)/math.Max(1, float64(len(y))))
		}
		out.Series = append(out.Series, line)
	}
	return out, nil
}

// fitDraws is the number of draws that stand for a posterior that was fitted without privacy.
const fitDraws = 2000

// fixedSource makes the draws of a non-private fit the same every time: they are for comparison and are never released.
type fixedSource uint64

// Uint64 is SplitMix64.
func (s *fixedSource) Uint64() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// ridge is the posterior mean (XᵀX + σ²b)⁻¹Xᵀy at the residual variance σ², found by a few fixed-point steps.
func ridge(xx *mat.SymDense, xy []float64, yy, b float64, n int) (mean []float64, variance float64, err error) {
	d := len(xy)
	variance = math.Max(yy/math.Max(float64(n), 1), 1e-6)
	for range 5 {
		a := mat.NewSymDense(d, nil)
		a.CopySym(xx)
		for i := range d {
			a.SetSym(i, i, a.At(i, i)+variance*b)
		}
		var chol mat.Cholesky
		if !chol.Factorize(a) {
			return nil, 0, &Error{Model: "linear regression", Value: "a singular system", Want: "a proper prior, b > 0"}
		}
		var w mat.VecDense
		if err := chol.SolveVecTo(&w, mat.NewVecDense(d, xy)); err != nil {
			return nil, 0, err
		}
		mean = append([]float64(nil), w.RawVector().Data...)
		var fitted mat.VecDense
		fitted.MulVec(xx, &w)
		rss := yy - 2*mat.Dot(&w, mat.NewVecDense(d, xy)) + mat.Dot(&w, &fitted)
		variance = math.Max(rss/math.Max(float64(n), 1), 1e-9)
	}
	return mean, variance, nil
}

// gaussianDraws are draws of the weights from N(mean, (XᵀX/σ² + bI)⁻¹), the same every time: for posteriors whose
// parameters are public or that are never released.
func gaussianDraws(xx *mat.SymDense, mean []float64, variance, b float64, count int) ([][]float64, error) {
	d := len(mean)
	p := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			p.SetSym(i, j, xx.At(i, j)/variance)
		}
		p.SetSym(i, i, p.At(i, i)+b)
	}
	var chol mat.Cholesky
	if !chol.Factorize(p) {
		return nil, &Error{Model: "linear regression", Value: "a precision that is not positive definite",
			Want: "a positive definite one"}
	}
	var upper mat.TriDense
	chol.UTo(&upper)
	src := fixedSource(1)
	out := make([][]float64, count)
	for k := range out {
		z := mat.NewVecDense(d, nil)
		for i := range d {
			z.SetVec(i, sample.Normal(&src))
		}
		var w mat.VecDense
		if err := w.SolveVec(&upper, z); err != nil {
			return nil, err
		}
		out[k] = make([]float64, d)
		for i := range d {
			out[k][i] = mean[i] + w.AtVec(i)
		}
	}
	return out, nil
}
