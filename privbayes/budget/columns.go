package budget

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Columns says, of a charge under replace-value, which columns its guarantee protects and which it does not. A column
// that is the class of one release and is protected by another has no protection by both together, so a ledger does not
// take both (theory/ledger.md §6). Columns are known by their names.
type Columns struct {
	Class     []string `json:"class,omitempty"`     // read, and not protected
	Protected []string `json:"protected,omitempty"` // read, and protected
}

// valid returns a *ParameterError for columns that cannot be shown, that say nothing, or that stand under another
// adjacency.
func (c *Columns) valid(a dp.Adjacency) error {
	switch {
	case c == nil:
		return nil
	case a != dp.ReplaceValue:
		return &dp.ParameterError{Of: "budget", Parameter: "columns", Value: "those of a charge under " + a.String(),
			Want: "none: this adjacency protects all columns"}
	case len(c.Protected) == 0:
		return &dp.ParameterError{Of: "budget", Parameter: "protected columns", Value: "none", Want: "at least one"}
	}
	for _, name := range slices.Concat(c.Class, c.Protected) {
		if err := validText("column", name, safetext.Check); err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether a charge with the columns c pays for one with those of o. A ledger of before has none.
func (c *Columns) covers(o *Columns) bool {
	return c == nil || o != nil && slices.Equal(c.Class, o.Class) && slices.Equal(c.Protected, o.Protected)
}

// ClassError refuses a charge under replace-value whose columns do not go with those of an earlier one. Nothing was
// charged.
type ClassError struct {
	Column  string // the class of one, and protected by the other; "" where a charge does not say its columns
	Release string // the earlier one; "" where it is the new charge that says no columns
}

func (e *ClassError) Error() string {
	const want = "budget: %s; want a budget under replace-one, which protects every column; nothing was charged"
	switch {
	case e.Column != "":
		return fmt.Sprintf(want, fmt.Sprintf("column %s is the class of one of this release and release %s, which "+
			"replace-value does not protect, and the other protects it", safetext.Quote(e.Column), safetext.Word(e.Release)))
	case e.Release != "":
		return fmt.Sprintf(want, fmt.Sprintf("the charge of release %s, of an earlier version, does not say which columns "+
			"replace-value protects", safetext.Word(e.Release)))
	}
	return fmt.Sprintf(want, "the charge does not say which columns replace-value protects")
}

// oneClass is a *ClassError for a charge under replace-value that protects a column which another has as its class.
func oneClass(have []Charge, c Charge) error {
	if c.Adjacency != dp.ReplaceValue {
		return nil
	}
	if c.Columns == nil {
		return &ClassError{}
	}
	for _, h := range append(slices.Clone(have), c) { // a list may protect what another item of it does not
		if h.Columns == nil {
			return &ClassError{Release: h.ID}
		}
		for _, pair := range [][2]*Columns{{h.Columns, c.Columns}, {c.Columns, h.Columns}} {
			for _, name := range pair[0].Class {
				if slices.Contains(pair[1].Protected, name) {
					return &ClassError{name, h.ID}
				}
			}
		}
	}
	return nil
}

// validStrata returns a *ParameterError for a charge under replace-one within strata that does not say which, and for
// strata under another adjacency.
func (c Charge) validStrata() error {
	if c.Strata == "" && c.Adjacency != dp.WithinStrata {
		return nil
	}
	if c.Adjacency != dp.WithinStrata {
		return &dp.ParameterError{Of: "budget", Parameter: "strata", Value: safetext.Short(c.Strata), Want: "none under " +
			c.Adjacency.String()}
	}
	if c.Strata == "" {
		return &dp.ParameterError{Of: "budget", Parameter: "strata", Value: "none", Want: "those of the release, as its " +
			"schema names them; of a release of another tool its level under replace-one, which implies it"}
	}
	return validText("strata", c.Strata, safetext.CheckTitle)
}

// sameStrata is a *MismatchError for a charge within other strata than an earlier one: a unit that stays in its stratum
// of the one may move in those of the other. Charges under replace-one are about every unit that is replaced.
func sameStrata(have []Charge, c Charge) error {
	for _, h := range have {
		if h.Strata != "" && c.Strata != "" && h.Strata != c.Strata {
			return &MismatchError{"strata", h.Strata, c.Strata}
		}
	}
	return nil
}
