import { EXIT } from "../output/cli-error.ts";
import type { Style } from "../output/style.ts";
import type { Progress } from "./progress.ts";

/** Writes a progress event for people; undefined for events that a view shows in its own way. */
export function sentenceOf(event: Progress, style: Style): string | undefined {
  switch (event.type) {
    case "doing":
      return `${event.what} …`;
    case "spec":
      return `${event.file}: ${event.name}${event.framework === null ? "" : `, ${event.framework}`}`;
    case "app":
      return `${event.created ? "Created" : "Found"} the app ${style.bold(event.name)}${from(event.repo_url)}`;
    case "env":
      return event.set.length === 0 ? undefined : `Set ${event.set.map((key) => withSource(event, key)).join(", ")}`;
    case "queued":
      return `Queued. ${event.detail ?? "Another deploy runs on the server."}`;
    case "deploy":
      return `Deploying ${[event.ref && shortRef(event.ref), event.release && `as ${event.release}`].filter(Boolean).join(" ")}`.trim();
    case "watch":
      return `The app gets its requests. svc watches it for ${event.ms / 1000} s more (--no-watch skips that).`;
    case "done":
      return doneSentence(event, style);
    case "error":
      return event.exit === EXIT.usage && event.code === "bad_spec"
        ? event.message
        : `${style.red("Error:")} ${event.message}`;
    case "step":
    case "log":
      return undefined;
  }
}

/** A commit by seven digits, as git shows it. */
function shortRef(ref: string): string {
  return /^[0-9a-f]{40}$/.test(ref) ? ref.slice(0, 7) : ref;
}

function from(url: string | null): string {
  return url === null ? "" : `, from ${url}`;
}

function withSource({ sources }: Progress & { type: "env" }, key: string): string {
  const source = sources[key];
  return source === undefined ? key : `${key} (${source === "secrets" ? "secrets manager" : source})`;
}

function doneSentence({ status, url, release, deploy_id: id }: Progress & { type: "done" }, style: Style): string {
  switch (status) {
    case "success":
      return `${style.green("Live")}${release === null ? "" : ` as ${release}`}: ${style.bold(url)}`;
    case "running":
      return `The deploy ${id} runs: \`svc status\` shows how it goes.`;
    case "queued":
      return "The deploy waits for its turn: `svc status` shows how it goes.";
    case "canceled":
      return `${style.yellow("Canceled.")} ${id === null ? "The app was stopped while the deploy waited." : "The former release, if there is one, goes on serving."}`;
    case "taken_back":
      return `${style.red("Taken back.")} ${release} serves again: ${style.bold(url)}`;
    case "unhealthy":
      return `${style.red("Unhealthy.")} ${release} is live whenever the app runs: \`svc status\` and \`svc logs\` show how it goes on.`;
    case "failed":
      return `${style.red("Failed.")} The former release, if there is one, goes on serving.`;
  }
}
