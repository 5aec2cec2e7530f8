package chain

// window is a sum over a stretch of terms both of whose ends only move up, kept without a subtraction: terms that were
// added since the last turn have a running sum, those before it a sum from each to the turn.
type window[T any] struct {
	with     arithmetic[T]
	terms    []T // all that may be added, in order
	from, to int // the stretch is terms[from:to]
	turn     int
	before   []T // before[i−…]: sum of terms[i:turn], for from ≤ i < turn; by index
	since    T   // sum of terms[turn:to]
}

func newWindow[T any](with arithmetic[T], terms []T) *window[T] {
	return &window[T]{with: with, terms: terms, before: make([]T, len(terms))}
}

// move sets the ends to from ≤ to, neither below its last place, and gives the sum.
func (w *window[T]) move(from, to int) T {
	for ; w.to < to; w.to++ {
		w.since = w.with.plus(w.since, w.terms[w.to])
	}
	w.from = from
	if from >= w.turn && from < w.to {
		var sum, none T
		for i := w.to - 1; i >= from; i-- {
			sum = w.with.plus(sum, w.terms[i])
			w.before[i] = sum
		}
		w.turn, w.since = w.to, none
	}
	if from >= w.to {
		var none T
		w.turn, w.since = w.to, none
		return none
	}
	return w.with.plus(w.before[from], w.since)
}
