package claims

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/must"
)

var updateRows = flag.Bool("update-rows", false, "write the files of rows anew, with their lines broken at 120 columns")

// The files of rows have lines of 120 columns at most and their rows in order; what is written is what was read.
func TestRowsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, d := range documents {
		path := "rows/" + d.file + ".txt"
		text := must.Get(os.ReadFile(path))(t)
		blocks := must.Get(split(d.file, string(text)))(t)
		if *updateRows {
			must.Do(t, os.WriteFile(path, []byte(written(blocks)), 0o644))
		} else if string(text) != written(blocks) {
			t.Errorf("%s has lines that are too long or too short: go test ./papers/claims -run %s -update-rows", path, t.Name())
		}
		last := ""
		for _, b := range blocks {
			if b.fields[0].key == "row" {
				if b.fields[0].text <= last {
					t.Errorf("%s:%d: %s stands after %s", path, b.line, b.fields[0].text, last)
				}
				last = b.fields[0].text
			}
		}
	}
}

// written is the text of blocks.
func written(blocks []block) string {
	var out strings.Builder
	for i, b := range blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		for _, f := range b.fields {
			line := f.key + ":"
			for i, word := range strings.Split(f.text, " ") {
				if i > 0 && utf8.RuneCountInString(line+" "+word) > 120 {
					out.WriteString(line + "\n")
					line = " "
				}
				line += " " + word
			}
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

const goodRow = `row: x/1
place: here
item: Theorem 1
assumes: nothing
says: something
verdict: holds
source: theory
check: lemma5 1
changed: 1.01
`

// Every check in rows.go is that of a row.
func TestEveryCheckHasARow(t *testing.T) {
	named := map[string]bool{}
	for _, d := range documents {
		text, _ := rowFiles.ReadFile("rows/" + d.file + ".txt")
		for line := range strings.Lines(string(text)) {
			if words, ok := strings.CutPrefix(line, "check: "); ok {
				named[strings.Fields(words)[0]] = true
			}
		}
	}
	tell := func(name string) {
		if !named[name] {
			t.Errorf("no row names the check %s", name)
		}
	}
	for name := range ofNumber {
		tell(name)
	}
	for name := range ofCurves {
		tell(name)
	}
	for name := range ofTwo {
		tell(name)
	}
	for name := range ofFindings {
		tell(name)
	}
}

// A row is a few lines of text; what is wrong with it is said with its file and line.
func TestWrongRowsAreRefused(t *testing.T) {
	var good rows
	if err := good.read(documents[0], "about: it\n\n"+goodRow); err != nil || len(good.claims) != 1 ||
		good.claims[0].mutant == nil || good.claims[0].Document != NoteA || good.overview.about != "it" {
		t.Fatal(good, err)
	}
	for _, c := range []struct{ was, is, want string }{
		{"place: here", "plaice: here", `notea.txt:1: a block that begins with "row" has no line "plaice"`},
		{"place: here", "place: here\nplace: there", `"place" stands twice`},
		{"place: here\n", "", "lacks its place"},
		{"place: here", "place:", `notea.txt:2: want "key: text"`},
		{"place: here", "place: here ", `notea.txt:2: want "key: text"`},
		{"row: x/1", "line: x/1", `no block begins with "line"`},
		{"row: x/1", "  more", `want "key: text"`},
		{"holds", "is so", `there is no verdict "is so"`},
		{"holds", "false", "without a true form"},
		{"holds", string(Slip), "without a remark that says why"},
		{"source:", "counterexample: n = 1\nsource:", "holds, with a counterexample"},
		{"source:", "reason: x\nsource:", "no reason for being none"},
		{"source:", "ours: no\nsource:", `ours is "no"`},
		{"holds", string(NotAClaim), "has a reason and no check"},
		{"assumes: nothing\n", "", "lacks its assumptions"},
		{"check: lemma5 1\nchanged: 1.01\n", "", "lacks its assumptions, its check"},
		{"changed: 1.01\n", "", "or the changed statement"},
		{"lemma5", "lemma999", `there is no check "lemma999"`},
		{"lemma5 1", "lemma5", `parameter ""`},
		{"lemma5 1", "lemma5 1 2", "followed by something"},
		{"lemma5 1", "lemma5 true", `parameter "true"`},
		{"changed: 1.01", "changed: more", `parameter "more"`},
		{"changed: 1.01", "changed: 1.01\nweaker: less", `parameter "less"`},
		{"lemma5 1\nchanged: 1.01", "sliding {\"Share\": 1}\nchanged: {\"shore\": 1}", `unknown field "shore"`},
		{"lemma5 1", "lemma20 1", "takes no parameter"},
		{"lemma5 1\nchanged: 1.01", "lemma20\nchanged: {\"printed\": 1}\nweaker: 2", "takes no parameter"},
		{"row: x/1", "reproduced: x", `has no line "place"`},
		{"1.01\n", "1.01\n\nbeside: a sentence\n", "a sentence without its rows"},
		{"1.01\n", "1.01\n\n" + goodRow, "notea.txt:11: x/1 stands twice"},
	} {
		var r rows
		if err := r.read(documents[0], strings.Replace(goodRow, c.was, c.is, 1)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v; want %s", c.is, c.was, err, c.want)
		}
	}
}

// No text makes the reader panic; what it reads it reads again from what is written.
func FuzzRows(f *testing.F) {
	f.Add(goodRow)
	f.Add("about: a\n  b: c\n\nmended: a: b\nrows: x/1, x/2\n\nmechanism: a\nlevel: b\nhow: c\nrows: d")
	f.Add("row: x\n\n\n  y\n: \n")
	f.Fuzz(func(t *testing.T, text string) {
		var r, again rows
		if r.read(documents[1], text) != nil {
			return
		}
		blocks := must.Get(split("noteb", text))(t)
		if err := again.read(documents[1], written(blocks)); err != nil || len(again.claims) != len(r.claims) {
			t.Errorf("%v\n%s", err, written(blocks))
		}
	})
}

// Every numbered item of the five documents has a row, and no row is about an item that does not exist.
func TestEveryItemHasARow(t *testing.T) {
	for _, d := range documents {
		document, name := d.name, d.file
		list, known := Items(document), map[string]bool{}
		if document == Library && len(list) == 0 {
			continue
		}
		if len(list) == 0 {
			t.Errorf("items/%s.json is empty", name)
		}
		for _, i := range list {
			if known[i.Item] {
				t.Errorf("%s: %q twice", name, i.Item)
			}
			known[i.Item] = true
			if i.Item == "" || i.Page == 0 && i.Section == "" || !slices.Contains(kinds, i.Kind) {
				t.Errorf("%s: %+v lacks its place or its kind", name, i)
			}
		}
		if missing := withoutRow(document); len(missing) > 0 {
			t.Errorf("%s: no row is about %s", name, strings.Join(missing, ", "))
		}
		for _, c := range Of(document) {
			for _, item := range c.Items {
				if !known[item] {
					t.Errorf("%s is about %q, which items/%s.json does not list", c.ID, item, name)
				}
			}
		}
	}
	for _, c := range Of(Library) {
		if len(c.Items) > 0 {
			t.Errorf("%s is about %q: the library has no numbered items", c.ID, c.Items)
		}
	}
}

// An item without a row is told.
func TestAMissingRowIsTold(t *testing.T) {
	if rows := rowsOf(NoteA, "Theorem 99"); len(rows) != 0 {
		t.Error(rows)
	}
	defer func(was []Claim) { registry = was }(registry)
	registry = nil
	if got, want := len(withoutRow(NoteA)), len(Items(NoteA)); got != want {
		t.Errorf("%d items of %d are without a row when there is none", got, want)
	}
}

// A row of our own is marked, and counts for the library, not for the document beside which it stands.
func TestOursCountsForTheLibrary(t *testing.T) {
	results := []Result{{ID: "a", Document: NetworkPaper, Verdict: Holds},
		{ID: "b", Document: NetworkPaper, Verdict: Holds, Ours: true}}
	if got := counted(results, NetworkPaper); len(got) != 1 || got[0].ID != "a" {
		t.Errorf("counted for the paper: %v", got)
	}
	if got := counted(results, Library); len(got) != 1 || got[0].ID != "b" {
		t.Errorf("counted for the library: %v", got)
	}
	if got := counted(results, ""); len(got) != 2 {
		t.Errorf("counted in all: %v", got)
	}
	page := Markdown(results)
	if strings.Count(page, "(ours, not the document's)") != 1 {
		t.Error("the page marks other rows than ours")
	}
}

// A finding without numbers shows how many cases it visited, and no empty table.
func TestFindingWithoutNumbers(t *testing.T) {
	if got, want := (&Finding{Cases: 3602}).Table().String(), "Computed\ncases\n-----\n 3602\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
