package frame

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

func TestDictFindsExactlyItsTexts(t *testing.T) {
	text := rapid.StringMatching(`[ab\x00]{0,20}`)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfNDistinct(text, 0, 40, rapid.ID[string]).Draw(t, "texts")
		codes := make([]int32, len(texts))
		for i := range codes {
			codes[i] = int32(i)
		}
		d := newDict(texts, codes)
		for i, s := range texts {
			tight := []byte(s)
			roomy := append([]byte(s), "garbage behind the field"...)[:len(s)]
			if d.find(slices.Clip(tight)) != int32(i) || d.find(roomy) != int32(i) {
				t.Fatalf("%q not found", s)
			}
		}
		if s := text.Draw(t, "other"); !slices.Contains(texts, s) && d.find([]byte(s)) != codeNone {
			t.Fatalf("%q found", s)
		}
	})
}

func TestDictLarge(t *testing.T) {
	var texts []string
	var codes []int32
	for i := range 5000 {
		texts, codes = append(texts, fmt.Sprint("item ", i)), append(codes, int32(i))
	}
	d := newDict(texts, codes)
	if d.find([]byte("item 4321")) != 4321 || d.find([]byte("item")) != codeNone {
		t.Error("large dictionary")
	}
}

// Texts of up to eight bytes with zero bytes behind them differ by their length only.
func TestDictZeroBytes(t *testing.T) {
	d := newDict([]string{"a", "a\x00"}, []int32{0, 1})
	if d.find([]byte("a")) != 0 || d.find([]byte("a\x00")) != 1 || d.find([]byte("a\x00\x00")) != codeNone {
		t.Error("zero bytes")
	}
}

