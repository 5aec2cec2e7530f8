package model

// Moment is a released sum over rows next to what the posterior predicts of it, in the same units: those of the columns
// scaled to [−1, 1].
type Moment struct {
	Name      string  `json:"name"`
	Released  float64 `json:"released"`
	Predicted float64 `json:"predicted"` // the mean over the posterior draws
	SD        float64 `json:"sd"`        // of the prediction, the noise of the release included
}

// Z is (released − predicted)/sd.
func (m Moment) Z() float64 { return (m.Released - m.Predicted) / m.SD }
