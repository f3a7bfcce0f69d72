import { expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { AppRefSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { toAppRef } from "./requests.ts";

const app = { id: newId(), name: "shop", ownerId: newId() };

test("an app comes with its owner", () => {
  expect(toAppRef(create(AppRefSchema, app))).toEqual(app);
});

test("an app that comes without an owner counts as an owner of its own", () => {
  expect(toAppRef(create(AppRefSchema, { id: app.id, name: app.name })).ownerId).toBe(app.id);
});

test("an owner that is no UUID is refused with its field and value", () => {
  expect(() => toAppRef(create(AppRefSchema, { ...app, ownerId: "../etc" }))).toThrow('app.owner_id is "../etc"');
});
