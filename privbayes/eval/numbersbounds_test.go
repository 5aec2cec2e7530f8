package eval_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// cut is a frame of n rows whose first rows have responses beyond the bounds [−1, 1], which reading moves there.
func cut(t *testing.T, n, beyond int) *frame.Frame {
	t.Helper()
	y := frame.Real("y", -1, 0, 1)
	y.OnOutOfDomain = frame.DomainClamp
	s := &frame.Schema{Dataset: "cut", Columns: []frame.Column{frame.Integer("x", -3.5, 0, 3.5), y}}
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range n {
		v := float64(i%19)/20 - .45
		if i < beyond {
			v += 5 * float64(i%2*2-1)
		}
		fmt.Fprintf(&b, "%d,%g\n", i%7-3, v)
	}
	f, err := frame.Read(t.Context(), strings.NewReader(b.String()), "cut", s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The private part says how many training values lie at public bounds; what the public part says is the same whatever
// their number, byte by byte, and so are release, plan and certificate.
func TestValuesAtBoundsStayPrivate(t *testing.T) {
	const n = 900
	var sh *model.Shape
	var rel *release.Release
	var public []byte
	for i, beyond := range []int{0, 137} {
		f, test := cut(t, n, beyond), cut(t, 50, 3)
		if i == 0 {
			var err error
			if sh, err = model.NewShape(f.Schema(), model.LinearRegression("y", "x"), n, true, ""); err != nil {
				t.Fatal(err)
			}
		}
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			p, err := linear.Sampler(3).Plan(t.Context(), sh, dp.PureDP(1))
			if err != nil {
				t.Fatal(err)
			}
			d, err := p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(2))
			if err != nil {
				t.Fatal(err)
			}
			if rel, err = release.New(t.Context(), p, d); err != nil {
				t.Fatal(err)
			}
		}
		report, err := eval.NewReport(rel, st, test)
		if err != nil {
			t.Fatal(err)
		}
		tables := report.PrivateTables()
		last := tables[len(tables)-1].String()
		training, held := fmt.Sprint(beyond), 2*50/7+1
		for _, word := range []string{"do not publish", "moved to the bound", "refused", training, fmt.Sprint(held)} {
			if !strings.Contains(last, word) {
				t.Errorf("no %q in\n%s", word, last)
			}
		}
		path := filepath.Join(t.TempDir(), "public.json")
		if err := report.SavePublic(path); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(got, []byte("at a public bound")) || i > 0 && !bytes.Equal(got, public) {
			t.Error("the public part depends on the values at bounds")
		}
		public = got
		if err := report.Save(path); err != nil {
			t.Fatal(err)
		}
		if got, err = os.ReadFile(path); err != nil || !bytes.Contains(got, []byte("at a public bound (private: do "+
			"not publish)")) {
			t.Error("the private part does not show them", err)
		}
	}
}
