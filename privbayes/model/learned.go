package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/maxent"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Algorithm says which tables a learned structure may measure, and what is made of them.
type Algorithm string

// The algorithms.
const (
	Pairs  Algorithm = "pairs"   // pairs of columns, in rounds; a distribution of maximum entropy
	Forest Algorithm = "tree"    // pairs that make a tree, or a forest where choosing stops
	Grown  Algorithm = "chordal" // pairs with what separates them, so that the graph stays chordal
)

// LearnedModel is a model whose structure is not given: which columns depend on one another is an output of the
// release. See MaxEntropy, Tree and Cliques. What is released is a Bayesian network: a Fitted of it is that of the
// model Network with the structure that was learned.
//
// Statistics are the table of every column and of every pair of columns and, where it is small, the joint table of all.
// They are private as ever: a mechanism that learns reads them by rounds, each of which it charges.
type LearnedModel struct {
	ofCounts
	settings LearnedSettings
}

// LearnedSettings are the public choices of a learned structure.
type LearnedSettings struct {
	Algorithm Algorithm `json:"algorithm"`
	Columns   []string  `json:"-"`                   // those of the model; empty: all of the schema
	Star      string    `json:"star,omitempty"`      // a public star: its centre; nothing is chosen
	MaxCells  int       `json:"max_cells,omitempty"` // of a measured table, or of a clique; 0: as before MaxWork
	MaxWork   int       `json:"max_work,omitempty"`  // cells of all cliques of MaxEntropy; 0: no bound
	Width     int       `json:"width,omitempty"`     // most columns of a table of grown cliques
	Size      int       `json:"size,omitempty"`      // a public number of records to decide by where n is private
	Always    bool      `json:"always,omitempty"`    // choose, whatever is expected of it
	// sums within bins of columns of numbers, and those that have none; a file without it has none at all
	WithinBins bool            `json:"within_bins,omitempty"`
	Evenly     []string        `json:"evenly,omitempty"`
	Workload   []WorkloadQuery `json:"workload,omitempty"`   // tables that are to be answered well; none: all alike
	Reserve    [][2]string     `json:"reserve,omitempty"`    // pairs that can be measured whatever is chosen before them
	Statements bool            `json:"statements,omitempty"` // distances of all pairs from the fit are measured
	// combinations that no record can have: the level of every column they are about
	StructuralZeros []map[string]string `json:"structural_zeros,omitempty"`
	Dependencies    []Dependency        `json:"dependencies,omitempty"` // the value that goes with another column's
	Ordered         [][]string          `json:"ordered,omitempty"`      // columns whose values do not decrease

	Greedy *GreedySettings `json:"privbayes,omitempty"` // of PrivBayes
}

// Limits of learned structures.
const (
	usualClique = 1 << 16 // cells of a clique of the maximum-entropy fit
	usualWork   = 1 << 20 // cells of all cliques of it
	fileClique  = 1 << 14 // cells of a clique where a file states no bound, and beside tables that are not chosen by it
	usualTable  = 4096    // cells of a measured table of a tree or of grown cliques
	usualGreedy = 1 << 16 // cells of a measured table of PrivBayes
	maxWidth    = 3
	mostFitted  = maxent.MaxCells // cells of a table or clique that a fit computes with
)

// MaxEntropy learns which pairs of columns to measure and fits the distribution of maximum entropy to what was
// measured: the default, and the most accurate where there are enough rows (theory/structure.md §8).
func MaxEntropy() LearnedModel {
	return learned(LearnedSettings{Algorithm: Pairs, MaxCells: usualClique, MaxWork: usualWork, WithinBins: true})
}

// Tree learns a tree of columns, each pair of which is measured (theory/structure.md §2).
func Tree() LearnedModel { return learned(LearnedSettings{Algorithm: Forest, WithinBins: true}) }

// Cliques learns a chordal graph whose cliques have at most the given number of columns, 2 or 3; each clique is
// measured whole. It needs rows in memory, since tables of three columns are counted when they are chosen.
func Cliques(width int) LearnedModel {
	return learned(LearnedSettings{Algorithm: Grown, Width: width, WithinBins: true})
}

func learned(s LearnedSettings) LearnedModel { return LearnedModel{settings: s} }

// Classifying names the column that Predict classifies; without it that is the first.
func (m LearnedModel) Classifying(column string) LearnedModel { m.target = column; return m }

