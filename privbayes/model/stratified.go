package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// stratifiedModel is a mean, or the shares of one column's levels, of the population that was sampled in strata which
// no unit leaves: what [Mean] and Table are under a schema that says so. How many units each stratum has, in the
// population and in the table, is public (see frame.Strata).
type stratifiedModel struct {
	ofWhole
	table bool
}

// The kinds of models in strata, as files name them.
const (
	stratifiedMean  = "stratified-mean"
	stratifiedTable = "stratified-table"
)

func stratifiedOf(table bool, target string) stratifiedModel {
	return stratifiedModel{ofWhole{ofSums: ofSums{base{target: target}}}, table}
}

// stratified is the model of the population under a schema with strata that no unit leaves: the model itself where
// there are none.
func stratified(s *frame.Schema, m Model) (Model, error) {
	if _, own := m.(stratifiedModel); own || s.FixedStrata() == nil {
		return m, nil
	}
	d := m.describe()
	switch m.(type) {
	case MeansModel:
		if d.Kind == "mean" {
			out := stratifiedOf(false, d.Target)
			out.resolution = d.Resolution
			return out, nil
		}
	case ContingencyTableModel:
		if len(d.Features) == 0 && slices.Equal(d.Alpha, ContingencyTable("").alpha) {
			return stratifiedOf(true, d.Target), nil
		}
	}
	return nil, wrong(m, "", "strata that no unit leaves", `Mean, or Table of one column without a prior; or `+
		`"moves": true, under which strata are a column like any other`)
}

// String describes the model.
func (m stratifiedModel) String() string {
	if m.table {
		return "shares of " + safetext.Quote(m.target) + " in strata"
	}
	return "mean of " + safetext.Quote(m.target) + " in strata"
}

func (m stratifiedModel) describe() Description {
	d := Description{Kind: stratifiedMean, Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
	if m.table {
		d.Kind = stratifiedTable
	}
	return d
}

func (m stratifiedModel) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	return m
}

func (m stratifiedModel) columns(s *frame.Schema) ([]frame.Column, error) {
	strata := s.FixedStrata()
	if strata == nil {
		return nil, wrong(m, "", "a table without strata that no unit leaves", `"strata" with "moves": false in the schema`)
	}
	if err := m.checkResolution(m, MaxSteps); err != nil {
		return nil, err
	}
	if m.target == s.Strata.Column {
		return nil, wrong(m, m.target, "the column of the strata", "another column: how many units a stratum has is public")
	}
	if m.table && m.resolution > 0 {
		return nil, wrong(m, "", "a resolution", "none: levels are counted")
	}
	of := nameColumns(s)
	by, err := of.column(s.Strata.Column)
	if err != nil {
		return nil, err
	}
	if !m.table {
		c, err := ranged(m, of, m.target)
		if err == nil && c.HasMissing() {
			err = refuseMissing(m, c, `"on_missing": "impute", or none missing: how many rows have a value is private`)
		}
		return []frame.Column{c, *by}, err
	}
	c, _, err := s.Column(m.target)
	if err != nil {
		return nil, err
	}
	if err := countable(m, c); err != nil {
		return nil, err
	}
	if k := c.Levels(); k < 2 || k*len(strata) > maxGroups {
		return nil, wrong(m, c.Name, levelsOf(*c), fmt.Sprintf("2 categories or more, and at most %d over "+
			"all strata", maxGroups))
	}
	return []frame.Column{*c, *by}, nil
}

// layOut makes the sums of GroupMeans by the stratum, or a count of every level in every stratum.
func (m stratifiedModel) layOut(sh *Shape) error {
	var rows, of []string
	for _, label := range sh.columns[1].Labels() {
		rows, of = append(rows, "rows with "+label), append(of, " with "+label)
	}
	if !m.table {
		return layOutGroups(m, sh, m.resolution, rows, of)
	}
	sh.lattice = &Lattice{Form: PerLevel, Steps: int64(sh.columns[0].Levels()) - 1, Low: []float64{0}, High: []float64{1},
		Groups: len(rows)}
	for _, stratum := range of {
		for _, level := range sh.columns[0].Labels() {
			sh.sums = append(sh.sums, "rows of "+level+stratum)
		}
	}
	return nil
}

func (m stratifiedModel) parameters(sh *Shape) []string {
	if m.table {
		return slices.Clone(sh.columns[0].Labels())
	}
	return []string{"mean"}
}

// Stratified are the strata of a model in strata that no unit leaves; nil of others.
func (s *Shape) Stratified() []frame.Stratum {
	if _, ok := s.model.(stratifiedModel); !ok {
		return nil
	}
	return s.schema.FixedStrata()
}

