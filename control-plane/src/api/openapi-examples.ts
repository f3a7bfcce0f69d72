/** The part of a JSON schema that examples are made from. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  default?: unknown;
  minimum?: number;
  format?: string;
  example?: unknown;
  examples?: unknown[];
  description?: string;
}

export type Schemas = Record<string, Schema>;

const ID = "0198c0de-7a11-7000-8000-000000000001";
const SHA = "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d";
const TIME = "2026-01-31T12:00:00.000Z";

/** The example of a property of this name, wherever it appears: the same word means the same thing everywhere. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  action: "restart",
  app: "hello",
  app_id: ID,
  body: "{}",
  commit_sha: SHA,
  current_release: "v3",
  cursor: ID,
  database_name: "app_hello",
  delivery_id: ID,
  deploy_id: ID,
  description: "A small web service",
  detail: "The port 70000 is out of range: use 1 to 65535.",
  dns_names: ["shop.example.com"],
  domain: "shop.example.com",
  domains: ["shop.example.com"],
  env: { GREETING: "hello" },
  error: "invalid_request",
  event: "deploy.succeeded",
  fingerprint: "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
  framework: "express",
  git_repo: "https://github.com/you/hello",
  id: ID,
  issuer: "R11",
  key: "GREETING",
  last_deployed_at: TIME,
  logs: "2026-01-31T12:00:00.000Z listening on port 3000",
  message: "fetching the repository",
  name: "hello",
  next_cursor: ID,
  note: "The values apply on the next deploy; the container is not restarted.",
  output: "added 64 packages in 2s",
  port: 3000,
  public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl hello",
  ref: "main",
  release: "v3",
  repo_url: "https://github.com/you/hello",
  request_id: ID,
  secret: "whsec_7d0f0c9b6a5e4d3c2b1a",
  server: "server-1",
  slug: "express-postgres",
  subdomain: "hello",
  team: ID,
  template: "express-postgres",
  title: "Express with PostgreSQL",
  txt_record: "_svc-verify.shop.example.com",
  txt_value: "svc-verify=3f8a1c2b9d",
  updated: 1,
  url: "https://hello.apps.example.com",
  user: ID,
  user_id: ID,
};

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  "date-time": TIME,
  uuid: ID,
  uri: "https://hello.apps.example.com",
};

/**
 * A value that the schema allows: its own example, or one made of its parts. Properties that may be absent are left out
 * unless all may be.
 * @param name of the property that holds it, where there is one
 */
export function exampleOf(schema: Schema, schemas: Schemas, name?: string): unknown {
  const own = schema.example ?? schema.examples?.[0];
  if (own !== undefined) return own;
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.replace("#/components/schemas/", "")];
    return target && exampleOf(target, schemas, name);
  }
  if (schema.allOf) return mergedExample(schema.allOf, schemas, name);
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice) return exampleOf(choice, schemas, name);
  if (schema.properties) return objectExample(schema, schemas);
  return valueExample(schema, schemas, name);
}

function mergedExample(parts: readonly Schema[], schemas: Schemas, name: string | undefined): unknown {
  const [first, ...further] = parts.map((part) => exampleOf(part, schemas, name));
  return typeof first === "object" && first !== null ? Object.assign({}, first, ...further) : first;
}

function objectExample({ properties = {}, required = [] }: Schema, schemas: Schemas): Record<string, unknown> {
  const names = required.length > 0 ? required : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, schemas, name)]));
}

function valueExample(schema: Schema, schemas: Schemas, name: string | undefined): unknown {
  const known = name === undefined ? undefined : BY_NAME[name];
  const type = [schema.type].flat()[0];
  if (schema.enum) return schema.enum.includes(known) ? known : schema.enum[0];
  if (known !== undefined && fits(known, type)) return known;
  switch (type) {
    case "array":
      return schema.items ? [exampleOf(schema.items, schemas)] : [];
    case "object":
      return {};
    case "boolean":
      return schema.default ?? false;
    case "integer":
    case "number":
      return schema.default ?? schema.minimum ?? 1;
    default:
      return schema.default ?? BY_FORMAT[schema.format ?? ""] ?? "text";
  }
}

function fits(value: unknown, type: string | undefined): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "integer" || type === "number") return typeof value === "number";
  if (type === "object") return typeof value === "object" && !Array.isArray(value);
  return typeof value === type;
}
