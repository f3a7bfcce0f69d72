import { Command } from "commander";
import { createLogger } from "@svc/shared/platform/logger.ts";
import { baseUrlOf, readConfig } from "../config.ts";
import { openAdminDatabase } from "./admin-database.ts";
import { registerKeyCommands } from "./key-commands.ts";
import { registerOperatorCommands } from "./operator-commands.ts";
import { createPrint } from "./output.ts";
import { registerSecretCommands } from "./secret-commands.ts";
import { registerServerCommands } from "./server-commands.ts";
import { registerTeamCommands } from "./team-commands.ts";
import { registerUserCommands } from "./user-commands.ts";

/** Only what goes wrong; standard output belongs to the result. */
const log = createLogger({ name: "admin", level: "error" });

function createProgram(): Command {
  const config = readConfig(process.env);
  const program = new Command("admin")
    .description("administers the deployment service; the environment names the database")
    .option("--json", "print one JSON document and nothing else", false)
    // Errors are one line each, so no usage follows them.
    .showHelpAfterError(false)
    .configureOutput({ outputError: (text, write) => write(`${text.trim().split("\n").join(" ")}\n`) });
  const print = createPrint(
    () => program.opts<{ json: boolean }>().json,
    (text) => process.stdout.write(text),
  );
  const openDatabase = () => openAdminDatabase(config, log);

  const accounts = {
    tiers: config.tiers,
    baseUrl: baseUrlOf(config, config.listen),
    print,
    async withDatabase<T>(work: (db: Awaited<ReturnType<typeof openDatabase>>["db"]) => Promise<T>): Promise<T> {
      const { db, close } = await openDatabase();
      try {
        return await work(db);
      } finally {
        await close();
      }
    },
  };
  const fleet = { config: { dataDir: config.dataDirectory, agentsListen: config.agentsListen }, print, openDatabase };
  registerUserCommands(program, accounts);
  registerTeamCommands(program, accounts);
  registerKeyCommands(program, accounts);
  registerServerCommands(program, fleet);
  registerOperatorCommands(program, fleet);
  registerSecretCommands(program, { ...accounts, masterKeyFile: config.masterKeyFile });
  return program;
}

/** One line on standard error. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split("\n").join(" ");
}

try {
  await createProgram().parseAsync();
} catch (error) {
  process.stderr.write(`error: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
