import * as samples from "@svc/shared/frameworks/sample-repositories.ts";
import { describe, expect, it } from "vitest";
import { planAdditions } from "./additions.ts";
import { canonicalText } from "./canonical-text.ts";
import { readDockerfile } from "./stages.ts";

const FACTS = { hasHeredocs: false, platform: { os: "linux", architecture: "arm64" }, buildArgs: {} };

function written(text: string): string[] {
  const dockerfile = readDockerfile(text, FACTS);
  const additions = planAdditions(dockerfile, FACTS, () => []);
  const fetched = { image: "", pathOf: () => "" };
  return canonicalText(dockerfile, { additions, salt: "s", fetched, resolveImage: ({ short }) => short }).text.split(
    "\n",
  );
}

const REPOSITORIES: Record<string, samples.Files> = {
  next: samples.NEXT_APP,
  remix: samples.ROUTER,
  nuxt: samples.NUXT,
  astro: samples.ASTRO,
  vite: samples.VITE,
  express: samples.EXPRESS,
  fastify: samples.FASTIFY,
  static: { "index.html": "" },
  go: {
    "go.mod": "module a\n",
    "main.go": 'package main\nimport "net/http"\nfunc main() { http.ListenAndServe(":1", nil) }',
  },
  rust: { "Cargo.toml": '[package]\nname = "a"\nversion = "1.0.0"\n', "src/main.rs": "fn main() {}" },
  flask: { "requirements.txt": "flask\n", "app.py": "from flask import Flask\napp = Flask(__name__)\n" },
};

describe("a Dockerfile that the platform has made", () => {
  it.each(Object.entries(REPOSITORIES))("for %s is given to BuildKit with all of its instructions", (_name, files) => {
    const text = samples.text(files);
    const own = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const lines = written(text).filter((line) => line !== "");
    const ours = lines.filter((line) => line.includes("svc-owner") || line === "WORKDIR /s");
    expect(lines.length - ours.length).toBe(own.length);
  });

  it.each([
    "cat <<EOF > a\nFROM b\nEOF",
    "echo a \\",
    "echo '<<X \"' \"<<'Y'\"",
    "echo $A ${B#c} \\\\\n# d",
    "\u2028 \u0085",
  ])("holds a user's command as it is: %j", (command) => {
    const lines = written(samples.text(samples.EXPRESS, { build: command }));
    const runs = lines.filter((line) => line.includes(JSON.stringify(["/bin/sh", "-c", command])));
    expect(runs).toHaveLength(1);
  });
});
