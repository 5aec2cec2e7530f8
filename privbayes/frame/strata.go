package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Strata are parts that a survey was drawn from, each by itself: the levels of a categorical column. With Moves false
// no unit can be in another stratum than its own, and how many were sampled in each is public. Releases are then about
// neighbours that replace a unit within its stratum. Otherwise strata are a column like any other.
type Strata struct {
	Column  string           `json:"column"`
	Sizes   map[string]int64 `json:"sizes,omitempty"`   // units of the population in every stratum, N_h
	Sampled map[string]int64 `json:"sampled,omitempty"` // units of the table in every stratum, n_h: public, not counted
	Moves   *bool            `json:"moves,omitempty"`   // whether a unit may be in another stratum; true where nobody says
}

// Stratum is one of a schema's strata that no unit leaves: of Size units of the population Sampled are in the table.
type Stratum struct {
	Label         string
	Size, Sampled int64
}

func (s *Strata) fixed() bool { return s != nil && s.Moves != nil && !*s.Moves }

func (s *Strata) clone() *Strata {
	if s == nil {
		return nil
	}
	c := *s
	c.Sizes, c.Sampled = maps.Clone(s.Sizes), maps.Clone(s.Sampled)
	if s.Moves != nil {
		moves := *s.Moves
		c.Moves = &moves
	}
	return &c
}

// stratumColumn is the column of the strata, with its defaults; ok is false where there is none.
func (s *Schema) stratumColumn() (c Column, ok bool) {
	of, _, err := s.Column(s.Strata.Column)
	if err != nil {
		return c, false
	}
	c = of.clone()
	c.fill()
	return c, true
}

// FixedStrata are the strata that no unit leaves, in the order of the column's labels; nil where there are none.
func (s *Schema) FixedStrata() (out []Stratum) {
	if !s.Strata.fixed() {
		return nil
	}
	c, ok := s.stratumColumn()
	if !ok {
		return nil
	}
	for _, label := range c.Labels() {
		out = append(out, Stratum{label, s.Strata.Sizes[label], s.Strata.Sampled[label]})
	}
	return out
}

// SampledRows is how many rows the table has in all strata that no unit leaves, and 0 where there are none: it is
// public, and plans need no other number of rows.
func (s *Schema) SampledRows() int {
	rows := int64(0)
	for _, h := range s.FixedStrata() {
		rows += h.Sampled
	}
	return int(rows)
}

// StrataName tells strata that no unit leaves from others of the data set, by how their column is read and how many
// units each has in the table; "" where there are none. Neighbours within other strata are other neighbours.
func (s *Schema) StrataName() string {
	if !s.Strata.fixed() {
		return ""
	}
	of, ok := s.stratumColumn()
	if !ok {
		return ""
	}
	of.Description = ""
	b, _ := json.Marshal(struct { // of texts and whole numbers
		Column  Column           `json:"column"`
		Sampled map[string]int64 `json:"sampled"`
	}{of, s.Strata.Sampled})
	h := sha256.Sum256(b)
	return safetext.Quote(of.Name) + " " + hex.EncodeToString(h[:8])
}

// maxStrata bounds the strata of a schema.
const maxStrata = 1 << 12

// checkStrata checks what the schema says about strata.
func (s *Schema) checkStrata() *SchemaError {
	st := s.Strata
	if st == nil {
		return nil
	}
	if !st.fixed() {
		if len(st.Sampled) > 0 {
			return bad("strata.sampled", "set", `none unless "moves" is false: where a unit may be in another stratum, how `+
				"many units each has in the table is private")
		}
		return nil
	}
	const units = "all rows of a unit would have to lie in one stratum, and the sizes count units"
	switch {
	case s.Weighted() != nil:
		return bad("strata", "set", `none with a "weight": weights of the strata, N_h/n_h, follow from "sizes" and `+
			`"sampled", and would have two sources`)
	case s.UnitKey != "":
		return bad("unit_key", safetext.Short(s.UnitKey), `none with strata whose "moves" is false: `+units)
	case s.RowsPerUnit > 1:
		return bad("rows_per_unit", strconv.Itoa(s.RowsPerUnit), `1 with strata whose "moves" is false: `+units)
	case s.Sampling == Census:
		return bad("sampling", `"census"`, `"sample" with strata of which some units were drawn`)
	case len(s.Tables) > 0:
		return bad("strata", "set", `none with "tables"`)
	case s.Inferred:
		return bad("strata", "set", "a schema from the design, not one inferred from the rows")
	case len(s.Steps) > 0:
		return bad("strata", "set, and columns were made by "+safetext.Short(s.Steps[0]), `columns as they were read with `+
			`"moves": false; make columns before the table is read`)
	}
	return s.checkSizes()
}

