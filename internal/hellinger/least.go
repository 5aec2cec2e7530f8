package hellinger

import "math"

// least keeps the indices and values of the two smallest numbers seen; −1 where there is none. Of equal numbers the
// earlier counts as smaller.
type least struct {
	at  [2]int
	val [2]float64
}

var noLeast = least{at: [2]int{-1, -1}, val: [2]float64{math.Inf(1), math.Inf(1)}}

func (l *least) see(i int, v float64) {
	switch {
	case l.at[0] < 0 || v < l.val[0]:
		l.at[1], l.val[1] = l.at[0], l.val[0]
		l.at[0], l.val[0] = i, v
	case l.at[1] < 0 || v < l.val[1]:
		l.at[1], l.val[1] = i, v
	}
}
