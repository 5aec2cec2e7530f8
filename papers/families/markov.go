package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
)

// MarkovUnit says what one record of a Markov chain is.
type MarkovUnit int

// The units of a Markov chain.
const (
	OneStep       MarkovUnit = iota // one state of one sequence of T states
	WholeSequence                   // one of n sequences of T states
)

// Markov is a time-homogeneous Markov chain on m states; the rows of its transition matrix are independent a priori,
// symmetric Dirichlet(α) truncated to probabilities ≥ ε₀; the first state is not modelled. With L = ln((1 −
// (m−1)ε₀)/ε₀),
//
//	osc = 4L for one step (an inner state takes part in two transitions; 2L when T = 2),  2(T−1)L for a whole sequence,
//
// both attained by 0,0,0 → 0,1,0 and its repetition. Epsilon is exact, by enumeration of all sequences, for two states,
// one sequence and T ≤ 12, and osc otherwise. Source: theory/sampling.md §16.
type Markov struct {
	states, sequences, length int
	alpha, floor              float64
	unit                      MarkovUnit
	exact                     float64 // 0 when not enumerated
}

const enumeratedLength = 12

// NewMarkov takes T ≥ 2 states a sequence and 0 < ε₀ < 1/m; one sequence for OneStep, n ≥ 1 for WholeSequence:
// *ParameterError.
func NewMarkov(states, sequences, length int, alpha, floor float64, unit MarkovUnit) (*Markov, error) {
	c := need{family: "Markov chain"}
	c.that(states >= 2 && states <= 10_000, "m", states, "2 to 10,000 states")
	c.records(sequences)
	c.that(length >= 2 && length <= logratio.MaxRecords, "T", length, "2 to 10,000,000 states a sequence")
	c.positive("α", alpha)
	c.that(floor > 0 && floor*float64(states) < 1, "ε₀", floor, "inside (0, 1/m)")
	c.that(unit == OneStep || unit == WholeSequence, "unit", unit, "OneStep or WholeSequence")
	c.that(unit != OneStep || sequences == 1, "sequences", sequences, "1 when the unit is one step")
	if c.err != nil {
		return nil, c.err
	}
	f := &Markov{states: states, sequences: sequences, length: length, alpha: alpha, floor: floor, unit: unit}
	if states == 2 && sequences == 1 && length <= enumeratedLength {
		f.exact = math.Min(logratio.Inflated(f.enumerate(), length), f.Oscillation())
	}
	return f, nil
}

// transitions counts the transitions of a sequence of bits: [from][to].
type transitions [2][2]int

func count(bits, length int) (t transitions) {
	for i := 1; i < length; i++ {
		t[bits>>(i-1)&1][bits>>i&1]++
	}
	return t
}

// enumerate is the greatest loss over all sequences and their neighbours.
func (f *Markov) enumerate() float64 {
	cache := map[[2]int]float64{}
	evidence := func(row [2]int) float64 {
		v, ok := cache[row]
		if !ok {
			k := logratio.NewBetaDensity(row[0]+row[1], f.alpha, f.alpha, f.floor, 1-f.floor, 1)
			v = logratio.LogMass(k, float64(row[1]), k.Lo, k.Hi)
			cache[row] = v
		}
		return v
	}
	// loss is sup_θ |ln ξ(θ|x)/ξ(θ|y)|: the rows are independent, so their extremes add.
	loss := func(x, y transitions) float64 {
		lo, hi := 0.0, 0.0
		for r := range 2 {
			l, h := logExtremes(x[r][1]-y[r][1], x[r][0]-y[r][0], f.floor)
			shift := evidence(x[r]) - evidence(y[r])
			lo, hi = lo+l-shift, hi+h-shift
		}
		return math.Max(hi, -lo)
	}
	most := 0.0
	if f.unit == OneStep {
		for bits := range 1 << f.length {
			x := count(bits, f.length)
			for i := range f.length {
				most = math.Max(most, loss(x, count(bits^1<<i, f.length)))
			}
		}
		return most
	}
	distinct := map[transitions]bool{}
	for bits := range 1 << f.length {
		distinct[count(bits, f.length)] = true
	}
	for x := range distinct {
		for y := range distinct {
			most = math.Max(most, loss(x, y))
		}
	}
	return most
}

