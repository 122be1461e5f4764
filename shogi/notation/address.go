package notation

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// The addresses of sites are read as text and never fetched. These are the forms that carry a position:
//
//   - lishogi: /analysis/SFEN and /editor/SFEN with "_" for blanks, and #PLY
//   - KENTO: ?initpos=SFEN&moves=USI.USI#PLY
//   - shogi-extend: ?body=position.sfen.… with "." for blanks, or ?xbody= with base64url, and turn=
//   - ShogiHome: ?usen=…&branch=&ply=, and Shogi Playground: ?u=…&move=, with USEN
//   - Piyo Shogi: ?sfen=position sfen …&num=, and Shogi DB2: ?sfen=SFEN&moves= with moves of CSA
//   - Kyokumenpedia and others: SFEN in the path, in the fragment or in a parameter sfen

var (
	addressText = lazy(`(?:https?|piyoshogi)://[^\s<>"'「」（）]+`)
	pathText    = lazy(sfenBoard + `(?:[ _.]+|%20)[bw](?:(?:[ _.]+|%20)(?:-|[0-9KRBGSNLPkrbgsnlp]+)(?:(?:[ _.]+|%20)[0-9]+)?)?`)
	csaMoves    = lazy(`[+-][0-9]{4}[A-Z]{2}`)
	csaEnd      = lazy(`%[A-Z_+-]+`)
	variantText = lazy(`/(?:annan|check)shogi/`)
	rankBefore  = lazy(`(?:[+0-9A-Za-z]|(?:^|[^+0-9A-Za-z])[+1-9KRBGSNLPkrbgsnlp]+/)$`)
	wordAfter   = lazy(`^[+*0-9A-Za-z]`)
	usenText    = lazy(`^[-_.A-Za-z0-9]*~[0-9]*\.[0-9a-z]*\.[a-z]?(~|$)`)
)

// findAddress returns the address that a text in a notation is about, and where it stands. One
// within a record is no such.
func findAddress(text string, f Format) (address string, at int) {
	if f != Unknown && f != SFEN && f != KIF || !strings.Contains(text, "://") {
		return "", 0
	}
	found := addressText().FindStringIndex(text)
	if found == nil {
		return "", 0
	}
	if f == KIF && !onlyText(text) {
		return "", 0
	}
	if before := sfenText().FindStringIndex(text); f == SFEN && before != nil && before[0] < found[0] {
		return "", 0
	}
	return text[found[0]:found[1]], found[0]
}

// onlyText reports whether a text that may be a KIF has no line but those of a header.
func onlyText(text string) bool {
	for l := range lines(text) {
		switch kindOfLine(folded(strings.TrimRight(l.text, blanks))) {
		case nothingLine, commentLine, fieldLine, strayLine, bookmarkLine:
		default:
			return false
		}
	}
	return true
}

// readAddress reads the position and the moves of the address that stands at a byte of a text.
func readAddress(text, address string, at int) reading {
	r := reading{format: SFEN}
	where := placeIn(text, at)
	record := recordOfAddress(address, &r.faults)
	if record == nil && len(r.faults) == 0 {
		r.format = Unknown
		host := address
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			host = u.Host
		}
		r.faults.add(where, noPosition, clip(host))
		return r
	}
	if len(r.faults) == 0 {
		r.records = []*Record{record}
	}
	r.relocate(func(int) place { return where }) // an address has no lines
	if len(r.faults) > 0 {
		return r
	}
	for l := range lines(text) { // what people write around it
		s := l.text
		if l.at <= at && at < l.at+len(l.text)+1 {
			s = strings.Replace(s, address, "", 1)
		}
		if s = strings.Trim(s, blanks); s != "" && s[0] != '#' {
			record.note(noteAt(l.place(0), NoteText, s))
		}
	}
	if record.Format != Unknown {
		r.format = record.Format
	}
	return r
}

