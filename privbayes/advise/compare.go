package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// comparison is the making of an Advice: what it may still take.
type comparison struct {
	*Advice
	ctx      context.Context // of the caller
	clock    context.Context // ends with the time
	end      time.Time
	left     float64 // steps, for all rows to come
	reports  *reporter
	reserved int // data sets whose simulation is paid
}

// forFamilies compares, with everything checked and every default taken.
func forFamilies(ctx context.Context, sh *model.Shape, targets []dp.Request, families []Family,
	o Options) (*Advice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	families, err := placed(sh, families)
	if err != nil {
		return nil, err
	}
	end, allowed := deadline(ctx, o)
	clock, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	a := &Advice{shape: sh, targets: targets, families: families, options: o, allowed: allowed, arena: sh}
	if l := sh.Learning(); l != nil {
		a.arena = l.AllPairs()
	}
	if o.steps > 0 {
		o.steps = math.Min(o.steps, 1e15)
	} else {
		o.steps = allowed.Seconds() * stepsPerSecond
	}
	c := &comparison{Advice: a, ctx: ctx, clock: clock, end: end, left: o.steps}
	a.sets = newDataSets(clock, a.arena, len(families), o, c.left)
	c.reports = newReporter(ctx, o.Progress, c.left)
	defer c.reports.close()
	if !a.stratifies() {
		c.reserved = min(typical, a.sets.most)
		c.left -= float64(c.reserved) * a.sets.steps
	}
	for i, t := range targets {
		rows, err := c.at(i, t, c.left/float64(len(targets)-i))
		if err != nil {
			return nil, err
		}
		a.rows = append(a.rows, rows)
	}
	return a, nil
}

// at works out every family at the target i with a share of the steps, and tells of each row.
func (c *comparison) at(i int, t dp.Request, share float64) (rows []Row, err error) {
	least := math.Inf(1)
	costs, known := make([][]mechanism.Cost, len(c.families)), make([]bool, len(c.families))
	for f := range c.families {
		costs[f], known[f] = c.families[f].known(t)
	}
	for f := range c.families {
		lists := make([][]setting, 0, len(c.families)-f)
		for g := f; g < len(c.families); g++ {
			list := []setting{c.whole(c.families[g], share/float64(len(c.families)))}
			if known[g] {
				list = c.settings(costs[g])
			}
			lists = append(lists, list)
		}
		row, used, err := c.attempt(c.families[f], t, least, costs[f], lists, share)
		if err != nil {
			return nil, err
		}
		if row.Refused == "" {
			least = math.Min(least, row.Error)
		}
		share -= used
		c.left -= used
		rows = append(rows, row)
		if c.options.Row != nil {
			c.options.Row(i, row)
		}
	}
	return rows, nil
}

// supports is the first choice's refusal of the shape, where every choice refuses it.
func (f Family) supports() (refusal error) {
	for _, c := range f.Choices {
		err := c.Mechanism.Supports(f.shape)
		if err == nil {
			return nil
		}
		refusal = cmp.Or(refusal, err)
	}
	return refusal
}

// whole is the setting of a family that does not say what it costs: everything, under the clock alone.
func (c *comparison) whole(f Family, steps float64) setting {
	s := setting{sets: c.sets.most, steps: steps}
	for i := range f.Choices {
		s.choices = append(s.choices, i)
	}
	return s
}

