package privbayes

import "github.com/privbayes/privbayes-go/privbayes/noiseaware"

// NoiseAware is the posterior given the noisy counts of the release, with intervals that know the noise. It reads the release only, so it
// costs no budget. See noiseaware.Of for the releases it takes; others are a *noiseaware.UnsupportedError.
func (p *Privatized) NoiseAware() (*noiseaware.Posterior, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	return NoiseAware(p.release)
}

// NoiseAware is the posterior given the noisy counts of a release, such as one of LoadRelease. See Privatized.NoiseAware.
func NoiseAware(r *Release) (*noiseaware.Posterior, error) {
	p, err := noiseaware.Of(r)
	return p, step("NoiseAware", err)
}
