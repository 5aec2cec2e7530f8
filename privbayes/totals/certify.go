package totals

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// change is what one unit does to a sequence: the public facts from which the sensitivity follows.
type change struct {
	Periods int `json:"periods"`
	Cells   int `json:"cells"` // 2 where a unit is replaced, whose rows leave cells and enter others; 1 where it is absent
	Rows    int `json:"rows"`  // of a unit, over all periods together
}

func (q change) valid() error {
	if q.Periods < 1 || q.Periods > maxPeriods || q.Cells != 1 && q.Cells != 2 || q.Rows < 1 || q.Rows > 1<<30 {
		return domain.Refuse("totals", "periods, cells, rows", fmt.Sprint(q), fmt.Sprintf("1 to %d, 1 or 2, and at least 1",
			maxPeriods))
	}
	return nil
}

// squared is Cells·Rows²·Σc_j², the squared ℓ₂ sensitivity of all measurements of the sequence together.
func (q change) squared(c []int64) *big.Int {
	out := squares(c)
	rows := big.NewInt(int64(q.Rows))
	return out.Mul(out, rows.Mul(rows, rows)).Mul(out, big.NewInt(int64(q.Cells)))
}

// noised is a sequence with its noise.
type noised struct {
	change
	Sigma2 uint64 `json:"sigma2"`
}

// rhoChecker derives ρ of the whole sequence.
var rhoChecker = cert.Define("totals/rho", func(_ context.Context, q noised) (out cert.Outcome, err error) {
	if err := q.valid(); err != nil {
		return out, err
	}
	if q.Sigma2 < 1 {
		return out, domain.Refuse("totals", "sigma2", q.Sigma2, "at least 1")
	}
	return cert.Outcome{Value: rhoOf(q.squared(weights(q.Periods)), q.Sigma2), Method: cert.ClosedForm,
		Work: int64(q.Periods)}, nil
})

// enumerated are at most so many periods and rows of a unit.
const (
	enumeratedPeriods = 5
	enumeratedRows    = 2
)

// small is the largest sequence of the same form that is enumerated.
func (q change) small() change {
	return change{min(q.Periods, enumeratedPeriods), q.Cells, min(q.Rows, enumeratedRows)}
}

// changeChecker finds the squared sensitivity of a small sequence of two cells, from the sums as they are measured.
var changeChecker = cert.Define("totals/change", func(ctx context.Context, q change) (out cert.Outcome, err error) {
	if err := q.valid(); err != nil {
		return out, err
	}
	if q != q.small() {
		return out, domain.Refuse("totals", "periods, rows", fmt.Sprint(q.Periods, q.Rows), "those of a small sequence")
	}
	return enumerate(ctx, q, measured)
})

// enumerate is the largest squared distance of the measurements of two units, or of one and none, over all their rows.
func enumerate(ctx context.Context, q change, measure func(c, counts []int64, cells, t int) []int64) (out cert.Outcome,
	err error) {
	const cells = 2
	c := weights(q.Periods)
	var units [][]int64 // the measurements of every unit
	var add func(counts []int64, from, left int)
	add = func(counts []int64, from, left int) {
		var all []int64
		for t := range q.Periods {
			all = append(all, measure(c, counts, cells, t)...)
		}
		units = append(units, all)
		for i := from; left > 0 && i < len(counts); i++ {
			counts[i]++
			add(counts, i, left-1)
			counts[i]--
		}
	}
	add(make([]int64, q.Periods*cells), 0, q.Rows)
	others := units[:1] // that without rows
	if q.Cells == 2 {
		others = units
	}
	work := int64(len(units)) * int64(len(others))
	if work > cert.WorkLimit(ctx) {
		return out, cert.ErrWorkLimit
	}
	var most int64 // below 2·4·5·2^32
	for _, a := range units {
		for _, b := range others {
			var sum int64
			for i := range a {
				sum += (a[i] - b[i]) * (a[i] - b[i])
			}
			most = max(most, sum)
		}
	}
	return cert.Outcome{Value: float64(most), Method: cert.Enumeration, Work: work}, nil
}

