package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// mostKinds is how many different numbers are kept apart; above it they are counted in as many bins.
const mostKinds = 64

// outcomes sorts the outputs of draws into a few kinds, which were fixed by earlier draws: texts that were seen, and
// bins of numbers where there were many. What was not seen is of no kind, and in no event.
type outcomes struct {
	texts []string
	index map[string]int
	edges []float64 // of bins (−∞, e₀], (e₀, e₁], …, (e_last, ∞); nil where numbers are texts like others
}

// number reads an output as a finite number.
func number(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// newOutcomes fixes the kinds by the draws of all data sets.
func newOutcomes(seen []map[string]int) *outcomes {
	total, numbers := map[string]int{}, map[float64]int{}
	for _, counts := range seen {
		for text, k := range counts {
			total[text] += k
			if v, ok := number(text); ok {
				numbers[v] += k
			}
		}
	}
	o := &outcomes{index: map[string]int{}}
	if len(numbers) > mostKinds {
		o.edges = quantiles(numbers, mostKinds)
	}
	for text := range total {
		if _, ok := number(text); !ok || o.edges == nil {
			o.texts = append(o.texts, text)
		}
	}
	slices.SortFunc(o.texts, func(a, b string) int { // the frequent ones first, so that the order is the draws' own
		if total[a] != total[b] {
			return total[b] - total[a]
		}
		return strings.Compare(a, b)
	})
	o.texts = o.texts[:min(len(o.texts), 16*mostKinds)]
	for i, text := range o.texts {
		o.index[text] = i
	}
	return o
}

// quantiles are edges that cut weighted numbers into at most so many bins of about equal weight.
func quantiles(numbers map[float64]int, bins int) []float64 {
	values, weight := make([]float64, 0, len(numbers)), 0
	for v, k := range numbers {
		values, weight = append(values, v), weight+k
	}
	slices.Sort(values)
	var edges []float64
	sum, next := 0, 1
	for _, v := range values[:len(values)-1] {
		if sum += numbers[v]; sum*bins >= next*weight {
			edges, next = append(edges, v), sum*bins/weight+1
		}
	}
	return edges
}

// kinds is how many kinds there are.
func (o *outcomes) kinds() int {
	if o.edges == nil {
		return len(o.texts)
	}
	return len(o.texts) + len(o.edges) + 1
}

// of is the kind of an output, or −1.
func (o *outcomes) of(text string) int {
	if o.edges != nil {
		if v, ok := number(text); ok {
			i, _ := slices.BinarySearch(o.edges, v)
			return len(o.texts) + i
		}
	}
	if i, ok := o.index[text]; ok {
		return i
	}
	return -1
}

// histogram counts the draws of each kind.
func (o *outcomes) histogram(counts map[string]int) []int {
	out := make([]int, o.kinds())
	for text, k := range counts {
		if i := o.of(text); i >= 0 {
			out[i] += k
		}
	}
	return out
}

// hits counts the draws in an event.
func (o *outcomes) hits(counts map[string]int, event []bool) int {
	sum := 0
	for text, k := range counts {
		if i := o.of(text); i >= 0 && event[i] {
			sum += k
		}
	}
	return sum
}

// shownKinds is how many kinds an event names.
const shownKinds = 6

// describe names an event: outputs, and ranges of numbers.
func (o *outcomes) describe(event []bool) string {
	var parts []string
	for i, text := range o.texts {
		if event[i] {
			parts = append(parts, safetext.Short(text))
		}
	}
	last := len(o.edges) + 1
	for i := 0; o.edges != nil && i < last; i++ {
		if !event[len(o.texts)+i] {
			continue
		}
		from := i
		for i+1 < last && event[len(o.texts)+i+1] {
			i++
		}
		switch {
		case from == 0 && i == last-1:
			parts = append(parts, "any number")
		case from == 0:
			parts = append(parts, "≤ "+table.Number(o.edges[i]))
		case i == last-1:
			parts = append(parts, "> "+table.Number(o.edges[from-1]))
		default:
			parts = append(parts, "in ("+table.Number(o.edges[from-1])+", "+table.Number(o.edges[i])+"]")
		}
	}
	text := "output "
	if n := len(parts); n > shownKinds {
		return text + strings.Join(parts[:shownKinds], " or ") + fmt.Sprintf(" or one of %d more", n-shownKinds)
	}
	return text + strings.Join(parts, " or ")
}

// candidate is an event that looks bad at two neighbours.
type candidate struct {
	x, y  []int
	event []bool
	score float64
}

// worst are the events that look worst on the draws seen, each of another pair of neighbours: for a pair, the kinds in
// the order of their likelihood ratio, cut where the claim seems to be exceeded most.
func (s Sampled) worst(sets [][]int, seen []map[string]int, kinds *outcomes) []candidate {
	shares := make([][]int, len(sets))
	for i, counts := range seen {
		shares[i] = kinds.histogram(counts)
	}
	z := math.Sqrt(2 * math.Log(2*tests/s.FalseAlarm))
	var found []candidate
	for i, x := range sets {
		for j, y := range sets {
			if neighbours(s.Space, x, y) {
				found = append(found, s.cut(x, y, shares[i], shares[j], z))
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return -compare(a.score, b.score) })
	return found[:min(len(found), tests)]
}

// cut is the best event of one pair.
func (s Sampled) cut(x, y []int, at, other []int, z float64) candidate {
	order := make([]int, len(at))
	for k := range order {
		order[k] = k
	}
	ratio := func(k int) float64 { return (float64(at[k]) + 0.5) / (float64(other[k]) + 0.5) }
	slices.SortStableFunc(order, func(a, b int) int { return -compare(ratio(a), ratio(b)) })
	best, length := math.Inf(-1), 1
	p, q := 0, 0
	for i, k := range order {
		p, q = p+at[k], q+other[k]
		low, _ := wilson(p, s.Draws, z)
		_, high := wilson(q, s.Draws, z)
		score := spent(s.Claim, low, high)
		if score == 0 {
			score = low - high // nothing is shown: the least bad, so that the tests have an event
		}
		if score > best {
			best, length = score, i+1
		}
	}
	c := candidate{x: x, y: y, event: make([]bool, len(at)), score: best}
	for _, k := range order[:min(length, len(order))] {
		c.event[k] = true
	}
	return c
}

// wilson is an approximate interval of a probability: cheap, for the choice of an event only.
func wilson(k, n int, z float64) (lower, upper float64) {
	m, p := float64(n), float64(k)/float64(n)
	centre, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return math.Max(0, (centre-half)/(1+z*z/m)), math.Min(1, (centre+half)/(1+z*z/m))
}

// neighbours says whether two data sets of a space are neighbours.
func neighbours(s finite.Space, x, y []int) bool {
	moved, more := 0, 0
	for i := range x {
		d := x[i] - y[i]
		moved, more = moved+max(d, -d), more+d
	}
	return moved == 2 && more == 0 || moved == 1
}
