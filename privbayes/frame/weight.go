package frame

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Weight says which column is the survey weight of a row, by how many of the population it stands for. Every release
// of Mean, GroupMeans, Total or Table is then of the population: see Schema.Weight. The bounds come from the design of
// the survey, such as four times the population over the rows, and never from the weights at hand. A weight is private,
// as every other value of its row.
type Weight struct {
	Column string `json:"column"`
	// Min, Max and Step are decimals in quotes. Weights are rounded to whole steps, of which Max has at most 2^24.
	Min  string `json:"min"`
	Max  string `json:"max"`
	Step string `json:"step"`
	// Computed says what weights were computed from: see [FromDesign] and [FromRespondents].
	Computed Computed `json:"computed"`
	Missing  string   `json:"missing,omitempty"` // the weight that an empty field is read as; refused where empty
	Clamp    bool     `json:"clamp,omitempty"`   // weights outside of the bounds are moved to them, and not refused
	// Unused says that the weight was set aside: see [Schema.Unweighted].
	Unused bool `json:"unused,omitempty"`
	// Chose says that rows may have been chosen by their contents, weights among them, before the weight was set aside.
	Chose bool `json:"chose,omitempty"`
}

// Computed says what the weight of a row is a function of.
type Computed string

// Weights are functions of their own row and of public facts, or of other rows, too.
const (
	// FromDesign are inclusion probabilities and other facts of the row's own and of the public design.
	FromDesign Computed = "design"
	// FromRespondents are weights that were post-stratified, raked, calibrated or adjusted for nonresponse by the rows at
	// hand. A row that comes or goes changes those of others: a guarantee is then about neighbours with others' weights
	// held as given, and says so.
	FromRespondents Computed = "respondents"
)

// HeldAsGiven stands in the unit of a guarantee on weights computed from the respondents.
const HeldAsGiven = safetext.HeldAsGiven

// maxWeightSteps bounds W, the steps of the largest weight.
const maxWeightSteps = 1 << 24

// Weighted is the weight that releases use; nil where the schema has none, or set it aside.
func (s *Schema) Weighted() *Weight {
	if s.Weight == nil || s.Weight.Unused {
		return nil
	}
	return s.Weight
}

// UnitName is what one record is: "person" if nobody says. With weights computed from the respondents it says that
// others' weights are held as given; also where they were set aside, if rows may have been chosen by them: of units
// with a key the rows that count are, and what Where left is split by contents.
func (s *Schema) UnitName() string {
	name := s.Unit
	if name == "" {
		name = "person"
	}
	if w := s.Weight; w != nil && w.Computed == FromRespondents && (!w.Unused || w.Chose || s.UnitKey != "") {
		name += "; " + HeldAsGiven
	}
	return name
}

// WeightSteps are the steps of a weight: a row's is rounded to ω in {Low, …, High}, in units of Step.
type WeightSteps struct {
	Low, High int64
	Step      float64
	Max       float64 // the largest weight

	min, max float64
	step     uint64  // in 10⁻⁹
	per      float64 // steps in 1
}

// billion is how many parts of 1 decimals of a schema are read in.
const billion = 1_000_000_000

// decimal9 is a decimal with at most nine digits before the point and so many after it, in parts of 10^digits.
func decimal9(text string, digits int) (x uint64, ok bool) {
	whole, part, point := strings.Cut(text, ".")
	if len(whole) == 0 || len(whole) > 9 || point && len(part) == 0 || len(part) > digits {
		return 0, false
	}
	x, err := strconv.ParseUint(whole+part+strings.Repeat("0", digits-len(part)), 10, 64)
	return x, err == nil
}

// Steps are those of the weight. Error: *SchemaError.
func (w *Weight) Steps() (*WeightSteps, error) {
	l, _, err := w.steps()
	if err != nil {
		return nil, err
	}
	return l, nil
}

