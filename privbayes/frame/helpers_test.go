package frame

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// people is a schema with every kind of column.
func people() *Schema {
	city := Categorical("city", "Ulm", "Bern", "Other")
	city.OnOutOfDomain, city.Other = DomainOther, "Other"
	income := Real("income", 0, 1000, 2500, 5000)
	income.OnOutOfDomain = DomainClamp
	vote := Categorical("vote", "y", "n")
	vote.Missing, vote.OnMissing, vote.MissingCategory = []string{"?", ""}, MissingAsCategory, "unrecorded"
	age := Integer("age", 0, 18, 65, 120)
	age.Missing, age.OnMissing = []string{"NA", "999"}, MissingAsCategory
	trip := Column{Name: "trip", Kind: KindSequence, Categories: []string{"a", "b", "c"}, Separator: ">", MaxLength: 3}
	return &Schema{Dataset: "people", Columns: []Column{city, income, vote, age, trip}}
}

const peopleCSV = `city,income,vote,age,trip
Ulm,999.99,y,17,a>b
Bern,1000,n,18,
"Paris, TX",1e9,?,65,c>c>c
Ulm,-3,,120,a
Other,5000,y,999,b
Bern,0,n,NA,a>a
`

func mustRead(t testing.TB, csv string, s *Schema) *Frame {
	t.Helper()
	return must.Get(Read(context.Background(), strings.NewReader(csv), "t.csv", s))(t)
}

func codesOf(t testing.TB, f *Frame, name string) []int {
	t.Helper()
	c := must.Get(f.Codes(name))(t)
	out := make([]int, c.Len())
	for i := range out {
		out[i] = c.At(i)
	}
	return out
}

func sameFrame(a, b *Frame) bool {
	if a.n != b.n || !a.schema.Equal(b.schema) {
		return false
	}
	for k := range a.cols {
		x, y := a.cols[k], b.cols[k]
		for i := range a.n {
			if a.schema.Columns[k].Kind == KindSequence {
				if string16(x.seqs[i]) != string16(y.seqs[i]) {
					return false
				}
				continue
			}
			if x.codes.At(i) != y.codes.At(i) {
				return false
			}
			if x.values != nil && x.values.at(i) != y.values.at(i) &&
				(x.values.at(i) == x.values.at(i) || y.values.at(i) == y.values.at(i)) {
				return false
			}
		}
	}
	return true
}

func string16(s []uint16) string {
	r := make([]rune, len(s))
	for i, v := range s {
		r[i] = rune(v)
	}
	return string(r)
}

// typed reports whether err is, or wraps, an error of the type of want.
func typed(err, want error) bool {
	return errors.As(err, reflect.New(reflect.TypeOf(want)).Interface())
}
