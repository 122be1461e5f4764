package site

import "encoding/xml"

// atomType is the media type of a feed.
const atomType = "application/atom+xml"

// An atomFeed is a feed as RFC 4287 describes it.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Link      atomLink `xml:"link"`
	Content   atomText `xml:"content"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// encodeXML returns v as a document.
func encodeXML(v any) []byte {
	body, err := xml.Marshal(v)
	if err != nil {
		panic(err) // a type that has no XML: a test encodes each
	}
	return append([]byte(xml.Header), append(body, '\n')...)
}
