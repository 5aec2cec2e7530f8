package bugs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// oneSeed releases the count of ones of two features with noise at ε/2 each, and gives the same seed to both: the noise
// is the same, and the difference of the two noisy counts is that of the true ones. A cell of the space is one record
// with two binary features.
func oneSeed() Bug {
	const eps, n = 1.0, 4
	b := Bug{
		ID: "one-seed", Mechanism: "geometric noise on the counts of 2 features, each ε/2",
		Symptom: "every feature's noise starts from one seed: the difference of two noisy counts is exact",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)),
		How: byEnumeration + "; " + bySampling, Counterexample: "counts [0 0 0 4] and [0 1 0 3], output (1, 1)",
		Remedy: "one stream for a release, never started again",
	}
	noisy := func(counts [2]int, defect bool, src *dp.Stream) ([2]int64, error) {
		g, err := sample.NewTwoSidedGeometric(1, 2) // ε/2
		if err != nil {
			return [2]int64{}, err
		}
		var out [2]int64
		seed := src.Uint64()
		for f, count := range counts {
			from := src
			if defect {
				from = dp.Seeded(seed)
			}
			out[f] = int64(count) + g.Draw(from)
		}
		return out, nil
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		v, err := enumeratedJoint(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(4, n, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc((n+1)*(n+1), func(x []int) []float64 {
				counts := [2]int{x[1] + x[3], x[2] + x[3]}
				if defect {
					return sameNoise(counts, n, eps/2)
				}
				p, first := make([]float64, 0, (n+1)*(n+1)), geometric(counts[0], n, eps/2)
				second := geometric(counts[1], n, eps/2)
				for _, a := range first {
					for _, c := range second {
						p = append(p, a*c)
					}
				}
				return p
			}),
		}, n+1, 2)
		if err != nil {
			return verdict{}, err
		}
		// x: four records (0, 0); y: one of them (1, 0). The event is an equal pair of noisy counts.
		bound, t, err := sampled(ctx, "noisy counts are equal; x has none, y has one 1 in the first feature",
			func(neighbour bool, src *dp.Stream) (bool, error) {
				counts := [2]int{}
				if neighbour {
					counts[0] = 1
				}
				out, err := noisy(counts, defect, src)
				return out[0] == out[1], err
			}, 1)
		if err != nil {
			return verdict{}, err
		}
		v.holds, v.evidence = v.holds && bound <= eps, append(v.evidence, t)
		return v, nil
	}
	return b
}

// sameNoise is the joint law of two counts with one noise, each clamped to 0 … top. Noise beyond ±top clamps both to an
// end.
func sameNoise(counts [2]int, top int, rate float64) []float64 {
	p, q := make([]float64, (top+1)*(top+1)), math.Exp(-rate)
	clamp := func(y int) int { return min(max(y, 0), top) }
	for z := -top; z <= top; z++ {
		weight := (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(z)))
		if z == -top || z == top {
			weight = math.Pow(q, float64(top)) / (1 + q) // with the tail beyond
		}
		p[clamp(counts[0]+z)*(top+1)+clamp(counts[1]+z)] += weight
	}
	return p
}

// cells is the number of notebook cells that are run.
const cells = 5

// keeper stands for the file in which a release is kept from cell to cell; the library's is privbayes.KeepIn.
type keeper struct {
	value int64
	has   bool
}

// notebook runs cells that each show one package-level variable, the release of a count at ε = 1. A kernel that
// compiles every cell anew evaluates the variable in each. With a keeper the first evaluation draws and the others
// read. It returns what was shown, and how many of these were drawn.
func notebook(count int, kept *keeper, src *dp.Stream) (shown []int64, drawn int, err error) {
	g, err := sample.NewTwoSidedGeometric(1, 1)
	if err != nil {
		return nil, 0, err
	}
	for range cells {
		if kept != nil && kept.has {
			shown = append(shown, kept.value)
			continue
		}
		y := int64(count) + g.Draw(src)
		drawn++
		if kept != nil {
			*kept = keeper{y, true}
		}
		shown = append(shown, y)
	}
	return shown, drawn, nil
}

