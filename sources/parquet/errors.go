package parquet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// FileError says that a file cannot be read as a table. Its text is public: a file of a folder or of a pattern is named
// by its place in the list, since its own name may hold values, and nothing of what the file holds is quoted.
type FileError struct {
	File string // the path that was given, with the place in the list where that is a folder or a pattern
	What string // what is damaged or not supported, "" if the file cannot be read at all
	Want string
}

func (e *FileError) Error() string {
	s := safetext.File(e.File) + ": "
	if e.What != "" {
		s += e.What + "; "
	}
	return s + "want " + e.Want
}

// damaged says which part of a file is not as the format has it.
func damaged(part string) error { return &damage{part} }

type damage struct{ part string }

func (e *damage) Error() string { return e.part + " is not as the format has it" }

// unsupported says what a file uses that is not read.
func unsupported(what, want string) error { return &lack{what, want} }

type lack struct{ what, want string }

func (e *lack) Error() string { return fmt.Sprintf("%s; want %s", e.what, e.want) }
