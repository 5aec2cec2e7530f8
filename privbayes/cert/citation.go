package cert

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/proofs"
)

// Citation names the machine-checked theorem that a check rests on, and says in words what its proof assumes. The
// theorem is about the formula; that the number is its value is what the check derives, by its method.
type Citation struct {
	Theorem *proofs.Theorem `json:"theorem,omitempty"` // nil: no machine proof
	Assumes string          `json:"assumes,omitempty"` // empty with a theorem: nothing
}

// Cite is the citation of a theorem of the folder proofs, such as "Counts.replace_one". It panics when no such
// statement is kept, which is a programming error at start-up.
func Cite(name string) Citation {
	theorem, assumes, ok := proofs.Cited(name)
	if !ok {
		panic("cert: proofs/statements keeps no theorem " + name)
	}
	return Citation{&theorem, assumes}
}

// String says it in words; it is empty without a theorem.
func (c Citation) String() string {
	switch {
	case c.Theorem == nil:
		return ""
	case c.Assumes == "":
		return "machine-checked theorem " + c.Theorem.Short() + ", which assumes nothing"
	}
	return "machine-checked theorem " + c.Theorem.Short() + "; assumed: " + c.Assumes
}

// citations adds a note for every theorem that checks cite, with the first of its checks.
func citations(checks []Check, t *table.Table) {
	var seen []proofs.Theorem
	for _, k := range checks {
		if k.Theorem != nil && !slices.Contains(seen, *k.Theorem) {
			seen = append(seen, *k.Theorem)
			t.Note(fmt.Sprintf("“%s” rests on the %s.", k.Statement, k.Citation))
		}
	}
}