func TestCSVWideColumn(t *testing.T) {
	cats := make([]string, 300)
	for i := range cats {
		cats[i] = fmt.Sprint("c", i)
	}
	f := mustRead(t, "a\nc299\nc0\nc256\n", &Schema{Dataset: "test", Columns: []Column{Categorical("a", cats...)}})
	c, err := f.Codes("a")
	if err != nil || !slices.Equal(c.U16, []uint16{299, 0, 256}) || c.U8 != nil || c.Levels != 300 || c.Len() != 3 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Columns of every type give the codes of the texts that a file has for their values.
func TestColumnsOfEveryType(t *testing.T) {
	real, whole := Real("v", 0, .1, .2, 1), Integer("v", 0, 1, 2, 10)
	text := Categorical("v", "0", "0.1", "7", "True", "False")
	day := Date("v", "02.01.2006", "01.01.1970", "02.01.1970", "31.12.1970")
	numbers := Categorical("v", "1", "0")
	real.Missing, real.OnMissing = []string{"NA", "0.5"}, MissingAsCategory
	for _, c := range []struct {
		column Column
		values any
		texts  string // "" for a refusal
	}{
		{real, []float32{.1, .2, .099, .5, float32(math.NaN())}, "0.1 0.2 0.099 NA NA"},
		{real, []float64{.1, .2, .5, math.NaN(), math.Copysign(0, -1)}, "0.1 0.2 0.5 NA 0"},
		{real, []bool{true, false}, "1 0"},
		{real, []float32{float32(math.Inf(1))}, ""},
		{whole, []int64{0, 9, 10}, "0 9 10"}, {whole, []int32{0, 9, 10}, "0 9 10"}, {whole, []int{1, 2}, "1 2"},
		{whole, []float32{0, 9}, "0 9"}, {whole, []float32{.5}, ""}, {whole, []float64{math.NaN()}, ""},
		{text, []float32{.1, 7, float32(math.Copysign(0, -1))}, "0.1 7 0"}, {text, []int64{7}, "7"},
		{text, []int32{0}, "0"},
		{text, []bool{true, false}, "True False"}, {numbers, []bool{true, false}, "1 0"}, {text, []float64{math.Inf(-1)}, ""},
		{day, []int64{0, 364}, "01.01.1970 31.12.1970"}, {day, []int32{1}, "02.01.1970"}, {day, []float64{1}, "02.01.1970"},
		{day, []int64{365}, ""}, {day, []float64{.5}, ""}, {day, []bool{true}, ""},
	} {
		s := &Schema{Dataset: "t", Columns: []Column{c.column}}
		f, err := FromColumns(s, map[string]any{"v": c.values})
		var refused *ValueError
		if c.texts == "" {
			if !errors.As(err, &refused) {
				t.Errorf("%v: %v, want a *ValueError", c.values, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.values, err)
			continue
		}
		g, err := Read(t.Context(), strings.NewReader("v\n"+strings.ReplaceAll(c.texts, " ", "\n")+"\n"), "v.csv", s)
		if err != nil || !sameFrame(f, g) {
			t.Errorf("%v: %v, or another frame than of %s", c.values, err, c.texts)
		}
	}
	s := &Schema{Dataset: "t", Columns: []Column{whole}}
	for _, values := range []any{nil, []uint8{1}, []any{1}, [3]int{}, []time.Time{{}}, 7} {
		var refused *domain.Error
		if _, err := FromColumns(s, map[string]any{"v": values}); !errors.As(err, &refused) ||
			!strings.Contains(err.Error(), "[]float32") {
			t.Errorf("%T: %v, want an error that lists the types", values, err)
		}
	}
}

// Keys are compared by what they are: −0 is 0, a number of 32 bits is the number that it is written as, and what is not
// a number names no unit.
func TestKeysOfEveryType(t *testing.T) {
	s := &Schema{Dataset: "t", UnitKey: "k", RowsPerUnit: 1, Columns: []Column{Categorical("v", "a", "b")}}
	values := []string{"a", "b", "a", "b"}
	nan := math.NaN()
	for _, c := range []struct {
		keys  any
		units int // 0 for a refusal
	}{
		{[]string{"x", "y", "x", "z"}, 3}, {[]float64{0, math.Copysign(0, -1), 1, 1000}, 3},
		{[]float32{.1, .1, .2, 0}, 3},
		{[]int64{1<<53 + 1, 1 << 53, 1, 1}, 3}, {[]int32{1, 1, 1, 1}, 1}, {[]int{1, 2, 3, 4}, 4},
		{[]bool{true, false, true, true}, 2},
		{[]string{"x", "", "x", "z"}, 0}, {[]float64{1, nan, nan, 2}, 0}, {[]float32{1, float32(nan), 1, 1}, 0},
		{[]string{"x", "NaN", "NaN", "z"}, 3}, // a text like any other
	} {
		f, err := FromColumns(s, map[string]any{"v": values, "k": c.keys})
		var refused *ValueError
		switch {
		case c.units == 0 && (!errors.As(err, &refused) || refused.Column != "k"):
			t.Errorf("%v: %v, want a *ValueError of the key", c.keys, err)
		case c.units > 0 && (err != nil || f.n != c.units):
			t.Errorf("%v: %v, %+v, want %d units", c.keys, err, f, c.units)
		}
	}
}

// The day of a time is that of a layout with a time of day, or of midnight.
func TestTimes(t *testing.T) {
	midnight := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	for layout, takes := range map[string]string{"2006-01-02": "0", "2006-01-02 15:04:05": "01", "2006-01-02T15h": "01",
		"": ""} {
		column := Date("v", layout, midnight.Format(layout), midnight.AddDate(0, 0, 9).Format(layout))
		if layout == "" {
			column = Integer("v", 0, 100000)
		}
		c := must.Get(NewCoder(access.Mine(), &Schema{Dataset: "t", Columns: []Column{column}}, "v"))(t)
		for i, at := range []time.Time{midnight, midnight.Add(time.Hour + 1)} {
			_, day, ok := c.Time(at)
			if ok != strings.Contains(takes, fmt.Sprint(i)) || ok && day != float64(midnight.Unix()/secondsPerDay) {
				t.Errorf("%q: %v is day %v, %v", layout, at, day, ok)
			}
		}
	}
	s := &Schema{Dataset: "t", Columns: []Column{Date("v", "2006-01-02", "1900-01-01", "2000-01-01")}}
	c := must.Get(NewCoder(access.Mine(), s, "v"))(t)
	if _, day, ok := c.Time(time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)); !ok || day != -1 {
		t.Errorf("the last day of 1969 is %v, %v", day, ok)
	}
}

// A header without rows is a table of no rows.
func TestNoRows(t *testing.T) {
	s := &Schema{Dataset: "t", Columns: []Column{Integer("v", 0, 5)}}
	f, err := Read(t.Context(), strings.NewReader("v\n"), "v.csv", s)
	if err != nil || f.n != 0 {
		t.Errorf("%v, %+v", err, f)
	}
}

// Edges of whole numbers: where every number has a bin, the last edge is a bound; else the last bin is closed; a
// declared max decides.
func TestBinsOfWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		json   string // of the column, behind its name
		labels string
		read   string // values that are read, with their codes
		beyond string // the least whole number that is not
	}{
		{`"edges":[1990,1991,1992,1993]`, "[1990, 1991) [1991, 1992) [1992, 1993)", "1990:0 1991:1 1992:2", "1993"},
		{`"edges":[1990,1991,1992,1993],"min":1990,"max":1993`, "[1990, 1991) [1991, 1992) [1992, 1993]",
			"1990:0 1991:1 1992:2 1993:2", "1994"},
		{`"edges":[1990,1991,1992,1993],"min":1990,"max":1992`, "[1990, 1991) [1991, 1992) [1992, 1993)",
			"1990:0 1992:2", "1993"},
		{`"edges":[-1,0,1]`, "[-1, 0) [0, 1)", "-1:0 0:1", "1"},
		{`"edges":[18,40,65,120]`, "[18, 40) [40, 65) [65, 120]", "18:0 39:0 40:1 120:2", "121"},
		{`"edges":[18,40,65,120],"min":18,"max":119`, "[18, 40) [40, 65) [65, 120)", "64:1 65:2 119:2", "120"},
		{`"edges":[0,1]`, "[0, 1]", "0:0 1:0", "2"},
		{`"edges":[0,1,3]`, "[0, 1) [1, 3]", "0:0 1:1 3:1", "4"},
		{`"edges":[0.5,1.5,2.5]`, "[0.5, 1.5) [1.5, 2.5]", "1:0 2:1", "3"},
		{`"min":0,"max":3`, "[0, 3]", "0:0 3:0", "4"},
	} {
		s, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"integer",` + c.json + `}]}`))
		if err != nil {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		again, err := ParseSchema(s.JSON())
		if err != nil || string(again.JSON()) != string(s.JSON()) {
			t.Errorf("%s: written and read again: %v\n%s", c.json, err, s.JSON())
		}
		if got := strings.Join(s.Columns[0].Labels(), " "); got != c.labels {
			t.Errorf("%s: %s, want %s", c.json, got, c.labels)
		}
		var text, want = "y\n", []int(nil)
		for _, pair := range strings.Fields(c.read) {
			value, code, _ := strings.Cut(pair, ":")
			text, want = text+value+"\n", append(want, int(code[0]-'0'))
		}
		f, err := Read(t.Context(), strings.NewReader(text), "y.csv", s)
		if err != nil {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		codes := must.Get(f.Codes("y"))(t)
		got := make([]int, f.Len())
		for i := range got {
			got[i] = int(codes.At(i))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: codes %v, want %v", c.json, got, want)
		}
		var out *ValueError
		if _, err := Read(t.Context(), strings.NewReader("y\n"+c.beyond+"\n"), "y.csv", s); !errors.As(err, &out) {
			t.Errorf("%s: %s is read: %v", c.json, c.beyond, err)
		}
	}
	for _, bad := range []string{`"edges":[0,5,10],"min":0,"max":8`, `"edges":[0,5,10],"min":1,"max":10`,
		`"edges":[0,5,10],"min":0,"max":11`} {
		if _, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"integer",` + bad + `}]}`)); err == nil ||
			!strings.Contains(err.Error(), "the last whole number below it") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"real","edges":[0,1,2],"min":0,` +
		`"max":1}]}`)); err == nil {
		t.Error("a real column whose last edge is above its max")
	}
	if c := Integer("y", 1990, 1991, 1992); c.Max != 1991 {
		t.Error(c.Max)
	}
	if c := Real("y", 0, 1, 2); c.Max != 2 {
		t.Error(c.Max)
	}
}

// Dates that each have a bin are as numbers are; a declared max decides.
func TestBinsOfDates(t *testing.T) {
	for _, c := range []struct{ layout, edges, labels, read, beyond string }{
		{"2006-01-02", "2024-02-28 2024-02-29 2024-03-01 2024-03-02",
			"[2024-02-28, 2024-02-29) [2024-02-29, 2024-03-01) [2024-03-01, 2024-03-02)", "2024-02-28:0 2024-02-29:1 2024-03-01:2",
			"2024-03-02"},
		{"2.1.2006", "31.12.1999 1.1.2000 2.1.2000", "[31.12.1999, 1.1.2000) [1.1.2000, 2.1.2000)", "31.12.1999:0 1.1.2000:1",
			"2.1.2000"},
		{"2006-01-02", "2024-03-01 2024-03-02", "[2024-03-01, 2024-03-02]", "2024-03-01:0 2024-03-02:0", "2024-03-03"},
		{"2006-01-02", "2024-03-01 2024-03-02 2024-03-04", "[2024-03-01, 2024-03-02) [2024-03-02, 2024-03-04]",
			"2024-03-01:0 2024-03-03:1 2024-03-04:1", "2024-03-05"},
		{"2006-01-02", "1969-12-31 1970-01-01 1970-01-02", "[1969-12-31, 1970-01-01) [1970-01-01, 1970-01-02)",
			"1969-12-31:0 1970-01-01:1", "1970-01-02"},
	} {
		edges := strings.Fields(c.edges)
		s := &Schema{Dataset: "d", Columns: []Column{Date("y", c.layout, edges...)}}
		text, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"integer","date":"` + c.layout +
			`","date_edges":["` + strings.Join(edges, `","`) + `"]}]}`))
		if err != nil || string(text.JSON()) != string(s.JSON()) {
			t.Errorf("%s: %v\n%s", c.edges, err, s.JSON())
			continue
		}
		again, err := ParseSchema(s.JSON())
		if err != nil || string(again.JSON()) != string(s.JSON()) || strings.Join(again.Columns[0].Labels(), " ") != c.labels {
			t.Errorf("%s: %v %s", c.edges, err, again.Columns[0].Labels())
		}
		for pair := range strings.FieldsSeq(c.read) {
			value, code, _ := strings.Cut(pair, ":")
			f, err := Read(t.Context(), strings.NewReader("y\n"+value+"\n"), "y.csv", s)
			if err != nil || f.cols[0].codes.At(0) != int(code[0]-'0') {
				t.Errorf("%s: %s: %v", c.edges, pair, err)
			}
		}
		var out *ValueError
		if _, err := Read(t.Context(), strings.NewReader("y\n"+c.beyond+"\n"), "y.csv", s); !errors.As(err, &out) {
			t.Errorf("%s: %s is read: %v", c.edges, c.beyond, err)
		}
		declared := s.Clone()
		declared.Columns[0].Max = declared.Columns[0].Edges[len(edges)-1]
		if _, err := Read(t.Context(), strings.NewReader("y\n"+edges[len(edges)-1]+"\n"), "y.csv", declared); err != nil {
			t.Errorf("%s, declared: %v", c.edges, err)
		}
	}
}
