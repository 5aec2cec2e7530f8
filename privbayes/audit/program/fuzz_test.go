package program

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// What is read as a greeting, a law, an output or a request is one, and is written as it would be read again.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"privbayes-audit 1 law 2", "privbayes-audit 1 law 2 draw", "privbayes-audit 1 draw",
		"privbayes-audit 1", "privbayes-audit 1 law -2", "privbayes-audit 1 law 99999999", "-0.69 -inf", "NaN 0", "0x1p-2 1e999",
		"law 3 0 1", "draw 500 3 0 1", "draw 0 1", "law", "1,2", "\xff", " 7 ", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if a, err := parseGreeting(line); err == nil {
			again, err := parseGreeting(a.String())
			if err != nil || again != a || a.outputs < 0 || a.outputs > maxOutputs || a.outputs == 0 && !a.draws {
				t.Errorf("greeting %q: %+v, then %+v, %v", line, a, again, err)
			}
		}
		if law, err := parseLaw(line, 2); err == nil {
			if len(law) != 2 || math.IsNaN(law[0]) || math.IsInf(law[0], 1) || math.IsNaN(law[1]) ||
				math.IsInf(law[1], 1) {
				t.Errorf("law %q: %v", line, law)
			}
		}
		if out, err := parseOutput(line); err == nil {
			if out == "" || len(out) > maxOutput || out != strings.TrimSpace(line) {
				t.Errorf("output %q: %q", line, out)
			}
		}
		if r, err := parseRequest(line); err == nil {
			again, err := parseRequest(r.String())
			if err != nil || again.draws != r.draws || !slices.Equal(again.x, r.x) || len(r.x) == 0 || r.draws < 0 {
				t.Errorf("request %q: %+v, then %+v, %v", line, r, again, err)
			}
			for _, c := range r.x {
				if c < 0 {
					t.Errorf("request %q: a count of %d", line, c)
				}
			}
		}
	})
}
