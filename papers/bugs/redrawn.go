package bugs

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// cells is the number of notebook cells that are run.
const cells = 5

// keeper stands for the file in which a release is kept from cell to cell; the library's is privbayes.KeepIn.
type keeper struct {
	value int64
	has   bool
}

// notebook runs cells that each show one package-level variable, the release of a count at ε = 1. A kernel that
// compiles every cell anew evaluates the variable in each. With a keeper the first evaluation draws and the others
// read. It returns what was shown, and how many of these were drawn.
func notebook(count int, kept *keeper, src *dp.Stream) (shown []int64, drawn int, err error) {
	g, err := sample.NewTwoSidedGeometric(1, 1)
	if err != nil {
		return nil, 0, err
	}
	for range cells {
		if kept != nil && kept.has {
			shown = append(shown, kept.value)
			continue
		}
		y := int64(count) + g.Draw(src)
		drawn++
		if kept != nil {
			*kept = keeper{y, true}
		}
		shown = append(shown, y)
	}
	return shown, drawn, nil
}

// redrawn is a release held by a package-level variable of a notebook: k cells show k independent releases, at k·ε.
func redrawn() Bug {
	const eps, n = 1.0, 4
	b := Bug{
		ID: "redrawn", Mechanism: "a count with geometric noise at ε = 1, held by a variable of a notebook of 5 cells",
		Symptom: "the variable is evaluated again in every cell: each draws anew, and the mean of them has less noise",
		Claimed: dp.PureDP(eps).Parameters, How: byEnumeration + "; " + bySampling,
		Counterexample: "5 cells; counts [1 3] and [0 4], output (1, 1, 4, 2, 3)",
		Remedy:         "draw once and keep: KeepIn(file), and a budget that knows the release by its ID",
	}
	b.Spent = level(b.Claimed, cells*eps)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		start := func() *keeper {
			if defect {
				return nil
			}
			return &keeper{}
		}
		_, k, err := notebook(0, start(), dp.Seeded(3))
		if err != nil {
			return verdict{}, err
		}
		t := table.New("One variable, 5 cells", "cells that show it", "draws")
		t.Add(cells, k)
		v, err := releases(ctx, b, k, n, eps, t, fmt.Sprintf("%d cells", cells))
		if err != nil {
			return verdict{}, err
		}
		bound, draws, err := sampled(ctx, "no cell shows more than 2; x has count 2, y has 3",
			func(neighbour bool, src *dp.Stream) (bool, error) {
				count := 2
				if neighbour {
					count = 3
				}
				shown, _, err := notebook(count, start(), src)
				for _, y := range shown {
					if y > 2 {
						return false, err
					}
				}
				return true, err
			}, 4)
		if err != nil {
			return verdict{}, err
		}
		v.holds, v.evidence = v.holds && bound <= eps, append(v.evidence, draws)
		return v, nil
	}
	return b
}
