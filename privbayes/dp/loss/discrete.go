package loss

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// DiscretePair is a dominating pair (P, Q) that is given by the distribution of its loss ln P/Q under P, which takes
// finitely many values. It serves for mechanisms of other programs. Where the two orders of neighbours differ, as under
// add-remove, there is one distribution for each, and every bound is the larger.
type DiscretePair struct{ orders []oneOrder }

// oneOrder has the losses of one order and their probabilities, which add to 1 with that of an infinite loss.
type oneOrder struct {
	loss, p  []float64
	infinite float64
}

// maxAtoms bounds the losses of one order.
const maxAtoms = 1 << 16

// total is by how much probabilities, as they are written, may miss 1.
const total = 1e-9

// ParseDiscrete reads one distribution of a privacy loss, or a list of two, one for each order of neighbours:
//
//	{"losses": [[-0.5, 0.3775], [0.5, 0.6224]], "infinite": 0.0001}
//
// A loss stands with its probability under P. The probabilities add to 1 within 1e-9, with that of an infinite loss;
// what is missing is counted to the largest loss. Under Q they are e^(−loss) times as likely, which adds to 1 at most.
// Errors: *dp.ParameterError.
func ParseDiscrete(b []byte) (DiscretePair, error) {
	refuse := func(parameter string, have any, want string) error {
		return domain.Refuse("loss distribution", parameter, have, want)
	}
	const form = `{"losses": [[loss, probability], …], "infinite": probability}, or a list of two, one ` +
		"for each order of neighbours"
	if err := strictjson.Shallow(b); err != nil {
		return DiscretePair{}, refuse("JSON", err, form)
	}
	if err := strictjson.Unique(b); err != nil {
		return DiscretePair{}, refuse("JSON", err, form)
	}
	type written struct {
		Losses   [][]float64 `json:"losses"`
		Infinite float64     `json:"infinite"`
	}
	var list []written
	var one written
	var raw []json.RawMessage
	if json.Unmarshal(b, &raw) == nil {
		if err := cert.Decode(b, &list); err != nil {
			return DiscretePair{}, refuse("JSON", err, form)
		}
	} else if err := cert.Decode(b, &one); err != nil {
		return DiscretePair{}, refuse("JSON", err, form)
	} else {
		list = []written{one}
	}
	if len(list) != 1 && len(list) != 2 {
		return DiscretePair{}, refuse("distributions", len(list), "one, or one for each order of neighbours")
	}
	var out DiscretePair
	for _, w := range list {
		a := oneOrder{infinite: w.Infinite}
		if len(w.Losses) == 0 || len(w.Losses) > maxAtoms {
			return out, refuse("losses", len(w.Losses), fmt.Sprintf("1 to %d of them", maxAtoms))
		}
		for _, l := range w.Losses {
			if len(l) != 2 || math.Abs(l[0]) > 700 || !(l[1] >= 0) {
				return out, refuse("loss", l, "a loss between −700 and 700 and a probability ≥ 0")
			}
			if l[1] > 0 {
				a.loss, a.p = append(a.loss, l[0]), append(a.p, l[1])
			}
		}
		if err := a.complete(); err != nil {
			return out, err
		}
		out.orders = append(out.orders, a)
	}
	return out, nil
}

// complete checks that the probabilities are those of two distributions, and makes them add to 1 or more.
func (a *oneOrder) complete() error {
	sum, other, most := a.infinite, 0., 0
	for i, p := range a.p {
		if sum, other = sum+p, other+p*math.Exp(-a.loss[i]); a.loss[i] > a.loss[most] {
			most = i
		}
	}
	switch {
	case !(a.infinite >= 0) || len(a.p) == 0 || !(math.Abs(sum-1) <= total):
		return domain.Refuse("loss distribution", "sum of the probabilities", sum, "1, with that of an infinite loss ≥ 0")
	case !(other <= 1+total):
		return domain.Refuse("loss distribution", "sum of e^(−loss) times the probability", other,
			"at most 1: losses are ln P/Q, with their probabilities under P")
	}
	a.p[most] += math.Max(0, 1-sum)
	return nil
}

// over is the largest of a number over the orders.
func (p DiscretePair) over(f func(a oneOrder) float64) (out float64) {
	for _, a := range p.orders {
		out = math.Max(out, f(a))
	}
	return out
}

// String describes the pair.
func (p DiscretePair) String() string {
	n := 0
	for _, a := range p.orders {
		n += len(a.p)
	}
	return fmt.Sprintf("a given distribution of %d losses", n)
}

// PureEpsilon is the largest loss, infinite where one is.
func (p DiscretePair) PureEpsilon() float64 {
	return p.over(func(a oneOrder) float64 {
		most := 0.
		for _, l := range a.loss {
			most = math.Max(most, l)
		}
		if a.infinite > 0 {
			most = math.Inf(1)
		}
		return most
	})
}

// Delta is E(1 − e^(ε−L))₊ under P, with the probability of an infinite loss.
func (p DiscretePair) Delta(epsilon float64) float64 {
	return p.over(func(a oneOrder) float64 {
		sum := a.infinite
		for i, l := range a.loss {
			if l > epsilon {
				sum -= a.p[i] * math.Expm1(epsilon-l)
			}
		}
		return num.InflateGamma(sum)
	})
}

// RDP is ln E e^((λ−1)L)/(λ−1) under P.
func (p DiscretePair) RDP(order float64) float64 {
	return p.over(func(a oneOrder) float64 { return num.InflateGamma(a.divergence(order)) })
}

func (a oneOrder) divergence(order float64) float64 {
	if a.infinite > 0 {
		return math.Inf(1)
	}
	most, small, large := 0., 0., 0.
	for _, l := range a.loss {
		most = math.Max(most, (order-1)*l)
	}
	for i, l := range a.loss {
		x := (order - 1) * l
		small, large = small+a.p[i]*math.Expm1(x), large+a.p[i]*math.Exp(x-most)
	}
	if most > 30 { // small may overflow
		return (most + math.Log(large)) / (order - 1)
	}
	return math.Max(0, math.Log1p(small)/(order-1))
}

// ZCDP bounds sup RDP(λ)/λ. The divergence does not fall with λ, so between two orders it is at most that of the upper
// over the lower one; and it is at most the largest loss. The interval with the largest bound is divided until its ends
// are within 1e-3.
func (p DiscretePair) ZCDP() float64 {
	most := p.PureEpsilon()
	if math.IsInf(most, 1) || most == 0 {
		return most
	}
	type interval struct{ lo, hi, bound float64 }
	of := func(lo, hi float64) interval { return interval{lo, hi, p.RDP(hi) / lo} }
	last := 4 * math.Max(1, most/p.RDP(2)) // from there on most/λ is below RDP(2)/2
	list := []interval{of(1, last), {last, math.Inf(1), num.InflateGamma(most / last)}}
	for {
		worst := 0
		for i, v := range list {
			if v.bound > list[worst].bound {
				worst = i
			}
		}
		v := list[worst]
		if v.hi/v.lo < 1.001 || len(list) > 1000 || math.IsInf(v.hi, 1) {
			return v.bound
		}
		middle := math.Sqrt(v.lo * v.hi)
		list[worst] = of(v.lo, middle)
		list = append(list, of(middle, v.hi))
	}
}
