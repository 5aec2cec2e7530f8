package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func TestMeasure(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"lib/a.go": "// Package lib is here.\npackage lib\n\n// A is exported.\ntype A struct{\n\tB int // not " +
			"counted\n}\n\nfunc (A) M() {}\n\nfunc (b) N() {}\n\n" +
			"type b int\n\nconst C, d = `x\ny`, 1 /* a\ncomment */\n",
		"lib/a_test.go":      "package lib\n\nvar T = \"" + strings.Repeat("x", 120) + "\"\n",
		"papers/go.mod":      "module papers\n",
		"papers/p/p.go":      "package p\n\nvar P int\n",
		"internal/q/q.go":    "package q\n\nvar Q int\n",
		"build/generated.go": "package generated\n\nvar G int\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	total, packages, modules, err := measure(root)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]size{"library": {3, 9}, "papers": {1, 2}, "internal": {0, 2}}
	for part, w := range want {
		if total[part] != w {
			t.Errorf("%s: %+v, want %+v", part, total[part], w)
		}
	}
	if modules["."] != (whole{2, 2, 20, 3}) || modules["papers"] != (whole{1, 1, 3, 0}) || len(modules) != 2 {
		t.Errorf("%+v", modules)
	}
	if packages["lib"].names != 3 || len(packages) != 3 {
		t.Errorf("%+v", packages)
	}
}
