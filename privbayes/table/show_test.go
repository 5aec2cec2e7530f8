package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// chain is a value with all that the forms look for.
type chain struct {
	err error
	n   int
}

func (c chain) Table() *table.Table { return table.New("Chain", "n").Add(6 / c.n) }

func (c chain) Warnings() warning.List { return warning.List{{Text: "<n> is small"}} }

func (c chain) Err() error { return c.err }

// Every form has the table, then the warnings; of a failed chain the error alone, without asking for the table. Names
// are no markup.
func TestValuesShowTablesWarningsAndErrors(t *testing.T) {
	good, bad := chain{n: 2}, chain{err: errors.New("no <data>")}
	for _, c := range []struct{ form, got, want string }{
		{"text", table.Text(good), "Chain\nn\n-\n3\nwarning: <n> is small\n"},
		{"text", table.Text(bad), "no <data>\n"},
		{"HTML", table.HTML(good), good.Table().HTML() + good.Warnings().HTML()},
		{"HTML", table.HTML(bad), "<p><b>Error:</b> no &lt;data&gt;</p>"},
		{"Markdown", table.Markdown(good), good.Table().Markdown() + good.Warnings().Markdown()},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.form, c.got, c.want)
		}
	}
	if s := table.Markdown(bad); !strings.HasPrefix(s, "**Error:** no ") || strings.Contains(s, "<data>") {
		t.Error(s)
	}
}

func ExampleText() {
	fmt.Print(table.Text(chain{n: 3}))
	// Output:
	// Chain
	// n
	// -
	// 2
	// warning: <n> is small
}
