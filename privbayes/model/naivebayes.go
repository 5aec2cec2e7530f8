package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// NaiveBayesModel is naive Bayes: P(class) ∏_k P(x_k | class). See NaiveBayes.
type NaiveBayesModel struct {
	ofCounts
	features []string
}

// NaiveBayes is the classifier P(class) ∏_k P(x_k | class) with a Dirichlet(α, …, α) prior, α = 1, on the class and on
// every conditional. Without features it uses every other column of the schema that is not a sequence.
func NaiveBayes(class string, features ...string) NaiveBayesModel {
	return NaiveBayesModel{ofCounts{base{class, Prior{1}}}, features}
}

// WithPrior sets the prior: one hyperparameter α > 0 for every cell. α is public: choose it without the data.
func (m NaiveBayesModel) WithPrior(alpha ...float64) NaiveBayesModel {
	m.alpha = slices.Clone(alpha)
	return m
}

// AsNetwork is the model as a network: the class is every feature's parent. The features must be named.
func (m NaiveBayesModel) AsNetwork() NetworkModel {
	n := Network(m.target, Node(m.target)).WithPrior(m.alpha...)
	for _, f := range m.features {
		n.families = append(n.families, Node(f, m.target))
	}
	return n
}

// String describes the model.
func (m NaiveBayesModel) String() string { return "naive Bayes of " + safetext.Quote(m.target) }

func (m NaiveBayesModel) describe() Description {
	return Description{Kind: "naive-bayes", Target: m.target, Features: m.features, Alpha: m.alpha}
}

func (m NaiveBayesModel) with(d Description) Model {
	m.target, m.features, m.alpha = d.Target, d.Features, d.Alpha
	return m
}

func (m NaiveBayesModel) columns(s *frame.Schema) ([]frame.Column, error) {
	target, err := targetColumn(m, s, false)
	if err != nil {
		return nil, err
	}
	cols, names := []frame.Column{*target}, m.features
	if len(names) == 0 {
		for _, c := range s.Columns {
			if c.Name != m.target && c.Kind != frame.KindSequence {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &Error{Model: m.String(), Want: "at least one feature column besides the class"}
	}
	seen, of := map[string]bool{m.target: true}, nameColumns(s)
	for _, name := range names {
		c, err := of.column(name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, wrong(m, name, "named twice", "each column once, and the class not among the features")
		}
		if c.Kind == frame.KindSequence {
			return nil, wrong(m, name, "a sequence column", "categorical, integer or real features")
		}
		if l := c.Levels(); l < 2 {
			return nil, wrong(m, name, fmt.Sprintf("%d level", l),
				twoLevels(*c)+"; leave a constant feature out")
		}
		seen[name] = true
		cols = append(cols, *c)
	}
	return cols, nil
}

// layOut makes one class × feature table for every feature.
func (m NaiveBayesModel) layOut(sh *Shape) error {
	class, total := sh.columns[0], 0
	for _, c := range sh.columns[1:] {
		t := Table{c.Name + " × " + class.Name, []string{class.Name, c.Name}, []int{class.Levels(), c.Levels()},
			[][]string{class.Labels(), c.Labels()}}
		if total += t.Cells(); total > maxCells {
			return wrong(m, c.Name, fmt.Sprintf("%d cells so far", total),
				fmt.Sprintf("at most %d cells in all tables; use fewer bins or features", maxCells))
		}
		sh.tables = append(sh.tables, t)
	}
	return nil
}

// SharesClass reports whether all tables are of the class with one other column, so that every one of them tells the
// class counts: those of naive Bayes.
func (s *Shape) SharesClass() bool {
	_, ok := s.model.(NaiveBayesModel)
	return ok
}

func (m NaiveBayesModel) conditionalCounts(sh *Shape, tables [][]int64) [][]int64 {
	levels, class := sh.tables[0].Levels[1], make([]int64, sh.Classes())
	for i, c := range tables[0] {
		class[i/levels] += c
	}
	return append([][]int64{class}, tables...)
}

// ClassMargin estimates the class counts of naive Bayes from its class × feature tables: the mean of the K row sums of
// each class weighted 1/C_k (the variance of a sum of C_k noisy cells grows with C_k), shifted to add up to n where n
// is public, and cut to [0, n]. Tables are laid out as sh.Tables and may be noisy or negative. For other models it is
// nil.
func ClassMargin(sh *Shape, tables [][]float64) []float64 {
	if !sh.SharesClass() {
		return nil
	}
	out := make([]float64, sh.Classes())
	weights := 0.0
	for k, t := range sh.tables {
		levels := t.Levels[1]
		w := 1 / float64(levels)
		weights += w
		for i, y := range tables[k] {
			out[i/levels] += w * y
		}
	}
	total := 0.0
	for j := range out {
		out[j] /= weights
		total += out[j]
	}
	top := math.Inf(1)
	if sh.publicN {
		top = float64(sh.n)
		for j := range out {
			out[j] += (top - total) / float64(len(out))
		}
	}
	for j := range out {
		out[j] = math.Min(math.Max(out[j], 0), top)
	}
	return out
}

// fit adds the prior: class ~ Dirichlet(α + N_j), and each x_k | class j ~ Dirichlet(α + N_jc), one over the feature's
// values per class.
func (m NaiveBayesModel) fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Conditionals != nil {
		return m.fitConditionals(sh, e)
	}
	if err := sh.checkTables(e); err != nil {
		return nil, err
	}
	class, err := sh.dirichlet(m.target, sh.columns[0].Labels(), e.Class, e.WithPrior)
	if err != nil {
		return nil, err
	}
	f := &Fitted{shape: sh, class: class, draws: e.Draws}
	for k, c := range sh.columns[1:] {
		levels, rows := c.Levels(), make([]Named, sh.Classes())
		for j := range rows {
			if rows[j], err = sh.dirichlet(sh.givenClass(k+1, j), c.Labels(), e.Tables[k][j*levels:(j+1)*levels],
				e.WithPrior); err != nil {
				return nil, err
			}
		}
		f.cond = append(f.cond, rows)
	}
	return f, nil
}

func (m NaiveBayesModel) fitPlain(st *Statistics) (*Fitted, error) {
	e := Estimate{Tables: asFloats(st.tables)}
	e.Class = asFloats(m.conditionalCounts(st.shape, st.tables))[0]
	return m.fit(st.shape, e)
}
