package nbtool_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
)

// A dockerImage is what the repository's files say about the image: the Dockerfile, and what pins the same programs in
// a checkout.
type dockerImage struct{ docker, setup, module, tools, gopls, wrapper string }

var imageFiles = []string{"Dockerfile", "scripts/setup.sh", "go.mod", "tools/go.mod", "tools/gopls/go.mod",
	"tools/gopls/gopls.sh"}

func readImage(t *testing.T) dockerImage {
	t.Helper()
	var text []string
	for _, f := range imageFiles {
		b := must.Get(os.ReadFile(filepath.Join(checkout.Of(t), f)))(t)
		text = append(text, string(b))
	}
	return dockerImage{text[0], text[1], text[2], text[3], text[4], text[5]}
}

var (
	baseGo    = regexp.MustCompile(`(?m)^FROM docker\.io/library/golang:([0-9.]+)-bookworm$`)
	moduleGo  = regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)`)
	setupGo   = regexp.MustCompile(`(?m)^toolchain go([0-9]+\.[0-9]+)\.`)
	aptList   = regexp.MustCompile(`apt-get install -y --no-install-recommends ([a-z0-9 -]+) && `)
	jupyters  = regexp.MustCompile(`has_nbconvert \|\| missing\+=\(([^)]*)\)`)
	goInstall = regexp.MustCompile(`(GOBIN=(\S+) GOFLAGS="[^"]*" )?go install ([^&)]+)`)
	toolBlock = regexp.MustCompile(`(?s)\ntool \((.*?)\n\)|\ntool (\S+)`)
	imagePath = regexp.MustCompile(`(?:^| )PATH=(\S+)`)
	wrapped   = regexp.MustCompile(`exec "\$\{0%/\*\}/(\S+)"`)
)

// firstOf is the first group of a match, "" without one.
func firstOf(r *regexp.Regexp, text string) string {
	if m := r.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// toolsOf are the programs that a go.mod names as tools.
func toolsOf(mod string) (paths []string) {
	for _, m := range toolBlock.FindAllStringSubmatch(mod, -1) {
		paths = append(paths, strings.Fields(m[1]+" "+m[2])...)
	}
	return paths
}

// problems says where the image would not have what a checkout has: its Go, its Jupyter, the kernel, completion, the
// command of the first cell, trusted notebooks.
func (i dockerImage) problems() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	docker := regexp.MustCompile(`(?m)^ *#.*\n`).ReplaceAllString(i.docker, "")
	docker = regexp.MustCompile(`\s*\\\n\s*`).ReplaceAllString(docker, " ")
	for name, text := range map[string]string{"go.mod": i.module, "tools/go.mod": i.tools,
		"tools/gopls/go.mod": i.gopls} {
		if want := firstOf(moduleGo, text); want == "" || firstOf(baseGo, docker) != want {
			say("the base has Go %s, %s wants %s", firstOf(baseGo, docker), name, want)
		}
	}
	if v := firstOf(setupGo, i.module); v != firstOf(baseGo, docker) {
		say("the base has Go %s, setup.sh installs %s", firstOf(baseGo, docker), v)
	}
	packages := strings.Fields(firstOf(aptList, docker))
	needs := append(strings.Fields(firstOf(jupyters, i.setup)), "jupyter-nbformat", "python3-venv") // trust, JupyterLab
	for _, p := range needs {
		if !slices.Contains(packages, p) {
			say("no package %s in %v", p, packages)
		}
	}
	pinned, here := toolsOf(i.tools), "/usr/local/bin"
	for _, m := range goInstall.FindAllStringSubmatch(docker, -1) {
		for _, p := range strings.Fields(m[3]) {
			switch {
			case p == "tool" && strings.Contains(docker, "(cd gopls && "+m[0]):
				if bin := path.Join(here, firstOf(wrapped, i.wrapper)); bin != path.Join(m[2], "gopls") {
					say("gopls is in %s, its wrapper runs %s", m[2], bin)
				}
			case p != "./cmd/privbayes" && !slices.Contains(pinned, p):
				say("%s is not pinned by tools/go.mod", p)
			case p != "./cmd/privbayes" && m[2] != here:
				say("%s goes to %q", p, m[2])
			}
		}
	}
	if tools := toolsOf(i.gopls); len(tools) != 1 || tools[0] != "golang.org/x/tools/gopls" {
		say("tools/gopls pins %v", tools)
	}
	for _, step := range []string{
		"COPY tools/go.mod tools/go.sum /opt/tools/\n", "COPY tools/gopls /opt/tools/gopls\n",
		"go install github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports && ", "go install tool) && ",
		"COPY tools/lab/requirements.txt /opt/tools/lab.txt\n", "RUN /usr/bin/python3 -m venv /opt/lab && ",
		" --require-hashes -r /opt/tools/lab.txt && ", "ln -s /opt/lab/bin/jupyter-lab " + here + "/jupyter-lab\n",
		"install -m 755 gopls/gopls.sh " + here + "/gopls && ", " gonb --install ", " go install ./cmd/privbayes && ",
		" jupyter trust notebooks/*.ipynb && ", " PRIVBAYES=/home/${NB_USER}\n",
		" go run ./tools/nbtool check notebooks/00_tour.ipynb && ",
	} {
		if !strings.Contains(docker, step) {
			say("no step %q", step)
		}
	}
	dirs := strings.Split(firstOf(imagePath, docker), ":")
	for _, d := range []string{here, "/usr/local/go/bin", "/usr/bin", "/home/${NB_USER}/.go/bin"} {
		if !slices.Contains(dirs, d) {
			say("%s is not on PATH, %v", d, dirs)
		}
	}
	return list
}

