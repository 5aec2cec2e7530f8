package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/maxent"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// StructuralZeros declares combinations that no record can have, each as the level of every column it is about, such as
// {"sex": "male", "pregnant": "yes"}; columns that are not named may have any level. Further calls declare more. What
// is fitted gives them probability 0, and no synthetic record has them.
//
// They are public knowledge, like the schema: declare what is impossible by definition or by law, and never what
// happens to be missing from the rows. Records that have them all the same are counted like any others and promise
// nothing less; their share goes to what is possible.
func (m LearnedModel) StructuralZeros(cells ...map[string]string) LearnedModel {
	m.settings.StructuralZeros = slices.Clone(m.settings.StructuralZeros)
	for _, c := range cells {
		m.settings.StructuralZeros = append(m.settings.StructuralZeros, maps.Clone(c))
	}
	return m
}

// Bounds of what is declared, so that reading a file stays quick: combinations, the cells of their tables, and those of
// the cliques that join them.
const (
	mostZeros       = 10_000
	mostZeroCells   = 1 << 22
	mostZeroCliques = 1 << 24
)

// Zeros are the structural zeros over one set of columns.
type Zeros struct {
	Columns   []int  // places among the shape's columns, ascending
	Forbidden []bool // the cells of their table, the last column running fastest
}

// Cells is how many cells are zeros.
func (z Zeros) Cells() (n int) {
	for _, no := range z.Forbidden {
		if no {
			n++
		}
	}
	return n
}

// FitCells bounds the cells of a clique that the fit of a learned structure computes with.
func (s LearnedSettings) FitCells() int {
	if s.Algorithm == Pairs {
		return s.MaxCells
	}
	return max(s.MaxCells, fileClique)
}

