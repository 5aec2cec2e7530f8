package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/internal/suggest"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Estimate holds estimated counts: every table of a shape, and the class counts where tables share a class. Counts are real
// numbers ≥ 0.
type Estimate struct {
	Tables [][]float64
	Class  []float64 // naive Bayes only
	// WithPrior says that the counts hold pseudo-counts already, as the parameters of a draw from a posterior do: [Fit] adds no prior.
	WithPrior bool
	// Conditionals, in place of Tables, are parameters: every conditional distribution of the shape, laid out as ConditionalCounts, times the
	// number of records that it stands for. No prior is added.
	Conditionals [][]float64
	// Draws are draws of the parameters, for mechanisms that release a posterior sample; models without count tables have nothing else.
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
	draws *Draws        // where a posterior sample was released
}

// Fit adds the prior to the estimated counts: class ~ Dirichlet(α + N_j), and, for naive Bayes, each x_k | class j ~
// Dirichlet(α + N_jc), one Dirichlet per class over the feature's values.
func Fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Draws != nil {
		if err := e.Draws.valid(sh); err != nil {
			return nil, err
		}
	}
	if !sh.model.Kind.Counts() {
		if e.Draws == nil {
			return nil, &Error{Model: sh.model.String(), Value: "an estimate without draws", Want: "draws of the parameters"}
		}
		return &Fitted{shape: sh, draws: e.Draws}, nil
	}
	if e.Conditionals != nil {
		return fitConditionals(sh, e)
	}
	if len(e.Tables) != len(sh.tables) {
		return nil, &Error{Model: sh.model.String(), Value: fmt.Sprintf("%d tables", len(e.Tables)), Want: fmt.Sprintf("%d", len(sh.tables))}
	}
	if sh.model.Kind == KindNetwork {
		for k, t := range sh.tables {
			if len(e.Tables[k]) != t.Cells() {
				return nil, &Error{Model: sh.model.String(), Column: t.Name, Value: fmt.Sprintf("%d cells", len(e.Tables[k])), Want: fmt.Sprintf("%d", t.Cells())}
			}
		}
		f, err := fitNetwork(sh, e)
		if err == nil {
			f.draws = e.Draws
		}
		return f, err
	}
	target := sh.columns[0]
	classCounts := e.Class
	if sh.model.Kind != KindNaiveBayes {
		classCounts = e.Tables[0]
	}
	class, err := sh.dirichlet(target.Name, target.Labels(), classCounts, e.WithPrior)
	if err != nil {
		return nil, err
	}
	f := &Fitted{shape: sh, class: class, draws: e.Draws}
	if sh.model.Kind != KindNaiveBayes {
		return f, nil
	}
	for k, c := range sh.columns[1:] {
		levels, rows := c.Levels(), make([]Named, sh.Classes())
		if len(e.Tables[k]) != levels*len(rows) {
			return nil, &Error{Model: sh.model.String(), Column: c.Name, Value: fmt.Sprintf("%d cells", len(e.Tables[k])), Want: fmt.Sprintf("%d", levels*len(rows))}
		}
		for j := range rows {
			name := fmt.Sprintf("%s | %s = %s", c.Name, target.Name, class.Labels[j])
			rows[j], err = sh.dirichlet(name, c.Labels(), e.Tables[k][j*levels:(j+1)*levels], e.WithPrior)
			if err != nil {
				return nil, err
			}
		}
		f.cond = append(f.cond, rows)
	}
	return f, nil
}

// dirichlet is the posterior of counts. Parameters drawn with the prior may be 0 in floating point; a Dirichlet needs them positive.
func (s *Shape) dirichlet(name string, labels []string, counts []float64, withPrior bool) (Named, error) {
	if len(counts) != len(labels) {
		return Named{}, &Error{Model: s.model.String(), Column: name, Value: fmt.Sprintf("%d counts", len(counts)), Want: fmt.Sprintf("%d", len(labels))}
	}
	alpha := make([]float64, len(counts))
	for i, c := range counts {
		if alpha[i] = s.model.Alpha.At(i) + c; withPrior {
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

// Draws are the released draws of the parameters; nil where none were.
func (f *Fitted) Draws() *Draws { return f.draws }

// Target is the posterior of the target column; it has no Dirichlet for a model without count tables.
func (f *Fitted) Target() Named { return f.class }

// Posteriors lists every Dirichlet of the model: the target's, then each feature's given each class, or each node's given each
// configuration of its parents.
func (f *Fitted) Posteriors() []Named {
	out := []Named{f.class}
	for _, rows := range f.cond {
		out = append(out, rows...)
	}
	return out
}

// Summary is the mean, standard deviation and equal-tailed 95 % credible interval of every component of the target's posterior, or of
// every parameter that draws were released of.
func (f *Fitted) Summary() *table.Table {
	if f.draws != nil {
		return f.draws.Summary()
	}
	t := f.class.SummaryWith(f.class.Labels).Table()
	t.Title = "Posterior of " + f.class.Name
	return t
}

// Conditionals is the table of posterior means of a feature given each class, or of a network's node given each configuration of its
// parents; for an unknown feature an *Error.
func (f *Fitted) Conditionals(feature string) (*table.Table, error) {
	if d := f.shape.dag; d != nil {
		if i, ok := d.Index(feature); ok {
			t := table.New("Posterior mean of "+feature, append([]string{"law"}, d.Node(i).States...)...)
			for _, r := range f.cond[i] {
				row := []any{r.Name}
				for _, m := range r.Mean() {
					row = append(row, m)
				}
				t.Add(row...)
			}
			return t, nil
		}
		return nil, &Error{Model: f.shape.model.String(), Column: feature, Value: "not a node", Want: suggest.OneOf(feature, f.shape.columnNames())}
	}
	for k, c := range f.shape.columns[1:] {
		if c.Name != feature {
			continue
		}
		t := table.New("Posterior mean of "+feature+" given "+f.class.Name, append([]string{f.class.Name}, c.Labels()...)...)
		for j, d := range f.cond[k] {
			row := []any{f.class.Labels[j]}
			for _, m := range d.Mean() {
				row = append(row, m)
			}
			t.Add(row...)
		}
		return t, nil
	}
	return nil, &Error{Model: f.shape.model.String(), Column: feature, Value: "not a feature", Want: suggest.OneOf(feature, f.shape.columnNames()[1:])}
}

// columnNames lists the model's columns, the target first.
func (s *Shape) columnNames() []string {
	var names []string
	for _, c := range s.columns {
		names = append(names, c.Name)
	}
	return names
}

// check is shared by the verbs that read a frame.
func (f *Fitted) check(x *frame.Frame) error { return f.shape.Accepts(x) }
