package budget_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// A charge of another tool counts like any other, and the ledger says that nobody checked it.
func TestChargesOfOtherTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	b := openLedger(t, path, dp.ApproxDP(1, 1e-6))
	own := charge("own", dp.PureDP(.25))
	must.Do(t, b.Charge("votes", own))
	before := b.String()
	if strings.Contains(before, "checked") {
		t.Error(before)
	}
	other := budget.Charge{ID: "run 7", Tool: "other 1.2", What: "mean age", Level: dp.ApproxDP(.5, 1e-7).Parameters}
	must.Do(t, b.Charge("votes", other))
	must.Do(t, b.Charge("votes", other)) // once
	if s := b.Spent(); float64(s.Epsilon) != .75 || s.Delta != 1e-7 {
		t.Error(s)
	}
	for _, text := range []string{b.String(), openLedger(t, path, dp.ApproxDP(1, 1e-6)).String()} {
		if !strings.Contains(text, `mean age, by "other 1.2"`) || strings.Count(text, "not checked here") != 2 {
			t.Error(text)
		}
	}
	// the name of one charge is no other's: not of another release of the tool, nor of a release of this library
	for name, c := range map[string]budget.Charge{
		"another release": {ID: "run 7", Tool: "other 1.2", What: "mean wage", Level: other.Level},
		"another tool":    {ID: "run 7", Tool: "other 1.3", What: "mean age", Level: other.Level},
		"no tool":         {ID: "run 7", What: "mean age", Level: other.Level},
		"our release":     {ID: "own", Tool: "other 1.2", What: own.What, Level: own.Level},
		"a part":          {ID: "own", What: own.What, Level: own.Level, Part: &budget.Part{Rule: "region", Name: "north"}},
		"not a line":      {ID: "x", Tool: "two\nlines", Level: other.Level},
		"too much":        {ID: "x", Tool: "other", Level: dp.PureDP(.3).Parameters},
	} {
		if err := b.Charge("votes", c); err == nil {
			t.Errorf("%s was charged", name)
		}
	}
	if len(b.Charges()) != 2 {
		t.Error(b)
	}
}

// A loss distribution has the level in which the limit counts.
func TestLevelOfALossDistribution(t *testing.T) {
	response := fmt.Appendf(nil, `{"losses":[[0.5,%v],[-0.5,%v]]}`, 1/(1+math.Exp(-.5)), 1/(1+math.Exp(.5)))
	p := must.Get(loss.ParseDiscrete(response))(t)
	leak := must.Get(loss.ParseDiscrete([]byte(`{"losses":[[0,0.999999]],"infinite":1e-6}`)))(t)
	for _, limit := range []dp.Request{dp.PureDP(1), dp.ZCDP(1), dp.RenyiDP(8, 1), dp.ApproxDP(1, 1e-6), dp.TCDP(1, 9),
		dp.ApproxDP(1e-9, 1e-12)} {
		b := must.Get(budget.New("votes", budget.Unit{}, limit))(t)
		l, err := b.LevelOf(p)
		if err != nil {
			t.Error(limit, err)
			continue
		}
		if want := dp.PureDP(.5).Parameters; l.Notion == dp.Renyi || l.Notion == dp.Concentrated {
			as := must.Get(want.At(l))(t)
			ratio := float64(l.Epsilon) / float64(as.Epsilon)
			if l.Notion == dp.Concentrated {
				ratio = l.Rho / as.Rho
			}
			if ratio < 1-1e-8 || ratio > 1.002 {
				t.Errorf("%v: %v, want %v", limit, l, as)
			}
		}
		if limit.Epsilon != 1e-9 {
			must.Do(t, b.Charge("votes", budget.Charge{ID: "x", Tool: "t", What: "w", Level: l}))
		}
		var none *budget.NotionError
		if _, err := b.LevelOf(leak); !errors.As(err, &none) {
			t.Error(limit, err)
		}
	}
}

