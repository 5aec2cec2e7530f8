package model

import (
	"math/rand/v2"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// alias draws from a finite law in constant time (Walker 1977, in Vose's form).
type alias struct {
	keep []float64 // probability of staying in the slot
	to   []int     // where to go otherwise
}

func newAlias(p []float64) alias {
	n := len(p)
	a := alias{make([]float64, n), make([]int, n)}
	var small, large []int
	total := 0.0
	for _, v := range p {
		total += v
	}
	scaled := make([]float64, n)
	for i, v := range p {
		scaled[i] = v / total * float64(n)
		if scaled[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.keep[s], a.to[s] = scaled[s], l
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // what rounding left over keeps its slot
		a.keep[i], a.to[i] = 1, i
	}
	return a
}

func (a alias) draw(src rand.Source) int {
	i := int(sample.Uniform(src, uint64(len(a.keep))))
	if sample.Float64(src) < a.keep[i] {
		return i
	}
	return a.to[i]
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
