package jupyter

import (
	"os"
	"path/filepath"
	"strings"
)

// Environ is the environment of a Jupyter that serves a checkout (root may be "": none): base, with the checkout's
// programs and kernel first; without a workspace and PYTHONPATH, which would hide a notebook's own module and Jupyter's
// own Python, and without -mod; and with linking made faster by leaving out symbol tables.
func Environ(base []string, root string) []string {
	get := map[string]string{}
	var env []string
	for _, kv := range base {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "PATH", "JUPYTER_PATH", "GOFLAGS":
			get[k] = v
		case "GOWORK", "PYTHONHOME", "PYTHONPATH":
		default:
			env = append(env, kv)
		}
	}
	var flags []string
	for _, f := range strings.Fields(get["GOFLAGS"]) {
		if !strings.HasPrefix(f, "-mod=") && !strings.HasPrefix(f, "-ldflags=") && !strings.HasPrefix(f, "-buildvcs") {
			flags = append(flags, f)
		}
	}
	flags = append(flags, "-buildvcs=false", "-ldflags=-s")
	path, jup := get["PATH"], get["JUPYTER_PATH"]
	if root != "" {
		path = join(filepath.Join(root, "build", "bin"), path)
		jup = join(filepath.Join(root, "build", "jupyter"), jup)
	}
	return append(env, "PATH="+path, "JUPYTER_PATH="+jup, "GOFLAGS="+strings.Join(flags, " "), "GOWORK=off",
		"PYDEVD_DISABLE_FILE_VALIDATION=1")
}

// join puts dir before a path list.
func join(dir, list string) string {
	if list == "" {
		return dir
	}
	return dir + string(os.PathListSeparator) + list
}
