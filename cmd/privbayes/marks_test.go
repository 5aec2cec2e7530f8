package main

import (
	"os"
	"strings"
	"testing"
)

// A release of a table whose missing marks are dates and numbers of their columns is paid for and can be used: what
// synthesize writes is read under the same schema, with marks for what is missing and no other value that is one.
func TestSynthesizeWithMarks(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"s.json": `{"dataset":"d","columns":[
			{"name":"day","kind":"integer","date":"2006-01-02","date_edges":["1900-01-01","1900-01-03","1900-01-05"],
			 "missing":["1900-01-02","9999-12-31",""],"on_missing":"category","on_out_of_domain":"clamp"},
			{"name":"k","kind":"categorical","categories":["a","b"]},
			{"name":"x","kind":"integer","edges":[0,3,6],"missing":["1","9"],"on_missing":"category"}]}`,
		"t.csv": "day,k,x\n" + strings.Repeat(
			"1900-01-01,a,0\n1900-01-02,b,1.0\n9999-12-31,a,+9\n,b,5\n2024-05-05,a,2\n", 60),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustCall(t, "budget", "b.json", "--schema", "s.json", "--epsilon", "9")
	for command, args := range map[string][]string{"release": {"--target", "k", "--epsilon", "3"},
		"learn": {"--epsilon", "3", "--always"}} {
		mustCall(t, append([]string{command, "--schema", "s.json", "--data", "t.csv", "--budget", "b.json", "--out", command},
			args...)...)
		mustCall(t, "synthesize", command, "--rows", "500", "--seed", "1", "--out", command+".csv")
		text, err := os.ReadFile(command + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		code, out, errs := call("check", "--schema", "s.json", "--data", command+".csv")
		if code != exitDone || !strings.Contains(out, "0 that do not fit in 500 rows") {
			t.Errorf("%s: %d %s%s", command, code, out, errs)
		}
		for value, there := range map[string]bool{"1900-01-01": true, "1900-01-02": true, "1900-01-03": true,
			"1900-01-05": true, "9999-12-31": false, "1900-01-06": false, "2024-05-05": false} {
			if strings.Contains(string(text), value) != there {
				t.Errorf("%s: %s is there: %v", command, value, !there)
			}
		}
	}
}
