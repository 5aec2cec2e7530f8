package dirichlet

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// tiny is a problem of four records: class a with x = 0, 0 and class b with x = 0, 1, which are also held out.
func tiny() (*problem, *frame.Frame, error) {
	s := &frame.Schema{Dataset: "tiny", Columns: []frame.Column{frame.Categorical("y", "a", "b"),
		frame.Categorical("x", "0", "1")}}
	f, err := frame.FromColumns(s, map[string]any{"y": []string{"a", "a", "b", "b"}, "x": []string{"0", "0", "0", "1"}})
	if err != nil {
		return nil, nil, err
	}
	p := &problem{task: NaiveBayes, records: 4, rows: []int{2}, class: []int64{2, 2}}
	if p.shape, err = model.NewShape(s, model.NaiveBayes("y"), 4, true, ""); err != nil {
		return nil, nil, err
	}
	if p.tables, err = f.TablesPrivate([][]string{{"y", "x"}}); err != nil {
		return nil, nil, err
	}
	return p, f, p.hold(f, "y")
}

// uniform parameters know nothing.
func (p *problem) uniform() parameters {
	half := -math.Ln2
	return parameters{tables: [][]float64{{half, half, half, half}}, class: []float64{half, half}}
}
