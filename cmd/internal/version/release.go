//go:build !board

package version

import "regexp"

// Release returns the number of the release, such as 1.2.3, or "dev" for a build between releases,
// so that it is the same for all of these.
func (b Build) Release() string {
	releaseForm := regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	pseudoForm := regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`) // go.dev/ref/mod#pseudo-versions
	if !releaseForm.MatchString(b.Version) || pseudoForm.MatchString(b.Version) {
		return "dev"
	}
	return b.Version[1:]
}
