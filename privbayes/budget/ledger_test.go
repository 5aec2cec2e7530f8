package budget_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// openLedger opens a ledger of the data set votes.
func openLedger(t *testing.T, path string, limit dp.Request, options ...budget.Option) *budget.Budget {
	t.Helper()
	return must.Get(budget.Open(path, "votes", budget.Unit{}, limit, options...))(t)
}

// filled makes a ledger with charges of a tenth.
func filled(t *testing.T, path string, ids ...string) *budget.Budget {
	t.Helper()
	b := openLedger(t, path, dp.PureDP(1))
	for _, id := range ids {
		must.Do(t, b.Charge("votes", charge(id, dp.PureDP(.1))))
	}
	return b
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(path))(t)
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path, raw, 0o600))
}

// A live budget whose file was taken away, cut, replaced or rewritten refuses; it never starts anew with nothing spent.
func TestALiveBudgetKnowsItsFile(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"deleted": func(t *testing.T, path string) {
			must.Do(t, os.Remove(path))
		},
		"emptied": func(t *testing.T, path string) { write(t, path, nil) },
		"cut to head": func(t *testing.T, path string) {
			write(t, path, read(t, path)[:bytes.IndexByte(read(t, path), '\n')+1])
		},
		"cut inside": func(t *testing.T, path string) { write(t, path, read(t, path)[:len(read(t, path))-3]) },
		"rewritten": func(t *testing.T, path string) {
			write(t, path, bytes.Replace(read(t, path), []byte(`"epsilon":0.1`), []byte(`"epsilon":0.0`), 1))
		},
		"replaced by a new ledger": func(t *testing.T, path string) {
			must.Do(t, os.Remove(path))
			filled(t, path, "other", "and", "more")
		},
		"replaced by a copy": func(t *testing.T, path string) {
			write(t, path+".copy", read(t, path))
			must.Do(t, os.Rename(path+".copy", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "votes.budget")
			b := filled(t, path, "a", "b")
			change(t, path)
			var changed *budget.LedgerChangedError
			for _, id := range []string{"c", "a"} { // a new charge, and one that was paid for
				if err := b.Charge("votes", charge(id, dp.PureDP(.1))); !errors.As(err, &changed) {
					t.Errorf("charging %s gave %v", id, err)
				}
			}
			if s := b.Spent(); s.Epsilon < .2 {
				t.Error("spent fell to", s)
			}
			if _, err := os.Stat(path); name == "deleted" && err == nil {
				t.Error("a new file was made")
			}
		})
	}
}

// A file that was moved away and back is the file.
func TestARestoredFileIsTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.budget")
	b := filled(t, path, "a")
	must.Do(t, os.Rename(path, path+".away"))
	var changed *budget.LedgerChangedError
	if err := b.Charge("votes", charge("b", dp.PureDP(.1))); !errors.As(err, &changed) ||
		!errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	must.Do(t, os.Rename(path+".away", path))
	if err := b.Charge("votes", charge("b", dp.PureDP(.1))); err != nil {
		t.Error(err)
	}
}

// Two budgets may live on one file: each sees what the other appended.
func TestTwoLiveBudgets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.budget")
	one, two := filled(t, path), filled(t, path)
	for i := range 10 {
		b := []*budget.Budget{one, two}[i%2]
		if err := b.Charge("votes", charge(fmt.Sprint(i), dp.PureDP(.1))); err != nil {
			t.Fatal(i, err)
		}
		if got := len(b.Charges()); got != i+1 {
			t.Errorf("%d charges are seen after %d", got, i+1)
		}
	}
	var over *budget.ExceededError
	if err := one.Charge("votes", charge("more", dp.PureDP(.1))); !errors.As(err, &over) {
		t.Error(err)
	}
}

// A line that a write left unfinished charged nothing: it is taken out, a note and a warning say so, and the ledger
// goes on.
func TestATornLineIsTakenOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.budget")
	filled(t, path, "a", "b")
	whole := read(t, path)
	start := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := start + 1; cut < len(whole); cut++ {
		write(t, path, whole[:cut])
		b := openLedger(t, path, dp.PureDP(1))
		ids := 1
		if cut == len(whole)-1 { // all but the line end is there: it counts as spent
			ids = 2
		}
		w := b.Warnings()
		if len(b.Charges()) != ids || len(w) != 1 || w[0].Kind != budget.LedgerRepaired ||
			!strings.Contains(b.String(), w[0].Text) {
			t.Fatalf("cut at %d of %d: %d charges, %v", cut, len(whole), len(b.Charges()), w)
		}
		again := openLedger(t, path, dp.PureDP(1)) // the note stays
		if len(again.Charges()) != ids || again.Warnings().String() != w.String() {
			t.Fatalf("cut at %d: read again, %d charges, %v", cut, len(again.Charges()), again.Warnings())
		}
		must.Do(t, again.Charge("votes", charge("c", dp.PureDP(.9-float64(ids-1)*.1))))
	}
	// another budget that lives on the file mends it, too
	b := filled(t, path)
	full := read(t, path)
	write(t, path, append(full, `{"id":"z`...))
	if err := b.Charge("votes", charge("c", dp.PureDP(.1))); err != nil || len(b.Warnings()) != 2 {
		t.Error(err, b.Warnings())
	}
}

