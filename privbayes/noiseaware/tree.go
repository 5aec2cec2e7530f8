package noiseaware

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// treeLevels is how often the draws of a tree are drawn anew, where a question's draws look as if they disagreed.
const treeLevels = 6

// drawTree draws as many independent draws as chains keep. Another level has other ones.
func (p *NetworkPosterior) drawTree(ctx context.Context) error {
	entries := p.entries()
	l := &level{draws: max(min(keptMost, drawBytes/(chains*16*entries)), 100)}
	l.theta, l.counts, l.records = make([][]float64, chains), make([][]int64, chains), make([][]int64, chains)
	src := rand.NewChaCha8(p.seed("tree", uint64(len(p.kept))))
	for c := range chains {
		for range l.draws {
			if err := ctx.Err(); err != nil {
				return err
			}
			counts, theta := p.tree.Draw(src)
			for _, t := range theta {
				l.theta[c] = append(l.theta[c], t...)
			}
			l.counts[c], l.records[c] = append(l.counts[c], counts...), append(l.records[c], p.s.problem.N)
		}
	}
	l.nets, l.made = makeNets(chains * l.draws)
	p.keep(l)
	if p.s.progress != nil {
		p.s.progress(int64(chains*l.draws), int64(chains*l.draws))
	}
	return nil
}

// treeRoute says that the posterior is exact, and how far it may be off.
func (p *NetworkPosterior) treeRoute() string {
	return fmt.Sprintf("Exact law of the latent tables, by messages over one count of two-level nodes, without Markov "+
		"chains; tails cut change it by at most %.1g in total variation. Questions are asked of %d independent draws.",
		p.tree.Short, p.Len())
}

// treeMixture is the exact law of one entry.
func (p *NetworkPosterior) treeMixture(v, row, state int) *Mixture {
	alpha := p.s.problem.Alpha[v]
	var parts []part
	for _, l := range p.tree.Rows(v, row) {
		q := part{total: l.Total, lo: l.Lo, p: slices.Clone(l.P)}
		if state == 0 {
			q.lo = l.Total - l.Lo - len(l.P) + 1
			slices.Reverse(q.p)
		}
		parts = append(parts, q)
	}
	return newMixture(alpha[state], alpha[1-state], parts)
}
