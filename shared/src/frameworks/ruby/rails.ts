import { aptEnsure, aptInstall } from "../dockerfile/apt.ts";
import { APP_USER, BASE_IMAGES } from "../base-images.ts";
import { buildEnvInstructions } from "../dockerfile/build-env.ts";
import type { FileTree } from "../repository/file-tree.ts";
import { DEFAULT_PORT } from "../../rules/frameworks.ts";
import type { BuildPlan, Framework, PlanInput } from "../framework.ts";
import { cmdInstruction, type StartCommand } from "../../spec/start-command.ts";
import { SvcError } from "../../errors.ts";
import { cacheMount, runInstruction } from "../dockerfile/run-instruction.ts";
import { chooseRuby, gemsOf } from "./ruby-gems.ts";

/** An app of Ruby on Rails, served by Puma. */
export const rails: Framework = {
  name: "rails",
  recognisedBy: "`rails` in the Gemfile and a config/application.rb",
  recognise: (files) => {
    const isRails = gemsOf(files).has("rails") && files.read("config/application.rb") !== undefined;
    return isRails ? "`rails` in the Gemfile" : undefined;
  },
  plan: planRails,
};

function planRails(files: FileTree, input: PlanInput): Omit<BuildPlan, "framework" | "reason"> {
  if (files.read("Gemfile") === undefined) {
    throw new SvcError("framework_unknown", "The repository has no Gemfile at its root. Add one that names `rails`.");
  }
  const port = input.port ?? DEFAULT_PORT;
  const gems = gemsOf(files);
  const { image, notes } = chooseRuby(files, gems);
  const build = input.build ?? precompile(files, gems);
  const needsNode = files.list().includes("package.json");
  const lines = [
    ...(needsNode ? [`FROM ${BASE_IMAGES.node} AS node`, ""] : []),
    ...buildStage(files, input, image, build),
    "",
    `FROM ${image}`,
    ...libraries(gems),
    `${ENVIRONMENT} RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 HOME=/tmp PORT=${port}`,
    `RUN mkdir /app && chown ${APP_USER} /app`,
    "WORKDIR /app",
    "COPY --from=build /usr/local/bundle /usr/local/bundle",
    `COPY --from=build --chown=${APP_USER} /app ./`,
    `USER ${APP_USER}`,
    `EXPOSE ${port}`,
    `ENTRYPOINT ${JSON.stringify(["/bin/sh", "-c", WITH_SECRET, "start"])}`,
    cmdInstruction(input.start ?? start(gems)),
  ];
  return { dockerfile: { text: `${lines.join("\n")}\n` }, port, notes: [...notes, SECRET_NOTE, ...lockNote(files)] };
}

const ENVIRONMENT = "ENV RAILS_ENV=production RACK_ENV=production BUNDLE_WITHOUT=development:test";

/** Packages that gems with C inside are compiled with. */
const BUILD_PACKAGES = [
  "build-essential",
  "default-libmysqlclient-dev",
  "git",
  "libpq-dev",
  "libsqlite3-dev",
  "libyaml-dev",
  "pkg-config",
];

function buildStage(files: FileTree, input: PlanInput, image: string, build: string | undefined): string[] {
  const hasLock = files.list().includes("Gemfile.lock");
  const needsNode = files.list().includes("package.json");
  const manifests = ["Gemfile", "Gemfile.lock", ".ruby-version"].filter((name) => files.list().includes(name));
  return [
    `FROM ${image} AS build`,
    // Gems are compiled where they are installed; an image that carries Rails itself has them compiled.
    `RUN gem list --installed rails >/dev/null || { ${aptInstall(BUILD_PACKAGES)}; }`,
    `${ENVIRONMENT}${hasLock ? " BUNDLE_FROZEN=1" : ""}`,
    "WORKDIR /app",
    `COPY ${manifests.join(" ")} ./`,
    `RUN ${cacheMount(input.appId, "gems", "/usr/local/bundle/cache")} bundle install`,
    ...nodeInstructions(files),
    "COPY . .",
    ...buildEnvInstructions(input.buildEnvKeys),
    ...(build === undefined
      ? []
      : [runInstruction(build, needsNode ? cacheMount(input.appId, "npm", "/root/.npm") : "")]),
    // Compiled assets need it no more; what a user's own command made may.
    ...(needsNode && input.build === undefined ? ["RUN rm -rf node_modules"] : []),
    "RUN mkdir -p tmp/pids tmp/cache tmp/sockets log storage",
  ];
}

