package frame

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
)

// missing counts the rows of a table of the column v, read under a schema's JSON, by code; and those of Check.
func missingOf(t *testing.T, schema, text string) (codes []int, err error) {
	t.Helper()
	s := must.Get(ParseSchema([]byte(schema)))(t)
	f, err := Read(t.Context(), strings.NewReader(text), "v.csv", s)
	if err != nil {
		return nil, err
	}
	c := must.Get(f.Codes("v"))(t)
	codes = make([]int, c.Levels)
	for i := range c.Len() {
		codes[c.At(i)]++
	}
	return codes, nil
}

// Marks are compared as values of the column's kind. The last number is how many are missing.
func TestMarksAreValues(t *testing.T) {
	const date = `{"dataset":"t","columns":[{"name":"v","kind":"integer","date":%q,"date_edges":%s,"missing":%s,` +
		`"on_missing":"category"%s}]}`
	const number = `{"dataset":"t"%s,"columns":[{"name":"v","kind":%q,"edges":[%s],"missing":%s,` +
		`"on_missing":"category"%s}]}`
	for _, c := range []struct{ schema, text, want string }{
		{fmt.Sprintf(date, "2006-01-02", `["1900-01-01","2022-01-01","2023-12-31"]`, `["1900-01-01"]`, ""),
			"v\n1900-01-01\n2021-05-05\n1900-01-01\n2023-12-31\n", "[1 1 2]"},
		{fmt.Sprintf(date, "2006-01-02", `["1900-01-01","2022-01-01","2023-12-31"]`, `["9999-12-31"]`,
			`,"on_out_of_domain":"clamp"`),
			"v\n9999-12-31\n9999-12-30\n1800-01-01\n", "[1 1 1]"},
		{fmt.Sprintf(date, "2006-01-02", `["1900-01-01","2022-01-01","2023-12-31"]`, `["9999-12-31"]`, ""),
			"v\n9999-12-31\n", "[0 0 1]"},
		{fmt.Sprintf(date, "2.1.2006", `["1.1.1900","1.1.2022","31.12.2023"]`, `["01.01.1900","NA"]`, ""),
			"v\n01.01.1900\n1.1.1900\nNA\n02.01.1900\n", "[1 0 3]"},
		{fmt.Sprintf(date, "20060102", `["19000101","20220101","20231231"]`, `["99991231","0"]`, ""),
			"v\n99991231\n0\n20220101\n", "[0 1 2]"},
		{fmt.Sprintf(number, "", "real", "0,50,1000", `["999"]`, ""), "v\n999\n999.0\n0999\n+999\n9.99e2\n998\n", "[0 1 5]"},
		{fmt.Sprintf(number, "", "integer", "0,50,1000", `["999.0","-9"]`, ""),
			"v\n999\n999.0\n0999\n+999\n9.99e2\n-9.0\n1\n", "[1 0 6]"},
		{fmt.Sprintf(number, `,"format":{"separator":";","decimal":","}`, "real", "0,50,100", `["99,9","-9","999"]`, ""),
			"v\n99,9\n99,90\n-9\n-9,0\n999,0\n99,8\n9\n", "[1 1 5]"},
		{fmt.Sprintf(number, "", "real", "0,50,1000", `["1e999","NaN","."]`, ""), "v\n1e999\nNaN\n.\n1\n", "[1 0 3]"},
		{fmt.Sprintf(number, "", "real", "0,50,1000", `["-0"]`, ""), "v\n0\n-0\n0.0\n1\n", "[1 0 3]"},
		{fmt.Sprintf(number, "", "real", "0,50,1000", `["99,9"]`, ""), "v\n99.9\n", "[0 1 0]"}, // no number of this format
		{fmt.Sprintf(number, "", "integer", "0,50,9007199254740992", `["9007199254740993"]`, ""),
			"v\n9007199254740993\n9007199254740992\n9007199254740993.0\n", "[0 1 2]"},
		{fmt.Sprintf(number, "", "integer", "0,50,1000", `["999"]`, `,"quoted_missing":"value"`),
			"v\n\"999\"\n999.0\n\"999.0\"\n", "[0 2 1]"},
	} {
		if got, err := missingOf(t, c.schema, c.text); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s\n%q: %v %v, want %s", c.schema, c.text, got, err, c.want)
		}
	}
}

