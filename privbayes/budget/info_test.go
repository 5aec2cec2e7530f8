package budget_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A ledger keeps what later versions say to people, in head and charges, and nothing is decided by it: it may say any
// level, id or unit. The time of a charge stands there, in whole minutes of UTC.
func TestInfoIsKeptAndNotTrusted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	b := openLedger(t, path, dp.PureDP(1))
	c := charge("a", dp.PureDP(.6))
	c.Info = budget.Info{"who": "ü, of the clinic", "epsilon": "0", "unit": "household"}
	must.Do(t, b.Charge("votes", c))
	at, err := time.Parse(time.RFC3339, b.Charges()[0].Info["time"])
	if past := time.Since(at); err != nil || past < 0 || past > 10*time.Minute || at.Second() != 0 || at.Location() !=
		time.UTC {
		t.Errorf("charged at %v, %v", at, err)
	}
	raw := read(t, path)
	later := bytes.Replace(raw, []byte(`"replace-one"}`), []byte(`"replace-one","info":{"who":"x","limit":"9"}}`), 1)
	later = bytes.Replace(later, []byte(`"who":"ü, of the clinic"`), []byte(`"part":"2 of 3","paid_by":"y"`), 1)
	if bytes.Equal(later, raw) {
		t.Fatal("nothing was changed")
	}
	write(t, path, later)
	again := openLedger(t, path, dp.PureDP(1))
	if info := again.Charges()[0].Info; again.Spent() != b.Spent() || info["part"] != "2 of 3" || info["paid_by"] != "y" {
		t.Errorf("%s, %v", again.Spent(), info)
	}
	c.Info = budget.Info{"why": "another reason"}
	if err := again.Charge("votes", c); err != nil || !bytes.Equal(read(t, path), later) {
		t.Errorf("a release charged again, with other words: %v\n%s", err, read(t, path))
	}
	var over *budget.ExceededError
	if err := again.Charge("votes", charge("b", dp.PureDP(.6))); !errors.As(err, &over) {
		t.Error(err)
	}
	if err := again.Charge("votes", charge("c", dp.PureDP(.4))); err != nil ||
		!bytes.HasPrefix(read(t, path), later) {
		t.Errorf("what stood there does not stay: %v\n%s", err, read(t, path))
	}
	many := budget.Info{}
	for i := range 33 {
		many["a"+strings.Repeat("a", i)] = "x"
	}
	for name, info := range map[string]budget.Info{"a key": {"A": "x"}, "no key": {"": "x"}, "two lines": {"a": "b\nc"},
		"an escape": {"a": "\x1b"}, "length": {"a": strings.Repeat("x", 1001)}, "too many": many} {
		c := charge("d", dp.PureDP(.001))
		c.Info = info
		var p *dp.ParameterError
		if err := again.Charge("votes", c); !errors.As(err, &p) {
			t.Errorf("%s: %v", name, err)
		}
	}
	openLedger(t, path, dp.PureDP(1)) // what was written is read
}

