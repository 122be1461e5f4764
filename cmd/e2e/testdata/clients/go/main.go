// A client as oapi-codegen makes it, which asks for every operation once:
//
//	go run . URL KEY
//
// with the address of a running service, and an API key that it knows. It fails if an answer is not
// what its type says, or if an operation was left out.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"

	"clients/api"
)

const (
	board      = "7nl/7k1/9/7P1/9/9/9/9/9 b - 1"
	mateIn1    = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	mateIn3    = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	threatened = "4k4/9/4P4/9/9/9/9/9/9 w G2r2b3g4s4n4l17p 1"
	ndjson     = "application/x-ndjson"
)

// A recorder sends requests and knows which there were.
type recorder struct{ asked []string }

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	r.asked = append(r.asked, req.Method+" "+req.URL.Path)
	return http.DefaultClient.Do(req)
}

func main() {
	log.SetFlags(log.Lshortfile)
	url, key := os.Args[1], os.Args[2]
	sent := &recorder{}
	c, err := api.NewClientWithResponses(url, api.WithHTTPClient(sent),
		api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	check(err)
	ctx := context.Background()
	solve(ctx, c)
	analyze(ctx, c)
	play(ctx, c)
	jobs(ctx, c)
	others(ctx, c, url)

	description := must(c.DescriptionWithResponse(ctx))
	var paths struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	check(json.Unmarshal(description.Body, &paths))
	parameter := regexp.MustCompile(`\\{\w+\\}`)
	n := 0
	for path, methods := range paths.Paths {
		pattern := parameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		for method, op := range methods {
			n++
			one := regexp.MustCompile("^" + strings.ToUpper(method) + " " + pattern + "$")
			found := false
			for _, asked := range sent.asked {
				found = found || one.MatchString(asked)
			}
			want(found, op.OperationID+" was not asked for")
		}
	}
	fmt.Println(n, "operations")
}

func solve(ctx context.Context, c *api.ClientWithResponses) {
	answer := must(c.SolveWithResponse(ctx, nil, api.SolveRequest{Sfen: mateIn3}))
	want(answer.JSON200 != nil && answer.JSON200.Verdict == api.AnswerVerdictMate, answer.Body)
	faulty := must(c.SolveWithResponse(ctx, nil, api.SolveRequest{Sfen: "9"}))
	want(faulty.ApplicationproblemJSON422 != nil && faulty.ApplicationproblemJSON422.Status == 422, faulty.Body)

	record := must(c.SolveRecordWithResponse(ctx, api.SolveRecordParamsFormatKif, nil,
		api.SolveRequest{Sfen: mateIn3}))
	want(strings.Contains(string(record.Body), "まで"), record.Body)
	jkf := must(c.SolveRecordWithTextBodyWithResponse(ctx, api.SolveRecordParamsFormatJkf, nil, string(record.Body)))
	want(jkf.ApplicationxJkfJSON200 != nil && len(jkf.ApplicationxJkfJSON200.Moves) == 5, jkf.Body)
	kif := must(c.SolveWithBodyWithResponse(ctx, nil, "application/x-kif", strings.NewReader(string(record.Body))))
	want(kif.JSON200 != nil && *kif.JSON200.Plies == 3, kif.Body)
	read := must(c.ReadWithResponse(ctx, nil, api.ReadRequest{Text: string(record.Body)}))
	want(read.JSON200 != nil && len(read.JSON200.Records[0].Moves) == 3, read.Body)

	threat := must(c.ThreatWithResponse(ctx, api.ThreatRequest{Sfen: threatened}))
	want(threat.JSON200 != nil && threat.JSON200.Verdict == api.ThreatAnswerVerdictThreat, threat.Body)
	game := must(c.GamesWithResponse(ctx, nil, api.GameRequest{Text: mateIn1 + " moves G*5b"}))
	want(game.JSON200 != nil && game.JSON200.Moves == 1, game.Body)

	known := api.SimilarParams{Known: &[]string{"daily"}}
	similar := must(c.SimilarWithResponse(ctx, &known, api.SimilarRequest{Sfen: mateIn3}))
	want(similar.JSON200 != nil && len(similar.JSON200.Known) == 1 && similar.JSON200.Known[0].Problems > 0, similar.Body)

	told := must(c.SolveEventsWithResponse(ctx, nil, api.SolveRequest{Sfen: mateIn3}))
	want(strings.Contains(string(told.Body), "event: answer\n"), told.Body)

	plies := int64(1)
	link := must(c.SolveLinkWithResponse(ctx, &api.SolveLinkParams{Sfen: mateIn1, Plies: &plies}))
	want(link.JSON200 != nil && (*link.JSON200.Moves)[0] == "G*5b", link.Body)

	batch := must(c.SolveBatchWithBodyWithResponse(ctx, nil, ndjson, lines(
		api.BatchRequest{Sfen: mateIn1}, api.BatchRequest{Sfen: mateIn3})))
	want(len(objects[api.BatchAnswer](batch.Body)) == 2, batch.Body)

	moves := must(c.MovesWithResponse(ctx, api.MovesRequest{Sfen: mateIn1}))
	want(moves.JSON200 != nil && len(moves.JSON200.Moves) > 0, moves.Body)
	movesLink := must(c.MovesLinkWithResponse(ctx, &api.MovesLinkParams{Sfen: mateIn1}))
	want(movesLink.JSON200 != nil && len(movesLink.JSON200.Moves) == len(moves.JSON200.Moves), movesLink.Body)
}

func analyze(ctx context.Context, c *api.ClientWithResponses) {
	report := must(c.AnalyzeWithResponse(ctx, nil, api.AnalyzeRequest{Sfen: mateIn1}))
	want(report.JSON200 != nil && report.JSON200.Verdict == "mate", report.Body)
	link := must(c.AnalyzeLinkWithResponse(ctx, &api.AnalyzeLinkParams{Sfen: mateIn1}))
	want(link.JSON200 != nil && link.JSON200.Key == report.JSON200.Key, link.Body)
	told := must(c.AnalyzeEventsWithResponse(ctx, nil, api.AnalyzeRequest{Sfen: mateIn1}))
	want(strings.Contains(string(told.Body), "event: answer\n"), told.Body)
	batch := must(c.AnalyzeBatchWithBodyWithResponse(ctx, nil, ndjson, lines(api.AnalyzeBatchRequest{Sfen: mateIn1})))
	want(objects[api.AnalyzeBatchAnswer](batch.Body)[0].Key == report.JSON200.Key, batch.Body)
}

func play(ctx context.Context, c *api.ClientWithResponses) {
	limits := must(c.LimitsWithResponse(ctx, nil))
	want(limits.JSON200 != nil && limits.JSON200.Play != nil, limits.Body)
	move := must(c.PlayWithResponse(ctx, api.PlayRequest{Sfen: "startpos", Level: "random"}))
	link := must(c.PlayLinkWithResponse(ctx, &api.PlayLinkParams{Sfen: "startpos", Level: "random"}))
	want(move.JSON200 != nil && link.JSON200 != nil && *move.JSON200.Move == *link.JSON200.Move, link.Body)
}

func jobs(ctx context.Context, c *api.ClientWithResponses) {
	job := must(c.SubmitJobWithResponse(ctx, nil, api.JobRequest{Sfen: mateIn3}))
	want(job.JSON202 != nil, job.Body)
	id := job.JSON202.Id
	told := must(c.JobEventsWithResponse(ctx, id, nil))
	want(strings.Contains(string(told.Body), "event: answer\n"), told.Body)
	state := must(c.JobWithResponse(ctx, id, nil))
	want(state.JSON200 != nil && state.JSON200.State == api.JobStateDone, state.Body)
	result := must(c.JobResultWithResponse(ctx, id, nil))
	want(result.JSON200 != nil, result.Body)
	answer, err := result.JSON200.AsAnswer()
	check(err)
	want(answer.Verdict == api.AnswerVerdictMate && *answer.Plies == 3, result.Body)
	record := must(c.JobRecordWithResponse(ctx, id, api.JobRecordParamsFormatCsa, nil))
	want(strings.Contains(string(record.Body), "\nV2"), record.Body)

	many := must(c.SubmitJobWithBodyWithResponse(ctx, nil, ndjson, lines(
		api.BatchRequest{Sfen: mateIn1}, api.BatchRequest{Sfen: mateIn3})))
	want(many.JSON202 != nil, many.Body)
	follow := true
	results := must(c.JobResultsWithResponse(ctx, many.JSON202.Id, &api.JobResultsParams{Follow: &follow}))
	want(len(objects[api.ResultAnswer](results.Body)) == 2, results.Body)
	diagram := board
	search := must(c.SubmitComposeWithResponse(ctx, nil, api.JobComposeRequest{Compose: api.ComposeRequest{
		Method: api.ComposeRequestMethodHands, Sfen: &diagram}}))
	want(search.JSON202 != nil, search.Body)
	found := must(c.JobResultsWithResponse(ctx, search.JSON202.Id, &api.JobResultsParams{Follow: &follow}))
	want(len(objects[api.ComposeResult](found.Body)[0].Problems) > 0, found.Body)
	sheet := must(c.JobSheetWithResponse(ctx, search.JSON202.Id, nil))
	want(strings.Contains(string(sheet.Body), "<svg"), sheet.Body)
	list := must(c.JobsWithResponse(ctx, nil))
	want(list.JSON200 != nil && len(list.JSON200.Jobs) >= 2, list.Body)
	queue := must(c.QueueWithResponse(ctx))
	want(queue.JSON200 != nil && queue.JSON200.Slots > 0, queue.Body)
	purge := true
	gone := must(c.CancelJobWithResponse(ctx, id, &api.CancelJobParams{Purge: &purge}))
	want(gone.StatusCode() == http.StatusNoContent, gone.Body)

	form := must(c.JobsPageWithResponse(ctx, nil))
	want(strings.Contains(string(form.Body), "<form"), form.Body)
	page := must(c.SubmitFormWithFormdataBodyWithResponse(ctx, api.SubmitFormFormdataRequestBody{Sfen: mateIn1}))
	_, id, _ = strings.Cut(page.HTTPResponse.Request.URL.Path, "/jobs/") // after the redirect
	want(id != "" && page.StatusCode() == http.StatusOK, page.Body)
	want(must(c.JobPageWithResponse(ctx, id, nil)).StatusCode() == http.StatusOK, "the page of a job")
	must(c.CancelFormWithResponse(ctx, id))
}

func others(ctx context.Context, c *api.ClientWithResponses, url string) {
	size := "200"
	svg := must(c.DiagramSVGWithResponse(ctx, &api.DiagramSVGParams{Sfen: mateIn1, Size: &size}))
	want(strings.HasPrefix(string(svg.Body), "<svg"), svg.Body)
	png := must(c.DiagramPNGWithResponse(ctx, &api.DiagramPNGParams{Sfen: mateIn1}))
	want(strings.HasPrefix(string(png.Body), "\x89PNG"), "a picture")
	delay, line := 500, "G*5b"
	gif := must(c.DiagramGIFWithResponse(ctx, &api.DiagramGIFParams{Sfen: mateIn1, Moves: &line, Delay: &delay}))
	want(strings.HasPrefix(string(gif.Body), "GIF89a"), "a picture that moves")
	problem := url + "/p?sfen=" + strings.ReplaceAll(mateIn1, " ", "_")
	embedded := must(c.OembedWithResponse(ctx, &api.OembedParams{Url: problem}))
	want(embedded.JSON200 != nil && embedded.JSON200.Html != nil && strings.HasPrefix(*embedded.JSON200.Html, "<iframe"), embedded.Body)
	days := 2
	today := must(c.DailyWithResponse(ctx, &api.DailyParams{Days: &days}))
	want(today.JSON200 != nil && today.JSON200.Days != nil && (*today.JSON200.Days)[0].Sfen == today.JSON200.Sfen, today.Body)
	for _, answer := range []interface{ StatusCode() int }{
		must(c.HomePageWithResponse(ctx, nil)),
		must(c.DailyPageWithResponse(ctx, nil)),
		must(c.DatePageWithResponse(ctx, today.JSON200.Date, nil)),
		must(c.DailyFeedWithResponse(ctx, nil)),
		must(c.ProblemsPageWithResponse(ctx, nil)),
		must(c.TrainPageWithResponse(ctx, nil)),
		must(c.TrainSetWithResponse(ctx, "1.json")),
		must(c.ProblemPageWithResponse(ctx, &api.ProblemPageParams{Sfen: mateIn1})),
		must(c.StudyPageWithResponse(ctx, &api.StudyPageParams{Sfen: mateIn1})),
		must(c.ComposePageWithResponse(ctx, nil)),
		must(c.GamesPageWithResponse(ctx, nil)),
		must(c.SetPageWithResponse(ctx, &api.SetPageParams{Sfen: &[]string{mateIn1, mateIn3}})),
		must(c.EmbedPageWithResponse(ctx, &api.EmbedPageParams{Sfen: mateIn1})),
		must(c.BoardPageWithResponse(ctx, nil)),
		must(c.DocsPageWithResponse(ctx)),
		must(c.ProblemTypeWithResponse(ctx, "invalid_question")),
		must(c.EmbedScriptWithResponse(ctx)),
		must(c.LicensesWithResponse(ctx)),
		must(c.LivezWithResponse(ctx)),
		must(c.ReadyzWithResponse(ctx)),
	} {
		want(answer.StatusCode() == http.StatusOK, fmt.Sprintf("%T: %d", answer, answer.StatusCode()))
	}
}

// lines returns objects as lines of JSON.
func lines(all ...any) io.Reader {
	var b strings.Builder
	for _, one := range all {
		check(json.NewEncoder(&b).Encode(one))
	}
	return strings.NewReader(b.String())
}

// objects returns what is on lines of JSON.
func objects[T any](text []byte) (all []T) {
	for line := range strings.Lines(string(text)) {
		var one T
		check(json.Unmarshal([]byte(line), &one))
		all = append(all, one)
	}
	return all
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
	return v
}

// want ends the program unless ok, with what was there instead.
func want[T string | []byte](ok bool, got T) {
	if !ok {
		log.Output(2, fmt.Sprintf("not what was wanted: %.500s", got))
		os.Exit(1)
	}
}
