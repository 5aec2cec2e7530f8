package privbayes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
)

// twoVotes releases two questions by party.
func twoVotes() (*privbayes.Privatized, *privbayes.Frame) {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	return train.Model(privbayes.NaiveBayes("Class", "V3", "V4")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.2), privbayes.Seeded(1)), test
}

func Example_compareShares() {
	private, _ := twoVotes()
	p, err := private.NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	yes, err := p.ByClass("V3", "y")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(eval.CompareShares(p, privbayes.ReadFrame(data.Votes()).Data(), yes...))
	// Output:
	// Released probabilities next to the rows (private: do not publish)
	// P(V3 = y), given  released           95 %  in the rows
	// ----------------  --------  -------------  -----------
	// democrat            0.7909  0.563 – 0.946       0.8652
	// republican          0.2195  0.011 – 0.538        0.131
	// The intervals include the noise of the release.
	// Geometric noise on counts, ε = 0.2, replace-one, "votes", n = 305; seeded: not private
	//  <nil>
}

func Example_compareReports() {
	private, test := twoVotes()
	report, err := private.Evaluate(test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(eval.CompareReports([]string{"noise on counts, ε = 0.2"}, report))
	// Output:
	// On 130 held-out rows (private: do not publish)
	// model                     accuracy     AUC  cross-entropy, nats  calibration error
	// ------------------------  --------  ------  -------------------  -----------------
	// noise on counts, ε = 0.2    0.9538  0.9762               0.1671            0.02694
	// without privacy             0.9462  0.9762               0.1636            0.02924
	// always the majority         0.6077
	//  <nil>
}

// The shares in the rows are those that are counted, of features by class and of the target.
func TestCompareShares(t *testing.T) {
	private, _ := twoVotes()
	p := must.Get(private.NoiseAware())(t)
	rows := privbayes.ReadFrame(data.Votes()).Data()
	party := must.Get(rows.CountPrivate("Class"))(t)
	both := must.Get(rows.CountPrivate("Class", "V4"))(t)
	levels := len(both) / len(party)
	for class := range party {
		q := p.Parameters()[class]
		s, err := eval.CompareShares(p, rows, q)
		if want := float64(party[class]) / 435; err != nil || s.InRows[0] != want || len(s.Rows) != 1 {
			t.Errorf("%v, want %g, %v", s, want, err)
		}
	}
	for level, name := range []string{"n", "y"} {
		params := must.Get(p.ByClass("V4", name))(t)
		s := must.Get(eval.CompareShares(p, rows, params...))(t)
		for class := range party {
			sum := int64(0)
			for _, n := range both[class*levels : (class+1)*levels] {
				sum += n
			}
			_, c, l := params[class].Place()
			want := float64(both[class*levels+l]) / float64(sum)
			if s.InRows[class] != want || c != class || params[class].Label != name {
				t.Errorf("level %d, class %d: %g, want %g", level, class, s.InRows[class], want)
			}
		}
	}
	var e *dp.ParameterError
	if _, err := eval.CompareShares(nil, rows); !errors.As(err, &e) {
		t.Error(err)
	}
}

// Reports keep their scores side by side; those of other models or other rows are refused.
func TestCompareReports(t *testing.T) {
	private, test := twoVotes()
	report := must.Get(private.Evaluate(test))(t)
	r, err := eval.CompareReports([]string{"a", "b"}, report, report)
	if err != nil || len(r.Table().Rows) != 4 {
		t.Fatalf("%v, %v", r, err)
	}
	if c := r.Figure().Caption; !strings.Contains(c, "held-out rows. ") ||
		strings.Count(c, "replace-one") != 1 || strings.Count(c, "ε = 0.2,") != 1 {
		t.Errorf("the figure's caption is %q", c)
	}
	if f := r.Figure(); !f.Private || f.Rows[1].Marks[0].At != report.Private.Accuracy ||
		f.Reference.Y != report.NonPrivate.Accuracy {
		t.Errorf("%v", f)
	}
	train, _ := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	one := must.Get(train.Model(privbayes.Binary("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Evaluate(test))(t)
	var e *dp.ParameterError
	for _, c := range []struct {
		names   []string
		reports []*eval.Report
	}{{nil, nil}, {[]string{"a"}, []*eval.Report{report, report}}, {[]string{"a", "b"}, []*eval.Report{report, one}},
		{[]string{"a"}, []*eval.Report{nil}}} {
		if _, err := eval.CompareReports(c.names, c.reports...); !errors.As(err, &e) {
			t.Errorf("%v: %v", c.names, err)
		}
	}
}