// What is wrong with a ledger file, and nothing that is not so, stands in its error.
func TestErrorsOfALedgerSayWhatIsSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.budget")
	filled(t, path, "a", "b", "c")
	raw := string(read(t, path))
	lines := strings.SplitAfter(raw, "\n")
	edit := func(old, to string) string {
		if !strings.Contains(raw, old) {
			t.Fatalf("no %s in %s", old, raw)
		}
		return strings.Replace(raw, old, to, 1)
	}
	for name, c := range map[string]struct {
		text, says string
		line       int
	}{
		"format 1":           {edit("ledger-3", "ledger-1"), "written before any version was published", 1},
		"format 2":           {edit("ledger-3", "ledger-2"), "written before any version was published", 1},
		"a later format":     {edit("ledger-3", "ledger-4"), `this version reads "privbayes-ledger-3"`, 1},
		"no format":          {edit(`"format"`, `"formats"`), "it names no format", 1},
		"a release":          {"{\n \"format\": \"privbayes-release-3\",\n}\n", "no JSON value", 1},
		"another data set":   {edit(`"dataset":"votes"`, `"dataset":"x"`), `its data set is "x", and "votes" was asked for`, 1},
		"another unit":       {strings.ReplaceAll(raw, `"person"`, `"visit"`), `is about the unit "visit"; asked for is the unit "person"`, 1},
		"another limit":      {edit(`"epsilon":1}`, `"epsilon":2}`), "its limit is ε = 2, and ε = 1 was asked for", 1},
		"a digit of a limit": {edit(`"epsilon":1}`, `"epsilon":1.0000000000000002}`), "1.0000000000000002", 1},
		"another adjacency": {strings.ReplaceAll(raw, `"replace-one"`, `"add-remove"`),
			"its adjacency is add-remove, and replace-one was asked for", 1},
		"a byte order mark":  {"\ufeff" + raw, "byte order mark", 1},
		"CRLF":               {strings.ReplaceAll(raw, "\n", "\r\n"), "carriage return", 1},
		"CRLF in one line":   {lines[0] + lines[1][:len(lines[1])-1] + "\r\n" + lines[2] + lines[3], "carriage return", 2},
		"CR alone":           {strings.ReplaceAll(raw, "\n", "\r"), "the first line has no end", 1},
		"UTF-16":             {"\xff\xfe" + strings.Join(strings.Split(raw, ""), "\x00"), "not UTF-8", 1},
		"a line cut short":   {lines[0] + lines[1][:40] + "\n" + lines[2], "no JSON value", 2},
		"lines put together": {lines[0] + lines[1][:len(lines[1])-1] + lines[2], "no JSON value", 2},
		"an edited level":    {edit(`"epsilon":0.1`, `"epsilon":-0.1`), "epsilon = -0.1", 2},
		"another notion":     {edit(`"notion":"pure","epsilon":0.1`, `"notion":"zcdp","rho":0.1`), `notion = "zcdp"; want pure`, 2},
		"a field":            {edit(`"id":"a"`, `"id":"a","paid":true`), `unknown field "paid"`, 2},
		"a field twice":      {edit(`"id":"a"`, `"id":"a","id":"b"`), `field "id" twice`, 2},
		"a charge twice":     {raw + lines[1], "release a is charged already", 5},
		"an edited unit": {edit(`"unit":{"name":"person","rows":1},"state"`, `"unit":{"name":"person","rows":2},"state"`),
			`is about the unit "person"; asked for is the unit "person" of up to 2 rows`, 2},
		"an empty line": {raw + "\n", "no JSON value", 5},
		"a long line":   {raw + `{"note":"` + strings.Repeat("x", 1<<16) + "\"}\n", "a line of 65547 bytes", 5},
		"brackets":      {raw + strings.Repeat("[", 1<<15) + "\n", "no JSON value", 5},
		"not a ledger":  {"id,level\n1,2\n", "no JSON value", 1},
		"empty lines":   {"\n\n", "no JSON value", 1},
	} {
		write(t, path, []byte(c.text))
		_, opened := budget.Open(path, "votes", budget.Unit{}, dp.PureDP(1))
		var le *budget.LedgerError
		if !errors.As(opened, &le) || le.Line != c.line || !strings.Contains(opened.Error(), c.says) ||
			strings.Count(opened.Error(), path) != 1 || strings.Contains(opened.Error(), "cut short") {
			t.Errorf("%s: %v", name, opened)
		}
		if got := string(read(t, path)); got != c.text {
			t.Errorf("%s: the file was changed to\n%s", name, got)
		}
	}
	write(t, path, nil)
	if _, err := budget.Existing(path); err == nil || !strings.Contains(err.Error(), "the file is empty") {
		t.Error(err)
	}
	// the last line alone may be one that a write left: it is taken out, and the note says what else it may be
	write(t, path, []byte(raw[:len(raw)-9]))
	if w := fmt.Sprint(openLedger(t, path, dp.PureDP(1)).Warnings()); !strings.Contains(w, "copy that stopped") {
		t.Error(w)
	}
}
