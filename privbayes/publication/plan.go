package publication

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// level is the level of the intervals that wishes are about.
const level = .95

// maxItems bounds a publication.
const maxItems = 10_000

// Plan is a publication that has not been drawn: a plan for every item, and the guarantee of all together. It is
// public, immutable and a function of the schema, the number of rows, the target and the wishes only.
type Plan struct {
	name        string
	lines       []Line
	slots       []dp.Slot
	target      dp.Request
	guarantee   dp.Guarantee
	certificate *cert.Certificate
}

// Line is one item of a plan.
type Line struct {
	Wish
	Plan      *mechanism.Plan     `json:"-"`
	Predicted mechanism.Predicted `json:"predicted"` // its intervals of 95 %; Unit is empty where none are predicted
	Part      float64             `json:"part"`      // of the sum of the ε or ρ of items and slots
}

// planner plans the items of a publication at given rates.
type planner struct {
	target dp.Request
	slots  []dp.Slot
	total  float64 // of the items' rates: ε, or ρ
	coarse bool    // see rounded
	items  []planned
	groups []group // of the items without a share whose errors are predicted
}

// planned is an item at a rate.
type planned struct {
	Item
	shape     *model.Shape
	share     float64 // of the sum of the rates: the wish for one, or an equal part
	fixed     bool    // it keeps its share
	rate      float64
	plan      *mechanism.Plan
	predicted mechanism.Predicted
	within    float64 // the wish, in the unit of predicted and divided by the weight
}

// New plans a publication under a target: pure ε, ρ or (ε, δ). shape gives the shape of a model on the data, with the
// same schema and number of rows for all. Under pure ε every item is planned under its own ε, else under its own ρ. It
// reads no data. Errors: *dp.ParameterError for items and wishes, *ItemError around those of a mechanism's plan, the
// context's.
func New(ctx context.Context, name string, target dp.Request, items []Item, shape func(model.Model) (*model.Shape,
	error)) (*Plan, error) {
	if err := check(name, target, items); err != nil {
		return nil, err
	}
	p, err := prepare(ctx, target, items, shape)
	if err != nil {
		return nil, err
	}
	if target.Notion != dp.Approximate {
		if err := p.allocate(ctx, p.total); err != nil {
			return nil, err
		}
		return p.done(ctx, name)
	}
	return p.fit(ctx, name)
}

// prepare plans the items at the equal split.
func prepare(ctx context.Context, target dp.Request, items []Item, shape func(model.Model) (*model.Shape, error)) (
	*planner, error) {
	items, slots, err := apart(target, items)
	if err != nil {
		return nil, err
	}
	p := &planner{target: target, slots: slots, coarse: target.Notion == dp.Approximate &&
		!slices.ContainsFunc(items, func(i Item) bool { return i.wish.Share > 0 })}
	if p.total, err = left(target, slots); err != nil {
		return nil, err
	}
	for _, i := range items {
		one := planned{Item: i}
		if one.shape, err = shape(i.model); err == nil && !target.Adjacency.PublicN() {
			one.shape = one.shape.WithoutN()
		}
		if err == nil {
			err = one.choose(ctx, p.request(p.total/float64(len(items))))
		}
		if err != nil {
			return nil, failed(ctx, i.wish.Name, err)
		}
		p.items = append(p.items, one)
	}
	return p, p.begin(ctx)
}

// failed names the item of an error; an end of the context is of none.
func failed(ctx context.Context, name string, err error) error {
	return cmp.Or(ctx.Err(), error(&ItemError{name, err}))
}

// head refuses a name and a target.
func head(name string, target dp.Request) error {
	if safetext.CheckLine(name) != nil || name == "" {
		return domain.Refuse("publication", "name", name, "a text of one line")
	}
	if err := target.Valid(); err != nil {
		return err
	}
	if n := target.Notion; n != dp.Pure && n != dp.Concentrated && n != dp.Approximate || target.NominalScale {
		return domain.Refuse("publication", "target", target.Parameters, "pure ε, ρ, or ε and δ, which the items share")
	}
	return nil
}

