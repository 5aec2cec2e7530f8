package privbayes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// strataSchema is of rows that were sampled in three regions.
func strataSchema(t testing.TB, change func(s *privbayes.Schema)) *privbayes.Schema {
	s := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "regions", "sampling": "sample",
		"strata": {"column": "region", "sizes": {"north": 9000, "south": 40000, "west": 600},
			"sampled": {"north": 300, "south": 250, "west": 50}, "moves": false},
		"columns": [{"name": "region", "kind": "categorical", "categories": ["north", "south", "west"]},
			{"name": "ill", "kind": "categorical", "categories": ["no", "yes"]},
			{"name": "job", "kind": "categorical", "categories": ["none", "part", "full"]},
			{"name": "age", "kind": "integer", "min": 0, "max": 100},
			{"name": "income", "kind": "real", "min": 0, "max": 100}]}`)))(t)
	if change != nil {
		change(s)
	}
	return s
}

var strataShares = []float64{.3, .1, .6}

// strataRows are n_h rows of every stratum, or so many of the first.
func strataRows(t testing.TB, s *privbayes.Schema, seed uint64, first int) *privbayes.Frame {
	src, b := rand.New(rand.NewPCG(seed, 4)), strings.Builder{}
	b.WriteString("region,ill,job,age,income\n")
	for h, n := range []int{first, 250, 50} {
		for range n {
			ill := "no"
			if src.Float64() < strataShares[h] {
				ill = "yes"
			}
			fmt.Fprintf(&b, "%s,%s,%s,%d,%.2f\n", []string{"north", "south", "west"}[h], ill,
				[]string{"none", "part", "full"}[min(src.IntN(4), 2)], src.IntN(101),
				math.Min(100, float64(10*h)+20*src.ExpFloat64()))
		}
	}
	return privbayes.ReadFrame(strings.NewReader(b.String()), s)
}

func strataBudget(t testing.TB, limit privbayes.Target) *privbayes.Budget {
	return must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), strataSchema(t, nil), limit))(t)
}

var strataModels = []privbayes.ModelSpec{privbayes.Table("ill"), privbayes.Table("job"), privbayes.Mean("age"),
	privbayes.Mean("income")}

// Releases of every kind: drawn, written, read, verified, shown.
func TestReleasesInStrata(t *testing.T) {
	rows := strataRows(t, strataSchema(t, nil), 1, 300)
	for _, m := range strataModels {
		for _, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.ApproxDP(.5, 1e-6),
			privbayes.ZCDP(.5), privbayes.TCDP(.5, 4), privbayes.RenyiDP(8, 1)} {
			target = target.Under(privbayes.WithinStrata)
			path := filepath.Join(t.TempDir(), "r.json")
			r, err := rows.Model(m).Privatize(privbayes.NoisySums(), target, privbayes.KeepIn(path)).
				Release()
			if err != nil {
				t.Fatalf("%v, %v: %v", m, target, err)
			}
			if got := r.Plan().Mechanism(); got != "stratified" {
				t.Errorf("%v: %s", m, got)
			}
			list, how, err := r.Intervals(t.Context(), .95)
			if err != nil || len(list) == 0 || list[0].Population == nil || list[0].Rows != nil ||
				!strings.Contains(how, "3 strata") {
				t.Errorf("%v: %v, %q, %v", m, list, how, err)
			}
			again := must.Get(privbayes.LoadRelease(path))(t)
			if a, b := r.Summary().String(), again.Summary().String(); a != b {
				t.Errorf("read again:\n%s\n%s", a, b)
			}
			file := must.Get(r.JSON())(t)
			page := must.Get(privacyreport.Draft(t.Context(), file, privacyreport.Options{}))(t)
			if text := strings.Join(page.Protected.Text, " "); !strings.Contains(text, "of the same stratum") {
				t.Errorf("%v: the page: %s", m, text)
			}
			record := string(must.Get(entry.Draft(t.Context(), file))(t).YAML())
			if !strings.Contains(record, "The stratum of every row") || !strings.Contains(record, "of the same stratum") {
				t.Errorf("%v: the record: %s", m, record)
			}
			shown := map[string]string{"release": r.String(), "guarantee": r.Guarantee().String(), "plan": r.Plan().String(),
				"certificate": r.Certificate().Checks[0].Statement, "file": string(file)}
			for what, text := range shown {
				if !strings.Contains(text, "replace-one within strata") {
					t.Errorf("%v: %s does not name the adjacency: %s", m, what, text)
				}
			}
		}
	}
}

// goldenStrata are kept releases in strata.
const goldenStrata = "testdata/releases_in_strata.jsonl.gz"

// Releases in strata are those that are kept, byte for byte, and kept files load and verify.
func TestReleasesInStrataStayAsTheyWere(t *testing.T) {
	rows := strataRows(t, strataSchema(t, nil), 1, 300)
	var cases []goldenCase
	for i, m := range strataModels {
		target := []privbayes.Target{privbayes.PureDP(1), privbayes.ApproxDP(.5, 1e-6)}[i/2].Under(privbayes.WithinStrata)
		cases = append(cases, goldenCase{fmt.Sprintf("stratified / %d, %v", i, target), m, privbayes.Stratified(), target})
	}
	stayAsTheyWere(t, goldenStrata, rows, cases, nil)
}

// The claim goes with the schema: what is not built is refused by name, under every adjacency, and charges nothing.
func TestRefusedInStrata(t *testing.T) {
	b := strataBudget(t, privbayes.PureDP(9).Under(privbayes.WithinStrata))
	rows := strataRows(t, strataSchema(t, nil), 1, 300).WithBudget(b)
	within := privbayes.PureDP(1).Under(privbayes.WithinStrata)
	for _, m := range []privbayes.ModelSpec{privbayes.NaiveBayes("ill"), privbayes.Quantiles("age", .5),
		privbayes.GroupMeans("age", "job"), privbayes.Table("ill", "job"), privbayes.LinearRegression("age"),
		privbayes.Histogram("age"), privbayes.Means("age", "income"), privbayes.MeanSD("age"), privbayes.Categorical("ill"),
		privbayes.Total("age"), privbayes.Table("region"), privbayes.Table("ill").WithPrior(2)} {
		_, err := rows.Model(m).Privatize(privbayes.Geometric(), within).Release()
		var no *model.Error
		if !errors.As(err, &no) {
			t.Errorf("%v: %v", m, err)
		}
	}
	for _, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.PureDP(1).Under(privbayes.AddRemove),
		privbayes.PureDP(1).Under(privbayes.ReplaceValue), privbayes.PureDP(1).Under(dp.UnderMetric("hamming"))} {
		for _, m := range strataModels {
			_, err := rows.Model(m).Privatize(privbayes.Stratified(), target).Release()
			var no *mechanism.RowsError
			if !errors.As(err, &no) || !strings.Contains(err.Error(), "within strata") {
				t.Errorf("%v, %v: %v", m, target.Adjacency, err)
			}
		}
	}
	var no *mechanism.UnsupportedError
	for _, rho := range []float64{1e-18, 1e-13} { // of the second σ² is drawn, and that of squares is too large
		if _, err := rows.Model(privbayes.Mean("age")).Privatize(privbayes.Stratified(), privbayes.ZCDP(rho).Under(
			privbayes.WithinStrata)).Release(); !errors.As(err, &no) || !strings.Contains(err.Error(), "fewer steps") {
			t.Errorf("zCDP of next to nothing: %v", err)
		}
	}
	for name, part := range map[string]*privbayes.Frame{"Head": rows.Head(20), "Where": rows.Where("ill",
		func(l string) bool { return l == "no" }), "Drop": rows.Drop("region"),
		"Rename": rows.Rename("region", "r"), "Derive": rows.Derive("x", []string{"ill"},
			func(l []string) string { return l[0] }), "WithoutN": rows.WithoutN()} {
		if _, err := part.Model(privbayes.Mean("age")).Privatize(privbayes.Stratified(), within).Release(); err == nil {
			t.Errorf("%s is released", name)
		}
	}
	// n_h of the table that are not the schema's: an error that does not say how many there are
	var other *model.Error
	wrong := strataRows(t, strataSchema(t, func(s *privbayes.Schema) {
		s.Strata.Sampled["north"], s.Strata.Sampled["south"] = 299, 251
	}), 1, 300).WithBudget(b)
	for _, m := range strataModels {
		if _, err := wrong.Model(m).Privatize(privbayes.Stratified(), within).Release(); !errors.As(err, &other) ||
			!strings.Contains(err.Error(), "299") || strings.Contains(err.Error(), "300") {
			t.Errorf("another n_h: %v", err)
		}
	}
	if _, err := strataRows(t, strataSchema(t, nil), 1, 301).WithBudget(b).Model(privbayes.Mean("age")).Privatize(
		privbayes.Stratified(), within).Release(); !errors.As(err, &no) {
		t.Errorf("another n: %v", err)
	}
	if _, err := rows.Model(privbayes.Table("ill")).Compare(t.Context(), privbayes.CompareOptions{
		Adjacency: privbayes.WithinStrata}); err == nil || !strings.Contains(err.Error(), "parts of the table") {
		t.Errorf("compared: %v", err)
	}
	if c := b.Charges(); len(c) > 0 {
		t.Errorf("charged: %v", c)
	}
}

// No other mechanism of the library takes a model in strata, and Stratified takes no other model.
func TestOnlyOneMechanismInStrata(t *testing.T) {
	for _, m := range strataModels {
		sh := must.Get(privbayes.NewShape(strataSchema(t, nil), m, 600))(t)
		for _, d := range catalog.All() {
			if _, err := d.New(mechanism.Options{Count: 1}).Plan(t.Context(), sh, privbayes.PureDP(1).Under(
				privbayes.WithinStrata)); (err == nil) != (d.Kind == "stratified") {
				t.Errorf("%s of %v: %v", d.Name, m, err)
			}
		}
		free := must.Get(privbayes.NewShape(strataSchema(t, func(s *privbayes.Schema) { s.Strata = nil }), m, 600))(t)
		for _, d := range catalog.All() {
			var no *mechanism.RowsError
			if _, err := d.New(mechanism.Options{Count: 1}).Plan(t.Context(), free, privbayes.PureDP(1).Under(
				privbayes.WithinStrata)); err == nil {
				t.Errorf("%s of %v without strata is planned", d.Name, m)
			} else if d.Name == "Geometric" && m.String() == privbayes.Table("ill").String() && !errors.As(err, &no) {
				t.Error(err)
			}
		}
	}
}

// A ledger within strata takes charges under replace-one, and those within the same strata; no other takes its
// charges.
func TestLedgersOfStrata(t *testing.T) {
	within, s := privbayes.PureDP(3).Under(privbayes.WithinStrata), strataSchema(t, nil)
	path := filepath.Join(t.TempDir(), "strata.budget")
	b := must.Get(privbayes.OpenBudget(path, s, within))(t)
	release := func(s *privbayes.Schema, b *privbayes.Budget, target privbayes.Target) error {
		_, err := strataRows(t, s, 1, 300).WithBudget(b).Model(privbayes.Table("ill")).Privatize(privbayes.Geometric(),
			target).Release()
		return err
	}
	free := strataSchema(t, func(s *privbayes.Schema) { s.Strata = nil })
	one := privbayes.PureDP(1)
	if err := errors.Join(release(s, b, one.Under(privbayes.WithinStrata)), release(free, b, one)); err != nil {
		t.Fatal(err)
	}
	var other *budget.MismatchError
	for name, err := range map[string]error{
		"add-remove": release(free, b, one.Under(privbayes.AddRemove)), "within, in replace-one": release(s,
			strataBudget(t, privbayes.PureDP(3)), one.Under(privbayes.WithinStrata)), "within, in add-remove": release(s,
			strataBudget(t, privbayes.PureDP(3).Under(privbayes.AddRemove)), one.Under(privbayes.WithinStrata)),
	} {
		if !errors.As(err, &other) || other.Field != "adjacency" {
			t.Errorf("%s: %v", name, err)
		}
	}
	// other strata are other neighbours: of jobs, or of the same regions read otherwise
	jobs := strataSchema(t, func(s *privbayes.Schema) {
		s.Columns[0].Other, s.Columns[0].OnOutOfDomain = "west", frame.DomainOther
	})
	if err := release(jobs, b, one.Under(privbayes.WithinStrata)); !errors.As(err, &other) || other.Field != "strata" {
		t.Errorf("other strata: %v", err)
	}
	if got := float64(b.Spent().Epsilon); got != 2 || len(b.Charges()) != 2 {
		t.Errorf("spent %v by %v", got, b.Charges())
	}
	if text := b.String(); !strings.Contains(text, "replace-one within strata") {
		t.Error(text)
	}
	again := must.Get(privbayes.OpenBudget(path, s, within))(t)
	if err := release(jobs, again, one.Under(privbayes.WithinStrata)); !errors.As(err, &other) ||
		len(again.Charges()) != 2 {
		t.Errorf("read again: %v, %v", err, again.Charges())
	}
	if text := string(must.Get(os.ReadFile(path))(t)); !strings.Contains(text, `"strata":"\"region\" `) {
		t.Error(text)
	}
	if _, err := privbayes.OpenBudget(path, s, privbayes.PureDP(3)); err == nil {
		t.Error("opened under replace-one")
	}
}

