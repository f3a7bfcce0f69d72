import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { seconds } from "./plain-view.ts";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import type { Progress, ProgressView, StepStatus } from "./progress.ts";
import { sentenceOf } from "./sentences.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** Lines of a running step: enough to see that it moves. */
const LOG_LINES_LIVE = 6;
/** Lines of a failed step: enough to see why. */
const LOG_LINES_FAILED = 60;

/** The other events come while what is waited for goes on. */
const ENDS_WAIT: ReadonlySet<Progress["type"]> = new Set(["queued", "deploy", "step", "done", "error"]);

interface StepLine {
  status: StepStatus;
  startedAt: number;
  tookMs: number;
  log: string[];
}

/** The four steps with their times, redrawn in place, the output of the one that runs below it. */
export function liveView(terminal: Terminal): ProgressView {
  const { style } = terminal;
  const steps = new Map<string, StepLine>();
  let doing: string | undefined;
  let drawn = 0;
  let frame = 0;
  let paused = false;
  let timer: NodeJS.Timeout | undefined;

  const erase = (): void => {
    if (drawn > 0) terminal.write(`\u001b[${drawn}A\u001b[J`);
    drawn = 0;
  };
  const draw = (): void => {
    if (paused) return;
    const lines = [...steps].flatMap(([name, step]) => stepLines(name, step));
    if (doing !== undefined) lines.push(`${spinner()} ${cut(doing, terminal.columns - 4)}`);
    erase();
    if (lines.length > 0) terminal.write(`${lines.join("\n")}\n`);
    drawn = lines.length;
  };
  /** Above what is redrawn, for good. */
  const print = (text: string): void => {
    erase();
    terminal.write(`${text}\n`);
    draw();
  };

  function stepLines(name: string, { status, startedAt, tookMs, log }: StepLine): string[] {
    const ms = status === "running" ? Date.now() - startedAt : tookMs;
    const time = status === "pending" ? "" : status === "skipped" ? "skipped" : seconds(ms);
    const line = `  ${sign(status)} ${name.padEnd(18)} ${style.dim(time)}`.trimEnd();
    if (status !== "running") return [line];
    const width = Math.max(20, terminal.columns - 8);
    const tail = log.slice(-LOG_LINES_LIVE).map((text) => style.dim(`      ${cut(text, width)}`));
    return [line, ...tail];
  }

  function sign(status: StepStatus): string {
    if (status === "success") return style.green("✓");
    if (status === "failed") return style.red("✗");
    if (status === "running") return spinner();
    return status === "canceled" ? style.yellow("■") : style.dim("·");
  }

  function spinner(): string {
    return FRAMES[frame % FRAMES.length]!;
  }

  function start(): void {
    for (const name of STEP_NAMES) {
      if (!steps.has(name)) steps.set(name, { status: "pending", startedAt: 0, tookMs: 0, log: [] });
    }
    redraw();
  }

  function redraw(): void {
    timer ??= setInterval(() => {
      frame += 1;
      draw();
    }, FRAME_MS);
  }

  function showDoing(what: string): void {
    doing = what;
    redraw();
    draw();
  }

  function showStep(event: Progress & { type: "step" }): void {
    start();
    const step = steps.get(event.step);
    if (!step) return;
    if (event.status === "running") step.startedAt = Date.now();
    else if (step.startedAt > 0) step.tookMs = Date.now() - step.startedAt;
    step.status = event.status;
    // Why it failed is said once, as the deploy's error.
    if (event.status === "failed" && step.log.length > 0) {
      print(step.log.map((line) => style.dim(`  ${line}`)).join("\n"));
    }
    draw();
  }

  function showLog(event: Progress & { type: "log" }): void {
    if (event.step === null) return print(`${style.yellow("Note:")} ${event.line}`);
    const step = steps.get(event.step);
    if (!step) return;
    step.log.push(printable(event.line));
    if (step.log.length > LOG_LINES_FAILED) step.log.shift();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    doing = undefined;
    draw();
    // The drawn lines stay, and nothing is written over them.
    drawn = 0;
    steps.clear();
  }

  return {
    show(event) {
      if (event.type === "doing") return showDoing(event.what);
      if (ENDS_WAIT.has(event.type)) doing = undefined;
      if (event.type === "step") return showStep(event);
      if (event.type === "log") return showLog(event);
      if (event.type === "deploy") start();
      if (event.type === "done" || event.type === "error") stop();
      const sentence = sentenceOf(event, style);
      if (sentence !== undefined) print(sentence);
    },
    pause() {
      erase();
      paused = true;
    },
    resume() {
      paused = false;
      draw();
    },
    close: stop,
  };
}

/** Cuts by characters; wide ones may still wrap, which costs a line of screen and nothing else. */
function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}
