package publication

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// pool is what the items of a publication measure of tables, all of the same rows.
type pool struct {
	items     []*mechanism.Plan
	tables    []measured
	from      []source // of every table
	precision map[string]float64
	rows      float64 // how many there are, guessed where that is private
	total     float64 // rows where they are public, else NaN
	alike     float64 // rows of a unit
	found     map[quantileOf]float64
}

// source is where a table comes from: from a table of an item's shape, axis i of it from axis order[i] of that.
type source struct {
	item, table int
	order       []int
}

// maxPooled bounds the work on all tables: their cells times the numbers of their margins.
const maxPooled = 1 << 18

// pooled are the tables of plans, without counts. What is measured of other rows, or in too many cells, is left out.
func pooled(plans []*mechanism.Plan) *pool {
	first := plans[0].Shape()
	n, public := first.N()
	_, alike := first.Unit()
	out := &pool{rows: float64(mechanism.GuessedRows(first)), total: math.NaN(), alike: float64(alike), items: plans,
		found: map[quantileOf]float64{}}
	if public {
		out.rows, out.total = float64(n), float64(n)
	}
	places, work := map[string]int{}, 0
	for item, p := range plans {
		sh := p.Shape()
		have, also := sh.N()
		noisy, ok := p.CellNoise()
		if !ok || have != n || also != public || sh.RowsText() != first.RowsText() {
			continue
		}
		for t, tb := range sh.Tables() {
			if len(tb.Levels) > 12 || work+tb.Cells()<<len(tb.Levels) > maxPooled {
				continue
			}
			work += tb.Cells() << len(tb.Levels)
			var axes, order []int
			for c, name := range tb.Columns {
				id := name + "\x00" + strings.Join(tb.Labels[c], "\x00")
				if _, known := places[id]; !known {
					places[id] = len(places)
				}
				axes, order = append(axes, places[id]), append(order, c)
			}
			slices.SortFunc(order, func(a, b int) int { return axes[a] - axes[b] })
			m := measured{variance: noisy[t].Variance, noise: noisy[t].Distribution, once: noisy[t].Once}
			for _, c := range order {
				m.axes, m.levels = append(m.axes, axes[c]), append(m.levels, tb.Levels[c])
			}
			out.tables, out.from = append(out.tables, m), append(out.from, source{item, t, order})
		}
	}
	out.precision = precisions(out.tables, public)
	return out
}

// wanted is the table of an item that is one table of its columns, or the first of naive Bayes, of which the class is
// wanted: those that another item measures, too. It is −1 for others.
func (w *pool) wanted(item int) (t int, class bool) {
	t = slices.IndexFunc(w.from, func(f source) bool { return f.item == item })
	if t < 0 {
		return t, false
	}
	sh := w.items[item].Shape()
	axes := w.tables[t].axes
	switch d := sh.Conditionals(); {
	case sh.SharesClass():
		axes, class = w.class(t), true
	case len(d) != 1 || d[0].Rows != 1:
		return -1, false
	}
	for k, m := range w.tables {
		shares := slices.ContainsFunc(m.axes, func(a int) bool { return slices.Contains(axes, a) })
		if w.from[k].item != item && (shares || math.IsNaN(w.total)) {
			return t, class
		}
	}
	return -1, false
}

// class is the axis of the first column of a table.
func (w *pool) class(t int) []int {
	at := slices.Index(w.from[t].order, 0)
	return w.tables[t].axes[at : at+1]
}

// turned are counts in another order of axes: axis i of the result is axis order[i].
func turned(counts []float64, levels, order []int) []float64 {
	step, at := make([]int, len(levels)), 1
	for i := len(levels) - 1; i >= 0; i-- {
		step[i], at = at, at*levels[i]
	}
	out := make([]float64, len(counts))
	for cell := range out {
		from, rest := 0, cell
		for i := len(order) - 1; i >= 0; i-- {
			k := levels[order[i]]
			from, rest = from+rest%k*step[order[i]], rest/k
		}
		out[cell] = counts[from]
	}
	return out
}

// drawn is the pool with the counts that were drawn.
func (w *pool) drawn(items []*release.Release) *pool {
	out := *w
	out.tables = slices.Clone(w.tables)
	for t, from := range w.from {
		raw, unit := items[from.item].Raw()[from.table], 1.
		if z := out.tables[t].noise; z != nil {
			unit = float64(z.Unit())
		}
		counts := make([]float64, len(raw))
		for i, y := range raw {
			counts[i] = float64(y) / unit
		}
		if out.tables[t].once {
			counts = append(counts, w.total-counts[0])
		}
		out.tables[t].counts = turned(counts, w.items[from.item].Shape().Tables()[from.table].Levels, from.order)
	}
	return &out
}

