import { create } from "@bufbuild/protobuf";
import { ProvisionDbSpecSchema, type ProvisionDbSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { expect, test } from "vitest";
import { checkProvisionDb } from "./provision-db-request.ts";

type Fields = Partial<Pick<ProvisionDbSpec, "version" | "databaseName" | "role" | "password">>;

const valid: Fields = { version: "16", databaseName: "my_shop", role: "my_shop", password: "0123456789abcdef" };

test.each(["shop", "1shop", "a".repeat(63)])("the name %j is taken", (name) => {
  const spec = create(ProvisionDbSpecSchema, { ...valid, databaseName: name, role: name });
  expect(checkProvisionDb(spec)).toMatchObject({ databaseName: name, role: name });
});

test.each<[string, Fields]>([
  ["PostgreSQL", { version: "16.1" }],
  ["PostgreSQL", { version: "16-alpine" }],
  ["PostgreSQL", { version: "" }],
  ["database_name", { databaseName: 'x"; DROP DATABASE y; --' }],
  ["database_name", { databaseName: "template1" }],
  ["database_name", { databaseName: "a".repeat(64) }],
  ["role", { role: "postgres" }],
  ["role", { role: "pg_monitor" }],
  ["role", { role: "Shop" }],
  ["password", { password: "short-secret" }],
  ["password", { password: "long enough but with spaces: secret" }],
])("%s out of its range is refused by name", (name, fields) => {
  const spec = create(ProvisionDbSpecSchema, { ...valid, ...fields });
  expect(() => checkProvisionDb(spec)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  expect(() => checkProvisionDb(spec)).toThrow(name);
  expect(() => checkProvisionDb(spec)).not.toThrow("secret");
});
