package noise

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// Family is the noise distributions of one name, of which a plan takes the least that meets its level.
type Family interface {
	// Name stands in files. That of a family from elsewhere begins with its module's path.
	Name() string
	// Least is the least noise for the level, rounded toward privacy, on counts of which one unit changes cells, each by
	// at most rows; met is false where the widest noise, which is returned then, does not meet it.
	Least(ctx context.Context, cells, rows int, want dp.Parameters) (d Distribution, met bool, err error)
	// Parse reads the JSON of a distribution, strictly. Errors: those of JSON, *dp.ParameterError.
	Parse(text []byte) (Distribution, error)
}

// OneParameter is a family with one parameter, whose distributions have the parameter as their JSON.
type OneParameter struct {
	Named  string
	Search Search // but for its Pair
	// Of is the distribution of a parameter: *dp.ParameterError outside the sampler's range.
	Of func(r Rational) (Distribution, error)
	// PairAt is the pair of a distribution of any parameter x.
	PairAt func(x float64, cells, rows int) loss.Pair
}

// Name is its name in files.
func (f OneParameter) Name() string { return f.Named }

// Least searches.
func (f OneParameter) Least(ctx context.Context, cells, rows int, want dp.Parameters) (Distribution, bool, error) {
	s := f.Search
	s.Pair = func(x float64) loss.Pair { return f.PairAt(x, cells, rows) }
	r, met, err := s.Least(ctx, want)
	if err != nil {
		return nil, false, err
	}
	d, err := f.Of(r)
	return d, met, err
}

// Parse reads a parameter.
func (f OneParameter) Parse(text []byte) (Distribution, error) {
	var r Rational
	if err := cert.Decode(text, &r); err != nil {
		return nil, domain.Refuse("noise", f.Named, safetext.Short(string(text)), "its parameter, {\"num\": …, \"den\": …}")
	}
	if err := r.Valid(); err != nil {
		return nil, err
	}
	return f.Of(r)
}

// families are the distributions that files name.
var families = map[string]Family{}

func init() {
	for _, f := range []Family{GeometricFamily, GaussianFamily, LaplaceFamily} {
		Register(f)
	}
}

// Register makes a family known to whoever reads files. It panics where the name is empty or taken: a programming error
// at start-up.
func Register(f Family) {
	if _, taken := families[f.Name()]; taken || f.Name() == "" {
		panic("noise: a family without a name of its own: " + f.Name())
	}
	families[f.Name()] = f
}

// Named is a distribution in a file: the name of its family, and its JSON.
type Named struct {
	Family string          `json:"law"`
	Params json.RawMessage `json:"size"`
}

// NamedAs is a distribution of a family, for a file.
func NamedAs(family string, d Distribution) (Named, error) {
	text, err := json.Marshal(d)
	return Named{family, text}, err
}

// Distribution reads it: *dp.ParameterError of an unknown family, the errors of its Parse.
func (n Named) Distribution() (Distribution, error) {
	f, ok := families[n.Family]
	if !ok {
		return nil, domain.Refuse("noise", "law", safetext.Short(n.Family),
			strings.Join([]string{GeometricFamily.Named, GaussianFamily.Named, "or a family whose package is imported"}, ", "))
	}
	return f.Parse(n.Params)
}

// of is a distribution of a sampler that was checked.
func of[D Distribution](d D, err error) (Distribution, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// shown says a parameter.
func shown(symbol string, r Rational) string {
	return fmt.Sprintf("%s = %s = %.6g", symbol, r, r.Float())
}

// Least is the smallest x in [lo, hi], to 33 bits, at which ok holds; ok is monotone (false, then true) and ok(hi)
// holds.
func Least(lo, hi float64, ok func(float64) bool) float64 {
	for hi-lo > hi*1e-11 {
		mid := math.Sqrt(lo) * math.Sqrt(hi)
		if mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Greatest is the largest x in [lo, hi], to 33 bits, at which ok holds; ok is monotone (true, then false) and ok(lo)
// holds.
func Greatest(lo, hi float64, ok func(float64) bool) float64 {
	return 1 / Least(1/hi, 1/lo, func(inverse float64) bool { return ok(1 / inverse) })
}

// GreatestBy is Greatest where excess says by how much x is too large, and is at most 0 where it is not: it evaluates a
// third as often.
func GreatestBy(lo, hi float64, excess func(float64) float64) float64 {
	return 1 / Least(1/hi, 1/lo, num.Threshold(1/hi, 1/lo, func(inverse float64) float64 { return excess(1 / inverse) }))
}

// Search looks for the least noise of a parameter that meets a privacy level: the greatest rate, or the least variance.
type Search struct {
	Low, High float64 // of the parameter, within the range of the sampler
	Start     float64 // of a variance: where to begin; 0 is Low. Exact profiles cost more at a larger variance
	Bits      int     // significant ones of the parameter: 32 leave 1e-9 of the budget unspent
	Den       uint64  // its greatest denominator, a power of two; 0 is 2^40
	Variance  bool    // the noise grows with the parameter, which is rounded up; else it falls, and is rounded down
	Pair      func(x float64) loss.Pair
}

// Least is the parameter of the least noise that meets the level, rounded toward privacy; met is false where the widest
// noise, which is returned then, does not. The only error is the context's.
func (s Search) Least(ctx context.Context, want dp.Parameters) (r Rational, met bool, err error) {
	if s.Den == 0 {
		s.Den = maxDen
	}
	excess := func(x float64) float64 { return loss.Excess(loss.Until(ctx, s.Pair(x)), want) }
	meets := func(x float64) bool { return ctx.Err() != nil || excess(x) <= 0 }
	widest, step := s.Low, uint64(math.MaxUint64) // −1
	if s.Variance {
		widest, step = s.High, 1
	}
	round := func(x float64) Rational { return DyadicTo(x, s.Bits, s.Den, s.Variance) }
	if !meets(widest) {
		return round(widest), false, ctx.Err()
	}
	x := 0.0
	switch {
	case s.Variance:
		x = s.upward(meets, excess)
	case want.Notion == dp.Pure && s.linear():
		x = math.Min(s.High, float64(want.Epsilon)/s.Pair(1).PureEpsilon())
	default:
		x = GreatestBy(s.Low, s.High, excess)
	}
	r = round(x)
	for !meets(r.Float()) && (s.Variance || r.Num > 1) {
		r.Num += step // at most a step or two: the search stopped just beside the least noise
	}
	return r.Reduced(), meets(r.Float()), ctx.Err()
}

// linear reports whether pure ε goes by the rate, as far as two of them show.
func (s Search) linear() bool {
	a, b := s.Pair(1).PureEpsilon(), s.Pair(.5).PureEpsilon()
	return math.Abs(a-2*b) <= 1e-9*a
}

// upward brackets the least variance from Start, or from next to nothing where there is neither that nor a least one.
func (s Search) upward(meets func(float64) bool, excess func(float64) float64) float64 {
	hi := math.Max(math.Max(s.Start, s.Low), s.High*0x1p-80)
	for !meets(hi) {
		hi *= 4
	}
	for hi > s.Low && meets(hi/4) {
		hi /= 4
	}
	if hi <= s.Low {
		return s.Low
	}
	return Least(hi/4, hi, num.Threshold(hi/4, hi, excess))
}
