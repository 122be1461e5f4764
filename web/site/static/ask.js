// Questions to the API, and why there is no answer.

import { isStatic, request } from "./address.js";
import { $, t } from "./page.js";
import { changed } from "./state.js";

// isTime reports whether a fault is that more time was asked for than the service allows.
const isTime = ({ code, location = "" }) => code === "range" && location.endsWith(".time_ms");
const tooLong = t(
  "サーバーの制限時間を超えるので、時間を選び直しました。",
  "That is longer than the server allows. Less time is chosen now.",
);

// What the API says, it says in both languages.
function faultText(fault) {
  if (isTime(fault)) return tooLong;
  const { line, column, message, message_ja } = fault;
  const place = line ? t(`${line}行${column}文字目：`, `Line ${line}, column ${column}: `) : "";
  return place + t(message_ja || message, message);
}

export class Refused extends Error {
  constructor(problem) {
    const faults = problem.errors || [];
    const texts = [...new Set(faults.map(faultText))].join("\n");
    super(texts || t(problem.detail_ja || problem.detail, problem.detail) || problem.title);
    this.codes = faults.map((fault) => fault.code);
    this.place = faults.find((fault) => fault.line);
    if (faults.some(isTime)) offerLess().catch(() => {}); // who is offline now learns it soon
  }
}

// offerLess leaves in the menu what the service allows now: it was started anew since the page was
// loaded.
async function offerLess() {
  const response = await request("/v1/limits", { cache: "no-cache" });
  const most = (await response.json()).max_time_ms, menu = $("time"), chosen = Number(menu.value);
  for (const option of [...menu.options]) if (option.value >= most) option.remove();
  menu.add(new Option(t(`${most / 1000}秒`, `${most / 1000} s`), most));
  menu.value = Math.min(chosen, most);
  changed("answer");
}

const JSON_TYPE = "application/json";

// post asks the service, or by via what else may answer: see choose of the board's engine.
export async function post(path, question, options = {}) {
  const { signal, progress, type = JSON_TYPE, via = (_path, _question, ask) => ask(signal) } = options;
  const isText = typeof question === "string" || question instanceof Blob;
  const method = "POST", body = isText ? question : JSON.stringify(question);
  const headers = { "Content-Type": type };
  const response = await via(path, { method, body, signal },
    (signal) => request(path, { method, body, signal, headers, progress }));
  if (!response.ok) {
    let problem;
    try {
      problem = await response.json();
    } catch {
      problem = { detail: `${response.status} ${response.statusText}` };
    }
    throw new Refused({ status: response.status, ...problem });
  }
  return response;
}

// ask asks with progress: told(event, data) for each event, and the answer at the end.
export async function ask(path, question, signal, told) {
  if (isStatic) return (await post(path, question, { signal, progress: told })).json();
  const response = await post(path + "/events", question, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(t("答えの途中で接続が切れました。", "The connection broke off before the answer."));
    text += value;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const event = {};
      for (const line of text.slice(0, end).split("\n")) {
        const colon = line.indexOf(": ");
        event[line.slice(0, colon)] = line.slice(colon + 2);
      }
      const data = JSON.parse(event.data);
      if (event.event === "answer") return data;
      if (event.event === "problem") throw new Refused(data);
      told(event.event, data);
    }
  }
}

// wording says why there is no answer.
export const wording = (error) =>
  error instanceof TypeError ? t("サーバーに接続できません。", "The server cannot be reached.") : error.message;
