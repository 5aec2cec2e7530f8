package model

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// ofPlane is what linear regressions have in common: see forecast.go.
type ofPlane struct{ ofSums }

// LinearRegressionModel is target = intercept + Σ slope·feature + noise: see LinearRegression. What a fitted one
// forecasts is in forecast.go.
type LinearRegressionModel struct {
	ofPlane
	features    []string
	radius      float64
	noIntercept bool
}

// LinearRegression is target = intercept + Σ slope·feature + noise. Rows are scaled by the public bounds of their
// columns, so that ‖x̃‖ ≤ 1 and |ỹ| ≤ 1. For SufficientStatistics slopes have the prior N(0, 1/b), b = 1, per half of
// their column's range in halves of the response's, and the intercept N(0, 25/b). For LinearSampler and the fit without
// privacy weights w on scaled rows have the prior N(0, b⁻¹I), for the sampler truncated to ‖w‖ ≤ 2. A categorical
// feature is a factor with public levels: every level but the first, the reference, has a slope,
// which is how far it lies from the reference. Without names the features are all other numeric columns.
func LinearRegression(target string, features ...string) LinearRegressionModel {
	return LinearRegressionModel{ofPlane: ofPlane{ofSums{base{target, Prior{1}}}}, features: features, radius: 2}
}

// WithPrior sets the precision b > 0 of the prior: a public choice.
func (m LinearRegressionModel) WithPrior(b ...float64) LinearRegressionModel {
	m.alpha = slices.Clone(b)
	return m
}

// WithRadius sets the bound ‖w‖ ≤ B on the weights of LinearSampler and SufficientStatistics().Plain(), in
// scaled units: a public choice.
func (m LinearRegressionModel) WithRadius(b float64) LinearRegressionModel { m.radius = b; return m }

// WithoutIntercept leaves the intercept out: the fitted plane passes through the middle of all ranges.
func (m LinearRegressionModel) WithoutIntercept() LinearRegressionModel {
	m.noIntercept = true
	return m
}

// String describes the model.
func (m LinearRegressionModel) String() string {
	return "linear regression of " + safetext.Quote(m.target)
}

func (m LinearRegressionModel) describe() Description {
	return Description{Kind: "linear-regression", Target: m.target, Features: m.features, Alpha: m.alpha,
		Radius: m.radius, NoIntercept: m.noIntercept}
}

func (m LinearRegressionModel) with(d Description) Model {
	m.target, m.features, m.alpha, m.radius, m.noIntercept = d.Target, d.Features, d.Alpha, d.Radius, d.NoIntercept
	return m
}

// columns checks response and features: numeric, with public bounds, or, of features, categorical.
func (m LinearRegressionModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.parameter(m, "prior precision b"); err != nil {
		return nil, err
	}
	if !(m.radius > 0) || math.IsInf(m.radius, 1) {
		return nil,
			wrong(m, "", fmt.Sprintf("radius B = %v", m.radius), "a finite bound ‖w‖ ≤ B, B > 0, in scaled units")
	}
	return designColumns(m, s, m.features)
}

// response is a numeric column with public bounds.
func (m LinearRegressionModel) response(of named) (frame.Column, error) {
	return bounded(m, of, m.target)
}

// coordinate is a feature of a row as the design has it: a numeric column, or a level of a factor beyond the first.
type coordinate struct {
	name   string
	column int // among those of the shape
	level  int // 0 for a number
}

// coordinates are those of a regression, without the intercept.
func (s *Shape) coordinates() (out []coordinate) {
	for i, c := range s.columns[1:] {
		if !s.grouping(i + 1) {
			out = append(out, coordinate{c.Name, i + 1, 0})
			continue
		}
		for level, label := range c.Labels() {
			if level > 0 {
				out = append(out, coordinate{c.Name + "=" + label, i + 1, level})
			}
		}
	}
	return out
}

