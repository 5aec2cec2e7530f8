package source_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

func TestCappedReleasesAreTheSameFromEverySource(t *testing.T) {
	for _, c := range []struct {
		k   int
		pad bool
	}{{1, false}, {2, false}, {2, true}, {9, false}} {
		s := sourcetest.Units(t, c.k, c.pad)
		f := sourcetest.FrameUnder(t, s)
		if n, public := f.PublicN(); public != (c.k == 1 || c.pad) || public && n != 80*c.k {
			t.Errorf("%+v: n = %d, public %v", c, n, public)
		}
		sourcetest.Same(t, source.OfFrame(f), sourcetest.NewGroups(t, s, 5, 3))
	}
}

// Weights are read and summed the same from every source, also where the rows of a unit are capped.
func TestWeightedReleasesAreTheSameFromEverySource(t *testing.T) {
	dir := written(t, map[string]string{"all.csv": sourcetest.CSV()})
	for _, s := range []*frame.Schema{sourcetest.Schema(t), sourcetest.Units(t, 1, false), sourcetest.Units(t, 2, true),
		sourcetest.Units(t, 3, false)} {
		s = sourcetest.Weighted(s)
		f := source.OfFrame(sourcetest.FrameUnder(t, s))
		sourcetest.Same(t, f, sourcetest.NewGroups(t, s, 5, 3))
		sourcetest.Same(t, f, files(t, s, filepath.Join(dir, "all.csv")))
	}
}

func TestReleasesAreTheSameFromEverySource(t *testing.T) {
	f := source.OfFrame(sourcetest.Frame(t))
	for _, workers := range []int{1, 2, 7} {
		sourcetest.Same(t, f, sourcetest.NewGroups(t, sourcetest.Schema(t), uint64(workers), workers))
	}
}

// A mutant that loses a row or counts one twice is refused, since the size is public; with a row in place of another it
// gives other releases.
func TestSourcesThatAreWrong(t *testing.T) {
	short := sourcetest.NewGroups(t, sourcetest.Schema(t), 1, 2)
	size := len(short.Records)
	m := privbayes.NaiveBayes("class")
	sh := must.Get(source.Shape(short, source.Size{N: size}, m))(t)
	for _, rows := range [][][]string{short.Records[1:], append(short.Records, short.Records[0])} {
		short.Records = rows
		var changed *model.ChangedError
		if _, err := short.Statistics(t.Context(), sh); !errors.As(err, &changed) {
			t.Errorf("%d rows of %d: %v", len(rows), size, err)
		}
	}
	other := sourcetest.NewGroups(t, sourcetest.Schema(t), 1, 2)
	other.Records[0] = []string{"p001", "bad", "red", "20", "1", "2024-01-01"}
	a, b := sourcetest.Releases(t, source.OfFrame(sourcetest.Frame(t))), sourcetest.Releases(t, other)
	same := 0
	for i := range a {
		if string(a[i]) == string(b[i]) {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d of %d releases do not notice another row", same, len(a))
	}
}

func TestARefusalNamesTheColumnOnly(t *testing.T) {
	g := sourcetest.NewGroups(t, sourcetest.Schema(t), 1, 1)
	g.Records[5][2] = "SECRET-9f3"
	p := privbayes.From(t.Context(), g).Model(privbayes.Categorical("colour")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	var refused *frame.OutOfDomainError
	if !errors.As(p.Err(), &refused) || refused.Column != "colour" || strings.Contains(p.Err().Error(), "SECRET") {
		t.Error(p.Err())
	}
}
