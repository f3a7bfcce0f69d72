/**
 * The majors that a database of an app can have. 12 is the first with the SCRAM passwords and the `format` that the agent's
 * statements use; later ones than 18 are not tried yet.
 */
export const POSTGRES_MAJORS = ["12", "13", "14", "15", "16", "17", "18"] as const;
/** Memory in a spec file: mebibytes or gibibytes. */
export const POSTGRES_MAJOR_DEFAULT = "16";

export function isPostgresMajor(version: string): boolean {
  return (POSTGRES_MAJORS as readonly string[]).includes(version);
}
