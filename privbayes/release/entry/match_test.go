package entry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
)

// A record belongs to its release however people wrote around what was drafted, and to no other; every statement that
// was changed is named.
func TestMatch(t *testing.T) {
	own := drawn(t, privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, 1e-6))
	other := drawn(t, privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, 1e-6))
	e := drafted(t, own)
	text := string(e.YAML())
	replace := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %q in\n%s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for name, c := range map[string]struct {
		file   []byte
		record string
		failed string // the statement that fails; "" for none
	}{
		"as drafted":       {own, text, ""},
		"windows":          {own, strings.ReplaceAll(text, "\n", "\r\n"), ""},
		"written around":   {own, replace("privacy_unit: \"\\\"", "privacy_unit: \"One \\\""), ""},
		"plain variant":    {own, replace(`"Approximate DP"`, "Approximate DP # as certified"), ""},
		"single quotes":    {own, replace(`"Approximate DP"`, "'Approximate DP'"), ""},
		"other release":    {other, text, "digest"},
		"other digest":     {own, strings.ReplaceAll(text, e.Digest, strings.Repeat("0", 64)), "digest"},
		"two digests":      {own, replace(e.Digest, e.Digest+" and "+strings.Repeat("0", 64)), "digest"},
		"no digest":        {own, replace(e.Digest, "told elsewhere"), "digest"},
		"smaller ε":        {own, replace("epsilon: 1.0", "epsilon: 0.5"), "ε"},
		"ε as a text":      {own, replace("epsilon: 1.0", `epsilon: "1.0"`), "ε"},
		"smaller δ":        {own, replace("delta: ", "delta: -"), "δ"},
		"a ρ":              {own, replace("epsilon: 1.0", "epsilon: 1.0\n      rho: 0.1"), "ρ"},
		"another variant":  {own, replace(`"Approximate DP"`, `"Pure DP"`), "variant"},
		"more units":       {own, replace("units: 435", "units: 436"), "number of units"},
		"another unit":     {own, replace("privacy_unit: \"\\\"member of Congress", "privacy_unit: \"\\\"state"), "the unit"},
		"better guarantee": {own, replace("arithmetic: exact. Log", "arithmetic: exact, always. Log"), "guarantee"},
		"another library":  {own, replace("Discrete Gaussian", "Rounded Gaussian"), "mechanism"},
		"another model":    {own, replace(`"Central"`, `"Local"`), "who adds the noise"},
		"with questions":   {own, replace(`"Non-interactive"`, `"Interactive"`), "how the product is used"},
		"less unprotected": {own, replace("n = 435.", "n is protected."), "unprotected"},
	} {
		m, err := entry.Match(t.Context(), c.file, []byte(c.record))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.OK() != (c.failed == "") || m.Open != len(e.Questions()) {
			t.Errorf("%s: %v", name, m)
		}
		for _, k := range m.Checks {
			if strings.Contains(k.Reason, "nil") {
				t.Errorf("%s: %s", name, k.Reason)
			}
			if !k.OK && (c.failed == "" || !strings.Contains(k.Statement, c.failed)) || k.OK != (k.Reason == "") {
				t.Errorf("%s: %+v", name, k)
			}
		}
	}
	if s := m(t, own, text).String(); !strings.Contains(s, "questions that are open: ") || !strings.Contains(s, "as the release") {
		t.Error(s)
	}
}

func m(t *testing.T, file []byte, record string) *entry.Matching {
	t.Helper()
	m, err := entry.Match(t.Context(), file, []byte(record))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What could be read in two ways is not read: the error names the line.
func TestMatchReadsOneWay(t *testing.T) {
	own := drawn(t, privbayes.Geometric(), privbayes.PureDP(1))
	for _, record := range []string{"", "# nothing\n", "a: &x 1\n", "a: *x\n", "a: !!str 1\n", "a: >\n  folded\n", "a: {b: 1}\n",
		"a: [1]\n", "a: 1\na: 2\n", "a: \"open\n", "a: 'open\n", "a: \"x\" y\n", "- a\nb: 1\n", "a:\n  b: 1\n c: 2\n",
		"a: 1\n  b: 2\n", "just text\n", "a: b: c\n", "? a\n: b\n", "---\na: 1\n", "a:\n\tb: 1\n", "{\"a\": 1, \"a\": 2}",
		"{\"a\": 1} x", strings.Repeat("a:\n", 3) + "x", "a: " + strings.Repeat("x", 1<<20), "\xff\xfe", deep()} {
		_, err := entry.Match(t.Context(), own, []byte(record))
		var fe *entry.FileError
		if !errors.As(err, &fe) || fe.Want == "" {
			t.Errorf("%.40q: %v", record, err)
		}
	}
}

func deep() string {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
