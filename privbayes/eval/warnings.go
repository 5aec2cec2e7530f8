package eval

import (
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Warnings lists what the release warns of, and whether the test rows are rows that it was made from.
func (r *Report) Warnings() warning.List { return r.release.Warnings().And(r.rows) }

// parts are the warnings of the public part, about the release, and of the private one, about this run and the test
// rows.
func (r *Report) parts() (public, private warning.List) {
	public = r.release.Warnings().OfRelease()
	for _, w := range r.Warnings() {
		if !slices.Contains(public, w) {
			private = append(private, w)
		}
	}
	return public, private
}

// trainingRows warns of an evaluation on rows that statistics were counted from, as far as that follows from public
// facts: from the steps that chose the rows, and from n unless the adjacency hides it. Rows of different sources, such
// as two files, are not compared: that would read them.
func trainingRows(st *model.Statistics, test *frame.Frame, adj dp.Adjacency) warning.List {
	chosen := test.Selection()
	switch kind, shared := st.Selection().Overlap(chosen, adj.PublicN()); {
	case shared > 0:
		return warning.List{warning.TrainingRows(shared, test.Len(), "")}
	case kind == frame.OverlapSame:
		return warning.List{warning.TrainingRows(0, 0, "the test rows are the rows that the release was made from")}
	case kind == frame.OverlapPart:
		return warning.List{warning.TrainingRows(0, 0,
			"test rows and the rows that the release was made from were chosen from each other")}
	}
	return nil
}

// shownN is the number of rows of a comparison, for its title: stamped where the comparison's guarantees, or the frame,
// treat it as private.
func shownN(words string, private bool) string {
	if private {
		return words + " (itself private)"
	}
	return words
}
