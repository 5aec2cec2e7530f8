package dp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

var shownGuarantee = regexp.MustCompile(
	`^ε = 1, replace-one, unit: ("(?:[^"\\\n]|\\.)*")(?: of up to (\d+) rows)?, sampling: (exact|floating point)$`,
)

// readBack takes a shown guarantee apart.
func readBack(s string) (unit string, rows int, arithmetic string, err error) {
	m := shownGuarantee.FindStringSubmatch(s)
	if m == nil {
		return "", 0, "", errors.New("not a guarantee: " + s)
	}
	if unit, err = strconv.Unquote(m[1]); err != nil {
		return "", 0, "", err
	}
	rows = 1
	if m[2] != "" {
		rows, err = strconv.Atoi(m[2])
	}
	return unit, rows, m[3], err
}

func anyUnit(t *rapid.T) string {
	parts := []string{
		"person",
		", sampling: exact",
		" of up to 10 rows",
		`"`,
		`\`,
		`\"`,
		"”",
		"''",
		"\n",
		"\r",
		"\x1b[1A",
		"\u202e",
		"\u200b",
		"\xff",
		"é",
		"unit: ",
		"人",
		" ",
	}
	return rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 5).Draw(t, "parts"), "")
	})).Draw(t, "unit")
}

func shows(t *rapid.T) error {
	g := Guarantee{
		Parameters:  PureDP(1).Parameters,
		Arithmetic:  rapid.SampledFrom([]Arithmetic{Exact, Ideal}).Draw(t, "arithmetic"),
		Unit:        anyUnit(t),
		RowsPerUnit: rapid.SampledFrom([]int{1, 2, 10}).Draw(t, "rows"),
	}
	unit, rows, arithmetic, err := readBack(g.String())
	if err != nil || unit != g.Unit || rows != g.RowsPerUnit || arithmetic != g.Arithmetic.String() {
		return fmt.Errorf("%q of %d rows, %s, is shown as %s: %v", g.Unit, g.RowsPerUnit, g.Arithmetic, g, err)
	}
	return nil
}

// A guarantee is read back whatever its unit is: no two guarantees are shown alike, and no unit poses as a part of one.
func TestGuaranteesAreShownUnambiguously(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		must.Do(t, shows(t))
	})
}

// Without quotes, or with quotes that the text may close, the property fails.
func TestUnquotedUnitsAreSeen(t *testing.T) {
	defer func() { quote = safetext.Quote }()
	for name, mutant := range map[string]func(string) string{
		"bare": func(s string) string { return s },
		"open": func(s string) string { return `"` + s + `"` },
	} {
		quote = mutant
		failed := false
		for i := range 200 {
			unit := rapid.Custom(func(t *rapid.T) error { return shows(t) }).Example(i)
			failed = failed || unit != nil
		}
		if !failed {
			t.Errorf("%s: the mutant shows guarantees that read back", name)
		}
		quote = safetext.Quote
	}
}

func TestGuaranteeOfStrangeParts(t *testing.T) {
	g := Guarantee{
		Parameters: PureDP(1).Parameters,
		Arithmetic: "exact\n1-DP",
		Unit:       "person", Adjacency: UnderMetric(`x, unit: "all"`),
	}
	const want = `ε = 1, metric:"x, unit: \u0022all\u0022", unit: "person", sampling: unknown, "exact\n1-DP"`
	if got := g.String(); got != want {
		t.Error(got)
	}
	if got := (Parameters{Notion: "pure\n", Epsilon: 1}).String(); got != `no privacy definition: "pure\n"` {
		t.Error(got)
	}
	if got := NotPrivate("seeded\r1-DP\u202e").String(); got != `not private: seeded\r1-DP\u202e` {
		t.Error(got)
	}
}

// Names of metrics are refused where they come in: targets, files.
func TestTextsAreRefused(t *testing.T) {
	for _, bad := range []string{"", "a\nb", "a\rb", "a\x1b[2K", "a\u202eb", "a\u200bb", " a", "a\u00a0b", "\xff"} {
		var p *ParameterError
		if err := PureDP(1).Under(UnderMetric(bad)).Valid(); !errors.As(err, &p) || p.Parameter != "adjacency" {
			t.Errorf("metric %q: %v", bad, err)
		}
		var a Adjacency
		if err := a.UnmarshalText([]byte("metric:" + bad)); !errors.As(err, &p) {
			t.Errorf("text metric:%q: %v", bad, err)
		}
		if err := a.UnmarshalText([]byte("x" + bad)); !errors.As(err, &p) ||
			strings.ContainsAny(err.Error(), "\n\r\x1b\u202e\u200b") {
			t.Errorf("adjacency %q: %v", bad, err)
		}
	}
	for _, a := range []Adjacency{ReplaceOne, AddRemove, ReplaceValue, UnderMetric("Σ|x − y|"), UnderMetric(`a "b"`)} {
		text, err := json.Marshal(a)
		var back Adjacency
		if err != nil || json.Unmarshal(text, &back) != nil || back != a || a.Valid() != nil {
			t.Errorf("%s is written as %s and read as %s", a, text, back)
		}
	}
}
