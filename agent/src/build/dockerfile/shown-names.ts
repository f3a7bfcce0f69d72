import type { CanonicalText } from "./canonical-text.ts";
import { OWNER_STAGE } from "./stages.ts";

/**
 * Turns a build's names into those that its owner is shown: their own lines, and nothing that the platform has added.
 */
export interface ShownNames {
  /** The name of one of BuildKit's steps; undefined for one that is not shown. */
  step(name: string): string | undefined;
  /** Rewrites what BuildKit says of the text, with the lines of the file. */
  message(text: string): string;
}

/** `[builder 2/7] RUN make`, without the stage's name where there is only one. */
const STEP = /^\[(?:(\S+) )?(\d+)\/(\d+)\] ([^]*)$/;

/**
 * @param hidden what is never shown, whatever it stands in
 * @param stages how many the file has
 */
export function shownNames({
  written,
  hidden,
  stages,
}: {
  written: CanonicalText;
  hidden: readonly string[];
  stages: number;
}): ShownNames {
  const isHidden = (text: string): boolean => hidden.some((one) => text.includes(one));

  const known = new Map([...written.shown].map(([text, shown]) => [bare(text), shown]));

  function instructionOf(text: string): string | undefined {
    const shown = known.get(bare(text));
    if (shown !== undefined) return shown;
    if (!isHidden(text)) return text;
    // An ADD with a variable in its target is known by the path of what it fetched.
    const [path] = /\[\/\d+\/[^,[]*,/.exec(bare(text)) ?? [];
    return path === undefined ? undefined : [...known].find(([one]) => one.includes(path))?.[1];
  }

  return {
    step(name) {
      const [, stage, number, count, text] = STEP.exec(name) ?? [];
      if (text === undefined) return isHidden(name) || name.includes(OWNER_STAGE) ? undefined : name;
      const shown = stage === OWNER_STAGE ? undefined : instructionOf(text);
      if (shown === undefined) return undefined;
      const added = written.salted.has(stage ?? "") ? 1 : 0;
      const place = `${Math.max(1, Number(number) - added)}/${Math.max(1, Number(count) - added)}`;
      const label = stageLabel(stage, stages, written.stageIndexes);
      return `[${label === undefined ? place : `${label} ${place}`}] ${shown}`;
    },

    message(text) {
      const lines = text.replaceAll(/\b(line |Dockerfile:)(\d+)/gi, (all, before: string, number: string) => {
        const line = written.lines[Number(number) - 1];
        return line ? `${before}${line}` : all;
      });
      return hidden.reduce((all, one) => all.replaceAll(one, "…"), lines);
    },
  };
}

/** BuildKit's names have lost the quotes of what they name. */
function bare(text: string): string {
  return text.replaceAll(/["\s]/g, "");
}

function stageLabel(
  stage: string | undefined,
  stages: number,
  indexes: CanonicalText["stageIndexes"],
): string | undefined {
  const [, position] = /^stage-(\d+)$/.exec(stage ?? "") ?? [];
  if (position === undefined) return stage;
  return stages === 1 ? undefined : `stage-${indexes[Number(position)] ?? position}`;
}
