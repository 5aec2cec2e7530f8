package keep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Artifact is what is drawn under one charge and kept in one file.
type Artifact interface {
	ID() string         // its name in ledgers
	Randomness() string // "secure" or "seeded: not private"
	JSON() ([]byte, error)
}

// Work is a draw that is made once: one charge pays for it, and one file may keep it.
type Work[T Artifact] struct {
	Public  []byte // all that decides the distribution of the draw, but for the seed
	Dataset string
	Budget  *budget.Budget // charged before the draw; may be nil
	Charge  budget.Charge  // of which ID and Seeded are set by Do
	Seed    *uint64        // nil: secure randomness
	Path    string         // file that keeps it; empty: it is not kept
	// Once refuses to take up a draw that ended on the way, where Charge does not pay for what its end tells.
	Once bool

	Room  func() (int64, error) // bound on the size of the file, from public facts
	Draw  func(ctx context.Context, id string, src *dp.Stream) (T, error)
	Parse func(ctx context.Context, b []byte) (T, error)
	Load  func(ctx context.Context, path string) (T, error)
	Same  func(path string, have T) error // says why what a file has is not what Draw would draw: *Error
}

// Do draws, or loads what the file keeps; then loaded is true. Errors: see [Request.Draw].
func (w Work[T]) Do(ctx context.Context) (made T, loaded bool, err error) {
	if w.Path != "" {
		k := &keeper[T]{Work: w, ctx: ctx, files: journal.FilesOf(ctx)}
		if err := k.keep(); err != nil {
			return made, false, err // one that could not be written comes out of its error alone
		}
		return k.made, k.loaded, nil
	}
	stream, id, err := w.stream()
	if err != nil {
		return made, false, err
	}
	if err := w.charge(ctx, id); err != nil {
		return made, false, err
	}
	made, err = w.Draw(ctx, id, stream)
	return made, false, err
}

// stream is the randomness of the draw, with a name for what is drawn: random bits of it, bound to the plan so that one
// seed used for two plans gives two names.
func (w Work[T]) stream() (*dp.Stream, string, error) {
	s, err := dp.Secure()
	if w.Seed != nil {
		s, err = dp.Seeded(*w.Seed), nil
	}
	if err != nil {
		return nil, "", err
	}
	h := sha256.Sum256(append([]byte(s.Identifier()), w.Public...))
	return s, hex.EncodeToString(h[:16]), nil
}

// charge charges the draw that is to be made.
func (w Work[T]) charge(ctx context.Context, id string) error {
	return journal.Charging(ctx, func() error { return w.pay(id, w.Seed != nil) })
}

// pay charges a name, once.
func (w Work[T]) pay(id string, seeded bool) error {
	if w.Budget == nil {
		return nil
	}
	c := w.Charge
	c.ID, c.Seeded = id, seeded
	return w.Budget.Charge(w.Dataset, c)
}

// keeper keeps one artifact in one file.
type keeper[T Artifact] struct {
	Work[T]
	ctx    context.Context
	files  journal.Files
	made   T
	loaded bool
}

// keep loads the kept release, or draws and keeps one.
func (k *keeper[T]) keep() error {
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
	case journal.Reserved:
		if k.Once {
			return &DraftError{Path: k.Path, Want: "a draw that did not end on the way, since another run of this one is " +
				"another charge"}
		}
	}
	return k.drawInto(d)
}

var errNotKept = errors.New("no kept release")

// load is errNotKept where there is none.
func (k *keeper[T]) load() error {
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
	if err := k.Same(k.Path, r); err != nil {
		return err
	}
	k.made, k.loaded = r, true
	return k.settle(r)
}

// settle charges what was drawn before. A budget that did not pay for the draw gets no slots: it cannot know which of
// them were used.
func (k *keeper[T]) settle(r T) error {
	w := k.Work
	w.Charge.Slots = nil
	return w.pay(r.ID(), r.Randomness() != "secure")
}

// charged reports whether the budget was charged for a name.
func (k *keeper[T]) charged(id string) bool {
	return k.Budget != nil && slices.ContainsFunc(k.Budget.Charges(), func(c budget.Charge) bool { return c.ID == id })
}