// RegressionDesign is the public side of a regression on scaled rows: the ranges of its features, [−1, 1] for the
// indicators of factors and for classes, and of its response, which features are indicators, and the design that scales
// rows.
type RegressionDesign struct {
	*leastsquares.Design
	X         []leastsquares.Range
	Y         leastsquares.Range
	Runs      []leastsquares.Run
	Intercept bool
	Radius    float64      // the bound on the weights of a linear regression; 0 for a logistic one and for a formula
	Formula   *Formula     // in place of the design, the features' ranges and runs
	Counts    int          // the largest count of a Poisson regression; 0 for others
	counted   steps.Family // of these counts: its table takes up to a third of a second
	weights   []string
}

// Linear is that of a regression; nil for other models.
func (s *Shape) Linear() *RegressionDesign { return s.linear }

// makeLinear sets the design of a regression.
func (s *Shape) makeLinear(intercept bool, radius float64) error {
	l := &RegressionDesign{Intercept: intercept, Radius: radius}
	if intercept {
		l.weights = append(l.weights, "(intercept)")
	}
	for j, c := range s.coordinates() {
		r := leastsquares.Range{Lo: s.columns[c.column].Min, Hi: s.columns[c.column].Max}
		if c.level > 0 {
			r = leastsquares.Range{Lo: -1, Hi: 1}
		}
		if c.level == 1 {
			l.Runs = append(l.Runs, leastsquares.Run{First: j})
		}
		if c.level > 0 {
			l.Runs[len(l.Runs)-1].Len++
		}
		l.X, l.weights = append(l.X, r), append(l.weights, c.name)
	}
	if l.Y = (leastsquares.Range{Lo: s.columns[0].Min, Hi: s.columns[0].Max}); s.grouping(0) {
		l.Y = leastsquares.Range{Lo: -1, Hi: 1}
	}
	d, err := leastsquares.NewDesign(l.X, l.Y, intercept)
	if err == nil {
		l.Design, err = d.WithFactors(l.Runs...)
	}
	s.linear = l
	return err
}

// layOut names the second moments: the upper triangle of XᵀX, Xᵀy, and yᵀy, over scaled rows.
func (m LinearRegressionModel) layOut(sh *Shape) error {
	return layOutMoments(m, sh, !m.noIntercept, m.radius)
}

func layOutMoments(m Model, sh *Shape, intercept bool, radius float64) error {
	d := 1.0
	for i, c := range sh.columns[1:] {
		if d++; sh.grouping(i + 1) {
			d += float64(c.Levels()) - 2
		}
	}
	if err := cert.Within(fmt.Sprintf("a regression on %d columns", len(sh.columns)-1), d*(d+3)/2, "moments", maxSums,
		"use fewer features"); err != nil {
		return err
	}
	if err := sh.makeLinear(intercept, radius); err != nil {
		return err
	}
	names, seen := sh.linear.weights, map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return wrong(m, name, "the name of two coefficients", "a column that is not called like a level of a factor")
		}
		seen[name] = true
	}
	for i, a := range names {
		for _, b := range names[i:] {
			sh.sums = append(sh.sums, fmt.Sprintf("Σ %s·%s", a, b))
		}
	}
	for _, a := range names {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ %s·%s", a, m.Target()))
	}
	sh.sums = append(sh.sums, fmt.Sprintf("Σ %s²", m.Target()))
	return nil
}

// stacked are moments in the order of layOut.
func stacked(m *leastsquares.Moments) (out []float64) {
	xx := m.XX()
	for i := range m.Dim() {
		for j := i; j < m.Dim(); j++ {
			out = append(out, xx.At(i, j))
		}
	}
	return append(append(out, m.XY()...), m.YY())
}

// Weights names the coordinates of a scaled row; none where l is nil.
func (l *RegressionDesign) Weights() []string {
	if l == nil {
		return nil
	}
	return slices.Clone(l.weights)
}

