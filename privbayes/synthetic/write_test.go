package synthetic

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

func names(t *testing.T, dir string) string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, net := filepath.Join(dir, "sets"), pair(t)
	must.Do(t, setsOf(t, net, 3, 40, nil).Write(t.Context(), path))
	if got := names(t, path); got != "README.md combine.R combine.py set_01.csv set_02.csv set_03.csv sets.json" {
		t.Fatal(got)
	}
	if got := names(t, dir); got != "sets" {
		t.Errorf("left behind: %s", got)
	}
	var about Folder
	b, err := os.ReadFile(filepath.Join(path, "sets.json"))
	if err != nil || json.Unmarshal(b, &about) != nil || about.Rows != 40 || about.Records != 100 || len(about.Files) != 6 {
		t.Fatal(about, err)
	}
	page, err := os.ReadFile(filepath.Join(path, "README.md"))
	if err != nil || strings.Contains(string(page), "{{") || strings.Contains(string(page), `"<<`) {
		t.Fatal(err, string(page))
	}
	// The sets read back as they are in memory.
	f := must.Get(setsOf(t, net, 3, 40, nil).Frame(1))(t)
	back, err := frame.Load(t.Context(), filepath.Join(path, "set_02.csv"), f.Schema())
	if err != nil || back.Len() != 40 {
		t.Fatal(err)
	}
	for _, c := range f.Schema().Names() {
		a, _ := f.Codes(c)
		b, _ := back.Codes(c)
		for i := range 40 {
			if a.At(i) != b.At(i) {
				t.Fatal(c, i)
			}
		}
	}
	// Sets take the place of sets, of another number, too.
	must.Do(t, setsOf(t, net, 2, 10, nil).Write(t.Context(), path))
	if got := names(t, path); got != "README.md combine.R combine.py set_01.csv set_02.csv sets.json" {
		t.Fatal(got)
	}
	if got := names(t, dir); got != "sets" {
		t.Errorf("left behind: %s", got)
	}
}

// What is not ours stays, to the byte.
func TestWriteTakesNoOtherPlace(t *testing.T) {
	net := pair(t)
	for name, prepare := range map[string]func(path string) error{
		"a file": func(p string) error { return os.WriteFile(p, []byte("x"), 0o600) },
		"other files": func(p string) error {
			return errors.Join(os.Mkdir(p, 0o700), os.WriteFile(filepath.Join(p, "thesis.tex"), []byte("x"), 0o600))
		},
		"another sets.json": func(p string) error {
			return errors.Join(os.Mkdir(p, 0o700), os.WriteFile(filepath.Join(p, "sets.json"), []byte(`{"format":"x"}`), 0o600))
		},
		"sets and a file more": func(p string) error {
			return errors.Join(setsOf(t, net, 2, 5, nil).Write(context.Background(), p),
				os.WriteFile(filepath.Join(p, "results.csv"), []byte("x"), 0o600))
		},
		"a link to sets": func(p string) error {
			return errors.Join(setsOf(t, net, 2, 5, nil).Write(context.Background(), p+"2"), os.Symlink(p+"2", p))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sets")
			must.Do(t, prepare(path))
			before, drawn := names(t, filepath.Dir(path)), 0
			var e *FolderError
			if err := setsOf(t, net, 2, 5, &drawn).Write(t.Context(), path); !errors.As(err, &e) || e.Path != path {
				t.Errorf("%v", err)
			}
			if drawn > 0 || names(t, filepath.Dir(path)) != before {
				t.Error(drawn, names(t, filepath.Dir(path)))
			}
		})
	}
	// An error or the context's end leaves nothing.
	dir := t.TempDir()
	s := setsOf(t, net, 3, 5, nil)
	good := s.spec.Draw
	s.spec.Draw = func(set, rows int) (*frame.Frame, error) {
		if set == 2 {
			return nil, errors.New("the third")
		}
		return good(set, rows)
	}
	if err := s.Write(t.Context(), filepath.Join(dir, "sets")); err == nil || names(t, dir) != "" {
		t.Error(err, names(t, dir))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := setsOf(t, net, 3, 5, nil).Write(ctx, filepath.Join(dir, "sets")); !errors.Is(err, context.Canceled) ||
		names(t, dir) != "" {
		t.Error(err, names(t, dir))
	}
}

func TestSets(t *testing.T) {
	net := pair(t)
	if w := setsOf(t, net, 1, 5, nil).Warnings(); len(w) != 1 || w[0].Kind != warning.KindSingleSet {
		t.Error(w)
	}
	s := setsOf(t, net, 0, 0, nil)
	if s.Len() != defaultSets || s.Design() != (Design{100, 500}) || s.Warnings() != nil {
		t.Error(s.Len(), s.Design())
	}
	var p *dp.ParameterError
	for _, i := range []int{-1, 20} {
		if _, err := s.Frame(i); !errors.As(err, &p) {
			t.Error(err)
		}
	}
	draw := s.spec.Draw
	for name, spec := range map[string]Spec{
		"no graph":     {Records: 10, Draw: draw},
		"no draw":      {Records: 10, Graph: net.DAG()},
		"no records":   {Graph: net.DAG(), Draw: draw},
		"negative":     {Records: 10, Rows: -1, Graph: net.DAG(), Draw: draw},
		"many sets":    {Records: 10, Sets: 1001, Graph: net.DAG(), Draw: draw},
		"many rows":    {Records: 10, Rows: 1 << 27, Graph: net.DAG(), Draw: draw},
		"many records": {Records: 1e300, Graph: net.DAG(), Draw: draw},
	} {
		if _, err := New(spec); !errors.As(err, &p) {
			t.Errorf("%s: %v", name, err)
		}
	}
	share, err := s.Analyse(t.Context(), Share(Level{"ill", "да"}))
	if err != nil || math.Abs(share.Value-.42) > .03 {
		t.Error(share, err)
	}
	for _, l := range []Level{{"ill", "x"}, {"x", "no"}} {
		if _, err := s.Analyse(t.Context(), Share(l)); err == nil {
			t.Error(l)
		}
		if _, err := s.Analyse(t.Context(), LogOddsRatio(Level{"ill", "no"}, l)); err == nil {
			t.Error(l)
		}
	}
	// A cell that is empty in some set cannot be combined, and the set is named.
	small := setsOf(t, net, 20, 3, nil)
	var e *EstimateError
	if _, err := small.Analyse(t.Context(), LogOddsRatio(Level{"ill", "no"}, Level{net.DAG().Node(0).Name,
		"no, never"})); !errors.As(err, &e) || e.Set < 1 {
		t.Error(err)
	}
}
