package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// exam has classes, a number of which some values are beyond its bounds, and a factor of three levels.
func exam(t testing.TB, n int) *frame.Frame {
	t.Helper()
	src := dp.Seeded(3)
	var pass, school []string
	var hours []float64
	for range n {
		pass = append(pass, []string{"no", "yes"}[sample.Uniform(src, 2)])
		school = append(school, []string{"north", "south", "west"}[sample.Uniform(src, 3)])
		hours = append(hours, math.Min(math.Max(50*sample.Float64(src)-5, 0), 40))
	}
	s := &frame.Schema{Dataset: "exam", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Categorical("school", "north", "south", "west"), frame.Real("hours", 0, 20, 40)}}
	f, err := frame.FromColumns(s, map[string]any{"pass": pass, "school": school, "hours": hours})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var examModel = LogisticRegression("pass", "school", "hours")

var examPoint = steps.Point{Beta: []float64{-.5, 1.25, -3, 2}, Cut: 300000}

func countExam(t testing.TB, n int) (*Shape, *frame.Frame, *Statistics) {
	t.Helper()
	f := exam(t, n)
	sh, err := NewShape(f.Schema(), examModel, f.Len(), true, "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	return sh, f, st
}

// A pass has the integers that exact arithmetic on the rows gives: columns on their grid, times residual or weight.
// Weights 0 and the greatest cut give the second moments.
func TestPassIsExact(t *testing.T) {
	_, f, st := countExam(t, 500)
	key := access.Mine()
	got, err := st.OpenPass(t.Context(), key, examPoint)
	if err != nil {
		t.Fatal(err)
	}
	pass, _ := f.Codes("pass")
	school, _ := f.Codes("school")
	hours, _ := f.Values("hours")
	const unit = 1 << steps.Bits
	want := make([]*big.Int, len(got))
	for i := range want {
		want[i] = new(big.Int)
	}
	for r := range f.Len() {
		u := math.RoundToEven((hours[r] - 20) / 20 * unit)
		row := []float64{unit, unit * indicator(school.At(r) == 1), unit * indicator(school.At(r) == 2), u}
		odds := 0.0
		for j, b := range examPoint.Beta {
			odds += b * row[j] / unit
		}
		m, y := math.Tanh(odds/2), 2*float64(pass.At(r))-1
		residual := math.Round((y - m) / (1 + math.Abs(m)) * unit)
		weight := math.Min(math.Round((1-math.Abs(m))/2*unit), float64(examPoint.Cut))
		k := 0
		for i := range row {
			for j := i; j <= len(row); j++ {
				v := big.NewInt(int64(row[i]))
				if j < len(row) {
					v.Mul(v, big.NewInt(int64(row[j]))).Mul(v, big.NewInt(int64(weight)))
				} else {
					v.Mul(v, big.NewInt(int64(residual)))
				}
				want[k].Add(want[k], v)
				k++
			}
		}
	}
	for k, w := range want {
		// tanh and exponentials may differ in the last bit, which moves few records by a unit
		d := new(big.Int).Sub(whole(got[k]), w)
		if limit := new(big.Int).Lsh(big.NewInt(5), 2*steps.Bits); d.CmpAbs(limit) > 0 {
			t.Errorf("sum %d: %v, want %v", k, whole(got[k]), w)
		}
	}
	first, err := st.OpenPass(t.Context(), key, steps.Point{Beta: make([]float64, 4), Cut: unit / 2, First: true})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range st.OpenMoments(key)[:len(first)-1] { // y² is not read
		if j := []int{4, 8, 11, 13}; !slices.Contains(j, k) {
			v = v.Shifted(steps.Bits - 1)
		}
		if v != first[k] {
			t.Errorf("moment %d: %v, want %v", k, first[k], v)
		}
	}
}

func whole(v num.Int128) *big.Int {
	out := new(big.Int).Lsh(big.NewInt(v.Hi), 64)
	return out.Add(out, new(big.Int).SetUint64(v.Lo))
}

// Equal rows as a group, whatever their number, add what they add one by one; parts add up.
func TestPassAddsGroups(t *testing.T) {
	sh, _, _ := countExam(t, 3)
	pass := *sh
	pass.pass, pass.publicN = &examPoint, false
	one, err := newTally(&pass)
	if err != nil {
		t.Fatal(err)
	}
	many, _ := newTally(&pass)
	for range 7 {
		if err := one.Group([]int32{1, 2, 0}, []float64{0, 0, 31}, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := many.Group([]int32{1, 2, 0}, []float64{0, 0, 31}, 7); err != nil {
		t.Fatal(err)
	}
	key := access.Mine()
	if !slices.Equal(one.Numbers(key), many.Numbers(key)) {
		t.Error("a group of seven is not seven rows")
	}
	huge, _ := newTally(&pass)
	const times = 3 * most
	if err := huge.Group([]int32{1, 2, 0}, []float64{0, 0, 31}, times); err != nil {
		t.Fatal(err)
	}
	single, _ := newTally(&pass)
	if err := single.Group([]int32{1, 2, 0}, []float64{0, 0, 31}, 1); err != nil {
		t.Fatal(err)
	}
	for k, v := range single.sums.numbers() {
		want := new(big.Int).Mul(whole(v), big.NewInt(times))
		if whole(huge.sums.numbers()[k]).Cmp(want) != 0 {
			t.Errorf("sum %d of %d rows: %v, want %v", k, int64(times), huge.sums.numbers()[k], want)
		}
	}
	if err := one.Merge(many); err != nil || one.rows != 14 {
		t.Error(err, one.rows)
	}
}

// The shape of a pass travels to workers as JSON and is another one than the model's; a point of another length is
// refused.
func TestPassShapesTravel(t *testing.T) {
	sh, _, _ := countExam(t, 40)
	pass, err := sh.passing(examPoint)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(pass)
	if err != nil {
		t.Fatal(err)
	}
	var got Shape
	if err := json.Unmarshal(b, &got); err != nil || !got.Passing() || !got.Equal(pass) || got.Equal(sh) || sh.Passing() {
		t.Error(err, got.pass)
	}
	var wrong *Error
	if _, err := sh.passing(steps.Point{Beta: []float64{1}}); !errors.As(err, &wrong) {
		t.Error(err)
	}
	short := bytes.Replace(b, []byte("[-0.5,"), []byte("["), 1)
	if err := json.Unmarshal(short, &got); !errors.As(err, &wrong) {
		t.Errorf("%s: %v", short, err)
	}
}

// What cannot be read again is refused by type, and without the key there is nothing.
func TestPassRefuses(t *testing.T) {
	sh, _, st := countExam(t, 40)
	ctx, key := t.Context(), access.Mine()
	if _, err := st.OpenPass(ctx, access.Key{}, examPoint); !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
	sums, err := FromSums(sh, 40, make([]float64, len(sh.sums)))
	if err != nil {
		t.Fatal(err)
	}
	var wrong *Error
	if _, err := sums.OpenPass(ctx, key, examPoint); !errors.As(err, &wrong) || sums.CanPass() || !st.CanPass() {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := st.OpenPass(ended, key, examPoint); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	fewer, _, other := countExam(t, 39)
	st.again = func(context.Context, *Shape) (*Statistics, error) { return other, nil }
	var changed *ChangedError
	if _, err := st.OpenPass(ctx, key, examPoint); !errors.As(err, &changed) || fewer.n != 39 {
		t.Error(err)
	}
}
