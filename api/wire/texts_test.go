package wire

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// described are the types whose fields have texts.
var described = []reflect.Type{
	reflect.TypeFor[SolveRequest](), reflect.TypeFor[RequestLimits](), reflect.TypeFor[BatchRequest](),
	reflect.TypeFor[MovesRequest](), reflect.TypeFor[LinkRequest](), reflect.TypeFor[MovesLinkRequest](), reflect.TypeFor[RecordRequest](),
	reflect.TypeFor[Answer](), reflect.TypeFor[MovesAnswer](), reflect.TypeFor[MoveAnswer](),
	reflect.TypeFor[ProgressEvent](), reflect.TypeFor[LimitsAnswer](),
	reflect.TypeFor[ReadRequest](), reflect.TypeFor[ReadAnswer](), reflect.TypeFor[ReadRecord](),
	reflect.TypeFor[HeaderField](), reflect.TypeFor[Problem](), reflect.TypeFor[Note](),
	reflect.TypeFor[ReadQuery](), reflect.TypeFor[LinesRequest](),
	reflect.TypeFor[Fault](), reflect.TypeFor[BatchProblem](),
	reflect.TypeFor[LengthAnswer](), reflect.TypeFor[FutileMove](), reflect.TypeFor[LengthInterval](),
	reflect.TypeFor[AnalyzeRequest](), reflect.TypeFor[AnalyzeLimits](),
	reflect.TypeFor[AnalyzeBatchRequest](), reflect.TypeFor[AnalyzeRecordRequest](),
	reflect.TypeFor[AnalyzeLinkRequest](), reflect.TypeFor[AnalyzeAnswer](),
	reflect.TypeFor[AnalysisLengths](), reflect.TypeFor[AnalysisLine](),
	reflect.TypeFor[AnalysisLeftover](), reflect.TypeFor[AnalysisAuthor](),
	reflect.TypeFor[PlaceAnswer](), reflect.TypeFor[AttackAnswer](), reflect.TypeFor[CheckAnswer](),
	reflect.TypeFor[TallyAnswer](),
	reflect.TypeFor[DefenceAnswer](), reflect.TypeFor[ReplyAnswer](),
	reflect.TypeFor[FutileAnswer](), reflect.TypeFor[EqualLineAnswer](),
	reflect.TypeFor[SideMateAnswer](), reflect.TypeFor[IdlePieceAnswer](),
	reflect.TypeFor[DifficultyAnswer](), reflect.TypeFor[RuleAnswer](),
	reflect.TypeFor[RecordAnswer](), reflect.TypeFor[RecordLine](), reflect.TypeFor[RecordMove](),
	reflect.TypeFor[AnalyzeProgressEvent](),
	reflect.TypeFor[FactEvent](), reflect.TypeFor[AnalysisLimits](),
	reflect.TypeFor[PlayRequest](), reflect.TypeFor[PlayRules](), reflect.TypeFor[PlayLimits](),
	reflect.TypeFor[PlayLinkRequest](), reflect.TypeFor[PlayAnswer](), reflect.TypeFor[PlayScore](),
	reflect.TypeFor[PlayMate](), reflect.TypeFor[PlayingLimits](),
	reflect.TypeFor[JobRequest](), reflect.TypeFor[JobLimits](), reflect.TypeFor[JobAnalysis](),
	reflect.TypeFor[JobQuery](), reflect.TypeFor[Job](), reflect.TypeFor[JobCounts](),
	reflect.TypeFor[JobsAnswer](), reflect.TypeFor[QueueAnswer](), reflect.TypeFor[JobStates](),
	reflect.TypeFor[ResultsProblem](), reflect.TypeFor[ResultLine](),
	reflect.TypeFor[JobProgressEvent](), reflect.TypeFor[JobsLimits](),
	reflect.TypeFor[JobClassLimit](), reflect.TypeFor[ResultsQuery](), reflect.TypeFor[JobsQuery](),
	reflect.TypeFor[CancelQuery](),
}

// TestTexts: each field has a text, and each text a field.
func TestTexts(t *testing.T) {
	left := map[string]bool{}
	for name := range texts() {
		left[name] = true
	}
	check := func(typeName, field string) {
		text := Text(typeName, field)
		if len(text) < 10 || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n*#") {
			t.Errorf("%s.%s: %q", typeName, field, text)
		}
		delete(left, typeName+"."+field)
		delete(left, typeName+".*")
	}
	for _, typ := range described {
		for _, f := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			inherited := len(f.Index) > 1 &&
				(typ == reflect.TypeFor[BatchProblem]() || typ == reflect.TypeFor[ResultsProblem]())
			if name != "" && name != "-" && !inherited {
				check(typ.Name(), name)
			}
		}
	}
	for _, k := range Kinds() {
		check("Problems", k.Code)
	}
	for name := range left {
		t.Errorf("the text %s is of no field", name)
	}
	if text := Text("LinkRequest", "plies"); text != "As limits.plies of POST." {
		t.Errorf("plies of a link: %q", text)
	}
	if text := Text("RequestLimits", "shortest"); text != "Go on after the first mate found until it is "+
		"certain that no shorter one exists, which may take far longer." {
		t.Errorf("a text of two lines: %q", text)
	}
	if text := Text("Answer", "nothing"); text != "" {
		t.Errorf("a text of nothing: %q", text)
	}
	for line := range strings.Lines(textsFile) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
