package data

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Table 1 of the paper.
func TestStudyIsTable1(t *testing.T) {
	want := []struct {
		paper          string
		rows, features int
		classes        int
		positive       int64 // per cent
	}{
		{"CreditCard", 30000, 23, 2, 22}, {"Thyroid", 7200, 21, 3, 0}, {"Shopper", 12330, 17, 2, 15},
		{"Digit", 5620, 64, 10, 0},
		{"GermanCredit", 1000, 20, 2, 30}, {"Bank", 41188, 20, 2, 11}, {"Spam", 4601, 57, 2, 39},
		{"Adult", 48842, 13, 2, 24},
	}
	sets := Study()
	if len(sets) != len(want) {
		t.Fatalf("%d sets, want %d", len(sets), len(want))
	}
	for i, w := range want {
		o := sets[i]
		if o.PaperName != w.paper || o.Rows != w.rows || o.Features != w.features || o.Classes != w.classes {
			t.Errorf("%+v, want %+v", o, w)
		}
		var n int64
		for _, k := range o.ClassCounts {
			n += k
		}
		if n != int64(o.Rows) || len(o.ClassCounts) != o.Classes {
			t.Errorf("%s: classes %v for %d rows", o.Name, o.ClassCounts, o.Rows)
		}
		if share := (200*o.ClassCounts[o.Positive] + n) / (2 * n); share != w.positive {
			t.Errorf("%s: %d per cent positive, want %d", o.Name, share, w.positive)
		}
		if o.Licence != "CC BY 4.0" || !strings.HasPrefix(o.DOI, "10.24432/") ||
			!strings.HasPrefix(o.URL, "https://archive.ics.uci.edu/") ||
			o.Citation == "" || o.Changes == "" || len(o.CSVSHA256) != 64 || len(o.Members) == 0 {
			t.Errorf("%s: facts missing: %+v", o.Name, o)
		}
	}
}

// The schemas are valid, describe every column, and keep to about ten bins.
func TestStudySchemas(t *testing.T) {
	for _, o := range Study() {
		s, err := StudySchema(o.Name)
		if err != nil {
			t.Fatal(o.Name, err)
		}
		if s.Dataset != o.Name || len(s.Columns) != o.Features+1 || s.Inferred {
			t.Errorf("%s: data set %q, %d columns, inferred %v", o.Name, s.Dataset, len(s.Columns), s.Inferred)
		}
		target, _, err := s.Column(o.Target)
		if err != nil || target.Levels() != o.Classes {
			t.Errorf("%s: target %q: %v", o.Name, o.Target, err)
		}
		for _, c := range s.Columns {
			if c.Description == "" {
				t.Errorf("%s: column %s has no description", o.Name, c.Name)
			}
			if c.Numeric() && (c.Levels() < 8 || c.Levels() > 12 || c.OnOutOfDomain != "") {
				t.Errorf("%s: column %s has %d bins, out of domain %q", o.Name, c.Name, c.Levels(), c.OnOutOfDomain)
			}
		}
	}
	var unknown *NameError
	if _, err := StudySchema("iris"); !errors.As(err, &unknown) || len(unknown.Have) != 8 {
		t.Error(err)
	}
}

// Every table loads whole under its schema: rows, classes and missing marks are those of the facts.
func TestStudyLoads(t *testing.T) {
	missing := map[string]map[string]int64{
		"bank":  {"job": 330, "marital": 80, "education": 1731, "default": 8597, "housing": 990, "loan": 990},
		"adult": {"workclass": 2799, "occupation": 2809, "native-country": 857},
	}
	for _, o := range Study() {
		t.Run(o.Name, func(t *testing.T) {
			r, s, err := OpenStudy(o.Name)
			if errors.Is(err, &NotFoundError{}) {
				Need(t, o.File)
			}
			if err != nil {
				t.Fatal(err)
			}
			f := must.Get(frame.Read(context.Background(), r, o.File, s))(t)
			if f.Len() != o.Rows {
				t.Errorf("%d rows, want %d", f.Len(), o.Rows)
			}
			counts := must.Get(f.CountPrivate(o.Target))(t)
			got := map[string]int64{}
			target, _, _ := s.Column(o.Target)
			for i, label := range target.Labels() {
				got[label] = counts[i]
			}
			if !reflect.DeepEqual(got, o.ClassCounts) {
				t.Errorf("classes %v, want %v", got, o.ClassCounts)
			}
			for _, c := range s.Columns {
				counts := must.Get(f.CountPrivate(c.Name))(t)
				if want, ok := missing[o.Name][c.Name]; c.HasMissing() != ok || ok && counts[len(counts)-1] != want {
					t.Errorf("%s: %v; want %d missing", c.Name, counts, want)
				}
			}
		})
	}
}

func TestOpenStudyRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir()) // no repository, so nothing beside it
	t.Setenv("PRIVBAYES_DATA", dir)
	var absent *NotFetchedError
	_, _, err := OpenStudy("adult")
	if !errors.As(err, &absent) || !errors.Is(err, &NotFoundError{}) ||
		!strings.Contains(err.Error(), "privbayes data fetch adult") || absent.Looked[0] != dir {
		t.Error(err)
	}
	// Spam is embedded.
	r, s := must.Get2(OpenStudy("spam"))(t)
	if f, err := frame.Read(context.Background(), r, "spam", s); err != nil || f.Len() != 4601 {
		t.Error(err)
	}
	for name, b := range map[string][]byte{
		"text": []byte("age\n1\n"), "gzip": gzipped(t, []byte("age\n1\n")),
		"long": gzipped(t, bytes.Repeat([]byte("x"), 6<<20)),
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, "adult.csv.gz"), b, 0o600))
		var sum *ChecksumError
		if _, _, err := OpenStudy("adult"); !errors.As(err, &sum) || sum.WantBytes != 5277522 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var broken *ArchiveError
	must.Do(t, os.WriteFile(filepath.Join(dir, "adult.csv.gz"), []byte{0x1f, 0x8b, 0}, 0o600))
	if _, _, err := OpenStudy("adult"); !errors.As(err, &broken) {
		t.Error(err)
	}
	var unknown *NameError
	if _, _, err := OpenStudy("titanic"); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

func TestCacheDir(t *testing.T) {
	t.Setenv("PRIVBAYES_DATA", "/some/where")
	if dir, err := CacheDir(); err != nil || dir != "/some/where" {
		t.Error(dir, err)
	}
	t.Setenv("PRIVBAYES_DATA", "")
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv("HOME", "/home")
	if dir, err := CacheDir(); err != nil || filepath.Base(dir) != "privbayes" {
		t.Error(dir, err)
	}
}

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	must.Get(w.Write(b))(t)
	must.Do(t, w.Close())
	return out.Bytes()
}
