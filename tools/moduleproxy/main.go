// Command moduleproxy makes a module proxy of files out of the modules of a checkout, as GOPROXY=file://FOLDER reads
// it: what users would get, had the checkout that version.
//
//	moduleproxy VERSION CHECKOUT FOLDER [DIRECTORY...]
//
// Directories are those of the modules in the checkout, in the order of their requirements, by default the root alone.
// The hashes of each module are added to the go.sum files of the directories after it, which require it: a release
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
	var sums []string
	for _, dir := range dirs {
		dir = filepath.Join(os.Args[2], filepath.FromSlash(dir))
		if err := addSums(filepath.Join(dir, "go.sum"), sums); err != nil {
			log.Fatal(err)
		}
		lines, err := serve(os.Args[1], dir, os.Args[3])
		if err != nil {
			log.Fatal(err)
		}
		sums = append(sums, lines...)
	}
}

// serve writes a module into the proxy's folder, and returns its lines of go.sum.
func serve(version, dir, to string) (sums []string, err error) {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	m := module.Version{Path: modfile.ModulePath(mod), Version: version}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return nil, err
	}
	to = filepath.Join(to, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, err
	}
	var files bytes.Buffer
	if err := zip.CreateFromDir(&files, m, dir); err != nil {
		return nil, err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Unix(0, 0).UTC()})
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{version + ".mod": mod, version + ".info": info,
		version + ".zip": files.Bytes(), "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	whole, err := dirhash.HashZip(filepath.Join(to, version+".zip"), dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	own, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(mod)), nil
	})
	if err != nil {
		return nil, err
	}
	fmt.Printf("%s %s: %.1f MB\n", m.Path, version, float64(files.Len())/1e6)
	return []string{m.Path + " " + version + " " + whole, m.Path + " " + version + "/go.mod " + own}, nil
}

// addSums puts lines into a go.sum, in the place of those of the same modules.
func addSums(file string, lines []string) error {
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