// steps also gives the largest weight in 10⁻⁹.
func (w *Weight) steps() (*WeightSteps, uint64, *SchemaError) {
	var of [3]uint64
	for i, d := range []struct{ field, text string }{{"min", w.Min}, {"max", w.Max}, {"step", w.Step}} {
		x, ok := decimal9(d.text, 9)
		if !ok {
			return nil, 0, bad("weight."+d.field, safetext.Short(d.text), `a decimal number in quotes, such as "0.25", of at `+
				"most nine digits before the point and nine after it, from the design of the survey and not from the weights at "+
				"hand")
		}
		of[i] = x
	}
	low, most, step := of[0], of[1], of[2]
	switch {
	case most == 0:
		return nil, 0, bad("weight.max", safetext.Short(w.Max), "a number above 0: the largest weight")
	case low >= most:
		return nil, 0, bad("weight.min", safetext.Short(w.Min), `a number below "max", `+w.Max)
	case step == 0:
		return nil, 0, bad("weight.step", safetext.Short(w.Step), "a number above 0: weights are rounded to whole steps")
	case most%step != 0 || most/step > maxWeightSteps:
		return nil, 0, bad("weight.step", safetext.Short(w.Step), "a step of which "+w.Max+", the largest weight, is a "+
			"whole number, 2^24 at most")
	}
	l := &WeightSteps{High: int64(most / step), step: step}
	l.min, _ = strconv.ParseFloat(w.Min, 64)
	l.max, _ = strconv.ParseFloat(w.Max, 64)
	l.Step, _ = strconv.ParseFloat(w.Step, 64)
	l.Max, l.per = l.max, 1/l.Step
	l.Low = l.At(l.min)
	return l, most, nil
}

// At is the number ω of steps of a weight, in {Low, …, High} whatever w is: w moved into the bounds, and rounded to the
// nearest step, halves up, exactly. A number is taken as its shortest decimal, so that tables in decimals and in
// floating point give the same.
func (l *WeightSteps) At(w float64) int64 {
	if !(w > l.min) {
		w = l.min
	}
	if w >= l.max {
		return l.High
	}
	q := w*l.per + .5
	near := math.Floor(q)
	if q-near > 1e-6 && near+1-q > 1e-6 {
		return int64(near)
	}
	whole, part, _ := strings.Cut(strconv.FormatFloat(w, 'f', -1, 64), ".")
	at, _ := decimal9(whole+"."+(part + "0")[:min(len(part)+1, 10)], 10) // in 10⁻¹⁰, what is less cut off
	k := uint64(math.Round(q))                                           // w is about (k − ½) steps
	if k > 0 && at < 5*(2*k-1)*l.step {
		k--
	}
	return int64(k)
}

// column is the weight as a column of the table, whose units may be padded.
func (w *Weight) column(padded bool) Column {
	c := Real(w.Column)
	c.weight = true
	c.Min, _ = strconv.ParseFloat(w.Min, 64)
	c.Max, _ = strconv.ParseFloat(w.Max, 64)
	c.Description = "survey weight"
	if w.Clamp {
		c.OnOutOfDomain = DomainClamp
	}
	if w.Missing != "" {
		x, _ := strconv.ParseFloat(w.Missing, 64)
		c.Missing, c.OnMissing, c.Impute = []string{"", "NA"}, MissingImputed, &x
	}
	if padded {
		c.Pad = w.Min
	}
	c.fill()
	return c
}

// fillWeight writes the weight's column out, after the others.
func (s *Schema) fillWeight() {
	if w := s.Weighted(); w != nil {
		_, at, _ := s.Column(w.Column)
		if at < 0 {
			at, s.Columns = len(s.Columns), append(s.Columns, w.column(s.PadUnits))
		}
		s.Columns[at].weight = true
	}
}

