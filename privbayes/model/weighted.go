package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// WeightedModel is what a weighted table says of the population that its rows stand for: a mean, means by group, the
// shares of a table's cells, quantiles, or totals. Under a schema with a weight Mean, GroupMeans, Table and Quantiles
// are of this type, and [Total] always is.
type WeightedModel struct {
	ofWhole
	kind   string
	others []string  // of a table its other columns; else the groups, if any
	at     []float64 // of quantiles
}

// The kinds of weighted models, as files name them.
const (
	weightedMean      = "weighted-mean"
	weightedGroups    = "weighted-group-means"
	weightedTable     = "weighted-table"
	weightedQuantiles = "weighted-quantiles"
	weightedTotal     = "total"
)

// Total is the total of a numeric column with a lower bound ≥ 0 over the population: the Horvitz–Thompson total of a
// table with weights. With another column it is the total in every level of that. Error: *Error at the shape where the
// schema has no weight.
func Total(column string, by ...string) WeightedModel { return weightedOf(weightedTotal, column, by) }

func weightedOf(kind, target string, others []string) WeightedModel {
	m := WeightedModel{ofWhole: ofWhole{ofSums: ofSums{base{target: target}}}, kind: kind}
	if len(others) > 0 {
		m.others = slices.Clone(others)
	}
	return m
}

// weighted is the model of the population under a schema with a weight: the model itself where there is none.
func weighted(s *frame.Schema, m Model) (Model, error) {
	if _, own := m.(WeightedModel); own || s.Weighted() == nil {
		return m, nil
	}
	d := m.describe()
	var out WeightedModel
	switch m.(type) {
	case MeansModel:
		if d.Kind == "mean" {
			out = weightedOf(weightedMean, d.Target, nil)
		}
	case GroupMeansModel:
		out = weightedOf(weightedGroups, d.Target, d.Features)
	case ContingencyTableModel:
		if slices.Equal(d.Alpha, ContingencyTable("").alpha) {
			out = weightedOf(weightedTable, d.Target, d.Features)
		}
	case QuantilesModel:
		out = weightedOfQuantiles(d.Target, d.Quantiles...)
	}
	if out.kind == "" {
		return nil, wrong(m, "", "a table with weights", "Mean, GroupMeans, Table without a prior, Quantiles, or Total; or "+
			"Unweighted(), under which rows stand for themselves")
	}
	out.resolution = d.Resolution
	return out, nil
}

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^22.
func (m WeightedModel) WithResolution(k int64) WeightedModel { m.resolution = k; return m }

// String describes the model.
func (m WeightedModel) String() string {
	switch m.kind {
	case weightedMean:
		return "weighted mean of " + safetext.Quote(m.target)
	case weightedTable:
		return "weighted table of " + strings.Join(quoted(append([]string{m.target}, m.others...)), " × ")
	case weightedQuantiles:
		if len(m.at) == 1 {
			return "weighted " + m.unweighted().String()
		}
		return fmt.Sprintf("%d weighted quantiles of %s", len(m.at), safetext.Quote(m.target))
	}
	text := "weighted means of " + safetext.Quote(m.target)
	if m.kind == weightedTotal {
		text = "total of " + safetext.Quote(m.target)
	}
	if len(m.others) > 0 {
		text += " by " + safetext.Quote(m.others[0])
	}
	return text
}

func (m WeightedModel) describe() Description {
	return Description{Kind: m.kind, Target: m.target, Features: m.others, Alpha: m.alpha, Resolution: m.resolution,
		Quantiles: m.at}
}

func (m WeightedModel) with(d Description) Model {
	m.target, m.others, m.alpha, m.resolution, m.at = d.Target, d.Features, d.Alpha, d.Resolution, d.Quantiles
	return m
}

// maxWeightedSteps keeps a row's tokens in 128 bits.
const maxWeightedSteps = 1 << 22

// maxWeighted keeps the totals of all sums of tokens, and what is predicted of them, far from the largest float64.
const maxWeighted = 1e200

