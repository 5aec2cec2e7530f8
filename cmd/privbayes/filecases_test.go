package main

import (
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/filecases"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The commands read the tables of cases as the library does: check and release take what is read, and tell the same
// error otherwise; schema shows nothing of a row.
func TestCommandsOnFileCases(t *testing.T) {
	cases := filecases.Load(t, "../../privbayes/frame/testdata/cases/*.txt")
	t.Chdir(t.TempDir())
	released := 0
	for _, c := range cases {
		if err := os.WriteFile("t.csv", c.File, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.Schema == nil || len(c.Want) == 0 {
			continue
		}
		if err := os.WriteFile("s.json", c.Schema, 0o600); err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(c.Want[0].Text, "\n")
		code, out, errs := call("check", "--schema", "s.json", "--data", "t.csv")
		switch key := c.Want[0].Key; {
		case key == "read" && code != exitDone:
			t.Errorf("%s: check ends with %d: %s%s", c.Name, code, out, errs)
		case key != "read" && code == exitDone:
			t.Errorf("%s: check ends well: %s", c.Name, out)
		case key == "schema error" && !strings.Contains(errs, want):
			t.Errorf("%s: check: %s, want %s", c.Name, errs, want)
		}
		if s, err := frame.ParseSchema(c.Schema); err == nil && (released < 12 || c.Want[0].Key != "read") {
			_, _, errs = call("release", "--schema", "s.json", "--data", "t.csv", "--model", "categorical", "--target",
				s.Columns[0].Name, "--epsilon", "1", "--out", "r.json")
			if _, err := os.Stat("r.json"); err == nil {
				released++
				if c.Want[0].Key != "read" {
					t.Errorf("%s: released", c.Name)
				}
				if err := os.Remove("r.json"); err != nil {
					t.Fatal(err)
				}
			} else if c.Want[0].Key == "read" {
				t.Logf("%s: %s", c.Name, errs)
			} else if !strings.Contains(errs, want) {
				t.Errorf("%s: release: %s, want %s", c.Name, errs, want)
			}
		}
		showsNoRow(t, c)
	}
	if released < 10 {
		t.Errorf("%d tables were released", released)
	}
}

// showsNoRow looks for the texts of rows in what the command schema says.
func showsNoRow(t *testing.T, c filecases.Case) {
	t.Helper()
	_, out, errs := call("schema", "t.csv", "--dataset", "d")
	head, rows := c.Text, ""
	if i := strings.IndexAny(head, "\r\n"); i >= 0 {
		head, rows = head[:i], head[i:]
	}
	for _, text := range strings.FieldsFunc(rows, func(r rune) bool { return strings.ContainsRune(",;\t\r\n\"", r) }) {
		if len(text) > 2 && !strings.Contains(head, text) && strings.Contains(out+errs, text) && !said[text] {
			t.Errorf("%s: schema shows %q of a row:\n%s%s", c.Name, text, out, errs)
		}
	}
}

// said are words of the command's own that also stand in rows of a case.
var said = map[string]bool{"missing": true}

// A network whose states contradict the schema is named, and nothing is released.
func TestNetworkThatContradictsTheSchema(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("d.csv", "a,b\nx,u\ny,v\n")
	write("d.json", `{"dataset": "d", "columns": [{"name": "a", "kind": "categorical", "categories": ["x", "y"]},
		{"name": "b", "kind": "categorical", "categories": ["u", "v"], "aliases": [{"category": "v", "texts": ["vv"]}]}]}`)
	network := func(states string) string {
		return "variable a { type discrete [ 2 ] { y, x }; }\nvariable b { type discrete [ " + states + " }; }\n" +
			"probability ( a ) { table NaN, NaN; }\nprobability ( b | a ) { (x) 1, 2, 3; }\n"
	}
	for states, want := range map[string]string{
		"2 ] { u, v": "", "2 ] { vv, u": "",
		"3 ] { u, v, w": `state "w" in the network, which the schema has not`,
		"2 ] { u, w":    `state "w" in the network, which the schema has not`,
		"1 ] { u":       `category "v" in the schema, which the network has not`,
	} {
		write("m.bif", network(states))
		_ = os.Remove("r.json")
		code, _, errs := call("release", "--schema", "d.json", "--data", "d.csv", "--network", "m.bif", "--target", "b",
			"--epsilon", "1", "--out", "r.json")
		_, err := os.Stat("r.json")
		if (want == "") != (code == exitDone) || (err == nil) != (want == "") || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %v: %s", states, code, err, errs)
		}
	}
}
