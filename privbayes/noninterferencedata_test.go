package privbayes_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/gotaframe"
)

// records are rows as they stand in a file, in the order of the schema's columns.
type records [][]string

// secretSchema has columns for every model. Values beyond the bounds are moved to them, so that how many were is a
// private count.
func secretSchema(rowsPerUnit int) *frame.Schema {
	age, wage := frame.Integer("age", 0, 25, 50, 100), frame.Real("wage", 0, 10, 100)
	age.OnOutOfDomain, wage.OnOutOfDomain = frame.DomainClamp, frame.DomainClamp
	return &frame.Schema{Dataset: "secret", RowsPerUnit: rowsPerUnit, Columns: []frame.Column{
		frame.Categorical("group", "a", "b"), frame.Categorical("colour", "red", "green", "blue"),
		frame.Categorical("smoker", "yes", "no"), age, wage,
	}}
}

// secretRows is how many rows base has; few, so that what mechanisms enumerate is quick.
const secretRows = 16

// baseRecords has no blue and no value beyond a bound.
func baseRecords() records {
	var out records
	for i := range secretRows {
		out = append(out, []string{
			[]string{"a", "b"}[i%2], []string{"red", "green"}[i/2%2], []string{"yes", "no"}[i/3%2],
			strconv.Itoa(1 + 7*i%90), strconv.FormatFloat(1+float64(i*i%97), 'f', 1, 64),
		})
	}
	return out
}

// odd is a record that brings what base lacks: a category, and two values to be clipped.
func odd() []string { return []string{"b", "blue", "no", "512", "12345.75"} }

// neighbouring are data sets that no output before a draw may tell from base: one that differs in one unit of k rows,
// and a far one with the same public facts.
func neighbouring(adj dp.Adjacency, k int) (near, far records) {
	near = baseRecords()
	for i := range secretRows {
		row := odd()
		row[0] = []string{"b", "a"}[i/5%2]
		far = append(far, row)
	}
	switch adj {
	case dp.AddRemove:
		for range k {
			near = append(near, odd())
		}
		return near, far[:9]
	case dp.WithinStrata:
		for i := range far { // the stratum is public
			far[i][0] = near[i][0]
		}
	case dp.ReplaceValue:
		for i := range k {
			near[secretRows-1-i] = slices.Clone(near[secretRows-1-i])
			near[secretRows-1-i][1], near[secretRows-1-i][3] = "blue", "512"
		}
		for i := range far { // the class is not a value that this adjacency protects
			far[i][0] = near[i][0]
		}
		return near, far
	}
	for i := range k {
		near[secretRows-1-i] = odd()
	}
	return near, far
}

// source is a way for records to become a frame.
type source struct {
	name string
	read func(t testing.TB, dir string, rs records, s *frame.Schema) *privbayes.Frame
}

func csvOf(rs records, s *frame.Schema) string {
	var b strings.Builder
	b.WriteString(strings.Join(s.Names(), ",") + "\n")
	for _, r := range rs {
		b.WriteString(strings.Join(r, ",") + "\n")
	}
	return b.String()
}

// columnsOf are the records by column: texts for categories, numbers for numbers.
func columnsOf(t testing.TB, rs records, s *frame.Schema) map[string]any {
	t.Helper()
	cols := map[string]any{}
	for i, c := range s.Columns {
		if c.Numeric() {
			v := make([]float64, len(rs))
			for k, r := range rs {
				x := must.Get(strconv.ParseFloat(r[i], 64))(t)
				v[k] = x
			}
			cols[c.Name] = v
			continue
		}
		v := make([]string, len(rs))
		for k, r := range rs {
			v[k] = r[i]
		}
		cols[c.Name] = v
	}
	return cols
}

// sources are all there are.
var sources = []source{
	{"CSV file", func(t testing.TB, dir string, rs records, s *frame.Schema) *privbayes.Frame {
		return privbayes.LoadFrame(writeFile(t, filepath.Join(dir, "table.csv"), []byte(csvOf(rs, s))), s)
	}},
	{"CSV.gz file", func(t testing.TB, dir string, rs records, s *frame.Schema) *privbayes.Frame {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		must.Get(w.Write([]byte(csvOf(rs, s))))(t)
		must.Do(t, w.Close())
		return privbayes.LoadFrame(writeFile(t, filepath.Join(dir, "table.csv.gz"), b.Bytes()), s)
	}},
	{"reader", func(_ testing.TB, _ string, rs records, s *frame.Schema) *privbayes.Frame {
		return privbayes.ReadFrame(strings.NewReader(csvOf(rs, s)), s)
	}},
	{"columns", func(t testing.TB, _ string, rs records, s *frame.Schema) *privbayes.Frame {
		return privbayes.WrapFrame(frame.FromColumns(s, columnsOf(t, rs, s)))
	}},
	{"gota", func(t testing.TB, _ string, rs records, s *frame.Schema) *privbayes.Frame {
		cols := columnsOf(t, rs, s)
		var list []series.Series
		for _, c := range s.Columns {
			kind := series.String
			if c.Numeric() {
				kind = series.Float
			}
			list = append(list, series.New(cols[c.Name], kind, c.Name))
		}
		return privbayes.WrapFrame(gotaframe.From(dataframe.New(list...), s))
	}},
}

