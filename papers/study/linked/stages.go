package linked

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/maxent"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Two stages. Parents with the number of children are learned first, with 35 % of the budget. Then come children given
// the columns of their parents, that number, their place and the child before: in rounds of the library's shares, with
// its corrections and its objective. The noise is made of floating-point numbers, of the right scale: a study, and no
// release.

// The columns of a child's row: first what it is given, then its own from mine on.
const (
	number = 4
	place  = 5
	before = 6
	mine   = 10
	width  = 14
)

type childRow struct {
	codes  [width]int
	weight float64 // that of c = 1: a parent with all children counts one
}

// pair are the places of two columns, the second a child's own; a is −1 for a table of one column.
type pair struct{ a, b int }

// pairTable is what is known of a table: the mean of its measurements by their precision.
type pairTable struct {
	pair
	noisy, theta []float64
	precision    float64
}

// second is the second stage.
type second struct {
	levels   [width]int
	ordered  bool
	total    float64
	known    []*pairTable
	families []household // synthetic parents with the children that were drawn for them last
	rows     []childRow
	rand     *rand.Rand
}

// stageRounds is how many tables of children are chosen: two a column. Fits read so many synthetic households in
// rounds, and at the end.
const (
	stageRounds  = 2 * width
	someFamilies = 1500
	manyFamilies = 5_000
)

// stages are synthetic households of both stages.
func (p Point) stages(ctx context.Context, list []household, seed uint64) ([]household, error) {
	parents, children := columnsOf(list)
	f, err := frame.TablesFromColumns(p.schema(false), parents, children)
	if err != nil {
		return nil, err
	}
	r, err := p.released(f, .35, seed)
	if err != nil {
		return nil, err
	}
	if f, err = r.Synthesize(len(list), dp.Seeded(seed)); err != nil {
		return nil, err
	}
	rows, err := read(f, parentColumns)
	if err != nil {
		return nil, err
	}
	sizes, err := f.Codes("size")
	if err != nil {
		return nil, err
	}
	made := make([]household, len(rows))
	for i := range made {
		made[i] = household{rows[i], make([]codes, sizes.At(i))}
	}
	s := p.second(seed + 1)
	if err := s.learn(ctx, noise{p, .65}, list, made); err != nil {
		return nil, err
	}
	s.families = made
	s.draw(dp.Seeded(seed + 2))
	return made, nil
}

// second is a second stage that knows nothing.
func (p Point) second(seed uint64) *second {
	s := &second{ordered: p.Ordered, rand: rand.New(dp.Seeded(seed))}
	s.levels = [width]int{number: p.Most + 1, place: p.Most}
	for i := range 4 {
		s.levels[i], s.levels[mine+i] = parentColumns[i].levels, childColumns[i].levels
		s.levels[before+i] = childColumns[i].levels + 1
	}
	return s
}

// rowsOf are the rows of the children of households.
func (s *second) rowsOf(list []household) (out []childRow) {
	for _, h := range list {
		for i, c := range h.children {
			r := childRow{weight: 1 / float64(len(h.children))}
			copy(r.codes[:], h.parent[:])
			r.codes[number], r.codes[place] = len(h.children), i
			for k := range c {
				if r.codes[before+k] = s.levels[mine+k]; i > 0 {
					r.codes[before+k] = h.children[i-1][k]
				}
				r.codes[mine+k] = c[k]
			}
			out = append(out, r)
		}
	}
	return out
}

// candidates are the pairs with a column of the child.
func candidates() (out []pair) {
	for b := mine; b < width; b++ {
		for a := range b {
			out = append(out, pair{a, b})
		}
	}
	return out
}

func (s *second) cells(p pair) int {
	if p.a < 0 {
		return s.levels[p.b]
	}
	return s.levels[p.a] * s.levels[p.b]
}

// count is the table of rows.
func (s *second) count(p pair, rows []childRow) []float64 {
	out := make([]float64, s.cells(p))
	for i := range rows {
		at := rows[i].codes[p.b]
		if p.a >= 0 {
			at += rows[i].codes[p.a] * s.levels[p.b]
		}
		out[at] += rows[i].weight
	}
	return out
}

// noise is that of a stage, with its part of the budget.
type noise struct {
	Point
	part float64
}

// variance is that of a count of a table with a share.
func (z noise) variance(share float64) float64 {
	if z.Pure > 0 {
		return 2 / math.Pow(z.Pure*z.part*share, 2)
	}
	return 1 / (2 * z.Rho * z.part * share)
}

