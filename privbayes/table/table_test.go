package table_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1: "1", 435: "435", 0.1: "0.1", 0.123456: "0.1235", 1e-6: "1e-6",
		12340.6: "12341", 1234567: "1234567", 1.5e9: "1.5e9", math.Inf(1): "∞", math.Inf(-1): "-∞", -2.5: "-2.5"} {
		if got := table.Number(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	if table.Number(math.NaN()) != "NaN" {
		t.Error("NaN")
	}
}

func TestForms(t *testing.T) {
	tb := table.New("a <title>", "name|x", "n").Add("é & ü", 1.0).Add("long name", 12.25).Add("short").Note("a note")
	lines := strings.Split(tb.String(), "\n")
	if lines[3] != "é & ü          1" || lines[4] != "long name  12.25" {
		t.Errorf("text is not aligned:\n%s", tb)
	}
	d := xml.NewDecoder(strings.NewReader("<x>" + tb.HTML() + "</x>"))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, tb.HTML())
		}
	}
	if !strings.Contains(tb.HTML(), "&lt;title&gt;") {
		t.Error(tb.HTML())
	}
	if !strings.Contains(tb.Markdown(), `name\|x`) || !strings.Contains(tb.Markdown(), "---:|") {
		t.Error(tb.Markdown())
	}
	b, err := json.Marshal(tb)
	var back table.Table
	if err != nil || json.Unmarshal(b, &back) != nil || back.String() != tb.String() {
		t.Error("JSON changed the table", err)
	}
}

func ExampleTable() {
	fmt.Print(table.New("Shares", "party", "share").Add("democrat", 0.61379).Add("republican", 0.38621))
	// Output:
	// Shares
	// party        share
	// ----------  ------
	// democrat    0.6138
	// republican  0.3862
}

func ExampleCount() {
	fmt.Println(table.Count(1, "draw"), table.Count(2, "draw"), table.Count(int64(0), "case"))
	// Output: 1 draw 2 draws 0 cases
}

// The decimals of an estimate are those of two significant digits of its standard deviation.
func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		x, sd float64
		want  string
	}{{603.73, 1.005, "603.7 ± 1.0"}, {604, 1.005, "604.0 ± 1.0"}, {654.9, 8.455, "654.9 ± 8.5"},
		{.617773, .0462, "0.618 ± 0.046"}, {-15.33, 14.8, "-15 ± 15"}, {.5, .0996, "0.50 ± 0.10"},
		{-.0004, .046, "0.000 ± 0.046"}, {28155, 412.7, "28155 ± 413"}, {3, 0, "3 ± 0"}, {3, math.NaN(), "3 ± NaN"},
		{math.Inf(1), 1, "∞ ± 1.0"}} {
		d := table.Decimals(c.sd)
		if got := table.Fixed(c.x, d) + " ± " + table.Fixed(c.sd, d); got != c.want {
			t.Errorf("%v, %v: %s, want %s", c.x, c.sd, got, c.want)
		}
	}
}
