import { describe, expect, it, test } from "vitest";
import { procfileNotes, readProcfile } from "./procfile.ts";
import { pkg, plan, type Files } from "./sample-repositories.ts";

const read = (text: string) => readProcfile({ list: () => ["Procfile"], read: () => text });

test("a Procfile has a line for each process; what is none is left out", () => {
  const text =
    "# processes\r\nrelease: ./migrate\r\nweb:   node a.js --port=$PORT  \r\nworker: node w.js\nworker: x\n\nweb\n";
  expect(read(text)).toEqual({ web: "node a.js --port=$PORT", others: ["release", "worker"] });
  expect(read("worker: node w.js\n")).toEqual({ web: undefined, others: ["worker"] });
  expect(readProcfile({ list: () => [], read: () => undefined })).toEqual({ web: undefined, others: [] });
});

test("its use is said, and what of it is not run", () => {
  expect(procfileNotes({ web: "x", others: [] })).toEqual(["The app is started by the `web` line of the Procfile."]);
  expect(procfileNotes({ web: "x", others: ["release", "worker"] })[1]).toContain(
    "nothing else is run: release, worker.",
  );
});

describe("the `web` line of a Procfile", () => {
  const startOf = (files: Files, given?: Parameters<typeof plan>[1]): string => {
    const { dockerfile } = plan(files, given);
    return "text" in dockerfile ? (dockerfile.text.trim().split("\n").at(-1) ?? "") : dockerfile.path;
  };
  const web = (line: string) => ({ Procfile: `web: ${line}\n` });
  const EXPRESS = pkg({ on: ["express"], scripts: { start: "node index.js" } });

  it("starts an app in the place of package.json's start script, with its variables", () => {
    expect(startOf({ ...EXPRESS, ...web("node other.js") })).toBe('CMD ["node","other.js"]');
    expect(startOf({ ...EXPRESS, ...web("node other.js --port $PORT") })).toBe(
      'CMD ["/bin/sh","-c","exec node other.js --port $PORT"]',
    );
  });

  it("starts an app that nothing else starts", () => {
    const { framework, reason, notes } = plan({ ...pkg({ on: [] }), ...web("node bin/www") });
    expect([framework, reason]).toEqual(["node", "a package.json, and a `web` line in the Procfile"]);
    expect(notes.join()).toContain("started by the `web` line");
  });

  it("starts apps of other languages", () => {
    const flask = {
      "requirements.txt": "flask\ngunicorn\n",
      "app.py": "from flask import Flask\napp = Flask(__name__)\n",
      ...web("gunicorn shop:app"),
    };
    expect(startOf(flask)).toBe('CMD ["gunicorn","shop:app"]');
  });

  it("gives way to a start command that was given, and to a Dockerfile", () => {
    const start = { form: "exec", words: ["node", "given.js"] } as const;
    expect(startOf({ ...EXPRESS, ...web("node other.js") }, { start })).toBe('CMD ["node","given.js"]');
    expect(startOf({ ...EXPRESS, Dockerfile: "FROM x", ...web("node other.js") })).toBe("Dockerfile");
  });
});