// boxes are those that rows deal to.
func (m WeightedModel) boxes() Boxes {
	switch m.kind {
	case weightedTable, weightedQuantiles:
		return BoxesShare
	case weightedTotal:
		return BoxesTotal
	}
	return BoxesMean
}

func (m WeightedModel) columns(s *frame.Schema) (out []frame.Column, err error) {
	w := s.Weighted()
	if w == nil {
		return nil, wrong(m, "", "a table without weights", `a "weight" in the schema: see docs/howto/survey.md`)
	}
	finest := int64(maxWeightedSteps)
	if m.kind == weightedQuantiles {
		finest = mostPoints - 1
	}
	if err := m.checkResolution(m, finest); err != nil {
		return nil, err
	}
	of, levels, most := nameColumns(s), m.others, 1
	switch m.kind {
	case weightedTable:
		levels, most = append([]string{m.target}, m.others...), maxTableColumns-1
	case weightedQuantiles:
		if _, err := m.unweighted().columns(s); err != nil {
			return nil, err
		}
		most = 0
	case weightedMean:
		most = 0
	}
	if m.kind == weightedGroups && len(m.others) != 1 || len(m.others) > most {
		return nil, wrong(m, "", fmt.Sprintf("%d more columns", len(m.others)), fmt.Sprintf("at most %d", most))
	}
	if m.kind != weightedTable {
		c, err := ranged(m, of, m.target)
		if err != nil {
			return nil, err
		}
		if m.kind == weightedTotal && c.Min < 0 {
			return nil, wrong(m, c.Name, fmt.Sprintf("a lower bound of %v", c.Min), "a lower bound ≥ 0; or Mean, which "+
				"times the population is the total")
		}
		out = append(out, c)
	}
	cells := 1
	for i, name := range levels {
		c, err := of.column(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(levels[:i], name) || m.kind != weightedTable && name == m.target {
			return nil, wrong(m, name, "named twice", "each column once")
		}
		if c.Kind == frame.KindSequence {
			return nil, wrong(m, name, "a sequence column", "a categorical, integer or real column to group by")
		}
		if cells *= max(c.Levels(), 1); cells > maxGroups {
			return nil, wrong(m, name, fmt.Sprintf("%d cells", cells), fmt.Sprintf("at most %d", maxGroups))
		}
		out = append(out, *c)
	}
	for _, c := range out {
		if c.Name == w.Column {
			return nil, wrong(m, c.Name, "the weight of the schema", "another column: weights say what rows stand for; "+
				"Unweighted() makes it none, and leaves it out")
		}
	}
	c, err := of.column(w.Column)
	if err != nil {
		return nil, err
	}
	return append(out, *c), nil
}

func (m WeightedModel) layOut(sh *Shape) error {
	steps, err := sh.schema.Weighted().Steps()
	if err != nil {
		return err
	}
	l := &Lattice{Steps: 1, Low: []float64{0}, High: []float64{1}}
	groups := sh.columns[:len(sh.columns)-1]
	switch m.kind {
	case weightedTable:
	case weightedQuantiles:
		return m.layOutQuantiles(sh, steps)
	default:
		l = latticeOf(dealt, m.resolution, maxWeightedSteps, 1<<20, sh.columns[0])
		l.Omits, groups = sh.columns[0].HasMissing(), groups[1:]
	}
	if m.kind == weightedTotal && l.Low[0] > 0 { // places are shares of the upper bound
		l.Low[0] = 0
		if m.resolution == 0 && sh.columns[0].Kind == frame.KindInteger && l.High[0] <= 1<<20 {
			l.Steps = int64(l.High[0])
		}
	}
	if l.Steps < 1 || l.Steps > maxWeightedSteps {
		return wrong(m, "", fmt.Sprintf("bounds that are K = %d steps apart", l.Steps), "1 ≤ K ≤ 2^22: WithResolution(K)")
	}
	if most := math.Max(math.Abs(l.Low[0]), math.Abs(l.High[0])); !(most*steps.Max <= maxWeighted) {
		return wrong(m, sh.columns[0].Name, fmt.Sprintf("bounds of %.3g", most), fmt.Sprintf("bounds that times the largest "+
			"weight are at most %.0e, so that every total is a finite number", maxWeighted))
	}
	l.Form, l.Groups = dealt, 1
	labels := []string{""}
	for _, c := range groups {
		var next []string
		for _, before := range labels {
			for _, label := range c.Labels() {
				next = append(next, strings.TrimPrefix(before+", "+label, ", "))
			}
		}
		labels = next
		l.Groups *= c.Levels()
	}
	l.Tokens = &Tokens{m.boxes(), steps.High, l.Steps, MaxTokens}
	l.weight = steps
	sh.lattice = l
	for g, label := range labels {
		for j := range m.boxes().Each() {
			if g == 0 || g < shownRows {
				sh.sums = append(sh.sums, strings.TrimSuffix(fmt.Sprintf("box %d of tokens, %s", j+1, label), ", "))
			}
		}
	}
	return nil
}

func (m WeightedModel) parameters(sh *Shape) []string {
	groups := sh.columns[:len(sh.columns)-1]
	if m.kind != weightedTable {
		groups = groups[1:]
	}
	switch {
	case m.kind == weightedQuantiles:
		return m.unweighted().parameters(sh)
	case len(groups) == 0 && m.kind == weightedTotal:
		return []string{"total"}
	case len(groups) == 0:
		return []string{"mean"}
	}
	labels := groups[0].Labels()
	for _, c := range groups[1:] {
		var next []string
		for _, before := range labels {
			for _, label := range c.Labels() {
				next = append(next, before+", "+label)
			}
		}
		labels = next
	}
	return slices.Clone(labels)
}

// Weighted is the weight's steps of a weighted model; nil for others.
func (s *Shape) Weighted() *frame.WeightSteps {
	if s.lattice == nil {
		return nil
	}
	return s.lattice.weight
}

// tokenSums adds up the tokens of rows, for every T.
type tokenSums struct {
	sh     *Shape
	sum    []num.Int128
	block  []halves // of a block of rows: the boxes of every group; of totals the first
	rests  []int64  // of totals: the second box at every T, of a block of rows
	alike  []uint32 // of few weights and cells: how many rows of each weight every cell has; see settle
	rows   int64    // in alike
	dealer dealer
	some   [6]int64
	levels []int // of the columns of groups

	valued bool // the first column has values, and is none of groups
}

func (m WeightedModel) summer(sh *Shape) (summer, error) { return tokenSumsOf(sh), nil }

func tokenSumsOf(sh *Shape) *tokenSums {
	l := sh.lattice
	s := &tokenSums{sh: sh, sum: make([]num.Int128, l.Len()), valued: !sh.grouping(0)}
	s.block, s.dealer = make([]halves, l.Tokens.Boxes.Each()*l.Groups), l.Tokens.dealer()
	if l.Tokens.Boxes == BoxesShare && !s.valued && l.Tokens.W < mostAlike/int64(l.Groups) {
		s.alike = make([]uint32, (l.Tokens.W+1)*int64(l.Groups))
	}
	if l.Tokens.Boxes == BoxesTotal {
		s.rests = make([]int64, tokenLevels*l.Groups)
	}
	for _, c := range sh.columns[:len(sh.columns)-1] {
		s.levels = append(s.levels, c.Levels())
	}
	return s
}

// deal is what a row with a weight, a value and a group deals, and to which group; nil for one without a value.
func (s *tokenSums) deal(weight, value float64, group int) ([]int64, int) {
	l := s.sh.lattice
	k := int64(0)
	if s.valued {
		if math.IsNaN(value) {
			return nil, 0
		}
		if k = l.At(0, value); l.Tokens.Boxes == BoxesShare {
			group = int(k)
		}
	}
	row := s.some[:l.Tokens.Boxes.Each()]
	s.dealer.deal(l.weight.At(weight), k, row)
	return row, group
}

func (s *tokenSums) add(codes []frame.Codes, values [][]float64) error {
	weights := values[len(values)-1]
	first, value := s.groupsFrom(), math.NaN()
	for start := 0; start < len(weights); start += blockRows {
		for r := start; r < min(start+blockRows, len(weights)); r++ {
			group := 0
			for i := first; i < len(codes)-1; i++ {
				code := codes[i].At(r)
				if code >= s.levels[i] {
					return s.sh.lattice.strange()
				}
				group = group*s.levels[i] + code
			}
			if first > 0 {
				value = values[0][r]
			}
			s.take(weights[r], value, group)
		}
		s.flush()
	}
	if s.rows >= 1<<31 {
		s.settle()
	}
	return nil
}

// mostAlike bounds the weights times the cells that rows are counted by.
const mostAlike = 1 << 15

// settle deals for the rows that were counted by weight and cell: those of one weight and cell deal the same.
func (s *tokenSums) settle() {
	for i, n := range s.alike {
		if n > 0 {
			per := int(s.dealer.W) + 1
			row := s.some[:2]
			s.dealer.deal(int64(i%per), 0, row)
			s.addDealt(row, i/per, int64(n))
		}
	}
	clear(s.alike)
	s.rows = 0
}

// take adds what a row deals to the block.
func (s *tokenSums) take(weight, value float64, group int) {
	if s.alike != nil {
		s.alike[group*int(s.dealer.W+1)+int(s.sh.lattice.weight.At(weight))]++
		s.rows++
		return
	}
	row, group := s.deal(weight, value, group)
	for j, v := range row {
		s.block[group*len(row)+j].add(v)
	}
	if s.rests != nil && row != nil {
		s.addRests(row[0], group)
	}
}

// addRests adds the second box of a total at every T, of which the first has a at the largest.
func (s *tokenSums) addRests(a int64, group int) {
	t := *s.sh.lattice.Tokens
	for level := range tokenLevels {
		s.rests[level*s.sh.lattice.Groups+group] += (a * (t.T - a)) >> (maxTokenBits - level)
		a, t.T = a>>1, t.T>>1
	}
}

// flush adds the block to the sums.
func (s *tokenSums) flush() {
	l := s.sh.lattice
	each := l.Tokens.Boxes.Each()
	for i := range s.block {
		if s.block[i].sum == 0 && s.rests == nil {
			continue
		}
		at := l.Box(i/each, i%each)
		for level, v := range s.block[i].at() {
			if s.rests != nil && i%each == 1 {
				v = s.rests[level*l.Groups+i/each]
			}
			s.sum[level*len(s.block)+at] = s.sum[level*len(s.block)+at].Add(v)
		}
	}
	clear(s.block)
	clear(s.rests)
}

func (s *tokenSums) addRow(codes []int32, values []float64, count int64) error {
	group := 0
	for i := s.groupsFrom(); i < len(values)-1; i++ {
		levels := s.levels[i]
		if codes[i] < 0 || int(codes[i]) >= levels {
			return s.sh.lattice.strange()
		}
		group = group*levels + int(codes[i])
	}
	row, group := s.deal(values[len(values)-1], values[0], group)
	if row != nil {
		s.addDealt(row, group, count)
	}
	return nil
}

// addDealt adds what rows that deal the same have at every T. It leaves the row as it is at the least.
func (s *tokenSums) addDealt(row []int64, group int, count int64) {
	top, l := [6]int64(s.some), s.sh.lattice
	for level := range tokenLevels {
		copy(row, top[:])
		l.Tokens.fewer(row, level)
		for j, v := range row {
			at := level*len(s.block) + l.Box(group, j)
			s.sum[at] = s.sum[at].AddProduct(v, count)
		}
	}
}

// groupsFrom is the place of the first column of groups.
func (s *tokenSums) groupsFrom() int {
	if s.valued {
		return 1
	}
	return 0
}

func (s *tokenSums) numbers() []num.Int128 {
	s.settle()
	return s.sum
}

func (s *tokenSums) sums() []float64 { return nil }

func (s *tokenSums) whole() []int64 { return wholes(s.numbers()) }

// plainMeans are the estimates without noise.
func (m WeightedModel) plainMeans(st *Statistics) []float64 {
	sums := make([]float64, len(st.whole))
	for i, v := range st.whole {
		sums[i] = float64(v) / MaxTokens
	}
	return st.shape.weightedEstimates(sums)
}

// weightedEstimates are the parameters from the sums of boxes, in units of T: shares, means, or totals in the units of
// the population; NaN where no row has a weight.
func (s *Shape) weightedEstimates(sums []float64) []float64 {
	if r := s.WeightedRanks(); r != nil {
		return r.weighted(sums[:s.lattice.Groups])
	}
	l, out := s.lattice, make([]float64, s.lattice.Groups)
	all := 0.0
	for g := range out {
		all += sums[l.Box(g, 0)]
	}
	for g := range out {
		a := sums[l.Box(g, 0)]
		switch l.Tokens.Boxes {
		case BoxesShare:
			out[g] = a / all
		case BoxesTotal:
			out[g] = a * s.TotalUnit()
		default:
			b1, b2 := sums[l.Box(g, 1)], sums[l.Box(g, 2)]
			out[g] = l.Low[0] + (l.High[0]-l.Low[0])*(b1/2+b2)/(a+b1+b2)
		}
	}
	return out
}

// TotalUnit is what a row of the largest weight at the upper bound adds to a total.
func (s *Shape) TotalUnit() float64 { return s.lattice.weight.Max * s.lattice.High[0] }

func (m WeightedModel) ranges(sh *Shape) []float64 {
	r := sh.lattice.High[0] - sh.lattice.Low[0]
	if m.kind == weightedQuantiles {
		return m.unweighted().ranges(sh)
	}
	if m.kind == weightedTotal {
		r = sh.TotalUnit() * float64(max(sh.n, sh.schema.ApproximateRows, 1))
	}
	return []float64{r}
}

func (m WeightedModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	if m.kind == weightedTotal {
		return nil, wrong(m, "", "held-out rows", "Mean or GroupMeans: the total of other rows is another number")
	}
	return m.ofWhole.scores(f, x)
}

func (m WeightedModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	if _, err := m.scores(f, x); err != nil {
		return nil, err
	}
	return m.ofWhole.measure(f, nil, x)
}

func (m WeightedModel) words() Words {
	w := m.ofWhole.words()
	switch m.kind {
	case weightedTable:
		w.Error = "a share"
	case weightedQuantiles:
		w.Error = m.unweighted().words().Error
	case weightedTotal:
		w.Error = "a total, as a share of the largest one possible"
	}
	w.Source = "weights uniform between their bounds, which those of a survey are not; groups equally likely"
	if m.kind != weightedTable {
		w.Source += "; values Beta-distributed"
	}
	return w
}

// simulate draws rows with weights uniform between their bounds, values Beta-distributed, groups equally likely.
func (m WeightedModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (
	*Statistics, error) {
	l, rows := sh.lattice, min(n, simulatedRows)
	s := tokenSumsOf(sh)
	for r := range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a, b := sample.LogGamma(src, 2), sample.LogGamma(src, 5)
		value := l.Low[0] + (l.High[0]-l.Low[0])/(1+math.Exp(b-a))
		w := l.weight
		weight := w.Step * (float64(w.Low) + float64(w.High-w.Low)*sample.Float64(src))
		s.take(weight, value, int(sample.Uniform(src, uint64(l.Groups))))
		if r%blockRows == blockRows-1 || r == rows-1 {
			s.flush()
		}
	}
	sums := s.whole()
	for i := range sums {
		sums[i] = int64(math.Round(float64(sums[i]) * float64(n) / float64(max(rows, 1))))
	}
	return FromWhole(sh, n, sums)
}
