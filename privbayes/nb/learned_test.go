package nb

import (
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
)

// A learned release shows its rounds and its network, once, and what failed shows its error alone.
func TestLearnedReleaseIsDrawn(t *testing.T) {
	votes := privbayes.ReadFrame(data.Votes())
	p := votes.Learn(privbayes.Tree().Of("Class", "V3", "V4", "V5")).Privatize(privbayes.Geometric(), privbayes.PureDP(5),
		privbayes.Seeded(1))
	r := must.Get(p.Release())(t)
	for name, v := range map[string]any{"release": r, "privatized": p} {
		html, _ := render(v)[protocol.MIMETextHTML].(string)
		if !strings.Contains(html, "Learned structure") || strings.Count(html, "data:image/svg+xml;base64,") != 1 {
			t.Errorf("%s: %.2000s", name, html)
		}
	}
	html, _ := render(votes.Learn().Privatize(nil, privbayes.PureDP(1)))[protocol.MIMETextHTML].(string)
	if !strings.Contains(html, "Error") || strings.Contains(html, "<img") {
		t.Error(html)
	}
	class := votes.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(1))
	if html, _ := render(class)[protocol.MIMETextHTML].(string); strings.Contains(html, "<img") {
		t.Error(html)
	}
}
