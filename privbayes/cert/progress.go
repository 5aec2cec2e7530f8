package cert

import (
	"context"
	"time"
)

const (
	progressSteps = 1 << 16 // elementary steps between two looks at the context: under a millisecond of arithmetic
	progressDelay = time.Second
	progressEvery = 100 * time.Millisecond
)

// Progress is how a long loop keeps an eye on its context: the loop tells it of its steps, and it looks at the context
// every few thousand of them. Work that takes over a second is reported to the context's callback ([WithProgress]), at
// most ten times a second. It belongs to one goroutine.
type Progress struct {
	ctx         context.Context
	report      func(done, total int64)
	done, total int64
	mark        int64 // of done: the next look
	start, last time.Time
}

// NewProgress starts the watch over work of about total elementary steps, each some nanoseconds.
func NewProgress(ctx context.Context, total float64) *Progress {
	p := &Progress{ctx: ctx, report: ProgressOf(ctx), total: 1, mark: progressSteps}
	if total > 1 {
		p.total = int64(min(total, 1<<62))
	}
	if p.report != nil {
		p.start = time.Now()
	}
	return p
}

// Step counts steps that were done, or are about to be, and returns the context's error once it has ended. A loop body
// of many elementary steps counts them all.
func (p *Progress) Step(steps int) error {
	if p.done += int64(steps); p.done < p.mark {
		return nil
	}
	p.mark = p.done + progressSteps
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.report == nil {
		return nil
	}
	if now := time.Now(); now.Sub(p.start) >= progressDelay && now.Sub(p.last) >= progressEvery {
		p.last = now
		p.report(min(p.done, p.total-1), p.total) // the work that follows may have a watch of its own
	}
	return nil
}