// draw is the noise of a count.
func (z noise) draw(r *rand.Rand, variance float64) float64 {
	if z.Pure > 0 {
		return math.Sqrt(variance/2) * (math.Log(1-r.Float64()) - math.Log(1-r.Float64()))
	}
	return math.Sqrt(variance) * sample.Normal(r)
}

// rate is x of a choice with a share: a score moves by −1 to 1.
func (z noise) rate(share float64) float64 {
	if z.Pure > 0 {
		return z.Pure * z.part * share / 2
	}
	return math.Sqrt(8*z.Rho*z.part*share) / 2
}

// kept is what noise adds to a distance at a cell of m: as mechanism/structure has it.
func (z noise) kept(variance, m float64) float64 {
	sd := math.Sqrt(variance)
	if z.Pure > 0 {
		return sd / math.Sqrt2 * (2 - math.Exp(-m*math.Sqrt2/sd)) / 2
	}
	u := m / sd
	return sd*(2-math.Exp(-u*u/2))/math.Sqrt(2*math.Pi) + m*math.Erfc(u/math.Sqrt2)/2
}

// learn measures and fits.
func (s *second) learn(ctx context.Context, z noise, real, made []household) error {
	rows, sum := s.rowsOf(real), 0.
	for _, h := range made {
		s.total += float64(bit(len(h.children) > 0))
	}
	for b := mine; b < width; b++ {
		sum += s.weight(z, b)
	}
	for b := mine; b < width; b++ {
		s.measure(z, pair{-1, b}, rows, .2*s.weight(z, b)/sum)
	}
	choose, share := pick(z.Pure > 0, .15, .12), .8/stageRounds
	list := candidates()
	private := make([][]float64, len(list))
	for i, c := range list {
		private[i] = s.count(c, rows)
	}
	s.families = slices.Clone(made[:min(len(made), someFamilies)]) // they are independent: the first are as good as any
	for stopped, t := 0, 0; t < stageRounds; t++ {
		if err := s.refit(ctx, 40); err != nil {
			return err
		}
		chosen := s.choose(z, list, private, share*choose, z.variance(share*(1-choose)))
		if stopped > 0 {
			chosen = pair{-1, mine + stopped%4}
		}
		stopped += bit(chosen.a < 0)
		s.measure(z, chosen, rows, share*(1-choose))
	}
	s.families = slices.Clone(made[:min(len(made), manyFamilies)])
	for range 4 {
		if err := s.refit(ctx, 100); err != nil {
			return err
		}
	}
	return nil
}

// choose is the exponential mechanism among the candidates and a stop, after which columns are measured again.
func (s *second) choose(z noise, list []pair, private [][]float64, share, variance float64) (chosen pair) {
	public, _ := s.expected(list)
	best := math.Inf(-1)
	for i, c := range append(list, pair{-1, mine}) {
		score := 0.
		if i < len(list) {
			score = s.score(z, c, private[i], public[i], variance)
		}
		if v := z.rate(share)*score - math.Log(-math.Log(1-s.rand.Float64())); v > best {
			best, chosen = v, c
		}
	}
	return chosen
}

// weight is the part of a column's table of the budget for such tables.
func (s *second) weight(z noise, b int) float64 {
	if z.Pure > 0 {
		return math.Sqrt(float64(s.levels[b]))
	}
	return math.Pow(float64(s.levels[b]), 2./3)
}

// score is ‖N − M‖₁ less what sampling and noise make of it.
func (s *second) score(z noise, c pair, n, m []float64, variance float64) float64 {
	distance, cost, sampling := 0., 0., 0.
	for i := range m {
		distance += math.Abs(n[i] - m[i])
		cost += z.kept(variance, m[i])
		sampling += math.Sqrt(2 / math.Pi * m[i] * .5) // about half a record's weight each
	}
	free := float64(s.levels[c.a]-1) * float64(s.levels[c.b]-1)
	distance -= cost * free / float64(len(m))
	if !slices.ContainsFunc(s.known, func(t *pairTable) bool { return t.pair == c }) {
		distance -= sampling
	}
	return distance
}

