package advise

import (
	"context"
	"math"
	"sync"
	"time"
)

// reportEvery is how often progress is reported, also inside a row.
const reportEvery = 250 * time.Millisecond

// reporter tells how far a comparison is, in estimated steps. It calls from one goroutine at a time, and not after
// close.
type reporter struct {
	mu          sync.Mutex
	report      func(done, total int64)
	done, total float64
	row         float64 // steps of the row under way
	since       time.Time
	stop        chan struct{}
	stopped     sync.WaitGroup
}

// newReporter reports until close or the end of ctx; nil reports to nobody.
func newReporter(ctx context.Context, report func(done, total int64), total float64) *reporter {
	r := &reporter{report: report, total: math.Max(total, 1), since: time.Now(), stop: make(chan struct{})}
	if report == nil {
		return r
	}
	r.stopped.Go(func() {
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.tell()
			case <-r.stop:
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return r
}

// begin says that a row of about so many steps begins, finish that it is over.
func (r *reporter) begin(steps float64) {
	r.mu.Lock()
	r.row, r.since = steps, time.Now()
	r.mu.Unlock()
}

func (r *reporter) finish() {
	r.mu.Lock()
	r.done, r.row = r.done+r.row, 0
	r.mu.Unlock()
	if r.report != nil {
		r.tell()
	}
}

// tell reports. Inside a row it goes on as a core of the assumed speed would, and waits before the row's end.
func (r *reporter) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	inside := math.Min(.95*r.row, time.Since(r.since).Seconds()*stepsPerSecond)
	r.report(int64(math.Min(r.done+inside, r.total)), int64(r.total))
}

// close ends the reports, the last of which is total of total.
func (r *reporter) close() {
	close(r.stop)
	r.stopped.Wait()
	if r.report != nil {
		r.report(int64(r.total), int64(r.total))
	}
}
