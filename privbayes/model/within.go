package model

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// A count of a bin says nothing about where in the bin its values lie. A within-bin sum does: a row with the value v in
// the bin [lo, hi) adds the whole number
//
//	t − G/2,  t = ⌊(v − lo)·G/(hi − lo)⌋ ∈ {0, …, G},
//
// to the sum of its bin, G = BinSteps public steps. A missing value adds nothing. With noise on the sums and a count of
// the bin, the mean within the bin is known, and values are drawn with the greatest entropy at that mean.

// BinSteps is G, an even number of steps that a bin is cut into.
const BinSteps = 1000

// BinStep is t − grid/2 of a value in the bin [lo, hi], lo < hi, of so many steps: a whole number from −grid/2 to
// grid/2 whatever the value is. It is computed in floating point, which may move a value at the edge of a step to the
// next: a function of the value and public numbers all the same.
func BinStep(v, lo, hi float64, grid int64) int64 {
	t := math.Floor((v - lo) * float64(grid) / (hi - lo))
	switch {
	case !(t >= 0):
		return -grid / 2
	case t > float64(grid):
		return grid / 2
	}
	return int64(t) - grid/2
}

// Evenly has synthetic values of columns of numbers drawn evenly within their bins, of all such columns where none is
// named. Without it [MaxEntropy], [Tree] and [Cliques] spend 1 % of the budget for each column of numbers, at most 5 %
// in all, on noisy sums of where in its bin a value lies. Columns of whole numbers that have a bin each have none.
func (m LearnedModel) Evenly(columns ...string) LearnedModel {
	if len(columns) == 0 {
		m.settings.WithinBins, m.settings.Evenly = false, nil
		return m
	}
	m.settings.Evenly = append(slices.Clone(m.settings.Evenly), columns...)
	return m
}

// binned lists the places of the columns whose values are added up within bins. Errors: *Error for a column of one bin,
// and for a name of Evenly that is no column of numbers.
func (m LearnedModel) binned(sh *Shape) (out []int, err error) {
	set, names := m.settings, []string(nil)
	for i, c := range sh.columns {
		if !c.Numeric() {
			continue
		}
		names = append(names, c.Name)
		switch even := slices.Contains(set.Evenly, c.Name); {
		case !set.WithinBins || even || len(c.Edges) > 2 && !Spread(c):
		case len(c.Edges) < 3:
			return nil, wrong(m, c.Name, "one bin: a sum within it would have to tell all of the column",
				"two bins or more with public edges, or Evenly("+safetext.Quote(c.Name)+")")
		default:
			out = append(out, i)
		}
	}
	for _, name := range set.Evenly {
		if !slices.Contains(names, name) {
			return nil, wrong(m, name, "Evenly of what is no column of numbers of the model", safetext.OneOf(name, names))
		}
	}
	return out, nil
}

// Spread reports whether a column of numbers has a bin with more than one value.
func Spread(c frame.Column) bool {
	for b := range len(c.Edges) - 1 {
		if lo, hi := binEnds(c, b); c.Kind != frame.KindInteger || lo < hi {
			return true
		}
	}
	return false
}

// binSums adds up the values of one column within its bins.
type binSums struct {
	place  int // of the column among those of the shape
	column frame.Column
	sums   []int64
}

// binSums are empty, one for each column whose values are added up.
func (s *Shape) binSums() (out []*binSums) {
	for _, i := range s.within {
		c := s.columns[i]
		out = append(out, &binSums{i, c, make([]int64, len(c.Edges)-1)})
	}
	return out
}

// code is the code of a value, as reading a file gives it: that of its bin, of which a value on an edge is in the upper
// one; the last of a missing value.
func (b *binSums) code(v float64) int {
	if math.IsNaN(v) {
		return b.column.Levels() - 1
	}
	inner := b.column.Edges[1 : len(b.column.Edges)-1]
	return sort.Search(len(inner), func(i int) bool { return inner[i] > v })
}

// add adds a value count times.
func (b *binSums) add(code int, v float64, count int64) {
	if code >= len(b.sums) || math.IsNaN(v) {
		return
	}
	e := b.column.Edges
	b.sums[code] += count * BinStep(v, e[code], e[code+1], BinSteps)
}