// stratumSums count levels in strata.
type stratumSums struct {
	latticeSums
	levels int
}

func (m stratifiedModel) summer(sh *Shape) (summer, error) {
	if !m.table {
		return m.ofWhole.summer(sh)
	}
	l := sh.lattice
	return &stratumSums{latticeSums{l: l, sum: make([]num.Int128, l.Len())}, int(l.Steps) + 1}, nil
}

func (s *stratumSums) add(codes []frame.Codes, _ [][]float64) error {
	counts := make([]int64, len(s.sum))
	for r := range codes[0].Len() {
		level, group := codes[0].At(r), codes[1].At(r)
		if level >= s.levels || group >= s.l.Groups {
			return s.l.strange()
		}
		s.l.Add(counts, []int64{int64(level)}, group)
	}
	for i, v := range counts {
		s.sum[i] = s.sum[i].Add(v)
	}
	return nil
}

func (s *stratumSums) addRow(codes []int32, _ []float64, count int64) error {
	level, group := int(codes[0]), int(codes[1])
	if level < 0 || level >= s.levels || group < 0 || group >= s.l.Groups {
		return s.l.strange()
	}
	at := group*s.levels + level
	s.sum[at] = s.sum[at].Add(count)
	return nil
}

// sampledAsStated refuses sums of another number of rows in a stratum than the schema says: it is public, so that a
// table in which it is not so is another table. *Error, which does not say how many there are.
func (s *Shape) sampledAsStated(whole []int64) error {
	each := 0
	if s.Stratified() != nil {
		each = s.lattice.each()
	}
	for g, h := range s.Stratified() {
		own := whole[g*each : (g+1)*each]
		rows := own[0]
		if s.lattice.Form == PerLevel {
			rows = 0
			for _, v := range own {
				rows += v
			}
		}
		if rows != h.Sampled {
			return wrong(s.model, s.schema.Strata.Column, "another number of rows in "+safetext.Quote(h.Label),
				fmt.Sprintf(`%d, as "strata" of the schema says under "sampled"`, h.Sampled))
		}
	}
	return nil
}

// plainMeans are the estimates without noise: means, or shares, of the strata by their sizes in the population.
func (m stratifiedModel) plainMeans(st *Statistics) []float64 {
	sh := st.shape
	out, all := make([]float64, len(sh.Parameters())), 0.0
	each := sh.lattice.each()
	for g, h := range sh.Stratified() {
		all += float64(h.Size)
		own := st.whole[g*each : (g+1)*each]
		for i := range out {
			x := float64(own[i]) / float64(h.Sampled)
			if !m.table {
				x = sh.lattice.Value(0, float64(own[1])/float64(h.Sampled))
			}
			out[i] += float64(h.Size) * x
		}
	}
	for i := range out {
		out[i] /= all
	}
	return out
}

func (m stratifiedModel) ranges(sh *Shape) []float64 {
	return []float64{sh.lattice.High[0] - sh.lattice.Low[0]}
}

func (m stratifiedModel) scores(*Fitted, *frame.Frame) ([]Score, error) {
	return nil, wrong(m, "", "held-out rows", "the table as it was sampled: parts of it have other numbers "+
		"of rows in the strata")
}

func (m stratifiedModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	_, err := m.scores(f, x)
	return nil, err
}

func (m stratifiedModel) guess(f *Fitted, x *frame.Frame) (float64, error) {
	_, err := m.scores(f, x)
	return 0, err
}

func (m stratifiedModel) words() Words {
	w := m.ofWhole.words()
	w.Source = "levels equally likely, values Beta-distributed, alike in all strata"
	if m.table {
		w.Error = "a share"
	}
	return w
}

// simulate draws the rows of every stratum: levels equally likely, or values Beta-distributed.
func (m stratifiedModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (
	*Statistics, error) {
	l, sums := sh.lattice, make([]int64, sh.lattice.Len())
	for g, h := range sh.Stratified() {
		rows := min(h.Sampled, simulatedRows)
		one := make([]int64, len(sums))
		for range rows {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			place := int64(sample.Uniform(src, uint64(l.Steps+1)))
			if !m.table {
				a, b := sample.LogGamma(src, 2), sample.LogGamma(src, 5)
				place = l.At(0, l.Low[0]+(l.High[0]-l.Low[0])/(1+math.Exp(b-a)))
			}
			l.Add(one, []int64{place}, g)
		}
		left := h.Sampled - rows // as the middle
		for i, v := range one {
			sums[i] += v
		}
		one = make([]int64, len(sums))
		l.Add(one, []int64{l.Steps / 2}, g)
		for i, v := range one {
			sums[i] += v * left
		}
	}
	return FromWhole(sh, n, sums)
}
