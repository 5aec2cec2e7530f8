package frame

import (
	"strings"
	"testing"
)

// What people run into with a first table of their own: each answer names the place and what to write instead.
func TestStumblesOfReading(t *testing.T) {
	const one = `{"dataset": "d", "columns": [{"name": "x", "kind": %}]}`
	for name, c := range map[string]struct{ kind, csv, want string }{
		"kind date": {`"date"`, "",
			`kind is "date"; want "integer", with the layout as in "date": "2006-01-02" and public bounds and bins as in "date_edges"`},
		"a layout of another program": {`"integer", "date": "YYYY-MM-DD", "date_edges": ["2020-01-01", "2021-01-01"]`, "",
			`date is "YYYY-MM-DD"; want the layout of package time, which writes 2 January 2006: "2006-01-02"`},
		"edges as dates": {`"integer", "edges": ["2020-01-01", "2021-01-01"]`, "",
			`dates stand in "date_edges", beside their layout "date": "2006-01-02"`},
		"dates without bounds": {`"integer", "date": "2006-01-02"`, "", `date_edges is "empty"; want at least two dates: public`},
		"categories given as numbers": {`"categorical", "categories": [0, 1]`, "",
			`categories that look like numbers stand in quotes, as in "categories": ["0", "1"]`},
		"numbers in the file for categories": {`"categorical", "categories": ["0", "1"]`, "x\n1.0\n",
			`t.csv line 2, column "x": found "1.0"; want one of "0", "1"; the file writes it as a number: "aliases": [{"category": "1", "texts": ["1.0"]}]`},
		"marks given as numbers": {`"categorical", "categories": ["0"], "missing": [9]`, "", `"missing": ["-9", "999"]`},
		"number without edges": {`"real"`, "",
			`want public bounds, "min" below "max", or "edges" with at least two values`},
		"kind of another program": {`"factor"`, "",
			`kind is "factor"; want "categorical", with all its "categories"`},
		"kind double": {`"double"`, "", `kind is "double"; want "integer" or "real", with "edges"`},
		"no kind":     {`""`, "", `kind is still to be filled in; want "categorical" with "categories"`},
		"NA in numbers": {`"integer", "edges": [0, 10]`, "x\n1\nNA\n",
			`t.csv line 3, column "x": found "NA"; want a whole number from 0 to 10; to read "NA" as missing, declare "missing": ["NA"] and "on_missing": "category"`},
		"empty in numbers": {`"real", "edges": [0, 10]`, "x\n1\n\"\"\n", `declare "missing": [""]`},
		"decimal comma":    {`"real", "edges": [0, 10]`, "x\n\"1,5\"\n", `for numbers with a decimal comma, declare "format": {"decimal": ","}`},
		"not UTF-8": {`"categorical", "categories": ["Köln"]`, "x\nK\xf6ln\n",
			`line 2, column "x": found "K\xf6ln"; want text in UTF-8; if the file was written so, declare "format": {"encoding": "latin-1"}`},
		"header not UTF-8":  {`"categorical", "categories": ["a"]`, "K\xf6ln\na\n", `header is not UTF-8; want UTF-8; if the file was written so, declare "format"`},
		"header again":      {`"integer", "edges": [0, 10]`, "x\n1\nx\n2\n", `line 3: found "the header a second time"; want one header line in a file`},
		"separator":         {`"real", "max": 1}, {"name": "y", "kind": "real", "max": 1`, "x;y\n1;1\n", `has one field with ";" in it; want fields separated by commas, or "format": {"separator": ";"}`},
		"field of a format": {`"real", "max": 1, "encoding": "latin-1"`, "", `each field at its place`},
		"delimiter":         {`"real", "max": 1, "delimiter": ";"`, "", `did you mean "separator"?`},
	} {
		s, err := ParseSchema([]byte(strings.Replace(one, "%", c.kind, 1)))
		if err == nil && c.csv != "" {
			_, err = Read(t.Context(), strings.NewReader(c.csv), "t.csv", s)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", name, err, c.want)
		}
	}
}
