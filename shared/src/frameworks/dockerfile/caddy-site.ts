import { cmdInstruction } from "../../spec/start-command.ts";
import type { PlanInput } from "../framework.ts";

/** How files are served by Caddy. */
export interface CaddySite {
  /** The answer for a path that is no file: nothing (404), or a page that reads the path itself. */
  fallback?: string;
  /** A folder whose files have a hash of their content in the name, so that browsers may keep them. */
  hashed?: string;
  /** Files that are not for visitors. */
  hidden?: readonly string[];
}

/** Files that start with a dot stay private, except for the folder that certificates and the like are proven with. */
function caddyfile({ fallback, hashed, hidden = [] }: CaddySite): string[] {
  return [
    "{",
    "admin off",
    "auto_https off",
    "}",
    ":{$PORT}",
    "root * /srv",
    "encode gzip",
    "@hidden {",
    "path */.*",
    "not path /.well-known/*",
    "}",
    "error @hidden 404",
    ...hidden.map((name) => `error /${name} 404`),
    ...(hashed === undefined ? [] : hashedRules(hashed)),
    "@found {",
    ...(hashed === undefined ? [] : [`not path /${hashed}/*`]),
    `file {path} {path}.html${fallback === undefined ? "" : ` {path}/index.html ${fallback}`}`,
    "}",
    "rewrite @found {file_match.relative}",
    "file_server",
    "handle_errors {",
    "@page file /{err.status_code}.html",
    "handle @page {",
    "rewrite * {file_match.relative}",
    "file_server",
    "}",
    "handle {",
    'respond "{err.status_code} {err.status_text}"',
    "}",
    "}",
  ];
}

/** A file of an older release that is gone is not found: the fallback would be kept under its name for a year. */
function hashedRules(folder: string): string[] {
  return [
    "@hashed {",
    `path /${folder}/*`,
    "file",
    "}",
    'header @hashed Cache-Control "public, max-age=31536000, immutable"',
  ];
}

/** The final stage of an app whose result is files. */
export function caddyStage(site: CaddySite, input: PlanInput, port: number, copy: string): string[] {
  return [
    "FROM caddy:2",
    `RUN printf '%s\\n' ${caddyfile(site)
      .map((line) => `'${line}'`)
      .join(" ")} > /etc/Caddyfile`,
    `ENV PORT=${port} XDG_CONFIG_HOME=/tmp XDG_DATA_HOME=/tmp`,
    copy,
    // No name is needed for a user that owns nothing.
    "USER 1000:1000",
    `EXPOSE ${port}`,
    cmdInstruction(input.start ?? { form: "exec", words: SERVE }),
  ];
}

const SERVE = ["caddy", "run", "--config", "/etc/Caddyfile", "--adapter", "caddyfile"];
