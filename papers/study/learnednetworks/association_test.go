package learnednetworks

import (
	"context"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

const testCommand = "go test ./papers/study/learnednetworks -run TestFullTests -write -timeout 0"

// testSpecs are the points of the study of tests, given pairs first, with the releases of each.
func testSpecs() (specs []TestSpec, releases []int) {
	for _, s := range []TestSpec{{2, 500, .3, 0}, {2, 500, 1, 0}, {2, 5000, 1, 0}, {2, 70000, 1, 0}, {2, 500, 1, 1e-9}} {
		specs, releases = append(specs, s), append(releases, 4000)
	}
	for _, s := range []TestSpec{{6, 500, 1, 1e-9}, {6, 5000, 1, 1e-9}, {6, 70000, 1, 1e-9}, {6, 5000, 5, 0}} {
		specs, releases = append(specs, s), append(releases, 400)
	}
	return specs, releases
}

// TestFullTests makes association.json; it runs only when asked to.
func TestFullTests(t *testing.T) {
	all := &TestResult{}
	specs, releases := testSpecs()
	full.Run(t, "association.json", true, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, testCommand, 2026
		for k := len(all.Cells); k < len(specs); k++ {
			p, err := CountTests(ctx, specs[k], releases[k], all.Seed)
			if err != nil {
				return err
			}
			all.Cells = append(all.Cells, p)
			save()
		}
		return nil
	})
}

// Tests of given pairs reject at .05 ± .01, those of chosen pairs, adjusted, in at most .055 of the releases, and those
// that are not adjusted in more. The fitted table as counts rejects at least three times as often where records are
// few.
func TestCommittedTests(t *testing.T) {
	r, err := CommittedTests()
	specs, releases := testSpecs()
	if err != nil || len(r.Cells) != len(specs) || r.Command != testCommand {
		t.Fatal(r, err)
	}
	unadjusted := 0.0
	for k, p := range r.Cells {
		if p.TestSpec != specs[k] || p.Releases != releases[k] {
			t.Errorf("%+v", p)
		}
		for _, test := range []release.Association{release.ChiSquare, release.MannWhitney, release.MedianTest} {
			given, chance := p.Rejected[test], 3*math.Sqrt(.05*.95/float64(p.Releases))
			if p.Columns == 2 && math.Abs(given-TestLevel) > .01+chance/2 || p.AnyOf[test] > .055+chance {
				t.Errorf("%s: %+v", test, p)
			}
		}
		if unadjusted = math.Max(unadjusted, p.Rejected[release.ChiSquare]); p.Records < 5000 && p.AsCounts < .15 {
			t.Errorf("%+v", p)
		}
	}
	if unadjusted < .1 {
		t.Errorf("choosing costs nothing: %.3f", unadjusted)
	}
}

// A part of the run again: the shares of 300 tests that reject are as at .05 but for 1e-9, and those of the fitted
// table as counts are not.
func TestSomeTestsAreLive(t *testing.T) {
	const releases = 300
	p, err := CountTests(t.Context(), TestSpec{2, 500, 1, 0}, releases, 7)
	if err != nil {
		t.Fatal(err)
	}
	far := func(rejected float64) bool { return 1-rejected < full.Fewest(releases, 1-TestLevel-.01, 1e-9) }
	for test, rejected := range p.Rejected {
		if test != release.TTest && (far(rejected) || rejected == 0) {
			t.Errorf("%s: %+v", test, p)
		}
	}
	if !far(p.AsCounts) {
		t.Errorf("%+v", p)
	}
}
