import { readFileSync } from "node:fs";
import { checkoutFiles } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { exposedPorts } from "@svc/shared/frameworks/dockerfile/dockerfile.ts";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { FRAMEWORK_FIXTURES, fixtureFolder, type FrameworkFixture } from "../../support/platform/framework-fixtures.ts";
import type { Figure } from "../figures.ts";
import { measureImage, type ImageRecipe, type Measured } from "./measure-image.ts";

/** The fifteen: of frameworks with two fixtures the one of its own name. */
const FIFTEEN = FRAMEWORK_FIXTURES.filter(({ fixture, framework = fixture }) => fixture === framework);

export const FRAMEWORK_NAMES: readonly string[] = FIFTEEN.map(({ fixture }) => fixture);

export const FRAMEWORKS_BENCH = "frameworks";

/**
 * Each framework's image as the platform plans it, beside the one of a Dockerfile as the framework's own documentation
 * suggests (test/bench/builds/dockerfiles): built, rebuilt, run and stopped by the same commands, in turn, in one run.
 *
 * @param only names of frameworks; all when empty
 * @param rounds of each; one takes ten minutes for all fifteen
 */
export async function benchFrameworks(only: readonly string[], rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const fixture of FIFTEEN) {
    if (only.length > 0 && !only.includes(fixture.fixture)) continue;
    const ours: Measured[] = [];
    const documented: Measured[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      console.error(`${fixture.fixture}: round ${round} of ${rounds}`);
      // In turn, and each one first as often as the other: the registry answers the second one sooner.
      const measureOurs = async () => ours.push(await measureImage(fixture, planned(fixture)));
      const measureDocumented = async () => documented.push(await measureImage(fixture, byHand(fixture)));
      const inTurn = [measureOurs, measureDocumented];
      for (const measure of round % 2 === 1 ? inTurn : inTurn.toReversed()) await measure();
    }
    figures.push(...figuresOf(fixture.fixture, ours, documented));
  }
  return figures;
}

function planned({ fixture }: FrameworkFixture): ImageRecipe {
  const id = newId();
  const input = { appId: id, port: undefined, buildEnvKeys: [], build: undefined, start: undefined };
  const { dockerfile, port } = planBuild(checkoutFiles(fixtureFolder(fixture)), undefined, input);
  if (!("text" in dockerfile)) throw new Error(`${fixture} has a Dockerfile of its own`);
  return { id, dockerfile: dockerfile.text, port };
}

function byHand({ fixture }: FrameworkFixture): ImageRecipe {
  const dockerfile = readFileSync(new URL(`dockerfiles/${fixture}.Dockerfile`, import.meta.url), "utf8");
  const [port] = exposedPorts(dockerfile);
  if (port === undefined) throw new Error(`${fixture}.Dockerfile exposes no port`);
  return { id: newId(), dockerfile, port };
}

const UNITS: Readonly<Record<keyof Measured, Figure["unit"]>> = {
  cold: "s",
  rebuild: "s",
  image: "MB",
  memory: "MB",
  stop: "ms",
};

function figuresOf(framework: string, ours: readonly Measured[], documented: readonly Measured[]): Figure[] {
  return (["cold", "rebuild", "image", "memory", "stop"] as const).map((what) => ({
    bench: FRAMEWORKS_BENCH,
    what: `${framework} ${what}`,
    unit: UNITS[what],
    values: ours.map((measured) => measured[what]),
    floor: documented.map((measured) => measured[what]),
    floorIs: `test/bench/builds/dockerfiles/${framework}.Dockerfile`,
  }));
}
