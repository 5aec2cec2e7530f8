package privbayes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// transcript is all that a run says besides the numbers it draws, part by part.
type transcript struct {
	names []string
	parts map[string]string
}

func (t *transcript) add(name, text string) {
	if t.parts == nil {
		t.parts = map[string]string{}
	}
	if _, twice := t.parts[name]; !twice {
		t.names = append(t.names, name)
	}
	t.parts[name] += text
}

// differences names the parts in which two transcripts differ, with the first difference.
func differences(a, b *transcript) []string {
	var out []string
	for _, name := range a.names {
		x, y := a.parts[name], b.parts[name]
		if x == y {
			continue
		}
		i := 0
		for i < min(len(x), len(y)) && x[i] == y[i] {
			i++
		}
		from := max(0, i-60)
		out = append(out, fmt.Sprintf("%s: %q against %q", name, x[from:min(len(x), i+60)], y[from:min(len(y), i+60)]))
	}
	for _, name := range b.names {
		if _, both := a.parts[name]; !both {
			out = append(out, fmt.Sprintf("%s: only in one: %.100q", name, b.parts[name]))
		}
	}
	return out
}

// secretCase is one chain from a source to a release.
type secretCase struct {
	source    source
	step      frameStep
	model     privbayes.ModelSpec
	mechanism privbayes.Mechanism
	target    privbayes.Target
	rows      int // of a unit
	advice    bool
	weighted  bool // wages are weights
	loaded    bool // the kept file is read again, which certifies its plan anew
}

// schema is that of the records.
func (c secretCase) schema() *frame.Schema {
	s := secretSchema(c.rows)
	if c.weighted {
		s.Columns = s.Columns[:4]
		s.Weight = &frame.Weight{Column: "wage", Min: "0", Max: "100", Step: "0.5", Clamp: true, Computed: frame.FromDesign}
		s = s.Clone()
	}
	if c.target.Adjacency == dp.WithinStrata {
		s.Strata = &frame.Strata{Column: "group", Sizes: map[string]int64{"a": 80, "b": 400},
			Sampled: map[string]int64{"a": secretRows / 2, "b": secretRows / 2}, Moves: new(bool)}
	}
	return s
}

func (c secretCase) String() string {
	return fmt.Sprintf("%s, %s, %s, %s, %s, %s, units of %d", c.source.name, c.step.name, c.model, c.mechanism.Title(),
		c.target.Parameters, c.target.Adjacency, c.rows)
}

