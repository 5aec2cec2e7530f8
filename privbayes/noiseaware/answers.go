package noiseaware

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// asked keeps what was answered: by the question's key.
type asked struct {
	mu    sync.Mutex
	known map[string]*Answer
	nets  func() ([]*bayesnet.Net, error) // draws of the naive posterior
}

// Answer is the posterior of a question, as draws, beside the naive one.
type Answer struct {
	*Quantity
	// Naive is the answer as if the release's estimated counts were the data: independent draws.
	Naive    *Quantity
	question *Question
}

// Answers are those of several questions.
type Answers struct {
	List    []*Answer
	caption string
}

// Answers is the posterior of each question. What was answered before is remembered: asking twice costs nothing, and
// asking costs no privacy, ever. Each question is part of the contract: its own R-hat and effective sample size are
// looked at, and the chains are made longer where they are not good enough. Errors: those of the questions, before
// anything runs; *NotConvergedError, the context's, *bayesnet.WidthError for a question too wide for exact inference.
func (p *NetworkPosterior) Answers(ctx context.Context, questions ...*Question) (*Answers, error) {
	if len(questions) == 0 {
		return nil, domain.Refuse("noiseaware", "questions", "none", "at least one")
	}
	var names []string
	var run []evaluator
	var fresh []*Question
	for _, q := range questions {
		if q == nil {
			return nil, domain.Refuse("noiseaware", "question", nil, "one from Probability or Function")
		}
		f, err := q.compile(p.s.dag)
		if err != nil {
			return nil, err
		}
		if p.remembered(q) == nil && !slices.ContainsFunc(fresh, func(o *Question) bool { return o.key == q.key }) {
			fresh, names, run = append(fresh, q), append(names, q.name), append(run, f)
		}
	}
	if len(fresh) > 0 {
		found, err := p.AskAll(ctx, names, together(run))
		if err != nil {
			return nil, err
		}
		naive, err := p.askNaive(ctx, names, together(run))
		if err != nil {
			return nil, err
		}
		p.asked.mu.Lock()
		for i, q := range fresh {
			p.asked.known[q.key] = &Answer{found[i], naive[i], q}
		}
		p.asked.mu.Unlock()
	}
	out := &Answers{caption: p.Caption()}
	for _, q := range questions {
		a := *p.remembered(q)
		a.question = q
		out.List = append(out.List, &a)
	}
	return out, nil
}

func (p *NetworkPosterior) remembered(q *Question) *Answer {
	p.asked.mu.Lock()
	defer p.asked.mu.Unlock()
	if p.asked.known == nil {
		p.asked.known = map[string]*Answer{}
		p.asked.nets = sync.OnceValues(p.naiveNets)
	}
	return p.asked.known[q.key]
}

func together(run []evaluator) func(*bayesnet.Net, []float64) error {
	return func(net *bayesnet.Net, out []float64) (err error) {
		for i, f := range run {
			if out[i], err = f(net); err != nil {
				return err
			}
		}
		return nil
	}
}

// naiveDraws is how many draws of the naive posterior a question is asked of.
const naiveDraws = 1999

// naiveNets draws networks whose rows are Dirichlet(α + estimated counts).
func (p *NetworkPosterior) naiveNets() ([]*bayesnet.Net, error) {
	src := rand.NewChaCha8(p.seed("naive", 0))
	rows := make([][]*posterior.Dirichlet, p.s.dag.Len())
	for v, counts := range p.s.estimate {
		for r, lo := p.s.dag.Arity(v), 0; lo < len(counts); lo += r {
			alpha := slices.Clone(p.s.problem.Alpha[v])
			for l := range alpha {
				alpha[l] += counts[lo+l]
			}
			var d *posterior.Dirichlet // nil for a constant node
			if len(alpha) > 1 {
				var err error
				if d, err = posterior.NewDirichlet(alpha); err != nil {
					return nil, err
				}
			}
			rows[v] = append(rows[v], d)
		}
	}
	out := make([]*bayesnet.Net, p.s.contract.Naive)
	for i := range out {
		cpts := make([][]float64, len(rows))
		for v := range rows {
			for _, d := range rows[v] {
				if d == nil {
					cpts[v] = append(cpts[v], 1)
					continue
				}
				cpts[v] = append(cpts[v], d.Sample(src)...)
			}
		}
		var err error
		if out[i], err = bayesnet.NewNet(p.s.dag, cpts); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// askNaive asks the draws of the naive posterior. Values that are no numbers (a level that the naive posterior holds
// impossible) are left out.
func (p *NetworkPosterior) askNaive(ctx context.Context, names []string,
	question func(*bayesnet.Net, []float64) error) ([]*Quantity, error) {
	nets, err := p.asked.nets()
	if err != nil {
		return nil, err
	}
	values, row := make([][]float64, len(names)), make([]float64, len(names))
	for _, net := range nets {
		if err := question(net.WithContext(ctx), row); err != nil {
			return nil, p.tooSmall(net, err)
		}
		for i, x := range row {
			if x == x {
				values[i] = append(values[i], x)
			}
		}
	}
	out := make([]*Quantity, len(names))
	for i := range out {
		if len(values[i]) == 0 {
			return nil, domain.Refuse("noiseaware", "value of "+names[i], "NaN", "a number for every network")
		}
		out[i] = newQuantity(names[i], values[i:i+1], mcmc.Diagnosis{RHat: 1, Bulk: float64(len(nets)),
			Tail: float64(len(nets))})
	}
	return out, nil
}
