package selection

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// reading is what criteria read of a table, once: codes, cells and numbers as integers.
type reading struct {
	rows    int
	own     [][]int            // codes of every column, in its own bins
	cut     [][]int            // in the bins of the criteria
	cells   []int64            // the table of all columns, in the bins of the criteria; nil where it is not asked for
	numbers map[string][]int64 // of columns of numbers, in steps from the lower bound
	values  [][]float64        // of columns of numbers, as they are; else nil
}

// steps of a column: 1 for whole numbers over a range of 2^30 at most, else 2^20 over the range.
func steps(k frame.Column) (least float64, of float64, top int64) {
	if k.Kind == frame.KindInteger && k.Max-k.Min <= 1<<30 {
		return k.Min, 1, int64(k.Max - k.Min)
	}
	return k.Min, (k.Max - k.Min) / (1 << 20), 1 << 20
}

// step is the number of a value, clipped to the bounds; NaN is the lower one.
func step(x float64, k frame.Column) int64 {
	least, of, top := steps(k)
	x = math.Round((x - least) / of)
	if !(x > 0) {
		return 0
	}
	return int64(math.Min(x, float64(top)))
}

// read reads a table under the schema.
func (c Criteria) read(f *frame.Frame, s *frame.Schema) (*reading, error) {
	r := &reading{rows: f.Len(), numbers: map[string][]int64{}, own: make([][]int, len(s.Columns)),
		cut: make([][]int, len(s.Columns)), values: make([][]float64, len(s.Columns))}
	for i, k := range s.Columns {
		codes, err := f.Codes(k.Name)
		if err != nil {
			return nil, err
		}
		r.own[i] = make([]int, r.rows)
		for j := range r.own[i] {
			r.own[i][j] = codes.At(j)
		}
		r.cut[i] = r.own[i]
		if k.Kind != frame.KindInteger && k.Kind != frame.KindReal {
			continue
		}
		if r.values[i], err = f.Values(k.Name); err != nil {
			return nil, err
		}
		numbers := make([]int64, r.rows)
		for j, x := range r.values[i] {
			numbers[j] = step(x, k)
		}
		r.numbers[k.Name] = numbers
		if at, is := c.Cuts[k.Name]; is {
			r.cut[i] = make([]int, r.rows)
			for j, x := range r.values[i] {
				for r.cut[i][j] < len(at) && x >= at[r.cut[i][j]] {
					r.cut[i][j]++
				}
			}
		}
	}
	if c.Cells == nil && c.Matched == 0 {
		return r, nil
	}
	cells := 1
	for _, k := range s.Columns {
		cells *= c.levels(k)
	}
	r.cells = make([]int64, cells)
	for j := range r.rows {
		cell := 0
		for i, k := range s.Columns {
			cell = cell*c.levels(k) + r.cut[i][j]
		}
		r.cells[cell]++
	}
	return r, nil
}

// slacks are those of a candidate's rows m next to the private n, in the order of Names: one replaced row of n moves
// each by at most 1 (theory/selection.md §4). Both have as many rows.
func (c Criteria) slacks(s *frame.Schema, n, m *reading) (out []int64) {
	rows := int64(n.rows)
	if w := c.Cells; w != nil {
		within := floor(new(big.Rat).Mul(rational(w.Within), big.NewRat(rows, 1)))
		out = append(out, within-c.farthest(s, n.cells, m.cells))
	}
	if c.Ratio > 0 {
		out = append(out, c.ratios(s, n, m))
	}
	for _, of := range c.Means {
		out = append(out, c.means(s, of, n, m))
	}
	for _, of := range c.Regressions {
		out = append(out, of.slack(s, n, m))
	}
	if c.Matched > 0 {
		matched := int64(0)
		for i, k := range n.cells {
			matched += min(k, m.cells[i])
		}
		short := new(big.Rat).Mul(rational(c.Matched), big.NewRat(rows, 1))
		out = append(out, floor(new(big.Rat).Sub(big.NewRat(matched, 1), short)))
	}
	return out
}

// farthest is the greatest difference of a cell of a table of at most so many columns.
func (c Criteria) farthest(s *frame.Schema, n, m []int64) (most int64) {
	d := make([]int64, len(n))
	for i := range d {
		d[i] = n[i] - m[i]
	}
	var sum func(d []int64, column, left int)
	// of the columns from this one on, those that are kept lie before it in d's layout: d has the tables of the kept
	// ones, each over all that are to come
	sum = func(d []int64, column, left int) {
		if column == len(s.Columns) {
			for _, x := range d {
				most = max(most, x, -x)
			}
			return
		}
		levels := c.levels(s.Columns[column])
		// d is laid out with this column slowest: kept tables are lists of such blocks
		block := 1
		for _, k := range s.Columns[column+1:] {
			block *= c.levels(k)
		}
		if left > 0 {
			sum(d, column+1, left-1)
		}
		less := make([]int64, len(d)/levels)
		for i, x := range d {
			less[i/(levels*block)*block+i%block] += x
		}
		sum(less, column+1, left)
	}
	sum(d, 0, c.Cells.Ways)
	return most
}