// redrawn is a release held by a package-level variable of a notebook: k cells show k independent releases, at k·ε.
func redrawn() Bug {
	const eps, n = 1.0, 4
	b := Bug{
		ID: "redrawn", Mechanism: "a count with geometric noise at ε = 1, held by a variable of a notebook of 5 cells",
		Symptom: "the variable is evaluated again in every cell: each draws anew, and the mean of them has less noise",
		Claimed: dp.PureDP(eps).Parameters, How: byEnumeration + "; " + bySampling,
		Counterexample: "5 cells; counts [1 3] and [0 4], output (1, 1, 4, 2, 3)",
		Remedy:         "draw once and keep: KeepIn(file), and a budget that knows the release by its ID",
	}
	b.Spent = level(b.Claimed, cells*eps)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		start := func() *keeper {
			if defect {
				return nil
			}
			return &keeper{}
		}
		_, k, err := notebook(0, start(), dp.Seeded(3))
		if err != nil {
			return verdict{}, err
		}
		t := table.New("One variable, 5 cells", "cells that show it", "draws")
		t.Add(cells, k)
		v, err := releases(ctx, b, k, n, eps, t, fmt.Sprintf("%d cells", cells))
		if err != nil {
			return verdict{}, err
		}
		bound, draws, err := sampled(ctx, "no cell shows more than 2; x has count 2, y has 3",
			func(neighbour bool, src *dp.Stream) (bool, error) {
				count := 2
				if neighbour {
					count = 3
				}
				shown, _, err := notebook(count, start(), src)
				for _, y := range shown {
					if y > 2 {
						return false, err
					}
				}
				return true, err
			}, 4)
		if err != nil {
			return verdict{}, err
		}
		v.holds, v.evidence = v.holds && bound <= eps, append(v.evidence, draws)
		return v, nil
	}
	return b
}

// falseAlarm is the probability with which a sampled check may reject a mechanism that keeps its claim: two
// Clopper–Pearson bounds of half of it each.
const falseAlarm = 1e-9

// sampledDraws is the number of draws on each of two neighbours.
const sampledDraws = 20_000

// bySampling is how bugs in the use of randomness are checked besides the law that follows from them.
var bySampling = fmt.Sprintf("%d draws of the running code, false alarm below %.0e", 2*sampledDraws, falseAlarm)

// sampled runs a mechanism on two neighbours and counts an event that is fixed beforehand. An ε-DP mechanism has
// P(event | x) ≤ e^ε·P(event | y), so
//
//	ε ≥ ln(lower bound of P(event | x) / upper bound of P(event | y))
//
// except with probability falseAlarm. The result is a lower bound: it refutes, and never proves.
func sampled(ctx context.Context, what string, event func(neighbour bool, src *dp.Stream) (bool, error),
	seed uint64) (float64, *table.Table, error) {
	var hits [2]int
	src := dp.Seeded(seed)
	for side := range hits {
		for range sampledDraws {
			if err := ctx.Err(); err != nil {
				return 0, nil, err
			}
			hit, err := event(side == 1, src)
			if err != nil {
				return 0, nil, err
			}
			if hit {
				hits[side]++
			}
		}
	}
	lower, _, err := num.ClopperPearson(hits[0], sampledDraws, falseAlarm/2)
	if err != nil {
		return 0, nil, err
	}
	_, upper, err := num.ClopperPearson(hits[1], sampledDraws, falseAlarm/2)
	if err != nil {
		return 0, nil, err
	}
	bound := math.Max(0, math.Log(lower/upper))
	t := table.New("From draws of the running code", "event", "share at x", "share at y", "ε is at least",
		"false alarm")
	t.Add(what, float64(hits[0])/sampledDraws, float64(hits[1])/sampledDraws, bound, falseAlarm)
	return bound, t, nil
}

// ledger is what a session needs of a budget: leave to draw, and a note that it has drawn.
type ledger interface {
	before(id string) error // fails when the budget is spent
	after(id string) error
}

