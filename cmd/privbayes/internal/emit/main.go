// Command emit writes what this module computes as files that the proofs in proofs/ check: the odd parity counts of
// networks, the sensitivities of the Hellinger score, enclosures of exp and
// log, the integers that calibrated plans draw from, and what the command
// prove writes of some plans.
//
//	go run ./cmd/privbayes/internal/emit [DIR]
//
// DIR is proofs/shipped unless another is named. A file holds numbers and the statement about them; whether it is true
// is for the proof assistant to say (make proofs). Laws that are too large for it are files of numbers alone, which the
// program extracted from its checker reads. The test of this package, which needs no proof assistant, fails when
// a file in proofs/shipped is not what would be written now.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dir is where the files are kept, from the root of the checkout.
const dir = "proofs/shipped"

// file is a file to write: its name and its text.
type file struct{ name, text string }

// compressed ends the names of laws for the extracted checker, which are kept under gzip.
const compressed = ".law.gz"

// bytes are what is kept on disk.
func (f file) bytes() ([]byte, error) {
	if !strings.HasSuffix(f.name, compressed) {
		return []byte(f.text), nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = z.Write([]byte(f.text)); err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

func main() {
	to := dir
	if len(os.Args) > 1 {
		to = os.Args[1]
	}
	files, err := emit(context.Background(), ".")
	for _, f := range files {
		var b []byte
		if err == nil {
			b, err = f.bytes()
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, f.name), b, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "emit:", err)
		os.Exit(1)
	}
}

// emit makes every file. root is the checkout.
func emit(ctx context.Context, root string) ([]file, error) {
	odds, err := odd(root)
	if err != nil {
		return nil, err
	}
	edges, err := edges()
	if err != nil {
		return nil, err
	}
	enclosures, err := enclosures()
	if err != nil {
		return nil, err
	}
	laws, err := laws(ctx)
	if err != nil {
		return nil, err
	}
	plans, err := plans(ctx)
	return slices.Concat(odds, []file{edges, enclosures}, laws, plans), err
}

// written heads every file.
const written = "(* Written by go run ./cmd/privbayes/internal/emit; do not edit. "