// attempt works out one row as far as it can be afforded. lists are the settings of this family and of those that come
// after it.
func (c *comparison) attempt(f Family, t dp.Request, least float64, costs []mechanism.Cost, lists [][]setting,
	share float64) (row Row, used float64, err error) {
	out := func(reason string) (Row, float64, error) {
		return Row{Mechanism: f.Title, Target: t, Error: math.NaN(), KL: math.NaN(), Expected: math.NaN(),
			Refused: reason, LeftOut: true}, 0, nil
	}
	if err := f.supports(); err != nil {
		row, _, _ = out(err.Error())
		row.LeftOut = false
		return row, 0, nil
	}
	if reason := c.tooLarge(costs); reason != "" {
		return out(reason)
	}
	taken, spare := afford(lists, share)
	if taken[0] == nil {
		return out(tooMuch(lists[0], spare, c.allowed))
	}
	s := *taken[0]
	c.reports.begin(share / float64(len(lists)))
	defer c.reports.finish()
	limit := time.Until(c.end) / 2
	if costs == nil {
		limit = time.Until(c.end) / time.Duration(len(lists)+1)
	} else if needed := time.Duration(4 * s.steps / stepsPerSecond * float64(time.Second)); needed > limit {
		limit = needed
	}
	ctx, cancel := context.WithTimeout(c.clock, limit)
	defer cancel()
	w := &work{Advice: c.Advice, costs: costs, on: f.shape, setting: s, most: s.sets}
	if draw := w.dearest(); costs != nil && !c.stratifies() && s.sets > typical {
		w.most = typical + int(math.Min(math.Max(0, spare)/(draw+c.sets.steps+1), float64(s.sets-typical)))
	}
	if reduced := f.without(s, w.most, c.options.Data); reduced != "" {
		w.reduced = reduced
	}
	row, err = await(ctx, func() (Row, error) {
		return w.row(cert.WithProgress(cert.WithWorkLimit(ctx, c.options.Work), nil), f, t, least)
	})
	switch {
	case c.ctx.Err() != nil:
		return row, 0, c.ctx.Err()
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		row, used, err = out(fmt.Sprintf("it was not done when its share of %v was over, by the clock: another "+
			"machine may get further", c.allowed))
		return row, s.steps, err
	case err != nil:
		return row, 0, err
	}
	used = s.steps
	if costs != nil {
		used = row.steps
	}
	if made := row.Sets; !c.stratifies() && made > c.reserved {
		used += float64(made-c.reserved) * c.sets.steps
		c.reserved = made
	}
	return row, used, nil
}

// tooLarge refuses a row whose every choice needs more memory than the options allow.
func (c *comparison) tooLarge(costs []mechanism.Cost) string {
	least := math.Inf(1)
	for _, k := range costs {
		least = math.Min(least, k.Bytes)
	}
	if len(costs) == 0 {
		return ""
	}
	if err := cert.Within("the least of its choices", least, "bytes", float64(c.options.Memory), ""); err != nil {
		return trimmed(err)
	}
	return ""
}

// trimmed is an error without its package.
func trimmed(err error) string { return strings.TrimPrefix(err.Error(), "cert: ") }

// Seeds of the noise, apart from those of the data sets and from each other.
const (
	pilotNoise = 1 << 40
	finalNoise = 1 << 41
)

// Simulation ends at a relative standard error of enough, or where the error is worse than that of a rival by a factor
// and four standard errors, from fewest data sets on, in steps of batch.
const (
	enough = .02
	worse  = 1.5
	fewest = 32
	batch  = 16
)

// simulate draws once from every data set, up to most, and averages the losses. The data sets are the same for every
// mechanism and target.
func (a *Advice) simulate(ctx context.Context, p *mechanism.Plan, on *model.Shape, noise uint64, most int,
	rival float64) (result, error) {
	if a.stratifies() {
		return a.stratified(ctx, p, on, noise, most)
	}
	var sum, squares, kl float64
	r := result{how: Simulation}
	for r.sets < most {
		size := min(batch, most-r.sets)
		errors, divergences, failed := make([]float64, size), make([]float64, size), make([]error, size)
		parallel(ctx, size, func(i int) {
			d, err := a.sets.at(r.sets + i)
			if err == nil {
				errors[i], divergences[i], err = a.loss(ctx, p, on, d, a.options.Seed+noise+uint64(r.sets+i))
			}
			failed[i] = err
		})
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		for i := range size {
			if failed[i] != nil {
				return r, failed[i]
			}
			sum, squares, kl = sum+errors[i], squares+errors[i]*errors[i], kl+divergences[i]
		}
		r.losses = append(r.losses, errors...)
		r.sets += size
		n := float64(r.sets)
		r.absolute, r.kl = sum/n, kl/n
		r.se = math.Sqrt(math.Max(0, squares/n-r.absolute*r.absolute) / math.Max(n-1, 1))
		if r.sets >= fewest && (r.se <= enough*r.absolute || r.absolute-4*r.se > worse*rival) {
			break
		}
	}
	return r, nil
}

