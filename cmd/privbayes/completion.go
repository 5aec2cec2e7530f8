package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

const completionSynopsis = `completion bash|zsh|fish

Prints a script that completes commands, flags and the values of flags. It asks the program itself, so that it stays
true when the program changes. Where nothing is known the shell completes files.`

var completionExamples = []string{
	`eval "$(privbayes completion bash)"        # in ~/.bashrc`,
	`eval "$(privbayes completion zsh)"         # in ~/.zshrc, after compinit`,
	"privbayes completion fish | source         # in ~/.config/fish/config.fish",
}

// scripts ask "privbayes completion words" with the words up to the cursor.
var scripts = map[string]string{
	"bash": `_privbayes() {
  local IFS=$'\n'
  COMPREPLY=($(privbayes completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _privbayes privbayes
`,
	"zsh": `_privbayes() {
  local -a found
  found=(${(f)"$(privbayes completion words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _privbayes privbayes
`,
	"fish": `function __privbayes_words
  set -l before (commandline -opc)
  set -e before[1]
  set -l current (commandline -ct)
  privbayes completion words $before "$current" 2>/dev/null
end
complete -c privbayes -a '(__privbayes_words)'
`,
}

func completionCommand(args []string, out, errs io.Writer) error {
	if len(args) > 0 && args[0] == "words" {
		for _, w := range completions(args[1:]) {
			fmt.Fprintln(out, w)
		}
		return nil
	}
	f := plainFlags("completion", completionSynopsis)
	rest, err := parse(f, args, 1)
	if err != nil {
		return err
	}
	if len(rest) == 0 || scripts[rest[0]] == "" {
		return &usageError{"completion: want bash, zsh or fish"}
	}
	_, err = io.WriteString(out, scripts[rest[0]])
	return err
}

// completions are the ways to go on with a command line: its last word is the one under the cursor, maybe empty.
func completions(line []string) []string {
	if len(line) == 0 {
		line = []string{""}
	}
	last, before := line[len(line)-1], line[:len(line)-1]
	var list []string
	for _, w := range following(before, last) {
		if strings.HasPrefix(w, last) {
			list = append(list, w)
		}
	}
	return list
}

// following are the words that may stand after others. A flag is offered where one is begun.
func following(before []string, last string) []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if len(before) == 0 {
		return append(names, "help")
	}
	c, ok := named(before[0])
	if !ok {
		if before[0] == "help" {
			return names
		}
		return nil
	}
	flags := flagsOf(c)
	if flag := flags[strings.TrimLeft(before[len(before)-1], "-")]; strings.HasPrefix(before[len(before)-1], "-") &&
		flag != nil && !isBool(flag) {
		return values(flag.Name)
	}
	if strings.HasPrefix(last, "-") {
		var list []string
		for name := range flags {
			list = append(list, "--"+name)
		}
		slices.Sort(list)
		return append(list, "--help")
	}
	return arguments(before)
}

// flagsOf asks a command for its flags.
func flagsOf(c command) map[string]*flag.Flag {
	out := map[string]*flag.Flag{}
	var help *helpError
	if errors.As(c.run([]string{"--help"}, io.Discard, io.Discard), &help) {
		help.flags.VisitAll(func(f *flag.Flag) { out[f.Name] = f })
	}
	return out
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// values are those of a flag, where there is a list of them.
func values(flag string) []string {
	switch flag {
	case "mechanism":
		return catalog.Flags()
	case "model":
		return slices.DeleteFunc(model.Kinds(), func(k string) bool { return k == "network" }) // has --network
	case "adjacency":
		return []string{"replace-one", "add-remove", "replace-value"}
	case "data":
		return data.Names()
	case "encoding":
		return encodings
	case "network":
		return data.NetworkNames()
	case "solve":
		return []string{"epsilon", "n"}
	}
	return nil
}

// arguments are the words of a command that are no flags.
func arguments(before []string) []string {
	switch strings.Join(before, " ") {
	case "data":
		return []string{"list", "fetch"}
	case "data fetch":
		return append(data.Names(), data.StudyNames()...)
	case "completion":
		return []string{"bash", "zsh", "fish"}
	}
	return nil
}
