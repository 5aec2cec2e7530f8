package posterior_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

func ExampleNewBeta() {
	_, err := posterior.NewBeta(1, -2)
	var bad *domain.Error
	fmt.Println(errors.As(err, &bad), err)
	// Output: true posterior: Beta: b = -2; want a finite number > 0
}

func ExampleBeta_Mean() {
	b := posterior.Beta{A: 8, B: 4}
	fmt.Printf("%.4f ± %.4f, variance %.5f\n", b.Mean(), b.SD(), b.Variance())
	// Output: 0.6667 ± 0.1307, variance 0.01709
}

func ExampleBeta_LogDensity() {
	fmt.Printf("%.4f\n", math.Exp(posterior.Beta{A: 8, B: 4}.LogDensity(0.7)))
	// Output: 2.9351
}

func ExampleBeta_Quantile() {
	b := posterior.Beta{A: 8, B: 4}
	median := b.Quantile(0.5)
	fmt.Printf("%.4f %.4f\n", median, b.CDF(median))
	// Output: 0.6762 0.5000
}

func ExampleBeta_CredibleInterval() {
	lower, upper := posterior.Beta{A: 8, B: 4}.CredibleInterval(0.9)
	fmt.Printf("%.4f to %.4f\n", lower, upper)
	// Output: 0.4356 to 0.8649
}

func ExampleNewDirichlet() {
	d, _ := posterior.NewDirichlet([]float64{1, 1, 2})
	fmt.Println(d.Dim(), d.Alpha(), d.Mean())
	// Output: 3 [1 1 2] [0.25 0.25 0.5]
}

func ExampleDirichlet_Update() {
	prior, _ := posterior.NewDirichlet([]float64{1, 1, 1})
	after, _ := prior.Update([]float64{4, 0, 2})
	fmt.Println(after.Alpha())
	_, err := prior.Update([]float64{4, 0})
	fmt.Println(err)
	// Output:
	// [5 1 3]
	// posterior: Dirichlet: number of counts = 2; want 3
}

func ExampleDirichlet_Variance() {
	d, _ := posterior.NewDirichlet([]float64{5, 1, 3})
	fmt.Printf("%.4f\n", d.Variance())
	// Output: [0.0247 0.0099 0.0222]
}

func ExampleDirichlet_LogDensity() {
	d, _ := posterior.NewDirichlet([]float64{1, 1, 1})
	fmt.Printf("%.4f\n", math.Exp(d.LogDensity([]float64{0.2, 0.3, 0.5})))
	// Output: 2.0000
}

func ExampleDirichlet_Marginal() {
	d, _ := posterior.NewDirichlet([]float64{5, 1, 3})
	fmt.Println(d.Marginal(0))
	// Output: {5 4}
}

func ExampleDirichlet_CredibleInterval() {
	d, _ := posterior.NewDirichlet([]float64{50, 10, 30})
	lower, upper := d.CredibleInterval(0.95)
	fmt.Printf("%.3f\n%.3f\n", lower, upper)
	// Output:
	// [0.453 0.055 0.240]
	// [0.656 0.183 0.433]
}

func ExampleDirichlet_Summary() {
	d, _ := posterior.NewDirichlet([]float64{50, 10, 30})
	fmt.Print(d.Summary("good", "bad", "unknown"))
	// Output:
	// Posterior
	// component    mean       sd  95% from      to
	// ---------  ------  -------  --------  ------
	// good       0.5556  0.05209    0.4525  0.6562
	// bad        0.1111  0.03294   0.05521  0.1833
	// unknown    0.3333  0.04942    0.2403  0.4334
}

func ExampleDirichlet_Sample() {
	d, _ := posterior.NewDirichlet([]float64{1e-4, 1e-4, 1e-4})
	sum := 0.0
	for _, x := range d.Sample(rand.NewPCG(1, 2)) {
		sum += x
	}
	fmt.Printf("%.6f\n", sum)
	// Output: 1.000000
}

func ExampleDirichlet_LogSample() {
	d, _ := posterior.NewDirichlet([]float64{1e-4, 1e-4})
	l := d.LogSample(rand.NewPCG(1, 2))
	fmt.Println(!math.IsInf(l[0], 0), !math.IsInf(l[1], 0))
	// Output: true true
}

func ExampleKL() {
	fmt.Printf("%.4f\n", posterior.KL(posterior.Beta{A: 2, B: 3}, posterior.Beta{A: 3, B: 2}))
	// Output: 0.5000
}

// One record in a billion moved: differences of log-gammas answer 0 here.
func ExampleHellinger() {
	p, _ := posterior.NewDirichlet([]float64{500000001, 500000001})
	q, _ := posterior.NewDirichlet([]float64{500000002, 500000000})
	fmt.Printf("%.12g\n", posterior.Hellinger(p, q))
	// Output: 2.2360679761e-05
}

func ExampleRenyi() {
	p, q := posterior.Beta{A: 4, B: 2}, posterior.Beta{A: 2, B: 5}
	fmt.Printf("%.4f %.4f\n", posterior.Renyi(0.5, p, q), posterior.Renyi(2, p, q))
	// Output:
	// 1.1400 +Inf
}

func ExampleSummary_Table() {
	d, _ := posterior.NewDirichlet([]float64{50, 10})
	fmt.Print(d.Summary().Table().Markdown())
	// Output:
	// **Posterior**
	//
	// | component | mean | sd | 95% from | to |
	// |---:|---:|---:|---:|---:|
	// | 0 | 0.8333 | 0.04772 | 0.7301 | 0.9156 |
	// | 1 | 0.1667 | 0.04772 | 0.08439 | 0.2699 |
}

func ExampleBeta_CDF() {
	fmt.Printf("%.4f\n", posterior.Beta{A: 1, B: 2}.CDF(0.5))
	// Output: 0.7500
}
