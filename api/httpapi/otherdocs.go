package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/api/wire"
)

// What is not an endpoint is described here: pictures and pages come from handlers that this
// package does not know, and are described if the service has them. A test of the whole program
// compares this with what they serve.

// The largest values of the parameters of pictures and pages.
const (
	maxPictureTitle = 80
	maxPicturePlies = 9999
)

// otherOperations describes what the service has besides its endpoints.
func (s *Server) otherOperations() (all []*huma.Operation) {
	if s.config.Diagrams != nil {
		all = append(all, diagramOperation("svg", "image/svg+xml"), diagramOperation("png", "image/png"))
	}
	all = append(all, serviceOperations()...)
	if s.config.Web != nil {
		all = append(all, pageOperations()...)
		if s.config.Jobs != nil {
			all = append(all, jobPageOperations()...)
		}
	}
	return all
}

// queryParameter describes a parameter of the query.
func queryParameter(name, doc string, schema huma.Schema) *huma.Param {
	schema.Description = doc
	if schema.Type == "" {
		schema.Type = huma.TypeString
	}
	return &huma.Param{Name: name, In: "query", Description: doc, Schema: &schema}
}

// choice describes a parameter that has one of a few values.
func choice(name, doc string, values ...any) *huma.Param {
	return queryParameter(name, doc, huma.Schema{Enum: values})
}

func sfenParameter(doc string) *huma.Param {
	p := queryParameter("sfen", doc, huma.Schema{MinLength: ptr(1)})
	p.Required = true
	p.Example = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	return p
}

var langParameter = choice("lang", "The language; without it, that which the browser prefers.", "ja", "en")

// file describes an answer of a media type. Pictures are bytes, everything else is text.
func file(doc, mediaType string) *huma.Response {
	schema := &huma.Schema{Type: huma.TypeString}
	if mediaType == "image/png" {
		schema.Format = "binary"
	}
	return &huma.Response{Description: doc, Content: map[string]*huma.MediaType{mediaType: {Schema: schema}}}
}

const htmlType = "text/html"

// describeGet describes a GET that has the answer and those problems.
func describeGet(path, id, tag, summary, doc string, answer *huma.Response, problems []*wire.Kind,
	parameters ...*huma.Param) *huma.Operation {
	responses := problemResponses(id, problems...)
	responses["200"] = answer
	return &huma.Operation{Method: http.MethodGet, Path: path, OperationID: id, Tags: []string{tag},
		Summary: summary, Description: doc, Parameters: parameters, Responses: responses}
}

// limited are the problems of everything that counts towards the rate limit.
var limited = []*wire.Kind{wire.URITooLong, wire.RateLimited}

func diagramOperation(extension, mediaType string) *huma.Operation {
	op := describeGet("/v1/diagram."+extension, "diagram"+strings.ToUpper(extension), "Pictures", "A diagram as "+mediaType,
		"Draws a position. A picture never changes, and any page may show it: it may be kept for a year, "+
			"and embedded and read across origins. None of the parameters may come twice. What is usually "+
			"added to get past a cache or to count readers (v, t, ts, _, cb, utm_source and the like) is "+
			"ignored; other parameters are faults.",
		file("The picture.", mediaType), append([]*wire.Kind{wire.InvalidQuestion}, limited...),
		sfenParameter("The position in SFEN, with moves after it if you like: the last one is marked."),
		queryParameter("size", "The width in pixels, from 160 to 1600, or 1200x630 for a card as social "+
			"networks show it. Default: 480.", huma.Schema{Pattern: `^([0-9]{3,4}|1200x630)$`}),
		choice("lang", "The language of what is written. Default: ja.", "ja", "en"),
		queryParameter("last", "The move to mark, as USI writes it.", huma.Schema{}),
		queryParameter("title", fmt.Sprintf("One line of at most %d characters.", maxPictureTitle),
			huma.Schema{MaxLength: ptr(maxPictureTitle)}),
		queryParameter("flip", "Whether White is at the bottom. Default: false.",
			huma.Schema{Type: huma.TypeBoolean}),
		choice("theme", "The colours. Default: light.", "light", "dark", "print"),
		queryParameter("plies", "The length of the problem, which a card prints.",
			huma.Schema{Type: huma.TypeInteger, Minimum: ptr(1.0), Maximum: ptr(float64(maxPicturePlies))}),
		choice("pieces", "The signs on the pieces. Default: kanji.", "kanji", "international"),
		choice("hands", "hide for the attacker's hand alone, and no word of whose turn it is. Default: "+
			"show.", "show", "hide"),
		tagsParameter("The ETag of a picture you have."))
	op.Responses["304"] = &huma.Response{Description: "You have the picture."}
	return op
}

