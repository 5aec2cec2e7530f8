package jupyter

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// kernelDir is a folder as a kernel makes it: a module of its own name and nothing else.
func kernelDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gonb_0a1b2c3d")
	must.Do(t, os.Mkdir(dir, 0o755))
	put(t, filepath.Join(dir, "go.mod"), "module gonb_0a1b2c3d\n\ngo 1.25.0\n")
	put(t, filepath.Join(dir, "main.go"), "package main\n\nimport (\n\t_ \""+Module+"/bench\"\n\t_ \""+Module+
		"/papers/claims\"\n\t_ \""+Module+"/privbayes\"\n)\n\nfunc main() {}\n")
	return dir
}

func put(t *testing.T, file, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
}

// whereFrom are the folders that the kernel's module takes packages from, after what a kernel does before it compiles a
// cell: "go get", without a network.
func whereFrom(t *testing.T, dir string) ([]string, error) {
	t.Helper()
	var out []byte
	for _, args := range [][]string{{"get"}, {"build", "-o", os.DevNull, "."},
		{"list", "-f", "{{.Dir}}", Module + "/privbayes", Module + "/papers/claims", Module + "/bench"}} {
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOPROXY=off")
		var err error
		if out, err = c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
	}
	return strings.Fields(string(out)), nil
}

func checkoutRoot(t *testing.T) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("..", "..", "..")))(t)
}

// A kernel bound to a checkout compiles from it without a network, also when it is bound twice; the folder is named
// in a way that the kernel does not watch; a kernel that could not be bound finds no library.
func TestBindToACheckout(t *testing.T) {
	dir, root := kernelDir(t), checkoutRoot(t)
	put(t, filepath.Join(dir, "go.work"), "go 1.26.0\n\nuse .\n") // of a notebook that was bound in another way
	for range 2 {
		must.Do(t, Bind(t.Context(), dir, Library{Dir: root}))
	}
	got, err := whereFrom(t, dir)
	if err != nil || len(got) != 3 {
		t.Fatalf("from %q: %v", got, err)
	}
	for i, name := range []string{"privbayes", "papers/claims", "bench"} {
		want, _ := filepath.EvalSymlinks(filepath.Join(root, name))
		if from, _ := filepath.EvalSymlinks(got[i]); from != want {
			t.Errorf("from %q, want %q", from, want)
		}
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.Contains(string(mod), "=> ./../") {
		t.Errorf("the folder is not relative: %v\n%s", err, mod)
	}
	must.Do(t, Unbind(t.Context(), dir))
	if _, err := whereFrom(t, dir); err == nil || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("a kernel without a library says %v", err)
	}
}

// A kernel's folder inside the checkout stands below its go.work: it is refused, unless the environment turns the
// workspace off, as that of a Jupyter which serves the checkout does.
func TestBindInsideTheCheckout(t *testing.T) {
	root := checkoutRoot(t)
	must.Do(t, os.MkdirAll(filepath.Join(root, "build"), 0o755))
	dir := must.Get(os.MkdirTemp(filepath.Join(root, "build"), "bind-*"))(t)
	defer func() { _ = os.RemoveAll(dir) }()
	put(t, filepath.Join(dir, "go.mod"), "module gonb_0a1b2c3d\n\ngo 1.25.0\n")
	put(t, filepath.Join(dir, "main.go"), "package main\n\nimport _ \""+Module+"/papers/claims\"\n\nfunc main() {}\n")
	t.Setenv("GOWORK", "")
	if err := Bind(t.Context(), dir, Library{Dir: root}); !errors.Is(err, errWorkspace) {
		t.Errorf("below the checkout's go.work: %v", err)
	}
	must.Do(t, Bind(t.Context(), dir, Library{Dir: root}, "GOWORK=off"))
	t.Setenv("GOWORK", "off")
	if got, err := whereFrom(t, dir); err != nil || len(got) != 3 {
		t.Errorf("from %q: %v", got, err)
	}
}

