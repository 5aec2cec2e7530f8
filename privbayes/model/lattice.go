package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Form says which integers one record adds to the sums of a model, from its places k in {0, …, K} on a lattice.
type Form int

// The forms.
const (
	oneSum    Form = iota // k
	TwoPowers             // k, k²
	PerColumn             // k of every column
	PerGroup              // 1 and k, in the record's group; 0 in the others
	perPoint              // 1 at the point k, 0 at the others
	dealt                 // tokens, by the record's weight: see Tokens
	PerLevel              // 1 at the level k, in the record's group
)

// Lattice says how the records of a model of numbers become integers. A record is rounded to the nearest of K + 1
// equally spaced points of its public range, and the integer sums of those are all that is read of the data:
//
//	k = round((clip(x) − Low)/(High − Low)·K).
//
// Whatever the rounding does, k lies in {0, …, K}, so that one record changes Σk by at most K: floating point costs
// nothing, and the sums are exact in whatever order the rows come. Everything here is public.
type Lattice struct {
	Form      Form
	Steps     int64     // K ≥ 1
	Low, High []float64 // of every rounded column: the ends of its range
	Groups    int       // of PerGroup
	// Omits says that records without a value, which are NaN, are in no group and at no point: nothing of them is added.
	// How many are left is private, also where n is public, so that a mean of one column has the form PerGroup with a
	// single group then.
	Omits bool
	// Coarse is the number J of steps of a second, coarser lattice on the same range, whose places j and their squares are
	// summed, too, by means: J = K where it is at most 2^12, else a power of two. 0: none.
	Coarse int64
	// Tokens are dealt by rows with weights, whose steps are weight; nil for other models.
	Tokens *Tokens
	weight *frame.WeightSteps
}

// Limits of K: finer lattices than 2^24 gain nothing and leave the range of the samplers; squares of 2^13 and sums of
// 2^38 rows stay below 2^63.
const (
	MaxSteps       = 1 << 24
	maxStepsSquare = 1 << 13
)

// At is the place of a value of column i: in {0, …, K} whatever x is. A value that is no number counts as the middle.
func (l *Lattice) At(i int, x float64) int64 {
	k := math.Round((x - l.Low[i]) / (l.High[i] - l.Low[i]) * float64(l.Steps))
	switch {
	case k >= float64(l.Steps):
		return l.Steps
	case k >= 0:
		return int64(k)
	case k < 0:
		return 0
	}
	return l.Steps / 2
}

// Value is the value at place k of column i, which may lie between points.
func (l *Lattice) Value(i int, k float64) float64 {
	return l.Low[i] + l.Step(i)*k
}

// Step is the distance of two points of column i, in its units.
func (l *Lattice) Step(i int) float64 { return (l.High[i] - l.Low[i]) / float64(l.Steps) }

// Coarser is the place on the coarse lattice that is nearest to place k, the upper of two.
func (l *Lattice) Coarser(k int64) int64 { return (2*k*l.Coarse + l.Steps) / (2 * l.Steps) }

// maxCoarse keeps the noise of squares in the sampler's range from ε = 1/128 on, in a unit's rows together.
const maxCoarse = 1 << 12

// withCoarse adds the coarse lattice, for units of so many rows.
func (l *Lattice) withCoarse(rows int) *Lattice {
	l.Coarse = maxCoarse
	for ; rows > 1 && l.Coarse > 2; rows /= 4 {
		l.Coarse /= 2
	}
	l.Coarse = min(l.Coarse, l.Steps)
	return l
}

// Len is the number of integer sums.
func (l *Lattice) Len() int {
	switch l.Form {
	case TwoPowers:
		return 2
	case PerColumn:
		return l.each() * len(l.Low)
	case PerGroup, PerLevel:
		return l.each() * l.Groups
	case perPoint:
		return int(l.Steps + 1)
	case dealt:
		return tokenLevels * l.Tokens.Boxes.Each() * l.Groups
	}
	return l.each()
}

// each is the number of sums of a column by itself, or of a group: a group's begin with its count.
func (l *Lattice) each() int {
	each := 1
	if l.Form == PerLevel {
		return int(l.Steps + 1)
	}
	if l.Form == PerGroup {
		each++
	}
	if l.Coarse > 0 {
		each += 2
	}
	return each
}

