package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
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

// The table of publications says what the committed results say.
func TestPublications(t *testing.T) {
	type side struct {
		Processor float64
		Items     map[string]struct{ Error, Stated float64 }
	}
	var r struct {
		Rows, Items int
		OpenDP      string
		Lines       struct{ Ours, OpenDP int }
		Levels      []struct {
			Level        string
			Ours, OpenDP side
		}
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("publication/results.json"))(t), &r))
	page := string(must.Get(os.ReadFile("README.md"))(t))
	if r.Rows != 1e6 || r.Items != 100 || r.OpenDP != "0.16.0" || len(r.Levels) != 3 || len(r.Levels[0].Ours.Items) != 6 {
		t.Fatalf("%+v", r)
	}
	number := func(x float64) string {
		if x == 0 {
			return ""
		}
		return " " + strconv.FormatFloat(must.Get(strconv.ParseFloat(fmt.Sprintf("%.3g", x), 64))(t), 'f', -1, 64)
	}
	pure := r.Levels[0]
	for name, ours := range pure.Ours.Items {
		his := pure.OpenDP.Items[name]
		line := fmt.Sprintf("\n| %s |%s |%s |%s |%s |\n", name, number(ours.Error), number(ours.Stated), number(his.Error),
			number(his.Stated))
		if !strings.Contains(page, line) {
			t.Errorf("%q is not in the README", line)
		}
	}
	for _, line := range []string{fmt.Sprintf("\n| lines of code | %d | | %d | |\n", r.Lines.Ours, r.Lines.OpenDP),
		fmt.Sprintf("\n| processor time, s | %.1f | | %.0f | |\n", pure.Ours.Processor, pure.OpenDP.Processor),
		fmt.Sprintf("in %.1f s of processor time", r.Levels[1].Ours.Processor),
		fmt.Sprintf("in %.1f s, of which", r.Levels[2].Ours.Processor)} {
		if !strings.Contains(page, line) {
			t.Errorf("%q is not in the README", line)
		}
	}
	for _, l := range r.Levels[1:] {
		for _, ways := range []string{"1-way table", "2-way table", "3-way table"} {
			if want := number(l.Ours.Items[ways].Error); !strings.Contains(page, want) {
				t.Errorf("%s, %s: %q is not in the README", l.Level, ways, want)
			}
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