// check refuses what needs no plan to be refused.
func check(name string, target dp.Request, items []Item) error {
	if err := head(name, target); err != nil {
		return err
	}
	if len(items) == 0 || len(items) > maxItems {
		return domain.Refuse("publication", "items", len(items), fmt.Sprintf("1 to %d", maxItems))
	}
	seen, shares, slots := map[string]bool{}, 0., 0
	for _, i := range items {
		if i.slot != nil {
			slots++
		} else if i.model == nil {
			return domain.Refuse("publication", "model of an item", nil, "a model, such as Table(\"sex\")")
		}
		if err := i.wish.valid(); err != nil {
			return err
		}
		if seen[i.wish.Name] {
			return domain.Refuse("publication", "name of an item", i.wish.Name, "one that no other item has: Named(…)")
		}
		seen[i.wish.Name], shares = true, shares+i.wish.Share
	}
	if slots == len(items) {
		return domain.Refuse("publication", "items", "slots alone", "a model to be released now")
	}
	if shares >= 1 {
		return domain.Refuse("publication", "sum of shares", shares, "a number below 1, or no shares")
	}
	return nil
}

// request is the target of an item with a rate.
func (p *planner) request(rate float64) dp.Request {
	t := dp.ZCDP(rate)
	if p.target.Notion == dp.Pure {
		t = dp.PureDP(rate)
	}
	t.ExactOnly = p.target.ExactOnly
	return t.Under(p.target.Adjacency)
}

// choose takes the usual mechanism where none is asked for: with Gaussian noise on counts under ρ, and of quantiles the
// one that has intervals.
func (i *planned) choose(ctx context.Context, t dp.Request) (err error) {
	if i.mechanism == nil {
		switch i.mechanism = counts.DiscreteGaussian(); {
		case quantiles.Histogram().Supports(i.shape) == nil:
			i.mechanism = quantiles.Histogram()
		case t.Notion == dp.Pure || i.mechanism.Supports(i.shape) != nil:
			d, err := catalog.Usual(ctx, i.shape, t)
			if err != nil {
				return err
			}
			i.mechanism = d.New(mechanism.Options{Count: 1})
		}
	}
	i.mechanism, err = catalog.For(i.shape, i.mechanism)
	return err
}

// rateDigits is to how many significant digits rates are rounded down.
const rateDigits = 6

// rounded is a rate to six digits. Under (ε, δ), where the sum of the rates follows from the exact composition, nothing
// is lost by powers of a number near 1 without shares: items of nearly the same errors have the same rate then, and
// calibrations and pairs in common.
func (p *planner) rounded(rate float64) float64 {
	if p.coarse {
		rate = math.Exp2(math.Floor(math.Log2(rate)*ratesOctave) / ratesOctave)
	}
	unit := math.Pow(10, math.Floor(math.Log10(rate))-rateDigits+1)
	return math.Floor(rate/unit) * unit
}

// ratesOctave is how many rates there are between one and its double under (ε, δ).
const ratesOctave = 512

// at plans the item at a rate, and predicts its error.
func (p *planner) at(ctx context.Context, i *planned, rate float64) (err error) {
	if rate = p.rounded(rate); rate == i.rate {
		return nil
	}
	if i.plan, err = i.mechanism.Plan(ctx, i.shape, p.request(rate)); err != nil {
		return failed(ctx, i.wish.Name, err)
	}
	found, ok, err := i.plan.Predicted(ctx, level, i.wish.Guess)
	if err != nil {
		return failed(ctx, i.wish.Name, err)
	}
	if i.rate = rate; ok {
		i.predicted = found
	}
	if i.wish.Guess != nil && found.Unit != mechanism.InShares && found.Unit != mechanism.InValues {
		return failed(ctx, i.wish.Name, domain.Refuse("publication", "guess", i.wish.Guess.Value,
			"of a mean or a share: nothing else is predicted at a guess"))
	}
	return nil
}

// leastPart is what an item keeps of its equal part, however dear the wishes of others are.
const leastPart = 1e-3

// begin plans the equal split of what shares leave, where an item without a wish gets one: its error there. An item of
// which nothing is predicted keeps its part of it.
func (p *planner) begin(ctx context.Context) error {
	left, others := 1., 0
	for _, i := range p.items {
		if left -= i.wish.Share; i.wish.Share == 0 {
			others++
		}
	}
	for k := range p.items {
		i := &p.items[k]
		if i.share = i.wish.Share; i.share == 0 {
			i.share = left / float64(others)
		}
		i.fixed = i.wish.Share > 0
		if err := p.at(ctx, i, i.share*p.total); err != nil {
			return err
		}
		if i.predicted.Unit == "" {
			if i.wish.Within.Value > 0 || i.wish.Weight > 0 || i.wish.Priority > 0 {
				return &ItemError{i.wish.Name, domain.Refuse("publication", "wish", i.plan.Title(),
					"a mechanism whose intervals are predicted, or a share of the guarantee: Share(…)")}
			}
			i.fixed = true
			continue
		}
		var err error
		if i.within, err = i.wanted(); err != nil {
			return err
		}
	}
	p.groups = p.grouped()
	for k := range p.groups {
		g, rate := &p.groups[k], 0.
		for _, i := range g.members {
			rate += p.items[i].share * p.total
		}
		if err := p.meet(ctx, g, rate); err != nil {
			return err
		}
	}
	return nil
}

