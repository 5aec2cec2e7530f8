package release_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/proofs"
)

var (
	theoremField = regexp.MustCompile(`,\s*"theorem": \{[^}]*\}`)
	assumesField = regexp.MustCompile(`,\s*"assumes": "[^"]*"`)
	hashField    = regexp.MustCompile(`("sha256": ")[0-9a-f]{8}`)
	scopeField   = regexp.MustCompile(`"scope": "[^"]*"`)
	programField = regexp.MustCompile(`,\s*"program": \{\s*"theorem": \{[^}]*\}(,\s*"assumes": "[^"]*")?\s*\}`)
)

// A file that was written before its checks had machine proofs cites none, and holds: the citation that is shown is
// that of today. A file that cites what nobody proved, or hides what is assumed, was edited.
func TestCitationsOfFiles(t *testing.T) {
	cited, programs, olds := 0, 0, 0
	for _, r := range several(t) {
		b := jsonOf(t, r)
		whole := b
		b = programField.ReplaceAll(b, nil) // as before the sampler's text had a proof
		if !bytes.Equal(b, whole) {
			programs++
			editProgram(t, b, whole)
		}
		without := assumesField.ReplaceAll(theoremField.ReplaceAll(b, nil), nil)
		if bytes.Equal(without, b) {
			continue
		}
		cited++
		if _, err := release.Parse(context.Background(), without); err != nil {
			t.Errorf("without citations: %v", err)
		}
		if v, err := release.VerifyBytes(t.Context(), without); err != nil || !v.OK() ||
			!strings.Contains(v.String(), "machine-checked theorem") {
			t.Errorf("without citations: %v\n%v", err, v)
		}
		olds += editEarlier(t, b)
		for name, edited := range map[string][]byte{
			"another statement":    hashField.ReplaceAll(b, []byte("${1}00000000")),
			"no hash":              regexp.MustCompile(`,\s*"sha256": "[^"]*"`).ReplaceAll(b, nil),
			"another theorem":      bytes.ReplaceAll(b, []byte(`"name": "Counts.`), []byte(`"name": "Discounts.`)),
			"assumptions left out": assumesField.ReplaceAll(b, nil),
			"assumptions alone":    theoremField.ReplaceAll(b, nil),
			"null":                 theoremField.ReplaceAll(b, []byte(`, "theorem": null`)),
		} {
			if bytes.Equal(edited, b) {
				continue
			}
			if name == "assumptions alone" && !assumesField.Match(b) {
				continue // the same as without citations
			}
			if _, err := release.Parse(context.Background(), edited); err == nil {
				t.Errorf("%s: loaded", name)
			}
			if v, err := release.VerifyBytes(t.Context(), edited); err == nil && v.OK() {
				t.Errorf("%s: verified", name)
			}
		}
	}
	if cited == 0 || programs == 0 || olds == 0 {
		t.Error("no release cites a theorem, or none about the sampler's text, or one that had another statement:",
			cited, programs, olds)
	}
}

// earlierStatements are the lines of earlier.list: name, hash and what was assumed.
func earlierStatements(t *testing.T) (out [][3]string) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile("../../proofs/statements/earlier.list"))(t))) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		hash, words, _ := strings.Cut(rest, " ")
		out = append(out, [3]string{name, hash, words})
	}
	return out
}

// citing is the text of a citation in a file.
func citing(name, hash, assumes string) string {
	return fmt.Sprintf(`, "theorem": {"name": %q, "sha256": %q}, "assumes": %q`, name, hash, assumes)
}

// editEarlier replaces the citation of a file by earlier ones: one of the same theorem, or of one that there no longer
// is, with what it assumed then, is read, and no other.
func editEarlier(t *testing.T, b []byte) (read int) {
	t.Helper()
	for _, now := range regexp.MustCompile(theoremField.String()+`,\s*"assumes": "[^"]*"`).FindAll(b, -1) {
		for _, e := range earlierStatements(t) {
			_, _, still := proofs.Cited(e[0])
			same := !still || bytes.Contains(now, []byte(`"name": "`+e[0]+`"`))
			for text, want := range map[string]bool{
				citing(e[0], e[1], e[2]): same, citing(e[0], e[1], "nothing"): false,
				strings.Replace(citing(e[0], e[1], ""), `""`, "null", 1): false,
			} {
				old := bytes.Replace(b, now, []byte(text), 1)
				if _, err := release.Parse(t.Context(), old); (err == nil) != want || bytes.Equal(old, b) {
					t.Errorf("%s for %s: %v", text, now, err)
				}
			}
			if same {
				read++
			}
		}
	}
	return read
}

// A file that cites the earlier statement about what is programmed, with what that assumed, holds: that of Hellinger
// rates was about the formula, and is about the text.
func TestEarlierStatementsAboutTheProgram(t *testing.T) {
	const theorem = `"name": "RateFloat.rate_float",`
	whole := jsonOf(t, votes(t, hellinger.New().ByTheorem(), model.Categorical("V1"), dp.PureDP(1), dp.Seeded(5)))
	field := programField.Find(whole)
	if !bytes.Contains(field, []byte(theorem)) {
		t.Fatalf("no statement is cited: %s", field)
	}
	kept := 0
	for _, e := range earlierStatements(t) {
		if e[0] == "RateFloat.rate_float" {
			kept++
		}
		for assumed, holds := range map[string]bool{e[2]: e[0] == "RateFloat.rate_float", "nothing": false, "": false} {
			old := []byte(`, "program": {` + citing(e[0], e[1], assumed)[1:] + "}")
			v, err := release.VerifyBytes(t.Context(), bytes.Replace(whole, field, old, 1))
			if (err == nil && v.OK()) != holds {
				t.Errorf("with %s: %v\n%v", old, err, v)
			}
		}
	}
	if kept == 0 {
		t.Error("no earlier statement is known")
	}
}

// editProgram reads a file without the citation of the sampler's text, which is that of earlier versions, and refuses
// one that cites less than the whole or something else.
func editProgram(t *testing.T, before, whole []byte) {
	t.Helper()
	if v, err := release.VerifyBytes(t.Context(), before); err != nil || !v.OK() {
		t.Errorf("without the citation of the text: %v\n%v", err, v)
	}
	field := programField.Find(whole)
	first := scopeField.FindIndex(before)[1] // that of the first check, about sensitivity, which has none
	other := slices.Concat(before[:first], field, before[first:])
	if _, err := release.Parse(context.Background(), other); err == nil {
		t.Error("a check that has no citation of the text cites it in a file: loaded")
	}
	for name, edit := range map[string]string{
		"empty": `, "program": {}`, "null": `, "program": null`,
		"no theorem":         `, "program": {"assumes": "nothing"}`,
		"no assumptions":     string(assumesField.ReplaceAll(field, nil)),
		"another statement":  string(hashField.ReplaceAll(field, []byte("${1}00000000"))),
		"of another theorem": strings.Replace(string(field), `"name": "`, `"name": "Other`, 1),
	} {
		edited := bytes.Replace(whole, field, []byte(edit), 1)
		if _, err := release.Parse(context.Background(), edited); err == nil || bytes.Equal(edited, whole) {
			t.Errorf("the citation of the text is %s: loaded", name)
		}
	}
}