// Coverage of a few cells: shares and means, at small and large noise, under the strata's own weights.
func TestStrataCover(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 60
	}
	sizes, truth := []float64{9000, 40000, 600}, 0.0
	for h, n := range sizes {
		truth += n * strataShares[h] / 49600
	}
	for _, target := range []privbayes.Target{privbayes.PureDP(.2), privbayes.PureDP(1), privbayes.PureDP(3),
		privbayes.ZCDP(.02), privbayes.ZCDP(.5)} {
		covered, width := 0, 0.0
		for seed := range uint64(runs) {
			rows := strataRows(t, strataSchema(t, nil), seed+1000, 300)
			r := must.Get(rows.Model(privbayes.Table("ill")).Privatize(privbayes.Stratified(), target.Under(
				privbayes.WithinStrata), privbayes.Seeded(seed)).Release())(t)
			list, _, err := r.Intervals(t.Context(), .95)
			if err != nil || len(list) != 2 {
				t.Fatal(list, err)
			}
			if i := list[1].Population; i.Lower <= truth && truth <= i.Upper {
				covered++
			}
			width += (list[1].Population.Upper - list[1].Population.Lower) / float64(runs)
		}
		t.Logf("%v: share covered %.3f, width %.4f", target, float64(covered)/float64(runs), width)
		if share := float64(covered) / float64(runs); share < .95-4*math.Sqrt(.05*.95/float64(runs)) {
			t.Errorf("%v: %v", target, share)
		}
	}
}

