// Command sbom writes what has to go with a program that is handed on: who made what is in it.
//
//	sbom PROGRAM TABLES
//
// TABLES is the answer of "privbayes data list --json" by the same program, or by one of another platform. Printed are
// the embedded tables, with what their licences ask to be named, and the licence texts of Go and of every module that
// PROGRAM says it was built from. A module without such a text is an error. This module also pins cyclonedx-gomod,
// which writes the bill of materials.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// ours are the modules whose licence is that of the program itself.
const ours = "github.com/privbayes/privbayes-go"

func main() {
	log.SetFlags(0)
	log.SetPrefix("sbom: ")
	if len(os.Args) != 3 {
		log.Fatal("want PROGRAM TABLES")
	}
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	info, err := buildinfo.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := notices(os.Stdout, info, text); err != nil {
		log.Fatal(err)
	}
}

// notices writes the notices of a program with these modules and tables.
func notices(w io.Writer, info *buildinfo.BuildInfo, tables []byte) error {
	var list []struct{ Name, Title, Source, Licence, Citation, Changes, URL, Path string }
	if err := json.Unmarshal(tables, &list); err != nil {
		return fmt.Errorf("the list of tables: %w", err)
	}
	fmt.Fprint(w, "privbayes\n\nThis program holds the tables and the modules of Go that follow.\n")
	for _, t := range list {
		if t.URL == "" && t.Name != "acs_gov2018" || t.Path == "embedded" { // others are downloaded, or stay with their owner
			fmt.Fprintf(w, "\nTable %s: %s\nSource: %s\nLicence: %s\nCitation: %s\nChanges: %s\n", t.Name, t.Title, t.Source,
				t.Licence, t.Citation, t.Changes)
		}
	}
	fmt.Fprint(w, "\nCC BY 4.0: https://creativecommons.org/licenses/by/4.0/legalcode\n"+
		"CC0: https://creativecommons.org/publicdomain/zero/1.0/legalcode\n")
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	if err := licences(w, "Go "+info.GoVersion, strings.TrimSpace(string(out))); err != nil {
		return err
	}
	for _, m := range info.Deps {
		if m.Path == ours || strings.HasPrefix(m.Path, ours+"/") {
			continue
		}
		dir, err := folder(m)
		if err == nil {
			err = licences(w, m.Path+" "+m.Version, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// folder is where the module cache has a module, which is downloaded if need be.
func folder(m *debug.Module) (string, error) {
	if m.Replace != nil {
		m = m.Replace
	}
	out, err := exec.Command("go", "mod", "download", "-json", m.Path+"@"+m.Version).Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(out, &got) != nil || got.Dir == "" {
		return "", fmt.Errorf("%s %s: no folder of it: %s %v", m.Path, m.Version, got.Error, err)
	}
	return got.Dir, nil
}

var isLicence = regexp.MustCompile(`^(LICEN[CS]E|NOTICE|COPYING|PATENTS)`)

// licences writes the licence texts of a folder.
func licences(w io.Writer, name, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, f := range files {
		if f.IsDir() || !isLicence.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(w, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 100), name, f.Name(), strings.TrimSpace(string(text)))
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s", name, dir)
	}
	return nil
}