// measure adds a noisy table.
func (s *second) measure(z noise, c pair, rows []childRow, share float64) {
	variance, counts := z.variance(share), s.count(c, rows)
	for i := range counts {
		counts[i] += z.draw(s.rand, variance)
	}
	for _, t := range s.known {
		if t.pair == c {
			all := t.precision + 1/variance
			for i, v := range counts {
				t.noisy[i] = (t.noisy[i]*t.precision + v/variance) / all
			}
			t.precision = all
			return
		}
	}
	t := &pairTable{c, counts, make([]float64, len(counts)), 1 / variance}
	if c.a < 0 {
		for i, v := range counts {
			t.theta[i] = math.Log(math.Max(v, 1))
		}
	}
	s.known = append(s.known, t)
}

// draw draws the children of the families, one after another, given the one before.
func (s *second) draw(src rand.Source) {
	r := rand.New(src)
	joint, _ := s.joint()
	var fields [4][]float64
	cells := make([]float64, len(joint))
	for i := range s.families {
		h := &s.families[i]
		h.children = make([]codes, len(h.children))
		for k := range h.children {
			row := s.rowsOf([]household{{h.parent, h.children}})[k]
			s.fields(&row, &fields)
			at, u := 0, r.Float64()*s.chances(joint, &fields, cells)
			for ; at < len(cells)-1; at++ {
				if u -= cells[at]; u < 0 {
					break
				}
			}
			for j := 3; j >= 0; j-- {
				h.children[k][j] = at % s.levels[mine+j]
				at /= s.levels[mine+j]
			}
		}
	}
	s.rows = s.rowsOf(s.families)
	sum := 0.
	for _, w := range s.rows {
		sum += w.weight
	}
	for i := range s.rows {
		s.rows[i].weight *= s.total / sum
	}
}

// joint are the factors that the tables of the child alone give each of its states; log is their common part.
func (s *second) joint() (out []float64, log float64) {
	n := 1
	for _, k := range s.levels[mine:] {
		n *= k
	}
	out, log = make([]float64, n), math.Inf(-1)
	for i := range out {
		code := s.state(i)
		for _, t := range s.known {
			switch {
			case t.a < 0:
				out[i] += t.theta[code[t.b-mine]]
			case t.a >= mine:
				out[i] += t.theta[code[t.a-mine]*s.levels[t.b]+code[t.b-mine]]
			}
		}
		log = math.Max(log, out[i])
	}
	for i := range out {
		out[i] = math.Exp(out[i] - log)
	}
	return out, log
}

// state are the codes of a state of the child.
func (s *second) state(at int) (c codes) {
	for j := 3; j >= 0; j-- {
		c[j] = at % s.levels[mine+j]
		at /= s.levels[mine+j]
	}
	return c
}

// fields are the factors that a row's evidence gives each column of the child; log is their common part.
func (s *second) fields(r *childRow, out *[4][]float64) (log float64) {
	for j := range out {
		k := s.levels[mine+j]
		if out[j] == nil {
			out[j] = make([]float64, k)
		}
		clear(out[j])
		for _, t := range s.known {
			if t.b == mine+j && t.a >= 0 && t.a < mine {
				for i, v := range t.theta[r.codes[t.a]*k : (r.codes[t.a]+1)*k] {
					out[j][i] += v
				}
			}
		}
		top := slices.Max(out[j])
		for i, v := range out[j] {
			if out[j][i] = math.Exp(v - top); j == 0 && s.never(pair{before, mine}, r.codes[before], i) {
				out[j][i] = 0
			}
		}
		log += top
	}
	return log
}

// chances fills in the weights of the states of a child, and adds them up.
func (s *second) chances(joint []float64, f *[4][]float64, cells []float64) (z float64) {
	at := 0
	for _, x := range f[0] {
		for _, y := range f[1] {
			for _, v := range f[2] {
				xyv := x * y * v
				for _, w := range f[3] {
					cells[at] = joint[at] * xyv * w
					z += cells[at]
					at++
				}
			}
		}
	}
	return z
}

