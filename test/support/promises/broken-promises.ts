export interface EndedTest {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly promises: readonly string[];
}

/**
 * Lists what is wrong with the promises, a sentence each. A run of the whole suite must keep every listed one; of a part
 * of it, only what the tests that ran are marked with is held against the list.
 */
export function brokenPromises(
  listed: readonly string[],
  tests: readonly EndedTest[],
  run: { readonly isWhole: boolean },
): string[] {
  const marked = new Set(tests.flatMap(({ promises }) => promises));
  const known = new Set(listed);
  return [
    ...listed.filter((line, at) => listed.indexOf(line) !== at).map((line) => `"${line}" is listed twice.`),
    ...tests.flatMap(({ name, promises }) =>
      promises
        .filter((line) => !known.has(line))
        .map((line) => `"${line}" is marked by "${name}" and not listed in test/promises.ts.`),
    ),
    ...tests.flatMap(({ name, state, promises }) =>
      state === "passed" ? [] : promises.map((line) => `"${line}" is not kept: "${name}" ${state}.`),
    ),
    ...(run.isWhole ? listed.filter((line) => !marked.has(line)).map((line) => `"${line}" has no test that ran.`) : []),
    ...(run.isWhole
      ? tests
          .filter(({ state }) => state === "skipped")
          .map(({ name }) => `"${name}" was skipped; every test must run.`)
      : []),
  ];
}
