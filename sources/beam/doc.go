// Package beam counts a table on the workers of a cluster: an Apache Beam pipeline whose result is the sealed
// statistics of a private release. Its [Source] starts a chain like any other:
//
//	table, err := beam.Open(ctx, schema, beam.Prism(), "visits/*.parquet")
//	private := privbayes.From(ctx, table).WithBudget(b).Model(…).Privatize(…)
//
// # What runs where
//
// The driver lists the files, pins them by size and time, and refuses a file that is named twice. A worker gets whole
// CSV files or row groups of Parquet files, reads them with the scanners of packages source and parquet, on all its
// processors, and gives one dense array of integers: counts, and sums in 128 bits. Arrays are added in the pipeline,
// written to one file that only its owner may read, by a temporary name and a rename, and the file is deleted when the
// driver has read it. The array says how often every part was counted; anything but once refuses the run. So a run
// whose workers die gives the right result or none.
//
// No noise is drawn on a worker: the release is drawn in the driver, by the same code and from the same stream as for a
// frame. The same seed gives the same release, byte for byte.
//
// # What stays private
//
// Rows never leave a worker, but for units, below. Nothing goes through counters, metrics or logs: what a worker cannot
// read comes back as public words, the part and the column, and never as an error of the engine, which would write it
// to its logs. The array is private, and so are the runner's own files while a run lasts: shuffles and checkpoints hold
// such arrays.
//
// # Units of several rows
//
// Rows of a unit may lie in several files. Under a schema with a unit key, workers read CSV files and give the runner
// every row, the texts of all columns of the schema, by its key; GroupByKey brings the rows of a unit together, and the
// worker that gets them caps and pads them by the rule of frame.UnitCap. That no unit counts for more than it may rests
// on the runner grouping a key once, as all of them do in batch. The rows that are read and those that are capped are
// counted, and must agree. Keys and rows are private: they travel through the runner's shuffle only, between the
// workers, and its files hold them while a run lasts. Encrypt and guard them like the table.
//
// # Two linked tables
//
// [OpenTables] reads two tables such as households and their persons. Rows of both go to the runner by key, and the
// worker that gets all rows of a unit makes its one row by the join of package frame. Orphans and double keys are
// refused there, or left out, as the schema says. A worker holds the rows of units until they are 65,536. So all rows
// of one key, of orphans too, have to fit in its memory.
//
// # Runners
//
// [Prism] is Beam's own runner, in the driver's process: nothing to install. [Portable] hands the pipeline to a job
// server, such as that of Apache Flink; its workers are processes of the driver's own program, which calls [Worker]
// first in main.
package beam
