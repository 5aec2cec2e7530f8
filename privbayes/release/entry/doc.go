// Package entry drafts the record of a release for a public registry of deployments of differential privacy, and
// matches such a record with a release.
//
// The form is that of the registry of the OpenDP project, github.com/opendp/deployments-registry-data, at commit
// 057e5d8 of its schema: three tiers of fields about product, variant, privacy loss, deployment model and
// implementation. What follows from the release is filled in; what only people know is a text that begins with
// [Question]. A field that must be a date, a number or one of a list holds such a text, too, so that the registry's
// check refuses a draft by the questions that are open, and by nothing else.
//
// A record carries the SHA-256 digest of the release file. [Match] derives the filled fields from the file again.
//
// Place: above release; the command "privbayes entry" writes it, "privbayes verify --entry" matches it.
package entry