// Check says how many values each mark was.
func TestCheckCountsMarks(t *testing.T) {
	s := must.Get(ParseSchema([]byte(`{"dataset":"t","columns":[{"name":"v","kind":"integer","edges":[0,5,10],` +
		`"missing":["99","","NA"],"on_missing":"category"},{"name":"w","kind":"categorical","categories":["a"],` +
		`"missing":["-"],"on_missing":"category"}]}`)))(t)
	v := must.Get(Check(t.Context(), strings.NewReader("v,w\n99,a\n99.0,-\n,a\n0099,-\n\"99\",a\n7,a\n"), "v.csv", s))(t)
	if first := v.Marks()[0]; first.Mark != "99" || first.Count != 4 {
		t.Errorf("the first mark is %+v", first)
	}
	if got := fmt.Sprint(v.Marks()); got != "[{v 99 4} {v  1} {v NA 0} {w - 2}]" {
		t.Errorf("marks: %s", got)
	}
	if !strings.Contains(v.String(), `missing marks: "v" "99" 4 times`) {
		t.Errorf("the table does not say so:\n%s", v)
	}
}

// A value of a column of whole numbers has all its digits: what float64 rounds to a whole number within the bounds is
// refused, by every way in.
func TestWholeNumbersHaveAllTheirDigits(t *testing.T) {
	s := &Schema{Dataset: "t", Columns: []Column{Integer("v", 0, 5, 1<<53)}}
	for text, code := range map[string]int{
		"9007199254740992": 1, "9007199254740992.0": 1, "9.007199254740992e15": 1, "9007199254740991": 1, "3": 0, "3.000": 0,
		"3.0000000000000000000000": 0, "300e-2": 0, "0e99999999999": 0, "-0.0": 0, "0.00e-400": 0,
		"9007199254740993": -1, "9007199254740993.0": -1, "9007199254740992.5": -1, "9007199254740991.6": -1,
		"9007199254740992.00000000001": -1, "2.99999999999999999999": -1, "1e-400": -1, "1e-99999999999": -1, "1e400": -1,
		"3.00000000000000000001": -1, "-1e-400": -1, "0.99999999999999999999": -1,
	} {
		f, err := Read(t.Context(), strings.NewReader("v\n"+text+"\n"), "v.csv", s)
		var refused *ValueError
		switch {
		case code < 0 && !errors.As(err, &refused):
			t.Errorf("%s: %v, want a *ValueError", text, err)
		case code >= 0 && err != nil:
			t.Errorf("%s: %v", text, err)
		case code >= 0 && f.cols[0].codes.At(0) != code:
			t.Errorf("%s: code %d", text, f.cols[0].codes.At(0))
		}
	}
	c := must.Get(NewCoder(access.Mine(), s, "v"))(t)
	for _, v := range []int64{1<<53 + 1, math.MaxInt64, -1} {
		if _, _, ok := c.Whole(v); ok {
			t.Errorf("%d is taken", v)
		}
		if _, err := FromColumns(s, map[string]any{"v": []int64{v}}); err == nil {
			t.Errorf("%d is taken from memory", v)
		}
	}
	if _, _, ok := c.Unsigned(math.MaxUint64); ok {
		t.Error("2^64 - 1 is taken")
	}
	if _, _, ok := c.Whole(1 << 53); !ok {
		t.Error("2^53 is refused")
	}
	s.Columns[0].OnOutOfDomain = DomainClamp
	got, err := missingOf(t, string(s.JSON()), "v\n9007199254740993\n-9007199254740993\n")
	if err != nil || fmt.Sprint(got) != "[1 1]" {
		t.Errorf("under clamp: %v %v", got, err)
	}
}

