// Package input reads what is piped to the command.
package input

import (
	"context"
	"io"
	"os"
	"os/signal"
)

// Read reads to the end, at most so many bytes, or until an interrupt, which ends no read by itself: then it returns
// context.Canceled, and what has come is forgotten. Other errors are those of r.
func Read(r io.Reader, most int64) ([]byte, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	type whole struct {
		bytes []byte
		err   error
	}
	read := make(chan whole, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(r, most))
		read <- whole{b, err}
	}()
	select {
	case w := <-read:
		return w.bytes, w.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
