package model

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// predictRows is how many rows the sums of a block are kept in the cache for, while every feature adds to them.
const predictRows = 2048

// addend is a column and what each of its codes adds to a sum over columns.
type addend struct {
	codes frame.Codes
	of    *[256]float64 // of codes of one byte
	wide  []float64
}

func newAddend(codes frame.Codes, of []float64) addend {
	a := addend{codes: codes, wide: of}
	if codes.U8 != nil {
		a.of = new([256]float64)
		copy(a.of[:], of)
	}
	return a
}

// addends are the columns of the features and log P(code | class) for one class.
func (f *Fitted) addends(x *frame.Frame, class int) ([]addend, error) {
	out := make([]addend, len(f.cond))
	for k, c := range f.shape.columns[1:] {
		codes, err := x.Codes(c.Name)
		if err != nil {
			return nil, err
		}
		out[k] = newAddend(codes, logs(f.cond[k][class].Mean()))
	}
	return out, nil
}

// sums fills acc with start plus what the columns add, for the rows from lo on: four columns at a time, so that a sum
// is loaded and stored for every fourth.
func sums(acc []float64, start float64, columns []addend, lo int) {
	for i := range acc {
		acc[i] = start
	}
	for len(columns) >= 4 && bytes4(columns) {
		a, b, c, d := columns[0].of, columns[1].of, columns[2].of, columns[3].of
		p, q := columns[0].codes.U8[lo:][:len(acc)], columns[1].codes.U8[lo:][:len(acc)]
		r, s := columns[2].codes.U8[lo:][:len(acc)], columns[3].codes.U8[lo:][:len(acc)]
		for i := range acc {
			acc[i] += (a[p[i]] + b[q[i]]) + (c[r[i]] + d[s[i]])
		}
		columns = columns[4:]
	}
	for _, c := range columns {
		if c.of != nil {
			for i, code := range c.codes.U8[lo:][:len(acc)] {
				acc[i] += c.of[code]
			}
			continue
		}
		for i := range acc {
			acc[i] += c.wide[c.codes.At(lo+i)]
		}
	}
}

// bytes4 reports whether the first four columns have codes of one byte.
func bytes4(columns []addend) bool {
	return columns[0].of != nil && columns[1].of != nil && columns[2].of != nil && columns[3].of != nil
}

func logs(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = math.Log(v)
	}
	return out
}

// Predict gives the class probabilities of every row of x, in the order of the target's labels. For a categorical or
// binary model they are the predictive distribution of the target. The target's own values in x are not used; the
// column may be absent.
func (f *Fitted) Predict(x *frame.Frame) ([][]float64, error) {
	flat, classes, err := f.Probabilities(x)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, x.Len())
	for i := range out {
		out[i] = flat[i*classes : (i+1)*classes : (i+1)*classes]
	}
	return out, nil
}

// Probabilities is Predict for many rows: the probabilities of row i are flat[i·classes : (i+1)·classes].
func (f *Fitted) Probabilities(x *frame.Frame) (flat []float64, classes int, err error) {
	m, err := f.classes()
	if err == nil {
		err = f.shape.acceptsFeatures(x)
	}
	if err != nil {
		return nil, 0, err
	}
	flat, err = m.predict(f, x)
	return flat, f.shape.Classes(), err
}

// classifier is a model that predicts classes.
type classifier interface {
	Model
	predict(f *Fitted, x *frame.Frame) (flat []float64, err error)
}

// Classifies reports whether the model predicts classes: one made of count tables, or a logistic regression.
func (s *Shape) Classifies() bool {
	_, ok := s.model.(classifier)
	return ok
}

// classes is the model, if it has classes.
func (f *Fitted) classes() (classifier, error) {
	m, ok := f.shape.model.(classifier)
	if !ok {
		return nil, wrong(f.shape.model, "", "no classes", "Forecast, which predicts numbers")
	}
	return m, nil
}

