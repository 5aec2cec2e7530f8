package keep

import (
	"fmt"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// parameters begins the Field of an Error about those of a mechanism, of which a version chooses some.
const parameters = "parameters"

// Error says that a kept release is not the one asked for. Nothing was drawn or charged.
type Error struct {
	Path, Field string
	Have, Want  string
}

func (e *Error) Error() string {
	older := ""
	if strings.HasPrefix(e.Field, parameters+".") {
		older = "If the same was asked for, another version of the library had other noise: the kept release still holds, " +
			"and is loaded at no cost. "
	}
	return fmt.Sprintf("kept release %s: %s is %s; want %s. %sTo draw another release, keep it in another file",
		safetext.File(e.Path), e.Field, safetext.Clip(safetext.Line(e.Have), 2000),
		safetext.Clip(safetext.Line(e.Want), 2000), older)
}

// UnwrittenError says that a release was charged and drawn but is not in the file that was to keep it. Nothing is lost:
// to keep it again, with the same plan, costs nothing more, and the release can be taken from the error and saved
// elsewhere.
type UnwrittenError struct {
	Path string // the file that was to keep it
	Err  error  // why it is not there

	made Artifact
	show func() error // before it may be handed out; nil if the draft holds it
	mu   sync.Mutex
}

func (e *UnwrittenError) Error() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	what := "the whole of it stands in " + journal.Path(e.Path) + ": keep it again, at no further cost, when the file " +
		"can be written"
	if e.show != nil {
		what = "no one has seen it: keep it again, at no further cost, or take Release from this error and save it elsewhere"
	}
	return fmt.Sprintf("kept release %s: charged and drawn, but not written; %s: %v", e.Path, what, e.Err)
}

// Unwrap returns the cause.
func (e *UnwrittenError) Unwrap() error { return e.Err }

// Release hands out the release that could not be kept; nil where something else could not. If it is in memory only,
// the draft is marked first, so that nobody draws another under its charge: from then on it must be saved, to be kept
// under its old path, to be used. If the mark cannot be written, or another was drawn in its place, it stays unseen,
// and the error says why.
func (e *UnwrittenError) Release() (*release.Release, error) {
	made, err := e.Artifact()
	r, _ := made.(*release.Release)
	return r, err
}

// Artifact is [UnwrittenError.Release] of whatever was drawn.
func (e *UnwrittenError) Artifact() (Artifact, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.show != nil {
		if err := e.show(); err != nil {
			return nil, &DraftError{Path: e.Path, Want: "the mark that the release was handed out", Err: err}
		}
		e.show = nil
	}
	return e.made, nil
}

// DraftError says that the draft of a kept release cannot be gone on with. Nothing was drawn or charged by the call
// that returns it. To give up what the draft stands for, with its charge if there was one, remove the draft.
type DraftError struct {
	Path string // the file that was to keep the release
	Want string
	Err  error
}

func (e *DraftError) Error() string {
	s := fmt.Sprintf("draft %s: want %s, or remove the draft and draw anew at its own price", journal.Path(e.Path),
		e.Want)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *DraftError) Unwrap() error { return e.Err }
