package model

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// logJoint fills a row-major n × J table of log P(class j) + Σ_k log P(x_k | j) under the posterior predictive, whose
// parameters are the posterior means.
func (f *Fitted) logJoint(x *frame.Frame) ([]float64, error) {
	j, n := f.shape.Classes(), x.Len()
	out := make([]float64, n*j)
	prior := logs(f.class.Mean())
	for i := range n {
		copy(out[i*j:], prior)
	}
	codes, tables := make([]frame.Codes, len(f.cond)), make([][]float64, len(f.cond))
	for k, c := range f.shape.columns[1:] {
		var err error
		if codes[k], err = x.Codes(c.Name); err != nil {
			return nil, err
		}
		tables[k] = make([]float64, c.Levels()*j) // log P(code | class), the class running fastest
		for cl, d := range f.cond[k] {
			for code, lp := range logs(d.Mean()) {
				tables[k][code*j+cl] = lp
			}
		}
	}
	// blocks of rows, so that the sums of one block stay in the cache while every feature adds to them
	const block = 2048
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for k := range tables {
			addFeature(out[lo*j:hi*j], tables[k], codes[k], lo, j)
		}
	}
	return out, nil
}

// addFeature adds one feature's log-probabilities to the sums of a block of rows starting at row lo.
func addFeature(acc, table []float64, codes frame.Codes, lo, j int) {
	if j == 2 && codes.U8 != nil {
		for i, c := range codes.U8[lo : lo+len(acc)/2] {
			t, a := table[2*int(c):2*int(c)+2:2*int(c)+2], acc[2*i:2*i+2:2*i+2]
			a[0] += t[0]
			a[1] += t[1]
		}
		return
	}
	for i := range len(acc) / j {
		a, t := acc[i*j:(i+1)*j], table[codes.At(lo+i)*j:]
		for cl := range a {
			a[cl] += t[cl]
		}
	}
}

func logs(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = math.Log(v)
	}
	return out
}

// Predict gives the class probabilities of every row of x, in the order of the target's labels. For a categorical or
// binary model they are the predictive distribution of the target. The target's own values in x are not used; the
// column may be absent.
func (f *Fitted) Predict(x *frame.Frame) ([][]float64, error) {
	m, err := f.classes()
	if err == nil {
		err = f.shape.acceptsFeatures(x)
	}
	if err != nil {
		return nil, err
	}
	return m.predict(f, x)
}

// classes is the model, if it has classes.
func (f *Fitted) classes() (counted, error) {
	m, ok := f.shape.model.(counted)
	if !ok {
		return nil, wrong(f.shape.model, "", "no classes", "Forecast, which predicts numbers")
	}
	return m, nil
}

func (ofCounts) predict(f *Fitted, x *frame.Frame) ([][]float64, error) {
	lj, err := f.logJoint(x)
	if err != nil {
		return nil, err
	}
	j := f.shape.Classes()
	out := make([][]float64, x.Len())
	for i := range out {
		p := lj[i*j : (i+1)*j : (i+1)*j]
		out[i] = p
		if j == 2 {
			e := math.Exp(-math.Abs(p[0] - p[1])) // the smaller odds, so that neither probability loses digits
			if small, large := e/(1+e), 1/(1+e); p[0] < p[1] {
				p[0], p[1] = small, large
			} else {
				p[0], p[1] = large, small
			}
			continue
		}
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
	}
	return out, nil
}

// LogLikelihood is the mean over the rows of x of log P(class, features) under the posterior predictive.
func (f *Fitted) LogLikelihood(x *frame.Frame) (float64, error) {
	m, err := f.classes()
	if err == nil {
		err = f.shape.Accepts(x)
	}
	if err != nil {
		return 0, err
	}
	sum, err := m.logLikelihood(f, x)
	return sum / float64(max(x.Len(), 1)), err
}

// logLikelihood is the sum over the rows.
func (ofCounts) logLikelihood(f *Fitted, x *frame.Frame) (sum float64, err error) {
	lj, err := f.logJoint(x)
	if err != nil {
		return 0, err
	}
	codes, err := x.Codes(f.shape.columns[0].Name)
	if err != nil {
		return 0, err
	}
	j := f.shape.Classes()
	for i := range x.Len() {
		sum += lj[i*j+codes.At(i)]
	}
	return sum, nil
}

// Labels reads the target codes of x.
func (f *Fitted) Labels(x *frame.Frame) ([]int, error) {
	if _, err := f.classes(); err != nil {
		return nil, err
	}
	if err := f.shape.Accepts(x); err != nil {
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
