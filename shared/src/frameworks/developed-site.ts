import type { FileTree } from "./framework.ts";
import { isDevelopmentServer, startScript } from "./node-app.ts";
import { readPackage } from "./node-package.ts";
import { readProcfile } from "./procfile.ts";

/** Tools whose result is one page, which reads the path itself: Create React App, Angular, Vue CLI. */
const SINGLE_PAGE = /\b(?:react-scripts|react-app-rewired|craco|ng|vue-cli-service) (?:start|serve)\b/;

function developmentScript(files: FileTree): string | undefined {
  const pkg = readPackage(files);
  const script = pkg?.scripts[startScript(pkg) ?? "start"];
  return script !== undefined && isDevelopmentServer(script) ? script : undefined;
}

/** A site of a tool whose start script is for the time of writing, and whose build script makes the files. */
export function isDevelopedSite(files: FileTree): boolean {
  if (readProcfile(files).web !== undefined || readPackage(files)?.scripts.build === undefined) return false;
  return developmentScript(files) !== undefined;
}

export function isSinglePage(files: FileTree): boolean {
  return SINGLE_PAGE.test(developmentScript(files) ?? "");
}
