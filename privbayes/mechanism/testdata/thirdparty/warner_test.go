package warner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/warner"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// From a plan to a file that another reader verifies.
func TestTheWholeWay(t *testing.T) {
	votes := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class"))
	plan, err := votes.Plan(warner.Response(), privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Certificate().OK() || !plan.Certified().Satisfies(privbayes.PureDP(1).Parameters) {
		t.Fatal(plan)
	}
	path := filepath.Join(t.TempDir(), "votes.release.json")
	drawn, err := votes.Privatize(warner.Response(), privbayes.PureDP(1), privbayes.KeepIn(path)).Release()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := privbayes.LoadRelease(path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.ID() != drawn.ID() || loaded.Raw()[0][0] != drawn.Raw()[0][0] {
		t.Error("another release was loaded")
	}
	verdict, err := privbayes.Verify(path)
	if err != nil || !verdict.OK() {
		t.Fatal(verdict, err)
	}
	for _, r := range verdict.Results {
		if r.Status != cert.Rederived {
			t.Errorf("%+v", r)
		}
	}
	again := votes.Privatize(warner.Response(), privbayes.PureDP(1), privbayes.KeepIn(path))
	if again.Err() != nil || !again.Loaded() {
		t.Error("drawn twice:", again.Err())
	}
}

// A file is refused that says less noise than its target takes, a count that cannot be, or a field that the mechanism
// does not have.
func TestEditedFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.release.json")
	if err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).
		Privatize(warner.Response(), privbayes.PureDP(1), privbayes.KeepIn(path)).Err(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for old, edited := range map[string]string{
		`"flips": *[0-9]+`:               `"flips": 5`,
		`"flips": *([0-9]+)`:             `"flips": $1, "more": 1`,
		`"raw": *\[\s*\[\s*[0-9]+\s*\]`:  `"raw": [[100000]`,
		`("kind": *"example.com/[^"]+)"`: `$1/other"`,
	} {
		forged := regexp.MustCompile(old).ReplaceAll(file, []byte(edited))
		if bytes.Equal(forged, file) {
			t.Fatalf("nothing to edit by %s in\n%s", old, file)
		}
		if err := os.WriteFile(path, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := privbayes.LoadRelease(path)
		verdict, verr := privbayes.Verify(path)
		if err == nil || verr == nil && verdict.OK() {
			t.Errorf("%s passes: %v, %v", edited, err, verr)
		}
	}
}

func shape(t *testing.T, levels, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{
		frame.Categorical("x", []string{"a", "b", "c"}[:levels]...),
	}}
	sh, err := model.NewShape(s, model.Categorical("x"), n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// Every notion is met, one flip less misses it (the mutant), and a plan goes round by its JSON.
func TestCalibrationIsTight(t *testing.T) {
	for _, target := range []dp.Request{dp.PureDP(.1), dp.PureDP(3), dp.ApproxDP(1, 1e-3), dp.RenyiDP(4, .5),
		dp.ZCDP(.1)} {
		plan, err := warner.Response().Plan(t.Context(), shape(t, 2, 30), target)
		if err != nil {
			t.Fatal(err)
		}
		file, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		again, err := mechanism.ParsePlan(t.Context(), file)
		if err != nil || again.Certificate().String() != plan.Certificate().String() {
			t.Errorf("%s: %v", target.Parameters, err)
		}
		var p struct{ Flips uint32 }
		if err := json.Unmarshal(plan.Params(), &p); err != nil {
			t.Fatal(err)
		}
		p.Flips--
		mutant := regexp.MustCompile(`("flips":)\d+`).ReplaceAll(file, []byte("${1}"+string(must(json.Marshal(p.Flips)))))
		var unmet *mechanism.UnmetTarget
		if _, err := mechanism.ParsePlan(t.Context(), mutant); !errors.As(err, &unmet) {
			t.Errorf("%s: one flip less passes: %v", target.Parameters, err)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// What is not for the mechanism is refused with a typed error.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		sh     *model.Shape
		target dp.Request
	}{
		{shape(t, 3, 30), dp.PureDP(1)},
		{shape(t, 2, 30), dp.PureDP(1).Under(dp.AddRemove)},
		{shape(t, 2, 30), dp.AsPublished(1)},
	} {
		var no *mechanism.UnsupportedError
		if _, err := warner.Response().Plan(t.Context(), c.sh, c.target); !errors.As(err, &no) {
			t.Errorf("%s: %v", c.target.Parameters, err)
		}
	}
}

// What is drawn has the law that was enumerated: the mean and the variance of n independent records, over 20,000 draws,
// within 6 standard errors each (false alarms: 4e-9). A variance off by 10 % is seen.
func TestDrawsHaveTheLaw(t *testing.T) {
	const n, draws = 40, 20_000
	rows := "x\n" + strings.Repeat("a\n", 10) + strings.Repeat("b\n", n-10)
	f := privbayes.ReadFrame(strings.NewReader(rows),
		&privbayes.Schema{Dataset: "test", Columns: []frame.Column{frame.Categorical("x", "a", "b")}})
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	sh := shape(t, 2, n)
	st, err := model.Count(sh, f.Data())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := warner.Response().Plan(t.Context(), sh, dp.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	sum, square := 0.0, 0.0
	src := dp.Seeded(1)
	for range draws {
		d, err := plan.Draw(context.Background(), st, "", src)
		if err != nil {
			t.Fatal(err)
		}
		x := float64(d.Raw[0][0])
		sum, square = sum+x, square+x*x
	}
	q := 1 / (1 + math.E)
	mean, variance := 10*(1-q)+30*q, n*q*(1-q)
	gotMean := sum / draws
	gotVariance := square/draws - gotMean*gotMean
	band := 6 * variance * math.Sqrt(2.0/draws)
	if math.Abs(gotMean-mean) > 6*math.Sqrt(variance/draws) || math.Abs(gotVariance-variance) > band {
		t.Errorf("mean %v, variance %v; want %v, %v", gotMean, gotVariance, mean, variance)
	}
	if math.Abs(1.1*gotVariance-variance) < band {
		t.Error("the test has no power")
	}
}

// zeroKey passes the key that a generic function can make without naming its type.
func zeroKey[K, T any](open func(*model.Statistics, K) T, st *model.Statistics) T {
	var key K
	return open(st, key)
}

// A key that another module makes opens nothing.
func TestAZeroKeyOpensNothing(t *testing.T) {
	f := privbayes.ReadFrame(strings.NewReader("x\na\nb\n"),
		&privbayes.Schema{Dataset: "test", Columns: []frame.Column{frame.Categorical("x", "a", "b")}})
	st, err := model.Count(shape(t, 2, 2), f.Data())
	if err != nil {
		t.Fatal(err)
	}
	if zeroKey((*model.Statistics).Open, st) != nil || zeroKey((*model.Statistics).OpenSums, st) != nil ||
		zeroKey((*model.Statistics).Rows, st) != 0 || zeroKey((*model.Statistics).AtBounds, st) != nil {
		t.Error("statistics are open")
	}
	swap := func(k func(*model.Statistics) (any, error)) {
		if x, err := k(st); !errors.Is(err, model.ErrSealed) {
			t.Error(x, err)
		}
	}
	swap(func(st *model.Statistics) (any, error) { return zeroKeyFirst(model.FitPrivately, st) })
	swap(func(st *model.Statistics) (any, error) { return zeroKeyLast((*model.Statistics).Means, st) })
	private := zeroKeyOf(mechanism.Open, st)
	if private.Tables() != nil || private.Sums() != nil || private.Rows() != 0 {
		t.Error("a mechanism's view is open")
	}
	var none mechanism.Private
	if none.Tables() != nil || none.Sums() != nil || none.Rows() != 0 {
		t.Error("a view of nothing shows something")
	}
}

func zeroKeyFirst[K, T any](open func(K, *model.Statistics) (T, error), st *model.Statistics) (T, error) {
	var key K
	return open(key, st)
}

func zeroKeyLast[K, T any](open func(*model.Statistics, K) (T, error), st *model.Statistics) (T, error) {
	var key K
	return open(st, key)
}

func zeroKeyOf[K, T any](open func(K, *model.Statistics) T, st *model.Statistics) T {
	var key K
	return open(key, st)
}
