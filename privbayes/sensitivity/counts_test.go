package sensitivity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func shape(t testing.TB, m model.Model, rows int, levels ...int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test", RowsPerUnit: rows}
	for i, l := range levels {
		cats := make([]string, l)
		for c := range cats {
			cats[c] = fmt.Sprint(c)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), cats...))
	}
	return must.Get(model.NewShape(s, m, 100, true, ""))(t)
}

func TestClosedForms(t *testing.T) {
	for _, c := range []struct {
		m      model.Model
		rows   int
		levels []int
		adj    dp.Adjacency
		l1, l2 int
	}{
		{model.Binary("c0"), 1, []int{2}, dp.ReplaceOne, 1, 1},
		{model.Binary("c0"), 1, []int{2}, dp.AddRemove, 1, 1},
		{model.Categorical("c0"), 1, []int{5}, dp.ReplaceOne, 2, 2},
		{model.Categorical("c0"), 1, []int{5}, dp.AddRemove, 1, 1},
		{model.Categorical("c0"), 3, []int{5}, dp.ReplaceOne, 6, 18},
		{model.NaiveBayes("c0"), 1, []int{2, 3, 4, 2}, dp.ReplaceOne, 6, 6},
		{model.NaiveBayes("c0"), 1, []int{2, 3, 4, 2}, dp.AddRemove, 3, 3},
		{model.NaiveBayes("c0"), 1, []int{2, 3, 4, 2}, dp.ReplaceValue, 2, 2},
		{model.NaiveBayes("c0"), 2, []int{2, 3, 4, 2}, dp.ReplaceOne, 12, 24},
	} {
		s, err := OfCounts(shape(t, c.m, c.rows, c.levels...), c.adj)
		if err != nil || s.L1() != c.l1 || s.L2Squared() != c.l2 {
			t.Errorf("%s, %s: %+v, %v; want ℓ₁ = %d, ℓ₂² = %d", c.m, c.adj, s, err, c.l1, c.l2)
		}
	}
}

// The closed form is what visiting every pair of rows finds, for random structures under every adjacency.
func TestClosedFormEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		levels := []int{rapid.IntRange(2, 4).Draw(r, "classes")}
		for range rapid.IntRange(0, 3).Draw(r, "features") {
			levels = append(levels, rapid.IntRange(2, 4).Draw(r, "levels"))
		}
		var m model.Model = model.NaiveBayes("c0")
		if len(levels) == 1 {
			m = model.Categorical("c0")
		}
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue} {
			sh := shape(t, m, 1, levels...)
			if !adj.PublicN() {
				sh = sh.WithoutN()
			}
			s := must.Get(OfCounts(sh, adj))(r)
			params, _ := json.Marshal(structureOf(sh, adj))
			out, err := cert.Run(context.Background(), "sensitivity/counts", params)
			if err != nil || int(out.Value) != s.Cells {
				r.Fatalf("%v, %s: closed form %d, enumeration %v, %v", levels, adj, s.Cells, out.Value, err)
			}
		}
	})
}

func TestReducedStructuresStayEnumerable(t *testing.T) {
	s := structure{Target: 9, Features: []int{100, 3, 50, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, PublicN: true}
	r := s.reducedTo(1 << 20)
	if p := r.records() * r.records(); p > 1<<20 || r.Target < 2 || len(r.Features) < 1 {
		t.Errorf("%+v has %v pairs", r, p)
	}
	if len(s.Features) != 16 || s.Features[0] != 100 {
		t.Error("reducing changed the original")
	}
}

func TestRefusals(t *testing.T) {
	var ae *AdjacencyError
	if _, err := OfCounts(shape(t, model.Categorical("c0"), 1, 3), dp.UnderMetric("rho")); !errors.As(err, &ae) {
		t.Error(err)
	}
	if _, err := OfCounts(shape(t, model.Categorical("c0"), 1, 3).WithoutN(), dp.ReplaceOne); !errors.Is(err,
		frame.ErrPrivateN) {
		t.Error(err)
	}
	for _, bad := range []string{`{`, `{"target":1,"adjacency":"replace-one"}`,
		`{"target":2,"features":[0],"adjacency":"replace-one"}`, `{"target":2,"adjacency":"magic"}`} {
		if _, err := cert.Run(context.Background(), "sensitivity/counts", []byte(bad)); err == nil {
			t.Errorf("%s passed", bad)
		}
	}
	if _, err := cert.Run(cert.WithWorkLimit(context.Background(), 3), "sensitivity/counts",
		[]byte(`{"target":3,"adjacency":"replace-one"}`)); !errors.Is(err, cert.ErrWorkLimit) {
		t.Error(err)
	}
}

func ExampleOfCounts() {
	s := &frame.Schema{Dataset: "survey",
		Columns: []frame.Column{frame.Categorical("y", "a", "b"), frame.Categorical("x", "p", "q", "r")}}
	sh, _ := model.NewShape(s, model.NaiveBayes("y"), 100, true, "")
	c, _ := OfCounts(sh, dp.ReplaceOne)
	fmt.Println("ℓ₁ =", c.L1(), " ℓ₂² =", c.L2Squared())
	// Output: ℓ₁ = 2  ℓ₂² = 2
}
