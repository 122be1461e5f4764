package site

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// worded returns a message in the language of the page.
func (v *view) worded(m shogi.Message) string { return v.T(m.Japanese(), m.String()) }

// explain says what is wrong with the position of an address, for people.
func (v *view) explain(err error) (faults []string) {
	var position *shogi.SFENError
	var address *sfenurl.Error
	var record *notation.Error
	switch {
	case errors.As(err, &record):
		for _, f := range record.Faults {
			place := fmt.Sprintf(v.T("%d行%d文字目：", "Line %d, column %d: "), f.Line, f.Column)
			faults = append(faults, place+v.worded(f.Msg))
		}
	case errors.As(err, &position):
		for _, f := range position.Faults {
			place := ""
			if f.Offset >= 0 {
				place = fmt.Sprintf(v.T("%d文字目：", "Character %d: "), f.Offset+1)
			}
			faults = append(faults, place+v.worded(f.Msg))
		}
	default:
		if m, ok := shogi.MessageOf(err); ok {
			faults = append(faults, v.worded(m))
		} else {
			faults = append(faults, err.Error())
		}
	}
	if errors.As(err, &address) && address.Plus {
		faults = append(faults, v.worded(sfenurl.PlusHint.With()))
	}
	return slices.Compact(faults)
}
