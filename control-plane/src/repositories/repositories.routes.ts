import { z } from "@hono/zod-openapi";
import { APP_NAME, APP_NAME_LENGTH_MAX } from "@svc/shared/rules/app-name.ts";
import { ensureRepository } from "./ensure-repository.ts";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";

const RepositorySchema = z
  .object({ name: z.string(), repo_url: z.string().openapi({ format: "uri" }) })
  .openapi("Repository", {
    example: {
      name: "hello",
      repo_url: "https://deploy.example.com/git/0198c0de-7a11-7000-8000-000000000001/hello.git",
    },
  });

export const repositoryRoutes = [
  route({
    method: "post",
    path: "/api/repositories",
    operationId: "ensureRepository",
    summary: "Make a repository on the platform's own git host",
    description:
      "Extension. Made when the caller has none of that name, to push to and then to give as `repo_url`: git takes an API " +
      "key as the password, with any user name. One push may bring 100 MiB, a repository may reach 1 GiB, and ten " +
      "may wait for an app. One that no app deploys from is removed after a day.",
    scope: "apps:write",
    subject: "none",
    body: z
      .strictObject({
        name: z.string().openapi({ pattern: APP_NAME.source, maxLength: APP_NAME_LENGTH_MAX, example: "hello" }),
      })
      .openapi("EnsureRepository"),
    successes: [
      success(201, "made; its branch `main` has one commit without files", RepositorySchema),
      success(200, "the caller has it already", RepositorySchema),
    ],
    errors: ["app_limit"],
    async handle(ctx, { body: { name } }) {
      const { created, repoUrl } = await ensureRepository(ctx, name);
      return json(created ? 201 : 200, { name, repo_url: repoUrl });
    },
  }),
];