// Add adds one record to the sums: its places on every rounded column and, PerGroup, the code of its group.
func (l *Lattice) Add(sums []int64, places []int64, group int) {
	switch l.Form {
	case TwoPowers:
		sums[0] += places[0]
		sums[1] += places[0] * places[0]
	case PerGroup:
		own := sums[group*l.each():]
		own[0]++
		own[1] += places[0]
		l.addCoarse(own[2:], places[0])
	case oneSum:
		sums[0] += places[0]
		l.addCoarse(sums[1:], places[0])
	case perPoint:
		sums[places[0]]++
	case PerLevel:
		sums[group*l.each()+int(places[0])]++
	default:
		for i, k := range places {
			own := sums[i*l.each():]
			own[0] += k
			l.addCoarse(own[1:], k)
		}
	}
}

// addCoarse adds the coarse place and its square.
func (l *Lattice) addCoarse(sums []int64, place int64) {
	if l.Coarse > 0 {
		j := l.Coarser(place)
		sums[0] += j
		sums[1] += j * j
	}
}

// Lattice is how the records of a model of numbers are rounded; nil for models of count tables and for regressions.
func (s *Shape) Lattice() *Lattice { return s.lattice }

// latticeOf is the lattice of columns with public bounds: integer columns of a whole range no wider than `whole` have
// K = High − Low, so that nothing is rounded; others have the given K.
func latticeOf(form Form, resolution, usual, whole int64, columns ...frame.Column) *Lattice {
	l := &Lattice{Form: form, Steps: usual}
	exact := len(columns) == 1
	for _, c := range columns {
		lo, hi := c.Min, c.Max
		if c.Kind == frame.KindInteger {
			lo, hi = math.Ceil(lo), math.Floor(hi)
		}
		l.Low, l.High = append(l.Low, lo), append(l.High, hi)
		exact = exact && c.Kind == frame.KindInteger && hi-lo <= float64(whole)
	}
	if exact {
		l.Steps = int64(l.High[0] - l.Low[0])
	}
	if resolution > 0 {
		l.Steps = resolution
	}
	return l
}

// usualSteps is K where nothing else is asked for: 2^22 in a unit's rows together, finer than matters (the bias of
// rounding is at most n·ε/(2.83·K) standard deviations of the noise) and within the sampler's range from ε ≈ 0.01 on.
// It does not depend on n, which may be private; where the schema declares a size above 116,508 rows K grows to the
// power of two from 36 times it on, 2^24 at most: at ε = 1 the bias is at most a hundredth of the noise then.
func usualSteps(s *frame.Schema) int64 {
	k := int64(1 << 22)
	for k < MaxSteps && float64(k) < 36*float64(s.ApproximateRows) {
		k *= 2
	}
	for rows := max(s.RowsPerUnit, 1); rows > 1 && k > 1<<10; rows /= 2 {
		k /= 2
	}
	return k
}

// grouping reports whether column i of a model of sums holds groups or classes, or is a factor: its codes are read.
func (s *Shape) grouping(i int) bool {
	if s.onDesign() {
		return !s.columns[i].Numeric()
	}
	if l := s.lattice; l != nil && l.Form == dealt { // the value is first, if there is one, and the weight is last
		return i != len(s.columns)-1 && (i > 0 || s.model.(WeightedModel).kind == weightedTable)
	}
	return s.lattice != nil && (s.lattice.Form == PerGroup && i >= len(s.lattice.Low) || s.lattice.Form == PerLevel)
}

// latticeSums adds up the integers of records.
type latticeSums struct {
	l      *Lattice
	sum    []num.Int128
	places []int64
	one    []int64 // of a record
	by     bool    // whether there is a column of groups
}

func (ofWhole) summer(sh *Shape) (summer, error) {
	l := sh.lattice
	return &latticeSums{l, make([]num.Int128, l.Len()), make([]int64, len(l.Low)), make([]int64, l.Len()),
		len(sh.columns) > len(l.Low)}, nil
}

// blockRows are added in 64 bits before they are added to the sums: 2^13 rows of at most 2^26 each stay below 2^62.
const blockRows = 1 << 13

