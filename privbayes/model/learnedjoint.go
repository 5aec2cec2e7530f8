package model

import "strings"

// jointCells is the most cells of a joint table of all columns that is counted beside the pairs.
const jointCells = 1 << 12

// addJoint lays out the joint table of all columns, last, where it is small and MaxEntropy may measure it in place of
// rounds of pairs. Of two columns it is their pair.
func (m LearnedModel) addJoint(sh *Shape) {
	set := m.Settings()
	if set.Algorithm != Pairs || set.Star != "" || set.Always || len(set.Workload) > 0 || len(sh.columns) < 3 {
		return
	}
	t, cells := Table{}, 1.0
	for i, c := range sh.columns {
		cells *= float64(c.Levels())
		t.Columns, t.Levels = append(t.Columns, c.Name), append(t.Levels, c.Levels())
		t.Labels = append(t.Labels, sh.tables[i].Labels[0])
	}
	if cells <= float64(min(jointCells, set.MaxCells)) {
		t.Name = strings.Join(t.Columns, " × ")
		sh.tables = append(sh.tables, t)
	}
}

// joint is the place among Tables of the joint table of all columns of a learned structure; −1 where it is not counted:
// it is large, or may not be measured.
func (s *Shape) joint(m LearnedModel) int {
	set, last := m.settings, len(s.tables)-1
	if set.Algorithm != Pairs || set.Star != "" || set.Always || len(set.Workload) > 0 ||
		len(s.tables[last].Columns) != len(s.columns) {
		return -1
	}
	return last
}