// Of names the columns of the model, at least two: fewer columns cost less. The choice is public: make it
// without the data.
func (m LearnedModel) Of(columns ...string) LearnedModel {
	m.settings.Columns = slices.Clone(columns)
	return m
}

// Star gives a public structure in place of a learned one: every other column depends on the centre. Nothing is chosen,
// so that all of the budget measures.
func (m LearnedModel) Star(centre string) LearnedModel { m.settings.Star = centre; return m }

// MaxCells bounds the cells of a table that may be measured or, of MaxEntropy, of a clique that the fit computes with:
// 65,536 of MaxEntropy, 4,096 of others and 65,536 of PrivBayes where it is 0 or not called. All cliques together have
// at most 2^20 cells, or as many as one may have where that is more: an evaluation of the fit takes some 5 ns a cell.
func (m LearnedModel) MaxCells(cells int) LearnedModel {
	m.settings.MaxCells, m.settings.MaxWork = cells, 0
	if m.settings.Algorithm == Pairs {
		m.settings.MaxCells, m.settings.MaxWork = cmp.Or(cells, usualClique), max(usualWork, cells)
	}
	return m
}

// Size is a public number of records, such as a census gives, by which a release under a private n decides before it
// draws whether learning pays. Without it the decision waits for the noisy size that the tables of the columns give.
func (m LearnedModel) Size(n int) LearnedModel { m.settings.Size = n; return m }

// Always learns whatever the plan expects of it.
func (m LearnedModel) Always() LearnedModel { m.settings.Always = true; return m }

// Settings are the public choices, with the usual ones filled in.
func (m LearnedModel) Settings() LearnedSettings {
	s := m.settings
	if s.MaxCells == 0 {
		s.MaxCells = usualTable
		switch s.Algorithm {
		case Pairs:
			s.MaxCells = fileClique
		case Greedy:
			s.MaxCells = usualGreedy
		}
	}
	if s.Algorithm == Greedy {
		s.Greedy = s.Greedy.usual()
		if s.Width = maxDegree + 1; s.Greedy.Degree > 0 {
			s.Width = s.Greedy.Degree + 1
		}
	}
	return s
}

// String describes the model.
func (m LearnedModel) String() string {
	what := map[Algorithm]string{Pairs: "maximum entropy over learned pairs", Forest: "learned tree",
		Grown:  fmt.Sprintf("learned cliques of up to %d columns", m.settings.Width),
		Greedy: m.settings.Greedy.words()}[m.settings.Algorithm]
	if m.settings.Star != "" {
		what = "public star about " + safetext.Quote(m.settings.Star)
	}
	if z := len(m.settings.StructuralZeros); z > 0 {
		what += ", " + table.Count(z, "structural zero")
	}
	if r := m.settings.ruleTexts(); len(r) > 0 {
		what += ", " + table.Count(len(r), "rule")
	}
	if m.target == "" {
		return what
	}
	return what + ", target " + safetext.Quote(m.target)
}

func (m LearnedModel) describe() Description {
	s := m.settings
	s.Columns = nil
	return Description{Kind: "learned", Target: m.target, Features: m.settings.Columns, Alpha: m.alpha, Learned: &s}
}

func (m LearnedModel) with(d Description) Model {
	m.target, m.alpha = d.Target, d.Alpha
	if d.Learned != nil {
		m.settings = *d.Learned
	}
	m.settings.Columns = d.Features
	return m
}

// valid checks the public choices that need no schema.
func (m LearnedModel) valid() error {
	s := m.settings
	switch {
	case s.Algorithm != Pairs && s.Algorithm != Forest && s.Algorithm != Grown && s.Algorithm != Greedy:
		return wrong(m, "", "algorithm "+safetext.Short(string(s.Algorithm)), `"pairs", "tree", "chordal" or "privbayes"`)
	case len(m.alpha) > 0:
		return wrong(m, "", "a prior", "none: what is fitted has a penalty of its own")
	case s.Algorithm == Grown && (s.Width < 2 || s.Width > maxWidth), s.Algorithm != Grown && s.Width != 0:
		return wrong(m, "", fmt.Sprintf("cliques of %d columns", s.Width), fmt.Sprintf("2 to %d", maxWidth))
	case s.MaxCells < 0 || s.MaxCells > mostFitted: // above, the fit would fail after the charge
		return wrong(m, "", fmt.Sprintf("MaxCells(%d)", s.MaxCells), fmt.Sprintf("1 to %d", mostFitted))
	case s.MaxWork < 0 || s.MaxWork > mostFitted || s.MaxWork > 0 && s.MaxWork < s.MaxCells:
		return wrong(m, "", fmt.Sprintf("max_work %d", s.MaxWork), fmt.Sprintf("max_cells to %d", mostFitted))
	case s.Size < 0 || s.Size > 1e15:
		return wrong(m, "", fmt.Sprintf("Size(%d)", s.Size), "1 to 1e15 records")
	}
	return cmp.Or(m.validGreedy(), m.validStatements())
}

