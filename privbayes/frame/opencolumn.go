package frame

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Found is the release by which the categories of a column, or its bounds, were found in the data, and the guarantee
// that this has: what is released under the schema composes with it.
type Found struct {
	What      string  `json:"what,omitempty"` // [FoundBounds], or empty: categories
	Release   string  `json:"release"`        // its name in ledgers
	Epsilon   float64 `json:"epsilon"`
	Delta     float64 `json:"delta"`
	Rho       float64 `json:"rho,omitempty"`   // of zCDP and tCDP, whose ε is 0
	Order     float64 `json:"order,omitempty"` // of Rényi DP, or the last one of tCDP
	Adjacency string  `json:"adjacency"`
	Unit      string  `json:"unit"`
	UnitKey   string  `json:"unit_key,omitempty"`
	AtMost    int     `json:"at_most"` // categories of one unit that were counted, or octaves
}

// FoundBounds says that a release found bounds.
const FoundBounds = "bounds"

// Noun is what was found: "categories" or "bounds".
func (f *Found) Noun() string { return cmp.Or(f.What, "categories") }

// level is the guarantee in a few words.
func (f *Found) level() string {
	switch {
	case f.Rho > 0 && f.Order > 0:
		return fmt.Sprintf("ρ = %.6g up to order %.6g", f.Rho, f.Order)
	case f.Rho > 0:
		return fmt.Sprintf("ρ = %.6g", f.Rho)
	case f.Order > 0:
		return fmt.Sprintf("ε = %.6g of order %.6g", f.Epsilon, f.Order)
	}
	if f.Delta == 0 {
		return fmt.Sprintf("ε = %.6g", f.Epsilon)
	}
	return fmt.Sprintf("ε = %.6g, δ = %.3g", f.Epsilon, f.Delta)
}

// leveled reports whether it has one.
func (f *Found) leveled() bool {
	return (f.Epsilon > 0) != (f.Rho > 0) && !math.IsInf(f.Epsilon+f.Rho, 0) && f.Epsilon >= 0 && f.Rho >= 0 &&
		f.Delta >= 0 && f.Delta < 1 && (f.Order == 0 || f.Order > 1 && f.Delta == 0)
}

// othersName is what all other values of a column are called whose categories were found, unless the column says.
const othersName = "other"

// others is what all other values of an open column are called.
func (c *Column) others() string { return cmp.Or(c.Other, othersName) }

// longText is the most characters of a category that is found. Longer texts count as others.
const longText = 200

// checkOpen validates a column whose categories are to be found.
func (c *Column) checkOpen() *SchemaError {
	if len(c.Categories)+len(c.Edges)+len(c.DateEdges)+len(c.Aliases) > 0 || c.Min != 0 || c.Max != 0 || c.Date != "" ||
		c.Separator != "" || c.MaxLength != 0 || c.Impute != nil || c.OnOutOfDomain != "" || c.Pad != "" || c.Found != nil {
		return bad("kind", string(KindOpen), `only name, "missing" with what it says, "other", "within" and "description": `+
			"categories are what is to be found")
	}
	other := c.others()
	if c.HasMissing() && safetext.Same(other) == safetext.Same(c.MissingCategory) || containsText(c.Missing, other) {
		return bad("other", safetext.Short(other), "a name that missing values do not have")
	}
	return checkName("other", other)
}

// FoundAs is an open column with the categories that a release found, and the one of all other values as the last.
func (c Column) FoundAs(categories []string, by *Found) Column {
	c = c.clone()
	c.Kind, c.Other, c.OnOutOfDomain, c.Found = KindCategorical, c.others(), DomainOther, by
	if c.Within != nil && len(c.Within.Levels) == 0 { // else it says which codes stand under which category
		c.Within = nil
	}
	c.Categories = append(slices.Clone(categories), c.Other)
	return c
}

