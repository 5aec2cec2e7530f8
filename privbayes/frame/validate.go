package frame

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Limits that keep a schema from asking for absurd amounts of memory.
const (
	maxSequence = 1 << 20
	maxRows     = 1 << 30
	maxAbout    = 1_000_000_000_000_000 // as of a public n
	maxInteger  = 1 << 53               // beyond it float64 does not hold every whole number
)

// Validate checks the schema for sense: unique names, known kinds, increasing finite edges that agree with the bounds,
// no field of another kind, at most 65536 codes. Data set, unit, columns and categories have names that can be shown
// and told apart: visible text, as safetext.Check says, and no two equal under NFKC. Missing marks and separators are
// what files hold, any UTF-8. The error is a *SchemaError that names column and field.
func (s *Schema) Validate() error { return s.validate(false) }

// validate is Validate, which open columns pass where they may.
func (s *Schema) validate(open bool) error {
	if s == nil {
		return &SchemaError{Field: "schema", Value: "nil", Want: "a schema"}
	}
	if len(s.Tables) > 0 {
		if e := s.checkTables(); e != nil {
			return e
		}
		s = s.filled()
	}
	if s.RowsPerUnit < 0 || s.RowsPerUnit > maxRows {
		return &SchemaError{Field: "rows_per_unit", Value: strconv.Itoa(s.RowsPerUnit), Want: "1 to 2^30"}
	}
	if e := cmp.Or(s.checkUnits(), s.checkWeight(), s.checkStrata(), s.checkDesign()); e != nil {
		return e
	}
	if s.ApproximateRows < 0 || s.ApproximateRows > maxAbout {
		return &SchemaError{Field: "about_rows", Value: strconv.Itoa(s.ApproximateRows), Want: "0 to 10^15"}
	}
	if s.Sampling != "" && s.Sampling != Census && s.Sampling != Sample {
		return &SchemaError{Field: "sampling", Value: safetext.Quote(string(s.Sampling)), Want: `"census" where the rows ` +
			`are the whole population, "sample" where they are an independent sample of it`}
	}
	if s.Dataset == "" {
		return &SchemaError{Field: "dataset", Value: "empty", Want: "a name for the data set; budgets and releases carry it"}
	}
	if e := cmp.Or(checkTitle("dataset", s.Dataset), checkTitle("unit", s.UnitName())); e != nil {
		return e
	}
	if len(s.Columns) == 0 {
		return &SchemaError{Field: "columns", Value: "empty", Want: "at least one column"}
	}
	if e := s.Format.check(); e != nil {
		return e
	}
	for i, step := range s.Steps {
		var e *safetext.Error
		if errors.As(safetext.CheckLine(step), &e) {
			return bad("steps", fmt.Sprintf("at position %d %s", i, e.Shown()), safetext.Want)
		}
	}
	names := distinct{}
	for i := range s.Columns {
		c := s.Columns[i].clone()
		c.fill()
		if e := checkName("columns", c.Name); e != nil {
			e.Value = fmt.Sprintf("a column named %s, at position %d", e.Value, i)
			return e
		}
		if e := names.add("name", c.Name); e != nil {
			e.Column = c.Name
			return e
		}
		e := c.check()
		switch {
		case e == nil && !open && (c.Kind == KindOpen || c.Bounds != ""):
			e = c.sought()
		case e == nil:
			e = c.checkFound(s)
		}
		if e != nil {
			e.Column = c.Name
			return e
		}
	}
	return nil
}

func bad(field, value, want string) *SchemaError {
	return &SchemaError{Field: field, Value: value, Want: want}
}

// check and checkTight are safetext.Check and safetext.CheckTitle; a test swaps them.
var check, checkTight = safetext.Check, safetext.CheckTitle

// checkName refuses what could not be shown as a name: see safetext.Check.
func checkName(field, name string) *SchemaError {
	var e *safetext.Error
	if errors.As(check(name), &e) {
		return bad(field, e.Shown(), safetext.Want)
	}
	return nil
}

