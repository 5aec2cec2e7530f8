package nbtool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnMechanismIsCompiled: the code of the page about mechanisms of one's own is that of a module, which is compiled
// and run by TestAMechanismOfAnotherModule.
func TestOwnMechanismIsCompiled(t *testing.T) {
	root := checkout(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "own_mechanism.md"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, file := range globbed(t, filepath.Join(root, "privbayes", "mechanism", "testdata", "thirdparty", "*.go")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(text))
	}
	code := strings.Join(files, "\n")
	seen := 0
	for _, b := range blocks(string(page)) {
		if b.lang != "go" {
			continue
		}
		seen++
		if !strings.Contains(code, b.text) {
			t.Errorf("docs/own_mechanism.md:%d: the code is not that of privbayes/mechanism/testdata/thirdparty", b.line)
		}
	}
	if seen < 8 {
		t.Errorf("the page has %d pieces of code", seen)
	}
}
