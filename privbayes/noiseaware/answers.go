package noiseaware

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// asked keeps what was answered: by the question's key.
type asked struct {
	mu    sync.Mutex
	known map[string]*Answer
	// draws of the naive posterior, and of the prior
	nets, priors func() ([]*bayesnet.Net, error)
}

// Answer is the posterior of a question, as draws.
type Answer struct {
	*Quantity
	// Naive ignores the noise: the answer as if the release's estimated counts were the data, by independent draws.
	Naive *Quantity
	// Prior is the answer before any number was seen: independent draws. nil where no draw has one.
	Prior    *Quantity
	question *Question
	evidence []*Quantity // the share of the records with each event that the question gives
}

// Answers are those of several questions.
type Answers struct {
	List    []*Answer
	caption string
	of      *NetworkPosterior
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
		prior, err := p.askPrior(ctx, names, together(run))
		if err != nil {
			return nil, err
		}
		evidence, err := p.askEvidence(ctx, fresh)
		if err != nil {
			return nil, err
		}
		p.asked.mu.Lock()
		for i, q := range fresh {
			p.asked.known[q.key] = &Answer{found[i], naive[i], prior[i], q, evidence[i]}
		}
		p.asked.mu.Unlock()
	}
	out := &Answers{caption: p.Caption(), of: p}
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
		p.asked.nets, p.asked.priors = sync.OnceValues(p.naiveNets), sync.OnceValues(p.priorNets)
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
			alpha := slices.Clone(p.s.alpha[v])
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

// farthest is what numbers beyond it, infinite ones too, are shown as: the odds of an event whose probability rounds
// to 1.
const farthest = 1e200

func shown(x float64) float64 { return min(max(x, -farthest), farthest) }

// Rows are means, standard deviations and equal-tailed intervals of a level in (0, 1): *dp.ParameterError. Of ratios,
// and of what is made of them but for logarithms, they are medians without a standard deviation, as Row.Median says;
// also where an average is no finite number. Numbers beyond ±1e200 are given as that. The prior's own interval stands
// next to the answer's: where the two are alike, the numbers said little. Of the share of one level there is also a
// score interval without a prior, from one table; NaN where there is none.
func (a *Answers) Rows(level float64) ([]Row, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("noiseaware", "level", level, "a level of intervals above 0 and below 1")
	}
	out := make([]Row, len(a.List))
	for i, q := range a.List {
		r := Row{Of: q.question.name, NaiveMean: q.Naive.Mean(), Mean: q.Mean(), SD: q.SD()}
		r.Median = q.question.heavy || !domain.Finite(r.NaiveMean) || !domain.Finite(r.Mean) || !domain.Finite(r.SD)
		if r.Median {
			r.NaiveMean, r.Mean, r.SD = shown(q.Naive.Quantile(.5)), shown(q.Quantile(.5)), 0
		}
		r.NaiveLower, r.NaiveUpper = q.Naive.CredibleInterval(level)
		r.Lower, r.Upper = q.CredibleInterval(level)
		r.PriorLower, r.PriorUpper = math.NaN(), math.NaN()
		if q.Prior != nil {
			r.PriorLower, r.PriorUpper = q.Prior.CredibleInterval(level)
		}
		r.ScoreLower, r.ScoreUpper = math.NaN(), math.NaN()
		if node, state, ok := q.question.share(a.of.s.dag); ok {
			if lo, hi, ok := a.of.score(node, state, level); ok {
				r.ScoreLower, r.ScoreUpper = lo, hi
			}
		}
		for _, x := range []*float64{&r.NaiveLower, &r.NaiveUpper, &r.Lower, &r.Upper, &r.PriorLower, &r.PriorUpper} {
			*x = shown(*x)
		}
		out[i] = r
	}
	return out, nil
}

// medians says whether some rows have medians, and whether all do.
func medians(rows []Row) (some, all bool) {
	all = true
	for _, r := range rows {
		some, all = some || r.Median, all && r.Median
	}
	return some, all
}

// Table shows every question with its mean and 95 % interval, and the accuracy of the draws. Of ratios it shows
// medians: see Rows.
func (a *Answers) Table() *table.Table { return a.table(false) }

// NoiseIgnored is Table with the answers that take the released estimates for the counts, for comparison: their
// intervals are too narrow.
func (a *Answers) NoiseIgnored() *table.Table { return a.table(true) }