// checkTitle is checkName for names that stand in one line with a guarantee: see safetext.CheckTitle.
func checkTitle(field, name string) *SchemaError {
	var e *safetext.Error
	switch {
	case errors.As(check(name), &e):
		return bad(field, e.Shown(), safetext.Want)
	case errors.As(checkTight(name), &e):
		return bad(field, e.Shown(), fmt.Sprintf("a name of at most %d characters, without two spaces in a row: it "+
			"stands in every guarantee", safetext.MaxTitle))
	}
	return nil
}

// distinct are names by their compatibility form, under which each may stand once.
type distinct map[string]string

func (d distinct) add(field, name string) *SchemaError {
	form := safetext.Same(name)
	switch first, twice := d[form]; {
	case twice && first == name:
		return bad(field, safetext.Short(name)+" twice", "each once")
	case twice:
		return bad(field, fmt.Sprintf("%s and %+q, which are one text to Unicode (NFKC)", safetext.Short(first),
			safetext.Clip(name, 80)), "texts that differ in more than their encoding")
	}
	d[form] = name
	return nil
}

// sought says that a column is not read before its categories or bounds are found.
func (c *Column) sought() *SchemaError {
	if c.Kind == KindOpen {
		return bad("kind", string(KindOpen),
			`"categorical" with all its "categories": public ones, or those that discover releases`)
	}
	return bad("bounds", BoundsUnknown, `none, with "edges", or "min" and "max": public ones, or those that discover `+
		"releases")
}

// check validates a filled column.
func (c *Column) check() *SchemaError {
	if c.Bounds != "" {
		return c.checkUnknown()
	}
	switch c.Kind {
	case KindCategorical, KindSequence:
		if e := c.checkDates(); e != nil {
			return e
		}
		if len(c.Edges) > 0 || c.Min != 0 || c.Max != 0 {
			return bad("edges or bounds", "set", "none for kind "+string(c.Kind))
		}
		if e := c.checkCategories(); e != nil {
			return e
		}
	case KindInteger, KindReal:
		if len(c.Categories) > 0 {
			return bad("categories", "set", "none for kind "+string(c.Kind))
		}
		if e := c.checkDates(); e != nil {
			return e
		}
		if e := c.checkEdges(); e != nil {
			return e
		}
	case KindOpen:
		if e := c.checkOpen(); e != nil {
			return e
		}
	default:
		return c.wrongKind()
	}
	if e := c.checkSequence(); e != nil {
		return e
	}
	if e := c.checkMissing(); e != nil {
		return e
	}
	if e := c.checkAliases(); e != nil {
		return e
	}
	if e := c.checkWithin(); e != nil {
		return e
	}
	if c.Levels() > maxLevels {
		return bad("levels", strconv.Itoa(c.Levels()), "at most 65536 codes")
	}
	var prose *safetext.Error
	if errors.As(safetext.CheckProse(c.Description), &prose) {
		return bad("description", prose.Shown(), "text, of several lines if you like, without control, bidirectional "+
			"or invisible characters")
	}
	return c.checkDomain()
}

func (c *Column) checkCategories() *SchemaError {
	if len(c.Categories) == 0 {
		return bad("categories", "empty", "every value the column can have, known without looking at the data")
	}
	seen := make(distinct, len(c.Categories))
	if slices.Equal(c.Categories, []string{toFillIn}) {
		return bad("categories", "still to be filled in", "every value that the column can have, from the code book and not "+
			"from the rows")
	}
	for _, v := range c.Categories {
		if v == "" {
			return bad("categories", "an empty one",
				`names; to read empty fields, use "missing": [""] with "on_missing": "category"`)
		}
		if e := checkName("categories", v); e != nil {
			return e
		}
		if e := seen.add("categories", v); e != nil {
			return e
		}
	}
	return nil
}

