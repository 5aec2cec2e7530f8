package noiseaware

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// learnt is a release of a learned structure of n records of a network.
func learnt(t testing.TB, m model.LearnedModel, mech mechanism.Mechanism, net *bayesnet.Net, n int, target dp.Request) *release.Release {
	t.Helper()
	f, err := model.Simulate("simulated", net, n, dp.Seeded(3))
	must(t, err)
	sh, err := model.NewShape(f.Schema(), m, n, target.Adjacency.PublicN(), "")
	must(t, err)
	st, err := model.Count(sh, f)
	must(t, err)
	p, err := mech.Plan(background, sh, target)
	must(t, err)
	d, err := p.Draw(background, st, "0123456789abcdef", dp.Seeded(5))
	must(t, err)
	r, err := release.New(background, p, d)
	must(t, err)
	return r
}

// The posterior of a learned tree is that of its network given all that was measured, as FromNoisyCounts has it of the
// same numbers, to 1e-12; it warns of its structure; and one table left out gives another posterior.
func TestLearnedTrees(t *testing.T) {
	for name, c := range map[string]struct {
		mech   mechanism.Mechanism
		target dp.Request
		law    func(m model.NoisyCounts) StatedNoise
	}{
		"geometric": {structure.Geometric(), dp.PureDP(6), func(m model.NoisyCounts) StatedNoise { return StatedGeometric(noise.FormOf(m.Noise).Rate) }},
		"Gaussian":  {structure.DiscreteGaussian(), dp.ZCDP(2), func(m model.NoisyCounts) StatedNoise { return StatedGaussian(noise.FormOf(m.Noise).Sigma2) }},
	} {
		r := learnt(t, model.Tree().Always(), c.mech, threeNodes(t), 400, c.target)
		p, err := OfContext(t.Context(), r)
		must(t, err)
		joint, err := p.Network(t.Context())
		must(t, err)
		if w := joint.Warnings(); len(w) != 1 || w[0].Kind != warning.KindLearnedRows ||
			!strings.Contains(joint.Caption(), "learned from the same rows") || !joint.Exact() {
			t.Errorf("%s: %v; %s", name, w, joint.Caption())
		}
		var tables []NoisyTable
		for _, m := range r.Structure().Measured {
			s := NoisyTable{Columns: m.Columns, Counts: append([]int64{}, m.Counts...), Noise: c.law(m)}
			if len(m.Columns) == 1 && len(m.Counts) == 1 { // the other cell follows from n
				s.Counts, s.Measured = append(s.Counts, 0), []bool{true, false}
			}
			tables = append(tables, s)
		}
		if len(tables) < 5 {
			t.Fatalf("%s: %d tables", name, len(tables))
		}
		same := func(tables []NoisyTable) (off float64) {
			q, err := FromNoisyCounts(t.Context(), joint.DAG(), learnedPrior, tables, PublicN(400))
			must(t, err)
			for v := range joint.DAG().Len() {
				for row := range joint.DAG().FamilyCells(v) / 2 {
					a, b := joint.mixture(v, row, 1), q.mixture(v, row, 1)
					off = max(off, math.Abs(a.Mean()-b.Mean()), math.Abs(a.SD()-b.SD()))
				}
			}
			return off
		}
		if off := same(tables); off > 1e-12 {
			t.Errorf("%s: off by %g", name, off)
		}
		if off := same(tables[1:]); off < 1e-6 {
			t.Errorf("%s: the first table does not count: %g", name, off)
		}
	}
}

// Fits that are larger than what was measured are sampled, also under a private n; a public structure warns of nothing;
// structural zeros are refused.
func TestLearnedNetworks(t *testing.T) {
	for name, c := range map[string]struct {
		m      model.LearnedModel
		target dp.Request
	}{
		"maximum entropy": {model.MaxEntropy().Always(), dp.PureDP(8)},
		"cliques":         {model.Cliques(3).Always(), dp.PureDP(8)},
		"private n":       {model.Tree().Always(), dp.PureDP(8).Under(dp.AddRemove)},
	} {
		if testing.Short() && name == "cliques" {
			continue
		}
		r := learnt(t, c.m, structure.Geometric(), clinicNet(t), 300, c.target)
		p, err := OfContext(t.Context(), r)
		must(t, err)
		for m, want := range map[int]int{1: 2, 3: 1} { // of one set also that it is one
			sets, err := p.joint.SyntheticSets(m, 10)
			must(t, err)
			if w := sets.Warnings(); len(w) != want || w[0].Kind != warning.KindLearnedRows {
				t.Errorf("%s: %d sets warn of %v", name, m, w)
			}
		}
		if text := p.joint.Caption() + p.String(); strings.Contains(text, "..") {
			t.Errorf("%s: %s", name, text)
		}
		if len(p.Parameters()) == 0 || p.joint.Exact() || !strings.Contains(p.String(), "learned from the same rows") {
			t.Errorf("%s: %s", name, p)
		}
		a, err := p.joint.Answers(t.Context(), Probability(Event{"ill": "yes"}))
		must(t, err)
		truth := joint(clinicNet(t), func(x []int) bool { return x[2] == 1 })
		if q := a.List[0]; math.Abs(q.Mean()-truth) > 8*(q.SD()+.03) {
			t.Errorf("%s: %v ± %v, in truth %v", name, q.Mean(), q.SD(), truth)
		}
	}
	var u *UnsupportedError
	zeros := model.Tree().Always().StructuralZeros(map[string]string{"age": "old", "ill": "yes"})
	r := learnt(t, zeros, structure.Geometric(), clinicNet(t), 300, dp.PureDP(8))
	if _, err := OfContext(t.Context(), r); !errors.As(err, &u) {
		t.Error(err)
	}
	public, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 100, dp.PureDP(2), false))
	must(t, err)
	star, err := OfNetwork(t.Context(), learnt(t, model.Tree().Star("b"), structure.Geometric(), threeNodes(t), 100, dp.PureDP(4)))
	must(t, err)
	if public.Warnings() != nil || star.Warnings() != nil || strings.Contains(star.Caption(), "same rows") {
		t.Error(public.Warnings(), star.Warnings())
	}
}