// columns lists the target's column and the others, in the schema's order.
func (m LearnedModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.valid(); err != nil {
		return nil, err
	}
	names := m.settings.Columns
	if len(names) == 0 {
		for _, c := range s.Columns {
			if c.Kind != frame.KindSequence {
				names = append(names, c.Name)
			}
		}
	}
	if m.target == "" && len(names) > 0 {
		m.target = names[0]
	}
	target, err := targetColumn(Categorical(m.target), s, true)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, m.target) {
		return nil, wrong(m, m.target, "a target that is not among the columns", "one of Of(…)")
	}
	if c := m.settings.Star; c != "" && !slices.Contains(names, c) {
		return nil, wrong(m, c, "the centre of a star that is no column of the model",
			"one of: "+strings.Join(quoted(names), ", "))
	}
	out, of := []frame.Column{*target}, nameColumns(s)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, wrong(m, name, "named twice", "each column once")
		}
		if name == m.target {
			continue
		}
		c, err := of.column(name)
		switch {
		case err != nil:
			return nil, err
		case c.Kind == frame.KindSequence:
			return nil, wrong(m, name, "a sequence column", "categorical, integer or real columns")
		case c.Levels() < 2:
			return nil, wrong(m, name, levelsOf(*c), twoLevels(*c)+"; leave a constant column out: Of(…)")
		}
		out = append(out, *c)
	}
	if len(out) < 2 {
		return nil, wrong(m, m.target, "one column", "at least two; Categorical(column) is the model of one")
	}
	return out, nil
}

// layOut makes the tables of all columns, then those of the pairs a < b that may be measured, in order, then maybe the
// joint table of all: a pair of more cells than allowed is never counted.
func (m LearnedModel) layOut(sh *Shape) error {
	set, total, least := m.Settings(), 0.0, Table{}
	for _, c := range sh.columns {
		sh.tables = append(sh.tables, Table{c.Name, []string{c.Name}, []int{c.Levels()}, [][]string{c.Labels()}})
		total += float64(c.Levels())
	}
	pairs := 0
	for a, c := range sh.columns {
		for b := a + 1; b < len(sh.columns); b++ {
			other := sh.columns[b]
			if set.Star != "" && c.Name != set.Star && other.Name != set.Star {
				continue
			}
			t := Table{Name: c.Name + " × " + other.Name, Columns: []string{c.Name, other.Name},
				Levels: []int{c.Levels(), other.Levels()},
				Labels: [][]string{sh.tables[a].Labels[0], sh.tables[b].Labels[0]}}
			cells := float64(t.Levels[0]) * float64(t.Levels[1])
			if least.Name == "" || t.Cells() < least.Cells() {
				least = t
			}
			if cells > float64(set.MaxCells) {
				if set.Star != "" {
					return wrong(m, t.Name, fmt.Sprintf("%.0f cells", cells), fmt.Sprintf("at most %d: MaxCells", set.MaxCells))
				}
				continue
			}
			if total += cells; total > maxCells {
				return wrong(m, t.Name, fmt.Sprintf("%.0f cells, %.0f with the tables before it", cells, total),
					fmt.Sprintf("at most %d cells in the tables of all pairs; use fewer columns, categories or bins", maxCells))
			}
			sh.tables = append(sh.tables, t)
			pairs++
		}
	}
	if pairs == 0 {
		return wrong(m, least.Name, fmt.Sprintf("%d cells in the smallest table of a pair", least.Cells()),
			fmt.Sprintf("at most MaxCells = %d: a larger bound, or fewer categories or bins", set.MaxCells))
	}
	m.addJoint(sh)
	var err error
	if sh.zeros, err = m.zeros(sh); err != nil {
		return err
	}
	if sh.weights, err = m.weighPairs(sh); err != nil {
		return err
	}
	if sh.within, err = m.binned(sh); err != nil {
		return err
	}
	sh.reserved, err = m.reserve(sh)
	return err
}

