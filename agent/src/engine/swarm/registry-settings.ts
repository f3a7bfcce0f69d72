import { readFile } from "node:fs/promises";
import { z } from "zod";
import { SvcError } from "@svc/shared/errors.ts";
import type { RegistrySettings } from "./cluster-registry.ts";

const settings = z.strictObject({
  address: z.string().regex(/^[a-z0-9.-]+(:[0-9]{1,5})?(\/[a-z0-9._/-]*[a-z0-9])?$/),
  username: z.string().min(1),
  password: z.string().min(1),
});

/** Reads the file of SVC_REGISTRY_FILE; undefined without one. @throws SvcError invalid_request, for the operator */
export async function readRegistrySettings(file: string | undefined): Promise<RegistrySettings | undefined> {
  if (file === undefined) return undefined;
  try {
    return settings.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    throw new SvcError(
      "invalid_request",
      `SVC_REGISTRY_FILE is ${file}, which can't be read as JSON such as {"address": "registry.example:5000/apps", ` +
        '"username": "svc", "password": "…"}.',
      { cause },
    );
  }
}
