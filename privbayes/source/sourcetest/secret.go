package sourcetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Secret is a value of a row in tests of what errors tell.
const Secret = "SECRET-9f3"

// Quiet checks that an error is there and does not show Secret: in no format, and nowhere in its chain.
func Quiet(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	if verb := shows(err); verb != "" {
		t.Errorf("%s: the error shows a value by %s", what, verb)
	}
}

func shows(err error) string {
	for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
		if strings.Contains(fmt.Sprintf(verb, err), Secret) {
			return verb
		}
	}
	if e := errors.Unwrap(err); e != nil {
		return shows(e)
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			if verb := shows(e); verb != "" {
				return verb
			}
		}
	}
	return ""
}
