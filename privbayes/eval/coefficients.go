package eval

import (
	"gonum.org/v1/gonum/stat"

	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// coefficients are those of a regression, in the units of the data: what the figure of its columns shows, by its side.
func (r *Report) coefficients() *table.Table {
	own, err := r.release.Model().CoefficientDraws()
	np, err2 := r.fitted.CoefficientDraws()
	t := table.New(r.open.title("Coefficients, released and non-private"), "coefficient", "release")
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
		row := []any{name, released[i], plain[i]}
		if many {
			low, high := own.Quantile(i, .025), own.Quantile(i, .975)
			d := table.Decimals((high - low) / (2 * 1.96))
			row = []any{name, table.Fixed(released[i], d), table.Fixed(low, d), table.Fixed(high, d), table.Fixed(plain[i], d)}
		}
		if spread {
			values, _ := np.Parameter(name)
			row = append(row, stat.StdDev(values, nil))
		}
		t.Add(row...)
	}
	return fittedBy(t.Note("In the units of the data."), r.fitted)
}

// fittedBy notes what the numbers without privacy are, where models like these are fitted in several ways.
func fittedBy(t *table.Table, np *model.Fitted) *table.Table {
	if by := np.FittedBy(); by != "" {
		t.Note("Non-private: " + by + ".")
	}
	return t
}

// withResidual adds the residual sd, in the units of the response, to draws of coefficients, where it is known.
func withResidual(d *model.Draws, f *model.Fitted) *model.Draws {
	sds := f.ResidualDraws()
	if sds == nil {
		return d
	}
	out := &model.Draws{Names: append(append([]string(nil), d.Names...), model.ResidualParameter)}
	for k, v := range d.Values {
		out.Values = append(out.Values, append(append([]float64(nil), v...), sds[k]))
	}
	return out
}
