// Package keep makes a release once. It charges the budget, generates the noise, and saves the release in a file from
// which later runs load it.
//
// Before the charge, a draft next to the file, path + ".draft", reserves the release's name and disk space. A missing
// folder, a folder that cannot be written and a full disk are a *release.FileError, and nothing is charged. Whatever
// fails afterwards, the next try finds the draft and costs nothing more. It uses a complete draft. Otherwise nobody can
// have seen a noisy number, and it generates the noise again under the same charge. A release that could not be written
// is an [UnwrittenError], from which it can be taken. A draft of another plan is a [DraftError].
//
// This supposes that the reason of a failure did not depend on the noisy numbers. A deadline so short that slow
// sampling misses it is a side channel in time. A copy of a draft made before the noise was generated gives a second
// release under its charge: do not copy drafts. Details: internal/journal.
package keep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Request is a release to be drawn or kept.
type Request struct {
	Plan       *mechanism.Plan
	Statistics *model.Statistics
	Budget     *budget.Budget // charged before the draw; may be nil
	Seed       *uint64        // nil: secure randomness
	Path       string         // file that keeps the release; empty: it is not kept
}

// Draw draws the release, or loads it from the file that keeps it; then loaded is true. On an error before the charge
// nothing is drawn or charged; on one after it the charge stays, and with a path the next try costs nothing more.
// Errors: *Error for a file that keeps another release, *UnwrittenError for a draw that could not be written,
// *DraftError for a draft of another plan, *release.FileError, and those of budgets and draws.
func (r Request) Draw(ctx context.Context) (out *release.Release, loaded bool, err error) {
	if r.Plan == nil {
		return nil, false, &mechanism.StatisticsError{Have: "no plan", Want: "a plan and statistics of its shape"}
	}
	if err := cmp.Or(r.Plan.Accepts(r.Statistics), r.Plan.Fits(ctx)); err != nil {
		return nil, false, err
	}
	if r.Path != "" {
		k := &keeper{Request: r, ctx: ctx, files: journal.FilesOf(ctx)}
		if err := k.keep(); err != nil {
			return nil, false, err // one that could not be written comes out of its error alone
		}
		return k.release, k.loaded, nil
	}
	stream, id, err := r.stream()
	if err != nil {
		return nil, false, err
	}
	if err := r.charge(ctx, id); err != nil {
		return nil, false, err
	}
	out, err = r.draw(ctx, id, stream)
	return out, false, err
}

// stream is the randomness of the draw, with a name for the release: random bits of it, bound to the plan so that one
// seed used for two plans gives two names.
func (r Request) stream() (*dp.Stream, string, error) {
	s, err := dp.Secure()
	if r.Seed != nil {
		s, err = dp.Seeded(*r.Seed), nil
	}
	if err != nil {
		return nil, "", err
	}
	b, err := json.Marshal(r.Plan)
	if err != nil {
		return nil, "", err
	}
	h := sha256.Sum256(append([]byte(s.Identifier()), b...))
	return s, hex.EncodeToString(h[:16]), nil
}

// charge charges the draw that is to be made.
func (r Request) charge(ctx context.Context, id string) error {
	return journal.Charging(ctx, func() error { return r.pay(id, r.Seed != nil) })
}

// pay charges a release of a name, once.
func (r Request) pay(id string, seeded bool) error {
	if r.Budget == nil {
		return nil
	}
	g, mode := r.Plan.Certified(), budget.Adaptive
	if _, list := r.Plan.Pair().(loss.Declared); list {
		mode = budget.ListDeclared
	}
	s := r.Plan.Shape().Schema()
	return r.Budget.Charge(s.Dataset, budget.Charge{
		ID: id, What: safetext.Clip(r.Plan.Title()+", "+r.Plan.Shape().Model().String(), 4000), Level: g.Parameters,
		Adjacency: g.Adjacency, Unit: budget.UnitOf(s), Seeded: seeded, State: mode,
	})
}

// draw draws what is paid for.
func (r Request) draw(ctx context.Context, id string, stream *dp.Stream) (*release.Release, error) {
	drawn, err := r.Plan.Draw(ctx, r.Statistics, id, stream)
	if err != nil {
		return nil, err
	}
	return release.New(context.WithoutCancel(ctx), r.Plan, drawn) // what is charged is estimated to the end
}

// keeper keeps one release in one file.
type keeper struct {
	Request
	ctx     context.Context
	files   journal.Files
	release *release.Release
	loaded  bool
}