// zeros finds the cells that are declared, and refuses what cannot be computed with or leaves no record.
func (m LearnedModel) zeros(sh *Shape) (out []Zeros, err error) {
	declared, set := m.settings.StructuralZeros, m.Settings()
	if !m.settings.forbids() && len(m.places(sh.schema)) == 0 {
		return nil, nil
	}
	if len(declared) > mostZeros {
		return nil, wrong(m, "", fmt.Sprintf("%d structural zeros", len(declared)), fmt.Sprintf("at most %d", mostZeros))
	}
	levels, total := sh.columnLevels(), 0
	over := func(columns []int) (*Zeros, error) { // the zeros over these columns, in ascending order
		if k := slices.IndexFunc(out, func(z Zeros) bool { return slices.Equal(z.Columns, columns) }); k >= 0 {
			return &out[k], nil
		}
		cells := junction.Cells(columns, levels)
		if cells > set.FitCells() {
			return nil, wrong(m, sh.names(columns, " × "), "structural zeros in a table of "+junction.CellText(cells)+" cells",
				fmt.Sprintf("at most %d: fewer columns in a combination, or MaxCells", set.FitCells()))
		}
		if total += cells; total > mostZeroCells {
			return nil, wrong(m, sh.names(columns, " × "), fmt.Sprintf("structural zeros in tables of %d cells", total),
				fmt.Sprintf("at most %d in all", mostZeroCells))
		}
		out = append(out, Zeros{columns, make([]bool, cells)})
		return &out[len(out)-1], nil
	}
	for _, cell := range declared {
		columns, codes, err := m.zero(sh, cell)
		if err != nil {
			return nil, err
		}
		z, err := over(columns)
		if err != nil {
			return nil, err
		}
		at := 0
		for i, v := range columns {
			at = at*levels[v] + codes[i]
		}
		z.Forbidden[at] = true
	}
	err = m.ruled(sh, func(a, b int, never func(i, j int) bool) error {
		z, err := over([]int{min(a, b), max(a, b)})
		for i := range levels[a] {
			for j := 0; j < levels[b] && err == nil; j++ {
				at := i*levels[b] + j
				if a > b {
					at = j*levels[a] + i
				}
				z.Forbidden[at] = z.Forbidden[at] || never(i, j)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	// a rule that the bins already keep to has no zeros
	out = slices.DeleteFunc(out, func(z Zeros) bool { return z.Cells() == 0 })
	if len(out) == 0 {
		return nil, nil
	}
	return out, m.possible(sh, levels, out)
}

// zero is one declared combination as places and codes.
func (m LearnedModel) zero(sh *Shape, cell map[string]string) (columns, codes []int, err error) {
	if len(cell) == 0 {
		return nil, nil, wrong(m, "", "a structural zero without columns",
			`columns with levels, such as {"a": "x", "b": "y"}`)
	}
	names := sh.columnNames()
	for _, name := range slices.Sorted(maps.Keys(cell)) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, nil, wrong(m, name, "a structural zero of no column of the model", safetext.OneOf(name, names))
		}
		columns = append(columns, i)
	}
	slices.Sort(columns)
	for _, i := range columns {
		labels, level := sh.columns[i].Labels(), cell[names[i]]
		k := slices.Index(labels, level)
		if k < 0 {
			return nil, nil, wrong(m, names[i], "a structural zero of level "+safetext.Quote(level), safetext.OneOf(level, labels))
		}
		codes = append(codes, k)
	}
	return columns, codes, nil
}

// possible refuses zeros that no fit can compute with beside the given tables, and such as leave no record.
func (m LearnedModel) possible(sh *Shape, levels []int, zeros []Zeros) error {
	set, scopes, ctx := m.Settings(), [][]int{}, context.Background()
	fit, err := maxent.New(levels, 1)
	if err != nil {
		return wrong(m, "", err.Error(), "levels that a fit can hold")
	}
	for _, z := range zeros {
		scopes = append(scopes, z.Columns)
		if err := fit.Forbid(z.Columns, z.Forbidden); err != nil {
			return wrong(m, sh.names(z.Columns, " × "), err.Error(), "smaller tables")
		}
	}
	if set.Star != "" {
		scopes = append(scopes, places(sh.pairs())...)
	}
	var wide *junction.WidthError
	forest, err := junction.Build(ctx, levels, scopes, min(set.FitCells(), maxent.MaxCells))
	if errors.As(err, &wide) {
		return wrong(m, sh.names(wide.Vars, " × "), "structural zeros that need a clique of "+junction.CellText(wide.Cells)+
			" cells", fmt.Sprintf("at most %d: zeros over fewer columns, or MaxCells", wide.Limit))
	} else if err != nil {
		return err
	}
	most := mostZeroCliques
	if set.MaxWork > 0 && set.Star == "" { // above it no pair could be chosen
		most = min(most, set.MaxWork)
	}
	if work := forest.Work(); work > most {
		return wrong(m, "", "structural zeros that need cliques of "+junction.CellText(work)+" cells in all",
			fmt.Sprintf("at most %d: zeros over fewer columns, or a larger MaxCells", most))
	}
	var none *maxent.ImpossibleError
	if _, err := fit.Fit(ctx, 1); errors.As(err, &none) {
		return wrong(m, "", "structural zeros that rule out every record", "at least one combination that can be")
	} else if err != nil {
		return err
	}
	return nil
}

// places are pairs as lists.
func places(pairs [][2]int) (out [][]int) {
	for _, p := range pairs {
		out = append(out, []int{p[0], p[1]})
	}
	return out
}

// names joins the names of columns.
func (s *Shape) names(places []int, by string) string {
	var out []string
	for _, i := range places {
		out = append(out, s.columns[i].Name)
	}
	return strings.Join(out, by)
}

// ZeroText says which combinations and rules are declared, in the order of declaration, and at most that many.
func (s LearnedSettings) ZeroText(most int) string {
	var words []string
	for _, cell := range s.StructuralZeros {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(cell)) {
			parts = append(parts, plain(name)+" = "+plain(cell[name]))
		}
		words = append(words, strings.Join(parts, " and "))
	}
	words = append(words, s.ruleTexts()...)
	if len(words) > most {
		words = append(words[:most], fmt.Sprintf("%d more", len(words)-most))
	}
	return strings.Join(words, "; ")
}

// forbids reports whether anything is declared that no record can have.
func (s LearnedSettings) forbids() bool {
	return len(s.StructuralZeros)+len(s.Dependencies)+len(s.Ordered) > 0
}

// without is a network whose rows give no probability to what the counts of its families give none: parameters of a
// posterior are never 0. Rows without any count stay: nothing leads to them.
func (s *Shape) without(net *bayesnet.Net, counts [][]float64) (*bayesnet.Net, error) {
	d, tables := net.DAG(), make([][]float64, len(counts))
	for i, t := range counts {
		own := net.Table(i)
		tables[i] = slices.Clone(own)
		for lo := 0; lo < len(t); lo += d.Arity(i) {
			sum := 0.0
			for k := lo; k < lo+d.Arity(i); k++ {
				if t[k] > 0 {
					sum += own[k]
				}
			}
			for k := lo; k < lo+d.Arity(i) && sum > 0; k++ {
				if tables[i][k] = own[k] / sum; t[k] == 0 {
					tables[i][k] = 0
				}
			}
		}
	}
	return bayesnet.NewNet(d, tables)
}

// allowed drops the records of a network's nodes that have a structural zero, in place, and returns how many are left.
func (s *Shape) allowed(d *bayesnet.DAG, codes [][]uint16) (left int) {
	of := make([]int, len(s.columns)) // the node of every column
	for i, c := range s.columns {
		of[i], _ = d.Index(c.Name)
	}
	for r := range codes[0] {
		ok := true
		for _, z := range s.zeros {
			at := 0
			for _, i := range z.Columns {
				at = at*s.columns[i].Levels() + int(codes[of[i]][r])
			}
			ok = ok && !z.Forbidden[at]
		}
		if ok {
			for i := range codes {
				codes[i][left] = codes[i][r]
			}
			left++
		}
	}
	return left
}

// redraws bounds the rounds in which simulated records that cannot be are drawn again.
const redraws = 1000

// records draws records of a network over the columns without structural zeros, by rejection. Errors: *Error where
// hardly any record is possible; the context's.
func (s *Shape) records(ctx context.Context, net *bayesnet.Net, src rand.Source, codes [][]uint16) error {
	rows, part, done := len(codes[0]), make([][]uint16, len(codes)), 0
	for k := 0; done < rows; k++ {
		for i := range part {
			part[i] = codes[i][done:]
		}
		if k == redraws {
			return wrong(s.model, "", "structural zeros that hardly any simulated record keeps to", "fewer of them")
		}
		if err := net.Sample(rows-done, src, part); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		done += s.allowed(net.DAG(), part)
	}
	return nil
}

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
