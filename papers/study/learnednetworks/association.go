package learnednetworks

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// TestSpec is a point of the study of tests: independent columns, replace-one. The first column has two levels, the
// others five of unlike shares, the last two levels where there are six.
type TestSpec struct {
	Columns int     `json:"columns"` // 2: the pair is given, as a star; more: pairs are chosen in rounds
	Records int     `json:"records"`
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta,omitempty"` // above 0: discrete Gaussian noise, else geometric
}

// TestLevel is that of the tests.
const TestLevel = .05

// TestPoint is how often tests reject although all columns are independent, as shares of the tests. AsCounts is χ² of
// the fitted table, as if it were the table of the rows.
type TestPoint struct {
	TestSpec
	Releases int                             `json:"releases"`
	Tests    int                             `json:"tests"` // of ChiSquare: others are asked where a column has two levels
	Rejected map[release.Association]float64 `json:"rejected"`
	Adjusted map[release.Association]float64 `json:"adjusted"`
	// AnyOf is the share of releases in which some adjusted p of the test is below the level.
	AnyOf    map[release.Association]float64 `json:"any_of"`
	AsCounts float64                         `json:"as_counts"`
	tests    map[release.Association]float64
}

// independent is the population.
func (s TestSpec) independent() (*bayesnet.Net, error) {
	var nodes []bayesnet.Node
	var tables [][]float64
	for i := range s.Columns {
		n, shares := bayesnet.Node{Name: fmt.Sprint("c", i), States: []string{"a", "b", "c", "d", "e"}},
			[]float64{.1, .3, .25, .2, .15}
		if i == 0 || i == 5 {
			n.States, shares = n.States[:2], []float64{.7, .3}
		}
		nodes, tables = append(nodes, n), append(tables, shares)
	}
	d, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return nil, err
	}
	return bayesnet.NewNet(d, tables)
}

func (s TestSpec) plan(ctx context.Context, net *bayesnet.Net) (*mechanism.Plan, error) {
	m, noise, target := model.MaxEntropy().Always(), structure.Geometric(), dp.PureDP(s.Epsilon)
	if s.Columns == 2 {
		m = model.MaxEntropy().Star("c0")
	}
	if s.Delta > 0 {
		noise, target = structure.DiscreteGaussian(), dp.ApproxDP(s.Epsilon, s.Delta)
	}
	sh, err := model.NewShape(model.SchemaOf("simulated", net.DAG()), m, s.Records, true, "")
	if err != nil {
		return nil, err
	}
	return noise.Plan(ctx, sh, target)
}

// CountTests tests the measured pairs of so many releases. Errors: *dp.ParameterError, those of planning, the
// context's.
func CountTests(ctx context.Context, s TestSpec, releases int, seed uint64) (*TestPoint, error) {
	if s.Columns < 2 || s.Columns > 6 || s.Columns == 5 {
		return nil, domain.Refuse("learnednetworks", "columns", s.Columns, "2, 3, 4 or 6")
	}
	net, err := s.independent()
	if err != nil {
		return nil, err
	}
	plan, err := s.plan(ctx, net)
	if err != nil {
		return nil, err
	}
	out := &TestPoint{TestSpec: s, Releases: releases, Rejected: map[release.Association]float64{},
		Adjusted: map[release.Association]float64{}, AnyOf: map[release.Association]float64{},
		tests: map[release.Association]float64{}}
	for i := range releases {
		if err := out.release(ctx, plan, net, simulate.Stream("associations", seed, s, i)); err != nil {
			return nil, err
		}
	}
	for _, test := range release.Associations() {
		n := out.tests[test]
		if n == 0 {
			continue
		}
		out.Rejected[test], out.Adjusted[test] = out.Rejected[test]/n, out.Adjusted[test]/n
		out.AnyOf[test] /= float64(releases)
	}
	out.Tests = int(out.tests[release.ChiSquare])
	out.AsCounts /= max(out.tests[release.ChiSquare], 1)
	return out, nil
}

// release counts the tests of one release.
func (p *TestPoint) release(ctx context.Context, plan *mechanism.Plan, net *bayesnet.Net, src *dp.Stream) error {
	r, err := released(ctx, plan, net, p.Records, src)
	if err != nil {
		return err
	}
	some := map[release.Association]bool{}
	for _, e := range r.Structure().Edges {
		counted, err := p.asCounts(r, e)
		if err != nil {
			return err
		}
		p.AsCounts += counted
		for _, test := range release.Associations() {
			t, err := r.TestPair(ctx, test, e[0], e[1])
			if errors.As(err, new(*release.NotAnsweredError)) { // no two groups, or no number
				continue
			}
			if err != nil {
				return err
			}
			p.tests[test]++
			if t.P < TestLevel {
				p.Rejected[test]++
			}
			if t.Adjusted < TestLevel {
				p.Adjusted[test]++
				some[test] = true
			}
		}
	}
	for test := range some {
		p.AnyOf[test]++
	}
	return nil
}

// asCounts is 1 where χ² of the fitted table, as counts of the records, rejects.
func (p *TestPoint) asCounts(r *release.Release, edge [2]string) (float64, error) {
	net := r.Model().Network()
	i, _ := net.DAG().Index(edge[0])
	j, _ := net.DAG().Index(edge[1])
	fitted, err := net.Query([]int{i, j}, nil)
	if err != nil {
		return 0, err
	}
	rows, columns := net.DAG().Arity(i), net.DAG().Arity(j)
	a := score.Association{Rows: make([]float64, rows), Columns: make([]float64, columns), N: float64(p.Records), Alike: 1,
		Variance: 1e-9, Cells: slices.Clone(fitted)}
	for c, v := range fitted {
		a.Cells[c] *= a.N
		a.Rows[c/columns] += v
		a.Columns[c%columns] += v
	}
	if _, _, tail, ok := a.ChiSquare(); ok && tail < TestLevel {
		return 1, nil
	}
	return 0, nil
}

// TestResult is the outcome of a run of the study of tests.
type TestResult = simulate.Results[*TestPoint]

//go:embed association.json
var committedTests []byte

// CommittedTests is the full run.
func CommittedTests() (*TestResult, error) { return simulate.Committed[TestResult](committedTests) }
