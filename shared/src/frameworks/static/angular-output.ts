import * as z from "zod";
import type { FileTree } from "../repository/file-tree.ts";

const outputPath = z.union([z.string(), z.object({ base: z.string(), browser: z.string().optional() })]);
const target = z.object({
  builder: z.string().default(""),
  options: z
    .object({ outputPath: outputPath.optional(), ssr: z.unknown().optional(), outputMode: z.string().optional() })
    .default({}),
});
const targets = z.object({ build: target }).partial().default({});
const workspace = z.object({
  defaultProject: z.string().optional(),
  projects: z.record(
    z.string(),
    z.object({ projectType: z.string().optional(), architect: targets, targets }).catch({ architect: {}, targets: {} }),
  ),
});

/** The result of Angular's build of the workspace's application. */
export interface AngularBuild {
  /** The folder with the files for browsers. */
  output: string;
  /** A server is made beside them, which renders pages. */
  hasServer: boolean;
}

/** Reads from angular.json its default project, else its first application; undefined where it names none. */
export function angularBuild(files: FileTree): AngularBuild | undefined {
  const parsed = workspace.safeParse(parseJson(files.read("angular.json") ?? ""));
  if (!parsed.success) return undefined;
  const { defaultProject, projects } = parsed.data;
  const applications = Object.entries(projects).filter(([, { projectType }]) => projectType !== "library");
  const [name, project] = applications.find(([one]) => one === defaultProject) ?? applications[0] ?? [];
  if (name === undefined || project === undefined) return undefined;
  const { builder, options } = project.architect.build ?? project.targets.build ?? { builder: "", options: {} };
  const { ssr, outputMode } = options;
  const hasServer = ssr !== undefined && ssr !== false && outputMode !== "static";
  return { output: outputOf(name, builder, options.outputPath), hasServer };
}

/** The older builders write to the folder itself; the newer ones keep a server's files beside those for browsers. */
function outputOf(name: string, builder: string, path: z.infer<typeof outputPath> | undefined): string {
  const usual = `dist/${name}`;
  if (/:browser(?:-esbuild)?$/.test(builder)) return typeof path === "string" ? path : (path?.base ?? usual);
  if (typeof path === "object") return [path.base, path.browser ?? "browser"].filter((part) => part !== "").join("/");
  return `${path ?? usual}/browser`;
}

function parseJson(text: string): unknown {
  try {
    // The tool allows lines of comments.
    const lines = text.replace(/^\ufeff/, "").split("\n");
    return JSON.parse(lines.filter((line) => !line.trimStart().startsWith("//")).join("\n"));
  } catch {
    return undefined;
  }
}
