// Command nbtool builds, runs and checks the notebooks.
//
//	nbtool build notebooks/*.md      # write .ipynb; outputs stay when no code changed
//	nbtool run   notebooks/*.md      # build, execute, write with outputs
//	nbtool check notebooks/*.ipynb   # execute, compare with the committed outputs
//	nbtool html  notebooks/00_tour.ipynb   # execute, write build/tour.html
//	nbtool gallery [DIR]                   # write DIR/README.md and DIR/thumbnails
//
// Every verb but the last takes .md or .ipynb files. The gallery is made from the
// notebooks of the folder (default: notebooks) as they stand; nothing is executed.
// A notebook whose cells failed is left as it was, and what came out is written to
// build/NAME.failed.ipynb. The exit status is 1 when a notebook has a problem and 2 when the command line
// is wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

const usage = "usage: nbtool build|run|check|html FILE...\n       nbtool gallery [DIR]"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run does verb args[0] for every file in args[1:], two at a time: each notebook
// compiles and links its cells, so more gains nothing on a small machine.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) > 0 && args[0] == "gallery" {
		return gallery(args[1:], out, errs)
	}
	if len(args) < 2 {
		_, _ = fmt.Fprintln(errs, usage)
		return 2
	}
	do, ok := verbs[args[0]]
	if !ok {
		_, _ = fmt.Fprintf(errs, "nbtool: unknown verb %q\n%s\n", args[0], usage)
		return 2
	}
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		sem = make(chan struct{}, 2)
		bad int
	)
	for _, file := range args[1:] {
		wg.Go(func() {
			sem <- struct{}{}
			defer func() { <-sem }()
			start := time.Now()
			notes, problems := do(ctx, file)
			mu.Lock()
			defer mu.Unlock()
			verdict := "ok"
			if len(problems) > 0 {
				verdict = fmt.Sprintf("%d problem(s)", len(problems))
			}
			_, _ = fmt.Fprintf(out, "%-36s %6.1f s  %s\n", file, time.Since(start).Seconds(), verdict)
			for _, s := range notes {
				_, _ = fmt.Fprintln(out, s)
			}
			for _, s := range problems {
				_, _ = fmt.Fprintln(errs, "    "+s)
			}
			bad += len(problems)
		})
	}
	wg.Wait()
	if bad > 0 {
		return 1
	}
	return 0
}

// cellTimeout bounds one cell; the first cell of a cold run compiles everything.
const cellTimeout = 5 * time.Minute

// A verb handles one file and returns notes to print and problems to fail on.
type verb func(ctx context.Context, file string) (notes, problems []string)

var verbs = map[string]verb{"build": build, "run": execute, "check": check, "html": page}

// build writes the notebook of a Markdown source. Outputs of the notebook that
// stands there are kept when the code cells are the same.
func build(_ context.Context, file string) (notes, problems []string) {
	n, err := fromSource(file)
	if err != nil {
		return nil, []string{err.Error()}
	}
	old, err := nbtool.Read(notebook(file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		notes = append(notes, "    new, without outputs: nbtool run "+file)
	case err != nil:
		return nil, []string{err.Error()}
	case !n.KeepOutputs(old):
		notes = append(notes, "    code changed, outputs dropped: nbtool run "+file)
	}
	return notes, fail(n.Write(notebook(file)))
}

// execute builds, runs and writes the notebook with its outputs. A notebook with
// problems does not take its place: it is written beside, to look into.
func execute(ctx context.Context, file string) (notes, problems []string) {
	n, problems := fresh(ctx, file)
	if len(problems) > 0 {
		return keepFailed(n, file, problems)
	}
	return nil, fail(n.Write(notebook(file)))
}

// check runs the notebook and compares it with the committed one.
func check(ctx context.Context, file string) (notes, problems []string) {
	n, problems := fresh(ctx, file)
	if len(problems) > 0 {
		return keepFailed(n, file, problems)
	}
	want, err := nbtool.Read(notebook(file))
	if err != nil {
		return nil, []string{err.Error()}
	}
	want.Normalize("")
	return nil, n.Diff(want)
}

// keepFailed writes a notebook whose cells failed to build/NAME.failed.ipynb in its
// checkout, or beside it where there is no checkout, and says so; a notebook that
// could not run at all is nil.
func keepFailed(n *nbtool.Notebook, file string, problems []string) (notes, _ []string) {
	if n == nil {
		return nil, problems
	}
	abs, err := filepath.Abs(stem(file) + ".failed.ipynb")
	if err != nil {
		return nil, append(problems, err.Error())
	}
	out := abs
	if root := nbtool.Root(filepath.Dir(abs)); root != "" {
		out = filepath.Join(root, "build", filepath.Base(abs))
		err = os.MkdirAll(filepath.Dir(out), 0o755)
	}
	if err == nil {
		err = n.Write(out)
	}
	if err != nil {
		return nil, append(problems, err.Error())
	}
	return []string{"    with its outputs: " + out}, problems
}

// page runs the notebook and writes build/NAME.html in its checkout, also when
// cells failed: the page shows where.
func page(ctx context.Context, file string) (notes, problems []string) {
	n, problems := fresh(ctx, file)
	if n == nil {
		return nil, problems
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, []string{err.Error()}
	}
	out := filepath.Join(nbtool.Root(filepath.Dir(abs)), "build", pageName(file))
	if err := n.WriteHTML(ctx, out); err != nil {
		return nil, append(problems, err.Error())
	}
	for _, h := range n.Headlines() {
		notes = append(notes, "    "+h)
	}
	return append(notes, "    "+out), problems
}

// fresh executes the notebook as its source says, or as it stands when there is
// no Markdown source. The notebook is nil when it could not run at all.
func fresh(ctx context.Context, file string) (*nbtool.Notebook, []string) {
	n, err := fromSource(file)
	if errors.Is(err, fs.ErrNotExist) {
		n, err = nbtool.Read(notebook(file))
	}
	if err == nil {
		n, err = nbtool.ExecuteNotebook(ctx, n, notebook(file), nbtool.Options{CellTimeout: cellTimeout})
	}
	if err != nil {
		return nil, []string{err.Error()}
	}
	return n, n.Problems()
}

func fromSource(file string) (*nbtool.Notebook, error) {
	src, err := os.ReadFile(stem(file) + ".md")
	if err != nil {
		return nil, err
	}
	return nbtool.FromMarkdown(string(src))
}

func fail(err error) []string {
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}

func stem(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, ".md"), ".ipynb")
}

func notebook(file string) string { return stem(file) + ".ipynb" }

// pageName turns notebooks/00_tour.ipynb into tour.html.
func pageName(file string) string {
	base := filepath.Base(stem(file))
	if num, rest, ok := strings.Cut(base, "_"); ok && rest != "" && strings.Trim(num, "0123456789") == "" {
		base = rest
	}
	return base + ".html"
}

// gallery writes the gallery of one folder of notebooks.
func gallery(args []string, out, errs io.Writer) int {
	dir := "notebooks"
	switch len(args) {
	case 0:
	case 1:
		dir = args[0]
	default:
		_, _ = fmt.Fprintln(errs, usage)
		return 2
	}
	g, err := nbtool.NewGallery(dir)
	if err == nil {
		err = g.Write(dir)
	}
	if err != nil {
		_, _ = fmt.Fprintln(errs, err)
		return 1
	}
	_, _ = fmt.Fprintf(out, "%s: %d notebooks\n", dir, len(g.Thumbnails))
	return 0
}
