// Package noises adds two noise distributions to those of the library: staircase noise for pure ε, and Skellam noise
// for (ε, δ) and Rényi privacy. Each is a file and a row of the list below.
package noises

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// The mechanisms: staircase and Skellam noise on counts.
var (
	OnStairs   = counts.Adding(StaircaseFamily, "Staircase noise on counts")
	OfPoissons = counts.Adding(SkellamFamily, "Skellam noise on counts")
)

func init() {
	for f, m := range map[noise.Family]counts.Noise{StaircaseFamily: OnStairs, SkellamFamily: OfPoissons} {
		noise.Register(f)
		mechanism.Register(m.Descriptor())
	}
}

// steps are those of the lattice per record.
const steps = 64

// Staircase is P(Z = z) ∝ e^{−ε(⌊|z|/64⌋ + 1{|z| mod 64 ≥ low})} on a lattice of 1/64 of a record (Geng, Viswanath
// 2014): a record more or less changes the exponent by at most ε.
type Staircase struct {
	Epsilon noise.Rational `json:"epsilon"`
	Low     uint64         `json:"low"` // the width of the higher part of a step, in 1 … 64
}

// staircases is the family. The parameter of the search is ε; the width of the higher part follows, and stands in
// files.
type staircases struct{ noise.OneParameter }

// StaircaseFamily is staircase noise of ε per count between 1/16 and 32.
var StaircaseFamily noise.Family = &staircases{noise.OneParameter{
	Named: "example.com/noises/staircase", Search: noise.Search{Low: 1.0 / 16, High: 32, Bits: 30},
	Of:     func(r noise.Rational) (noise.Distribution, error) { return newStaircase(r, bestLow(r.Float())) },
	PairAt: staircasePair,
}}

// bestLow has the least variance in the limit of fine lattices (Theorem 6).
func bestLow(epsilon float64) uint64 {
	b := math.Exp(-epsilon)
	share := -b/(1-b) + math.Cbrt((b-2*b*b+2*b*b*b*b-b*b*b*b*b)/2)/((1-b)*(1-b))
	return uint64(min(max(1, math.Round(steps*share)), steps))
}

func newStaircase(epsilon noise.Rational, low uint64) (noise.Distribution, error) {
	if err := epsilon.Valid(); err != nil {
		return nil, err
	}
	if e := epsilon.Float(); low < 1 || low > steps || e < 1.0/16 || e > 32 {
		return nil, &dp.ParameterError{Of: "noises", Parameter: "epsilon, low", Value: fmt.Sprint(e, low),
			Want: "1/16 ≤ epsilon ≤ 32, 1 ≤ low ≤ 64"}
	}
	return Staircase{epsilon, low}, nil
}

// Parse reads a file.
func (staircases) Parse(text []byte) (noise.Distribution, error) {
	var s Staircase
	if err := cert.Decode(text, &s); err != nil {
		return nil, fmt.Errorf("noises: %w", err)
	}
	return newStaircase(s.Epsilon, s.Low)
}

// staircasePair is randomised response at ε for each count: the loss of a row is at most ε, of k rows k·ε.
func staircasePair(epsilon float64, cells, rows int) loss.Pair {
	return loss.GeometricPair{Rate: epsilon * float64(rows), Cells: cells}
}

func (s Staircase) Pair(cells, rows int) loss.Pair {
	return staircasePair(s.Epsilon.Float(), cells, rows)
}
func (s Staircase) Unit() int64 { return steps }

func (s Staircase) String() string {
	return fmt.Sprintf("staircase, ε = %s per count, %d of %d", s.Epsilon, s.Low, steps)
}

func (s Staircase) StandardFormula(cells, rows int, _ dp.Parameters) (dp.Parameters, string) {
	return dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(s.Epsilon.Float() * float64(cells*rows))},
		"ε per count, Geng, Viswanath 2014"
}

// Draw takes a geometric step, a place in it, kept with probability e^{−ε} in its lower part, and a sign; −0 is
// rejected.
func (s Staircase) Draw(src rand.Source) int64 {
	down := func() bool { return noise.BernoulliExp(src, s.Epsilon.Num, s.Epsilon.Den) }
	for {
		g := int64(0)
		for down() {
			g++
		}
		u := noise.Uniform(src, steps)
		if u >= s.Low && !down() {
			continue
		}
		z := g*steps + int64(u)
		if negative := noise.Uniform(src, 2) == 1; !negative {
			return z
		} else if z > 0 {
			return -z
		}
	}
}

// first is the weight of the first step, whole that of all z.
func (s Staircase) first() float64 {
	return float64(s.Low) + float64(steps-s.Low)*math.Exp(-s.Epsilon.Float())
}

func (s Staircase) whole() float64 { return 2*s.first()/-math.Expm1(-s.Epsilon.Float()) - 1 }

func (s Staircase) exponent(z int64) float64 {
	a := uint64(max(z, -z))
	e := float64(a / steps)
	if a%steps >= s.Low {
		e++
	}
	return e
}

func (s Staircase) LogProb(z int64) float64 {
	return -s.Epsilon.Float()*s.exponent(z) - math.Log(s.whole())
}

// LogTail adds what is left of a step to all later ones.
func (s Staircase) LogTail(z int64) float64 {
	if z < 1 {
		return math.Log1p(-math.Exp(s.LogTail(1 - z)))
	}
	e := s.Epsilon.Float()
	q, g, u := math.Exp(-e), uint64(z)/steps, uint64(z)%steps
	left := float64(steps-max(u, s.Low)) * q
	if u < s.Low {
		left += float64(s.Low - u)
	}
	return -e*float64(g) + math.Log(left+q*s.first()/(1-q)) - math.Log(s.whole())
}

// Variance is E Z²: over step g of weight e^{−εg}, z = 64g + u.
func (s Staircase) Variance() float64 {
	q, sum := math.Exp(-s.Epsilon.Float()), 0.0
	for g := 0.0; g < 64/s.Epsilon.Float()+1; g++ {
		for u := range steps {
			w := math.Pow(q, g)
			if uint64(u) >= s.Low {
				w *= q
			}
			sum += w * (steps*g + float64(u)) * (steps*g + float64(u))
		}
	}
	return 2 * sum / s.whole()
}
