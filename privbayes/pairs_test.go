package privbayes_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// learnedVotes is a tree of four columns.
func learnedVotes() (*release.Release, *frame.Frame, error) {
	train, test := privbayes.ReadFrame(data.Votes()).Split(.7, 1)
	r, err := train.Learn(privbayes.Tree().Of("Class", "V3", "V4", "V5")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(5), privbayes.Seeded(1)).Release()
	return r, test.Data(), err
}

func Example_comparePairs() {
	r, rows, err := learnedVotes()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := eval.ComparePairs(context.Background(), r, rows)
	fmt.Println(p, err)
	// Output:
	// Tables of two columns next to the rows (private: do not publish)
	// column  column  released  independent columns
	// ------  ------  --------  -------------------
	// V3      V5        0.1121               0.3468
	// V3      V4       0.09658               0.3926
	// V4      V5       0.06276               0.3919
	// Class   V3       0.04941                 0.38
	// Class   V4       0.04338               0.4275
	// Class   V5       0.01859               0.3508
	// Total variation; mean over all pairs 0.06381 released, 0.3816 if its columns were independent of one another.
	// Structure learned with geometric noise, ε = 5, replace-one, "votes", n = 305; seeded: not private; compared with "votes", 130 rows
	//  <nil>
}

// Distances are those of the definition, from records and from the network's own joint law; the map has one half of
// each.
func TestComparePairs(t *testing.T) {
	r, rows := must.Get2(learnedVotes())(t)
	p := must.Get(eval.ComparePairs(t.Context(), r, rows))(t)
	net, d := r.Model().Network(), len(p.Columns)
	h := p.HeatMap()
	if b, err := h.SVG(); err != nil || !strings.Contains(string(b), "PRIVATE") {
		t.Error("no map, or no stamp", err)
	}
	for i := range d {
		for k := range i {
			counts := must.Get(rows.CountPrivate(p.Columns[i], p.Columns[k]))(t)
			joint := must.Get(net.Query([]int{i, k}, nil))(t)
			a, _ := net.Marginal(i)
			b, _ := net.Marginal(k)
			want, apart := 0.0, 0.0
			for c, n := range counts {
				share := float64(n) / float64(rows.Len())
				want += math.Abs(joint[c]-share) / 2
				apart += math.Abs(a[c/len(b)]*b[c%len(b)]-share) / 2
			}
			if math.Abs(p.Released[i][k]-want) > 1e-12 || math.Abs(p.Apart[k][i]-apart) > 1e-12 {
				t.Errorf("%s, %s: %v, %v; want %v, %v", p.Columns[i], p.Columns[k], p.Released[i][k], p.Apart[i][k], want, apart)
			}
			x, y := slices.Index(h.Rows, p.Columns[i]), slices.Index(h.Rows, p.Columns[k])
			x, y = max(x, y), min(x, y)
			if h.Cells[x][y] != p.Released[i][k] || !math.IsNaN(h.Cells[y][x]) || !math.IsNaN(h.Cells[x][x]) {
				t.Error("the map has other numbers")
			}
		}
	}
	few, err := rows.Head(20)
	if err != nil {
		t.Fatal(err)
	}
	other, err := eval.ComparePairs(t.Context(), r, few)
	if err != nil || !slices.Equal(other.HeatMap().Rows, h.Rows) || slices.Equal(h.Rows, p.Columns) {
		t.Errorf("the order depends on the rows, or is that of the columns: %v, %v", h.Rows, err)
	}
	if released, apart := p.Mean(); !(released < apart) {
		t.Errorf("learned %v, without edges %v", released, apart)
	}
	f, err := p.Margin("Class")
	if err != nil || !f.Private || len(f.Series) != 2 {
		t.Fatal(f, err)
	}
	if _, _, err := f.Size(); err != nil {
		t.Error(err)
	}
}

func TestComparePairsRefuses(t *testing.T) {
	r, rows := must.Get2(learnedVotes())(t)
	other := must.Get(privbayes.ReadFrame(data.Votes()).Model(privbayes.Categorical("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release())(t)
	few := must.Get(rows.Select("Class", "V3"))(t)
	var bad *dp.ParameterError
	for name, run := range map[string]func() error{
		"no release": func() error { _, err := eval.ComparePairs(t.Context(), nil, rows); return err },
		"no rows":    func() error { _, err := eval.ComparePairs(t.Context(), r, nil); return err },
		"no network": func() error { _, err := eval.ComparePairs(t.Context(), other, rows); return err },
		"no column": func() error {
			p, err := eval.ComparePairs(t.Context(), r, rows)
			if err == nil {
				_, err = p.Margin("income")
			}
			return err
		},
	} {
		if err := run(); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var column *frame.ColumnError
	if _, err := eval.ComparePairs(t.Context(), r, few); !errors.As(err, &column) || column.Column != "V4" {
		t.Errorf("a missing column: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := eval.ComparePairs(ended, r, rows); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}
