package main

import (
	"strings"
	"testing"
)

// Failed tests show what they wrote, passed ones do not, skipped ones are listed with their reasons; what a test that
// ended its process wrote is not lost, and it is named.
func TestRead(t *testing.T) {
	events := `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestNone","Output":"=== RUN   TestNone\n"}
{"Action":"output","Package":"m/a","Test":"TestNone","Output":"    a_test.go:7: no data: get it\n"}
{"Action":"output","Package":"m/a","Test":"TestNone","Output":"--- SKIP: TestNone (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestNone"}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"    a_test.go:9: wrong\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad"}
{"Action":"output","Package":"m/a","Output":"PASS\n"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t0.1s\n"}
{"ImportPath":"m/b","Action":"build-output","Output":"b.go:1: does not compile\n"}
not an event
{"Action":"run","Package":"m/b","Test":"TestHangs"}
{"Action":"output","Package":"m/b","Test":"TestHangs","Output":"panic: test timed out\n"}
`
	var out strings.Builder
	s, err := read(strings.NewReader(events), &out)
	if err != nil || s.passed != 1 || s.failed != 1 || len(s.skipped) != 1 ||
		s.skipped[0] != (skip{"m/a", "TestNone", "no data: get it"}) {
		t.Errorf("%+v, %v", s, err)
	}
	want := "    a_test.go:9: wrong\nFAIL\tm/a\t0.1s\nb.go:1: does not compile\nnot an event\npanic: test timed out\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if got := s.String(); got != "skipped: a.TestNone (no data: get it)\nbegan and did not end: b.TestHangs\n"+
		"1 passed, 1 failed, 1 skipped\n" {
		t.Error(got)
	}
}
