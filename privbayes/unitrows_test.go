package privbayes_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	csvsource "github.com/privbayes/privbayes-go/privbayes/source"
)

// Under a key of units of several rows n is private, unless units are padded: plans, and files with an edited schema,
// are refused as releases are.
func TestPublicNUnderAUnitKey(t *testing.T) {
	parse := func(more string) *privbayes.Schema {
		t.Helper()
		return must.Get(privbayes.ParseSchema([]byte(`{"dataset": "visits", "unit": "patient", "unit_key": "id"` + more +
			`, "columns": [{"name": "a", "kind": "categorical", "categories": ["no", "yes"], "pad": "no"}]}`)))(t)
	}
	var p *dp.ParameterError
	for more, ok := range map[string]bool{"": true, `, "rows_per_unit": 2`: false,
		`, "rows_per_unit": 2, "pad_units": true`: true} {
		shape := must.Get(privbayes.NewShape(parse(more), privbayes.Binary("a"), 40))(t)
		_, err := privbayes.Geometric().Plan(t.Context(), shape, privbayes.PureDP(1))
		if (err == nil) != ok || !ok && (!errors.As(err, &p) || p.Parameter != "n" || !strings.Contains(err.Error(), "pad_units")) {
			t.Errorf("%s: %v", more, err)
		}
		if _, err := privbayes.Geometric().Plan(t.Context(), shape.WithoutN(),
			privbayes.PureDP(1).Under(privbayes.AddRemove)); err != nil {
			t.Errorf("%s, n private: %v", more, err)
		}
	}
	f := privbayes.ReadFrame(strings.NewReader("id,a\n1,yes\n1,no\n2,yes\n3,no\n"), parse(`, "rows_per_unit": 2, "pad_units": true`))
	r, err := f.Model(privbayes.Binary("a")).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		t.Fatal(err)
	}
	good := must.Get(r.JSON())(t)
	edited := bytes.Replace(good, []byte(`"pad_units": true`), []byte(`"pad_units": false`), 1)
	if bytes.Equal(edited, good) {
		t.Fatal("nothing was changed")
	}
	if v, err := release.VerifyBytes(t.Context(), good); err != nil || !v.OK() {
		t.Error(err, v)
	}
	if v, err := release.VerifyBytes(t.Context(), edited); !errors.As(err, &p) {
		t.Errorf("a public n of unpadded units verifies: %v, %v", err, v)
	}
}

// A mean by unit is released from rows in memory, kept, loaded and verified, and its summary does not multiply the
// variance; rows that stay where they are do not tell their units, and are refused before anything is charged.
func TestMeanByUnit(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("id,a\n")
	for i := range 900 {
		fmt.Fprintf(&rows, "%d,%d\n", i%300, (i*i+i/300)%11)
	}
	s, err := privbayes.ParseSchema([]byte(`{"dataset": "visits", "unit": "patient", "unit_key": "id", "rows_per_unit": 3,
		"columns": [{"name": "a", "kind": "integer", "min": 0, "max": 10}]}`))
	if err != nil {
		t.Fatal(err)
	}
	target := privbayes.PureDP(2).Under(privbayes.AddRemove)
	kept := filepath.Join(t.TempDir(), "mean.json")
	texts := map[bool]string{}
	for _, loaded := range []bool{false, true} {
		f := privbayes.ReadFrame(strings.NewReader(rows.String()), s)
		p := f.Model(privbayes.Mean("a")).Privatize(privbayes.NoisySums().ByUnit(), target, privbayes.KeepIn(kept))
		r, err := p.Release()
		if err != nil || p.Loaded() != loaded {
			t.Fatal(err, p.Loaded())
		}
		if texts[loaded] = r.Summary().String(); !strings.Contains(texts[loaded], "units as the sample") ||
			strings.Contains(texts[loaded], "may all be alike") {
			t.Error(texts[loaded])
		}
	}
	b := must.Get(os.ReadFile(kept))(t)
	if v, err := release.VerifyBytes(t.Context(), b); err != nil || !v.OK() || texts[true] != texts[false] {
		t.Error(err, v, texts)
	}
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "a.csv"), []byte(rows.String()), 0o600))
	files := must.Get(csvsource.Files(s, filepath.Join(folder, "a.csv")))(t)
	all := privbayes.PureDP(3).Under(privbayes.AddRemove)
	budget := must.Get(privbayes.OpenBudget(filepath.Join(folder, "b.jsonl"), s, all))(t)
	away := privbayes.From(t.Context(), files).WithBudget(budget).Model(privbayes.Mean("a"))
	var e *mechanism.StatisticsError
	if _, err := away.Privatize(privbayes.NoisySums().ByUnit(), target).Release(); !errors.As(err, &e) {
		t.Errorf("a source: %v", err)
	}
	if _, err := away.Privatize(privbayes.NoisySums(), all).Release(); err != nil {
		t.Errorf("the refused release was charged: %v", err)
	}
}

// A table and means by group are released by unit from rows in memory, kept, loaded and verified. The summary gives the
// design effect; of margins it says that they allow for rows being all alike. The noise-aware posterior reads the
// table.
func TestTablesAndGroupsByUnit(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("id,a,g,h\n")
	for i := range 900 {
		fmt.Fprintf(&rows, "%d,%d,%c,%c\n", i%300, (i*i+i/300)%11, 'x'+rune(i%2), 'p'+rune(i/7%3))
	}
	s, err := privbayes.ParseSchema([]byte(`{"dataset": "visits", "unit": "patient", "unit_key": "id", "rows_per_unit": 3,
		"columns": [{"name": "a", "kind": "integer", "min": 0, "max": 10},
		{"name": "g", "kind": "categorical", "categories": ["x", "y"]},
		{"name": "h", "kind": "categorical", "categories": ["p", "q", "r"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	target := privbayes.PureDP(2).Under(privbayes.AddRemove)
	for _, c := range []struct {
		m         privbayes.ModelSpec
		mechanism privbayes.Mechanism
		want, no  string
	}{
		{privbayes.GroupMeans("a", "g"), privbayes.NoisySums().ByUnit(), "units as the sample", "may all be alike"},
		{privbayes.Categorical("h"), privbayes.Geometric().ByUnit(), "design effect", "may all be alike"},
		{privbayes.Table("g", "h"), privbayes.Geometric().ByUnit(), "may all be alike in one column", "may all be alike:"},
	} {
		kept := filepath.Join(t.TempDir(), "kept.json")
		texts := map[bool]string{}
		for _, loaded := range []bool{false, true} {
			p := privbayes.ReadFrame(strings.NewReader(rows.String()), s).Model(c.m).Privatize(c.mechanism, target,
				privbayes.KeepIn(kept))
			r, err := p.Release()
			if err != nil || p.Loaded() != loaded {
				t.Fatal(err, p.Loaded())
			}
			if texts[loaded] = r.Summary().String(); !strings.Contains(texts[loaded], c.want) ||
				strings.Contains(texts[loaded], c.no) {
				t.Error(texts[loaded])
			}
			if _, measured := r.Plan().Measured(); measured {
				if _, err := noiseaware.Of(r); err != nil {
					t.Error(err)
				}
			}
		}
		b := must.Get(os.ReadFile(kept))(t)
		if v, err := release.VerifyBytes(t.Context(), b); err != nil || !v.OK() || texts[true] != texts[false] {
			t.Error(err, v, texts)
		}
	}
}
