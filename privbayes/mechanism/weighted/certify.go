package weighted

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// tokensParams are the public inputs of the enumeration of rows.
type tokensParams struct {
	Boxes     model.Boxes  `json:"boxes"`
	Weights   int64        `json:"weights"` // the steps W of the largest
	Steps     int64        `json:"steps"`   // K
	Groups    int          `json:"groups"`
	Tokens    int64        `json:"tokens"` // T; smaller ones are enumerated, too
	Gaussian  bool         `json:"gaussian,omitempty"`
	Adjacency dp.Adjacency `json:"adjacency"`
}

func (q tokensParams) valid() error {
	if q.Boxes.Each() == 0 || q.Weights < 1 || q.Weights > 8 || q.Steps < 1 || q.Steps > 6 || q.Groups < 1 ||
		q.Groups > 3 || q.Tokens < 1 || q.Tokens > model.MaxTokens || q.Boxes == model.BoxesShare && q.Steps != 1 {
		return domain.Refuse("weighted", "tokens", fmt.Sprint(q.Boxes, q.Weights, q.Steps, q.Groups, q.Tokens),
			"known boxes, W of 1 to 8, K of 1 to 6, up to 3 groups, T up to 2^28")
	}
	return q.Adjacency.Valid()
}

// smallTokens are enumerated next to a plan's own T.
var smallTokens = []int64{1, 2, 3, 5, 8, 12, 64, 97}

// tokensChecker is the most that one row moves the boxes, over T: in ‖·‖₁, or of Gaussian noise in ‖·‖₂², the boxes of
// t(1 − t) times 11.
var tokensChecker = cert.Define("weighted-tokens/tokens", func(ctx context.Context, q tokensParams) (
	cert.Outcome, error) {
	if err := q.valid(); err != nil {
		return cert.Outcome{}, err
	}
	out := cert.Outcome{Method: cert.Enumeration}
	for _, tokens := range append([]int64{q.Tokens}, smallTokens...) {
		rows := rowsOf(model.Tokens{Boxes: q.Boxes, W: q.Weights, K: q.Steps, T: tokens}, q.Groups)
		far, work := farthest(rows, q.Adjacency, q.gauge(tokens))
		out.Value, out.Work = math.Max(out.Value, far), out.Work+work
	}
	return out, ctx.Err()
})

// gauge is the norm of a change in units of T, or its square in units of T².
func (q tokensParams) gauge(tokens int64) func(z []int64) float64 {
	each := q.Boxes.Each()
	return func(z []int64) (sum float64) {
		for i, v := range z {
			switch v := float64(v); {
			case !q.Gaussian:
				sum += math.Abs(v) / float64(tokens)
			case i%each >= each/2:
				sum += gaussianFree * v * v / float64(tokens) / float64(tokens)
			default:
				sum += v * v / float64(tokens) / float64(tokens)
			}
		}
		return sum
	}
}

// rowsOf are the tokens of every possible row, group by group, and those of a row without a value, by the rule that
// rows are counted with.
func rowsOf(t model.Tokens, groups int) (out [][]int64) {
	each := t.Boxes.Each()
	out = append(out, make([]int64, each*groups))
	for g := range groups {
		for w := range t.W + 1 {
			for k := range t.K + 1 {
				row := make([]int64, each*groups)
				t.Deal(w, k, row[g*each:(g+1)*each])
				out = append(out, row)
			}
		}
	}
	return out
}

// farthest is the greatest gauge of what a row that comes, goes or is replaced moves.
func farthest(rows [][]int64, adj dp.Adjacency, gauge func(z []int64) float64) (far float64, work int64) {
	z := make([]int64, len(rows[0]))
	for _, a := range rows {
		if adj == dp.AddRemove {
			far, work = math.Max(far, gauge(a)), work+1
			continue
		}
		for _, b := range rows {
			for i := range z {
				z[i] = a[i] - b[i]
			}
			far, work = math.Max(far, gauge(z)), work+1
		}
	}
	return far, work
}

// squaresParams are the public inputs of the check that squares ride free.
type squaresParams struct {
	Gaussian bool `json:"gaussian,omitempty"`
}

// mostSquares bounds the T whose every token is tried.
const mostSquares = 256

// squaresChecker is the most that t and t(1 − t) hold together, over all a ≤ T ≤ 256, t = a/T: in ‖·‖₁, or of Gaussian
// noise in ‖·‖₂², which is at most 1 where 11a²(T − a)² + a²T² ≤ T⁴, in integers.
var squaresChecker = cert.Define("weighted-tokens/squares", func(ctx context.Context, q squaresParams) (
	cert.Outcome, error) {
	out := cert.Outcome{Method: cert.Enumeration}
	for t := int64(1); t <= mostSquares; t++ {
		for a := range t + 1 {
			up, down := a*t+a*(t-a), t*t
			if q.Gaussian {
				up, down = gaussianFree*a*a*(t-a)*(t-a)+a*a*t*t, t*t*t*t
			}
			out.Value, out.Work = math.Max(out.Value, float64(up)/float64(down)), out.Work+1
			if up > down {
				out.Value = math.Max(out.Value, math.Nextafter(1, 2))
			}
		}
	}
	return out, ctx.Err()
})

