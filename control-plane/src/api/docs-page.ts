import { createHash } from "node:crypto";

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}
interface Media {
  schema?: unknown;
  example?: unknown;
}
interface Document {
  info: { title: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, unknown> };
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
summary { cursor: pointer; padding: .35rem 0 }
code, pre { font: .875rem/1.5 ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: .375rem }
details > details, details > p, details > dl, details > pre { margin-left: 1.25rem }
dd { white-space: pre-line }
`;

/** The page holds no script and loads nothing, so nothing else needs to be allowed. */
export const DOCS_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** A page that shows the OpenAPI document, for people. @param documentText its JSON */
export function docsPage(documentText: string): string {
  const document = JSON.parse(documentText) as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? "");
  const groups = [...byTag].map(([tag, group]) => `<h2>${escape(tag)}</h2>${group.map(operationHtml).join("")}`);
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="${escape(name)}"><summary><code>${escape(name)}</code></summary>${json(schema)}</details>`,
  );
  const { title, description = "" } = document.info;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title>`,
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>`,
    `<h1>${escape(title)}</h1><p>${escape(description)}</p>`,
    `<p>The same for machines: <a href="/api/openapi.json">/api/openapi.json</a></p>`,
    ...groups,
    `<h2>schemas</h2>${schemas.join("")}`,
    "</body></html>",
  ].join("\n");
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { operationId, summary = "", description = "", parameters = [], requestBody, responses } = operation;
  const terms = parameters.map(
    ({ name, in: place, required = false, description: meaning = "" }) =>
      `<dt><code>${escape(name)}</code> (${place}${required ? ", required" : ""})</dt><dd>${escape(meaning)}</dd>`,
  );
  const answers = Object.entries(responses).map(
    ([status, response]) =>
      `<details><summary>${status}</summary><p>${escape(response.description)}</p>${mediaHtml(response.content)}</details>`,
  );
  return [
    `<details id="${escape(operationId)}">`,
    `<summary><code>${method.toUpperCase()} ${escape(path)}</code> ${escape(summary)}</summary>`,
    `<p>${escape(description)}</p>`,
    terms.length > 0 ? `<dl>${terms.join("")}</dl>` : "",
    requestBody ? `<p>Body</p>${mediaHtml(requestBody.content)}` : "",
    ...answers,
    "</details>",
  ].join("");
}

function mediaHtml(content: Record<string, Media> = {}): string {
  return Object.values(content)
    .map(({ schema, example }) => `${example === undefined ? "" : json(example)}${schema ? json(schema) : ""}`)
    .join("");
}

function json(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
