import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeTeam } from "../support/api/team-world.ts";
import { OAuthProgram } from "../support/assistant/oauth-program.ts";
import { addPerson, expectHeading, expectText, field, press, signIn } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

let world: PagesWorld;
/** The program's own server, which the browser is led back to. */
let server: Server;
let callback: string;
const heard: URLSearchParams[] = [];

beforeAll(async () => {
  world = await startPagesWorld();
  server = createServer((req, res) => {
    const url = new URL(req.url ?? "/", callback);
    if (url.pathname === "/callback") heard.push(url.searchParams);
    res.end("Back in the program.");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
});
afterEach(() => world.signOutAll());
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await world?.stop();
});

async function program(): Promise<{ asks: OAuthProgram; page: string }> {
  const asks = await OAuthProgram.register(world.http, { redirect_uris: [callback], client_name: "Desk assistant" });
  const request = asks.request({ redirect_uri: callback });
  return { asks, page: `${world.url}/authorize?${new URLSearchParams(request).toString()}` };
}

describe("a program that asks for a key", () => {
  test("is shown with its unproven name to its person, who signs in first, and gets what they leave ticked", async () => {
    const { email, page } = await addPerson(world);
    await press(page, "Sign out");
    await expectHeading(page, "Sign in");
    const { asks, page: path } = await program();
    await page.goto(path);
    await signIn(page, email);
    await expectText(page, "which nobody has proven");
    await expectText(page, "Desk assistant");
    await expectText(page, new URL(callback).host);
    expect(await accessibilityProblems(page)).toEqual([]);
    await field(page, "deploys:write").uncheck();
    await press(page, "Allow");
    await expectText(page, "Back in the program.");
    const answer = heard.at(-1)!;
    expect([answer.get("state"), answer.get("iss")]).toEqual(["a state/?&", world.url]);
    const { json } = await asks.exchange(answer.get("code") ?? "", { redirect_uri: callback });
    expect(json).toMatchObject({ scope: "apps:read", access_token: expect.stringMatching(/^svc_/) });
    await page.goto(`${world.url}/settings/keys`);
    await expectText(page, "Desk assistant");
  });

  test("can be given no more than the person's role in the team that they choose", async () => {
    const { email, page } = await addPerson(world);
    const team = await makeTeam(world.http, "Rockets");
    await world.http.database.query(
      "insert into team_members (team_id, user_id, role) select $1, id, 'viewer' from users where email = $2",
      [team.id, email],
    );
    await page.goto((await program()).page);
    await field(page, "Team").selectOption({ label: "Rockets (viewer)" });
    const deploys = page.getByLabel(/deploys:write/);
    await expect.poll(() => deploys.isDisabled()).toBe(true);
    expect(await deploys.isChecked()).toBe(false);
    await press(page, "Allow");
    await expectText(page, "Back in the program.");
  });

  test("is answered where the page says, also when its link names two addresses", async () => {
    const { page } = await addPerson(world);
    const shown = "https://desk.example/callback";
    const asks = await OAuthProgram.register(world.http, { redirect_uris: [shown, callback] });
    const twice = new URLSearchParams(asks.request({ redirect_uri: shown }));
    twice.append("redirect_uri", callback);
    await page.goto(`${world.url}/authorize?${twice.toString()}`);
    await expectText(page, new URL(callback).host);
    expect(await page.getByText("desk.example").count()).toBe(0);
    await press(page, "Allow");
    await expectText(page, "Back in the program.");
  });

  test("hears that its person refused, and gets nothing from an address that is not its own", async () => {
    const { page } = await addPerson(world);
    const { asks, page: path } = await program();
    await page.goto(path);
    await press(page, "Refuse");
    await expectText(page, "Back in the program.");
    expect(heard.at(-1)!.get("error")).toBe("access_denied");
    const stray = asks.request({ redirect_uri: callback.replace("callback", "elsewhere") });
    await page.goto(`${world.url}/authorize?${new URLSearchParams(stray).toString()}`);
    await expectText(page, "an address that it has not registered");
    expect(world.complaints).toEqual([]);
  });
});
