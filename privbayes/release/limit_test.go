package release_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// The version of the library is a name, not a place for text of any length or kind.
func TestLibraryIsAName(t *testing.T) {
	r := votes(t, counts.Geometric(), model.Categorical("Class"), dp.PureDP(1), dp.Seeded(1))
	b := must.Get(r.JSON())(t)
	own := `"library": "` + release.Version + `"`
	for version, refused := range map[string]bool{"0.0.1": false, strings.Repeat("9", 300): true, `1\u202e`: true,
		"": true, "0.3.0-dev+8": false, "\u0430.1": true, "0.1 \u2014 verified": true, "0\u200b.1": true, "0.1 1-DP": true} {
		edited := strings.Replace(string(b), own, `"library": "`+version+`"`, 1)
		_, err := release.Parse(t.Context(), []byte(edited))
		var file *release.FileError
		if refused != errors.As(err, &file) || refused && file.Field != "library" || !refused && err != nil {
			t.Errorf("%.20q: %v", version, err)
		}
	}
}

// An identifier is one word of ASCII: no letter of another script, and nothing invisible, poses as it.
func TestIdentifierIsAWord(t *testing.T) {
	r := votes(t, counts.Geometric(), model.Categorical("Class"), dp.PureDP(1), dp.Seeded(1))
	b := must.Get(r.JSON())(t)
	for _, id := range []string{"\u0430" + r.ID()[1:], r.ID() + "\u200b", "\u202e" + r.ID(), r.ID() + " 1-DP", r.ID() + `\n1-DP`,
		strings.Repeat("a", 300), "\uff11" + r.ID()[1:]} {
		edited := strings.Replace(string(b), `"id": "`+r.ID()+`"`, `"id": "`+id+`"`, 1)
		_, err := release.Parse(t.Context(), []byte(edited))
		var file *release.FileError
		if edited == string(b) || !errors.As(err, &file) || file.Field != "draw.id" {
			t.Errorf("%+q: %v", id, err)
		}
	}
}

// A file longer than the memory limit is refused by its length, not by its content, and one that fits is read.
func TestLongFilesAreRefused(t *testing.T) {
	r := votes(t, counts.Geometric(), model.Categorical("Class"), dp.PureDP(1), dp.Seeded(1))
	path := filepath.Join(t.TempDir(), "x.release.json")
	must.Do(t, r.Save(path))
	info := must.Get(os.Stat(path))(t)
	for limit, refused := range map[int64]bool{info.Size() - 1: true, info.Size(): false} {
		ctx := cert.WithMemoryLimit(t.Context(), limit)
		_, errLoad := release.Load(ctx, path)
		_, errVerify := release.Verify(ctx, path)
		for _, err := range []error{errLoad, errVerify} {
			var file *release.FileError
			var over *cert.LimitError
			if refused != errors.As(err, &over) || refused &&
				(!errors.As(err, &file) || file.Path != path || over.Figure != float64(info.Size())) || !refused &&
				err != nil {
				t.Errorf("a file of %d bytes under a limit of %d: %v", info.Size(), limit, err)
			}
		}
	}
	big := filepath.Join(t.TempDir(), "big.release.json")
	f := must.Get(os.Create(big))(t)
	if err := errors.Join(f.Truncate(cert.DefaultMemoryLimit+1), f.Close()); err != nil { // a hole: it takes no room
		t.Skip(err)
	}
	var over *cert.LimitError
	if _, err := release.Load(t.Context(), big); !errors.As(err, &over) || over.Limit != cert.DefaultMemoryLimit {
		t.Error("a file of half a GiB and a byte:", err)
	}
}

// A reader's context ends the work that a file asks for: here half a megabyte that names a column of 60,000 categories.
func TestAFileDoesNotKeepItsReaderBusy(t *testing.T) {
	r := votes(t, counts.Fourier(), model.Binary("Class"), dp.PureDP(1), dp.Seeded(1))
	words := make([]string, 60_000)
	for i := range words {
		words[i] = fmt.Sprintf(`"v%d"`, i)
	}
	small := string(jsonOf(t, r))
	at := strings.Index(small, `"categories":`)
	if at < 0 {
		t.Fatal("no categories in the file")
	}
	end := at + strings.Index(small[at:], "]")
	text := small[:at] + `"categories": [` + strings.Join(words, ",") + small[end:]
	text = strings.Replace(text, `"binary"`, `"categorical"`, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	start := time.Now()
	_, err := release.VerifyBytes(ctx, []byte(text))
	var unmet *mechanism.UnmetTarget
	var file *release.FileError
	if !errors.As(err, &file) || !(errors.As(err, &unmet) || errors.Is(err, context.DeadlineExceeded)) {
		t.Errorf("%.300v", err)
	}
	if took := time.Since(start); took > time.Minute { // by far more on any machine before the context was looked at
		t.Errorf("an answer after %v", took)
	}
	cancel()
	if _, err := release.VerifyBytes(ctx, []byte(small)); err == nil {
		t.Error("verified under a context that has ended")
	}
}
