package privbayes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	stays "github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// matching are rules that accept nearly every candidate, or none.
func matching(within float64) selection.Rules {
	return selection.Rules{Criteria: selection.Criteria{}.CellsWithin(2, within).MatchedShare(.3),
		Test: selection.Test{Epsilon: .5, Wrong: .01}, Stop: selection.Stop{OneIn: 10, Most: 3}, Report: .4}
}

// A selection is planned for nearly all of its target, charged once, and kept: accepted or not.
func TestSelections(t *testing.T) {
	train := levelled(t, 3000, 2, 3, 2)
	for _, target := range []privbayes.Target{privbayes.PureDP(3), privbayes.ApproxDP(2, 1e-6),
		privbayes.RenyiDP(8, 2)} {
		mech := privbayes.Geometric()
		if target.Notion != dp.Pure {
			mech = privbayes.DiscreteGaussian()
		}
		plan := must.Get(train.Learn().Accept(matching(.2)).Plan(mech, target))(t)
		got := plan.Certified().Parameters
		theorem := "Selection" + map[dp.Notion]string{dp.Pure: ".selection_private",
			dp.Approximate: "Beyond.selection_approx", dp.Renyi: "Beyond.selection_renyi"}[target.Notion]
		if k := plan.Certificate().Checks[0]; k.Theorem == nil || k.Theorem.Name != theorem {
			t.Errorf("%v cites another theorem than %s: %v", target, theorem, k)
		}
		if !got.Satisfies(target.Parameters) || got.Epsilon < target.Epsilon*(1-5e-4) || got.Delta < .9*target.Delta {
			t.Errorf("%v of %v", got, target)
		}
		for _, c := range []struct {
			rules    selection.Rules
			accepted bool
		}{{matching(.2), true}, {matching(1e-4), false}} {
			if !c.accepted && target.Notion != dp.Pure {
				continue // as under pure ε
			}
			name := filepath.Join(t.TempDir(), "levelled.selection.json")
			ledger := must.Get(budget.New("levelled", budget.UnitOf(train.Data().Schema()), target))(t)
			one := must.Get(train.WithBudget(ledger).Learn().Accept(c.rules).Privatize(mech, target,
				privbayes.KeepIn(name)))(t)
			again := must.Get(train.WithBudget(ledger).Learn().Accept(c.rules).Privatize(mech, target,
				privbayes.KeepIn(name)))(t)
			if !again.Loaded() || again.ID() != one.ID() || len(ledger.Charges()) != 1 || one.Guarantee() != plan.Certified() {
				t.Errorf("%v: %v", ledger, again)
			}
			b := must.Get(os.ReadFile(name))(t)
			if v := must.Get(selection.Verify(t.Context(), b))(t); !v.OK() {
				t.Error(v)
			}
			loaded := must.Get(selection.Load(t.Context(), name))(t)
			accepted, err := loaded.Release()
			rows, errRows := loaded.Synthetic()
			if !c.accepted {
				if !errors.As(err, new(*selection.NoneAcceptedError)) || errRows == nil ||
					!strings.Contains(loaded.String(), "No candidate was accepted") {
					t.Errorf("%v: %v", loaded, err)
				}
				continue
			}
			if err != nil || errRows != nil || rows.Len() != 3000 || !strings.Contains(loaded.String(), "matched") {
				t.Fatal(err, errRows, loaded)
			}
			if !bytes.Equal(must.Get(one.JSON())(t), b) {
				t.Error("the kept selection is another one")
			}
			// what was chosen by the rows has the guarantee of the whole, and no file that says another
			level, e := plan.Certified().Parameters.String(), accepted.Save(filepath.Join(t.TempDir(), "alone.json"))
			if accepted.Guarantee() != plan.Certified() || !errors.As(e, new(*release.FileError)) ||
				!strings.Contains(accepted.Caption(), level+" for the whole selection") ||
				!strings.Contains(accepted.Details().String(), "guarantee of a candidate") {
				t.Errorf("%v, %v, %s, %v", accepted.Guarantee(), e, accepted.Caption(), accepted.Details())
			}
		}
	}
}