// observe runs the chain on records and writes down everything but what was drawn. The folder is the same for all
// records.
func observe(t testing.TB, dir string, c secretCase, rs records) *transcript {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		must.Do(t, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	o := &observer{dir: dir, secretCase: c, seen: &transcript{}}
	o.frame = c.step.take(c.source.read(t, dir, rs, c.schema()))
	for _, table := range []string{"table.csv", "table.csv.gz"} {
		_ = os.Remove(filepath.Join(dir, table)) // the raw rows themselves
	}
	if o.loaded { // its progress is watched, which has nothing to say of a check that this process has derived
		cert.Forget()
	}
	o.beforeDraw()
	if o.planned {
		o.release()
	}
	return o.seen
}

// observer is the state of one observation.
type observer struct {
	secretCase
	dir     string
	seen    *transcript
	frame   *privbayes.Frame
	planned bool
}

// watched is a context whose progress is written down: all of it, or, of work that several goroutines share, only how
// much there is and that it ends, since then their order shows.
func (o *observer) watched(part string, shared bool) context.Context {
	return cert.WithProgress(quick(), func(done, total int64) {
		if !shared || done == total {
			o.seen.add("progress of "+part, fmt.Sprintf("%d of %d\n", done, total))
		}
	})
}

func (o *observer) fail(part string, err error) { o.seen.add(part, typed(err)) }

// beforeDraw shows frame and model, plans, and is refused in every way there is.
func (o *observer) beforeDraw() {
	o.fail("frame", o.frame.Err())
	m := o.frame.Model(o.model)
	o.fail("model", m.Err())
	hidden := false // n, which frame and shape show where it is public by itself
	if f := o.frame.Data(); f != nil {
		_, public := f.PublicN()
		hidden = public && !o.target.Adjacency.PublicN()
	}
	o.seen.add("model shown", m.String()+table.HTML(m))
	if !hidden {
		o.seen.add("frame shown", o.frame.String()+table.HTML(o.frame)+fmt.Sprintf("%v %+v %#v", o.frame.Data(),
			o.frame.Data(), o.frame.Data()))
		if sh, err := m.Shape(); err == nil {
			b, err := json.Marshal(sh)
			o.seen.add("shape", string(b)+sh.PrivateNStep()+sh.Digest()+typed(err))
		}
	}
	if o.advice {
		a, err := m.Advise(o.target)
		o.fail("advice refused", err)
		if err == nil {
			o.seen.add(
				"advice",
				a.String()+table.HTML(a)+a.Reason(0)+a.NotApplicable(0).String()+a.Detail(0).String()+a.Warnings().String(),
			)
		}
	}
	ctx := context.Background()
	if o.loaded {
		ctx = o.watched("planning", true)
	}
	p, err := m.Plan(o.mechanism, o.target, privbayes.WithContext(ctx))
	o.fail("plan refused", err)
	if o.planned = err == nil; o.planned {
		o.seen.add("plan", planText(p))
	}
	if o.loaded || o.planned && p.Certified().Arithmetic != dp.Exact {
		exact, err := m.Plan(o.mechanism, o.target.RequireExact())
		o.fail("exact plan refused", err)
		if err == nil {
			o.seen.add("exact plan", planText(exact))
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	o.fail("stopped", m.Privatize(o.mechanism, o.target, privbayes.WithContext(stopped), privbayes.Seeded(1)).Err())
	o.fail("nowhere to keep", m.Privatize(o.mechanism, o.target,
		privbayes.KeepIn(filepath.Join(o.dir, "none", "x.json")), privbayes.Seeded(1)).Err())
	o.files("files before the draw")
}

func planText(p *mechanism.Plan) string {
	b, err := json.Marshal(p)
	c, errC := json.Marshal(p.Certificate())
	_, n := p.Shape().N()
	return fmt.Sprintln(string(b), err, string(c), errC, p, table.HTML(p), p.Certificate(),
		table.HTML(p.Certificate()), p.Certified(), p.StandardFormula(), p.Settings(), p.Expected(), p.Pair(), p.Warnings(),
		n, p.Shape().PrivateNStep())
}

// release draws under a budget, keeps, loads, and is refused afterwards.
func (o *observer) release() {
	ledger, path := filepath.Join(o.dir, "ledger"), filepath.Join(o.dir, "kept.json")
	limit := privbayes.Target{Parameters: o.target.Parameters, Adjacency: o.target.Adjacency}
	b, err := privbayes.OpenBudget(ledger, o.schema(), limit)
	o.fail("budget", err)
	f := o.frame
	if err == nil {
		f = f.WithBudget(b)
	}
	m := f.Model(o.model)
	// planned before, so that the progress is the draw's
	p := m.Privatize(&spy{Mechanism: o.mechanism, observer: o}, o.target, privbayes.Seeded(7), privbayes.KeepIn(path),
		privbayes.WithContext(o.watched("drawing", false)))
	o.fail("draw refused", p.Err())
	o.seen.add("warnings", fmt.Sprint(beforeDraw(p.Warnings())))
	o.file("ledger", ledger)
	if b != nil {
		o.seen.add("budget shown", fmt.Sprint(b.Spent(), b))
	}
	over := m.Privatize(o.mechanism, o.target, privbayes.Seeded(8), privbayes.WithContext(quick()))
	o.fail("budget exceeded", over.Err())
	ctx, cancel := context.WithCancel(quick())
	cut := o.frame.Model(o.model).Privatize(&spy{Mechanism: o.mechanism, observer: &observer{seen: &transcript{}},
		at: cancel}, o.target, privbayes.Seeded(9), privbayes.WithContext(ctx))
	cancel()
	o.fail("draw cut short", cut.Err())
	loose := o.frame.Model(o.model).Privatize(o.mechanism, o.target, privbayes.WithContext(quick()))
	o.seen.add("warnings without budget", fmt.Sprint(beforeDraw(loose.Warnings()))+typed(loose.Err()))
	r, err := p.Release()
	if err != nil {
		return
	}
	o.published(r)
	if !o.loaded {
		return
	}
	again := m.Privatize(o.mechanism, o.target, privbayes.Seeded(7), privbayes.KeepIn(path),
		privbayes.WithContext(quick()))
	if kept, err := again.Release(); err == nil {
		sampled(kept)
	}
	o.seen.add("kept", fmt.Sprint(again.Loaded(), beforeDraw(again.Warnings()))+typed(again.Err()))
	other := o.target
	other.Epsilon, other.Rho = other.Epsilon*2, other.Rho*2
	o.fail("another kept", m.Privatize(o.mechanism, other, privbayes.Seeded(7), privbayes.KeepIn(path)).Err())
}

// sampled makes the draws of chains, which what is shown then takes, held to nothing: they follow from what was drawn.
func sampled(r *privbayes.Release) {
	_ = r.Model().Sample(quick())
}

// quick is a context whose chains are held to nothing.
func quick() context.Context {
	return mcmc.Contract{Sweeps: 20, RHat: 1e9, ESS: 1, Naive: 20}.With(context.Background())
}

// published is a release without the numbers drawn and what follows from them. What its file gives again, without the
// data, follows from it.
func (o *observer) published(r *privbayes.Release) {
	sampled(r)
	o.seen.add("release shown", fmt.Sprint(r.Details(), r.Details().HTML(), beforeDraw(r.Warnings()), r.Caption(), r.Guarantee(),
		r.Randomness(), r.ID()))
	b, err := r.JSON()
	o.seen.add("release", typed(err)+skeleton(b))
	if !o.loaded {
		return
	}
	loaded, err := privbayes.LoadRelease(filepath.Join(o.dir, "kept.json"))
	if err != nil {
		o.fail("load", err)
		return
	}
	sampled(loaded)
	again, err := loaded.JSON()
	o.seen.add("follows from the file", fmt.Sprint(err, bytes.Equal(b, again),
		loaded.Summary().String() == r.Summary().String(), loaded.String() == r.String()))
}

// skeleton is a release file with a mark for every number below draw and artifact but the seed: structure and lengths
// stay. Of a learned structure, which is drawn itself, the number of rounds stays and what an artifact consists of.
func skeleton(b []byte) string {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return err.Error()
	}
	if artifact, ok := v["artifact"].(map[string]any); ok && artifact["seed"] != nil {
		artifact["seed"] = "of chains, a hash of the draw"
	}
	for _, key := range []string{"draw", "artifact"} {
		v[key] = masked(v[key])
	}
	if draw, ok := v["draw"].(map[string]any); ok && draw["rounds"] != nil {
		rounds, _ := draw["rounds"].([]any)
		artifact, _ := v["artifact"].(map[string]any)
		draw["rounds"], v["artifact"] = len(rounds), slices.Sorted(maps.Keys(artifact))
	}
	out, err := json.Marshal(v)
	return fmt.Sprint(string(out), err)
}

func masked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if k != "seed" {
				v[k] = masked(v[k])
			}
		}
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	case json.Number:
		return "#"
	}
	return v
}

