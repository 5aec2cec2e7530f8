package dirichlet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/privbayes/privbayes-go/data"
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
