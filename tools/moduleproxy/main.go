// Command moduleproxy makes a module proxy of files out of the modules of a checkout, as GOPROXY=file://FOLDER reads
// it: what users would get, had the checkout that version.
//
//	moduleproxy VERSION CHECKOUT FOLDER [DIRECTORY...]
//
// Directories are those of the modules in the checkout, in the order of their requirements, by default the root alone.
// The hashes of each module are added to the go.sum files of those directories after it that require it: a release
// commits these lines. That changes no hash before: a module's zip has no file of a module below it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("moduleproxy: ")
	if len(os.Args) < 4 {
		log.Fatal("want VERSION CHECKOUT FOLDER [DIRECTORY...]")
	}
	dirs := os.Args[4:]
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var served []version
	for _, dir := range dirs {
		dir = filepath.Join(os.Args[2], filepath.FromSlash(dir))
		if err := addSums(dir, served); err != nil {
			log.Fatal(err)
		}
		v, err := serve(os.Args[1], dir, os.Args[3])
		if err != nil {
			log.Fatal(err)
		}
		served = append(served, v)
	}
}

// version is a module that the proxy serves, with its lines of go.sum.
type version struct {
	module.Version
	sums []string
}

// serve writes a module into the proxy's folder.
func serve(release, dir, to string) (v version, err error) {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return v, err
	}
	m := module.Version{Path: modfile.ModulePath(mod), Version: release}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return v, err
	}
	to = filepath.Join(to, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return v, err
	}
	var files bytes.Buffer
	if err := zip.CreateFromDir(&files, m, dir); err != nil {
		return v, err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{release, time.Unix(0, 0).UTC()})
	if err != nil {
		return v, err
	}
	for name, text := range map[string][]byte{release + ".mod": mod, release + ".info": info,
		release + ".zip": files.Bytes(), "list": []byte(release + "\n")} {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return v, err
		}
	}
	whole, err := dirhash.HashZip(filepath.Join(to, release+".zip"), dirhash.Hash1)
	if err != nil {
		return v, err
	}
	own, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(mod)), nil
	})
	if err != nil {
		return v, err
	}
	fmt.Printf("%s %s: %.1f MB\n", m.Path, release, float64(files.Len())/1e6)
	return version{m, []string{m.Path + " " + release + " " + whole, m.Path + " " + release + "/go.mod " + own}}, nil
}

// addSums puts the lines of those modules that a directory's go.mod requires into its go.sum, in the place of older
// ones.
func addSums(dir string, served []version) error {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return err
	}
	var lines []string
	for _, v := range served {
		required := func(r *modfile.Require) bool { return r.Mod == v.Version }
		replaced := func(r *modfile.Replace) bool { return r.Old.Path == v.Path } // by a folder, which has no hash
		if slices.ContainsFunc(mod.Require, required) && !slices.ContainsFunc(mod.Replace, replaced) {
			lines = append(lines, v.sums...)
		}
	}
	file := filepath.Join(dir, "go.sum")
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(lines) == 0 {
		return err
	}
	all := slices.Clone(lines)
	for line := range strings.Lines(string(old)) {
		line = strings.TrimSpace(line)
		same := func(l string) bool { return strings.HasPrefix(line, l[:strings.LastIndex(l, " ")+1]) }
		if line != "" && !slices.ContainsFunc(lines, same) {
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return os.WriteFile(file, []byte(strings.Join(all, "\n")+"\n"), 0o644)
}
