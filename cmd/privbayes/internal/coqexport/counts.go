package coqexport

import (
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// pairParams are the parameters of a check of geometric noise, as the certificate has them.
type pairParams struct {
	Noise noise.Rational `json:"noise"`
	Rows  int            `json:"rows"`
	Want  dp.Parameters  `json:"want"`
}

const knormPair = "k-norm/pair"

const notPure = "no theorem: the machine proof is about pure privacy"

// counts is geometric or K-norm noise on tables of counts: from the measured cells, the rows of a unit, the rate and ε.
func (w *writer) counts(k cert.Check) (part, string, error) {
	var q pairParams
	if err := json.Unmarshal(k.Params, &q); err != nil {
		return part{}, "", err
	}
	epsilon, ok := pure(q.Want)
	if !ok {
		return part{}, notPure, nil
	}
	adjacency, accepts, how := w.plan.Target().Adjacency, "replace", "replace"
	cells := sensitivity.Measured(w.plan.Shape(), adjacency)
	says := "whatever rows, columns and tables with so many cells: the noisy counts have a distribution, pure " +
		"private for every finite set of outputs"
	switch {
	case adjacency == dp.ReplaceValue:
		return part{}, "no theorem: the machine proof is about whole rows", nil
	case k.Kind == knormPair:
		how = "slice"
		for i, t := range w.plan.Shape().Tables() {
			cells[i] = t.Cells()
		}
		says = "whatever rows, columns and tables with so many cells: pure private for every finite set of outputs, " +
			"with one normaliser for all data"
	case adjacency == dp.AddRemove:
		accepts, how = "add", "add"
	}
	name := w.name("counts_private")
	text := fmt.Sprintf(`(* The measured cells of every table, units of at most %[1]d row(s), noise at rate `+
		`%[2]d/%[3]d, epsilon = %[4]s. *)
Definition %[5]s_cells : list Z := %[6]s.
%[7]sDefinition %[5]s := fun row cell eqb spec =>
  @%[8]s_private row cell eqb spec _ _ _ _ _ _ %[5]s_checked.
`, q.Rows, q.Noise.Num, q.Noise.Den, epsilon.RatString(), name, Numbers(cells),
		checked(name+"_checked", fmt.Sprintf("%s_ok %s_cells %d %d %d %s", accepts, name, q.Rows, q.Noise.Num, q.Noise.Den,
			over(epsilon))), how)
	return part{[]string{"CountPlan"}, text, name}, says, nil
}

// parities is geometric noise on the parity counts of a network of binary variables.
func (w *writer) parities(k cert.Check) (part, string, error) {
	var q pairParams
	if err := json.Unmarshal(k.Params, &q); err != nil {
		return part{}, "", err
	}
	epsilon, ok := pure(q.Want)
	if !ok {
		return part{}, notPure, nil
	}
	var of struct {
		Columns  int     `json:"columns"`
		Families [][]int `json:"families"`
	}
	for _, other := range w.plan.Certificate().All() {
		if other.Kind == "fourier/odd" {
			if err := json.Unmarshal(other.Params, &of); err != nil {
				return part{}, "", err
			}
		}
	}
	if of.Columns == 0 {
		return part{}, "no theorem: the machine proof is about binary variables", nil
	}
	o, exact, err := NewOdd(of.Families, of.Columns)
	if err != nil || !exact {
		return part{}, "no theorem: the elimination would be too large", err
	}
	name := w.name("parities_private")
	text := fmt.Sprintf(`(* The families, an elimination order, a witness, and the number of parities that one record `+
		`changes; units of
   at most %[1]d record(s), noise at rate %[2]d/%[3]d, epsilon = %[4]s. *)
%[5]s%[6]sDefinition %[7]s := fourier_private _ _ _ _ _ _ _ _ _ _ %[7]s_checked.
`, q.Rows, q.Noise.Num, q.Noise.Den, epsilon.RatString(), o.Definitions(name+"_"), checked(name+"_checked",
		fmt.Sprintf("fourier_ok %s %d %d %d %s", o.Arguments(name+"_"), q.Rows, q.Noise.Num, q.Noise.Den, over(epsilon))),
		name)
	return part{[]string{"CountPlan", "Families"}, text, name}, "the noisy parity counts of these families " +
		"have a distribution, pure private for every finite set of outputs", nil
}

// Odd are the families of a network of binary variables, and what one record changes of their parities: the order of
// the elimination that found it and a difference of records that attains it.
type Odd struct {
	families            [][]int
	order, witness      []int
	Coefficients, Bound int
}

// NewOdd finds odd(N). exact is false where the elimination would be too large: there is no number to check.
func NewOdd(families [][]int, variables int) (o *Odd, exact bool, err error) {
	arities := make([]int, variables)
	for v := range arities {
		arities[v] = 2
	}
	s, err := parity.NewSpectrum(arities, families)
	if err != nil {
		return nil, false, err
	}
	count, exact, z, err := s.OddSensitivity(0)
	if err != nil || !exact {
		return nil, false, err
	}
	order, err := s.OddOrder()
	if err != nil {
		return nil, false, err
	}
	var witness []int
	for v, b := range z {
		if b == 1 {
			witness = append(witness, v)
		}
	}
	return &Odd{families, order, witness, s.Size(), int(count)}, true, nil
}

// Definitions are the families, the order and the witness under names that begin with prefix.
func (o *Odd) Definitions(prefix string) string {
	rows := make([]string, len(o.families))
	for i, f := range o.families {
		rows[i] = Numbers(f)
	}
	return fmt.Sprintf(`Definition %[1]sfamilies : list (list nat) := %[2]s%%nat.
Definition %[1]sorder : list nat := %[3]s%%nat.
Definition %[1]switness : list nat := %[4]s%%nat.
`, prefix, List(rows), Numbers(o.order), Numbers(o.witness))
}

// Arguments are what the checker takes.
func (o *Odd) Arguments(prefix string) string {
	return fmt.Sprintf("%[1]sorder %[1]sfamilies %[1]switness %[2]d %[3]d", prefix, o.Coefficients, o.Bound)
}
