//go:build browser

package main

import (
	"context"
	"io"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// With the build tag "browser" this is the program that a page runs, compiled to WebAssembly. It is the same but for
// what a page has no use for and would have to load: other files than CSV, downloads, audits of programs, proofs,
// choices among candidates, which take minutes, Jupyter, and the embedded tables.

// textAlone refuses files of columns.
func (t *tableFlags) textAlone() error {
	return wrongFlag("data", t.name(), "CSV, or gzip of it: in a browser no other file is read")
}

func (t *tableFlags) columns(context.Context, *frame.Schema, tableForm) *privbayes.Frame {
	return privbayes.WrapFrame(nil, t.textAlone())
}

func (t *tableFlags) loadTables(context.Context, *frame.Schema) (*frame.Frame, error) {
	return nil, wrongFlag("data", t.name(), "one table: in a browser linked tables are not read")
}

func (t *tableFlags) newTables(ctx context.Context, sh *model.Shape) (*frame.Frame, *unitsOf, error) {
	_, err := t.loadTables(ctx, sh.Schema())
	return nil, nil, err
}

func (t *tableFlags) checkTables(ctx context.Context, s *frame.Schema) (*frame.Violations, error) {
	_, err := t.loadTables(ctx, s)
	return nil, err
}

func writeTables(io.Writer, string, *frame.Schema, *frame.Frame, bool) error {
	return wrongUsage("synthesize: --tables: in a browser linked tables are not written")
}

func (t *tableFlags) columnText(context.Context, *frame.Schema, tableForm) (io.Reader, error) {
	return nil, t.textAlone()
}

func writeArrow(io.Writer, string, []string, [][]any) error {
	return wrongFlag("format", "arrow", "csv: in a browser no other file is written")
}

func writeParquet(io.Writer, string, []string, [][]any) error {
	return wrongFlag("format", "parquet", "csv: in a browser no other file is written")
}

func addRecords(context.Context, *publication.Publication, string, *export.Estimates) error {
	return nil
}

func columnFault(error) (file, want string) { return "", "" }

func downloadData(_, _ io.Writer, name, _, _ string, _ bool) error {
	return wrongUsage("data fetch %s: nothing is downloaded in a browser", name)
}

// alike has the library's own reader alone: a general one takes more of a page's size than its second reading is worth.
func alike(record []byte) error {
	_, err := entry.Read(record)
	return err
}

var auditExamples []string

func auditCommand([]string, io.Writer, io.Writer) error {
	return wrongUsage("audit: no program is run in a browser")
}

var proveExamples []string

func proveCommand([]string, io.Writer, io.Writer) error {
	return wrongUsage("prove: no folder is written in a browser")
}

func unprovable(error) bool { return false }

var acceptExamples []string

var discoverExamples []string

func discoverCommand([]string, io.Writer, io.Writer) error {
	return wrongUsage("discover: a browser does not; the command line does")
}

func openFound(context.Context, []byte) (shower, error) { return nil, nil }

func matchFound(_ context.Context, _ []byte, paths []string) (notes []string, err error) {
	if len(paths) > 0 {
		err = wrongFlag("found", paths[0], "it with the command line: a browser reads no file of what was found")
	}
	return nil, err
}

func unmatched(error) bool { return false }

func nothingFound(error) bool { return false }

func verifierOf([]byte) func(ctx context.Context, b []byte) (*cert.Verification, error) { return nil }

var totalsExamples []string

func drawTotals(picture string, _ *totals.Totals) error {
	return wrongFlag("figure", picture, "it with the command line: running totals are not drawn in a browser")
}

func totalsCommand([]string, io.Writer, io.Writer) error {
	return wrongUsage("totals: a sequence needs a budget file, which a browser does not keep; the command line does")
}

func acceptCommand([]string, io.Writer, io.Writer) error {
	return wrongUsage("accept: no candidates are drawn in a browser; the command line draws them")
}

func labCommand([]string, io.Writer, io.Writer) error {
	return wrongUsage("lab: JupyterLab is not started in a browser")
}

func bindCommand([]string, io.Writer, io.Writer) error {
	return wrongUsage("bind: notebooks have no kernel in a browser")
}
