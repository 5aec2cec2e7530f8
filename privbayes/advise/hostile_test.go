package advise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// labelled is a schema of categorical columns with so many levels each.
func labelled(levels ...int) *frame.Schema {
	s := &frame.Schema{Dataset: "hostile"}
	for i, d := range levels {
		labels := make([]string, d)
		for j := range labels {
			labels[j] = fmt.Sprint("v", j)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), labels...))
	}
	return s
}

// repeat is a column of the first levels and k more of d levels.
func repeat(first, k, d int) []int {
	out := []int{first}
	for range k {
		out = append(out, d)
	}
	return out
}

// chain is a network in which every node has the one before it as its parent; wide has one child of many parents.
func chain(nodes int) model.Model {
	families := []model.Family{model.Node("c0")}
	for i := 1; i < nodes; i++ {
		families = append(families, model.Node(fmt.Sprint("c", i), fmt.Sprint("c", i-1)))
	}
	return model.Network("c0", families...)
}

func wide(parents int) model.Model {
	var families []model.Family
	var names []string
	for i := range parents {
		names = append(names, fmt.Sprint("c", i))
		families = append(families, model.Node(names[i]))
	}
	child := fmt.Sprint("c", parents)
	return model.Network(child, append(families, model.Node(child, names...))...)
}

// reals is a schema of numbers.
func reals(columns int) *frame.Schema {
	s := &frame.Schema{Dataset: "hostile"}
	for i := range columns {
		s.Columns = append(s.Columns, frame.Real(fmt.Sprint("c", i), 0, 20))
	}
	return s
}

// question is what is asked of an advice, the seconds whose steps it gets, and whether anything can be priced in them.
type question struct {
	name    string
	schema  *frame.Schema
	model   model.Model
	n       int
	targets []dp.Request
	seconds float64
	priced  bool
}

func hostile() []question {
	approx, pure := dp.ApproxDP(1, 1e-6), dp.PureDP(1)
	return []question{
		{"5000 levels", labelled(5000), model.Categorical("c0"), 100_000, []dp.Request{approx}, 1, true},
		{"60 000 levels", labelled(60_000), model.Categorical("c0"), 1_000_000, []dp.Request{pure}, 4, true},
		{"one record", labelled(3), model.Categorical("c0"), 1, []dp.Request{approx}, 1, true},
		{"1e15 records", labelled(2), model.Binary("c0"), 1e15, []dp.Request{pure}, 1, true},
		{"1e9 records", labelled(7), model.Categorical("c0"), 1e9, []dp.Request{dp.ZCDP(.1)}, 1, true},
		{"naive Bayes of 300 columns", labelled(repeat(2, 300, 3)...), model.NaiveBayes("c0"), 10_000,
			[]dp.Request{approx}, 4, true},
		{"classes of 2000 levels", labelled(2000, 20, 30), model.NaiveBayes("c0"), 100_000,
			[]dp.Request{dp.RenyiDP(5, .5)}, 4, true},
		{"1000 nodes", labelled(repeat(3, 999, 3)...), chain(1000), 1_000_000_000, []dp.Request{pure}, 4, true},
		{"a family of 2^17 cells", labelled(repeat(2, 16, 2)...), wide(16), 1000, []dp.Request{pure}, 10, true},
		{"100 weights", reals(101), model.LinearRegression("c0"), 100_000, []dp.Request{approx}, 4, true},
		{"a rate of too many records", reals(1), model.Exponential("c0").WithRange(.3, 5), 1e9, []dp.Request{pure}, 1,
			true}, // by noisy sums, whose simulation does not grow with n
		{"a rate", reals(1), model.Exponential("c0").WithRange(.3, 5), 1000, []dp.Request{pure, dp.PureDP(3)}, 1, true},
		{"several targets", labelled(400, 3), model.NaiveBayes("c0"), 1e6,
			[]dp.Request{dp.ApproxDP(.1, 1e-9), dp.ApproxDP(1, 1e-9), dp.ApproxDP(10, 1e-9)}, 1, true},
		{"levels of many sizes", labelled(2, 5000, 3), model.NaiveBayes("c0"), 10_000,
			[]dp.Request{dp.ZCDP(.01), dp.ZCDP(1), dp.ZCDP(10)}, 1, true},
	}
}

// heap watches the memory of the process while f runs.
func heap(f func()) (most uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	f()
	close(done)
	wait.Wait()
	return most
}

// Whatever the shape, an advice comes, in time and in little memory; what it leaves out has its name and a reason in
// every form it is shown in. Steps are those of a few seconds, the time allowed is generous: what is said does not
// depend on how busy the machine is.
func TestHostileShapes(t *testing.T) {
	for i, q := range hostile() {
		if testing.Short() && i > 1 {
			break
		}
		t.Run(q.name, func(t *testing.T) {
			sh, err := model.NewShape(q.schema, q.model, q.n, true, "")
			if err != nil {
				t.Fatal(err)
			}
			var a *Advice
			start := time.Now()
			most := heap(func() {
				a, err = For(t.Context(), sh, q.targets,
					Options{Time: 3 * time.Minute, steps: q.seconds * stepsPerSecond})
			})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 4*time.Minute || most > 1<<30 {
				t.Errorf("took %v and %d MB", took, most>>20)
			}
			t.Logf("%v, %d MB", time.Since(start), most>>20)
			for j := range q.targets {
				priced := 0
				for _, r := range a.Rows(j) {
					switch {
					case r.Refused == "":
						priced++
						if !(r.Error >= 0) || r.LeftOut || !r.Certified.Satisfies(q.targets[j].Parameters) {
							t.Errorf("%+v", r)
						}
					case !math.IsNaN(r.Error):
						t.Errorf("refused with an error: %+v", r)
					case r.LeftOut:
						t.Logf("left out: %s: %s", r.Mechanism, r.Refused)
						for form, text := range map[string]string{
							"text": a.String(), "HTML": table.HTML(a), "Markdown": table.Markdown(a),
							"figure": a.Figure().Caption, "detail": a.Detail(j).String(),
							"refusals": a.NotApplicable(j).String(),
						} {
							if !strings.Contains(strings.Join(strings.Fields(text), " "),
								strings.Fields(r.Mechanism)[0]) || !strings.Contains(text, "left out") {
								t.Errorf("%s does not name %s", form, r.Mechanism)
							}
						}
						if strings.Contains(r.Refused, "clock") {
							t.Errorf("the clock decided: %s: %s", r.Mechanism, r.Refused)
						}
					}
				}
				if (priced > 0) != q.priced {
					t.Errorf("%d mechanisms are priced\n%s", priced, a.NotApplicable(j))
				}
			}
			if level, ok := a.LevelFor(-1); ok {
				t.Error("a negative error at", level)
			}
			a.options.steps = stepsPerSecond / 8
			if _, err := a.NFor(t.Context(), 0, 1e-4); err != nil {
				var no *Error
				if !errors.As(err, &no) {
					t.Error(err)
				}
			}
		})
	}
}