// checkSizes wants both sizes of every stratum, and of no other.
func (s *Schema) checkSizes() *SchemaError {
	c, ok := s.stratumColumn()
	if !ok || c.Kind != KindCategorical || c.Found != nil {
		return bad("strata.column", safetext.Short(s.Strata.Column), "a categorical column of the schema, with public "+
			"categories")
	}
	labels := c.Labels()
	if len(labels) > maxStrata {
		return bad("strata.column", strconv.Itoa(len(labels))+" strata", fmt.Sprintf("at most %d", maxStrata))
	}
	for _, f := range []struct {
		field string
		of    map[string]int64
	}{{"strata.sizes", s.Strata.Sizes}, {"strata.sampled", s.Strata.Sampled}} {
		for _, label := range slices.Sorted(maps.Keys(f.of)) {
			if !slices.Contains(labels, label) {
				return bad(f.field, safetext.Short(label), "levels of the column: "+safetext.List(labels, 20))
			}
		}
		for _, label := range labels {
			if _, ok := f.of[label]; !ok {
				return bad(f.field, "none of "+safetext.Short(label), "one for every level of the column")
			}
		}
	}
	for _, h := range s.FixedStrata() {
		switch of := safetext.Short(h.Label) + ": "; {
		case h.Sampled < 1 || h.Sampled > maxAbout/maxStrata:
			return bad("strata.sampled", of+strconv.FormatInt(h.Sampled, 10), "at least 1, and below 2·10^11: a stratum "+
				"without units in the table is merged with another, or left out")
		case h.Size < h.Sampled || h.Size > maxAbout/maxStrata:
			return bad("strata.sizes", of+strconv.FormatInt(h.Size, 10), fmt.Sprintf("at least %d, the units sampled from it, "+
				"and below 2·10^11", h.Sampled))
		}
	}
	return nil
}

// ofStrata prepares the count of the rows of every stratum that no unit leaves.
func (v *Violations) ofStrata(s *Schema) {
	if s.Strata.fixed() {
		v.stratum, v.strata = s.Strata.Column, make([]int64, len(s.FixedStrata()))
	}
}

// sawStrata counts the rows of the strata, if the codes are of their column.
func (v *Violations) sawStrata(column string, codes Codes) {
	if column != v.stratum {
		return
	}
	for _, c := range codes.U8 {
		v.strata[c]++
	}
	for _, c := range codes.U16 {
		v.strata[c]++
	}
}

// sizes lists the strata whose number of rows is another than the schema says, as a release refuses them. Of a table
// that was not read to its end, or that has no such column, nobody knows.
func (v *Violations) sizes(s *Schema) {
	all := int64(0)
	for _, n := range v.strata {
		all += n
	}
	if v.Stopped || all == 0 && v.Count() > 0 {
		return
	}
	for g, h := range s.FixedStrata() {
		if n := v.strata[g]; n != h.Sampled {
			v.list = append(v.list, &Violation{Column: v.stratum, Count: 1,
				Value: count(int(n), "row") + " of " + safetext.Short(h.Label),
				Want:  fmt.Sprintf(`%d, as "strata" of the schema says under "sampled"`, h.Sampled)})
		}
	}
}
