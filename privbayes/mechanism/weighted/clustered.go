//go:build !browser && !verifier

package weighted

import (
	"fmt"
	"maps"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/survey"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// leastClusters are needed for a variance from what clusters differ by.
const leastClusters = 10

// clustersOf are the places of the clusters that strata names, and the stratum of each.
func clustersOf(c frame.Column, strata map[string]string) (places, stratum []int, err error) {
	labels, of := c.Labels(), "clusters of "+safetext.Quote(c.Name)
	names := slices.Sorted(maps.Values(strata))
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	names = slices.Compact(names)
	for _, name := range names {
		if count[name] == 1 {
			return nil, nil, domain.Refuse("clusters", of, "one in the stratum "+safetext.Quote(name),
				"two clusters or more in every stratum: merge strata")
		}
	}
	if len(strata) < leastClusters {
		return nil, nil, domain.Refuse("clusters", of, fmt.Sprint(len(strata)), fmt.Sprintf("at least %d", leastClusters))
	}
	for i, label := range labels {
		if name, ok := strata[label]; ok {
			places, stratum = append(places, i), append(stratum, slices.Index(names, name))
		}
	}
	for _, label := range slices.Sorted(maps.Keys(strata)) {
		if !slices.Contains(labels, label) {
			return nil, nil, domain.Refuse("clusters", of, safetext.Quote(label), "levels of the column: "+
				safetext.List(labels, 20))
		}
	}
	return places, stratum, nil
}

// Clustered is [mechanism.Plan.Clustered]. A category of a table is told from the sum of the others.
func (d *sampler) Clustered(drawn mechanism.Output, column string, strata map[string]string, level float64) (
	out []mechanism.Calibrated, err error) {
	if by := d.shape.Schema().Design; by != nil {
		return nil, domain.Refuse("clusters", "design", string(by.Method), `a schema without "design": it says that no `+
			"areas were drawn first")
	}
	x, err := d.crossedBy(drawn, "clusters", column)
	if err != nil {
		return nil, err
	}
	places, stratum, err := clustersOf(x.column, strata)
	if err != nil {
		return nil, err
	}
	add := func(of string, low, unit float64, totals func(cell int) (ones, zeros float64)) error {
		list := make([]survey.Cluster, len(places))
		for p, cell := range places {
			list[p].Ones, list[p].Zeros = totals(cell)
			list[p].Stratum = stratum[p]
		}
		i := survey.Clusters(list, d.noise(), level)
		if !i.Shown {
			return domain.Refuse("clusters", "cells of "+safetext.Quote(column), "hardly more than noise", "clusters with "+
				"more weight, or more of ε")
		}
		out = append(out, mechanism.Calibrated{Of: of, Estimate: low + unit*i.Estimate,
			Range: mechanism.Range{Lower: low + unit*i.Lower, Upper: low + unit*i.Upper}})
		return nil
	}
	if x.mean {
		l := d.shape.Lattice()
		return out, add("mean", l.Low[0], l.High[0]-l.Low[0], func(cell int) (ones, zeros float64) {
			b := x.boxes[6*cell:]
			return b[1]/2 + b[2], b[0] + b[1]/2
		})
	}
	for own, label := range x.categories {
		if err := add(label, 0, 1, func(cell int) (ones, zeros float64) {
			z := d.pair(&x, []int{cell}, own)
			return z.Own.Weight, z.Others.Weight
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
