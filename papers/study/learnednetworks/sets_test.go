package learnednetworks

import (
	"context"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const setsCommand = "go test ./papers/study/learnednetworks -run TestFullSets -write -timeout 0"

const setsReleases = 200

// setsSpecs are the points of the study of combined estimates: each as it should be, then the wrong way.
func setsSpecs() (specs []SetsSpec) {
	for _, s := range []SetsSpec{{Records: 500, Epsilon: .5}, {Records: 500, Epsilon: 2}, {Records: 2000, Epsilon: 1}} {
		plain := s
		plain.Plain = true
		specs = append(specs, s, plain)
	}
	return specs
}

// TestFullSets makes sets.json; it runs only when asked to.
func TestFullSets(t *testing.T) {
	full.Cells(t, "sets.json", setsCommand, 2027, setsSpecs(),
		func(ctx context.Context, s SetsSpec, seed uint64) (*SetsPoint, error) {
			return CountCombined(ctx, s, setsReleases, seed)
		})
}

// Combined intervals cover as often as they say, and the wrong way less often: of shares and means everywhere.
func TestCommittedSets(t *testing.T) {
	r, err := CommittedSets()
	specs := setsSpecs()
	if err != nil || len(r.Cells) != len(specs) || r.Command != setsCommand {
		t.Fatal(r, err)
	}
	for k, p := range r.Cells {
		if p.SetsSpec != specs[k] || p.Releases != setsReleases {
			t.Errorf("%+v", p)
		}
		for _, q := range CombinedQuantities() {
			low := simulate.Level - 3*simulate.SE(p.Asked[q])
			wrong := p.Covered[q] < low
			if p.Plain {
				wrong = q != DifferenceOf && p.Covered[q] > low
			}
			if wrong || p.Asked[q] < setsReleases/4 {
				t.Errorf("%s: %+v", q, p)
			}
		}
	}
}

// A part of the run again: intervals of 25 releases cover but for 1e-9, and those of sets from the released fit do not.
func TestSomeSetsAreLive(t *testing.T) {
	const releases = 25
	least := full.Fewest(releases, simulate.Level-.02, 1e-9)
	s := SetsSpec{Records: 300, Epsilon: .3, Rows: 60}
	p, err := CountCombined(t.Context(), s, releases, 7)
	if err != nil {
		t.Fatal(err)
	}
	s.Plain = true
	plain, err := CountCombined(t.Context(), s, releases, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []CombinedQuantity{ShareOfRegion, MeanOfHours} {
		if p.Covered[q] < least {
			t.Errorf("%s: %+v", q, p)
		}
	}
	if plain.Covered[MeanOfHours] > least {
		t.Errorf("%.2f is not below %.2f", plain.Covered[MeanOfHours], least)
	}
}
