package safetext

import (
	"fmt"
	"strings"
)

// Closest returns the name most like s, or "" when none is: equal but for case, blanks and punctuation, else within two
// edits and less than half of its length.
func Closest(s string, names []string) string {
	best, bestDist := "", 3
	for _, n := range names {
		if bare(n) == bare(s) {
			return n
		}
		if d := edits(strings.ToLower(s), strings.ToLower(n), bestDist); d < bestDist && 2*d < len(n) {
			best, bestDist = n, d
		}
	}
	return best
}

// List quotes at most k names.
func List(names []string, k int) string {
	var b strings.Builder
	for i, n := range names {
		if i == k {
			fmt.Fprintf(&b, ", … (%d in all)", len(names))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Short(n))
	}
	if b.Len() == 0 {
		return "none"
	}
	return b.String()
}

// OneOf says which names there are and which of them was probably meant: `one of "age", "sex"; did you mean "age"?`.
func OneOf(s string, names []string) string {
	out := "one of " + List(names, 12)
	if near := Closest(s, names); near != "" {
		out += "; did you mean " + Short(near) + "?"
	}
	return out
}

// bare is s without what people leave out or mix up: case, blanks and punctuation between words.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '_', '-', '.':
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// edits is the Levenshtein distance of a and b in bytes, or limit when it is at least that.
func edits(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit || len(a) > 200 {
		return limit
	}
	prev := make([]int, len(b)+1)
	next := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(prev[j]+cost, prev[j+1]+1, next[j]+1)
		}
		prev, next = next, prev
	}
	return min(prev[len(b)], limit)
}