// A file whose maker died before the head was whole has no charge; a file that is something else is left alone.
func TestATornHead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	filled(t, path)
	head := read(t, path)
	for cut := range len(head) {
		write(t, path, head[:cut])
		if b := openLedger(t, path, dp.PureDP(1)); len(b.Charges()) != 0 || !bytes.Equal(read(t, path), head) {
			t.Fatal("a head cut at", cut)
		}
	}
	for _, other := range []string{"hello", "{\"format\":\"other", "\n", "\x00"} {
		write(t, path, []byte(other))
		var le *budget.LedgerError
		if _, err := budget.Open(path, "votes", budget.Unit{}, dp.PureDP(1)); !errors.As(err, &le) || string(read(t, path)) != other {
			t.Errorf("%q: %v, and the file is now %q", other, err, read(t, path))
		}
	}
	var le *budget.LedgerError
	if _, err := budget.Open(dir, "votes", budget.Unit{}, dp.PureDP(1)); !errors.As(err, &le) {
		t.Error("a folder:", err)
	}
}

// What says two things, or something that no budget writes, is no line of a ledger.
func TestHostileLinesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.budget")
	filled(t, path, "a", "b")
	raw := string(read(t, path))
	edit := func(old, to string) string {
		at := strings.LastIndex(raw, old)
		if at < 0 {
			t.Fatalf("no %s in %s", old, raw)
		}
		return raw[:at] + to + raw[at+len(old):]
	}
	for name, text := range map[string]string{
		"a key twice":           edit(`"id":"b"`, `"id":"c","id":"b"`),
		"a key in capitals":     edit(`"id":"b"`, `"ID":"b"`),
		"a key in both":         edit(`"id":"b"`, `"id":"b","Id":"c"`),
		"a folded key":          edit(`"state":"adaptive"`, `"ſtate":"adaptive"`),
		"an inner key twice":    edit(`"epsilon":0.1`, `"epsilon":0.1,"epsilon":0.01`),
		"a key of the head":     strings.Replace(raw, `"dataset":"votes"`, `"dataset":"x","dataset":"votes"`, 1),
		"an unknown state":      edit(`"adaptive"`, `"free"`),
		"no state":              edit(`,"state":"adaptive"`, ``),
		"a foreign adjacency":   edit(`"replace-one"`, `"replace-value"`),
		"negative rows":         edit(`"rows":1`, `"rows":-1`),
		"other rows":            edit(`"rows":1`, `"rows":2`),
		"another unit":          edit(`"name":"person"`, `"name":"visit"`),
		"a key of the unit":     edit(`"rows":1`, `"key":"id","rows":1`),
		"no unit":               edit(`"unit":{"name":"person","rows":1},`, ``),
		"info of a number":      edit(`"info":{`, `"info":{"part":2,`),
		"info in capitals":      edit(`"info":{`, `"info":{"Why":"x",`),
		"info twice":            edit(`"info":{`, `"info":{"time":"x",`),
		"info with an escape":   edit(`"info":{`, `"info":{"why":"\u001b[2K",`),
		"info of two lines":     edit(`"info":{`, `"info":{"why":"a\nb",`),
		"too much info":         edit(`"info":{`, `"info":{"why":"`+strings.Repeat("x", 1001)+`",`),
		"an id twice":           edit(`"id":"b"`, `"id":"a"`),
		"an empty id":           edit(`"id":"b"`, `"id":""`),
		"a control character":   edit(`"id":"b"`, `"id":"b\u001b[0m"`),
		"an override":           edit(`"what":"test"`, `"what":"\u202etest"`),
		"bytes":                 edit(`"id":"b"`, "\"id\":\"b\xff\""),
		"a negative level":      edit(`"epsilon":0.1`, `"epsilon":-0.1`),
		"a stray δ":             edit(`"epsilon":0.1`, `"epsilon":0.1,"delta":-0.1`),
		"an infinite level":     edit(`"epsilon":0.1`, `"epsilon":"inf"`),
		"another notion":        edit(`"notion":"pure"`, `"notion":"approximate","delta":1e-9`),
		"no notion":             edit(`"notion":"pure"`, `"notion":"none"`),
		"an unknown field":      edit(`"id":"b"`, `"id":"b","paid":true`),
		"two values":            edit("}\n", "}{}\n"),
		"an empty line":         edit("}\n", "}\n\n"),
		"an empty note":         raw + "{\"note\":\"\"}\n",
		"a note with an escape": raw + "{\"note\":\"\\u001b[2K\"}\n",
		"a note with a charge":  raw + "{\"note\":\"x\",\"id\":\"z\"}\n",
		"a conversion of pure ε": strings.Replace(raw, `"adjacency":"replace-one"}`,
			`"adjacency":"replace-one","conversion":{"order":2,"delta":0.1}}`, 1),
		"an unknown format": strings.Replace(raw, "ledger-3", "ledger-4", 1),
	} {
		if text == raw {
			t.Fatal(name, "changes nothing")
		}
		write(t, path, []byte(text))
		var le *budget.LedgerError
		if _, err := budget.Open(path, "votes", budget.Unit{}, dp.PureDP(1)); !errors.As(err, &le) || le.Line == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if string(read(t, path)) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
	write(t, path, []byte(raw))
	filled(t, path, "c")
}