// Learning is what is public of a shape whose structure is learned.
type Learning struct {
	LearnedSettings
	Pairs    [][2]int // that may be measured, as places among Columns: pair i has table len(Columns) + i
	Weights  []int64  // of the pairs under a workload; nil where all weigh the same
	Zeros    []Zeros  // structural zeros, one entry for each set of columns
	Reserved [][2]int // pairs, as places, that stay measurable
	Within   []int    // places of the columns whose values are added up within bins: see BinSteps
	Joint    int      // the place among Tables of the joint table of all columns; −1 where it is not counted
	shape    *Shape
	model    LearnedModel
}

// Learning is that of a learned structure; nil for models whose structure is given.
func (s *Shape) Learning() *Learning {
	m, ok := s.model.(LearnedModel)
	if !ok {
		return nil
	}
	return &Learning{m.Settings(), s.pairs(), s.weights, s.zeros, s.reserved, s.within, s.joint(m), s, m}
}

// pairs are those of Learning.
func (s *Shape) pairs() (out [][2]int) {
	places := map[string]int{}
	for i, c := range s.columns {
		places[c.Name] = i
	}
	for _, t := range s.tables[len(s.columns):] {
		if len(t.Columns) == 2 {
			out = append(out, [2]int{places[t.Columns[0]], places[t.Columns[1]]})
		}
	}
	return out
}

// jointCells is the most cells of a joint table of all columns that is counted beside the pairs.
const jointCells = 1 << 12

// addJoint lays out the joint table of all columns, last, where it is small and MaxEntropy may measure it in place of
// rounds of pairs. Of two columns it is their pair.
func (m LearnedModel) addJoint(sh *Shape) {
	set := m.Settings()
	if set.Algorithm != Pairs || set.Star != "" || set.Always || len(set.Workload) > 0 || len(sh.columns) < 3 {
		return
	}
	t, cells := Table{}, 1.0
	for i, c := range sh.columns {
		cells *= float64(c.Levels())
		t.Columns, t.Levels = append(t.Columns, c.Name), append(t.Levels, c.Levels())
		t.Labels = append(t.Labels, sh.tables[i].Labels[0])
	}
	if cells <= float64(min(jointCells, set.MaxCells)) {
		t.Name = strings.Join(t.Columns, " × ")
		sh.tables = append(sh.tables, t)
	}
}

// joint is the place among Tables of the joint table of all columns of a learned structure; −1 where it is not counted:
// it is large, or may not be measured.
func (s *Shape) joint(m LearnedModel) int {
	set, last := m.settings, len(s.tables)-1
	if set.Algorithm != Pairs || set.Star != "" || set.Always || len(set.Workload) > 0 ||
		len(s.tables[last].Columns) != len(s.columns) {
		return -1
	}
	return last
}

// Greedy is the algorithm of PrivBayes: see PrivBayes.
const Greedy Algorithm = "privbayes"

// ParentScore is a measure by which PrivBayes compares a column X with parents Π, as its paper names it.
type ParentScore string

// The scores of Zhang et al. 2017, of the joint distribution P of X and Π in n records.
const (
	ByInformation ParentScore = "I" // mutual information of X and Π, in bits
	ByDistance    ParentScore = "R" // ½‖P(X, Π) − P(X)P(Π)‖₁
	ByMaximum     ParentScore = "F" // −½ of the L1 distance to the nearest distribution of the greatest I; X of two levels
)

// GreedySettings are the public choices of PrivBayes. A zero takes the usual.
type GreedySettings struct {
	Degree int         `json:"degree,omitempty"` // most parents of a column; 0: by usefulness
	Score  ParentScore `json:"score,omitempty"`  // usually R
	Theta  float64     `json:"theta,omitempty"`  // least usefulness, usually 4
	Share  float64     `json:"share,omitempty"`  // β, what choosing gets of ε, usually 0.3
}

// maxDegree bounds the parents of a column: the candidates of more are too many to score.
const maxDegree = 4

