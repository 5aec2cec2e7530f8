package privbayes_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Every mechanism goes the whole way: plan, draw, keep, load, verify, evaluate, summarise, predict, synthesise, save.
func TestEveryMechanismGoesTheWholeWay(t *testing.T) {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	approximate, pure := privbayes.ApproxDP(2, 1e-6), privbayes.PureDP(2)
	wages, rest := privbayes.ReadFrame(data.CPS1988()).Split(0.1, 1)
	cases := []struct {
		name        string
		train, test *privbayes.Frame
		model       privbayes.ModelSpec
		mechanism   privbayes.Mechanism
		target      privbayes.Target
	}{
		{"Dirichlet", train, test, privbayes.NaiveBayes("Class"), privbayes.Dirichlet(), approximate},
		{"Dirichlet raw", train, test, privbayes.NaiveBayes("Class"), privbayes.Dirichlet().Raw(), approximate},
		{"synthetic records", train, test, privbayes.NaiveBayes("Class", "V3", "V4"), privbayes.SyntheticRecords(300),
			approximate},
		{"MAP", train, test, privbayes.NaiveBayes("Class", "V3", "V4"), privbayes.MAP(), pure},
		{"MAP of one column", train, test, privbayes.Binary("Class"), privbayes.MAP(), pure},
		{"posterior sample", train, test, privbayes.NaiveBayes("Class", "V3"), privbayes.PosteriorSample(3), pure},
		{"posterior sample of one column", train, test, privbayes.Binary("Class"), privbayes.PosteriorSample(3), pure},
		{"posterior sample of a network", train, test,
			privbayes.Network("Class", privbayes.Node("Class"), privbayes.Node("V3", "Class")),
			privbayes.PosteriorSample(1), pure},
		{"posterior sample of a rate", wages, rest, privbayes.Exponential("wage").WithRange(1e-4, 1e-2),
			privbayes.PosteriorSample(2), privbayes.PureDP(20)},
		{"noisy sum", wages, rest, privbayes.Mean("wage"), privbayes.NoisySums(), pure},
		{"noisy sums", wages, rest, privbayes.Means("wage", "education"), privbayes.NoisySums(), approximate},
		{"noisy sums of groups", wages, rest, privbayes.GroupMeans("wage", "region"), privbayes.NoisySums(), pure},
		{"noisy sums of squares", wages, rest, privbayes.MeanSD("education"), privbayes.NoisySums(), pure},
		{"noisy sum of counts", wages, rest, privbayes.Poisson("education"), privbayes.NoisySums(), pure},
		{"noisy sum of a rate", wages, rest, privbayes.Exponential("wage").WithRange(1e-4, 1e-2), privbayes.NoisySums(),
			pure},
		{"linear sampler", wages, rest, privbayes.LinearRegression("wage", "education", "experience"),
			privbayes.LinearSampler(2), pure},
		{"noisy moments", wages, rest, privbayes.LinearRegression("wage", "education", "experience"),
			privbayes.SufficientStatistics(), approximate},
		{"noisy moments of classes", wages, rest, privbayes.LogisticRegression("smsa", "wage", "education", "region"),
			privbayes.SufficientStatistics(), pure},
		{"Fisher scoring", wages, rest, privbayes.LogisticRegression("smsa", "education", "region"),
			privbayes.FisherScoring(), approximate},
		{"Fisher scoring of a formula", wages, rest, privbayes.Logistic("smsa ~ education*ethnicity"),
			privbayes.FisherScoring(), approximate},
		{"Fisher scoring of counts", wages, rest, privbayes.PoissonRegression("education ~ experience + smsa"),
			privbayes.FisherScoring(), approximate},
		{"noisy table of a regression", wages, rest, privbayes.LogisticRegression("smsa", "ethnicity", "region"),
			privbayes.ContingencyTable(), pure},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.release.json")
			p := c.train.Model(c.model).Privatize(c.mechanism, c.target, privbayes.KeepIn(path), privbayes.Seeded(1))
			r := must.Get(p.Release())(t)
			again := c.train.Model(c.model).Privatize(c.mechanism, c.target, privbayes.KeepIn(path),
				privbayes.Seeded(1))
			if err := again.Err(); err != nil || !again.Loaded() {
				t.Fatal("the kept release is not loaded:", err)
			}
			loaded, err := again.Release()
			if err != nil || !reflect.DeepEqual(loaded.Raw(), r.Raw()) || !reflect.DeepEqual(loaded.Real(), r.Real()) ||
				len(r.Raw())+len(r.Real()) == 0 {
				t.Error("what was drawn is not what was kept", err)
			}
			v, err := release.Verify(t.Context(), path)
			if err != nil || !v.OK() {
				t.Errorf("%v %v", v, err)
			}
			if !r.Plan().Certified().Satisfies(dp.Parameters(c.target.Parameters)) {
				t.Error(r.Plan().Certified())
			}
			report, err := p.Evaluate(c.test)
			if err != nil {
				t.Fatal("Evaluate:", err)
			}
			for _, s := range []string{report.String(), report.HTML(), p.String(), table.HTML(p), r.Summary().String(),
				r.String(), r.Caption()} {
				if s == "" || strings.Contains(s, "%!") || strings.Contains(s, "NaN") {
					t.Errorf("shown as %.300q", s)
				}
			}
			for _, f := range report.Figures() {
				if err := f.Validate(); err != nil {
					t.Error(err)
				}
			}
			if f, err := p.PosteriorFigure(); err == nil {
				if err := f.Validate(); err != nil {
					t.Error(err)
				}
			}
			counts := r.Plan().Shape().Counts()
			if _, err := r.Predict(c.test.Data()); err != nil && counts {
				t.Error("Predict:", err)
			}
			if _, err := r.Synthesize(5, dp.Seeded(2)); err != nil && counts {
				t.Error("Synthesize:", err)
			}
			if s := c.train.Model(c.model).String(); s == "" {
				t.Error("an empty model")
			}
		})
	}
}

