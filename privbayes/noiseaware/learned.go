package noiseaware

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// learnedPrior is the hyperparameter of every cell of a learned network, whose fit has none: the uniform law of a row.
const learnedPrior = 1

// learnedSetting reads a release that learned its structure. The network is the one that was fitted (of MaxEntropy and
// Cliques its triangulation), the noisy tables all that were measured: of the columns, of what was chosen, and once
// more of a column where nothing was.
func learnedSetting(ctx context.Context, r *release.Release) (s setting, err error) {
	sh, st := r.Plan().Shape(), r.Structure()
	if st == nil {
		return s, &UnsupportedError{name(r.Plan()), "a release without its learned structure", "the release as drawn"}
	}
	if sh.Learning().Algorithm == model.Greedy { // its structure has no list of noisy tables
		return s, &UnsupportedError{name(r.Plan()), "PrivBayes, as published", "MaxEntropy(), Tree() or Cliques()"}
	}
	if len(st.Zeros) > 0 {
		return s, &UnsupportedError{name(r.Plan()), "a model with structural zeros", "one without"}
	}
	n, public := sh.N()
	families := r.Estimate().Families
	s.shape, err = model.NewShape(sh.Schema(), model.Network(sh.Columns()[0].Name, families...), n, public, "")
	if err != nil {
		return s, err
	}
	s.begin(r)
	if slices.ContainsFunc(st.Rounds, func(t model.Round) bool { return !t.Given }) {
		s.learned = true
		s.caption += ". " + strings.TrimSuffix(warning.LearnedRows().Text, ".") // as captions: without a full stop
	}
	for _, levels := range s.problem.Levels {
		s.problem.Alpha = append(s.problem.Alpha, slices.Repeat([]float64{learnedPrior}, levels))
	}
	h := sha256.New()
	h.Write(s.seed[:])
	var list []noisyTable
	for _, m := range st.Measured {
		cells := 1
		for _, c := range m.Columns {
			if v, ok := s.dag.Index(c); ok {
				cells *= s.dag.Arity(v)
			}
		}
		list = append(list, noisyTable{fmt.Sprint(m.Columns), m.Counts, len(m.Counts) == cells, m.Noise, m.Columns, nil})
		binary.Write(h, binary.LittleEndian, m.Counts)
	}
	s.seed = [32]byte(h.Sum(nil))
	if err = s.noisyTables(ctx, r, list); err != nil {
		return s, err
	}
	s.estimate = clone(r.Estimate().Conditionals)
	for _, t := range s.estimate {
		for c := range t {
			t[c] = math.Max(t[c], 0)
		}
	}
	s.naive = s.means(s.estimate)
	return s, nil
}

// Warnings say what the intervals leave out: that a structure was learned from the same rows.
func (p *NetworkPosterior) Warnings() warning.List {
	if p.s.learned {
		return warning.List{warning.LearnedRows()}
	}
	return nil
}
