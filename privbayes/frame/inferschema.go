package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// inferCategories is the largest number of distinct numbers that InferSchema still takes for categories.
const inferCategories = 12

// InferSchema guesses a schema from CSV or CSV.gz data, for exploration only: it reads private rows, so the schema has
// Inferred set and nothing made under it is private. Empty fields, "NA" and "?" count as missing; columns of numbers
// with more than 12 distinct values get ten bins between round bounds, whole numbers if all are; any other column gets
// its distinct values in order as categories. Errors: *FileError, *ValueError (a record of another length),
// *SchemaError (more than 65536 categories).
func InferSchema(r io.Reader, dataset string, opts ...ReadOption) (*Schema, error) {
	format, sc, err := begun(r, dataset, opts)
	if err != nil {
		return nil, err
	}
	var cols []*guess
	names, _ := headerNames(sc.fields())
	for _, name := range names {
		cols = append(cols, &guess{name: name, values: map[string]bool{}, marks: map[string]bool{}, whole: true,
			read: encoder{numeric: true}, min: math.Inf(1), max: math.Inf(-1)})
	}
	rows := 0
	for _, g := range cols {
		g.read.written(format)
	}
	for ; err == nil; rows++ {
		if err = sc.next(); err != nil {
			break
		}
		fields := sc.fields()
		if len(fields) != len(cols) {
			return nil, &ValueError{File: dataset, Line: sc.line, Value: count(len(fields), "field"),
				Want: count(len(cols), "field") + ", as in the header"}
		}
		for i, g := range cols {
			g.see(fields[i])
		}
	}
	if err != io.EOF {
		return nil, sc.failure(dataset, err)
	}
	if rows == 0 {
		return nil, &FileError{File: dataset, Want: "at least one row; the file has a header but no rows"}
	}
	s := &Schema{Dataset: dataset, Inferred: true, Format: format}
	for _, g := range cols {
		s.Columns = append(s.Columns, g.column())
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// guess gathers what one column looks like.
type guess struct {
	name     string
	values   map[string]bool // distinct, up to maxLevels+1
	marks    map[string]bool
	read     encoder // of numbers
	text     bool    // a value is not a number
	whole    bool
	min, max float64
}

func (g *guess) see(b []byte) {
	switch string(b) {
	case "", "NA", "?":
		g.marks[string(b)] = true
		return
	}
	if len(g.values) <= maxLevels && !g.values[string(b)] {
		g.values[string(b)] = true
	}
	x, ok := g.read.parse(b)
	if !ok || math.IsInf(x, 0) {
		g.text = true
		return
	}
	g.whole = g.whole && x == math.Trunc(x) && math.Abs(x) < 1e15
	g.min, g.max = min(g.min, x), max(g.max, x)
}

func (g *guess) column() Column {
	c := Column{Name: g.name, Kind: KindCategorical, Description: "inferred from data"}
	for m := range g.marks {
		c.Missing = append(c.Missing, m)
	}
	slices.Sort(c.Missing)
	if len(c.Missing) > 0 {
		c.OnMissing = MissingAsCategory
		c.MissingCategory = "missing"
		for g.values[c.MissingCategory] {
			c.MissingCategory += "_"
		}
	}
	if g.text || len(g.values) <= inferCategories {
		for v := range g.values {
			c.Categories = append(c.Categories, v)
		}
		slices.Sort(c.Categories)
		if len(c.Categories) == 0 { // nothing but missing marks
			c.Categories = []string{"present"}
		}
		return c
	}
	if len(c.Missing) > 0 {
		c.Description += `; a missing number is a category: "omit" is for means and quantiles, ` +
			`"impute" for any model of numbers`
	}
	c.Kind, c.Edges = KindReal, roundEdges(g.min, g.max, g.whole)
	if g.whole {
		c.Kind = KindInteger
	}
	c.Min, c.Max = c.Edges[0], c.Edges[len(c.Edges)-1]
	return c
}

// roundEdges gives about ten bins with edges at multiples of 1, 2 or 5 times a power of ten.
func roundEdges(lo, hi float64, whole bool) []float64 {
	raw := hi/10 - lo/10
	exp := math.Floor(math.Log10(raw))
	step := 10.0
	for _, m := range []float64{1, 2, 5} {
		if m*math.Pow(10, exp) >= raw {
			step = m
			break
		}
	}
	if whole && exp < 0 {
		step, exp = 1, 0
	}
	unit := step * math.Pow(10, exp)
	if !(unit > 0) || math.IsInf(unit, 0) || math.Abs(lo)/unit > 1e9 || math.Abs(hi)/unit > 1e9 {
		return []float64{lo, hi} // too far apart or too close for round numbers
	}
	// The decimal text of k·unit, so that edges read 0.3 and not 0.30000000000000004.
	edge := func(k float64) float64 {
		e, _ := strconv.ParseFloat(strconv.FormatFloat(k*unit, 'g', 12, 64), 64)
		return e
	}
	k := math.Floor(lo / unit)
	if edge(k) > lo {
		k--
	}
	edges := []float64{edge(k)}
	for edges[len(edges)-1] < hi {
		k++
		edges = append(edges, edge(k))
	}
	return edges
}

// quantileDistinct is the largest number of distinct numbers of a column that quantile binning leaves as they are, one
// bin each.
const quantileDistinct = 30

// QuantileSchema puts quantile bins, computed FROM THE DATA, in place of the public bins of every integer and real
// column: the binning of the experiments of the Dirichlet mechanism, for comparison with published numbers only. It
// reads private rows, so the schema has Inferred set and nothing made under it is private.
//
// The rule, column by column, on the values that are not missing (n of them):
//
//	at most 30 distinct values         one bin per value
//	heavy values                       while the i-th most frequent value left (i = 1, 2, …) occurs more than n/3^i
//	                                   times, it is set apart
//	at most 30 distinct values left    one bin per value
//	else                               a bin per heavy value, and (q_{k−1}, q_k] for the k/bins quantiles q_k of the
//	                                   values left
//
// with quantiles by linear interpolation between order statistics and equal edges merged. A heavy value inside a
// quantile bin splits it. Every edge is written as the smallest value of the data in its bin; the first and last bin
// reach to the bounds of the column, so that every frame read under the old schema fits the new one. Categories stay as
// they are. [Frame.Under] puts train and test under it.
//
// Errors: *dp.ParameterError unless 2 ≤ bins ≤ 65536; *PrivateNError where n is private. Source: theory of the
// Dirichlet mechanism, section 5.
func QuantileSchema(train *Frame, bins int) (*Schema, error) {
	return quantileSchema("QuantileSchema", train, nil, bins)
}

// QuantileSplit bins train and test as the experiments of the Dirichlet mechanism do: the bins of [QuantileSchema] on
// train, and of every categorical column, and of every numeric one with at most 30 distinct values, only what occurs in
// train or test. Both frames come back under that one schema, which is not private. Errors are those of QuantileSchema
// for both frames; *dp.ParameterError if their schemas differ.
func QuantileSplit(train, test *Frame, bins int) (qtrain, qtest *Frame, err error) {
	if !train.schema.Equal(test.schema) {
		return nil, nil, domain.Refuse("QuantileSplit", "schema of test", test.schema.Digest()[:12],
			"that of train, "+train.schema.Digest()[:12])
	}
	s, err := quantileSchema("QuantileSplit", train, test, bins)
	if err != nil {
		return nil, nil, err
	}
	if qtrain, err = train.Under(s); err != nil {
		return nil, nil, err
	}
	qtest, err = test.Under(s)
	return qtrain, qtest, err
}

// quantileSchema bins by train. With a test frame it also leaves out what occurs in neither.
func quantileSchema(step string, train, test *Frame, bins int) (*Schema, error) {
	if bins < 2 || bins > maxLevels {
		return nil, domain.Refuse(step, "bins", strconv.Itoa(bins), "2 to 65536, such as 10")
	}
	for _, f := range []*Frame{train, test} {
		if f != nil && f.privateBy != "" {
			return nil, &PrivateNError{step, f.privateBy}
		}
	}
	s := train.Schema()
	s.Inferred = true
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case c.Numeric():
			starts := quantileStarts(train.cols[i].values.all(), bins)
			if test != nil {
				if both, _ := runs(known(slices.Concat(train.cols[i].values.all(),
					test.cols[i].values.all()))); len(both) <= quantileDistinct {
					starts = both
				}
			}
			c.setStarts(starts)
			c.Description = "quantile bins, computed from data"
		case test != nil && c.Kind == KindCategorical:
			c.keepObserved(train.cols[i].codes, test.cols[i].codes)
			c.Description = "categories that occur in the data"
		}
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// keepObserved leaves out the categories that no code names; one stays, at least, and so does the one that others
// become.
func (c *Column) keepObserved(codes ...Codes) {
	seen := make([]bool, c.Levels())
	for _, cs := range codes {
		for i := range cs.Len() {
			seen[cs.At(i)] = true
		}
	}
	if c.HasMissing() && !seen[len(c.Categories)] {
		c.OnMissing, c.MissingCategory = "", ""
	}
	kept := make([]string, 0, len(c.Categories))
	for i, name := range c.Categories {
		if seen[i] || name == c.Other {
			kept = append(kept, name)
		}
	}
	if len(kept) > 0 {
		c.Categories = kept
	} else {
		c.Categories = c.Categories[:1]
	}
}

// setStarts makes one bin per start, the first one reaching down to Min and the last one up to Max.
func (c *Column) setStarts(starts []float64) {
	lo, hi := c.Min, c.Max
	c.Edges = []float64{lo}
	for i, x := range starts {
		if i > 0 && x > lo {
			c.Edges = append(c.Edges, x)
		}
	}
	if last := c.Edges[len(c.Edges)-1]; last == hi { // the largest value has a bin of its own: give it width
		hi = math.Nextafter(hi, math.Inf(1))
		if c.Kind == KindInteger {
			hi = last + 1
		}
	}
	c.Max = hi
	c.Edges = append(c.Edges, hi)
}

// quantileStarts gives the smallest value of every bin, increasing; it is empty without values.
func quantileStarts(values []float64, bins int) []float64 {
	v := known(values)
	distinct, counts := runs(v)
	if len(distinct) <= quantileDistinct {
		return distinct
	}
	heavy := heavyValues(counts, len(v))
	if len(distinct)-len(heavy) <= quantileDistinct {
		return distinct
	}
	apart := make([]bool, len(distinct))
	for _, i := range heavy {
		apart[i] = true
	}
	rest := make([]float64, 0, len(v))
	for i, x := range distinct {
		for range counts[i] {
			if !apart[i] {
				rest = append(rest, x)
			}
		}
	}
	edges := make([]float64, 0, bins-1)
	for k := 1; k < bins; k++ {
		edges = append(edges, quantile(rest, k, bins))
	}
	// A bin starts at the smallest value, at the first value above a quantile, at a heavy value, and at the value after
	// it. No quantile of the values left lies below all of them, so the smallest value has a bin of its own only where
	// it is heavy or where the second smallest is above a quantile.
	starts := []float64{distinct[0]}
	k := 0
	for i, x := range distinct[1:] {
		above := false
		for k < len(edges) && edges[k] < x {
			above = true
			k++
		}
		if above || apart[i] || apart[i+1] {
			starts = append(starts, x)
		}
	}
	return starts
}

// known sorts the values that are not missing.
func known(values []float64) []float64 {
	v := make([]float64, 0, len(values))
	for _, x := range values {
		if x == x {
			v = append(v, x)
		}
	}
	slices.Sort(v)
	return v
}

// runs lists the distinct values of a sorted slice and how often each occurs.
func runs(v []float64) (distinct []float64, counts []int) {
	for i, x := range v {
		if i == 0 || x != v[i-1] {
			distinct, counts = append(distinct, x), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return distinct, counts
}

// heavyValues gives the places of the values that occur more than n/3, n/9, n/27, … times, by falling frequency.
func heavyValues(counts []int, n int) []int {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b] - counts[a] })
	share := float64(n)
	for i, at := range order {
		if share /= 3; float64(counts[at]) <= share {
			return order[:i]
		}
	}
	return order
}

// quantile is the k/bins quantile of sorted values: linear interpolation at place (n−1)·k/bins.
func quantile(v []float64, k, bins int) float64 {
	place := float64(len(v)-1) * float64(k) / float64(bins)
	i := int(place)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (v[i+1]-v[i])*(place-float64(i))
}

// toFillIn stands in a schema for what has to be written by hand.
const toFillIn = "FILL IN"

// begun is a table of which the header is read.
func begun(r io.Reader, dataset string, opts []ReadOption) (format *Format, sc *scanner, err error) {
	if absent(r) {
		return nil, nil, &FileError{File: dataset, Want: "a reader of a table; this one is nil"}
	}
	if format, err = formatOf(nil, opts); err != nil {
		return nil, nil, err
	}
	text, err := plainText(r, dataset, format.encoding())
	if err != nil {
		return nil, nil, err
	}
	sc, err = format.begin(text, dataset)
	return format, sc, err
}

// SchemaSkeleton writes a schema to be filled in, from the header line of a file and nothing else of it: the names of
// the columns, each with a mark for its kind and one for its categories. Kinds and domains come from the code book. A
// schema with such a mark left does not parse. Errors: *FileError, also for a first line that is a row and no header,
// *SchemaError (a name that cannot be one, a format that is none).
func SchemaSkeleton(r io.Reader, dataset string, opts ...ReadOption) ([]byte, error) {
	format, sc, err := begun(r, dataset, opts)
	if err != nil {
		return nil, err
	}
	fields := sc.fields()
	if i, why := noName(fields, format.comma()); why != "" {
		return nil, &FileError{File: dataset, Found: fmt.Sprintf("a table whose first line seems to be a row: field %d is %s",
			i+1, why), Want: "a header line with the names of the columns; put one in front of the rows"}
	}
	return skeleton(fields, dataset, format)
}

// noName finds a field that names no column: a usual mark of missing values, a date, or a number, but for those that
// columns are named by: years, and numbers that go on in equal steps. It says what the field is and not its text,
// which would be a value of the first row.
func noName(fields [][]byte, comma bool) (at int, why string) {
	var numbers []float64
	var places []int
	for i, f := range fields {
		text := string(f)
		switch {
		case slices.Contains(usualMarks, text):
			return i, "a mark of missing values"
		case isDate(text):
			return i, "a date"
		}
		if comma {
			text = strings.Replace(text, ",", ".", 1)
		}
		if x, ok := parseNumber([]byte(text)); ok {
			if x < 0 || x != math.Trunc(x) || strings.ContainsAny(text, ".+eE") {
				return i, "a number"
			}
			numbers, places = append(numbers, x), append(places, i)
		}
	}
	if len(numbers) == 0 {
		return 0, ""
	}
	years, steps := true, len(numbers) > 2 || len(numbers) == 2 && numbers[1] == numbers[0]+1
	for i, x := range numbers {
		years = years && x >= 1500 && x < 2200
		steps = steps && (i == 0 || x > numbers[i-1] && (i == 1 || x-numbers[i-1] == numbers[1]-numbers[0]))
	}
	if years || steps {
		return 0, ""
	}
	return places[0], "a number"
}

func isDate(text string) bool {
	for _, layout := range []string{"2006-01-02", "2006/01/02", "02.01.2006", "01/02/2006", "2006-01-02T15:04:05Z07:00",
		"2006-01-02 15:04:05"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

func skeleton(fields [][]byte, dataset string, format *Format) ([]byte, error) {
	var b bytes.Buffer
	quote := func(v any) string {
		var q bytes.Buffer
		e := json.NewEncoder(&q)
		e.SetEscapeHTML(false)
		_ = e.Encode(v)
		return strings.TrimSuffix(q.String(), "\n")
	}
	names, unnamed := headerNames(fields)
	if len(names) == 1 {
		if lone := (&reading{format: format, cols: make([]*encoder, 2)}).lone(names, "", dataset); lone != nil {
			return nil, lone
		}
	}
	if err := checkHeader(names, dataset); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\n \"dataset\": %s,\n \"unit\": \"person\",\n", quote(dataset))
	if format != nil {
		fmt.Fprintf(&b, " \"format\": %s,\n", quote(format))
	}
	b.WriteString(" \"columns\": [\n")
	for i, name := range names {
		comma, about := ",", ""
		if i == len(names)-1 {
			comma = ""
		}
		if slices.Contains(unnamed, i) {
			about = fmt.Sprintf(`, "description": "field %d, to which the header gives no name: an index or row names, `+
				`perhaps; where it is not wanted, leave this column out and let extra_columns be true"`, i+1)
		}
		fmt.Fprintf(&b, "  {\"name\": %s, \"kind\": %q, \"categories\": [%q]%s}%s\n", quote(name), toFillIn, toFillIn, about,
			comma)
	}
	b.WriteString(" ]\n}\n")
	return b.Bytes(), nil
}

// checkHeader refuses a header whose fields cannot be names of columns. It says which, and not what they say: where a
// file has no header, that is a row.
func checkHeader(names []string, file string) error {
	refuse := func(i int, what string) error {
		return &FileError{File: file, Found: fmt.Sprintf("text whose header field %d %s", i+1, what),
			Want: "names of columns: " + safetext.Want + ", and no two alike"}
	}
	seen := map[string]int{}
	for i, name := range names {
		if !utf8.ValidString(name) {
			return &FileError{File: file, Found: "text whose header is not UTF-8", Want: notUTF8}
		}
		var e *safetext.Error
		if errors.As(check(name), &e) {
			if bare := strings.TrimSpace(name); bare != name && check(bare) == nil {
				return &FileError{File: file, Found: fmt.Sprintf("text whose header field %d has blanks at its ends", i+1),
					Want: `"format": {"trim": true} in the schema (--trim), which leaves them out, or names without`}
			}
			return refuse(i, "has "+e.What)
		}
		if first, twice := seen[safetext.Same(name)]; twice {
			return refuse(i, fmt.Sprintf("is the same name as field %d", first+1))
		}
		seen[safetext.Same(name)] = i
	}
	return nil
}