// Moments are XᵀX, Xᵀy and yᵀy of the sums of a regression.
func (l *RegressionDesign) Moments(sums []float64) (xx *mat.SymDense, xy []float64, yy float64) {
	if l.Formula != nil {
		return l.Formula.moments(sums)
	}
	d := len(l.weights)
	xx = mat.NewSymDense(d, nil)
	at := 0
	for i := range d {
		for j := i; j < d; j++ {
			xx.SetSym(i, j, sums[at])
			at++
		}
	}
	return xx, append([]float64(nil), sums[at:at+d]...), sums[at+d]
}

func (m LinearRegressionModel) fitPlain(st *Statistics) (*Fitted, error) {
	return fitPlane(st, m.alpha[0])
}

// fitPlane draws from the Gaussian posterior at the residual variance, which the draws hold, under the prior N(0,
// b⁻¹I).
func fitPlane(st *Statistics, b float64) (*Fitted, error) {
	xx, xy, yy := st.shape.linear.Moments(st.sums)
	mean, variance, err := ridge(xx, xy, yy, b, st.rows)
	if err != nil {
		return nil, err
	}
	d := &Draws{Names: st.shape.linear.Weights()}
	if d.Values, err = gaussianDraws(xx, mean, variance, b, fitDraws); err != nil {
		return nil, err
	}
	rss, w := yy, d.Mean()
	for i, a := range w {
		rss -= 2 * a * xy[i]
		for j, b := range w {
			rss += a * xx.At(i, j) * b
		}
	}
	return Fit(st.shape,
		Estimate{Draws: d.WithResidual(math.Sqrt(math.Max(rss, 1e-12) / math.Max(1, float64(st.rows))))})
}

// regressionRows are the rows drawn for the moments of a regression; for larger n they are scaled up.
const regressionRows = 1000

func (m LinearRegressionModel) steps(sh *Shape, _ int) float64 {
	d := float64(len(sh.linear.weights))
	return 8e5 + 10*regressionRows*d*d + 10*d*d*d
}

// simulate draws weights from the model's own prior on its ball, features uniform between their public bounds and over
// their levels, a residual standard deviation uniform between 0 and a quarter of the response's range, and responses,
// cut to their range.
func (m LinearRegressionModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	design := sh.linear.Design
	d := design.Dim()
	precision := mat.NewSymDense(d, nil)
	for i := range d {
		precision.SetSym(i, i, m.alpha[0])
	}
	prior, err := ball.New(precision, make([]float64, d), m.radius)
	if err != nil {
		return nil, err
	}
	w := make([]float64, d)
	if _, err := prior.Draw(src, w); err != nil {
		return nil, err
	}
	sigma := sample.Float64(src) / 2 // of responses scaled to [−1, 1]
	return simulateRows(ctx, sh, n, src, func(x []float64) float64 {
		y := sigma * sample.Normal(src)
		for i, v := range x {
			y += w[i] * v
		}
		return math.Min(math.Max(y, -1), 1)
	})
}

// simulateRows draws features uniform between their public bounds and over their levels, takes the response of scaled
// rows, in [−1, 1], from respond, and sums up; sums of more than regressionRows rows are scaled up from those.
func simulateRows(ctx context.Context, sh *Shape, n int, src rand.Source,
	respond func(x []float64) float64) (*Statistics, error) {
	design := sh.linear.Design
	d, rows, coordinates := design.Dim(), min(n, regressionRows), sh.coordinates()
	scaled, x := make([]float64, rows*(d+1)), make([]float64, len(coordinates))
	for r := range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		level := 0
		for i, at := range coordinates {
			c := sh.columns[at.column]
			switch {
			case at.level == 0:
				x[i] = c.Min + sample.Float64(src)*(c.Max-c.Min)
				continue
			case at.level == 1:
				level = int(sample.Uniform(src, uint64(c.Levels())))
			}
			x[i] = indicator(at.level == level)
		}
		row := scaled[r*(d+1) : (r+1)*(d+1)]
		if _, err := design.Row(x, 0, row); err != nil {
			return nil, err
		}
		row[d] = respond(row[:d])
	}
	moments, err := leastsquares.NewMoments(d)
	if err != nil {
		return nil, err
	}
	if err := moments.AddRows(scaled); err != nil {
		return nil, err
	}
	sums := stacked(moments)
	for i := range sums {
		sums[i] *= float64(n) / float64(rows)
	}
	return FromSums(sh, n, sums)
}

