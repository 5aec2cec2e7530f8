package hellingersample_test

import (
	"context"
	"fmt"
	"testing"

	hs "github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/must"
)

// What a progress bar shows does not tell data of one size apart: the counts and the rate, which are private, change
// when it is shown only. A report of the share alone, which skips where the walk is quick, does tell them apart.
func TestProgressIsTheSameForAllData(t *testing.T) {
	alpha := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	told := func(x []int64, a float64) (all string, steps int) {
		must.Get(hs.Choose(context.Background(), alpha, x, a, 60,
			func(done float64) { all += fmt.Sprintln(done); steps++ }))(t)
		return all, steps
	}
	want, steps := told([]int64{60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 55)
	if steps < 100 {
		t.Fatalf("%d reports", steps)
	}
	for _, c := range []struct {
		x []int64
		a float64
	}{{[]int64{59, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 55}, {[]int64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 12},
		{[]int64{30, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 60}} {
		if got, n := told(c.x, c.a); got != want {
			t.Errorf("%v: %d reports, want the %d of another data set", c.x, n, steps)
		}
	}
}
