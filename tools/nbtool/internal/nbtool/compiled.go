package nbtool

import (
	"context"
	"encoding/base64"
	"encoding/gob"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
)

// CellError says why a notebook cannot be one program: which cell does what only the kernel can.
type CellError struct {
	Cell int // from 1, as in Problems
	Why  string
}

// Error names the cell and the reason.
func (e *CellError) Error() string { return fmt.Sprintf("nbtool: cell %d %s", e.Cell, e.Why) }

// ExecuteCompiled is [ExecuteNotebook] without a kernel: the cells become one program, which is compiled once and runs
// once for each cell, where the kernel compiles a program for each. What a cell shows arrives by the kernel's own
// protocol. Cells begin with %%, or only declare, or are shell cells that begin with %%bash; the first one binds. A
// *CellError names a cell that needs the kernel: one with other commands, one that must fail, or one that declares a
// name anew.
func ExecuteCompiled(ctx context.Context, n *Notebook, path string, opt Options) (*Notebook, error) {
	source, err := program(n)
	if err != nil {
		return nil, err
	}
	w, err := prepare(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	defer w.close()
	c := compiled{dir: w.dir, module: filepath.Join(w.dir, "gonb_00000000"), limit: w.limit}
	c.env = append(jupyter.Environ(os.Environ(), w.root), protocol.GONB_DIR_ENV+"="+w.dir,
		protocol.GONB_TMP_DIR_ENV+"="+c.module, protocol.GONB_PIPE_ENV+"=/dev/fd/3", protocol.GONB_PIPE_BACK_ENV+"=/dev/fd/4")
	defer func() { _ = os.RemoveAll(c.module) }()
	if err := c.build(ctx, source, jupyter.Library{Dir: w.root}); err != nil {
		return nil, fmt.Errorf("nbtool: %s as one program: %w", path, err)
	}
	done := *n
	done.Cells = append([]Cell(nil), n.Cells...)
	count := 0
	for i := range done.Cells {
		cell := &done.Cells[i]
		if cell.Type != "code" {
			continue
		}
		count++
		cell.Count, cell.Outputs = new(int), nil
		*cell.Count = count
		if err := c.run(ctx, i, cell); err != nil {
			return nil, err
		}
	}
	done.Normalize(w.root)
	return &done, nil
}

// body is what a cell runs: the lines below %%, and whether it has any.
func body(source string) (string, bool) { return strings.CutPrefix(source, "%%\n") }

// shell is a script of bash, and whether the cell is one.
func shell(source string) (string, bool) { return strings.CutPrefix(source, "%%bash\n") }

// program is the Go source of all cells: their imports and declarations once, and a function for each body.
func program(n *Notebook) (string, error) {
	var imports, declared, bodies, cases strings.Builder
	said := map[string]string{}
	for i, c := range n.Cells {
		source := string(c.Source)
		_, script := shell(source)
		switch text, runs := body(source); {
		case c.Type != "code" || source == Bind || script:
		case c.Tags()["raises-exception"]:
			return "", &CellError{i + 1, "must fail"}
		case runs:
			fmt.Fprintf(&bodies, "func cell%d() {\n%s\n}\n\n", i, text)
			fmt.Fprintf(&cases, "\tcase \"%d\":\n\t\tcell%d()\n", i, i)
		case strings.HasPrefix(source, "%") || strings.HasPrefix(source, "!") || strings.Contains(source, "\n%"):
			return "", &CellError{i + 1, "has a command of the kernel"}
		default:
			if err := declare(source, &imports, &declared, said); err != nil {
				return "", &CellError{i + 1, err.Error()}
			}
		}
	}
	return "package main\n\n" + imports.String() + "\n" + declared.String() + bodies.String() +
		"func main() {\n\tcell := os.Args[1]\n\tos.Args = os.Args[:1]\n\tswitch cell {\n" + cases.String() + "\t}\n}\n", nil
}

// declare adds what a cell declares. Names that are said already must be said alike.
func declare(source string, imports, declared *strings.Builder, said map[string]string) error {
	fset := token.NewFileSet()
	const head = "package main\n"
	f, err := parser.ParseFile(fset, "", head+source, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		text := (head + source)[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset]
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for _, s := range g.Specs {
				line := (head + source)[fset.Position(s.Pos()).Offset:fset.Position(s.End()).Offset]
				if said["import "+line] == "" {
					fmt.Fprintf(imports, "import %s\n", line)
				}
				said["import "+line] = line
			}
			continue
		}
		known := 0
		names := names(d)
		for _, name := range names {
			switch was, ok := said[name]; {
			case ok && was != text, name == "main", strings.HasPrefix(name, "init"):
				return fmt.Errorf("declares %s anew", name)
			case ok:
				known++
			}
			said[name] = text
		}
		if known < len(names) || len(names) == 0 {
			declared.WriteString(text + "\n\n")
		}
	}
	return nil
}

