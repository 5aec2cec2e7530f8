package arrow

import "github.com/privbayes/privbayes-go/internal/safetext"

// FileError says that a file, or a record batch in memory, cannot be read as a table. Its text is public: a file of a
// pattern is named by its place in the list, since its own name may hold values; nothing of what
// it holds is quoted, and
// no text of the library that decodes it.
type FileError struct {
	File string // the path that was given, with the place in the list where that is a pattern; or the batch's place
	What string // what is wrong, "" if the file cannot be read at all
	Want string
}

func (e *FileError) Error() string {
	s := safetext.File(e.File) + ": "
	if e.What != "" {
		s += e.What + "; "
	}
	return s + "want " + e.Want
}

// damaged says that what was decoded is not as the format has it.
func damaged(shown string) error {
	return &FileError{File: shown, What: "it is not as the format has it",
		Want: "a whole Arrow file, stream or record batch"}
}

// guarded runs what reads arrays that nobody has checked: a panic of the decoder is an error that
// says no more than that.
func guarded(shown string, do func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = damaged(shown)
		}
	}()
	return do()
}
