package wholenetworks

import (
	"context"
	_ "embed"
	"slices"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Low is the coverage of a 95 % interval below which a warning would be of use.
const Low = .9

// Split is how often the warning rare-evidence comes, and what intervals hold with it and without.
type Split struct {
	Asked  float64 `json:"asked"`  // questions, of all releases
	Warned float64 `json:"warned"` // of these
	// Held and HeldWarned are of all intervals that hold the truth, and of those that were warned of.
	Held       float64 `json:"held"`
	HeldWarned float64 `json:"held_warned"`
}

func (s *Split) add(held float64, warned bool) {
	s.Asked++
	s.Held += held
	if warned {
		s.Warned++
		s.HeldWarned += held
	}
}

// plus adds what was counted of others.
func (s *Split) plus(o Split) {
	s.Asked, s.Warned = s.Asked+o.Asked, s.Warned+o.Warned
	s.Held, s.HeldWarned = s.Held+o.Held, s.HeldWarned+o.HeldWarned
}

// RarePoint is what was counted at a fixed network: of the questions that were covered in less than Low of the
// releases, and of the others.
type RarePoint struct {
	Fixed
	Replicates   int   `json:"replicates"`
	NotConverged int   `json:"not_converged"`
	Questions    int   `json:"questions"`
	LowQuestions int   `json:"low_questions"`
	Low          Split `json:"low"`
	Else         Split `json:"else"`
}

// conditionals are P(a node = its first level | another = a level), for all pairs of nodes and all levels, that are not
// exactly 0 or 1.
func conditionals(net *bayesnet.Net) (out []*noiseaware.Question, err error) {
	d := net.DAG()
	event := func(v, l int) noiseaware.Event { return noiseaware.Event{d.Node(v).Name: d.Node(v).States[l]} }
	for of := range d.Len() {
		for given := range d.Len() {
			for l := range d.Arity(given) {
				if of == given {
					continue
				}
				q := noiseaware.Probability(event(of, 0), event(given, l))
				x, err := q.Of(net)
				if err != nil {
					return nil, err
				}
				if x > 1e-9 && x < 1-1e-9 {
					out = append(out, q)
				}
			}
		}
	}
	return out, nil
}

// CoverRare counts how often conditional probabilities are warned of as resting on rare evidence, beside how often their
// 95 % intervals hold what a fixed network says, over releases of its records by K-norm noise under the short contract.
// Errors: those of Cover.
func CoverRare(ctx context.Context, s Fixed, replicates int, seed uint64) (*RarePoint, error) {
	net, err := truth(s.Network)
	if err != nil {
		return nil, err
	}
	m := model.NetworkOf(net.DAG().Node(0).Name, net.DAG())
	if s.IndependentRows {
		m = m.WithPrior(1)
	}
	set, err := planOf(ctx, net.DAG(), m, s.Records, true, s.Epsilon, "K-norm", 1)
	if err != nil {
		return nil, err
	}
	asks, err := conditionals(net)
	if err != nil {
		return nil, err
	}
	each := make([]Split, len(asks))
	out := &RarePoint{Fixed: s, Replicates: replicates, Questions: len(asks)}
	ctx = simulate.Short.With(ctx)
	out.NotConverged, err = simulate.Replicates(ctx, replicates, 1, func(i int) error {
		_, joint, err := set.posterior(ctx, net, simulate.Stream("wholenetworks rare", seed, s, i))
		if err != nil {
			return err
		}
		of := make([]Split, len(asks))
		for j := range asks {
			ask := asks[j : j+1]
			a, err := joint.Answers(ctx, ask...)
			if err != nil {
				return err
			}
			x, err := ofAnswers(a, ask, net, false)
			if err != nil {
				return err
			}
			of[j].add(simulate.Held(x[0].lower, x[0].upper, x[0].truth), slices.ContainsFunc(a.Warnings(),
				func(w warning.Warning) bool { return w.Kind == warning.KindRareEvidence }))
		}
		for j, counted := range of { // of releases whose questions all converged
			each[j].plus(counted)
		}
		return nil
	})
	for _, q := range each {
		if q.Held < Low*q.Asked {
			out.LowQuestions++
			out.Low.plus(q)
		} else {
			out.Else.plus(q)
		}
	}
	return out, err
}

// share is a/b as text; nothing where there is nothing to share.
func share(a, b float64) string {
	if b == 0 {
		return "–"
	}
	return fixed(a / b)
}

// RareResult is what was run of CoverRare.
type RareResult struct {
	Library string      `json:"library,omitempty"`
	Command string      `json:"command,omitempty"`
	Seed    uint64      `json:"seed"`
	Points  []RarePoint `json:"points"`
}

//go:embed rare.json
var rareResults []byte

// CommittedRare reads the points that were run.
func CommittedRare() (*RareResult, error) { return simulate.Committed[RareResult](rareResults) }

// Table has a row for every point.
func (r *RareResult) Table() *table.Table {
	t := table.New("Warnings of rare evidence beside coverage", "network", "n", "ε", "prior", "releases", "questions",
		"below .9", "of these warned", "of others warned", "coverage, warned", "not warned")
	for _, p := range r.Points {
		prior, all := "shared rows", p.Low
		if p.IndependentRows {
			prior = "α = 1"
		}
		all.plus(p.Else)
		t.Add(p.Network, p.Records, p.Epsilon, prior, p.Replicates-p.NotConverged, p.Questions, p.LowQuestions,
			share(p.Low.Warned, p.Low.Asked), share(p.Else.Warned, p.Else.Asked), share(all.HeldWarned, all.Warned),
			share(all.Held-all.HeldWarned, all.Asked-all.Warned))
	}
	return t.Note("below .9: questions whose intervals held the truth in less than .9 of the releases. Warned: the share " +
		"of their answers that came with rare-evidence.").Note("Regenerate: " + r.Command)
}
