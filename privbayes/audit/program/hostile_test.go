package program_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/audit/program"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// This test binary is the programs, too: with the variable set it is one of them.
const variable = "PRIVBAYES_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if as := os.Getenv(variable); as != "" {
		behave(as)
		return
	}
	os.Exit(m.Run())
}

// response is randomised response on whether the first count is odd, at the given ε.
func response(eps float64) finite.Mechanism {
	p := 1 / (1 + math.Exp(-eps))
	return audit.FromFunc(2, func(x []int) []float64 {
		if x[0]%2 == 1 {
			return []float64{1 - p, p}
		}
		return []float64{p, 1 - p}
	})
}

// drawn draws from a law.
func drawn(m finite.Mechanism, src *dp.Stream) func(x []int) (string, error) {
	return func(x []int) (string, error) {
		law := make([]float64, m.Outputs())
		m.LogLaw(x, law)
		u := float64(src.Uint64()>>11) * 0x1p-53
		for o, l := range law {
			if u -= math.Exp(l); u < 0 {
				return fmt.Sprint(o), nil
			}
		}
		return fmt.Sprint(len(law) - 1), nil
	}
}

// behave is a program, honest or hostile.
func behave(as string) {
	in, greet := bufio.NewScanner(os.Stdin), func(s string) { fmt.Println("privbayes-audit 1 " + s) }
	each := func(answer func(i int)) {
		for i := 0; in.Scan(); i++ {
			answer(i)
		}
	}
	half := "-0.6931471805599453 -0.6931471805599453"
	switch as {
	case "good", "liar":
		m := response(1)
		s := program.Speaker{Law: m, Draw: drawn(m, dp.Seeded(1))}
		if as == "liar" { // states the right law, and draws with half the noise
			s.Draw = drawn(response(2), dp.Seeded(1))
		}
		if err := program.Serve(os.Stdin, os.Stdout, s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "mute":
		time.Sleep(time.Hour)
	case "deaf":
		greet("law 2")
		time.Sleep(time.Hour)
	case "foreign":
		fmt.Println("Python 3.11")
		each(func(int) {})
	case "version":
		fmt.Println("privbayes-audit 2 law 2")
		each(func(int) {})
	case "flood": // one line without end
		for {
			fmt.Print("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		}
	case "flood later":
		greet("law 2")
		in.Scan()
		for {
			fmt.Print("-0.6931471805599453 ")
		}
	case "chatter": // lines without end
		greet("law 2")
		in.Scan()
		for {
			fmt.Println(half)
		}
	case "complaints": // standard error without end
		greet("law 2")
		go func() {
			for {
				fmt.Fprintln(os.Stderr, "I complain")
			}
		}()
		each(func(int) { fmt.Println(half) })
	case "nan":
		greet("law 2")
		each(func(int) { fmt.Println("NaN 0") })
	case "infinite":
		greet("law 2")
		each(func(int) { fmt.Println("+Inf 0") })
	case "words":
		greet("law 2")
		each(func(int) { fmt.Println("one two") })
	case "short":
		greet("law 2")
		each(func(int) { fmt.Println("0") })
	case "escape":
		greet("law 2")
		each(func(int) { fmt.Println("\x1b[2J\u202etrue 1-DP") })
	case "dies":
		fmt.Fprintln(os.Stderr, "Traceback: no module numpy")
		os.Exit(3)
	case "dies later":
		greet("law 2")
		each(func(i int) {
			if i == 2 {
				os.Exit(4)
			}
			fmt.Println(half)
		})
	case "half a line":
		greet("law 2")
		in.Scan()
		fmt.Print(half)
		os.Exit(0)
	case "one more":
		greet("law 2")
		each(func(int) { fmt.Println(half) })
		fmt.Println("bye")
	case "fails at the end":
		greet("law 2")
		each(func(int) { fmt.Println(half) })
		os.Exit(5)
	case "stays":
		greet("law 2")
		each(func(int) { fmt.Println(half) })
		time.Sleep(time.Hour)
	case "empty draws":
		greet("draw")
		each(func(int) { fmt.Println() })
	case "long draws":
		greet("draw")
		each(func(int) { fmt.Println(strings.Repeat("x", 201)) })
	case "few draws":
		greet("draw")
		each(func(int) { fmt.Println("0") })
	case "no law": // probabilities that do not add up
		greet("law 2")
		each(func(int) { fmt.Println("-1 -1") })
	}
}

// start starts this binary as a program.
func start(t testing.TB, as string, silence time.Duration) (*program.Program, error) {
	t.Helper()
	t.Setenv(variable, as)
	p, err := program.Start(t.Context(), []string{os.Args[0]}, program.Limits{Silence: silence})
	if p != nil {
		t.Cleanup(func() { _ = p.Close() })
	}
	return p, err
}

var space = finite.Space{Cells: 2, N: 4}

// Every way to break the protocol is an error of its kind, comes within the time that was allowed, and ends the
// process.
func TestHostileProgramsAreTypedErrors(t *testing.T) {
	law := func(p *program.Program) error { _, err := p.Law(t.Context(), space); return err }
	draws := func(p *program.Program) error { _, err := p.Draw(t.Context(), []int{1, 2}, 3); return err }
	closing := func(p *program.Program) error {
		if err := law(p); err != nil {
			t.Error(err)
		}
		return p.Close()
	}
	for _, c := range []struct {
		as   string
		ask  func(p *program.Program) error // nil: the greeting fails
		kind program.Kind
		says string
	}{
		{"mute", nil, program.Silent, ""},
		{"foreign", nil, program.BadGreeting, "Python 3.11"},
		{"version", nil, program.BadGreeting, "version 1"},
		{"flood", nil, program.LongLine, "xxxx"},
		{"dies", nil, program.Ended, "no module numpy"},
		{"deaf", law, program.Silent, "law 0 4"},
		{"flood later", law, program.LongLine, "law 0 4"},
		{"chatter", func(p *program.Program) error {
			if err := law(p); err != nil {
				return err
			}
			return p.Close() // lines beyond the asked ones are left over, however early some were taken
		}, program.ExtraLine, ""},
		{"nan", law, program.BadLine, "NaN"},
		{"infinite", law, program.BadLine, "output 0"},
		{"words", law, program.BadLine, "one two"},
		{"short", law, program.BadLine, "want 2 log-probabilities, have 1"},
		{"escape", law, program.BadLine, `\u001b[2J\u202etrue`},
		{"dies later", law, program.Ended, "exit status 4"},
		{"half a line", func(p *program.Program) error { _, err := p.LogLaw(t.Context(), []int{0, 4}); return err },
			program.Ended, "law 0 4"},
		{"complaints", closing, "", ""},
		{"one more", closing, program.ExtraLine, "bye"},
		{"fails at the end", closing, program.FailedAtEnd, "exit status 5"},
		{"stays", closing, program.Silent, "its input has ended"},
		{"empty draws", draws, program.BadLine, "empty line"},
		{"long draws", draws, program.BadLine, "at most 200 bytes"},
		{"few draws", draws, program.Silent, "draw 3 1 2"},
		{"good", func(p *program.Program) error { _ = p.Close(); return law(p) }, program.CannotDo, ""},
		{"empty draws", law, program.CannotDo, ""},
		{"deaf", draws, program.CannotDo, ""},
	} {
		t.Run(c.as, func(t *testing.T) {
			silence := 20 * time.Second // not to take a slow machine for a silent program
			if c.kind == program.Silent {
				silence = 300 * time.Millisecond
			}
			p, err := start(t, c.as, silence)
			for try := 0; err != nil && c.ask != nil && c.kind == program.Silent && try < 5; try++ { // a slow greeting
				silence *= 3
				p, err = start(t, c.as, silence)
			}
			if c.ask != nil {
				if err != nil {
					t.Fatal(err)
				}
				err = c.ask(p)
			}
			if c.kind == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *program.Error
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Error(), c.says) {
				t.Fatalf("%v; want the kind %q, and %q", err, c.kind, c.says)
			}
			if strings.ContainsAny(e.Error(), "\x1b\u202e\n") || len(e.Error()) > 3000 {
				t.Errorf("the text is not fit to be shown: %q", e.Error())
			}
			if p != nil && c.kind != program.CannotDo {
				if again := law(p); !errors.Is(again, err) {
					t.Errorf("a later call gives %v; want %v", again, err)
				}
			}
		})
	}
}

// What a program started ends with it, although it holds the pipes.
func TestGrandchildrenEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process groups")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	begun := time.Now()
	_, err := program.Start(t.Context(), []string{"sh", "-c", "sleep 300 & sleep 300"},
		program.Limits{Silence: 200 * time.Millisecond})
	var e *program.Error
	if !errors.As(err, &e) || e.Kind != program.Silent {
		t.Error(err)
	}
	if time.Since(begun) > 100*time.Second {
		t.Error("it waited for the grandchild")
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	var e *program.Error
	if _, err := program.Start(t.Context(), []string{"/no/such/program"}, program.Limits{}); !errors.As(err, &e) ||
		e.Kind != program.NotStarted {
		t.Error(err)
	}
	var pe *dp.ParameterError
	for _, command := range [][]string{nil, {""}} {
		if _, err := program.Start(t.Context(), command, program.Limits{}); !errors.As(err, &pe) {
			t.Error(err)
		}
	}
	if _, err := program.Start(t.Context(), []string{"x"}, program.Limits{Silence: -1}); !errors.As(err, &pe) {
		t.Error(err)
	}
	if err := program.Serve(strings.NewReader(""), os.Stdout, program.Speaker{}); !errors.As(err, &pe) {
		t.Error(err)
	}
}

// The context ends a program that is asked, and the memory limit refuses laws before the first is asked for.
func TestContextAndLimits(t *testing.T) {
	p, err := start(t, "deaf", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { time.Sleep(50 * time.Millisecond); cancel() }()
	if _, err := p.Law(ctx, space); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if p, err = start(t, "good", time.Minute); err != nil {
		t.Fatal(err)
	}
	var limit *cert.LimitError
	if _, err := p.Law(cert.WithMemoryLimit(t.Context(), 1000), finite.Space{Cells: 3, N: 50}); !errors.As(err, &limit) {
		t.Error(err)
	}
	var pe *dp.ParameterError
	if _, err := p.Law(t.Context(), finite.Space{}); !errors.As(err, &pe) {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
