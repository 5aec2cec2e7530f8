package main

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// repository is where links to files that are no pages lead.
const repository = "https://github.com/privbayes/privbayes-go"

var (
	markdownLink = regexp.MustCompile(`(!?)(\]\(\s*)(<?)([^)\s>]+)(>?)([^)]*\))`)
	htmlLink     = regexp.MustCompile(`(href|src)="([^"]*)"`)
	galleryRow   = regexp.MustCompile(`(?s)<tr>.*?</tr>`)
	rowTitle     = regexp.MustCompile(`<b>(.*?)</b>`)
	inlineCode   = regexp.MustCompile("``[^`]*``|`[^`\n]*`")
	fenceMark    = regexp.MustCompile("^\\s{0,3}(```+|~~~+)")
)

// page stages a Markdown file: links to pages stay, links to other files lead to the repository, pictures come along.
func (s *stage) page(name string) error {
	b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	text, err := s.linked(name, string(b))
	if err != nil {
		return err
	}
	return write(s.to, name, []byte(text))
}

// linked rewrites the links of a Markdown text of a page outside its code.
func (s *stage) linked(name, text string) (string, error) {
	// The picture of a row that is a link has the row's title as its text.
	text = galleryRow.ReplaceAllStringFunc(text, func(row string) string {
		if m := rowTitle.FindStringSubmatch(row); m != nil {
			return strings.Replace(row, `alt=""`, `alt="`+m[1]+`"`, 1)
		}
		return row
	})
	var failed error
	lines, fence := strings.Split(text, "\n"), ""
	for i, line := range lines {
		if m := fenceMark.FindStringSubmatch(line); m != nil {
			switch {
			case fence == "":
				fence = m[1]
			case strings.HasPrefix(m[1], fence):
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		var codes []string
		line = inlineCode.ReplaceAllStringFunc(line, func(code string) string {
			codes = append(codes, code)
			return fmt.Sprintf("\x00%d\x00", len(codes)-1)
		})
		line = markdownLink.ReplaceAllStringFunc(line, func(link string) string {
			m := markdownLink.FindStringSubmatch(link)
			to, err := s.target(name, m[4], false)
			if err != nil {
				failed = err
			}
			return m[1] + m[2] + m[3] + to + m[5] + m[6]
		})
		line = htmlLink.ReplaceAllStringFunc(line, func(link string) string {
			m := htmlLink.FindStringSubmatch(link)
			to, err := s.target(name, html.UnescapeString(m[2]), true)
			if err != nil {
				failed = err
			}
			return m[1] + `="` + html.EscapeString(to) + `"`
		})
		for k, code := range codes {
			line = strings.Replace(line, fmt.Sprintf("\x00%d\x00", k), code, 1)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n"), failed
}

// target is where a link of a page leads on the site; raw links stand in HTML, which the site builder leaves alone.
func (s *stage) target(page, link string, raw bool) (string, error) {
	u, err := url.Parse(link)
	if err != nil || u.IsAbs() || u.Path == "" {
		return link, nil
	}
	to := path.Join(path.Dir(page), u.Path)
	fragment := ""
	if u.Fragment != "" {
		fragment = "#" + u.Fragment
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(to)))
	if err == nil && info.IsDir() && s.pages[path.Join(to, "README.md")] {
		to = path.Join(to, "README.md")
	}
	switch {
	case s.pages[to]:
		back, err := filepath.Rel(filepath.FromSlash(path.Dir(page)), filepath.FromSlash(to))
		if err != nil {
			return "", err
		}
		back = filepath.ToSlash(back)
		if raw {
			back = strings.TrimSuffix(strings.TrimSuffix(back, ".md"), ".ipynb") + ".html"
		}
		return back + fragment, nil
	case err != nil:
		return "", fmt.Errorf("link to %s: %w", link, err)
	case isPicture(to):
		b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(to)))
		if err != nil {
			return "", err
		}
		where := s.to
		if raw {
			where = s.extra
		}
		return link, write(where, to, b)
	case info.IsDir():
		return repository + "/tree/main/" + to, nil
	}
	return repository + "/blob/main/" + to + fragment, nil
}

func isPicture(name string) bool {
	switch path.Ext(name) {
	case ".png", ".svg", ".jpg":
		return true
	}
	return false
}
