import { expect, test } from "vitest";
import { resolveEnv, type EnvSources } from "./resolve-env.ts";

const asked: string[][] = [];
const sources = (parts: Partial<EnvSources> = {}): EnvSources => ({
  app: new Set(["A"]),
  secrets: {
    name: "a manager",
    async read(keys) {
      asked.push([...keys]);
      return new Map(["A", "B", "Z"].map((key) => [key, `${key} of secrets`]));
    },
  },
  environment: { A: "env", B: "env", C: "", toString: "own" },
  dotenv: async () => new Map(["A", "B", "C", "D"].map((key) => [key, `${key} of .env`])),
  ...parts,
});

test("the app comes first, then the secrets manager, the environment, .env; what is left is missing", async () => {
  asked.length = 0;
  const resolved = await resolveEnv(["A", "B", "C", "D", "E"], sources());
  expect(resolved).toEqual({
    values: { B: "B of secrets", C: "", D: "D of .env" },
    sources: { A: "app", B: "secrets", C: "environment", D: ".env" },
    missing: ["E"],
  });
  // A manager is asked for what is not known already, and for nothing else.
  expect(asked).toEqual([["B", "C", "D", "E"]]);
});

test("without a secrets manager the environment is next, and a name of every object is no variable", async () => {
  const resolved = await resolveEnv(["B", "hasOwnProperty"], sources({ secrets: undefined }));
  expect(resolved).toMatchObject({ sources: { B: "environment" }, missing: ["hasOwnProperty"] });
});

test("neither manager nor file is touched when the app has everything", async () => {
  const never = () => Promise.reject(new Error("asked"));
  const parts = sources({ secrets: { name: "a manager", read: never }, dotenv: never });
  expect(await resolveEnv(["A"], parts)).toEqual({ values: {}, sources: { A: "app" }, missing: [] });
});