func (s *latticeSums) add(codes []frame.Codes, values [][]float64) error {
	n := len(values[0])
	for first := 0; first < n; first += blockRows {
		clear(s.one)
		for r := first; r < min(first+blockRows, n); r++ {
			if s.l.Omits && math.IsNaN(values[0][r]) {
				continue
			}
			for i := range s.places {
				s.places[i] = s.l.At(i, values[i][r])
			}
			group := 0
			if s.by {
				if group = codes[1].At(r); group >= s.l.Groups {
					return s.l.strange()
				}
			}
			s.l.Add(s.one, s.places, group)
		}
		for i, v := range s.one {
			s.sum[i] = s.sum[i].Add(v)
		}
	}
	return nil
}

func (s *latticeSums) addRow(codes []int32, values []float64, count int64) error {
	if s.l.Omits && math.IsNaN(values[0]) {
		return nil
	}
	for i := range s.places {
		s.places[i] = s.l.At(i, values[i])
	}
	if s.l.Form == perPoint { // of many sums, one changes
		at := s.places[0]
		s.sum[at] = s.sum[at].Add(count)
		return nil
	}
	clear(s.one)
	group := 0
	if s.by {
		if group = int(codes[1]); group < 0 || group >= s.l.Groups {
			return s.l.strange()
		}
	}
	s.l.Add(s.one, s.places, group)
	for i, v := range s.one {
		s.sum[i] = s.sum[i].AddProduct(v, count)
	}
	return nil
}

func (l *Lattice) strange() error {
	return &Error{Model: "group means", Value: "a code of no level", Want: fmt.Sprintf("codes below %d", l.Groups)}
}

func (s *latticeSums) numbers() []num.Int128 { return s.sum }

func (s *latticeSums) sums() []float64 { return nil }

func (s *latticeSums) whole() []int64 { return wholes(s.sum) }

// wholes are sums ≥ 0 in 64 bits, cut at 2^62, which a table does not reach: the cut moves no sum by more than a record
// does.
func wholes(sums []num.Int128) []int64 {
	out := make([]int64, len(sums))
	for i, v := range sums {
		out[i] = int64(min(v.Lo, 1<<62))
		if v.Hi != 0 {
			out[i] = 1 << 62
		}
	}
	return out
}

// OpenWhole reads the integer sums of a model with a Lattice; the key keeps it inside this module, and without it there
// are none.
func (s *Statistics) OpenWhole(key access.Key) []int64 {
	if !key.Opens() {
		return nil
	}
	return s.whole
}

// FromWhole makes statistics of a model with a Lattice from its integer sums over the given number of rows: for data
// that never was a frame, and for tests. The sums must be possible: *Error.
func FromWhole(sh *Shape, rows int, whole []int64) (*Statistics, error) {
	l := sh.lattice
	if l == nil || len(whole) != l.Len() {
		return nil, wrong(sh.model, "", fmt.Sprintf("%d integer sums", len(whole)), "those of a model's grid")
	}
	if rows < 0 || sh.publicN && rows != sh.n {
		return nil, wrong(sh.model, "", "another number of rows", fmt.Sprintf("the public n = %d", sh.n))
	}
	total := int64(0)
	for i, v := range whole {
		most, own := int64(rows)*l.Steps, i%l.each()
		switch {
		case l.Form == TwoPowers && i == 1:
			most *= l.Steps
		case l.Form == PerGroup && own == 0, l.Form == PerLevel:
			most = int64(rows)
		case l.Form == dealt:
			most = min(int64(rows), 1<<34) * MaxTokens
		case l.Coarse > 0 && own == l.each()-1:
			most = int64(rows) * l.Coarse * l.Coarse
		case l.Coarse > 0 && own == l.each()-2:
			most = int64(rows) * l.Coarse
		case l.Form == perPoint:
			total += v
			most = int64(rows) - (total - v)
		}
		if v < 0 || v > most {
			return nil, wrong(sh.model, "", "an impossible sum", "sums of records in {0, …, K}")
		}
	}
	if l.Form == perPoint && total != int64(rows) && !l.Omits {
		return nil, wrong(sh.model, "", "counts that do not add up", "one point for every row")
	}
	if err := sh.sampledAsStated(whole); err != nil {
		return nil, err
	}
	return &Statistics{shape: sh, whole: append([]int64(nil), whole...), rows: rows}, nil
}

