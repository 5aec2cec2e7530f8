//go:build linux

package privbayes_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

const childFolder = "PRIVBAYES_TEST_FOLDER"

// A folder in which an ordinary user may read but not write: nothing is charged and the error names the place; a
// release that is kept there already is loaded. The superuser may write everywhere, so this runs as another user.
func TestAReadOnlyFolderCostsNothing(t *testing.T) {
	dir := os.Getenv(childFolder)
	if dir != "" {
		readOnlyChild(t, dir)
		return
	}
	dir = t.TempDir()
	shut, open := filepath.Join(dir, "shut"), filepath.Join(dir, "open")
	for _, d := range []string{shut, open} {
		must.Do(t, os.Mkdir(d, 0o777))
	}
	train, _ := votes()
	kept := filepath.Join(shut, "kept.json")
	must.Do(t, train.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(.5),
		privbayes.KeepIn(kept)).Err())
	self := must.Get(os.ReadFile("/proc/self/exe"))(t)
	binary := filepath.Join(dir, "test")
	for path, mode := range map[string]fs.FileMode{filepath.Dir(dir): 0o755, dir: 0o755, open: 0o777, shut: 0o555} {
		must.Do(t, os.Chmod(path, mode))
	}
	must.Do(t, os.WriteFile(binary, self, 0o755))
	defer func() { _ = os.Chmod(shut, 0o755) }()
	cmd := exec.Command(binary, "-test.run", "^TestAReadOnlyFolderCostsNothing$", "-test.v")
	cmd.Env, cmd.Dir = append(os.Environ(), childFolder+"="+dir, "TMPDIR="+open), open
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("no other user can be had:", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func readOnlyChild(t *testing.T, dir string) {
	model, ledger := smallModel(t, filepath.Join(dir, "open"))
	keep := func(name string) *privbayes.Privatized {
		return model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5),
			privbayes.KeepIn(filepath.Join(dir, "shut", name)))
	}
	var fe *release.FileError
	if err := keep("new.json").Err(); !errors.As(err, &fe) || !errors.Is(err, fs.ErrPermission) ||
		len(ledger.Charges()) != 0 {
		t.Errorf("%v, %d charges", err, len(ledger.Charges()))
	}
	if p := keep("kept.json"); p.Err() != nil || !p.Loaded() || len(ledger.Charges()) != 1 {
		t.Error("a release kept in a folder that can only be read:", p.Err())
	}
	r := must.Get(keep("kept.json").Release())(t)
	if err := r.Save(filepath.Join(dir, "shut", "copy.json")); !errors.As(err, &fe) ||
		!errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// A disk of 64 kB that is really full.
func TestAReallyFullDiskCostsNothing(t *testing.T) {
	dir, small := t.TempDir(), filepath.Join(t.TempDir(), "small")
	must.Do(t, os.Mkdir(small, 0o755))
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("a small disk cannot be had here; TestAFullDiskCostsNothing has one in memory:", err)
	}
	defer func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	model, ledger := smallModel(t, dir)
	keep := func() error {
		return model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5),
			privbayes.KeepIn(filepath.Join(small, "r.json"))).Err()
	}
	var fe *release.FileError
	for range 3 {
		if err := keep(); !errors.As(err, &fe) || !errors.Is(err, syscall.ENOSPC) || len(ledger.Charges()) != 0 {
			t.Fatalf("%v, %d charges", err, len(ledger.Charges()))
		}
	}
	if left, err := os.ReadDir(small); err != nil || len(left) != 0 {
		t.Error("left behind:", left, err)
	}
	must.Do(t, syscall.Mount("tmpfs", small, "tmpfs", syscall.MS_REMOUNT, "size=4m"))
	if err := keep(); err != nil || len(ledger.Charges()) != 1 {
		t.Errorf("%v, %d charges", err, len(ledger.Charges()))
	}
}