func (c *Column) checkEdges() *SchemaError {
	for _, x := range append([]float64{c.Min, c.Max}, c.Edges...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return bad("edges or bounds", number(x), "finite numbers")
		}
		if c.Kind == KindInteger && math.Abs(x) > maxInteger {
			return bad("edges or bounds", number(x), "at most 2^53 in size for whole numbers")
		}
	}
	n := len(c.Edges)
	if n < 2 {
		field, value := "min, max", number(c.Min)+", "+number(c.Max)
		switch {
		case n == 1:
			field, value = "edges", "one value, "+number(c.Edges[0])
		case c.Min == 0 && c.Max == 0:
			value = "0, 0 or unset"
		}
		return bad(
			field,
			value,
			`public bounds, "min" below "max", or "edges" with at least two values; they are not taken from the data`,
		)
	}
	for i := 1; i < n; i++ {
		lo, hi := c.Edges[i-1], c.Edges[i]
		if !(lo < hi) {
			return bad("edges", number(lo)+" before "+number(hi), "strictly increasing edges")
		}
		if first := math.Ceil(lo); c.Kind == KindInteger && (first > hi || first == hi && i < n-1) {
			return bad("edges", number(lo)+" before "+number(hi), "a whole number in every bin")
		}
	}
	first, last := c.Edges[0], c.Edges[n-1]
	open := c.Kind == KindInteger && c.Max == math.Ceil(last)-1 && c.Max >= c.Edges[n-2]
	if first != c.Min || last != c.Max && !open {
		want := fmt.Sprintf("the first and last edge, %s and %s", number(first), number(last))
		if c.Kind == KindInteger {
			want += ", or as max the last whole number below it"
		}
		return bad("min, max", number(c.Min)+", "+number(c.Max), want)
	}
	return nil
}

func (c *Column) checkSequence() *SchemaError {
	if c.Kind != KindSequence {
		if c.Separator != "" || c.MaxLength != 0 {
			return bad("separator or max_length", "set", "none for kind "+string(c.Kind))
		}
		return nil
	}
	if c.Separator == "" || !utf8.ValidString(c.Separator) {
		return bad("separator", safetext.Short(c.Separator), "the text between two items")
	}
	if c.MaxLength < 1 || c.MaxLength > maxSequence {
		return bad("max_length", strconv.Itoa(c.MaxLength), "1 to 2^20 items")
	}
	for _, v := range c.Categories {
		if strings.Contains(v, c.Separator) {
			return bad("categories", safetext.Short(v), "items without the separator in them")
		}
	}
	if c.HasMissing() {
		return bad("on_missing", `"category"`, `"error" for a sequence`)
	}
	return nil
}

func (c *Column) checkMissing() *SchemaError {
	switch c.OnMissing {
	case "", MissingAsCategory:
	case MissingOmitted, MissingImputed:
		if !c.Numeric() {
			return bad("on_missing", safetext.Short(c.OnMissing), `"error" or "category" for kind `+string(c.Kind)+
				`: numbers alone are omitted or imputed`)
		}
	default:
		want := `"error" or "category"`
		if c.Numeric() {
			want = `"error", "category", "omit" or "impute"`
		}
		return bad("on_missing", safetext.Short(c.OnMissing), want)
	}
	if e := c.checkImpute(); e != nil {
		return e
	}
	if c.OnMissing != "" && len(c.Missing) == 0 {
		return bad("missing", "empty", `the marks that mean missing, such as "NA", "?" or ""`)
	}
	if !c.HasMissing() && c.MissingCategory != "" {
		return bad("missing_category", safetext.Short(c.MissingCategory),
			`none unless "on_missing" is "category" or "omit"`)
	}
	if c.QuotedMissing != "" && c.QuotedMissing != QuotedIsValue {
		return bad("quoted_missing", safetext.Short(c.QuotedMissing), `"missing" or "value"`)
	}
	for i, m := range c.Missing {
		switch {
		case !utf8.ValidString(m):
			return bad("missing", safetext.Short(m), "UTF-8 text")
		case containsText(c.Categories, m):
			return bad("missing", safetext.Short(m), "marks that are not categories")
		case containsText(c.Missing[:i], m):
			return bad("missing", safetext.Short(m)+" twice", "unique marks")
		}
	}
	if !c.HasMissing() {
		return nil
	}
	if e := checkName("missing_category", c.MissingCategory); e != nil {
		return e
	}
	for _, l := range c.Labels()[:c.Levels()-1] {
		if safetext.Same(l) == safetext.Same(c.MissingCategory) {
			return bad("missing_category", safetext.Short(c.MissingCategory), "a name that no other code has")
		}
	}
	return nil
}

