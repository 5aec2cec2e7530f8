// Package export writes a release in the forms that other programs read: its estimates as a table, its network as BIF
// or JSON, and the likelihood of its noisy numbers as a program for Stan or NumPyro.
//
// A program states the distribution of what was released, noise included, given the parameters of the model, and this
// library's prior in a block that the user may replace. Its data are the released numbers and public facts: reading
// them costs no privacy. With the prior as it is, its posterior is that of this library. Counts are summed out, but for
// those that make the released number of a cell 1e-10 times less probable than the best one does: far from the released
// numbers a log-likelihood is too low.
//
//	files, err := export.To(r, export.Stan) // r a *release.Release
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Form is a form that a release can be written in.
type Form string

// The forms: networks in the interchange format of Bayesian networks, or as JSON; programs for Stan and for NumPyro.
const (
	BIF     Form = "bif"
	JSON    Form = "json"
	Stan    Form = "stan"
	NumPyro Form = "numpyro"
)

// Forms lists them all.
func Forms() []Form { return []Form{BIF, JSON, Stan, NumPyro} }

// Program reports whether the form has two files, a program and its data.
func (f Form) Program() bool { return f == Stan || f == NumPyro }

// File is a file of an export.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// UnsupportedError is a release that has no such form.
type UnsupportedError struct {
	Release string // mechanism and model
	To      Form
	What    string // what stands in the way
	Want    string // which releases have the form
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("export: %s, to %s: %s is not supported; want %s", e.Release, e.To, e.What, e.Want)
}

func unsupported(r *release.Release, to Form, what, want string) error {
	return &UnsupportedError{fmt.Sprintf("%s, %s", r.Plan().Title(), r.Plan().Shape().Model()), to, what, want}
}

// To writes a release in a form. A network is one file: of Network, NaiveBayes and learned structures, with the
// released conditional probabilities. A program is two, the program and data.json: of one table of counts, of naive
// Bayes and networks of one node and its children, of a mean, and of a linear regression. It reads the release alone.
//
// Errors: *dp.ParameterError for another form, or without a release; *UnsupportedError for a release that has none of
// this form.
func To(r *release.Release, to Form) ([]File, error) {
	if r == nil || r.Plan() == nil {
		return nil, domain.Refuse("export", "release", nil, "one from Privatize or release.Load")
	}
	switch to {
	case BIF, JSON:
		return network(r, to)
	case Stan, NumPyro:
		return program(r, to)
	}
	return nil, domain.Refuse("export", "form", to, "bif, json, stan or numpyro")
}

// program chooses the likelihood by what was released.
func program(r *release.Release, to Form) ([]File, error) {
	switch sh := r.Plan().Shape(); {
	case sh.Linear() != nil:
		return regression(r, to)
	case sh.Lattice() != nil:
		return mean(r, to)
	case sh.Counts() && sh.Learning() == nil:
		return tables(r, to)
	}
	return nil, unsupported(r, to, "this model", programs)
}

// programs says which releases have programs.
const programs = "a table of counts, naive Bayes, a network of one node and its children, each by Geometric(), " +
	"DiscreteGaussian(), Laplace() or KNorm(); a Mean by NoisySums(); or a linear regression by SufficientStatistics()"

// files are a program with what it is about above it, and its data.
func files(r *release.Release, to Form, about []string, code string, data any) ([]File, error) {
	name, mark := "model.stan", "// "
	if to == NumPyro {
		name, mark = "model.py", "# "
	}
	lines := []string{fmt.Sprintf("The likelihood of release %s: %s.", safetext.Word(r.ID()), r.Plan().Shape().Model()),
		r.Caption() + "."}
	if seed, ok := r.Seed(); ok {
		lines = append(lines, fmt.Sprintf("Drawn from seed %d: not private.", seed))
	}
	var b strings.Builder
	for _, line := range append(lines, about...) {
		b.WriteString(mark + comment(line) + "\n")
	}
	text, err := json.MarshalIndent(data, "", " ")
	if err != nil {
		return nil, err
	}
	return []File{{name, b.String() + code}, {"data.json", string(text) + "\n"}}, nil
}

// comment is a line that ends no comment: printable characters alone. Nor does it declare an encoding, for which Python
// looks in comments (PEP 263): with unicode_escape a name could become code.
func comment(s string) string {
	return strings.NewReplacer("*/", "* /", "coding:", "coding :", "coding=", "coding =").Replace(safetext.Line(s))
}

// network is the released network: of naive Bayes the class with every feature below it.
func network(r *release.Release, to Form) ([]File, error) {
	net := r.Model().Network()
	if sh := r.Plan().Shape(); net == nil && sh.SharesClass() {
		var nodes []bayesnet.Node
		for i, c := range sh.Columns() {
			nodes = append(nodes, bayesnet.Node{Name: c.Name, States: c.Labels()})
			if i > 0 {
				nodes[i].Parents = []string{nodes[0].Name}
			}
		}
		tables, at := make([][]float64, len(nodes)), r.Model().Posteriors()
		for i := range nodes {
			rows := 1
			if i > 0 {
				rows = len(nodes[0].States)
			}
			for _, row := range at[:rows] {
				tables[i] = append(tables[i], row.Mean()...)
			}
			at = at[rows:]
		}
		dag, err := bayesnet.NewDAG(nodes)
		if err != nil {
			return nil, err
		}
		if net, err = bayesnet.NewNet(dag, tables); err != nil {
			return nil, err
		}
	}
	if net == nil {
		return nil, unsupported(r, to, "a model that is no network", "Network, NaiveBayes or a learned structure; stan and "+
			"numpyro also take tables, means and linear regressions")
	}
	if to == JSON {
		return networkJSON(r, net)
	}
	var b bytes.Buffer
	if err := net.WriteBIF(&b); err != nil {
		return nil, err
	}
	return []File{{"network.bif", b.String()}}, nil
}

// node is a node of a network in JSON, with the rows of its table: one for every configuration of its parents, the last
// parent fastest.
type node struct {
	bayesnet.Node
	Rows [][]float64 `json:"rows"`
}

func networkJSON(r *release.Release, net *bayesnet.Net) ([]File, error) {
	d := net.DAG()
	var nodes []node
	for v := range d.Len() {
		n := node{Node: d.Node(v)}
		for row := range len(net.Table(v)) / d.Arity(v) {
			n.Rows = append(n.Rows, net.Prob(v, row))
		}
		nodes = append(nodes, n)
	}
	text, err := json.MarshalIndent(struct {
		Release   string `json:"release"`
		Guarantee string `json:"guarantee"`
		Nodes     []node `json:"nodes"`
	}{r.ID(), r.Guarantee().String(), nodes}, "", " ")
	if err != nil {
		return nil, err
	}
	return []File{{"network.json", string(text) + "\n"}}, nil
}
