package privbayes_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// A file of a learned network is good where its fit may have ended, and its distributions are those of that end. Other
// distributions are refused, and so is another end: the file is not fitted again, and no less is asked of it.
func TestForgedConditionalsAreRefused(t *testing.T) {
	f := levelled(t, 3000, 3, 3, 2, 3)
	draw := func(spec model.LearnedModel, seed uint64) (tree map[string]any, file []byte) {
		r, err := f.Learn(spec.Always()).Privatize(privbayes.Geometric(), privbayes.PureDP(6),
			privbayes.Seeded(seed)).Release()
		if err != nil {
			t.Fatal(err)
		}
		if file, err = r.JSON(); err != nil {
			t.Fatal(err)
		}
		must.Do(t, json.Unmarshal(file, &tree))
		return tree, file
	}
	for _, spec := range []model.LearnedModel{privbayes.MaxEntropy(), privbayes.Tree(), privbayes.Cliques(3)} {
		_, file := draw(spec, 2)
		other, _ := draw(spec, 3)
		theirs := other["artifact"].(map[string]any)
		numbers := func(a map[string]any, field string, i int) []any { return a[field].([]any)[i].([]any) }
		for name, edit := range map[string]func(a map[string]any){
			"two entries swapped": func(a map[string]any) {
				c := numbers(a, "conditionals", 0)
				c[0], c[1] = c[1], c[0]
			},
			"1 % of uniform": func(a map[string]any) {
				c := numbers(a, "conditionals", 1)
				for i, v := range c {
					c[i] = .99*v.(float64) + .01*3000/float64(len(c))
				}
			},
			"an axis the other way": func(a map[string]any) {
				c := numbers(a, "conditionals", 0)
				for i, j := 0, len(c)-1; i < j; i, j = i+1, j-1 {
					c[i], c[j] = c[j], c[i]
				}
			},
			"an edit of a hundred millionth": func(a map[string]any) {
				c := numbers(a, "conditionals", 0)
				c[0] = c[0].(float64) * (1 + 1e-8)
			},
			"another release's conditionals": func(a map[string]any) { a["conditionals"] = theirs["conditionals"] },
			"another release's fit":          func(a map[string]any) { a["potentials"] = theirs["potentials"] },
			"another release's": func(a map[string]any) {
				for field, v := range theirs {
					a[field] = v
				}
			},
			"no potentials": func(a map[string]any) { delete(a, "potentials") },
			"a potential moved": func(a map[string]any) {
				p := numbers(a, "potentials", 0)
				p[0] = p[0].(float64) + .05
			},
		} {
			var tree map[string]any
			must.Do(t, json.Unmarshal(file, &tree))
			edit(tree["artifact"].(map[string]any))
			b := must.Get(json.Marshal(tree))(t)
			var refused *release.FileError
			if _, err := release.Parse(t.Context(), b); !errors.As(err, &refused) ||
				!strings.HasPrefix(refused.Field, "artifact") {
				t.Errorf("%s: %s: %v", spec, name, err)
			}
			if v, err := release.VerifyBytes(t.Context(), b); err == nil && v.OK() {
				t.Errorf("%s: %s: verified", spec, name)
			}
		}
	}
}

// What another machine writes differs in the last places: the file is good, and stays as it is when it is saved again.
func TestAFitThatEndedElsewhereIsGood(t *testing.T) {
	f := levelled(t, 3000, 3, 3, 2, 3)
	r := must.Get(f.Learn(privbayes.MaxEntropy().Always()).Privatize(privbayes.Geometric(), privbayes.PureDP(6),
		privbayes.Seeded(2)).Release())(t)
	file := must.Get(r.JSON())(t)
	potentials := r.Estimate().Potentials
	for i := range potentials { // the release is thrown away
		for k := range potentials[i] {
			potentials[i][k] *= 1 + 1e-12*math.Cos(float64(7*i+k))
		}
	}
	elsewhere, err := r.JSON()
	if err != nil || string(elsewhere) == string(file) {
		t.Fatal("the potentials are as they were", err)
	}
	again := must.Get(release.Parse(t.Context(), elsewhere))(t)
	if v, err := release.VerifyBytes(t.Context(), elsewhere); err != nil || !v.OK() {
		t.Error(err, v)
	}
	if have := again.Estimate().Potentials; have[0][0] != potentials[0][0] {
		t.Errorf("loaded, it was fitted again: %v; want %v", have[0][0], potentials[0][0])
	}
}