// file writes down the bytes of a file.
func (o *observer) file(part, path string) {
	b, err := os.ReadFile(path)
	o.seen.add(part, string(charged.ReplaceAll(b, []byte(`"time":""`))))
	o.fail(part, err)
}

// files writes down which files there are, how long, and what they say; a temporary name keeps its stem.
func (o *observer) files(part string) {
	entries, err := os.ReadDir(o.dir)
	o.fail(part, err)
	var list []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(o.dir, e.Name()))
		length := len(b)
		// a draft's attempt and the filling of its room are random bytes; its size is not
		if strings.HasSuffix(e.Name(), ".draft") && length > 8192 {
			b = attempt.ReplaceAll(b[:8192], []byte(`"attempt":""`))
		}
		b = charged.ReplaceAll(b, []byte(`"time":""`))
		list = append(list, fmt.Sprintf("%s %d %q %v\n", strings.TrimRight(e.Name(), "0123456789"), length, b, err))
	}
	sort.Strings(list)
	o.seen.add(part, strings.Join(list, ""))
}

var attempt = regexp.MustCompile(`"attempt":"[0-9a-f]{32}"`)

// charged is the time of a charge, in a ledger: the clock's.
var charged = regexp.MustCompile(`"time":"[0-9TZ:-]{20}"`)

// temporary is the name of a file that exists for a moment: its number is random.
var temporary = regexp.MustCompile(`(\.[a-z]+-)[0-9]+`)

// typed shows an error with the types and fields of all its causes.
func typed(err error) (shown string) {
	if err == nil {
		return "no error\n"
	}
	s := err.Error() + "\n"
	defer func() { shown = temporary.ReplaceAllString(shown, "$1") }()
	for e := err; e != nil; e = errors.Unwrap(e) {
		b, failed := json.Marshal(e)
		s += fmt.Sprintf("%T %s %v\n", e, b, failed)
	}
	return s
}

// spy is a mechanism whose draws are watched: it writes down the files as they are when the data are read.
type spy struct {
	privbayes.Mechanism
	*observer
	at func() // called when the draw begins
}

func (s *spy) String() string { return s.Mechanism.Title() }

func (s *spy) Plan(ctx context.Context, sh *privbayes.Shape, t dp.Request) (*mechanism.Plan, error) {
	p, err := s.Mechanism.Plan(cert.WithProgress(ctx, nil), sh, t)
	if err != nil {
		return nil, err
	}
	return remade(p, func(spec *mechanism.Spec) {
		begin := func() {
			if s.dir != "" {
				s.files("files at the draw")
			}
			if s.at != nil {
				s.at()
			}
		}
		onDraw(spec, begin)
	})
}

// numbersRead are the warnings that read the released numbers: of linear's statistics how many eigenvalues of the noisy
// moments were raised, of noisy tables what contradicts structural zeros, of weights the effective sample size and
// whether they are more than noise, and of a fitted distribution the share outside the bounds. They see no record, so
// they are post-processing of what was paid for; they differ between neighbours as the noisy numbers do, and there is
// none before a draw.
var numbersRead = []warning.Kind{warning.KindFloor, warning.KindZerosContradicted, warning.KindOutside,
	warning.KindNoiseDrowns, warning.KindSteep, warning.KindFewRows, warning.KindClippedResponses, warning.KindNoIntervals,
	warning.KindFewEffective, warning.KindNoEstimate}

// beforeDraw leaves out the warnings that read the released numbers. Every other one is a function of public inputs and
// stays in the comparison.
func beforeDraw(l warning.List) (out warning.List) {
	for _, w := range l {
		if !slices.Contains(numbersRead, w.Kind) {
			out = append(out, w)
		}
	}
	return out
}
