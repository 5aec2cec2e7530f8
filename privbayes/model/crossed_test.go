package model

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
)

// The rows of a logistic regression on factors are counted in the table of class and features, target first; without
// the key there is none, and neither is of a number, of sums without rows, or of rows whose number has changed.
func TestRowsAreCountedInTheirTable(t *testing.T) {
	f := exam(t, 300)
	counted := func(m Model) *Statistics {
		sh, err := NewShape(f.Schema(), m, f.Len(), true, "")
		if err != nil {
			t.Fatal(err)
		}
		st, err := Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	key, st := access.Mine(), counted(LogisticRegression("pass", "school"))
	table, err := st.OpenCrossed(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, 6)
	pass, _ := f.Codes("pass")
	school, _ := f.Codes("school")
	for r := range f.Len() {
		want[pass.At(r)*3+school.At(r)]++
	}
	if !slices.Equal(table.Open(key)[0], want) {
		t.Errorf("%v, want %v", table.Open(key), want)
	}
	if _, err := st.OpenCrossed(t.Context(), access.Key{}); !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
	var no *Error
	if _, err := counted(examModel).OpenCrossed(t.Context(), key); !errors.As(err, &no) || !strings.Contains(err.Error(),
		"hours") {
		t.Error(err)
	}
	sums, err := FromSums(st.Shape(), 300, make([]float64, len(st.Shape().Sums())))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sums.OpenCrossed(t.Context(), key); !errors.As(err, &no) {
		t.Error(err)
	}
	st.Again(key, func(_ context.Context, sh *Shape) (*Statistics, error) {
		fewer, err := Count(sh.WithoutN(), exam(t, 299))
		return fewer, err
	})
	var changed *ChangedError
	if _, err := st.OpenCrossed(t.Context(), key); !errors.As(err, &changed) {
		t.Error(err)
	}
}