// checkFound validates what a column says about the release of its categories: the unit is that of the schema.
func (c *Column) checkFound(s *Schema) *SchemaError {
	f := c.Found
	switch {
	case f == nil:
		return nil
	case c.Kind == KindOpen || !safetext.IsWord(f.Release) || !f.leveled() || f.AtMost < 1 ||
		!safetext.IsWord(f.Adjacency) || f.What != "" && f.What != FoundBounds:
		return bad("found", safetext.Short(f.Release), "the release that found the "+f.Noun()+", with its guarantee")
	case f.Unit != s.UnitName() && f.Unit+"; "+HeldAsGiven != s.UnitName() || f.UnitKey != s.UnitKey:
		return bad("found", fmt.Sprintf("%s found for the unit %s, told apart by %s", f.Noun(), safetext.Short(f.Unit),
			cmp.Or(f.UnitKey, "its row")), fmt.Sprintf("a release for the unit of this schema, %s, told apart by %s",
			safetext.Quote(s.UnitName()), cmp.Or(s.UnitKey, "its row")))
	}
	return nil
}

// findsAs has a column that is made of another say by which release the categories of that one were found. Of several
// the first is named; they have one adjacency.
func (c *Column) findsAs(of *Column) *SchemaError {
	switch {
	case of.Found == nil:
	case c.Found == nil:
		c.Found = of.clone().Found
	case c.Found.Adjacency != of.Found.Adjacency:
		e := bad("found", of.Found.Noun()+" found under "+safetext.Word(of.Found.Adjacency), "columns whose "+
			of.Found.Noun()+" were found under one adjacency")
		e.Column = of.Name
		return e
	}
	return nil
}

// The kinds of warnings about categories and about bounds that a release found.
const (
	DomainFound warning.Kind = "categories-found"
	BoundsFound warning.Kind = "bounds-found"
)

// warns is the warning about what a release found.
func (f *Found) warns(text string) warning.Warning {
	kind := DomainFound
	if f.What == FoundBounds {
		kind = BoundsFound
	}
	return warning.Warning{Kind: kind, Value: cmp.Or(f.Epsilon, f.Rho), Text: text}
}

// FoundBy says by which release the categories or the bounds of a column were found in the data; "" for others.
func (c Column) FoundBy() string {
	f := c.Found
	if f == nil {
		return ""
	}
	return fmt.Sprintf("the %s of column %s were found in the data by release %s, at %s under %s", f.Noun(),
		safetext.Short(c.Name), safetext.Word(f.Release), f.level(), safetext.Word(f.Adjacency))
}

// Clipped says what an interval lacks under bounds that were found.
const Clipped = "Values beyond the bounds are moved to them: how many is private, and no interval includes it."

func (c *Column) foundWarning() warning.Warning {
	text := c.FoundBy() + ": the privacy loss of that release is not in this guarantee, and adds to it"
	if c.Found.What == FoundBounds {
		text += ". " + Clipped + " In one of 10,000 such releases, at most, a bound is far from every value"
	}
	return c.Found.warns(text)
}

// Unpaid warns of categories and bounds that a release found which a budget has no charge of: charged says whether it
// has. Others may have been charged elsewhere, and the budget's total is too low by them.
func (s *Schema) Unpaid(charged func(release string) bool) (list warning.List) {
	for _, c := range s.Columns {
		if f := c.Found; f != nil && !charged(f.Release) {
			list = append(list, f.warns(fmt.Sprintf("this budget has no charge of release %s, which found the %s of column %s: "+
				"what it shows as used is less than the privacy loss of both by %s", safetext.Word(f.Release), f.Noun(),
				safetext.Short(c.Name), f.level())))
		}
	}
	return list
}

// Listed is the category that a text of an open column counts as, and whether it is one: at most 200 characters that
// may stand in a schema, in the form that Unicode calls NFKC, and not the name of other or missing values. It is of the
// superset where the column has one.
func (c *Column) Listed(b []byte) (category string, ok bool) {
	category, ok = c.listable(b)
	if ok && c.Within != nil {
		_, ok = c.Within.Place(category)
	}
	return category, ok
}

// listable is Listed of a column without a superset.
func (c *Column) listable(b []byte) (category string, ok bool) {
	text := b
	if !norm.NFC.IsNormal(b) {
		text = norm.NFC.Bytes(b)
	}
	if len(text) == 0 || len(text) > 4*longText || utf8.RuneCount(text) > longText || !utf8.Valid(text) {
		return "", false
	}
	t := string(text)
	switch {
	case check(t) != nil, safetext.Same(t) != t, t == safetext.Same(c.others()):
		return "", false
	case c.HasMissing() && t == safetext.Same(cmp.Or(c.MissingCategory, "missing")):
		return "", false
	}
	return t, !containsText(c.Missing, t)
}