// Order and share stand in the head: they hold for whoever opens the ledger later, and nobody can ask for others.
func TestTheConversionStandsInTheHead(t *testing.T) {
	path, limit := filepath.Join(t.TempDir(), "votes.budget"), dp.ApproxDP(3, 1e-5)
	options := []budget.Option{budget.ConvertAtOrder(7), budget.ConvertWithDelta(1e-5)}
	b := openLedger(t, path, limit, options...)
	must.Do(t, b.Charge("votes", charge("a", dp.ZCDP(.1))))
	want := budget.Conversion{Order: 7, Delta: 1e-5}
	for _, again := range []*budget.Budget{openLedger(t, path, limit), openLedger(t, path, limit, options...)} {
		if again.Conversion() != want || again.Spent() != b.Spent() || again.String() != b.String() {
			t.Errorf("%+v, %s", again.Conversion(), again)
		}
	}
	for _, s := range []string{"order 7", "ε = " + fmt.Sprintf("%.4g", want.Cost()), "δ = 1e-5", "paid"} {
		if !strings.Contains(b.String(), s) || !strings.Contains(table.HTML(b), s) {
			t.Errorf("no %q in %s", s, b)
		}
	}
	var le *budget.LedgerError
	for _, other := range []budget.Option{budget.ConvertAtOrder(8), budget.ConvertWithDelta(2e-6)} {
		if _, err := budget.Open(path, "votes", budget.Unit{}, limit, other); !errors.As(err, &le) ||
			!strings.Contains(err.Error(), "order 7") {
			t.Error(err)
		}
	}
	raw := string(read(t, path))
	for name, edit := range map[string][2]string{
		"an order of 1":        {`"order":7`, `"order":1`},
		"a costly order":       {`"order":7`, `"order":2`},
		"too large a share":    {`"conversion":{"order":7,"delta":1e-05}`, `"conversion":{"order":7,"delta":1e-04}`},
		"no share":             {`"conversion":{"order":7,"delta":1e-05}`, `"conversion":{"order":7}`},
		"no conversion":        {`,"conversion":{"order":7,"delta":0.00001}`, ``},
		"a conversion twice":   {`"conversion":{`, `"conversion":{"order":9,"delta":1e-05},"conversion":{`},
		"an order in capitals": {`"order":7`, `"Order":7`},
	} {
		text := strings.Replace(strings.ReplaceAll(raw, "0.00001", "1e-05"),
			strings.ReplaceAll(edit[0], "0.00001", "1e-05"), edit[1], 1)
		if text == strings.ReplaceAll(raw, "0.00001", "1e-05") {
			t.Fatalf("%s changes nothing in %s", name, raw)
		}
		write(t, path, []byte(text))
		if _, err := budget.Open(path, "votes", budget.Unit{}, limit); !errors.As(err, &le) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A ledger whose lines are above its limit, as no budget writes them, can be read, what it charged can be used, and it
// takes no more, saying by how much.
func TestOverspentLedgers(t *testing.T) {
	limit := dp.ApproxDP(1, 1e-5)
	for name, c := range map[string]struct {
		levels []string
		want   string
		spent  float64
	}{
		"the counterexample": {[]string{`{"notion":"concentrated","rho":0.01819}`,
			`{"notion":"approximate","epsilon":1e-6,"delta":9.9767e-6}`}, "δ by 4.977e-6", .79},
		"two sums of ρ": {[]string{`{"notion":"concentrated","rho":0.01819}`,
			`{"notion":"concentrated","rho":0.01236}`}, "ε by ", 1.02},
	} {
		path := filepath.Join(t.TempDir(), "votes.budget")
		openLedger(t, path, limit)
		text := read(t, path)
		for i, l := range c.levels {
			text = fmt.Appendf(text, `{"id":"r%d","what":"test","level":%s,"adjacency":"replace-one",`+
				`"unit":{"name":"person","rows":1},"state":"adaptive"}`+"\n", i, l)
		}
		write(t, path, text)
		b := openLedger(t, path, limit)
		var over *budget.OverspentError
		err := b.Charge("votes", charge("next", dp.PureDP(1e-6)))
		if !errors.As(err, &over) || !strings.Contains(err.Error(), c.want) || over.Spent != b.Spent() {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := float64(b.Spent().Epsilon); !(got >= c.spent) {
			t.Errorf("%s: spent %s", name, b.Spent())
		}
		if w := b.Warnings(); len(w) != 1 || w[0].Kind != budget.LedgerOverspent ||
			!strings.Contains(b.String(), c.want) {
			t.Errorf("%s: %v\n%s", name, w, b)
		}
		if err := b.Charge("votes", b.Charges()[0]); err != nil {
			t.Errorf("%s: what is charged is not free: %v", name, err)
		}
		if !bytes.Equal(text, read(t, path)) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}