// names are those that a declaration gives a meaning, a method with its receiver's type.
func names(d ast.Decl) (list []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			t := d.Recv.List[0].Type
			if star, ok := t.(*ast.StarExpr); ok {
				t = star.X
			}
			name = fmt.Sprint(t) + "." + name
		}
		return []string{name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				list = append(list, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					list = append(list, id.Name)
				}
			}
		}
	}
	return list
}

// compiled is a notebook's program.
type compiled struct {
	dir, module string
	env         []string
	limit       time.Duration
}

// build compiles the program in a module that is bound as the first cell binds a kernel's.
func (c compiled) build(ctx context.Context, source string, lib jupyter.Library) error {
	if err := os.Mkdir(c.module, 0o755); err != nil {
		return err
	}
	mod := "module gonb_00000000\n\ngo 1.26.0\n"
	if err := errors.Join(os.WriteFile(filepath.Join(c.module, "go.mod"), []byte(mod), 0o600),
		os.WriteFile(filepath.Join(c.module, "main.go"), []byte(source), 0o600)); err != nil {
		return err
	}
	if err := jupyter.Bind(ctx, c.module, lib, "GOWORK=off"); err != nil {
		return err
	}
	for _, args := range [][]string{{"goimports", "-w", "main.go"}, {"go", "build", "-o", "notebook", "."}} {
		name := args[0]
		if own := filepath.Join(lib.Dir, "build", "bin", name); isFile(own) {
			name = own
		}
		cmd := exec.CommandContext(ctx, name, args[1:]...)
		cmd.Dir, cmd.Env = c.module, c.env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// run fills in the outputs of a cell.
func (c compiled) run(ctx context.Context, i int, cell *Cell) error {
	source := string(cell.Source)
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	var cmd *exec.Cmd
	if script, ok := shell(source); ok {
		cmd = exec.CommandContext(ctx, "bash")
		cmd.Stdin = strings.NewReader(script)
	} else if _, ok := body(source); ok {
		cmd = exec.CommandContext(ctx, filepath.Join(c.module, "notebook"), strconv.Itoa(i))
	} else {
		return nil
	}
	shown, send, err := os.Pipe()
	if err != nil {
		return err
	}
	receive, back, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = shown.Close(); _ = back.Close() }()
	var out outputs
	cmd.Dir, cmd.Env, cmd.ExtraFiles = c.dir, c.env, []*os.File{send, receive}
	cmd.Stdout, cmd.Stderr = stream{&out, "stdout"}, stream{&out, "stderr"}
	cmd.WaitDelay = 20 * time.Second
	_ = shown.SetReadDeadline(time.Now().Add(c.limit + cmd.WaitDelay)) // a program that the cell started may hold it open
	err = cmd.Start()
	_ = send.Close()
	_ = receive.Close()
	if err == nil {
		err = errors.Join(out.display(shown, back), cmd.Wait())
	}
	if err != nil {
		out.list = append(out.list, Output{Type: "error", Ename: "ERROR", Evalue: err.Error()})
	}
	cell.Outputs = out.list
	return nil
}

// outputs are those of one cell, as they arrive.
type outputs struct {
	sync.Mutex
	list  []Output
	named map[string]int
}

// stream is the standard output or error of a cell.
type stream struct {
	out  *outputs
	name string
}

// Write adds an output.
func (s stream) Write(b []byte) (int, error) {
	s.out.Lock()
	defer s.out.Unlock()
	s.out.list = append(s.out.list, Output{Type: "stream", Name: s.name, Text: Text(b)})
	return len(b), nil
}

// display reads what the program shows until it ends, and answers its requests for synchronisation.
func (o *outputs) display(shown io.Reader, back io.Writer) error {
	d, e := gob.NewDecoder(shown), gob.NewEncoder(back)
	for {
		var m protocol.DisplayData
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if v, ok := m.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
			if err := e.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value}); err != nil {
				return err
			}
			continue
		}
		o.add(&m)
	}
}

// add appends an output, or puts it in the place of the one of the same name.
func (o *outputs) add(m *protocol.DisplayData) {
	bundle := Bundle{}
	for mime, v := range m.Data {
		switch v := v.(type) {
		case string:
			bundle[string(mime)] = Text(v)
		case []byte:
			if strings.HasPrefix(string(mime), "text/") || mime == protocol.MIMEImageSVG {
				bundle[string(mime)] = Text(v)
			} else {
				bundle[string(mime)] = Text(base64.StdEncoding.EncodeToString(v))
			}
		}
	}
	out := Output{Type: "display_data", Data: bundle, Metadata: m.Metadata}
	o.Lock()
	defer o.Unlock()
	if at, ok := o.named[m.DisplayID]; ok && m.DisplayID != "" {
		o.list[at] = out
		return
	}
	if o.named == nil {
		o.named = map[string]int{}
	}
	o.named[m.DisplayID] = len(o.list)
	o.list = append(o.list, out)
}
