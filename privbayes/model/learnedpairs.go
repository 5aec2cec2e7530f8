package model

import "math"

// learnedPairs are the fitted distributions of all pairs that might have been measured; none where one cannot be made.
func (f *Fitted) learnedPairs() (out [][]float64) {
	for i := range f.of.pairs() {
		p, err := f.pairsOf(i)
		if err != nil {
			return nil
		}
		out = append(out, p)
	}
	return out
}

// exactMeans are the shares of the cells of every pair's table.
func (m LearnedModel) exactMeans(st *Statistics) (out [][]float64, err error) {
	first := len(st.shape.columns)
	for _, t := range st.tables[first : first+len(st.shape.pairs())] {
		total, p := 0.0, make([]float64, len(t))
		for _, v := range t {
			total += float64(v)
		}
		for i, v := range t {
			p[i] = float64(v) / math.Max(total, 1)
		}
		out = append(out, p)
	}
	return out, nil
}

// distance is the mean over pairs of columns of the total variation between their tables, ½Σ|p − q|, and of
// KL(plain ‖ released), nats.
func (m LearnedModel) distance(_ *Shape, plain, released [][]float64) (absolute, kl float64) {
	for i, x := range plain {
		for k, p := range x {
			absolute += math.Abs(p-released[i][k]) / 2 / float64(len(plain))
			if p > 0 {
				kl += p * math.Log(p/math.Max(released[i][k], 1e-300)) / float64(len(plain))
			}
		}
	}
	return absolute, kl
}

// words are those of count tables but for what is compared before a draw.
func (m LearnedModel) words() Words {
	w := m.ofCounts.words()
	w.Error, w.Source = "a pair of columns, in total variation", "a random tree, every distribution from Dirichlet(%g, …)"
	return w
}