// lateLedger keeps the charge in memory until the draw is done, and writes it then.
type lateLedger struct{ path string }

func (l *lateLedger) before(string) error {
	if b, err := os.ReadFile(l.path); err == nil && len(b) > 0 {
		return &budget.ExceededError{Dataset: "votes", Limit: dp.PureDP(1).Parameters, Spent: dp.PureDP(1).Parameters,
			Request: dp.PureDP(1).Parameters}
	}
	return nil
}

func (l *lateLedger) after(id string) error { return os.WriteFile(l.path, []byte(id), 0o600) }

// syncedLedger is the library's: the charge is on disk before the draw.
type syncedLedger struct{ path string }

func (l *syncedLedger) before(id string) error {
	b, err := budget.Open(l.path, "votes", budget.Unit{}, dp.PureDP(1))
	if err != nil {
		return err
	}
	return b.Charge("votes", budget.Charge{ID: id, What: "geometric noise on a count", Level: dp.PureDP(1).Parameters,
		State: budget.Adaptive})
}

func (l *syncedLedger) after(string) error { return nil }

// sessions is how often a session starts, draws, shows its release and ends in a crash.
const sessions = 2

// crashes lets sessions draw at 1-DP from a budget of 1-DP, each ended by a crash right after its release was seen, and
// counts the releases that came out.
func crashes(open func() ledger, src *dp.Stream) (released int, err error) {
	for range sessions {
		var spent *budget.ExceededError
		switch err := open().before(src.Identifier()); {
		case err == nil:
			released++ // drawn and shown; the session ends here, and after is never called
		case !errors.As(err, &spent):
			return 0, err
		}
	}
	return released, nil
}

// spentTwice is a budget whose ledger is written after the draw. A session that ends in between, or a second one beside
// it, finds the budget untouched.
func spentTwice() Bug {
	const eps, n = 1.0, 4
	b := Bug{
		ID: "spent-twice", Mechanism: "a count with geometric noise at ε = 1, from a budget of ε = 1, in sessions " +
			"that crash",
		Symptom: "the ledger is written after the draw: a session that ends in between leaves the budget unspent",
		Claimed: dp.PureDP(eps).Parameters, How: "dp.OpenBudget, sessions that crash; audit.Run on the releases that came " +
			"out",
		Counterexample: "2 sessions, a crash after each draw; counts [0 4] and [1 3], output (0, 0)",
		Remedy:         "charge and sync first, then draw; a draw that fails stays charged",
	}
	b.Spent = level(b.Claimed, sessions*eps)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		dir, err := os.MkdirTemp("", "gallery")
		if err != nil {
			return verdict{}, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path := filepath.Join(dir, "votes.ledger")
		open := func() ledger { return &syncedLedger{path} }
		if defect {
			open = func() ledger { return &lateLedger{path: path} }
		}
		k, err := crashes(open, dp.Seeded(2))
		if err != nil {
			return verdict{}, err
		}
		t := table.New("Sessions that crash after the draw", "sessions", "budget", "each release", "releases that "+
			"came out")
		t.Add(sessions, eps, eps, k)
		return releases(ctx, b, k, n, eps, t, fmt.Sprintf("%d sessions, a crash after each draw", sessions))
	}
	return b
}

// releases audits k independent releases of a count with geometric noise at ε, made where one was claimed.
func releases(ctx context.Context, b Bug, k, n int, eps float64, t *table.Table, how string) (verdict, error) {
	outputs := 1
	for range k {
		outputs *= n + 1
	}
	v, err := enumeratedJoint(ctx, audit.Subject{
		Name: b.Mechanism, Space: space(2, n, dp.ReplaceOne), Claim: b.Claimed,
		Mechanism: audit.FromFunc(outputs, func(x []int) []float64 { return product(geometric(x[0], n, eps), k) }),
	}, n+1, k)
	if err != nil {
		return verdict{}, err
	}
	v.counterexample = how + "; " + v.counterexample
	v.evidence = append([]*table.Table{t}, v.evidence...)
	return v, nil
}

