import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import type { StatusResponse, Timestamp, Vertex } from "@svc/shared/gen/buildkit_status_pb.ts";
import { PYTHON_WHEELS } from "@svc/shared/frameworks/base-images.ts";
import { LINE_BYTES_MAX } from "@svc/shared/rules/log-line.ts";

/** This is enough to see why an instruction failed. */
const LAST_LINES_MAX = 10;

/** The engine's own preparations; nobody misses them unless they fail. */
const INTERNAL = /^(?:\[internal\]|load remote build context|copy \/context|\[auth\]|resolve image config)/;

/** The only ones that run processes, as BuildKit names them: "[app 3/4] RUN npm ci". */
const INSTRUCTION = /^\[[^\]]*\] RUN /;

/** Lines that npm adds after the reason: how a command is used, and where in the build's container its log was. */
const NPM = /^npm (?:error|ERR!)/;
const NPM_USAGE = /^npm (?:error|ERR!) (?:Usage:|Options:)/;
const NPM_USAGE_END = /^npm (?:error|ERR!) Run "npm help/;
const NPM_NOISE = /^npm (?:error|ERR!)\s*(?:$|Clean install a project$|A complete log of this run)/;

/** The first line of pip in the Python image that carries its packages. */
const PIP_WITHOUT_INDEX = `Looking in links: ${PYTHON_WHEELS.folder}`;

/** BuildKit's word for steps beside one that failed. */
const CANCELED = /cancel+ed/i;

export interface FailedStep {
  /** The step's name by BuildKit: "[app 3/4] RUN npm ci". */
  name: string;
  lastLines: readonly string[];
  /** pip could install what the image carries, and nothing else. */
  isWithoutIndex: boolean;
}

interface Step {
  /** The number in front of the step's lines; undefined while none is shown. */
  number: number | undefined;
  name: string;
  isBegun: boolean;
  isDone: boolean;
  lastLines: string[];
  isWithoutIndex: boolean;
  /** Within npm's description of a command. */
  isUsage: boolean;
  /** The part of a line that has come so far, per stream. */
  partial: Map<string, { decoder: StringDecoder; text: string }>;
}

/**
 * Turns BuildKit's progress into lines as people know them from `docker build --progress=plain`. Pieces of output are
 * joined per step and stream, so that lines come whole although they arrive in parts.
 */
export class BuildLog {
  readonly #steps = new Map<string, Step>();
  readonly #write: (line: string) => void;
  readonly #shown: (name: string) => string | undefined;
  #numbers = 0;
  #cached = 0;
  #failed: Step | undefined;

  /** @param shown a step's name as its owner may read it; undefined for one that is not theirs */
  constructor(write: (line: string) => void, shown: (name: string) => string | undefined = (name) => name) {
    this.#write = write;
    this.#shown = shown;
  }

  add(status: StatusResponse): void {
    for (const vertex of status.vertexes) this.#step(vertex.digest, vertex.name);
    for (const vertex of status.vertexes) if (vertex.started) this.#start(vertex);
    for (const log of status.logs) this.#output(this.#step(log.vertex, ""), String(log.stream), log.msg);
    for (const vertex of status.vertexes) if (vertex.completed) this.#complete(vertex);
  }

  /** The step that ended the build, and the end of its output, without what helps nobody. */
  failedStep(): FailedStep | undefined {
    if (!this.#failed) return undefined;
    const { name, lastLines, isWithoutIndex } = this.#failed;
    return { name, lastLines, isWithoutIndex };
  }

  /** Whether a process of the build runs. */
  isInstructionRunning(): boolean {
    return [...this.#steps.values()].some(({ name, isBegun, isDone }) => isBegun && !isDone && INSTRUCTION.test(name));
  }

  /** How many of the shown steps came from the cache. */
  summary(): string {
    return `${this.#cached} of ${this.#numbers} steps from the cache`;
  }

  #step(digest: string, name: string): Step {
    const known = this.#steps.get(digest);
    if (known) return known;
    const step: Step = {
      number: undefined,
      name: this.#shown(name) ?? "",
      isBegun: false,
      isDone: false,
      lastLines: [],
      isWithoutIndex: false,
      isUsage: false,
      partial: new Map(),
    };
    this.#steps.set(digest, step);
    return step;
  }

  #start(vertex: Vertex): void {
    const step = this.#step(vertex.digest, vertex.name);
    step.isBegun = true;
    if (step.number !== undefined || step.name === "" || INTERNAL.test(vertex.name)) return;
    step.number = this.#numbers += 1;
    this.#write(`#${step.number} ${step.name}`);
  }

  /** A step may be reported again, begun anew; the last report counts. */
  #complete(vertex: Vertex): void {
    const step = this.#step(vertex.digest, vertex.name);
    if (vertex.error !== "" && !CANCELED.test(vertex.error)) this.#failed ??= step;
    if (step.isDone) return;
    step.isDone = true;
    for (const { text } of step.partial.values()) if (text !== "") this.#line(step, text);
    step.partial.clear();
    if (step.number === undefined) return;
    if (vertex.cached) this.#cached += 1;
    this.#write(`#${step.number} ${outcome(vertex)}`);
  }

  #output(step: Step, stream: string, bytes: Uint8Array): void {
    const partial = step.partial.get(stream) ?? { decoder: new StringDecoder("utf8"), text: "" };
    step.partial.set(stream, partial);
    const lines = (partial.text + partial.decoder.write(bytes)).split(/\r?\n|\r(?!$)/);
    partial.text = lines.pop() ?? "";
    for (const line of lines) this.#line(step, line);
    if (partial.text.length < LINE_BYTES_MAX) return;
    this.#line(step, partial.text);
    partial.text = "";
  }

  #line(step: Step, text: string): void {
    const line = stripVTControlCharacters(text).trimEnd();
    if (line === PIP_WITHOUT_INDEX) step.isWithoutIndex = true;
    step.isUsage = NPM_USAGE.test(line) || (step.isUsage && NPM.test(line));
    const isNoise = line === "" || step.isUsage || NPM_NOISE.test(line);
    if (!isNoise) step.lastLines = [...step.lastLines, line].slice(-LAST_LINES_MAX);
    if (NPM_USAGE_END.test(line)) step.isUsage = false;
    this.#write(step.number === undefined ? line : `#${step.number} ${line}`);
  }
}

function outcome(vertex: Vertex): string {
  if (vertex.error !== "") return CANCELED.test(vertex.error) ? "CANCELED" : "FAILED";
  if (vertex.cached) return "CACHED";
  return `DONE ${(seconds(vertex.completed) - seconds(vertex.started)).toFixed(1)} s`;
}

function seconds(time: Timestamp | undefined): number {
  return time ? Number(time.seconds) + time.nanos / 1e9 : 0;
}