// Items of a publication in strata share one guarantee and one charge, which says the strata.
func TestPublicationInStrata(t *testing.T) {
	within := privbayes.PureDP(1).Under(privbayes.WithinStrata)
	b := strataBudget(t, within)
	p := must.Get(strataRows(t, strataSchema(t, nil), 1, 300).WithBudget(b).Publish("both", within,
		privbayes.Item(privbayes.Mean("age")), privbayes.Item(privbayes.Table("ill"))).Privatize())(t)
	c := b.Charges()
	if len(c) != 1 || c[0].Strata == "" || !strings.Contains(p.String(), "ε = 1, replace-one within strata") {
		t.Errorf("%v\n%v", c, p)
	}
}

// The mean of a column of 0 and 1 is a share: its interval is that of the counts, and squares say nothing.
func TestMeansOfZeroAndOneInStrata(t *testing.T) {
	rows := strataRows(t, strataSchema(t, func(s *privbayes.Schema) {
		age := &s.Columns[3]
		age.Min, age.Max, age.Edges, age.OnOutOfDomain = 0, 1, nil, frame.DomainClamp
	}), 1, 300)
	file := must.Get(must.Get(rows.Model(privbayes.Mean("age")).Privatize(privbayes.Stratified(),
		privbayes.PureDP(1).Under(privbayes.WithinStrata), privbayes.Seeded(3)).Release())(t).JSON())(t)
	var f struct{ Draw struct{ Raw [][]int64 } }
	must.Do(t, json.Unmarshal(file, &f))
	list := func(raw []int64) string { return string(must.Get(json.Marshal([][]int64{raw}))(t)) }
	raw, text := f.Draw.Raw[0], string(compactJSON(t, file))
	other := strings.Replace(text, list(raw), list([]int64{raw[0], 0, raw[2], 0, raw[4], 0}), 1)
	var found []string
	for _, text := range []string{text, other} {
		i, _, err := must.Get(release.Parse(t.Context(), []byte(text)))(t).Intervals(t.Context(), .95)
		if found = append(found, fmt.Sprint(*i[0].Population)); err != nil || i[0].Population.Upper > 1 {
			t.Error(i, err)
		}
	}
	if other == text || found[0] != found[1] {
		t.Errorf("with other squares %v", found)
	}
}
