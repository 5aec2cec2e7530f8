package privbayes_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

var updatePlaces = flag.Bool("update-places", false, "draw testdata/release_with_places.json anew")

const goldenPlaces = "testdata/release_with_places.json"

// wideTown has made households, each with none to three persons at places of their own.
func wideTown(t testing.TB, households int) *privbayes.Frame {
	return placedTown(t, households, "true")
}

// placedTown is wideTown with places as the schema says.
func placedTown(t testing.TB, households int, places string) *privbayes.Frame {
	t.Helper()
	schema := must.Get(privbayes.ParseSchema([]byte(strings.Replace(`{"dataset": "town", "unit": "household", "tables": [
		{"name": "households", "key": "hid", "columns": [
			{"name": "side", "kind": "categorical", "categories": ["north", "south"]}]},
		{"name": "persons", "of": "households", "key": "hid", "at_most": 3, "places": true, "order": "-age", "columns": [
			{"name": "age", "kind": "integer", "edges": [0, 18, 65, 100]},
			{"name": "job", "kind": "categorical", "categories": ["no", "yes"], "missing": ["?"], "on_missing": "category"}],
		 "per_unit": [{"name": "size", "is": "count"}]}]}`,
		`"places": true`, `"places": `+places, 1))))(t)
	hid, side, of, age, job := []string{}, []string{}, []string{}, []string{}, []string{}
	for i := range households {
		hid, side = append(hid, fmt.Sprint(i)), append(side, []string{"north", "south"}[i%2])
		for k := range i % 4 {
			years := (i*7 + k*41) % 100
			of, age, job = append(of, fmt.Sprint(i)), append(age, fmt.Sprint(years)), append(job,
				[]string{"no", "yes", "?"}[min(years/18%3, 2)])
		}
	}
	f, err := frame.TablesFromColumns(schema, map[string]any{"hid": hid, "side": side},
		map[string]any{"hid": of, "age": age, "job": job})
	return privbayes.WrapFrame(f, err)
}

// linkedTables checks that a pair of tables has unique keys and no orphans, and returns how many children each has.
func linkedTables(t testing.TB, parents, children *frame.Frame) map[float64]int {
	t.Helper()
	number := map[float64]int{}
	for i, key := range must.Get(parents.Values("hid"))(t) {
		if key != float64(i+1) {
			t.Errorf("key %v in row %d", key, i)
		}
		number[key] = 0
	}
	for _, key := range must.Get(children.Values("hid"))(t) {
		if _, known := number[key]; !known {
			t.Errorf("an orphan of %v", key)
		}
		if number[key]++; number[key] > 3 {
			t.Errorf("more than three children of %v", key)
		}
	}
	return number
}

// Wide rows are learned by each algorithm that keeps to impossible combinations, also where the plan decides that
// learning does not pay; the release is kept, verifies, is about one household, and makes two tables.
func TestWideRowsAreLearned(t *testing.T) {
	for name, c := range map[string]struct {
		model      model.LearnedModel
		households int
		epsilon    float64
		adjacency  dp.Adjacency
		places     string
		decision   string
	}{
		"pairs":                   {privbayes.MaxEntropy(), 4000, 4, privbayes.ReplaceOne, "true", "Yes"},
		"a tree":                  {privbayes.Tree().Always(), 400, 4, privbayes.AddRemove, "true", "noisy size decides"},
		"declined":                {privbayes.MaxEntropy().Evenly(), 60, .5, privbayes.ReplaceOne, "true", "separately"},
		"two places":              {privbayes.Tree(), 4000, 4, privbayes.ReplaceOne, "2", "Yes"},
		"two places of n private": {privbayes.MaxEntropy(), 4000, 4, privbayes.AddRemove, "2", "noisy size decides"},
		"one place, declined":     {privbayes.MaxEntropy().Evenly(), 30, .5, privbayes.ReplaceOne, "1", "separately"},
	} {
		f := placedTown(t, c.households, c.places)
		if c.adjacency == privbayes.AddRemove {
			f = f.WithoutN()
		}
		path := filepath.Join(t.TempDir(), "r.json")
		r, err := f.Learn(c.model).Privatize(privbayes.Geometric(), privbayes.PureDP(c.epsilon).Under(c.adjacency),
			privbayes.KeepIn(path), privbayes.Seeded(1)).Release()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if decision := r.Plan().Setting("decision"); !strings.Contains(decision, c.decision) {
			t.Errorf("%s: %s, want %q", name, decision, c.decision)
		}
		if certified := r.Plan().Certified().String(); !strings.Contains(certified, `unit: "household"`) {
			t.Errorf("%s: %s", name, certified)
		}
		if v := must.Get(privbayes.Verify(path))(t); !v.OK() {
			t.Errorf("%s: %s", name, v)
		}
		parents, children, err := privbayes.SynthesizeTables(r, 500, dp.Seeded(2))
		if err != nil || parents.Len() != 500 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		number, large := must.Get(must.Get(r.Synthesize(500, dp.Seeded(2)))(t).Codes("size"))(t), 0
		for key, n := range linkedTables(t, parents, children) {
			if large += n / 3; n != number.At(int(key)-1) {
				t.Errorf("%s: %v has %d children, and the number is %d", name, key, n, number.At(int(key)-1))
			}
		}
		if large < 20 {
			t.Errorf("%s: %d households have more persons than places", name, large)
		}
		p, q, err := frame.SplitTables(must.Get(r.Synthesize(500, dp.Seeded(2)))(t), r.Plan().Shape().Schema())
		if err != nil || !slices.EqualFunc([]*frame.Frame{parents, children}, []*frame.Frame{p, q}, sameRecords(t)) {
			t.Errorf("%s: the tables are not a function of the synthetic rows: %v", name, err)
		}
	}
}

