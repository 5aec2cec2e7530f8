package main

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

// withMeans adds the means of the columns of numbers of a learned structure, each with the decimals of its own width.
func withMeans(ctx context.Context, r *release.Release, level float64, list *intervals, err error) (*intervals, error) {
	if s := r.Structure(); err != nil || s == nil || len(s.Measured) == 0 {
		return list, err
	}
	found, err := r.MeasuredMeans(ctx, level)
	for _, row := range rowsOfRelease(r, found, "").Rows {
		row.Label, row.decimals = "mean", nil
		list.Rows = append(list.Rows, row)
	}
	if len(found) > 0 {
		list.Notes = append(list.Notes, "Means: Fieller's method, from noisy counts of bins and noisy sums within them.")
	}
	return list, err
}