// checkWeight checks what the schema says about weights.
func (s *Schema) checkWeight() *SchemaError {
	w := s.Weight
	switch {
	case s.Population < 0 || s.Population > maxAbout:
		return bad("population", strconv.FormatInt(s.Population, 10), "1 to 10^15, how many the rows are a sample of")
	case w == nil && s.Design == nil && s.Population > 0:
		return bad("population", strconv.FormatInt(s.Population, 10), `none without a "weight", by which rows stand for it, `+
			`or a "design", by which they were drawn from it`)
	case w == nil:
		return nil
	case w.Computed != FromDesign && w.Computed != FromRespondents:
		return bad("weight.computed", safetext.Quote(string(w.Computed)), `"design" where each weight follows from its own `+
			`row and public facts, such as a probability fixed before the field; "respondents" where weights were `+
			`post-stratified, raked, calibrated or adjusted for nonresponse by the rows at hand`)
	case w.Chose && !w.Unused:
		return bad("weight.chose", "true", `none without "unused": rows were chosen before the weight was set aside`)
	case s.UnitKey != "" && s.UnitKey == w.Column:
		return bad("unit_key", safetext.Quote(s.UnitKey), "another column than that of the weight")
	case s.Sampling == Census:
		return bad("sampling", `"census"`, `"sample" with a weight: rows of a census stand for themselves`)
	case len(s.Tables) > 0:
		return bad("weight", "set", `none with "tables": join them into one table of the rows that have weights`)
	case s.Inferred:
		return bad("weight", "set", "a schema from the design, not one inferred from the rows")
	}
	if e := checkName("weight.column", w.Column); e != nil {
		return e
	}
	l, most, e := w.steps()
	if e != nil {
		return e
	}
	if w.Missing != "" {
		_, ok := decimal9(w.Missing, 9)
		if v, _ := strconv.ParseFloat(w.Missing, 64); !ok || v < l.min || v > l.max {
			return bad("weight.missing", safetext.Short(w.Missing), fmt.Sprintf("a decimal number in quotes, from %s to %s",
				w.Min, w.Max))
		}
	}
	if s.PadUnits && l.Low > 0 {
		return bad("pad_units", "true", `a "weight" with "min": "0", the weight of rows that pad a unit; or no padding`)
	}
	hi, lo := bits.Mul64(most, uint64(max(s.ApproximateRows, 0)))
	people, parts := bits.Mul64(uint64(s.Population), billion)
	if s.Population > 0 && s.ApproximateRows > 0 && (hi < people || hi == people && lo < parts) {
		reach, _ := bits.Div64(hi, lo, billion)
		return bad("population", strconv.FormatInt(s.Population, 10), fmt.Sprintf("at most %d, what %d rows of the largest "+
			"weight, %s, stand for", reach, s.ApproximateRows, w.Max))
	}
	return s.checkWeightColumn()
}

// checkWeightColumn refuses a column of the weight's name that says something else. Weights of the respondents that
// were set aside are no column: a guarantee without the words is not about them.
func (s *Schema) checkWeightColumn() *SchemaError {
	w := s.Weight
	if c, _, err := s.Column(w.Column); err == nil {
		if w.Unused {
			if w.Computed == FromDesign {
				return nil
			}
			return &SchemaError{Column: w.Column, Field: "weight", Value: "set aside, and a column, too", Want: `another ` +
				`name; or the weight without "unused": its values follow from other rows`}
		}
		have, want := &Schema{Columns: []Column{*c}}, &Schema{Columns: []Column{w.column(s.PadUnits)}}
		if !have.Equal(want) {
			return &SchemaError{Column: w.Column, Field: "weight", Value: "a column of its own, too", Want: `the weight's ` +
				`column in "weight" alone, unchanged; Unweighted() before steps that change it`}
		}
	}
	return nil
}

// Unweighted is the schema whose rows stand for themselves: its weight is set aside, and its column left out.
func (s *Schema) Unweighted() *Schema {
	out := s.filled()
	if w := out.Weighted(); w != nil {
		_, at, _ := out.Column(w.Column)
		set := *w
		set.Unused = true
		out.Weight, out.Columns = &set, append(out.Columns[:at:at], out.Columns[at+1:]...)
		out.Steps = append(out.Steps, "Unweighted()")
	}
	return out
}

// Unweighted is the same rows, which stand for themselves: see [Schema.Unweighted]. Steps that chose rows by their
// contents, weights among them, are best taken after it: see [Schema.UnitName]. Error: *ColumnError where there is no
// weight.
func (f *Frame) Unweighted() (*Frame, error) {
	w := f.schema.Weighted()
	if w == nil {
		return nil, &ColumnError{Step: "Unweighted", Column: "weight", Have: f.schema.Names(),
			Want: `a schema with a "weight"`}
	}
	g, at := *f, -1
	for i, c := range f.schema.Columns {
		if c.Name == w.Column {
			at = i
		}
	}
	g.schema, g.cols = f.schema.Unweighted(), append(f.cols[:at:at], f.cols[at+1:]...)
	g.schema.Weight.Chose = w.Computed == FromRespondents && f.schema.UnitKey == "" && f.who != nil
	return &g, nil
}
