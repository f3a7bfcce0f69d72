import { describe, expect, it } from "vitest";
import { explainBuildFailure } from "./build-failure.ts";

function explain(message: string, name = "[app 3/4] RUN npm ci", lastLines: string[] = [], isWithoutIndex = false) {
  const outputs = [{ path: "/app/dist", rule: "Vite writes `dist`" }];
  const step = { name, lastLines, isWithoutIndex };
  return explainBuildFailure({ message, step, memoryLimit: "512 MiB of memory", outputs });
}

describe("why a build failed, in words for its user", () => {
  it.each([
    ["executor failed running [/bin/sh -c npm ci]: exit code: 1", "build_failed", /`RUN npm ci` with exit code 1/],
    ['process "/bin/sh -c x" did not complete successfully: exit code: 137', "build_out_of_memory", /512 MiB/],
    ["write /var/lib/docker/overlay2/x: no space left on device", "disk_full", /disk was full/],
    [
      "failed to solve: dockerfile parse error on line 2: unknown instruction: FOO",
      "build_failed",
      /failed: dockerfile parse error on line 2: unknown instruction: FOO\.$/,
    ],
    [
      "failed to solve: nginx:none: failed to resolve source metadata for docker.io/library/nginx:none: not found",
      "base_image_unavailable",
      /image nginx:none /,
    ],
    ["pull access denied for a/b, repository does not exist", "base_image_unavailable", /image a\/b /],
  ])("%j is %s", (message, code, sentence) => {
    const error = explain(message);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(sentence);
  });

  it.each([
    ['failed to compute cache key: "/app/dist" not found: not found'],
    ['failed to calculate checksum of ref x::y: "/app/dist": not found'],
  ])("names the rule by which a framework's build was to make what it did not: %s", (message) => {
    const error = explain(message, "[stage-1 2/2] COPY --from=build /app/dist /srv");
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(
      /made no dist\. It is expected there by this rule: Vite writes `dist`\. Have the build/,
    );
    expect(explain(message.replaceAll("dist", "lib")).message).not.toMatch(/rule/);
  });

  it("names the image of the step that could not be begun", () => {
    const error = explain(
      "failed to do request: dial tcp: lookup x: no such host",
      "[internal] load metadata for docker.io/library/a:1",
    );
    expect(error.message).toMatch(/^The image a:1 could not be fetched/);
  });

  it("says how to make one of the images that generated Dockerfiles start from, and which there are", () => {
    const name = "[internal] load metadata for docker.io/library/python:3.11-slim";
    expect(explain("dial tcp: lookup x: no such host", name).message).toMatch(
      /`npm run base-images -- python:3\.11-slim`/,
    );
    const other = "[internal] load metadata for docker.io/library/python:3.13-slim";
    expect(explain("dial tcp: lookup x: no such host", other).message).toMatch(
      /`npm run base-images -- NAME`: .*python:3\.11/,
    );
  });

  it("names the packages of the Python image when pip finds another one nowhere else, and only then", () => {
    const missing = ["Processing /x.whl", "ERROR: No matching distribution found for pandas"];
    const explainPip = (lastLines: string[], isWithoutIndex: boolean) =>
      explain("exit code: 1", "[build 5/5] RUN pip install pandas", lastLines, isWithoutIndex).message;
    expect(explainPip(missing, true)).toMatch(
      /exit code 1\. The Python image of this server has a fixed set of packages.*: fastapi, .*official image python:3\.11-slim\. Its last lines:/,
    );
    expect(explainPip(missing, true)).toContain("No matching distribution found for pandas");
    expect(explainPip(missing, false)).not.toContain("fixed set");
    expect(explainPip(["error: command 'gcc' failed"], true)).not.toContain("fixed set");
  });

  it("recognises a full disk by what the command said", () => {
    expect(explain("exit code: 1", "[1/1] RUN x", ["tar: write error: No space left on device"]).code).toBe(
      "disk_full",
    );
  });

  it("never shows the server's folders, and is never long", () => {
    const error = explain(`failed to walk /var/lib/docker/tmp/buildkit-mount123/x: ${"y".repeat(5000)}`);
    expect(error.message).not.toContain("/var/lib");
    expect(error.message.length).toBeLessThanOrEqual(2000);
  });
});
