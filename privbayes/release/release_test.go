package release_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// votes draws a release of the congressional votes.
func votes(t testing.TB, mech mechanism.Mechanism, m model.Model, target dp.Request,
	stream *dp.Stream) *release.Release {
	t.Helper()
	r, s := data.Votes()
	f := must.Get(frame.Read(context.Background(), r, "votes", s))(t)
	n, _ := f.PublicN()
	sh := must.Get(model.NewShape(f.Schema(), m, n, true, ""))(t)
	p := must.Get(mech.Plan(context.Background(), sh, target))(t)
	st := must.Get(model.Count(sh, f))(t)
	d := must.Get(p.Draw(context.Background(), st, "0123456789abcdef", stream))(t)
	return must.Get(release.New(context.Background(), p, d))(t)
}

// several are releases of different kinds.
func several(t testing.TB) []*release.Release {
	secure := must.Get(dp.Secure())(t)
	return []*release.Release{
		votes(t, counts.Geometric(), model.NaiveBayes("Class"), dp.PureDP(1), dp.Seeded(1)),
		votes(t, counts.DiscreteGaussian(), model.NaiveBayes("Class"), dp.ApproxDP(1, 1e-6), secure),
		votes(t, counts.Geometric(), model.Binary("Class"), dp.ZCDP(0.1), dp.Seeded(2)),
		votes(t, counts.Geometric().WithPostProcess(counts.Clamp), model.Categorical("V1"),
			dp.PureDP(0.5).Under(dp.AddRemove), dp.Seeded(3)),
	}
}

func jsonOf(t testing.TB, r *release.Release) []byte {
	t.Helper()
	return must.Get(r.JSON())(t)
}

// The file follows byte for byte from (plan, draw): both are taken through their own JSON, nothing else is.
func TestFileFollowsFromPlanAndDraw(t *testing.T) {
	for _, r := range several(t) {
		b := jsonOf(t, r)
		var parts struct {
			Plan json.RawMessage
			Draw mechanism.Drawn
		}
		must.Do(t, json.Unmarshal(b, &parts))
		p := must.Get(mechanism.ParsePlan(t.Context(), parts.Plan))(t)
		again := must.Get(release.New(t.Context(), p, &parts.Draw))(t)
		if !bytes.Equal(b, jsonOf(t, again)) {
			t.Error("the file holds something that does not follow from plan and draw")
		}
		if q, err := release.Parse(t.Context(), b); err != nil || !bytes.Equal(jsonOf(t, q), b) {
			t.Error("the file changed on its way through Parse:", err)
		}
	}
}

// No field reachable from a Release leads to private statistics or rows.
func TestNothingPrivateIsReachable(t *testing.T) {
	forbidden := map[reflect.Type]bool{reflect.TypeFor[model.Statistics](): true, reflect.TypeFor[frame.Frame](): true}
	seen := map[reflect.Type]bool{}
	var walk func(tp reflect.Type, path string)
	walk = func(tp reflect.Type, path string) {
		if forbidden[tp] {
			t.Errorf("%s leads to %s", path, tp)
		}
		if seen[tp] {
			return
		}
		seen[tp] = true
		switch tp.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(tp.Elem(), path)
		case reflect.Map:
			walk(tp.Key(), path)
			walk(tp.Elem(), path)
		case reflect.Struct:
			for i := range tp.NumField() {
				walk(tp.Field(i).Type, path+"."+tp.Field(i).Name)
			}
		}
	}
	walk(reflect.TypeFor[release.Release](), "Release")
	// interfaces hide their content from types: look into the values of real releases too
	for _, r := range several(t) {
		walkValue(t, reflect.ValueOf(r), "release", map[uintptr]bool{}, forbidden)
	}
	if !seen[reflect.TypeFor[mechanism.Plan]()] {
		t.Error("the walk did not reach the plan: the test has no power")
	}
}

func walkValue(t *testing.T, v reflect.Value, path string, seen map[uintptr]bool, forbidden map[reflect.Type]bool) {
	if !v.IsValid() {
		return
	}
	if forbidden[v.Type()] {
		t.Errorf("%s holds a %s", path, v.Type())
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		walkValue(t, v.Elem(), path, seen, forbidden)
	case reflect.Interface:
		walkValue(t, v.Elem(), path+"!", seen, forbidden)
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 50) {
			walkValue(t, v.Index(i), fmt.Sprintf("%s[%d]", path, i), seen, forbidden)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walkValue(t, v.Field(i), path+"."+v.Type().Field(i).Name, seen, forbidden)
		}
	}
}

func TestAddRemoveReleasesNeverContainN(t *testing.T) {
	r := votes(t, counts.Geometric(), model.NaiveBayes("Class"), dp.PureDP(1).Under(dp.AddRemove), dp.Seeded(1))
	b := jsonOf(t, r)
	if !bytes.Contains(b, []byte(`"n": null`)) || strings.Contains(string(b), "435") &&
		strings.Contains(string(b), `"n": 435`) {
		t.Errorf("the file tells n:\n%.600s", b)
	}
}

func TestVerifyRederivesEveryCheck(t *testing.T) {
	for _, r := range several(t) {
		v, err := release.VerifyBytes(t.Context(), jsonOf(t, r))
		if err != nil || !v.OK() {
			t.Fatalf("%v\n%s", err, v)
		}
		for _, res := range v.Results {
			if res.Status != cert.Rederived {
				t.Errorf("%s: %s", res.Check.Statement, res.Status)
			}
		}
		limited, err := release.VerifyBytes(cert.WithWorkLimit(t.Context(), 10), jsonOf(t, r))
		if err != nil || !limited.OK() {
			t.Errorf("under a work limit: %v\n%s", err, limited)
		}
	}
}

