package privbayes_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// remembering plans once for all that a mechanism is given: a plan is a function of it, and the chains of one case plan
// alike many times.
type remembering struct {
	privbayes.Mechanism
	full  bool // enumerate as far as ever: a kept file is certified so again
	plans map[string]remembered
}

type remembered struct {
	plan *mechanism.Plan
	err  error
}

func remember(m privbayes.Mechanism, full bool) remembering {
	return remembering{m, full, map[string]remembered{}}
}

func (m remembering) Plan(ctx context.Context, sh *privbayes.Shape, t dp.Request) (*mechanism.Plan, error) {
	if !m.full {
		ctx = cert.WithWorkLimit(ctx, 20_000)
	}
	if err := ctx.Err(); err != nil || cert.ProgressOf(ctx) != nil { // progress is observed once, and then not remembered
		return m.Mechanism.Plan(ctx, sh, t)
	}
	b, err := json.Marshal([]any{sh, t})
	if err != nil {
		return nil, err
	}
	n, public := sh.N()
	key := fmt.Sprint(string(b), n, public, sh.PrivateNStep(), sh.Rows())
	if _, ok := m.plans[key]; !ok {
		p, err := m.Mechanism.Plan(ctx, sh, t)
		m.plans[key] = remembered{p, err}
	}
	return m.plans[key].plan, m.plans[key].err
}

// remade is a plan made again, as its mechanism made it but for a change.
func remade(p *mechanism.Plan, change func(*mechanism.Spec)) (*mechanism.Plan, error) {
	spec := mechanism.Spec{
		Mechanism: p.Mechanism(), Title: p.Title(), Shape: p.Shape(), Target: p.Target(), Params: p.Params(),
		Settings: p.Settings(), Level: p.Certified().Parameters,
		Arithmetic: p.Certified().Arithmetic, StandardFormula: p.StandardFormula(), Pair: p.Pair(), Certificate: p.Certificate(),
		Expected: p.Expected(),
		Sampler:  p.Sampler(access.Mine()), Draws: p.Draws(), Count: p.Numbers(),
	}
	change(&spec)
	return mechanism.New(spec)
}

// onDraw calls begin when a draw begins.
func onDraw(spec *mechanism.Spec, begin func()) {
	d := spec.Sampler
	spec.Sampler = tapped{d, func(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output,
		error) {
		begin()
		return d.Draw(ctx, data, src)
	}}
}

// tapped is a sampler with another draw.
type tapped struct {
	mechanism.Sampler
	draw func(context.Context, mechanism.Private, *dp.Stream) (mechanism.Output, error)
}

func (d tapped) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	return d.draw(ctx, data, src)
}

// Warned is the sampler's own, if it has one.
func (d tapped) Warned(drawn mechanism.Output) warning.List {
	if w, ok := d.Sampler.(mechanism.Warner); ok {
		return w.Warned(drawn)
	}
	return nil
}

// leaking is a mechanism with a leak: what it is planned or drawn with passes through its hands, and some of it comes
// out.
type leaking struct {
	privbayes.Mechanism
	plan func(spec *mechanism.Spec, sh *privbayes.Shape) error
}

