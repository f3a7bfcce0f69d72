import { describe, expect, it } from "vitest";
import { parseDeploySpec, SpecError } from "./deploy-spec.ts";

function refusal(file: string, text: string): string {
  try {
    parseDeploySpec(file, text);
  } catch (error) {
    if (error instanceof SpecError) return error.message;
    throw error;
  }
  throw new Error("did not refuse");
}

describe("version 2 of the spec file", () => {
  it("holds all of version 1, and the root", () => {
    const lines = ["name: shop", "framework: express", "start: node a.js", "env: [A]", "root: ./apps/web/"];
    expect(parseDeploySpec("svc.yaml", ["# spec: svc/v2", ...lines].join("\n"))).toMatchObject({
      name: "shop",
      framework: "express",
      start: "node a.js",
      env: ["A"],
      root: "apps/web",
    });
    const json = { spec: "svc/v2", name: "shop", root: "apps/web" };
    expect(parseDeploySpec("svc.json", JSON.stringify(json))).toMatchObject({ name: "shop", root: "apps/web" });
  });

  it("takes a dot for the repository's top", () => {
    expect(parseDeploySpec("svc.yaml", "# spec: svc/v2\nname: a\nroot: .\n").root).toBe("");
  });

  it.each(["../a", "/srv", '""', "a/../../b", ".git", '"a\\nb"', "1", "x".repeat(256)])(
    "refuses the root %s",
    (root) => {
      expect(refusal("svc.yaml", `# spec: svc/v2\nname: a\nroot: ${root}\n`)).toMatch(/^svc\.yaml:3:7: root: is /);
    },
  );

  it("takes a pool and a label", () => {
    const spec = parseDeploySpec("svc.yaml", "# spec: svc/v2\nname: a\npool: gpu\nlabel: zone=eu-1\n");
    expect(spec).toMatchObject({ pool: "gpu", label: "zone=eu-1" });
  });

  it.each(["pool: A", 'pool: ""', "pool: 1", "pool: a_b", "label: a b", "label: -a", "label: 1"])(
    "refuses %s",
    (line) => {
      expect(refusal("svc.yaml", `# spec: svc/v2\nname: a\n${line}\n`)).toMatch(/^svc\.yaml:3:\d+: (pool|label): /);
    },
  );

  it("takes a number of replicas within its bounds", () => {
    expect(parseDeploySpec("svc.yaml", "# spec: svc/v2\nname: a\nreplicas: 3\n").replicas).toBe(3);
    for (const wrong of ["0", "21", "1.5", '"3"']) {
      expect(refusal("svc.yaml", `# spec: svc/v2\nname: a\nreplicas: ${wrong}\n`)).toContain("from 1 to 20");
    }
    expect(refusal("svc.yaml", "# spec: svc/v1\nname: a\nreplicas: 3\n")).toContain("replicas: belongs to svc/v2");
  });

  it("is asked for where a file of version 1 uses it", () => {
    const message = "root: belongs to svc/v2: say so in place of the version that the file gives.";
    expect(refusal("svc.yaml", "# spec: svc/v1\nname: a\nroot: b\n")).toContain(message);
    expect(refusal("svc.json", '{"spec": "svc/v1", "name": "a", "root": "b"}')).toContain(message);
  });

  it("knows no other property", () => {
    expect(refusal("svc.yaml", "# spec: svc/v2\nname: a\nfolder: b\n")).toContain("allowed are name, ");
    expect(refusal("svc.yaml", "# spec: svc/v2\nname: a\nrot: b\n")).toContain("Did you mean root?");
  });
});
