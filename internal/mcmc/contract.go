package mcmc

import "context"

// Contract says how well chains must know a quantity before it is used.
type Contract struct {
	Sweeps int     // kept of each chain at first, after as many of burn-in
	RHat   float64 // what R-hat must be below
	ESS    float64 // the least effective sample size, of bulk and tails
	Naive  int     // independent draws of what is shown beside
}

type contractKey struct{}

// With is a context in which chains are held to another contract than their package's own: for studies of many
// replicates, where what matters is their number. No user's context has one.
func (c Contract) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, contractKey{}, c)
}

// ContractOf is the contract of a context, or the given one.
func ContractOf(ctx context.Context, otherwise Contract) Contract {
	if c, ok := ctx.Value(contractKey{}).(Contract); ok {
		return c
	}
	return otherwise
}