// stratifies reports whether data sets are at quantiles of the prior: of one distribution with two levels.
func (a *Advice) stratifies() bool {
	conds := a.shape.Conditionals()
	return len(conds) == 1 && conds[0].Rows == 1 && conds[0].Levels == 2
}

// parallel runs f(0) … f(n−1) on all processors, none of them begun after ctx ended.
func parallel(ctx context.Context, n int, f func(i int)) {
	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	for w := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := w; i < n && ctx.Err() == nil; i += workers {
				f(i)
			}
		}()
	}
	wait.Wait()
}

// comparing is what chains are held to here: one mean is used of each of many draws.
var comparing = mcmc.Contract{Sweeps: 300, RHat: 1.2, ESS: 60}

// loss draws once and compares the released with the non-private estimates.
func (a *Advice) loss(ctx context.Context, p *mechanism.Plan, on *model.Shape, d *dataSet, seed uint64) (absolute,
	kl float64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	st, err := d.under(ctx, on)
	if err != nil {
		return 0, 0, err
	}
	drawn, err := p.Draw(ctx, st, "simulated", dp.Seeded(seed))
	if err != nil {
		return 0, 0, err
	}
	estimate, err := p.Estimate(comparing.With(ctx), drawn)
	if err != nil {
		return 0, 0, err
	}
	var released [][]float64
	if a.arena.Learning() != nil {
		var f *model.Fitted
		if f, err = model.Fit(p.Shape(), estimate); err == nil {
			released, err = f.PairsUnder(ctx, a.arena)
		}
	} else {
		released, err = estimates(p.Shape(), estimate)
	}
	if err != nil {
		return 0, 0, err
	}
	absolute, kl = a.arena.Distance(d.plain, released)
	return absolute, kl, nil
}

// estimates are the numbers that are compared.
func estimates(sh *model.Shape, e model.Estimate) ([][]float64, error) {
	f, err := model.Fit(sh, e)
	if err != nil {
		return nil, err
	}
	return f.Means(), nil
}

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

// strataDraws is the least number of draws from each data set of a stratified simulation.
const strataDraws = 3

// stratified simulates one distribution with two levels: several draws from data sets at the quantiles of the prior and
// toward its ends, weighted. A mechanism that errs far on rare data sets, such as the Hellinger mechanism where one
// level is rare, is seen to do so, which data sets drawn from the prior might miss.
func (a *Advice) stratified(ctx context.Context, p *mechanism.Plan, on *model.Shape, noise uint64,
	most int) (result, error) {
	n, _ := a.shape.N()
	counts, weights := a.dataSetsOf(n, quadrature)
	draws := max(strataDraws, most/len(counts))
	r := result{how: Simulation, sets: len(counts) * draws}
	losses, failed := make([]result, len(counts)), make([]error, len(counts))
	parallel(ctx, len(counts), func(i int) {
		st, err := model.FromCounts(a.shape, [][]int64{{counts[i], int64(n) - counts[i]}})
		d := &dataSet{statistics: st}
		if err == nil {
			d.plain, err = st.Means(access.Mine())
		}
		sum, squares, kl := 0.0, 0.0, 0.0
		for j := 0; j < draws && err == nil; j++ {
			var e, k float64
			e, k, err = a.loss(ctx, p, on, d, a.options.Seed+noise+uint64(i*draws+j))
			sum, squares, kl = sum+e, squares+e*e, kl+k
		}
		m := float64(draws)
		losses[i], failed[i] = result{absolute: sum / m, kl: kl / m, se: math.Max(0, squares/m-sum*sum/m/m) / (m - 1)},
			err // se: its square
	})
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	for i, l := range losses {
		if failed[i] != nil {
			return r, failed[i]
		}
		r.absolute, r.kl, r.se = r.absolute+weights[i]*l.absolute, r.kl+weights[i]*l.kl, r.se+weights[i]*weights[i]*l.se
	}
	r.se = math.Sqrt(r.se)
	return r, nil
}
