// Package data holds real, public data sets with hand-made schemas, embedded so that examples and notebooks need no
// network.
//
// Each set has a function, such as [Votes], that returns a fresh reader and a fresh schema; they fit
// privbayes.ReadFrame and frame.Read. [Info] tells source, licence, citation and checksum. Bin edges are round numbers
// or from the code book, never quantiles.
//
// The eight public tables of the study of the Dirichlet mechanism are larger: their schemas are embedded
// ([StudySchema]), the tables are downloaded, checked and converted by [Fetch], and [OpenStudy] opens them.
package data

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Table is an embedded CSV or CSV.gz file to read from.
type Table struct {
	*bytes.Reader
	name string
}

// Name is the file name, such as "votes.csv"; readers use it in errors.
func (t *Table) Name() string { return t.name }

// NameError says that there is no data set or network of that name, and which there are.
type NameError struct {
	Name string
	Have []string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("no data set %q; have %s", e.Name, strings.Join(e.Have, ", "))
}

// Open returns the data set of that name, with a fresh reader and schema: *NameError if there is none.
func Open(name string) (io.Reader, *frame.Schema, error) {
	d, err := Info(name)
	if err != nil {
		return nil, nil, err
	}
	b, err := embedded.ReadFile("files/" + d.File)
	if err != nil {
		return nil, nil, err
	}
	j, err := embedded.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return nil, nil, err
	}
	s, err := frame.ParseSchema(j)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Table{bytes.NewReader(b), d.File}, s, nil
}

// known opens an embedded set. All of them open, or the tests fail; were one broken, the nil schema makes the reader
// refuse.
func known(name string) (io.Reader, *frame.Schema) {
	r, s, err := Open(name)
	if err != nil {
		return strings.NewReader(""), nil
	}
	return r, s
}

// Votes is the voting record of the US House of Representatives in 1984: party and 16 votes of 435 members.
func Votes() (io.Reader, *frame.Schema) { return known("votes") }

// BreastCancer is the Wisconsin diagnostic data: 30 measures of cell nuclei of 569 patients, benign or malignant.
func BreastCancer() (io.Reader, *frame.Schema) { return known("breast_cancer") }

// Wine is the chemistry of 178 wines of three cultivars.
func Wine() (io.Reader, *frame.Schema) { return known("wine") }

// Iris is Fisher's and Anderson's 150 flowers of three species.
func Iris() (io.Reader, *frame.Schema) { return known("iris") }

// Penguins is 344 penguins of three species on three islands, with missing values.
func Penguins() (io.Reader, *frame.Schema) { return known("penguins") }

// Spam is 57 word and character frequencies of 4601 e-mails, spam or not.
func Spam() (io.Reader, *frame.Schema) { return known("spam") }

// CPS1988 is the weekly wage of 28155 US men in March 1988, with education, experience and region.
func CPS1988() (io.Reader, *frame.Schema) { return known("cps1988") }

// GermanCredit is 1000 consumer credits, good or bad, in the Statlog coding.
func GermanCredit() (io.Reader, *frame.Schema) { return known("german_credit") }

// Shopper is 12330 sessions of an online shop with pages, times and kind of visitor, and whether the session ended in a
// purchase.
func Shopper() (io.Reader, *frame.Schema) { return known("shopper") }

// Births2019 is 160000 singleton births of 2019 in the United States: mother's age, parity, weeks, sex and weight.
func Births2019() (io.Reader, *frame.Schema) { return known("births2019") }

// NHANES2009 is 8591 people of a health examination survey with weights: stratum, sampling unit, high cholesterol,
// race, age and sex.
func NHANES2009() (io.Reader, *frame.Schema) { return known("nhanes2009") }

//go:embed networks
var networks embed.FS

// NetworkNames lists the embedded Bayesian networks.
func NetworkNames() []string { return []string{"asia", "sachs"} }

// Network opens an embedded Bayesian network in the interchange format that bayesnet.ReadBIF reads: "asia", the chest
// clinic of Lauritzen and Spiegelhalter (1988) with its published tables, or "sachs", the structure of the
// protein-signalling network of Sachs et al. (2005). Both files are written here from the publications. *NameError if
// there is none of that name.
func Network(name string) (io.Reader, error) {
	b, err := networks.ReadFile("networks/" + name + ".bif")
	if err != nil {
		return nil, &NameError{name, NetworkNames()}
	}
	return &Table{bytes.NewReader(b), name + ".bif"}, nil
}
