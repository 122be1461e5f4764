package notation

import (
	"html"
	"strings"
)

var (
	oneTag    = lazy(`<!--|</?[A-Za-z!][^<>]*>`)
	scriptTag = lazy(`(?i)^<(?:script|style)\b`)
	scriptEnd = lazy(`(?i)</(?:script|style)\s*>`)
	tagText   = lazy(`(?s)<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)\s*>|</?[A-Za-z!][^<>]*>`)
	breakText = lazy(`(?i)^</?(?:br|p|div|tr|table|li|ul|ol|dl|dt|dd|h[1-6]|pre|section|article|blockquote|center|textarea|hr|code|body|head|title)\b`)
	boxText   = lazy(`(?is)<(?:pre|textarea|code)\b[^<>]*>(.*?)</(?:pre|textarea|code)\s*>`)
	charText  = lazy(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
)

// An htmlPart is the text of a part of a page, without its tags.
type htmlPart struct{ mapped }

// htmlParts returns the texts that a page may hold a record in, the likeliest first: those whose
// line ends the page keeps, then all of it. A text without tags or character references has none.
func htmlParts(page string) []htmlPart {
	hasTags := tagText().MatchString(page)
	if !hasTags && !strings.Contains(page, "&") {
		return nil
	}
	var parts []htmlPart
	const most = 8
	for _, box := range boxText().FindAllStringSubmatchIndex(page, most) {
		part := textOf(page, box[2], box[3])
		around := textOf(page, 0, box[2]).text + "\n" + textOf(page, box[3], len(page)).text
		if !part.drawn() || part.isWhole(around) {
			parts = append(parts, part)
		}
	}
	return append(parts, textOf(page, 0, len(page)))
}

// textOf returns the text of a page between two bytes.
func textOf(page string, from, to int) htmlPart {
	var b mapper
	putText := func(at, end int) {
		for at < end {
			i := strings.IndexByte(page[at:end], '&')
			if i < 0 {
				b.put(page[at:end], at)
				return
			}
			b.put(page[at:at+i], at)
			at += i
			reference := charText().FindString(page[at:end])
			if reference == "" {
				reference = "&"
			}
			b.put(strings.ReplaceAll(html.UnescapeString(reference), "\u00a0", " "), at)
			at += len(reference)
		}
	}
	noComment, noScript := false, false // ends any more: they are looked for once
	for from < to {
		tag := oneTag().FindStringIndex(page[from:to])
		if tag == nil {
			break
		}
		end := from + tag[1]
		switch name := page[from+tag[0] : end]; {
		case name == "<!--" && !noComment:
			if i := strings.Index(page[end:to], "-->"); i >= 0 {
				tag[1] += i + len("-->")
			} else {
				noComment = true
			}
		case scriptTag().MatchString(name) && !noScript:
			if in := scriptEnd().FindStringIndex(page[end:to]); in != nil {
				tag[1] += in[1]
			} else {
				noScript = true
			}
		}
		putText(from, from+tag[0])
		if breakText().MatchString(page[from+tag[0] : from+tag[1]]) {
			b.put("\n", from+tag[0])
		}
		from += tag[1]
	}
	putText(from, to)
	return htmlPart{b.finish()}
}

// leavesTags reports whether tags were left out of records.
func leavesTags(records []*Record) bool {
	for _, r := range records {
		if r == nil {
			continue
		}
		for i := range r.Notes {
			if n := &r.Notes[i]; n.Code == NoteText && tagText().MatchString(n.Text) {
				return true
			}
		}
	}
	return false
}

var (
	handWord = lazy(`持ち?駒`)
	sideWord = lazy(`手番`)
)

// isWhole reports whether nothing of a position that is drawn in a part may stand around it.
func (p *htmlPart) isWhole(around string) bool {
	hasHands := len(handWord().FindAllStringIndex(p.text, 2)) == 2 || !handWord().MatchString(around)
	return hasHands && (sideWord().MatchString(p.text) || !sideWord().MatchString(around))
}

// drawn reports whether a part has what looks like a board.
func (p *htmlPart) drawn() bool {
	return strings.Count(p.text, "\n|") >= 9 || strings.Count(p.text, "\n｜") >= 9
}
