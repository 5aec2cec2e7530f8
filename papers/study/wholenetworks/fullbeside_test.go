package wholenetworks

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const (
	besideCommand    = "go test ./papers/study/wholenetworks -run TestBesideFull -write -budget 24h -timeout 0"
	besideReplicates = 40
	besideLimit      = 1 // processor seconds of a peer's chains for one release
)

// TestBesideFull adds points to beside.json one by one, as TestFull does. It runs only when asked to.
func TestBesideFull(t *testing.T) {
	r := &Comparison{}
	full.Run(t, "beside.json", true, r, func(ctx context.Context, save func()) error {
		r.Library, r.Command, r.Seed = full.Library, besideCommand, seed
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // processor time is then of one thread
		for _, eps := range []float64{1, .1, 5} {
			for _, n := range []int{1000, 10000, 100} {
				for _, name := range []string{"chain", "naive Bayes", "asia"} {
					if slices.ContainsFunc(r.Rows, func(w Row) bool {
						return w.Network == name && w.Records == n && w.Epsilon == eps
					}) {
						continue
					}
					row, err := Compare(ctx, name, n, eps, besideReplicates, besideLimit, seed)
					if err != nil {
						return err
					}
					r.Rows = append(r.Rows, *row)
					save()
					fmt.Println(name, n, eps)
				}
			}
		}
		return nil
	})
}