// withCodes completes a block whose columns of numbers came with values alone, and adds these up within bins.
func (t *Tally) withCodes(rows int, codes []frame.Codes, values [][]float64) ([]frame.Codes, error) {
	if len(t.within) == 0 {
		return codes, nil
	}
	if len(codes) != len(t.shape.columns) || len(values) != len(codes) {
		return nil, t.misfit(fmt.Sprintf("a block of %d columns", len(values)))
	}
	codes = slices.Clone(codes)
	for _, b := range t.within {
		v := values[b.place]
		if len(v) != rows {
			return nil, t.misfit("a block with a column of another length")
		}
		if codes[b.place].Len() != rows {
			codes[b.place] = b.codes(v)
		}
		for i, x := range v {
			b.add(codes[b.place].At(i), x, 1)
		}
	}
	return codes, nil
}

// codes are those of values.
func (b *binSums) codes(values []float64) frame.Codes {
	out := frame.Codes{Levels: b.column.Levels()}
	for _, v := range values {
		if out.Levels <= 256 {
			out.U8 = append(out.U8, uint8(b.code(v)))
		} else {
			out.U16 = append(out.U16, uint16(b.code(v)))
		}
	}
	return out
}

// OpenWithin reads the sums within bins of the columns that Learning.Within lists; the key keeps it inside this module,
// and without it there are none.
func (s *Statistics) OpenWithin(key access.Key) [][]int64 {
	if !key.Opens() {
		return nil
	}
	return s.within
}

// WithinBins says where in its bins the values of a column lie. Make it with [NewWithinBins].
type WithinBins struct {
	Column string
	column frame.Column
	places []float64 // of the mean of every bin, as a part of the bin's width
	means  []float64 // the same in the column's units
	rates  []float64 // λ of the density e^{λy} in a bin, y ∈ [0, 1]; 0: evenly
	vague  bool      // see Vague

	sums     []int64 // as they were released
	variance float64 // of their noise
}

// Of means and rates: a mean within a bin has the variance 1/48 before its sum is known, half of it within a quarter of
// the bin's width from the middle, and is kept this part of the width away from the ends.
const (
	meanVariance = 1. / 48
	fromEnds     = .001
	mostRate     = 1000. // that of a mean 1/1000 of the width from an end
)

// NewWithinBins makes of noisy sums S̃ with noise of a variance σ², and of fitted counts ñ of the bins of a column, the
// mean of each bin [lo, hi] of width w: u = ½ + (S̃/ñ + ½)/G, ½ since t is rounded down, in units of the width; then
// u₀ + (u − u₀)·τ/(τ + s²) with τ = 1/48 and s = σ/(Gñ), and u₀ = ½ the mean of values that are spread evenly. Of whole
// numbers u₀ is the mean of those in the bin, and what rounding takes away is known. A bin with ñ < 1 has u₀. Errors:
// *Error for other numbers of sums and counts.
func NewWithinBins(c frame.Column, sums []int64, counts []float64, variance float64) (WithinBins, error) {
	if len(sums) != len(c.Edges)-1 || len(counts) < len(sums) {
		return WithinBins{}, &Error{Model: "within-bin sums", Column: c.Name, Value: fmt.Sprintf("%d sums", len(sums)),
			Want: fmt.Sprintf("%d, one for each bin", len(c.Edges)-1)}
	}
	w, before, after := WithinBins{Column: c.Name, column: c, sums: sums, variance: variance}, 0.0, 0.0
	for b, sum := range sums {
		p := newBin(c, b)
		u := p.middle
		if n := counts[b]; n >= 1 {
			u = .5 + (float64(sum)/n+p.lost)/BinSteps
			s2 := variance / (BinSteps * n) / (BinSteps * n)
			u = p.middle + (u-p.middle)*meanVariance/(meanVariance+s2)
			each := math.Pow(n*(c.Edges[b+1]-c.Edges[b])*(p.last-p.first), 2)
			before, after = before+each, after+each*s2/(meanVariance+s2)
		}
		room := fromEnds * (p.last - p.first)
		u = math.Max(p.first+room, math.Min(u, p.last-room))
		w.places = append(w.places, u)
		w.means = append(w.means, c.Edges[b]+u*(c.Edges[b+1]-c.Edges[b]))
		w.rates = append(w.rates, p.rate(u))
	}
	w.vague = after > before/4
	return w, nil
}

// MarshalJSON writes the column and, for each bin, the part of its width at which the mean lies.
func (w WithinBins) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Column string    `json:"column"`
		Places []float64 `json:"places"`
	}{w.Column, w.places})
}

// Vague reports whether the sums leave more than half of what was not known of the column's mean before them: of its
// variance Σ(ñ_b·w_b)²·τ before, and with s²/(τ + s²) for a bin after, more than a quarter.
func (w WithinBins) Vague() bool { return w.vague }