// Mechanisms for count tables refuse models of numbers, with a typed error that says what to use.
func TestCountMechanismsRefuseNumbers(t *testing.T) {
	wages := privbayes.ReadFrame(data.CPS1988())
	for _, m := range []privbayes.Mechanism{
		privbayes.Geometric(), privbayes.DiscreteGaussian(), privbayes.KNorm(), privbayes.Laplace(),
		privbayes.Hellinger(), privbayes.Fourier(),
		privbayes.Dirichlet(), privbayes.Dirichlet().BySize(), privbayes.SyntheticRecords(10), privbayes.MAP(),
		privbayes.Consistent(),
	} {
		for _, spec := range []privbayes.ModelSpec{privbayes.LinearRegression("wage", "education"),
			privbayes.LogisticRegression("smsa", "wage"),
			privbayes.Exponential("wage").WithRange(1e-4, 1e-2)} {
			err := wages.Model(spec).Privatize(m, privbayes.ApproxDP(1, 1e-6)).Err()
			var no *mechanism.UnsupportedError
			if !errors.As(err, &no) {
				t.Errorf("%s on %s: %v", m.Title(), spec, err)
			}
		}
	}
}

// The picture of a report that may be published shows the intervals of the release: none of a posterior sample, whose
// prior decides, and with the noise where it is known.
func TestPublicPictures(t *testing.T) {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	for _, c := range []struct {
		mechanism privbayes.Mechanism
		pictures  int
		says      string
	}{{privbayes.PosteriorSample(40), 0, "No interval is shown"},
		{privbayes.Geometric(), 1, "interval of the population"}} {
		report := must.Get(train.Model(privbayes.Table("Class", "V3")).
			Privatize(c.mechanism, privbayes.PureDP(1), privbayes.Seeded(1)).Evaluate(test))(t)
		path := filepath.Join(t.TempDir(), "r.html")
		must.Do(t, report.SavePublic(path))
		b, err := os.ReadFile(path)
		if n := strings.Count(string(b), "data:image/svg+xml"); err != nil || n != c.pictures ||
			!strings.Contains(string(b), c.says) {
			t.Errorf("%s: %d pictures, %v", c.mechanism.Title(), n, err)
		}
	}
}

// What a refusal names does support the model that was refused.
func TestRefusalsNameMechanismsOfTheModel(t *testing.T) {
	f := privbayes.ReadFrame(data.CPS1988())
	named := map[string]privbayes.Mechanism{"NoisySums()": privbayes.NoisySums(),
		"LinearSampler(N)":       privbayes.LinearSampler(2),
		"SufficientStatistics()": privbayes.SufficientStatistics(), "FisherScoring()": privbayes.FisherScoring(),
		"ContingencyTable()": privbayes.ContingencyTable(), "QuantileEM()": privbayes.QuantileEM(),
		"JointQuantiles()": privbayes.JointQuantiles()}
	for _, m := range []privbayes.ModelSpec{privbayes.Mean("wage"), privbayes.Means("wage", "education"),
		privbayes.MeanSD("wage"), privbayes.GroupMeans("wage", "region"), privbayes.Poisson("education"),
		privbayes.Exponential("wage").WithRange(1e-4, 1e-2), privbayes.Quantiles("wage", .5),
		privbayes.LinearRegression("wage", "education"),
		privbayes.LogisticRegression("smsa", "region"), privbayes.Linear("wage ~ education"),
		privbayes.Logistic("smsa ~ region"), privbayes.PoissonRegression("education ~ smsa")} {
		for _, by := range []privbayes.Mechanism{privbayes.Geometric(), privbayes.DiscreteGaussian(), privbayes.Dirichlet()} {
			var refused *mechanism.UnsupportedError
			if err := f.Model(m).Privatize(by, privbayes.ApproxDP(1, 1e-6)).Err(); !errors.As(err, &refused) {
				t.Fatalf("%T, %T: %v", m, by, err)
			}
			n := 0
			for name, of := range named {
				if strings.Contains(refused.Use, name) {
					n++
					if _, err := f.Model(m).Plan(of, privbayes.ApproxDP(1, 1e-6)); errors.As(err, &refused) {
						t.Errorf("%v names %s: %v", m, name, err)
					}
				}
			}
			if n == 0 || n != strings.Count(refused.Use, "(") {
				t.Errorf("%v: %q has %d names of the list", m, refused.Use, n)
			}
		}
	}
}