// predict gives probabilities P(class j) ∏_k P(x_k | j), scaled to sum to 1, under the posterior predictive, whose
// parameters are the posterior means.
func (ofCounts) predict(f *Fitted, x *frame.Frame) ([]float64, error) {
	classes, n := f.shape.Classes(), x.Len()
	prior, columns := logs(f.class.Mean()), make([][]addend, classes)
	for j := range columns {
		var err error
		if columns[j], err = f.addends(x, j); err != nil {
			return nil, err
		}
	}
	out := make([]float64, n*classes)
	if classes == 2 {
		odds(out, prior, columns)
		return out, nil
	}
	acc, top, sum := make([]float64, classes*predictRows), make([]float64, predictRows), make([]float64, predictRows)
	for lo := 0; lo < n; lo += predictRows {
		rows := min(predictRows, n-lo)
		to := out[lo*classes : (lo+rows)*classes]
		for j := range columns {
			own := acc[j*predictRows:][:rows]
			sums(own, prior[j], columns[j], lo)
			for i, v := range own {
				if j == 0 || v > top[i] {
					top[i] = v
				}
			}
		}
		clear(sum)
		for j := range columns {
			for i, v := range acc[j*predictRows:][:rows] {
				p := math.Exp(v - top[i])
				to[i*classes+j] = p
				sum[i] += p
			}
		}
		for i := range rows {
			scale := sum[i]
			for j := range classes {
				to[i*classes+j] /= scale
			}
		}
	}
	return out, nil
}

// odds fills out with the probabilities of two classes from their log-odds, to which every column adds one number.
func odds(out, prior []float64, columns [][]addend) {
	both := make([]addend, len(columns[0]))
	for k, a := range columns[0] {
		of := make([]float64, len(a.wide))
		for code := range of {
			of[code] = a.wide[code] - columns[1][k].wide[code]
		}
		both[k] = newAddend(a.codes, of)
	}
	n := len(out) / 2
	acc := make([]float64, predictRows)
	for lo := 0; lo < n; lo += predictRows {
		acc = acc[:min(predictRows, n-lo)]
		sums(acc, prior[0]-prior[1], both, lo)
		to := out[2*lo : 2*lo+2*len(acc)]
		for i, d := range acc {
			e := math.Exp(-math.Abs(d)) // the smaller odds, so that neither probability loses digits
			large := 1 / (1 + e)
			p := to[2*i : 2*i+2 : 2*i+2]
			at := math.Float64bits(d) >> 63 // the larger one's, without a branch that is guessed wrong
			p[at&1], p[^at&1] = large, e*large
		}
	}
}

// LogLikelihood is the mean over the rows of x of log P(class, features) under the posterior predictive.
func (f *Fitted) LogLikelihood(x *frame.Frame) (float64, error) {
	m, ok := f.shape.model.(counted)
	if !ok {
		return 0, wrong(f.shape.model, "", "no law of whole records", "a model made of count tables")
	}
	if err := f.shape.Accepts(x); err != nil {
		return 0, err
	}
	sum, err := m.logLikelihood(f, x)
	return sum / float64(max(x.Len(), 1)), err
}

// logLikelihood is the sum over the rows: every cell of the class × feature tables adds its log-probability as often as
// it occurs.
func (ofCounts) logLikelihood(f *Fitted, x *frame.Frame) (sum float64, err error) {
	codes := make([]frame.Codes, len(f.shape.columns))
	levels, sets := make([]int, len(codes)), [][]int{}
	for k, c := range f.shape.columns {
		if codes[k], err = x.Codes(c.Name); err != nil {
			return 0, err
		}
		if levels[k] = c.Levels(); k > 0 {
			sets = append(sets, []int{0, k})
		}
	}
	counter, err := frame.NewCounter(levels, sets)
	if err != nil {
		return 0, err
	}
	if err := counter.Add(codes, x.Len()); err != nil {
		return 0, err
	}
	add := func(counts []int64, p []float64) {
		for i, n := range counts {
			if n > 0 {
				sum += float64(n) * math.Log(p[i])
			}
		}
	}
	class := make([]int64, levels[0])
	for i := range x.Len() {
		class[codes[0].At(i)]++
	}
	add(class, f.class.Mean())
	for k, counts := range counter.Tables() {
		for j, d := range f.cond[k] {
			add(counts[j*levels[k+1]:(j+1)*levels[k+1]], d.Mean())
		}
	}
	return sum, nil
}

// Labels reads the target codes of x.
func (f *Fitted) Labels(x *frame.Frame) ([]int, error) {
	if _, err := f.classes(); err != nil {
		return nil, err
	}
	if err := f.shape.Accepts(x); err != nil {
		return nil, err
	}
	codes, err := x.Codes(f.shape.columns[0].Name)
	if err != nil {
		return nil, err
	}
	out := make([]int, x.Len())
	for i := range out {
		out[i] = codes.At(i)
	}
	return out, nil
}