// A kept selection under (ε, δ) from before a closer bound states a larger δ, and keeps it: up to its target, and none
// below what is proved.
func TestSelectionsKeepTheirDelta(t *testing.T) {
	name := filepath.Join(t.TempDir(), "levelled.selection.json")
	one := must.Get(levelled(t, 3000, 2, 3, 2).Learn().Accept(matching(.2)).Privatize(privbayes.DiscreteGaussian(),
		privbayes.ApproxDP(2, 1e-6), privbayes.KeepIn(name)))(t)
	b, least := must.Get(os.ReadFile(name))(t), one.Guarantee().Delta
	for delta, good := range map[float64]bool{least: true, (least + 1e-6) / 2: true, .99 * least: false, 1.01e-6: false} {
		var file map[string]any
		must.Do(t, json.Unmarshal(b, &file))
		file["guarantee"].(map[string]any)["delta"] = delta
		must.Do(t, os.WriteFile(name, must.Get(json.Marshal(file))(t), 0o600))
		read, err := selection.Load(t.Context(), name)
		if (err == nil) != good || good && read.Guarantee().Delta != delta {
			t.Errorf("δ = %v stated where %v is proved: %v", delta, least, err)
		}
	}
}

// Of seeded selections all is reproducible, and nothing is private; the best one is released whatever it meets. What is
// drawn has one identifier at every try.
func TestSeededSelections(t *testing.T) {
	train := levelled(t, 500, 2, 2)
	best := matching(1e-4)
	best.Stop.Best, best.Test.Wrong, best.Report = true, 0, 0
	ids := map[string]bool{}
	for seed := range uint64(6) {
		one := must.Get(train.Learn().Accept(best).Privatize(privbayes.Geometric(), privbayes.PureDP(3),
			privbayes.Seeded(seed)))(t)
		two := must.Get(train.Learn().Accept(best).Privatize(privbayes.Geometric(), privbayes.PureDP(3),
			privbayes.Seeded(seed)))(t)
		r, err := one.Release()
		if err != nil || one.Guarantee().Notion != dp.None || !bytes.Equal(must.Get(one.JSON())(t), must.Get(two.JSON())(t)) {
			t.Fatal(err, one)
		}
		ids[r.ID()] = true
	}
	if len(ids) != 6 {
		t.Error(ids)
	}
	weak := matching(.5)
	weak.Test.Epsilon = 3
	for seed := range uint64(40) {
		one := must.Get(train.Learn().Accept(weak).Privatize(privbayes.Geometric(), privbayes.PureDP(9),
			privbayes.Seeded(seed)))(t)
		r := must.Get(one.Release())(t)
		ids[r.ID()] = true
		// the same selection's identifier gives the same candidate's: it says nothing of the try
		b := must.Get(one.JSON())(t)
		b = bytes.Replace(b, []byte(`"id": "`+one.ID()), []byte(`"id": "0`+one.ID()[1:]), 1)
		if _, err := selection.Parse(t.Context(), b); err == nil && one.ID()[0] != '0' {
			t.Error("an identifier of another selection is read")
		}
	}
}

// untilCharged is a context that ends as soon as a ledger has a charge.
type untilCharged struct {
	context.Context
	ledger *budget.Budget
}

func (c untilCharged) Err() error {
	if len(c.ledger.Charges()) > 0 {
		return context.Canceled
	}
	return nil
}

// How far the draws of candidates are is told to nobody: one that fails on its own noise would be seen.
func TestSelectionsTellNoProgress(t *testing.T) {
	train := levelled(t, 500, 2, 2)
	ledger := must.Get(budget.New("levelled", budget.UnitOf(train.Data().Schema()), privbayes.PureDP(20)))(t)
	late, told := 0, 0
	ctx := cert.WithProgress(t.Context(), func(int64, int64) { late += len(ledger.Charges()) })
	must.Get(train.WithBudget(ledger).Learn().Accept(matching(.5)).Privatize(privbayes.Geometric(), privbayes.PureDP(6),
		privbayes.WithContext(ctx)))(t)
	plan := must.Get(train.Learn().Plan(privbayes.Geometric(), privbayes.PureDP(1)))(t)
	must.Get(plan.Draw(cert.WithProgress(t.Context(), func(int64, int64) { told++ }),
		must.Get(model.Count(plan.Shape(), train.Data()))(t), "a", dp.Seeded(1)))(t)
	if late > 0 || told == 0 {
		t.Errorf("told %d times after the charge; a draw by itself tells %d times", late, told)
	}
}

