package privbayes

import (
	"github.com/privbayes/privbayes-go/internal/draft"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// OnFiles keeps on another file system.
func OnFiles(files draft.Files) Option {
	return func(o *options) {
		o.files = files
		o.load = func(path string) (*Release, error) {
			b, err := files.ReadFile(path)
			if err != nil {
				return nil, &release.FileError{Path: path, Want: "a release file", Err: err}
			}
			return release.Parse(o.ctx, b)
		}
	}
}

// Charging swaps the charge of a draft: what it is given makes the true one.
func Charging(charge func(charge func() error) error) Option {
	return func(o *options) { o.charging = charge }
}

// Room is how much a draft reserves.
var Room = room
