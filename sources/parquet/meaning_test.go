package parquet_test

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// A number of 32 bits is the one that people write for it: 0.7 does not fall below an edge at 0.7.
func TestFloatsOf32BitsAreAsWritten(t *testing.T) {
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{{Name: "x", Kind: frame.KindReal, Max: .9,
		Edges: []float64{0, .7, .9}}}}
	kinds := func(string) kind {
		return kind{pq.Leaf(pq.FloatType), func(x string) any {
			v, err := strconv.ParseFloat(x, 32)
			if err != nil {
				t.Fatal(err)
			}
			return float32(v)
		}}
	}
	body := [][]string{{"0.7"}, {"0.69"}, {"0.9"}, {"0"}}
	path := put(t, write(t, []string{"x"}, body, kinds, asIs, 1000, nil), t.TempDir(), "t.parquet")
	src, err := parquet.Open(t.Context(), s, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Read(t.Context(), strings.NewReader("x\n0.7\n0.69\n0.9\n0\n"), "t.csv", s)
	if err != nil {
		t.Fatal(err)
	}
	sh, err := model.NewShape(s, model.Categorical("x"), 4, true, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := src.Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	want, err := source.OfFrame(f).Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	if !sourcetest.Equal(got, want) {
		t.Error("other counts than of the CSV file")
	}
}

// Whoever counts row groups apart does not see all rows of a unit, so a schema with a key is refused there.
func TestReadersRefuseUnitKeys(t *testing.T) {
	for _, k := range []int{1, 2} {
		s := sourcetest.Units(t, k, k == 2)
		sh, err := model.NewShape(s, model.Categorical("class"), 4, true, "")
		if err != nil {
			t.Fatal(err)
		}
		tally, err := model.NewTally(access.Mine(), sh)
		if err != nil {
			t.Fatal(err)
		}
		var e *frame.SchemaError
		if _, err := parquet.NewReader(access.Mine(), s, tally); !errors.As(err, &e) || e.Field != "unit_key" {
			t.Errorf("a unit key: %v", err)
		}
	}
}

// The caller's schema is not kept.
func TestSchemaIsOwn(t *testing.T) {
	head, body := rows(t)
	path := put(t, write(t, head, body, texts, asIs, 1000, nil), t.TempDir(), "t.parquet")
	s := sourcetest.Schema(t)
	src, err := parquet.Open(t.Context(), s, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	s.Columns = nil
	if reflect.DeepEqual(src.Schema(), s) {
		t.Error("the source has the caller's schema")
	}
}