func serviceOperations() []*huma.Operation {
	code := jobParameter("path", "code", "The code of a type of problem.")
	code.Example = wire.InvalidQuestion.Code
	return []*huma.Operation{
		describeGet("/openapi.json", "description", "Service", "This description",
			"The description of the API for programs, in OpenAPI 3.1.",
			&huma.Response{Description: "The description.", Content: map[string]*huma.MediaType{
				openAPIType: {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}}},
			limited),
		describeGet("/docs", "docsPage", "Pages", "The reference", "This description for people.",
			file("The page.", htmlType), limited),
		describeGet("/problems/{code}", "problemType", "Pages", "What a type of problem means",
			"The address of each page is the type of a problem.", file("The page.", htmlType),
			append([]*wire.Kind{wire.NotFound}, limited...), code),
		describeGet("/livez", "livez", "Service", "Whether the process can answer",
			"For probes. 503 if searches or requests run and none ends any more.",
			file("It can.", "text/plain"), []*wire.Kind{wire.URITooLong}),
		describeGet("/readyz", "readyz", "Service", "Whether requests are wanted",
			"For probes and load balancers.", file("They are.", "text/plain"),
			[]*wire.Kind{wire.URITooLong, wire.ShuttingDown}),
	}
}

// problemParameters are those of a page that shows a problem.
func problemParameters() []*huma.Param {
	return []*huma.Param{
		sfenParameter("The position in SFEN."),
		queryParameter("title", "What the problem is called: one line.", huma.Schema{}),
		queryParameter("plies", "The length of the problem, which is written beside it.",
			huma.Schema{Type: huma.TypeInteger, Minimum: ptr(1.0), Maximum: ptr(float64(maxPicturePlies))}),
		langParameter,
	}
}

// maxSetProblems is how many problems the address of a set names at most.
const maxSetProblems = 100

func pageOperations() []*huma.Operation {
	url := queryParameter("url", "The address of a page /p or /embed of this service.",
		huma.Schema{Format: "uri"})
	url.Required = true
	most := func(name, of string) *huma.Param {
		return queryParameter(name, "The largest "+of+" in pixels.",
			huma.Schema{Type: huma.TypeInteger, Minimum: ptr(1.0)})
	}
	page := func(path, id, summary, doc string, parameters ...*huma.Param) *huma.Operation {
		op := describeGet(path, id, "Pages", summary, doc, file("The page.", htmlType), limited, parameters...)
		return op
	}
	faulty := func(op *huma.Operation) *huma.Operation {
		op.Responses["422"] = file("A page that says what is wrong with the position.", htmlType)
		return op
	}
	script := page("/embed.js", "embedScript", "The board as a script", "Defines the element <tsume-board> "+
		"for pages of any origin, which load it in a script element. GET /board describes it.")
	script.Responses["200"] = file("The script.", "text/javascript")
	licenses := page("/licenses.txt", "licenses", "The licences of what the pages use", "")
	licenses.Responses["200"] = file("The licences.", "text/plain")
	licenses.Description = "The notices of everything that the board and the pages contain."
	embed := append(problemParameters(),
		choice("mode", "What a reader can do. Default: solve.", "view", "solve", "edit"),
		choice("theme", "The colours; without it, those which the reader prefers.", "light", "dark"),
		queryParameter("flip", "Whether White is at the bottom. Default: false.",
			huma.Schema{Type: huma.TypeBoolean}),
		queryParameter("moves", "Moves from the position as USI writes them, separated by spaces.",
			huma.Schema{}))
	oembed := describeGet("/oembed", "oembed", "Pages", "How to embed a problem",
		"Answers as https://oembed.com/ wants it, of the type rich, for sites that find the address of a "+
			"problem in a text.",
		&huma.Response{Description: "The HTML to embed, and its size.", Content: map[string]*huma.MediaType{
			jsonType: {Schema: oembedSchema()}}}, limited,
		url, choice("format", "The format of the answer.", "json"), most("maxwidth", "width"),
		most("maxheight", "height"))
	for status, doc := range map[string]string{"400": "A size is no number of pixels.",
		"404": "The address is none of a problem of this service.", "501": "The format is not json."} {
		oembed.Responses[status] = &huma.Response{Description: doc, Content: map[string]*huma.MediaType{
			wire.ProblemType: {Schema: schemaRef("Problem")}}}
	}
	return []*huma.Operation{
		page("/", "homePage", "The first page", "A position that can be changed and solved.", langParameter),
		faulty(page("/p", "problemPage", "The page of a problem", "A problem that a reader can solve on a board. "+
			"The page tells no answer.", problemParameters()...)),
		faulty(page("/embed", "embedPage", "A board for a frame", "A board and nothing else, which any page may "+
			"show in an iframe.", embed...)),
		faulty(page("/set", "setPage", "The page of a set of problems", "Problems that a reader solves one after "+
			"the other; how far they got stays in their browser. Without problems it is the form for a set.",
			queryParameter("sfen", "A problem in SFEN, once for each of them, or several, one a line.",
				huma.Schema{Type: huma.TypeArray, MaxItems: ptr(maxSetProblems),
					Items: &huma.Schema{Type: huma.TypeString}}),
			queryParameter("src", "The address of a collection on this host, which the browser reads: JSON, "+
				"or records one after the other. It begins with a slash.", huma.Schema{}),
			queryParameter("title", "What the set is called: one line.", huma.Schema{}), langParameter)),
		page("/board", "boardPage", "The reference of the board", "Documents the element <tsume-board>, with "+
			"examples to try.", langParameter),
		oembed, script, licenses,
	}
}

