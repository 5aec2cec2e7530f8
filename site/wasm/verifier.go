//go:build js && wasm && verifier

package main

import "github.com/privbayes/privbayes-go/site/answers"

// reply answers the question of the page that verifies: the planner is not linked, and the page is ready sooner.
var reply = answers.VerifyOnly
