import type { Command } from "commander";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { insertAudit } from "../platform/audit.store.ts";
import type { Db } from "../platform/database/database.ts";
import { rotateSecrets, type Rotation } from "../secrets/rotate-secrets.ts";
import type { Print } from "./output.ts";

export interface SecretCommandDeps {
  masterKeyFile: string;
  withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
  print: Print;
}

/** `secrets rotate` (issue of the whole API, Env; deploy/README.md, The master key). */
export function registerSecretCommands(program: Command, deps: SecretCommandDeps): void {
  const { masterKeyFile: file } = deps;
  program
    .command("secrets")
    .description("values at rest")
    .command("rotate")
    .description("make a new master key and seal every stored value with it; goes on where an earlier call was ended")
    .option("--drop-old", "make no key, and remove those from the key file that nothing needs any more", false)
    .action(async ({ dropOld }: { dropOld: boolean }) => {
      const rotation = await deps.withDatabase(async (db) => {
        const done = await rotateSecrets({ db, file, clock: systemClock, dropOld });
        const { key, resealed, dropped } = done;
        const detail = { key, resealed, dropped };
        await insertAudit(db, {
          actor: "operator",
          action: "secrets.rotate",
          target: `master-key:${key}`,
          requestId: null,
          detail,
        });
        return done;
      });
      deps.print(rotationView(rotation), rotationText(rotation, file));
    });
}

function rotationView({ key, made, resealed, oldKeys, dropped }: Rotation) {
  return {
    key,
    made,
    resealed,
    old_keys: oldKeys.map(({ id, inUse }) => ({ id, in_use: inUse, can_be_dropped: inUse === 0 })),
    dropped,
  };
}

function rotationText({ key, made, resealed, oldKeys, dropped }: Rotation, file: string): string {
  const lines = [
    `${made ? "Made the key" : "The newest key is"} ${key} in ${file}.`,
    `${resealed} values were sealed with it now; nothing is sealed with another key${oldKeys.some(({ inUse }) => inUse > 0) ? ", but for what was written meanwhile" : ""}.`,
  ];
  for (const id of dropped) lines.push(`Dropped the key ${id}.`);
  for (const { id, inUse } of oldKeys) {
    lines.push(inUse === 0 ? `No value needs the key ${id} any more.` : `${inUse} values need the key ${id}.`);
  }
  if (oldKeys.length > 0) {
    lines.push("", `Back ${file} up, and copy it to every control plane. After five minutes run this with --drop-old.`);
  }
  return lines.join("\n");
}
