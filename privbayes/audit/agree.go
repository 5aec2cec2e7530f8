package audit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Agreement is what draws say about a stated law: the law is what an exact audit is about, the draws are what the
// program does.
type Agreement struct {
	Name       string
	Draws      int // of each data set
	Sets       int
	Outputs    int
	FalseAlarm float64 // the probability of denying a law that is the program's own, at most

	X             []int // the data set and the output at which they are furthest apart
	Output        int
	Stated, Share float64
	Tail          float64 // the probability, by the stated law, of as few or as many draws, whichever is less
}

// Agrees reports that no output came so often, or so seldom, that the stated law is denied: with Sets·Outputs counts,
// each looked at from both sides, no Tail is below FalseAlarm/(2·Sets·Outputs).
func (a *Agreement) Agrees() bool { return a.Tail >= a.FalseAlarm/float64(2*a.Sets*a.Outputs) }

// Agree draws from every data set of the space and compares the counts of outputs with a stated law, whose outputs
// the draws name by number, 0 to Outputs−1. A law that is the sampler's own is denied with probability at most
// FalseAlarm. Agreement is no proof: a difference of the order of 1/√Draws is not seen. The claim plays no part.
//
// Errors: *LawError for a law that is none or a draw that names no output, and those of [Sample].
func Agree(ctx context.Context, law finite.Mechanism, s Sampled) (*Agreement, error) {
	if s.Draws == 0 {
		s.Draws = 20_000
	}
	if s.FalseAlarm == 0 {
		s.FalseAlarm = 1e-9
	}
	if law == nil || law.Outputs() < 1 {
		return nil, domain.Refuse("audit: "+s.Name, "law", law, "the law of a mechanism with outputs")
	}
	sets, err := s.sets(ctx)
	if err != nil {
		return nil, err
	}
	a := &Agreement{Name: s.Name, Draws: s.Draws, Sets: len(sets), Outputs: law.Outputs(), FalseAlarm: s.FalseAlarm,
		Tail: math.Inf(1)}
	logs := make([]float64, law.Outputs())
	for i, x := range sets {
		if bad := fillLaw(law, slices.Clone(x), logs); bad != nil {
			return nil, bad
		}
		texts, err := s.count(ctx, x)
		if err != nil {
			return nil, err
		}
		counts := make([]int, len(logs))
		for text, k := range texts {
			o, err := strconv.Atoi(text)
			if err != nil || o < 0 || o >= len(logs) {
				return nil, badLaw(x, "output of a draw", safetext.Short(text), fmt.Sprintf("a number from 0 to %d, of an "+
					"output of the stated law", len(logs)-1))
			}
			counts[o] += k
		}
		for o, k := range counts {
			if t := tail(k, s.Draws, math.Exp(logs[o])); t < a.Tail {
				a.X, a.Output, a.Tail = x, o, t
				a.Stated, a.Share = math.Exp(logs[o]), float64(k)/float64(s.Draws)
			}
		}
		if f := cert.ProgressOf(ctx); f != nil {
			f(int64(i+1), int64(len(sets)))
		}
	}
	return a, nil
}

// tail is the less of the probabilities that n draws have at least, or at most, k of an event of probability p. It is
// the level at which one end of the Clopper–Pearson interval meets p. p is taken up to a relative 1e-9, by which the
// sum of a law may be off 1.
func tail(k, n int, p float64) float64 {
	least, most := 1.0, 1.0 // P(≥ k), P(≤ k)
	if k > 0 {
		q := math.Min(1, p*(1+1e-9))
		least, _ = num.BetaTails(float64(k), float64(n-k+1), q, 1-q)
		if q == 0 {
			least = 0
		}
	}
	if k < n {
		q := p * (1 - 1e-9)
		_, most = num.BetaTails(float64(k+1), float64(n-k), q, 1-q)
	}
	return math.Min(least, most)
}

// Table is one row: where law and draws are furthest apart.
func (a *Agreement) Table() *table.Table {
	answer := "they agree"
	if !a.Agrees() {
		answer = "the stated law is NOT the program's"
	}
	t := table.New(fmt.Sprintf("Draws of %s against its stated law: %s", a.Name, answer),
		"furthest apart at", "output", "stated", "share of draws", "tail", "denied below")
	t.Add(fmt.Sprint(a.X), a.Output, a.Stated, a.Share, a.Tail, a.FalseAlarm/float64(2*a.Sets*a.Outputs))
	t.Note(fmt.Sprintf("%d draws of each of %d data sets; a law that is the program's own is denied with probability "+
		"at most %s", a.Draws, a.Sets, table.Number(a.FalseAlarm)))
	return t
}

// String shows the agreement as text.
func (a *Agreement) String() string { return table.Text(a) }
