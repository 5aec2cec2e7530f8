package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
)

// drawing is a folder of seeded releases.
type drawing struct {
	folder string
	few    bool
	drawn  int
}

// draw writes seeded releases: of every learner at several levels, whose fits end elsewhere on every machine, and a
// publication of a list whose δ is composed in floating point, and running totals after two periods.
func draw(folder string, few bool) (int, error) {
	d := &drawing{folder: folder, few: few}
	if err := d.publish("iris", privbayes.ReadFrame(data.Iris())); err != nil {
		return d.drawn, err
	}
	if err := d.totals(); err != nil {
		return d.drawn, fmt.Errorf("running totals: %w", err)
	}
	if few {
		err := d.learn("iris", privbayes.ReadFrame(data.Iris()), 3)
		return d.drawn, err
	}
	if err := d.learn("iris", privbayes.ReadFrame(data.Iris()), 1, 3, 10); err != nil {
		return d.drawn, err
	}
	err := d.learn("votes", privbayes.ReadFrame(data.Votes()), 3, 10)
	return d.drawn, err
}

// learn releases structures of a table.
func (d *drawing) learn(table string, f *privbayes.Frame, levels ...float64) error {
	for kind, m := range map[string]privbayes.ModelSpec{
		"pairs": privbayes.MaxEntropy().Always(), "tree": privbayes.Tree().Always(),
		"cliques": privbayes.Cliques(3).Always(),
	} {
		for _, epsilon := range levels {
			name := fmt.Sprintf("%s-%s-%g", table, kind, epsilon)
			if err := d.save(name, f.Model(m), privbayes.Geometric(), privbayes.PureDP(epsilon)); err != nil {
				return err
			}
			if epsilon != 3 || d.few {
				continue
			}
			if err := d.save(name+"-gaussian", f.Model(m), privbayes.DiscreteGaussian(),
				privbayes.ApproxDP(epsilon, 1e-6).Under(privbayes.AddRemove)); err != nil {
				return err
			}
		}
	}
	return nil
}

// publish writes a publication of counts, a mean, quantiles and a structure, under (ε, δ).
func (d *drawing) publish(table string, f *privbayes.Frame) error {
	p, err := f.Publish(table, privbayes.ApproxDP(3, 1e-6), privbayes.Item(privbayes.Categorical("Species")),
		privbayes.Item(privbayes.Mean("Sepal.Length")), privbayes.Item(privbayes.Quantiles("Sepal.Length", .5)),
		privbayes.Item(privbayes.Tree().Always()).Share(.4)).Privatize(privbayes.Seeded(7),
		privbayes.KeepIn(filepath.Join(d.folder, table+".publication.json")))
	if err != nil {
		return fmt.Errorf("publication of %s: %w", table, err)
	}
	if p.Loaded() {
		return fmt.Errorf("publication of %s: it was there", table)
	}
	d.drawn++
	return nil
}

// totals writes running totals by quarter and region after the first period and after the next. Their budget is in
// memory: WebAssembly in node has no locks of files.
func (d *drawing) totals() error {
	s, err := privbayes.ParseSchema([]byte(`{"dataset": "arrivals", "columns": [
		{"name": "quarter", "kind": "categorical", "categories": ["Q1", "Q2", "Q3", "Q4"]},
		{"name": "region", "kind": "categorical", "categories": ["n", "s"]}]}`))
	if err != nil {
		return err
	}
	target := privbayes.ZCDP(.1)
	b, err := budget.New(s.Dataset, budget.UnitOf(s), target)
	if err != nil {
		return err
	}
	rows := func(quarters ...string) *privbayes.Frame {
		text := "quarter,region\n"
		for _, q := range quarters {
			text += strings.Repeat(q+",n\n", 20) + strings.Repeat(q+",s\n", 10)
		}
		return privbayes.ReadFrame(strings.NewReader(text), s).WithBudget(b)
	}
	in := func(q string) privbayes.Option { return privbayes.KeepIn(filepath.Join(d.folder, q+".totals.json")) }
	first, err := rows("Q1").RunningTotals("quarter", "region").Privatize("Q1", target, privbayes.Seeded(7), in("Q1"))
	if err != nil {
		return err
	}
	d.drawn++
	if _, err := rows("Q1", "Q2").NextTotals(first, privbayes.Seeded(7), in("Q2")); err != nil {
		return err
	}
	d.drawn++
	return nil
}

func (d *drawing) save(name string, m *privbayes.Model, mech privbayes.Mechanism, t privbayes.Target) error {
	r, err := m.Privatize(mech, t, privbayes.Seeded(7)).Release()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.drawn++
	return r.Save(filepath.Join(d.folder, name+".release.json"))
}