// Lines of all kinds of charges: cut anywhere, a line is taken out or counts whole, and what is read is what was
// written.
func TestCutLinesOfChargesWithSubjects(t *testing.T) {
	across := dp.PureDP(.125).Parameters
	for name, c := range map[string]struct {
		a      dp.Adjacency
		charge budget.Charge
	}{
		"part": {dp.AddRemove, budget.Charge{Part: &budget.Part{Rule: "quarter", Name: "2026-Q1"}}},
		"moving": {dp.ReplaceOne, budget.Charge{Part: &budget.Part{Rule: "quarter", Name: "2026-Q1", Across: &across},
			Tool: "other"}},
		"columns": {dp.ReplaceValue, budget.Charge{Columns: &budget.Columns{Class: []string{"a"}, Protected: []string{"b"}}}},
	} {
		path := filepath.Join(t.TempDir(), "ledger")
		limit := dp.PureDP(1).Under(c.a)
		b := openLedger(t, path, limit)
		head := read(t, path)
		c.charge.ID, c.charge.What, c.charge.Level, c.charge.Adjacency = "x", "w", dp.PureDP(.25).Parameters, c.a
		must.Do(t, b.Charge("votes", c.charge))
		whole := read(t, path)
		if again := openLedger(t, path, limit); again.String() != b.String() ||
			again.Charge("votes", c.charge) != nil || !bytes.Equal(read(t, path), whole) {
			t.Errorf("%s: %s", name, again)
		}
		for cut := len(head) + 1; cut < len(whole); cut++ {
			if cut%29 > 0 && cut < len(whole)-3 {
				continue
			}
			write(t, path, whole[:cut])
			again := openLedger(t, path, limit)
			if n := len(again.Charges()); n != 0 && (n != 1 || cut != len(whole)-1) || len(again.Warnings()) != 1 {
				t.Fatalf("%s cut at %d of %d: %s", name, cut, len(whole), again)
			}
		}
	}
}

// A ledger without parts, tools and columns is what it was, byte for byte.
func TestLedgersAsBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	b := openLedger(t, path, dp.PureDP(1))
	must.Do(t, b.Charge("votes", budget.Charge{ID: "a", What: "counts", Level: dp.PureDP(.25).Parameters,
		Info: budget.Info{"time": "2026-01-02T03:04:00Z"}}))
	line := string(read(t, path))
	line = line[strings.IndexByte(line, '\n')+1:]
	if line != `{"id":"a","what":"counts","level":{"notion":"pure","epsilon":0.25},"adjacency":"replace-one",`+
		`"unit":{"name":"person","rows":1},"state":"adaptive","info":{"time":"2026-01-02T03:04:00Z"}}`+"\n" {
		t.Error(line)
	}
}

