package totals

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Estimate is a running total, or what was added between two periods, with an interval of the rows: it has the noise in
// it, and no sampling.
type Estimate struct {
	Period string   `json:"period"`
	Labels []string `json:"labels,omitempty"` // of the cell; none for all cells together
	Value  float64  `json:"value"`            // 0 at least
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
}

// sum are the weights of the measurements in the total after t periods, the latest last.
func (p *Plan) sum(t int) []float64 {
	out := make([]float64, t)
	for i := range out {
		out[i] = p.b[t-1-i]
	}
	return out
}

// between are the weights of the measurements in what was added after s periods, until t.
func (p *Plan) between(s, t int) []float64 {
	out := p.sum(t)
	for i, w := range p.sum(s) {
		out[i] -= w
	}
	return out
}

// half is half the width of an interval of a combination of measurements, of a number of cells together. The noise is
// that of a normal distribution rounded to whole steps, up to a distance of e^{−2π²σ²}, so the quantile is that of the
// normal distribution and half a step of every measurement.
func (p *Plan) half(weights []float64, cells int, level float64) float64 {
	squares, steps := 0., 0.
	for _, w := range weights {
		squares, steps = squares+w*w, steps+math.Abs(w)
	}
	n := float64(cells)
	return math.Sqrt2*math.Erfinv(level)*math.Sqrt(p.noise.Sigma2()*squares*n) + steps*n/2
}

// combine are the estimates of a combination of measurements: of every cell, then of all.
func (t *Totals) combine(period string, weights []float64, level float64) ([]Estimate, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("totals", "level of an interval", level, "a number above 0 and below 1")
	}
	p := t.plan
	raw := make([]float64, p.cells+1)
	for i := range p.cells {
		for j, w := range weights {
			raw[i] += w * float64(t.y[j][i])
		}
		raw[p.cells] += raw[i]
	}
	labels := p.labels()
	if p.cells == 1 {
		raw, labels = raw[1:], labels[1:]
	}
	var out []Estimate
	for i, v := range raw {
		e := Estimate{Period: period, Value: math.Max(v, 0)}
		half := p.half(weights, 1, level)
		if e.Labels = labels[i]; e.Labels == nil {
			half = p.half(weights, p.cells, level)
		}
		e.Low, e.High = math.Max(v-half, 0), e.Value+half // of a width above 0, also where v is below 0
		out = append(out, e)
	}
	return out, nil
}

// labels are those of every cell of a period, then nil for all of them.
func (p *Plan) labels() [][]string {
	out := [][]string{nil}
	for _, c := range p.shape.Columns()[1:] {
		var next [][]string
		for _, before := range out {
			for _, l := range c.Labels() {
				next = append(next, append(before[:len(before):len(before)], l))
			}
		}
		out = next
	}
	return append(out, nil)
}

// After are the running totals after a period that was released: of every cell, then of all together. Errors:
// *dp.ParameterError.
func (t *Totals) After(period string, level float64) ([]Estimate, error) {
	at, err := t.released(period)
	if err != nil {
		return nil, err
	}
	return t.combine(period, t.plan.sum(at), level)
}

// Between is what was added after one period, until another one: of every cell, then of all together. Its interval
// knows that the two totals share noise. Errors: *dp.ParameterError.
func (t *Totals) Between(from, to string, level float64) ([]Estimate, error) {
	a, err := t.released(from)
	if err != nil {
		return nil, err
	}
	b, err := t.released(to)
	if err != nil {
		return nil, err
	}
	if a >= b {
		return nil, domain.Refuse("totals", "period", to, "a later one than "+safetext.Quote(from))
	}
	return t.combine(to, t.plan.between(a, b), level)
}

// released is the number of periods until a period that was released.
func (t *Totals) released(period string) (int, error) {
	at, err := t.plan.place(period)
	if err == nil && at >= len(t.y) {
		err = domain.Refuse("totals", "period", period, "one that was released: the last is "+safetext.Quote(t.Through()))
	}
	return at + 1, err
}

