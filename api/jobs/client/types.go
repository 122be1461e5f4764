package client

import (
	"encoding/json"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// A Job is how a job is.
type Job struct {
	ID         jobs.ID             `json:"id"`
	Kind       jobs.Kind           `json:"kind"`
	State      jobs.State          `json:"state"`
	Created    time.Time           `json:"created"`
	Started    time.Time           `json:"started"`
	Finished   time.Time           `json:"finished"`
	Expires    time.Time           `json:"expires"`
	Lines      int                 `json:"lines"`
	Done       int                 `json:"done"`
	Counts     jobs.Counts         `json:"counts"`
	Nodes      uint64              `json:"nodes"`
	Progress   *wire.ProgressEvent `json:"progress"`
	Position   int                 `json:"position_in_queue"`
	WaitingFor string              `json:"waiting_for"`
	Answer     json.RawMessage     `json:"answer"`
	Failure    *jobs.Failure       `json:"failure"`
}

// A JobList is a page of the jobs of a key.
type JobList struct {
	Jobs []Job  `json:"jobs"`
	Next string `json:"next"`
}

// A Queue is how busy a service is.
type Queue struct {
	Jobs    map[jobs.State]int `json:"jobs"`
	Waiting int                `json:"items_waiting"`
	Workers int                `json:"workers"`
}
