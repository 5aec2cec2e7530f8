package bench

import (
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
