package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Dates are text in JSON, also those that are numbers without their zeros and marks.
func TestDatesForPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, layout := range []string{"02012006", "060102", "02_01_2006"} {
		edges := []string{}
		for month := time.January; month <= time.March; month++ {
			edges = append(edges, time.Date(2009, month, 1, 0, 0, 0, 0, time.UTC).Format(layout))
		}
		must.Do(t, os.WriteFile("s.json", fmt.Appendf(nil, `{"dataset": "d", "columns": [{"name": "day", "kind": "integer",
			"date": %q, "date_edges": [%q, %q, %q]}]}`, layout, edges[0], edges[1], edges[2]), 0o600))
		must.Do(t, os.WriteFile("t.csv", []byte("day\n"+strings.Repeat(edges[0]+"\n"+edges[1]+"\n", 50)), 0o600))
		name := fmt.Sprint(i, ".json")
		mustCall(t, "release", "--schema", "s.json", "--data", "t.csv", "--target", "day", "--epsilon", "9", "--out", name)
		var j recordsJSON
		must.Do(t, json.Unmarshal([]byte(mustCall(t, "synthesize", name, "--rows", "30", "--json")), &j))
		for _, row := range j.Rows {
			text, ok := row[0].(string)
			if _, err := time.Parse(layout, text); !ok || err != nil {
				t.Fatalf("%s: %v", layout, row)
			}
		}
	}
}

// Predictions and synthetic records as JSON are those of the CSV, with numbers as numbers and missing values as null.
func TestRecordsForPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--schema", columnsFile("schema.json"), "--data", columnsFile("table.parquet"), "--target",
		"answer", "--epsilon", "1", "--seed", "1", "--out", "r.json")
	code, plain, _ := call("synthesize", "r.json", "--rows", "60", "--seed", "2")
	var j recordsJSON
	_, out, _ := call("synthesize", "r.json", "--rows", "60", "--seed", "2", "--json")
	must.Do(t, json.Unmarshal([]byte(out), &j))
	want := must.Get(csv.NewReader(strings.NewReader(plain)).ReadAll())(t)
	if code != exitDone || len(j.Rows) != 60 || fmt.Sprint(j.Columns) != fmt.Sprint(want[0]) {
		t.Fatal(code, j.Columns, want[0])
	}
	missing := 0
	for i, row := range j.Rows {
		for k, x := range row {
			kind, number := j.Columns[k], false
			switch x := x.(type) {
			case nil:
				missing++
				number = kind != "answer"
				row[k] = ""
			case float64:
				number = true
				row[k] = must.Get(json.Marshal(x))(t)
			}
			if number != (kind == "age" || kind == "wage") {
				t.Fatalf("%s is %v", kind, x)
			}
		}
		if got := fmt.Sprintf("%s", row); got != fmt.Sprint(want[i+1]) {
			t.Fatalf("record %d is %s, want %v", i, got, want[i+1])
		}
	}
	if missing == 0 {
		t.Error("no value is missing")
	}
	var p predicted
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "predict", "r.json", "--data", columnsFile("table.csv"),
		"--json")), &p))
	plain = mustCall(t, "predict", "r.json", "--data", columnsFile("stream.arrow"))
	want = must.Get(csv.NewReader(strings.NewReader(plain)).ReadAll())(t)
	if len(p.Class) != 60 || len(want) != 61 || len(p.Levels) != 3 {
		t.Fatalf("%d predictions and %d lines", len(p.Class), len(want))
	}
	for i, class := range p.Class {
		shown, err := strconv.ParseFloat(want[i+1][2], 64)
		if off := math.Abs(shown - float64(p.P[i][1])); class != want[i+1][0] || err != nil || off > 5e-5 || shown == 0 ||
			shown == 1 || len(want[i+1][2]) < 6 {
			t.Errorf("row %d: %s %v, want %v", i, class, p.P[i], want[i+1])
		}
	}
}
