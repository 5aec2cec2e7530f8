package privbayes_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
)

// documentReaders are those of every kind of document.
func documentReaders(t *testing.T) map[string]func(b []byte) error {
	dir := t.TempDir()
	return map[string]func(b []byte) error{
		"release": func(b []byte) error { _, err := release.Parse(t.Context(), b); return err },
		"verify":  func(b []byte) error { _, err := release.VerifyBytes(t.Context(), b); return err },
		"schema":  func(b []byte) error { _, err := privbayes.ParseSchema(b); return err },
		"BIF":     func(b []byte) error { _, err := bayesnet.ReadBIFGraph(bytes.NewReader(b)); return err },
		"plan":    func(b []byte) error { _, err := mechanism.ParsePlan(t.Context(), b); return err },
		"params":  func(b []byte) error { return cert.Decode(b, new(struct{ Columns any })) },
		"entry":   func(b []byte) error { _, err := entry.Read(b); return err },
		"ledger": func(b []byte) error {
			path := filepath.Join(dir, "x.budget")
			must.Do(t, os.WriteFile(path, b, 0o600))
			_, err := budget.Existing(path)
			return err
		},
		"shape": func(b []byte) error { return json.Unmarshal(b, new(model.Shape)) },
	}
}

// Hostile documents, deep ones and long ones, are refused before much is built from them: by a count of allocated
// bytes, which a reader of paths or trees exceeds many times over.
func TestDocumentsAreBounded(t *testing.T) {
	const size = 1 << 16
	hostile := map[string]string{
		"brackets":     strings.Repeat("[", size),
		"objects":      strings.Repeat(`{"a":`, size/5),
		"in a field":   `{"columns": ` + strings.Repeat("[", size),
		"closed":       `{"nodes": ` + strings.Repeat("[", size/2) + strings.Repeat("]", size/2) + "}",
		"mixed":        strings.Repeat(`{"draw": [`, size/10),
		"dashes":       strings.Repeat("- ", size/2) + "a",
		"names":        strings.Repeat("a: ", size/3),
		"indented":     strings.Repeat(" ", size) + "a: [",
		"quote":        `"` + strings.Repeat("[", size),
		"escapes":      `"` + strings.Repeat(`\\`, size/2),
		"a bracket":    strings.Repeat(`{`, size),
		"half utf-8":   strings.Repeat("\xc3", size),
		"empty":        "",
		"deep by 8000": strings.Repeat(`{"a":[`, 4000) + strings.Repeat(`]}`, 4000),
	}
	for of, read := range documentReaders(t) {
		for name, text := range hostile {
			var before, after runtime.MemStats
			b := []byte(text)
			runtime.ReadMemStats(&before)
			err := read(b)
			runtime.ReadMemStats(&after)
			if err == nil || len(err.Error()) > 2000 {
				t.Errorf("%s, %s: %.100v", of, name, err)
			}
			if built := after.TotalAlloc - before.TotalAlloc; built > 64*size {
				t.Errorf("%s, %s: %d bytes were allocated before it was refused", of, name, built)
			}
		}
	}
}