// twoRounds is the law of two choices among three candidates, scored by how many records are theirs, each by the
// exponential mechanism at η. The third may not be chosen in the first round, and may in the second. The sampler asks
// whether a candidate may be chosen only where it needs the answer: about the best first. With kept, what was refused
// in the first round is not asked about again. Outputs: 2i + k, candidate i of the first two, then the other of them
// (k = 0) or the third.
func twoRounds(x []int, eta float64, kept bool) []float64 {
	refused := kept && x[2] > max(x[0], x[1])
	weight := func(i int) float64 { return math.Exp(eta * float64(x[i])) }
	law := make([]float64, 4)
	for i := range 2 {
		first, third := weight(i)/(weight(0)+weight(1)), weight(2)
		if refused {
			third = 0
		}
		law[2*i] = first * weight(1-i) / (weight(1-i) + third)
		law[2*i+1] = first * third / (weight(1-i) + third)
	}
	return law
}

// keptRefusal keeps what the sampler was told over rounds: which candidates it asked about depends on private scores.
// This library's own learner did it, in an early state.
func keptRefusal() Bug {
	const eps, rounds = 1.0, 2
	b := Bug{
		ID: "kept-refusal", Mechanism: "2 choices among 3 candidates, each at ε/2; one may be chosen in the second round " +
			"only",
		Symptom: "a candidate that was asked about and refused in one round is left out of the next, where it may be chosen",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)), How: byEnumeration,
		Counterexample: "counts [1 1 1] and [0 1 2], output 1",
		Remedy:         "what may be chosen is found out in every round from what was released alone",
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(3, 3, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(4, func(x []int) []float64 { return twoRounds(x, eps/rounds/2, defect) }),
		})
	}
	return b
}

// chosenForest is the law of up to two edges on three binary columns, one after the other, each by the exponential
// mechanism at η on the distance of its table from the public table of ones, four records. The rows are of four kinds:
// 000, 001, 011 and 111. Learning stops at edges that score less than enough: by a stop among the candidates, with that
// public score, or, with free, by looking. Outputs: 0, no edge; 1 + i, edge i alone; 4 + 2i + k, edge i and then the
// k-th of the others.
func chosenForest(x []int, eta float64, free bool) []float64 {
	const enough = 2
	var score [3]float64
	for i, pair := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
		var n [4]int
		for kind, row := range [4][3]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1}} {
			n[2*row[pair[0]]+row[pair[1]]] += x[kind]
		}
		score[i] = tableDistance(n)
	}
	round := func(left ...int) []float64 { // the chances of those left, then of the stop
		weights, worth := make([]float64, len(left)+1), false
		for k, i := range left {
			weights[k], worth = math.Exp(eta*score[i]), worth || score[i] >= enough
		}
		if weights[len(left)] = math.Exp(eta * enough); free {
			weights[len(left)] = 0
			if !worth {
				clear(weights)
				weights[len(left)] = 1
			}
		}
		return normalised(weights)
	}
	law := make([]float64, 10)
	first := round(0, 1, 2)
	law[0] = first[3]
	for i := range 3 {
		second := round((i+1)%3, (i+2)%3)
		law[1+i] = first[i] * second[2]
		for k := range 2 {
			law[4+2*i+k] = first[i] * second[k]
		}
	}
	return law
}

// freeEdges counts the edges that are worth having from the data, and draws as many: the choices are private, and their
// number is not.
func freeEdges() Bug {
	const eps, rounds = 1.0, 2
	b := Bug{
		ID: "free-edges", Mechanism: "up to 2 edges on 3 columns, each chosen at ε/2",
		Symptom: "how many edges there are is counted from the data and not paid for",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)), How: byEnumeration,
		Counterexample: "counts [0 0 1 3] and [1 0 1 2], output 8",
		Remedy:         "a public number of rounds, with a stop among the candidates at a public score",
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(4, 4, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(10, func(x []int) []float64 { return chosenForest(x, eps/rounds/2, defect) }),
		})
	}
	return b
}
