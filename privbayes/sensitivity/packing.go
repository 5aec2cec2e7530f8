package sensitivity

import (
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Packs reports whether all that a unit's rows can do to the measured counts is known to pack: the shifts of the counts, whole numbers of
// at most k = [CountTables.Rows] each and k·m in all, m = [CountTables.Cells], fit into m bins of capacity k. The release of a bin is then
// kγ-DP by group privacy, and the whole is dominated by m-fold randomised response at kγ, whatever the noise. It packs, by adjacency,
//
//	k ≤ 2            always: shifts by 2 take a bin each, shifts by 1 half a bin each, and the sum is at most 2m
//	replace-one      two bins per table: the counts of a table that rise add to at most k, and so do those that fall; one where one
//	                 count is measured
//	add-remove       one bin per table: its counts rise by at most k in all, or fall
//	replace-value    where no table has a column, other than the target, in common with another: each of the k rows reaches one table,
//	                 so that over all tables the rises add to at most k, and so do the falls
//
// For tables of a network that share columns no proof is known, under replace-value, and no unit that does not pack. Parities do not pack:
// three rows that enter z = 01, 10 and 11 shift three parities by 2 each, for two bins of 3. There [dp.GeometricPair] has the proof, by the
// law of the noise.
func Packs(sh *model.Shape, adj dp.Adjacency) bool {
	if _, k := sh.Unit(); k <= 2 || adj != dp.ReplaceValue {
		return true
	}
	columns := sh.Columns()
	if len(columns) > 1 {
		columns = columns[1:]
	}
	for _, c := range columns {
		tables := 0
		for _, t := range sh.Tables() {
			if slices.Contains(t.Columns, c.Name) {
				tables++
			}
		}
		if tables > 1 {
			return false
		}
	}
	return true
}