// sameRecords compares frames by their records.
func sameRecords(t testing.TB) func(a, b *frame.Frame) bool {
	return func(a, b *frame.Frame) bool {
		return fmt.Sprint(must.Get(a.Records())(t)) == fmt.Sprint(must.Get(b.Records())(t))
	}
}

// A plan that declines says with how many places it would learn: with so many it does, and with one more it does not.
// Where all are counted, and some have places, it says so.
func TestPlansSayHowManyPlacesAreLearned(t *testing.T) {
	decision := func(households int, places string, set model.LearnedModel) (string, string) {
		plan := must.Get(placedTown(t, households, places).Learn(set).Plan(privbayes.Geometric(),
			privbayes.PureDP(1)))(t)
		return plan.Setting("decision"), plan.Setting("structural zeros")
	}
	said := map[string]int{}
	for households := 100; households <= 800; households += 50 {
		for _, set := range []model.LearnedModel{privbayes.MaxEntropy(), privbayes.Tree()} {
			no, zeros := decision(households, "true", set)
			if strings.Contains(zeros, "have places") {
				t.Error(zeros)
			}
			few := ""
			for _, places := range []string{"2", "1"} {
				yes, zeros := decision(households, places, set)
				if few == "" && !strings.Contains(yes, "separately") && strings.Contains(no, "separately") {
					few = places
				}
				if want := "of up to 3 who are counted " + places + " have places"; !strings.Contains(zeros, want) {
					t.Errorf("%s, want %q", zeros, want)
				}
			}
			if got := strings.Contains(no, `, or "places": `); got != (few != "") ||
				got && !strings.Contains(no, `, or "places": `+few) {
				t.Errorf("%d households, %s: %s; it learns %q places", households, set, no, few)
			}
			said[few]++
		}
	}
	if said["1"] == 0 || said["2"] == 0 || said[""] == 0 {
		t.Errorf("plans say %v", said)
	}
	r := must.Get(wideTown(t, 350).WithoutN().Learn(privbayes.Tree()).Privatize(privbayes.Geometric(),
		privbayes.PureDP(.5).Under(privbayes.AddRemove), privbayes.Seeded(1)).Release())(t)
	if why := r.Structure().Declined; !strings.Contains(why, `Learning is expected to help with "places": 1 of`) {
		t.Errorf("a noisy size decides: %s", why)
	}
}

// A network whose tables do not know what is impossible draws rows that are no units, and is refused by column.
func TestNetworksDoNotKeepToPlaces(t *testing.T) {
	r, err := wideTown(t, 400).Model(privbayes.Network("side", privbayes.Node("side"), privbayes.Node("size"),
		privbayes.Node("age_1"), privbayes.Node("job_1"), privbayes.Node("age_2"), privbayes.Node("job_2"),
		privbayes.Node("age_3"), privbayes.Node("job_3"))).Privatize(privbayes.Geometric(), privbayes.PureDP(4),
		privbayes.Seeded(1)).Release()
	if err != nil {
		t.Fatal(err)
	}
	var value *frame.ValueError
	if _, _, err := privbayes.SynthesizeTables(r, 500, dp.Seeded(2)); !errors.As(err, &value) {
		t.Error(err)
	}
	few := must.Get(wideTown(t, 400).Learn(privbayes.MaxEntropy().Of("side", "size")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(4), privbayes.Seeded(1)).Release())(t)
	if zeros := few.Plan().Setting("structural zeros"); zeros != "" {
		t.Errorf("a model without places has zeros: %s", zeros)
	}
	first := must.Get(wideTown(t, 400).Learn(privbayes.MaxEntropy().Of("side", "size", "age_1", "job_2")).Privatize(
		privbayes.Geometric(), privbayes.PureDP(4), privbayes.Seeded(1)).Release())(t)
	zeros := first.Plan().Setting("structural zeros")
	if zeros != "of the schema, 1 column of children who may be absent" {
		t.Errorf("a model with one place: %s", zeros)
	}
	var column *frame.ColumnError
	_, _, err = privbayes.SynthesizeTables(few, 5, dp.Seeded(2))
	if !errors.As(err, &column) || column.Column != "age_1" {
		t.Error(err)
	}
}

// A file of wide rows that an earlier build wrote loads, verifies, and makes two tables.
func TestGoldenReleaseWithPlaces(t *testing.T) {
	if *updatePlaces {
		r := must.Get(wideTown(t, 200).Learn(privbayes.MaxEntropy().Always()).Privatize(privbayes.Geometric(),
			privbayes.PureDP(4), privbayes.Seeded(1)).Release())(t)
		must.Do(t, os.WriteFile(goldenPlaces, must.Get(r.JSON())(t), 0o644))
	}
	if v := must.Get(privbayes.Verify(goldenPlaces))(t); !v.OK() {
		t.Error(v)
	}
	r := must.Get(release.Parse(t.Context(), must.Get(os.ReadFile(goldenPlaces))(t)))(t)
	if zeros := r.Structure().Zeros; len(zeros) != 6 {
		t.Errorf("%d tables have combinations that cannot be, want two at each of three places", len(zeros))
	}
	parents, children, err := privbayes.SynthesizeTables(r, 300, dp.Seeded(3))
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[int]int{}
	for _, n := range linkedTables(t, parents, children) {
		sizes[n]++
	}
	for n := range 4 { // of 300 households a quarter each in the rows
		if sizes[n] < 30 || sizes[n] > 150 {
			t.Errorf("%d households have %d persons", sizes[n], n)
		}
	}
}
