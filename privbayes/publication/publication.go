// Package publication plans, certifies and releases a list of models as one: tables, means, quantiles and any other
// model, under one guarantee, one charge and in one file.
//
// An [Item] is a model with a wish: how far the ends of its 95 % intervals may be from the estimates. [New] divides
// the guarantee among the items so that the largest error, in units of its wish, is as small as can be
// (theory/publication.md §2). It reads no data. [Plan.Draw] draws all items under one charge, or none: a run that ends
// on the way leaves nothing to read, and the next one draws again under the same charge.
//
// The levels of the items compose as a fixed list: ε adds under pure ε, ρ under zCDP, and under (ε, δ) the list of
// dominating pairs is composed exactly ([loss.Declare]). [VerifyFile] derives every plan and the list again.
package publication

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Item is a model to be released, with what is wished of it. Its methods return a changed copy.
type Item struct {
	model     model.Model
	mechanism mechanism.Mechanism
	slot      *dp.Request // of no model: a level that is set aside
	wish      Wish
}

// Wish is what is asked of an item. The zero value leaves the item its equal part.
type Wish struct {
	Name     string           `json:"name,omitempty"`
	Within   Margin           `json:"within,omitzero"`
	Weight   float64          `json:"weight,omitempty"`   // > 0: so many times as important as an item without one
	Priority int              `json:"priority,omitempty"` // ≥ 1: a class is met before those of larger ones and of none
	Share    float64          `json:"share,omitempty"`    // of the guarantee, in (0, 1), in place of an error
	Guess    *mechanism.Guess `json:"guess,omitempty"`    // of the rows: what the predicted errors are predicted at
}

// Margin is how far the ends of an interval of the rows may be from an estimate: in shares of the rows, of a mean in
// the units of its column, of a quantile in ranks, which are shares of the rows, too.
type Margin struct {
	Value   float64
	OfRange bool // Value is a share of the range of the column
}

// Of is an item of a model, named for it: tables by their columns, such as "sex × region".
func Of(m model.Model) Item {
	i := Item{model: m}
	if m != nil {
		i.wish.Name = strings.ReplaceAll(m.String(), `"`, "")
		for _, plain := range []string{"categorical posterior of ", "binary posterior of ", "contingency table of "} {
			i.wish.Name = strings.TrimPrefix(i.wish.Name, plain)
		}
	}
	return i
}

// Named gives the item a name of its own; of two items of one model one needs it.
func (i Item) Named(name string) Item { i.wish.Name = name; return i }

// By releases the item by a mechanism, in place of the usual one of its model.
func (i Item) By(m mechanism.Mechanism) Item { i.mechanism = m; return i }

// Within asks for 95 % intervals of the rows whose ends are at most so far from the estimate: [Margin] says the unit.
func (i Item) Within(half float64) Item { i.wish.Within = Margin{Value: half}; return i }

// WithinOfRange is [Item.Within] of a mean as a share of the range of its column.
func (i Item) WithinOfRange(share float64) Item {
	i.wish.Within = Margin{Value: share, OfRange: true}
	return i
}

// Weight divides the wish: the item is so many times as important.
func (i Item) Weight(w float64) Item { i.wish.Weight = w; return i }

// Priority puts the item into a class, 1 for the first. Every class gets what its wishes need, as long as there is some
// left; the last class takes the rest.
func (i Item) Priority(class int) Item { i.wish.Priority = class; return i }

// Share gives the item a share of the guarantee: of ε, or of ρ. It is for models of which no interval is predicted, and
// whoever wants to divide by hand.
func (i Item) Share(of float64) Item { i.wish.Share = of; return i }

// Guess says what is publicly known of a mean, so that the error for the population is predicted better: the mean and
// the standard deviation of the values, 0 for one that is not known. Of a table it is the share of a cell, with 0; of a
// CDF there is none.
func (i Item) Guess(value, sd float64) Item {
	i.wish.Guess = &mechanism.Guess{Value: value, SD: sd}
	return i
}

// Wishing is the item with all wishes at once; without a name in them it keeps its own.
func (i Item) Wishing(w Wish) Item {
	w.Name = cmp.Or(w.Name, i.wish.Name)
	i.wish = w
	return i
}

// Model is the model that is to be released.
func (i Item) Model() model.Model { return i.model }

// Wish is what was asked of the item.
func (i Item) Wish() Wish { return i.wish }

// valid refuses a wish outside its domain: *dp.ParameterError.
func (w Wish) valid() error {
	refuse := func(field string, have any, want string) error {
		return domain.Refuse("publication: item "+safetext.Quote(w.Name), field, have, want)
	}
	switch {
	case strings.TrimSpace(w.Name) == "" || safetext.CheckLine(w.Name) != nil:
		return domain.Refuse("publication", "name of an item", w.Name, "a text of one line")
	case w.Within != Margin{} && !(w.Within.Value > 0 && domain.Finite(w.Within.Value)):
		return refuse("within", w.Within.Value, "a finite number > 0")
	case w.Weight != 0 && !(w.Weight > 0 && domain.Finite(w.Weight)):
		return refuse("weight", w.Weight, "a finite number > 0")
	case w.Priority < 0:
		return refuse("priority", w.Priority, "1 for the first class, 2 for the next, …")
	case w.Share != 0 && !(w.Share > 0 && w.Share < 1):
		return refuse("share", w.Share, "a number above 0 and below 1")
	case w.Share > 0 && (w.Within != Margin{} || w.Weight > 0 || w.Priority > 0):
		return refuse("share", w.Share, "no other wish: a share is what the item gets")
	}
	return nil
}

// MarshalJSON writes a number, or a text such as "2%" of a range.
func (m Margin) MarshalJSON() ([]byte, error) {
	if m.OfRange {
		return json.Marshal(strconv.FormatFloat(100*m.Value, 'g', 15, 64) + "%")
	}
	return json.Marshal(m.Value)
}

// UnmarshalJSON reads a number; "1pp", percentage points of shares and ranks; or "2%", of the range of a column.
func (m *Margin) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) != nil {
		*m = Margin{}
		return cert.Decode(b, &m.Value)
	}
	number, percent := strings.CutSuffix(text, "%")
	if !percent {
		if number, percent = strings.CutSuffix(text, "pp"); !percent {
			number = ""
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) {
		return domain.Refuse("publication", "within", text, `a number; "1pp", percentage points of shares; or "2%" of `+
			"a column's range")
	}
	*m = Margin{Value: v / 100, OfRange: strings.HasSuffix(text, "%")}
	return nil
}

// ItemError is what is wrong with one item of a publication.
type ItemError struct {
	Name string
	Err  error
}

func (e *ItemError) Error() string {
	return fmt.Sprintf("publication: item %s: %s", safetext.Quote(e.Name), strings.TrimPrefix(e.Err.Error(),
		"publication: "))
}

// Unwrap returns the cause.
func (e *ItemError) Unwrap() error { return e.Err }