// wanted is the wish in the unit of what is predicted, divided by the weight.
func (i *planned) wanted() (float64, error) {
	w := i.wish.Within
	half := cmp.Or(w.Value, i.predicted.Rows)
	if w.OfRange {
		l := i.shape.Lattice()
		if i.predicted.Unit != mechanism.InValues || l == nil {
			return 0, &ItemError{i.wish.Name, domain.Refuse("publication", "within", fmt.Sprintf("%g%%", 100*w.Value),
				`percentage points, such as "1pp": a percentage is of a column's range`)}
		}
		half *= widest(l)
	}
	return half / cmp.Or(i.wish.Weight, 1), nil
}

// widest is the widest range of a column, that of the predicted error.
func widest(l *model.Lattice) (width float64) {
	for j := range l.Low {
		width = math.Max(width, l.High[j]-l.Low[j])
	}
	return width
}

// rounds is how often errors are predicted anew at the rates that follow from those known.
const rounds = 4

// allocate plans the items at the rates of the least largest error in units of the wishes, which add up to a total.
func (p *planner) allocate(ctx context.Context, total float64) error {
	left := total
	for k := range p.items {
		if i := &p.items[k]; i.fixed {
			left -= i.share * total
			if err := p.at(ctx, i, i.share*total); err != nil {
				return err
			}
		}
	}
	if len(p.groups) == 0 {
		return nil
	}
	classes := map[int][]*group{}
	for k := range p.groups {
		g := &p.groups[k]
		c := cmp.Or(p.items[g.members[0]].wish.Priority, math.MaxInt)
		classes[c] = append(classes[c], g)
	}
	order := slices.Sorted(maps.Keys(classes))
	for range rounds {
		list := make([][]wished, len(order))
		for k, c := range order {
			for _, g := range classes[c] {
				list[k] = append(list[k], wished{g.curve, 1})
			}
		}
		rates, factors := divide(list, left)
		if k := len(rates); k < len(order) {
			first := p.items[classes[order[k]][0].members[0]]
			return &ItemError{first.wish.Name, domain.Refuse("publication", "priority",
				cmp.Or(strings.TrimPrefix(fmt.Sprint(order[k]), fmt.Sprint(math.MaxInt)), "none"),
				fmt.Sprintf("a first class that leaves something: its errors are %.3g times the wishes", factors[k-1]))}
		}
		worst := 0.
		for k, c := range order {
			for j, g := range classes[c] {
				if err := p.meet(ctx, g, rates[k][j]); err != nil {
					return err
				}
				worst = math.Max(worst, math.Abs(g.error/factors[k]-1))
			}
		}
		if worst < .005 {
			break
		}
	}
	return nil
}

// plans are those of the items as they stand.
func (p *planner) plans() (out []*mechanism.Plan) {
	for _, i := range p.items {
		out = append(out, i.plan)
	}
	return out
}

