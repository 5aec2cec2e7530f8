// Package must is for tests: it unwraps calls that are not to fail, and ends the test where one does.
package must

// T is what it needs of a test: a [testing.TB] and a rapid.T are both one.
type T interface {
	Helper()
	Fatal(...any)
}

// Get is the value of a call that returns an error too, as in must.Get(os.ReadFile(name))(t).
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Get2 is [Get] of a call that returns two values.
func Get2[V, W any](v V, w W, err error) func(T) (V, W) {
	return func(t T) (V, W) {
		t.Helper()
		Do(t, err)
		return v, w
	}
}

// Do ends the test with the error, if there is one.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
