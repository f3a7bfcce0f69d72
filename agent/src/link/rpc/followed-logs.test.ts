import { LogSource } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { expect, test } from "vitest";
import { FOLLOWED_MAX, FollowedLogs } from "./followed-logs.ts";

test("an app's log that is followed often enough leaves its other log, and other apps, to be followed", () => {
  const followed = new FollowedLogs();
  const [shop, blog] = [
    { id: newId(), name: "shop" },
    { id: newId(), name: "blog" },
  ];
  for (let calls = 0; calls < FOLLOWED_MAX; calls += 1) followed.take(shop, LogSource.CONTAINER);
  expect(() => followed.take(shop, LogSource.CONTAINER)).toThrow("8 calls follow this log of shop");
  // A caller that names no source gets the container's log.
  expect(() => followed.take(shop, LogSource.UNSPECIFIED)).toThrow("8 calls follow this log of shop");
  followed.take(shop, LogSource.ACCESS);
  followed.take(blog, LogSource.CONTAINER);
});
