//go:build race

package e2e

// buildFlags makes the programs report data races too when the test looks for them.
var buildFlags = []string{"-race"}
