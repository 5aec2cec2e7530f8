package parity

// factor is a table over variables of finite domains, mixed radix in the order of vars, the last fastest.
type factor[T int32 | float64] struct {
	vars  []int
	table []T
}

// messageCells is the number of entries of all messages of an elimination, and of the largest product it scans;
// infinity is no problem, it is a float.
func messageCells(domains []int, steps []step) (messages, scanned float64) {
	for _, s := range steps {
		cells := 1.0
		for _, v := range s.rest {
			cells *= float64(domains[v])
		}
		messages += cells
		scanned += cells * float64(domains[s.v])
	}
	return messages, scanned
}

// maxSum is max_z Σ factors(z) and a z that attains it, by variable elimination: every step replaces the factors that
// have its variable by their maximum over it (Dechter, "Bucket elimination", 1999). The messages are kept, and z is
// read off backwards.
func maxSum[T int32 | float64](watch Watch, domains []int, factors []factor[T], steps []step) (T, []int) {
	place := make([]int, len(domains))
	for i, s := range steps {
		place[s.v] = i
	}
	buckets := make([][]factor[T], len(steps))
	var best T
	put := func(f factor[T]) {
		if len(f.vars) == 0 {
			best += f.table[0]
			return
		}
		first := len(steps)
		for _, v := range f.vars {
			first = min(first, place[v])
		}
		buckets[first] = append(buckets[first], f)
	}
	for _, f := range factors {
		put(f)
	}
	for i, s := range steps {
		if len(buckets[i]) > 0 {
			put(factor[T]{s.rest, maxOut(watch, domains, buckets[i], s)})
		}
	}
	z := make([]int, len(domains))
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		watch.at(domains[s.v] * (1 + len(buckets[i])))
		var top T
		for x := range domains[s.v] {
			var sum T
			for _, f := range buckets[i] {
				at := 0
				for _, v := range f.vars {
					at *= domains[v]
					if v == s.v {
						at += x
					} else {
						at += z[v]
					}
				}
				sum += f.table[at]
			}
			if x == 0 || sum > top {
				top, z[s.v] = sum, x
			}
		}
	}
	return best, z
}

// maxOut is the message of a step: for every state of rest the maximum over s.v of the sum of the bucket.
func maxOut[T int32 | float64](watch Watch, domains []int, bucket []factor[T], s step) []T {
	arities := make([]int, len(s.rest))
	cells := 1
	for k, v := range s.rest {
		arities[k] = domains[v]
		cells *= arities[k]
	}
	type cursor struct {
		table    []T
		at, own  int   // offset, and stride of s.v
		up, back []int // per variable of rest: its stride, and what all to the right of it are ahead of 0
	}
	cursors := make([]cursor, len(bucket))
	for i, f := range bucket {
		c := cursor{table: f.table, up: make([]int, len(s.rest)), back: make([]int, len(s.rest))}
		stride := 1
		for k := len(f.vars) - 1; k >= 0; k-- {
			if v := f.vars[k]; v == s.v {
				c.own = stride
			} else {
				for j, w := range s.rest {
					if v == w {
						c.up[j] = stride
					}
				}
			}
			stride *= domains[f.vars[k]]
		}
		ahead := 0
		for j := len(s.rest) - 1; j >= 0; j-- {
			c.back[j] = ahead
			ahead += c.up[j] * (arities[j] - 1)
		}
		cursors[i] = c
	}
	out := make([]T, cells)
	digits := newOdometer(arities)
	work := 2 + domains[s.v]*len(cursors)
	for i := range out {
		watch.at(work)
		for x := range domains[s.v] {
			var sum T
			for j := range cursors {
				c := &cursors[j]
				sum += c.table[c.at+x*c.own]
			}
			if x == 0 || sum > out[i] {
				out[i] = sum
			}
		}
		if k := digits.next(); k >= 0 {
			for j := range cursors {
				c := &cursors[j]
				c.at += c.up[k] - c.back[k]
			}
		}
	}
	return out
}