// share is the interval of the cells of a reconciled table of some axes from one to before another: of one cell, or of
// several of one axis. counts are the reconciled ones as they are, shown those without negative ones. Of the rows, with
// a public number, the ends are at the exact quantile of the noise, cut at 0 and 1. What is shown lies inside.
func (w *pool) share(axes, levels []int, counts, shown []float64, from, to int, level float64) (i mechanism.Interval,
	estimate float64) {
	apart, total := spread(axes, levels, w.precision)
	d, k := float64(len(counts)), float64(to-from)
	apart *= d / (d - 1) * k * (1 - k/d)
	part := k / d
	y, n := floats.Sum(counts[from:to]), floats.Sum(counts)
	// float64: no fused product, so that all processors agree
	i = mechanism.Shares{Alike: w.alike, Level: level, Normal: w.normal()}.Correlated(y, n-y,
		apart+float64(total*part*part), apart+float64(total*(1-part)*(1-part)), float64(total*part*(1-part))-apart)
	if !math.IsNaN(w.total) {
		if q, ok := w.exact(axes, levels, to-from, level); ok {
			i.Rows = &mechanism.Range{Lower: math.Min(math.Max((y-q)/w.total, 0), 1),
				Upper: math.Max(math.Min((y+q)/w.total, 1), 0)}
		}
	}
	estimate = floats.Sum(shown[from:to]) / floats.Sum(shown)
	for _, r := range []*mechanism.Range{i.Population, i.Rows} {
		r.Lower, r.Upper = math.Min(r.Lower, estimate), math.Max(r.Upper, estimate)
	}
	return i, estimate
}

// quantileOf is what an exact quantile is of.
type quantileOf struct {
	axes  string
	cells int
	level float64
}

// maxTerms bounds the noises of an exact quantile, to some 20 ms. The distribution of more is near the normal.
const maxTerms = 64

// exact is the quantile of the noise of k reconciled cells: see terms.
func (w *pool) exact(axes, levels []int, k int, level float64) (x float64, ok bool) {
	of := quantileOf{key(axes), k, level}
	if x, ok = w.found[of]; ok {
		return x, !math.IsNaN(x)
	}
	var related []measured // others have no part in it where the total is public
	for _, m := range w.tables {
		if math.IsNaN(w.total) || slices.ContainsFunc(m.axes, func(a int) bool { return slices.Contains(axes, a) }) {
			related = append(related, m)
		}
	}
	var list []term
	if ok = len(related) <= maxTerms; ok {
		list, ok = terms(axes, levels, k, related, w.precision)
	}
	if x = math.NaN(); ok && len(list) <= maxTerms {
		if q, known := quantile(list, level); known {
			x = q
		}
	}
	w.found[of] = x
	return x, !math.IsNaN(x)
}

// normal reports whether all noise is discrete Gaussian.
func (w *pool) normal() bool {
	return !slices.ContainsFunc(w.tables, func(m measured) bool {
		return m.noise == nil || noise.FormOf(m.noise).Sigma2 == 0
	})
}

// predicted is what the intervals of an item's cells will be, of rows that are spread as guessed or evenly; ok is false
// where no other item measures them.
func (w *pool) predicted(item int, guess *mechanism.Guess) (p mechanism.Predicted, ok bool) {
	t, class := w.wanted(item)
	if t < 0 || class || w.rows < 1 || product(w.tables[t].levels) < 2 {
		return p, false
	}
	m := w.tables[t]
	cells, to := product(m.levels), 1
	if cumulative(w.items[item].Shape()) { // of a CDF the middle has the widest
		to = cells / 2
	}
	rows := guess.Spread(cells)
	floats.Scale(w.rows, rows)
	for from := range guess.Cells(cells) {
		i, share := w.share(m.axes, m.levels, rows, rows, from, to+from, level)
		p = p.Or(i.Away(share, mechanism.InShares, guess.Words("as many rows in every cell")))
	}
	return p, true
}

// cumulative reports whether a model is about shares below edges.
func cumulative(sh *model.Shape) bool {
	m, ok := sh.Model().(model.HistogramModel)
	return ok && m.Cumulative()
}

// agreed are the reconciled tables of a publication: as they are, and without negative counts.
type agreed struct {
	*pool
	lock       sync.Mutex // of the quantiles that were found
	raw, shown [][]float64
}

// agree reconciles the tables of all items; nil where no two items have a table in common.
func (p *Publication) agree() *agreed {
	w := pooled(p.plan.plans())
	if !slices.ContainsFunc(w.from, func(f source) bool {
		t, _ := w.wanted(f.item)
		return t >= 0
	}) {
		return nil
	}
	w = w.drawn(p.items)
	out := &agreed{pool: w, raw: reconciled(w.tables, w.precision, w.total)}
	n := floats.Sum(out.raw[0])
	if !(n > 0) {
		return nil // of no rows there is no share
	}
	out.shown = nonNegative(w.tables, w.precision, w.total)
	return out
}

