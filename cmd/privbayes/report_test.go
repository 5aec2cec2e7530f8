package main

import (
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A split with private n is repeated by the contents of the columns that the release has. Where others decided, too, it
// cannot be, and scores would be of rows that the release has seen.
func TestReportRepeatsTheSplit(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("t.csv", []byte("k,x\n"+strings.Repeat("a,1\na,2\nb,3\nb,1\n", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	schema := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("k", "a", "b"),
		frame.Categorical("x", "1", "2", "3")}}
	f := privbayes.LoadFrame("t.csv", schema)
	parts := func(f *privbayes.Frame) *privbayes.Frame { train, _ := f.Split(.7, 1); return train }
	for _, c := range []struct {
		name  string
		train *privbayes.Frame
		want  string // of the refusal
	}{
		{"all", parts(f.WithoutN()), ""},
		{"before", parts(f.Select("k").WithoutN()), ""},
		{"after", parts(f.WithoutN()).Select("k"), "in other columns than the release has"},
	} {
		p := c.train.Model(model.Categorical("k")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1).Under(dp.AddRemove), privbayes.Seeded(1), privbayes.KeepIn(c.name))
		if err := p.Err(); err != nil {
			t.Fatal(c.name, err)
		}
		table := "t.csv"
		if c.name != "all" {
			table = "k.csv"
			if err := os.WriteFile(table, []byte("k\n"+strings.Repeat("a\na\nb\nb\n", 40)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, out, errs := call("report", c.name, "--data", table)
		if (code == exitDone) != (c.want == "") || !strings.Contains(errs, c.want) || c.want != "" && out != "" {
			t.Errorf("%s: %d %s%s", c.name, code, out, errs)
		}
	}
}
