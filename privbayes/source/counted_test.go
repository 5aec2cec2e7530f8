package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

// One reading gives the size, and the statistics of the model that it was for under either adjacency; another model is
// read for once more.
func TestCountedFilesAreFiles(t *testing.T) {
	text, s := sourcetest.CSV(), sourcetest.Schema(t)
	path := filepath.Join(written(t, map[string]string{"all.csv": text}), "all.csv")
	key := access.Mine()
	for _, m := range []model.Model{model.NaiveBayes("class"), model.LinearRegression("wage", "seen"), model.Tree()} {
		plain := files(t, s, path)
		once := must.Get(source.Counted(t.Context(), plain, m))(t)
		size, want := must.Get(once.Size(t.Context()))(t), must.Get(plain.Size(t.Context()))(t)
		if size != want {
			t.Fatalf("%v: size %v; want %v", m, size, want)
		}
		for _, other := range []model.Model{m, model.Categorical("class")} {
			sh := must.Get(source.Shape(plain, size, other))(t)
			for _, sh := range []*model.Shape{sh, sh.WithoutN()} {
				have := must.Get(once.Statistics(t.Context(), sh))(t)
				want := must.Get(plain.Statistics(t.Context(), sh))(t)
				if !slices.EqualFunc(have.Open(key), want.Open(key), slices.Equal[[]int64]) ||
					!slices.Equal(have.OpenSums(key), want.OpenSums(key)) || !have.Shape().Equal(sh) {
					t.Errorf("%v counted for %v: other statistics", other, m)
				}
			}
		}
		if kind, _ := once.Rows().Overlap(plain.Rows(), true); kind != frame.OverlapSame {
			t.Errorf("the rows of both: %v", kind)
		}
	}
	sourcetest.Same(t, source.OfFrame(sourcetest.Frame(t)), must.Get(source.Counted(t.Context(), files(t, s, path),
		model.NaiveBayes("class")))(t))
}

// One reading serves several models, one of them twice, whatever columns and values each of them takes.
func TestCountedForSeveralModels(t *testing.T) {
	path := filepath.Join(written(t, map[string]string{"all.csv": sourcetest.CSV()}), "all.csv")
	plain, key := files(t, sourcetest.Schema(t), path), access.Mine()
	models := []model.Model{model.Tree(), model.LinearRegression("wage", "seen"), model.Categorical("class"),
		model.Mean("wage"), model.Histogram("wage"), model.Mean("wage"), model.NaiveBayes("class")}
	once := must.Get(source.Counted(t.Context(), plain, models...))(t)
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	again, size := files(t, sourcetest.Schema(t), path), must.Get(once.Size(t.Context()))(t)
	for _, m := range models {
		sh := must.Get(source.Shape(again, size, m))(t)
		if _, err := once.Statistics(t.Context(), sh); !errors.As(err, new(*model.ChangedError)) {
			t.Errorf("%v of a changed file: %v", m, err)
		}
	}
	once = must.Get(source.Counted(t.Context(), again, models...))(t)
	for _, m := range models {
		sh := must.Get(source.Shape(again, size, m))(t)
		have, want := must.Get(once.Statistics(t.Context(), sh))(t), must.Get(again.Statistics(t.Context(), sh))(t)
		if !slices.EqualFunc(have.Open(key), want.Open(key), slices.Equal[[]int64]) ||
			!slices.Equal(have.OpenSums(key), want.OpenSums(key)) {
			t.Errorf("%v: other statistics", m)
		}
	}
}

