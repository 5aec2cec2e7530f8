package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// What readers of prose meet first: at most so many words in half of the sentences, more than so many in few.
const (
	longSentence = 30
	fewestWords  = 6 // of a sentence that counts: shorter lines are labels
)

// sentence is one sentence of a page.
type sentence struct {
	page  string
	words int
	parts bool // has a colon or a semicolon
	text  string
}

var (
	fenceOf  = regexp.MustCompile("(?ms)^```.*?^```[ \t]*$")
	codeSpan = regexp.MustCompile("`[^`]*`")
	linkOf   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	listItem = regexp.MustCompile(`^\s*([*-]|\d+\.)\s+`)
	endOf    = regexp.MustCompile(`[.!?]["”)*_]*\s+`)
	initials = regexp.MustCompile(`(^|[\s(])([A-Z]|e\.g|i\.e|cf|vs|al|pp|no|ed|Art|Eq|St|[a-z])\.\s*$`)
)

// proseOf are the sentences of the pages: no code, tables, headings, or lines of fewer than six words.
func proseOf(root string) (list []sentence, err error) {
	pages, err := pagesOf(root)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			return nil, err
		}
		list = append(list, sentences(page, string(text))...)
	}
	return list, nil
}

// sentences splits the prose of a page.
func sentences(page, text string) (list []sentence) {
	paragraph := ""
	flush := func() {
		for _, s := range split(paragraph) {
			if n := len(strings.Fields(s)); n >= fewestWords {
				list = append(list, sentence{page, n, strings.ContainsAny(s, ":;"), s})
			}
		}
		paragraph = ""
	}
	for line := range strings.Lines(fenceOf.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "    ") && paragraph == ""
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '|' || trimmed[0] == '#' || trimmed[0] == '<' || indented:
			flush()
		case listItem.MatchString(line):
			flush()
			paragraph = listItem.ReplaceAllString(line, "")
		default:
			paragraph += " " + trimmed
		}
	}
	flush()
	return list
}

// split cuts a paragraph into sentences; code counts as a word, and a link as its text.
func split(paragraph string) (list []string) {
	s := codeSpan.ReplaceAllString(paragraph, "code")
	s = linkOf.ReplaceAllString(s, "$1")
	start := 0
	for _, at := range endOf.FindAllStringIndex(s, -1) {
		if !initials.MatchString(s[start:at[1]]) {
			list, start = append(list, strings.TrimSpace(s[start:at[1]])), at[1]
		}
	}
	return append(list, strings.TrimSpace(s[start:]))
}

// readable are the figures of prose, with the longest sentences and the worst pages as places: at the median 18 words
// are wanted, at most 100 in 1000 sentences above 30 words, and 200 with a colon or semicolon.
func readable(list []sentence) []figure {
	if len(list) == 0 {
		return []figure{{name: medianWords}, {name: longSentences}, {name: partedSentences}}
	}
	slices.SortStableFunc(list, func(a, b sentence) int { return cmp.Compare(b.words, a.words) })
	median := figure{medianWords, list[len(list)/2].words, nil}
	long, parts := figure{name: longSentences}, figure{name: partedSentences}
	for _, s := range list {
		place := fmt.Sprintf("%s (%d words): %.60s …", s.page, s.words, s.text)
		if s.words > longSentence {
			long.add(place)
		}
		if s.parts {
			parts.add(place)
		}
	}
	long.number, parts.number = 1000*long.number/len(list), 1000*parts.number/len(list)
	return []figure{median, long, parts}
}

const (
	medianWords     = "median words of a sentence"
	longSentences   = "in 1000 sentences, those above 30 words"
	partedSentences = "in 1000 sentences, those with a colon or semicolon"
)

// offenders writes the figures of pages, and their sentences that are long or in parts.
func offenders(pages []string) error {
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		list := sentences(page, string(text))
		for _, s := range list {
			if s.words > longSentence || s.parts {
				fmt.Printf("%3d words  %s\n", s.words, s.text)
			}
		}
		for _, f := range readable(list) {
			fmt.Printf("%7d  %s, %s\n", f.number, f.name, page)
		}
	}
	return nil
}
