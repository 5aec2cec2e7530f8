package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var updateAnswers = flag.Bool("update-answers", false, "write anew what the command lines of testdata/answers answer")

// home is the folder of this package, where tests are in others.
var home, _ = os.Getwd()

// list is a list of names, of which two are kept: a new mechanism changes no answer.
var list = regexp.MustCompile(`((?:[\w-]+, ){2})(?:[\w-]+, ){2,}[\w-]+(?: or [\w-]+)?`)

// answers runs the command lines of testdata/answers/NAME.txt, in the folder that the test is in, and compares the exit
// code and the first line of what each says: of its errors, else of its output. A new case is a line "$ privbayes …".
func answers(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(home, "testdata", "answers", name+".txt")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ privbayes")
		if !ok {
			continue
		}
		code, out, errs := call(strings.Fields(command)...)
		if errs == "" {
			errs = out
		}
		said, _, _ := strings.Cut(strings.ReplaceAll(errs, folder, "FOLDER"), "\n")
		said = list.ReplaceAllString(said, "${1}…")
		if got.Len() > 0 {
			got.WriteString("\n")
		}
		fmt.Fprintf(&got, "$ privbayes%s\nexit %d: %s\n", command, code, said)
	}
	if *updateAnswers {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got.String() != string(want) {
		t.Errorf("%s differs; go test ./cmd/privbayes -update-answers writes it anew:\n%s", path, got.String())
	}
}
