package release_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The verdict is the first and the last line of what verification shows, with the figures that differ; no cell has a
// figure that was not derived, and only what holds reads as verified.
func TestTheVerdictIsFirstAndLast(t *testing.T) {
	good := jsonOf(t, votes(t, counts.Geometric(), model.NaiveBayes("Class", "V1", "V2"), dp.PureDP(1), dp.Seeded(1)))
	edit := func(from, to string) []byte {
		b := bytes.Replace(good, []byte(from), []byte(to), 1)
		if bytes.Equal(b, good) {
			t.Fatalf("no %q in the file", from)
		}
		return b
	}
	for name, c := range map[string]struct {
		file    []byte
		work    int64
		begins  string
		says    []string
		unshown []string
	}{
		"good": {good, 0, "VERIFIED: ", []string{"Verification shows"}, nil},
		"a value": {edit(`"value": 4`, `"value": 3`), 0, "NOT VERIFIED: 1 of ",
			[]string{"stated 3, derived 4, at most 4", "differs from the derived"}, []string{"Verification shows"}},
		"a digit of a value": {edit(`"value": 4`, `"value": 4.0000001`), 0, "NOT VERIFIED: 1 of ",
			[]string{"stated 4.0000001, derived 4, at most 4"}, []string{"Verification shows"}},
		"a guarantee": {edit(`"reason": "seeded"`, `"reason": "practice"`), 0, "NOT VERIFIED: 1 of ",
			[]string{"the stated guarantee is", "practice", "seeded"}, []string{"Verification shows", "  0  "}},
		"a stranger": {edit(`"checks": [`, `"checks": [{"statement": "all is well", "source": "", "method": "closed form", `+
			`"kind": "x", "params": {}, "value": 0, "bound": 1, "scope": "all"},`), 0, "NOT VERIFIED: ",
			[]string{"all is well", "not the check"}, []string{"Verification shows"}},
		"some work": {good, 200, "VERIFIED IN PART: ", []string{"checks were derived again", "not checked"}, nil},
	} {
		ctx := t.Context()
		if c.work > 0 {
			ctx = cert.WithWorkLimit(ctx, c.work)
		}
		v, err := release.VerifyBytes(ctx, c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for form, text := range map[string]string{"text": v.String(), "Markdown": v.Table().Markdown()} {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			if form == "text" && (!strings.HasPrefix(lines[0], c.begins) || lines[len(lines)-1] != v.Verdict() ||
				lines[0] != v.Verdict()) {
				t.Errorf("%s: first %q, last %q", name, lines[0], lines[len(lines)-1])
			}
			for _, s := range c.says {
				if !strings.Contains(text, s) && form == "text" {
					t.Errorf("%s: no %q in\n%s", name, s, text)
				}
			}
			for _, s := range append(c.unshown, "NaN", "0  0", "| 0 | 0 |") {
				if strings.Contains(text, s) {
					t.Errorf("%s: %q in\n%s", name, s, text)
				}
			}
		}
		if html := table.HTML(v); !strings.Contains(html, strings.Fields(c.begins)[0]) || strings.Contains(html, "NaN") {
			t.Errorf("%s: %s", name, html)
		}
	}
}

// Where nothing at all was checked, nothing is verified, and the verdict says what was not checked.
func TestNothingCheckedIsNotVerified(t *testing.T) {
	v := &cert.Verification{Title: "1-DP", Results: []cert.Result{{Check: cert.Check{Kind: "x", Statement: "one"},
		Derived: math.NaN(), Status: cert.NotRederived, Reason: "too much work"}}}
	if s := v.String(); v.OK() || !strings.HasPrefix(s, "NOT VERIFIED: nothing was checked") || !strings.Contains(s, "one") ||
		strings.Contains(s, "NaN") || strings.Contains(s, "1-DP") {
		t.Error(s)
	}
	if s := (&cert.Verification{}).Verdict(); !strings.HasPrefix(s, "NOT VERIFIED") {
		t.Error(s)
	}
}
