package cert

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Outcome is what a checker derived, the method it used, and how many cases it visited.
type Outcome struct {
	Value  float64
	Method Method
	Work   int64
}

// Checker derives one value from public parameters of type P, which are read from files as strictly as they are
// written: an unknown field is an error. It returns ErrWorkLimit when it would visit more than [WorkLimit] cases.
type Checker[P any] struct{ kind string }

var (
	mu       sync.RWMutex
	checkers = map[string]func(ctx context.Context, params json.RawMessage) (Outcome, error){}
)

// Define makes a checker and makes it known under a kind such as "geometric/pure", so that checks of files are derived
// by it. It panics when the kind is taken, which is a programming error at start-up. derive must refuse parameters
// outside their domain: they may come from a file.
func Define[P any](kind string, derive func(ctx context.Context, p P) (Outcome, error)) Checker[P] {
	mu.Lock()
	defer mu.Unlock()
	if _, dup := checkers[kind]; dup {
		panic("cert: checker defined twice: " + kind)
	}
	checkers[kind] = func(ctx context.Context, raw json.RawMessage) (Outcome, error) {
		var p P
		if err := Decode(raw, &p); err != nil {
			return Outcome{}, fmt.Errorf("cert: parameters of %s: %w", kind, err)
		}
		return derive(ctx, p)
	}
	return Checker[P]{kind}
}

// Kind is the name that the checker is known by.
func (c Checker[P]) Kind() string { return c.kind }

// Check derives the value for params and returns k with kind, params, value, method and work set. The caller sets the
// words, the source, the scope and the bound. One process derives a value once, however many plans and files state it;
// [Certificate.Verify] derives it again each time.
func (c Checker[P]) Check(ctx context.Context, k Check, params P) (Check, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return k, fmt.Errorf("cert: parameters of %s: %w", c.kind, err)
	}
	out, err := derived.run(ctx, c.kind, raw) // what a verifier will run, on what it will read
	if err != nil {
		return k, err
	}
	k.Kind, k.Params, k.Value, k.Method, k.Work = c.kind, raw, Number(out.Value), out.Method, out.Work
	return k, nil
}

// Decode reads one JSON value strictly: an unknown field, anything after the value, or more than a hundred objects and
// arrays in each other is an error.
func Decode(raw []byte, to any) error {
	if err := strictjson.Shallow(raw); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("want one JSON value and nothing after it")
	}
	return nil
}

// UnknownError names what a file asks for and no imported package defines: a kind of check, or a mechanism.
type UnknownError struct{ What, Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown %s %s; want the package that defines it imported, or a newer library", e.What,
		safetext.Short(e.Name))
}

