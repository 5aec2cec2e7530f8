package sqltests

import (
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// A whole number in a column of dates is read by the dates' layout, as the text in a file is, and no value like an
// empty field.
func TestDatesAndNothingMeanWhatAFileMeans(t *testing.T) {
	db := sqlite(t)
	d := frame.Date("d", "20060102", "20200101", "20230101", "20260101")
	d.OnOutOfDomain = frame.DomainClamp
	c := frame.Categorical("c", "a", "rest")
	c.OnOutOfDomain, c.Other = frame.DomainOther, "rest"
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{d, c}}
	exec(t, db, "CREATE TABLE v (d integer, c text)")
	exec(t, db, "INSERT INTO v VALUES (20210505, 'a'), (20240505, NULL), (20190101, 'b')")
	f, err := frame.Read(t.Context(), strings.NewReader("d,c\n20210505,a\n20240505,\n20190101,b\n"), "t.csv", s)
	if err != nil {
		t.Fatal(err)
	}
	sh, err := model.NewShape(s, model.NaiveBayes("c"), 3, true, "")
	if err != nil {
		t.Fatal(err)
	}
	want, err := source.OfFrame(f).Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range ways(sqlsource.New(db, sqlsource.SQLite, s, "v")) {
		got, err := src.Statistics(t.Context(), sh)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !sourcetest.Equal(got, want) {
			t.Errorf("%s: other counts than of the file", name)
		}
	}
}

// A table without rows has no spread, which the plan says before anything is charged.
func TestNoRowsNoSpread(t *testing.T) {
	db := sqlite(t)
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Real("x", 0, 10)}}
	exec(t, db, "CREATE TABLE v (x real)")
	_, err := privbayes.From(t.Context(), sqlsource.New(db, sqlsource.SQLite, s, "v")).Model(privbayes.MeanSD("x")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	var e *mechanism.UnsupportedError
	if !errors.As(err, &e) {
		t.Errorf("%v, want a *mechanism.UnsupportedError", err)
	}
}
