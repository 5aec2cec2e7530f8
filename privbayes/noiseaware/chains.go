package noiseaware

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// The contract of draws: chains from dispersed starts, doubled until they agree.
const (
	chains     = 4
	keptAtOnce = 500  // draws of a chain at the first level
	keptMost   = 1000 // and at the others: longer chains are thinned
	mostRHat   = 1.01
	leastESS   = 400
	// moveLimit bounds the slices and jumps of all chains, and not their time, which grows with what a move costs: on
	// alarm (37 nodes) some forty minutes of one processor.
	moveLimit = 6e8
	// drawBytes bounds what the draws of one level take.
	drawBytes = 1 << 28
)

// standard is the contract of every posterior but those of a study that says so.
var standard = mcmc.Contract{Sweeps: keptAtOnce, RHat: mostRHat, ESS: leastESS, Naive: naiveDraws}

// NotConvergedError says that the chains did not come to agree within the work limit, or would not: there are no
// intervals. Worst names the parameter or the question furthest from agreement.
type NotConvergedError struct {
	Worst     string
	RHat, ESS float64
	Sweeps    int // of each chain
	// Need is how many sweeps would do if the effective sample size grew as their number, Most how many the work limit
	// allows. Chains that would stay far below the criteria are ended early.
	Need float64
	Most int
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("noiseaware: after %d sweeps of %d chains the draws of %s do not agree: R-hat %.4g, effective "+
		"sample size %.4g; want below %v and at least %d. At this rate they need %.2g sweeps, of %d within the work limit: "+
		"less noise, a larger prior hyperparameter, fewer parents, or a coarser question, converges sooner", e.Sweeps,
		chains, e.Worst, e.RHat, e.ESS, mostRHat, leastESS, e.Need, e.Most)
}

// finding is the quantity furthest from agreement.
type finding struct {
	name string
	d    mcmc.Diagnosis
}

// ess is the smaller effective sample size.
func (f finding) ess() float64 { return min(f.d.Bulk, f.d.Tail) }

// meets reports whether the draws may be used.
func (f finding) meets(c mcmc.Contract) bool { return f.d.RHat < c.RHat && f.ess() >= c.ESS }

// worse reports whether f is further from agreement than g.
func (f finding) worse(g finding) bool { return f.badness() > g.badness() }

func (f finding) badness() float64 {
	return max((f.d.RHat-1)/(mostRHat-1), leastESS/max(f.ess(), 1e-9))
}

// needs is how many sweeps of a chain give the effective sample size wanted, if it grows as their number. Chains that
// have not met yet have a size of some few whatever their length is: it leaps when they meet.
func (f finding) needs(sweeps int, c mcmc.Contract) float64 {
	return float64(sweeps) * c.ESS / max(f.ess(), 1e-9)
}

// Chains end early where at so many levels in a row, from the third on, they need more sweeps than the work limit
// allows. Of chains that have not met, which may be on a long way to where they mix well, that tells little: they are
// given a quarter of the limit to meet.
const (
	hopelessLevels = 2
	leastLevels    = 3
	farRHat        = 1.1
	timeToMeet     = .25
)

// run is a chain.
type run struct{ chain *latent.Chain }

// start makes the chains: two at data of CPTs drawn from the prior, two at data of the naive fit.
func (p *NetworkPosterior) start() {
	n := p.s.problem.N
	for c := range chains {
		seed := p.s.seed
		binary.LittleEndian.PutUint64(seed[:8], binary.LittleEndian.Uint64(seed[:8])+uint64(c)<<32)
		r := rand.New(rand.NewChaCha8(seed))
		theta, records := clone(p.s.naive), n
		if c < 2 || theta == nil {
			theta = p.lay.Prior(r)
			records = int64(float64(n) * (0.5 + 1.5*r.Float64()))
		}
		seed[31] ^= 0x55
		p.runs = append(p.runs, &run{p.lay.NewChain(theta, records, seed)})
	}
}

