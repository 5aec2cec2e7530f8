package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// QuantilesModel is quantiles of a numeric column over the rows of the data: see Quantiles.
type QuantilesModel struct {
	ofWhole
	at []float64
}

// Quantiles are the p-quantiles, 0 < p < 1, of a numeric column with public bounds over the rows of the data; without p
// the quartiles. Rows without a value are left out. Records are rounded to a public lattice: to whole numbers in a
// column of integers, else to 4,096 steps of its range. Every p is a multiple of 1/1000, or of a fraction such as 1/3
// with a denominator up to 1000 in common.
func Quantiles(column string, p ...float64) QuantilesModel {
	if len(p) == 0 {
		p = []float64{.25, .5, .75}
	}
	return QuantilesModel{ofWhole{ofSums: ofSums{base{target: column}}}, slices.Clone(p)}
}

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K <
// 2^20.
func (m QuantilesModel) WithResolution(k int64) QuantilesModel { m.resolution = k; return m }

// String describes the model.
func (m QuantilesModel) String() string {
	if len(m.at) == 1 {
		return fmt.Sprintf("%s-quantile of %s", fmt.Sprint(m.at[0]), safetext.Quote(m.target))
	}
	return fmt.Sprintf("%d quantiles of %s", len(m.at), safetext.Quote(m.target))
}

func (m QuantilesModel) describe() Description {
	return Description{Kind: "quantiles", Target: m.target, Alpha: m.alpha, Resolution: m.resolution, Quantiles: m.at}
}

func (m QuantilesModel) with(d Description) Model {
	m.target, m.alpha, m.resolution, m.at = d.Target, d.Alpha, d.Resolution, d.Quantiles
	return m
}

// Limits of a release of quantiles.
const (
	maxQuantiles     = 255
	maxDenominator   = 1000
	maxQuantileSteps = 1<<20 - 1
	quantileSteps    = 1 << 12
)

func (m QuantilesModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, maxQuantileSteps); err != nil {
		return nil, err
	}
	if len(m.at) == 0 || len(m.at) > maxQuantiles {
		return nil, wrong(m, m.target, fmt.Sprintf("%d quantiles", len(m.at)), fmt.Sprintf("1 to %d", maxQuantiles))
	}
	for i, p := range m.at {
		if !(p > 0 && p < 1) {
			return nil, wrong(m, m.target, fmt.Sprintf("p = %v", p), "0 < p < 1")
		}
		if i > 0 && p <= m.at[i-1] {
			return nil, wrong(m, m.target, fmt.Sprintf("p = %v after %v", p, m.at[i-1]), "increasing p, each once")
		}
	}
	if _, b := m.ranks(); b == 0 {
		return nil, wrong(m, m.target, fmt.Sprintf("p = %v", m.at), fmt.Sprintf("fractions with a common denominator up "+
			"to %d", maxDenominator))
	}
	c, err := ranged(m, nameColumns(s), m.target)
	return []frame.Column{c}, err
}

// ranks are the quantiles as fractions a/b with the least common denominator; b = 0 where there is none.
func (m QuantilesModel) ranks() (a []int64, b int64) {
	for b = 2; b <= maxDenominator; b++ {
		a = a[:0]
		for _, p := range m.at {
			k := math.Round(p * float64(b))
			if math.Abs(p*float64(b)-k) > 1e-9 || k < 1 || k >= float64(b) {
				break
			}
			a = append(a, int64(k))
		}
		if len(a) == len(m.at) {
			return a, b
		}
	}
	return nil, 0
}

// Ranks are the quantiles a_1/b < … < a_m/b of a Quantiles model.
type Ranks struct {
	A     []int64
	B     int64
	shape *Shape
}

// Ranks are those of a Quantiles model; nil for other models.
func (s *Shape) Ranks() *Ranks {
	m, ok := s.model.(QuantilesModel)
	if !ok {
		return nil
	}
	a, b := m.ranks()
	return &Ranks{a, b, s}
}

func (m QuantilesModel) layOut(sh *Shape) error {
	sh.lattice = latticeOf(perPoint, m.resolution, quantileSteps, maxQuantileSteps, sh.columns...)
	sh.lattice.Omits = sh.columns[0].HasMissing()
	sh.sums = []string{fmt.Sprintf("records at each of %d points of %s", sh.lattice.Steps+1, m.target)}
	if err := checkSteps(m, sh.lattice, maxQuantileSteps); err != nil {
		return err
	}
	if int64(len(m.at)) > sh.lattice.Steps+1 {
		return wrong(m, m.target, fmt.Sprintf("%d quantiles", len(m.at)),
			fmt.Sprintf("no more than the %d points of the grid", sh.lattice.Steps+1))
	}
	return nil
}

