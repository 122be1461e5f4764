package analysis

// A Feature is something of a problem that makes it harder.
type Feature struct {
	Name  string
	Value float64
}

// A Score is a proposal for how hard a problem is, and the facts it is made of.
type Score struct {
	Value    float64
	Version  int
	Features []Feature
}