// plans are those of the items.
func (p *Plan) plans() (out []*mechanism.Plan) {
	for _, l := range p.lines {
		out = append(out, l.Plan)
	}
	return out
}

// Reconciled says how the tables of a publication were made to agree.
const Reconciled = "least squares over all tables of the publication, so that margins and totals agree; of the rows " +
	"by the exact distribution of the noise where that can be computed, else by a test"

// intervals are those of the item at a place; own are those from its numbers alone. ok is false where no other item
// measures what it does.
func (a *agreed) intervals(item int, own []release.Interval, level float64) (list []release.Interval, ok bool) {
	t, class := -1, false
	if a != nil {
		t, class = a.wanted(item)
	}
	if t < 0 || len(own) == 0 {
		return nil, false
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	sh, m := a.items[item].Shape(), a.tables[t]
	back := make([]int, len(m.axes)) // from ascending axes to those of the shape
	for i, c := range a.from[t].order {
		back[c] = i
	}
	turn := func(x []float64) []float64 { return turned(x, m.levels, back) }
	var found []mechanism.Interval
	var estimates []float64
	add := func(axes, levels []int, counts, shown []float64, below bool) {
		if len(counts) < 2 {
			found, estimates = append(found, mechanism.Interval{Rows: &mechanism.Range{Lower: 1, Upper: 1},
				Population: &mechanism.Range{Lower: 1, Upper: 1}}), append(estimates, 1)
			return
		}
		for k := range counts {
			from := k
			if below {
				if from = 0; k == len(counts)-1 {
					break
				}
			}
			i, e := a.share(axes, levels, counts, shown, from, k+1, level)
			found, estimates = append(found, i), append(estimates, e)
		}
	}
	totals := back // of which columns
	switch {
	case class:
		totals = back[:1]
	default:
		add(m.axes, m.levels, turn(a.raw[t]), turn(a.shown[t]), cumulative(sh))
		if !sh.Joint() {
			totals = nil
		}
	}
	for _, at := range totals {
		add(m.axes[at:at+1], m.levels[at:at+1], margin(a.raw[t], m.levels, 1<<at), margin(a.shown[t], m.levels, 1<<at),
			false)
	}
	if len(found) > len(own) || len(found) < len(own) && !class {
		return nil, false
	}
	mechanism.About(sh.Schema().Sampling, found)
	list = slices.Clone(own)
	for i := range found {
		found[i].AtOnce = own[i].AtOnce // from its own counts
		list[i].Estimate, list[i].Interval = estimates[i], found[i]
	}
	return list, true
}

// Intervals are the estimates of an item with intervals at a level in (0, 1), from all items that measure what it does:
// tables with columns in common are made to agree, so that every margin equals its table, and the shares of the classes
// of naive Bayes with them. Other items have those of their release. They are those of [Publication.Item]. Errors: its
// own and those of [release.Release.Intervals].
func (p *Publication) Intervals(ctx context.Context, name string, level float64) (list []release.Interval, how string,
	err error) {
	r, err := p.Item(name)
	if err != nil {
		return nil, "", err
	}
	return r.Intervals(ctx, level)
}

// once keeps the reconciled tables of a publication, which are found when an item is first asked for its numbers.
type once struct {
	sync.Once
	found any // *agreed: what verifies a publication holds none, and nothing of its type
}

// all are the reconciled tables; nil where there are none.
func (p *Publication) all() *agreed {
	p.agreed.Do(func() { p.agreed.found = p.agree() })
	a, _ := p.agreed.found.(*agreed)
	return a
}

// item is the release of an item with the guarantee of the publication, and with its numbers from all items.
func (p *Publication) item(k int) *release.Release {
	classes := p.plan.lines[k].Plan.Shape().SharesClass()
	return p.items[k].PartOf(p.plan.guarantee, func(own []release.Interval, how string, level float64) ([]release.Interval,
		string, bool) {
		list, ok := p.all().intervals(k, own, level)
		if classes {
			return list, Reconciled + "; shares in a class: " + how, ok
		}
		return list, Reconciled, ok
	})
}

// Agreeing are the names of the items whose tables are made to agree with those of others.
func (p *Publication) Agreeing() (names []string) {
	a := p.all()
	if a == nil {
		return nil
	}
	for k, l := range p.plan.lines {
		if t, _ := a.wanted(k); t >= 0 {
			names = append(names, l.Name)
		}
	}
	return names
}
