package release

import (
	"fmt"
	"os"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// origin is the file that a release was loaded from.
type origin struct {
	path    string
	written time.Time
}

// originOf notes path and date; a file that has gone since it was read has none.
func originOf(path string) *origin {
	if st, err := os.Stat(path); err == nil {
		return &origin{path, st.ModTime()}
	}
	return &origin{path: path}
}

// Warnings lists what is dangerous about the release: what its plan and its draw warn of, and that it was loaded and
// not drawn now. A seeded release says in its guarantee that it is not for publication, and gives the same numbers
// whenever it is drawn; it is not warned of as loaded. The list stands in no file and is derived again on loading.
func (r *Release) Warnings() warning.List {
	out := r.plan.Warnings().And(r.plan.DrawnWarnings(r.drawn))
	if _, seeded := r.Seed(); r.from != nil && !seeded {
		out = append(out, warning.Loaded(r.from.path, r.from.written))
	}
	return out
}

// Warnings says what error bars leave out: where the posterior that was drawn from was flattened, cut or scaled, they
// hold the Monte Carlo error of the draws, which shrinks with their number, and not the distance to the posterior of
// the data, which does not.
func (q *Queries) Warnings() warning.List {
	s, ok := q.release.plan.Sampled()
	if !ok || s.Power == 1 && !s.AtMost && s.Box >= 1 && s.Prior == 0 {
		return nil
	}
	of := "flattened to a power of " + fmt.Sprintf("%.4g", s.Power)
	switch {
	case s.AtMost:
		of = fmt.Sprintf("flattened to a power of at most %.4g", s.Power)
	case s.Power >= 1 && s.Box < 1:
		of = fmt.Sprintf("cut to %.4g of the range of a probability", s.Box)
	case s.Box < 1:
		of += fmt.Sprintf(" and cut to %.4g of the range of a probability", s.Box)
	}
	return warning.List{warning.MonteCarlo(q.Len(), of)}
}
