package nbtool

import (
	"html"
	"regexp"
	"strings"
)

// gonbError finds in the page that GoNB shows for a failed compilation: the place in the notebook, such as "Cell[2]:
// Line 2", the compiler's message, and the line of code.
var gonbError = regexp.MustCompile(
	`(?s)<span class="gonb-cell-line-info">([^<]*)</span> <span class="gonb-err-location">[^<]*</span></span>(.*?)` +
		`<div class="gonb-err-context">.*?<div class="gonb-err-line">(.*?)</div>`,
)

// elsewhere finds the messages about files other than the notebook's: a checkout that does not build.
var elsewhere = regexp.MustCompile(`[\w./-]+\.go:\d+:\d+: [^<\n]+`)

// compilerErrors lists the messages of the Go compiler among a cell's outputs, a line each: place, message, line of
// code. GoNB shows them as HTML only, and the error itself says no more than "exit status 1". Cells are numbered there
// by execution, as in In [2].
func compilerErrors(c Cell) []string {
	var list []string
	for _, o := range c.Outputs {
		page := string(o.Data["text/html"])
		for _, m := range elsewhere.FindAllString(page, -1) {
			list = append(list, html.UnescapeString(m))
		}
		for _, m := range gonbError.FindAllStringSubmatch(page, -1) {
			message := strings.TrimSpace(html.UnescapeString(m[2]))
			if strings.HasPrefix(message, "+0x") {
				continue // a place in the trace of a panic, which stands on stderr
			}
			list = append(list, m[1]+": "+message+": "+strings.TrimSpace(html.UnescapeString(m[3])))
		}
	}
	return list
}
