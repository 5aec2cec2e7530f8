package junction_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/junction"
)

func build(t interface{ Fatal(...any) }, levels []int, scopes [][]int) *junction.Forest {
	f, err := junction.Build(context.Background(), levels, scopes, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// proper says what is wrong with a forest over scopes, "" if nothing: every scope in a clique, every clique maximal,
// the running intersection, separators that are the intersections, and parents before children.
func proper(f *junction.Forest, scopes [][]int) string {
	in := func(set, of []int) bool {
		return !slices.ContainsFunc(set, func(v int) bool { return !slices.Contains(of, v) })
	}
	for i, s := range scopes {
		if f.Holding(s) < 0 {
			return fmt.Sprint("no clique holds scope ", i)
		}
	}
	seen := map[int]bool{}
	for i, c := range f.Cliques {
		for j, d := range f.Cliques {
			if i != j && in(c.Vars, d.Vars) {
				return fmt.Sprint("clique ", i, " lies in ", j)
			}
		}
		var shared []int
		for _, v := range c.Vars {
			if seen[v] {
				shared = append(shared, v)
			}
			seen[v] = true
		}
		switch {
		case !slices.IsSorted(c.Vars):
			return fmt.Sprint("clique ", i, " is not sorted")
		case !slices.Equal(shared, c.Separator):
			return fmt.Sprint("separator of ", i, " is ", c.Separator, ", shared are ", shared)
		case c.Parent >= i || (c.Parent < 0) != (len(shared) == 0):
			return fmt.Sprint("parent of ", i, " is ", c.Parent)
		case c.Parent >= 0 && !in(shared, f.Cliques[c.Parent].Vars):
			return fmt.Sprint("the separator of ", i, " does not lie in its parent")
		}
	}
	for v := range f.Levels {
		if !seen[v] {
			return fmt.Sprint("no clique has variable ", v)
		}
	}
	return ""
}

// The forest of the medical network of Lauritzen and Spiegelhalter: the moral graph has the four-cycle smoke, lung,
// either, bronc and needs one edge, 3-4 or 2-5.
func TestForestOfAsia(t *testing.T) {
	levels := []int{2, 2, 2, 2, 2, 2, 2, 2}
	scopes := [][]int{{0}, {0, 1}, {2}, {2, 3}, {2, 4}, {1, 3, 5}, {5, 6}, {4, 5, 7}}
	f := build(t, levels, scopes)
	if wrong := proper(f, scopes); wrong != "" {
		t.Fatal(wrong)
	}
	sizes := make([]int, len(f.Cliques))
	for i := range sizes {
		sizes[i] = f.Cells(i)
	}
	slices.Sort(sizes)
	if want := []int{4, 4, 8, 8, 8, 8}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("cliques of %v cells, want %v", sizes, want)
	}
}

// A chain, a star and parts that are not connected are their own cliques, and a variable of no scope is one.
func TestForestsOfDecomposableScopes(t *testing.T) {
	for name, c := range map[string]struct {
		levels []int
		scopes [][]int
		want   int
	}{
		"chain":    {[]int{2, 3, 4, 2}, [][]int{{0, 1}, {1, 2}, {2, 3}}, 3},
		"star":     {[]int{2, 2, 2, 2, 2}, [][]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}, 4},
		"parts":    {[]int{2, 2, 2, 2, 5}, [][]int{{0, 1}, {3, 2}}, 3},
		"one":      {[]int{7}, nil, 1},
		"nothing":  {nil, nil, 0},
		"repeated": {[]int{2, 2, 2}, [][]int{{0, 1, 2}, {0, 1}, {2}}, 1},
		"reversed": {[]int{2, 2, 2}, [][]int{{2, 1}, {1, 0}}, 2},
	} {
		f := build(t, c.levels, c.scopes)
		if wrong := proper(f, c.scopes); wrong != "" || len(f.Cliques) != c.want {
			t.Errorf("%s: %d cliques, want %d; %s", name, len(f.Cliques), c.want, wrong)
		}
	}
}

func TestForestsOfRandomScopes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 9).Draw(t, "variables")
		levels := rapid.SliceOfN(rapid.IntRange(1, 3), k, k).Draw(t, "levels")
		scope := rapid.SliceOfNDistinct(rapid.IntRange(0, k-1), 1, min(k, 3), rapid.ID)
		scopes := rapid.SliceOfN(scope, 0, 10).Draw(t, "scopes")
		if wrong := proper(build(t, levels, scopes), scopes); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

// Tables over the cliques that are margins of a positive table with the graph's factorisation give it back: the forest
// counts no separator too often or too rarely.
func TestFactorisation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 5).Draw(t, "variables")
		levels := rapid.SliceOfN(rapid.IntRange(1, 3), k, k).Draw(t, "levels")
		scopes := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.IntRange(0, k-1), 1, min(k, 3), rapid.ID), 0,
			5).Draw(t, "scopes")
		joint := make([]float64, junction.Cells(all(k), levels))
		for c := range joint {
			joint[c] = 1
		}
		for i, s := range scopes { // any positive function of each scope
			for c := range joint {
				joint[c] *= 1 + float64((cell(c, s, levels)*7+i*3)%5)
			}
		}
		f := build(t, levels, scopes)
		total := 0.0
		for _, p := range joint {
			total += p
		}
		for c, p := range joint {
			q := 1.0
			for _, cl := range f.Cliques {
				q *= margin(joint, c, cl.Vars, levels) / margin(joint, c, cl.Separator, levels)
			}
			if math.Abs(q*total/p-1) > 1e-12 { // the margin of the empty separator is the total
				t.Fatalf("cell %d: %g, want %g", c, q, p/total)
			}
		}
	})
}

func all(k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = i
	}
	return out
}

// code is the state of variable v in a cell of the table over all variables.
func code(c, v int, levels []int) int {
	for i := len(levels) - 1; i > v; i-- {
		c /= levels[i]
	}
	return c % levels[v]
}

func cell(c int, vars, levels []int) int {
	out := 0
	for _, v := range vars {
		out = out*levels[v] + code(c, v, levels)
	}
	return out
}

func margin(joint []float64, c int, vars, levels []int) (sum float64) {
	for d, p := range joint {
		if cell(d, vars, levels) == cell(c, vars, levels) {
			sum += p
		}
	}
	return sum
}

// A clique above the limit is named with its cells, whatever their number, and nothing is allocated.
func TestWidthIsRefused(t *testing.T) {
	levels := make([]int, 100)
	for v := range levels {
		levels[v] = 10
	}
	for name, c := range map[string]struct {
		scope []int
		cells int
	}{"six": {all(6), 1e6}, "all": {all(100), math.MaxInt}} {
		_, err := junction.Build(context.Background(), levels, [][]int{c.scope}, 1e5)
		var wide *junction.WidthError
		if !errors.As(err, &wide) || wide.Cells != c.cells || wide.Limit != 1e5 ||
			!slices.Equal(wide.Vars, c.scope) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadScopes(t *testing.T) {
	for name, c := range map[string]struct {
		levels []int
		scopes [][]int
	}{
		"no level": {[]int{2, 0}, nil},
		"unknown":  {[]int{2, 2}, [][]int{{0, 2}}},
		"negative": {[]int{2, 2}, [][]int{{-1}}},
		"twice":    {[]int{2, 2}, [][]int{{1, 1}}},
	} {
		var bad *junction.ScopeError
		if _, err := junction.Build(context.Background(), c.levels, c.scopes, 100); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestContextEndsBuild(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := junction.Build(ctx, []int{2, 2}, nil, 100); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
