// Package synthetic analyses data sets that were drawn from a posterior, and writes them for others to analyse.
//
// One synthetic set, analysed as if it were the private table, gives intervals that are too narrow. They include the
// sampling of its records, but not that of the private ones or the noise of the release. So one takes m sets. Each is
// sampled from a network of its own, a draw from the posterior given the noisy counts. Their estimates differ by what
// is missing. [Combine] computes
//
//	T_f = (1 + 1/m)·b − ū,  t with (m − 1)·(1 − ū/((1 + 1/m)·b))² degrees of freedom,
//
// b the variance of the m estimates and ū the mean of their squared standard errors (Raghunathan, Reiter and Rubin,
// "Multiple imputation for statistical disclosure limitation", 2003). Older rules are there to compare with.
//
//	sets, err := posterior.SyntheticSets(0, 0)  // posterior a *noiseaware.NetworkPosterior; 20 sets of 5n records
//	answer, err := sets.Analyse(oddsRatio)      // func(*frame.Frame) (synthetic.Estimate, error)
//	err = sets.Write(ctx, "clinic_sets")        // CSV, with the rule for those who work in Python or R
//
// The sets contain only what the network expresses. Columns that it treats as independent are independent in each set,
// and no rule can see that. Derivation, Type I errors: docs/explanation/intervals.md.
package synthetic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// The defaults of a design: at 20 sets the intervals are about a tenth wider than the posterior's, and sets of five
// times the private table leave little sampling of their own.
const (
	defaultSets  = 20
	defaultTimes = 5
)

// maxValues bounds the values of one set, 2^26: about 2 GB while it is made.
const maxValues = 1 << 26

// Spec is what sets are made of.
type Spec struct {
	Sets   int // 1 to 1000; 0: defaultSets
	Rows   int // of each set; 0: defaultTimes·Records, rounded up
	Graph  *bayesnet.DAG
	Draw   func(set, rows int) (*frame.Frame, error) // the same set whenever it is asked for
	Title  string                                    // what they are drawn from
	ID     string                                    // of the release, if there is one
	Public string                                    // the caption of the release: level, adjacency, n, noise
	Reason string                                    // why the records are public; "": as those of a release

	Records float64 // of the private table: n, or n̂

	Warnings warning.List // of the posterior: they hold of its sets too

	WithinBins []string // columns of numbers whose values within bins the release tells of

	Learned *Learned // of a learned structure whose tables were drawn again for each set; nil of draws from a posterior
}

// Learned says what a release that learned its structure measured of pairs of columns: of others its sets tell nothing.
type Learned struct {
	Pairs  [][2]string
	Chosen bool // some were chosen by what the rows looked like
	// Distances is a sentence on how far the model's tables of all pairs are from the rows', "" where that is not known.
	Distances string
}

// Sets are m synthetic data sets, each drawn from a network of its own. A set is drawn when it is asked for, and the
// same records each time.
type Sets struct{ spec Spec }

// New makes sets. noiseaware.NetworkPosterior.SyntheticSets calls it; a posterior of one's own may, too: Draw must give
// independent draws, each of a network drawn from the posterior. Errors: *dp.ParameterError; nothing is drawn.
func New(s Spec) (*Sets, error) {
	if s.Sets == 0 {
		s.Sets = defaultSets
	}
	err := domain.Check("synthetic", "New", domain.Between("sets", s.Sets, 1, 1000),
		domain.Positive("records of the private table", s.Records),
		domain.Arg("graph", s.Graph, s.Graph != nil, "the network's"),
		domain.Arg("draw", nil, s.Draw != nil, "a function that draws a set"))
	if err != nil {
		return nil, err
	}
	most := maxValues / s.Graph.Len()
	if s.Rows == 0 && s.Records*defaultTimes <= float64(most) {
		s.Rows = int(s.Records*defaultTimes + .999999)
	} else if s.Rows == 0 {
		s.Rows = -1
	}
	if s.Rows < 1 || s.Rows > most {
		return nil, domain.Refuse("synthetic", "rows of a set", s.Rows, fmt.Sprintf("1 to %d: 2^26 values of %s; %d times "+
			"the private table's %s by default", most, table.Count(s.Graph.Len(), "column"), defaultTimes,
			table.Number(s.Records)))
	}
	return &Sets{s}, nil
}

// Len is the number of sets.
func (s *Sets) Len() int { return s.spec.Sets }

// Design is what Combine needs.
func (s *Sets) Design() Design { return Design{s.spec.Records, s.spec.Rows} }

// Frame is set i, from 0. Errors: *dp.ParameterError for a set that there is not, those of drawing.
func (s *Sets) Frame(i int) (*frame.Frame, error) {
	if i < 0 || i >= s.spec.Sets {
		return nil, domain.Refuse("synthetic", "set", i, fmt.Sprintf("0 to %d", s.spec.Sets-1))
	}
	f, err := s.spec.Draw(i, s.spec.Rows)
	if err != nil {
		return nil, err
	}
	return f.AsPublic(cmp.Or(s.spec.Reason, "synthetic records of a release"))
}

