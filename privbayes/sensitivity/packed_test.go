package sensitivity

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Packed rows change as many counts as the cells of their tables that differ, table by table, for every pair of rows.
func TestPackedRowsAreCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := structure{Target: rapid.IntRange(2, 5).Draw(t, "target"), PublicN: rapid.Bool().Draw(t, "public n"),
			Features:  rapid.SliceOfN(rapid.IntRange(1, 4), 0, 4).Draw(t, "features"),
			Adjacency: rapid.SampledFrom([]dp.Adjacency{dp.ReplaceOne, dp.ReplaceValue}).Draw(t, "adjacency")}
		variables := 1 + len(s.Features)
		families := [][]int{{0}}
		for k := range s.Features {
			families = append(families[:k:k], []int{0, k + 1})
		}
		if rapid.Bool().Draw(t, "network") {
			families = rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.IntRange(0, variables-1), 1, variables, rapid.ID[int]), 1, 4).
				Draw(t, "families")
			s.Families = families
		}
		n := int(s.records())
		rows := make([][]int, n)
		for i := range rows {
			rest := i
			for v := range variables {
				rows[i] = append(rows[i], rest%s.levels(v))
				rest /= s.levels(v)
			}
		}
		p := s.pack()
		packed := p.rows(n)
		for range 200 {
			i, j := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			differ, want := []int{}, 0
			for v := range variables {
				if rows[i][v] != rows[j][v] {
					differ = append(differ, v)
				}
			}
			for _, f := range families {
				if slices.ContainsFunc(f, func(v int) bool { return slices.Contains(differ, v) }) {
					if want += 2; len(f) == 1 && s.PublicN && s.levels(f[0]) == 2 {
						want-- // the other count follows from n
					}
				}
			}
			if s.Adjacency == dp.ReplaceValue && (len(differ) > 1 || variables > 1 && slices.Contains(differ, 0)) {
				want = 0
			}
			if got := p.counts(packed[i], packed[j]); got != want || p.most(packed[i], packed[j:j+1]) != want {
				t.Fatalf("rows %v and %v: %d counts, want %d", rows[i], rows[j], got, want)
			}
		}
	})
}