// until makes levels of twice the length, each without what was drawn before, until the worst that look finds agrees,
// or until it is plain that it will not within the work limit. It decides by draws alone, which follow from the noisy
// numbers. Levels that are there already are looked at first.
func (p *NetworkPosterior) until(ctx context.Context, look func(l *level) finding) error {
	for at, hopeless := p.first, 0; ; at++ {
		l, last, err := p.level(ctx, at)
		if err != nil {
			return err
		}
		worst := look(l)
		if err := ctx.Err(); err != nil {
			return err
		}
		if worst.meets(p.s.contract) {
			return nil
		}
		need, most := worst.needs(l.sweeps, p.s.contract), p.mostSweeps(l.sweeps)
		if hopeless++; need <= float64(most) || p.tree != nil {
			hopeless = 0
		}
		met := worst.d.RHat <= farRHat || float64(l.sweeps) >= timeToMeet*float64(most)
		if last || met && hopeless >= hopelessLevels && at+1-p.first >= leastLevels {
			return &NotConvergedError{worst.name, worst.d.RHat, worst.ess(), l.sweeps, need, most}
		}
	}
}

// level is level i, run if it was not yet; last says that the next one would pass the work limit. One asker at a time
// runs the chains, and the others wait for the levels that are not there yet, each as long as its own context allows.
func (p *NetworkPosterior) level(ctx context.Context, i int) (l *level, last bool, err error) {
	if l = p.known(i); l == nil {
		select {
		case p.turn <- struct{}{}:
			defer func() { <-p.turn }()
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
		extend := p.extend
		if p.tree != nil {
			extend = p.drawTree
		}
		for l = p.known(i); l == nil; l = p.known(i) {
			if err := extend(ctx); err != nil {
				return nil, false, err
			}
		}
	}
	if p.tree != nil {
		return l, i >= treeLevels, nil
	}
	return l, p.mostSweeps(l.sweeps) == l.sweeps, nil
}

// mostSweeps are the sweeps of the last level within the work limit.
func (p *NetworkPosterior) mostSweeps(sweeps int) int {
	if p.tree != nil {
		return sweeps
	}
	for float64(2*sweeps)*float64(chains*p.lay.Moves()) <= float64(p.s.limit) {
		sweeps *= 2
	}
	return sweeps
}

// known is level i; nil where it was not run yet.
func (p *NetworkPosterior) known(i int) *level {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i < len(p.kept) {
		return p.kept[i]
	}
	return nil
}

// keep adds a level.
func (p *NetworkPosterior) keep(l *level) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, l)
}

// extend runs the chains to twice their length and keeps the second half. The first level is half burn-in, the first
// quarter of that with slices over the whole range; the widths of slices are fitted before draws are kept and stay.
func (p *NetworkPosterior) extend(ctx context.Context) error {
	per := keptMost
	if len(p.kept) == 0 {
		per = p.s.contract.Sweeps
	}
	entries := p.entries()
	per = max(min(per, drawBytes/(chains*16*entries)), 100)
	from, to := 0, 2*p.s.contract.Sweeps
	burn := p.s.contract.Sweeps
	if k := len(p.kept); k > 0 {
		from, to = p.kept[k-1].sweeps, 2*p.kept[k-1].sweeps
		burn = from
	}
	stride := max((to-burn)/per, 1)
	l := &level{draws: (to - burn) / stride, sweeps: to}
	l.theta, l.counts = make([][]float64, chains), make([][]int64, chains)
	l.records, l.logs, l.shares = make([][]int64, chains), make([][]float64, chains), make([][]float64, chains)
	before := make([]run, chains) // so that what is drawn does not depend on when a context ended
	for c, r := range p.runs {
		before[c] = run{r.chain.Clone()}
	}
	var wg sync.WaitGroup
	var done atomic.Int64
	stop := p.report(&done, int64(chains*(to-from)))
	for c, r := range p.runs {
		wg.Go(func() { r.keep(ctx, l, c, from, burn, to, stride, &done) })
	}
	wg.Wait()
	stop()
	if err := ctx.Err(); err != nil {
		for c := range before {
			p.runs[c] = &before[c]
		}
		return err
	}
	l.nets, l.made = makeNets(chains * l.draws)
	p.keep(l)
	return nil
}

// keep runs one chain from sweep from to sweep to, and keeps every stride-th draw from burn on.
func (r *run) keep(ctx context.Context, l *level, c, from, burn, to, stride int, done *atomic.Int64) {
	for s := from; s < to; s++ {
		if from == 0 && s < burn {
			r.chain.Wide(s < burn/4)
		}
		if s <= burn && s%50 == 0 {
			r.chain.Adapt()
		}
		if !r.chain.Sweep(func() bool { return ctx.Err() != nil }) {
			return
		}
		done.Add(1)
		if s >= burn && (s-burn+1)%stride == 0 && len(l.logs[c]) < l.draws {
			for _, t := range r.chain.Draw() {
				l.theta[c] = append(l.theta[c], t...)
			}
			l.counts[c], l.shares[c] = r.chain.Families(l.counts[c]), r.chain.Shares(l.shares[c])
			l.records[c] = append(l.records[c], r.chain.N())
			l.logs[c] = append(l.logs[c], r.chain.LogWeight())
		}
	}
}

