package structure

import (
	"cmp"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func number(x float64) cert.Number { return cert.Number(x) }

// structure is what was learned, in names.
func (s *learner) structure(columns []frame.Column, d *bayesnet.DAG) *model.Structure {
	names := func(places []int) (out []string) {
		for _, i := range places {
			out = append(out, columns[i].Name)
		}
		return out
	}
	out := &model.Structure{Size: float64(s.size), Gap: s.gap, Declined: s.why, Zeros: s.zeroTables(columns)}
	for _, c := range columns {
		out.Columns = append(out.Columns, c.Name)
	}
	for _, t := range s.done[len(s.levels):] {
		out.Rounds = append(out.Rounds, model.Round{Columns: names(t.columns), Stopped: t.stopped, Given: t.given})
	}
	for _, t := range s.done {
		out.Measured = append(out.Measured, model.NoisyCounts{Columns: names(t.columns), Counts: slices.Clone(t.counts),
			Noise: t.law})
	}
	var edges [][2]int
	for e := range s.edges {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, e := range edges {
		out.Edges = append(out.Edges, [2]string{columns[e[0]].Name, columns[e[1]].Name})
	}
	families, _ := d.MaximalFamilies()
	for _, f := range families {
		slices.Sort(f)
		out.Cliques = append(out.Cliques, names(f))
	}
	return out
}
