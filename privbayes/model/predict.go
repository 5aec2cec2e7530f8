package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
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
		return 0, wrong(f.shape.model, "", "no distribution of whole records", "a model made of count tables")
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

// Synthesize draws n records from the posterior predictive: the class, then each feature given the class. Binned
// columns get a value of their bin, an integer where the column holds integers: of the greatest entropy at the mean
// of the bin where there are sums within bins, else evenly. The result reads nothing but the fitted model.
func (f *Fitted) Synthesize(n int, src rand.Source) (*frame.Frame, error) {
	if n < 0 || n > maxCells {
		return nil, wrong(f.shape.model, "", n, "0 ≤ n ≤ 2^27 synthetic records")
	}
	if src == nil {
		return nil, wrong(f.shape.model, "", "no source of randomness", "one such as dp.Secure or dp.Seeded gives")
	}
	m, ok := f.shape.model.(counted)
	if !ok {
		return nil, wrong(f.shape.model, "", "no distribution of whole records", "a model made of count tables")
	}
	codes, err := m.records(f, n, src)
	if err != nil {
		return nil, err
	}
	return f.shape.drawn(codes, src, f.bins, f.ordered()...)
}

// SynthesizeExact makes n records whose counts of columns and of pairs are near to the fitted network's probabilities,
// most of them within 1: see bayesnet.Net.ExactPairs. Values and bins are as in Synthesize. Errors: *Error for a model
// that is no network, too many records, or no source, and those of ExactPairs.
func (f *Fitted) SynthesizeExact(n int, src rand.Source) (*frame.Frame, error) {
	switch {
	case f.net == nil:
		return nil, wrong(f.shape.model, "", "no network", "a model made of a network")
	case n < 0 || n > maxCells/max(f.shape.dag.Len(), 1):
		return nil, wrong(f.shape.model, "", n, fmt.Sprintf("0 to %d records: 2^27 values",
			maxCells/max(f.shape.dag.Len(), 1)))
	case src == nil:
		return nil, wrong(f.shape.model, "", "no source of randomness", "one such as dp.Secure or dp.Seeded gives")
	}
	codes, err := f.shape.recordsBy(f.Network().ExactPairs, n, src)
	if err != nil {
		return nil, err
	}
	return f.shape.drawn(codes, src, f.bins, f.ordered()...)
}

// RecordsOf draws n records of a network with the shape's graph, with the columns, labels and values that Synthesize
// gives: for tables of probabilities other than the fitted ones, such as draws from a posterior. Values lie in
// their bins as within says, and evenly without. Errors:
// *Error for a shape without that graph or too many records, those of bayesnet.Net.Sample.
func (s *Shape) RecordsOf(net *bayesnet.Net, n int, src rand.Source, within ...WithinBins) (*frame.Frame, error) {
	switch {
	case net == nil || s.dag == nil || net.DAG() != s.dag:
		return nil, wrong(s.model, "", "a network of another graph", "one over the DAG of Graph")
	case n < 0 || n > maxCells/max(s.dag.Len(), 1):
		return nil, wrong(s.model, "", n, fmt.Sprintf("0 to %d records: 2^27 values", maxCells/max(s.dag.Len(), 1)))
	case src == nil:
		return nil, wrong(s.model, "", "no source of randomness", "one such as dp.Secure or dp.Seeded gives")
	}
	codes, err := s.recordsOf(net, n, src)
	if err != nil {
		return nil, err
	}
	f, err := s.drawn(codes, src, within)
	if err != nil {
		return nil, err
	}
	return f.AsPublic("drawn from a network")
}

// drawn is the frame of codes, one list for each of the model's columns, with the values of columns in order.
func (s *Shape) drawn(codes [][]int, src rand.Source, within []WithinBins, ordered ...[]string) (*frame.Frame, error) {
	cols := map[string][]string{}
	sc := *s.schema
	sc.Columns, sc.Format = slices.Clone(s.columns), nil // drawn records are no file, and are written as plain CSV
	for i := range sc.Columns {                          // they are public: nothing composes with what found a list
		sc.Columns[i].Found, sc.Columns[i].Within = nil, nil
	}
	sc.UnitKey, sc.PadUnits = "", false // every record is a unit of its own,
	sc.Tables = nil                     // and a row of one table
	if name := sc.Dataset + " (synthetic)"; safetext.CheckTitle(name) == nil {
		sc.Dataset = name
	}
	for c, col := range s.columns {
		marks, err := s.schema.Marks(col.Name)
		if err != nil {
			return nil, err
		}
		var w *WithinBins
		if i := slices.IndexFunc(within, func(w WithinBins) bool { return w.Column == col.Name }); i >= 0 {
			w = &within[i]
		}
		cols[col.Name] = decode(col, codes[c], src, marks, w)
	}
	for _, names := range ordered {
		if err := s.inOrder(cols, names, codes, src, within); err != nil {
			return nil, err
		}
	}
	of := map[string]any{}
	for name, texts := range cols {
		of[name] = texts
	}
	return frame.FromColumns(&sc, of)
}