// regressionSums are the second moments of the scaled rows. Clipping to the public bounds is what keeps the privacy
// claim true whatever the data; of a factor at most one indicator is 1.
type regressionSums struct {
	rowSums
	coordinates []coordinate
	levels      []int // of every column of the shape; 0 for numbers
	rows        [][]float64
	classes     []float64 // of a response with two levels: −1 and 1
}

// indicatorRows are turned from codes into indicators at a time.
const indicatorRows = 4096

func (m LinearRegressionModel) summer(sh *Shape) (summer, error) { return newRegressionSums(sh) }

func newRegressionSums(sh *Shape) (summer, error) {
	var sums rowSums
	var err error
	if sh.pass != nil {
		sums = newPassSums(sh.linear, *sh.pass)
	} else {
		sums, err = leastsquares.NewSums(sh.linear.Design)
	}
	s := &regressionSums{rowSums: sums, coordinates: sh.coordinates(), levels: make([]int, len(sh.columns))}
	s.rows = make([][]float64, len(s.coordinates))
	if sh.grouping(0) {
		s.levels[0], s.classes = sh.columns[0].Levels(), make([]float64, indicatorRows)
	}
	for j, c := range s.coordinates {
		if c.level > 0 {
			s.levels[c.column], s.rows[j] = sh.columns[c.column].Levels(), make([]float64, indicatorRows)
		}
	}
	return s, err
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (s *regressionSums) add(codes []frame.Codes, values [][]float64) error {
	x, n := make([][]float64, len(s.coordinates)), len(values[0])
	if s.classes != nil {
		n = codes[0].Len()
	}
	for first := 0; first < n; first += indicatorRows {
		last := min(first+indicatorRows, n)
		for j, c := range s.coordinates {
			if c.level == 0 {
				x[j] = values[c.column][first:last]
				continue
			}
			x[j] = s.rows[j][:last-first]
			for r := range x[j] {
				code := codes[c.column].At(first + r)
				if code >= s.levels[c.column] {
					return strangeLevel()
				}
				x[j][r] = indicator(code == c.level)
			}
		}
		y := s.classes[:min(last-first, len(s.classes))]
		for r := range y {
			code := codes[0].At(first + r)
			if code >= s.levels[0] {
				return strangeLevel()
			}
			y[r] = 2*indicator(code > 0) - 1
		}
		if s.classes == nil {
			y = values[0][first:last]
		}
		if err := s.Add(x, y); err != nil {
			return err
		}
	}
	return nil
}

func (s *regressionSums) addRow(codes []int32, values []float64, count int64) error {
	x := make([]float64, len(s.coordinates))
	for j, c := range s.coordinates {
		if c.level == 0 {
			x[j] = values[c.column]
			continue
		}
		code := int(codes[c.column])
		if code < 0 || code >= s.levels[c.column] {
			return strangeLevel()
		}
		x[j] = indicator(code == c.level)
	}
	y := values[0]
	if s.classes != nil {
		code := int(codes[0])
		if code < 0 || code >= s.levels[0] {
			return strangeLevel()
		}
		y = 2*indicator(code > 0) - 1
	}
	return s.AddRow(x, y, count)
}

func (s *regressionSums) numbers() []num.Int128 { return s.Numbers() }

func (s *regressionSums) sums() []float64 { return s.Moments() }

// scaledRows gives the scaled rows of the features of a frame, the response aside.
func (s *Shape) scaledRows(x *frame.Frame) (func(r int, out []float64) error, error) {
	if s.linear.Formula != nil {
		return s.linear.Formula.rows(s, x)
	}
	coordinates, values, codes := s.coordinates(), make([][]float64, len(s.columns)), make([]frame.Codes, len(s.columns))
	for i, c := range s.columns {
		var err error
		switch {
		case i == 0:
		case s.grouping(i):
			codes[i], err = x.Codes(c.Name)
		default:
			values[i], err = x.Values(c.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	row, all := make([]float64, len(coordinates)), make([]float64, s.linear.Dim()+1)
	return func(r int, out []float64) error {
		for j, c := range coordinates {
			if c.level == 0 {
				row[j] = values[c.column][r]
			} else {
				row[j] = indicator(codes[c.column].At(r) == c.level)
			}
		}
		_, err := s.linear.Row(row, 0, all)
		copy(out, all)
		return err
	}, nil
}

// OpenMoments reads the exact second moments of a linear regression: the integers Σ k_i·k_j of columns i ≤ j of [x y],
// packed by rows, with coordinates k·2^−22, k in {−2^22, …, 2^22}; of a formula those of its distinct products, of
// products with y and of y², with coordinates k·2^−23. The key keeps them inside this module, and without it there are
// none. Moments made by FromSums are rounded to such integers.
func (s *Statistics) OpenMoments(key access.Key) []num.Int128 {
	design := s.shape.linear
	if !key.Opens() || design == nil {
		return nil
	}
	if s.moments != nil {
		return s.moments
	}
	if f := design.Formula; f != nil {
		var out []num.Int128
		for k, v := range s.sums {
			out = append(out, onLattice(v/f.scale(k), formula.LatticeBits))
		}
		return out
	}
	xx, xy, yy := s.shape.linear.Moments(s.sums)
	square, root := float64(design.Square()), math.Sqrt(float64(design.Square()))
	var out []num.Int128
	for i, v := range xy {
		for j := i; j < len(xy); j++ {
			out = append(out, onLattice(xx.At(i, j)*square, leastsquares.LatticeBits))
		}
		out = append(out, onLattice(v*root, leastsquares.LatticeBits))
	}
	return append(out, onLattice(yy, leastsquares.LatticeBits))
}

// onLattice is the integer nearest to x·4^bits, of sums of at most 2^53 rows.
func onLattice(x float64, bits int) num.Int128 {
	const most = 1 << 53
	if !(math.Abs(x) <= most) {
		x = 0
	}
	v, _ := new(big.Float).SetMantExp(big.NewFloat(x), 2*bits).Int(nil)
	low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64))
	return num.Int128{Hi: v.Rsh(v, 64).Int64(), Lo: low.Uint64()}
}

// onDesign reports whether the model is made of the second moments of the rows of a design.
func (s *Shape) onDesign() bool {
	_, ok := s.model.(responding)
	return ok
}

// responding is a model with a response column of its own kind.
type responding interface {
	Model
	response(of named) (frame.Column, error)
}

// designColumns are the response and the features, numeric with public bounds or categorical: those named, or else all
// other numeric columns without missing values.
func designColumns(m responding, s *frame.Schema, names []string) ([]frame.Column, error) {
	if len(names) == 0 {
		for _, c := range s.Columns {
			if c.Name != m.Target() && c.Numeric() && !c.HasMissing() {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &Error{Model: m.String(), Want: "at least one numeric feature besides the response, or factors by name"}
	}
	of := nameColumns(s)
	first, err := m.response(of)
	if err != nil {
		return nil, err
	}
	cols, seen := []frame.Column{first}, map[string]bool{m.Target(): true}
	for _, name := range names {
		if seen[name] {
			return nil, wrong(m, name, "named twice", "each column once, and the response not among the features")
		}
		seen[name] = true
		c, err := feature(m, of, name)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// feature is a numeric column with public bounds or a factor.
func feature(m Model, of named, name string) (frame.Column, error) {
	c, err := of.column(name)
	if err != nil || c.Kind != frame.KindCategorical {
		return bounded(m, of, name)
	}
	if c.Levels() < 2 {
		return *c, wrong(m, name, "one category", "a factor of at least two public categories")
	}
	return *c, nil
}
