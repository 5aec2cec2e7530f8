package parquet_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// kind is how a column of the test's table is written.
type kind struct {
	node  pq.Node
	value func(text string) any // nil: null
}

// texts writes every column as text.
func texts(string) kind { return kind{pq.String(), func(t string) any { return t }} }

// typed writes numbers as numbers, dates as days, and missing values as null.
func typed(column string) kind {
	switch column {
	case "colour":
		return kind{pq.Optional(pq.String()), unless("?", func(t string) any { return t })}
	case "age":
		return kind{pq.Optional(pq.Int(64)), unless("-9", func(t string) any { return whole(t) })}
	case "wage":
		return kind{pq.Leaf(pq.DoubleType), func(t string) any { x, _ := strconv.ParseFloat(t, 64); return x }}
	case "seen":
		return kind{pq.Date(), func(t string) any { return int32(day(t).Unix() / 86400) }}
	}
	return texts(column)
}

// exact writes wages as decimals, dates as timestamps, and ages in 32 bits with their mark for missing.
func exact(column string) kind {
	switch column {
	case "age":
		return kind{pq.Int(32), func(t string) any { return int32(whole(t)) }}
	case "wage":
		return kind{pq.Decimal(2, 9, pq.Int32Type), func(t string) any { return cents(t) }}
	case "seen":
		return kind{pq.TimestampAdjusted(pq.Microsecond, false), func(t string) any { return day(t).UnixMicro() }}
	}
	return texts(column)
}

func unless(mark string, value func(string) any) func(string) any {
	return func(t string) any {
		if t == mark {
			return nil
		}
		return value(t)
	}
}

func whole(t string) int64 { n, _ := strconv.ParseInt(t, 10, 64); return n }

func cents(t string) int32 {
	units, part, _ := strings.Cut(t, ".")
	part = (part + "00")[:2]
	return int32(100*whole(units) + whole(part))
}

func day(t string) time.Time { d, _ := time.Parse(time.DateOnly, t); return d }

// rows are those of the table that all sources are tested with.
func rows(t testing.TB) (head []string, body [][]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(sourcetest.CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

// write makes a file of rows, in row groups of perGroup rows. Columns in without are left out.
func write(t testing.TB, head []string, body [][]string, kinds func(string) kind, change func(pq.Node) pq.Node,
	perGroup int, without []string, options ...pq.WriterOption) []byte {
	t.Helper()
	fields, place := pq.Group{}, map[string]int{}
	for i, name := range head {
		if !slices.Contains(without, name) {
			fields[name], place[name] = change(kinds(name).node), i
		}
	}
	schema := pq.NewSchema("table", fields)
	var b bytes.Buffer
	w := pq.NewWriter(&b, append([]pq.WriterOption{schema}, options...)...)
	for i, record := range body {
		var row pq.Row
		for k, path := range schema.Columns() {
			v := kinds(path[0]).value(record[place[path[0]]])
			level := 0
			if fields[path[0]].Optional() && v != nil {
				level = 1
			}
			row = append(row, pq.ValueOf(v).Level(0, level, k))
		}
		if _, err := w.WriteRows([]pq.Row{row}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%perGroup == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asIs(n pq.Node) pq.Node { return n }

// put writes bytes to a file of a folder.
func put(t testing.TB, b []byte, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// open is a source of files under the test's schema.
func open(t testing.TB, s *frame.Schema, paths ...string) *parquet.Source {
	t.Helper()
	src, err := parquet.Open(t.Context(), s, paths, parquet.Workers(3))
	if err != nil {
		t.Fatal(err)
	}
	return src
}
