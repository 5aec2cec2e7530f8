package catalog_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
)

// root is the module's, from here.
var root = filepath.Join("..", "..", "..")

// Names on the command line are one for each, every descriptor is whole, and what it makes has its kind.
func TestDescriptorsAreWhole(t *testing.T) {
	flags := map[string]bool{}
	for _, d := range catalog.All() {
		if flags[d.Flag] || d.Flag == "" || d.Name == "" || d.Title == "" || d.Rebuild == nil {
			t.Errorf("%+v", d)
		}
		flags[d.Flag] = true
		if m := d.New(mechanism.Options{Count: 3}); m.Name() != d.Kind {
			t.Errorf("%s makes a %s", d.Flag, m.Name())
		}
		if found, ok := catalog.ByFlag(d.Flag); !ok || found.Title != d.Title {
			t.Errorf("%s is not found", d.Flag)
		}
		if d.Choices != nil && d.Short == "" {
			t.Errorf("%s has no name for a figure", d.Flag)
		}
	}
	if _, ok := catalog.ByFlag("none"); ok || len(catalog.Flags()) != len(flags) {
		t.Error("names", catalog.Flags())
	}
}

// The façade makes every mechanism of the catalogue, and the index of the documentation names it.
func TestTheFacadeAndThePagesKnowAll(t *testing.T) {
	facade, err := os.ReadFile(filepath.Join(root, "privbayes", "privbayes.go"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range catalog.All() {
		if !bytes.Contains(facade, []byte("\nfunc "+d.Name+"(")) {
			t.Errorf("package privbayes does not make %s", d.Name)
		}
		if !bytes.Contains(index, []byte("| `"+d.Name+"`")) {
			t.Errorf("docs/README.md does not name %s", d.Name)
		}
	}
}

// Nothing of the library is registered but here.
func TestNothingIsRegisteredElsewhere(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "testdata" { // other modules
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if n := bytes.Count(text, []byte("mechanism.Register(")); n > 0 {
			seen += n
			if filepath.Base(path) != "catalog.go" {
				t.Errorf("%s registers a mechanism", path)
			}
		}
		return err
	})
	if err != nil || seen != 1 {
		t.Error(seen, "registrations", err)
	}
}

func ExampleByFlag() {
	d, _ := catalog.ByFlag("k-norm")
	fmt.Println(d.Name, "makes", d.New(mechanism.Options{}).Title())
	// Output: KNorm makes K-norm: sum-zero geometric noise on counts
}