// ofWhole is what models of averages have in common: columns that are rounded to a Lattice, integer sums, parameters in
// the units of the columns.
type ofWhole struct {
	ofSums
	resolution int64
}

func (m ofWhole) checkResolution(of Model, most int64) error {
	if m.resolution < 0 || m.resolution > most {
		return wrong(of, "", fmt.Sprintf("resolution K = %d", m.resolution), fmt.Sprintf("1 ≤ K ≤ %d", most))
	}
	if len(m.alpha) > 0 {
		return wrong(of, "", "a prior", "none: the model has no hyperparameters")
	}
	return nil
}

// checkSteps refuses a lattice that does not fit the samplers' range.
func checkSteps(m Model, l *Lattice, most int64) error {
	if l.Steps < 1 || l.Steps > most {
		return wrong(m, "", fmt.Sprintf("bounds that are K = %d steps apart", l.Steps),
			fmt.Sprintf("1 ≤ K ≤ %d: set WithResolution(K)", most))
	}
	return nil
}

// numericColumns are columns with public bounds, each named once.
func numericColumns(m Model, s *frame.Schema, names []string) (out []frame.Column, err error) {
	seen, of := map[string]bool{}, nameColumns(s)
	for _, name := range names {
		if seen[name] {
			return nil, wrong(m, name, "named twice", "each column once")
		}
		seen[name] = true
		c, err := bounded(m, of, name)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

const averageScore = "distance from the held-out value (share of the range)"

func (ofWhole) words() Words {
	return Words{
		Measures: []string{averageScore}, Headline: averageScore, Score: averageScore,
		Public: "bounds", Error: "a mean, as a share of the column's range",
		Source: "means uniform over the range, values Beta-distributed about them",
	}
}

// averaged is what a model that embeds ofWhole says of its means.
type averaged interface {
	plainMeans(st *Statistics) []float64 // NaN where a group has no rows
	ranges(sh *Shape) []float64          // of every mean, in its units
}

func averages(sh *Shape) averaged { return sh.model.(averaged) }

func (ofWhole) fitPlain(st *Statistics) (*Fitted, error) {
	return oneDraw(st, st.shape.Parameters(), averages(st.shape).plainMeans(st))
}

// held compares the model's means with those of held-out rows: as shares of the range, averaged over what is there.
func held(f *Fitted, x *frame.Frame) (float64, error) {
	st, err := Count(f.shape.WithoutN(), x)
	if err != nil {
		return 0, err
	}
	m := averages(f.shape)
	mean, want, ranges := f.Draws().Mean(), m.plainMeans(st), m.ranges(f.shape)
	sum, seen := 0.0, 0.0
	for i, v := range want {
		if !math.IsNaN(v) {
			sum, seen = sum+math.Abs(mean[i]-v)/ranges[min(i, len(ranges)-1)], seen+1
		}
	}
	return sum / math.Max(seen, 1), nil
}

func (ofWhole) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	v, err := held(f, x)
	if err != nil {
		return nil, err
	}
	return []Score{{Name: averageScore, Value: v}}, nil
}

func (ofWhole) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	if unseen(x) {
		return []float64{0}, nil
	}
	v, err := held(f, x)
	return []float64{v}, err
}

func (ofWhole) means(f *Fitted) [][]float64 { return [][]float64{f.Draws().Mean()} }

// distance is the mean absolute difference of the means as shares of their ranges.
func (ofWhole) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	ranges := averages(sh).ranges(sh)
	for i, v := range plain[0] {
		absolute += math.Abs(v-released[0][i]) / ranges[min(i, len(ranges)-1)] / float64(len(plain[0]))
	}
	return absolute, math.NaN()
}

