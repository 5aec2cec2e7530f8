package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const planSynopsis = `plan [--data NAME | --schema FILE | --levels D] --n N --epsilon E [flags]

Calibrates a release and proves its guarantee. No row is read, and nothing is spent.`

var planExamples = []string{
	"privbayes plan --data votes --target Class --epsilon 1",
	"privbayes plan --levels 5 --n 1000 --solve epsilon --error 0.01",
	"privbayes plan --network asia --n 5000 --mechanism fourier --epsilon 1",
}

func planCommand(args []string, out, errs io.Writer) error {
	fs, asJSON := newFlags("plan", planSynopsis)
	var p planFlags
	p.add(fs)
	if _, err := parse(fs, args, 0); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := fs.excludes("compare", "solve", "mechanism", "nominal", "draws", "records"); err != nil {
		return err
	}
	if !p.compare {
		if err := p.privateN(); err != nil {
			return err
		}
	}
	switch p.solve {
	case "":
	case "epsilon", "n":
		if err := p.backwards(ctx); err != nil {
			return err
		}
	default:
		return &usageError{fmt.Sprintf("--solve %s; want epsilon or n", p.solve)}
	}
	if p.compare {
		fs.reads("compare", "time", "error")
		return p.advice(out, errs, *asJSON)
	}
	plan, err := p.plan(ctx)
	if err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(out, planOutput(plan))
	}
	fmt.Fprintf(out, "%s\n%s", plan, plan.Certificate())
	return nil
}

// planJSON is the JSON form of a plan with what follows from it.
type planJSON struct {
	Decision        string             `json:"decision,omitempty"` // of a structure to learn: whether that pays
	Plan            *mechanism.Plan    `json:"plan"`
	Certified       dp.Guarantee       `json:"certified"`
	StandardFormula dp.Parameters      `json:"textbook"`
	Sensitivity     map[string]int     `json:"sensitivity"`
	Expected        map[string]float64 `json:"expected"`
	Certificate     *cert.Certificate  `json:"certificate"`
	Warnings        warning.List       `json:"warnings,omitempty"`
}

func planOutput(p *mechanism.Plan) planJSON {
	j := planJSON{Plan: p, Certified: p.Certified(), StandardFormula: p.StandardFormula().Level,
		Certificate: p.Certificate(),
		Expected:    map[string]float64{}, Warnings: p.Warnings()}
	for _, e := range p.Expected() {
		j.Expected[e.Name] = e.Value
	}
	if s, err := sensitivity.OfCounts(p.Shape(), p.Target().Adjacency); err == nil {
		j.Sensitivity = map[string]int{"l1": s.L1(), "l2_squared": s.L2Squared()}
	}
	return j
}

// inputs resolves mechanism, shape and target.
func (p planFlags) inputs() (mechanism.Mechanism, *model.Shape, dp.Request, error) {
	m, err := p.choose()
	if err != nil {
		return m, nil, dp.Request{}, err
	}
	s, t, err := p.public()
	return m, s, t, err
}

// privateN refuses a number of rows that a plan makes no use of, since it is private.
func (p planFlags) privateN() error {
	if p.flags.given("n") && p.adjacency == dp.AddRemove.String() {
		return &usageError{fmt.Sprintf("%s: --n and --adjacency add-remove, under which the number of rows is private; "+
			"want one of them", commandOf(p.flags))}
	}
	return nil
}

// public resolves shape and target, the last that flags are read for.
func (p planFlags) public() (*model.Shape, dp.Request, error) {
	s, err := p.shape()
	if err != nil {
		return nil, dp.Request{}, err
	}
	t, err := p.privacy()
	if err == nil {
		err = p.flags.unread()
	}
	return s, t, err
}

func (p planFlags) plan(ctx context.Context) (*mechanism.Plan, error) {
	m, s, t, err := p.inputs()
	if err != nil {
		return nil, err
	}
	return m.Plan(ctx, s, t)
}
