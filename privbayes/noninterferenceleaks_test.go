package privbayes_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// remembering plans once for all that a mechanism is given: a plan is a function of it, and the chains of one case plan alike many times.
type remembering struct {
	privbayes.Mechanism
	full  bool // enumerate as far as ever: a kept file is certified so again
	plans map[string]remembered
}

type remembered struct {
	plan *mechanism.Plan
	err  error
}

func remember(m privbayes.Mechanism, full bool) remembering { return remembering{m, full, map[string]remembered{}} }

func (m remembering) Plan(ctx context.Context, sh *privbayes.Shape, t dp.Target) (*mechanism.Plan, error) {
	if !m.full {
		ctx = cert.WithWorkLimit(ctx, 20_000)
	}
	if err := ctx.Err(); err != nil || cert.Progress(ctx) != nil { // progress is observed once, and then not remembered
		return m.Mechanism.Plan(ctx, sh, t)
	}
	b, err := json.Marshal(sh)
	if err != nil {
		return nil, err
	}
	n, public := sh.N()
	key := fmt.Sprint(string(b), n, public, sh.PrivateNStep(), sh.Rows(), t)
	if _, ok := m.plans[key]; !ok {
		p, err := m.Mechanism.Plan(ctx, sh, t)
		m.plans[key] = remembered{p, err}
	}
	return m.plans[key].plan, m.plans[key].err
}

// remade is a plan made again, as its mechanism made it but for a change.
func remade(p *mechanism.Plan, change func(*mechanism.Spec)) (*mechanism.Plan, error) {
	spec := mechanism.Spec{
		Mechanism: p.Mechanism(), Title: p.Title(), Shape: p.Shape(), Target: p.Target(), Params: p.Params(), Settings: p.Settings(), Level: p.Certified().Level,
		Arithmetic: p.Certified().Arithmetic, Textbook: p.Textbook(), Pair: p.Pair(), Certificate: p.Certificate(), Expected: p.Expected(),
		Drawer: p.Drawer(seal.Key{}), Real: p.RealDrawer(seal.Key{}),
	}
	change(&spec)
	return mechanism.New(spec)
}

// onDraw calls begin when a draw begins.
func onDraw(spec *mechanism.Spec, begin func()) {
	if spec.Drawer != nil {
		d := spec.Drawer
		spec.Drawer = tapped{d, func(ctx context.Context, key seal.Key, tables [][]int64, src *dp.Stream) ([][]int64, error) {
			begin()
			return d.Draw(ctx, key, tables, src)
		}}
		return
	}
	d := spec.Real
	tap := realTapped{d, func(ctx context.Context, key seal.Key, st *model.Statistics, src *dp.Stream) ([][]float64, error) {
		begin()
		return d.Draw(ctx, key, st, src)
	}}
	spec.Real = tap
	if _, integers := d.(mechanism.IntegerDrawer); integers {
		spec.Real = integersTapped{tap}
	}
}

// tapped is a drawer of integers with another draw.
type tapped struct {
	mechanism.Drawer
	draw func(context.Context, seal.Key, [][]int64, *dp.Stream) ([][]int64, error)
}

func (d tapped) Draw(ctx context.Context, key seal.Key, tables [][]int64, src *dp.Stream) ([][]int64, error) {
	return d.draw(ctx, key, tables, src)
}

// realTapped is a drawer of real numbers with another draw.
type realTapped struct {
	mechanism.RealDrawer
	draw func(context.Context, seal.Key, *model.Statistics, *dp.Stream) ([][]float64, error)
}

func (d realTapped) Draw(ctx context.Context, key seal.Key, st *model.Statistics, src *dp.Stream) ([][]float64, error) {
	return d.draw(ctx, key, st, src)
}

type integersTapped struct{ realTapped }

func (integersTapped) Integers() {}