// Parts by two rules, parts under replace-value, and levels that say nothing of a unit that stays are refused.
func TestPartsThatAreRefused(t *testing.T) {
	part := func(rule, name string) *budget.Part { return &budget.Part{Rule: rule, Name: name} }
	b := must.Get(budget.New("votes", budget.Unit{}, dp.ApproxDP(1, 1e-6)))(t)
	half := budget.Charge{ID: "a", Level: dp.PureDP(.25).Parameters, Adjacency: dp.AddRemove, Part: part("region",
		"north")}
	must.Do(t, b.Charge("votes", half))
	if c := b.Charges()[0]; c.Level.Epsilon != .5 || c.Part.Across.Epsilon != .25 || c.Adjacency != dp.ReplaceOne {
		t.Errorf("%+v", c)
	}
	must.Do(t, b.Charge("votes", half))
	for name, c := range map[string]budget.Charge{
		"another rule": {ID: "b", Level: half.Level, Adjacency: dp.AddRemove, Part: part("quarter", "1")},
		"no name":      {ID: "b", Level: half.Level, Adjacency: dp.AddRemove, Part: part("region", "")},
		"Rényi":        {ID: "b", Level: dp.RenyiDP(30, .01).Parameters, Adjacency: dp.AddRemove, Part: part("region", "s")},
		"another part": {ID: "a", Level: half.Level, Adjacency: dp.AddRemove, Part: part("region", "south")},
		"no part":      {ID: "a", Level: dp.PureDP(.5).Parameters},
		"not a part":   {ID: "b", Level: half.Level, Adjacency: dp.AddRemove},
	} {
		if err := b.Charge("votes", c); err == nil || len(b.Charges()) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var rule *budget.RuleError
	if err := b.Charge("votes", budget.Charge{ID: "b", Level: half.Level, Adjacency: dp.AddRemove,
		Part: part("quarter", "1")}); !errors.As(err, &rule) {
		t.Error(err)
	}
	// (ε, δ) and zCDP of a unit that stays
	must.Do(t, b.Charge("votes", budget.Charge{ID: "c", Level: dp.ApproxDP(.125, 1e-8).Parameters, Adjacency: dp.AddRemove,
		Part: part("region", "south")}))
	must.Do(t, b.Charge("votes", budget.Charge{ID: "d", Level: dp.ZCDP(.001).Parameters, Adjacency: dp.AddRemove,
		Part: part("region", "west")}))
	c := b.Charges()
	if got, want := c[1].Level.Delta, (1+math.Exp(.125))*1e-8; !(got >= want && got < want*1.0001) ||
		c[1].Level.Epsilon != .25 ||
		c[2].Level.Rho != .004 {
		t.Errorf("%+v", c)
	}
	value := must.Get(budget.New("votes", budget.Unit{}, dp.PureDP(1).Under(dp.ReplaceValue)))(t)
	if err := value.Charge("votes", budget.Charge{ID: "a", Level: half.Level, Adjacency: dp.ReplaceValue,
		Part: part("region", "north"), Columns: &budget.Columns{Protected: []string{"a"}}}); err == nil {
		t.Error("a part under replace-value was charged")
	}
}

// Under replace-value a column is protected by all charges, or is the class of some.
func TestColumnsUnderReplaceValue(t *testing.T) {
	limit := dp.PureDP(1).Under(dp.ReplaceValue)
	of := func(id string, class, protected []string) budget.Charge {
		return budget.Charge{ID: id, Level: dp.PureDP(.125).Parameters, Adjacency: dp.ReplaceValue,
			Columns: &budget.Columns{Class: class, Protected: protected}}
	}
	b := must.Get(budget.New("votes", budget.Unit{}, limit))(t)
	must.Do(t, b.Charge("votes", of("a", []string{"vote"}, []string{"sex"})))
	must.Do(t, b.Charge("votes", of("b", []string{"vote"}, []string{"sex", "age"})))
	must.Do(t, b.Charge("votes", of("c", nil, []string{"wage"})))
	var class *budget.ClassError
	for name, c := range map[string]budget.Charge{
		"the class is protected": of("d", []string{"sex"}, []string{"wage"}),
		"a class of before":      of("d", nil, []string{"vote"}),
		"both":                   of("d", []string{"sex"}, []string{"vote"}),
		"in itself":              of("d", []string{"x"}, []string{"x"}),
		"no columns":             {ID: "d", Level: dp.PureDP(.125).Parameters, Adjacency: dp.ReplaceValue},
	} {
		if err := b.Charge("votes", c); !errors.As(err, &class) || len(b.Charges()) != 3 || err.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := must.Get(budget.New("votes", budget.Unit{}, dp.PureDP(1)))(t)
	c := of("a", nil, []string{"sex"})
	c.Adjacency = dp.ReplaceOne
	if one.Charge("votes", c) == nil {
		t.Error("columns under replace-one")
	}
	// a ledger of before says no columns: it can be read, and its releases used, but takes no more
	path := filepath.Join(t.TempDir(), "ledger")
	openLedger(t, path, limit)
	write(t, path, append(read(t, path), `{"id":"old","what":"w","level":{"notion":"pure","epsilon":0.125},`+
		`"adjacency":"replace-value","unit":{"name":"person","rows":1},"state":"adaptive"}`+"\n"...))
	old := openLedger(t, path, limit)
	must.Do(t, old.Charge("votes", of("old", []string{"vote"}, []string{"sex"})))
	if err := old.Charge("votes", of("new", []string{"vote"}, []string{"sex"})); !errors.As(err, &class) ||
		!strings.Contains(err.Error(), "of an earlier version") {
		t.Error(err)
	}
}

// A charge whose line could not be read again is refused: letters that JSON writes as six bytes made one.
func TestALineThatIsTooLongIsNotWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	b := openLedger(t, path, dp.PureDP(1))
	before := read(t, path)
	c := charge("long", dp.PureDP(.25))
	c.What = strings.Repeat("<", 1<<14)
	var wrong *dp.ParameterError
	if err := b.Charge("votes", c); !errors.As(err, &wrong) || !bytes.Equal(read(t, path), before) ||
		len(b.Charges()) > 0 {
		t.Error(err)
	}
	c.What = strings.Repeat("<", 1<<13)
	must.Do(t, b.Charge("votes", c))
	openLedger(t, path, dp.PureDP(1))
}