// TestImageHasWhatACheckoutHas: the image's programs are those that tools/ pins and setup.sh installs, its notebooks
// are trusted, and each of these is missed when it is not there.
func TestImageHasWhatACheckoutHas(t *testing.T) {
	i := readImage(t)
	for _, p := range i.problems() {
		t.Error(p)
	}
	for from, to := range map[string]string{
		"golang:1.26":                               "golang:1.25",
		" jupyter-nbformat":                         "",
		" python3-venv":                             "",
		"--require-hashes -r /opt/tools/lab.txt":    "jupyterlab",
		"ln -s /opt/lab/bin/jupyter-lab":            "ls /opt/lab/bin/jupyter-lab",
		" jupyter-nbconvert":                        "",
		"go install github.com/janpfeifer/gonb":     "go install github.com/janpfeifer/gonb@latest",
		"golang.org/x/tools/cmd/goimports \\":       "golang.org/x/tools/cmd/godoc \\",
		"GOBIN=/usr/local/gopls":                    "GOBIN=/usr/local/lib",
		"install -m 755 gopls/gopls.sh":             "install -m 755 gopls/go.mod",
		"jupyter trust notebooks":                   "jupyter list notebooks",
		"go install ./cmd/privbayes":                "go build ./cmd/privbayes",
		"PATH=/usr/local/bin:":                      "PATH=",
		":/home/${NB_USER}/.go/bin":                 "",
		"COPY tools/gopls /opt/tools/gopls":         "",
		"    PRIVBAYES=/home/${NB_USER}":            "    NOTHING=x",
		" && go run ./tools/nbtool check notebooks": " && go vet ./tools/nbtool notebooks",
	} {
		m := i
		if m.docker = strings.Replace(i.docker, from, to, 1); m.docker == i.docker {
			t.Errorf("the Dockerfile has no %q", from)
		}
		if len(m.problems()) == 0 {
			t.Errorf("an image with %q for %q passes", to, from)
		}
	}
	older := i
	older.tools = strings.Replace(i.tools, "\tgithub.com/janpfeifer/gonb\n", "", 1)
	moved := i
	moved.wrapper = strings.Replace(i.wrapper, "/../gopls/", "/../lib/", 1)
	if len(older.problems()) == 0 || len(moved.problems()) == 0 {
		t.Error("a kernel without a pin, or a wrapper of another gopls, passes")
	}
}

// The workspace and every module name one toolchain, the newest patch of its minor version: without go.work, too, what
// is built here has no fault of Go that is known. setup.sh installs it.
func TestOneToolchain(t *testing.T) {
	root, line := checkout.Of(t), regexp.MustCompile(`(?m)^toolchain go1\.\d+\.\d+$`)
	files := []string{filepath.Join(root, "go.work")}
	for _, pattern := range []string{"go.mod", "*/go.mod", "*/*/go.mod"} {
		files = append(files, must.Get(filepath.Glob(filepath.Join(root, pattern)))(t)...)
	}
	want := line.FindString(string(must.Get(os.ReadFile(filepath.Join(root, "go.mod")))(t)))
	for _, f := range files {
		if got := line.FindString(string(must.Get(os.ReadFile(f))(t))); got != want || got == "" {
			t.Errorf("%s has %q, want %q", f, got, want)
		}
	}
	if len(files) < 15 {
		t.Errorf("only %v were looked at", files)
	}
}