func (a *Answers) table(ignored bool) *table.Table {
	rows, _ := a.Rows(tableLevel)
	some, all := medians(rows)
	center := "mean"
	switch {
	case all:
		center = "median"
	case some:
		center = "mean or median"
	}
	heads := []string{"question", center, "sd", "95 %", "prior 95 %"}
	if all {
		heads = slices.Delete(heads, 2, 3)
	}
	scored := slices.ContainsFunc(rows, func(r Row) bool { return !math.IsNaN(r.ScoreLower) })
	if scored {
		heads = append(heads, "score 95 %")
	}
	heads = append(heads, "R-hat", "ESS")
	if ignored {
		heads = append(heads, noiseIgnored+": "+center, ignoredRange)
	}
	t := table.New("Answers given the noisy counts", heads...)
	for i, r := range rows {
		d := table.Decimals((r.Upper - r.Lower) / (2 * 1.96))
		naive, at, sd := table.Fixed(r.NaiveMean, d), table.Fixed(r.Mean, d), table.Fixed(r.SD, d)
		if r.Median && !all {
			naive, at, sd = naive+" (median)", at+" (median)", ""
		}
		cells := []any{r.Of, at, sd, interval(r.Lower, r.Upper, d), interval(r.PriorLower, r.PriorUpper, d)}
		if all {
			cells = slices.Delete(cells, 2, 3)
		}
		if scored {
			cells = append(cells, interval(r.ScoreLower, r.ScoreUpper, d))
		}
		t.Add(append(cells, a.List[i].RHat, table.Number(a.List[i].ESS), naive, interval(r.NaiveLower, r.NaiveUpper, d))...)
	}
	t.Note("95 %: includes the noise of the release. prior 95 %: before any count was seen; " + a.of.Prior() + ".")
	if ignored {
		t.Note(ignoredNote + " It has the released model's own prior.")
	}
	if scored {
		t.Note("score 95 %: without a prior, from one measured table.")
	}
	a.warn(t)
	if some {
		t.Note("Of a ratio the median is shown and no sd: where a count may be 0 its mean is infinite. Its Log has both.")
	}
	return t.Note(a.caption)
}

// String is the table as text.
func (a *Answers) String() string { return table.Text(a) }

// Forest draws every question's mean and 95 % interval, noise-aware above noise ignored; of ratios the median, and
// where all are positive ratios on a logarithmic axis. Whatever the answers are, there is a range to draw; only the
// height limits it, to some 90 questions.
func (a *Answers) Forest() *figure.Forest {
	rows, _ := a.Rows(tableLevel)
	some, all := medians(rows)
	f := &figure.Forest{Title: "Means and 95 % credible intervals", Caption: a.caption,
		Subtitle: "Written: mean and interval that include the noise.", XLabel: "number",
		Series: []string{"noise-aware", noiseIgnored}}
	switch {
	case all:
		f.Title = "Medians and 95 % credible intervals"
	case some:
		f.Title = "Means, of ratios medians, and 95 % credible intervals"
	}
	ratios := true
	for i, r := range rows {
		ratios = ratios && a.List[i].question.unit == ratioOf && min(r.NaiveLower, r.Lower) >= 0
	}
	least := -farthest
	if ratios {
		least = 1 / farthest // of a logarithmic axis
		f.LogX, f.Reference = true, &figure.Reference{Name: "no effect", Y: 1}
	}
	for i, r := range rows {
		m := []figure.Mark{{At: r.Mean, From: r.Lower, To: r.Upper}, {At: r.NaiveMean, From: r.NaiveLower, To: r.NaiveUpper}}
		for j := range m {
			m[j] = figure.Mark{At: max(m[j].At, least), From: max(m[j].From, least), To: max(m[j].To, least)}
		}
		f.Rows = append(f.Rows, figure.ForestRow{Name: r.Of, Marks: m, Unit: string(a.List[i].question.unit)})
	}
	broad := map[string]bool{}
	for _, r := range f.Rows {
		if _, known := broad[r.Unit]; !known {
			broad[r.Unit] = wide(f, r.Unit)
		}
	}
	for _, r := range f.Rows {
		if broad[r.Unit] {
			continue
		}
		for j, m := range r.Marks {
			r.Marks[j] = figure.Mark{At: rounded(m.At), From: rounded(m.From), To: rounded(m.To)}
		}
	}
	if len(f.Rows) > 0 {
		f.XLabel = f.Rows[0].Unit
	}
	return f
}

// wide says whether the marks of a unit spread enough for an axis: a constant that was computed in several ways differs
// in its last digits only.
func wide(f *figure.Forest, unit string) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range f.Rows {
		if r.Unit != unit {
			continue
		}
		for _, m := range r.Marks {
			lo, hi = min(lo, m.At, m.From), max(hi, m.At, m.To)
		}
	}
	return f.Reference != nil || hi-lo > 1e-11*max(math.Abs(lo), math.Abs(hi)) && hi-lo > 1e-280
}

// rounded is x to nine digits.
func rounded(x float64) float64 {
	if math.Abs(x) < 1e-200 {
		return 0
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 8, 64), 64) // its own writing
	return y
}

