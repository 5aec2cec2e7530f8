package frame_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// numbered is a frame whose rows know their place; group is private data.
func numbered(t testing.TB, name string, groups []int) *frame.Frame {
	t.Helper()
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{{Name: "id", Kind: frame.KindInteger,
		Edges: []float64{0, 1000}}, frame.Categorical("group", "0", "1", "2")}}
	var b strings.Builder
	b.WriteString("id,group\n")
	for i, g := range groups {
		fmt.Fprintf(&b, "%d,%d\n", i, g)
	}
	f, err := frame.Read(t.Context(), strings.NewReader(b.String()), name, s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// chain is a random chain of steps on a frame, drawn once and applied to any number of frames.
type chain []func(*frame.Frame) (*frame.Frame, error)

func drawChain(rt *rapid.T, name string, n int, private bool) (c chain) {
	for i := range rapid.IntRange(0, 3).Draw(rt, name+" steps") {
		label := fmt.Sprint(name, i)
		seed, kind := rapid.Uint64Range(0, 2).Draw(rt, label+" seed"), rapid.IntRange(0, 4).Draw(rt, label+" step")
		switch {
		case kind == 0 && private:
			keep := fmt.Sprint(rapid.IntRange(0, 2).Draw(rt, label+" group"))
			c = append(c, func(f *frame.Frame) (*frame.Frame, error) {
				return f.Where("group", func(l string) bool { return l == keep })
			})
		case kind == 1 && !private:
			k := rapid.IntRange(1, n).Draw(rt, label+" k")
			c = append(c, func(f *frame.Frame) (*frame.Frame, error) { return f.Head(k) })
		case kind == 2 && !private:
			start, stride := rapid.IntRange(0, 3).Draw(rt, label+" start"),
				rapid.IntRange(1, 3).Draw(rt, label+" stride")
			c = append(c, func(f *frame.Frame) (*frame.Frame, error) {
				var idx []int
				for i := start; i < f.Len(); i += stride {
					idx = append(idx, i)
				}
				return f.Rows(idx)
			})
		default:
			test := rapid.Bool().Draw(rt, label+" part")
			c = append(c, func(f *frame.Frame) (*frame.Frame, error) {
				a, b, err := f.Split(.6, seed)
				if test {
					return b, err
				}
				return a, err
			})
		}
	}
	return c
}

func (c chain) on(t testing.TB, f *frame.Frame) *frame.Frame {
	t.Helper()
	var err error
	for _, step := range c {
		if f, err = step(f); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// common counts the rows that two frames share, by their numbers.
func common(t testing.TB, a, b *frame.Frame) (n int) {
	t.Helper()
	has := map[float64]bool{}
	va, errA := a.Values("id")
	vb, errB := b.Values("id")
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for _, v := range va {
		has[v] = true
	}
	for _, v := range vb {
		if has[v] {
			n++
		}
	}
	return n
}

func drawGroups(rt *rapid.T, name string, n int) []int {
	return rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(rt, name)
}

// With public n the rows in common are counted exactly, for any two chains of steps.
func TestOverlapIsCountedWhereNIsPublic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "n")
		f := numbered(t, "a.csv", drawGroups(rt, "groups", n))
		a, b := drawChain(rt, "a", n, false).on(t, f), drawChain(rt, "b", n, false).on(t, f)
		want := common(t, a, b)
		kind, shared := a.Selection().Overlap(b.Selection(), true)
		if back, same := b.Selection().Overlap(a.Selection(), true); back != kind || same != shared || shared != want {
			rt.Errorf("%s, %d and %s, %d; the rows say %d", kind, shared, back, same, want)
		}
		if all := want == a.Len() && want == b.Len() && want > 0; all != (kind == frame.OverlapSame) ||
			(want == 0) != (kind == frame.OverlapNone) {
			rt.Errorf("%s for %d rows of %d and %d", kind, want, a.Len(), b.Len())
		}
	})
}

