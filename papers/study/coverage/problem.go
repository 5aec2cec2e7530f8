package coverage

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// Problem is a model under the uniform prior, a number of records and the mechanism that releases their counts.
type Problem struct {
	Name      string
	Records   int
	Levels    int   // of the column, or of the class
	Features  []int // naive Bayes: levels of every feature
	Mechanism mechanism.Mechanism
}

// Problems are those of the figure: one coin at n = 50 and 1000, four categories at n = 200, naive Bayes with two
// features of three levels at n = 100.
func Problems() []Problem {
	return []Problem{
		{"Beta, n = 50", 50, 2, nil, counts.Geometric()},
		{"Beta, n = 1000", 1000, 2, nil, counts.Geometric()},
		{"Dirichlet, d = 4, n = 200", 200, 4, nil, counts.KNorm()},
		{"naive Bayes, n = 100", 100, 2, []int{3, 3}, counts.Geometric()},
	}
}

// shape is the problem's model on a simulated data set.
func (p Problem) shape() (*model.Shape, error) {
	column := func(name string, d int) frame.Column {
		var labels []string
		for i := range d {
			labels = append(labels, fmt.Sprint(i))
		}
		return frame.Categorical(name, labels...)
	}
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{column("x", p.Levels)}}
	var m model.Model = model.Categorical("x")
	switch {
	case len(p.Features) > 0:
		m = model.NaiveBayes("x")
		for k, d := range p.Features {
			s.Columns = append(s.Columns, column(fmt.Sprintf("feature %d", k+1), d))
		}
	case p.Levels == 2:
		m = model.Binary("x")
	}
	return model.NewShape(s, m, p.Records, true, "")
}

// watched is a parameter whose interval is looked at: the first of the target, and under naive Bayes also the first of
// the first feature given the first class. Both follow the order of noiseaware.Posterior.Parameters.
type watched struct {
	name  string
	index int
}

func (p Problem) watched() []watched {
	if len(p.Features) == 0 {
		return []watched{{p.Name, 0}}
	}
	return []watched{{p.Name + ", class", 0}, {p.Name + ", feature given class", p.Levels}}
}

// simulate draws all probabilities from the uniform prior and tables of counts from the model; truth is that of the
// watched parameters.
func (p Problem) simulate(src *dp.Stream) (tables [][]int64, truth []float64, err error) {
	target, err := uniform(src, p.Levels)
	if err != nil {
		return nil, nil, err
	}
	truth = []float64{target[0]}
	if len(p.Features) == 0 {
		t := make([]int64, p.Levels)
		for range p.Records {
			t[choose(src, target)]++
		}
		return [][]int64{t}, truth, nil
	}
	given := make([][][]float64, len(p.Features))
	for k, d := range p.Features {
		tables = append(tables, make([]int64, p.Levels*d))
		for range p.Levels {
			g, err := uniform(src, d)
			if err != nil {
				return nil, nil, err
			}
			given[k] = append(given[k], g)
		}
	}
	for range p.Records {
		j := choose(src, target)
		for k, d := range p.Features {
			tables[k][j*d+choose(src, given[k][j])]++
		}
	}
	return tables, append(truth, given[0][0][0]), nil
}

// uniform is a draw from Dirichlet(1, …, 1).
func uniform(src *dp.Stream, d int) ([]float64, error) {
	alpha := make([]float64, d)
	for i := range alpha {
		alpha[i] = 1
	}
	l, err := posterior.NewDirichlet(alpha)
	if err != nil {
		return nil, err
	}
	return l.Sample(src), nil
}

// choose is i with probability p_i.
func choose(src *dp.Stream, p []float64) int {
	u := sample.Float64(src)
	for i, q := range p[:len(p)-1] {
		if u -= q; u < 0 {
			return i
		}
	}
	return len(p) - 1
}
