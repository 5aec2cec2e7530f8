package noiseaware

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// mostSets is a quarter of the least effective sample size: draws that far apart are nearly independent.
const mostSets = leastESS / 4

// SyntheticSets are m synthetic data sets of the given rows, each drawn from another draw of the posterior, far apart
// in the chains. 0 is for the defaults: 20 sets of five times the records, the public n or, where n is private, the
// posterior mean of it. They are a function of the release: the same each time, and free. Analyse each as if it were
// the table and Combine: see package synthetic. Errors: *dp.ParameterError for more than 100 sets, and those of
// synthetic.New.
func (p *NetworkPosterior) SyntheticSets(m, rows int) (*synthetic.Sets, error) {
	if m > mostSets || m < 0 {
		return nil, domain.Refuse("noiseaware", "sets", m, fmt.Sprintf("1 to %d, or 0 for the default", mostSets))
	}
	var sets *synthetic.Sets
	draw := func(set, rows int) (*frame.Frame, error) {
		at := (2*set + 1) * p.Len() / (2 * sets.Len())
		return p.s.shape.RecordsOf(p.Draw(at).Net, rows, rand.NewChaCha8(p.seed("set", uint64(set))))
	}
	sets, err := synthetic.New(synthetic.Spec{Sets: m, Rows: rows, Graph: p.s.dag, Draw: draw, Title: p.s.title,
		Public: p.s.caption, Records: p.records(), Warnings: p.Warnings()})
	return sets, err
}

// records is the public number of records, or the posterior mean of a latent one.
func (p *NetworkPosterior) records() float64 {
	if n, ok := p.Records(); ok {
		return float64(n)
	}
	sum := 0.0
	for i := range p.Len() {
		sum += float64(p.Draw(i).Records) / float64(p.Len())
	}
	return max(sum, 1)
}

// seed makes streams of its own for what is drawn beside the chains.
func (p *NetworkPosterior) seed(of string, i uint64) [32]byte {
	b := append(p.s.seed[:len(p.s.seed):len(p.s.seed)], of...)
	return sha256.Sum256(binary.LittleEndian.AppendUint64(b, i))
}