// OpenCounts are how many units hold each category of an open column, in the order of the texts: private.
type OpenCounts struct {
	Categories []string
	Units      []int64
	Levels     []OpenCounts // of codes that begin alike, by their beginnings, where the superset has levels
}

// CountOpen counts the units that hold each category of an open column, in one pass over a table. Units are told
// apart by the schema's UnitKey, and each row is one where there is none. A unit with several rows of a category counts
// once. Of a unit that holds more than most categories those with the least
//
//	SHA-256(SHA-256(key), its first 16 bytes ‖ category)
//
// stay, by the first 8 bytes of the digest, as a number, and then by their texts: a function of the unit's own rows,
// which does not depend on their order. No other column is read. The key of package access keeps it inside this module.
// Errors: ErrSealed, *SchemaError, *dp.ParameterError, and those of Load for the file.
func CountOpen(ctx context.Context, key access.Key, in Input, s *Schema, column string, most int) (*OpenCounts, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	c, err := s.OpenColumn(column)
	if err != nil {
		return nil, err
	}
	if most < 1 || s.UnitKey == "" && most != 1 {
		return nil, domain.Refuse("CountOpen", "categories of a unit", most, `1 where a row is a unit, or a "unit_key"`)
	}
	o := &opened{column: c, format: s.Format.plain(), key: s.UnitKey, most: most, index: map[string]int32{},
		byText: map[string]int32{}, units: map[unitID]int32{}}
	o.class = o.category
	if err := o.files(ctx, "CountOpen", in); err != nil {
		return nil, err
	}
	counts := o.counts()
	o.levels(counts)
	return counts, nil
}

// Input is a table of CSV in one or several parts, each with a header.
type Input struct {
	Paths   []string // of files
	Readers []Shard  // where there are no paths, read once
}

// shards are the parts of a table.
func (in Input) shards(step string) (out []shard, err error) {
	if len(in.Paths) > 0 {
		return files(in.Paths...), eachOnce(step, in.Paths)
	}
	for _, sh := range in.Readers {
		if absent(sh.Reader) {
			return nil, &FileError{File: sh.Name, Want: "a reader of a table; this one is nil"}
		}
		out = append(out, reader(sh.Reader, sh.Name)...)
	}
	if len(out) == 0 {
		err = domain.Refuse(step, "paths", "none", "at least one file, or a reader")
	}
	return out, err
}

// files counts the rows of a table.
func (o *opened) files(ctx context.Context, step string, table Input) error {
	shards, err := table.shards(step)
	if err != nil {
		return err
	}
	for _, sh := range shards {
		in, err := sh.open()
		if err != nil {
			return err
		}
		err = o.read(ctx, in, sh.name)
		_ = in.Close()
		if err != nil {
			return err
		}
	}
	o.settle()
	return nil
}

// OpenColumn is an open column of a schema that is valid but for such columns, with its defaults. Errors: *SchemaError,
// *ColumnError for a column that is not open.
func (s *Schema) OpenColumn(name string) (*Column, error) {
	return s.unknownColumn(name, func(c *Column) bool { return c.Kind == KindOpen })
}

// wantUnknown is what something can be found of.
const wantUnknown = `a column of "kind": "open" for its categories, or of "bounds": "unknown" for a range`

// unknownColumn is a column of which something is to be found.
func (s *Schema) unknownColumn(name string, unknown func(*Column) bool) (*Column, error) {
	if err := s.validate(true); err != nil {
		return nil, err
	}
	if s.UnitKey == "" && s.RowsPerUnit > 1 {
		return nil, &SchemaError{Field: "unit_key", Value: "none, and units of several rows", Want: "the column that says " +
			"whose row a row is: units are counted, and not rows"}
	}
	full := s.filled()
	c, _, err := full.Column(name)
	if err == nil && !unknown(c) {
		err = &ColumnError{Step: "Discover", Column: name, Have: s.Names(), Want: wantUnknown}
	}
	return c, err
}

// opened counts while files are read.
type opened struct {
	column *Column
	format *Format
	key    string
	most   int
	class  func(sc *scanner, at int, name string) (int32, error) // the category of a field, or -1
	index  map[string]int32                                      // of texts as they stand in the file: the category, or -1
	byText map[string]int32
	texts  []string
	rows   []int64 // of every category, where a row is a unit
	units  map[unitID]int32
	held   [][]heldCategory // of every unit
}