func (m QuantilesModel) parameters(*Shape) []string {
	out := make([]string, len(m.at))
	for i, p := range m.at {
		out[i] = fmt.Sprint(p)
	}
	return out
}

// At is the estimate of the quantiles at points of the lattice, in increasing order.
func (r *Ranks) At(points []int64) Estimate {
	points = slices.Sorted(slices.Values(points))
	values := make([]float64, len(points))
	for i, v := range points {
		values[i] = r.shape.lattice.Value(0, float64(v))
	}
	return Estimate{Draws: &Draws{Names: r.shape.Parameters(), Values: [][]float64{values}}}
}

// valued is the number of rows with a value, by the rows at every point.
func valued(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// plainMeans are the quantiles: of each the least point with at least a·n/b records at or below it, n those
// with a value.
func (m QuantilesModel) plainMeans(st *Statistics) []float64 {
	a, b := m.ranks()
	out := make([]float64, len(a))
	below, n := int64(0), valued(st.whole)
	i := 0
	for v, c := range st.whole {
		for below += c; i < len(a) && b*below >= a[i]*n && n > 0; i++ {
			out[i] = st.shape.lattice.Value(0, float64(v))
		}
	}
	for ; i < len(a); i++ {
		out[i] = math.NaN()
	}
	return out
}

func (m QuantilesModel) ranges(sh *Shape) []float64 {
	out := make([]float64, len(m.at))
	for i := range out {
		out[i] = sh.lattice.High[0] - sh.lattice.Low[0]
	}
	return out
}

const rankScore = "rank error on held-out rows"

func (QuantilesModel) words() Words {
	return Words{
		Measures: []string{"rank error (share of n)"}, Headline: rankScore, Score: rankScore,
		Public: "bounds", Error: "a quantile, as a share of the column's range",
		Source: "records Beta-distributed over the range, the mean uniform",
	}
}

// rankErrors are how far each quantile's share of held-out rows is from its p: 0 where the rows at it reach p.
func (m QuantilesModel) rankErrors(f *Fitted, x *frame.Frame) (float64, error) {
	st, err := Count(f.shape.WithoutN(), x)
	if err != nil {
		return 0, err
	}
	l, mean, sum := f.shape.lattice, f.Draws().Mean(), 0.0
	n := math.Max(float64(valued(st.whole)), 1)
	for i, p := range m.at {
		at := l.At(0, mean[i])
		below, upTo := int64(0), int64(0)
		for v, c := range st.whole[:at+1] {
			if upTo += c; int64(v) < at {
				below += c
			}
		}
		sum += max(0, float64(below)/n-p, p-float64(upTo)/n)
	}
	return sum / float64(len(m.at)), nil
}

func (m QuantilesModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	v, err := m.rankErrors(f, x)
	if err != nil {
		return nil, err
	}
	return []Score{{Name: rankScore, Value: v, Share: true}}, nil
}

func (m QuantilesModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	if unseen(x) {
		return []float64{0}, nil
	}
	v, err := m.rankErrors(f, x)
	return []float64{v}, err
}

// guess puts all quantiles where they would be if values were uniform over the range.
func (m QuantilesModel) guess(np *Fitted, x *frame.Frame) (float64, error) {
	l := np.shape.lattice
	values := make([]float64, len(m.at))
	for i, p := range m.at {
		values[i] = l.Value(0, p*float64(l.Steps))
	}
	v, err := m.measure(&Fitted{shape: np.shape, draws: &Draws{Names: m.parameters(nil), Values: [][]float64{values}}},
		nil,
		x)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// figure draws the quantiles, one under the other, released and without privacy.
func (m QuantilesModel) figure(f, np *Fitted, caption string) *figure.Figure {
	out := &figure.Figure{Title: "Quantiles of " + safetext.Word(m.target), XLabel: "share of the records below",
		YLabel: f.shape.columns[0].Quantity(), Caption: caption, Private: np != nil,
		Subtitle: "Below each value lies the share of the records that is named. The summary has intervals " +
			"where there are any."}
	for _, p := range m.at {
		out.XTicks = append(out.XTicks, figure.Number(100*p)+" % are below")
	}
	out.Dates = f.layouts()
	for _, s := range compared(f, np) {
		dots := figure.Series{Name: s.name, Kind: figure.Points, Y: s.draws.Mean()}
		for i := range m.at {
			dots.X = append(dots.X, float64(i))
		}
		out.Series = append(out.Series, dots)
	}
	return out
}

func (m QuantilesModel) summary(f *Fitted) *table.Table {
	t := table.New("Quantiles of "+plain(m.target), "p", plain(m.target))
	for i, v := range f.Draws().Mean() {
		if c := f.shape.columns[0]; c.Date != "" {
			t.Add(m.at[i], c.Text(math.Round(v)))
			continue
		}
		t.Add(m.at[i], v)
	}
	if f.shape.publicN && !f.shape.lattice.Omits {
		t.Note("As released: how far a rank may be off stands among the plan's expected errors.")
	}
	return t
}

// simulate draws records that are Beta-distributed over the range, the mean uniform, as simulate of averages does.
func (m QuantilesModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics,
	error) {
	l := sh.lattice
	counts, rows := make([]int64, l.Len()), min(n, simulatedRows)
	mean, weight := .02+.96*sample.Float64(src), 1+9*sample.Float64(src)
	for r := range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a, b := sample.LogGamma(src, mean*weight), sample.LogGamma(src, (1-mean)*weight)
		share := int64(n) / int64(rows)
		if int64(r) < int64(n)%int64(rows) {
			share++
		}
		counts[int64(math.Round(float64(l.Steps)/(1+math.Exp(b-a))))] += share
	}
	return FromWhole(sh, n, counts)
}

// Points of weighted quantiles: as many as noise on each of them allows. Up to usualPoints steps a column of whole
// numbers has a point of each; others are cut into 128.
const (
	usualPoints = 1 << 8
	mostPoints  = 1 << 12
	realSteps   = 1<<7 - 1
)

func weightedOfQuantiles(target string, p ...float64) WeightedModel {
	m := weightedOf(weightedQuantiles, target, nil)
	m.at = p
	return m
}

// unweighted are the quantiles of rows that stand for themselves.
func (m WeightedModel) unweighted() QuantilesModel {
	q := Quantiles(m.target, m.at...)
	q.resolution, q.at = m.resolution, m.at
	return q
}

// layOutQuantiles gives every point of the column its two boxes.
func (m WeightedModel) layOutQuantiles(sh *Shape, steps *frame.WeightSteps) error {
	l := latticeOf(dealt, m.resolution, realSteps, usualPoints, sh.columns[0])
	l.Omits = sh.columns[0].HasMissing()
	if err := checkSteps(m, l, mostPoints-1); err != nil {
		return err
	}
	l.Groups, l.weight = int(l.Steps)+1, steps
	l.Tokens = &Tokens{BoxesShare, steps.High, 1, MaxTokens}
	sh.lattice = l
	for j := range l.Tokens.Boxes.Each() {
		sh.sums = append(sh.sums, fmt.Sprintf("box %d of tokens, at each of %d points of %s", j+1, l.Groups,
			safetext.Word(m.target)))
	}
	return nil
}

// WeightedRanks are those of quantiles of a weighted table, whose points have two boxes each; nil for other models.
func (s *Shape) WeightedRanks() *Ranks {
	m, ok := s.model.(WeightedModel)
	if !ok || m.kind != weightedQuantiles {
		return nil
	}
	a, b := m.unweighted().ranks()
	return &Ranks{a, b, s}
}

// Edge is where the points from j on begin, of 0 to K + 1 points: halfway between two of them, or the end of the range.
func (r *Ranks) Edge(j int) float64 {
	l := r.shape.lattice
	switch {
	case j <= 0:
		return l.Low[0]
	case j > int(l.Steps):
		return l.High[0]
	}
	return l.Value(0, float64(j)-.5)
}

// weighted are the quantiles from the weights at the points: of each the least point with at least a/b of the weight
// at or below it; NaN where there is no weight.
func (r *Ranks) weighted(at []float64) []float64 {
	all := 0.0
	for _, v := range at {
		all += v
	}
	out := make([]float64, len(r.A))
	for i, a := range r.A {
		j, below := 0, at[0]
		for ; j < len(at)-1 && float64(r.B)*below < float64(a)*all; j++ {
			below += at[j+1]
		}
		if out[i] = r.shape.lattice.Value(0, float64(j)); !(all > 0) {
			out[i] = math.NaN()
		}
	}
	return out
}
