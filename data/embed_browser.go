//go:build browser

package data

import "embed"

// A program that a page loads has no table embedded: what it reads are the files of the person who opened the page.
var embedded embed.FS

func init() { datasets = nil }