// A kernel bound to a release takes the released module.
func TestBindToARelease(t *testing.T) {
	const version = "v0.1.0"
	proxy := t.TempDir()
	for module, name := range map[string]string{Module: "privbayes", Module + "/papers": "claims", Module + "/bench": ""} {
		at := filepath.Join(proxy, filepath.FromSlash(module), "@v", version)
		mod := "module " + module + "\n\ngo 1.25.0\n"
		put(t, at+".mod", mod)
		put(t, at+".info", `{"Version":"`+version+`"}`)
		f := must.Get(os.Create(at + ".zip"))(t)
		z := zip.NewWriter(f)
		for name, text := range map[string]string{"go.mod": mod, path.Join(name, "p.go"): "package p\n"} {
			w, err := z.Create(module + "@" + version + "/" + name)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		must.Do(t, errors.Join(z.Close(), f.Close()))
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GONOSUMDB", Module+","+Module+"/*")
	t.Setenv("GOMODCACHE", filepath.Join(t.TempDir(), "cache"))
	t.Setenv("GOFLAGS", "-modcacherw")
	dir := kernelDir(t)
	must.Do(t, Bind(t.Context(), dir, Library{Version: version}))
	got, err := whereFrom(t, dir)
	if all := filepath.ToSlash(strings.Join(got, " ")); err != nil ||
		!strings.Contains(all, Module+"@"+version+"/privbayes") ||
		!strings.Contains(all, Module+"/papers@"+version+"/claims") || !strings.Contains(all, Module+"/bench@"+version) {
		t.Errorf("from %q: %v", got, err)
	}
	if err := Bind(t.Context(), dir, Library{Version: "v9.9.9"}); err == nil {
		t.Error("a version that was not released is found")
	}
}

// Where the library is looked for, in turn, and what is said when it is nowhere.
func TestFind(t *testing.T) {
	root, nowhere := checkoutRoot(t), t.TempDir()
	within := filepath.Join(root, "notebooks")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	own := filepath.Join(t.TempDir(), "privbayes") // another checkout
	put(t, filepath.Join(own, "go.mod"), "module "+Module+"\n\ngo 1.25.0\n")
	user := t.TempDir() // a module that uses it
	put(t, filepath.Join(user, "go.mod"), "module example.org/mine\n\ngo 1.25.0\n\nrequire "+Module+
		" v0.1.0\n\nreplace "+Module+" => "+own+"\n")
	program := filepath.Join(own, "build", "bin", "privbayes")
	for name, c := range map[string]struct {
		places Places
		want   Library
	}{
		"the notebook's checkout":        {Places{within, own, program, "v1.0.0"}, Library{Dir: root}},
		"what the notebook's module has": {Places{user, root, "", ""}, Library{Dir: own}},
		"the environment variable":       {Places{nowhere, root, program, "v1.0.0"}, Library{Dir: root}},
		"around the program":             {Places{nowhere, "", program, "v1.0.0"}, Library{Dir: own}},
		"the program's release":          {Places{nowhere, "", "/usr/bin/privbayes", "v1.0.0"}, Library{Version: "v1.0.0"}},
	} {
		if got, err := Find(t.Context(), c.places); err != nil || got != c.want {
			t.Errorf("%s: %v, want %v (%v)", name, got, c.want, err)
		}
	}
	_, err := Find(t.Context(), Places{nowhere, "", "/usr/local/bin/privbayes", "(devel)"})
	if !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), "make lab DIR=FOLDER") {
		t.Errorf("nowhere: %v", err)
	}
	var not *NotALibrary
	if _, err := Find(t.Context(), Places{nowhere, nowhere, program, ""}); !errors.As(err, &not) || not.Dir != nowhere {
		t.Errorf("a variable that names no checkout: %v", err)
	}
}

// Only a kernel's folder is changed, and no workspace may hide it.
func TestBindRefuses(t *testing.T) {
	dir, root := t.TempDir(), checkoutRoot(t)
	put(t, filepath.Join(dir, "go.mod"), "module example.org/mine\n")
	var not *NotAKernel
	for _, err := range []error{Bind(t.Context(), dir, Library{Dir: root}), Unbind(t.Context(), dir),
		Bind(t.Context(), filepath.Join(dir, "none"), Library{Dir: root})} {
		if !errors.As(err, &not) {
			t.Errorf("in a folder that is not a kernel's: %v", err)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "go.mod")); string(text) != "module example.org/mine\n" {
		t.Errorf("it was changed: %s", text)
	}
	put(t, filepath.Join(dir, "go.work"), "go 1.26.0\n")
	t.Setenv("GOWORK", filepath.Join(dir, "go.work"))
	if err := Bind(t.Context(), kernelDir(t), Library{Dir: root}); !errors.Is(err, errWorkspace) {
		t.Errorf("below a workspace: %v", err)
	}
}

func TestEnviron(t *testing.T) {
	base := []string{"PATH=/bin", "GOFLAGS=-mod=mod -tags=x -buildvcs=true", "GOWORK=/x/go.work",
		"PYTHONPATH=/x", "HOME=/h"}
	got := map[string]string{}
	for _, kv := range Environ(base, "/repo") {
		k, v, _ := strings.Cut(kv, "=")
		got[k] = v
	}
	for k, want := range map[string]string{
		"PATH": "/repo/build/bin:/bin", "JUPYTER_PATH": "/repo/build/jupyter",
		"GOFLAGS": "-tags=x -buildvcs=false -ldflags=-s", "HOME": "/h", "GOWORK": "off",
	} {
		if got[k] != want {
			t.Errorf("%s=%q, want %q", k, got[k], want)
		}
	}
	if _, ok := got["PYTHONPATH"]; ok {
		t.Error("PYTHONPATH is still set")
	}
}
