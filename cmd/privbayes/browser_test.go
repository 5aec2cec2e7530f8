package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// What a page loads has no packages that it has no use for and that take megabytes. A template package would keep every
// method of every type, since it finds methods by their names.
func TestBrowserImports(t *testing.T) {
	c := exec.Command("go", "list", "-deps", "-tags", "browser", ".")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	linked := strings.Fields(string(must.Get(c.Output())(t)))
	if !slices.Contains(linked, "github.com/privbayes/privbayes-go/privbayes") {
		t.Fatalf("no library in %d packages", len(linked))
	}
	for _, p := range linked {
		if p == "net/http" || p == "html/template" || p == "text/template" || strings.Contains(p, "arrow") ||
			strings.Contains(p, "parquet") || strings.Contains(p, "audit") {
			t.Errorf("the program of a page has %s", p)
		}
	}
}
