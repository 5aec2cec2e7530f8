package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Estimate holds estimated counts: every table of a shape, and the class counts where tables share a class. Counts are
// real numbers ≥ 0.
type Estimate struct {
	Tables [][]float64
	Class  []float64 // naive Bayes only
	// WithPrior says that the counts hold pseudo-counts already, as the parameters of a draw from a posterior do: [Fit]
	// adds no prior.
	WithPrior bool
	// Conditionals, in place of Tables, are parameters: every conditional distribution of the shape, laid out as
	// ConditionalCounts, times the number of records that it stands for. No prior is added.
	Conditionals [][]float64
	// Families are the structure that was learned, of models that learn one: Conditionals are those of its nodes.
	Families []Family
	// Potentials are those of the fit of maximum entropy behind Conditionals, for each set of columns that was measured.
	Potentials [][]float64
	// Structure says how it was learned.
	Structure *Structure
	// Pairs gives the fitted distribution of pair i of a learned structure's Shape.Pairs; nil: that of the network of
	// Families and Conditionals.
	Pairs func(i int) ([]float64, error)
	// Draws are draws of the parameters, for mechanisms that release a posterior sample; models without count tables
	// have nothing else.
	Draws *Draws
}

// Named is a Dirichlet posterior with a name and the labels of its components.
type Named struct {
	Name   string
	Labels []string
	*posterior.Dirichlet
}

// Fitted is a model with its posterior, given counts.
type Fitted struct {
	shape *Shape
	class Named         // the posterior of the target
	cond  [][]Named     // naive Bayes: [feature][class]; network: [node][parent configuration]
	net   *bayesnet.Net // of networks only
	exact *bayesnet.Net // that with probability 0 where there are structural zeros; nil without them
	draws *Draws        // where a posterior sample was released
	of    *Shape        // of a learned network: the shape that it was learned under

	pairsOf func(i int) ([]float64, error) // of a learned network: the distribution of a pair of its shape

	majority int // of a logistic regression without privacy: the class most frequent in training
}

// Fit makes the model of an estimate. Of count tables it adds the prior to the counts; of other models the draws are
// what there is.
func Fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Draws != nil {
		if err := e.Draws.valid(sh); err != nil {
			return nil, err
		}
	}
	return sh.model.fit(sh, e)
}

// FitPrivately fits the model to the raw counts or sums: the non-private line of every comparison. What it returns
// reads the data, so it belongs in diagnostics only: private, do not publish. Errors: ErrSealed without the key.
func FitPrivately(key access.Key, st *Statistics) (*Fitted, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	return st.shape.model.fitPlain(st)
}

// checkTables compares the sizes of estimated tables with those of the shape.
func (s *Shape) checkTables(e Estimate) error {
	if len(e.Tables) != len(s.tables) {
		return wrong(s.model, "", fmt.Sprintf("%d tables", len(e.Tables)), fmt.Sprintf("%d", len(s.tables)))
	}
	for k, t := range s.tables {
		if len(e.Tables[k]) != t.Cells() {
			return wrong(s.model, t.Name, fmt.Sprintf("%d cells", len(e.Tables[k])), fmt.Sprintf("%d", t.Cells()))
		}
	}
	return nil
}

// dirichlet is the posterior of counts. Parameters drawn with the prior may be 0 in floating point; a Dirichlet needs
// them positive.
func (s *Shape) dirichlet(name string, labels []string, counts []float64, withPrior bool) (Named, error) {
	if len(counts) != len(labels) {
		return Named{}, wrong(s.model, name, fmt.Sprintf("%d counts", len(counts)), fmt.Sprintf("%d", len(labels)))
	}
	alpha := make([]float64, len(counts))
	for i, c := range counts {
		if alpha[i] = s.model.Prior().At(i) + c; withPrior {
			alpha[i] = math.Max(c, leastParameter)
		}
	}
	d, err := posterior.NewDirichlet(alpha)
	if err != nil {
		return Named{}, err
	}
	return Named{name, labels, d}, nil
}

// leastParameter is far below any estimated probability and far above the least positive float64.
const leastParameter = 1e-290

// Shape is the public shape of the model.
func (f *Fitted) Shape() *Shape { return f.shape }

// Draws are the released draws of the parameters; nil where none were. Of a regression they are weights on scaled rows:
// CoefficientDraws has them in the units of the data.
func (f *Fitted) Draws() *Draws { return f.draws }

// Target is the posterior of the target column; it has no Dirichlet for a model without count tables.
func (f *Fitted) Target() Named { return f.class }

// Posteriors lists every Dirichlet of the model: the target's, then each feature's given each class, or each node's
// given each configuration of its parents.
func (f *Fitted) Posteriors() []Named {
	out := []Named{f.class}
	for _, rows := range f.cond {
		out = append(out, rows...)
	}
	return out
}

// Summary is the mean, standard deviation and equal-tailed 95 % credible interval of every component of the target's
// posterior, or of every parameter that draws were released of.
func (f *Fitted) Summary() *table.Table {
	if m, ok := f.shape.model.(interface{ summary(f *Fitted) *table.Table }); ok {
		return m.summary(f)
	}
	if f.draws != nil {
		return f.draws.Summary()
	}
	t := f.class.Summary(plains(f.class.Labels)...).Table()
	t.Title = "Posterior of " + plain(f.class.Name)
	return t
}

// Conditionals is the table of posterior means of a feature given each class, or of a network's node given each
// configuration of its parents; for an unknown feature an *Error.
func (f *Fitted) Conditionals(feature string) (*table.Table, error) {
	m, ok := f.shape.model.(counted)
	if !ok {
		return nil, wrong(f.shape.model, feature, "no conditional distributions", "a model made of count tables")
	}
	return m.conditionalTable(f, feature)
}

func (ofCounts) conditionalTable(f *Fitted, feature string) (*table.Table, error) {
	for k, c := range f.shape.columns[1:] {
		if c.Name == feature {
			return meansTable(plain(feature)+" given "+plain(f.class.Name), plain(f.class.Name), c.Labels(),
				plains(f.class.Labels), f.cond[k]), nil
		}
	}
	return nil, wrong(f.shape.model, feature, "not a feature", safetext.OneOf(feature, f.shape.columnNames()[1:]))
}

// meansTable shows the mean of every law of a list.
func meansTable(of, head string, levels, names []string, laws []Named) *table.Table {
	t := table.New("Posterior mean of "+of, append([]string{head}, plains(levels)...)...)
	for j, d := range laws {
		row := []any{names[j]}
		for _, m := range d.Mean() {
			row = append(row, m)
		}
		t.Add(row...)
	}
	return t
}

// columnNames lists the model's columns, the target first.
func (s *Shape) columnNames() []string {
	var names []string
	for _, c := range s.columns {
		names = append(names, c.Name)
	}
	return names
}
