package regression_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// numbers lists the places of all numbers of a JSON value.
func numbers(v any, path []any, visit func(path []any)) {
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			numbers(c, append(path[:len(path):len(path)], k), visit)
		}
	case []any:
		for i, c := range x {
			numbers(c, append(path[:len(path):len(path)], i), visit)
		}
	case float64:
		visit(path)
	}
}

// replaced is a copy of v with another value at a place.
func replaced(v any, path []any, to any) any {
	if len(path) == 0 {
		return to
	}
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, c := range x {
			out[k] = c
		}
		out[path[0].(string)] = replaced(x[path[0].(string)], path[1:], to)
		return out
	case []any:
		out := append([]any(nil), x...)
		out[path[0].(int)] = replaced(x[path[0].(int)], path[1:], to)
		return out
	}
	return v
}

// paid are the statistics of classes that follow the years of school.
func paid(t *testing.T) *model.Statistics {
	t.Helper()
	var pay []string
	var school []float64
	for i := range 500 {
		pay, school = append(pay, []string{"low", "high"}[(i*7%19+i%19)/19]), append(school, float64(i%19))
	}
	s := &frame.Schema{Dataset: "pay", Columns: []frame.Column{frame.Categorical("pay", "low", "high"),
		frame.Real("school", 0, 9, 18)}}
	f, err := frame.FromColumns(s, map[string]any{"pay": pay, "school": school})
	if err != nil {
		t.Fatal(err)
	}
	sh, err := model.NewShape(s, model.LogisticRegression("pay", "school"), f.Len(), true, "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := model.Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A release file with any one of its numbers forged, however large, is refused or read, in time and without a panic:
// the post-processing of drawn numbers is total. Ten seconds are a thousand times what a file takes.
func TestForgedNumbers(t *testing.T) {
	line, classes := statistics(model.LinearRegression("wage", "school")), paid(t)
	for _, c := range []struct {
		m mechanism.Mechanism
		t dp.Request
	}{
		{regression.Sampler(2), dp.PureDP(2)}, {regression.Sampler(2).WithResidual(.1), dp.ApproxDP(1, 1e-6)},
		{regression.SufficientStatistics().Continuous(), dp.ApproxDP(1, 1e-6)},
		{regression.SufficientStatistics().Continuous().Plain(), dp.ZCDP(.1).Under(dp.AddRemove)},
		{regression.SufficientStatistics(), dp.ZCDP(.1)}, {regression.FisherScoring().Anyway(), dp.ApproxDP(1, 1e-6)},
	} {
		st := line
		if c.m.Supports(line.Shape()) != nil {
			st = classes
		}
		p, err := c.m.Plan(t.Context(), st.Shape(), c.t)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(5))
		if err != nil {
			t.Fatal(err)
		}
		r, err := release.New(t.Context(), p, d)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		forged, accepted := 0, 0
		numbers(map[string]any{"plan": file["plan"], "draw": file["draw"]}, nil, func(path []any) {
			for k, v := range []float64{0, -1, 1e18, 1e308, -1e308} {
				if testing.Short() && (forged+k)%4 > 0 {
					forged++
					continue
				}
				b, err := json.Marshal(replaced(file, path, v))
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() {
					defer func() {
						if x := recover(); x != nil {
							done <- fmt.Errorf("panic: %v", x)
						}
					}()
					_, err := release.Parse(t.Context(), b)
					var file *release.FileError
					if err != nil && !errors.As(err, &file) {
						err = fmt.Errorf("panic or untyped: %w", err)
					} else {
						if err == nil {
							accepted++
						}
						err = nil
					}
					done <- err
				}()
				select {
				case err := <-done:
					if err != nil {
						t.Errorf("%s, %v = %g: %v", p.Title(), path, v, err)
					}
				case <-time.After(10 * time.Second):
					t.Fatalf("%s, %v = %g: still at work", p.Title(), path, v)
				}
				forged++
			}
		})
		most := forged / 10
		if c.m.Name() == regression.ScoringKind { // a sum of a step in between decides the next point, which is public
			most = forged / 4
		}
		if forged < 50 || accepted > most {
			t.Errorf("%s: %d of %d forged files read", p.Title(), accepted, forged)
		}
	}
}