// inferring is a source that leaks: its categories and bounds are those that it sees.
var inferring = source{"categories from the rows",
	func(t testing.TB, dir string, rs records, s *frame.Schema) *privbayes.Frame {
		s = s.Clone()
		for i := range s.Columns {
			c := &s.Columns[i]
			if c.Numeric() {
				continue
			}
			c.Categories = slices.DeleteFunc(slices.Clone(c.Categories), func(name string) bool {
				return !slices.ContainsFunc(rs, func(r []string) bool { return r[i] == name })
			})
		}
		return sources[0].read(t, dir, rs, s)
	}}

// sizing is a source that leaks how many rows there are, as the bound of a column.
var sizing = source{"a bound from the rows",
	func(t testing.TB, dir string, rs records, s *frame.Schema) *privbayes.Frame {
		s = s.Clone()
		c := &s.Columns[len(s.Columns)-1]
		c.Max = math.Max(c.Max, float64(len(rs))*10)
		c.Edges[len(c.Edges)-1] = c.Max
		c.Description = fmt.Sprintf("%d rows", len(rs))
		return sources[2].read(t, dir, rs, s)
	}}

func writeFile(t testing.TB, path string, b []byte) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, b, 0o600))
	return path
}

// frameStep is what may come between reading and a model.
type frameStep struct {
	name string
	take func(f *privbayes.Frame) *privbayes.Frame
}

func smokers(label string) bool { return label == "yes" }

var frameSteps = []frameStep{
	{"as read", func(f *privbayes.Frame) *privbayes.Frame { return f }},
	{"train", func(f *privbayes.Frame) *privbayes.Frame { a, _ := f.Split(.7, 3); return a }},
	{"test", func(f *privbayes.Frame) *privbayes.Frame { _, b := f.Split(.5, 3); return b }},
	{"holdout", func(f *privbayes.Frame) *privbayes.Frame { a, _ := f.Holdout(2, 3); return a }},
	{"head", func(f *privbayes.Frame) *privbayes.Frame { return f.Head(6) }},
	{"select", func(f *privbayes.Frame) *privbayes.Frame {
		return f.Select("wage", "age", "smoker", "colour",
			"group")
	}},
	{"derive, group", func(f *privbayes.Frame) *privbayes.Frame {
		return f.Derive("warm", []string{"colour"}, func(l []string) string { return fmt.Sprint(l[0] == "red") }).
			GroupBy("both", "smoker", "warm")
	}},
	{"recode, collapse", func(f *privbayes.Frame) *privbayes.Frame {
		return f.Recode("colour", map[string]string{"red": "rouge"}).Collapse("colour", "rest", "green")
	}},
	{"append", func(f *privbayes.Frame) *privbayes.Frame { return f.Append(f) }},
	{"where", func(f *privbayes.Frame) *privbayes.Frame { return f.Where("smoker", smokers) }},
	{"where, train", func(f *privbayes.Frame) *privbayes.Frame {
		a,
			_ := f.Where("smoker", smokers).Split(.7, 3)
		return a
	}},
	{"where twice, select", func(f *privbayes.Frame) *privbayes.Frame {
		all := func(string) bool { return true }
		return f.Where("colour", all).Where("age", all).Select("group", "colour", "smoker", "age", "wage")
	}},
	{"where, head", func(f *privbayes.Frame) *privbayes.Frame { return f.Where("smoker", smokers).Head(3) }},
	{"where, holdout", func(f *privbayes.Frame) *privbayes.Frame {
		a,
			_ := f.Where("smoker", smokers).Holdout(3, 1)
		return a
	}},
	{"without n, train", func(f *privbayes.Frame) *privbayes.Frame { a, _ := f.WithoutN().Split(.7, 3); return a }},
}
