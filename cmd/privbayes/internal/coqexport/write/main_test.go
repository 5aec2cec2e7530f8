package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// read is the text of a kept file: how gzip packs it may differ between versions of Go.
func read(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, compressed) {
		return b, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// root is the checkout.
const root = "../../../../.."

// Every file is the one that is kept, and every kept file is one of those. The laws and plans are compared on amd64
// only: they come from floating point, where a fused multiply-add may round otherwise.
func TestKeptFilesAreNotStale(t *testing.T) {
	kept := filepath.Join(root, dir)
	files := must.Get(all(t.Context(), root))(t)
	known := []string{}
	for _, f := range files {
		known = append(known, f.name)
		if (strings.HasPrefix(f.name, "Law") || strings.HasPrefix(f.name, "Plan")) && runtime.GOARCH != "amd64" {
			continue
		}
		if got, err := read(filepath.Join(kept, f.name)); err != nil || string(got) != f.text {
			t.Errorf("%s/%s is stale (%v): go run ./cmd/privbayes/internal/coqexport/write", dir, f.name, err)
		}
	}
	entries := must.Get(os.ReadDir(kept))(t)
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) {
			t.Errorf("%s/%s: nothing writes it", dir, e.Name())
		}
	}
}