// certify makes the checks of a sequence. The bound of the first is what the second rests on, in small.
func certify(ctx context.Context, q noised, target dp.Parameters) (*cert.Certificate, error) {
	small := q.small()
	squared, _ := new(big.Float).SetInt(small.squared(weights(small.Periods))).Float64()
	a, err := changeChecker.Check(cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit)), cert.Check{
		Statement: "the squared distance of all measurements of two neighbours",
		Formula:   fmt.Sprintf("max Σ_t ‖y_t − y′_t‖² ≤ %d·%d²·Σc_j²", small.Cells, small.Rows),
		Source:    "theory/publication.md §7", Bound: cert.Number(squared),
		Scope: fmt.Sprintf("%d periods, units of up to %d rows, two cells: the largest of this form that is enumerated",
			small.Periods, small.Rows),
	}, small)
	if err != nil {
		return nil, err
	}
	b, err := rhoChecker.Check(ctx, cert.Check{
		Statement: "ρ of all periods together",
		Formula:   fmt.Sprintf("%d·%d²·Σ_{j<%d} c_j²/(2σ²), c_j = round(2^16·C(2j, j)/4^j)", q.Cells, q.Rows, q.Periods),
		Source:    "theory/publication.md §7; Canonne, Kamath, Steinke 2020", Bound: cert.Number(target.Rho),
		Scope: "all data, also rows that depend on earlier releases; a row keeps its period, rows_per_unit is of all " +
			"periods together, and under replace-one the number of rows at every release is public",
	}, q)
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "running totals", Checks: []cert.Check{a, b}}, nil
}

// Limits of a sequence: its periods, whose slots fit one line of a ledger, and the count of one cell in one period
// above which counts are cut. With both, the sums of a period stay below 2^62 whatever the rows are, so that nothing is
// refused by their number.
const (
	maxPeriods = 400
	maxCount   = 1 << 40
)

// scale is c_0: a record of the current period has this weight in a measurement.
const scale = 1 << 16

// weights are c_j = round(2^16·C(2j, j)/4^j), j < T, in integers: the coefficients of 1/√(1−z), of which the square is
// 1/(1−z), the running sum (theory/publication.md §7).
func weights(periods int) []int64 {
	c := make([]int64, periods)
	choose := big.NewInt(1) // C(2j, j)
	for j := range c {
		twice := new(big.Int).Lsh(choose, 16+1) // 2·2^16·C(2j, j)
		twice.Add(twice, new(big.Int).Lsh(big.NewInt(1), uint(2*j)))
		c[j] = twice.Rsh(twice, uint(2*j+1)).Int64()
		choose.Mul(choose, big.NewInt(int64(2*(2*j+1))))
		choose.Quo(choose, big.NewInt(int64(j+1)))
	}
	return c
}

// squares is Σc_j²: the squared ℓ₂ norm of what a row of the first period does to all measurements of a cell.
func squares(c []int64) *big.Int {
	sum := new(big.Int)
	for _, x := range c {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(x), big.NewInt(x)))
	}
	return sum
}

// measured is the sum Σ_{j ≤ t} c_{t−j}·x_j of every cell, of the counts x of all periods, the cells of a period one
// after the other, for the period t from 0.
func measured(c, counts []int64, cells, t int) []int64 {
	out := make([]int64, cells)
	for j := range t + 1 {
		for i := range cells {
			out[i] += c[t-j] * min(counts[j*cells+i], maxCount)
		}
	}
	return out
}

// inverse are the b_j with Σ_j b_j·y_{t−j} = Σ_{j ≤ t} x_j, where y are the measurements: b·c = 1/(1−z) as series.
func inverse(c []int64) []float64 {
	b := make([]float64, len(c))
	for t := range b {
		rest := 1.
		for j := 1; j <= t; j++ {
			rest -= float64(c[j]) * b[t-j]
		}
		b[t] = rest / float64(c[0])
	}
	return b
}

// leastNoise is the least integer σ² with change/(2σ²) ≤ ρ, and 256 at least: finer noise gains nothing.
func leastNoise(change *big.Int, rho float64) *big.Int {
	exact := new(big.Rat).SetFloat64(2 * rho)
	ratio := new(big.Rat).Quo(new(big.Rat).SetInt(change), exact)
	up := new(big.Int).Add(ratio.Num(), ratio.Denom())
	up.Sub(up, big.NewInt(1)).Quo(up, ratio.Denom())
	if up.Cmp(big.NewInt(256)) < 0 {
		up.SetInt64(256)
	}
	return up
}

// rhoOf is change/(2σ²), rounded up.
func rhoOf(change *big.Int, sigma2 uint64) float64 {
	exact := new(big.Rat).SetFrac(change, new(big.Int).Lsh(new(big.Int).SetUint64(sigma2), 1))
	x, _ := exact.Float64()
	for new(big.Rat).SetFloat64(x).Cmp(exact) < 0 {
		x = math.Nextafter(x, math.Inf(1))
	}
	return x
}
