package structure

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// A batch is chosen by whole numbers that stand in the file, so that whoever reads it comes to the same set on any
// machine. Of pair p with weight u, reported distance R and the correction c for what sampling alone makes,
//
//	g_p = u(R − c)                                what is to be gained
//	a_p = (u/u_max·max(½, free cells that noise reaches))^⅔    its size, in units of 1/sizeUnit
//
// Tables that share ρ in proportion to a_p have the least total noise, Σ a^{3/2}/√ρ_p = A^{3/2}/√ρ with A = Σ a_p. So
// one more table costs λ·((A + a)^{3/2} − A^{3/2}), λ = E|Z₁|·k·√(c/(2ρ)) for c counts that a row changes, and pairs
// are taken from the largest g/a on while they gain more than 0.8 of it, if the fit can compute with them beside those
// taken before. Corrections and sizes are functions of M, which another machine's fit may differ in: they are read from
// the file, and not verified. They cannot change what the batch spends.

const (
	sizeUnit   = 1 << 16
	priceUnit  = 1 << 20
	noisePart  = .8 // of the cost that a table must gain
	mostReport = int64(1e16)
)

// priceOf is 0.8·λ·u_max in whole units, from products and a square root, which are the same on all machines.
func (q *problem) priceOf(rho noise.Rational) int64 {
	spread := math.Sqrt(float64(q.changed(4)) * float64(rho.Den) / (2 * float64(rho.Num)))
	price := noisePart * math.Sqrt(2/math.Pi) * float64(q.rows) * spread
	return int64(math.Floor(price * float64(max(q.top, 1)) * priceUnit))
}

// tableSize is a_p of a pair whose table has so many free cells that noise reaches.
func (q *problem) tableSize(reached float64, u int64) int64 {
	a := math.Pow(float64(u)/float64(max(q.top, 1))*math.Max(reached, .5), 2./3)
	return int64(math.Round(a * sizeUnit))
}

// sizes are the least and the largest that a table may have, where machines may round to either side.
func (q *problem) sizes() (least, most int64) {
	least = math.MaxInt64
	for _, c := range q.reported() {
		u := int64(1)
		if q.weights != nil {
			u = q.weights[c.pair-1]
		}
		free := float64(q.levels[c.columns[0]]-1) * float64(q.levels[c.columns[1]]-1)
		least, most = min(least, q.tableSize(0, u)-1), max(most, q.tableSize(free, u)+1)
	}
	return least, most
}

// tableNoise is σ² of a table of a size among tables of a size together: c·k²·A/(2ρa), rounded up, so that tables of a
// set spend ρ together and no more.
func (q *problem) tableNoise(rho noise.Rational, all, size int64) noise.Rational {
	num, den := new(big.Int).SetUint64(rho.Den), new(big.Int).SetUint64(rho.Num)
	for _, f := range []int64{int64(q.changed(4)), int64(q.rows), int64(q.rows), all} {
		num.Mul(num, big.NewInt(f))
	}
	den.Mul(den, big.NewInt(2*size))
	shift := uint(min(max(noise.GaussianBits-1-(num.BitLen()-den.BitLen()), 0), 40))
	num.Lsh(num, shift)
	up := new(big.Int).Add(num, new(big.Int).Sub(den, big.NewInt(1)))
	up.Quo(up, den)
	if !up.IsUint64() {
		return noise.Rational{Num: math.MaxUint64, Den: 1} // refused by the sampler
	}
	r := noise.Rational{Num: up.Uint64(), Den: 1 << shift}
	if r.Float() < q.noise.Search.Low {
		return noise.Dyadic(q.noise.Search.Low, q.noise.bits, true)
	}
	return r.Reduced()
}

// rooted is √(a³) in units of 1/sizeUnit^{3/2}, rounded down.
func rooted(a int64) *big.Int {
	x := big.NewInt(a)
	cube := new(big.Int).Mul(x, new(big.Int).Mul(x, x))
	return cube.Sqrt(cube)
}

// worth reports whether a gain is more than the price of a table of a size beside tables of a size together.
func worth(gain, price, all, size int64) bool {
	cost := new(big.Int).Sub(rooted(all+size), rooted(all))
	cost.Mul(cost, big.NewInt(price))
	have := new(big.Int).Lsh(big.NewInt(gain), 20+24) // priceUnit·sizeUnit^{3/2}
	return have.Cmp(cost) > 0
}

// batchTable is a table of a batch, with its noise.
type batchTable struct {
	columns []int
	size    int64
	law     noise.Distribution
}

// chosen is the set of a report, in the order in which it is measured; empty where nothing may be measured.
func (s *learner) chosen(ctx context.Context, list []candidate, r mechanism.Round) (out []batchTable, err error) {
	gain, size := make([]int64, len(list)), r.Report.Sizes
	order := make([]int, len(list))
	for i, c := range list {
		order[i], gain[i] = i, weighted(s.weight(c), r.Counts[i]-r.Report.Corrections[i])
	}
	slices.SortStableFunc(order, func(i, j int) int { // by g/a, the largest first; ties by place
		x := new(big.Int).Mul(big.NewInt(gain[j]), big.NewInt(size[i]))
		return x.Cmp(new(big.Int).Mul(big.NewInt(gain[i]), big.NewInt(size[j])))
	})
	all, taken := int64(0), [][]int(nil)
	take := func(i int) error {
		ok, err := s.roomFor(ctx, taken, list[i].columns)
		if ok {
			taken, all = append(taken, list[i].columns), all+size[i]
			out = append(out, batchTable{columns: list[i].columns, size: size[i]})
		}
		return err
	}
	for _, i := range order {
		if gain[i] > 0 && worth(gain[i], s.laws.batch.price, all, size[i]) {
			if err := take(i); err != nil {
				return nil, err
			}
		}
	}
	for k := 0; k < len(order) && len(out) == 0; k++ { // the budget of the batch is spent in any case
		if err := take(order[k]); err != nil {
			return nil, err
		}
	}
	for i := range out {
		if out[i].law, err = s.noise.Of(s.tableNoise(s.laws.batch.Tables, all, out[i].size)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// roomFor reports whether a pair can be measured beside what was and will be.
func (s *learner) roomFor(ctx context.Context, taken [][]int, pair []int) (bool, error) {
	if s.edges[[2]int{min(pair[0], pair[1]), max(pair[0], pair[1])}] {
		return true, nil
	}
	ok := s.triangulated(ctx, append(slices.Clone(taken), pair)...)
	return ok, ctx.Err()
}

// readable checks a report from a file: *dp.ParameterError.
func (b *batchLaw) readable(r mechanism.Round, k int) error {
	refuse := func(have any, want string) error {
		return domain.Refuse("structure", "rounds", fmt.Sprintf("%v in round %d", have, k+1), want)
	}
	switch m := b.Distances; {
	case r.Report == nil || len(r.Chosen) > 0 || r.Stop:
		return refuse("no report", "the distances of all pairs")
	case len(r.Counts) != m || len(r.Report.Corrections) != m || len(r.Report.Sizes) != m:
		return refuse(fmt.Sprintf("%d distances", len(r.Counts)), fmt.Sprintf("%d, with as many corrections and sizes", m))
	}
	for i, v := range r.Counts {
		c, a := r.Report.Corrections[i], r.Report.Sizes[i]
		if v < -mostReport || v > mostReport || c < 0 || c > mostReport || a < b.least || a > b.most {
			return refuse(fmt.Sprintf("distance %d, correction %d, size %d", v, c, a),
				fmt.Sprintf("up to %d, 0 to %d, %d to %d", mostReport, mostReport, b.least, b.most))
		}
	}
	return nil
}
