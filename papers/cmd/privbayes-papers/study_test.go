package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// small is a study of a data set that the repository holds: seconds.
func small(more ...string) []string {
	return append([]string{"dirichlet", "--data", "spam", "--methods", "mle,gauss_fix", "--workers", "1"}, more...)
}

func TestStudyUsage(t *testing.T) {
	for _, args := range []string{"", "gaussian", "dirichlet extra", "dirichlet --seeds 0", "dirichlet --workers 0",
		"dirichlet --resume", "dirichlet --nonsense"} {
		if code, _, errs := call(append([]string{"study"}, strings.Fields(args)...)...); code != exitUsage {
			t.Errorf("%q: %d %s", args, code, errs)
		}
	}
	for _, args := range []string{"dirichlet --data nothing", "dirichlet --bins round", "dirichlet --methods magic",
		"dirichlet --seeds -1"} {
		if code, _, errs := call(append([]string{"study"}, strings.Fields(args)...)...); code != exitInput {
			t.Errorf("%q: %d %s", args, code, errs)
		}
	}
	if code, out, errs := call("study", "--help"); code != exitDone || !strings.Contains(out, "--resume") {
		t.Error(code, errs)
	}
}

// An interrupted study says how to go on; going on ends with the report of an uninterrupted one and shows its tables.
func TestStudyGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("a study takes seconds")
	}
	path := filepath.Join(t.TempDir(), "report.json")
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	err := study(ctx, small("--seeds", "2", "--out", path), &out, stopAfter{&errs, cancel})
	if err == nil || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "--resume") {
		t.Fatal(err)
	}
	must.Do(t, study(t.Context(), small("--seeds", "2", "--out", path, "--resume"), &out, &errs))
	if s := out.String(); !strings.Contains(s, "spam") || strings.Contains(s, "NaN") {
		t.Error(s)
	}
	kept := must.Get(os.ReadFile(path))(t)
	out.Reset()
	must.Do(t, study(t.Context(), small("--seeds", "2", "--json"), &out, &errs))
	var a, b any
	if json.Unmarshal(kept, &a) != nil || json.Unmarshal(out.Bytes(), &b) != nil {
		t.Fatal("the reports are not JSON")
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Error("the resumed report differs from a whole one")
	}
}

// stopAfter cancels at the first line of progress.
type stopAfter struct {
	*bytes.Buffer
	cancel func()
}

func (s stopAfter) Write(b []byte) (int, error) {
	s.cancel()
	return s.Buffer.Write(b)
}
