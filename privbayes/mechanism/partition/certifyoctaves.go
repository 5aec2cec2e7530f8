package partition

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// counted are the public facts from which ε follows.
type counted struct {
	Octaves
	Moved int `json:"moved"` // counts that change by one
}

func (c counted) valid() error {
	if c.Moved != 1 && c.Moved != 2 {
		return domain.Refuse("partition", "moved", c.Moved, "1 or 2")
	}
	return c.Octaves.Valid()
}

// lossChecker derives ε of all noisy counts: exact, as the rate is a dyadic number of at most 53 bits.
var lossChecker = cert.Define("octaves/loss", func(_ context.Context, c counted) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	if c.Den&(c.Den-1) != 0 {
		return out, domain.Refuse("partition", "den", c.Den, "a power of two, so that γ is a float")
	}
	return cert.Outcome{Value: float64(c.Moved) * c.Rate(), Method: cert.ClosedForm, Work: int64(c.Moved)}, nil
})

// enumeratedNoise is how far noise is enumerated.
const enumeratedNoise = 4096

// shiftChecker finds the loss of one count that moves by one, from the probabilities of the sampler. Beyond what is
// enumerated they fall by the same ratio from one to the next.
var shiftChecker = cert.Define("octaves/shift", func(_ context.Context, c counted) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	z := c.noise()
	out.Method = cert.Enumeration
	for y := int64(-enumeratedNoise); y < enumeratedNoise; y++ {
		out.Value = math.Max(out.Value, math.Abs(z.LogProb(y)-z.LogProb(y+1)))
		out.Work++
	}
	return out, nil
})

// endChecker derives the probability of a false end.
var endChecker = cert.Define("octaves/end", func(_ context.Context, o Octaves) (out cert.Outcome, err error) {
	if err := o.Valid(); err != nil {
		return out, err
	}
	return cert.Outcome{Value: o.FalseEnd(), Method: cert.ProvedBound, Work: OctaveCount}, nil
})

// CertifyOctaves makes the checks at a pure ε under an adjacency.
func CertifyOctaves(ctx context.Context, o Octaves, epsilon float64, adjacency dp.Adjacency) (*cert.Certificate,
	error) {
	change, err := ChangeOf(1, adjacency)
	if err != nil {
		return nil, err
	}
	source, c := "theory/range.md §2", counted{o, change.Moved}
	loss, err := lossChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("privacy loss of the noisy counts of all %d octaves", OctaveCount), Formula: "moved·γ",
		Source: source, Bound: cert.Number(epsilon), Citation: noisyCounts,
		Scope: fmt.Sprintf("all data: a unit counts in one octave, so one unit under %s moves %d of the counts by one",
			adjacency, c.Moved),
	}, c)
	if err != nil {
		return nil, err
	}
	shift, err := shiftChecker.Check(ctx, cert.Check{
		Statement: "privacy loss of one count that moves by one", Formula: "max_y |ln P(Z = y) − ln P(Z = y + 1)|",
		Source: source, Bound: cert.Number(o.Rate()*(1+1e-9) + 1e-12),
		Scope: fmt.Sprintf("the probabilities of the sampler up to ±%d; beyond, each is the one before times e^−γ",
			enumeratedNoise),
	}, c)
	if err != nil {
		return nil, err
	}
	end, err := endChecker.Check(ctx, cert.Check{
		Statement: "probability that an end of the range is that of an octave which nobody holds",
		Formula:   "B·q^cut/(1 + q), q = e^−γ", Source: "theory/range.md §3", Bound: FalseEnd,
		Scope: "all data: this is about accuracy, and not about privacy",
	}, o)
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "range", Checks: []cert.Check{loss, shift, end}}, nil
}
