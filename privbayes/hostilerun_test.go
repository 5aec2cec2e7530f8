package privbayes_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// What planning any shape may take, and how late it may answer a context that ends.
const (
	hostileMemory  = 1 << 30
	hostileContext = 2 * time.Second
	hostileGrace   = 1000 * time.Millisecond // scheduling and garbage collection on a slow machine
)

// What tells a child its cases.
const (
	hostilePick = "PRIVBAYES_LIMITS_PICK"
	hostileFrom = "PRIVBAYES_LIMITS_FROM"
	// random cases in place of the listed ones; 600 unless PRIVBAYES_LIMITS_COUNT says another number
	hostileSeed = "PRIVBAYES_LIMITS_SEED"
	hostileMany = "PRIVBAYES_LIMITS_COUNT"
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

// hostileCases are the cases whose text matches; planted mechanisms, which break the rules, only where they are asked
// for.
func hostileCases(pick string) []hostileCase {
	expr := regexp.MustCompile(pick)
	mechanisms := hostileMechanisms()
	if strings.HasPrefix(pick, "^planted") {
		mechanisms = []hostileMechanism{{"planted: allocates", allocates{}},
			{"planted: ignores its context", ignores{}}}
	}
	var out []hostileCase
	if seed, err := strconv.ParseUint(os.Getenv(hostileSeed), 10, 64); err == nil &&
		!strings.HasPrefix(pick, "^planted") {
		count, err := strconv.Atoi(os.Getenv(hostileMany))
		if err != nil {
			count = 600
		}
		for _, c := range randomCases(seed, count) {
			if expr.MatchString(c.String()) {
				out = append(out, c)
			}
		}
		return out
	}
	for _, sh := range hostileShapes() {
		for _, m := range mechanisms {
			for _, t := range hostileTargets() {
				if c := (hostileCase{sh, m, t}); expr.MatchString(c.String()) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// allocates makes a table of all pairs of cells before it asks whether it may; ignores works on when its context has
// ended.
type (
	allocates struct{ counts.FourierNoise }
	ignores   struct{ counts.FourierNoise }
)

func (allocates) Plan(_ context.Context, sh *model.Shape, _ dp.Request) (*mechanism.Plan, error) {
	cells := min(sh.Cells(), 1<<14)
	pairs := make([]float64, cells*cells)
	for i := range pairs {
		pairs[i] = float64(i)
	}
	return nil, &mechanism.UnsupportedError{Mechanism: "planted", What: fmt.Sprint(pairs[len(pairs)-1]), Use: "another"}
}

func (ignores) Plan(context.Context, *model.Shape, dp.Request) (*mechanism.Plan, error) {
	for x, start := 1.0, time.Now(); ; x += 1 / x {
		if x < 0 || time.Since(start) > time.Hour {
			return nil, context.DeadlineExceeded
		}
	}
}

// TestHostileChild is not a test: it is the child process of one.
func TestHostileChild(t *testing.T) {
	from, err := strconv.Atoi(os.Getenv(hostileFrom))
	if err != nil {
		t.Skip("runs as the child of TestLimitsHold")
	}
	say := func(format string, a ...any) { fmt.Printf("hostile: "+format+"\n", a...) }
	var last string
	var shape *model.Shape
	for i, c := range hostileCases(os.Getenv(hostilePick)) {
		if i < from {
			continue
		}
		if last != c.shape.name {
			shape = nil
			debug.FreeOSMemory()
			say("begin %d shape", i)
			s, m, n := c.shape.make()
			var err error
			shape, err = model.NewShape(s, m, max(n, 0), n >= 0, map[bool]string{true: "", false: "Filter"}[n >= 0])
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
			p, err = c.mechanism.Plan(ctx, shape, c.target.Request)
			return err
		})
		if !ok {
			continue
		}
		var text, file []byte
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
		if os.Getenv("PRIVBAYES_LIMITS") == "" { // draws and their files belong to the hunt: they take most of its time
			continue
		}
		var drawn *mechanism.Drawn
		ok = stage("draw", func(ctx context.Context) error {
			if err := p.Fits(ctx); err != nil {
				return err
			}
			st, err := emptyStatistics(p.Shape())
			if err != nil {
				return err
			}
			drawn, err = p.Draw(ctx, st, "id", dp.Seeded(1))
			return err
		})
		if !ok {
			continue
		}
		var r *release.Release
		if !stage("made", func(ctx context.Context) (err error) {
			r, err = release.New(ctx, p, drawn)
			return err
		}) {
			continue
		}
		if !stage("file", func(context.Context) (err error) {
			file, err = r.JSON()
			return err
		}) || len(file) > hostileFile {
			continue
		}
		stage("check", func(ctx context.Context) error {
			v, err := release.VerifyBytes(ctx, file)
			if err == nil && !v.OK() && ctx.Err() == nil {
				return errors.New(v.String())
			}
			return cmp.Or(err, ctx.Err())
		})
	}
	say("done")
}

// hostileFile is the longest file that is verified: reading takes memory in proportion to its length.
const hostileFile = 30 << 20

// emptyStatistics are of records that are all alike: of the first level everywhere, or zero.
func emptyStatistics(sh *model.Shape) (*model.Statistics, error) {
	n, public := sh.N()
	if !public {
		n = 1000
	}
	if sums := sh.Sums(); len(sums) > 0 {
		return model.FromSums(sh, n, make([]float64, len(sums)))
	}
	var tables [][]int64
	for _, t := range sh.Tables() {
		tables = append(tables, make([]int64, t.Cells()))
		tables[len(tables)-1][0] = int64(n)
	}
	return model.FromCounts(sh, tables)
}

// verdict names a typed error; what is not typed is a fault.
func verdict(err error) string {
	var limit *cert.LimitError
	var no *mechanism.UnsupportedError
	var unmet *mechanism.UnmetTarget
	var check *mechanism.CheckError
	var adj *sensitivity.AdjacencyError
	var params *dp.ParameterError
	var param *dp.ParameterError
	var shape *model.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &limit):
		return "limit " + err.Error()
	case errors.As(err, &no):
		return "unsupported"
	case errors.As(err, &unmet):
		return "unmet"
	case errors.As(err, &check):
		return "CHECK " + strings.ReplaceAll(fmt.Sprintf("%.400v", err), "\n", " ")
	case errors.As(err, &adj), errors.As(err, &params), errors.As(err, &param), errors.As(err, &shape):
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
func runHostile(t *testing.T, pick string,
	log func(c hostileCase, stage, verdict string, took time.Duration, peak int64, used time.Duration)) {
	t.Helper()
	cases := hostileCases(pick)
	exe := must.Get(os.Executable())(t)
	for from := 0; from < len(cases); {
		cmd := exec.Command(exe, "-test.run=^TestHostileChild$", "-test.timeout=0")
		cmd.Env = append(os.Environ(), hostilePick+"="+pick, hostileFrom+"="+strconv.Itoa(from),
			"GOMEMLIMIT="+strconv.Itoa(hostileMemory*85/100))
		pipe := must.Get(cmd.StdoutPipe())(t)
		cmd.Stderr = os.Stderr
		must.Do(t, cmd.Start())
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
		at, stage, open, done, start := from, "", false, false, time.Now()
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
				start = time.Now()
				if began.Store(0); stage != "file" { // which has no context
					began.Store(start.UnixNano())
				}
			case "end":
				log(cases[at], stage, word[3], time.Since(start), peak.Load(), time.Duration(used.Load()))
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
			log(cases[at], stage, why, time.Since(start), peak.Load(), time.Duration(used.Load()))
			if stage == "shape" {
				for from = at; from < len(cases) && cases[from].shape.name == cases[at].shape.name; from++ {
				}
				continue
			}
		}
		from = at + 1
	}
}

// hostileFault is what is wrong with a verdict, or nothing.
func hostileFault(verdict string, peak int64, late time.Duration) string {
	switch {
	case strings.HasPrefix(verdict, "KILLED"), verdict == "CRASHED", strings.HasPrefix(verdict, "UNTYPED"),
		strings.HasPrefix(verdict, "CHECK"):
		return verdict
	case peak > hostileMemory:
		return fmt.Sprintf("%d MB", peak>>20)
	case late > hostileGrace:
		return fmt.Sprintf("%v of work after the context ended", late)
	}
	return ""
}

// Every mechanism plans every hostile shape within a memory limit of 1 GB, and answers a context of 2 s in time: with a
// plan, or with a typed error. What is planned is read again and verified under the same limits. Set PRIVBAYES_LIMITS
// to a regular expression of "mechanism | shape | target" for others than the few that this test takes by itself; "."
// is all, and takes hours.
func TestLimitsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("holds processes against memory and time, which the race detector changes")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("no /proc: this system does not say what a process holds")
	}
	pick := os.Getenv("PRIVBAYES_LIMITS")
	if pick == "" {
		shapes := "a column of 65,536 levels|naive Bayes, class of 60,000, a column of 2,200|a regression on 6,000 " +
			"columns"
		shapes += "|20 two-level parents|a grid of 40 × 40, 3 levels|a rate, n = 1"
		pick = `\| (` + strings.ReplaceAll(shapes, "^", `\^`) + `) \| ε = 1, δ = 1e-6$`
	}
	cases := 0
	runHostile(t, pick, func(c hostileCase, stage, verdict string, took time.Duration, peak int64, late time.Duration) {
		cases++
		if fault := hostileFault(verdict, peak, late); fault != "" {
			t.Errorf("%s: %s: %s (%v, %d MB)", c, stage, fault, took.Round(time.Millisecond), peak>>20)
		}
		t.Logf("%s | %s | %v +%v | %d MB | %s", c, stage, took.Round(time.Millisecond), late, peak>>20, verdict)
	})
	if cases < 10 {
		t.Errorf("only %d cases ran", cases)
	}
}

// The watch of TestLimitsHold catches a mechanism that allocates before it estimates, and one that ignores its context.
func TestLimitsWatchCatches(t *testing.T) {
	if testing.Short() {
		t.Skip("holds processes against memory and time, which the race detector changes")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("no /proc: this system does not say what a process holds")
	}
	faults := map[string]string{}
	runHostile(t, `^planted.*\| a column of 65,536 levels \| ε = 1$`,
		func(c hostileCase, stage, verdict string, _ time.Duration, peak int64, late time.Duration) {
			if fault := hostileFault(verdict, peak, late); fault != "" && stage == "plan" {
				faults[c.mechanism.name] = fault
			}
		})
	memory, late := faults["planted: allocates"], faults["planted: ignores its context"]
	// On a machine under load the time runs out before the memory is held: caught, too.
	if !strings.Contains(memory, "MB") && !strings.Contains(memory, "KILLED") || !strings.Contains(late, "late") {
		t.Errorf("caught only %v", faults)
	}
}
