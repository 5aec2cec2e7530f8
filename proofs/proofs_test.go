package proofs_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/proofs"
)

// names are those of cited.list, the theorems that make proofs states and compares.
func names(t testing.TB) []string {
	t.Helper()
	b := must.Get(os.ReadFile("statements/cited.list"))(t)
	return strings.Fields(string(b))
}

// Every cited statement is kept, with the hash of the text that is kept, and every kept statement is on the list: an
// edited statement does not keep its hash.
func TestStatementsAreWhatTheirHashesSay(t *testing.T) {
	list := names(t)
	for _, name := range list {
		theorem, assumes, ok := proofs.Cited(name)
		text, kept := proofs.Statement(name)
		if !ok || !kept || theorem.Name != name {
			t.Errorf("%s is not kept: scripts/proofs.sh record", name)
			continue
		}
		if hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); hash != theorem.SHA256 {
			t.Errorf("%s: the kept text has hash %s, not %s", name, hash, theorem.SHA256)
		}
		at := name[strings.LastIndexByte(name, '.')+1:]
		if !strings.Contains(strings.SplitN(text, "\n", 2)[0], "."+at) || !strings.Contains(text, " : ") {
			t.Errorf("%s states another theorem: %s", name, text)
		}
		if theorem.Earlier(assumes) {
			t.Errorf("%s: earlier.list names the statement of today", name)
		}
	}
	files, err := filepath.Glob("statements/*.txt")
	if err != nil || len(files) != len(list) {
		t.Errorf("%d statements for %d names (%v)", len(files), len(list), err)
	}
	if _, _, ok := proofs.Cited("Counts.nothing"); ok {
		t.Error("a theorem that is not there is cited")
	}
}

// The list of what is assumed names statements that are kept, and says it in words; what is kept no longer is known.
func TestListsNameStatements(t *testing.T) {
	lines := 0
	for list, separator := range map[string]string{"assumes.list": ": ", "earlier.list": " "} {
		f := must.Get(os.Open("statements/" + list))(t)
		for s := bufio.NewScanner(f); s.Scan(); lines++ {
			name, text, ok := strings.Cut(s.Text(), separator)
			_, assumes, kept := proofs.Cited(name)
			if !ok || list == "assumes.list" && (!kept || !strings.Contains(assumes, text)) {
				t.Errorf("%s: %q", list, s.Text())
			}
			hash, words, _ := strings.Cut(text, " ")
			earlier := proofs.Theorem{Name: name, SHA256: hash}
			if list == "earlier.list" && (!earlier.Earlier(words) || earlier.Earlier(words+" nothing")) {
				t.Errorf("%s: %q is not known, or with other assumptions", list, s.Text())
			}
		}
		_ = f.Close()
	}
	if _, assumes, _ := proofs.Cited("Counts.add_one"); assumes != "" || lines == 0 {
		t.Error("a theorem about integers assumes something: " + assumes)
	}
	if _, assumes, _ := proofs.Cited("Geometric.noise_private"); !strings.Contains(assumes, "real numbers") {
		t.Error("the axioms are not said: " + assumes)
	}
}

// The embedded sources are those that are compiled, and no proof in them is left out.
func TestLibraryIsTheFolder(t *testing.T) {
	found, err := fs.Glob(proofs.Library(), "*.v")
	if err != nil || len(found) < 15 {
		t.Fatal(found, err)
	}
	for _, name := range found {
		b, err := fs.ReadFile(proofs.Library(), name)
		kept, err2 := os.ReadFile(filepath.Join("lib", name))
		if err != nil || err2 != nil || string(b) != string(kept) || strings.Contains(string(b), "Admitted") {
			t.Errorf("%s: %v, %v", name, err, err2)
		}
	}
}

func ExampleCited() {
	_, assumes, ok := proofs.Cited("Counts.add_one")
	fmt.Printf("%v %q\n", ok, assumes)
	// Output: true ""
}
