package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// classes holds the known counts of a label column of every set, in the order of the schema's labels.
var classes = map[string]struct {
	column string
	counts []int64
}{
	"votes":         {"Class", []int64{267, 168}},
	"breast_cancer": {"benign", []int64{212, 357}},
	"wine":          {"class", []int64{59, 71, 48}},
	"iris":          {"Species", []int64{50, 50, 50}},
	"penguins":      {"species", []int64{152, 68, 124}},
	"spam":          {"spam", []int64{2788, 1813}},
	"cps1988":       {"region", []int64{6441, 6863, 8760, 6091}},
	"german_credit": {"class", []int64{700, 300}},
	"shopper":       {"Revenue", []int64{10422, 1908}},
	"births2019":    {"is_female", []int64{81914, 78086}},
	"nhanes2009":    {"RIAGENDR", []int64{4247, 4344}},
}

func TestEverySetLoads(t *testing.T) {
	if len(Names()) != len(classes) {
		t.Fatalf("%d sets, %d tested", len(Names()), len(classes))
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			d := must.Get(Info(name))(t)
			r, s := must.Get2(Open(name))(t)
			if got := r.(*Table).Name(); got != d.File {
				t.Errorf("reader is named %q, want %q", got, d.File)
			}
			f := must.Get(frame.Read(context.Background(), r, d.File, s))(t)
			if f.Len() != d.Rows || len(s.Columns) != d.Columns || s.Dataset != name {
				t.Errorf("%d rows, %d columns, data set %q; want %d, %d, %q", f.Len(), len(s.Columns), s.Dataset,
					d.Rows, d.Columns, name)
			}
			if got, err := f.CountPrivate(classes[name].column); err != nil || !reflect.DeepEqual(got, classes[name].counts) {
				t.Errorf("counts %v (%v), want %v", got, err, classes[name].counts)
			}
			b := must.Get(embedded.ReadFile("files/" + d.File))(t)
			if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != d.SHA256 {
				t.Errorf("SHA-256 of %s is %x, want %s", d.File, sum, d.SHA256)
			}
			for _, c := range s.Columns {
				if c.Description == "" {
					t.Errorf("column %s has no description", c.Name)
				}
			}
			if d.Title == "" || d.Source == "" || d.Package == "" || d.Licence == "" || d.Citation == "" ||
				d.Changes == "" {
				t.Errorf("facts missing: %+v", d)
			}
		})
	}
}

func TestFunctionsAreFresh(t *testing.T) {
	for i, open := range []func() (io.Reader, *frame.Schema){Votes, BreastCancer, Wine, Iris, Penguins, Spam, CPS1988,
		GermanCredit, Shopper, Births2019, NHANES2009} {
		r1, s1 := open()
		if s1 == nil || s1.Dataset != Names()[i] {
			t.Fatalf("function %d opens %v, want %s", i, s1, Names()[i])
		}
		if b, err := io.ReadAll(r1); err != nil || len(b) == 0 {
			t.Fatal(err)
		}
		s1.Columns[0].Name = "changed"
		r2, s2 := open()
		if b, _ := io.ReadAll(r2); len(b) == 0 || s2.Columns[0].Name == "changed" {
			t.Errorf("%s: the second call sees the first", Names()[i])
		}
	}
}

// A set of the study that is embedded needs no download, and is the same table under a schema of its own.
func TestEmbeddedSetsOfTheStudyOpen(t *testing.T) {
	t.Setenv("PRIVBAYES_DATA", t.TempDir())
	for name, rows := range map[string]int{"spam": 4601, "shopper": 12330} {
		r, s := must.Get2(OpenStudy(name))(t)
		f, err := frame.Read(context.Background(), r, name, s)
		if err != nil || f.Len() != rows {
			t.Fatal(name, err)
		}
		_, own, err := Open(name)
		if err != nil || own.Dataset != s.Dataset || own.Unit != s.Unit || !reflect.DeepEqual(own.Names(), s.Names()) {
			t.Errorf("%s: the two schemas are of different tables (%v)", name, err)
		}
	}
}

