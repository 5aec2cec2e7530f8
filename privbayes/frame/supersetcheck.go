//go:build !browser && !verifier

package frame

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
)

// explicitZero refuses zeros of a superset in a schema that was read: without the number there is a default, and a zero
// is none of the values that it may have.
func explicitZero(schema []byte) error {
	var read struct {
		Columns []struct {
			Name   string
			Within struct{ Beta, Shortest strictjson.Zero }
		}
	}
	if err := json.Unmarshal(schema, &read); err != nil {
		return notSchema(schema, err)
	}
	for _, c := range read.Columns {
		wrong := (*SchemaError)(nil)
		switch {
		case bool(c.Within.Beta):
			wrong = bad("within", "beta 0", "a probability above 0 and below 1, as 0.01, or none for 0.05")
		case bool(c.Within.Shortest):
			wrong = bad("within", "shortest 0", "a length of 1 or more, or none for texts of one length")
		default:
			continue
		}
		wrong.Column = c.Name
		return wrong
	}
	return nil
}

// checkWithin validates a superset.
func (c *Column) checkWithin() *SchemaError {
	w := c.Within
	switch {
	case w == nil:
		return nil
	case c.Kind != KindOpen && (c.Kind != KindCategorical || c.Found == nil || len(w.Levels) == 0):
		return bad("within", "a superset of the categories", `none but for "kind": "open", and of categories that were `+
			`found the one with "levels"`)
	case !(w.Beta >= 0 && w.Beta < 1):
		return bad("within", fmt.Sprintf("beta %v", w.Beta), "a probability below 1, as 0.05")
	case len(w.Codes) > mostCodes:
		return bad("within", fmt.Sprintf("%d codes", len(w.Codes)), "at most 1000000: a coarser classification, or the "+
			`"length" and "alphabet" of codes`)
	case len(w.Codes) > 0 && (w.Length != 0 || w.Shortest != 0 || w.Alphabet != ""):
		return bad("within", "codes, and what texts look like", `"codes", or "length" and "alphabet"`)
	case len(w.Codes) > 0:
		if e := c.checkCodes(); e != nil {
			return e
		}
		return c.checkLevels()
	case w.Length < 1 || w.Shortest < 0 || w.Shortest > w.Length || len(w.signs()) < 2:
		return bad("within", fmt.Sprintf("length %d, shortest %d, alphabet %s", w.Length, w.Shortest,
			safetext.Short(w.Alphabet)), `"codes", or a "length" above 0 and an "alphabet" such as "A-Z0-9" of two ASCII `+
			"letters, digits and marks, each once, and a dash first or last")
	case w.Size() > mostTexts:
		return bad("within", fmt.Sprintf("texts of %d of %d signs", w.Length, len(w.signs())), "at most 2^32 texts: "+
			"shorter ones, or fewer signs")
	}
	for _, text := range append([]string{c.others()}, c.marks()...) {
		if _, in := w.Place(safetext.Same(text)); in { // the form that no category may have
			return bad("within", "the text "+safetext.Short(text)+" of missing or other values", "texts that it is not one of: "+
				`another length or alphabet, a list of "codes", or another name, "other"`)
		}
	}
	return c.checkLevels()
}

// checkCodes validates a list, which is sorted. Each text may be a category, and stands once.
func (c *Column) checkCodes() *SchemaError {
	codes := c.Within.Codes
	for i, code := range codes {
		text, ok := c.listable([]byte(code))
		switch {
		case !ok || text != code:
			return bad("within", "the code "+safetext.Short(code), "a text of at most 200 characters that may be a category, "+
				"in Unicode's form NFKC, and that missing and other values do not have")
		case i > 0 && codes[i-1] == code:
			return bad("within", safetext.Short(code)+" twice", "each code once")
		}
	}
	return nil
}

// marks are the texts of missing values.
func (c *Column) marks() []string {
	if !c.HasMissing() {
		return nil
	}
	return append(slices.Clone(c.Missing), c.MissingCategory)
}

// The most levels above the codes, and the largest share of one.
const (
	mostLevels = 8
	mostShare  = 100
)

// checkLevels validates the levels of a superset that is valid but for them.
func (c *Column) checkLevels() *SchemaError {
	w := c.Within
	switch {
	case len(w.Shares) > 0 && (len(w.Levels) == 0 || len(w.Shares) != len(w.Levels)+1):
		return bad("shares", strconv.Itoa(len(w.Shares))+" of "+strconv.Itoa(len(w.Levels))+` "levels" and whole codes`,
			"one of each, or none for equal ones")
	case slices.ContainsFunc(w.Shares, func(s int) bool { return s < 1 || s > mostShare }):
		return bad("shares", fmt.Sprint(w.Shares), "whole numbers from 1 to "+strconv.Itoa(mostShare))
	case len(w.Levels) == 0:
		return nil
	}
	longest := w.longest()
	for i, l := range w.Levels {
		switch {
		case i == mostLevels:
			return bad("levels", strconv.Itoa(len(w.Levels))+" levels", "at most "+strconv.Itoa(mostLevels))
		case l < 1 || i > 0 && l <= w.Levels[i-1]:
			return bad("levels", strconv.Itoa(l), "numbers of leading characters, from 1 on, each above the one before")
		case l >= longest:
			return bad("levels", strconv.Itoa(l), "numbers below "+strconv.Itoa(longest)+", the length of the longest code: "+
				"whole codes are a level of their own")
		}
	}
	if w.Shortest != 0 && w.Shortest != w.Length {
		return bad("levels", "texts of several lengths", `one "length", or a list of "codes"`)
	}
	for _, text := range append(append([]string{c.others()}, c.marks()...), append([]string{w.Alphabet}, w.Codes...)...) {
		if strings.Contains(safetext.Same(text), star) {
			return bad("levels", safetext.Short(text), "codes, missing marks and a name of other values without a star, "+
				"which stands for the other codes that begin alike")
		}
	}
	if len(w.Codes) == 0 {
		return nil
	}
	h := w.Hierarchy()
	for level := range w.Levels {
		for _, n := range h.nodes[level] {
			if name := coarse(n.begins); n.code == "" {
				if text, ok := c.listable([]byte(name)); !ok || text != name {
					return bad("levels", safetext.Short(name), "leading characters that may be a category with a star")
				}
			}
		}
	}
	return nil
}