// oembedSchema describes the answer of GET /oembed.
func oembedSchema() *huma.Schema {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	number := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger, Description: doc} }
	return &huma.Schema{Type: huma.TypeObject,
		Required: []string{"version", "type", "title", "provider_name", "provider_url", "html", "width",
			"height", "cache_age"},
		Properties: map[string]*huma.Schema{
			"version":          text("The version of oEmbed."),
			"type":             text("The type of what is embedded: rich."),
			"title":            text("What the problem is called."),
			"provider_name":    text("What the service is called."),
			"provider_url":     text("The address of the service."),
			"html":             text("An iframe with the board."),
			"width":            number("Its width in pixels."),
			"height":           number("Its height in pixels."),
			"thumbnail_url":    text("A picture of the position, if one of such a size can be drawn."),
			"thumbnail_width":  number("The width of the picture in pixels."),
			"thumbnail_height": number("The height of the picture in pixels."),
			"cache_age":        number("For how many seconds the answer may be kept."),
		}}
}

func jobPageOperations() []*huma.Operation {
	position := sfenParameter("The position that the form begins with, in SFEN.")
	position.Required = false
	form := &huma.Schema{Type: huma.TypeObject, Required: []string{"sfen"},
		Properties: map[string]*huma.Schema{
			"sfen":     {Type: huma.TypeString, Description: "A position, or a record of which the first is taken."},
			"time_ms":  {Type: huma.TypeString, Description: "The longest search in milliseconds."},
			"shortest": {Type: huma.TypeString, Description: "Anything, if the shortest mate is wanted."},
			"key":      {Type: huma.TypeString, Description: "A form sent twice with the same key is one job."},
			"lang":     {Type: huma.TypeString, Enum: []any{"ja", "en"}, Description: "The language of the pages."},
		}}
	// post describes what a form is sent to: it leads to the page of a job.
	post := func(path, id, summary string, parameters ...*huma.Param) *huma.Operation {
		op := describeGet(path, id, "Pages", summary, "Takes a form of the page, not of other sites: programs use "+
			"/v1/jobs.", &huma.Response{}, limited, parameters...)
		op.Method = http.MethodPost
		delete(op.Responses, "200")
		op.Responses["303"] = &huma.Response{Description: "Go to the page of the job."}
		op.Responses["default"] = file("A page that says why not.", htmlType)
		return op
	}
	submit := post("/jobs", "submitForm", "Submit a job by the form")
	submit.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/x-www-form-urlencoded": {Schema: form}}}
	job := describeGet("/jobs/{id}", "jobPage", "Pages", "The page of a job", "How a job goes and, once it is done, "+
		"its answer.", file("The page.", htmlType), limited, jobIDParameter, langParameter)
	job.Responses["default"] = file("A page that says why there is none.", htmlType)
	return []*huma.Operation{
		describeGet("/jobs", "jobsPage", "Pages", "The page of jobs", "How busy the service is, and a form for a long "+
			"search.", file("The page.", htmlType), limited, position, langParameter),
		submit, job,
		post("/jobs/{id}/cancel", "cancelForm", "Cancel a job by the form", jobIDParameter),
	}
}
