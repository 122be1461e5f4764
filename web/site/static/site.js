// The page: a client of the public API. What it shows, it got from /v1/solve, /v1/moves,
// /v1/threat, /v1/analyze, /v1/play, /v1/read and the board element.

import "./analysis.js";
import "./moves.js";
import "./problem.js";
import "./read.js";
import "./replay.js";
import "./share.js";
import "./solve.js";
import "./threat.js";
