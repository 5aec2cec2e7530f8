package prove

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/proofs"
)

// Write makes a folder and writes Plan.v, the plan as JSON, the theorems and checkers that Plan.v needs, and check.sh,
// which compiles all. It fails with the file system's errors, and when the folder is there and not empty: what an
// auditor is given is written at once.
func (f *Folder) Write(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("prove: %s is not empty; want a new folder", label.File(dir))
	}
	files := map[string]string{"Plan.v": f.Text(), "plan.json": string(f.plan) + "\n"}
	var order []string
	for _, p := range f.parts {
		for _, r := range p.requires {
			if err := library(r, files, &order); err != nil {
				return err
			}
		}
	}
	files["check.sh"] = script(order)
	if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	f.Command = "sh " + filepath.ToSlash(filepath.Join(dir, "check.sh"))
	return nil
}

var required = regexp.MustCompile(`(?m)^From PrivBayes Require Import ([^.]*)\.`)

// library adds a file of the proofs after those that it requires.
func library(name string, files map[string]string, order *[]string) error {
	path := "lib/" + name + ".v"
	if _, done := files[path]; done {
		return nil
	}
	b, err := fs.ReadFile(proofs.Library(), name+".v")
	if err != nil {
		return err
	}
	files[path] = string(b)
	for _, m := range required.FindAllStringSubmatch(string(b), -1) {
		for _, r := range strings.Fields(m[1]) {
			if err := library(r, files, order); err != nil {
				return err
			}
		}
	}
	*order = append(*order, name)
	return nil
}

// script compiles the files in an order in which each finds those that it requires.
func script(order []string) string {
	return fmt.Sprintf(`#!/bin/sh
# Compiles the theorems, the checkers and the numbers of one plan from the start. It needs coqc 8.16 with Coquelicot,
# Flocq and Interval; in the repository of privbayes, "scripts/proofs.sh plan DIR" unpacks them and runs this.
set -eu
cd "$(dirname "$0")"
for f in %s; do
  coqc -q -w -ambiguous-paths -Q lib PrivBayes "lib/$f.v"
done
if coqc -q -w -ambiguous-paths -Q lib PrivBayes Plan.v; then
  echo "accepted: every theorem of Plan.v has a proof"
else
  echo "REJECTED: a number of Plan.v is not what its theorem needs"
  exit 1
fi
`, strings.Join(order, " "))
}
