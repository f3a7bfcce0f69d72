import { expect, test } from "vitest";
import { chooseServer } from "./placement.ts";

const server = (name: string, appCount: number, linked = true) => ({ id: name, name, appCount, linked });

test("a new app goes to the server with the fewest apps, of equal ones to the first by name", () => {
  expect(chooseServer([server("c", 2), server("b", 1), server("a", 1)])?.name).toBe("a");
});

test("a server whose agent is away takes an app only when all are away", () => {
  expect(chooseServer([server("a", 0, false), server("b", 9)])?.name).toBe("b");
  expect(chooseServer([server("a", 3, false), server("b", 1, false)])?.name).toBe("b");
});

test("no server is chosen where there is none", () => expect(chooseServer([])).toBeUndefined());
