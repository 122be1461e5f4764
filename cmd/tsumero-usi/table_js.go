package main

// A program of WebAssembly has 4 GiB of addresses at most, never gives memory back, and lies in the
// process of a page: if a browser has not as much as it asks for, the page goes with it.

// tableBytes is the size of the table at first. It grows on use.
const tableBytes = 64 << 20

// maxTableBytes returns the size of the largest table. Garbage may take as much again.
func maxTableBytes() int64 { return 1 << 30 }
