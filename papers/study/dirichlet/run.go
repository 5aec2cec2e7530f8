package dirichlet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// job is one cell to run.
type job struct {
	task Task
	name string
	seed int
}

func (j job) String() string { return fmt.Sprintf("%s %s, split %d", j.name, j.task, j.seed+1) }

func (o Options) jobs() (out []job) {
	for seed := range o.Seeds { // an interrupted run then has a little of everything
		for _, name := range o.Data {
			if !o.SkipBayes {
				out = append(out, job{NaiveBayes, name, seed})
			}
			if !o.SkipNetworks && slices.Contains(NetworkNames(), name) {
				out = append(out, job{Network, name, seed})
			}
		}
	}
	return out
}

// Run runs the study: for every data set, model and seed a new split, and for every method and ε a new draw on it. It
// is a function of its options: splits and draws come from seeds. When ctx ends, it returns the report so far with
// ctx.Err().
//
// Errors: *dp.ParameterError, *data.NameError, *SettingsError, *data.NotFetchedError, those of the mechanisms, and that
// of Save.
func Run(ctx context.Context, o Options) (*Report, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	report, err := newReport(o)
	if err != nil {
		return nil, err
	}
	all := o.jobs()
	var todo []job
	for _, j := range all {
		if !report.has(j) {
			todo = append(todo, j)
		}
	}
	r := &runner{Options: o, plans: map[string]*drawing{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs, done := make(chan job), make(chan result)
	var workers sync.WaitGroup
	for range min(o.Workers, max(len(todo), 1)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for j := range jobs {
				c, err := r.cell(ctx, j)
				done <- result{j, c, err}
			}
		}()
	}
	go func() {
		defer close(jobs)
		for _, j := range todo {
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { workers.Wait(); close(done) }()

	kept := len(all) - len(todo)
	finished := kept
	var failure error
	for d := range done {
		if d.err == nil && failure == nil {
			report.add(d.cell)
			finished++
			if o.Progress != nil {
				o.Progress(Progress{finished, len(all), kept, d.job.String()})
			}
			if o.Save != nil {
				d.err = o.Save(report)
			}
		}
		if d.err != nil && failure == nil {
			failure = d.err
			cancel()
		}
	}
	if failure == nil && finished < len(all) {
		failure = ctx.Err()
	}
	return report, failure
}

type result struct {
	job  job
	cell Cell
	err  error
}

type runner struct {
	Options
	sources sources
	mu      sync.Mutex
	plans   map[string]*drawing
}

// cell runs every method at every ε on one split.
func (r *runner) cell(ctx context.Context, j job) (Cell, error) {
	f, err := r.sources.open(ctx, j.name)
	if err != nil {
		return Cell{}, err
	}
	p, err := split(f, j.name, j.task, r.bin, j.seed)
	if err != nil {
		return Cell{}, err
	}
	n, _ := p.shape.N()
	c := Cell{Task: j.task, Data: j.name, Seed: j.seed, Train: n, Test: p.records, Tables: len(p.rows),
		Cells: p.shape.Cells(), Scores: map[string]Values{}}
	for _, id := range r.Methods {
		m, _ := methodOf(id)
		v := Values{}
		for i, epsilon := range r.Epsilons {
			if err := ctx.Err(); err != nil {
				return c, err
			}
			var s drawScores
			if m.plan == nil {
				s = p.score(p.mle())
			} else if s, err = r.draw(ctx, p, m, j, epsilon); err != nil {
				return c, fmt.Errorf("study: %s, %s, ε = %g: %w", j, id, epsilon, err)
			}
			for metric, x := range s {
				if v[metric] == nil {
					v[metric] = make([]float64, len(r.Epsilons))
				}
				v[metric][i] = rounded(x)
			}
			if m.plan == nil { // the same at every ε
				for metric, x := range v {
					v[metric] = x[:1]
				}
				break
			}
		}
		c.Scores[id] = v
	}
	return c, nil
}

// draw plans, draws once, and measures.
func (r *runner) draw(ctx context.Context, p *problem, m method, j job, epsilon float64) (drawScores, error) {
	d, err := r.planned(ctx, p, m, epsilon)
	if err != nil {
		return nil, err
	}
	e, err := p.release(ctx, d, fmt.Sprint(r.Bins, "/", j, "/", m.ID, "/", epsilon))
	if err != nil {
		return nil, err
	}
	if d.smooth {
		for k, t := range e.Tables {
			e.Tables[k] = plus(t)
		}
		e.Class = plus(e.Class)
	}
	return p.score(p.parameters(e, d.extended)), nil
}

// planned plans once for every shape, since plans are public functions of it.
func (r *runner) planned(ctx context.Context, p *problem, m method, epsilon float64) (*drawing, error) {
	if r.Bins != Public { // every split has its own schema
		return m.plan(ctx, p, epsilon)
	}
	key := fmt.Sprint(p.shape.Digest(), m.ID, epsilon)
	r.mu.Lock()
	d := r.plans[key]
	r.mu.Unlock()
	if d != nil {
		return d, nil
	}
	d, err := m.plan(ctx, p, epsilon)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.plans[key] = d
	r.mu.Unlock()
	return d, nil
}

// hashes lists the SHA-256 of the tables used.
func hashes(names []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names {
		info, err := data.StudyInfo(name)
		if err != nil {
			return nil, err
		}
		out[name] = info.CSVSHA256
	}
	return out, nil
}

// IsStopped reports whether a run ended because its context did.
func IsStopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Metric is what a cell measures.
type Metric string

// The metrics. Logarithms are natural.
const (
	// KL is Σ_k Σ_j π̂_j KL(θ̂_kj ‖ θ̃_kj) of naive Bayes on the training counts: what the paper's mechanism sets out
	// to minimise.
	KL Metric = "kl"
	// CrossEntropy is −mean log P̃(class | features) over the held-out records.
	CrossEntropy Metric = "ce"
	// Accuracy is the share of held-out records whose most probable class is theirs.
	Accuracy Metric = "acc"
	// LogLikelihood is the mean of log P̃(record) over the held-out records, of networks.
	LogLikelihood Metric = "ll"
)

// drawScores are the metrics of one draw; LogLikelihood alone is of networks, the others of naive Bayes.
type drawScores map[Metric]float64

const (
	clip      = 1e-6 // the paper's floor on counts
	smoothing = 0.1  // the paper's, in the model that is not private
	least     = 1.0  // record a class is taken to have at least: a noisy margin can be 0
	floor     = 1e-300
)

// parameters are the conditional distributions θ̃ of every table, row by row, and the class probabilities of naive
// Bayes, as logarithms.
type parameters struct {
	tables [][]float64
	class  []float64
}

// mle are the parameters of the counts plus 0.1.
func (p *problem) mle() parameters {
	e := model.Estimate{}
	for _, t := range p.tables {
		e.Tables = append(e.Tables, plus(t))
	}
	if p.class != nil {
		e.Class = plus(p.class)
	}
	return p.parameters(e, false)
}

func plus[T int64 | float64](counts []T) []float64 {
	out := make([]float64, len(counts))
	for i, c := range counts {
		out[i] = float64(c) + smoothing
	}
	return out
}

// parameters normalises estimated counts. The last table of an extended estimate has the class counts in its first
// column.
func (p *problem) parameters(e model.Estimate, extended bool) (out parameters) {
	for k, rows := range p.rows {
		t := append([]float64(nil), e.Tables[k]...)
		levels := len(t) / rows
		for lo := 0; lo < len(t); lo += levels {
			logShares(t[lo:lo+levels], floor)
		}
		out.tables = append(out.tables, t)
	}
	if p.class == nil {
		return out
	}
	if extended {
		last := e.Tables[len(p.rows)]
		for j := 0; j < len(last); j += 2 {
			out.class = append(out.class, last[j])
		}
		logShares(out.class, clip)
	} else {
		out.class = append([]float64(nil), e.Class...)
		logShares(out.class, least)
	}
	return out
}

// logShares replaces counts, at least low, by the logarithms of their shares; a row of nothing is uniform.
func logShares(counts []float64, low float64) {
	total := 0.0
	for i, c := range counts {
		counts[i] = math.Max(c, low)
		total += counts[i]
	}
	for i, c := range counts {
		counts[i] = math.Log(c / total)
	}
}

// score measures parameters.
func (p *problem) score(q parameters) drawScores {
	if p.task == Network {
		return drawScores{LogLikelihood: p.logLikelihood(q)}
	}
	ce, acc := p.classify(q)
	return drawScores{KL: p.divergence(q), CrossEntropy: ce, Accuracy: acc}
}

// divergence is the metric KL: Σ_k Σ_jc (N_jc/N) log(θ̂_jc/θ̃_jc).
func (p *problem) divergence(q parameters) float64 {
	n, _ := p.shape.N()
	sum := 0.0
	for k, t := range p.tables {
		levels := len(t) / p.rows[k]
		for lo := 0; lo < len(t); lo += levels {
			var total int64
			for _, c := range t[lo : lo+levels] {
				total += c
			}
			for i, c := range t[lo : lo+levels] {
				if c > 0 {
					sum += float64(c) * (math.Log(float64(c)/float64(total)) - q.tables[k][lo+i])
				}
			}
		}
	}
	return sum / float64(n)
}

// classify gives cross-entropy and accuracy on the held-out records.
func (p *problem) classify(q parameters) (ce, acc float64) {
	classes := len(q.class)
	// by feature: level, then class
	flat := make([][]float64, len(q.tables))
	for k, t := range q.tables {
		levels := len(t) / classes
		flat[k] = make([]float64, len(t))
		for j := range classes {
			for c := range levels {
				flat[k][c*classes+j] = t[j*levels+c]
			}
		}
	}
	score := make([]float64, classes)
	hits := 0
	for i := range p.records {
		copy(score, q.class)
		for k, column := range p.test {
			at := column[i] * classes
			for j, v := range flat[k][at : at+classes] {
				score[j] += v
			}
		}
		best := 0
		for j, s := range score {
			if s > score[best] {
				best = j
			}
		}
		top, sum := score[best], 0.0
		for _, s := range score {
			sum += math.Exp(s - top)
		}
		label := p.labels[i]
		ce += top + math.Log(sum) - score[label]
		if best == label {
			hits++
		}
	}
	n := float64(max(p.records, 1))
	return ce / n, float64(hits) / n
}

// logLikelihood is the mean over the held-out records of Σ_k log θ̃ of the record's cell.
func (p *problem) logLikelihood(q parameters) float64 {
	sum := 0.0
	for k, cells := range p.test {
		t := q.tables[k]
		for _, c := range cells {
			sum += t[c]
		}
	}
	return sum / float64(max(p.records, 1))
}

// perTable plans every table on its own, with ε/K and its own r, as the theory does for dir_opt: the plan of a table
// depends on its size, n and its share only, so tables of one size share it.
func perTable(prior func(*problem) float64, plan func(context.Context, size, float64) (part, error)) planner {
	return func(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
		d := &drawing{}
		n, _ := p.shape.N()
		for k, t := range p.tables {
			s := size{p.rows[k], len(t) / p.rows[k], n, epsilon / float64(len(p.tables)), p.shape.Schema().Inferred}
			one, err := plan(ctx, s, prior(p))
			if err != nil {
				return nil, err
			}
			one.tables = []int{k}
			d.parts = append(d.parts, one)
		}
		return d, nil
	}
}

// size is what the plan of a table depends on.
type size struct {
	rows, levels, n int
	epsilon         float64
	inferred        bool
}

// shape is a model of one table of the size.
func (s size) shape() (*model.Shape, error) {
	schema := &frame.Schema{Dataset: "table", Columns: []frame.Column{levels("cell", s.levels)}, Inferred: s.inferred}
	var m model.Model = model.Categorical("cell")
	if s.rows > 1 {
		schema.Columns = append(schema.Columns, levels("row", s.rows))
		m = model.NaiveBayes("row")
	}
	return model.NewShape(schema, m, s.n, true, "")
}

func levels(name string, n int) frame.Column {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = strconv.Itoa(i)
	}
	return frame.Categorical(name, labels...)
}

// tablePlans keeps the plans of tables, which are public functions of their keys.
var tablePlans sync.Map

type tableKey struct {
	size
	calibration dirichlet.Calibration
	raw         bool
}

func (s size) plan(ctx context.Context, c dirichlet.Calibration, raw bool) (*mechanism.Plan, error) {
	key := tableKey{s, c, raw}
	if p, ok := tablePlans.Load(key); ok {
		return p.(*mechanism.Plan), nil
	}
	shape, err := s.shape()
	if err != nil {
		return nil, err
	}
	m := dirichlet.New()
	if raw {
		m = m.Raw()
	}
	p, err := m.WithCalibration(c).Plan(ctx, shape, dp.RenyiDP(Order, s.epsilon))
	if err == nil {
		tablePlans.Store(key, p)
	}
	return p, err
}

// raw1 is one Dirichlet draw of a table, r for the average over the public prior a₀.
func raw1(ctx context.Context, s size, a0 float64) (part, error) {
	p, err := s.plan(ctx, dirichlet.Average(a0), true)
	return part{plan: p}, err
}

// debiased1 is the theory's dir_opt_debias of a table: gamma draws at ten times the r of raw1, and E[count | g] under a
// flat prior on counts ≥ 0.
func debiased1(ctx context.Context, s size, a0 float64) (part, error) {
	base, err := raw1(ctx, s, a0)
	if err != nil {
		return part{}, err
	}
	at, err := gammaOf(base.plan)
	if err != nil {
		return part{}, err
	}
	p, err := s.plan(ctx, dirichlet.AtRate(10*at.Rate), false)
	if err != nil {
		return part{}, err
	}
	if at, err = gammaOf(p); err != nil {
		return part{}, err
	}
	return part{plan: p, post: func(_ context.Context, drawn *mechanism.Drawn) (model.Estimate, error) {
		return at.flat(drawn.Real[0], s),
			nil
	}}, nil
}

// gammaParams are the r and α of a plan of the Dirichlet mechanism.
type gammaParams struct{ Rate, Shape float64 }

func gammaOf(p *mechanism.Plan) (g gammaParams, err error) {
	err = json.Unmarshal(p.Params(), &g)
	return g, err
}

// flat estimates a table by E[count | g] under a flat prior, and the totals of its rows without bias.
func (g gammaParams) flat(logs []float64, s size) model.Estimate {
	est, totals := make([]float64, len(logs)), make([]float64, s.rows)
	for i, y := range logs {
		est[i] = klrisk.GammaMean(y, g.Rate, g.Shape, math.Inf(1), 0)
		totals[i/s.levels] += (math.Exp(y) - g.Shape) / g.Rate
	}
	return model.Estimate{Tables: [][]float64{est}, Class: totals}
}