func TestCountedRefuses(t *testing.T) {
	text, s := sourcetest.CSV(), sourcetest.Schema(t)
	dir := written(t, map[string]string{"good.csv": text,
		"bad.csv": strings.Replace(text, "\n", "\nnever a row of this\n", 1)})
	m := model.NaiveBayes("class")
	var refused *domain.Error
	if _, err := source.Counted(t.Context(), source.OfFrame(sourcetest.Frame(t)), m); !errors.As(err, &refused) {
		t.Errorf("a frame: %v", err)
	}
	if _, err := source.Counted(t.Context(), files(t, s, filepath.Join(dir, "good.csv"))); !errors.As(err, &refused) {
		t.Errorf("no model: %v", err)
	}
	good := files(t, s, filepath.Join(dir, "good.csv"))
	var misfit *model.Error
	if _, err := source.Counted(t.Context(), good, nil); !errors.As(err, &misfit) {
		t.Errorf("no model: %v", err)
	}
	var broken *frame.FileError
	if _, err := source.Counted(t.Context(), files(t, s, filepath.Join(dir, "bad.csv")), m); !errors.As(err, &broken) {
		t.Errorf("a file that is no table: %v", err)
	}
	once := must.Get(source.Counted(t.Context(), good, m))(t)
	sh := must.Get(source.Shape(once, must.Get(once.Size(t.Context()))(t), m))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "good.csv"), []byte(text+"\n"), 0o600))
	var changed *model.ChangedError
	if _, err := once.Statistics(t.Context(), sh); !errors.As(err, &changed) {
		t.Errorf("a file that changed since: %v", err)
	}
	capped := files(t, sourcetest.Units(t, 1, false), filepath.Join(dir, "bad.csv"))
	if same, err := source.Counted(t.Context(), capped, m); err != nil || same != source.Source(capped) {
		t.Errorf("rows of units that are capped: %v, %v", same, err)
	}
}

// Several shapes of files, of a part of them and of a frame have the statistics that each has by itself.
func TestStatisticsOfSeveralShapes(t *testing.T) {
	path := filepath.Join(written(t, map[string]string{"all.csv": sourcetest.CSV()}), "all.csv")
	plain, key := files(t, sourcetest.Schema(t), path), access.Mine()
	part := must.Get(source.NewPart("class", .5, 1))(t)
	models := []model.Model{model.Tree(), model.Mean("wage"), model.Histogram("wage"), model.Mean("wage")}
	for _, s := range []source.Source{plain, must.Get(plain.Part(part))(t), source.OfFrame(sourcetest.Frame(t)),
		must.Get(source.Counted(t.Context(), plain, models[1]))(t)} {
		var shapes []*model.Shape
		for _, m := range models {
			shapes = append(shapes, must.Get(source.Shape(s, must.Get(s.Size(t.Context()))(t), m))(t))
		}
		for i, have := range must.Get(source.StatisticsOf(t.Context(), s, shapes...))(t) {
			want := must.Get(s.Statistics(t.Context(), shapes[i]))(t)
			if !have.Shape().Equal(shapes[i]) || !slices.Equal(have.OpenSums(key), want.OpenSums(key)) ||
				!slices.EqualFunc(have.Open(key), want.Open(key), slices.Equal[[]int64]) {
				t.Errorf("%T, %v: other statistics", s, models[i])
			}
		}
	}
	other := must.Get(model.NewShape(sourcetest.Schema(t), model.Tree(), 3, true, ""))(t)
	if list, err := source.StatisticsOf(t.Context(), plain, other, other); err == nil || list != nil {
		t.Errorf("statistics of 3 rows: %v, %v", list, err)
	}
	sh := must.Get(source.Shape(plain, must.Get(plain.Size(t.Context()))(t), model.Mean("wage")))(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := source.StatisticsOf(over, plain, sh, sh); !errors.Is(err, context.Canceled) || list != nil {
		t.Errorf("a context that ended: %v, %v", list, err)
	}
	later := time.Now().Add(time.Hour)
	must.Do(t, os.Chtimes(path, later, later))
	if list, err := source.StatisticsOf(t.Context(), plain, sh, sh); !errors.As(err, new(*model.ChangedError)) ||
		list != nil {
		t.Errorf("a file that changed: %v, %v", list, err)
	}
}

// BenchmarkStatisticsOf counts for 100 shapes in one reading, and for each by itself.
func BenchmarkStatisticsOf(b *testing.B) {
	path := filepath.Join(b.TempDir(), "all.csv")
	head, rows, _ := strings.Cut(sourcetest.CSV(), "\n")
	text := head + "\n" + strings.Repeat(rows, 20_000/strings.Count(rows, "\n"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	s := must.Get(source.Files(sourcetest.Schema(b), path))(b)
	sh := must.Get(source.Shape(s, must.Get(s.Size(b.Context()))(b), model.NaiveBayes("class")))(b)
	shapes := slices.Repeat([]*model.Shape{sh}, 100)
	b.Run("one reading", func(b *testing.B) {
		for b.Loop() {
			must.Get(source.StatisticsOf(b.Context(), s, shapes...))(b)
		}
	})
	b.Run("a reading each", func(b *testing.B) {
		for b.Loop() {
			for _, sh := range shapes {
				must.Get(s.Statistics(b.Context(), sh))(b)
			}
		}
	})
}
