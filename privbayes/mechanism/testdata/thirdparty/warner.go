// Package warner is a mechanism of one's own, outside the library: randomised response (Warner 1965), for one column of
// two levels.
//
// Every record shows its level or, with probability q < ½ and independently, the other one; the number of records that
// show the first level is released. What one record shows has one of two laws, (1−q, q) or (q, 1−q): its privacy loss
// is
//
//	±ln((1−q)/q), the sign + with probability 1−q,
//
// and nothing else depends on the record. The count is a function of what the records show, and loses no more.
package warner

import (
	"context"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

const kind = "example.com/warner"

// Response is the mechanism.
func Response() mechanism.Front { return mathematics().Front() }

func init() {
	mechanism.Register(mechanism.Describe(Response(), "warner.Response", "", "Randomised response"))
}

// words is the number of values of the random words that decide: q = Flips/words exactly, and no floating point draws.
const words = 1 << 32

// params are what a release file keeps.
type params struct {
	Flips uint32 `json:"flips"` // of words
}

// Valid refuses what a file may not say: q = 0 is no privacy, q ≥ ½ is no mechanism.
func (p params) Valid() error {
	if p.Flips < 1 || p.Flips >= words/2 {
		return &dp.ParameterError{Of: "warner", Parameter: "flips", Value: p.Flips, Want: "1 ≤ flips < 2^31"}
	}
	return nil
}

// q is the probability of a flip.
func (p params) q() float64 { return float64(p.Flips) / words }

// rate is ln((1−q)/q), rounded up.
func (p params) rate() float64 {
	return math.Log(float64(words-int64(p.Flips))/float64(p.Flips)) * (1 + 1e-14)
}

// pair is the two laws of what one record shows. That is the library's pair of one count with geometric noise, too.
func (p params) pair() loss.Pair { return loss.GeometricPair{Rate: p.rate(), Cells: 1} }

// problem is what is calibrated for.
type problem struct {
	shape  *model.Shape
	target dp.Request
	n      int
}

// mathematics is the mechanism. Planning, and planning again from a file, follow from it.
func mathematics() mechanism.Family[problem, params] {
	return mechanism.Family[problem, params]{
		Kind: kind, Title: "Randomised response", Supports: supports,
		Prepare: prepare, Calibrate: calibrate, Certify: certify, NoNominal: true,
	}
}

// supports accepts one column of two levels.
func supports(sh *model.Shape) error {
	if t := sh.Tables(); len(t) != 1 || t[0].Cells() != 2 {
		return mechanism.Unsupported(sh.Model().String(), "a model of one column of two levels, or Geometric()")
	}
	return nil
}

// prepare refuses what randomised response is not for: n is published with the count, and a unit is one record.
func prepare(_ context.Context, sh *model.Shape, t dp.Request) (problem, error) {
	n, err := mechanism.NeedPublicN(sh, t)
	return problem{sh, t, n}, err
}

// calibrate finds the fewest flips whose pair meets the target.
func calibrate(ctx context.Context, q problem) (params, error) {
	const most = words/2 - 1
	meets := func(flips int) bool { return loss.Meets(params{uint32(flips)}.pair(), q.target.Parameters) }
	if !meets(most) {
		best := params{most}.pair()
		const reachable = "a target that q = ½ − 2^−32 meets"
		return params{}, mechanism.Unmet(ctx, q.target.Parameters, best, reachable)
	}
	return params{uint32(1 + sort.Search(most-1, func(i int) bool { return meets(1 + i) }))}, ctx.Err()
}
