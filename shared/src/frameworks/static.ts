import { SvcError } from "../errors.ts";
import { DEFAULT_PORT, type Framework } from "./framework.ts";

/** Files as they are, served by Caddy. */
export const staticSite: Framework = {
  name: "static",
  recognisedBy: "an index.html",
  recognise: (files) => (files.list().includes("index.html") ? "index.html at the repository's root" : undefined),
  plan: (files, input) => {
    if (files.list().length === 0) {
      throw new SvcError("framework_unknown", "The repository is empty. Push the files of the site.");
    }
    const port = input.port ?? DEFAULT_PORT;
    const hasIndex = files.list().includes("index.html");
    return {
      dockerfile: { text: dockerfileText(port) },
      port,
      notes: hasIndex
        ? []
        : ["There is no index.html at the repository's root, so the site's address / shows nothing."],
    };
  },
};

/** Files that start with a dot stay private, except for the folder that certificates and the like are proven with. */
const CADDYFILE = [
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
  "try_files {path} {path}.html",
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

function dockerfileText(port: number): string {
  const lines = [
    "FROM caddy:2",
    // A plain copy lacks the file capability of the original, with which it would not start without that capability.
    "RUN cp /usr/bin/caddy /usr/local/bin/caddy",
    `RUN printf '%s\\n' ${CADDYFILE.map((line) => `'${line}'`).join(" ")} > /etc/Caddyfile`,
    `ENV PORT=${port} XDG_CONFIG_HOME=/tmp XDG_DATA_HOME=/tmp`,
    "COPY . /srv",
    // No name is needed for a user that owns nothing.
    "USER 1000:1000",
    `EXPOSE ${port}`,
    'CMD ["/usr/local/bin/caddy", "run", "--config", "/etc/Caddyfile", "--adapter", "caddyfile"]',
  ];
  return `${lines.join("\n")}\n`;
}
