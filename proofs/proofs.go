// Package proofs holds the machine proofs of this library: what is cited, its statements, and the sources that an
// auditor compiles. README.md next to this file says what is proved, what is assumed and what is not.
//
// A check of a certificate names the [Theorem] that it rests on, with the hash of its statement. That the statement has
// a proof is for the proof assistant to say (make proofs); that what is cited is what was checked is for this package
// and its tests, which need no proof assistant.
package proofs

import (
	"embed"
	"iter"
	"strings"
)

// Theorem names a theorem and the statement that was proved under this name.
type Theorem struct {
	Name   string `json:"name"`   // file and theorem: "Counts.add_one" is add_one of lib/Counts.v
	SHA256 string `json:"sha256"` // of the statement as statements/NAME.txt keeps it
}

// Short is the name with the first twelve digits of the hash.
func (t Theorem) Short() string {
	return t.Name + " (statement " + t.SHA256[:min(len(t.SHA256), 12)] + ")"
}

//go:embed statements/*.txt statements/*.list
var files embed.FS

// Cited is the theorem of a name and, in words, what its proof assumes. ok is false when statements/ does not keep it.
func Cited(name string) (t Theorem, assumes string, ok bool) {
	_, axioms, hash, ok := read(name)
	if !ok {
		return Theorem{}, "", false
	}
	var words []string
	if axioms != "none" {
		words = append(words, "the axioms of Coq's real numbers")
	}
	for of, text := range listed("assumes.list", ": ") {
		if of == name {
			words = append(words, text)
		}
	}
	return Theorem{name, hash}, strings.Join(words, "; "), true
}

// Statement is the text of a theorem that statements/ keeps, without its name.
func Statement(name string) (text string, ok bool) {
	text, _, _, ok = read(name)
	return text, ok
}

// Earlier says whether statements/ kept the theorem once, with this hash and these assumptions: files keep the citation
// that they were written with.
func (t Theorem) Earlier(assumes string) bool {
	for name, text := range listed("earlier.list", " ") {
		if hash, words, _ := strings.Cut(text, " "); (Theorem{name, hash}) == t && words == assumes {
			return true
		}
	}
	return false
}

// read takes a file of statements/ apart: the statement as it was hashed, the axioms of its proof, the hash.
func read(name string) (statement, axioms, hash string, ok bool) {
	b, err := files.ReadFile("statements/" + name + ".txt")
	if err != nil {
		return "", "", "", false
	}
	head, rest, ok := strings.Cut(string(b), "\n\n")
	statement, axioms, ok2 := strings.Cut(rest, "\naxioms\n")
	_, hash, ok3 := strings.Cut(head, "\nsha256 ")
	return statement, strings.TrimSpace(axioms), hash, ok && ok2 && ok3
}

// listed reads the lines "name, separator, text" of a list.
func listed(list, separator string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		b, _ := files.ReadFile("statements/" + list)
		for line := range strings.Lines(string(b)) {
			if name, text, ok := strings.Cut(strings.TrimSpace(line), separator); ok && !yield(name, text) {
				return
			}
		}
	}
}