// PrivBayes learns a Bayesian network as Zhang, Cormode, Procopiuc, Srivastava and Xiao publish it (PrivBayes: Private
// Data Release via Bayesian Networks, ACM TODS 42(4), 2017; SIGMOD 2014): column after column, each with the parents
// that the exponential mechanism chooses by a score, and Laplace noise on the table of every column with its parents.
// Without Degree, parents are as many as a usefulness of Theta allows. It stands here to compare with; MaxEntropy is
// nearer to the data in every setting of the study.
//
// It needs rows in memory for more than one parent, and a public number of records: replace-one.
func PrivBayes() LearnedModel {
	return learned(LearnedSettings{Algorithm: Greedy, Greedy: &GreedySettings{}})
}

// Degree is the most parents of a column, of PrivBayes: the degree k of its network.
func (m LearnedModel) Degree(k int) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Degree = k })
}

// Scored compares parents by a score, of PrivBayes.
func (m LearnedModel) Scored(by ParentScore) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Score = by })
}

// Theta is the least usefulness of a noisy table, of PrivBayes without Degree: the mean of its counts over the scale of
// their noise.
func (m LearnedModel) Theta(least float64) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Theta = least })
}

// Choosing is the share β of ε that chooses parents, of PrivBayes; the rest measures.
func (m LearnedModel) Choosing(share float64) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Share = share })
}

func (m LearnedModel) greedily(set func(g *GreedySettings)) LearnedModel {
	g := GreedySettings{}
	if m.settings.Greedy != nil {
		g = *m.settings.Greedy
	}
	set(&g)
	m.settings.Greedy = &g
	return m
}

// usual fills in what is not said.
func (g *GreedySettings) usual() *GreedySettings {
	out := GreedySettings{Score: ByDistance, Theta: 4, Share: .3}
	if g == nil {
		return &out
	}
	out.Degree = g.Degree
	if g.Score != "" {
		out.Score = g.Score
	}
	if g.Theta != 0 {
		out.Theta = g.Theta
	}
	if g.Share != 0 {
		out.Share = g.Share
	}
	return &out
}

// validGreedy checks the choices of PrivBayes, which other algorithms do not have.
func (m LearnedModel) validGreedy() error {
	s := m.settings
	if s.Algorithm != Greedy {
		if s.Greedy != nil {
			return wrong(m, "", "Degree, Scored, Theta or Choosing", "PrivBayes(), whose choices these are")
		}
		return nil
	}
	g := s.Greedy.usual()
	switch {
	case s.Star != "" || s.Size != 0 || s.Always || len(s.Workload) > 0 || s.forbids() || s.WithinBins ||
		len(s.Evenly) > 0:
		return wrong(m, "", "Star, Size, Always, a workload, structural zeros, rules or sums within bins",
			"MaxEntropy(), Tree() or Cliques(): PrivBayes is as published")
	case g.Degree < 0 || g.Degree > maxDegree:
		return wrong(m, "", fmt.Sprintf("Degree(%d)", g.Degree), fmt.Sprintf("1 to %d; none: by usefulness", maxDegree))
	case g.Score != ByInformation && g.Score != ByDistance && g.Score != ByMaximum:
		return wrong(m, "", fmt.Sprintf("Scored(%.20q)", string(g.Score)), "ByInformation, ByDistance or ByMaximum")
	case !(g.Theta > 0 && g.Theta <= 1e9):
		return wrong(m, "", fmt.Sprintf("Theta(%v)", g.Theta), "above 0, up to 1e9; usually 4")
	case !(g.Share > 0 && g.Share < 1):
		return wrong(m, "", fmt.Sprintf("Choosing(%v)", g.Share), "between 0 and 1; usually 0.3")
	}
	return nil
}

func (g *GreedySettings) words() string {
	g = g.usual()
	if g.Degree > 0 {
		return fmt.Sprintf("PrivBayes of degree %d, score %s", g.Degree, g.Score)
	}
	return fmt.Sprintf("PrivBayes, score %s", g.Score)
}

// calls are the Go calls that make the choices.
func (g *GreedySettings) calls(add func(method string, args ...string)) {
	if g.Degree != 0 {
		add("Degree", fmt.Sprint(g.Degree))
	}
	names := map[ParentScore]string{ByInformation: "ByInformation", ByDistance: "ByDistance", ByMaximum: "ByMaximum"}
	if name, ok := names[g.Score]; ok {
		add("Scored", name)
	}
	if g.Theta != 0 {
		add("Theta", fmt.Sprint(g.Theta))
	}
	if g.Share != 0 {
		add("Choosing", fmt.Sprint(g.Share))
	}
}
