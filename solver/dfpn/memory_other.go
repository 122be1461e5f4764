//go:build !linux

package dfpn

func adviseHugePages[T any]([]T) {}
