package model

import "fmt"

// Greedy is the algorithm of PrivBayes: see PrivBayes.
const Greedy Algorithm = "privbayes"

// ParentScore is a measure by which PrivBayes compares a column X with parents Π, as its paper names it.
type ParentScore string

// The scores of Zhang et al. 2017, of the joint distribution P of X and Π in n records.
const (
	ByInformation ParentScore = "I" // mutual information of X and Π, in bits
	ByDistance    ParentScore = "R" // ½‖P(X, Π) − P(X)P(Π)‖₁
	ByMaximum     ParentScore = "F" // −½ of the L1 distance to the nearest distribution of the greatest I; X of two levels
)

// GreedySettings are the public choices of PrivBayes. A zero takes the usual.
type GreedySettings struct {
	Degree int         `json:"degree,omitempty"` // most parents of a column; 0: by usefulness
	Score  ParentScore `json:"score,omitempty"`  // usually R
	Theta  float64     `json:"theta,omitempty"`  // least usefulness, usually 4
	Share  float64     `json:"share,omitempty"`  // β, what choosing gets of ε, usually 0.3
}

// maxDegree bounds the parents of a column: the candidates of more are too many to score.
const maxDegree = 4

// PrivBayes learns a Bayesian network as Zhang, Cormode, Procopiuc, Srivastava and Xiao publish it (PrivBayes: Private
// Data Release via Bayesian Networks, ACM TODS 42(4), 2017; SIGMOD 2014): column after column, each with the parents
// that the exponential mechanism chooses by a score, and Laplace noise on the table of every column with its parents.
// Without Degree, parents are as many as a usefulness of Theta allows. It stands here to compare with; MaxEntropy is
// nearer to the data in every setting of the study.
//
// It needs rows in memory for more than one parent, and a public number of records: replace-one.
func PrivBayes() LearnedModel {
	return learned(LearnedSettings{Algorithm: Greedy, Greedy: &GreedySettings{}})
}

// Degree is the most parents of a column, of PrivBayes: the degree k of its network.
func (m LearnedModel) Degree(k int) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Degree = k })
}

// Scored compares parents by a score, of PrivBayes.
func (m LearnedModel) Scored(by ParentScore) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Score = by })
}

// Theta is the least usefulness of a noisy table, of PrivBayes without Degree: the mean of its counts over the scale of
// their noise.
func (m LearnedModel) Theta(least float64) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Theta = least })
}

// Choosing is the share β of ε that chooses parents, of PrivBayes; the rest measures.
func (m LearnedModel) Choosing(share float64) LearnedModel {
	return m.greedily(func(g *GreedySettings) { g.Share = share })
}

func (m LearnedModel) greedily(set func(g *GreedySettings)) LearnedModel {
	g := GreedySettings{}
	if m.settings.Greedy != nil {
		g = *m.settings.Greedy
	}
	set(&g)
	m.settings.Greedy = &g
	return m
}

// usual fills in what is not said.
func (g *GreedySettings) usual() *GreedySettings {
	out := GreedySettings{Score: ByDistance, Theta: 4, Share: .3}
	if g == nil {
		return &out
	}
	out.Degree = g.Degree
	if g.Score != "" {
		out.Score = g.Score
	}
	if g.Theta != 0 {
		out.Theta = g.Theta
	}
	if g.Share != 0 {
		out.Share = g.Share
	}
	return &out
}

// validGreedy checks the choices of PrivBayes, which other algorithms do not have.
func (m LearnedModel) validGreedy() error {
	s := m.settings
	if s.Algorithm != Greedy {
		if s.Greedy != nil {
			return wrong(m, "", "Degree, Scored, Theta or Choosing", "PrivBayes(), whose choices these are")
		}
		return nil
	}
	g := s.Greedy.usual()
	switch {
	case s.Star != "" || s.Size != 0 || s.Always || len(s.Workload) > 0 || len(s.StructuralZeros) > 0:
		return wrong(m, "", "Star, Size, Always, a workload or structural zeros",
			"MaxEntropy(), Tree() or Cliques(): PrivBayes is as published")
	case g.Degree < 0 || g.Degree > maxDegree:
		return wrong(m, "", fmt.Sprintf("Degree(%d)", g.Degree), fmt.Sprintf("1 to %d; none: by usefulness", maxDegree))
	case g.Score != ByInformation && g.Score != ByDistance && g.Score != ByMaximum:
		return wrong(m, "", fmt.Sprintf("Scored(%.20q)", string(g.Score)), "ByInformation, ByDistance or ByMaximum")
	case !(g.Theta > 0 && g.Theta <= 1e9):
		return wrong(m, "", fmt.Sprintf("Theta(%v)", g.Theta), "above 0, up to 1e9; usually 4")
	case !(g.Share > 0 && g.Share < 1):
		return wrong(m, "", fmt.Sprintf("Choosing(%v)", g.Share), "between 0 and 1; usually 0.3")
	}
	return nil
}

func (g *GreedySettings) words() string {
	g = g.usual()
	if g.Degree > 0 {
		return fmt.Sprintf("PrivBayes of degree %d, score %s", g.Degree, g.Score)
	}
	return fmt.Sprintf("PrivBayes, score %s", g.Score)
}

// calls are the Go calls that make the choices.
func (g *GreedySettings) calls(add func(method string, args ...string)) {
	if g.Degree != 0 {
		add("Degree", fmt.Sprint(g.Degree))
	}
	names := map[ParentScore]string{ByInformation: "ByInformation", ByDistance: "ByDistance", ByMaximum: "ByMaximum"}
	if name, ok := names[g.Score]; ok {
		add("Scored", name)
	}
	if g.Theta != 0 {
		add("Theta", fmt.Sprint(g.Theta))
	}
	if g.Share != 0 {
		add("Choosing", fmt.Sprint(g.Share))
	}
}