// checkImpute validates the number that missing values are read as.
func (c *Column) checkImpute() *SchemaError {
	if c.OnMissing != MissingImputed {
		if c.Impute != nil {
			return bad("impute", number(*c.Impute), `none unless "on_missing" is "impute"`)
		}
		return nil
	}
	want := fmt.Sprintf("a public number from %s to %s, the bounds", number(c.Min), number(c.Max))
	if c.Kind == KindInteger {
		want = "a whole" + strings.TrimPrefix(want, "a public")
	}
	switch {
	case c.Impute == nil:
		return bad("impute", "unset", want+", chosen without looking at the rows")
	case !(*c.Impute >= c.Min && *c.Impute <= c.Max), c.Kind == KindInteger && *c.Impute != math.Trunc(*c.Impute):
		return bad("impute", number(*c.Impute), want)
	}
	return nil
}

// checkAliases refuses aliases that are categories or marks, or of none.
func (c *Column) checkAliases() *SchemaError {
	if len(c.Aliases) > 0 && c.Kind != KindCategorical {
		return bad("aliases", "set", "none for kind "+string(c.Kind))
	}
	seen := map[string]bool{}
	for _, a := range c.Aliases {
		if !slices.Contains(c.Categories, a.Category) {
			return bad("aliases", "of "+safetext.Short(a.Category), "aliases of the categories")
		}
		for _, t := range a.Texts {
			switch {
			case !utf8.ValidString(t):
				return bad("aliases", safetext.Short(t), "UTF-8 text")
			case containsText(c.Categories, t):
				return bad("aliases", safetext.Short(t)+", a category", "texts that are not categories")
			case c.QuotedMissing == "" && containsText(c.Missing, t):
				return bad("aliases", safetext.Short(t)+", a missing mark",
					`texts that are not missing marks, unless "quoted_missing" is "value"`)
			case seen[norm.NFC.String(t)]:
				return bad("aliases", safetext.Short(t)+" twice", "each text once")
			}
			seen[norm.NFC.String(t)] = true
		}
	}
	return nil
}

// containsText reports whether a text is among others, as files are read: the same text to Unicode (NFC).
func containsText(texts []string, text string) bool {
	form := norm.NFC.String(text)
	return slices.ContainsFunc(texts, func(t string) bool { return norm.NFC.String(t) == form })
}

// wrongKind says which kind may be meant.
func (c *Column) wrongKind() *SchemaError {
	switch string(c.Kind) {
	case toFillIn, "":
		return bad("kind", "still to be filled in", `"categorical" with "categories", "integer" or "real" with "edges" or `+
			`with "min" and "max", or "sequence", from the code book and not from the rows`)
	case "date", "datetime", "time", "timestamp":
		return bad("kind", safetext.Short(string(c.Kind)), `"integer", with the layout as in "date": "2006-01-02" and `+
			`public bounds and bins as in "date_edges": ["2020-01-01", "2021-01-01"]`)
	case "string", "text", "factor", "bool", "boolean", "logical", "character", "nominal", "ordinal":
		return bad("kind", safetext.Short(string(c.Kind)), `"categorical", with all its "categories" (or "integer", "real" `+
			`or "sequence")`)
	case "number", "numeric", "float", "double", "decimal", "int", "continuous":
		return bad("kind", safetext.Short(string(c.Kind)), `"integer" or "real", with "edges" (or "categorical" or `+
			`"sequence")`)
	}
	return bad("kind", safetext.Short(string(c.Kind)), `"categorical", "integer", "real", "sequence" or "open"`)
}

func (c *Column) checkDomain() *SchemaError {
	switch {
	case c.OnOutOfDomain == DomainOther && c.Kind == KindCategorical:
		if !slices.Contains(c.Categories, c.Other) {
			return bad("other", safetext.Short(c.Other), "one of the categories")
		}
		return nil
	case c.OnOutOfDomain == "", c.OnOutOfDomain == DomainClamp && c.Numeric():
	default:
		return bad("on_out_of_domain", safetext.Short(string(c.OnOutOfDomain)),
			`"error", "other" (categorical) or "clamp" (numeric)`)
	}
	if c.Other != "" && c.Kind != KindOpen {
		return bad("other", safetext.Short(c.Other), `none unless "on_out_of_domain" is "other"`)
	}
	return nil
}
