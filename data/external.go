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
	where := "in no folder"
	if len(e.Looked) > 0 {
		where = "in " + strings.Join(e.Looked, ", ")
	}
	return fmt.Sprintf("data file %q not found, looked %s; set PRIVBAYES_DATA to the directory that has it", e.Name,
		where)
}

// External finds a data file that is not embedded, such as "adult.csv.gz" or "small/titanic.csv": in the directory that
// PRIVBAYES_DATA names, else in the cache ([CacheDir]). Error: *NotFoundError.
func External(name string) (path string, err error) {
	missing := &NotFoundError{Name: name, Looked: externalDirs()}
	if !filepath.IsLocal(name) {
		return "", missing
	}
	for _, dir := range missing.Looked {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", missing
}

// externalDirs lists the folders that External looks in: PRIVBAYES_DATA where it is set, and the cache.
func externalDirs() (dirs []string) {
	if dir := os.Getenv("PRIVBAYES_DATA"); dir != "" {
		dirs = append(dirs, dir)
	}
	if dir, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(dir, "privbayes"))
	}
	return dirs
}

// CacheDir is the folder that "privbayes data fetch" fills, and in which [External] looks first: that which
// PRIVBAYES_DATA names, else one in the user's cache. It need not exist. Error: that of os.UserCacheDir.
func CacheDir() (string, error) {
	if dirs := externalDirs(); len(dirs) > 0 {
		return dirs[0], nil
	}
	_, err := os.UserCacheDir()
	return "", err
}

// TB is the part of testing.TB that Need uses.
type TB interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Need is External for tests: without the file the test is skipped with a message, or, where PRIVBAYES_DATA names a
// folder, in which it should be, fails.
func Need(t TB, name string) string {
	t.Helper()
	path, err := External(name)
	if err != nil {
		if os.Getenv("PRIVBAYES_DATA") != "" {
			t.Fatalf("%v", err)
		} else {
			t.Skipf("%v", err)
		}
	}
	return path
}
