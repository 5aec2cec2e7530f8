package privbayes_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/lipschitz"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// What planning any shape may take, and how late it may answer a context that ends.
const (
	hostileMemory  = 1 << 30
	hostileContext = 2 * time.Second
	hostileGrace   = 1000 * time.Millisecond // scheduling and garbage collection on a slow machine
)

// hostileCase is one plan to be asked for.
type hostileCase struct {
	shape     hostileShape
	mechanism hostileMechanism
	target    hostileTarget
}

func (c hostileCase) String() string {
	return c.mechanism.name + " | " + c.shape.name + " | " + c.target.name
}

func hostileCases() []hostileCase {
	pick := regexp.MustCompile(os.Getenv("HOSTILE_PICK"))
	var out []hostileCase
	for _, sh := range hostileShapes() {
		for _, m := range hostileMechanisms() {
			for _, t := range hostileTargets() {
				if c := (hostileCase{sh, m, t}); pick.MatchString(c.String()) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// TestHostileChild is not a test: it is the child process of one.
func TestHostileChild(t *testing.T) {
	from, err := strconv.Atoi(os.Getenv("HOSTILE_FROM"))
	if err != nil {
		t.Skip("runs as the child of TestHostile")
	}
	say := func(format string, a ...any) { fmt.Printf("hostile: "+format+"\n", a...) }
	var last string
	var shape *model.Shape
	for i, c := range hostileCases() {
		if i < from {
			continue
		}
		if last != c.shape.name {
			shape = nil
			debug.FreeOSMemory()
			say("begin %d shape", i)
			s, m, n := c.shape.make()
			var err error
			shape, err = model.NewShape(s, m, n, true, "")
			say("end %d %s", i, verdict(err))
			last = c.shape.name
		}
		if shape == nil {
			continue
		}
		var p *mechanism.Plan
		stage := func(name string, f func(ctx context.Context) error) bool {
			say("begin %d %s", i, name)
			ctx, cancel := context.WithTimeout(context.Background(), hostileContext)
			err := f(ctx)
			cancel()
			say("end %d %s", i, verdict(err))
			return err == nil
		}
		ok := stage("plan", func(ctx context.Context) (err error) {
			p, err = c.mechanism.Plan(ctx, shape, c.target.Target)
			return err
		})
		if !ok {
			continue
		}
		var text []byte
		stage("json", func(context.Context) (err error) {
			text, err = json.Marshal(p)
			return err
		})
		stage("parse", func(ctx context.Context) error {
			_, err := mechanism.ParsePlan(ctx, text)
			return err
		})
		stage("verify", func(ctx context.Context) error {
			if v := p.Certificate().Verify(ctx); !v.OK() && ctx.Err() == nil {
				return errors.New(v.String())
			}
			return ctx.Err()
		})
	}
	say("done")
}

func verdict(err error) string {
	var limit *cert.LimitError
	var no *mechanism.UnsupportedError
	var unmet *mechanism.UnmetTarget
	var adj *sensitivity.AdjacencyError
	var params *mechanism.ParamsError
	var param *dp.ParameterError
	var shape *model.Error
	var lip *lipschitz.ParameterError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &limit):
		return "limit " + err.Error()
	case errors.As(err, &no):
		return "unsupported"
	case errors.As(err, &unmet):
		return "unmet"
	case errors.As(err, &adj), errors.As(err, &params), errors.As(err, &param), errors.As(err, &shape), errors.As(err, &lip):
		return "refused " + err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "context"
	}
	return "UNTYPED " + strings.ReplaceAll(fmt.Sprintf("%T %.300v", err, err), "\n", " ")
}

// rss is what a process holds of memory now.
func rss(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// cpu is the processor time that a process has used, in hundredths of a second's resolution.
func cpu(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// runHostile runs the cases in children, starting a new one after each fault.
func runHostile(t *testing.T, cases []hostileCase, log func(i int, stage, verdict string, took time.Duration, peak int64, used time.Duration)) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < len(cases); {
		cmd := exec.Command(exe, "-test.run=^TestHostileChild$", "-test.timeout=0")
		cmd.Env = append(os.Environ(), "HOSTILE_FROM="+strconv.Itoa(from), "GOMEMLIMIT="+strconv.Itoa(hostileMemory*85/100))
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var peak, began, used atomic.Int64
		var killed atomic.Pointer[string]
		stop := make(chan struct{})
		go func() {
			lastBegan, atDeadline := int64(0), time.Duration(-1)
			for {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				m := rss(cmd.Process.Pid)
				peak.Store(max(peak.Load(), m))
				b := began.Load()
				if b != lastBegan {
					lastBegan, atDeadline = b, -1
					used.Store(0)
				}
				why := ""
				if m > hostileMemory {
					why = fmt.Sprintf("KILLED at %d MB", m>>20)
				} else if b > 0 && time.Since(time.Unix(0, b)) > hostileContext {
					c := cpu(cmd.Process.Pid)
					if atDeadline < 0 {
						atDeadline = c
					}
					used.Store(int64(c - atDeadline))
					if c-atDeadline > hostileGrace {
						why = "KILLED late"
					}
				}
				if why != "" {
					killed.Store(&why)
					_ = cmd.Process.Kill()
					return
				}
			}
		}()
		at, stage, open, done := from, "", false, false
		lines := bufio.NewScanner(pipe)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			word := strings.SplitN(lines.Text(), " ", 4)
			if word[0] != "hostile:" {
				continue
			}
			switch word[1] {
			case "begin":
				at, _ = strconv.Atoi(word[2])
				stage, open = word[3], true
				peak.Store(0)
				began.Store(time.Now().UnixNano())
			case "end":
				log(at, stage, word[3], time.Since(time.Unix(0, began.Load())), peak.Load(), time.Duration(used.Load()))
				open = false
				began.Store(0)
			case "done":
				done = true
			}
		}
		close(stop)
		_ = cmd.Wait()
		if done {
			return
		}
		why := "CRASHED"
		if w := killed.Load(); w != nil {
			why = *w
		}
		if open {
			log(at, stage, why, time.Since(time.Unix(0, began.Load())), peak.Load(), time.Duration(used.Load()))
			if stage == "shape" {
				for from = at; from < len(cases) && cases[from].shape.name == cases[at].shape.name; from++ {
				}
				continue
			}
		}
		from = at + 1
	}
	runtime.GC()
}

func TestHostileHunt(t *testing.T) {
	if os.Getenv("HOSTILE_PICK") == "" || os.Getenv("HOSTILE_FROM") != "" {
		t.Skip()
	}
	cases := hostileCases()
	out, err := os.Create(os.Getenv("HOSTILE_OUT"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	runHostile(t, cases, func(i int, stage, verdict string, took time.Duration, peak int64, used time.Duration) {
		bad := ""
		if peak > hostileMemory/2 || used > 150*time.Millisecond || strings.HasPrefix(verdict, "UNTYPED") || strings.HasPrefix(verdict, "KILLED") || verdict == "CRASHED" {
			bad = "BAD "
		}
		fmt.Fprintf(out, "%s%s | %s | %v +%v | %d MB | %s\n", bad, cases[i], stage, took.Round(time.Millisecond), used, peak>>20, verdict)
	})
}
