package nbtool

// Module and Version are what a notebook outside a checkout downloads.
const (
	Module  = "github.com/privbayes/privbayes-go"
	Version = "v0.1.0"
)

// Bind is the first code cell of every notebook. It points the kernel's go.work at
// the checkout the notebook stands in, or else at the released module; it works
// offline in a checkout, and may be run again. The second magic keeps the kernel
// from looking for newer versions of what a cell imports.
const Bind = `!*d=$(cd "$GONB_DIR" && go list -m -f '{{.Dir}}' ` + Module + ` 2>/dev/null) \
  || d=$(go mod download -json ` + Module + `@` + Version + ` | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); \
  rm -f go.work && go work init . "$d"
%noautoget`

// FirstCode is the source of the first code cell, or "".
func (n *Notebook) FirstCode() string {
	for _, c := range n.Cells {
		if c.Type == "code" {
			return string(c.Source)
		}
	}
	return ""
}
