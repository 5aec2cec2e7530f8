package populations

import (
	"context"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const command = "go test ./papers/study/populations -run TestFull -write -timeout 4h"

// TestFull makes results.json, some hour of one processor; it runs only when asked to.
func TestFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", false, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, command, 2026
		for _, part := range []struct {
			of   string
			runs int
		}{{"share", 4000}, {"group", 1000}, {"mean", 1000}} {
			r, err := Run(ctx, part.runs, all.Seed, func(of, _ string, _ int) bool { return of == part.of })
			if err != nil {
				return err
			}
			all.Rows = append(all.Rows, r.Rows...)
			save()
		}
		return nil
	})
}
