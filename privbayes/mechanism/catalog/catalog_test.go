package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
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
	facade := must.Get(os.ReadFile(filepath.Join(root, "privbayes", "privbayes.go")))(t)
	index := must.Get(os.ReadFile(filepath.Join(root, "docs", "reference", "mechanisms.md")))(t)
	for _, d := range catalog.All() {
		if !bytes.Contains(facade, []byte("\nfunc "+d.Name+"(")) {
			t.Errorf("package privbayes does not make %s", d.Name)
		}
		if !bytes.Contains(index, []byte("| `"+d.Name+"`")) {
			t.Errorf("docs/reference/mechanisms.md does not name %s", d.Name)
		}
	}
}

// What a mechanism takes can be asked of every shape, also of one that it does not support.
func TestCostsOfAnyShape(t *testing.T) {
	s := &frame.Schema{Dataset: "shapes", Columns: []frame.Column{
		frame.Categorical("c", "a", "b"), frame.Categorical("d", "x", "y", "z"),
		frame.Real("v", 1, 4), frame.Real("w", 0, 9)}}
	for _, m := range []model.Model{model.Categorical("d"), model.NaiveBayes("c", "d"), model.Mean("v"),
		model.MeanSD("v"), model.GroupMeans("v", "d"), model.Quantiles("v", .5), model.LinearRegression("v", "w"),
		model.LogisticRegression("c", "w"), model.Exponential("v").WithRange(.5, 2), model.Tree().Of("c", "d"),
		model.Network("c", model.Node("c"), model.Node("d", "c"))} {
		for _, public := range []bool{true, false} {
			sh, err := model.NewShape(s, m, 30, public, "WithoutN")
			if err != nil {
				t.Fatal(m, err)
			}
			for _, d := range catalog.All() {
				if costed, ok := d.New(mechanism.Options{Count: 3}).(mechanism.Costed); ok {
					costed.Cost(sh, dp.PureDP(1))
				}
			}
		}
	}
}

// What is no learner's noise is refused by its title.
func TestForNamesWhatItRefuses(t *testing.T) {
	s := &frame.Schema{Dataset: "pair", Columns: []frame.Column{
		frame.Categorical("c", "a", "b"), frame.Categorical("d", "x", "y", "z")}}
	for _, m := range []model.Model{model.Tree(), model.PrivBayes()} {
		sh := must.Get(model.NewShape(s, m, 30, true, ""))(t)
		_, err := catalog.For(sh, counts.KNorm())
		var unsupported *mechanism.UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Mechanism != counts.KNorm().Title() {
			t.Errorf("%s: %v", m, err)
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
