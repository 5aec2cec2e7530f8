package privbayes_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// goldenNumbers says which test runs which golden case of testdata/numbers.json, by the case's own figures.
var goldenNumbers = map[string][]string{
	"mechanism/sums/mutants_test.go:TestGoldenSensitivities": {"sens_sum_replace", "sens_parabola_beta1",
		"sens_parabola_free", "sens_parabola_odd", "sens_parabola_L2", "groups"},
	"mechanism/sums/mutants_test.go:TestGoldenSensitivitiesBeside": {"moments_1to4", "bernstein_degree2"},
	"mechanism/sums/mutants_test.go:TestMutantsAreRejected": {"mutant_none_correct", "mutant_range_from_data",
		"mutant_clip_after_noise", "mutant_rounding_forgotten", "mutant_groups_uncentred_at_range",
		"mutant_groups_counts_free", "mutant_squares_uncharged", "mutant_squares_half_half_naive"},
	"mechanism/sums/plan_test.go:TestExpectedErrors":              {"expected_mean"},
	"mechanism/sums/plan_test.go:TestErrorOfAPair":                {"expected_mean_AB"},
	"../internal/sample/sums_test.go:TestParabolaNorm":            {"knorm_parabola"},
	"../internal/sample/sums_test.go:TestCubeVariance":            {"linf_columns"},
	"../internal/sample/sums_test.go:TestStaircaseVariance":       {"staircase"},
	"../internal/roundedsum/golden_test.go:TestGoldenTiltedTails": {"tilted_tails"},
	"../internal/roundedsum/golden_test.go:TestGoldenPosteriors": {"post_exp_n3", "post_exp_n3_negative",
		"post_exp_n6_above", "mutant_exp_n6_above_nocensor", "post_exp_n6_eps5", "post_poisson_n4", "post_poisson_n4_low",
		"post_normal_n4", "post_bernoulli_n5"},
	"../internal/roundedsum/twosums_test.go:TestGoldenTwoMoments":                 {"post_normal_two_moments"},
	"model/numbers_test.go:TestGoldenUnits":                                       {"slope_units"},
	"mechanism/regression/integersensitivity_test.go:TestSensitivityAtEqualNoise": {"onehot_sensitivity"},
	"mechanism/quantiles/score_test.go:TestOneQuantileAgainstEnumeration": {"quantile_em_n5_half",
		"quantile_em_n5_full"},
	"mechanism/quantiles/score_test.go:TestGoldenJoint": {"joint_em_n6"},
}

// Every golden case of numbers is run by a test that exists.
func TestEveryGoldenNumberIsRun(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("testdata", "numbers.json")))(t)
	var cases []struct {
		Name string `json:"name"`
	}
	must.Do(t, json.Unmarshal(text, &cases))
	run := map[string]bool{}
	for at, names := range goldenNumbers {
		file, test, _ := strings.Cut(at, ":")
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil || !strings.Contains(string(text), "func "+test+"(") {
			t.Errorf("no %s in %s: %v", test, file, err)
		}
		for _, name := range names {
			run[name] = true
		}
	}
	for _, c := range cases {
		if !run[c.Name] {
			t.Errorf("%s is run by no test", c.Name)
		}
	}
	if len(cases) != 37 || len(run) != 37 {
		t.Errorf("%d cases, %d run", len(cases), len(run))
	}
}