// keep loads the kept release, or draws and keeps one.
func (k *keeper) keep() error {
	if err := k.load(); !errors.Is(err, errNotKept) {
		if err == nil {
			journal.Clear(k.files, k.Path)
		}
		return err
	}
	d, err := journal.Open(k.ctx, k.files, k.Path)
	if err != nil {
		if k.ctx.Err() != nil {
			return k.ctx.Err()
		}
		return &release.FileError{Path: k.Path, Want: "a folder that exists and can be written, to keep it in; " +
			"nothing was drawn or charged", Err: err}
	}
	defer func() { _ = d.Close() }()
	// another program may have kept one between the look and the lock
	if err := k.load(); !errors.Is(err, errNotKept) {
		if d.State() == journal.Empty {
			_ = d.Remove()
		} else if err == nil {
			_ = d.Obsolete()
		}
		return err
	}
	switch d.State() {
	case journal.Shown:
		return &DraftError{Path: k.Path, Want: "the release that was drawn under its charge and handed out unkept: " +
			"save that one here"}
	case journal.Sealed:
		return k.finish(d)
	}
	return k.drawInto(d)
}

var errNotKept = errors.New("no kept release")

// load is errNotKept where there is none.
func (k *keeper) load() error {
	_, err := k.files.Lstat(k.Path)
	_, begun := k.files.Lstat(journal.Path(k.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && begun == nil && journal.Nameless(k.files, k.Path):
		return errNotKept
	case err != nil:
		return &release.FileError{Path: k.Path, Want: "a release file or a place for one; nothing was drawn or " +
			"charged", Err: err}
	}
	r, err := k.read()
	if errors.Is(err, fs.ErrNotExist) {
		return &release.FileError{Path: k.Path, Want: "a release file or nothing, not a link to nowhere; nothing was " +
			"drawn or charged", Err: err}
	}
	if err != nil {
		return err
	}
	if err := samePlan(k.Path, r.Plan(), k.Plan); err != nil {
		return err
	}
	k.release, k.loaded = r, true
	return k.pay(r.ID(), r.Randomness() != "secure")
}

// read reads the kept release.
func (k *keeper) read() (*release.Release, error) {
	if k.files == journal.OS {
		return release.Load(k.ctx, k.Path)
	}
	b, err := k.files.ReadFile(k.Path)
	if err != nil {
		return nil, &release.FileError{Path: k.Path, Want: "a release file", Err: err}
	}
	return release.Parse(k.ctx, b)
}

// finish keeps the release of a draft that an earlier try sealed: it was drawn then, and nothing is drawn now.
func (k *keeper) finish(d *journal.Draft) error {
	r, err := release.Parse(k.ctx, d.Content())
	if err != nil {
		return err
	}
	if err := samePlan(journal.Path(k.Path), r.Plan(), k.Plan); err != nil {
		return err
	}
	if err := k.pay(r.ID(), r.Randomness() != "secure"); err != nil {
		return err
	}
	if err := d.Publish(); err != nil {
		return &UnwrittenError{Path: k.Path, Err: err, release: r}
	}
	k.release, k.loaded = r, true
	return nil
}

// drawInto reserves name and room, charges, draws, and seals the release in the draft, in this order, and makes the
// file of it.
func (k *keeper) drawInto(d *journal.Draft) error {
	first := d.State() == journal.Empty
	abandon := func(err error) error {
		if first {
			_ = d.Remove()
		}
		return err
	}
	stream, id, err := k.stream()
	if err != nil {
		return abandon(err)
	}
	public, err := k.digest()
	if err != nil {
		return abandon(err)
	}
	if !first {
		if d.Head().Plan != public {
			return &DraftError{Path: k.Path, Want: "the plan and the randomness with which it was begun"}
		}
		id = d.Head().ID
	}
	size, err := room(k.Plan)
	if err != nil {
		return abandon(err)
	}
	if err := d.Reserve(id, public, size); err != nil {
		return abandon(&release.FileError{Path: k.Path, Want: "room for the release next to it; nothing was drawn or " +
			"charged", Err: err})
	}
	if err := k.charge(k.ctx, id); err != nil {
		var ledger *budget.LedgerError
		if errors.As(err, &ledger) {
			return err // whether the charge is on disk is not known: the name stays
		}
		return abandon(err)
	}
	if k.release, err = k.draw(k.ctx, id, stream); err != nil {
		return err
	}
	content, err := k.release.JSON()
	if err != nil {
		return err
	}
	if err := d.Seal(content); err != nil {
		attempt := d.Head().Attempt
		show := func() error { return journal.Show(context.WithoutCancel(k.ctx), k.files, k.Path, attempt) }
		return &UnwrittenError{Path: k.Path, Err: err, release: k.release, show: show}
	}
	if err := d.Publish(); err != nil {
		return &UnwrittenError{Path: k.Path, Err: err, release: k.release}
	}
	return nil
}

// digest is of all that decides the law of a draw, and of the seed if there is one.
func (k *keeper) digest() (string, error) {
	b, err := json.Marshal(k.Plan)
	if err != nil {
		return "", err
	}
	if k.Seed != nil {
		b = fmt.Appendf(b, "seed %d", *k.Seed)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:]), nil
}
