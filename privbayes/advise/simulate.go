package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// maxNetworkRecords bounds the records of a simulated network, which are drawn one by one.
const maxNetworkRecords = 1_000_000

// dataSet is one simulated data set with the estimates it gives without privacy.
type dataSet struct {
	statistics *model.Statistics
	plain      [][]float64
	err        error
	once       sync.Once
}

// dataSets are made when they are first needed, and serve every mechanism and target.
type dataSets struct {
	shape *model.Shape
	o     Options
	list  []dataSet
}

func newDataSets(sh *model.Shape, o Options) *dataSets {
	return &dataSets{sh, o, make([]dataSet, max(o.Data, pilot))}
}

// at is data set i; it may be called by several goroutines.
func (s *dataSets) at(i int) (*dataSet, error) {
	d := &s.list[i]
	d.once.Do(func() {
		if d.statistics, d.err = simulate(s.shape, s.o.Prior, dp.Seeded(s.o.Seed+uint64(i))); d.err == nil {
			d.plain, d.err = plainEstimates(d.statistics)
		}
	})
	return d, d.err
}

// simulate draws the statistics of a data set of the shape from a public prior. Of a model made of count tables: every conditional
// distribution from Dirichlet(a0, …, a0), and n records from the model; of others see simulateRate and simulateRegression. No data is read.
func simulate(sh *model.Shape, a0 float64, src *dp.Stream) (*model.Statistics, error) {
	n, _ := sh.N()
	switch {
	case sh.Graph() != nil:
		return simulateNetwork(sh, n, a0, src)
	case sh.Model().Kind == model.KindLinearRegression:
		return simulateRegression(sh, n, src)
	case !sh.Model().Kind.Counts():
		return simulateRate(sh, n, src)
	}
	conds := sh.Conditionals()
	class := multinomial(int64(n), distribution(conds[0].Levels, a0, src), src)
	if len(conds) == 1 {
		return model.FromCounts(sh, [][]int64{class})
	}
	var tables [][]int64
	for _, c := range conds[1:] {
		var t []int64
		for _, rows := range class {
			t = append(t, multinomial(rows, distribution(c.Levels, a0, src), src)...)
		}
		tables = append(tables, t)
	}
	return model.FromCounts(sh, tables)
}

func distribution(levels int, a0 float64, src *dp.Stream) []float64 {
	alpha, out := make([]float64, levels), make([]float64, levels)
	for i := range alpha {
		alpha[i] = a0
	}
	sample.LogDirichlet(src, alpha, out)
	for i := range out {
		out[i] = math.Exp(out[i])
	}
	return out
}

// multinomial draws n records by a chain of binomials.
func multinomial(n int64, p []float64, src rand.Source) []int64 {
	out, rest := make([]int64, len(p)), 1.0
	for i, q := range p {
		if n == 0 || i == len(p)-1 || rest <= 0 {
			out[i] += n
			break
		}
		k := int64(distuv.Binomial{N: float64(n), P: math.Min(1, q/rest), Src: src}.Rand())
		out[i] = k
		n -= k
		rest -= q
	}
	return out
}

func simulateNetwork(sh *model.Shape, n int, a0 float64, src *dp.Stream) (*model.Statistics, error) {
	if n > maxNetworkRecords {
		return nil, &Error{What: fmt.Sprintf("a network with n = %d", n), Want: fmt.Sprintf("n ≤ %d, or fewer records and the errors' fall with 1/n", maxNetworkRecords)}
	}
	d := sh.Graph()
	cpts := make([][]float64, d.Len())
	for i := range cpts {
		for range d.FamilyCells(i) / d.Arity(i) {
			cpts[i] = append(cpts[i], distribution(d.Arity(i), a0, src)...)
		}
	}
	net, err := bayesnet.NewNet(d, cpts)
	if err != nil {
		return nil, err
	}
	codes := make([][]uint16, d.Len())
	for i := range codes {
		codes[i] = make([]uint16, n)
	}
	if err := net.Sample(n, src, codes); err != nil {
		return nil, err
	}
	var tables [][]int64
	for k, set := range sh.Sets() {
		t := make([]int64, sh.Tables()[k].Cells())
		for r := range n {
			cell := 0
			for _, v := range set {
				cell = cell*d.Arity(v) + int(codes[v][r])
			}
			t[cell]++
		}
		tables = append(tables, t)
	}
	return model.FromCounts(sh, tables)
}
