package nbtool_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// TestDockerfiles: the image of the repository and the one Binder builds are the
// same file.
func TestDockerfiles(t *testing.T) {
	a, err := os.ReadFile(filepath.Join(checkout.Of(t), "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(checkout.Of(t), "binder", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("Dockerfile and binder/Dockerfile differ: cp Dockerfile binder/Dockerfile")
	}
}

// TestVersionsAgree: there is one version, and every place that states it states the same: releases, what a notebook
// installs, the commands and the Binder link of the README, the citation, the top of the changelog, and what the
// modules below the library require of one another.
func TestVersionsAgree(t *testing.T) {
	root := checkout.Of(t)
	if nbtool.Version != "v"+release.Version {
		t.Errorf("notebooks install %s, releases are written by %s", nbtool.Version, release.Version)
	}
	stated := map[string][]string{
		"README.md": {`cmd/privbayes@v([0-9.]+)`,
			`mybinder\.org/v2/gh/privbayes/privbayes-go/v([0-9.]+)\?urlpath=tree/notebooks/`},
		"CITATION.cff": {`(?m)^version: ([0-9.]+)$`},
		"CHANGELOG.md": {`\A[^\x00]*?\n## ([0-9.]+)`},
	}
	for _, pattern := range []string{"go.work", "bench/go.mod", "papers/go.mod", "site/go.mod", "cmd/*/go.mod",
		"sources/*/go.mod", "tools/nbtool/go.mod"} {
		for _, file := range globbed(t, filepath.Join(root, filepath.FromSlash(pattern))) {
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			stated[name] = []string{`github\.com/privbayes/privbayes-go\S* v([0-9.]+)`}
		}
	}
	for file, places := range stated {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range places {
			found := regexp.MustCompile(place).FindAllStringSubmatch(string(text), -1)
			if len(found) == 0 {
				t.Errorf("%s states no version at %s", file, place)
			}
			for _, m := range found {
				if m[1] != release.Version {
					t.Errorf("%s states version %s; releases are written by %s", file, m[1], release.Version)
				}
			}
		}
	}
}