// logExtremes is the range of p·ln θ + q·ln(1−θ) on [ε₀, 1−ε₀]: at the ends, or at θ = p/(p+q) when p and q have one
// sign.
func logExtremes(p, q int, floor float64) (lo, hi float64) {
	at := func(theta float64) float64 { return float64(p)*math.Log(theta) + float64(q)*math.Log1p(-theta) }
	a, b := at(floor), at(1-floor)
	lo, hi = math.Min(a, b), math.Max(a, b)
	if p*q > 0 {
		v := at(math.Min(math.Max(float64(p)/float64(p+q), floor), 1-floor))
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	return lo, hi
}

// Describe names the family and its public bounds.
func (f *Markov) Describe() Description {
	d := Description{Name: "Markov chain, one step", Records: f.length, Bounds: "states 0 to m−1",
		Unit:   "one state of the sequence",
		Metric: "v′δ", Tight: f.exact > 0,
		Parameters: []Parameter{{"m", float64(f.states)}, {"T", float64(f.length)}, {"α", f.alpha}, {"ε₀", f.floor}}}
	if f.unit == WholeSequence {
		d.Name, d.Unit, d.Records = "Markov chain, whole sequence", "one sequence", f.sequences
		d.Parameters = append(d.Parameters, Parameter{"n", float64(f.sequences)})
	}
	if f.exact == 0 {
		d.Note = "ε is the bound of the oscillation; enumerated for two states, one sequence, T ≤ 12"
	}
	return d
}

// Uniform is L, where the paper has ln 1/ε₀.
func (f *Markov) Uniform() float64 { return floorLipschitz(f.states, f.floor) }

// Oscillation is 4L (2L for T = 2) for one step, 2(T−1)L for a whole sequence.
func (f *Markov) Oscillation() float64 {
	changed := f.length - 1
	if f.unit == OneStep {
		changed = min(changed, 2)
	}
	return 2 * float64(changed) * f.Uniform() * (1 + 1e-14)
}

// Epsilon is exact where Describe().Tight, else Oscillation.
func (f *Markov) Epsilon() float64 {
	if f.exact > 0 {
		return f.exact
	}
	return f.Oscillation()
}

// Paper is 4 ln 1/ε₀.
func (f *Markov) Paper() Paper {
	p := Paper{Epsilon: 4 * math.Log(1/f.floor), Source: "Lemma 24, Markov chain", Verdict: "holds for one step, loose"}
	if f.unit == WholeSequence {
		p.Verdict = "holds for one step; in a whole sequence up to T−1 transitions change"
	}
	return p
}

// Draw is one record a step for OneStep, one a sequence for WholeSequence: constant, alternating or random.
func (f *Markov) Draw(src rand.Source) Data {
	if f.unit == WholeSequence {
		return iid{f.sequences, f.sequence}.Draw(src)
	}
	var data Data
	for _, s := range f.sequence(src) {
		data = append(data, []float64{s})
	}
	return data
}

func (f *Markov) sequence(src rand.Source) []float64 {
	out := make([]float64, f.length)
	kind, first := src.Uint64()%3, src.Uint64()%uint64(f.states)
	for i := range out {
		switch kind {
		case 0:
			out[i] = float64(first)
		case 1:
			out[i] = float64((first + uint64(i)) % 2)
		default:
			out[i] = float64(src.Uint64() % uint64(f.states))
		}
	}
	return out
}

// Neighbour replaces one state, or one sequence.
func (f *Markov) Neighbour(src rand.Source, data Data) Data {
	if f.unit == WholeSequence {
		return iid{f.sequences, f.sequence}.Neighbour(src, data)
	}
	out := append(Data(nil), data...)
	out[int(src.Uint64()%uint64(len(out)))] = []float64{float64(src.Uint64() % uint64(f.states))}
	return out
}

// Nodes is the prior of the two rows on 48 points each and the corners, for two states; nil otherwise. θ = P(1|0),
// P(1|1).
func (f *Markov) Nodes() (nodes []Node, exact bool) {
	if f.states != 2 {
		return nil, false
	}
	k := logratio.BetaDensity{Alpha: f.alpha, Total: 2 * f.alpha, Lo: logratio.Logit(f.floor),
		Hi: -logratio.Logit(f.floor)}
	axis := quadratureNodes(k, f.sequences*f.length, func(t float64) float64 {
		x, _ := num.Logistic(t)
		return x
	})
	for _, a := range axis {
		for _, b := range axis {
			if math.IsInf(a.LogWeight, -1) == math.IsInf(b.LogWeight, -1) {
				nodes = append(nodes, Node{[]float64{a.Theta[0], b.Theta[0]}, a.LogWeight + b.LogWeight})
			}
		}
	}
	return nodes, false
}

// LogLikelihood is Σ ln P(next | state), for two states.
func (f *Markov) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	step := func(from, to float64) {
		if t := theta[int(from)]; to == 1 {
			sum += math.Log(t)
		} else {
			sum += math.Log1p(-t)
		}
	}
	for i, r := range data {
		if f.unit == OneStep && i > 0 {
			step(data[i-1][0], r[0])
		}
		for j := 1; j < len(r); j++ {
			step(r[j-1], r[j])
		}
	}
	return sum
}