// Ask is the posterior of a question: a function of the network, which must not depend on anything else. It is
// evaluated on every draw, from several goroutines at once, and where its own R-hat or effective sample size is not
// good enough the chains are doubled first. Asking costs no privacy, and the answer does not depend on what was asked
// before. Errors: that of the function, *PanicError where it panics, *dp.ParameterError for a value that is not a
// number and for an alpha so small that what the question is given has probability 0 in floating point,
// *NotConvergedError, the context's.
func (p *NetworkPosterior) Ask(ctx context.Context, name string,
	question func(*bayesnet.Net) (float64, error)) (*Quantity, error) {
	out, err := p.AskAll(ctx, []string{name}, func(net *bayesnet.Net, out []float64) (err error) {
		out[0], err = question(net)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// AskAll is Ask for several questions that are answered together: question fills out with one value for each name.
func (p *NetworkPosterior) AskAll(ctx context.Context, names []string,
	question func(net *bayesnet.Net, out []float64) error) ([]*Quantity, error) {
	if len(names) == 0 {
		return nil, domain.Refuse("noiseaware", "questions", "none", "at least one")
	}
	var values [][][]float64 // [question][chain]
	var failed error
	var found []mcmc.Diagnosis
	err := p.until(ctx, func(l *level) finding {
		if values, failed = p.evaluate(ctx, l, names, question); failed != nil {
			return finding{d: mcmc.Diagnosis{RHat: 1, Bulk: math.Inf(1), Tail: math.Inf(1)}}
		}
		found = found[:0]
		worst := finding{d: mcmc.Diagnosis{RHat: 0, Bulk: math.Inf(1), Tail: math.Inf(1)}}
		for i, v := range values {
			f := finding{names[i], mcmc.Diagnose(v)}
			found = append(found, f.d)
			if i == 0 || f.worse(worst) {
				worst = f
			}
		}
		return worst
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	out := make([]*Quantity, len(names))
	for i := range out {
		out[i] = newQuantity(names[i], values[i], found[i])
	}
	return out, nil
}

func newQuantity(name string, draws [][]float64, d mcmc.Diagnosis) *Quantity {
	q := &Quantity{Name: name, RHat: d.RHat, ESS: min(d.Bulk, d.Tail), draws: draws, sorted: slices.Concat(draws...)}
	slices.Sort(q.sorted)
	n, least := float64(len(q.sorted)), q.sorted[0]
	for _, x := range q.sorted {
		q.mean += (x - least) / n
	}
	q.mean += least
	for _, x := range q.sorted {
		q.sd += (x - q.mean) * (x - q.mean) / n
	}
	q.sd = math.Sqrt(q.sd)
	return q
}

// evaluate asks every draw of a level.
func (p *NetworkPosterior) evaluate(ctx context.Context, l *level, names []string,
	question func(net *bayesnet.Net, out []float64) error) ([][][]float64, error) {
	values := make([][][]float64, len(names))
	for i := range values {
		values[i] = make([][]float64, chains)
		for c := range chains {
			values[i][c] = make([]float64, l.draws)
		}
	}
	workers := min(runtime.GOMAXPROCS(0), chains)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			out := make([]float64, len(names))
			for i := w; i < chains*l.draws; i += workers {
				c, d := i/l.draws, i%l.draws
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = safely(names, question, l.net(p, c, d).WithContext(ctx), out)
				}
				if errs[w] != nil {
					errs[w] = p.tooSmall(l.net(p, c, d), errs[w])
					return
				}
				for j, x := range out {
					if math.IsNaN(x) {
						errs[w] = p.tooSmall(l.net(p, c, d), domain.Refuse("noiseaware", "value of "+names[j], x,
							"a number for every network"))
						return
					}
					values[j][c][d] = x
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// tooSmall is err, or, where entries of the network are 0, since they were drawn below the smallest number, a
// *dp.ParameterError that says what to do: what was asked given such an entry has no answer in floating point, and one
// with the entry put at the smallest number would be wrong.
func (p *NetworkPosterior) tooSmall(net *bayesnet.Net, err error) error {
	var parameter *dp.ParameterError
	var evidence *bayesnet.ImpossibleError
	if !errors.As(err, &parameter) && !errors.As(err, &evidence) {
		return err
	}
	for v := range net.DAG().Len() {
		if slices.Contains(net.Table(v), 0) {
			least := math.Inf(1)
			for _, a := range p.s.problem.Alpha {
				least = min(least, slices.Min(a))
			}
			return domain.Refuse("noiseaware", "alpha", least, "a larger hyperparameter, 0.1 or more, or a question given "+
				"less: with this one probabilities below 1e-308 are drawn, which are 0 here ("+err.Error()+")")
		}
	}
	return err
}

// safely asks, and makes a panic of the question an error: in a goroutine of its own it would end the program.
func safely(names []string, question func(*bayesnet.Net, []float64) error, net *bayesnet.Net,
	out []float64) (err error) {
	defer recovered(strings.Join(names, ", "), &err)
	return question(net, out)
}

// route says how draws were made.
func (p *NetworkPosterior) route() string {
	l := p.base
	if p.tree != nil {
		return p.treeRoute()
	}
	return fmt.Sprintf("Draws of latent tables by %d Markov chains of %d sweeps, seeded by the release; R-hat < %v and "+
		"effective sample size ≥ %v for every parameter.", chains, l.sweeps, p.s.contract.RHat, p.s.contract.ESS)
}

func makeNets(n int) ([]sync.Once, []*bayesnet.Net) {
	return make([]sync.Once, n), make([]*bayesnet.Net, n)
}
