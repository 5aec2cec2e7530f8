// Command emit writes what this module computes as files that the proofs in proofs/ check: the odd parity counts of
// networks, the sensitivities of the Hellinger score, and the integers that calibrated plans draw from.
//
//	go run ./internal/emit [DIR]
//
// DIR is proofs/shipped unless another is named. A file holds numbers and the statement about them; whether it is true
// is for the proof assistant to say (make proofs). The test of this package, which needs no proof assistant, fails when
// a file in proofs/shipped is not what would be written now.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// dir is where the files are kept, from the root of the module.
const dir = "proofs/shipped"

// file is a file to write: its name and its text.
type file struct{ name, text string }

func main() {
	to := dir
	if len(os.Args) > 1 {
		to = os.Args[1]
	}
	files, err := emit(context.Background())
	for _, f := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(to, f.name), []byte(f.text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "emit:", err)
		os.Exit(1)
	}
}

// emit makes every file that can be made here: networks that are not embedded only where they have been fetched.
func emit(ctx context.Context) ([]file, error) {
	odds, err := odd()
	if err != nil {
		return nil, err
	}
	edges, err := edges()
	if err != nil {
		return nil, err
	}
	laws, err := laws(ctx)
	return append(append(odds, edges), laws...), err
}

// written heads every file.
const written = "(* Written by go run ./internal/emit; do not edit. "

// width is where lists are broken.
const width = 118

// list writes a list of Coq, broken into lines.
func list(items []string) string {
	var b strings.Builder
	line := 1
	b.WriteByte('[')
	for i, s := range items {
		if i > 0 {
			b.WriteString("; ")
			line += 2
		}
		if line+len(s) > width {
			b.WriteByte('\n')
			line = 0
		}
		b.WriteString(s)
		line += len(s)
		if at := strings.LastIndexByte(s, '\n'); at >= 0 {
			line = len(s) - at
		}
	}
	b.WriteByte(']')
	return strings.ReplaceAll(b.String(), "; \n", ";\n")
}

// numbers writes integers as a list.
func numbers[T int | int64](v []T) string {
	items := make([]string, len(v))
	for i, n := range v {
		items[i] = fmt.Sprint(n)
	}
	return list(items)
}