// planted is a mechanism that takes as long as its Plan does.
type planted struct {
	counts.Noise
	plan func(ctx context.Context) error
}

func (planted) Title() string { return "Planted" }

func (p planted) Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*mechanism.Plan, error) {
	if err := p.plan(ctx); err != nil {
		return nil, err
	}
	return p.Noise.Plan(ctx, sh, t)
}

// silent does not say what it costs; boastful says that it costs too much.
type silent struct {
	mechanism.Mechanism
}

type boastful struct{ planted }

func (boastful) Cost(*model.Shape, dp.Request) mechanism.Cost { return mechanism.Cost{Plan: 1e13} }

// What takes too long is left out and named, and the others are priced: by the clock where it does not say what it
// takes, whether it looks at its context or not; before it begins where it does say.
func TestPlantedMechanisms(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	deaf := func(context.Context) error { <-release; return errors.New("released") }
	polite := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	never := func(context.Context) error { t.Error("it was begun"); return errors.New("begun") }
	for name, c := range map[string]struct {
		m      mechanism.Mechanism
		reason string
	}{
		"deaf":     {silent{planted{counts.Geometric(), deaf}}, "by the clock"},
		"polite":   {silent{planted{counts.Geometric(), polite}}, "by the clock"},
		"boastful": {boastful{planted{counts.Geometric(), never}}, "1e13 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			a := must.Get(For(t.Context(), coin(t, 100), []dp.Request{dp.PureDP(1)},
				Options{Mechanisms: []mechanism.Mechanism{c.m, counts.KNorm()}, Time: 5 * time.Second}))(t)
			r := a.Rows(0)
			if !r[0].LeftOut || !strings.Contains(r[0].Refused, c.reason) ||
				!strings.Contains(a.String(), "left out: Planted, because") {
				t.Errorf("%+v\n%s", r[0], a)
			}
			if best, ok := a.Best(0); !ok || r[1].Refused != "" || best.Mechanism != r[1].Mechanism {
				t.Errorf("%+v", r[1])
			}
		})
	}
	quick := silent{planted{counts.Geometric(), func(context.Context) error { return nil }}}
	a, err := For(t.Context(), coin(t, 100), []dp.Request{dp.PureDP(1)},
		Options{Mechanisms: []mechanism.Mechanism{quick}, Time: time.Minute})
	if err != nil || a.Rows(0)[0].Refused != "" {
		t.Error("a quick mechanism that does not say what it takes:", a, err)
	}
}

// A cancelled context ends a comparison though a mechanism does not listen; before a deadline the rows so far are
// given.
func TestCancelledInside(t *testing.T) {
	release, begun := make(chan struct{}), make(chan struct{})
	defer close(release)
	m := silent{planted{counts.Geometric(), func(context.Context) error { close(begun); <-release; return nil }}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if _, err := For(ctx, coin(t, 100), []dp.Request{dp.PureDP(1)},
		Options{Mechanisms: []mechanism.Mechanism{m}, Time: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wait := silent{planted{counts.Geometric(), func(context.Context) error { <-release; return nil }}}
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Second)
	defer stop()
	a, err := For(ctx, coin(t, 100), []dp.Request{dp.PureDP(1)},
		Options{Mechanisms: []mechanism.Mechanism{counts.KNorm(), wait}, Time: time.Hour})
	if err != nil || a.Rows(0)[0].Refused != "" || !a.Rows(0)[1].LeftOut {
		t.Error(a, err)
	}
}

// Progress is told inside a row, never goes back, ends at the whole, and is over when the answer is there.
func TestProgress(t *testing.T) {
	var mu sync.Mutex
	var dones []int64
	whole, over := int64(0), false
	report := func(done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if over {
			t.Error("told after the answer")
		}
		dones, whole = append(dones, done), total
	}
	slow := silent{planted{counts.Geometric(), func(context.Context) error { time.Sleep(8 * reportEvery); return nil }}}
	must.Get(For(t.Context(), coin(t, 100), []dp.Request{dp.PureDP(1)},
		Options{Mechanisms: []mechanism.Mechanism{slow}, Time: time.Hour, Progress: report}))(t)
	mu.Lock()
	over = true
	mu.Unlock()
	if len(dones) < 4 || dones[len(dones)-1] != whole || whole <= 0 {
		t.Fatalf("%v of %d", dones, whole)
	}
	for i, d := range dones[1:] {
		if d < dones[i] {
			t.Errorf("back from %d to %d", dones[i], d)
		}
	}
}
