package dirichlet

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Metric is what a cell measures.
type Metric string

// The metrics. Logarithms are natural.
const (
	// KL is Σ_k Σ_j π̂_j KL(θ̂_kj ‖ θ̃_kj) of naive Bayes on the training counts: what the paper's mechanism sets out
	// to minimise.
	KL Metric = "kl"
	// CrossEntropy is −mean log P̃(class | features) over the held-out records.
	CrossEntropy Metric = "ce"
	// Accuracy is the share of held-out records whose most probable class is theirs.
	Accuracy Metric = "acc"
	// LogLikelihood is the mean of log P̃(record) over the held-out records, of networks.
	LogLikelihood Metric = "ll"
)

// drawScores are the metrics of one draw; LogLikelihood alone is of networks, the others of naive Bayes.
type drawScores map[Metric]float64

const (
	clip      = 1e-6 // the paper's floor on counts
	smoothing = 0.1  // the paper's, in the model that is not private
	least     = 1.0  // record a class is taken to have at least: a noisy margin can be 0
	floor     = 1e-300
)

// parameters are the conditional distributions θ̃ of every table, row by row, and the class probabilities of naive
// Bayes, as logarithms.
type parameters struct {
	tables [][]float64
	class  []float64
}

// mle are the parameters of the counts plus 0.1.
func (p *problem) mle() parameters {
	e := model.Estimate{}
	for _, t := range p.tables {
		e.Tables = append(e.Tables, plus(t))
	}
	if p.class != nil {
		e.Class = plus(p.class)
	}
	return p.parameters(e, false)
}

func plus[T int64 | float64](counts []T) []float64 {
	out := make([]float64, len(counts))
	for i, c := range counts {
		out[i] = float64(c) + smoothing
	}
	return out
}

// parameters normalises estimated counts. The last table of an extended estimate has the class counts in its first
// column.
func (p *problem) parameters(e model.Estimate, extended bool) (out parameters) {
	for k, rows := range p.rows {
		t := append([]float64(nil), e.Tables[k]...)
		levels := len(t) / rows
		for lo := 0; lo < len(t); lo += levels {
			logShares(t[lo:lo+levels], floor)
		}
		out.tables = append(out.tables, t)
	}
	if p.class == nil {
		return out
	}
	if extended {
		last := e.Tables[len(p.rows)]
		for j := 0; j < len(last); j += 2 {
			out.class = append(out.class, last[j])
		}
		logShares(out.class, clip)
	} else {
		out.class = append([]float64(nil), e.Class...)
		logShares(out.class, least)
	}
	return out
}

// logShares replaces counts, at least low, by the logarithms of their shares; a row of nothing is uniform.
func logShares(counts []float64, low float64) {
	total := 0.0
	for i, c := range counts {
		counts[i] = math.Max(c, low)
		total += counts[i]
	}
	for i, c := range counts {
		counts[i] = math.Log(c / total)
	}
}

// score measures parameters.
func (p *problem) score(q parameters) drawScores {
	if p.task == Network {
		return drawScores{LogLikelihood: p.logLikelihood(q)}
	}
	ce, acc := p.classify(q)
	return drawScores{KL: p.divergence(q), CrossEntropy: ce, Accuracy: acc}
}

// divergence is the metric KL: Σ_k Σ_jc (N_jc/N) log(θ̂_jc/θ̃_jc).
func (p *problem) divergence(q parameters) float64 {
	n, _ := p.shape.N()
	sum := 0.0
	for k, t := range p.tables {
		levels := len(t) / p.rows[k]
		for lo := 0; lo < len(t); lo += levels {
			var total int64
			for _, c := range t[lo : lo+levels] {
				total += c
			}
			for i, c := range t[lo : lo+levels] {
				if c > 0 {
					sum += float64(c) * (math.Log(float64(c)/float64(total)) - q.tables[k][lo+i])
				}
			}
		}
	}
	return sum / float64(n)
}

// classify gives cross-entropy and accuracy on the held-out records.
func (p *problem) classify(q parameters) (ce, acc float64) {
	classes := len(q.class)
	// by feature: level, then class
	flat := make([][]float64, len(q.tables))
	for k, t := range q.tables {
		levels := len(t) / classes
		flat[k] = make([]float64, len(t))
		for j := range classes {
			for c := range levels {
				flat[k][c*classes+j] = t[j*levels+c]
			}
		}
	}
	score := make([]float64, classes)
	hits := 0
	for i := range p.records {
		copy(score, q.class)
		for k, column := range p.test {
			at := column[i] * classes
			for j, v := range flat[k][at : at+classes] {
				score[j] += v
			}
		}
		best := 0
		for j, s := range score {
			if s > score[best] {
				best = j
			}
		}
		top, sum := score[best], 0.0
		for _, s := range score {
			sum += math.Exp(s - top)
		}
		label := p.labels[i]
		ce += top + math.Log(sum) - score[label]
		if best == label {
			hits++
		}
	}
	n := float64(max(p.records, 1))
	return ce / n, float64(hits) / n
}

// logLikelihood is the mean over the held-out records of Σ_k log θ̃ of the record's cell.
func (p *problem) logLikelihood(q parameters) float64 {
	sum := 0.0
	for k, cells := range p.test {
		t := q.tables[k]
		for _, c := range cells {
			sum += t[c]
		}
	}
	return sum / float64(max(p.records, 1))
}
