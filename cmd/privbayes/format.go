package main

import "runtime/debug"

// module is module, without what that package loads.
const module = "github.com/privbayes/privbayes-go"

// format is how a table is written.
type format struct {
	flags *flagSet
	name  *string
}

func formatFlag(f *flagSet) format {
	return format{f, f.String("format", "csv", "how the table is written: csv, or arrow, a stream of Arrow's IPC format")}
}

// check refuses another format, and one next to --json.
func (f format) check() error {
	if *f.name != "csv" && !f.arrow() {
		return wrongFlag("format", *f.name, "csv or arrow")
	}
	return f.flags.excludes("json", "format")
}

func (f format) arrow() bool { return *f.name == "arrow" }

// released is the version of the library in a program that was built from downloaded modules, or "": of one that was
// built in a checkout.
func released(b *debug.BuildInfo) string {
	if b.Main.Sum == "" {
		return ""
	}
	for _, m := range b.Deps {
		if m.Path == module && m.Replace == nil {
			return m.Version
		}
	}
	return ""
}