// figure is a forest plot: every parameter, released with 2.5 % and 97.5 % quantiles, and without privacy.
func (ofWhole) figure(f, np *Fitted, caption string) *figure.Figure {
	out := &figure.Figure{Title: "Posterior of the " + f.shape.model.String(), XLabel: "quantity",
		YLabel: f.shape.columns[0].Quantity(), XTicks: f.Draws().Names, Units: f.Units(), Caption: caption,
		Dates: f.layouts(), Private: np != nil}
	if f.Draws().Len() > 1 {
		out.Subtitle = "Released with 95 % intervals that include the noise."
	}
	for k, s := range compared(f, np) {
		points, mean := figure.Series{Name: s.name, Kind: figure.Points}, s.draws.Mean()
		for i, v := range mean {
			points.X, points.Y = append(points.X, float64(i)), append(points.Y, v)
			if k == 0 && s.draws.Len() > 1 {
				points.Lo = append(points.Lo, min(s.draws.Quantile(i, .025), v))
				points.Hi = append(points.Hi, max(s.draws.Quantile(i, .975), v))
			}
		}
		out.Series = append(out.Series, points)
	}
	return out
}

// summary shows the parameters in the units of the column, with what the intervals are of.
func (ofWhole) summary(f *Fitted) *table.Table {
	t := f.Draws().Summary()
	t.Title, t.Notes = "Posterior of the "+f.shape.model.String(), nil
	for i, layout := range f.layouts() {
		on := func(x float64) string { return frame.Column{Date: layout}.Text(math.Round(x)) }
		row := t.Rows[i]
		if layout == "" {
			continue
		}
		if row[1] = on(f.Draws().Mean()[i]); len(row) > 3 {
			row[3], row[4] = on(f.Draws().Quantile(i, .025)), on(f.Draws().Quantile(i, .975))
		}
	}
	if f.Draws().Len() >= summaryDraws {
		t.Note("95 % credible intervals. The privacy noise is included.")
	}
	return t
}

// guess is the middle of the range.
func (m ofWhole) guess(f *Fitted, x *frame.Frame) (float64, error) {
	middle := &Draws{Names: f.Draws().Names, Values: [][]float64{make([]float64, len(f.Draws().Names))}}
	for i := range middle.Values[0] {
		k := min(i, len(f.shape.lattice.Low)-1)
		middle.Values[0][i] = f.shape.lattice.Value(k, float64(f.shape.lattice.Steps)/2)
	}
	v, err := m.measure(&Fitted{shape: f.shape, draws: middle}, nil, x)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// simulatedRows are the rows drawn for sums; for larger n they are scaled up.
const simulatedRows = 2000

func (ofWhole) steps(sh *Shape, n int) float64 {
	return 2e4 + 300*float64(min(n, simulatedRows))*float64(len(sh.lattice.Low))
}

// simulate draws a mean uniform over each range and a spread, and rows that are Beta-distributed with both; groups are
// equally likely.
func (ofWhole) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	l := sh.lattice
	sums, rows := make([]int64, l.Len()), min(n, simulatedRows)
	laws := make([][2]float64, max(len(l.Low), l.Groups))
	for i := range laws {
		mean, weight := .02+.96*sample.Float64(src), 1+9*sample.Float64(src)
		laws[i] = [2]float64{mean * weight, (1 - mean) * weight}
	}
	places := make([]int64, len(l.Low))
	for range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		group := 0
		if l.Groups > 0 {
			group = int(sample.Uniform(src, uint64(l.Groups)))
		}
		for i := range places {
			law := laws[max(i, group)]
			a, b := sample.LogGamma(src, law[0]), sample.LogGamma(src, law[1])
			places[i] = int64(math.Round(float64(l.Steps) / (1 + math.Exp(b-a))))
		}
		l.Add(sums, places, group)
	}
	if rows > 0 {
		scale := float64(n) / float64(rows)
		for i := range sums {
			sums[i] = int64(math.Round(float64(sums[i]) * scale))
		}
	}
	return FromWhole(sh, n, sums)
}

// oneDraw are parameters that are known.
func oneDraw(st *Statistics, names []string, values []float64) (*Fitted, error) {
	values = slices.Clone(values)
	for i, v := range values {
		if math.IsNaN(v) { // of no rows: the middle of the range
			l := st.shape.lattice
			values[i] = l.Value(min(i, len(l.Low)-1), float64(l.Steps)/2)
		}
	}
	return Fit(st.shape, Estimate{Draws: &Draws{Names: names, Values: [][]float64{values}}})
}
