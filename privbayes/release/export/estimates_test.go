package export_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
)

// A table has the numbers and the intervals that the release shows, to the last digit, so that shares add up; a release
// without intervals has its estimates.
func TestEstimates(t *testing.T) {
	for name, c := range map[string]struct {
		m       model.Model
		by      mechanism.Mechanism
		columns int
		shares  int // that add up to 1
	}{
		"shares":      {model.Categorical("b"), counts.Geometric(), 7, 3},
		"two-way":     {model.ContingencyTable("a", "b"), counts.Geometric(), 7, 6},
		"mean":        {model.Mean("u"), sums.New(), 7, 0},
		"no interval": {model.Binary("a"), posteriorsample.New(3), 3, 0},
	} {
		r := made(t, c.m, c.by, dp.PureDP(1))
		e, err := export.EstimatesOf(t.Context(), r, .9)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		list, _ := must.Get2(r.Numbers(t.Context(), .9))(t)
		lines := must.Get(csv.NewReader(strings.NewReader(e.CSV())).ReadAll())(t)
		if len(e.Columns) != c.columns || len(lines) != len(list)+1 || !slices.Equal(lines[0], e.Columns) {
			t.Errorf("%s: %q, %d lines of %d", name, e.Columns, len(lines), len(list))
			continue
		}
		sum := 0.
		for k, i := range list {
			x, err := strconv.ParseFloat(lines[k+1][2], 64)
			if err != nil || x != i.Estimate || lines[k+1][0] != i.Of || lines[k+1][1] != i.Label {
				t.Errorf("%s: %q, want %v", name, lines[k+1], i)
			}
			if k < c.shares {
				sum += x
			}
			if at := slices.Index(e.Columns, "rows_lower"); at > 0 && i.Rows != nil && e.Rows[k][at] != i.Rows.Lower {
				t.Errorf("%s: %v, want %v", name, e.Rows[k], i.Rows)
			}
		}
		if c.shares > 0 && math.Abs(sum-1) > 1e-12 { // rounded as they are shown they need not
			t.Errorf("%s: the shares add up to %v", name, sum)
		}
		var back export.Estimates
		must.Do(t, json.Unmarshal(must.Get(json.Marshal(e))(t), &back))
		if back.Guarantee != r.Guarantee() ||
			len(back.Rows) != len(list) || (e.How == "") != (c.columns == 3) {
			t.Errorf("%s: %+v", name, back)
		}
	}
	var refused *dp.ParameterError
	if _, err := export.EstimatesOf(t.Context(), nil, .9); !errors.As(err, &refused) {
		t.Error(err)
	}
	if _, err := export.EstimatesOf(t.Context(), made(t, model.Mean("u"), sums.New(), dp.PureDP(1)), 1); !errors.As(err,
		&refused) {
		t.Error(err)
	}
}
