package structure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// phaseLaw is the exact law of a phase.
type phaseLaw struct {
	rounds int
	choose sample.Selection
	noise  noise.Distribution
	kept   func(m float64) float64 // noise that the fit keeps of a cell with m records
}

// coins are all that is random about a release: noise on counts and choices. Production tosses them, enumerations play
// them all.
type coins interface {
	noise(l noise.Distribution, counts []int64) []int64
	choose(s sample.Selection, scores []int64, may func(i int) bool) int
	report(l noise.Distribution, distances []int64) []int64
}

// tossed are coins from a stream.
type tossed struct{ src *dp.Stream }

func (t tossed) noise(l noise.Distribution, counts []int64) []int64 {
	out := make([]int64, len(counts))
	for i, v := range counts {
		out[i] = v + noiseLaw(l, v).Draw(t.src)
	}
	return out
}

func (t tossed) report(l noise.Distribution, distances []int64) []int64 { return t.noise(l, distances) }

func (t tossed) choose(s sample.Selection, scores []int64, may func(i int) bool) int {
	return s.DrawAmong(t.src, scores, may)
}

// sampler releases noisy tables and the rounds in which they were chosen.
type sampler struct {
	*problem
	laws laws
}

// tables reads the private table of some columns, the last running fastest.
type tables func(columns []int) ([]int64, error)

// Draw learns.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	within := d.drawWithin(data.Within(), tossed{src})
	out, err := d.run(ctx, d.read(data), tossed{src})
	out.Within = within
	return out, err
}

// read reads one-way tables and pairs as they were counted, and counts larger tables once.
func (d *sampler) read(data mechanism.Private) tables {
	all, names := data.Tables(), d.shape.Columns()
	place, kept := map[string][]int64{}, map[string][]int64{}
	for i, p := range d.pairs {
		place[candidate{columns: p[:]}.key()] = all[len(d.levels)+i]
	}
	if k := d.shape.Learning().Joint; k >= 0 {
		place[candidate{columns: d.all()}.key()] = all[k]
	}
	return func(columns []int) ([]int64, error) {
		if len(columns) == 1 {
			return all[columns[0]][:d.measured(columns[0])], nil
		}
		key := candidate{columns: columns}.key()
		if t, ok := place[key]; ok {
			return t, nil
		}
		if t, ok := kept[key]; ok {
			return t, nil
		}
		of := make([]string, len(columns))
		for i, v := range columns {
			of[i] = names[v].Name
		}
		t, err := data.Margin(of...)
		kept[key] = t
		return t, err
	}
}

// run is a release with given coins.
func (d *sampler) run(ctx context.Context, table tables, c coins) (out mechanism.Output, err error) {
	for i, l := range d.laws.columns {
		counts, err := table([]int{i})
		if err != nil {
			return out, err
		}
		out.Raw = append(out.Raw, c.noise(l, counts))
	}
	s, err := newLearner(d.problem, d.laws, out.Raw)
	if err != nil {
		return out, err
	}
	if d.laws.batch != nil {
		if out.Rounds, err = d.runBatches(ctx, s, table, c); err != nil {
			return out, err
		}
		out.Distances, err = s.state(ctx, table, c)
		return out, err
	}
	progress, last := cert.ProgressOf(ctx), make([]int64, len(d.pairs))
	for k := range d.rounds() {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if progress != nil {
			progress(int64(k), int64(d.rounds()))
		}
		number, _ := s.phaseOf(k)
		given, list := s.next(k)
		chosen := candidate{columns: given}
		if list != nil {
			if chosen, err = d.choose(ctx, s, k, list, table, last, c); err != nil {
				return out, err
			}
		}
		measured := chosen.columns
		if chosen.stop {
			measured = s.remeasured()
		}
		counts, err := table(measured)
		if err != nil {
			return out, err
		}
		noisy := c.noise(d.laws.phases[number].noise, counts)
		r := mechanism.Round{Counts: noisy, Stop: chosen.stop}
		if list != nil && !chosen.stop {
			r.Chosen = append([]int{}, chosen.columns...)
		}
		out.Rounds = append(out.Rounds, r)
		if err := s.take(k, chosen, noisy); err != nil {
			return out, err
		}
	}
	out.Distances, err = s.state(ctx, table, c)
	return out, err
}

// rounds is how many rounds there are.
func (d *sampler) rounds() (n int) {
	for _, f := range d.laws.phases {
		n += f.rounds
	}
	return n
}

