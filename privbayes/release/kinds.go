package release

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/catalog" // files of every kind of the library load
)

// otherFiles says of other files of the library what they are, and which commands read them.
var otherFiles = map[string]string{
	"privbayes-publication-1": "the file is a publication, whose items are releases: show --item NAME --out FILE takes " +
		"one out of it; show, verify, export and report --public read it",
	"privbayes-selection-1": "the file is a selection, whose guarantee is of all candidates: show, verify, export, " +
		"synthesize, report --public and entry read it by the name of its file",
	"privbayes-categories-1": "the file has categories of a column: show and verify read it, and AddTo or " +
		"discover --into puts them into a schema",
	"privbayes-range-1": "the file has a range of a column: show and verify read it, and AddTo or discover --into puts " +
		"it into a schema",
	"privbayes-totals-1": "the file has running totals, whose guarantee is of all periods: show, verify, " +
		"report --public and entry read it, and it holds all intervals",
	"privbayes-privacy-report-1": "the file is a privacy report, which report --public wrote of a release: no command " +
		"reads it, and report reads the release",
	"privbayes-synthetic-sets-1": "the file describes a folder of synthetic sets, which sets wrote of a release: " +
		"combine reads estimates of the sets",
	"privbayes-ledger-3": "the file is a budget: the command budget reads it",
}

// recordOf says so of a record for a registry.
const recordOf = "the file is a record for a registry, which entry drafted of a release: verify RELEASE --entry FILE " +
	"reads both"

// otherFile is the error for a file that is no release, by its format; reason is why its JSON cannot be read, or nil.
func otherFile(b []byte, reason error) *FileError {
	var head struct {
		Format     string          `json:"format"`
		Deployment json.RawMessage `json:"deployment"`
	}
	_ = json.NewDecoder(bytes.NewReader(b)).Decode(&head) // of a budget the first line
	other := otherFiles[head.Format]
	if head.Deployment != nil || bytes.HasPrefix(b, []byte("# A draft for a registry")) {
		other = recordOf
	}
	switch {
	case other != "":
		return &FileError{Field: "format", Want: fmt.Sprintf("%q; %s", Format, other)}
	case reason != nil:
		return &FileError{Want: "a JSON release", Err: reason}
	case head.Format == "":
		return &FileError{Field: "format", Want: fmt.Sprintf("%q; the file names no format, so it is no release file",
			Format)}
	case head.Format == "privbayes-release-1" || head.Format == "privbayes-release-2":
		return &FileError{Field: "format", Want: fmt.Sprintf("%q, have %s: it was "+
			"written before any version was published, and cannot be read; a new release of the same table is charged "+
			"as a further one", Format, safetext.Short(head.Format))}
	}
	return &FileError{Field: "format", Want: fmt.Sprintf("%q, have %s: written by another version of the library", Format,
		safetext.Short(head.Format))}
}
