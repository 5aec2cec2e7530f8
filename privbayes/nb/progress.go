package nb

import (
	"fmt"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

const (
	progressDelay = 300 * time.Millisecond // work that is done by then shows no bar at all
	progressEvery = 100 * time.Millisecond // at most ten updates a second
)

// Progress returns a callback for long work: call it with the units done so far
// and in total. It shows a bar with the time left, at most ten times a second,
// and clears it when done reaches total; a call with total <= 0 clears it early.
// Work shorter than 0.3 s shows nothing.
//
// Outside a notebook the bar is one line on standard error, and only when that is
// a terminal. The callback may be called from several goroutines.
func Progress(title string) func(done, total int64) {
	p := &progress{screen: std, title: title, start: std.now()}
	return p.update
}

type progress struct {
	mu          sync.Mutex
	screen      *screen
	title, id   string
	start, last time.Time
	shown, over bool
}

func (p *progress) update(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || !p.screen.notebook && !p.screen.terminal {
		return
	}
	if done >= total || total <= 0 {
		p.over = true
		if p.shown {
			p.clear()
		}
		return
	}
	now := p.screen.now()
	if now.Sub(p.start) < progressDelay || now.Sub(p.last) < progressEvery {
		return
	}
	p.last, p.shown = now, true
	share := float64(max(done, 0)) / float64(total)
	text := fmt.Sprintf("%3.0f %%", 100*share)
	if share > 0 {
		left := time.Duration(float64(now.Sub(p.start)) * (1 - share) / share)
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	if !p.screen.notebook {
		_, _ = fmt.Fprintf(p.screen.err, "\r\x1b[K%s %s", p.title, text)
		return
	}
	p.html(fmt.Sprintf(`<p>%s <progress max="1" value="%.3f"></progress> %s</p>`, escape(p.title), share, text))
}

// clear removes the bar. An emptied block leaves no trace in a saved notebook.
func (p *progress) clear() {
	if !p.screen.notebook {
		_, _ = fmt.Fprint(p.screen.err, "\r\x1b[K")
		return
	}
	p.html("")
	p.screen.sync()
}

func (p *progress) html(s string) {
	if p.id == "" {
		p.id = "progress_" + gonbui.UniqueId()
	}
	p.screen.send(&protocol.DisplayData{Data: bundle{protocol.MIMETextHTML: s}, DisplayID: p.id})
}
