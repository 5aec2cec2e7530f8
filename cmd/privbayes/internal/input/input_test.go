package input

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"
)

// A read ends with its input, at the limit, with the reader's error, or by an interrupt.
func TestRead(t *testing.T) {
	if b, err := Read(strings.NewReader("answer"), 100); string(b) != "answer" || err != nil {
		t.Error(string(b), err)
	}
	if b, err := Read(strings.NewReader("answer"), 3); string(b) != "ans" || err != nil {
		t.Error(string(b), err)
	}
	r, w := io.Pipe()
	_ = w.CloseWithError(io.ErrUnexpectedEOF)
	if _, err := Read(r, 100); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	open, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	caught := make(chan os.Signal, 1) // so that an interrupt before the read listens does not end the tests
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	ended := make(chan error)
	go func() {
		_, err := Read(open, 100)
		ended <- err
	}()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.After(time.Minute); ; {
		if err := self.Signal(os.Interrupt); err != nil {
			t.Skip("this system cannot interrupt a process:", err)
		}
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			return
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			t.Fatal("it goes on")
		}
	}
}
