package privbayes_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Under a key of units of several rows n is private, unless units are padded: plans, and files with an edited schema,
// are refused as releases are.
func TestPublicNUnderAUnitKey(t *testing.T) {
	parse := func(more string) *privbayes.Schema {
		t.Helper()
		s, err := privbayes.ParseSchema([]byte(`{"dataset": "visits", "unit": "patient", "unit_key": "id"` + more +
			`, "columns": [{"name": "a", "kind": "categorical", "categories": ["no", "yes"], "pad": "no"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var p *dp.ParameterError
	for more, ok := range map[string]bool{"": true, `, "rows_per_unit": 2`: false,
		`, "rows_per_unit": 2, "pad_units": true`: true} {
		shape, err := privbayes.NewShape(parse(more), privbayes.Binary("a"), 40)
		if err != nil {
			t.Fatal(err)
		}
		_, err = privbayes.Geometric().Plan(t.Context(), shape, privbayes.PureDP(1))
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
	good, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
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
