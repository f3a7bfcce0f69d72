import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { toConnectError } from "@svc/shared/platform/connect-errors.ts";
import { ERROR_CODES, SvcError } from "@svc/shared/errors.ts";
import { fromAgentError } from "./agent-errors.ts";

test.each(ERROR_CODES)("an agent's %s arrives with its code and sentence", (code) => {
  expect(fromAgentError(toConnectError(new SvcError(code, "A sentence.")))).toMatchObject({
    code,
    message: "A sentence.",
  });
});

test("an error that an agent does not explain tells the user nothing of its inside", () => {
  const error = fromAgentError(new ConnectError("cannot read properties of undefined", Code.Unknown));
  expect(error.code).toBe("internal");
  expect(error.message).not.toContain("undefined");
});

test.each([Code.Canceled, Code.Aborted, Code.Unavailable, Code.DeadlineExceeded])(
  "a call that ends with Connect's code %i and no explanation met a dead connection",
  (code) => {
    expect(fromAgentError(new ConnectError("gone", code)).code).toBe("agent_away");
  },
);

test("a call that an older agent does not know is no fault of the service's inside", () => {
  const error = fromAgentError(new ConnectError("not implemented", Code.Unimplemented));
  expect(error.code).toBe("agent_too_old");
  expect(error.message).toMatch(/older than the platform.*operator/);
});

test("an error of Node's HTTP/2 underneath is a dead connection", () => {
  const cause = Object.assign(new Error("closed"), { code: "ERR_HTTP2_SESSION_ERROR" });
  expect(fromAgentError(new ConnectError("internal", Code.Internal, undefined, undefined, cause)).code).toBe(
    "agent_away",
  );
});

test("the reason of a caller that gave up comes back as it was", () => {
  const reason = new SvcError("step_timed_out", "Too long.");
  expect(fromAgentError(ConnectError.from(reason, Code.Canceled))).toBe(reason);
  expect(fromAgentError(reason)).toBe(reason);
});
