package linked

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// run: LINKED_POINT='{"Households":..}' LINKED_FROM=0 LINKED_RUNS=3
func TestScratch(t *testing.T) {
	var points []struct {
		Point
		Runs int
	}
	if os.Getenv("LINKED_POINTS") == "" {
		t.Skip()
	}
	if err := json.Unmarshal([]byte(os.Getenv("LINKED_POINTS")), &points); err != nil {
		t.Fatal(err)
	}
	out, _ := os.OpenFile(os.Getenv("LINKED_OUT"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	for _, p := range points {
		for i := range p.Runs {
			start := time.Now()
			p.Run = i
			c, err := Run(t.Context(), p.Point, 2026)
			line, _ := json.Marshal(struct {
				Point
				Mean    Errors
				Again   Errors
				Seconds float64
				Err     string
			}{p.Point, c.Errors, c.Again, time.Since(start).Seconds(), errText(err)})
			out.Write(append(line, '\n'))
		}
	}
}

func errText(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestScratchPoints(t *testing.T) {
	if f := os.Getenv("LINKED_DUMP"); f != "" {
		b, _ := json.Marshal(Points())
		os.WriteFile(f, b, 0o644)
	}
}
