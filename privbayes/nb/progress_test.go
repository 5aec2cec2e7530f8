package nb

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// TestProgress runs ten seconds of work, a step every 10 ms, by a false clock.
func TestProgress(t *testing.T) {
	r := use(t, true, false)
	step := Progress("sweep <n>")
	const total = 1000
	for i := range int64(total) {
		r.clock = r.clock.Add(10 * time.Millisecond)
		step(i, total)
	}
	if n := len(r.sent); n < 90 || n > 100 {
		t.Errorf("%d updates in ten seconds, want at most ten a second", n)
	}
	middle := r.sent[len(r.sent)/2].Data[protocol.MIMETextHTML].(string)
	if !strings.Contains(middle, "sweep &lt;n&gt;") || !strings.Contains(middle, "about 5s left") {
		t.Errorf("in the middle of the work: %s", middle)
	}
	step(total, total)
	last := r.sent[len(r.sent)-1]
	if last.Data[protocol.MIMETextHTML] != "" || r.syncs != 1 {
		t.Errorf("the bar is not cleared: %+v, %d syncs", last, r.syncs)
	}
	for _, d := range r.sent {
		if d.DisplayID == "" || d.DisplayID != last.DisplayID {
			t.Fatal("the updates are not of one block")
		}
	}
	n := len(r.sent)
	r.clock = r.clock.Add(time.Second)
	step(total, total)
	step(1, total)
	if len(r.sent) != n {
		t.Error("a finished bar was drawn again")
	}
}

// TestProgressShort: quick work shows nothing at all.
func TestProgressShort(t *testing.T) {
	r := use(t, true, true)
	step := Progress("quick")
	for i := range int64(11) {
		r.clock = r.clock.Add(20 * time.Millisecond)
		step(i, 10)
	}
	if len(r.sent) > 0 || r.e.Len() > 0 {
		t.Errorf("sent %+v, wrote %q", r.sent, r.e.String())
	}
}

// TestProgressEnds: total <= 0 clears early; hostile numbers do no harm.
func TestProgressEnds(t *testing.T) {
	r := use(t, true, false)
	step := Progress("x")
	r.clock = r.clock.Add(time.Second)
	step(-5, 10)
	step(0, 0)
	if len(r.sent) != 2 || r.sent[1].Data[protocol.MIMETextHTML] != "" {
		t.Errorf("sent %+v", r.sent)
	}
}

// TestProgressOutside: a line on a terminal, nothing elsewhere.
func TestProgressOutside(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		r := use(t, false, terminal)
		step := Progress("sweep")
		r.clock = r.clock.Add(time.Second)
		step(1, 4)
		step(4, 4)
		want := ""
		if terminal {
			want = "\r\x1b[Ksweep  25 %, about 3s left\r\x1b[K"
		}
		if got := r.e.String(); got != want || r.o.Len() > 0 {
			t.Errorf("terminal %v: wrote %q, want %q", terminal, got, want)
		}
	}
}

// TestProgressConcurrent is for the race detector.
func TestProgressConcurrent(t *testing.T) {
	r := use(t, true, false)
	r.clock = r.clock.Add(time.Hour)
	step := Progress("x")
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range int64(100) {
				step(int64(g)*100+i, 400)
			}
		})
	}
	wg.Wait()
	step(400, 400)
}
