package main

import (
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// What the commands say of privacy is what the guarantee covers: in every adjacency, of one column and of several, with
// the scope of a check, and whatever a unit is called. What is not proved now is not said.
func TestPrivacyInWords(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := `{"dataset":"s","unit":"person, sampling: exact","columns":[{"name":"a","kind":"categorical",
		"categories":["yes","no"]}]}`
	must.Do(t, os.WriteFile("s.json", []byte(schema), 0o600))
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--out", "r.json")
	const known, every = "If it is known that the", "Every possible publication"
	for line, c := range map[string]struct{ has, not []string }{
		"plan --data votes --target Class --epsilon 1": {[]string{every, "been any other", "checked on 9 of 16"},
			[]string{known, "does not cover"}},
		"plan --data votes --target Class --epsilon 1 --adjacency add-remove": {
			[]string{"added or left out", known, "at most 37.0 of 100"}, []string{"does not cover"}},
		"plan --data votes --target Class --epsilon 1 --adjacency replace-value": {[]string{
			`in a column other than the class "Class"`, `does not cover the class "Class", nor several values`},
			[]string{known}},
		"plan --network asia --n 50 --epsilon 1 --adjacency replace-value": {[]string{`in a column other than "`,
			"does not cover"}, []string{"the class"}},
		"plan --levels 3 --n 50 --epsilon 1 --adjacency replace-value": {[]string{"had one value in the row"},
			[]string{"class", "cover"}},
		"plan --schema s.json --n 50 --epsilon 1 --mechanism posterior-sample": {
			[]string{`unit: "person, sampling: exact", sampling: floating point`, "categorical posterior"}, nil},
		"plan --schema s.json --n 50 --epsilon 1 --post-process clamp": {[]string{"clamp"}, nil},
		"plan --data votes --target Class --epsilon 1 --details": {
			[]string{"standard formula ε = 1 (", "guarantee ε = 1 (pure DP), replace-one"}, []string{"1-DP", "arithmetic:"}},
		"show r.json --details":  {[]string{"guarantee ε = 1 (pure DP)"}, []string{"1-DP", "arithmetic:"}},
		"verify r.json":          {[]string{every, "checked on 9 of 16"}, nil},
		"verify r.json --work 1": {[]string{"VERIFIED IN PART"}, []string{every, "Privacy: "}},
	} {
		_, out, errs := call(strings.Fields(line)...)
		words := strings.Join(strings.Fields(out), " ")
		for _, want := range c.has {
			if !strings.Contains(words, want) {
				t.Errorf("%s: no %q in %s%s", line, want, out, errs)
			}
		}
		for _, no := range c.not {
			if strings.Contains(words, no) {
				t.Errorf("%s: %q in %s", line, no, out)
			}
		}
	}
}
