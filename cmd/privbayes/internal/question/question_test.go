package question

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// asia are the columns of a network, of which one has names that must be quoted.
func asia(t testing.TB) (*bayesnet.Net, []Column) {
	t.Helper()
	d := must.Get(bayesnet.NewDAG([]bayesnet.Node{
		bayesnet.Node{Name: "smoke", States: []string{"no", "yes"}},
		bayesnet.Node{Name: "age, years", States: []string{"[0, 16)", `16 "or" more`, `a\b`}, Parents: []string{"smoke"}},
		bayesnet.Node{Name: "größe", States: []string{"klein", "groß"}, Parents: []string{"smoke", "age, years"}}}))(t)
	net := must.Get(bayesnet.NewNet(d, [][]float64{{.7, .3}, {.2, .3, .5, .1, .1, .8},
		{.9, .1, .8, .2, .7, .3, .6, .4, .5, .5, .4, .6}}))(t)
	var columns []Column
	for i := range d.Len() {
		columns = append(columns, Column{d.Node(i).Name, d.Node(i).States})
	}
	return net, columns
}

// What is read is the question that package noiseaware makes, and it is shown as it was asked.
func TestParse(t *testing.T) {
	net, columns := asia(t)
	type event = noiseaware.Event
	P := noiseaware.Probability
	old := event{"age, years": `16 "or" more`}
	for text, want := range map[string]*noiseaware.Question{
		"P(smoke=yes)":                                  P(event{"smoke": "yes"}),
		" P ( smoke = yes ) ":                           P(event{"smoke": "yes"}),
		`P("smoke"="yes")`:                              P(event{"smoke": "yes"}),
		`P(smoke=yes, größe=groß)`:                      P(event{"smoke": "yes", "größe": "groß"}),
		`P(größe=klein|"age, years"="[0, 16)")`:         P(event{"größe": "klein"}, event{"age, years": "[0, 16)"}),
		`P("age, years"="16 \"or\" more" | smoke = no)`: P(old, event{"smoke": "no"}),
		`P(größe=groß | smoke=no, "age, years"="a\\b")`: P(event{"größe": "groß"}, event{"smoke": "no", "age, years": `a\b`}),
		`P(größe=groß | "age, years"=a\b)`:              P(event{"größe": "groß"}, event{"age, years": `a\b`}),
		"diff(P(smoke=yes), P(smoke=no))": noiseaware.Difference(P(event{"smoke": "yes"}),
			P(event{"smoke": "no"})),
		"ratio(P(smoke=yes),P(größe=groß))": noiseaware.Ratio(P(event{"smoke": "yes"}), P(event{"größe": "groß"})),
		"odds(P(größe=groß|smoke=yes), P(größe=groß|smoke=no))": noiseaware.OddsRatio(
			P(event{"größe": "groß"}, event{"smoke": "yes"}), P(event{"größe": "groß"}, event{"smoke": "no"})),
		`diff(ratio(P(smoke=yes),P(smoke=no)),P("age, years"="16 \"or\" more"))`: noiseaware.Difference(
			noiseaware.Ratio(P(event{"smoke": "yes"}), P(event{"smoke": "no"})), P(old)),
		`dependence("age, years", größe)`: noiseaware.Dependence("age, years", "größe"),
	} {
		q, err := Parse(text, columns)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err1 := q.Of(net)
		x, err2 := want.Of(net)
		if err1 != nil || err2 != nil || math.Abs(got-x) > 1e-12 || q.String() != strings.TrimSpace(text) {
			t.Errorf("%s is %q: %v, want %v; %v %v", text, q, got, x, err1, err2)
		}
	}
}

// What cannot be read is refused at its place, with what is wanted there.
func TestParseErrors(t *testing.T) {
	_, columns := asia(t)
	for text, want := range map[string]Error{
		"":                          {At: 1, Found: `""`, Want: "P(…)"},
		"smoke=yes":                 {At: 1, Found: `"smoke=yes"`, Want: "P(…)"},
		"p(smoke=yes)":              {At: 1, Found: `"p"`, Want: "P(…)"},
		"rato(P(smoke=yes),P())":    {At: 1, Found: `"rato"`, Want: "did you mean ratio?"},
		"P":                         {At: 1, Found: `"P"`, Want: "P(…)"},
		"P()":                       {At: 3, Found: `")"`, Want: "a column"},
		"P(smoke)":                  {At: 8, Found: `")"`, Want: "= and a level"},
		"P(smoke=)":                 {At: 9, Found: `")"`, Want: "a level"},
		"P(smoke=yes":               {At: 12, Found: "the end", Want: "a closing parenthesis"},
		"P(smoke=yes) x":            {At: 14, Found: `"x"`, Want: "the end"},
		"P(smok=yes)":               {At: 3, Found: `"smok"`, Want: `did you mean "smoke"?`},
		"P(smoke=yess)":             {At: 9, Found: `"yess"`, Want: `did you mean "yes"?`, Column: "smoke"},
		"P(größe=gross)":            {At: 9, Found: `"gross"`, Want: `"groß"`, Column: "größe"},
		"P(smoke=yes, smoke=no)":    {At: 14, Found: `"smoke" a second time`, Want: "every column once"},
		"P(smoke=yes | smoke=no)":   {At: 15, Found: `"smoke" a second time`, Want: "every column once"},
		"P(smoke=yes |)":            {At: 14, Found: `")"`, Want: "a column"},
		`P("smoke=yes)`:             {At: 14, Found: "the end", Want: "a closing quote"},
		"P(age, years=a)":           {At: 3, Found: `"age"`, Want: `"age, years"`},
		"diff(P(smoke=yes))":        {At: 18, Found: `")"`, Want: "a comma and a second question"},
		"diff(P(smoke=yes), smoke)": {At: 20, Found: `"smoke)"`, Want: "P(…)"},
		"dependence(smoke)":         {At: 17, Found: `")"`, Want: "a comma and the child"},
		"dependence(smoke, child)":  {At: 19, Found: `"child"`, Want: "one of"},
		"P(smoke=\xff)":             {At: 1, Found: "bytes that are no text", Want: "UTF-8"},
		strings.Repeat("diff(", 30): {At: 106, Found: `"d"`, Want: "at most 20"},
		strings.Repeat("x", 1<<15):  {At: 1, Found: "32768 bytes", Want: "at most 16384"},
	} {
		_, err := Parse(text, columns)
		var e *Error
		if !errors.As(err, &e) || e.At != want.At || e.Found != want.Found || !strings.Contains(e.Want, want.Want) ||
			e.Column != want.Column || len(e.Error()) > 600 {
			t.Errorf("%.60q: %#v, want %+v", text, err, want)
		}
	}
}

// FuzzParse reads texts: what is read has an answer on a network or a typed refusal, and what is not is refused at a
// place of the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`P("age, years"="[0, 16)" | smoke=yes)`, "odds(P(smoke=yes),P(smoke=no))",
		"dependence(smoke,größe)",
		`P(größe=groß | "age, years"="16 \"or\" more", smoke=no)`, "diff(ratio(P(smoke=no),P(smoke=no)),P(smoke=no))"} {
		f.Add(s)
	}
	net, columns := asia(f)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text, columns)
		var e *Error
		if err != nil {
			if !errors.As(err, &e) || e.At < 1 || e.At > len(text)+1 || e.Found == "" || e.Want == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		if _, err := q.Of(net); err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Fatalf("%q: an error without words", text)
		}
	})
}
