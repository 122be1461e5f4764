package wire

// A ReadRequest is a text that is only read: the body of POST /v1/read.
type ReadRequest struct {
	Text   string `json:"text" minLength:"1"`
	Format string `json:"format,omitempty" enum:"notations"`
	Hands  string `json:"hands,omitempty" enum:"as_given,complete"`
}

// A ReadQuery is what the query of POST /v1/read says of a record in the body.
type ReadQuery struct {
	Hands string `json:"hands,omitempty" enum:"as_given,complete"`
}

// A ReadAnswer says what a text holds.
type ReadAnswer struct {
	Format  string       `json:"format" enum:"notations"`
	Charset string       `json:"charset" enum:"utf-8,shift_jis,euc-jp,utf-16"`
	Records []ReadRecord `json:"records" minItems:"1"`
}

// A ReadRecord is one record of a text. Fields that do not apply are absent.
type ReadRecord struct {
	SFEN     string        `json:"sfen"`
	Attacker string        `json:"attacker,omitempty" enum:"black,white"`
	Title    string        `json:"title,omitempty"`
	Author   string        `json:"author,omitempty"`
	Header   []HeaderField `json:"header"`
	First    string        `json:"first"`
	Moves    []string      `json:"moves"`
	Written  string        `json:"written,omitempty"`
	Plies    int           `json:"plies,omitempty" minimum:"1"`
	MovesJa  []string      `json:"moves_ja"`
	MovesEn  []string      `json:"moves_en"`
	Last     string        `json:"last"`
	Ending   string        `json:"ending,omitempty"`
	Notes    []Note        `json:"notes,omitempty"`
}

// A HeaderField is one line of the header of a record.
type HeaderField struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