type heldCategory struct {
	category int32
	rank     uint64
}

// read counts the rows of one file.
func (o *opened) read(ctx context.Context, in io.Reader, name string) error {
	text, err := plainText(in, name, o.format.encoding())
	if err != nil {
		return err
	}
	sc, err := o.format.begin(text, name)
	if err != nil {
		return err
	}
	at, keyAt, fields, err := o.header(sc, name)
	if err != nil {
		return err
	}
	sc.blank = fields == 1
	for rows := 0; ; rows++ {
		if rows%chunkRows == 0 && ctx.Err() != nil {
			return stopped(name, ctx.Err())
		}
		err := sc.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return sc.failure(name, err)
		case len(sc.ends) != fields:
			return &ValueError{File: name, Line: sc.line, Value: count(len(sc.ends), "field"),
				Want: count(fields, "field") + ", as in the header" + oneMore(len(sc.ends), fields)}
		}
		category, err := o.class(sc, at, name)
		if err != nil {
			return err
		}
		if keyAt < 0 {
			if category >= 0 {
				o.rows[category]++
			}
			continue
		}
		unit := sc.field(keyAt)
		if len(unit) == 0 {
			return &ValueError{File: name, Line: sc.line, Column: o.key, Want: wantKey}
		}
		if category >= 0 {
			o.hold(unitOf(unit), category)
		}
	}
}

// header finds the column and the key in a file; the key is at -1 where there is none.
func (o *opened) header(sc *scanner, name string) (at, keyAt, fields int, err error) {
	head := sc.fields()
	for _, f := range head {
		if !utf8.Valid(f) {
			return 0, 0, 0, &FileError{File: name, Found: "text whose header is not UTF-8", Want: notUTF8}
		}
	}
	names, _ := headerNames(head)
	find := func(column, want string) int {
		i := place(names, column)
		if err == nil && (i < 0 || place(names[i+1:], column) >= 0) {
			err = &ColumnError{Step: "header of " + name, Column: column, Have: names, Want: want + ", once in the header"}
		}
		return i
	}
	at, keyAt = find(o.column.Name, "the column that is sought"), -1
	if o.key != "" {
		keyAt = find(o.key, `the column of the schema's "unit_key"`)
	}
	return at, keyAt, len(names), err
}

// category is the number of the category of a text, from 0 in the order of the file, or -1.
func (o *opened) category(sc *scanner, at int, _ string) (int32, error) {
	b := sc.field(at)
	if i, known := o.index[string(b)]; known {
		return i, nil
	}
	i := int32(-1)
	if t, ok := o.column.Listed(b); ok {
		var known bool
		if i, known = o.byText[t]; !known {
			i = int32(len(o.texts))
			o.byText[t], o.texts, o.rows = i, append(o.texts, t), append(o.rows, 0)
		}
	}
	o.index[string(b)] = i
	return i, nil
}

// hold notes that a unit holds a category, and keeps those with the least ranks.
func (o *opened) hold(u unitID, category int32) {
	at, known := o.units[u]
	if !known {
		at = int32(len(o.held))
		o.units[u], o.held = at, append(o.held, nil)
	}
	have := o.held[at]
	for _, h := range have {
		if h.category == category {
			return
		}
	}
	sum := sha256.Sum256(append(u[:], o.texts[category]...))
	one := heldCategory{category, binary.BigEndian.Uint64(sum[:8])}
	if len(have) < o.most {
		o.held[at] = append(have, one)
		return
	}
	last := 0
	for i := range have {
		if o.before(have[last], have[i]) {
			last = i
		}
	}
	if o.before(one, have[last]) {
		have[last] = one
	}
}

func (o *opened) before(a, b heldCategory) bool {
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return o.texts[a.category] < o.texts[b.category]
}

// settle counts what units hold.
func (o *opened) settle() {
	for _, have := range o.held {
		for _, h := range have {
			o.rows[h.category]++
		}
	}
}

// counts are the units of every category, in the order of the texts.
func (o *opened) counts() *OpenCounts {
	order := make([]int, len(o.texts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(o.texts[a], o.texts[b]) })
	out := &OpenCounts{}
	for _, i := range order {
		if o.rows[i] > 0 {
			out.Categories, out.Units = append(out.Categories, o.texts[i]), append(out.Units, o.rows[i])
		}
	}
	return out
}