// Every edit of a file that changes a claim is caught, by the parser or by verification.
func TestEditedFilesAreCaught(t *testing.T) {
	good := string(jsonOf(t, several(t)[0]))
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the file has no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	cases := map[string]string{
		"less noise":           edit(`"num": 1`, `"num": 2`),
		"a better guarantee":   edit(`"notion": "none"`, `"notion": "pure"`),
		"a smaller target":     edit(`"epsilon": 1`, `"epsilon": 0.5`),
		"a raw number":         edit(`"raw": [`+"\n   [\n    ", `"raw": [`+"\n   [\n    9"),
		"an estimate":          edit(`"counts": [`+"\n     ", `"counts": [`+"\n     7"),
		"a bound":              edit(`"bound": `, `"bound": 5`),
		"a value":              edit(`"value": `, `"value": -0.5`),
		"a method":             edit(`"method": "enumeration"`, `"method": "closed form"`),
		"another mechanism":    edit(`"mechanism": "geometric"`, `"mechanism": "discrete-gaussian"`),
		"an unknown mechanism": edit(`"mechanism": "geometric"`, `"mechanism": "magic"`),
		"a future version":     edit(`privbayes-release-3`, `privbayes-release-99`),
		"an unknown field":     edit(`"library"`, `"librarx"`),
		"a formula":            edit(`"formula": "`, `"formula": "ε = 0.001; `),
		"a title":              edit(`"title": "`, `"title": "0.001-DP: `),
		"a second key": edit(`"guarantee": {`,
			`"guarantee": {"notion": "pure", "epsilon": 0.001}, "guarantee": {`),
		"a key in capitals": edit(`"guarantee": {`,
			`"guarantee": {"notion": "pure", "epsilon": 0.001}, "GUARANTEE": {`),
		"a deep second key": edit(`"num": 1`, `"num": 7, "num": 1`),
		"cut short":         good[:len(good)/2],
		"trailing data":     good + "{}",
		"empty":             "",
		"not an object":     "[1, 2]",
		"no draw":           `{"format":"privbayes-release-3","plan":{}}`,
	}
	for name, text := range cases {
		v, err := release.VerifyBytes(t.Context(), []byte(text))
		if err == nil && v.OK() {
			t.Errorf("%s: verified", name)
		}
		if name == "a value" {
			continue // what a check derived is derived again, not believed, when a file is loaded
		}
		var fe *release.FileError
		if _, err := release.Parse(t.Context(), []byte(text)); !errors.As(err, &fe) {
			t.Errorf("%s: Parse gave %v", name, err)
		}
	}
	// a certificate without its hardest check
	var f map[string]any
	must.Do(t, json.Unmarshal([]byte(good), &f))
	c := f["certificate"].(map[string]any)
	c["checks"] = c["checks"].([]any)[:1]
	b, _ := json.Marshal(f)
	if v, err := release.VerifyBytes(t.Context(), b); err == nil && v.OK() {
		t.Error("a certificate with a check left out was verified")
	}
}

func TestSaveLoadPredictWithoutData(t *testing.T) {
	r := several(t)[0]
	path := filepath.Join(t.TempDir(), "r.json")
	must.Do(t, r.Save(path))
	if err := r.SaveNew(path); !errors.Is(err, os.ErrExist) {
		t.Error("SaveNew wrote over a release:", err)
	}
	q := must.Get(release.Load(t.Context(), path))(t)
	rd, s := data.Votes()
	f := must.Get(frame.Read(t.Context(), rd, "votes", s))(t)
	a, err1 := r.Predict(f)
	b, err2 := q.Predict(f)
	if err1 != nil || err2 != nil || !reflect.DeepEqual(a, b) {
		t.Error("a loaded release predicts differently:", err1, err2)
	}
	if _, err := release.Load(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestSynthesis(t *testing.T) {
	r := several(t)[0]
	f := must.Get(r.Synthesize(20_000, dp.Seeded(5)))(t)
	counts := must.Get(f.Counts("Class"))(t)
	p := r.Model().Target().Mean()[0]
	if se := 6.5 * 0.5 / 141.4; float64(counts[0])/20_000 < p-se || float64(counts[0])/20_000 > p+se {
		t.Errorf("share %v of the first class, want %v", counts, p)
	}
	if _, err := r.Predict(f); err != nil {
		t.Error("synthetic rows do not fit the model:", err)
	}
	if _, err := r.Synthesize(-1, dp.Seeded(1)); err == nil {
		t.Error("−1 records")
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range several(f)[2:] { // one-column models: certifying them again is quick
		f.Add(jsonOf(f, r))
	}
	f.Add([]byte(`{"format":"privbayes-release-3"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := release.Parse(context.Background(), b)
		if err != nil {
			return
		}
		again := must.Get(r.JSON())(t)
		if _, err := release.Parse(context.Background(), again); err != nil {
			t.Fatalf("an accepted file does not survive being written: %v", err)
		}
	})
}

func ExampleVerify() {
	dir, _ := os.MkdirTemp("", "release")
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "votes.release.json")
	s := &frame.Schema{Dataset: "coins", Columns: []frame.Column{frame.Categorical("side", "head", "tail")}}
	sh, _ := model.NewShape(s, model.Binary("side"), 100, true, "")
	st, _ := model.FromCounts(sh, [][]int64{{61, 39}})
	p, _ := counts.Geometric().Plan(context.Background(), sh, dp.PureDP(0.5))
	d, _ := p.Draw(context.Background(), st, "example", dp.Seeded(1))
	r, _ := release.New(context.Background(), p, d)
	_ = r.Save(path)
	v, err := release.Verify(context.Background(), path)
	fmt.Println(v.OK(), err)
	// Output: true <nil>
}