// Run derives the value of one kind.
func Run(ctx context.Context, kind string, params json.RawMessage) (Outcome, error) {
	mu.RLock()
	c, ok := checkers[kind]
	mu.RUnlock()
	if !ok {
		return Outcome{}, &UnknownError{What: "check", Name: kind}
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	return c(ctx, params)
}

// outcomes are those of checks that were stated in this process, with the limit of work that each was derived under.
type outcomes struct {
	sync.Mutex
	of map[[sha256.Size]byte]limited // by kind and parameters, of which files state megabytes
}

type limited struct {
	Outcome
	limit int64
}

var derived outcomes

// most is how many outcomes are kept.
const most = 1 << 12

// run is [Run], or what it returned before for the same parameters under no higher limit of work.
func (o *outcomes) run(ctx context.Context, kind string, params json.RawMessage) (Outcome, error) {
	key, limit := sha256.Sum256([]byte(kind+" "+string(params))), WorkLimit(ctx)
	o.Lock()
	known, ok := o.of[key]
	o.Unlock()
	if ok && known.limit <= limit && ctx.Err() == nil {
		return known.Outcome, nil
	}
	out, err := Run(ctx, kind, params)
	if err != nil {
		return out, err
	}
	o.Lock()
	defer o.Unlock()
	if len(o.of) >= most || o.of == nil {
		o.of = map[[sha256.Size]byte]limited{}
	}
	o.of[key] = limited{out, limit}
	return out, nil
}

// Forget makes [Checker.Check] derive every value anew: for tests that put a wrong component in the place of a right
// one.
func Forget() {
	derived.Lock()
	defer derived.Unlock()
	derived.of = nil
}

// LimitError refuses a computation before it begins, as it would take more than a limit. Figure and limit are functions
// of public inputs.
type LimitError struct {
	What   string  // what was to be computed: "the audit of parities"
	Figure float64 // what it would take
	Unit   string  // of both: "bytes", "cells", "steps"
	Limit  float64
	Use    string // what to do instead; may be empty
}

func (e *LimitError) Error() string {
	s := fmt.Sprintf("cert: %s takes %s %s; the limit is %s", e.What, table.Apart(e.Figure, e.Limit),
		e.Unit, table.Apart(e.Limit, e.Figure))
	if e.Use != "" {
		s += "; " + e.Use
	}
	return s
}

// Within returns a *LimitError when the figure is above the limit or not a number, and nil otherwise.
func Within(what string, figure float64, unit string, limit float64, use string) error {
	if figure <= limit {
		return nil
	}
	return &LimitError{what, figure, unit, limit, use}
}

// DefaultMemoryLimit is the number of bytes that one computation may hold at once unless told otherwise: half a GiB.
const DefaultMemoryLimit = 1 << 29

type memoryKey struct{}

// WithMemoryLimit sets how many bytes a plan, certificate, draw or verification under the context may hold at once. It
// raises the default for a model that is known to be large, and lowers it where files of strangers are read.
func WithMemoryLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, memoryKey{}, bytes)
}

// MemoryLimit is the number of bytes that WithMemoryLimit set, else DefaultMemoryLimit.
func MemoryLimit(ctx context.Context) int64 {
	if n, ok := ctx.Value(memoryKey{}).(int64); ok {
		return n
	}
	return DefaultMemoryLimit
}

// Memory refuses what would hold more bytes than [MemoryLimit], by an estimate made before anything is allocated:
// *LimitError.
func Memory(ctx context.Context, what string, bytes float64) error {
	return Within(what, bytes, "bytes", float64(MemoryLimit(ctx)), "raise it with cert.WithMemoryLimit, or make the "+
		"model smaller")
}

const (
	progressSteps = 1 << 16 // elementary steps between two looks at the context: under a millisecond of arithmetic
	progressDelay = time.Second
	progressEvery = 100 * time.Millisecond
)

// Progress is how a long loop keeps an eye on its context: the loop tells it of its steps, and it looks at the context
// every few thousand of them. Work that takes over a second is reported to the context's callback ([WithProgress]), at
// most ten times a second. It belongs to one goroutine.
type Progress struct {
	ctx         context.Context
	report      func(done, total int64)
	done, total int64
	mark        int64 // of done: the next look
	start, last time.Time
}

// NewProgress starts the watch over work of about total elementary steps, each some nanoseconds.
func NewProgress(ctx context.Context, total float64) *Progress {
	p := &Progress{ctx: ctx, report: ProgressOf(ctx), total: 1, mark: progressSteps}
	if total > 1 {
		p.total = int64(min(total, 1<<62))
	}
	if p.report != nil {
		p.start = time.Now()
	}
	return p
}

// Step counts steps that were done, or are about to be, and returns the context's error once it has ended. A loop body
// of many elementary steps counts them all.
func (p *Progress) Step(steps int) error {
	if p.done += int64(steps); p.done < p.mark {
		return nil
	}
	p.mark = p.done + progressSteps
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.report == nil {
		return nil
	}
	if now := time.Now(); now.Sub(p.start) >= progressDelay && now.Sub(p.last) >= progressEvery {
		p.last = now
		p.report(min(p.done, p.total-1), p.total) // the work that follows may have a watch of its own
	}
	return nil
}