// recordOfAddress returns what an address says; nil, with faults or without, if it says no
// position.
func recordOfAddress(address string, f *faults) *Record {
	rest, fragment, _ := strings.Cut(address, "#")
	path, query, _ := strings.Cut(rest, "?")
	values := map[string]string{} // as they were sent
	for name, raw := range sfenurl.Parameters(query) {
		if _, ok := values[name]; !ok && raw != "" {
			values[name] = raw
		}
	}
	shown := -2 // not said
	for _, name := range []string{"turn", "ply", "num", "move"} {
		if n, err := strconv.Atoi(values[name]); err == nil && n >= 0 {
			shown = n
		}
	}
	if n, err := strconv.Atoi(fragment); err == nil && n >= 0 {
		shown = n
	}
	for _, name := range []string{"usen", "u"} {
		if raw, err := url.QueryUnescape(values[name]); err == nil && usenText().MatchString(raw) {
			branch, _ := strconv.Atoi(values["branch"])
			return show(recordOfUSEN(raw, branch, f), shown)
		}
	}
	for _, name := range []string{"xbody", "body", "sfen", "initpos", "position", "pos", "kif", "ki2", "csa", "bod",
		"kifu", "text", "content", "data"} {
		raw := values[name]
		if raw == "" {
			continue
		}
		if name == "xbody" {
			data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(raw, "="))
			if err != nil {
				f.add(place{}, badXbody)
				return nil
			}
			raw = url.QueryEscape(string(data))
		}
		r := recordOfParameter(raw, values["moves"], f)
		if text, err := url.QueryUnescape(raw); r == nil && len(*f) == 0 && err == nil && (name == "sfen" || name == "initpos") {
			_, err := shogi.ParsePosition(text)
			addSFEN(f, err, nil)
		}
		return show(r, shown)
	}
	if values["moves"] != "" { // of KENTO, from the initial position
		return show(recordOfParameter("startpos", values["moves"], f), shown)
	}
	for _, part := range []string{path, fragment} {
		plain, err := url.PathUnescape(part)
		if err != nil {
			continue
		}
		plain = strings.ReplaceAll(plain, "%20", " ")
		if in := pathText().FindStringIndex(plain); in != nil {
			switch {
			case variantText().MatchString(plain[:in[0]]):
				f.add(place{}, otherGame)
				return nil
			case rankBefore().MatchString(plain[:in[0]]), wordAfter().MatchString(plain[in[1]:]):
				f.add(place{}, notWhole, clip(plain))
				return nil
			}
			return show(recordOfParameter(url.PathEscape(plain[in[0]:in[1]]), "", f), shown)
		}
		if _, last, ok := strings.Cut(plain, "/analysis/"); ok && strings.Count(last, "/") >= 4 {
			_, err := shogi.ParsePosition(strings.TrimPrefix(last, "standard/"))
			if err != nil {
				addSFEN(f, err, nil)
				return nil
			}
		}
	}
	return nil
}

// show makes the position after n moves the one that a record is about. Without a number it is the
// last of moves, and of KENTO and others that give the position a parameter of its own the first.
func show(r *Record, n int) *Record {
	if r != nil && n >= 0 {
		r.shown = n
	}
	return r
}

// recordOfParameter reads a position, or a record, as a parameter has it, and the moves that another
// one may have.
func recordOfParameter(raw, moves string, f *faults) *Record {
	game, err := sfenurl.Parse(raw)
	if err != nil {
		text, escapeErr := url.QueryUnescape(raw)
		if escapeErr != nil || detect(text) == Unknown || detect(text) == SFEN && !strings.Contains(text, "\n") {
			if detect(text) == SFEN {
				addSFEN(f, err, nil)
			}
			if plain, ok := usiWithEnding(text); ok {
				*f = nil
				return plain
			}
			return nil
		}
		// An address within an address is not followed.
		inner := read(text, Options{Format: detect(text)}, 1)
		*f = append(*f, inner.faults...)
		if len(inner.faults) > 0 || len(inner.records) == 0 {
			return nil
		}
		record := inner.records[0]
		if record.Format == Unknown {
			record.Format = inner.format
		}
		return record
	}
	r := recordOfGame(&game, "", f)
	if r == nil || moves == "" {
		return r
	}
	text, err := url.PathUnescape(moves)
	if err != nil {
		f.add(place{}, badEscape)
		return nil
	}
	r.shown = 0 // the position has a parameter of its own
	if found := csaMoves().FindAllString(text, -1); len(found) > 0 {
		rest := csaEnd().ReplaceAllString(csaMoves().ReplaceAllString(text, ""), "")
		if rest = strings.Trim(rest, " ,._"); rest != "" {
			f.add(place{}, amongMoves, clip(rest))
			return nil
		}
		csa := r.AppendCSA(nil)
		inner := read(string(csa)+strings.Join(found, "\n")+"\n", Options{Format: CSA}, 1)
		*f = append(*f, inner.faults...)
		if len(inner.faults) > 0 {
			return nil
		}
		inner.records[0].Format = SFEN
		return inner.records[0]
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("., _", r) })
	start := game.Position()
	played, err := shogi.ParsePosition("sfen " + start.SFEN() + " moves " + strings.Join(words, " "))
	if err != nil {
		addSFEN(f, err, nil)
		r.note(noteOf(&(*f)[0]))
		*f = nil
		return r
	}
	if r = recordOfGame(&played, "", f); r != nil {
		r.shown = 0
	}
	return r
}