// Exact numbers are compared as the rational numbers that they are.
func TestDecimalsAgainstRationals(t *testing.T) {
	text := rapid.StringMatching(`[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})(e[+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(r *rapid.T) {
		a, b := text.Draw(r, "a"), text.Draw(r, "b")
		if rapid.Bool().Draw(r, "near") {
			b = a + "0"
		}
		x, ok := new(big.Rat).SetString(a)
		y, also := new(big.Rat).SetString(b)
		if !ok || !also {
			return
		}
		da, db := decimalOf([]byte(a)), decimalOf([]byte(b))
		if got := da.compare(db); got != x.Cmp(y) || (da == db) != (got == 0) {
			r.Fatalf("%s against %s: %d, %v %v", a, b, got, da, db)
		}
		n, ok := parseNumber([]byte(a))
		if !ok {
			r.Fatalf("%s is no number", a)
		}
		w := whole(n, []byte(a))
		if n == math.Trunc(n) && math.Abs(n) <= 1<<53 {
			if same := new(big.Rat).SetFloat64(n).Cmp(x) == 0; same != (w == n) {
				r.Fatalf("%s: %v", a, w)
			} else if !same && w == math.Trunc(w) && math.Abs(w) <= 1<<53 {
				r.Fatalf("%s is taken for %v", a, w)
			}
		}
	})
}

// An empty line of a file of one column is an empty field, where the column reads one.
func TestBlankLinesOfOneColumn(t *testing.T) {
	const marked = `{"dataset":"t","columns":[{"name":"v","kind":"integer","edges":[0,5,10],"missing":["","NA"],` +
		`"on_missing":"category"}]}`
	const bare = `{"dataset":"t","columns":[{"name":"v","kind":"integer","edges":[0,5,10]}]}`
	const refuses = `{"dataset":"t","columns":[{"name":"v","kind":"integer","edges":[0,5,10],"missing":[""]}]}`
	for _, c := range []struct{ schema, text, want string }{
		{marked, "v\n1\n\n7\n", "[1 1 1]"}, {marked, "v\r\n1\r\n\r\n7\r\n", "[1 1 1]"}, {marked, "v\n1\n\n\n", "[1 0 2]"},
		{marked, "v\n\n1\n\"\"\n\nNA", "[1 0 4]"}, {bare, "v\n1\n\n7\n", "[1 1]"}, {marked, "v\n1\n7\n", "[1 1 0]"},
		{marked, "v\n" + strings.Repeat("1\n\n", 300000), "[300000 0 300000]"},
	} {
		if got, err := missingOf(t, c.schema, c.text); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s\n%.40q: %v %v, want %s", c.schema, c.text, got, err, c.want)
		}
	}
	if _, err := missingOf(t, refuses, "v\n1\n\n7\n"); err == nil {
		t.Error("a missing value is skipped where none is allowed")
	}
}

// Another schema does not undo what was said of the rows: whose they are, how many a unit has, how they were made.
func TestUnderUndoesNothing(t *testing.T) {
	f, err := mustRead(t, peopleCSV, people()).Drop("trip")
	if err == nil {
		f, err = f.Collapse("city", "abroad", "Bern", "Other")
	}
	if err == nil {
		f, err = f.Append(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*Schema){
		"fewer rows of a unit": func(s *Schema) { s.RowsPerUnit = 1 },
		"rows of the default":  func(s *Schema) { s.RowsPerUnit = 0 },
		"another data set":     func(s *Schema) { s.Dataset = "other" },
		"another unit":         func(s *Schema) { s.Unit = "household" },
	} {
		s := f.Schema()
		edit(s)
		if g, err := f.Under(s); g != nil || !typed(err, &SchemaError{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.schema.Inferred = true
	s := f.Schema()
	s.Steps, s.Inferred, s.RowsPerUnit = nil, false, 3
	g := must.Get(f.Under(s))(t)
	if len(g.schema.Steps) != len(f.schema.Steps) || !g.schema.Inferred || g.schema.RowsPerUnit != 3 {
		t.Errorf("steps %q, inferred %v", g.schema.Steps, g.schema.Inferred)
	}
}

// A declaration changes nothing that a release reads: n stays private after Where, and the rows are those they were.
func TestPublicRowsKeepTheirSteps(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	f, err := f.Where("vote", func(l string) bool { return l == "n" })
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.AsPublic("invented")
	if err != nil {
		t.Fatal(err)
	}
	if _, public := g.PublicN(); public {
		t.Error("n is public")
	}
	if kind, _ := g.Selection().Overlap(f.Selection(), false); kind != OverlapSame {
		t.Errorf("the rows are no longer the same: %q", kind)
	}
}