/** Node.js for assets that JavaScript's tools build; Rails' own tasks install the packages with what the lock file is of. */
function nodeInstructions(files: FileTree): string[] {
  const names = files.list();
  if (!names.includes("package.json")) return [];
  const managers = { "yarn.lock": "yarn@1", "pnpm-lock.yaml": "pnpm@10", "bun.lock": "bun", "bun.lockb": "bun" };
  const [manager] = Object.entries(managers).flatMap(([lock, name]) => (names.includes(lock) ? [name] : []));
  return [
    "COPY --from=node /usr/local/bin/node /usr/local/bin/",
    "COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules",
    // The host's npm registry, if it has another than the public one, and the authorities that the image trusts.
    "ARG NPM_CONFIG_REGISTRY",
    "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt",
    "RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && " +
      "ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx",
    ...(manager === undefined ? [] : [`RUN npm install --global --force --no-audit --no-fund ${manager}`]),
  ];
}

/** Libraries that gems with C inside load while they run. */
const LIBRARIES: Readonly<Record<string, string>> = {
  pg: "libpq5",
  sqlite3: "libsqlite3-0",
  mysql2: "libmariadb3",
  "ruby-vips": "libvips42",
  image_processing: "libvips42",
};

function libraries(gems: ReadonlyMap<string, string | undefined>): string[] {
  const names = new Set([...gems.keys()].flatMap((gem) => LIBRARIES[gem] ?? []));
  if (names.size === 0) return [];
  return [`RUN ${aptEnsure([...names])}`];
}

/** Only where there are assets and something that compiles them. Rails asks for a key that is used for nothing. */
function precompile(files: FileTree, gems: ReadonlyMap<string, string | undefined>): string | undefined {
  const compilers = [
    "sprockets-rails",
    "propshaft",
    "webpacker",
    "shakapacker",
    "vite_rails",
    "sassc-rails",
    "sass-rails",
  ];
  const hasAssets = files.list("app/assets").length > 0 && compilers.some((gem) => gems.has(gem));
  if (!hasAssets) return undefined;
  return "SECRET_KEY_BASE_DUMMY=1 SECRET_KEY_BASE=used-while-building-only bundle exec rails assets:precompile";
}

/** Rails does not start without a key for its cookies. One that nobody has given is made anew at each start. */
const WITH_SECRET =
  'if [ -z "$SECRET_KEY_BASE$RAILS_MASTER_KEY" ]; then ' +
  "export SECRET_KEY_BASE=$(od -An -vtx1 -N64 /dev/urandom | tr -d ' \\n'); fi; exec \"$@\"";

const SECRET_NOTE =
  "Without SECRET_KEY_BASE (or RAILS_MASTER_KEY) among the variables a key is made at each start, which ends all " +
  "sessions. Set one to keep them.";

function start(gems: ReadonlyMap<string, string | undefined>): StartCommand {
  const puma = 'exec bundle exec puma --bind "tcp://0.0.0.0:$PORT"';
  // A container that is started again finds the file of its former self.
  const rails = "rm -f tmp/pids/server.pid; exec bundle exec rails server --binding 0.0.0.0";
  return { form: "shell", line: gems.has("puma") ? puma : rails };
}

function lockNote(files: FileTree): string[] {
  if (files.list().includes("Gemfile.lock")) return [];
  return ["There is no Gemfile.lock, so each build may get other versions of the gems. Commit one."];
}
