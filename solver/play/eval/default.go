package eval

import (
	_ "embed"
	"sync"
)

// The file of the network that is built in. default.json beside it tells how it was made.
//
//go:embed default.net
var defaultNet []byte

// Default returns the network that is built in.
var Default = sync.OnceValue(func() *Net {
	n, err := ParseNet(defaultNet)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return n
})
