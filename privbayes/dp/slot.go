package dp

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Slot is a level that a publication sets aside for one later release. What is released in it may depend on all that
// was seen before, how much it costs may not: theory/publication.md §6.
type Slot struct {
	Publication string     `json:"publication,omitempty"` // its name in ledgers; empty in the publication itself
	Title       string     `json:"title,omitempty"`       // of the publication, for people
	Name        string     `json:"name"`
	Level       Parameters `json:"level"` // pure ε, ρ, or ε and δ
	// Joint says that the slot is a period of running totals (theory/publication.md §7): what its charge proves is of all
	// its slots together, whose ρ do not add up. Only the sequence itself uses it.
	Joint bool `json:"joint,omitempty"`
}

// Valid returns a *ParameterError for a slot that cannot be named, or whose level has no dominating pair: all but pure
// ε, ρ of zCDP, and ε with δ.
func (s Slot) Valid() error {
	if s.Name == "" || safetext.CheckLine(s.Name) != nil || len(s.Name) > 1000 || strings.Contains(s.Name, "#") {
		return domain.Refuse("dp", "name of a slot", s.Name, "a text of one line without the mark #")
	}
	if safetext.CheckLine(s.Title) != nil || s.Publication != "" && !safetext.IsWord(s.Publication) {
		return domain.Refuse("dp", "publication of a slot", s.Publication, "its identifier, and its name of one line")
	}
	if n := s.Level.Notion; s.Joint && n != Concentrated {
		return domain.Refuse("dp", "level of a period", s.Level, "ρ of zero-concentrated DP")
	} else if n != Pure && n != Concentrated && n != Approximate {
		return domain.Refuse("dp", "level of a slot", s.Level, "pure ε, ρ, or ε and δ")
	}
	return s.Level.Valid()
}

// Same reports whether both are the slot of one name of one publication.
func (s Slot) Same(o Slot) bool { return s.Publication == o.Publication && s.Name == o.Name }

// String names the slot, its level and its publication.
func (s Slot) String() string {
	out := fmt.Sprintf("slot %s of %s", quote(s.Name), s.Level)
	switch {
	case s.Title != "":
		return out + fmt.Sprintf(", of the publication %s (%s)", quote(s.Title), safetext.Word(s.Publication))
	case s.Publication != "":
		return out + ", of the publication " + safetext.Word(s.Publication)
	}
	return out
}

// SlotError refuses a release from a slot: a second one, a larger one, or one of other data. Nothing was drawn or
// charged.
type SlotError struct {
	Slot              Slot
	Field, Have, Want string
}

func (e *SlotError) Error() string {
	return fmt.Sprintf("slot %s: %s is %s; want %s; nothing was charged", quote(e.Slot.Name), e.Field,
		safetext.Line(e.Have), safetext.Line(e.Want))
}
