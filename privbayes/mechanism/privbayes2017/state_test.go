package privbayes2017

import (
	"fmt"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// What may be chosen in a step follows from what was chosen before it, and from no table: on two data sets, with one
// sampler for both and the same places chosen, every step has the same candidates, whatever was read before. The
// tables that a draw keeps are those that a reader without a memory counts, and the private ones stay as they are.
func TestNothingPrivateIsKeptBetweenSteps(t *testing.T) {
	for _, m := range []model.LearnedModel{model.PrivBayes().Degree(1), model.PrivBayes().Degree(2), model.PrivBayes()} {
		sh := shape(t, m, 4000, 2, 3, 2, 2, 3)
		q := must.Get(prepare(t.Context(), sh, dp.PureDP(2)))(t)
		d := &sampler{problem: q}
		var data []mechanism.Private
		for seed := range uint64(2) {
			st := must.Get(sh.Simulate(t.Context(), 1, dp.Seeded(seed)))(t)
			data = append(data, mechanism.Open(access.Mine(), st))
		}
		for script := range 30 {
			var seen []string
			for _, x := range data {
				before := fmt.Sprint(x.Tables())
				kept := d.read(x)
				read := func(columns []int) ([]int64, error) {
					got, err := kept(columns)
					if err != nil {
						return nil, err
					}
					names := make([]string, len(columns))
					for i, c := range columns {
						names[i] = sh.Columns()[c].Name
					}
					if want, err := x.Margin(names...); err != nil || !slices.Equal(got, want) {
						t.Fatalf("%s, table of %v: %v, want %v (%v)", m, columns, got, want, err)
					}
					return got, nil
				}
				steps := ""
				network := must.Get(d.network(t.Context(), read, script%5, func(scores []int64) int {
					steps += fmt.Sprint(len(scores), " ")
					return (script*7 + len(steps)) % len(scores)
				}))(t)
				if seen = append(seen, steps+fmt.Sprint(network)); fmt.Sprint(x.Tables()) != before {
					t.Fatal("the private tables were changed")
				}
			}
			if seen[0] != seen[1] {
				t.Errorf("%s: the same choices of two data sets are of other candidates:\n%s\n%s", m, seen[0], seen[1])
			}
		}
	}
}
