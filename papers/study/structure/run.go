package structure

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/maxent"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Delta is the δ of every setting that is not pure.
const Delta = 1e-9

// Setting is one line of the study: a table and a guarantee under add-remove.
type Setting struct {
	Set     string  `json:"set"`
	Pure    bool    `json:"pure,omitempty"`
	Epsilon float64 `json:"epsilon"`
}

// Score is a mean over repeats with its standard error.
type Score struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

// Result is what a setting gave.
type Result struct {
	Setting
	Repeats       int      `json:"repeats"`
	Rows          int      `json:"rows"` // for training
	TV            [3]Score `json:"tv"`   // columns, pairs, triples
	LogLikelihood Score    `json:"log_likelihood"`
	Accuracy      *Score   `json:"accuracy,omitempty"` // of targets of two levels
	AUC           *Score   `json:"auc,omitempty"`
	Edges         Score    `json:"edges"`
	TrueEdges     *Score   `json:"true_edges,omitempty"`
}

// scoreOf is the mean of some numbers.
func scoreOf(x []float64) Score {
	s := Score{}
	for _, v := range x {
		s.Mean += v / float64(len(x))
	}
	if len(x) > 1 {
		for _, v := range x {
			s.SE += (v - s.Mean) * (v - s.Mean)
		}
		s.SE = math.Sqrt(s.SE / float64(len(x)-1) / float64(len(x)))
	}
	return s
}

// budget is ε where pure, else the ρ whose zero-concentrated guarantee implies (ε, [Delta]).
func (s Setting) budget() float64 {
	if s.Pure {
		return s.Epsilon
	}
	lo, hi := 0.0, s.Epsilon
	for range 60 {
		if mid := (lo + hi) / 2; deltaOf(mid, s.Epsilon) <= Delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// deltaOf is the δ at ε of ρ-zCDP: the least of e^{(α−1)(αρ−ε)}(1−1/α)^α/(α−1) over a grid of orders α > 1 (Canonne,
// Kamath, Steinke 2020, Proposition 12).
func deltaOf(rho, epsilon float64) float64 {
	least := 1.0
	for k := range 2000 {
		a := 1 + 1e-3*math.Pow(1e8, float64(k)/1999)
		least = math.Min(least, math.Exp((a-1)*(a*rho-epsilon)+a*math.Log1p(-1/a)-math.Log(a-1)))
	}
	return least
}

// Trial is one run of a setting.
type Trial struct {
	TV            [3]float64
	LogLikelihood float64
	Downstream    Downstream
	Binary        bool // the target has two levels, and there is a Downstream
	Edges, True   int
}

// Try learns once and scores the synthetic table. The same seed gives the same trial.
func (l Loop) Try(ctx context.Context, set *Set, j *Judge, budget float64, seed uint64) (t Trial, err error) {
	m, edges, err := l.Run(ctx, j.Train, budget, rand.NewPCG(seed, 900))
	if err != nil {
		return t, err
	}
	t.Edges, t.True = len(edges), j.TrueEdges(edges)
	net, err := networkOf(set, m)
	if err != nil {
		return t, err
	}
	synthetic, err := dealt(j.Train, net, int(m.Total()), seed)
	if err != nil {
		return t, err
	}
	if t.TV, err = j.Distances(synthetic); err != nil {
		return t, err
	}
	t.LogLikelihood = j.LogLikelihood(net)
	t.Downstream, t.Binary = j.Classify(synthetic)
	return t, nil
}

func networkOf(set *Set, m *maxent.Model) (*bayesnet.Net, error) {
	var nodes []bayesnet.Node
	for _, c := range set.Train.Schema().Columns {
		nodes = append(nodes, bayesnet.Node{Name: c.Name, States: c.Labels()})
	}
	return m.Net(nodes)
}

// dealt is a synthetic table in the columns of another.
func dealt(like *Coded, net *bayesnet.Net, rows int, seed uint64) (*Coded, error) {
	out := make([][]uint16, len(like.Names))
	for i := range out {
		out[i] = make([]uint16, rows)
	}
	if err := net.Deal(rows, rand.NewPCG(seed, 901), out); err != nil {
		return nil, err
	}
	c := &Coded{Names: like.Names, Levels: like.Levels, Rows: rows, Columns: make([][]uint8, len(out))}
	for i, col := range out {
		c.Columns[i] = make([]uint8, rows)
		for r, k := range col {
			c.Columns[i][r] = uint8(k)
		}
	}
	return c, nil
}

// Repeat runs a setting some times, with seeds 1, 2, …. Errors: those of Try.
func (s Setting) Repeat(ctx context.Context, set *Set, j *Judge, repeats int) (Result, error) {
	r := Result{Setting: s, Repeats: repeats, Rows: j.Train.Rows}
	values := map[string][]float64{}
	add := func(name string, v float64) { values[name] = append(values[name], v) }
	for k := range repeats {
		t, err := Default(s.Pure, false).Try(ctx, set, j, s.budget(), uint64(k+1))
		if err != nil {
			return r, err
		}
		add("1", t.TV[0])
		add("2", t.TV[1])
		add("3", t.TV[2])
		add("likelihood", t.LogLikelihood)
		add("edges", float64(t.Edges))
		if t.True >= 0 {
			add("true", float64(t.True))
		}
		if t.Binary {
			add("accuracy", t.Downstream.Accuracy)
			add("auc", t.Downstream.AUC)
		}
	}
	for k, name := range []string{"1", "2", "3"} {
		r.TV[k] = scoreOf(values[name])
	}
	maybe := func(name string) *Score {
		if len(values[name]) == 0 {
			return nil
		}
		s := scoreOf(values[name])
		return &s
	}
	r.LogLikelihood, r.Edges = scoreOf(values["likelihood"]), scoreOf(values["edges"])
	r.Accuracy, r.AUC, r.TrueEdges = maybe("accuracy"), maybe("auc"), maybe("true")
	return r, nil
}
