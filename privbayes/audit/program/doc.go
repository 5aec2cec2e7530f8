// Package program audits mechanisms written in any language: it starts an executable and speaks a small line protocol
// with it, data set in, log-law or output out.
//
//	p, err := program.Start(ctx, []string{"python3", "mechanism.py"}, program.Limits{})
//	law, err := p.Law(ctx, space)                        // asked for every data set of the space, then a finite.Mechanism
//	verdict, err := audit.Run(ctx, audit.Subject{Mechanism: law, Space: space, Claim: claim})
//	evidence, err := audit.Sample(ctx, audit.Sampled{Sampler: p, Space: space, Claim: claim})
//	err = p.Close()
//
// The protocol, version 1, is lines of text. The program speaks first and says what it can do:
//
//	privbayes-audit 1 law K          states the law of its K outputs
//	privbayes-audit 1 draw           draws outputs
//	privbayes-audit 1 law K draw     both; a draw is then the number of an output, 0 to K−1
//
// Then it answers one request after the other, until its input ends. A data set is the counts of records of each kind:
//
//	law 3 0 1        one line: K natural logarithms of probabilities, separated by spaces, -inf for an impossible output
//	draw 500 3 0 1   500 lines: an output each, any text of up to 200 bytes
//
// Whatever a program does instead, such as ending, hanging, or writing more, longer or other lines, is an [Error] of a
// kind. It is started with the rights of who audits it: audit programs that you would run.
//
// Place: above audit; for the command "privbayes audit", and for who audits from Go.
package program
