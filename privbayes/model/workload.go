package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// WorkloadQuery is a table that a release is to answer well: that of some columns, with its weight beside the others.
type WorkloadQuery struct {
	Columns []string `json:"columns"`
	Weight  int      `json:"weight"`
}

// Workload names a table that the release is to answer well, that of a column with all others, of a pair, a triple or
// more columns, and its weight beside others that further calls name. The score of a candidate pair r is multiplied by
//
//	u_r = Σ_queries weight·|r ∩ columns|,
//
// as in AIM (McKenna et al. 2022), divided by what all of them have in common; pairs of weight 0 are not measured.
// Weights are public: choose them without the data. Without a workload all pairs weigh the same.
func (m LearnedModel) Workload(weight int, columns ...string) LearnedModel {
	m.settings.Workload = append(slices.Clip(m.settings.Workload), WorkloadQuery{slices.Clone(columns), weight})
	return m
}

// Bounds of workloads: a weight multiplies scores, which must stay whole numbers of 64 bits.
const (
	mostQueries = 1000
	mostWeight  = 1000
)

// weighPairs makes the weights of the pairs.
func (m LearnedModel) weighPairs(sh *Shape) (out []int64, err error) {
	list := m.settings.Workload
	switch {
	case len(list) == 0:
		return nil, nil
	case len(list) > mostQueries:
		return nil, wrong(m, "", fmt.Sprintf("a workload of %d tables", len(list)), fmt.Sprintf("at most %d", mostQueries))
	case m.settings.Star != "":
		return nil, wrong(m, m.settings.Star, "a workload of a public star", "no workload: its tables are given")
	}
	places := map[string]int{}
	for i, c := range sh.columns {
		places[c.Name] = i
	}
	pairs := sh.pairs()
	out = make([]int64, len(pairs))
	for _, q := range list {
		in := make([]int64, len(sh.columns))
		for i, name := range q.Columns {
			k, ok := places[name]
			switch {
			case !ok:
				return nil, wrong(m, name, "a workload of no column of the model", safetext.OneOf(name, sh.columnNames()))
			case slices.Contains(q.Columns[:i], name):
				return nil, wrong(m, name, "named twice in a table of the workload", "each column once")
			}
			in[k] = 1
		}
		if len(q.Columns) == 0 || q.Weight < 1 || q.Weight > mostWeight {
			return nil, wrong(m, "", fmt.Sprintf("a workload of weight %d over %d columns", q.Weight, len(q.Columns)),
				fmt.Sprintf("weights of 1 to %d, at least one column", mostWeight))
		}
		for i, p := range pairs {
			out[i] += int64(q.Weight) * (in[p[0]] + in[p[1]])
		}
	}
	return m.reduced(out)
}

// reduced divides weights by what they have in common.
func (m LearnedModel) reduced(weights []int64) ([]int64, error) {
	common := int64(0)
	for _, w := range weights {
		for a := w; a != 0; {
			a, common = common%a, a
		}
	}
	if common == 0 {
		return nil, wrong(m, "", "a workload of tables that may not be measured",
			fmt.Sprintf("a pair of at most MaxCells = %d cells with a column of it", m.Settings().MaxCells))
	}
	for i := range weights {
		weights[i] /= common
	}
	if top := slices.Max(weights); top > mostWeight {
		return nil, wrong(m, "", fmt.Sprintf("a pair of weight %d", top), fmt.Sprintf("at most %d in all", mostWeight))
	}
	return weights, nil
}

// WorkloadText says what the workload is, at most that many tables of it.
func (s LearnedSettings) WorkloadText(most int) string {
	var words []string
	for i, q := range s.Workload {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(s.Workload)-most))
			break
		}
		words = append(words, fmt.Sprintf("%d × (%s)", q.Weight, strings.Join(plains(q.Columns), ", ")))
	}
	return strings.Join(words, " + ")
}
