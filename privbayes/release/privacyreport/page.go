package privacyreport

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// The page is written by functions, as tables are. A template would keep every method of the program in a browser's
// module. All text is escaped, the program's own, too.

// The first bytes of a written page, by which Save knows an older one.
const (
	htmlMark     = "<!DOCTYPE html>\n<!-- privbayes privacy report -->\n"
	markdownMark = "<!-- privbayes privacy report -->\n"
)

// note says whose the lines with a sign are.
const note = "Lines with the sign ✎ are answers of people. The program did not check them. All other lines follow " +
	"from the release file and the budget file, and from no raw data."

// signature is the last line but the note.
const signature = "Signed (name, role, date): ……………………………………………………"

// style is for screens, light and dark, and for print on A4.
const style = `:root{color-scheme:light dark;--ink:#222;--paper:#fff;--line:#ccc;--red:#a11;--soft:#f4f4f1}
@media(prefers-color-scheme:dark){:root{--ink:#ddd;--paper:#181818;--line:#444;--red:#f77;--soft:#242422}}
body{font:16px/1.5 sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.05rem;margin:1.4rem 0 .2rem}
p,ul{margin:.3rem 0}h1,p,li,td,code{overflow-wrap:anywhere}
.alert{border:2px solid var(--red);color:var(--red);padding:.4rem .8rem;font-weight:bold}
.answer{background:var(--soft);padding:.15rem .6rem}.open{color:var(--red)}.small{font-size:.85rem}
pre{background:var(--soft);padding:.5rem .8rem;white-space:pre-wrap;margin:.4rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.6rem 0;font-size:.85rem}
caption{text-align:left;font-weight:bold}
td,th{border-bottom:1px solid var(--line);padding:.2rem .6rem .2rem 0;vertical-align:top}
@media print{:root{--ink:#000;--paper:#fff;--line:#999;--red:#900;--soft:#fff}@page{size:A4;margin:14mm}
body{font-size:9pt;line-height:1.35;margin:0;padding:0;max-width:none}
h1{font-size:14pt}h2{font-size:10pt;margin:.6rem 0 0;break-after:avoid}
.text p{display:inline}.answer{padding:0}p,ul,table{margin:.1rem 0}
table,pre,.small{font-size:8pt}td,th{padding:0 .5rem 0 0}
tr,.answer,.alert,pre{break-inside:avoid}.wide{overflow:visible}}`

// identity is the line below the title.
func (r *Report) identity() string {
	kind := "Release "
	if r.Release.Kind != "" {
		kind = strings.ToUpper(r.Release.Kind[:1]) + r.Release.Kind[1:] + " "
	}
	parts := []string{kind + safetext.Word(r.Release.ID)}
	if r.Release.File != "" {
		parts = append(parts, "file "+safetext.File(r.Release.File))
	}
	parts = append(parts, "SHA-256 "+r.Release.SHA256)
	if r.Release.Date != "" {
		parts = append(parts, r.Release.Date)
	}
	return strings.Join(append(parts, "privbayes "+safetext.Word(r.Release.Library)), " · ")
}

// Page is the report as one self-contained HTML document.
func (r *Report) Page() []byte {
	return []byte(htmlMark + `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" ` +
		`content="width=device-width,initial-scale=1"><title>` + safetext.HTML(r.Title) + "</title><style>" + style +
		"</style></head><body>\n" + r.HTML() + "</body></html>\n")
}

// HTML is the report as a part of a page, such as a notebook.
func (r *Report) HTML() string {
	var b strings.Builder
	element := func(tag, class, text string) {
		if class != "" {
			class = ` class="` + class + `"`
		}
		fmt.Fprintf(&b, "<%s%s>%s</%s>\n", tag, class, safetext.HTML(text), tag)
	}
	element("h1", "", r.Title)
	for _, a := range r.Alerts {
		element("p", "alert", a)
	}
	element("p", "small", r.identity())
	for _, s := range r.sections() {
		element("h2", "", s.Heading)
		b.WriteString(`<div class="text">` + "\n")
		for _, t := range s.Text {
			element("p", "", t)
		}
		b.WriteString("</div>\n")
		for i, t := range s.Tables {
			b.WriteString(`<div class="wide">` + t.HTML() + "</div>\n")
			if i < len(s.figures) && s.figures[i] != nil {
				if svg, err := s.figures[i].SVG(); err == nil { // one that has no size is left out
					b.WriteString(`<div class="wide">` + string(svg) + "</div>\n")
				}
			}
		}
		if len(s.List) > 0 {
			b.WriteString("<ul>\n")
			for _, t := range s.List {
				element("li", "", t)
			}
			b.WriteString("</ul>\n")
		}
		for _, a := range s.Answers {
			class := "answer"
			if a.Open {
				class = "answer open"
			}
			element("p", class, a.line())
		}
		if len(s.Commands) > 0 {
			element("pre", "", strings.Join(s.Commands, "\n"))
		}
	}
	element("p", "", signature)
	element("p", "small", note)
	return b.String()
}

// line is an answer as it is shown.
func (a Answer) line() string { return "✎ " + a.Label + ": " + safetext.Prose(a.Text) }

// Markdown is the report as Markdown.
func (r *Report) Markdown() string {
	var b strings.Builder
	line := func(before, text, after string) { b.WriteString(before + safetext.Markdown(text) + after) }
	b.WriteString(markdownMark)
	line("# ", r.Title, "\n\n")
	for _, a := range r.Alerts {
		line("**", a, "**\n\n")
	}
	line("", r.identity(), "\n\n")
	for _, s := range r.sections() {
		line("## ", s.Heading, "\n\n")
		if len(s.Text) > 0 {
			line("", strings.Join(s.Text, " "), "\n\n")
		}
		for _, t := range s.Tables {
			b.WriteString(t.Markdown() + "\n")
		}
		for _, t := range s.List {
			line("- ", t, "\n")
		}
		for _, a := range s.Answers {
			line("- ", a.line(), "\n")
		}
		if len(s.List)+len(s.Answers) > 0 {
			b.WriteString("\n")
		}
		if len(s.Commands) > 0 {
			b.WriteString("```sh\n" + strings.Join(s.Commands, "\n") + "\n```\n\n")
		}
	}
	line("", signature, "\n\n")
	line("", note, "\n")
	return b.String()
}

// String is the report as Markdown.
func (r *Report) String() string { return r.Markdown() }