// A run that ended on the way is charged and is not taken up again; the charge names the part of the rows.
func TestSelectionsThatEnd(t *testing.T) {
	train := levelled(t, 500, 2, 2).Part("quarter", "2026-Q1")
	ledger := must.Get(budget.New("levelled", budget.UnitOf(train.Data().Schema()), privbayes.PureDP(20)))(t)
	plan := must.Get(train.Learn().Accept(matching(.5)).Plan(privbayes.Geometric(), privbayes.PureDP(6)))(t)
	request := selection.Request{Statistics: must.Get(model.Count(plan.Candidate().Shape(), train.Data()))(t),
		Rows: train.Data(), Budget: ledger, Path: filepath.Join(t.TempDir(), "a.selection.json")}
	if _, err := plan.Draw(untilCharged{t.Context(), ledger}, request); !errors.Is(err, context.Canceled) ||
		len(ledger.Charges()) != 1 {
		t.Errorf("%v: %v", err, ledger)
	}
	if _, err := plan.Draw(t.Context(), request); !errors.As(err, new(*keep.DraftError)) || len(ledger.Charges()) != 1 {
		t.Errorf("taken up again: %v, %v", err, ledger)
	}
	if part := ledger.Charges()[0].Part; part == nil || part.Name != "2026-Q1" {
		t.Error(part)
	}
}

