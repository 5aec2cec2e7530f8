package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/papers/claims"
)

func TestClaims(t *testing.T) {
	code, out, errs := call("claims", "--only", "sampling/0")
	if code != exitDone || !strings.Contains(out, "Remark 3") || strings.Contains(out, "Theorem 8.1") ||
		strings.Contains(out, "DISAGREES") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	code, out, errs = call("claims", "--only", "network/2", "--json")
	var list []claims.Result
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitDone {
		t.Fatalf("%d %v %s", code, err, errs)
	}
	for _, r := range list {
		if !r.Agrees || !r.Derived || r.Test != "TestClaimsAgree/"+r.ID || r.Verdict == "" || r.Cases == 0 {
			t.Errorf("%+v", r)
		}
	}
	want := 0
	for _, c := range claims.All() {
		if strings.HasPrefix(c.ID, "network/2") {
			want++
		}
	}
	if len(list) != want || want < 10 {
		t.Errorf("%d claims", len(list))
	}
	code, out, _ = call("claims", "--only", "sampling/11", "--markdown")
	if code != exitDone || !strings.Contains(out, "### `sampling/11` ") {
		t.Errorf("%d %s", code, out)
	}
	for _, args := range [][]string{{"claims", "--only", "nothing"}, {"claims", "--json", "--markdown"},
		{"claims", "extra"}} {
		if code, _, _ := call(args...); code != exitUsage {
			t.Errorf("%v: %d", args, code)
		}
	}
}