// The missing votes are known: 392 in all, 104 of them in the last vote.
func TestVotesUnrecorded(t *testing.T) {
	r, s := Votes()
	f := must.Get(frame.Read(context.Background(), r, "votes", s))(t)
	var total, last int64
	for _, c := range s.Columns[1:] {
		if l := c.Labels(); l[2] != "unrecorded" {
			t.Fatal(l)
		}
		counts := must.Get(f.CountPrivate(c.Name))(t)
		last = counts[2]
		total += last
	}
	if total != 392 || last != 104 {
		t.Errorf("%d unrecorded votes, %d in V16; want 392, 104", total, last)
	}
}

func TestUnknownName(t *testing.T) {
	var e *NameError
	if _, _, err := Open("voters"); !errors.As(err, &e) || len(e.Have) != len(Names()) {
		t.Error(err)
	}
}

func TestExternal(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PRIVBAYES_DATA", dir)
	must.Do(t, os.WriteFile(filepath.Join(dir, "here.csv"), nil, 0o600))
	if p, err := External("here.csv"); err != nil || p != filepath.Join(dir, "here.csv") {
		t.Error(p, err)
	}
	for _, name := range []string{"absent.csv", "../here.csv", "", "."} {
		var e *NotFoundError
		if _, err := External(name); !errors.As(err, &e) || e.Name != name {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// fakeTB records what Need does.
type fakeTB struct{ skipped, failed bool }

func (f *fakeTB) Helper()               {}
func (f *fakeTB) Skipf(string, ...any)  { f.skipped = true }
func (f *fakeTB) Fatalf(string, ...any) { f.failed = true }

func TestNeed(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		t.Setenv("PRIVBAYES_DATA", dir)
		var tb fakeTB
		if Need(&tb, "absent.csv"); tb.skipped != (dir == "") || tb.failed != (dir != "") {
			t.Errorf("PRIVBAYES_DATA=%q: %+v", dir, tb)
		}
	}
}

// A file is looked for in PRIVBAYES_DATA and in the cache, and nowhere else: not in folders beside a checkout.
func TestExternalLooksInTwoFolders(t *testing.T) {
	root := t.TempDir()
	t.Setenv("PRIVBAYES_DATA", "")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(root, "cache"))
	t.Setenv("HOME", root)
	for _, dir := range []string{"checkout", "shared/data", "data"} {
		must.Do(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
		must.Do(t, os.WriteFile(filepath.Join(root, dir, "x.csv"), nil, 0o600))
	}
	must.Do(t, os.WriteFile(filepath.Join(root, "checkout/go.mod"), nil, 0o600))
	t.Chdir(filepath.Join(root, "checkout"))
	var e *NotFoundError
	if _, err := External("x.csv"); !errors.As(err, &e) || len(e.Looked) != 1 {
		t.Errorf("found, or looked in %v: %v", e, err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	cached := filepath.Join(root, "cache", "privbayes", "x.csv")
	must.Do(t, os.MkdirAll(filepath.Dir(cached), 0o700))
	must.Do(t, os.WriteFile(cached, nil, 0o600))
	if path, err := External("x.csv"); err != nil || path != cached {
		t.Error(path, err)
	}
}

// What is built for others to hand on has all tables but the one under the GPL, whose file is not linked.
func TestPermissive(t *testing.T) {
	files := func(args ...string) []string {
		args = append(append([]string{"list"}, args...), "-f", `{{join .EmbedFiles "\n"}}`, ".")
		return strings.Split(strings.TrimSpace(string(must.Get(exec.Command("go", args...).Output())(t))), "\n")
	}
	all := files()
	want := slices.DeleteFunc(slices.Clone(all), func(f string) bool { return f == "files/cps1988.csv.gz" })
	if got := files("-tags", "permissive"); !slices.Equal(got, want) || len(want) != len(all)-1 {
		t.Errorf("%v", got)
	}
	if got := strings.Join(files("-tags", "browser"), " "); strings.Contains(got, "files/") {
		t.Error("a program for a page has", got)
	}
	for _, name := range Names() {
		d := must.Get(Info(name))(t)
		if gpl := strings.Contains(d.Licence, "GPL") && !strings.Contains(d.Licence, "CC"); gpl != (name == "cps1988") {
			t.Errorf("%s: %s", name, d.Licence)
		}
	}
}
