// Package sqlsource counts where the rows are: a table or a view of a database, through database/sql and a driver that
// the caller imports, is a [source.Source].
//
// Values are grouped as raw text in the database and encoded here, by the encoder of the schema that reads files: the
// database never sees a category, and the same rows give the same release as from a file. Text is compared byte by
// byte, whatever the collation of the database. One transaction, of repeatable reads, gives the number of rows and all
// tables; they must agree.
//
// # What stays private
//
// A driver's errors may quote values. None is passed on: a *[source.Failure] says in public words what was being done,
// and names columns only. Names of tables and columns are quoted, and no SQL is taken from anyone. A filter makes the
// number of rows private.
//
// Place: above source; nested modules under sources/ import it with their drivers.
package sqlsource
