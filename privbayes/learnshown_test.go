package privbayes_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
)

// A report of a learned release says in its public part, in every written form, what was learned, and draws it; one of
// a given network does not.
func TestReportsShowWhatWasLearned(t *testing.T) {
	train, test := levelled(t, 3000, 2, 3, 2, 2).Split(.7, 1)
	given := privbayes.Network("c0", privbayes.Node("c0"), privbayes.Node("c1", "c0"), privbayes.Node("c2", "c1"),
		privbayes.Node("c3", "c2"))
	for name, c := range map[string]struct {
		spec    privbayes.ModelSpec
		noise   privbayes.Mechanism
		learned bool
	}{
		"tree":      {privbayes.Tree(), privbayes.Geometric(), true},
		"pairs":     {privbayes.MaxEntropy(), privbayes.Geometric(), true},
		"privbayes": {privbayes.PrivBayes().Degree(2), privbayes.Laplace(), true},
		"given":     {given, privbayes.Geometric(), false},
	} {
		p := train.Model(c.spec).Privatize(c.noise, privbayes.PureDP(5), privbayes.Seeded(1))
		report, err := p.Evaluate(test)
		if err != nil {
			t.Fatal(name, err)
		}
		r, err := p.Release()
		if err != nil {
			t.Fatal(name, err)
		}
		edges, drawing := "", ""
		if g := r.StructureGraph(); (g != nil) != c.learned || (p.StructureGraph() != nil) != c.learned {
			t.Fatalf("%s: a graph: %v", name, g)
		} else if g != nil {
			edges = fmt.Sprintf("%d edge", len(r.Structure().Edges))
			svg, err := g.SVG()
			if err != nil || len(r.Structure().Edges) == 0 {
				t.Fatal(name, err, r.Structure())
			}
			for _, column := range []string{"c0", "c1", "c2", "c3"} {
				if !bytes.Contains(svg, []byte(column)) {
					t.Errorf("%s: no %s in the drawing", name, column)
				}
			}
			drawing = base64.StdEncoding.EncodeToString(svg)
		}
		for _, form := range []string{".html", ".md", ".json"} {
			path := filepath.Join(t.TempDir(), "report"+form)
			if err := report.SavePublic(path); err != nil {
				t.Fatal(name, err)
			}
			b := must.Get(os.ReadFile(path))(t)
			for _, part := range []string{"Learned structure", "Learned network of 4 columns", edges} {
				if strings.Contains(string(b), part) != c.learned && part != "" {
					t.Errorf("%s%s: %q is there: %v", name, form, part, !c.learned)
				}
			}
			if form != ".json" && c.learned && !bytes.Contains(b, []byte(drawing)) {
				t.Errorf("%s%s: not drawn", name, form)
			}
		}
		for shown, s := range map[string]string{"text": report.String(), "HTML": report.HTML()} {
			if strings.Contains(s, "Learned structure") != c.learned {
				t.Errorf("%s, %s: says what was learned: %v", name, shown, !c.learned)
			}
		}
		if _, private, _ := strings.Cut(report.String(), "PRIVATE PART"); strings.Contains(private, "Learned structure") {
			t.Errorf("%s: in the private part", name)
		}
	}
}
