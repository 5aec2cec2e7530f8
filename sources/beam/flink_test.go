package beam

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

// flink is the job server that scripts/flink.sh starts. Without one the test is skipped, but where the project is
// tested as a whole that is a failure. Workers are processes of a copy of this program, in a folder of its own; where a
// file "pause" lies beside it, they wait so long before every part.
func flink(t *testing.T) (r Runner, folder string) {
	t.Helper()
	endpoint := os.Getenv("PRIVBAYES_FLINK")
	if endpoint == "" {
		const why = "no Flink: make test-sources starts one, and sets PRIVBAYES_FLINK to its job server's address"
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	folder = t.TempDir()
	program := filepath.Join(folder, "worker")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return Portable(endpoint).WithProgram(program).WithFolder(folder).WithTimeLimit(4 * time.Minute), folder
}

// A cluster of Flink gives the releases of the frame, byte for byte, and a value that does not fit comes back without
// its text.
func TestFlinkGivesTheReleasesOfTheFrame(t *testing.T) {
	r, _ := flink(t)
	s := open(t, r, shards(t, 6))
	sh, err := model.NewShape(s.Schema(), model.NaiveBayes("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	same(t, s, sh)
	size, err := s.Size(t.Context())
	if n := sourcetest.Frame(t).Len(); err != nil || size.N != n {
		t.Errorf("size %+v, %v, want %d", size, err, n)
	}
	units := sourcetest.Units(t, 2, false)
	if s, err = Open(t.Context(), units, r, shards(t, 6)); err != nil {
		t.Fatal(err)
	}
	if sh, err = model.NewShape(units, model.NaiveBayes("class"), 0, false, "test"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	want, err := source.OfFrame(sourcetest.FrameUnder(t, units)).Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	if !sourcetest.Equal(got, want) {
		t.Error("units capped on the cluster: other statistics than of the frame")
	}
	bad := shards(t, 2)
	put(t, filepath.Join(filepath.Dir(bad), "visits-01.csv"), "SECRET-9f3\n")
	var file *frame.FileError
	if sh, err = model.NewShape(sourcetest.Schema(t), model.NaiveBayes("class"), 0, false, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, r, bad).Statistics(t.Context(), sh); !errors.As(err, &file) {
		t.Errorf("a broken file: %v", err)
	}
}

// same compares the statistics of a source with those of the frame, as releases of them are.
func same(t *testing.T, s *Source, sh *model.Shape) {
	t.Helper()
	st, err := s.Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	want, err := source.OfFrame(sourcetest.Frame(t)).Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	if !sourcetest.Equal(st, want) {
		t.Error("other statistics than of the frame")
	}
}

// A task manager that is killed in mid-run leads to the right result, or to none.
func TestAKilledTaskManager(t *testing.T) {
	r, folder := flink(t)
	victim, err := strconv.Atoi(os.Getenv("PRIVBAYES_FLINK_VICTIM"))
	if err != nil {
		t.Fatal("no task manager to kill: PRIVBAYES_FLINK_VICTIM")
	}
	put(t, filepath.Join(folder, "pause"), "500ms")
	s := open(t, r, shards(t, 24))
	sh, err := model.NewShape(s.Schema(), model.NaiveBayes("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		st  *model.Statistics
		err error
	}
	done := make(chan answer, 1)
	go func() {
		st, err := s.Statistics(t.Context(), sh)
		done <- answer{st, err}
	}()
	time.Sleep(5 * time.Second)
	select {
	case a := <-done:
		t.Fatalf("the run ended before the kill: %v", a.err)
	default:
	}
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	a := <-done
	if a.err != nil {
		var failure *source.Failure
		if !errors.As(a.err, &failure) {
			t.Errorf("%v, want the right result or a *source.Failure", a.err)
		}
		t.Logf("nothing: %v", a.err)
		return
	}
	want, err := source.OfFrame(sourcetest.Frame(t)).Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	if !sourcetest.Equal(a.st, want) {
		t.Error("another result than without the kill")
	}
	t.Log("the right result")
}
