package bayesnet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Answers are the distributions of one node given several pieces of evidence.
type Answers struct {
	Target, State string
	Given         []string // the evidence, in words
	Values        []float64
	Caption       string // of the figure and the table: where the network comes from
}

// Answer is P(target = state | evidence) for every piece of evidence, in the order given; one without names is the
// margin. Errors: as GivenState.
func (n *Net) Answer(target, state string, evidence ...map[string]string) (*Answers, error) {
	out := &Answers{Target: target, State: state}
	for _, e := range evidence {
		p, err := n.GivenState(target, state, e)
		if err != nil {
			return nil, err
		}
		out.Given, out.Values = append(out.Given, inWords(e)), append(out.Values, p)
	}
	return out, nil
}

// inWords lists evidence by name: "Class = 3rd, Sex = Female".
func inWords(evidence map[string]string) string {
	var words []string
	for name, state := range evidence {
		words = append(words, name+" = "+state)
	}
	if len(words) == 0 {
		return "nothing"
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func (a *Answers) title() string { return fmt.Sprintf("P(%s = %s)", a.Target, a.State) }

// Table has a row for every piece of evidence.
func (a *Answers) Table() *table.Table {
	t := table.New(a.title()+", answered by the network", "given", "probability")
	for i, g := range a.Given {
		t.Add(g, a.Values[i])
	}
	if a.Caption != "" {
		t.Note(a.Caption)
	}
	return t
}

// Figure draws the probabilities beside each other.
func (a *Answers) Figure() *figure.Figure {
	s := figure.Series{Name: a.title(), Kind: figure.Bars, Y: a.Values}
	for i := range a.Values {
		s.X = append(s.X, float64(i))
	}
	return &figure.Figure{Title: a.title() + ", answered by the network", XLabel: "given", YLabel: "probability",
		XTicks: a.Given, Caption: a.Caption, Series: []figure.Series{s}}
}

// String is the table as text.
func (a *Answers) String() string { return table.Text(a) }
