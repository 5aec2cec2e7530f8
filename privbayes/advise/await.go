package advise

import "context"

// await runs f and comes back when it is done or when ctx ends, whichever is first. Most of what is planned and drawn
// looks at its context; the rest (a post-processing of very many counts, a foreign mechanism) is left behind when the
// time is over, and its result is thrown away. What f shares with others must therefore bear that it goes on.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var zero T
	if err := ctx.Err(); err != nil {
		return zero, err
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}
