package advise_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Rows are told of one by one, in the order of the answer and while the others are still to come; searches for n, which
// compare again, tell of none.
func TestRowsAreToldAsTheyComeIn(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 200, 3)
	targets := []dp.Request{dp.PureDP(.5), dp.PureDP(1)}
	type told struct {
		target int
		row    advise.Row
	}
	var list []told
	a, err := advise.For(t.Context(), sh, targets, advise.Options{Time: unhurried, Data: 20,
		Row: func(i int, r advise.Row) { list = append(list, told{i, r}) }})
	if err != nil {
		t.Fatal(err)
	}
	k := 0
	for i := range targets {
		for _, r := range a.Rows(i) {
			if k >= len(list) || list[k].target != i || list[k].row.Mechanism != r.Mechanism ||
				!reflect.DeepEqual(list[k].row.Certified, r.Certified) || list[k].row.Refused != r.Refused {
				t.Fatalf("row %d is not %s at target %d", k, r.Mechanism, i)
			}
			k++
		}
	}
	if k != len(list) || k == 0 {
		t.Errorf("%d rows told, %d in the answer", len(list), k)
	}
	if _, err := a.NFor(t.Context(), 1, 0.05); err != nil {
		t.Fatal(err)
	}
	if len(list) != k {
		t.Errorf("a search told of %d rows", len(list)-k)
	}
}

// What is told of the first row can end the work: the others are not worked out.
func TestARowCanBeTheLast(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 200, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows := 0
	_, err := advise.For(ctx, sh, []dp.Request{dp.PureDP(1)}, advise.Options{Time: unhurried,
		Row: func(int, advise.Row) { rows++; cancel() }})
	if !errors.Is(err, context.Canceled) || rows == 0 || rows > 2 {
		t.Errorf("after %d rows: %v", rows, err)
	}
}