// choose makes the choice of a round. last are the scores of all pairs as they were last made.
func (d *sampler) choose(ctx context.Context, s *learner, k int, list []candidate, table tables, last []int64,
	c coins) (out candidate, err error) {
	if err := s.ready(ctx, k); err != nil {
		return out, err
	}
	scores := make([]int64, len(list))
	for i, one := range list {
		if one.pair > 0 {
			if holds, err := s.holds(k, one); err != nil {
				return out, err
			} else if holds {
				scores[i] = last[one.pair-1]
				continue
			}
		}
		if scores[i], err = scored(s, ctx, k, one, table); err != nil {
			return out, err
		}
		if one.pair > 0 {
			last[one.pair-1] = scores[i]
		}
	}
	number, _ := s.phaseOf(k)
	i := c.choose(d.laws.phases[number].choose, scores, s.among(ctx, list))
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if i < 0 {
		return candidate{stop: true}, nil // publicly: nothing may be chosen
	}
	return list[i], nil
}

// Estimate takes a learner through the rounds of a draw, which must be such as the plan may make, and fits the
// distribution of maximum entropy to what was measured.
func (d *sampler) Estimate(ctx context.Context, drawn mechanism.Output) (e model.Estimate, err error) {
	s, err := d.replay(ctx, drawn)
	if err != nil {
		return e, err
	}
	if err := s.final(ctx); err != nil {
		return e, err
	}
	return s.estimate(ctx, drawn)
}

// EstimateAt is the estimate of a fit that ended at given potentials. They must be where one may end.
func (d *sampler) EstimateAt(ctx context.Context, drawn mechanism.Output, potentials [][]float64) (e model.Estimate,
	err error) {
	s, err := d.replay(ctx, drawn)
	if err != nil {
		return e, err
	}
	if err := s.fitAt(ctx, potentials); err != nil {
		return e, err
	}
	return s.estimate(ctx, drawn)
}

