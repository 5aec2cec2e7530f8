package main

import (
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// predicted are predictions for the rows of a table, in its order: classes with the probabilities of all levels, or
// means and standard deviations.
type predicted struct {
	Key    string          `json:"key,omitempty"`   // of two linked tables the column that says whose row a row is
	Units  []string        `json:"units,omitempty"` // and what it says of each
	Target string          `json:"target"`
	Levels []string        `json:"levels,omitempty"`
	Class  []string        `json:"class,omitempty"` // of each row, the level of the largest probability
	P      [][]cert.Number `json:"p,omitempty"`     // of each row, by level
	Mean   []cert.Number   `json:"mean,omitempty"`
	SD     []cert.Number   `json:"sd,omitempty"`
}

// predictions are those of a release.
func predictions(r *release.Release, rows *frame.Frame) (*predicted, error) {
	target := r.Plan().Shape().Columns()[0]
	out := &predicted{Target: target.Name}
	if !r.Model().Shape().Classifies() {
		mean, sd, err := r.Model().Forecast(rows)
		out.Mean, out.SD = numbers(mean), numbers(sd)
		return out, err
	}
	p, err := r.Predict(rows)
	if err != nil {
		return nil, err
	}
	out.Levels = target.Labels()
	for _, row := range p {
		best := 0
		for k, x := range row {
			if x > row[best] {
				best = k
			}
		}
		out.Class, out.P = append(out.Class, out.Levels[best]), append(out.P, numbers(row))
	}
	return out, nil
}

// unitsOf are the keys of units, by the column of the key, and the row of each.
type unitsOf struct {
	name string
	keys []string
	rows []int
}

// byUnit gives predictions of two linked tables in the order of their units, with the keys.
func (p *predicted) byUnit(u *unitsOf) {
	if u == nil {
		return
	}
	p.Key, p.Units = u.name, u.keys
	p.Class, p.P, p.Mean, p.SD = ordered(p.Class, u.rows), ordered(p.P, u.rows), ordered(p.Mean, u.rows), ordered(p.SD,
		u.rows)
}

// ordered are the elements of a list at places; none of an empty list.
func ordered[T any](list []T, places []int) (out []T) {
	for _, i := range places {
		if len(list) > 0 {
			out = append(out, list[i])
		}
	}
	return out
}

// numbers are floats whose JSON has infinities, too.
func numbers(list []float64) []cert.Number {
	out := make([]cert.Number, len(list))
	for i, x := range list {
		out[i] = cert.Number(x)
	}
	return out
}

// records is a header and a line for every row, behind the key of its unit if there is one.
func (p *predicted) records() [][]string {
	out := p.values()
	for i := range out {
		if p.Key != "" && i == 0 {
			out[i] = append([]string{p.Key}, out[i]...)
		} else if p.Key != "" {
			out[i] = append([]string{p.Units[i-1]}, out[i]...)
		}
	}
	return out
}

// values are records without keys, with the decimals that mean something: of a mean those of its standard deviation, of
// probabilities four, or as many as tell the least of a row from 0.
func (p *predicted) values() [][]string {
	if p.Levels == nil {
		out := [][]string{{p.Target, "standard deviation"}}
		for i := range p.Mean {
			decimals := table.Decimals(float64(p.SD[i]))
			out = append(out, []string{table.Fixed(float64(p.Mean[i]), decimals), table.Fixed(float64(p.SD[i]), decimals)})
		}
		return out
	}
	head := []string{p.Target}
	for _, l := range p.Levels {
		head = append(head, "P("+l+")")
	}
	out := [][]string{head}
	for i, row := range p.P {
		line, decimals := []string{p.Class[i]}, 4
		for _, x := range row {
			if x > 0 {
				decimals = max(decimals, min(12, int(math.Ceil(-math.Log10(float64(x))))))
			}
		}
		for _, x := range row {
			line = append(line, table.Fixed(float64(x), decimals))
		}
		out = append(out, line)
	}
	return out
}

// recordsJSON is a table for programs. A missing value is null, and numbers are numbers; dates are text, also those of
// digits alone, such as 01112020.
type recordsJSON struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// typed are the records of a public frame.
func typed(f *frame.Frame) (*recordsJSON, error) {
	records, err := f.Records()
	if err != nil {
		return nil, err
	}
	out := &recordsJSON{records[0], [][]any{}}
	columns := f.Schema().Columns
	for _, record := range records[1:] {
		row := make([]any, len(record))
		for j, text := range record {
			c := columns[j]
			number := (c.Kind == frame.KindInteger || c.Kind == frame.KindReal) && c.Date == ""
			switch x, err := strconv.ParseFloat(text, 64); {
			case c.HasMissing() && len(c.Missing) > 0 && text == c.Missing[0]:
			case number && err == nil:
				row[j] = x
			default:
				row[j] = text
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}
