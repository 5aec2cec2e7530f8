package dirichlet

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Method is one line of every comparison: a mechanism with its calibration and post-processing.
type Method struct {
	ID    string // "dir_alg1", as in theory/dirichlet.md §5 where that has it
	Title string
	Paper bool // as in the paper; the others are this library's or the theory's
}

// Methods lists the methods in the order of the tables.
func Methods() []Method {
	var out []Method
	for _, m := range methods {
		out = append(out, m.Method)
	}
	return out
}

// MLE is the identifier of the model that is not private: counts plus 0.1, as in the paper's code.
const MLE = "mle"

type method struct {
	Method
	plan planner // nil for the model that is not private
}

// planner calibrates to (5, ε)-Rényi DP.
type planner func(ctx context.Context, p *problem, epsilon float64) (*drawing, error)

// drawing is a planned method: one draw of all its parts gives every parameter of the model.
type drawing struct {
	parts    []part
	extended bool // the class counts are one more table
	smooth   bool // estimates get the prior of the model that is not private, since some may be 0
}

// part releases some tables of a problem. The parts of a drawing add up to its target, by composition at the order λ.
type part struct {
	plan   *mechanism.Plan
	tables []int                                                           // of the problem, in the plan's order; nil: all
	post   func(context.Context, *mechanism.Drawn) (model.Estimate, error) // nil: the plan's
}

var methods = []method{
	{Method{MLE, "not private: counts + 0.1", true}, nil},
	{Method{"dir_alg1", "Dirichlet, Algorithm 1", true}, paper(dirichlet.Algorithm1)},
	{Method{"dir_alphastar", "Dirichlet, exact α at Algorithm 1's r", false}, paper(dirichlet.AlphaStar)},
	{Method{"dir_opt", "Dirichlet, r of every table for a flat public prior", false}, perTable(average, raw1)},
	{Method{"dir_opt03", "Dirichlet, r of every table for a sparse public prior", false},
		perTable(func(*problem) float64 { return 0.3 }, raw1)},
	{Method{"dir_common", "Dirichlet, one r for all tables, flat public prior", false}, oneRate},
	{Method{"dir_opt_debias", "gamma draws at ten times the flat prior's r, flat posterior mean", false},
		perTable(average, debiased1)},
	{Method{"dir_debias", "gamma draws, posterior mean (default)", false}, smoothed(dirichlet.New())},
	{Method{"gauss_paper", "Gaussian, clipped", true},
		extended(counts.DiscreteGaussian().WithPostProcess(counts.Clip))},
	{Method{"gauss_clip", "Gaussian, class prior from the tables, clipped", false},
		plain(counts.DiscreteGaussian().WithPostProcess(counts.Clip))},
	{Method{"gauss_fix", "Gaussian, flat posterior mean", false},
		plain(counts.DiscreteGaussian().WithPostProcess(counts.FlatPosteriorMean))},
	{Method{"gauss_mean", "Gaussian, posterior mean (default)", false}, smoothed(counts.DiscreteGaussian())},
	{Method{"lap_paper", "Laplace, the paper's scale, clipped", true}, laplacePaper},
	{Method{"lap_clip", "Laplace, exact scale, clipped", false}, plain(counts.Laplace().WithPostProcess(counts.Clip))},
	{Method{"lap_fix", "Laplace, exact scale, flat posterior mean", false},
		plain(counts.Laplace().WithPostProcess(counts.FlatPosteriorMean))},
	{Method{"geom_clip", "geometric, clipped", false}, plain(counts.Geometric().WithPostProcess(counts.Clip))},
	{Method{"geometric", "geometric, posterior mean (default)", false}, smoothed(counts.Geometric())},
}

func ids() (out []string) {
	for _, m := range methods {
		out = append(out, m.ID)
	}
	return out
}

func methodOf(id string) (method, bool) {
	for _, m := range methods {
		if m.ID == id {
			return m, true
		}
	}
	return method{}, false
}

// average is the public prior a₀ of dir_opt: 1 for naive Bayes, ½ for networks. Source: theory/dirichlet.md §5.
func average(p *problem) float64 {
	if p.task == Network {
		return 0.5
	}
	return 1
}

// whole is a drawing of one plan.
func whole(plan *mechanism.Plan, extended bool) *drawing {
	return &drawing{parts: []part{{plan: plan}}, extended: extended}
}

// plain plans a mechanism on the model's tables: the class prior comes from them and costs nothing (Theorem D).
func plain(m mechanism.Mechanism) planner {
	return func(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
		plan, err := m.Plan(ctx, p.shape, dp.RenyiDP(Order, epsilon))
		return whole(plan, false), err
	}
}

// smoothed is plain for the posterior means that fit a known total: those of a class whose noisy total is 0 are all 0,
// and the library relies on the model's prior. Here that is 0.1 a cell, as for the counts themselves.
func smoothed(m mechanism.Mechanism) planner {
	return func(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
		d, err := plain(m)(ctx, p, epsilon)
		if err != nil {
			return nil, err
		}
		d.smooth = true
		return d, nil
	}
}

// oneRate is the library's own calibration, with one r for all tables.
func oneRate(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
	return plain(dirichlet.New().Raw().WithCalibration(dirichlet.Average(average(p))))(ctx, p, epsilon)
}

// paper plans one Dirichlet draw per table, of naive Bayes with the class prior drawn on its own at one more share.
func paper(c dirichlet.Calibration) planner {
	return func(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
		m := dirichlet.New().Raw().WithCalibration(c)
		if p.task == NaiveBayes {
			m = m.WithSeparatePrior()
		}
		return plain(m)(ctx, p, epsilon)
	}
}

// extended plans a mechanism on K + 1 tables, the last one the class counts: the paper's accounting for naive Bayes.
func extended(m mechanism.Mechanism) planner {
	return func(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
		if p.task == Network {
			return plain(m)(ctx, p, epsilon)
		}
		plan, err := m.Plan(ctx, p.extended, dp.RenyiDP(Order, epsilon))
		return whole(plan, true), err
	}
}

// laplacePaper has the paper's scale b = √(2λT/ε) on T tables, which is too large: it is asked for by its pure
// guarantee 2T/b.
func laplacePaper(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
	shape := p.shape
	if p.task == NaiveBayes {
		shape = p.extended
	}
	tables := float64(len(shape.Tables()))
	scale := math.Sqrt(2 * Order * tables / epsilon)
	plan, err := counts.Laplace().WithPostProcess(counts.Clip).Plan(ctx, shape, dp.PureDP(2*tables/scale))
	return whole(plan, p.task == NaiveBayes), err
}