// replay takes a learner through the rounds of a draw.
func (d *sampler) replay(ctx context.Context, drawn mechanism.Output) (*learner, error) {
	s, err := newLearner(d.problem, d.laws, drawn.Raw)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(d.fitsWithin(drawn.Within), s.readDistances(drawn.Distances)); err != nil {
		return nil, err
	}
	if d.laws.batch != nil {
		return s, d.replayBatches(ctx, s, drawn.Rounds)
	}
	if len(drawn.Rounds) != d.rounds() {
		return nil, domain.Refuse("structure", "rounds", len(drawn.Rounds), fmt.Sprint(d.rounds()))
	}
	for k, r := range drawn.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		given, list := s.next(k)
		c := candidate{columns: given}
		illegal := s.find(ctx, list, candidate{columns: r.Chosen, stop: r.Stop}) < 0
		if err := ctx.Err(); err != nil { // what may be chosen was not found out
			return nil, err
		}
		switch {
		case r.Report != nil:
			return nil, domain.Refuse("structure", "rounds", fmt.Sprintf("a report in round %d", k+1), "none: rounds have none")
		case list == nil && (len(r.Chosen) > 0 || r.Stop):
			return nil, domain.Refuse("structure", "rounds", fmt.Sprintf("a choice in round %d", k+1),
				"none: its table is given")
		case list != nil && illegal && !(r.Stop && s.stuck(ctx, list)):
			return nil, domain.Refuse("structure", "rounds", fmt.Sprintf("choice %v in round %d", r.Chosen, k+1),
				"one of the candidates of that round")
		case list != nil:
			c = candidate{columns: r.Chosen, stop: r.Stop}
		}
		if err := s.take(k, c, r.Counts); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// stuck reports whether none of the candidates may be chosen.
func (s *learner) stuck(ctx context.Context, list []candidate) bool {
	for _, c := range list {
		if s.may(ctx, c) {
			return false
		}
	}
	return true
}

// estimate is the fit as a network, with what sums tell of values within bins.
func (s *learner) estimate(ctx context.Context, drawn mechanism.Output) (e model.Estimate, err error) {
	columns := s.shape.Columns()
	nodes := make([]bayesnet.Node, len(columns))
	for i, c := range columns {
		nodes[i] = bayesnet.Node{Name: c.Name, States: c.Labels()}
	}
	net, err := s.fit.Net(nodes)
	if err != nil {
		return e, err
	}
	dag := net.DAG()
	for i := range dag.Len() {
		e.Families = append(e.Families, model.Node(dag.Node(i).Name, dag.Node(i).Parents...))
		joint, err := s.fit.Margin(ctx, dag.Family(i)...)
		if err != nil {
			return e, err
		}
		for c := range joint {
			joint[c] *= float64(s.size)
		}
		e.Conditionals = append(e.Conditionals, joint)
	}
	e.Potentials = s.fit.Potentials()
	if e.Within, err = s.withinBins(ctx, drawn.Within); err != nil {
		return e, err
	}
	e.Structure = s.structure(columns, dag)
	if e.Structure.Closed, err = s.closed(ctx); err != nil {
		return e, err
	}
	if e.Structure.Distances, err = s.distancesOf(drawn.Distances); err != nil {
		return e, err
	}
	e.Pairs = func(i int) ([]float64, error) {
		p, err := s.fit.Pair(s.pairs[i][0], s.pairs[i][1])
		return slices.Clone(p), err
	}
	return e, nil
}

func number(x float64) cert.Number { return cert.Number(x) }

// structure is what was learned, in names.
func (s *learner) structure(columns []frame.Column, d *bayesnet.DAG) *model.Structure {
	names := func(places []int) (out []string) {
		for _, i := range places {
			out = append(out, columns[i].Name)
		}
		return out
	}
	why := s.why
	if why != "" {
		n, known := s.publicSize()
		if !known {
			n = decisive(s)
		}
		if few := s.fewerPlaces(n); few != "" {
			why += " Learning is expected to help with " + few + " of children."
		}
	}
	out := &model.Structure{Size: float64(s.size), Gap: s.gap, Declined: why, Zeros: s.zeroTables(columns),
		NoiseChosen: s.laws.batch != nil || s.set.Algorithm == model.Grown}
	for _, c := range columns {
		out.Columns = append(out.Columns, c.Name)
	}
	for _, t := range s.done[len(s.levels):] {
		out.Rounds = append(out.Rounds, model.Round{Columns: names(t.columns), Stopped: t.stopped, Given: t.given})
	}
	for _, t := range s.done {
		out.Measured = append(out.Measured, model.NoisyCounts{Columns: names(t.columns), Counts: slices.Clone(t.counts),
			Noise: t.law})
	}
	var edges [][2]int
	for e := range s.edges {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, e := range edges {
		out.Edges = append(out.Edges, [2]string{columns[e[0]].Name, columns[e[1]].Name})
	}
	families, _ := d.MaximalFamilies()
	for _, f := range families {
		slices.Sort(f)
		out.Cliques = append(out.Cliques, names(f))
	}
	return out
}

// mostListed is the number of columns of which closed pairs are listed: above it, they would take longer than a fit.
const mostListed = 64

// closed are the pairs that the fit has no room for beside what was chosen.
func (s *learner) closed(ctx context.Context) (out [][2]string, err error) {
	if s.set.Algorithm != model.Pairs || s.given() || s.why != "" || len(s.levels) > mostListed {
		return nil, nil
	}
	columns := s.shape.Columns()
	for a := range s.levels {
		for b := a + 1; b < len(s.levels); b++ {
			if s.weight(candidate{columns: []int{a, b}}) > 0 && !s.edges[[2]int{a, b}] && !s.triangulated(ctx, []int{a, b}) {
				out = append(out, [2]string{columns[a].Name, columns[b].Name})
			}
		}
	}
	return out, ctx.Err()
}

// jointAt is the largest expected distance of the joint table that noise may make, as a share of the records: where
// it is more, what is not negative of a table is mostly noise.
const jointAt = .25

// jointShare is what one-way tables get of the budget beside the joint table. A small part of a pure ε makes little
// difference to them, since noise goes with its inverse; of a ρ it goes with the root.
func (q *problem) jointShare() float64 {
	if q.pure() {
		return .02
	}
	return .2
}

// all are the places of all columns.
func (q *problem) all() []int {
	out := make([]int, len(q.levels))
	for i := range out {
		out[i] = i
	}
	return out
}

// jointCells are those of the joint table of all columns.
func (q *problem) jointCells() int {
	cells := 1
	for _, k := range q.levels {
		cells *= k
	}
	return cells
}

// jointPays decides by public numbers alone whether the joint table of all columns is measured once, in place of rounds
// that choose pairs. Of K cells with noise Z the table of a pair of k cells is a sum, of K/k each: where
//
//	E|Z|·√(Kk)/2 ≤ E|Z'|·k·√(m/T)/2,  k the median over the m pairs, Z' the noise of one of T rounds,
//
// noise alone makes the joint table the better one, and it has what pairs leave out. And noise must not drown it:
// K·E|Z|/(2n) ≤ jointAt.
func (q *problem) jointPays(n float64) bool {
	if q.shape.Learning().Joint < 0 {
		return false
	}
	budget, s, cells := treeBudget(q.target.Parameters), q.pairShare(), float64(q.jointCells())
	noise := func(part float64) float64 {
		return q.noise.meanAbsolute(q.noise.rate(budget*part, q.pure(), q.changed(4), q.rows))
	}
	sizes := make([]float64, len(q.pairs))
	for i, p := range q.pairs {
		sizes[i] = float64(q.levels[p[0]]) * float64(q.levels[p[1]])
	}
	slices.Sort(sizes)
	k, rounds, once := sizes[len(sizes)/2], float64(s.rounds), noise(1-q.jointShare())
	return once*math.Sqrt(cells*k) <= noise(s.tables/rounds)*k*math.Sqrt(float64(len(sizes))/rounds) &&
		cells*once/2 <= jointAt*n
}