// read reads the kept release.
func (k *keeper[T]) read() (made T, err error) {
	if k.files == journal.OS {
		return k.Load(k.ctx, k.Path)
	}
	b, err := k.files.ReadFile(k.Path)
	if err != nil {
		return made, &release.FileError{Path: k.Path, Want: "a release file", Err: err}
	}
	return k.Parse(k.ctx, b)
}

// finish keeps the release of a draft that an earlier try sealed: it was drawn then, and nothing is drawn now.
func (k *keeper[T]) finish(d *journal.Draft) error {
	r, err := k.Parse(k.ctx, d.Content())
	if err != nil {
		return err
	}
	if err := k.Same(journal.Path(k.Path), r); err != nil {
		return err
	}
	if err := k.settle(r); err != nil {
		return err
	}
	if err := d.Publish(); err != nil {
		return &UnwrittenError{Path: k.Path, Err: err, made: r}
	}
	k.made, k.loaded = r, true
	return nil
}

// drawInto reserves name and room, charges, draws, and seals the release in the draft, in this order, and makes the
// file of it.
func (k *keeper[T]) drawInto(d *journal.Draft) error {
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
	public := k.digest()
	if !first {
		if d.Head().Plan != public {
			return &DraftError{Path: k.Path, Want: "the plan and the randomness with which it was begun"}
		}
		// slots are of one budget: another one, which may pay for the draw in place of the first, has them under a new name
		if len(k.Charge.Slots) == 0 || k.charged(d.Head().ID) {
			id = d.Head().ID
		}
	}
	size, err := k.Room()
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
	if k.made, err = k.Draw(k.ctx, id, stream); err != nil {
		return err
	}
	content, err := k.made.JSON()
	if err != nil {
		return err
	}
	if err := d.Seal(content); err != nil {
		attempt := d.Head().Attempt
		show := func() error { return journal.Show(context.WithoutCancel(k.ctx), k.files, k.Path, attempt) }
		return &UnwrittenError{Path: k.Path, Err: err, made: k.made, show: show}
	}
	if err := d.Publish(); err != nil {
		return &UnwrittenError{Path: k.Path, Err: err, made: k.made}
	}
	return nil
}

// digest is of all that decides the distribution of a draw, and of the seed if there is one.
func (k *keeper[T]) digest() string {
	b := k.Public
	if k.Seed != nil {
		b = fmt.Appendf(slices.Clone(b), "seed %d", *k.Seed)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Room bounds the size of a release's file from public facts: the numbers that its plan may draw, each raw and as what
// is made of it, the names and labels around them, and the checks.
func Room(plan *mechanism.Plan) (int64, error) {
	const number, word = 40, 16 // bytes of a number on a line of its own, and around a word
	checks, errA := json.Marshal(plan.Certificate())
	described, errB := json.Marshal(plan)
	if err := errors.Join(errA, errB); err != nil {
		return 0, err
	}
	bytes := 1<<16 + 3*int64(len(checks)) + 3*int64(len(described))
	bytes += number * int64(plan.Numbers())
	real := plan.Draws() != mechanism.Integers
	if real { // they come again as what is made of them
		bytes += number * int64(plan.Numbers())
	}
	longest := 0
	for _, t := range plan.Shape().Tables() {
		bytes += number * int64(t.Cells())
		for i, c := range t.Columns {
			bytes += int64(2*len(c) + 2*word)
			for _, l := range t.Labels[i] {
				longest = max(longest, len(l), len(c))
				bytes += int64(len(l) + word)
			}
		}
	}
	if l := plan.Shape().Learning(); l != nil { // at most a clique for every column
		bytes += number * int64(l.MaxCells) * int64(len(plan.Shape().Columns()))
	}
	words := 4 // of a name: column, level, and those that are given
	if plan.Shape().Joint() {
		words = 2 * len(plan.Shape().Columns())
	}
	for _, c := range plan.Shape().Conditionals() {
		if real {
			bytes += int64(c.Rows*c.Levels) * int64(number+words*longest+words/2*word) // with a name, in a list of draws
		}
	}
	return bytes, nil
}
