/**
 * Which test checks which sentence of the specification: file, test, `section: first words`. What belongs to a later
 * issue is listed with it, and passes for nothing.
 */
export const SPEC_TABLE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "integration/pipeline-steps.test.ts": {
    "runs the four steps in their order and records the release": [
      "Resources: App: framework: hint; auto-detected when omitted",
      "Resources: App: framework: framework hint or detected framework",
      "What the service does: A deploy runs a fixed 4-step pipeline in the background",
      "Resources: Deploy: Each deploy also records the requested ref, the release name and the full commit SHA",
    ],
    "has a repository that is not the platform's own read without credentials": [
      "Endpoints: Apps: external public HTTPS repos clone anonymously",
    ],
    "skips provision_db when no database is needed": [
      "Resources: Deploy step: status: pending, running, success, failed, canceled, skipped",
    ],
  },
  "integration/pipeline-queue.test.ts": {
    "is first in, first out per server, one at a time, with two processes on one database": [
      "Limits: Deploy concurrency: one deploy at a time per server (lock)",
    ],
  },
  "e2e/deploy.test.ts": {
    "serves an Express app with dependencies and a lock file over HTTPS, certificate verified": [
      "What the service does: A deployed app is served at https://<name>.{apps_domain}",
    ],
    "provisions a database that outlives a deploy": [
      "Resources: App: database_name: name of the provisioned PostgreSQL database",
    ],
    "arrives byte for byte, and no secret stays in image, history, events or logs": [
      "Resources: Environment variable: and injected into the container at deploy time",
    ],
    "queues the second deploy, which then runs by itself": [
      "States and transitions: the deploy appears in the app's deploy list once the run starts",
    ],
  },
  "integration/openapi.test.ts": {
    "the document is valid OpenAPI 3.1": ["What the service does: The API is described by an OpenAPI 3.1 document"],
    "no path has a version in it": ["Versioning: API paths carry no version segment"],
    "needs no key itself, as nothing else but its page and the schema of the spec file; and no operation makes API keys":
      [
        "What the service does: It is public and needs no authentication",
        "Authentication: There is no API endpoint for creating keys",
      ],
  },
  "integration/malformed-requests.test.ts": {
    "%s is refused with JSON, a sentence and a request id": ["Errors: Errors are JSON {error: string}"],
  },
  "integration/http-apps.test.ts": {
    "is refused with the reason: %j": [
      "Resources: App: name: lowercase RFC 1123 label, max 63 chars",
      "Resources: App: port: container port, 1-65535",
      "Limits: Container port: 1-65535",
      "Endpoints: Apps: Exactly one of repo_url and template must be set",
      "Endpoints: Apps: repo_url: HTTPS only, no embedded credentials",
      "Endpoints: Apps: 400 invalid name, repo URL, port or template",
    ],
    "is created with its URL and appears in its owner's list alone": [
      "Resources: App: subdomain: equals name",
      "Resources: App: git_repo: repository URL the app deploys from",
      "Endpoints: Apps: 201 {app} including url",
      "Endpoints: Apps: GET /api/apps response {apps}, each with computed url",
    ],
    "beyond a limit are refused and nothing is applied": [
      "Resources: Environment variable: Key pattern ^[A-Za-z_][A-Za-z0-9_]*$",
      "Limits: Env key syntax",
    ],
    "come back byte for byte, and unlisted ones stay": [
      "Endpoints: Environment variables: GET: {env} with decrypted values",
      "Endpoints: Environment variables: PUT: Merge: listed keys are created or replaced, unlisted keys stay",
      "Endpoints: Environment variables: PUT: Response {updated, note}",
      "Endpoints: Environment variables: DELETE: 204 on success, 404 when the key does not exist",
    ],
    "has a name of at most 63 characters": ["Limits: App name length: 63 chars"],
    "listens on the port of its framework where none is given, and has none before its first build otherwise": [
      "Resources: App: port: framework default when omitted",
    ],
    "of one's own has no key, domain, webhook or deploy key that was not made": [
      "Errors: 404 app, key, domain or webhook not found or not owned",
    ],
    "counts towards its owner's tier, also when many are created at once": [
      "Endpoints: Apps: 403 app limit for the tier reached",
      "Errors: App limit of the tier: 403 on create",
    ],
    "has a name of its own on the whole platform": [
      "Endpoints: Apps: 409 name already taken; name_in_use_by_stopped_app",
    ],
    "of 8,192 bytes and 64 of them are accepted": ["Limits: Env vars per app: 64", "Limits: Env value size: 8 KB"],
  },
  "integration/apps-life.test.ts": {
    "changes what is given and answers the app as persisted": [
      "Resources: App: url: computed; included in create, list and patch responses",
      "Endpoints: Apps: PATCH: response 200 {app} as persisted",
    ],
    "leaves the container as it runs, and so do variables": [
      "States and transitions: PUT env or PATCH app: changes apply on the next deploy",
    ],
    "frees the name; what belonged to the app is not found any more": [
      "States and transitions: DELETE ?purge=1: app record deleted, name freed",
      "Endpoints: Apps: DELETE: query purge=1 also deletes the record and frees the name",
    ],
    "is refused as a whole: %j": [
      "Endpoints: Apps: PATCH: all optional, at least one required",
      "Endpoints: Apps: PATCH: 400 for invalid repo URL or port or an empty patch",
    ],
    "of another owner's app is not found": ["Endpoints: Apps: PATCH: 404 when no app has that name"],
    "takes the app off its server and keeps record, name, place in the list and in the limit": [
      "Endpoints: Apps: DELETE: Response 204",
      "Endpoints: Apps: DELETE: default is soft-stop (record kept, name reserved)",
    ],
  },
  "integration/templates.test.ts": {
    "an app from a template has a private repository with the template's files but the manifest": [
      "Resources: App: Creating an app from a template copies the template into a new private repository",
      "Resources: App: The template manifest supplies framework, port and needs_database",
    ],
    "%j with a template is refused with 400": [
      "Endpoints: Apps: framework, port, needs_database: not allowed with template",
    ],
    "a template that can't be copied gives 502, leaves nothing, and a retry with the same key works": [
      "Endpoints: Apps: 502 template repo provisioning failed; the app record is rolled back",
    ],
    "templates are listed by slug with what their manifests say": [
      "Endpoints: Apps: GET /api/templates lists templates by slug",
    ],
  },
  "integration/http-deploys.test.ts": {
    "shows its four steps in order, and a running one's output so far": [
      "Resources: Deploy: status: pending, running, success, failed, canceled",
      "Resources: Deploy step: step_order: 1 to 4 in the order listed",
      "Resources: Deploy step: output: step output; on clone_build it keeps the tail of the build output",
      "Endpoints: Deploys: GET /api/deploys/{id}: the four steps in order",
    ],
    "has every time as ISO 8601 in UTC, as apps and lists have": [
      "What the service does: Timestamps are ISO 8601 UTC strings",
    ],
    "tells why a failed one failed": [
      "Resources: Deploy: error: present on failed deploys",
      "Resources: Deploy step: error: present on failed steps",
      "Endpoints: Deploys: Failed deploys and steps carry error; steps carry output",
    ],
    "runs at once on a free server, and waits without an id on a busy one": [
      "States and transitions: no other deploy holds the per-server lock: deploy running, 202 with deploy_id",
      "States and transitions: another deploy holds the per-server lock: queued",
      "Endpoints: Deploys: Response 202 {deploy_id, status: running}",
      "Endpoints: Deploys: queued: the body is {status: queued} with no deploy_id",
    ],
    "is numbered by all of the app's deploys, and a release name is used once": [
      "Endpoints: Deploys: release: names the deploy",
    ],
    "is in a list of twenty, or as many up to a hundred as are asked for, newest first": [
      "Resources: Deploy: id, app_id, user_id, started_at, created_at",
      "Endpoints: Deploys: GET deploys?limit=N: newest first",
      "Endpoints: Deploys: limit is 1-100, default 20",
      "Limits: Deploy list size: 1-100, default 20",
    ],
    "of an app that deploys or waits already is refused": ["Endpoints: Deploys: 409 a deploy is already in progress"],
    "needs a repository": ["Endpoints: Deploys: 422 the app has no repo configured"],
  },
  "integration/domains.test.ts": {
    "refuses %j": ["Resources: Custom domain: A lowercase hostname with at least 2 labels"],
    "is refused while another app has it, also at the same moment": [
      "Resources: Custom domain: Domains are globally unique across the platform",
      "Endpoints: Custom domains: 409 domain already in use on the platform",
    ],
    "is pending with the reason unchanged while nothing answers for it": [
      "Resources: Custom domain: Each has a TLS status of active or pending",
    ],
    "stores and routes it once the record is there, also when the record comes in several strings": [
      "Resources: Custom domain: a routed status is returned when it is added",
      "Endpoints: Custom domains: 201 {domain, status: routed}",
      "Endpoints: Custom domains: GET: {domains: [<domain>...]}",
    ],
    "asks for a TXT record that is the same on every retry, and another for another user": [
      "Endpoints: Custom domains: until a TXT record is published, the call returns 422",
      "Endpoints: Custom domains: The token is deterministic per (user, domain)",
    ],
    "refuses the platform's own %s": ["Endpoints: Custom domains: 400 invalid domain, reserved platform domain"],
    "stops at ten per app, before it asks for ownership, also under concurrency": [
      "Endpoints: Custom domains: 400 the per-app limit reached",
      "Limits: Domains per app: 10",
    ],
    "can be removed once, and taken by another app then": [
      "Endpoints: Custom domains: DELETE: 204; 404 when not attached",
      "Endpoints: Custom domains: GET {domain}: 404 when the domain is not attached to this app",
    ],
  },
  "integration/domain-handshake.test.ts": {
    "a certificate of an unknown authority is shown as the handshake's own error": [
      "Endpoints: Custom domains: GET {domain}: pending, with the handshake error unchanged",
    ],
  },
  "integration/webhooks.test.ts": {
    "is not registered for %s": [
      "Resources: Webhook, Deploy key, API key: url: https URL, no embedded credentials",
      "Endpoints: Webhooks: must be https, carry no embedded credentials and resolve to a public address",
    ],
    "shows its secret once, and is listed and deleted by its app alone": [
      "Resources: Webhook, Deploy key, API key: secret: returned only in the creation response, never again",
      "Endpoints: Webhooks: Response 201 includes secret, shown only once",
      "Endpoints: Webhooks: GET: list of id, url, created_at; secrets are never returned",
      "Endpoints: Webhooks: DELETE: 204; 404 when the id is not a webhook of the app",
    ],
    "%s reaches every receiver once, signed over its exact bytes": [
      "States and transitions: a webhook event is sent for a terminal state",
      "Events: deploy.succeeded: a deploy reaches a terminal state successfully",
      "Events: deploy.failed: a deploy fails",
      "Events: JSON body: event, app, deploy_id, status, url, timestamp",
      "Events: X-Service-Event, X-Service-Delivery, X-Service-Signature",
    ],
    "of a rollback names the deploy that it went back to, and only once it has switched": [
      "Events: deploy.rolled_back: a rollback happens",
    ],
    "is one of five at most, also when many are registered at once": [
      "Events: Up to 5 webhooks per app",
      "Limits: Webhooks per app: 5",
    ],
  },
  "integration/deploy-keys.test.ts": {
    "a key is made once, read, removed, and made anew": [
      "Resources: Webhook, Deploy key, API key: An ed25519 key pair per app. The public key is returned once on creation",
      "Resources: Webhook, Deploy key, API key: A fingerprint is available from the read operation",
      "Endpoints: Deploy key: POST generates an ed25519 key pair and returns the public key once",
      "Endpoints: Deploy key: GET returns the public key and its fingerprint",
      "Endpoints: Deploy key: DELETE removes the key",
    ],
    "a key with scopes, another owner and an unverified one are refused": [
      "Endpoints: Deploy key: need a session or an unscoped API key",
    ],
    "a repository of another form is refused on all three calls, before anything else about the key": [
      "Endpoints: Deploy key: a repository URL of the form https://github.com/<owner>/<repo>; otherwise 422",
    ],
  },
  "e2e/app-life.test.ts": {
    "a soft-stopped app is gone from its address, keeps its name, and is revived by a deploy": [
      "States and transitions: DELETE without purge: container and route removed; app record kept; name stays reserved",
      "States and transitions: app soft-stopped, POST deploy: the app is revived",
    ],
    "a stopped app answers 503 and keeps its container; started and restarted it serves; its log hides secrets": [
      "States and transitions: action stop: the container and its volumes are kept",
      "States and transitions: action start: brought back as it was",
      "States and transitions: action restart: container restarted",
    ],
  },
  "integration/rollback.test.ts": {
    "starts the image, port and environment of the release before, and builds nothing": [
      "States and transitions: rollback: running previous image, returns rolled_back",
      "Endpoints: Rollback, actions, logs: switches the app's container back to its previous image",
    ],
    "tells what is wrong with a request": [
      "Endpoints: Rollback, actions, logs: 409 when there is no previous successful deploy",
      "Endpoints: Rollback, actions, logs: rollback: 404 when the app is not found",
    ],
  },
  "integration/idempotency.test.ts": {
    "fifty concurrent requests with one key create one app": [
      "Endpoints: Common rules: The first request runs and its response is stored against the key",
    ],
    "a retry gets the same bytes, whatever the order of its properties": [
      "Endpoints: Common rules: A retry with the same key and the same body returns the stored response unchanged",
      "Endpoints: Common rules: with the header Idempotent-Replayed: true, and creates nothing new",
    ],
    "a key with a different body is refused": [
      "Endpoints: Common rules: The same key with a different body gives 422 idempotency_key_reuse",
      "Errors: 422 idempotency key reused with a different body",
    ],
    "a crashed original blocks its key for five minutes, and then frees it for the same body alone": [
      "Endpoints: Common rules: A retry while the original is still running gives 409 idempotency_key_in_progress",
    ],
    "an error of ours is not stored": ["Endpoints: Common rules: 5xx responses are never stored"],
    "an answer is stored for 24 hours, and forgotten then": [
      "Endpoints: Common rules: Keys expire after 24 hours",
      "Limits: Idempotency key: up to 255 chars; stored 24 hours",
    ],
    "a key of up to 255 characters is accepted": [
      "Endpoints: Common rules: Idempotency-Key: opaque string, max 255 chars",
    ],
  },
  "integration/every-route.test.ts": {
    "an unverified user reads, and changes nothing": [
      "Endpoints: Common rules: Mutating endpoints need a verified e-mail address",
      "Authentication: unverified accounts get 403",
      "Errors: Unverified e-mail on a mutating endpoint: 403",
    ],
    "another owner's app is answered as one that does not exist": [
      "Endpoints: Deploys: 404 app not found",
      "Authentication: an app that the caller does not own is answered as not found",
    ],
    "no key, a wrong, a revoked and an expired one are unauthorized, with the same body": [
      "Authentication: Every call except GET /api/openapi.json sends Authorization",
    ],
    "a key with all scopes but the needed one is refused": [
      "Authentication: Deploy-key operations need a session or an unscoped key",
    ],
  },
  "integration/rates.test.ts": {
    "five writes pass at once, the sixth is told to wait, and passes after that": [
      "Endpoints: Common rules: and are rate limited",
      "Errors: Rate limit exceeded: 429 with Retry-After in whole seconds",
    ],
    "ten writes a minute are granted over time, however often one asks": [
      "Limits: Write rate: 10 writes per minute per user, burst 5",
    ],
    "two processes share the bucket of a user, and all keys of a user do": [
      "Limits: Write rate: per user, over all processes",
    ],
  },
  "integration/ssh-clone.test.ts": {
    "as the password of svc, which no output tells": [
      "Endpoints: Apps: platform-hosted repos clone with the platform token",
    ],
    "by that key alone: another one is told to be added": [
      "Endpoints: Deploy key: Later deploys of that app clone over SSH with that key only",
    ],
    "from a host whose pinned keys are another host's": [
      "Endpoints: Deploy key: and accept only the git host's pinned host keys",
    ],
  },
  "integration/git.test.ts": {
    "as the tag %s": ["Endpoints: Deploys: ref: branch, tag or SHA; default branch when omitted"],
  },
  "integration/actions.test.ts": {
    "stops, starts and restarts a deployed app, says so, and is audited": [
      "Endpoints: Rollback, actions, logs: action response {app, action, status: ok}",
    ],
    "while any deploy runs on the same server is refused, also when the agent is the first to know": [
      "Endpoints: Rollback, actions, logs: 409 while a deploy runs on the same server",
    ],
    "on an app that was never deployed, or is soft-stopped, is refused": [
      "Endpoints: Rollback, actions, logs: or when the app was never deployed",
    ],
    "on another owner's app is not found, and needs the scope deploys:write": [
      "Endpoints: Rollback, actions, logs: 404 for an app the caller does not own",
    ],
  },
  "integration/logs.test.ts": {
    "has the last lines with their times, 100 unless asked otherwise": [
      "Endpoints: Rollback, actions, logs: logs: Response {app, logs}",
      "Limits: Log lines: 1-500, default 100",
      "Endpoints: Rollback, actions, logs: last N lines of the container log with timestamps; lines 1-500, default 100",
    ],
    "hides what is configured, what the running release was started with, and keys; never a time or a port": [
      "Endpoints: Rollback, actions, logs: Every env value and any svc_ key are replaced with [REDACTED]",
    ],
  },
  "integration/webhook-deliveries.test.ts": {
    "connects to the address that was checked, however the name server answers next": [
      "Endpoints: Webhooks: The check is repeated at delivery time",
    ],
    "that fails once and then arrives is delivered": [
      "Events: a non-2xx response or a network error is retried once, then logged",
    ],
    "that is answered %i is not tried again": [
      "Events: A 4xx response from the receiver is permanent and is not retried",
    ],
    "is retried once, after the pause, when the receiver does %s": [
      "Events: Redirects are not followed",
      "Limits: Webhook retries: 1 retry",
    ],
  },
  "../control-plane/src/secrets/keyring.test.ts": {
    "a value is sealed with AES-256-GCM, its context as the associated data": [
      "Resources: Environment variable: Values are encrypted at rest with AES-256-GCM",
    ],
  },
  "../control-plane/src/accounts/api-key.test.ts": {
    "a key that was made is one, and one with a changed character is none": [
      "Authentication: API keys: raw value starts with svc_",
    ],
  },
  "e2e/domain.test.ts": {
    "survives a deploy, and goes with its removal, route and permission": [
      "Endpoints: Custom domains: DELETE removes route and domain",
    ],
    "is active within 10 s of its record resolving, by the platform's own doing": [
      "Endpoints: Custom domains: GET {domain}: active, with cert {issuer, not_after, dns_names}",
    ],
    "becomes active when a record is corrected": [
      "Endpoints: Custom domains: Certificate issuance (ACME) is retried in the background",
    ],
  },
  "integration/deploy-container.test.ts": {
    "stays up beside the new one, and its image is kept as the previous one": [
      "Endpoints: Rollback, actions, logs: the running image is tagged before every deploy",
    ],
  },
  "e2e/bad-builds.test.ts": {
    "fails in a command: the step's output ends with what the build said": [
      "Resources: Deploy step: output: on failure it is the build log tail",
    ],
  },
  "integration/typed-client.test.ts": {
    "a client generated from the document compiles and works": [
      "Versioning: the machine-readable API description is served by the running server, so it matches the running API",
    ],
  },
  "../shared/src/spec/deploy-spec.test.ts": {
    "needs only a name": ["Resources: Deploy spec file: Only name is required"],
    "the first line, and the size: %j": [
      "Resources: Deploy spec file: In YAML form its first line is # spec: svc/v1",
      "Versioning: The deploy spec is version 1; it is marked by the first line # spec: svc/v1",
    ],
    "an unknown property: %j": ["Resources: Deploy spec file: Unknown properties are rejected"],
    "name: %j": ["Resources: Deploy spec file: name: pattern, length 1-63, no leading or trailing dash"],
    "framework: %j": ["Resources: Deploy spec file: framework: overrides auto-detection; the fifteen"],
    "port: %j": ["Resources: Deploy spec file: port: 1-65535"],
    "services: %j": [
      "Resources: Deploy spec file: services: map from a service name to an entry with engine (required) and version (optional)",
      "Resources: Deploy spec file: services.<name>.engine: enum postgres, postgresql, pg; mysql and mariadb are reserved for v1.x",
    ],
    "runtime: %j": ["Resources: Deploy spec file: runtime: enum docker, sysbox; sysbox is reserved and not yet wired"],
    "sandbox: %j": ["Resources: Deploy spec file: sandbox: default false; reserved for v1.x"],
    "env: %j": ["Resources: Deploy spec file: env: required env-var keys"],
    "%s is PostgreSQL, 16 unless it says another version": [
      "Resources: Deploy spec file: services.<name>.version: engine version; default 16 when omitted",
    ],
    "memory %s": ["Resources: Deploy spec file: resources.memory: container memory cap"],
    "cpus %s": ["Resources: Deploy spec file: resources.cpus: CPU cap"],
  },
  "../shared/src/spec/start-command.test.ts": {
    "whatever begins with an assignment, or holds an operator": [
      "Resources: Deploy spec file: start: leading env-var assignments route to a shell-form command",
    ],
    "gives back every word byte for byte, however it was quoted": [
      "Resources: Deploy spec file: start: flags such as --host=0.0.0.0 stay in exec-form",
    ],
  },
  "e2e/spec-file.test.ts": {
    "gives start, port, caps and a database of its version; a rollback keeps them, and a stop reaches the app": [
      "Resources: Deploy spec file: start: overrides the default start command",
    ],
    "replaces the build and start commands of a generated Dockerfile": [
      "Resources: Deploy spec file: build: overrides the framework's default build command",
    ],
  },
  "e2e/svc-up.test.ts": {
    "goes from a folder that is in no repository to the URL": [
      "What the service does: A command-line tool wraps the same flow",
    ],
    "pushes what has changed, and says all of it as JSON lines with --json": [
      "What the service does: With --json it emits NDJSON progress events",
      "Events: The command-line tool's --json mode emits NDJSON progress events",
    ],
  },
};

export const LATER_ISSUES: Readonly<Record<string, readonly string[]>> = {
  dashboard: ["Resources: Webhook, Deploy key, API key: Created in the dashboard; the raw value is shown once"],
};
