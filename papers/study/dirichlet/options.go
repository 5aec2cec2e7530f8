package dirichlet

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/domain"
)

// Bins says how numbers become levels.
type Bins string

const (
	// Public are the edges of the public schemas: round numbers and code books, chosen without the data.
	Public Bins = "public"
	// Quantile are the paper's: ten quantiles of the training rows, and only the categories that occur. They read the
	// data, so nothing made with them is private. See frame.QuantileSplit.
	Quantile Bins = "quantile"
)

// The study's fixed settings: the paper's.
const (
	Order        = 5.0 // λ of every Rényi target
	fraction     = 0.7 // of the rows for training
	QuantileBins = 10

	defaultSeeds = 10
	maxSeeds     = 1000
)

// Epsilons are the paper's range of ε, one a decade.
func Epsilons() []float64 { return []float64{1e-3, 1e-2, 1e-1, 1, 10} }

// Options choose a part of the study. The zero value is all of it under public bins, with ten seeds.
type Options struct {
	Data     []string  // data sets, by the names of data.StudyNames; empty: all eight
	Bins     Bins      // empty: Public
	Epsilons []float64 // ε > 0 of (5, ε)-Rényi DP; empty: Epsilons()
	Methods  []string  // identifiers of Methods; empty: all
	Seeds    int       // splits, each with new noise; 0: 10
	Workers  int       // jobs at a time; 0: 2

	SkipBayes    bool // leave out the naive Bayes models
	SkipNetworks bool // leave out the networks

	// Resume, if not nil, is an unfinished report of the same settings: its cells are kept, not run again. Another
	// number of seeds or choice of data sets is no other setting.
	Resume *Report
	// Progress is called after every finished cell, one call at a time.
	Progress func(Progress)
	// Save is called with the report so far after every finished cell, one call at a time; its error ends the run.
	Save func(*Report) error

	bin binner // in tests: other bins
}

// Progress says how far a run is. One cell is one model on one split of one data set, with every method and ε.
type Progress struct {
	Done, Total int
	Kept        int // of Done, from the report resumed
	Cell        string
}

// SettingsError says that a report to resume, or to compare with, was made under other settings.
type SettingsError struct{ Setting, Have, Want string }

func (e *SettingsError) Error() string {
	return fmt.Sprintf("study: the report was made with %s %s; want %s, or another file", e.Setting, e.Have, e.Want)
}

// filled checks the options and writes out the defaults.
func (o Options) filled() (Options, error) {
	if o.Bins == "" {
		o.Bins = Public
	}
	if o.Bins != Public && o.Bins != Quantile {
		return o, domain.Refuse("dirichlet", "bins", fmt.Sprintf("%q", o.Bins), "public or quantile")
	}
	if o.bin == nil {
		o.bin = o.Bins.binner()
	}
	all := data.StudyNames()
	if len(o.Data) == 0 {
		o.Data = all
	}
	for i, name := range o.Data {
		if !slices.Contains(all, name) {
			return o, &data.NameError{Name: name, Have: all}
		}
		if slices.Contains(o.Data[:i], name) {
			return o, domain.Refuse("dirichlet", "data", name+" twice", "every data set once")
		}
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = Epsilons()
	}
	for i, e := range o.Epsilons {
		if !(e >= 1e-6 && e <= 1e3) || i > 0 && e <= o.Epsilons[i-1] {
			return o, domain.Refuse("dirichlet", "epsilons", fmt.Sprint(o.Epsilons), "increasing numbers in [1e-6, 1000]")
		}
	}
	if len(o.Methods) == 0 {
		for _, m := range Methods() {
			o.Methods = append(o.Methods, m.ID)
		}
	}
	for i, id := range o.Methods {
		if _, ok := methodOf(id); !ok || slices.Contains(o.Methods[:i], id) {
			return o, domain.Refuse("dirichlet", "methods", id, fmt.Sprint("identifiers of Methods, each once: ", ids()))
		}
	}
	if o.Seeds == 0 {
		o.Seeds = defaultSeeds
	}
	if o.Seeds < 1 || o.Seeds > maxSeeds {
		return o, domain.Refuse("dirichlet", "seeds", fmt.Sprint(o.Seeds), fmt.Sprintf("1 to %d", maxSeeds))
	}
	if o.Workers == 0 {
		o.Workers = 2
	}
	if o.Workers < 1 || o.Workers > 256 {
		return o, domain.Refuse("dirichlet", "workers", fmt.Sprint(o.Workers), "1 to 256")
	}
	return o, nil
}