// ratios is ⌊min(p(M+1) − q(N+1), p(N+1) − q(M+1))/p⌋ over the values of all columns, at p/q the greatest ratio.
func (c Criteria) ratios(s *frame.Schema, n, m *reading) int64 {
	p := rational(c.Ratio)
	worst := big.NewRat(math.MaxInt64, 1)
	for i, k := range s.Columns {
		a, b := make([]int64, k.Levels()), make([]int64, k.Levels())
		for _, l := range n.own[i] {
			a[l]++
		}
		for _, l := range m.own[i] {
			b[l]++
		}
		for l := range a {
			x, y := big.NewRat(a[l]+1, 1), big.NewRat(b[l]+1, 1)
			for range 2 { // y − x/r, x − y/r, r = p/q
				slack := new(big.Rat).Sub(y, new(big.Rat).Quo(x, p))
				if slack.Cmp(worst) < 0 {
					worst = slack
				}
				x, y = y, x
			}
		}
	}
	return floor(worst)
}

// means is min over groups of ⌊(τN − |Σ(y − μ)|)/(R + τ)⌋: N rows of the group with the sum Σy, μ the candidate's mean,
// R the range, all in steps of the column.
func (c Criteria) means(s *frame.Schema, of Mean, n, m *reading) int64 {
	k, _, _ := s.Column(of.Of)
	_, unit, top := steps(*k)
	tau := new(big.Rat).Quo(rational(of.Within), new(big.Rat).SetFloat64(unit))
	groups, count := func(r *reading) []int { return make([]int, r.rows) }, 1
	for i, by := range s.Columns {
		if by.Name == of.By {
			groups, count = func(r *reading) []int { return r.cut[i] }, c.levels(by)
		}
	}
	sums := func(r *reading) (rows, sum []int64) {
		rows, sum = make([]int64, count), make([]int64, count)
		for j, g := range groups(r) {
			rows[g]++
			sum[g] += r.numbers[of.Of][j]
		}
		return rows, sum
	}
	rows, sum := sums(n)
	own, ownSum := sums(m)
	var worst *big.Rat
	for g := range count {
		if own[g] == 0 {
			return -int64(n.rows)
		}
		off := new(big.Rat).Mul(big.NewRat(ownSum[g], own[g]), big.NewRat(rows[g], 1))
		off.Sub(off, big.NewRat(sum[g], 1)).Abs(off)
		slack := new(big.Rat).Mul(tau, big.NewRat(rows[g], 1))
		if slack.Sub(slack, off); worst == nil || slack.Cmp(worst) < 0 {
			worst = slack
		}
	}
	return floor(worst.Quo(worst, new(big.Rat).Add(tau, big.NewRat(top, 1))))
}

// slack is ⌊(Σ_M|u − û| + τn − Σ_N|u − û|)/R⌋ in steps of the column, û the prediction, clipped to the bounds. A
// regression that cannot be fitted fails.
func (of Regression) slack(s *frame.Schema, n, m *reading) int64 {
	k, _, _ := s.Column(of.Of)
	_, unit, top := steps(*k)
	tau := new(big.Rat).Quo(rational(of.Within), new(big.Rat).SetFloat64(unit))
	width := 1
	for i, by := range s.Columns {
		if by.Name != of.Of {
			width += m.columns(i, by)
		}
	}
	row := make([]float64, width)
	cross, right := mat.NewSymDense(width, nil), mat.NewVecDense(width, nil)
	for j := range m.rows {
		m.design(s, of.Of, j, row)
		x := mat.NewVecDense(width, row)
		cross.SymRankOne(cross, 1, x)
		right.AddScaledVec(right, float64(m.numbers[of.Of][j]), x)
	}
	for i := range width {
		cross.SetSym(i, i, cross.At(i, i)*(1+1e-12)+1e-9)
	}
	var beta mat.VecDense
	var c mat.Cholesky
	if !c.Factorize(cross) || c.SolveVecTo(&beta, right) != nil {
		return -int64(n.rows)
	}
	errors := func(r *reading) (sum int64) {
		for j := range r.rows {
			r.design(s, of.Of, j, row)
			p := math.Round(mat.Dot(mat.NewVecDense(width, row), &beta))
			if !(p > 0) {
				p = 0
			}
			off := r.numbers[of.Of][j] - int64(math.Min(p, float64(top)))
			sum += max(off, -off)
		}
		return sum
	}
	slack := new(big.Rat).Mul(tau, big.NewRat(int64(n.rows), 1))
	slack.Add(slack, big.NewRat(errors(m)-errors(n), 1))
	return floor(slack.Quo(slack, big.NewRat(max(top, 1), 1)))
}

// columns is how many columns of the design a column gives.
func (r *reading) columns(i int, k frame.Column) int {
	if r.values[i] != nil {
		return 1
	}
	return k.Levels() - 1
}

// design sets row to that of row j: 1, numbers over the range, and an indicator of every category but the first.
func (r *reading) design(s *frame.Schema, of string, j int, row []float64) {
	clear(row)
	row[0] = 1
	at := 1
	for i, k := range s.Columns {
		switch {
		case k.Name == of:
			continue
		case r.values[i] != nil:
			_, _, top := steps(k)
			row[at] = float64(r.numbers[k.Name][j]) / float64(max(top, 1))
		case r.own[i][j] > 0:
			row[at+r.own[i][j]-1] = 1
		}
		at += r.columns(i, k)
	}
}
