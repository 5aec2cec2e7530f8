package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

// Which tumours are benign, from four measures of 569 patients with public bounds. The guarantee is pure ε; the
// coefficients are log-odds for a unit of the measure.
func ExampleLogisticRegression() {
	train, test := privbayes.ReadFrame(data.BreastCancer()).Split(.7, 1)
	p := train.Model(privbayes.LogisticRegression("benign", "worst_radius", "worst_texture", "worst_concave_points")).
		Privatize(privbayes.SufficientStatistics(), privbayes.PureDP(2), privbayes.Seeded(1))
	report, err := p.Evaluate(test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Release().Model().Summary())
	fmt.Printf("accuracy %.2f, AUC %.2f; without noise %.2f, %.2f; majority %.2f\n", report.Private.Accuracy, report.Private.AUC,
		report.NonPrivate.Accuracy, report.NonPrivate.AUC, report.Guess)
	// Output:
	// Coefficients of the log-odds of benign = 1
	// parameter             estimate
	// --------------------  --------
	// intercept                6.565
	// worst_radius           -0.1175
	// worst_texture         -0.06287
	// worst_concave_points     -21.6
	// In the units of the data: log-odds for one unit more of the feature.
	// 2.4 times least squares: flatter than logistic regression where classes are nearly certain. Intervals would not know that bias, and there are none.
	//
	// accuracy 0.94, AUC 0.99; without noise 0.94, 0.99; majority 0.61
}

// Who works part-time, by three columns of categories, from a table of noisy counts. The guarantee is pure ε, and the
// intervals have the noise in them.
func ExampleContingencyTable() {
	r, err := privbayes.ReadFrame(data.CPS1988()).
		Model(privbayes.LogisticRegression("parttime", "ethnicity", "smsa", "region")).
		Privatize(privbayes.ContingencyTable(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Model().Summary())
	test, err := r.Test("region")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("region: χ² = %.0f on %d degrees of freedom\n", test.Statistic, test.K)
	// Output:
	// Coefficients of the log-odds of parttime = yes, from 1000 draws
	// parameter         mean     sd   2.5 %  97.5 %
	// --------------  ------  -----  ------  ------
	// intercept       -2.593  0.066  -2.723  -2.465
	// ethnicity=afam   0.194  0.082   0.031   0.352
	// smsa=yes         0.087  0.052  -0.016   0.182
	// region=midwest   0.231  0.064   0.101   0.353
	// region=south     0.133  0.063   0.006   0.254
	// region=west      0.356  0.064   0.228   0.477
	// In the units of the data: log-odds for one unit more of the feature.
	// Levels of ethnicity are compared with cauc.
	// Levels of smsa are compared with no.
	// Levels of region are compared with northeast.
	//
	// region: χ² = 33 on 3 degrees of freedom
}
