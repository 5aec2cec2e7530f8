package advise

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// dataSet is one simulated data set with the estimates it gives without privacy.
type dataSet struct {
	statistics *model.Statistics
	plain      [][]float64
	err        error
	once       sync.Once
}

// dataSets are made when they are first needed, and serve every mechanism and target.
type dataSets struct {
	ctx     context.Context // of all rows: what one row's end stops is not lost to the others
	shape   *model.Shape
	o       Options
	list    []dataSet
	most    int     // that may be made
	steps   float64 // that one takes
	refused error   // why none may be made
}

// shareOfData is the part of the steps and of the memory that data sets take, mostOfData that of the steps where four would not fit otherwise.
const (
	shareOfData = .3
	mostOfData  = .6
)

// newDataSets finds how many data sets can be afforded with the given steps.
func newDataSets(ctx context.Context, sh *model.Shape, o Options, steps float64) *dataSets {
	s := &dataSets{ctx: ctx, shape: sh, o: o, steps: simulationSteps(sh)}
	memory := shareOfData * float64(o.Memory) / setBytes(sh)
	affordable := shareOfData * steps / s.steps
	if leastSets*s.steps <= mostOfData*steps {
		affordable = math.Max(affordable, leastSets)
	}
	s.most = int(math.Min(float64(max(o.Data, pilot)), math.Min(memory, affordable)))
	if few := min(leastSets, o.Data); s.most < few {
		s.most, s.refused = 0, cert.Within("simulating 4 sets of data", leastSets*setBytes(sh), "bytes", shareOfData*float64(o.Memory), "")
		if s.refused == nil {
			s.refused = cert.Within("simulating 4 sets of data", leastSets*s.steps, "steps", mostOfData*steps, "")
		}
	}
	s.list = make([]dataSet, s.most)
	return s
}

// setBytes is the memory of one data set with its estimates, while it is made.
func setBytes(sh *model.Shape) float64 {
	parameters := float64(len(sh.Sums()))
	for _, c := range sh.Conditionals() {
		parameters += float64(c.Rows) * float64(c.Levels)
	}
	return 4096 + 24*float64(sh.Cells()) + 24*parameters
}

// simulationSteps is about what one data set takes.
func simulationSteps(sh *model.Shape) float64 {
	n, _ := sh.N()
	switch {
	case sh.Graph() != nil:
		family := 0.0
		for _, set := range sh.Sets() {
			family += float64(len(set))
		}
		rows := 0.0
		for _, c := range sh.Conditionals() {
			rows += float64(c.Rows)
		}
		return 1000 + 2*float64(networkRows(sh, n))*(float64(sh.Graph().Len())+family) + 150*float64(sh.Cells()) + 500*rows
	case sh.Model().Kind == model.KindLinearRegression:
		d := float64(len(sh.Weights()))
		return 8e5 + 10*regressionRows*d*d + 10*d*d*d
	case !sh.Model().Kind.Counts():
		return 2e4 + 80*float64(min(n, rateRows))
	}
	return 5000 + 200*float64(sh.Cells()) + 800*float64(len(sh.Tables()))
}

// at is data set i; it may be called by several goroutines.
func (s *dataSets) at(i int) (*dataSet, error) {
	d := &s.list[i]
	d.once.Do(func() {
		if d.err = s.ctx.Err(); d.err != nil {
			return
		}
		if d.statistics, d.err = simulate(s.ctx, s.shape, s.o.Prior, dp.Seeded(s.o.Seed+uint64(i))); d.err == nil {
			d.plain, d.err = plainEstimates(d.statistics)
		}
	})
	return d, d.err
}

// simulate draws the statistics of a data set of the shape from a public prior. Of a model made of count tables: every conditional
// distribution from Dirichlet(a0, …, a0), and n records from the model; of others see simulateRate and simulateRegression. No data is read.
func simulate(ctx context.Context, sh *model.Shape, a0 float64, src *dp.Stream) (*model.Statistics, error) {
	n, _ := sh.N()
	switch {
	case sh.Graph() != nil:
		return simulateNetwork(ctx, sh, n, a0, src)
	case sh.Model().Kind == model.KindLinearRegression:
		return simulateRegression(ctx, sh, n, src)
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
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
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

// networkDraws bounds the values drawn for a network, whose records are drawn one by one; beyond, a part of them is drawn and taken several
// times. What is left out is sampling variation, which both estimates share.
const networkDraws = 1_000_000

// networkRows is the number of records that are drawn.
func networkRows(sh *model.Shape, n int) int {
	return min(n, max(networkDraws/sh.Graph().Len(), 1000))
}

// looks is the number of records between two looks at the context: whole blocks of bayesnet.Net.Sample, so that the records are those of one
// call.
const looks = 4 * 2048

func simulateNetwork(ctx context.Context, sh *model.Shape, n int, a0 float64, src *dp.Stream) (*model.Statistics, error) {
	d := sh.Graph()
	cpts := make([][]float64, d.Len())
	for i := range cpts {
		for range d.FamilyCells(i) / d.Arity(i) {
			cpts[i] = append(cpts[i], distribution(d.Arity(i), a0, src)...)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	net, err := bayesnet.NewNet(d, cpts)
	if err != nil {
		return nil, err
	}
	rows := networkRows(sh, n)
	codes, part := make([][]uint16, d.Len()), make([][]uint16, d.Len())
	for i := range codes {
		codes[i] = make([]uint16, rows)
	}
	for lo := 0; lo < rows; lo += looks {
		size := min(looks, rows-lo)
		for i := range part {
			part[i] = codes[i][lo : lo+size]
		}
		if err := net.Sample(size, src, part); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	times, more := int64(n/rows), n%rows // every record so often, the first ones once more
	var tables [][]int64
	for k, set := range sh.Sets() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := make([]int64, sh.Tables()[k].Cells())
		for r := range rows {
			cell := 0
			for _, v := range set {
				cell = cell*d.Arity(v) + int(codes[v][r])
			}
			t[cell] += times
			if r < more {
				t[cell]++
			}
		}
		tables = append(tables, t)
	}
	return model.FromCounts(sh, tables)
}
