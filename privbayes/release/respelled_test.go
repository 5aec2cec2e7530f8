package release_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// respell writes whole numbers below the key params as 3.0 in place of 3; encoding/json orders the keys anew.
func respell(v any, inParams bool) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			x[k] = respell(e, inParams || k == "params")
		}
	case []any:
		for i, e := range x {
			x[i] = respell(e, inParams)
		}
	case json.Number:
		if s := x.String(); inParams && !strings.ContainsAny(s, ".eE") {
			return json.Number(s + ".0")
		}
	}
	return v
}

// A file whose certificate spells the parameters of its checks in another way verifies; one with other parameters, or
// one twice, does not.
func TestVerifyComparesParametersAsValues(t *testing.T) {
	for _, r := range several(t) {
		d := json.NewDecoder(bytes.NewReader(jsonOf(t, r)))
		d.UseNumber()
		var f map[string]any
		must.Do(t, d.Decode(&f))
		f["certificate"] = respell(f["certificate"], false)
		b := must.Get(json.Marshal(f))(t)
		if !bytes.Contains(b, []byte("1.0")) {
			t.Fatal("no number was spelled in another way")
		}
		v, err := release.VerifyBytes(t.Context(), b)
		if err != nil || !v.OK() {
			t.Fatalf("%v\n%s", err, v)
		}
		at := bytes.Index(b, []byte(`"certificate"`))
		params := at + bytes.Index(b[at:], []byte(`"params":{`)) + len(`"params":{`)
		number := params + bytes.IndexByte(b[params:], '.')
		for name, edited := range map[string]string{
			"a parameter twice": string(b[:params]) + string(b[params:params+bytes.IndexByte(b[params:], ':')]) +
				":0," + string(b[params:]),
			"a larger parameter": string(b[:number]) + "1" + string(b[number:]),
		} {
			if v, err := release.VerifyBytes(t.Context(), []byte(edited)); err == nil && v.OK() {
				t.Errorf("%s: verified", name)
			}
		}
	}
}