// records draws the codes of every column.
func (ofCounts) records(f *Fitted, n int, src rand.Source) ([][]int, error) {
	class := newAlias(f.class.Mean())
	cond := make([][]alias, len(f.cond))
	for k, rows := range f.cond {
		for _, d := range rows {
			cond[k] = append(cond[k], newAlias(d.Mean()))
		}
	}
	codes := make([][]int, len(f.shape.columns))
	for c := range codes {
		codes[c] = make([]int, n)
	}
	for i := range n {
		j := class.draw(src)
		codes[0][i] = j
		for k := range cond {
			codes[k+1][i] = cond[k][j].draw(src)
		}
	}
	return codes, nil
}

// decode turns codes into the labels or values that the schema reads back to the same codes. marks are numbers that it
// would read as missing; within says where in bins values lie, nil: evenly.
func decode(col frame.Column, codes []int, src rand.Source, marks []float64, within *WithinBins) []string {
	labels := col.Labels()
	out := make([]string, len(codes))
	for i, c := range codes {
		switch {
		case col.Kind == frame.KindCategorical && c < len(col.Categories):
			out[i] = labels[c]
		case len(col.Edges) > 0 && c < len(col.Edges)-1:
			out[i] = formatValue(col, c, src, marks, within)
		case len(col.Missing) > 0:
			out[i] = col.Missing[0]
		default:
			out[i] = labels[c]
		}
	}
	return out
}

// formatValue draws a value in a bin, whole where the column has whole numbers, that is none of the marks. A bin of
// marks alone, in which only noise can count anybody, gives a mark.
func formatValue(col frame.Column, bin int, src rand.Source, marks []float64, within *WithinBins) string {
	lo, hi := binEnds(col, bin)
	for range within.tries() {
		if v := within.draw(bin, src); !slices.Contains(marks, v) {
			return col.Text(v)
		}
	}
	if col.Kind == frame.KindInteger {
		a, b := lo, hi
		inside := slices.DeleteFunc(slices.Clone(marks), func(m float64) bool {
			return m < a || m > b || m != math.Trunc(m)
		})
		if free := b - a + 1 - float64(len(inside)); free <= 0 && len(inside) > 0 {
			return col.Missing[0]
		}
		v := a + float64(sample.Uniform(src, uint64(math.Max(b-a, 0))+1-uint64(len(inside))))
		for _, m := range inside { // in order
			if m <= v {
				v++
			}
		}
		if col.Date != "" {
			return col.Text(v)
		}
		return formatFloat(v)
	}
	v := lo + (hi-lo)*sample.Float64(src)
	for slices.Contains(marks, v) {
		v = lo + (hi-lo)*sample.Float64(src)
	}
	if v >= hi && bin < len(col.Edges)-2 {
		v = lo
	}
	return formatFloat(v)
}

// alias draws from a finite law in constant time (Walker 1977, in Vose's form).
type alias struct {
	keep []float64 // probability of staying in the slot
	to   []int     // where to go otherwise
}

func newAlias(p []float64) alias {
	n := len(p)
	a := alias{make([]float64, n), make([]int, n)}
	var small, large []int
	total := 0.0
	for _, v := range p {
		total += v
	}
	scaled := make([]float64, n)
	for i, v := range p {
		scaled[i] = v / total * float64(n)
		if scaled[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.keep[s], a.to[s] = scaled[s], l
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // what rounding left over keeps its slot
		a.keep[i], a.to[i] = 1, i
	}
	return a
}

func (a alias) draw(src rand.Source) int {
	i := int(sample.Uniform(src, uint64(len(a.keep))))
	if sample.Float64(src) < a.keep[i] {
		return i
	}
	return a.to[i]
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