// Table shows the totals after the last period that was released, and what it added.
func (t *Totals) Table() *table.Table {
	p, n := t.plan, len(t.y)
	out := table.New(fmt.Sprintf("Running totals of %s after %s", safetext.Quote(p.shape.Schema().Dataset),
		safetext.Line(t.Through())), "cell", "rows so far", "95 % from", "to", "added in this period", "from", "to")
	totals, _ := t.combine(t.Through(), p.sum(n), .95)
	added, _ := t.combine(t.Through(), p.between(n-1, n), .95)
	for i, e := range totals {
		out.Add(e.cell(), e.Value, e.Low, e.High, added[i].Value, added[i].Low, added[i].High)
	}
	held := "Intervals are of the rows."
	if n > 1 {
		held = "Intervals are of the rows, if those of earlier periods are the same as when these were released."
	}
	out.Note(fmt.Sprintf("Period %d of %d. %s", n, p.change.Periods, held))
	if text := p.shape.RowsText(); text != "" {
		out.Note("Rows: " + text + ".")
	}
	out.Note("Guarantee of all periods together, those to come included: " + p.guarantee.String() + ".")
	if g := t.Guarantee(); g.Notion == dp.None {
		out.Note("This draw: " + g.Parameters.String() + ".")
	}
	return out
}

// Parts are the totals of all cells together, period by period.
func (t *Totals) Parts() []*table.Table {
	out := table.New("All rows, period by period", "after period", "rows so far", "95 % from", "to")
	for i, label := range t.plan.Periods()[:len(t.y)] {
		all, _ := t.combine(label, t.plan.sum(i+1), .95)
		e := all[len(all)-1]
		out.Add(safetext.Line(label), e.Value, e.Low, e.High)
	}
	return []*table.Table{out}
}

// cell names what an estimate is of.
func (e Estimate) cell() string {
	if e.Labels == nil {
		return "all"
	}
	name := ""
	for i, l := range e.Labels {
		if i > 0 {
			name += ", "
		}
		name += safetext.Line(l)
	}
	return name
}

// String shows the totals and their warnings as text.
func (t *Totals) String() string { return table.Text(t) }

// mostDrawn is how many cells a figure shows, as there are colours, and mostNamed how many periods it names.
const mostDrawn, mostNamed = 6, 40

// Figure draws the totals after every period so far, with 95 % intervals of the rows: one line a cell, of more than six
// those of the six with most rows after the last period. It reads released numbers alone, and may be published.
func (t *Totals) Figure() *figure.Figure {
	p, dataset := t.plan, t.plan.shape.Schema().Dataset
	f := &figure.Figure{XLabel: p.Period(), YLabel: "rows so far",
		Title:    fmt.Sprintf("Running totals of %s after %s", safetext.Word(dataset), safetext.Word(t.Through())),
		Subtitle: "Rows in each cell after every period, with 95 % intervals that include the noise.",
		Caption: fmt.Sprintf("Data set %s, period %d of %d. All periods together: %s", safetext.Quote(dataset), len(t.y),
			p.change.Periods, p.guarantee)}
	if g := t.Guarantee(); g.Notion == dp.None {
		f.Caption += ". This draw: " + g.Parameters.String()
	}
	for at, label := range p.Periods()[:len(t.y)] {
		list, _ := t.combine(label, p.sum(at+1), .95)
		if at == 0 {
			f.Series = make([]figure.Series, max(len(list)-1, 1)) // all cells together would dwarf the others
		}
		for k := range f.Series {
			s, e := &f.Series[k], list[k]
			s.Name, s.Kind = e.cell(), figure.Band
			s.X, s.Y = append(s.X, float64(at)), append(s.Y, e.Value)
			s.Lo, s.Hi = append(s.Lo, e.Low), append(s.Hi, e.High)
		}
		f.XTicks = append(f.XTicks, safetext.Word(label))
	}
	if len(t.y) > mostNamed {
		f.XTicks, f.XLabel = nil, fmt.Sprintf("%s: the periods after the first, %s", f.XLabel, safetext.Word(p.Periods()[0]))
	}
	if all := len(f.Series); all > mostDrawn {
		last := func(s figure.Series) float64 { return s.Y[len(s.Y)-1] }
		slices.SortStableFunc(f.Series, func(a, b figure.Series) int { return cmp.Compare(last(b), last(a)) })
		f.Series = f.Series[:mostDrawn]
		f.Subtitle = fmt.Sprintf("The %d of %s with most rows, with 95 %% intervals that include the noise.", mostDrawn,
			table.Count(all, "cell"))
	}
	return f
}
