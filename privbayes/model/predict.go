package model

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// logJoint fills a row-major n × J table of log P(class j) + Σ_k log P(x_k | j) under the posterior predictive, whose parameters
// are the posterior means.
func (f *Fitted) logJoint(x *frame.Frame) ([]float64, error) {
	if err := f.check(x); err != nil {
		return nil, err
	}
	j, n := f.shape.Classes(), x.Len()
	out := make([]float64, n*j)
	prior := logs(f.class.Predictive())
	for i := range n {
		copy(out[i*j:], prior)
	}
	for k, c := range f.shape.columns[1:] {
		codes, err := x.Codes(c.Name)
		if err != nil {
			return nil, err
		}
		byCode := make([]float64, c.Levels()*j) // log P(code | class), the class running fastest
		for cl, d := range f.cond[k] {
			for code, lp := range logs(d.Predictive()) {
				byCode[code*j+cl] = lp
			}
		}
		for i := range n {
			row := byCode[codes.At(i)*j:][:j]
			acc := out[i*j:][:j]
			for cl, lp := range row {
				acc[cl] += lp
			}
		}
	}
	return out, nil
}

func logs(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = math.Log(v)
	}
	return out
}

// Predict gives the class probabilities of every row of x, in the order of the target's labels. For a categorical or binary model
// they are the predictive distribution of the target. The target's own values in x are not used.
func (f *Fitted) Predict(x *frame.Frame) ([][]float64, error) {
	lj, err := f.logJoint(x)
	if err != nil {
		return nil, err
	}
	j := f.shape.Classes()
	out := make([][]float64, x.Len())
	for i := range out {
		p := lj[i*j : (i+1)*j : (i+1)*j]
		top := p[0]
		for _, v := range p[1:] {
			top = math.Max(top, v)
		}
		sum := 0.0
		for k, v := range p {
			p[k] = math.Exp(v - top)
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
		}
		out[i] = p
	}
	return out, nil
}

// LogLikelihood is the mean over the rows of x of log P(class, features) under the posterior predictive.
func (f *Fitted) LogLikelihood(x *frame.Frame) (float64, error) {
	lj, err := f.logJoint(x)
	if err != nil {
		return 0, err
	}
	codes, err := x.Codes(f.shape.columns[0].Name)
	if err != nil {
		return 0, err
	}
	j, sum := f.shape.Classes(), 0.0
	for i := range x.Len() {
		sum += lj[i*j+codes.At(i)]
	}
	return sum / float64(max(x.Len(), 1)), nil
}

// Labels reads the target codes of x.
func (f *Fitted) Labels(x *frame.Frame) ([]int, error) {
	if err := f.check(x); err != nil {
		return nil, err
	}
	codes, err := x.Codes(f.shape.columns[0].Name)
	if err != nil {
		return nil, err
	}
	out := make([]int, x.Len())
	for i := range out {
		out[i] = codes.At(i)
	}
	return out, nil
}