// Estimates is what analyse finds in every set. Errors: those of analyse, with the set; the context's.
func (s *Sets) Estimates(ctx context.Context, analyse func(*frame.Frame) (Estimate, error)) ([]Estimate, error) {
	var out []Estimate
	for i := range s.spec.Sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := s.Frame(i)
		if err != nil {
			return nil, err
		}
		e, err := analyse(f)
		if err != nil {
			return nil, fmt.Errorf("synthetic: set %d: %w", i+1, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// Analyse is Combine of Estimates. Errors: of both.
func (s *Sets) Analyse(ctx context.Context, analyse func(*frame.Frame) (Estimate, error)) (*Combined, error) {
	list, err := s.Estimates(ctx, analyse)
	if err != nil {
		return nil, err
	}
	return Combine(s.Design(), list...)
}

// Warnings are those of the posterior, as of a structure that was learned from the same rows, and that of a single set:
// see warning.SingleSet.
func (s *Sets) Warnings() warning.List {
	out := slices.Clone(s.spec.Warnings)
	if s.spec.Sets == 1 {
		out = append(out, warning.SingleSet())
	}
	return out
}

// Table says what the sets are and what they can answer.
func (s *Sets) Table() *table.Table {
	t := table.New("Synthetic sets", "item", "value")
	t.Add("drawn from", s.spec.Title).Add("sets", s.spec.Sets).Add("records of each", s.spec.Rows)
	t.Add("records of the private table", s.spec.Records).Add("columns", s.spec.Graph.Len())
	if s.spec.Sets == 1 {
		t.Add("analysis", "an estimate, and no interval: one set does not show how far it is from the private table")
	} else {
		t.Add("analysis", "each set by itself, then Combine: rule "+string(FullySynthetic))
	}
	if s.spec.Learned == nil {
		return t.Note(expresses).Note(s.spec.Public)
	}
	d := s.spec.Graph.Len()
	t.Add("pairs that were measured", fmt.Sprintf("%d of %d", len(s.spec.Learned.Pairs), d*(d-1)/2))
	return t.Note(measured).Note(s.spec.Public)
}

const measured = "They tell of columns and of pairs that were measured. Of other pairs they tell nothing: no effect " +
	"in a set is evidence of one, and neither is its absence."

const expresses = "They hold what the network expresses: columns that it holds independent are independent in every " +
	"set, whatever they are in the private table."

// String is the table as text.
func (s *Sets) String() string { return table.Text(s) }

// Rule names a way to combine the estimates of m sets. With q̄ and b their mean and variance, ū the mean of their
// squared standard errors, n the records of the private table and k those of a set:
type Rule string

// The rules.
const (
	// FullySynthetic is T_f = (1 + 1/m)·b − ū with (m − 1)·(1 − ū/((1 + 1/m)·b))² degrees of freedom: right for sets of
	// draws from the posterior given the noisy counts. Where T_f ≤ 0, (k/n)·ū with normal quantiles, the sampling
	// variance of the private table alone.
	FullySynthetic Rule = "T_f"
	// PartiallySynthetic is ū + b/m with (m − 1)·(1 + m·ū/b)² degrees of freedom (Reiter, "Inference for partially
	// synthetic, public use microdata sets", 2003). It leaves the noise of the release out.
	PartiallySynthetic Rule = "T_p"
	// SingleSource is ū·(k/n + 1/m) with normal quantiles (Raab, Nowok and Dibben, "Practical data synthesis for large
	// samples", 2016). It leaves the noise of the release out; it is the one rule that takes a single set.
	SingleSource Rule = "T_s"
	// Imputation is ū + (1 + 1/m)·b with (m − 1)·(1 + ū/((1 + 1/m)·b))² degrees of freedom (Rubin, 1987), for missing
	// values filled in. On synthetic sets it is 2ū too large.
	Imputation Rule = "T_m"
	// Naive is u with normal quantiles, of one set: what somebody finds who takes the set for the table. It is here to
	// be shown beside the right answer, and it misleads: it leaves out the noise of the release and the sampling of the
	// private table, and at a nominal 5 % it finds effects that are not there in a quarter to more than half of all
	// cases, the more rows the set has the oftener (docs/explanation/intervals.md). It takes one set only.
	Naive Rule = "naive"
)

// Rules lists those for several sets, the right one first.
func Rules() []Rule { return []Rule{FullySynthetic, PartiallySynthetic, SingleSource, Imputation} }

// moments are what the rules see.
type moments struct {
	m               float64
	mean, b, within float64
	ratio           float64 // k/n
}

// law is the squared standard error of q̄ and the degrees of freedom of its t law, +Inf for normal quantiles.
type law struct {
	variance, df float64
	fallback     bool
}

func fullySynthetic(x moments) law {
	spread := (1 + 1/x.m) * x.b
	if t := spread - x.within; t > 0 {
		r := 1 - x.within/spread
		return law{t, (x.m - 1) * r * r, false}
	}
	return law{x.ratio * x.within, math.Inf(1), true}
}

func partiallySynthetic(x moments) law {
	r := 1 + x.m*x.within/x.b // +Inf without variance between the sets
	return law{x.within + x.b/x.m, (x.m - 1) * r * r, false}
}

func singleSource(x moments) law { return law{x.within * (x.ratio + 1/x.m), math.Inf(1), false} }

func imputation(x moments) law {
	spread := (1 + 1/x.m) * x.b
	r := 1 + x.within/spread
	return law{x.within + spread, (x.m - 1) * r * r, false}
}

func naive(x moments) law { return law{x.within, math.Inf(1), false} }

// ruleOf is the arithmetic of a rule, and the fewest sets it takes.
func ruleOf(r Rule) (of func(moments) law, fewest int) {
	switch r {
	case FullySynthetic:
		return fullySynthetic, 2
	case PartiallySynthetic:
		return partiallySynthetic, 2
	case SingleSource:
		return singleSource, 1
	case Imputation:
		return imputation, 2
	case Naive:
		return naive, 1
	}
	return nil, 0
}
