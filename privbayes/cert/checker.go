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

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
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
