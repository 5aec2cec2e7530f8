package privbayes

import "github.com/privbayes/privbayes-go/internal/journal"

// OnFiles keeps on another file system.
func OnFiles(files journal.Files) Option {
	return func(o *options) { o.ctx = journal.WithFiles(o.ctx, files) }
}

// Charging swaps the charge of a draft: what it is given makes the true one.
func Charging(charge func(charge func() error) error) Option {
	return func(o *options) { o.ctx = journal.WithCharging(o.ctx, charge) }
}
