package privbayes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
)

// A saved report holds no markup, image or formula of a name's: in headings, cells, captions and the texts of images.
func TestNamesAreNoMarkupInReports(t *testing.T) {
	names := []string{"<img src=x onerror=alert(1)>", "![x](http://a.eu)", "**exact**", "~~ideal~~",
		`$\kern-9em\text{0.1-DP}$`}
	for _, name := range names {
		rows := survey(t, name, name, name, 40)
		train, test := rows.Split(.5, 1)
		report := must.Get(train.Model(privbayes.NaiveBayes(name)).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
			privbayes.Seeded(1)).Evaluate(test))(t)
		for _, ending := range []string{".html", ".md"} {
			path := filepath.Join(t.TempDir(), "report"+ending)
			must.Do(t, report.Save(path))
			b := must.Get(os.ReadFile(path))(t)
			saved := regexp.MustCompile(
				`<title>.*?</title>|alt="[^"]*"`,
			).ReplaceAllString(
				string(b),
				"",
			) // of HTML: no elements there
			text := ending == ".html" &&
				!strings.ContainsAny(name, `<$\`) // Markdown's signs are text in HTML
			if have := strings.Contains(saved, name); have != text {
				i := max(0, strings.Index(saved, name))
				t.Errorf("%s: %q stands as it is: %v, want %v: %.200s", ending, name, have, text, saved[i:])
			}
		}
	}
}
