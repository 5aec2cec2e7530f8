package frame

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestInferSchema(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,temp,sex,note,code\n")
	for i := range 40 {
		note := "free"
		if i%7 == 0 {
			note = ""
		}
		fmt.Fprintf(&b, "%d,%.2f,%s,%s,%d\n", i+3, float64(i)*0.13-1, []string{"m", "f"}[i%2], note, i%4)
	}
	s, err := InferSchema(strings.NewReader(b.String()), "t")
	if err != nil {
		t.Fatal(err)
	}
	if !s.Inferred || s.Dataset != "t" {
		t.Error("not marked as inferred")
	}
	for i, want := range []Kind{KindInteger, KindReal, KindCategorical, KindCategorical, KindCategorical} {
		if s.Columns[i].Kind != want {
			t.Errorf("%s is %s, want %s", s.Columns[i].Name, s.Columns[i].Kind, want)
		}
	}
	if c := s.Columns[0]; c.Min != 0 || c.Max != 45 || c.Edges[1] != 5 {
		t.Errorf("edges %v, want round numbers", c.Edges)
	}
	if !s.Columns[3].HasMissing() {
		t.Error("empty fields are not missing")
	}
	f, err := Read(context.Background(), strings.NewReader(b.String()), "t", s)
	if err != nil || f.Len() != 40 || !strings.Contains(f.String(), "nothing made under it is private") {
		t.Error(err)
	}
}

func TestInferSchemaRefuses(t *testing.T) {
	for text, is := range map[string]error{"": &FileError{}, "a,b\n": &FileError{}, "a,b\n1\n": &ValueError{},
		"a\n\"\n":    &ValueError{},
		"a,a\n1,2\n": &SchemaError{}} {
		if _, err := InferSchema(strings.NewReader(text), "t"); !typed(err, is) {
			t.Errorf("%q: %v, want %v", text, err, is)
		}
	}
}

func TestRoundEdgesCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1e-3, 1e6).Draw(t, "width")
		if whole {
			lo, hi = float64(int(lo)), float64(int(hi)+13)
		}
		e := roundEdges(lo, hi, whole)
		if e[0] > lo || e[len(e)-1] < hi || len(e) > 25 {
			t.Fatalf("[%v, %v]: %v", lo, hi, e)
		}
		kind := KindReal
		if whole {
			kind = KindInteger
		}
		if err := (&Schema{Dataset: "test", Columns: []Column{numeric("x", kind, e)}}).Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
