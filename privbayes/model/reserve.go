package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Reserve keeps a pair of columns measurable, whatever pairs MaxEntropy chooses before it: every clique of the fit has
// room for it. Without it a pair may be closed, since the cliques of the pairs chosen so far and of this one would have
// more than MaxCells cells. Choose reserved pairs without the data. A pair that does not fit, alone or with the others,
// is an error of the plan.
func (m LearnedModel) Reserve(a, b string) LearnedModel {
	m.settings.Reserve = append(slices.Clip(m.settings.Reserve), [2]string{a, b})
	return m
}

// reserve finds the reserved pairs, and refuses those that leave the fit no room.
func (m LearnedModel) reserve(sh *Shape) (out [][2]int, err error) {
	list, set := m.settings.Reserve, m.Settings()
	switch {
	case len(list) == 0:
		return nil, nil
	case set.Algorithm != Pairs:
		return nil, wrong(m, list[0][0], "a reserved pair", "none: MaxEntropy() alone has a cap on cliques")
	case set.Star != "":
		return nil, wrong(m, set.Star, "reserved pairs of a public star", "none: its tables are given")
	}
	names, scopes, leftOut := sh.columnNames(), [][]int{}, sh.unweighted()
	for _, z := range sh.zeros {
		scopes = append(scopes, z.Columns)
	}
	for _, pair := range list {
		var p [2]int
		for i, name := range pair {
			if p[i] = slices.Index(names, name); p[i] < 0 {
				return nil, wrong(m, name, "a reserved pair with no column of the model", safetext.OneOf(name, names))
			}
		}
		p = [2]int{min(p[0], p[1]), max(p[0], p[1])}
		switch {
		case p[0] == p[1]:
			return nil, wrong(m, pair[0], "a reserved pair of one column", "two columns")
		case slices.Contains(out, p):
			return nil, wrong(m, sh.names(p[:], " × "), "reserved twice", "each pair once")
		case leftOut[p]:
			return nil, wrong(m, sh.names(p[:], " × "), "a reserved pair with no column of the workload",
				"pairs that the workload asks about")
		}
		out, scopes = append(out, p), append(scopes, p[:])
	}
	var wide *junction.WidthError
	f, err := junction.Build(context.Background(), sh.columnLevels(), scopes, set.FitCells())
	if errors.As(err, &wide) {
		return nil, wrong(m, sh.names(wide.Vars, " × "), "reserved pairs that need a clique of "+
			junction.CellText(wide.Cells)+" cells", fmt.Sprintf("at most MaxCells = %d: fewer reserved pairs, fewer "+
			"categories or bins, or a larger bound", wide.Limit))
	} else if err != nil {
		return nil, err
	}
	if work := f.Work(); set.MaxWork > 0 && work > set.MaxWork {
		return nil, wrong(m, "", "reserved pairs that need cliques of "+junction.CellText(work)+" cells in all",
			fmt.Sprintf("at most %d: fewer reserved pairs, or a larger MaxCells", set.MaxWork))
	}
	return out, nil
}

// unweighted are the pairs that the workload leaves out, so that they are never measured.
func (s *Shape) unweighted() map[[2]int]bool {
	out := map[[2]int]bool{}
	if s.weights == nil {
		return out
	}
	for i, p := range s.pairs() {
		if s.weights[i] == 0 {
			out[p] = true
		}
	}
	return out
}

// columnLevels are the numbers of levels of the columns.
func (s *Shape) columnLevels() (out []int) {
	for _, c := range s.columns {
		out = append(out, c.Levels())
	}
	return out
}

// Reachable says which pairs MaxEntropy can measure next to others that it chooses, from levels and settings alone: the
// number of pairs that it always can, those that it never can, since their own table has more than MaxCells cells, and
// those that may be closed, the heaviest of a workload first and among equals the widest. Pairs that the workload
// leaves out are none of them.
func (l *Learning) Reachable() (always int, never, perhaps [][2]int) {
	levels, leftOut := l.shape.columnLevels(), l.shape.unweighted()
	joint := 1
	for _, k := range levels {
		joint = junction.Times(joint, k)
	}
	for a := range levels {
		for b := a + 1; b < len(levels); b++ {
			p := [2]int{a, b}
			switch {
			case leftOut[p]:
			case levels[a]*levels[b] > l.MaxCells:
				never = append(never, p)
			case joint <= l.FitCells() || slices.Contains(l.Reserved, p):
				always++
			default:
				perhaps = append(perhaps, p)
			}
		}
	}
	weight := map[[2]int]int64{}
	for i, u := range l.Weights {
		weight[l.Pairs[i]] = u
	}
	slices.SortStableFunc(perhaps, func(p, q [2]int) int {
		return cmp.Or(cmp.Compare(weight[q], weight[p]), levels[q[0]]*levels[q[1]]-levels[p[0]]*levels[p[1]])
	})
	return always, never, perhaps
}

// ReachableText says it in sentences.
func (l *Learning) ReachableText() string {
	always, never, perhaps := l.Reachable()
	all := always + len(never) + len(perhaps)
	out := fmt.Sprintf("%d of %d pairs", all-len(never), all)
	switch {
	case len(perhaps) == 0:
		out += ", whatever is chosen"
	case always > 0:
		out += fmt.Sprintf(", %d of them whatever is chosen", always)
	}
	if len(perhaps) > 0 {
		out += ". Those chosen first may leave no room for others, such as " + few(l.shape.named(perhaps)) +
			". The release lists what was closed; reserve pairs that matter"
	}
	if len(never) > 0 {
		out += fmt.Sprintf(". Of more than %d cells, and never measured: %s", l.MaxCells, few(l.shape.named(never)))
	}
	return out
}

// named are pairs by the names of their columns.
func (s *Shape) named(pairs [][2]int) (out [][2]string) {
	for _, p := range pairs {
		out = append(out, [2]string{s.columns[p[0]].Name, s.columns[p[1]].Name})
	}
	return out
}

// few lists pairs, three at most.
func few(pairs [][2]string) string {
	const most = 3
	var words []string
	for _, p := range pairs[:min(len(pairs), most)] {
		words = append(words, strings.Join(plains(p[:]), " × "))
	}
	if more := len(pairs) - most; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", ")
}