// lossParams are the public inputs of the loss.
type lossParams struct {
	Noise params        `json:"noise"`
	Moved int64         `json:"moved"` // how many times T a unit moves
	Times int64         `json:"times"` // 2 where a unit may move all tokens to other boxes
	Want  dp.Parameters `json:"want"`
}

// lossChecker derives the level of the dominating pair; that the noise can be drawn as planned is checked by building
// it, and that the noise of t(1 − t) is no smaller than what is free.
var lossChecker = cert.Define("weighted-tokens/loss", func(ctx context.Context, q lossParams) (cert.Outcome, error) {
	if err := q.Noise.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if q.Times != 1 && q.Times != 2 || q.Moved < q.Times || q.Moved > 2*maxUnitRows || q.Moved%q.Times != 0 {
		return cert.Outcome{}, domain.Refuse("weighted", "moved", fmt.Sprint(q.Moved, q.Times), "once or twice the tokens "+
			"of a unit's rows")
	}
	if err := q.Want.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if _, _, err := q.Noise.noise(); err != nil {
		return cert.Outcome{}, err
	}
	method := cert.ClosedForm
	if q.Noise.Sigma2 != nil {
		method = cert.ProvedBound
	}
	value := loss.Spent(loss.Until(ctx, q.Noise.pair(q.Moved, q.Times)), q.Want)
	return cert.Outcome{Value: value, Method: method}, ctx.Err()
})

func certify(ctx context.Context, p *problem, q params) (s mechanism.Spec, err error) {
	one, rest, err := q.noise()
	if err != nil {
		return s, err
	}
	want, times := p.target.Parameters, int64(changed(p.target.Adjacency, p.tokens.Boxes, p.groups))
	small := tokensParams{Boxes: p.tokens.Boxes, Weights: min(p.tokens.W, 6), Steps: min(p.tokens.K, 4),
		Groups: min(p.groups, 2), Tokens: q.Tokens, Gaussian: q.Sigma2 != nil, Adjacency: p.target.Adjacency}
	norm, square := "‖·‖₁", ""
	if q.Sigma2 != nil {
		norm, square = "‖·‖₂², the boxes of t(1 − t) times 11,", "²"
	}
	tokens, err := tokensChecker.Check(ctx, cert.Check{
		Statement: "tokens: one row moves the boxes by at most " + map[int64]string{1: "", 2: "2·"}[times] + "T" + square,
		Formula:   norm + " of what a row deals, or of the difference of two rows, over T" + square,
		Source:    "docs/theory/survey.md, Tokens; proof at package weighted for every W, K and T", Bound: cert.Number(times),
		Scope: fmt.Sprintf("every row, and every two, at W = %d, K = %d, %d groups, and T of %v and %d", small.Weights,
			small.Steps, small.Groups, smallTokens, small.Tokens),
	}, small)
	if err != nil {
		return s, err
	}
	formula := "t + t(1 − t) ≤ 1"
	if q.Sigma2 != nil {
		formula = "11a²(T − a)² + a²T² ≤ T⁴"
	}
	squares, err := squaresChecker.Check(ctx, cert.Check{
		Statement: "squares ride free: boxes of t and t(1 − t) together hold no more than one of t",
		Formula:   formula, Source: "docs/theory/survey.md, Tokens", Bound: 1,
		Scope: fmt.Sprintf("every t = a/T, T ≤ %d; all t by 1 − (1 − t)² ≤ 1, and φ⁻⁵ ≤ 1/11", mostSquares),
	}, squaresParams{q.Sigma2 != nil})
	if err != nil {
		return s, err
	}
	pair := q.pair(p.moved(), times)
	level, err := lossChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(want),
		Formula:   pair.String(), Source: "doc of package weighted",
		Bound: loss.Allowed(want), Scope: "all data of all sizes; " + p.ofUnit(),
	}, lossParams{q, p.moved(), times, want})
	if err != nil {
		return s, err
	}
	return mechanism.Spec{
		Shape: p.shape, Arithmetic: dp.Exact, StandardFormula: p.standardFormula(q), Pair: pair,
		Checks: []cert.Check{tokens, squares, level}, Settings: p.settings(q), Expected: p.expected(q),
		Draws: mechanism.Integers, Count: p.tokens.Boxes.Each() * p.groups, Sampler: &sampler{p, q, one, rest},
	}, ctx.Err()
}
