package claims

import (
	"embed"
	"encoding/json"
	"fmt"
	"sort"
)

// Item is one numbered item of a document: a theorem, a definition, a figure, also a headline that has no number.
type Item struct {
	Item    string `json:"item"` // as the document prints it, such as "Theorem 3"
	Page    int    `json:"page,omitempty"`
	Section string `json:"section,omitempty"`
	Kind    string `json:"kind"`
}

// kinds are the kinds of items.
var kinds = []string{"theorem", "lemma", "claim", "proposition", "corollary", "definition", "remark", "equation",
	"figure", "table", "statement", "example", "algorithm"}

//go:embed items
var itemLists embed.FS

// Items lists the numbered items of a document, in its order; the library's own theorems have none.
func Items(document string) (out []Item) {
	for _, d := range documents {
		if d.name != document || d.name == Library {
			continue
		}
		data, err := itemLists.ReadFile("items/" + d.file + ".json")
		if err == nil {
			err = json.Unmarshal(data, &out)
		}
		if err != nil {
			panic(fmt.Sprintf("claims: items/%s.json: %v", d.file, err)) // a file of this package, which a test reads
		}
	}
	return out
}

// rowsOf lists the IDs of the rows about an item.
func rowsOf(document, item string) []string {
	var out []string
	for _, c := range registry {
		if c.Document != document {
			continue
		}
		for _, name := range c.Items {
			if name == item {
				out = append(out, c.ID)
			}
		}
	}
	sort.Strings(out)
	return out
}

// withoutRow lists the items of a document that no row is about.
func withoutRow(document string) []string {
	var out []string
	for _, i := range Items(document) {
		if len(rowsOf(document, i.Item)) == 0 {
			out = append(out, i.Item)
		}
	}
	return out
}
