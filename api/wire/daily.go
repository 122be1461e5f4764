package wire

// A DailyProblem is the problem of a day. It does not have the solution.
type DailyProblem struct {
	Date    string `json:"date"` // in Japan, as ISO 8601 writes it
	SFEN    string `json:"sfen"`
	Plies   int    `json:"plies"` // by convention
	Title   string `json:"title"`
	Address string `json:"address"` // of its page
	Image   string `json:"image"`   // a picture for links to it, of 1200 by 630 pixels
}

// A DailyAnswer is what /daily.json says: the problem of a day, and, if several were asked for, those
// of so many days up to it, the last one first.
type DailyAnswer struct {
	DailyProblem
	Days []DailyProblem `json:"days,omitempty"`
}
