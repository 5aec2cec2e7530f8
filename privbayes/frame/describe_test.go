package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Two tables that differ in every row look the same in every format.
func TestNothingPrivateIsShown(t *testing.T) {
	head := "city,income,vote,age,trip\n"
	a := mustRead(t, head+"Ulm,1,y,17,a\nUlm,2,y,3,a\n", people())
	b := mustRead(t, head+"Bern,4321,n,77,b>c\nOther,1234,?,NA,\n", people())
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q", "%f"} {
		if x, y := fmt.Sprintf(verb, a), fmt.Sprintf(verb, b); x != y || !strings.Contains(x, "n = 2 (public)") {
			t.Errorf("%s shows rows: %q, %q", verb, x, y)
		}
	}
	if a.String() != b.String() || table.HTML(a) != table.HTML(b) {
		t.Error("descriptions differ")
	}
	if _, err := json.Marshal(a); !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
	if p := a.DescribePrivate(); p == b.DescribePrivate() || !strings.Contains(p, "private: do not publish") {
		t.Error(p)
	}
	w, err := a.Where("city", func(l string) bool { return l == "Ulm" })
	if err != nil || strings.Contains(w.String(), "n = ") ||
		!strings.Contains(w.String(), `n is private since Where("city")`) {
		t.Error(w.String(), err)
	}
	if fmt.Sprint((*Frame)(nil)) != "<nil>" {
		t.Error("nil frame")
	}
}

func TestHTMLEscapes(t *testing.T) {
	s := &Schema{Dataset: "<b>", Columns: []Column{Categorical("<i>", "&", "<script>")}}
	h := table.HTML(s)
	if !strings.Contains(h, `text-align:left">column</th>`) || !strings.Contains(h, `>&lt;i&gt;</td>`) {
		t.Error(h)
	}
	if strings.Contains(h, "<i>") || strings.Contains(h, "<script>") || strings.Contains(h, "<b>") {
		t.Error(h)
	}
}

// A list of names reads in one way: names with commas or quotes of their own are quoted, and long lists leave out names
// and not the last.
func TestDomainsReadInOneWay(t *testing.T) {
	for want, names := range map[string][]string{
		`No, Yes`:                       {"No", "Yes"},
		`"1st, Male", "1st, Female"`:    {"1st, Male", "1st, Female"},
		`a, "b, c", d`:                  {"a", "b, c", "d"},
		`"say \u0022a\u0022", b`:        {`say "a"`, "b"},
		`1, 2, 3, 4, 5, 6`:              {"1", "2", "3", "4", "5", "6"},
		`1, 2, "3, 4", 5, 6, …, "8, 9"`: {"1", "2", "3, 4", "5", "6", "7", "8, 9"},
	} {
		if got := few(names, 6); got != want {
			t.Errorf("%q reads %s, want %s", names, got, want)
		}
	}
}

// A frame says of every step what it did to n and to the unit.
func TestFrameSaysWhatStepsDid(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	do := func(g *Frame, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		f = g
	}
	want := func(notes ...string) {
		t.Helper()
		got := f.Table().Notes[1:]
		if len(got) != len(notes) {
			t.Fatalf("%q", got)
		}
		for i, n := range notes {
			if !strings.HasPrefix(got[i], "step ") || !strings.HasSuffix(got[i], n) {
				t.Errorf("%q; want %q", got[i], n)
			}
		}
	}
	want()
	do(f.Drop("trip"))
	want() // what is left stands in the table
	do(f.Collapse("city", "abroad", "Bern", "Other"))
	do(f.Append(f))
	want("n and the unit stay",
		"Append(all rows; twice): n adds up; the rows of a unit add up, to at most 2")
	do(f.Head(5))
	want("n and the unit stay", "to at most 2",
		"Head(5): n follows from it and stays public; the unit stays")
	do(f.Where("city", func(string) bool { return true }))
	train, test, err := f.Split(.5, 1)
	do(train, err)
	want("stay", "at most 2", "public; the unit stays", "n is private from here; the unit stays",
		"train: n stays private; the unit stays")
	do(f.AppendDisjoint(test))
	want("stay", "n is private from here; the units are declared disjoint, so a unit has at most 2 rows still")
	if all, err := f.Append(f); err != nil || !strings.Contains(all.String(), "private from here; the rows of a unit add "+
		"up, to at most 4") {
		t.Error(err, all)
	}
}
