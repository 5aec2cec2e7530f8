package jupyter

import (
	"strings"
	"testing"
)

func TestEnviron(t *testing.T) {
	base := []string{"PATH=/bin", "GOFLAGS=-mod=mod -tags=x -buildvcs=true", "GOWORK=/x/go.work",
		"PYTHONPATH=/x", "HOME=/h"}
	got := map[string]string{}
	for _, kv := range Environ(base, "/repo") {
		k, v, _ := strings.Cut(kv, "=")
		got[k] = v
	}
	for k, want := range map[string]string{
		"PATH": "/repo/build/bin:/bin", "JUPYTER_PATH": "/repo/build/jupyter",
		"GOFLAGS": "-tags=x -buildvcs=false -ldflags=-s", "HOME": "/h", "GOWORK": "off",
	} {
		if got[k] != want {
			t.Errorf("%s=%q, want %q", k, got[k], want)
		}
	}
	if _, ok := got["PYTHONPATH"]; ok {
		t.Error("PYTHONPATH is still set")
	}
}
