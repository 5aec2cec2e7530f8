package safetext_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Bengali spells ra with the joiner before virama and ya; elsewhere before a virama the joiner has no meaning.
func TestBengaliRa(t *testing.T) {
	for text, passes := range map[string]bool{"\u09b0\u200d\u09cd\u09af\u09be\u09ae": true,
		"\u09b0\u200d\u09af": false, "\u09ae\u200d\u09cd\u09af": false,
		"\u09b0\u200d": false, "\u0930\u200d\u094d": false} {
		if err := safetext.Check(text); (err == nil) != passes {
			t.Errorf("%+q: %v", text, err)
		}
	}
}

// HTML makes no element but the one around the signs that begin formulas, and the text comes back when tags are left
// out.
func TestHTML(t *testing.T) {
	for text, want := range map[string]string{
		`a < b & "c"`:   "a &lt; b &amp; &#34;c&#34;",
		`<script>`:      "&lt;script&gt;",
		`$\kern-9em$`:   `<span>$</span><span>\</span>kern-9em<span>$</span>`,
		"two\nlines":    "two\nlines",
		"turn\u202e ed": `turn<span>\</span>u202e ed`,
	} {
		if have := safetext.HTML(text); have != want {
			t.Errorf("%q: %s, want %s", text, have, want)
		}
	}
	span := regexp.MustCompile(`<span>([$\\])</span>`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune(`ab<>&"'$\()[]{}é`))).Draw(t, "text")
		out := safetext.HTML(text)
		bare := span.ReplaceAllString(out, "")
		if strings.ContainsAny(bare, `<>$\`) {
			t.Fatalf("%q: %s", text, out)
		}
		if back := html.UnescapeString(span.ReplaceAllString(out, "$1")); back != text {
			t.Fatalf("%q came back as %q", text, back)
		}
	})
}

// Every sign that begins markup is escaped, underscores inside words are not, and the text comes back.
func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"credit_risk":       "credit_risk",
		"_exact_":           `\_exact\_`,
		"![x](http://a.eu)": `!\[x\](http://a.eu)`,
		"**b** ~~s~~ `c`":   "\\*\\*b\\*\\* \\~\\~s\\~\\~ \\`c\\`",
		"a|b":               `a\|b`,
		"<img src=x>":       "&lt;img src=x>",
		"&lt;":              "&amp;lt;",
		"$x$":               "<span>$</span>x<span>$</span>",
		"two\nlines":        `two\\nlines`,
	} {
		if have := safetext.Markdown(text); have != want {
			t.Errorf("%q: %s, want %s", text, have, want)
		}
	}
	escaped := regexp.MustCompile("<span>[$]</span>|&lt;|&amp;|\\\\[\\\\`*\\[\\]|~_]|[[:alnum:]]_[[:alnum:]]")
	back := regexp.MustCompile("\\\\([\\\\`*\\[\\]|~_])")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab<>&$\\[]()!`*_~|"))).Draw(t, "text")
		out := safetext.Markdown(text)
		for bare := out; ; { // words may share letters: a_b_c
			next := escaped.ReplaceAllString(bare, "a")
			if next == bare {
				if strings.ContainsAny(bare, "<&$\\`*_[]|~") {
					t.Fatalf("%q: %s", text, out)
				}
				break
			}
			bare = next
		}
		plain := strings.NewReplacer("<span>$</span>", "$", "&lt;", "<").Replace(back.ReplaceAllString(out, "$1"))
		if plain = strings.ReplaceAll(plain, "&amp;", "&"); plain != text {
			t.Fatalf("%q came back as %q", text, plain)
		}
	})
}