// margins are the tables that the model has of each state of the child, and of each row and column of the child.
func (s *second) margins(each func(r *childRow, margin *[4][]float64)) (states []float64, value float64) {
	joint, common := s.joint()
	states, cells := make([]float64, len(joint)), make([]float64, len(joint))
	var fields, margin [4][]float64
	for j := range margin {
		margin[j] = make([]float64, s.levels[mine+j])
	}
	for i := range s.rows {
		r := &s.rows[i]
		log := s.fields(r, &fields)
		z := s.chances(joint, &fields, cells)
		value += r.weight * (math.Log(z) + log + common)
		for j := range margin {
			clear(margin[j])
		}
		scale, at := r.weight/z, 0
		for a := range fields[0] {
			for b := range fields[1] {
				for c := range fields[2] {
					sum := 0.
					for d := range fields[3] {
						p := cells[at] * scale
						states[at] += p
						margin[3][d] += p
						sum += p
						at++
					}
					margin[2][c] += sum
					margin[1][b] += sum
					margin[0][a] += sum
				}
			}
		}
		each(r, &margin)
	}
	return states, value
}

// expected are the tables that the model has of pairs.
func (s *second) expected(list []pair) (out [][]float64, value float64) {
	out = make([][]float64, len(list))
	for i, c := range list {
		out[i] = make([]float64, s.cells(c))
	}
	states, value := s.margins(func(r *childRow, margin *[4][]float64) {
		for i, c := range list {
			if c.a >= 0 && c.a < mine {
				k := s.levels[c.b]
				for x, p := range margin[c.b-mine] {
					out[i][r.codes[c.a]*k+x] += p
				}
			}
		}
	})
	for at, p := range states {
		code := s.state(at)
		for i, c := range list {
			switch {
			case c.a < 0:
				out[i][code[c.b-mine]] += p
			case c.a >= mine:
				out[i][code[c.a-mine]*s.levels[c.b]+code[c.b-mine]] += p
			}
		}
	}
	return out, value
}

// refit draws the children of the evidence anew, and fits.
func (s *second) refit(ctx context.Context, steps int) error {
	s.draw(dp.Seeded(1))
	return s.fit(ctx, steps)
}

// fit minimises the library's objective, with the rows of the evidence as they are: Σ w·ln Z − ⟨θ, ȳ⟩ + ½λσ²‖θ‖².
func (s *second) fit(ctx context.Context, steps int) error {
	var list []pair
	var y, x, scale, ridge []float64
	for _, t := range s.known {
		list = append(list, t.pair)
		centred, records := s.centred(t)
		for i, v := range centred {
			r := maxent.Ridge / t.precision * (1 + rare/math.Max(records[i], .5))
			y, ridge, scale = append(y, v), append(ridge, r), append(scale, 1/math.Sqrt(r+math.Max(v, 1)))
			x = append(x, t.theta[i]/scale[len(x)])
		}
	}
	set := func(x []float64) {
		k := 0
		for _, t := range s.known {
			for i := range t.theta {
				t.theta[i] = x[k] * scale[k]
				k++
			}
		}
	}
	err := maxent.Minimise(ctx, func(x, slope []float64) float64 {
		set(x)
		tables, value := s.expected(list)
		k := 0
		for i, t := range s.known {
			for c, th := range t.theta {
				value += th * (.5*ridge[k]*th - y[k])
				slope[k] = (tables[i][c] - y[k] + ridge[k]*th) * scale[k]
				k++
			}
		}
		return value
	}, x, steps, 1e-2)
	set(x)
	return err
}

// rare is how many records of what is given hold potentials twice as tightly as in the library. The evidence stays as
// it is, so that noise would decide the children of those whom nearly nobody is like.
const rare = 32

// centred is a noisy table, moved by a constant so that it adds up to the total, and each row of a column of the
// evidence to the evidence's; records are those that its cells are made for.
func (s *second) centred(t *pairTable) (out, records []float64) {
	k, totals := len(t.noisy), []float64{s.total}
	if t.a >= 0 && t.a < mine {
		k, totals = s.levels[t.b], make([]float64, s.levels[t.a])
		for _, r := range s.rows {
			totals[r.codes[t.a]] += r.weight
		}
	}
	for i, total := range totals {
		sum, possible := 0., 0.
		for c, v := range t.noisy[i*k : (i+1)*k] {
			if !s.never(t.pair, i, c) {
				sum, possible = sum+v, possible+1
			}
		}
		for c, v := range t.noisy[i*k : (i+1)*k] {
			if v += (total - sum) / possible; s.never(t.pair, i, c) {
				v = 0
			}
			out, records = append(out, v), append(records, total)
		}
	}
	return out, records
}

// never reports whether a cell is impossible by the order of the places: the eldest comes first.
func (s *second) never(c pair, a, b int) bool { return s.ordered && c == pair{before, mine} && b > a }
