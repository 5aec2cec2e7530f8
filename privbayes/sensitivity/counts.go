// Package sensitivity says how far one unit can move what a mechanism measures.
//
// Sensitivities here are public: functions of the model's structure and the adjacency, never of data.
package sensitivity

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// CountTables is the sensitivity of releasing every measured count of a model's tables.
type CountTables struct {
	Cells int // counts that one row changes, by one each
	Rows  int // rows of one unit; all may change the same counts
}

// L1 is the ℓ₁ sensitivity, Cells·Rows.
func (c CountTables) L1() int { return c.Cells * c.Rows }

// L2Squared is the squared ℓ₂ sensitivity, Cells·Rows².
func (c CountTables) L2Squared() int { return c.Cells * c.Rows * c.Rows }

// AdjacencyError says that a shape cannot be released under an adjacency.
type AdjacencyError struct {
	Adjacency dp.Adjacency
	Model     string
	Step      string // the step that made n private, if that is the reason
	Want      string
}

func (e *AdjacencyError) Error() string {
	s := fmt.Sprintf("sensitivity: %s under %s adjacency", e.Model, e.Adjacency)
	if e.Step != "" {
		s += fmt.Sprintf(": n is private since %s", e.Step)
	}
	return s + "; want " + e.Want
}

// Is makes errors.Is(err, frame.ErrPrivateN) true where a private n is the reason.
func (e *AdjacencyError) Is(target error) bool { return target == frame.ErrPrivateN && e.Step != "" }

// Measured lists how many leading cells of each table are measured. It is all of them, except that of a single table with two
// cells and public n one count says everything: the other is n minus it, and the sensitivity halves.
func Measured(sh *model.Shape, adj dp.Adjacency) []int {
	tables := sh.Tables()
	out := make([]int, len(tables))
	_, public := sh.N()
	for i, t := range tables {
		out[i] = t.Cells()
		if sh.Model().Kind != model.KindNaiveBayes && out[i] == 2 && public && adj.PublicN() {
			out[i] = 1
		}
	}
	return out
}

// OfCounts is the sensitivity of the measured counts, by structure:
//
//	replace-one    a replaced row leaves one cell and enters another of every table: 2 per table (1 where one count is measured)
//	add-remove     one cell of every table: 1 per table
//	replace-value  one feature's value: 2 in that feature's table, 0 elsewhere; the class stays
//
// The class table of naive Bayes is not measured: it is a margin of the others. Errors: *AdjacencyError.
func OfCounts(sh *model.Shape, adj dp.Adjacency) (CountTables, error) {
	_, rows := sh.Unit()
	_, public := sh.N()
	if adj.PublicN() && !public {
		return CountTables{}, &AdjacencyError{adj, sh.Model().String(), sh.PrivateNStep(), "add-remove adjacency, under which n is private"}
	}
	c := CountTables{Rows: rows}
	for _, m := range Measured(sh, adj) {
		switch adj {
		case dp.ReplaceOne:
			c.Cells += min(m, 2)
		case dp.AddRemove:
			c.Cells++
		case dp.ReplaceValue:
			c.Cells = 2
			if sh.Model().Kind != model.KindNaiveBayes {
				c.Cells = min(m, 2)
			}
		default:
			return CountTables{}, &AdjacencyError{adj, sh.Model().String(), "", "replace-one, add-remove or replace-value"}
		}
	}
	return c, nil
}

// Structure is the public input of the enumeration check: levels of class and features, adjacency, and whether n is public.
type Structure struct {
	Target    int          `json:"target"`
	Features  []int        `json:"features,omitempty"`
	Adjacency dp.Adjacency `json:"adjacency"`
	PublicN   bool         `json:"public_n"`
}

// StructureOf reads the structure of a shape.
func StructureOf(sh *model.Shape, adj dp.Adjacency) Structure {
	_, public := sh.N()
	s := Structure{Target: sh.Classes(), Adjacency: adj, PublicN: public}
	for _, c := range sh.Columns()[1:] {
		s.Features = append(s.Features, c.Levels())
	}
	return s
}

