package noiseaware

import "context"

// networks are the joint posteriors that were made for a posterior, by whether chains were asked for.
type networks struct {
	turn chan struct{} // holds one token while one is made
	made map[bool]*NetworkPosterior
}

func newNetworks() *networks {
	return &networks{turn: make(chan struct{}, 1), made: map[bool]*NetworkPosterior{}}
}

// Network is the joint posterior that the probabilities are of. Of models with shared tables it was computed with them;
// of one table and naive Bayes, whose probabilities are found exactly, it is drawn when it is first asked for, and
// asking again costs nothing and gives the same one. With Sampled() it is by chains: where it was not, those are run
// once. WithProgress is told of what is made at this call, and of questions to it. Errors: those of OfNetwork.
func (p *Posterior) Network(ctx context.Context, options ...Option) (*NetworkPosterior, error) {
	var asked setting
	for _, o := range options {
		o(&asked)
	}
	fits := func(n *NetworkPosterior) bool { return n != nil && !(asked.sampled && n.Exact()) }
	if fits(p.joint) {
		return p.joint, nil
	}
	select {
	case p.networks.turn <- struct{}{}:
		defer func() { <-p.networks.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for _, sampled := range []bool{asked.sampled, false} {
		if n := p.networks.made[sampled]; fits(n) {
			return n, nil
		}
	}
	n, err := OfNetwork(ctx, p.release, options...)
	if err != nil {
		return nil, err
	}
	p.networks.made[asked.sampled] = n
	return n, nil
}
