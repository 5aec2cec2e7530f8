package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// NotFoundError says where an external file was looked for.
type NotFoundError struct {
	Name   string
	Looked []string
}

func (e *NotFoundError) Error() string {
	where := "nowhere: PRIVBAYES_DATA is not set and there is no module root"
	if len(e.Looked) > 0 {
		where = "in " + strings.Join(e.Looked, ", ")
	}
	return fmt.Sprintf("data file %q not found, looked %s; set PRIVBAYES_DATA to the directory that has it", e.Name,
		where)
}

// External finds a data file that is not embedded, such as "adult.csv.gz" or "small/titanic.csv": in the directory that
// PRIVBAYES_DATA names, else in shared/data beside the repository, whose root is the nearest directory upwards with a
// go.mod. Error: *NotFoundError.
func External(name string) (path string, err error) {
	missing := &NotFoundError{Name: name}
	if !filepath.IsLocal(name) {
		return "", missing
	}
	missing.Looked = externalDirs()
	for _, dir := range missing.Looked {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", missing
}

// externalDirs lists the folders that External looks in.
func externalDirs() (dirs []string) {
	if dir := os.Getenv("PRIVBAYES_DATA"); dir != "" {
		dirs = append(dirs, dir)
	}
	if root := moduleRoot(); root != "" {
		dirs = append(dirs, filepath.Join(root, "..", "shared", "data"))
	}
	return dirs
}

// cacheDir is the folder that [Fetch] fills: the one that PRIVBAYES_DATA names, else privbayes in the user's cache
// folder, see os.UserCacheDir. It need not exist. Error: that of os.UserCacheDir.
func cacheDir() (string, error) {
	if dir := os.Getenv("PRIVBAYES_DATA"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "privbayes"), nil
}

func moduleRoot() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if st, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && st.Mode().IsRegular() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// TB is the part of testing.TB that Need uses.
type TB interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Need is External for tests: without the file the test is skipped with a message, or, where the environment variable
// CI is set, fails.
func Need(t TB, name string) string {
	t.Helper()
	path, err := External(name)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v", err)
		} else {
			t.Skipf("%v", err)
		}
	}
	return path
}