// bin is what is public of a bin. Places in it are parts of its width.
type bin struct {
	first, last, middle float64 // places of its least and greatest value, and half way between
	lost                float64 // what rounding down to a step takes away in the mean, in steps
	values              float64 // of whole numbers: how many there are; 0 of real ones
}

func newBin(c frame.Column, b int) bin {
	lo, hi := c.Edges[b], c.Edges[b+1]
	if c.Kind != frame.KindInteger {
		return bin{0, 1, .5, .5, 0}
	}
	from, to := binEnds(c, b)
	p := bin{first: (from - lo) / (hi - lo), last: (to - lo) / (hi - lo), lost: .5, values: to - from + 1}
	if p.middle = (p.first + p.last) / 2; lo == math.Trunc(lo) && hi == math.Trunc(hi) && hi-lo < 1<<53 {
		q := (hi - lo) / float64(gcd(int64(hi-lo), BinSteps)) // fractions of a step: 0, 1/q, …, (q−1)/q, equally often
		p.lost = (q - 1) / (2 * q)
	}
	return p
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// rate is the λ of the place of a mean, found by bisection: of the density e^{λy} on [0, 1] or, of m whole numbers, of
// probabilities e^{λj/m}, j = 0, …, m − 1.
func (p bin) rate(u float64) float64 {
	if p.values == 1 {
		return 0
	}
	want := (u - p.first) / (p.last - p.first)
	lo, hi := -mostRate, mostRate
	for range 80 {
		if mid := (lo + hi) / 2; p.mean(mid) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// mean is that of λ, from 0, the least value, to 1, the greatest: 1/(1 − e^{−λ}) − 1/λ, or
// [m/(1 − e^{−λ}) − 1/(1 − e^{−λ/m})]/(m − 1).
func (p bin) mean(rate float64) float64 {
	m := p.values
	switch small := math.Abs(rate) < 1e-5; {
	case m == 0 && small:
		return .5 + rate/12
	case m == 0:
		return -1/math.Expm1(-rate) - 1/rate
	case small:
		return .5 + rate*(m+1)/(12*m)
	}
	return (-m/math.Expm1(-rate) + 1/math.Expm1(-rate/m)) / (m - 1)
}

// variance is that of λ within a bin, in units of its width squared: 1/λ² − 1/(4 sinh²(λ/2)), or of whole numbers
// [1/(4 sinh²(λ/2m)) − m²/(4 sinh²(λ/2))]·(last − first)²/(m − 1)².
func (p bin) variance(rate float64) float64 {
	m := p.values
	if m == 1 {
		return 0
	}
	quarter := func(x float64) float64 { return 1 / (4 * math.Sinh(x) * math.Sinh(x)) }
	switch small := math.Abs(rate) < 1e-3; {
	case m == 0 && small:
		return 1. / 12
	case m == 0:
		return 1/(rate*rate) - quarter(rate/2)
	case small:
		return (m + 1) / (m - 1) * (p.last - p.first) * (p.last - p.first) / 12
	}
	each := (p.last - p.first) / (m - 1)
	return (quarter(rate/2/m) - m*m*quarter(rate/2)) * each * each
}

// place draws from the density e^{λy} on [0, 1], by its inverse distribution function for −|λ| and a mirror.
func place(rate, u float64) float64 {
	if math.Abs(rate) < 1e-6 {
		return u
	}
	y := math.Log1p(u*math.Expm1(-math.Abs(rate))) / -math.Abs(rate)
	if rate > 0 {
		return 1 - y
	}
	return y
}

// draw draws a value of a bin.
func (w *WithinBins) draw(b int, src rand.Source) float64 {
	lo, hi := binEnds(w.column, b)
	y := place(w.rates[b], sample.Float64(src))
	if w.column.Kind == frame.KindInteger {
		return lo + math.Min(math.Floor(y*(hi-lo+1)), hi-lo)
	}
	if v := lo + (hi-lo)*y; v < hi || b == len(w.means)-1 {
		return math.Min(v, hi)
	}
	return math.Nextafter(hi, lo)
}

// evenly is a column whose values are spread evenly over their bins.
func evenly(c frame.Column) WithinBins {
	w := WithinBins{Column: c.Name, column: c}
	for b := range len(c.Edges) - 1 {
		lo, hi := binEnds(c, b)
		w.means, w.rates = append(w.means, (lo+hi)/2), append(w.rates, 0)
	}
	return w
}

// moments are mean and standard deviation under probabilities of the levels, those of a missing value left out.
func (w *WithinBins) moments(shares []float64) (mean, sd float64) {
	total := 0.0
	for b, m := range w.means {
		total += shares[b]
		mean += shares[b] * m
	}
	if !(total > 0) {
		return math.NaN(), math.NaN()
	}
	mean /= total
	for b, m := range w.means {
		width := w.column.Edges[b+1] - w.column.Edges[b]
		sd += shares[b] / total * ((m-mean)*(m-mean) + width*width*newBin(w.column, b).variance(w.rates[b]))
	}
	return mean, math.Sqrt(sd)
}

// within says where in its bins the values of a column lie; nil where they are drawn evenly.
func (f *Fitted) within(column string) *WithinBins {
	for i := range f.bins {
		if f.bins[i].Column == column {
			return &f.bins[i]
		}
	}
	return nil
}

// told reports whether sums say where in its bins the values of a column lie.
func (f *Fitted) told(column string) bool {
	w := f.within(column)
	return w != nil && !w.vague
}

// EvenlyDrawn lists the columns of numbers of which synthetic records draw values evenly within a bin, though it has
// more than one, or nearly so since sums within bins are vague.
func (f *Fitted) EvenlyDrawn() (names []string) {
	for _, c := range f.shape.columns {
		if c.Numeric() && len(c.Edges) > 1 && Spread(c) && !f.told(c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// MeanTerms are what the mean of a column of numbers is made of: the values of N_b rows in the bins b, whose sums within
// bins are S_b, add up to Σ N_b·At_b + S_b·Step_b, up to half of the widest step a row.
type MeanTerms struct {
	At, Step []float64 // in the column's units
	Sums     []int64   // S_b with noise
	Variance float64   // of the noise
}

// MeanTerms are those of a column of numbers whose sums within bins were released, or whose bins have a whole number
// each, which needs none; false of another column.
func (f *Fitted) MeanTerms(column string) (t MeanTerms, ok bool) {
	i := slices.IndexFunc(f.shape.columns, func(c frame.Column) bool { return c.Name == column })
	if i < 0 || !f.shape.columns[i].Numeric() || len(f.shape.columns[i].Edges) < 2 {
		return t, false
	}
	c, w := f.shape.columns[i], f.within(column)
	if w == nil && Spread(c) {
		return t, false
	}
	for b := range len(c.Edges) - 1 {
		p, width := newBin(c, b), c.Edges[b+1]-c.Edges[b]
		if w == nil {
			t.At, t.Step = append(t.At, c.Edges[b]+width*p.first), append(t.Step, 0)
			continue
		}
		t.At = append(t.At, c.Edges[b]+width*(.5+p.lost/BinSteps))
		t.Step = append(t.Step, width/BinSteps)
	}
	if w != nil {
		t.Sums, t.Variance = w.sums, w.variance
	}
	return t, true
}

// NumberMoments are mean and standard deviation of a column of numbers of a network, of records with a value of it: E =
// Σ p_b·m_b over the bins, m_b the mean within bin b, from the sums within bins where there are such, and the middle of
// the bin where there are none. release.MeasuredMeans has intervals of the mean. Errors: *Error for a model that is
// no network and a column without numbers.
func (f *Fitted) NumberMoments(column string) (mean, sd float64, err error) {
	i := slices.IndexFunc(f.shape.columns, func(c frame.Column) bool { return c.Name == column })
	switch {
	case f.net == nil:
		return 0, 0, wrong(f.shape.model, column, "no network", "a network, such as a learned structure")
	case i < 0 || !f.shape.columns[i].Numeric() || len(f.shape.columns[i].Edges) < 2:
		return 0, 0, wrong(f.shape.model, column, "no column of numbers", "a column with public bins")
	}
	at, _ := f.shape.dag.Index(column)
	shares, err := f.Network().Query([]int{at}, nil)
	if err != nil {
		return 0, 0, err
	}
	w := f.within(column)
	if w == nil {
		even := evenly(f.shape.columns[i])
		w = &even
	}
	mean, sd = w.moments(shares)
	return mean, sd, nil
}

// mostTries is how often a value is drawn anew that would be read as missing, before it is drawn evenly among others.
const mostTries = 100

// tries are those of a column with sums, none without.
func (w *WithinBins) tries() int {
	if w == nil {
		return 0
	}
	return mostTries
}
