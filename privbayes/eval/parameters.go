package eval

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// parameters compares the released draws with the non-private posterior, in its standard deviations.
func (r *Report) parameters() *table.Table {
	if r.fitted.Shape().Linear() != nil {
		return r.coefficients()
	}
	t := table.New("Parameters, released and non-private (private: do not publish)", "parameter", "release",
		"non-private", "sd of the non-private posterior", "apart, in sd")
	own, np, known := r.release.Draws(), r.fitted.Draws(), false
	for _, name := range np.Names {
		values, ok := own.Parameter(name)
		if !ok {
			continue
		}
		all, _ := np.Parameter(name)
		m := stat.Mean(values, nil)
		mean, sd := stat.MeanStdDev(all, nil)
		row := []any{name, m, mean, sd, nil}
		if known = len(all) == 1; known {
			row[3], sd = nil, stat.StdDev(values, nil)
		}
		if sd > 1e-12*math.Abs(mean) {
			row[4] = (m - mean) / sd
		}
		t.Add(row...)
	}
	if known {
		t.Note("The non-private numbers are those of the rows themselves: apart in sd of the released posterior.")
	}
	return t
}

// coefficients are those of a regression, in the units of the data: what the figure of its columns shows, by its side.
func (r *Report) coefficients() *table.Table {
	own, err := r.release.Model().CoefficientDraws()
	np, err2 := r.fitted.CoefficientDraws()
	t := table.New("Coefficients, released and non-private (private: do not publish)", "coefficient", "release")
	if err != nil || err2 != nil { // draws of something else, of a mechanism from elsewhere
		return t
	}
	many, spread := own.Len() > 1, np.Len() > 1
	if many {
		t.Columns = append(t.Columns, "2.5 %", "97.5 %")
	}
	if t.Columns = append(t.Columns, "non-private"); spread {
		t.Columns = append(t.Columns, "sd of the non-private posterior")
	}
	own, np = withResidual(own, r.release.Model()), withResidual(np, r.fitted)
	released, plain := own.Mean(), np.Mean()
	for i, name := range own.Names {
		if i >= len(np.Names) {
			break // a residual sd that only the release knows
		}
		row := []any{name, released[i]}
		if many {
			row = append(row, own.Quantile(i, .025), own.Quantile(i, .975))
		}
		if row = append(row, plain[i]); spread {
			values, _ := np.Parameter(name)
			row = append(row, stat.StdDev(values, nil))
		}
		t.Add(row...)
	}
	return t.Note("In the units of the data.")
}

// withResidual adds the residual sd, in the units of the response, to draws of coefficients, where it is known.
func withResidual(d *model.Draws, f *model.Fitted) *model.Draws {
	sds, ok := f.Draws().Parameter(model.ResidualParameter)
	if !ok {
		return d
	}
	c := f.Shape().Columns()[0]
	out := &model.Draws{Names: append(append([]string(nil), d.Names...), model.ResidualParameter)}
	for k, v := range d.Values {
		out.Values = append(out.Values, append(append([]float64(nil), v...), sds[k]*(c.Max/2-c.Min/2)))
	}
	return out
}

// atBounds shows how much the public bounds cut.
func atBounds(sh *model.Shape, st *model.Statistics, test *frame.Frame) (*table.Table, error) {
	heldOut, err := sh.AtBounds(access.Mine(), test)
	if err != nil {
		return nil, err
	}
	training, rows := st.AtBounds(access.Mine()), st.Rows(access.Mine()) // nil where there was no frame
	share := func(k, of int) string { return percent(float64(k) / math.Max(1, float64(of))) }
	t := table.New("Values at a public bound (private: do not publish)", "column", "bounds",
		"beyond them, while reading", "training values at a bound", "share", "held-out values at a bound", "share")
	for i, c := range sh.Columns() {
		if l := sh.Lattice(); l != nil && i >= len(l.Low) || !c.Numeric() { // groups, a factor
			continue
		}
		beyond := "refused"
		if c.OnOutOfDomain == frame.DomainClamp {
			beyond = "moved to the bound"
		}
		row := []any{c.Name, fmt.Sprintf("[%v, %v]", c.Min, c.Max), beyond, nil, nil}
		if training != nil {
			row[3], row[4] = training[i], share(training[i], rows)
		}
		t.Add(append(row, heldOut[i], share(heldOut[i], test.Len()))...)
	}
	return t.Note("Many values at a bound mean that it cuts into the data, and biases the fit. " +
		"Choosing bounds by these counts voids the guarantee."), nil
}
