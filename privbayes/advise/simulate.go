package advise

import (
	"context"
	"math"
	"sync"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// dataSet is one simulated data set with the estimates it gives without privacy.
type dataSet struct {
	statistics *model.Statistics
	plain      [][]float64
	err        error
	once       sync.Once
	others     sync.Map // *model.Shape → *model.Statistics, of the same records
}

// under are the statistics of a shape: those that were simulated or, of another model, its tables of the same records.
func (d *dataSet) under(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if sh == d.statistics.Shape() {
		return d.statistics, nil
	}
	if st, ok := d.others.Load(sh); ok {
		return st.(*model.Statistics), nil
	}
	st, err := d.statistics.Under(ctx, sh)
	if err == nil {
		d.others.Store(sh, st)
	}
	return st, err
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

// shareOfData is the part of the steps and of the memory that data sets take, mostOfData that of the steps where four
// would not fit otherwise.
const (
	shareOfData = .3
	mostOfData  = .6
)

// newDataSets finds how many data sets can be afforded with the given steps.
func newDataSets(ctx context.Context, sh *model.Shape, models int, o Options, steps float64) *dataSets {
	s := &dataSets{ctx: ctx, shape: sh, o: o, steps: sh.SimulationSteps()}
	bytes := setBytes(sh)
	if l := sh.Learning(); l != nil { // every model counts the records for itself
		s.steps, bytes = s.steps*float64(1+models), bytes*float64(1+models)+l.SimulationBytes()
	}
	memory := shareOfData * float64(o.Memory) / bytes
	affordable := shareOfData * steps / s.steps
	if leastSets*s.steps <= mostOfData*steps {
		affordable = math.Max(affordable, leastSets)
	}
	s.most = int(math.Min(float64(max(o.Data, pilot)), math.Min(memory, affordable)))
	if few := min(leastSets, o.Data); s.most < few {
		s.most, s.refused = 0,
			cert.Within("simulating 4 sets of data", leastSets*bytes, "bytes", shareOfData*float64(o.Memory), "")
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

// at is data set i; it may be called by several goroutines.
func (s *dataSets) at(i int) (*dataSet, error) {
	d := &s.list[i]
	d.once.Do(func() {
		if d.err = s.ctx.Err(); d.err != nil {
			return
		}
		if d.statistics, d.err = s.shape.Simulate(s.ctx, s.o.Prior, dp.Seeded(s.o.Seed+uint64(i))); d.err == nil {
			d.plain, d.err = d.statistics.Means(access.Mine())
		}
	})
	return d, d.err
}
