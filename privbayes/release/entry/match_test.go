package entry_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
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
		"better guarantee": {own, replace("sampling: exact. Log", "sampling: exact, always. Log"), "guarantee"},
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
	for name, record := range map[string]string{
		"elsewhere":  text + "epsilon: 0.01\n",
		"in a list":  replace("epsilon: 1.0", "epsilon:\n        - 1.0"),
		"in another": replace("  basic:\n", "  basic:\n    privacy_unit: \"a row\"\n"),
	} {
		if k := m(t, own, record).Checks; k[len(k)-1].OK || !strings.Contains(k[len(k)-1].Statement, "in its place") {
			t.Errorf("%s: %+v", name, k)
		}
	}
	if s := m(t, own, text).String(); !strings.Contains(s, "questions that are open: ") || !strings.Contains(s, "as the release") {
		t.Error(s)
	}
}

func m(t *testing.T, file []byte, record string) *entry.Matching {
	t.Helper()
	return must.Get(entry.Match(t.Context(), file, []byte(record)))(t)
}

// oneWay is what could be read in two ways, a text per line of the constant, as Go quotes it.
const oneWay = `
# nothing
a: &x 1
a: *x
a: !!str 1
a: !x 1
a: >\n  folded
a: {b: 1}
a: [1]
a: 1\na: 2
<<: 1
a: <<
a: =
a: "open
a: 'open
a: 'it''s
a: "x" y
a: 'x' y
a: "x"# no blank before it
a: 'x'# no blank before it
- a\nb: 1
- a
a:\n  b: 1\n c: 2
a: 1\n  b: 2
a: "x"\n  y
a: x\n  y
just text
a: b: c
a: b:
a:1
? a\n: b
---\na: 1
a: 1\n---\na: 2
a: 1\n...\n
%YAML 1.1\n---\na: 1
a:\n\tb: 1
a:\t1
a: 1\t
a: "x\t"
{"a": 1, "a": 2}
{"a": {"b": 1, "\\u0062": 2}}
{"a": 1} x
{"a": 1} {"b": 2}
{"a":\t1}
{"a": true}
{"a": null}
{"a": 1e-1}
{"a": 01}
{"a": 1.0e+999}
{"a/b": 1}
{"ε": 1}
{"": 1}
{"a": "\\/"}
{"a": "\\ud83d\\ude00"}
{"a": "x\\"}
a:
a:\n\nb: 1
a: ~
a: null
a: Null
a: true
a: no
a: Yes
a: OFF
a: y
a: NaN
a: .nan
a: .inf
a: -.inf
n: 1
no: 1
a: 1_000
a: 0o7
a: 010
a: 0x1F
a: 0b1
a: .5
a: 1.
a: +1
a: 1e-1
a: 1.0e5
a: 1.0e+999
a: 1:30
a: 1,000
a: 2024-01-01
a: 2024-01-01T00:00:00Z
a: 12345678901234567890
a: 1 000
a: |\n  x
a: |+\n  x
a: |2-\n    x
a: |-
a: |-\nb: 1
a: |-\n\n  x
a: |-\n    x\n  y
a: |-\n  x \n  y
a: |-\n  x\n  \n  y
a: 1${" "}
a: "x"${" "}
a: "\\/"
a: "\\ud83d\\ude00"
a: "\\x41"
a: "\\N"
a: x\u00a0
a:\u00a01
\u00a0a: 1
a: 1 # x\u0085b: 2
a: 1 # x\rb: 2
a: 1\r\r\nb: 2
a: 1 # x\u2028b: 2
a: 1 # x\u2029b: 2
a: "x\u0085y"
{"a": "x\u2028y"}
{"a":\r1}
\ufeffa: 1
a: x\u200by
a: "x\u202ey"
a: 1 # \u2066
a: "x\u0000"
a: \x1b[2J
a: "x\xff"
epsilon: 1.0\nEpsilon: 0.01
Epsilon: 0.01
epsi1on: 0.01
DELTA: 0.0
a:\n  De1ta: 0.0
b1: 1\nbl: 1
{"a": {"B": 1}, "b": 2}
\u0435psilon: 0.01
{"\u0435psilon": 0.01}`

// What could be read in two ways is not read: the error names the line.
func TestMatchReadsOneWay(t *testing.T) {
	own := drawn(t, privbayes.Geometric(), privbayes.PureDP(1))
	records := []string{"", strings.Repeat("a:\n", 3) + "x", "a: " + strings.Repeat("x", 1<<20), "\xff\xfe", deep(),
		"{\"a\": " + strings.Repeat("[", 64000), strings.Repeat("- ", 64000) + "a", strings.Repeat("a: ", 64000)}
	for line := range strings.SplitSeq(strings.ReplaceAll(oneWay, `${" "}`, " "), "\n") {
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		records = append(records, text)
	}
	for _, record := range records {
		_, err := entry.Match(t.Context(), own, []byte(record))
		var fe *entry.FileError
		if !errors.As(err, &fe) || fe.Want == "" || strings.ContainsAny(err.Error(), "\u0085\u2028\u202e\x1b\r\n") {
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