// A file is believed in nothing that can be derived.
func TestForgedSelections(t *testing.T) {
	train := levelled(t, 500, 2, 2)
	one := must.Get(train.Learn().Accept(matching(.5)).Privatize(privbayes.Geometric(), privbayes.PureDP(6)))(t)
	b := string(must.Get(one.JSON())(t))
	if !selection.IsFile([]byte(b)) || !strings.Contains(b, selection.Format) {
		t.Error(b[:100])
	}
	if _, err := selection.Parse(t.Context(), []byte(b)); err != nil {
		t.Fatal(err)
	}
	var cut struct{ Release json.RawMessage }
	if err := json.Unmarshal([]byte(b), &cut); err != nil {
		t.Fatal(err)
	}
	if _, err := release.Parse(t.Context(), []byte(b)); err == nil || !strings.Contains(err.Error(), "is a selection") {
		t.Errorf("as a release: %v", err)
	}
	if _, err := release.Parse(t.Context(), cut.Release); !errors.As(err, new(*release.FileError)) {
		t.Errorf("the candidate, cut out, is read: %v", err)
	}
	for name, change := range map[string][2]string{
		"guarantee": {`"epsilon": ` + fmt.Sprint(float64(one.Guarantee().Epsilon)), `"epsilon": 1`},
		"stop":      {`"most": 3`, `"most": 30`}, "γ": {`"one_in": 10`, `"one_in": 100`},
		"report":   {`"report": 0.4`, `"report": 0.1`},
		"test":     {`"wrong": 0.01`, `"wrong": 0.6`},
		"criteria": {`"matched": 0.3`, `"matched": 0`},
		"seed":     {`"synthetic_seed"`, `"synthetic_sead"`},
		"release":  {`"privbayes-candidate-1"`, `"` + release.Format + `"`},
		"format":   {`"privbayes-selection-1"`, `"privbayes-selection-2"`},
	} {
		forged := strings.Replace(b, change[0], change[1], 1)
		if _, err := selection.Parse(t.Context(), []byte(forged)); forged == b || !errors.As(err, new(*release.FileError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What cannot be selected is refused before a charge: rows that stay in a source, levels that the tests alone use up.
func TestRefusedSelections(t *testing.T) {
	train := levelled(t, 500, 2, 2)
	away := privbayes.From(t.Context(), stays.OfFrame(train.Data()))
	if _, err := away.Learn().Accept(matching(.5)).Privatize(privbayes.Geometric(), privbayes.PureDP(6)); err == nil {
		t.Error("rows in a source")
	}
	for _, target := range []privbayes.Target{privbayes.PureDP(.8), privbayes.ApproxDP(.5, 1e-9), privbayes.ZCDP(1),
		privbayes.RenyiDP(1.1, 5), privbayes.RenyiDP(8, .2)} {
		_, err := train.Learn().Accept(matching(.5)).Plan(privbayes.DiscreteGaussian(), target)
		if err == nil {
			t.Errorf("%v is planned", target)
		}
	}
	// a fixed number of candidates, of which the best is asked for
	fixed := matching(.5)
	fixed.Test.Wrong, fixed.Stop = 0, selection.Stop{Most: 5, Best: true}
	if _, err := train.Learn().Accept(fixed).Plan(privbayes.Geometric(), privbayes.PureDP(6)); !errors.As(err,
		new(*dp.ParameterError)) || !strings.Contains(err.Error(), "k times the ε") {
		t.Error(err)
	}
	// what a target asks for in addition to its level, every candidate has to meet
	six := privbayes.PureDP(6)
	for exact, target := range map[bool]privbayes.Target{false: six, true: six.RequireExact()} {
		_, err := train.Model(privbayes.NaiveBayes("c0")).Accept(matching(.5)).Plan(privbayes.PosteriorSample(50), target)
		if (err != nil) != exact {
			t.Errorf("drawn in floating point, exact %v: %v", exact, err)
		}
	}
	// a model without synthetic rows would never be accepted
	weights := must.Get(frame.FromColumns(&frame.Schema{Dataset: "weights",
		Columns: []frame.Column{frame.Integer("w", 0, 9)}},
		map[string]any{"w": []int{1, 5, 9}}))(t)
	ledger := must.Get(budget.New("weights", budget.UnitOf(weights.Schema()), privbayes.PureDP(9)))(t)
	met := selection.Rules{Criteria: selection.Criteria{}.MeanWithin("w", 5), Test: selection.Test{Epsilon: 1, Wrong: .1},
		Stop: selection.Stop{OneIn: 2, Most: 2}}
	_, err := privbayes.WrapFrame(weights, nil).WithBudget(ledger).Model(privbayes.Mean("w")).Accept(met).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(6))
	if !errors.As(err, new(*dp.ParameterError)) || !strings.Contains(err.Error(), "synthetic rows") ||
		len(ledger.Charges()) > 0 {
		t.Error(err)
	}
	var none *privbayes.Selecting
	if _, err := none.Plan(privbayes.Geometric(), privbayes.PureDP(1)); err == nil {
		t.Error("no model")
	}
	one := must.Get(train.Learn().Accept(matching(.5)).Privatize(privbayes.Geometric(), privbayes.PureDP(6)))(t)
	for kind, of := range map[warning.Kind]*selection.Selection{warning.KindNoBudget: one,
		// the level of the whole, of which no candidate has more than half
		warning.KindEpsilon: must.Get(train.Learn().Accept(matching(.5)).Privatize(privbayes.Geometric(),
			privbayes.PureDP(12)))(t)} {
		found := 0
		for _, w := range of.Warnings() {
			if w.Kind == kind {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: %v", kind, of.Warnings())
		}
	}
}

// Whatever the bytes, reading a selection ends in one or in a typed error.
func FuzzSelectionFiles(f *testing.F) {
	train := levelled(f, 50, 2, 2)
	one := must.Get(train.Learn().Accept(matching(.5)).Privatize(privbayes.Geometric(), privbayes.PureDP(6),
		privbayes.Seeded(1)))(f)
	f.Add(must.Get(one.JSON())(f))
	f.Add([]byte(`{"format": "privbayes-selection-1", "id": "a", "plan": {}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := selection.Parse(t.Context(), b); err != nil && !errors.As(err, new(*release.FileError)) {
			t.Errorf("%T %v", err, err)
		}
	})
}
