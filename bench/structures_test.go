package bench

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

var write = flag.Bool("write", false, "write the table of learned structures into README.md")

// The table of the page is that of the committed results.
func TestStructuresOfThePage(t *testing.T) {
	s, err := StructurePeers()
	if err != nil || len(s.Peers) == 0 || s.Date == "" {
		t.Fatal(s, err)
	}
	page := must.Get(os.ReadFile("README.md"))(t)
	const begin, end = "<!-- structures -->\n", "<!-- /structures -->"
	before, rest, ok := strings.Cut(string(page), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("no place for the table")
	}
	switch want := s.Markdown(); {
	case *write:
		must.Do(t, os.WriteFile("README.md", []byte(before+begin+want+end+after), 0o644))
	case have != want:
		t.Errorf("the page has another table than results.json; go test ./bench -run StructuresOfThePage -write makes "+
			"it\n%s", want)
	}
	settings := map[string]int{}
	for _, r := range s.sorted() {
		settings[r.setting(s.Delta)]++
		if r.Runs < 1 || !(r.Pairs.Mean > 0 && r.Pairs.Mean < 1) || r.Runs > 1 && !(r.Pairs.SE > 0) {
			t.Errorf("%+v", r)
		}
	}
	for name := range settings {
		if err := s.Figure(name).Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lost are the results of peers that are nearer than the default: README.md says why.
var lost = map[string]bool{"titanic, (1, 1e-09), add-remove: mbi-aim": true}

// Where the default learns, it is not farther than any peer of the setting by more than two standard errors, but for
// what is listed.
func TestTheDefaultIsNear(t *testing.T) {
	s := must.Get(StructurePeers())(t)
	all, compared := s.sorted(), 0
	for _, ours := range all {
		if ours.Peer != "ours-default" || ours.Declined {
			continue
		}
		for _, peer := range all {
			if strings.HasPrefix(peer.Peer, "ours-") && !strings.HasPrefix(peer.Peer, "ours-privbayes") ||
				peer.setting(s.Delta) != ours.setting(s.Delta) {
				continue
			}
			compared++
			farther := ours.Pairs.Mean > peer.Pairs.Mean+2*math.Hypot(ours.Pairs.SE, peer.Pairs.SE)
			if farther != lost[ours.setting(s.Delta)+": "+peer.Peer] {
				t.Errorf("%s: ours %s, %s %s", ours.setting(s.Delta), ours.Pairs, peer.Peer, peer.Pairs)
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d comparisons", compared)
	}
}
