package nbtool

import (
	"regexp"
	"strings"
)

// volatile is text that differs between two runs of the same notebook.
var volatile = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`(/[^\s"'<>:]*)?/gonb_[0-9a-f]{8}`), "/gonb"}, // the kernel's work directory
	{regexp.MustCompile(`(/[^\s"'<>:]*)?/nbrun-[0-9]+`), "."},         // ours, see Execute
	{regexp.MustCompile(`\x1b\[[0-9;]*m`), ""},                        // colours of compiler messages
}

// Normalize removes what differs from run to run: versions in the metadata,
// timings, temporary paths, cleared progress bars, and how the kernel happened
// to split a stream. Paths under root, the checkout, become relative to it (no
// replacement when root is empty). Normalising twice changes nothing.
func (n *Notebook) Normalize(root string) {
	clean := func(s string) string {
		for _, v := range volatile {
			s = v.re.ReplaceAllString(s, v.to)
		}
		if len(root) > 1 {
			s = strings.ReplaceAll(s, root+"/", "")
			s = strings.ReplaceAll(s, root, ".")
		}
		return s
	}
	n.Metadata = metadata()
	for i := range n.Cells {
		c := &n.Cells[i]
		delete(c.Metadata, "execution")
		if c.Type != "code" {
			continue
		}
		outs := []Output{}
		for _, o := range c.Outputs {
			if blank(o) {
				continue
			}
			o.Text = Text(clean(string(o.Text)))
			o.Evalue = clean(o.Evalue)
			for j := range o.Traceback {
				o.Traceback[j] = clean(o.Traceback[j])
			}
			for mime, t := range o.Data {
				if strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" {
					o.Data[mime] = Text(strings.TrimSpace(string(t)))
				} else {
					o.Data[mime] = Text(clean(string(t)))
				}
			}
			// One write of the program may arrive as one message or as several.
			if k := len(outs) - 1; k >= 0 && o.Type == "stream" && outs[k].Type == "stream" && outs[k].Name == o.Name {
				outs[k].Text += o.Text
				continue
			}
			outs = append(outs, o)
		}
		c.Outputs = outs
	}
}

// blank tells an empty stream and a progress bar that was cleared at its end.
func blank(o Output) bool {
	switch o.Type {
	case "stream":
		return o.Text == ""
	case "display_data":
		for _, t := range o.Data {
			if t != "" {
				return false
			}
		}
		return true
	}
	return false
}
