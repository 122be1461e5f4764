//go:build !race

package dfpn_test

const raceEnabled = false
