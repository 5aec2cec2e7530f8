package bench

import (
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

var nineTables = map[string]bool{"births": true, "national2019": true, "titanic": true, "adult": true, "bank": true,
	"shopper": true, "german": true, "alarm": true, "child": true}

// A run that ended has all measures of its table; one that did not says why.
func complete(r Run) bool {
	if !nineTables[r.Table] || r.Peer == "" || r.Seed < 1 || r.Adjacency != "add-remove" || !(r.Epsilon > 0) ||
		r.Limit <= 0 || r.Date == "" || (r.Notion != "pure" && r.Notion != "approx") {
		return false
	}
	if r.Error != "" {
		return r.TV == [3]float64{} && r.Seconds == 0
	}
	for _, v := range r.TV {
		if !(v > 0 && v < 1) {
			return false
		}
	}
	classified := r.Table != "births" && r.Table != "national2019" && r.Table != "alarm" // whose target has three levels

	// The limits of the first runs were of the clock.
	spent := r.Seconds
	if r.CPU != nil {
		spent = min(spent, *r.CPU)
	}
	return r.Rows > 0 && spent > 0 && spent <= r.Limit &&
		(r.Model != nil) == strings.HasPrefix(r.Peer, "ours") && (r.KWay != nil) == (r.Table == "births") &&
		(r.KMarginal != nil) == (r.Table == "national2019") && (classified || r.AUC == nil) &&
		(r.AUC == nil) == (r.Accuracy == nil)
}

func TestNineRunsAreComplete(t *testing.T) {
	runs := must.Get(Nine())(t)
	if len(runs) == 0 {
		t.Fatal("no runs")
	}
	limits := map[string]float64{}
	for _, r := range runs {
		if !complete(r) {
			t.Errorf("%+v", r)
		}
		seed := r.key() + string(rune('0'+r.Seed))
		if r.Limit <= limits[seed] { // a second run is one that had more time
			t.Errorf("twice: %+v", r)
		}
		limits[seed] = r.Limit
	}
	good := runs[0]
	for name, spoil := range map[string]func(r *Run){
		"another table": func(r *Run) { r.Table = "votes" }, "no distance": func(r *Run) { r.TV[1] = 0 },
		"no model":           func(r *Run) { r.Model = nil },
		"beyond the limit":   func(r *Run) { r.Seconds, r.CPU = r.Limit+1, nil },
		"error with figures": func(r *Run) { r.Error = "none" }, "no limit": func(r *Run) { r.Limit = 0 },
	} {
		r := good
		if spoil(&r); complete(r) {
			t.Errorf("%s: passed", name)
		}
	}
}

// What is said of ours holds where it was measured: the pairs of the model with a declared size on two tables, and
// NIST's score of its rows.
func TestNineMusts(t *testing.T) {
	met := 0
	for _, r := range NineResults(must.Get(Nine())(t)) {
		if r.Peer != "ours-sized" || r.Notion != "approx" || r.Epsilon != 1 || r.Runs == 0 {
			continue
		}
		switch r.Table {
		case "births":
			if met++; r.Model.Mean > .0064 {
				t.Errorf("births: pairs of the model at %s, want at most .0064", r.Model)
			}
		case "national2019":
			met++
			if r.Runs > 1 && r.Model.Mean > .0166 || r.KMarginal.Mean < 980 {
				t.Errorf("national2019: pairs of the model at %s, K-marginal %s; want at most .0166, at least 980", r.Model,
					r.KMarginal.rounded(1, 1))
			}
		}
	}
	if met != 2 {
		t.Errorf("%d of 2 measured", met)
	}
}

// The table of the page is that of the committed runs.
func TestNineOfThePage(t *testing.T) {
	want := NineMarkdown(must.Get(Nine())(t))
	page := string(must.Get(os.ReadFile("README.md"))(t))
	const begin, end = "<!-- nine -->\n", "<!-- /nine -->"
	before, rest, ok := strings.Cut(page, begin)
	have, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Fatal("no place for the table")
	case *write:
		must.Do(t, os.WriteFile("README.md", []byte(before+begin+want+end+after), 0o644))
	case have != want:
		t.Errorf("the page has another table than nine.jsonl; go test ./bench -run NineOfThePage -write makes it\n%s", want)
	}
}

// A peer that is nearer is said to be, with or without an error of the difference.
func TestLosses(t *testing.T) {
	run := func(peer string, seed int, pairs float64) Run {
		return Run{Peer: peer, Table: "child", Notion: "approx", Epsilon: 1, Adjacency: "add-remove", Seed: seed,
			TV: [3]float64{.1, pairs, .1}}
	}
	ours := []Run{run("ours-sized", 1, .020), run("ours-sized", 2, .022)}
	for _, c := range []struct {
		peers []Run
		want  string // of the line; "" for none
	}{
		{nil, ""},
		{[]Run{run("peer", 1, .03)}, ""},
		{[]Run{run("peer", 1, .01)}, "has one run"},
		{[]Run{run("peer", 1, .010), run("peer", 2, .011)}, "more than two"},
		{[]Run{run("peer", 1, .020), run("peer", 2, .021)}, "within two"},
	} {
		got := Losses(append(c.peers, ours...))
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%q: %q", c.want, got)
		}
	}
}
