package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Committed results are whole: every source gave the same bytes, and every program has its numbers.
func TestCommittedResults(t *testing.T) {
	s, err := SameReleases()
	if err != nil || len(s.Sources) < 9 || s.Rows < 1e6 {
		t.Fatal(s, err)
	}
	for _, r := range s.Sources {
		if r.SHA256 != s.Sources[0].SHA256 || len(r.SHA256) != 64 || r.NSPerRow <= 0 {
			t.Errorf("%s: %+v", r.Source, r)
		}
	}
	r := must.Get(ReadingCosts())(t)
	for _, name := range tables {
		if v := r.Results[name[0]]; v.NSPerRow <= 0 || v.PeakMB <= 0 {
			t.Errorf("%s: %+v", name[0], v)
		}
	}
}

// The table of wages says what the committed results say.
func TestWages(t *testing.T) {
	var r struct {
		Rows int
		Ours []struct {
			Epsilon     float64
			Width, Held []float64
		}
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("wages/results.json"))(t), &r))
	page := string(must.Get(os.ReadFile("README.md"))(t))
	if r.Rows != 54875 || len(r.Ours) != 5 {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Ours {
		want := fmt.Sprintf(`\n\| %v \| ([0-9.]+) .*\| ([0-9]+) of 100 \|`, row.Epsilon)
		line := regexp.MustCompile(want).FindStringSubmatch(page)
		held := 0.
		for _, share := range row.Held {
			held += 20 * share
		}
		if len(line) != 3 || math.Abs(must.Get(strconv.ParseFloat(line[1], 64))(t)-row.Width[1]) > .051 ||
			must.Get(strconv.Atoi(line[2]))(t) != int(math.Round(held)) {
			t.Errorf("epsilon %v: %q; width %v, held %v", row.Epsilon, line, row.Width[1], held)
		}
	}
}
