package release_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Verification reads the steps that chose the rows: what contradicts n or the rows of a unit fails, and what the file
// cannot show is said.
func TestVerifyReadsTheSteps(t *testing.T) {
	whole := string(jsonOf(t, votes(t, counts.Geometric(), model.Binary("Class"), dp.PureDP(1), dp.Seeded(1))))
	hidden := string(jsonOf(t, votes(t, counts.Geometric(), model.Binary("Class"),
		dp.PureDP(1).Under(dp.AddRemove), dp.Seeded(1))))
	with := func(file string, steps ...string) string {
		t.Helper()
		list := must.Get(json.Marshal(steps))(t)
		const n, private = `"n": 435`, `"n": null`
		at := n
		if !strings.Contains(file, n) {
			at = private
		}
		return strings.Replace(file, at, at+",\n   \"rows\": "+string(list), 1)
	}
	for name, c := range map[string]struct {
		file   string
		ok     bool
		reason string // of a failed result, or in the note
	}{
		"all rows":        {whole, true, ""},
		"a split":         {with(whole, "Split(0.7, 1), train"), true, "known forms and agree with n"},
		"a head":          {with(whole, "Head(500)"), true, "known forms"},
		"too short":       {with(whole, "Head(434)", "Split(1, 1), train"), false, "at most 434 rows, and n = 435"},
		"held out":        {with(whole, "Holdout(30, 1), test"), false, "at most 30 rows"},
		"not held out":    {with(whole, "Holdout(30, 1), train"), true, "known forms"},
		"n hidden":        {with(hidden, "WithoutN", "Split(0.5, 1) by hash, train"), true, "known forms"},
		"declared public": {with(whole, `Where("V1" is "y")`), true, "somebody declared the rows public"},
		"private":         {with(hidden, `Where("V1" is "y")`), true, "known forms"},
		"units":           {with(whole, "Append(all rows; twice)"), false, "a unit may have 2 rows after it, and the schema says 1"},
		"disjoint units":  {with(whole, "AppendDisjoint(all rows; and all rows)"), true, "known forms"},
		"unknown":         {with(whole, "Certified 0.001-DP"), true, "in no form that this version knows"},
	} {
		v, err := release.VerifyBytes(t.Context(), []byte(c.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var failed []string
		for _, r := range v.Results {
			if r.Status == cert.Failed {
				failed = append(failed, r.Reason)
			}
		}
		said := strings.Join(append(failed, v.Notes...), "\n")
		if v.OK() != c.ok || len(failed) > 1 || !strings.Contains(said, c.reason) || (c.reason == "") != (said == "") {
			t.Errorf("%s: %v, %q", name, v.OK(), said)
		}
		if name != "all rows" && !strings.Contains(v.Table().HTML()+v.String(), "the file cannot show") {
			t.Errorf("%s: %s", name, v)
		}
	}
	// what chose rows by how many there are does not go with a guarantee that hides it
	for _, steps := range [][]string{{"Head(3)"}, {"Split(0.7, 1), train"}, {"Holdout(3, 1), test", "WithoutN"},
		{`Where("V1" is "y")`, "Rows"}, {"Append(Head(3), WithoutN; and all rows)"}} {
		var rows *mechanism.RowsError
		if _, err := release.VerifyBytes(t.Context(), []byte(with(hidden, steps...))); !errors.As(err, &rows) {
			t.Errorf("%q: %v", steps, err)
		}
	}
}
