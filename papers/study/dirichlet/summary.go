package dirichlet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Contest counts in how many comparisons, one per data set and ε, one method has a better mean than another.
type Contest struct {
	A, B        string
	Wins, Total int // A better than B
	Clear       int // of Wins, by more than two standard errors of the difference on the same splits
}

// Contest compares two methods in a metric over all data sets and ε of the report.
func (r *Report) Contest(metric Metric, a, b string) Contest {
	c := Contest{A: a, B: b}
	for _, name := range r.DataSets(taskOf(metric)) {
		for i := range r.Settings.Epsilons {
			x, y := r.values(taskOf(metric), name, a, metric, i), r.values(taskOf(metric), name, b, metric, i)
			if len(x) == 0 || len(x) != len(y) {
				continue
			}
			d := make([]float64, len(x))
			for k := range d {
				if d[k] = y[k] - x[k]; higherIsBetter(metric) {
					d[k] = -d[k]
				}
			}
			c.Total++
			if s := statOf(d); s.Mean > 0 {
				c.Wins++
				if s.Mean > 2*s.SE && s.N > 1 {
					c.Clear++
				}
			}
		}
	}
	return c
}

func higherIsBetter(m Metric) bool { return m == Accuracy || m == LogLikelihood }

// Best counts for every method in how many comparisons, one per data set and ε, its mean is the best of all private
// ones.
func (r *Report) Best(metric Metric) (wins map[string]int, total int) {
	wins = map[string]int{}
	for _, name := range r.DataSets(taskOf(metric)) {
		for i := range r.Settings.Epsilons {
			best, at := "", 0.0
			for _, id := range r.Settings.Methods {
				if id == MLE {
					continue
				}
				s, ok := r.Stat(name, id, metric, i)
				if ok && (best == "" || higherIsBetter(metric) && s.Mean > at || !higherIsBetter(metric) &&
					s.Mean < at) {
					best, at = id, s.Mean
				}
			}
			if best != "" {
				wins[best]++
				total++
			}
		}
	}
	return wins, total
}

// Summary tabulates how often every method is the best in parameter KL of naive Bayes and in log-likelihood of
// networks, and how often it is better than Algorithm 1; the notes say what follows.
func (r *Report) Summary() *table.Table {
	t := table.New("Who wins", "method", "title", "best in KL", "KL below Algorithm 1", "clearly",
		"best in log-likelihood", "log-likelihood above Algorithm 1", "clearly")
	kl, klTotal := r.Best(KL)
	ll, llTotal := r.Best(LogLikelihood)
	of := func(wins, total int) any {
		if total == 0 {
			return nil
		}
		return fmt.Sprintf("%d of %d", wins, total)
	}
	for _, id := range r.Settings.Methods {
		if id == MLE {
			continue
		}
		m, _ := methodOf(id)
		a, b := r.Contest(KL, id, "dir_alg1"), r.Contest(LogLikelihood, id, "dir_alg1")
		if id == "dir_alg1" {
			t.Add(id, m.Title, of(kl[id], klTotal), nil, nil, of(ll[id], llTotal), nil, nil)
			continue
		}
		t.Add(id, m.Title, of(kl[id], klTotal), of(a.Wins, a.Total), of(a.Clear, a.Total), of(ll[id], llTotal),
			of(b.Wins, b.Total), of(b.Clear, b.Total))
	}
	return t.Note(
		r.Verdict(),
	).Note(
		"Clearly: by more than two standard errors of the difference on the same splits.",
	).Note(
		r.footing(),
	)
}

// Verdict says in a sentence, from the numbers, what becomes of the advantage of Algorithm 1 over Gaussian noise in KL,
// which the paper does not show, when the noisy counts, of the same noise, are not clipped at 1e-6 but replaced by
// their posterior means, which is free.
func (r *Report) Verdict() string {
	clipped := r.Contest(KL, "dir_alg1", "gauss_clip")
	fixed := r.Contest(KL, "dir_alg1", "gauss_fix")
	if clipped.Total == 0 || fixed.Total == 0 {
		return "The report has not both Gaussian methods and Algorithm 1: no verdict."
	}
	s := fmt.Sprintf("In KL, Algorithm 1 beats Gaussian noise clipped at 1e-6 in %d of %d comparisons, and the same "+
		"noise with a posterior mean in %d of %d",
		clipped.Wins, clipped.Total, fixed.Wins, fixed.Total)
	switch {
	case fixed.Wins == 0 && clipped.Wins > 0:
		return s + ": the advantage in KL is that over clipped counts."
	case fixed.Wins < clipped.Wins && fixed.Clear == 0:
		return s + ", never by two standard errors: the advantage in KL is that over clipped counts."
	case fixed.Wins < clipped.Wins:
		return s + ": most of the advantage in KL is that over clipped counts."
	}
	return s + ": the advantage in KL does not come from clipping."
}