// report tells progress until it is stopped.
func (p *NetworkPosterior) report(done *atomic.Int64, total int64) (stop func()) {
	if p.s.progress == nil {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.s.progress(done.Load(), total)
			case <-end:
				p.s.progress(done.Load(), total)
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// rowPrior is the prior of a node's rows in one draw: of shared rows given their centre.
func (p *NetworkPosterior) rowPrior(l *level, v, chain, draw int) []float64 {
	shared := p.s.problem.Shared
	if shared == nil || !shared[v] {
		return p.s.problem.Alpha[v]
	}
	at := draw * len(l.shares[chain]) / l.draws
	for u := range v {
		if shared[u] {
			at += p.s.dag.Arity(u)
		}
	}
	return l.shares[chain][at:][:p.s.dag.Arity(v)]
}

// parameters finds the entry of a table, or ln π, that is furthest from agreement: draws of θ and its expectation given
// the latent counts and centres.
func (p *NetworkPosterior) parameters(l *level) finding {
	worst := finding{"the posterior's density", mcmc.Diagnose(l.logs)}
	if worst.d.RHat > farRHat { // far from it: nothing else needs to be looked at
		return worst
	}
	entries, i := p.entries(), 0
	expected := make([][]float64, chains)
	for c := range expected {
		expected[c] = make([]float64, l.draws)
	}
	for v := range p.s.dag.Len() {
		r := p.s.dag.Arity(v)
		for cell := range p.s.dag.FamilyCells(v) {
			if r == 1 || r == 2 && cell%2 == 1 { // as its complement
				i++
				continue
			}
			name := p.s.parameter(v, cell/r, cell%r)
			for c := range expected {
				for d := range expected[c] {
					alpha, row, sum := p.rowPrior(l, v, c, d), l.counts[c][d*entries+i-cell%r:][:r], 0.0
					for x, n := range row {
						sum += alpha[x] + float64(n)
					}
					expected[c][d] = (alpha[cell%r] + float64(row[cell%r])) / sum
				}
			}
			f := finding{name, mcmc.Diagnose(l.entriesOf(i, entries))}
			f.d.RHat = math.Max(f.d.RHat, mcmc.RHat(expected))
			if f.worse(worst) {
				worst = f
			}
			i++
		}
	}
	return worst
}

// networks are the joint posteriors that were made for a posterior, by whether chains were asked for.
type networks struct {
	turn chan struct{} // holds one token while one is made
	made map[bool]*NetworkPosterior
}

func newNetworks() *networks {
	return &networks{turn: make(chan struct{}, 1), made: map[bool]*NetworkPosterior{}}
}

// Network is the joint posterior that the probabilities are of. Of models with shared tables it was computed with them;
// of one table and naive Bayes, whose probabilities are found exactly, it is drawn when it is first asked for, and
// asking again costs nothing and gives the same one. With Sampled() it is by chains: where it was not, those are run
// once. WithProgress is told of what is made at this call, and of questions to it. Errors: those of OfNetwork.
func (p *Posterior) Network(ctx context.Context, options ...Option) (*NetworkPosterior, error) {
	var asked setting
	for _, o := range options {
		o(&asked)
	}
	fits := func(n *NetworkPosterior) bool { return n != nil && !(asked.sampled && n.Exact()) }
	if fits(p.joint) {
		return p.joint, nil
	}
	select {
	case p.networks.turn <- struct{}{}:
		defer func() { <-p.networks.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for _, sampled := range []bool{asked.sampled, false} {
		if n := p.networks.made[sampled]; fits(n) {
			return n, nil
		}
	}
	n, err := OfNetwork(ctx, p.release, options...)
	if err != nil {
		return nil, err
	}
	p.networks.made[asked.sampled] = n
	return n, nil
}

// effort is the work of one exact posterior, all rows and repetitions together: products formed, and terms looked at by
// what they cost. It does not depend on how fast the machine is. The first limit that is met, or the context's end,
// stays in err; what was computed since then is of no use. A nil effort bounds nothing.
type effort struct {
	ctx         context.Context
	done, limit float64
	since       float64
	err         error
}

const (
	// exactWork bounds an exact posterior where draws can take its place: about a second. Of a CDF, where they cannot,
	// stepsWork does.
	exactWork = 1e9
	stepsWork = 6e9
	// look is the work between two looks at the context: some milliseconds.
	look = 4e6
	// What a term costs beside a product: an exponential and five passes, a logarithm, two of them and a ratio of
	// gamma functions, and what is kept of a mixture.
	perTilted, perWeight, perTotal, perPart = 8, 8, 80, 8
)

func newEffort(ctx context.Context, limit float64) *effort { return &effort{ctx: ctx, limit: limit} }

// spend adds work, and is false where there is to be no more.
func (e *effort) spend(work float64) bool {
	if e == nil || e.err != nil {
		return e == nil
	}
	if e.done, e.since = e.done+work, e.since+work; e.done > e.limit {
		e.err = &WorkError{"the exact distribution of the counts, in products,", e.done, e.limit}
	} else if e.since >= look {
		e.since, e.err = 0, e.ctx.Err()
	}
	return e.err == nil
}

// needs is spend for work that is sure to be done, before any of it is.
func (e *effort) needs(work float64) error {
	if e != nil && e.err == nil && e.done+work > e.limit {
		e.err = &WorkError{"the exact distribution of the counts, in products,", e.done + work, e.limit}
	}
	return e.failed()
}

// reserved is for work that was counted before: it looks at the context only.
func (e *effort) reserved() *effort { return newEffort(e.ctx, math.Inf(1)) }

func (e *effort) failed() error {
	if e == nil {
		return nil
	}
	return e.err
}

// often is how many terms are taken between two calls of spend.
const often = 1 << 16

// UnsupportedError is a release whose noise-aware posterior is not computed: what it is, and what is supported.
type UnsupportedError struct {
	Release string // the mechanism and the model
	What    string // what stands in the way
	Want    string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("noiseaware: %s: %s is not supported; want %s", e.Release, e.What, e.Want)
}

// WorkError is a release whose exact posterior would take too long: the products or numbers kept that it needs, and the
// limit.
type WorkError struct {
	What        string
	Work, Limit float64
}

func (e *WorkError) Error() string {
	return fmt.Sprintf("noiseaware: %s takes %.3g, more than %.3g; want fewer records or cells, or less noise", e.What,
		e.Work, e.Limit)
}

// EvidenceError is a noisy number, or a sum of a table's numbers over a margin, that no data set explains, by itself or
// beside another table's: the noise reaches so far with probability below 1e-30. Either the numbers are not of this
// plan, or n or the law of the noise is not what was stated.
type EvidenceError struct {
	Table string // the table, or the parities
	Value string
	Want  string
}

func (e *EvidenceError) Error() string {
	return fmt.Sprintf("noiseaware: %s: %s; want %s", e.Table, e.Value, e.Want)
}

// widthError is a WorkError of cliques, which neither fewer records nor less noise makes smaller.
type widthError struct{ *WorkError }

func (e *widthError) Error() string {
	return fmt.Sprintf("noiseaware: %s has %.3g cells, more than %.3g; want fewer parents, or columns with fewer levels",
		e.What, e.Work, e.Limit)
}

func (e *widthError) Unwrap() error { return e.WorkError }

// PanicError is a question whose function panicked, with what it panicked with.
type PanicError struct{ Question, Panic string }

func (e *PanicError) Error() string {
	return fmt.Sprintf("noiseaware: %s: the function panicked: %s; want one that gives a number for every network",
		safetext.Line(e.Question), safetext.Line(e.Panic))
}

// recovered makes a panic an error.
func recovered(question string, err *error) {
	if x := recover(); x != nil {
		*err = &PanicError{question, fmt.Sprint(x)}
	}
}

// tooWide says in this package's words that cliques are too large: a *WorkError.
func tooWide(err error, d *bayesnet.DAG) error {
	var wide *junction.WidthError
	if !errors.As(err, &wide) {
		return err
	}
	what := "the widest clique of the network"
	if len(wide.Vars) > 0 {
		var names []string
		for i, v := range wide.Vars {
			if i == 6 {
				names = append(names, fmt.Sprintf("and %d more", len(wide.Vars)-6))
				break
			}
			names = append(names, safetext.Short(d.Node(v).Name))
		}
		what = fmt.Sprintf("the clique of %d nodes that the network's loops join (%s)", wide.Width,
			strings.Join(names, ", "))
	}
	return &widthError{&WorkError{what, float64(wide.Cells), float64(wide.Limit)}}
}