// Records is the number of different rows the structure allows.
func (s Structure) Records() float64 {
	r := float64(s.Target)
	for _, f := range s.Features {
		r *= float64(f)
	}
	return r
}

// Reduced is the largest structure of the same form, made by dropping levels and then features, with at most limit pairs of
// records. More levels add no new way for a row to change a table, so the reduced check still visits every way.
func (s Structure) Reduced(limit float64) Structure {
	r := s
	r.Features = append([]int(nil), s.Features...)
	for r.Records()*r.Records() > limit {
		widest, at := r.Target, -1
		for i, f := range r.Features {
			if f > widest {
				widest, at = f, i
			}
		}
		switch {
		case widest > 2 && at < 0:
			r.Target--
		case widest > 2:
			r.Features[at]--
		default:
			r.Features = r.Features[:len(r.Features)-1]
		}
	}
	return r
}

// EnumerationKind is the checker that finds the greatest number of counts one replaced, added or removed row changes, by visiting
// every pair of rows of a Structure.
const EnumerationKind = "sensitivity/counts"

func init() {
	cert.Register(EnumerationKind, func(ctx context.Context, params json.RawMessage) (cert.Outcome, error) {
		var s Structure
		if err := json.Unmarshal(params, &s); err != nil {
			return cert.Outcome{}, fmt.Errorf("%s: %w", EnumerationKind, err)
		}
		if s.Target < 2 {
			return cert.Outcome{}, fmt.Errorf("%s: %d levels of the target; want at least 2", EnumerationKind, s.Target)
		}
		for _, f := range s.Features {
			if f < 1 {
				return cert.Outcome{}, fmt.Errorf("%s: a feature with %d levels; want at least 1", EnumerationKind, f)
			}
		}
		return enumerate(ctx, s)
	})
}

// enumerate codes rows in mixed radix and counts changed cells of every pair.
func enumerate(ctx context.Context, s Structure) (cert.Outcome, error) {
	r := s.Records()
	if s.Adjacency == dp.AddRemove {
		// a row enters one cell of every table, whatever it is
		return cert.Outcome{Value: float64(max(len(s.Features), 1)), Method: cert.Enumeration, Work: int64(math.Min(r, 1e18))}, nil
	}
	if r*r > float64(cert.WorkLimit(ctx)) {
		return cert.Outcome{}, cert.ErrWorkLimit
	}
	n := int(r)
	rows := make([][]int, n)
	for i := range rows {
		row, rest := make([]int, 1+len(s.Features)), i
		row[0], rest = rest%s.Target, rest/s.Target
		for k, f := range s.Features {
			row[k+1], rest = rest%f, rest/f
		}
		rows[i] = row
	}
	single := len(s.Features) == 0 && s.Target == 2 && s.PublicN
	worst := 0
	for i, a := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
		for _, b := range rows {
			if s.Adjacency == dp.ReplaceValue && !oneFeature(a, b) {
				continue
			}
			worst = max(worst, changed(a, b, single))
		}
	}
	return cert.Outcome{Value: float64(worst), Method: cert.Enumeration, Work: int64(n) * int64(n)}, nil
}

// changed counts the measured cells whose count differs when row a is replaced by row b.
func changed(a, b []int, single bool) int {
	if len(a) == 1 {
		switch {
		case a[0] == b[0]:
			return 0
		case single:
			return 1
		default:
			return 2
		}
	}
	c := 0
	for k := 1; k < len(a); k++ {
		if a[0] != b[0] || a[k] != b[k] {
			c += 2
		}
	}
	return c
}

// oneFeature reports whether b differs from a in one value, which is a feature where there are features.
func oneFeature(a, b []int) bool {
	if len(a) == 1 {
		return a[0] != b[0]
	}
	diff := 0
	for k := 1; k < len(a); k++ {
		if a[k] != b[k] {
			diff++
		}
	}
	return a[0] == b[0] && diff == 1
}