// done certifies the plans as they stand.
func (p *planner) done(ctx context.Context, name string) (*Plan, error) {
	var wishes []Wish
	for _, i := range p.items {
		wishes = append(wishes, i.wish)
	}
	out, err := assemble(ctx, name, p.target, wishes, p.plans(), p.slots)
	if err == nil {
		err = out.predict(ctx)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// predict predicts the intervals of the items, of tables that share columns those of all tables together. Verification
// does without.
func (p *Plan) predict(ctx context.Context) error {
	var plans []*mechanism.Plan
	for _, l := range p.lines {
		plans = append(plans, l.Plan)
	}
	w := pooled(plans)
	for i, l := range p.lines {
		found, ok, err := l.Plan.Predicted(ctx, level, l.Guess)
		if err != nil {
			return err
		}
		if both, shared := w.predicted(i, l.Guess); ok && shared && found.Unit == both.Unit {
			both.Sampling = found.Sampling
			found = both
			if l.Plan.Shape().Schema().Sampling == frame.Census {
				found.Population = 0
			}
		}
		if ok {
			p.lines[i].Predicted = found
		}
	}
	return nil
}

// assemble is the plan of a list of plans, each for a wish, but for predictions. Errors: *mechanism.CheckError,
// *dp.ParameterError, the context's.
func assemble(ctx context.Context, name string, target dp.Request, wishes []Wish, plans []*mechanism.Plan,
	slots []dp.Slot) (*Plan, error) {
	if err := reservable(target, slots); err != nil {
		return nil, err
	}
	certified, k, err := certify(ctx, target, plans, slots)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	out := &Plan{name: name, target: target, slots: slots,
		certificate: &cert.Certificate{Title: name, Checks: []cert.Check{k}}}
	sum, arithmetic := 0., dp.Exact
	for i, plan := range plans {
		c := plan.Certificate()
		out.certificate.Parts = append(out.certificate.Parts, &cert.Certificate{Title: wishes[i].Name, Checks: c.Checks,
			Parts: c.Parts})
		line := Line{Wish: wishes[i], Plan: plan, Part: rate(plan)}
		out.lines, sum = append(out.lines, line), sum+line.Part
		if plan.Certified().Arithmetic != dp.Exact {
			arithmetic = dp.Ideal
		}
	}
	for _, s := range slots {
		sum += share(target, s)
	}
	for i := range out.lines {
		out.lines[i].Part /= sum
	}
	if err := cmp.Or(sameRows(out.lines), oneClass(target.Adjacency, out.lines)); err != nil {
		return nil, err
	}
	unit, rows := plans[0].Shape().Unit()
	out.guarantee = dp.Guarantee{Parameters: certified, Adjacency: target.Adjacency, Arithmetic: arithmetic, Unit: unit,
		RowsPerUnit: rows}
	if !out.certificate.OK() {
		return nil, &mechanism.CheckError{Certificate: out.certificate}
	}
	return out, nil
}

// rate is the ε or ρ that an item was planned under.
func rate(p *mechanism.Plan) float64 {
	t := p.Target()
	return cmp.Or(float64(t.Epsilon), t.Rho)
}

// near is how close the δ of a list comes to that of the target: within this factor.
const near = .99

// fit finds the sum of the ρ of the items at which the list, composed exactly, has the target's δ. At the ρ from which
// the target follows by conversion it has less.
func (p *planner) fit(ctx context.Context, name string) (*Plan, error) {
	var best *planner
	low, high := p.total, math.Inf(1) // known to meet the target, and not to
	var before [2]float64             // ln ρ and ln δ of the try before
	for total, tries := p.first(), 0; tries < 12; tries++ {
		if err := p.allocate(ctx, total); err != nil {
			return nil, err
		}
		pair, err := list(p.plans(), p.slots)
		if err != nil {
			return nil, err
		}
		delta := loss.Until(ctx, pair).Delta(float64(p.target.Epsilon))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// ln δ falls about as −(ε − ρ)²/4ρ
		rho, goal := total, math.Log(p.target.Delta*(1+near)/2)
		if delta <= p.target.Delta {
			low, best = total, p.clone()
			if delta >= near*p.target.Delta {
				break
			}
		} else {
			high = total
		}
		eps := float64(p.target.Epsilon)
		slope := math.Max(1, rho*(eps-rho)*(eps+rho)/(4*rho*rho)) // of ln δ by ln ρ
		at := [2]float64{math.Log(rho), math.Log(math.Max(delta, 1e-300))}
		if len(p.slots) > 0 { // which do not fall with ρ: a secant, once there are two points
			if slope = 3; tries > 0 {
				slope = math.Max(.1, (at[1]-before[1])/(at[0]-before[0]))
			}
			before = at
		}
		total = rho * math.Exp((goal-at[1])/slope)
		if total <= low || total >= high {
			total = math.Sqrt(low * math.Min(high, 2*low))
		}
		if high/low < 1.0005 {
			break
		}
	}
	if best == nil {
		best = p
		if err := p.allocate(ctx, p.total); err != nil {
			return nil, err
		}
	}
	return best.done(ctx, name)
}

// first is the sum that is tried first: without slots that of Gaussian noise alone, of which most lists are nearly.
func (p *planner) first() float64 {
	if len(p.slots) > 0 {
		return p.total
	}
	rho, _, err := num.RootBracket(func(rho float64) float64 {
		return loss.GaussianPair{Mu: math.Sqrt(2 * rho)}.Delta(float64(p.target.Epsilon)) - p.target.Delta
	}, p.total, 4*p.total, 1e-4*p.total)
	if err != nil {
		return p.total
	}
	return rho
}

// clone keeps the plans as they stand.
func (p *planner) clone() *planner {
	out := *p
	out.items, out.groups = slices.Clone(p.items), slices.Clone(p.groups)
	return &out
}
