package eval

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// NumberScores are the scores of a linear regression on held-out rows, in the units of the response.
type NumberScores struct {
	N    int
	MSE  float64 // mean squared error of the predictive mean
	RMSE float64
	MAE  float64 // mean absolute error
	R2   float64 // 1 − MSE/variance of the held-out response; 0 if that does not vary

	// Predictive says that the model knows how far responses scatter; without it the rest is of the plane alone.
	Predictive bool
	Coverage   float64 // share of responses inside the 95 % interval mean ± 1.96 sd
	Width      float64 // mean width of that interval
	LogScore   float64 // mean log-density of the predictive normal, nats; only where Predictive
	forecast   forecast
}

// forecast is what a model says of every held-out row.
type forecast struct{ mean, sd, actual []float64 }

// z95 is the 97.5 % point of the standard normal.
const z95 = 1.959963984540054

// ScoreNumbers scores the forecasts of a fitted linear regression on held-out rows. Errors: *model.Error, *model.MismatchError, *InputError.
func ScoreNumbers(f *model.Fitted, test *frame.Frame) (*NumberScores, error) {
	mean, sd, err := f.Forecast(test)
	if err != nil {
		return nil, err
	}
	y, err := test.Values(f.Shape().Columns()[0].Name)
	if err != nil {
		return nil, err
	}
	s := &NumberScores{N: len(y), Predictive: f.KnowsResidual(), forecast: forecast{mean, sd, y}}
	if s.N == 0 {
		return nil, &InputError{"rows", "none", "at least one held-out row"}
	}
	n, centre, total := float64(s.N), 0.0, 0.0
	for _, v := range y {
		centre += v / n
	}
	for i, v := range y {
		e := v - mean[i]
		s.MSE += e * e / n
		s.MAE += math.Abs(e) / n
		s.Width += 2 * z95 * sd[i] / n
		total += (v - centre) * (v - centre) / n
		if math.Abs(e) <= z95*sd[i] {
			s.Coverage += 1 / n
		}
		if s.Predictive {
			s.LogScore -= (e*e/(sd[i]*sd[i])/2 + math.Log(sd[i]) + math.Log(2*math.Pi)/2) / n
		}
	}
	s.RMSE = math.Sqrt(s.MSE)
	if total > 0 {
		s.R2 = 1 - s.MSE/total
	}
	return s, nil
}

// RateScore is the mean log-density of held-out values under a rate model at the posterior mean θ of the rate, nats: κ ln θ − θT(x) + the
// law's constant. Values outside the public bounds count as the nearest bound. Errors: *model.Error, *model.MismatchError, *InputError.
func RateScore(f *model.Fitted, test *frame.Frame) (float64, error) {
	sh := f.Shape()
	statistic, _, _, power, ok := sh.RateStatistic()
	if !ok || f.Draws() == nil {
		return 0, &model.Error{Model: sh.Model().String(), Value: "not a rate", Want: "Exponential, LaplaceScale or NormalPrecision"}
	}
	if err := sh.Accepts(test); err != nil {
		return 0, err
	}
	c := sh.Columns()[0]
	values, err := test.Values(c.Name)
	if err != nil {
		return 0, err
	}
	if len(values) == 0 {
		return 0, &InputError{"rows", "none", "at least one held-out row"}
	}
	theta := f.Draws().Mean()[0]
	sum := 0.0
	for _, x := range values {
		sum += statistic(math.Min(math.Max(x, c.Min), c.Max))
	}
	constant := map[model.Kind]float64{model.KindLaplaceScale: -math.Ln2, model.KindNormalPrecision: -math.Log(2*math.Pi) / 2}[sh.Model().Kind]
	return power*math.Log(theta) - theta*sum/float64(len(values)) + constant, nil
}

// numberLoss is what comparisons of models of numbers are about: the held-out mean squared error of a regression, minus the mean
// log-density of a rate. Where n is private, no rows have the loss 0, as a refusal would tell that there are none.
func numberLoss(f *model.Fitted, test *frame.Frame) (float64, error) {
	if _, public := test.PublicN(); !public && test.Len() == 0 {
		return 0, nil
	}
	if f.Shape().Model().Kind == model.KindLinearRegression {
		s, err := ScoreNumbers(f, test)
		if err != nil {
			return 0, err
		}
		return s.MSE, nil
	}
	s, err := RateScore(f, test)
	return -s, err
}

// numberLossName names numberLoss.
func numberLossName(m model.Model) string {
	if m.Kind == model.KindLinearRegression {
		return "mean squared error"
	}
	return "−log-density (nats)"
}

// coverageAt is the share of held-out responses inside the central interval of a level.
func (f forecast) coverageAt(level float64) float64 {
	z, in := math.Sqrt2*math.Erfinv(level), 0
	for i, v := range f.actual {
		if math.Abs(v-f.mean[i]) <= z*f.sd[i] {
			in++
		}
	}
	return float64(in) / math.Max(1, float64(len(f.actual)))
}

// percent shows a share.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
