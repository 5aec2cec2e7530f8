package frame_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// library is four files whose rows have numbers of their own, so that the truth about two tables can be counted.
type library struct {
	paths  []string
	schema *frame.Schema
}

func newLibrary(t testing.TB) library { return libraryOf(t, "group") }

// libraryOf is newLibrary with another name of the second column.
func libraryOf(t testing.TB, group string) library {
	t.Helper()
	l := library{schema: &frame.Schema{Dataset: "d", Columns: []frame.Column{{Name: "id", Kind: frame.KindInteger,
		Edges: []float64{0, 1000}}, frame.Categorical(group, "0", "1", "2")}}}
	dir, id := t.TempDir(), 0
	for k, n := range []int{7, 1, 12, 5} {
		var b strings.Builder
		fmt.Fprintf(&b, "id,\"%s\"\n", strings.ReplaceAll(group, `"`, `""`))
		for range n {
			fmt.Fprintf(&b, "%d,%d\n", id, id%3)
			id++
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.csv", k))
		must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
		l.paths = append(l.paths, path)
	}
	return l
}

// load reads the files of the given numbers as one table.
func (l library) load(t testing.TB, files ...int) *frame.Frame {
	t.Helper()
	var paths []string
	for _, k := range files {
		paths = append(paths, l.paths[k])
	}
	return must.Get(frame.LoadShards(t.Context(), paths, l.schema))(t)
}

// draw is a table of some of the files, put together in some way, of which some rows were chosen. empty says that a
// part of it has no rows.
func (l library) draw(t testing.TB, rt *rapid.T, name string, private bool, depth int) (f *frame.Frame, empty bool) {
	t.Helper()
	if depth > 0 && rapid.Bool().Draw(rt, name+" appended") {
		a, noA := l.draw(t, rt, name+"<", private, depth-1)
		b, noB := l.draw(t, rt, name+">", private, depth-1)
		both := must.Get(a.Append(b))(t)
		f, empty = both, noA || noB
	} else {
		of := rapid.Permutation([]int{0, 1, 2, 3}).Draw(rt, name+" files")
		f = l.load(t, of[:rapid.IntRange(1, 3).Draw(rt, name+" many")]...)
	}
	f = drawChain(rt, name, max(1, f.Len()), private).on(t, f)
	return f, empty || f.Len() == 0
}

// distinct is the number of different rows.
func distinct(t testing.TB, f *frame.Frame) int {
	t.Helper()
	v := must.Get(f.Values("id"))(t)
	seen := map[float64]bool{}
	for _, x := range v {
		seen[x] = true
	}
	return len(seen)
}

// shares is the number of different rows that two tables share.
func shares(t testing.TB, a, b *frame.Frame) int {
	t.Helper()
	all := must.Get(a.Append(b))(t)
	return distinct(t, a) + distinct(t, b) - distinct(t, all)
}

// Tables of several files and of appended frames, through any steps: with public n the rows in common are counted
// exactly, and that there are none is said only where it follows from the steps.
func TestOverlapOfPartsIsCounted(t *testing.T) {
	l := newLibrary(t)
	rapid.Check(t, func(rt *rapid.T) {
		a, _ := l.draw(t, rt, "a", false, 2)
		b, _ := l.draw(t, rt, "b", false, 2)
		kind, shared := a.Selection().Overlap(b.Selection(), true)
		if back, same := b.Selection().Overlap(a.Selection(), true); back != kind || same != shared {
			rt.Errorf("%s, %d one way and %s, %d the other", kind, shared, back, same)
		}
		want := shares(t, a, b)
		if shared != want || (want > 0) != (kind == frame.OverlapPart || kind == frame.OverlapSame) {
			rt.Errorf("%q with %d rows, and %d are shared\n%q\n%q", kind, shared, want, a.Lineage(), b.Lineage())
		}
		if all := want > 0 && want == distinct(t, a) && want == distinct(t, b); all != (kind == frame.OverlapSame) {
			rt.Errorf("%q for %d rows of %d and %d", kind, want, distinct(t, a), distinct(t, b))
		}
	})
}

// With private n what is said of parts follows from the steps, and is true of the rows.
func TestOverlapOfPartsIsTrue(t *testing.T) {
	l := newLibrary(t)
	seen := map[frame.Overlap]int{}
	rapid.Check(t, func(rt *rapid.T) {
		a, noA := l.draw(t, rt, "a", true, 2)
		b, noB := l.draw(t, rt, "b", true, 2)
		if noA || noB {
			return // shares no rows, whatever the steps say
		}
		kind, shared := a.Selection().Overlap(b.Selection(), false)
		if back, _ := b.Selection().Overlap(a.Selection(), false); back != kind || shared != 0 {
			rt.Errorf("%s one way and %s the other; %d rows", kind, back, shared)
		}
		seen[kind]++
		switch rows := shares(t, a, b); {
		case kind == frame.OverlapNone && rows > 0, kind == frame.OverlapPart && rows == 0,
			kind == frame.OverlapSame && (rows != distinct(t, a) || rows != distinct(t, b)):
			rt.Errorf("%q, but %d rows of %d and %d are shared\n%q\n%q", kind, rows, a.Len(), b.Len(), a.Lineage(),
				b.Lineage())
		}
	})
	if !t.Failed() && !testing.Short() && (seen[frame.OverlapPart] == 0 || seen[frame.OverlapUnknown] == 0) {
		t.Errorf("the cases are not met: %v", seen)
	}
}

// A table of several files shares rows with each of them, by places and by steps.
func TestOverlapOfFiles(t *testing.T) {
	l := newLibrary(t)
	split := func(f *frame.Frame) (train, test *frame.Frame) {
		train, test = must.Get2(f.Split(.5, 1))(t)
		return train, test
	}
	appended := func(a, b *frame.Frame) *frame.Frame {
		return must.Get(a.Append(b))(t)
	}
	where := func(f *frame.Frame) *frame.Frame {
		return must.Get(f.Where("group", func(l string) bool { return l == "1" }))(t)
	}
	both, one, other, third := l.load(t, 0, 2), l.load(t, 2), l.load(t, 0), l.load(t, 3)
	train, test := split(both)
	half, rest := split(one)
	for name, c := range map[string]struct {
		a, b           *frame.Frame
		steps, counted frame.Overlap
		rows           int
	}{
		"a file of the table":      {both, one, frame.OverlapPart, frame.OverlapPart, 12},
		"another order":            {both, l.load(t, 2, 0), frame.OverlapSame, frame.OverlapSame, 19},
		"a file in common":         {both, l.load(t, 2, 3), frame.OverlapPart, frame.OverlapPart, 12},
		"part of a file":           {both, half, frame.OverlapPart, frame.OverlapPart, 6},
		"part of the table":        {train, one, frame.OverlapUnknown, frame.OverlapPart, shares(t, train, one)},
		"two parts":                {train, test, frame.OverlapNone, frame.OverlapNone, 0},
		"appended, then divided":   {split1(split(appended(one, other))), both, frame.OverlapPart, frame.OverlapPart, 10},
		"appended halves":          {appended(half, third), rest, frame.OverlapUnknown, frame.OverlapUnknown, 0},
		"in another order":         {appended(third, half), rest, frame.OverlapUnknown, frame.OverlapUnknown, 0},
		"halves of one file":       {appended(half, where(half)), rest, frame.OverlapNone, frame.OverlapNone, 0},
		"appended to the table":    {appended(both, third), one, frame.OverlapPart, frame.OverlapPart, 12},
		"filtered, all in a table": {where(appended(one, other)), both, frame.OverlapPart, frame.OverlapPart, 0},
		"filtered, part in it":     {where(appended(one, third)), both, frame.OverlapUnknown, frame.OverlapUnknown, 0},
		"twice":                    {appended(one, one), one, frame.OverlapSame, frame.OverlapSame, 12},
		"part of one of two":       {appended(one, where(other)), half, frame.OverlapPart, frame.OverlapPart, 6},
		"the other way":            {half, appended(one, where(other)), frame.OverlapPart, frame.OverlapPart, 6},
		"no file in common":        {both, third, frame.OverlapUnknown, frame.OverlapUnknown, 0},
	} {
		if kind, n := c.a.Selection().Overlap(c.b.Selection(), false); kind != c.steps || n != 0 {
			t.Errorf("%s: by steps %q, %d rows; want %q", name, kind, n, c.steps)
		}
		if kind, n := c.a.Selection().Overlap(c.b.Selection(), true); kind != c.counted || n != c.rows {
			t.Errorf("%s: %q, %d rows; want %q, %d", name, kind, n, c.counted, c.rows)
		}
		known := c.counted == frame.OverlapSame || c.counted == frame.OverlapPart
		_, err := c.a.AppendDisjoint(c.b)
		if errors.As(err, new(*frame.TogetherError)) != known {
			t.Errorf("%s: declared disjoint: %v", name, err)
		}
	}
}

func split1(train, _ *frame.Frame) *frame.Frame { return train }

// The same words choose other rows when the columns were changed before them.
func TestWhereAfterOtherColumns(t *testing.T) {
	f := newLibrary(t).load(t, 2)
	ones := func(f *frame.Frame) *frame.Frame {
		return must.Get(f.Where("group", func(l string) bool { return l == "1" }))(t)
	}
	swapped := must.Get(f.Recode("group", map[string]string{"1": "2", "2": "1"}))(t)
	if kind, _ := ones(f).Selection().Overlap(ones(swapped).Selection(), true); kind != frame.OverlapUnknown {
		t.Errorf("other rows: %q", kind)
	}
	if kind, _ := ones(swapped).Selection().Overlap(ones(swapped).Selection(), true); kind != frame.OverlapSame {
		t.Errorf("the same rows: %q", kind)
	}
}

// What is appended says so once, however often it is appended, and what is known about both adds up.
func TestAppendTwice(t *testing.T) {
	l := newLibrary(t)
	l.schema.ApproximateRows = 12
	f := l.load(t, 2)
	for range 3 {
		g := must.Get(f.Append(f))(t)
		f = g
	}
	if got := fmt.Sprint(f.Lineage()); got != "[Append(Append(Append(all rows; twice); twice); twice)]" {
		t.Error(got)
	}
	if s := f.Schema(); s.RowsPerUnit != 8 || s.ApproximateRows != 96 {
		t.Errorf("%d rows a unit, about %d rows", s.RowsPerUnit, s.ApproximateRows)
	}
	l.schema.ApproximateRows = 0
	g := l.load(t, 3)
	both, err := l.load(t, 0).Append(g)
	if err != nil || both.Schema().ApproximateRows != 0 {
		t.Error(err, both)
	}
	l.schema.ApproximateRows = 30
	for _, pair := range [][2]*frame.Frame{{l.load(t, 0), g}, {g, l.load(t, 0)}} {
		if both, err = pair[0].Append(pair[1]); err != nil || both.Schema().ApproximateRows != 0 {
			t.Errorf("of one nobody says how many rows it has: %v, %v", err, both)
		}
	}
}

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
	return must.Get(frame.Read(t.Context(), strings.NewReader(b.String()), name, s))(t)
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
	train, test := must.Get2(f.Split(.7, 1))(t)
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
		must.Do(t, os.WriteFile(path, []byte("a\nx\nx\n"), 0o600))
		return must.Get(frame.Load(t.Context(), path, s))(t)
	}
	columns := func() *frame.Frame {
		return must.Get(frame.FromColumns(s, map[string]any{"a": []string{"x"}}))(t)
	}
	one, again, two, memory := load("1.csv"), load("1.csv"), load("2.csv"), columns()
	half := must.Get(one.Where("a", func(string) bool { return true }))(t)
	narrow := must.Get(again.Select("a"))(t)
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
