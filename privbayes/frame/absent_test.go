package frame

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// No reader is a typed error, be it nil or a file that was not opened, and an option that is nil says nothing.
func TestNoReader(t *testing.T) {
	ctx := context.Background()
	for _, r := range []io.Reader{nil, (*os.File)(nil)} {
		_, read := Read(ctx, r, "x", people())
		_, shards := ReadShards(ctx, []Shard{{Name: "x", Reader: r}}, people())
		_, checked := Check(ctx, r, "x", people())
		_, skeleton := SchemaSkeleton(r, "x")
		for i, err := range []error{read, shards, checked, skeleton} {
			var fe *FileError
			if !errors.As(err, &fe) {
				t.Errorf("%T, %d: %v", r, i, err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("city,income,vote,age,trip\nUlm,1,y,17,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := Load(ctx, path, people(), nil); err != nil || f.Len() != 1 {
		t.Error(err)
	}
}

// A file under two names is one file: its rows would count twice.
func TestOneFileUnderTwoNames(t *testing.T) {
	dir := t.TempDir()
	a, link, hard := filepath.Join(dir, "a.csv"), filepath.Join(dir, "link.csv"), filepath.Join(dir, "hard.csv")
	if err := errors.Join(os.WriteFile(a, []byte("city,income,vote,age,trip\nUlm,1,y,17,a\n"), 0o600),
		os.Symlink(a, link), os.Link(a, hard)); err != nil {
		t.Skip("no links here: ", err)
	}
	for _, second := range []string{a, filepath.Join(dir, ".", "a.csv"), link, hard} {
		var twice *domain.Error
		if _, err := LoadShards(context.Background(), []string{a, second}, people()); !errors.As(err, &twice) {
			t.Errorf("%s: %v", second, err)
		}
		if _, err := CheckFiles(context.Background(), []string{a, second}, people()); !errors.As(err, &twice) {
			t.Errorf("%s: %v", second, err)
		}
	}
}
