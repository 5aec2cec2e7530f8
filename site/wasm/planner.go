//go:build js && wasm && !verifier

package main

import "github.com/privbayes/privbayes-go/site/answers"

// reply answers every question.
var reply = answers.Answer