// With private n the steps decide alone: what they claim is true of the rows, and no other rows under the same steps
// change it.
func TestOverlapDoesNotReadRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "n")
		ca, cb := drawChain(rt, "a", n, true), drawChain(rt, "b", n, true)
		if rapid.Bool().Draw(rt, "common beginning") {
			cb = append(append(chain(nil), ca...), cb...)
		}
		// one row more
		f, g := numbered(t, "a.csv", drawGroups(rt, "groups", n)), numbered(t, "a.csv", drawGroups(rt, "others", n+1))
		a, b := ca.on(t, f), cb.on(t, f)
		kind, shared := a.Selection().Overlap(b.Selection(), false)
		other, more := ca.on(t, g).Selection().Overlap(cb.on(t, g).Selection(), false)
		if kind != other || shared != 0 || more != 0 {
			rt.Errorf("%q, %d here and %q, %d for a neighbour", kind, shared, other, more)
		}
		switch rows := common(t, a, b); {
		case kind == frame.OverlapNone && rows > 0,
			kind == frame.OverlapSame && (rows != a.Len() || rows != b.Len()),
			kind == frame.OverlapPart && rows != min(a.Len(), b.Len()):
			rt.Errorf("%q, but %d rows of %d and %d are shared", kind, rows, a.Len(), b.Len())
		}
	})
}

// Every answer is given, by places and by steps.
func TestOverlapAnswers(t *testing.T) {
	f := numbered(t, "a.csv", []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0})
	train, test, err := f.Split(.7, 1)
	if err != nil {
		t.Fatal(err)
	}
	head := chain{func(f *frame.Frame) (*frame.Frame, error) { return f.Head(3) }}.on(t, train)
	other := chain{func(f *frame.Frame) (*frame.Frame, error) { return f.Head(4) }}.on(t, f)
	for name, c := range map[string]struct {
		a, b  *frame.Frame
		steps frame.Overlap
		rows  int
	}{
		"halves": {train, test, frame.OverlapNone, 0}, "same": {train, train, frame.OverlapSame, 7},
		"part":    {train, head, frame.OverlapPart, 3},
		"unknown": {train, other, frame.OverlapUnknown, common(t, train, other)},
	} {
		if kind, _ := c.a.Selection().Overlap(c.b.Selection(), false); kind != c.steps {
			t.Errorf("%s: by steps %q, want %q", name, kind, c.steps)
		}
		if _, rows := c.a.Selection().Overlap(c.b.Selection(), true); rows != c.rows {
			t.Errorf("%s: %d rows, want %d", name, rows, c.rows)
		}
	}
}

// A file read twice is one source; two files, readers without a name and columns in memory are not.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("a", "x")}}
	load := func(name string) *frame.Frame {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("a\nx\nx\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := frame.Load(t.Context(), path, s)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	columns := func() *frame.Frame {
		f, err := frame.FromColumns(s, map[string]any{"a": []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one, again, two, memory := load("1.csv"), load("1.csv"), load("2.csv"), columns()
	half, err := one.Where("a", func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := again.Select("a")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		a, b *frame.Frame
		want bool
	}{
		"one file": {one, again, true}, "two files": {one, two, false}, "derived": {half, narrow, true},
		"one frame in memory": {memory, memory, true},
		"two in memory":       {memory, columns(), false}, "file and memory": {one, memory, false},
		"readers without a name": {numbered(t, "input", []int{1}), numbered(t, "input", []int{1}), false},
	} {
		if got := c.a.Selection().SameSource(c.b.Selection()); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (frame.Selection{}).SameSource(frame.Selection{}) {
		t.Error("two unknown sources are the same")
	}
	if s := fmt.Sprintf("%+v", half.Selection()); strings.Contains(s, "n:2") {
		t.Error("a selection shows a private n:", s)
	}
}

// A schema may say about how many rows there are; it stays out of schemas that do not.
func TestApproximateRows(t *testing.T) {
	const text = `{"dataset":"d","unit":"person","rows_per_unit":1,"about_rows":500,"columns":[{"name":"a","kind":"categorical","categories":["x","y"]}]}`
	s, err := frame.ParseSchema([]byte(text))
	if err != nil || s.ApproximateRows != 500 || string(s.JSON()) == "" || !strings.Contains(s.String(), "about 500 rows") {
		t.Fatal(err, s)
	}
	s.ApproximateRows = 0
	if strings.Contains(string(s.JSON())+s.String(), "about") {
		t.Error(s)
	}
	for _, n := range []int{-1, 2e15} {
		if s.ApproximateRows = n; s.Validate() == nil {
			t.Errorf("%d was taken", n)
		}
	}
}