// usiWithEnding reads USI whose moves end in a word such as resign.
func usiWithEnding(text string) (*Record, bool) {
	text = strings.NewReplacer("_", " ", ".", " ").Replace(text)
	end, ending := usiEnd(text)
	if ending == "" {
		return nil, false
	}
	game, err := shogi.ParsePosition(text[:end])
	if err != nil {
		return nil, false
	}
	return sfenRecord(game.Start(), game.Moves(), ending), true
}

// usenDropped are the kinds of pieces that USEN has in place of a square for a drop, less 81.
var usenDropped = map[int]shogi.PieceType{9: shogi.Gold, 10: shogi.Pawn, 11: shogi.Lance, 12: shogi.Knight,
	13: shogi.Silver, 14: shogi.Bishop, 15: shogi.Rook}

// recordOfUSEN reads USEN: an SFEN without its number, with "_" for "/", "." for blanks and "z" for
// "+", nothing for the initial position; then, for each line of moves, "~", the number of moves
// before it, ".", the moves and ".", and a letter for how it ends. A move is three digits to the
// base 36: twice 81 times the square it comes from, twice the square it goes to, and 1 for a
// promotion. Squares count from 1a along the ranks. One of the lines is read, or the main line.
func recordOfUSEN(text string, branch int, f *faults) *Record {
	sections := strings.Split(text, "~")
	start := shogi.Start()
	if sections[0] != "" {
		var err error
		sfen := strings.NewReplacer("_", "/", ".", " ", "z", "+").Replace(sections[0])
		if start, err = shogi.ParseSFEN(sfen); err != nil {
			addSFEN(f, err, nil)
			return nil
		}
	}
	refuse := func(what *shogi.Text, args ...any) *Record {
		f.add(place{}, what, args...)
		return nil
	}
	if branch < 0 || branch > 0 && branch >= len(sections)-1 {
		return refuse(noUSENLine, branch)
	}
	var line []shogi.Move
	for i, section := range sections[1:] {
		number, rest, _ := strings.Cut(section, ".")
		codes, _, _ := strings.Cut(rest, ".")
		if i > 0 && i != branch {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > len(line) {
			return refuse(noUSENOrigin, clip(number))
		}
		line = line[:n]
		for ; codes != ""; codes = codes[3:] {
			if len(codes) < 3 || len(line) > MaxMoves {
				return refuse(badUSEN, clip(codes), MaxMoves)
			}
			code, err := strconv.ParseUint(codes[:3], 36, 32)
			if err != nil {
				return refuse(badUSENDigits, codes[:3])
			}
			from, to, promotes := int(code)/162, int(code)%162/2, code%2 == 1
			square := func(n int) shogi.Square { return shogi.SquareAt(shogi.File(n%9), shogi.Rank(n/9)) }
			switch kind := usenDropped[from-81]; {
			case from < 81 && promotes:
				line = append(line, shogi.NewPromotion(square(from), square(to)))
			case from < 81:
				line = append(line, shogi.NewMove(square(from), square(to)))
			case kind == shogi.NoPieceType:
				return refuse(noUSENMove, codes[:3])
			default:
				line = append(line, shogi.NewDrop(kind, square(to)))
			}
		}
	}
	p := start
	for i, m := range line {
		if err := p.Illegal(m); err != nil {
			why, _ := shogi.MessageOf(err)
			return refuse(illegalInUSEN, i+1, why)
		}
		p.Do(m)
	}
	return sfenRecord(start, line, "")
}
