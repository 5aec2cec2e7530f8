package domain

import (
	"errors"
	"math"
	"testing"
)

func TestCheckNamesTheFirst(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, args := range map[string][]Argument{
		"": {Positive("a", 1), NotNegative("b", 0), Probability("c", .5), AtLeast("d", 2, 2), Between("e", 1, 1, 1),
			Arg("f", "x", true, "")},
		"a": {Positive("a", 0), Positive("b", -1)},
		"b": {Positive("a", 1), Positive("b", inf)},
		"c": {NotNegative("c", -1e-300)}, "d": {NotNegative("d", nan)}, "e": {Probability("e", 1)},
		"f": {Probability("f", nan)},
		"g": {AtLeast("g", 1, 2)}, "h": {Between("h", 4, 1, 3)}, "i": {Between("i", 0, 1, 3)},
		"j": {Arg("j", "x", false, "y")},
	} {
		err := Check("pkg", "Function", args...)
		var e *Error
		if errors.As(err, &e) != (want != "") || want != "" && e.Parameter != want {
			t.Errorf("%q: %v", want, err)
		}
	}
	if got, want := Check("sampling", "BestC", AtLeast("L0", -1, 0)).Error(), "sampling: BestC: L0 = -1; want at "+
		"least 0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
