package nbtool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write stores the page and the pictures, and removes pictures of notebooks that are gone. Writing twice gives the same
// bytes.
func (g *Gallery) Write(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, galleryFolder), 0o755); err != nil {
		return err
	}
	for name, m := range g.Thumbnails {
		b, err := encode(m)
		if err != nil {
			return fmt.Errorf("nbtool: %s: %w", name, err)
		}
		if err := os.WriteFile(thumbnailFile(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	stale, err := g.strangers(dir)
	if err != nil {
		return err
	}
	for _, file := range stale {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, galleryPage), []byte(g.Page), 0o644)
}

// Stale lists how the files of a gallery in dir differ from g; none when they are current.
func (g *Gallery) Stale(dir string) ([]string, error) {
	page, err := os.ReadFile(filepath.Join(dir, galleryPage))
	if err != nil {
		return nil, err
	}
	var ds []string
	if string(page) != g.Page {
		ds = append(ds, galleryPage+" differs: "+firstDiff(string(page), g.Page))
	}
	for name, m := range g.Thumbnails {
		b, err := os.ReadFile(thumbnailFile(dir, name))
		if err != nil || !samePixels(b, m) {
			ds = append(ds, galleryFolder+"/"+name+".png is not its notebook's figure")
		}
	}
	stale, err := g.strangers(dir)
	for _, file := range stale {
		ds = append(ds, galleryFolder+"/"+filepath.Base(file)+" belongs to no notebook")
	}
	return ds, err
}

// strangers are the pictures in dir that belong to no notebook of the gallery.
func (g *Gallery) strangers(dir string) ([]string, error) {
	files, err := filepath.Glob(thumbnailFile(dir, "*"))
	var out []string
	for _, file := range files {
		if _, ok := g.Thumbnails[strings.TrimSuffix(filepath.Base(file), ".png")]; !ok {
			out = append(out, file)
		}
	}
	return out, err
}

func thumbnailFile(dir, name string) string { return filepath.Join(dir, galleryFolder, name+".png") }