func (l leaking) Plan(ctx context.Context, sh *privbayes.Shape, t dp.Request) (*mechanism.Plan, error) {
	p, err := l.Mechanism.Plan(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	var leak error
	p, err = remade(p, func(spec *mechanism.Spec) { leak = l.plan(spec, sh) })
	if leak != nil {
		return nil, leak
	}
	return p, err
}

// plants are leaks, each with the part of a transcript in which it must be found.
func plants() []struct {
	name, part string
	c          secretCase
} {
	type plan = func(spec *mechanism.Spec, sh *privbayes.Shape) error
	counts, sums := privbayes.Geometric(), privbayes.SufficientStatistics().Continuous()
	hidden, public := privbayes.PureDP(1).Under(dp.AddRemove), privbayes.PureDP(1)
	on := func(m privbayes.Mechanism, target privbayes.Target, leak plan) secretCase {
		c := secretCase{source: sources[0], step: frameSteps[0], model: privbayes.Categorical("colour"),
			mechanism: leaking{m, leak}, target: target, rows: 1}
		if m == privbayes.Mechanism(sums) {
			c.model, c.target = privbayes.LinearRegression("wage", "age"),
				privbayes.ApproxDP(1, 1e-6).Under(target.Adjacency)
		}
		return c
	}
	known := func(sh *privbayes.Shape) string { n, _ := sh.N(); return fmt.Sprint(n) }
	read := func(f func(ctx context.Context, tables [][]int64) error) plan {
		return func(spec *mechanism.Spec, _ *privbayes.Shape) error {
			d := spec.Sampler
			spec.Sampler = tapped{d, func(ctx context.Context, data mechanism.Private,
				src *dp.Stream) (mechanism.Output, error) {
				if err := f(ctx, data.Tables()); err != nil {
					return mechanism.Output{}, err
				}
				return d.Draw(ctx, data, src)
			}}
			return nil
		}
	}
	plain := on(counts, public, func(*mechanism.Spec, *privbayes.Shape) error { return nil })
	more := on(privbayes.LearnedGeometric(), hidden, func(spec *mechanism.Spec, _ *privbayes.Shape) error {
		d := spec.Sampler
		spec.Sampler = longer{tapped{d,
			func(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
				out, err := d.Draw(ctx, data, src)
				for _, c := range data.Tables()[0] {
					out.Rounds = append(out.Rounds, make([]mechanism.Round, c)...)
				}
				return out, err
			}}}
		return nil
	})
	more.model = privbayes.Tree().Of("group", "smoker").Always()
	inferred, sized := plain, plain
	inferred.source, sized.source, sized.target = inferring, sizing, hidden
	return []struct {
		name, part string
		c          secretCase
	}{
		{"n in a setting", "plan", on(counts, hidden, func(spec *mechanism.Spec, sh *privbayes.Shape) error {
			spec.Settings = append(spec.Settings, mechanism.Setting{Name: "records", Value: known(sh)})
			return nil
		})},
		{"n in the title, and so in a ledger", "ledger",
			on(counts, hidden, func(spec *mechanism.Spec,
				sh *privbayes.Shape) error {
				spec.Title += " of " + known(sh)
				return nil
			})},
		{"n in an expected error", "plan", on(counts, hidden, func(spec *mechanism.Spec, sh *privbayes.Shape) error {
			n, _ := sh.N()
			spec.Expected = append(spec.Expected, mechanism.Expectation{Name: "relative", Value: 1 / float64(n)})
			return nil
		})},
		{"n in the statement of a check", "plan",
			on(counts, hidden, func(spec *mechanism.Spec, sh *privbayes.Shape) error {
				c := *spec.Certificate
				c.Checks = append([]cert.Check(nil), c.Checks...)
				c.Checks[0].Scope += ", n = " + known(sh)
				spec.Certificate = &c
				return nil
			})},
		{"n in a refusal", "plan refused", on(counts, hidden, func(_ *mechanism.Spec, sh *privbayes.Shape) error {
			return &mechanism.UnmetTarget{Mechanism: "a mechanism", Reachable: "more than " + known(sh) + " records"}
		})},
		{"a category in the error of a draw", "draw refused",
			on(counts, public, read(func(_ context.Context, tables [][]int64) error {
				if tables[0][2] == 0 {
					return &dp.ParameterError{Of: "test", Parameter: "raw", Value: "no record of blue", Want: "some"}
				}
				return nil
			}))},
		{"sums in the error of a draw", "draw refused",
			on(sums, public, func(spec *mechanism.Spec, _ *privbayes.Shape) error {
				spec.Sampler = tapped{spec.Sampler,
					func(_ context.Context, data mechanism.Private, _ *dp.Stream) (mechanism.Output, error) {
						return mechanism.Output{},
							&dp.ParameterError{Of: "test", Parameter: "wage", Value: fmt.Sprint("sums of ", data.Sums()),
								Want: "wider bounds"}
					}}
				return nil
			})},
		{"rows counted by a progress bar", "progress of drawing",
			on(counts, hidden, read(func(ctx context.Context, tables [][]int64) error {
				n := int64(0)
				for _, c := range tables[0] {
					n += c
				}
				if f := cert.ProgressOf(ctx); f != nil {
					f(n, n)
				}
				return nil
			}))},
		{"as many numbers as rows", "release", on(sums, hidden, func(spec *mechanism.Spec, _ *privbayes.Shape) error {
			d := spec.Sampler
			spec.Sampler = padded{tapped{d,
				func(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
					out, err := d.Draw(ctx, data, src)
					out.Real = append(out.Real, make([]float64, data.Rows()))
					return out, err
				}}}
			return nil
		})},
		{"as many rounds as rows", "release", more},
		{"categories from the rows", "plan", inferred},
		{"a bound from the rows", "plan", sized},
	}
}

// padded estimates without the vector that was added.
type padded struct{ tapped }

func (d padded) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	drawn.Real = drawn.Real[:len(drawn.Real)-1]
	return d.Sampler.Estimate(ctx, drawn)
}

// longer estimates without the rounds that were added.
type longer struct{ tapped }

func (d longer) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	for k, r := range drawn.Rounds {
		if len(r.Counts) == 0 {
			drawn.Rounds = drawn.Rounds[:k]
			break
		}
	}
	return d.Sampler.Estimate(ctx, drawn)
}
