package totals

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// arrived are totals of so many periods, of which a few are released, without noise: the cell k has 40·(k+1) rows more
// after every period.
func arrived(t *testing.T, periods, released int, regions []string) *Totals {
	t.Helper()
	p := planned(t, periods, dp.ZCDP(.05), regions)
	counts := make([]int64, periods*p.cells)
	for i := range counts {
		counts[i] = int64(40 * (i%p.cells + 1))
	}
	out := &Totals{plan: p, id: "a", sequence: "a", seeds: make([]*uint64, released)}
	for at := range released {
		out.y = append(out.y, measured(p.c, counts, p.cells, at))
	}
	return out
}

// A figure has the totals and intervals of the cells, those of most rows where there are more than six, and can be
// read.
func TestFigures(t *testing.T) {
	var many []string
	for i := range 9 {
		many = append(many, fmt.Sprintf("region %d", i+1))
	}
	for _, c := range []struct {
		periods, released int
		regions           []string
		series            int
		first             string
		named             bool
	}{
		{12, 1, []string{"n", "s"}, 2, "n", true}, {4, 4, nil, 1, "all", true}, {12, 11, []string{"n", "s"}, 2, "n", true},
		{24, 24, []string{"n", "s", "w"}, 3, "n", true}, {12, 12, many, 6, "region 9", true},
		{60, 45, []string{"n", "s"}, 2, "n", false},
	} {
		of := arrived(t, c.periods, c.released, c.regions)
		f := of.Figure()
		if err := f.Validate(); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%d of %d periods, %d regions", c.released, c.periods, len(c.regions))
		if len(f.Series) != c.series || f.Series[0].Name != c.first || (len(f.XTicks) == c.released) != c.named {
			t.Errorf("%s: %d series, the first is %q, %d names", name, len(f.Series), f.Series[0].Name, len(f.XTicks))
		}
		list := must.Get(of.After(of.Through(), .95))(t)
		for _, s := range f.Series {
			last, found := len(s.X)-1, false
			for _, e := range list {
				found = found || e.cell() == s.Name && e.Value == s.Y[last] && e.Low == s.Lo[last] && e.High == s.Hi[last]
			}
			if !found || last != c.released-1 {
				t.Errorf("%s: %s ends with %v, want one of %v", name, s.Name, s.Y[last], list)
			}
		}
		if _, alt := f.Words(); !strings.Contains(alt, "rows so far") || !strings.Contains(f.Caption, "ρ = 0.05") {
			t.Errorf("%s: %s; %s", name, alt, f.Caption)
		}
		for _, fault := range seen.Faults(f) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	seed, of := uint64(1), arrived(t, 4, 2, nil)
	of.seeds[1] = &seed
	f := of.Figure()
	if width := f.Series[0].Hi[1] - f.Series[0].Lo[1]; !strings.Contains(f.Caption, "not private: seeded") ||
		math.Abs(width/(2*of.plan.half(of.plan.sum(2), 1, .95))-1) > 1e-9 {
		t.Errorf("%s: width %v", f.Caption, width)
	}
}
