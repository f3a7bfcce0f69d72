// Generated from the API's OpenAPI document by `npm run client`; do not edit.
export interface paths {
    "/api/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's apps, oldest first
         * @description All of them, unless `limit` asks for pages; `next_cursor` is there when another page follows.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["listApps"];
        put?: never;
        /**
         * Register an app
         * @description Scope: apps:write. Role: developer.
         */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one app
         * @description As in the list.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["readApp"];
        put?: never;
        post?: never;
        /**
         * Stop the app and remove it from its server
         * @description A soft stop: record, name and database are kept, and the next deploy revives the app. With `purge=1` the record goes too and the name is free; a last dump of the database stays on the host for 7 days. A deploy of the app that runs is canceled first. While the server's agent is away the removal is noted down and done when it is back.
         *
         *     Scope: apps:write. Role: owner.
         */
        delete: operations["deleteApp"];
        options?: never;
        head?: never;
        /**
         * Change the app's settings for its next deploy
         * @description At least one of the properties; they take effect on the next deploy.
         *
         *     Scope: apps:write. Role: developer.
         */
        patch: operations["patchApp"];
        trace?: never;
    };
    "/api/apps/{name}/hand-over": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the app to another team
         * @description Extension. The caller is at least developer there. The app goes on serving, with its releases, variables, domains and webhooks. Its repository on the platform's git host goes with it, and has the new address in `git_repo`; the TXT records of its domains have another value from now on. Keys of the former team reach it no more.
         *
         *     Scope: unscoped. Role: owner.
         */
        post: operations["handOverApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start, stop or restart the app
         * @description The container and its volumes are kept; a stopped app answers 503. It is refused while any deploy runs on the app's server.
         *
         *     Scope: deploys:write. Role: deployer.
         */
        post: operations["actOnApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the app used and answered
         * @description Extension. Requests, errors, latency, processors, memory, network and restarts, with a value for each step from `since` on; null where the app's server told nothing, which is not 0. Values by 10 s are kept for an hour, by 60 s for a day, by 600 s for 30 days; those by 3600 s are added up from them. Steps that have not ended are left out. The app's database is not counted.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the end of the app's container log
         * @description Each line begins with its time in ISO 8601. Every value configured for the app, the database's password and URL, and every `svc_` key are `[REDACTED]`. With `follow=1` the answer is a stream of server-sent events: `log` ({lines, dropped}), then `end` when the container has ended, or `error` ({error, detail}); `still_here` comes while nothing else does, every 10 s. With `source=access` the lines are the requests that the proxy has answered for the app's hosts. While the platform itself keeps the app stopped, one more line at the end, after `[platform]`, says why. `release` or `deploy` reads what the newest container of that release, or of that deploy, wrote, also when it failed, was replaced or was killed; the last 500 lines, 512 KiB at most, of an app's last 10 containers are kept, for 14 days, until the app is purged. Neither goes with `follow=1` or `source=access`. `since`, `until` and `query` search what the app has written in the last 7 days, 100 MB compressed at most, whichever containers it had, also when it has none any more; the newest `lines` lines that are found are answered. A search that has these, or has looked at 256 MiB or for 5 s, stops there: then `continue_until` is the `until` of the next one; it is null when there is nothing before. A query is words, all of which a line has to hold in any case of letters, `"quoted text"`, `-word` for lines without it, and `level:error` (`warn`, `info`, `debug`). With `source=access` it has, besides text, `status:404`, `status:>=500`, `method:POST`, `path:/api/*` and `host:NAME`, and the newest 4 MiB of requests are searched. None of the three goes with `follow=1`, `release` or `deploy`.
         *
         *     Scope: logs:read. Role: viewer.
         */
        get: operations["readLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the templates that apps can be created from
         * @description Scope: apps:read. Role: viewer.
         */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tier": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the caller's tier allows
         * @description Extension. An app that asks for nothing gets the caps in full.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["readTier"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the caller is, and what the caller may do
         * @description Extension.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["readMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the teams that the caller is in
         * @description Extension. The personal one comes first. A key acts in one team, and sees that one.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["listTeams"];
        put?: never;
        /**
         * Make a team, which the caller owns
         * @description Extension. It has the smallest tier until the operator moves it to another.
         *
         *     Scope: unscoped. Role: viewer.
         */
        post: operations["createTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete the team, which has no apps any more
         * @description Extension. Its keys end.
         *
         *     Scope: unscoped. Role: owner.
         */
        delete: operations["deleteTeam"];
        options?: never;
        head?: never;
        /**
         * Rename the team
         * @description Extension.
         *
         *     Scope: unscoped. Role: owner.
         */
        patch: operations["renameTeam"];
        trace?: never;
    };
    "/api/teams/{team}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who is in the team, and as what
         * @description Extension. Who has been there for longest comes first.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a member another role
         * @description Extension. It holds from the member's next request on, and for the keys that they have made in the team.
         *
         *     Scope: unscoped. Role: owner.
         */
        put: operations["changeRole"];
        post?: never;
        /**
         * Take a member out of the team
         * @description Extension. The keys that they have made in the team end.
         *
         *     Scope: unscoped. Role: owner.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations that can still be accepted
         * @description Extension.
         *
         *     Scope: unscoped. Role: owner.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite an address into the team
         * @description Extension. A mail with a link goes there, which works once, for seven days, and for that address alone. A further invitation of the same address takes the place of the one before.
         *
         *     Scope: unscoped. Role: owner.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team}/invitations/{invitation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take an invitation back
         * @description Extension.
         *
         *     Scope: unscoped. Role: owner.
         */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation that was sent to the caller's address
         * @description Extension. `token` is the part of the mail's link after `#token=`.
         *
         *     Scope: unscoped. Role: viewer.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the team
         * @description Extension. The keys that the caller has made in the team end, this one included.
         *
         *     Scope: unscoped. Role: viewer.
         */
        post: operations["leaveTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{team}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who did what, the newest first
         * @description Extension. Entries are kept for a year, and 10,000 of a team; each reader of an app's variables is noted once an hour. `next_cursor` is there when another page follows.
         *
         *     Scope: unscoped. Role: owner.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who did what to the platform itself, the newest first
         * @description Extension. Operators, administrators and the platform; 10,000 entries are kept, for a year.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        get: operations["listPlatformActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the servers, with their figures and queues
         * @description Extension. By name.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        get: operations["listServers"];
        put?: never;
        /**
         * Make a server that one agent can join as
         * @description Extension. The answer has the command for the host, with a token that works once and for 15 minutes, and is shown this once. Without a name the first free one of server-1, server-2, … is taken; for a server that is still joining, the earlier token ends. `password` and `code` are the caller's own, as far as they have them.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        post: operations["createServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one server, with what runs and waits there, and its apps
         * @description Extension. At most 200 deploys and 200 apps are listed; `server` has their numbers.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        get: operations["readServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the server's pool, labels and address
         * @description Extension. At least one of the properties. Apps that live there stay, whatever they have asked for; new ones are placed by what is set.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        patch: operations["setServer"];
        trace?: never;
    };
    "/api/servers/{name}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the server no new apps
         * @description Extension. Apps that live there go on, their deploys included.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        post: operations["drainServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{name}/undrain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the server new apps again
         * @description Extension. Deploys that wait for a server come first.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        post: operations["undrainServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all teams, by their names and numbers
         * @description Extension. Personal ones included, oldest first; `next_cursor` is there when another page follows.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        get: operations["listAllTeams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/tiers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tiers that teams can have
         * @description Extension. In the order of the tiers file.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        get: operations["listTiers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/teams/{team}/tier": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Move a team to another tier
         * @description Extension. With a personal team its person. What runs goes on; the limits hold from the next app and the next deploy on. `password` and `code` are the caller's own, as far as they have them.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        put: operations["changeTier"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/teams/{team}/pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a team pools of servers
         * @description Extension. In place of those before, beside `default`, which every team has. The team's apps may ask for these pools, and for servers in them; `default` in the list lets them name the servers of that pool, too. Apps that live elsewhere stay.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        put: operations["givePools"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/apps/{name}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far any team's app is with its newest move
         * @description Extension.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        get: operations["readAnyMove"];
        put?: never;
        /**
         * Move any team's app to another server
         * @description Extension. As `moveApp` does it.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        post: operations["moveAnyApp"];
        /**
         * Give up the move of any team's app
         * @description Extension. As `cancelMove` does it.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        delete: operations["cancelAnyMove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/servers/{name}/evacuate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far the server's evacuation is
         * @description Extension.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        get: operations["readEvacuation"];
        put?: never;
        /**
         * Drain the server and move every app to others
         * @description Extension. One app at a time, each to the server that a new app would go to. It stops where none takes the next app, or a move fails, and says why; called again it goes on. `GET` of the same path says how far it is.
         *
         *     Role: operator, signed in. Anybody else, and every key, gets `not_found`.
         */
        post: operations["evacuateServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a repository on the platform's own git host
         * @description Extension. Made when the caller has none of that name, to push to and then to give as `repo_url`: git takes an API key as the password, with any user name. One push may bring 100 MiB, a repository may reach 1 GiB, and ten may wait for an app. One that no app deploys from is removed after a day.
         *
         *     Scope: apps:write. Role: developer.
         */
        post: operations["ensureRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/env": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the app's variables, decrypted
         * @description Extension: `sealed` names the variables whose values nobody reads; absent where there are none.
         *
         *     Scope: env:read. Role: developer.
         */
        get: operations["getEnv"];
        /**
         * Create or replace variables; the others stay
         * @description The values apply on the next deploy; the container is not restarted. Extension: `sealed` names variables, of these or of the app's others, whose values nobody reads any more: the app gets them, and a new value may be set. A variable that is sealed stays so until it is deleted.
         *
         *     Scope: env:write. Role: developer.
         */
        put: operations["putEnv"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the names of the app's variables
         * @description Extension. Values are read with `GET /api/apps/{name}/env`, which the activity notes.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["listVariables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/env/{KEY}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a variable
         * @description The values apply on the next deploy; the container is not restarted.
         *
         *     Scope: env:write. Role: developer.
         */
        delete: operations["deleteEnv"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a deploy
         * @description A soft-stopped app is revived. A queued deploy appears in the app's list when its run starts. Without a `release` the deploy is called `v<N>`: N counts the app's deploys, and goes on to the next name that is free.
         *
         *     Scope: deploys:write. Role: deployer.
         */
        post: operations["startDeploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/deploys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the app's deploys that have started, newest first
         * @description `next_cursor` is there when older ones follow; asking with `cursor` is an extension.
         *
         *     Scope: deploys:read. Role: viewer.
         */
        get: operations["listDeploys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deploys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a deploy with its four steps in order
         * @description Scope: deploys:read. Role: viewer.
         */
        get: operations["readDeploy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deploys/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a deploy
         * @description Extension. A deploy that waits is canceled at once; one that runs is stopped and what it did is taken back, and then its status is `canceled`: it never becomes `success` or `failed`.
         *
         *     Scope: deploys:write. Role: deployer.
         */
        post: operations["cancelDeploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say what a deploy of a repository would make
         * @description Extension. Reads the repository and makes nothing: the framework with the reason, the port, the start command and the Dockerfile, as a deploy of an app without settings of its own would have them. What such a deploy would be refused for is refused here. It takes as long as fetching the repository does, a minute at most.
         *
         *     Scope: apps:write. Role: developer.
         */
        post: operations["planRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say what differs between two releases, or what the next deploy brings
         * @description Extension. `from` is the release that serves when left out, `to` the next deploy: its variables are those that are stored now. Of variables, names alone are told, and none that the platform sets for each release.
         *
         *     Scope: deploys:read. Role: viewer.
         */
        get: operations["compareReleases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/deploys/waiting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the app's deploy that waits, and what it waits for
         * @description Extension. It is still to begin, and not in the list of deploys yet; or it has begun, and its server is away.
         *
         *     Scope: deploys:read. Role: viewer.
         */
        get: operations["readWaitingDeploy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go back to an earlier release
         * @description Starts the release's own image with the environment that it had, and never builds. Answers when it is live; what is live keeps serving until then, and also when the rollback fails. The release before the current one is the one that was live when the current one was deployed, so a second rollback goes one further back. It runs beside what other apps of the server deploy. The images of the last 5 releases that served are kept; others can't be gone back to. Naming a release is an extension; the one that is live already is answered at once.
         *
         *     Scope: deploys:write. Role: deployer.
         */
        post: operations["rollBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far the app's newest move is
         * @description Extension.
         *
         *     Scope: apps:read. Role: viewer.
         */
        get: operations["readMove"];
        put?: never;
        /**
         * Move the app to another server
         * @description Extension. With its image, its databases, its variables and its domains, to a server that takes new apps. The app serves while its image is carried; its requests are refused while its databases are, until the other server serves it: nothing that it has stored is lost. When the move fails, it goes on where it was. Its logs, and the images of former releases, stay behind. `GET` of the same path says how far it is.
         *
         *     Scope: apps:write. Role: owner.
         */
        post: operations["moveApp"];
        /**
         * Give up the move of the app
         * @description Extension. The app goes on where it was, and the move ends as `canceled`. Refused once the other server serves the app, or is about to: what was stored there would be lost.
         *
         *     Scope: apps:write. Role: owner.
         */
        delete: operations["cancelMove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/deploy-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public key and its fingerprint
         * @description Needs a session or an unscoped API key, and a repository of the form https://github.com/<owner>/<repo>. While the app has a deploy key, its deploys clone over SSH with that key alone, and accept the git host's pinned host keys alone.
         *
         *     Scope: unscoped. Role: developer.
         */
        get: operations["getDeployKey"];
        put?: never;
        /**
         * Make an ed25519 key pair for the app's private repository
         * @description Needs a session or an unscoped API key, and a repository of the form https://github.com/<owner>/<repo>. While the app has a deploy key, its deploys clone over SSH with that key alone, and accept the git host's pinned host keys alone.
         *
         *     Scope: unscoped. Role: developer.
         */
        post: operations["createDeployKey"];
        /**
         * Remove the key; later deploys clone without one
         * @description Needs a session or an unscoped API key, and a repository of the form https://github.com/<owner>/<repo>. While the app has a deploy key, its deploys clone over SSH with that key alone, and accept the git host's pinned host keys alone.
         *
         *     Scope: unscoped. Role: developer.
         */
        delete: operations["deleteDeployKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the app's webhooks, oldest first
         * @description Scope: webhooks:read. Role: developer.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a receiver of the app's events
         * @description Events are sent as `POST` with a JSON body, `X-Service-Event`, `X-Service-Delivery` (the webhook's id) and `X-Service-Signature: sha256=<hex>`: the HMAC-SHA256 of the raw body, keyed with the characters of `secret` as they are. Any 2xx answer within 10 s is a delivery. A 4xx is final; anything else, a redirect included, is tried once more after 5 s. An event can arrive more than once. The last 50 deliveries are kept, and waiting ones beyond them dropped.
         *
         *     Extension: `app.unhealthy` and `app.recovered` are sent to webhooks whose `events` name them, once for each change; an app has recovered when it has served for 10 s. `deploy_id` is the deploy of the live release, `status` is `unhealthy` or `recovered`, and `reason` says why it is unhealthy.
         *
         *     Scope: webhooks:write. Role: developer.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook; what was still to be delivered is dropped
         * @description Scope: webhooks:write. Role: developer.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook's last 50 deliveries, newest first
         * @description Scope: webhooks:read. Role: developer.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery's bytes again, as a new delivery
         * @description Scope: webhooks:write. Role: developer.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the app's domains
         * @description Scope: domains:read. Role: viewer.
         */
        get: operations["listDomains"];
        put?: never;
        /**
         * Attach a domain to the app
         * @description Until the TXT record `txt_record` has the value `txt_value`, the answer is 422 `domain_not_verified` with both. The value is the same on every retry. The domain's A record must point at the platform; its certificate is made in the background. Of a domain that another owner has, the answer is 409 `domain_in_use` with both, until that value is published and the former one is not: then the domain comes to this app.
         *
         *     Scope: domains:write. Role: developer.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{name}/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check what a domain serves by a verified TLS handshake
         * @description Scope: domains:read. Role: viewer.
         */
        get: operations["readDomain"];
        put?: never;
        post?: never;
        /**
         * Remove a domain and its route
         * @description Scope: domains:write. Role: developer.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the host names that lead to apps, each with its server
         * @description Extension, for balancers in front of several servers. All owners' apps that have been deployed, by host name in the order of its bytes; `next_cursor` is there when another page follows. Each page has an ETag: asked with If-None-Match, a page that is the same is answered 304. Beside operators who are signed in, their keys without scopes can read it.
         *
         *     Role: operator, signed in or with a key without scopes. Anybody else gets `not_found`.
         */
        get: operations["listRoutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deploys/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a deploy live
         * @description Server-sent events, numbered from 1 upwards: `log` ({lines, dropped}), `progress` ({message}), `step` and `deploy` ({status}). The stream ends after the `deploy` event with a terminal status; a deploy that fails within 30 s after it went live has one more, `taken_back`, as in the deploy. `Last-Event-ID` resumes after that number. A log that is too fast or too long loses lines: `dropped` says how many, and numbers go on rising. While nothing else comes, `still_here` does every 10 s, without a number.
         *
         *     Scope: deploys:read. Role: viewer.
         */
        get: operations["streamDeployEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who answers in the chat, and what is left of the day
         * @description Extension.
         *
         *     Scope: unscoped. Role: viewer.
         */
        get: operations["readChat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sentences that begin with a text
         * @description Extension. Each is understood also without a model; at most 8.
         *
         *     Scope: unscoped. Role: viewer.
         */
        get: operations["completeChat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's conversations
         * @description Extension. They are of the team that the caller acts in, the newest first. A person has 50 at most.
         *
         *     Scope: unscoped. Role: viewer.
         */
        get: operations["listConversations"];
        put?: never;
        /**
         * Begin a conversation
         * @description Extension. When the person has 50, the one that was not used for longest is gone.
         *
         *     Scope: unscoped. Role: viewer.
         */
        post: operations["createConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a conversation
         * @description Extension. An answer that was interrupted says so.
         *
         *     Scope: unscoped. Role: viewer.
         */
        get: operations["readConversation"];
        put?: never;
        post?: never;
        /**
         * Delete a conversation
         * @description Extension.
         *
         *     Scope: unscoped. Role: viewer.
         */
        delete: operations["deleteConversation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write to the assistant, and follow its answer
         * @description Extension. Server-sent events: `message` ({id, role}), then, as they come, `text` ({delta}), `looked` ({tool, title, text}; a tool that was asked), `card` (a Card: new, or its new state), `problem` ({code, detail}), and `done` at the end. `still_here` comes every 10 s. When its reader goes, an answer ends, and its words until then are kept; what a card does goes on. Nothing is changed by it: what would change something comes as a card. `app` and `deploy` name the page that the person looks at. The value in `KEY=value` reaches no model, and lies sealed.
         *
         *     Scope: unscoped. Role: viewer.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{id}/cards/{card}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do what a card says, or leave it
         * @description Extension. Server-sent events: `message` ({id, role}), then, as they come, `text` ({delta}), `looked` ({tool, title, text}; a tool that was asked), `card` (a Card: new, or its new state), `problem` ({code, detail}), and `done` at the end. `still_here` comes every 10 s. When its reader goes, an answer ends, and its words until then are kept; what a card does goes on. A card is decided once, by its person, within 15 minutes. Its actions are requests of this API, as the caller.
         *
         *     Scope: unscoped. Role: viewer.
         */
        post: operations["decideCard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the documents
         * @description Paths of the page that describes this API, of the document that it shows, of the spec file's schema, and of the package of the command-line tool; its SHA-256 is at the same path with `.sha256`.
         */
        get: operations["readIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document */
        get: operations["readOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document as a page */
        get: operations["readDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/spec.schema.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the JSON Schema of the deploy spec file
         * @description For editors: what svc.yaml, svc.yml and svc.json may hold, as JSON Schema, draft 2020-12.
         */
        get: operations["readSpecSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "name": "hello",
         *       "subdomain": "hello",
         *       "status": "deploying",
         *       "stopped_by": {
         *         "reason": "disk_limit",
         *         "detail": "The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.",
         *         "at": "2026-01-31T12:00:00.000Z"
         *       },
         *       "health": {
         *         "state": "healthy",
         *         "reason": null,
         *         "since": "2026-01-31T12:00:00.000Z"
         *       },
         *       "git_repo": "https://github.com/you/hello",
         *       "root": "text",
         *       "database_name": "app_hello",
         *       "framework": "express",
         *       "port": 3000,
         *       "memory": "512m",
         *       "cpus": "0.5",
         *       "url": "https://hello.apps.example.com",
         *       "needs_database": false,
         *       "deploy_on_push": false,
         *       "has_deploy_key": false,
         *       "server": "server-1",
         *       "pool": "gpu",
         *       "label": "zone=eu-1",
         *       "current_release": "v3",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "last_deployed_at": "2026-01-31T12:00:00.000Z",
         *       "last_deploy": {
         *         "release": "v3",
         *         "status": "success",
         *         "taken_back": false,
         *         "finished_at": "2026-01-31T12:00:00.000Z"
         *       }
         *     }
         */
        App: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /** @example hello */
            name: string;
            /** @example hello */
            subdomain: string;
            /**
             * @example deploying
             * @enum {string}
             */
            status: "deploying" | "running" | "failed" | "stopped" | "soft_stopped";
            /**
             * @description extension; why the platform itself stopped the app, until it is started or deployed; else null
             * @example null
             */
            stopped_by: {
                /**
                 * @description `disk_limit`; there may be more
                 * @example disk_limit
                 */
                reason: string;
                /**
                 * @description the limit, what was used, what to do
                 * @example The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.
                 */
                detail: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-01-31T12:00:00.000Z
                 */
                at: string;
            } | null;
            /**
             * @description extension; how the app is, as its server's agent observed it within the last 10 s. `unhealthy`: `crash_loop`, it ends again and again; `out_of_memory`, it reached its memory limit and ended; `not_listening`, its port accepts no connection; `gone`, its container was removed or stopped outside of the platform. `unknown`: `server_away`, nobody observes it, since then; without a reason, it is not to serve, or was not observed yet
             * @example {
             *       "state": "healthy",
             *       "reason": null,
             *       "since": "2026-01-31T12:00:00.000Z"
             *     }
             */
            health: {
                /**
                 * @example healthy
                 * @enum {string}
                 */
                state: "healthy" | "unhealthy" | "unknown";
                /**
                 * @example crash_loop
                 * @enum {string|null}
                 */
                reason: "crash_loop" | "out_of_memory" | "not_listening" | "gone" | "server_away" | null;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-01-31T12:00:00.000Z
                 */
                since: string | null;
            };
            /**
             * @description of an app from a template: its repository on the platform's own git host, `{base_url}/git/<id of the owner>/<name>.git`; git takes an API key as the password, with any user name (a clone needs `apps:read`, a push `apps:write`)
             * @example https://github.com/you/hello
             */
            git_repo: string | null;
            /**
             * @description extension; the folder of the repository that was set to be built
             * @example null
             */
            root: string | null;
            /** @example app_hello */
            database_name: string | null;
            /**
             * @example express
             * @enum {string|null}
             */
            framework: "nextjs" | "remix" | "nuxt" | "astro" | "vite" | "express" | "hono" | "fastify" | "fastapi" | "django" | "flask" | "go" | "rust" | "rails" | "static" | "node" | "dockerfile" | null;
            /**
             * @description null until it is known: given, implied by the framework, or detected
             * @example 3000
             */
            port: number | null;
            /**
             * @description extension; the cap that was set for the app's container; null for that of the spec file, else of the tier
             * @example 512m
             */
            memory: string | null;
            /**
             * @description extension; the cap that was set for the app's container; null for that of the spec file, else of the tier
             * @example 0.5
             */
            cpus: string | null;
            /**
             * Format: uri
             * @example https://hello.apps.example.com
             */
            url: string;
            /** @example false */
            needs_database: boolean;
            /**
             * @description extension; a push to the app's repository on the platform's own git host deploys it
             * @example false
             */
            deploy_on_push: boolean;
            /**
             * @description extension; whether its repository is read with a deploy key of its own
             * @example false
             */
            has_deploy_key: boolean;
            /**
             * @description name of the host that it lives on
             * @example server-1
             */
            server: string | null;
            /**
             * @description extension; the pool of servers that it was created for; null for `default`
             * @example gpu
             */
            pool: string | null;
            /**
             * @description extension; the label that its server was to have when it was created
             * @example zone=eu-1
             */
            label: string | null;
            /** @example v3 */
            current_release: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            last_deployed_at: string | null;
            /**
             * @description extension; the deploy that ended last, also one that did not go live; null before the first
             * @example {
             *       "release": "v3",
             *       "status": "success",
             *       "taken_back": false,
             *       "finished_at": "2026-01-31T12:00:00.000Z"
             *     }
             */
            last_deploy: {
                /** @example v3 */
                release: string;
                /**
                 * @example success
                 * @enum {string}
                 */
                status: "success" | "failed" | "canceled";
                /**
                 * @description whether its release was taken back soon after it went live
                 * @example false
                 */
                taken_back: boolean;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-01-31T12:00:00.000Z
                 */
                finished_at: string;
            } | null;
        };
        /**
         * @example {
         *       "error": "invalid_request",
         *       "detail": "The port 70000 is out of range."
         *     }
         */
        Error: {
            /**
             * @description a code
             * @example invalid_request
             */
            error: string;
            /**
             * @description a sentence for the person who can act
             * @example The port 70000 is out of range: use 1 to 65535.
             */
            detail?: string;
            /**
             * @description only with 500
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            request_id?: string;
            /**
             * @description with `domain_not_verified`, and `domain_in_use` of another owner
             * @example _svc-verify.shop.example.com
             */
            txt_record?: string;
            /**
             * @description with `domain_not_verified`, and `domain_in_use` of another owner
             * @example svc-verify=3f8a1c2b9d
             */
            txt_value?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "name": "hello",
         *       "repo_url": "https://github.com/you/hello"
         *     }
         */
        CreateApp: {
            /**
             * @description none of www, api, admin, dashboard, console, login, auth, account, accounts, billing, security, status, support, help, git, registry, agent, agents, control-plane, svc, internal, localhost, mail, smtp, imap, pop, pop3, mx, webmail, autoconfig, autodiscover, mta-sts, postmaster, ns, ns1, ns2, dns, ftp, wpad, root, hostmaster, webmaster, abuse
             * @example hello
             */
            name: string;
            /**
             * Format: uri
             * @description https, without credentials
             * @example https://github.com/you/hello
             */
            repo_url?: string;
            /**
             * @description extension; a folder of the repository, such as apps/web: a relative path without `..`, of at most 255 printable characters; `.` is the repository's top. Framework, Dockerfile and spec file are looked for in it; the spec file at the top counts where the folder has none. In a workspace of npm, pnpm, yarn or bun the dependencies come from the workspace's lock file. It wins over `root` of the spec file at the top
             * @example apps/web
             */
            root?: string;
            /**
             * @description exactly one of repo_url and template
             * @example express-postgres
             */
            template?: string;
            /**
             * @description wins over the spec file of the commit, and over what is recognised
             * @example express
             * @enum {string}
             */
            framework?: "nextjs" | "remix" | "nuxt" | "astro" | "vite" | "express" | "hono" | "fastify" | "fastapi" | "django" | "flask" | "go" | "rust" | "rails" | "static" | "node" | "dockerfile";
            /**
             * @description wins over the spec file of the commit, and over the framework's
             * @example 3000
             */
            port?: number;
            /**
             * @description provision PostgreSQL on the first deploy; a service in the spec file does so too
             * @example false
             */
            needs_database?: boolean;
            /**
             * @description extension; name of the server that it is to live on: one of a pool that an operator has given the team. Not beside `pool` and `label`
             * @example server-1
             */
            server?: string;
            /**
             * @description extension; the pool of servers that one is chosen from at the first deploy: `default`, which it is otherwise, or one that an operator has given the team
             * @example gpu
             */
            pool?: string;
            /**
             * @description extension; a label that the server is to have; some server of the pool has it
             * @example zone=eu-1
             */
            label?: string;
        };
        /**
         * @example {
         *       "port": 8080
         *     }
         */
        PatchApp: {
            /**
             * Format: uri
             * @description https, without credentials
             * @example https://github.com/you/hello
             */
            repo_url?: string;
            /**
             * @description extension; a folder of the repository, such as apps/web: a relative path without `..`, of at most 255 printable characters; `.` is the repository's top. Framework, Dockerfile and spec file are looked for in it; the spec file at the top counts where the folder has none. In a workspace of npm, pnpm, yarn or bun the dependencies come from the workspace's lock file. It wins over `root` of the spec file at the top
             * @example apps/web
             */
            root?: string;
            /**
             * @description wins over the spec file of the commit; null for the one that is recognised
             * @example express
             * @enum {string|null}
             */
            framework?: "nextjs" | "remix" | "nuxt" | "astro" | "vite" | "express" | "hono" | "fastify" | "fastapi" | "django" | "flask" | "go" | "rust" | "rails" | "static" | "node" | "dockerfile" | null;
            /**
             * @description wins over the spec file of the commit; null for the framework's
             * @example 3000
             */
            port?: number | null;
            /**
             * @description extension; at most what the tier allows; wins over the commit's spec file, which may ask for no more than the tier allows either; null for what the file says, else for all that the tier allows. Answers write memory in mebibytes
             * @example 512m
             */
            memory?: string | null;
            /**
             * @description extension; at most what the tier allows; wins over the commit's spec file, which may ask for no more than the tier allows either; null for what the file says, else for all that the tier allows. Answers write memory in mebibytes
             * @example 0.5
             */
            cpus?: string | null;
            /**
             * @description extension; deploy when the default branch of the app's repository on the platform's own git host is pushed with a key that has deploys:write
             * @example false
             */
            deploy_on_push?: boolean;
        };
        /**
         * @example {
         *       "team": "0198c0de-7a11-7000-8000-000000000001"
         *     }
         */
        HandOver: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            team: string;
        };
        /**
         * @example {
         *       "action": "restart"
         *     }
         */
        AppAction: {
            /**
             * @example restart
             * @enum {string}
             */
            action: "start" | "stop" | "restart";
        };
        /**
         * @example {
         *       "app": "hello",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "until": "2026-01-31T12:00:00.000Z",
         *       "step": 1,
         *       "series": {
         *         "requests": [
         *           1
         *         ],
         *         "client_errors": [
         *           1
         *         ],
         *         "errors": [
         *           1
         *         ],
         *         "latency_p50_ms": [
         *           1
         *         ],
         *         "latency_p99_ms": [
         *           1
         *         ],
         *         "cpu_cores": [
         *           1
         *         ],
         *         "memory_bytes": [
         *           1
         *         ],
         *         "memory_bytes_max": [
         *           1
         *         ],
         *         "network_bytes_in": [
         *           1
         *         ],
         *         "network_bytes_out": [
         *           1
         *         ],
         *         "restarts": [
         *           1
         *         ]
         *       },
         *       "deploys": [
         *         {
         *           "id": "0198c0de-7a11-7000-8000-000000000001",
         *           "release": "v3",
         *           "status": "pending",
         *           "finished_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ]
         *     }
         */
        AppMetrics: {
            /** @example hello */
            app: string;
            /**
             * Format: date-time
             * @description when the first step begins
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description when the last one ends
             * @example 2026-01-31T12:00:00.000Z
             */
            until: string;
            /**
             * @description seconds
             * @example 1
             */
            step: number;
            /**
             * @example {
             *       "requests": [
             *         1
             *       ],
             *       "client_errors": [
             *         1
             *       ],
             *       "errors": [
             *         1
             *       ],
             *       "latency_p50_ms": [
             *         1
             *       ],
             *       "latency_p99_ms": [
             *         1
             *       ],
             *       "cpu_cores": [
             *         1
             *       ],
             *       "memory_bytes": [
             *         1
             *       ],
             *       "memory_bytes_max": [
             *         1
             *       ],
             *       "network_bytes_in": [
             *         1
             *       ],
             *       "network_bytes_out": [
             *         1
             *       ],
             *       "restarts": [
             *         1
             *       ]
             *     }
             */
            series: {
                /**
                 * @description requests that the proxy answered for the app's hosts
                 * @example [
                 *       1
                 *     ]
                 */
                requests: (number | null)[];
                /**
                 * @description those with a status of 400 to 499
                 * @example [
                 *       1
                 *     ]
                 */
                client_errors: (number | null)[];
                /**
                 * @description those with a status of 500 and more
                 * @example [
                 *       1
                 *     ]
                 */
                errors: (number | null)[];
                /**
                 * @description time until the whole answer was sent, median; null without requests
                 * @example [
                 *       1
                 *     ]
                 */
                latency_p50_ms: (number | null)[];
                /**
                 * @description the same, 99th percentile
                 * @example [
                 *       1
                 *     ]
                 */
                latency_p99_ms: (number | null)[];
                /**
                 * @description processors in use on average
                 * @example [
                 *       1
                 *     ]
                 */
                cpu_cores: (number | null)[];
                /**
                 * @description the most memory in use at the end of 10 s, without files that the kernel may drop
                 * @example [
                 *       1
                 *     ]
                 */
                memory_bytes: (number | null)[];
                /**
                 * @description the cap on it; while a deploy replaces a container, of both
                 * @example [
                 *       1
                 *     ]
                 */
                memory_bytes_max: (number | null)[];
                /**
                 * @description bytes that the app received
                 * @example [
                 *       1
                 *     ]
                 */
                network_bytes_in: (number | null)[];
                /**
                 * @description bytes that it sent
                 * @example [
                 *       1
                 *     ]
                 */
                network_bytes_out: (number | null)[];
                /**
                 * @description how often it was started again after it had ended by itself
                 * @example [
                 *       1
                 *     ]
                 */
                restarts: (number | null)[];
            };
            /**
             * @description the newest 100 that ended in the range, oldest first
             * @example [
             *       {
             *         "id": "0198c0de-7a11-7000-8000-000000000001",
             *         "release": "v3",
             *         "status": "pending",
             *         "finished_at": "2026-01-31T12:00:00.000Z"
             *       }
             *     ]
             */
            deploys: {
                /**
                 * Format: uuid
                 * @example 0198c0de-7a11-7000-8000-000000000001
                 */
                id: string;
                /** @example v3 */
                release: string;
                /**
                 * @example pending
                 * @enum {string}
                 */
                status: "pending" | "running" | "success" | "failed" | "canceled";
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-01-31T12:00:00.000Z
                 */
                finished_at: string;
            }[];
        };
        /**
         * @example {
         *       "slug": "express-postgres",
         *       "title": "Express with PostgreSQL",
         *       "description": "A small web service",
         *       "framework": "express",
         *       "port": 3000,
         *       "needs_database": false
         *     }
         */
        Template: {
            /** @example express-postgres */
            slug: string;
            /** @example Express with PostgreSQL */
            title: string;
            /** @example A small web service */
            description: string;
            /**
             * @example express
             * @enum {string}
             */
            framework: "nextjs" | "remix" | "nuxt" | "astro" | "vite" | "express" | "hono" | "fastify" | "fastapi" | "django" | "flask" | "go" | "rust" | "rails" | "static" | "node" | "dockerfile";
            /** @example 3000 */
            port: number;
            /** @example false */
            needs_database: boolean;
        };
        /**
         * @example {
         *       "name": "free",
         *       "apps": 3,
         *       "memory": "512m",
         *       "cpus": "1"
         *     }
         */
        Tier: {
            /** @example free */
            name: string;
            /**
             * @description apps at most, soft-stopped ones included
             * @example 3
             */
            apps: number;
            /**
             * @description that an app's container may have, written as `resources.memory` of a spec file
             * @example 512m
             */
            memory: string;
            /**
             * @description the same of CPUs
             * @example 1
             */
            cpus: string;
        };
        /**
         * @example {
         *       "user": {
         *         "id": "0198c0de-7a11-7000-8000-000000000001",
         *         "email": "text",
         *         "email_verified": false,
         *         "tier": "text",
         *         "created_at": "2026-01-31T12:00:00.000Z"
         *       },
         *       "key": {
         *         "id": "0198c0de-7a11-7000-8000-000000000001",
         *         "scopes": [
         *           "text"
         *         ],
         *         "apps": [
         *           "text"
         *         ]
         *       },
         *       "teams": [
         *         {
         *           "id": "0198c0de-7a11-7000-8000-000000000001",
         *           "name": "hello",
         *           "personal": false,
         *           "role": "viewer",
         *           "tier": "text",
         *           "created_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ]
         *     }
         */
        Me: {
            /**
             * @example {
             *       "id": "0198c0de-7a11-7000-8000-000000000001",
             *       "email": "text",
             *       "email_verified": false,
             *       "tier": "text",
             *       "created_at": "2026-01-31T12:00:00.000Z"
             *     }
             */
            user: {
                /**
                 * Format: uuid
                 * @example 0198c0de-7a11-7000-8000-000000000001
                 */
                id: string;
                /** @example text */
                email: string;
                /** @example false */
                email_verified: boolean;
                /** @example text */
                tier: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                created_at: string;
            };
            /**
             * @description The key that asks; null in a session.
             * @example {
             *       "id": "0198c0de-7a11-7000-8000-000000000001",
             *       "scopes": [
             *         "text"
             *       ],
             *       "apps": [
             *         "text"
             *       ]
             *     }
             */
            key: {
                /**
                 * Format: uuid
                 * @example 0198c0de-7a11-7000-8000-000000000001
                 */
                id: string;
                /**
                 * @example [
                 *       "text"
                 *     ]
                 */
                scopes: string[] | null;
                /**
                 * @example [
                 *       "text"
                 *     ]
                 */
                apps: string[] | null;
            } | null;
            /**
             * @description Those in which the caller acts: a key's one, a session's all.
             * @example [
             *       {
             *         "id": "0198c0de-7a11-7000-8000-000000000001",
             *         "name": "hello",
             *         "personal": false,
             *         "role": "viewer",
             *         "tier": "text",
             *         "created_at": "2026-01-31T12:00:00.000Z"
             *       }
             *     ]
             */
            teams: components["schemas"]["Team"][];
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "name": "hello",
         *       "personal": false,
         *       "role": "viewer",
         *       "tier": "text",
         *       "created_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Team: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /** @example hello */
            name: string;
            /**
             * @description Whether it is the one that everybody has, with one member.
             * @example false
             */
            personal: boolean;
            role: components["schemas"]["Role"];
            /** @example text */
            tier: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /**
         * @description The caller's.
         * @example viewer
         * @enum {string}
         */
        Role: "viewer" | "deployer" | "developer" | "owner";
        /**
         * @example {
         *       "name": "hello"
         *     }
         */
        CreateTeam: {
            /** @example hello */
            name: string;
        };
        /**
         * @example {
         *       "name": "hello"
         *     }
         */
        RenameTeam: {
            /** @example hello */
            name: string;
        };
        /**
         * @example {
         *       "user_id": "0198c0de-7a11-7000-8000-000000000001",
         *       "email": "text",
         *       "role": "viewer",
         *       "since": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Member: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            user_id: string;
            /** @example text */
            email: string;
            role: components["schemas"]["Role"];
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
        };
        /**
         * @example {
         *       "role": "viewer"
         *     }
         */
        ChangeRole: {
            role: components["schemas"]["Role"];
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "email": "text",
         *       "role": "viewer",
         *       "invited_by": "text",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Invitation: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /** @example text */
            email: string;
            role: components["schemas"]["Role"];
            /**
             * @description The address of who did.
             * @example text
             */
            invited_by: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
        };
        /**
         * @example {
         *       "email": "text",
         *       "role": "viewer"
         *     }
         */
        CreateInvitation: {
            /** @example text */
            email: string;
            role: components["schemas"]["Role"];
        };
        /**
         * @example {
         *       "token": "text"
         *     }
         */
        AcceptInvitation: {
            /** @example text */
            token: string;
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "actor": "text",
         *       "email": "text",
         *       "key_name": "text",
         *       "action": "restart",
         *       "target": "text",
         *       "target_name": "text",
         *       "request_id": "0198c0de-7a11-7000-8000-000000000001",
         *       "detail": {}
         *     }
         */
        Activity: {
            /** @example 0198c0de-7a11-7000-8000-000000000001 */
            id: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description `user:<id>`, `key:<id>`, `operator` or `system`.
             * @example text
             */
            actor: string;
            /**
             * @description Of the person, or of the key's maker.
             * @example text
             */
            email: string | null;
            /** @example text */
            key_name: string | null;
            /** @example restart */
            action: string;
            /**
             * @description `<thing>:<id>`
             * @example text
             */
            target: string;
            /**
             * @description What the app, the team, the server or the person is called now; null when it is gone.
             * @example text
             */
            target_name: string | null;
            /** @example 0198c0de-7a11-7000-8000-000000000001 */
            request_id: string | null;
            /** @example {} */
            detail: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "name": "server-1",
         *       "state": "active",
         *       "pool": "default",
         *       "labels": [
         *         "zone=eu-1"
         *       ],
         *       "address": "192.0.2.7",
         *       "linked": false,
         *       "last_seen_at": "2026-01-31T12:00:00.000Z",
         *       "agent_version": "0.1.0",
         *       "certificate_until": "2026-01-31T12:00:00.000Z",
         *       "joined_at": "2026-01-31T12:00:00.000Z",
         *       "observed_at": "2026-01-31T12:00:00.000Z",
         *       "cpu": {
         *         "cores": 1,
         *         "used_ratio": 0.25,
         *         "load_1m": 0.5
         *       },
         *       "memory": {
         *         "total_bytes": 0,
         *         "available_bytes": 0,
         *         "promised_bytes": 0,
         *         "promisable_bytes": 0
         *       },
         *       "disks": [
         *         {
         *           "purpose": "data",
         *           "total_bytes": 0,
         *           "available_bytes": 0
         *         }
         *       ],
         *       "lock": {
         *         "app": "hello",
         *         "step": "provision_db",
         *         "taken_at": "2026-01-31T12:00:00.000Z"
         *       },
         *       "queue": {
         *         "length": 1,
         *         "oldest_since": "2026-01-31T12:00:00.000Z"
         *       },
         *       "apps": 1
         *     }
         */
        Server: {
            /** @example server-1 */
            name: string;
            /**
             * @description `joining` until an agent has used its token; a `draining` one takes no new apps.
             * @example active
             * @enum {string}
             */
            state: "joining" | "active" | "draining";
            /**
             * @description Apps that ask for no pool live in `default`.
             * @example default
             */
            pool: string;
            /**
             * @example [
             *       "zone=eu-1"
             *     ]
             */
            labels: string[];
            /**
             * @description host[:port] of its apps for balancers: as it was set, else where its agent was at its last link.
             * @example 192.0.2.7
             */
            address: string | null;
            /**
             * @description Whether its agent has told its status within the last 10 s.
             * @example false
             */
            linked: boolean;
            /**
             * Format: date-time
             * @description When the agent told its status last.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_seen_at: string | null;
            /** @example 0.1.0 */
            agent_version: string | null;
            /**
             * Format: date-time
             * @description The end of the certificate by which the agent is recognised; it renews it by itself.
             * @example 2026-01-31T12:00:00.000Z
             */
            certificate_until: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            joined_at: string | null;
            /**
             * Format: date-time
             * @description When the figures below were taken.
             * @example 2026-01-31T12:00:00.000Z
             */
            observed_at: string | null;
            /**
             * @example {
             *       "cores": 1,
             *       "used_ratio": 0.25,
             *       "load_1m": 0.5
             *     }
             */
            cpu: {
                /** @example 1 */
                cores: number;
                /**
                 * @description Of all cores together, 0 to 1.
                 * @example 0.25
                 */
                used_ratio: number;
                /** @example 0.5 */
                load_1m: number;
            } | null;
            /**
             * @example {
             *       "total_bytes": 0,
             *       "available_bytes": 0,
             *       "promised_bytes": 0,
             *       "promisable_bytes": 0
             *     }
             */
            memory: {
                /** @example 0 */
                total_bytes: number;
                /** @example 0 */
                available_bytes: number;
                /**
                 * @description What apps and databases may take.
                 * @example 0
                 */
                promised_bytes: number;
                /**
                 * @description What may be promised; 0 from an agent that does not count it.
                 * @example 0
                 */
                promisable_bytes: number;
            } | null;
            /**
             * @example [
             *       {
             *         "purpose": "data",
             *         "total_bytes": 0,
             *         "available_bytes": 0
             *       }
             *     ]
             */
            disks: {
                /**
                 * @description `data` (the agent's) or `engine`.
                 * @example data
                 */
                purpose: string;
                /** @example 0 */
                total_bytes: number;
                /** @example 0 */
                available_bytes: number;
            }[];
            /**
             * @description The deploy that the host works on; null when it works on none.
             * @example {
             *       "app": "hello",
             *       "step": "provision_db",
             *       "taken_at": "2026-01-31T12:00:00.000Z"
             *     }
             */
            lock: {
                /**
                 * @description The app that is deployed; null when it is purged by now.
                 * @example hello
                 */
                app: string | null;
                /**
                 * @description null between two steps
                 * @example provision_db
                 * @enum {string|null}
                 */
                step: "provision_db" | "clone_build" | "deploy_container" | "proxy_route" | null;
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                taken_at: string | null;
            } | null;
            /**
             * @example {
             *       "length": 1,
             *       "oldest_since": "2026-01-31T12:00:00.000Z"
             *     }
             */
            queue: {
                /** @example 1 */
                length: number;
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                oldest_since: string | null;
            };
            /**
             * @description How many live there, soft-stopped ones included.
             * @example 1
             */
            apps: number;
        };
        /**
         * @example {
         *       "app": "hello",
         *       "kind": "deploy",
         *       "status": "pending",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "waits_for": "server_away"
         *     }
         */
        OpenDeploy: {
            /** @example hello */
            app: string;
            /**
             * @example deploy
             * @enum {string}
             */
            kind: "deploy" | "rollback" | "move";
            /**
             * @example pending
             * @enum {string}
             */
            status: "pending" | "running";
            /**
             * Format: date-time
             * @description When it began to run, or to wait.
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
            /**
             * @description `server_away`: the agent is not there; `deploy_ahead`: another deploy runs, or comes first; `next`: it begins at once. null when it runs.
             * @example server_away
             * @enum {string|null}
             */
            waits_for: "server_away" | "deploy_ahead" | "next" | null;
        };
        /**
         * @example {
         *       "name": "hello",
         *       "status": "running",
         *       "team": "0198c0de-7a11-7000-8000-000000000001"
         *     }
         */
        AppOnServer: {
            /** @example hello */
            name: string;
            /** @example running */
            status: string;
            /** @example 0198c0de-7a11-7000-8000-000000000001 */
            team: string;
        };
        /**
         * @example {
         *       "name": "server-2",
         *       "password": "correct horse battery"
         *     }
         */
        CreateServer: {
            /** @example hello */
            name?: string;
            /** @example text */
            password?: string;
            /** @example text */
            code?: string;
        };
        /**
         * @example {
         *       "pool": "default",
         *       "labels": [
         *         "zone=eu-1"
         *       ]
         *     }
         */
        SetServer: {
            /**
             * @description 1 to 63 of a-z, 0-9 and hyphens, with no hyphen at either end
             * @example text
             */
            pool?: string;
            /**
             * @description in place of those before; each 1 to 63 of a-z, 0-9, `.`, `_`, `=` and hyphens, with a letter or digit at either end
             * @example [
             *       "text"
             *     ]
             */
            labels?: string[];
            /**
             * @description host[:port] at which balancers find the server's apps; without a port that of the apps' URLs. null for where its agent was at its last link
             * @example text
             */
            address?: string | null;
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "name": "hello",
         *       "personal": false,
         *       "owner": "text",
         *       "tier": "free",
         *       "pools": [],
         *       "members": 1,
         *       "apps": 1,
         *       "created_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        AnyTeam: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /** @example hello */
            name: string;
            /** @example false */
            personal: boolean;
            /**
             * @description The address of whoever has owned it for longest.
             * @example text
             */
            owner: string | null;
            /** @example free */
            tier: string;
            /**
             * @description pools of servers that an operator has given it
             * @example []
             */
            pools: string[];
            /** @example 1 */
            members: number;
            /**
             * @description soft-stopped ones included
             * @example 1
             */
            apps: number;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /**
         * @example {
         *       "tier": "pro",
         *       "password": "correct horse battery"
         *     }
         */
        ChangeTier: {
            /** @example text */
            tier: string;
            /** @example text */
            password?: string;
            /** @example text */
            code?: string;
        };
        /**
         * @example {
         *       "pools": [
         *         "gpu"
         *       ]
         *     }
         */
        GivePools: {
            /**
             * @description each 1 to 63 of a-z, 0-9 and hyphens, with no hyphen at either end
             * @example [
             *       "text"
             *     ]
             */
            pools: string[];
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "from": "server-1",
         *       "to": "server-2",
         *       "status": "pending",
         *       "phase": "carrying",
         *       "error": "invalid_request",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:00.000Z",
         *       "refused_seconds": 1
         *     }
         */
        Move: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /** @example server-1 */
            from: string;
            /** @example server-2 */
            to: string;
            /**
             * @example pending
             * @enum {string}
             */
            status: "pending" | "running" | "success" | "failed" | "canceled";
            /**
             * @description what it does now; what it did last, when it has ended
             * @example carrying
             * @enum {string}
             */
            phase: "carrying" | "preparing" | "starting" | "routing" | "done";
            /** @example invalid_request */
            error: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            finished_at: string | null;
            /**
             * @description how long the app's requests were refused; null until it serves on the other server
             * @example 1
             */
            refused_seconds: number | null;
        };
        /**
         * @example {
         *       "server": "server-2"
         *     }
         */
        MoveRequest: {
            /**
             * @description name of the server that the app goes to
             * @example server-1
             */
            server: string;
        };
        /**
         * @example {
         *       "state": "running",
         *       "moved": 1,
         *       "left": 1,
         *       "moving": "text",
         *       "reason": "text"
         *     }
         */
        Evacuation: {
            /**
             * @example running
             * @enum {string}
             */
            state: "running" | "stopped" | "done";
            /**
             * @description apps that have moved since it began
             * @example 1
             */
            moved: number;
            /**
             * @description apps that live on the server still
             * @example 1
             */
            left: number;
            /**
             * @description the app that moves now
             * @example text
             */
            moving: string | null;
            /**
             * @description why it has stopped, or what it waits for
             * @example text
             */
            reason: string | null;
        };
        /**
         * @example {
         *       "name": "hello",
         *       "repo_url": "https://deploy.example.com/git/0198c0de-7a11-7000-8000-000000000001/hello.git"
         *     }
         */
        Repository: {
            /** @example hello */
            name: string;
            /**
             * Format: uri
             * @example https://github.com/you/hello
             */
            repo_url: string;
        };
        /**
         * @example {
         *       "name": "hello"
         *     }
         */
        EnsureRepository: {
            /** @example hello */
            name: string;
        };
        /**
         * @example {
         *       "env": {
         *         "GREETING": "hello"
         *       }
         *     }
         */
        PutEnv: {
            /**
             * @description key → value; a key matches `^[A-Za-z_][A-Za-z0-9_]*$`, with at most 255 characters, and is not `PORT` or `SVC_*`; a value has at most 8192 bytes, an app at most 64 variables; those with a public prefix, which builds are told, at most 65536 bytes of values in all
             * @example {
             *       "GREETING": "hello"
             *     }
             */
            env: {
                [key: string]: string;
            };
            /**
             * @example [
             *       "text"
             *     ]
             */
            sealed?: string[];
        };
        /**
         * @example {
         *       "ref": "main",
         *       "release": "v3"
         *     }
         */
        DeployRequest: {
            /**
             * @description branch, tag or SHA; the default branch when omitted
             * @example main
             */
            ref?: string;
            /**
             * @description name of the deploy; `v<N>` when omitted
             * @example v3
             */
            release?: string;
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "app_id": "0198c0de-7a11-7000-8000-000000000001",
         *       "user_id": "0198c0de-7a11-7000-8000-000000000001",
         *       "deployed_by": "text",
         *       "status": "pending",
         *       "ref": "main",
         *       "release": "v3",
         *       "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Deploy: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            app_id: string;
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            user_id: string;
            /**
             * @description extension; e-mail address of the person who asked for it; null once they are in the app's team no more
             * @example text
             */
            deployed_by: string | null;
            /**
             * @example pending
             * @enum {string}
             */
            status: "pending" | "running" | "success" | "failed" | "canceled";
            /** @example main */
            ref: string | null;
            /** @example v3 */
            release: string;
            /** @example 4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d */
            commit_sha: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            finished_at: string | null;
            /**
             * @description only of a failed deploy
             * @example invalid_request
             */
            error?: string;
            /**
             * @description extension; only of a deploy that succeeded and whose container failed within 30 s: an automatic rollback has led the app's hosts back to the release before, as the event `deploy.rolled_back` tells
             * @example {
             *       "at": "2026-01-31T12:00:00.000Z",
             *       "reason": "exited",
             *       "detail": "The release was taken back soon after it went live: it ended with exit code 1. The one before it serves again.",
             *       "exit_code": 1,
             *       "last_lines": [
             *         "Error: no such table: users"
             *       ],
             *       "release": "v3",
             *       "deploy_id": "0198c0de-7a11-7000-8000-000000000001"
             *     }
             */
            taken_back?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 * @example 2026-01-31T12:00:00.000Z
                 */
                at: string;
                /**
                 * @description `exited`, `out_of_memory` or `not_answering`; there may be more
                 * @example exited
                 */
                reason: string;
                /**
                 * @description a sentence
                 * @example The release was taken back soon after it went live: it ended with exit code 1. The one before it serves again.
                 */
                detail: string;
                /**
                 * @description null where the container did not end
                 * @example 1
                 */
                exit_code: number | null;
                /**
                 * @description the end of what the app wrote
                 * @example [
                 *       "Error: no such table: users"
                 *     ]
                 */
                last_lines: string[];
                /**
                 * @description serves instead
                 * @example v3
                 */
                release: string;
                /**
                 * Format: uuid
                 * @description has made that release
                 * @example 0198c0de-7a11-7000-8000-000000000001
                 */
                deploy_id: string;
            };
        };
        /**
         * @example {
         *       "step_name": "provision_db",
         *       "step_order": 1,
         *       "status": "pending",
         *       "output": "added 64 packages in 2s",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        DeployStep: {
            /**
             * @example provision_db
             * @enum {string}
             */
            step_name: "provision_db" | "clone_build" | "deploy_container" | "proxy_route";
            /** @example 1 */
            step_order: number;
            /**
             * @example pending
             * @enum {string}
             */
            status: "pending" | "running" | "success" | "failed" | "canceled" | "skipped";
            /**
             * @description the last 64 KiB; of a running step, so far
             * @example added 64 packages in 2s
             */
            output: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            finished_at: string | null;
            /**
             * @description only of a failed step
             * @example invalid_request
             */
            error?: string;
        };
        /**
         * @example {
         *       "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
         *       "name": "hello",
         *       "framework": "express",
         *       "reason": "text",
         *       "port": 3000,
         *       "start": "text",
         *       "dockerfile": {
         *         "path": "text"
         *       },
         *       "notes": [
         *         "text"
         *       ],
         *       "root": "text",
         *       "spec_file": "text",
         *       "services": [
         *         {
         *           "name": "hello",
         *           "version": "text"
         *         }
         *       ],
         *       "env": [
         *         "text"
         *       ]
         *     }
         */
        Plan: {
            /** @example 4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d */
            commit_sha: string;
            /**
             * @description The name that the spec file gives.
             * @example hello
             */
            name: string | null;
            /** @example express */
            framework: string;
            /**
             * @description How the framework was recognised.
             * @example text
             */
            reason: string;
            /** @example 3000 */
            port: number;
            /**
             * @description The command that starts the app; null: the base image's.
             * @example text
             */
            start: string | null;
            /**
             * @description The path of the repository's own, or the text of the generated one.
             * @example {
             *       "path": "text"
             *     }
             */
            dockerfile: {
                /** @example text */
                path: string;
            } | {
                /** @example text */
                text: string;
            };
            /**
             * @example [
             *       "text"
             *     ]
             */
            notes: string[];
            /**
             * @description The folder that is built; empty for the top.
             * @example text
             */
            root: string;
            /** @example text */
            spec_file: string | null;
            /**
             * @description Databases that the spec file asks for, with the major version of PostgreSQL.
             * @example [
             *       {
             *         "name": "hello",
             *         "version": "text"
             *       }
             *     ]
             */
            services: {
                /** @example hello */
                name: string;
                /** @example text */
                version: string;
            }[];
            /**
             * @description Names of the variables that the spec file lists.
             * @example [
             *       "text"
             *     ]
             */
            env: string[];
        };
        /**
         * @example {
         *       "repo_url": "https://github.com/you/hello"
         *     }
         */
        PlanRequest: {
            /**
             * Format: uri
             * @example https://github.com/you/hello
             */
            repo_url: string;
            /**
             * @description branch, tag or commit; the default branch when left out
             * @example main
             */
            ref?: string;
            /**
             * @description folder of the repository that is built
             * @example text
             */
            root?: string;
        };
        /**
         * @example {
         *       "from": {
         *         "release": "v3",
         *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
         *         "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
         *         "image_digest": "text",
         *         "framework": "express",
         *         "port": 3000,
         *         "deployed_by": "text",
         *         "deployed_at": "2026-01-31T12:00:00.000Z"
         *       },
         *       "to": {
         *         "release": "v3",
         *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
         *         "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
         *         "image_digest": "text",
         *         "framework": "express",
         *         "port": 3000,
         *         "deployed_by": "text",
         *         "deployed_at": "2026-01-31T12:00:00.000Z"
         *       },
         *       "env": {
         *         "added": [
         *           "text"
         *         ],
         *         "removed": [
         *           "text"
         *         ],
         *         "changed": [
         *           "text"
         *         ],
         *         "written_at": "2026-01-31T12:00:00.000Z"
         *       }
         *     }
         */
        Comparison: {
            /**
             * @example {
             *       "release": "v3",
             *       "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
             *       "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
             *       "image_digest": "text",
             *       "framework": "express",
             *       "port": 3000,
             *       "deployed_by": "text",
             *       "deployed_at": "2026-01-31T12:00:00.000Z"
             *     }
             */
            from: {
                /** @example v3 */
                release: string;
                /** @example 0198c0de-7a11-7000-8000-000000000001 */
                deploy_id: string;
                /** @example 4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d */
                commit_sha: string;
                /** @example text */
                image_digest: string;
                /** @example express */
                framework: string;
                /** @example 3000 */
                port: number;
                /**
                 * @description e-mail address of the person who asked for it; null once they are in the app's team no more
                 * @example text
                 */
                deployed_by: string | null;
                /**
                 * Format: date-time
                 * @description the end of its deploy
                 * @example 2026-01-31T12:00:00.000Z
                 */
                deployed_at: string | null;
            } | null;
            /**
             * @example {
             *       "release": "v3",
             *       "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
             *       "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
             *       "image_digest": "text",
             *       "framework": "express",
             *       "port": 3000,
             *       "deployed_by": "text",
             *       "deployed_at": "2026-01-31T12:00:00.000Z"
             *     }
             */
            to: {
                /** @example v3 */
                release: string;
                /** @example 0198c0de-7a11-7000-8000-000000000001 */
                deploy_id: string;
                /** @example 4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d */
                commit_sha: string;
                /** @example text */
                image_digest: string;
                /** @example express */
                framework: string;
                /** @example 3000 */
                port: number;
                /**
                 * @description e-mail address of the person who asked for it; null once they are in the app's team no more
                 * @example text
                 */
                deployed_by: string | null;
                /**
                 * Format: date-time
                 * @description the end of its deploy
                 * @example 2026-01-31T12:00:00.000Z
                 */
                deployed_at: string | null;
            } | null;
            /**
             * @example {
             *       "added": [
             *         "text"
             *       ],
             *       "removed": [
             *         "text"
             *       ],
             *       "changed": [
             *         "text"
             *       ],
             *       "written_at": "2026-01-31T12:00:00.000Z"
             *     }
             */
            env: {
                /**
                 * @example [
                 *       "text"
                 *     ]
                 */
                added: string[];
                /**
                 * @example [
                 *       "text"
                 *     ]
                 */
                removed: string[];
                /**
                 * @example [
                 *       "text"
                 *     ]
                 */
                changed: string[];
                /**
                 * Format: date-time
                 * @description when one of the stored variables was last written; null without any, and between two releases
                 * @example 2026-01-31T12:00:00.000Z
                 */
                written_at: string | null;
            };
        };
        /**
         * @example {
         *       "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
         *       "release": "v3",
         *       "status": "pending",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "waits_for": "no_server",
         *       "ahead": "text",
         *       "detail": "Every server is drained and takes no new apps. The deploy begins when one takes them again."
         *     }
         */
        WaitingDeploy: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            deploy_id: string;
            /** @example v3 */
            release: string;
            /**
             * @example pending
             * @enum {string}
             */
            status: "pending" | "running";
            /**
             * Format: date-time
             * @description when it was asked for; of one that runs, when the agent was heard of last
             * @example 2026-01-31T12:00:00.000Z
             */
            since: string;
            /**
             * @description `no_server`: no server that the app may live on has joined; `all_drained`: none of them takes new apps; `no_room`: none has memory for another app; `server_away`: the agent of the app's server is not there; `deploy_ahead`: another deploy runs on that server, or comes first; `next`: it begins at once
             * @example no_server
             * @enum {string}
             */
            waits_for: "no_server" | "all_drained" | "no_room" | "server_away" | "deploy_ahead" | "next";
            /**
             * @description with `deploy_ahead`, the app whose deploy that is; null for one that the caller may not see
             * @example null
             */
            ahead: string | null;
            /**
             * @description `waits_for` in a sentence
             * @example Every server is drained and takes no new apps. The deploy begins when one takes them again.
             */
            detail: string;
        } | null;
        /**
         * @example {
         *       "release": "v3"
         *     }
         */
        RollbackRequest: {
            /**
             * @description name of a successful release; the one before the current one when omitted
             * @example v3
             */
            release?: string;
        };
        /**
         * @example {
         *       "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE9f… svc:hello",
         *       "fingerprint": "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
         *       "created_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        DeployKey: {
            /**
             * @description OpenSSH, one line: add it to the repository as a read-only deploy key
             * @example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE9f… svc:hello
             */
            public_key: string;
            /**
             * @description as `ssh-keygen -lf` prints it
             * @example SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU
             */
            fingerprint: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "url": "https://hello.apps.example.com",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "secret": "whsec_7d0f0c9b6a5e4d3c2b1a"
         *     }
         */
        CreatedWebhook: components["schemas"]["Webhook"] & {
            /** @example whsec_7d0f0c9b6a5e4d3c2b1a */
            secret: string;
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "url": "https://hello.apps.example.com",
         *       "created_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Webhook: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /**
             * Format: uri
             * @example https://hello.apps.example.com
             */
            url: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description extension; absent when it asks for the events of deploys alone
             * @example [
             *       "deploy.succeeded"
             *     ]
             */
            events?: ("deploy.succeeded" | "deploy.failed" | "deploy.rolled_back" | "app.unhealthy" | "app.recovered")[];
        };
        /**
         * @example {
         *       "url": "https://hooks.example.com/deploys"
         *     }
         */
        CreateWebhook: {
            /**
             * Format: uri
             * @description https, any port, without credentials; its host must resolve to public addresses alone
             * @example https://hooks.example.com/deploys
             */
            url: string;
            /**
             * @description extension; what to send: the events of deploys when omitted
             * @example [
             *       "deploy.succeeded"
             *     ]
             */
            events?: ("deploy.succeeded" | "deploy.failed" | "deploy.rolled_back" | "app.unhealthy" | "app.recovered")[];
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "url": "https://hello.apps.example.com",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "deliveries": [
         *         {
         *           "id": "0198c0de-7a11-7000-8000-000000000001",
         *           "event": "deploy.succeeded",
         *           "status": "pending",
         *           "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
         *           "attempts": 0,
         *           "response_status": 1,
         *           "error": "invalid_request",
         *           "created_at": "2026-01-31T12:00:00.000Z",
         *           "finished_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ]
         *     }
         */
        ListedWebhook: components["schemas"]["Webhook"] & {
            /**
             * @description extension; newest first, when `deliveries=1` asks for them
             * @example [
             *       {
             *         "id": "0198c0de-7a11-7000-8000-000000000001",
             *         "event": "deploy.succeeded",
             *         "status": "pending",
             *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
             *         "attempts": 0,
             *         "response_status": 1,
             *         "error": "invalid_request",
             *         "created_at": "2026-01-31T12:00:00.000Z",
             *         "finished_at": "2026-01-31T12:00:00.000Z"
             *       }
             *     ]
             */
            deliveries?: components["schemas"]["WebhookDelivery"][];
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "event": "deploy.succeeded",
         *       "status": "pending",
         *       "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
         *       "attempts": 0,
         *       "response_status": 1,
         *       "error": "invalid_request",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /**
             * @example deploy.succeeded
             * @enum {string}
             */
            event: "deploy.succeeded" | "deploy.failed" | "deploy.rolled_back" | "app.unhealthy" | "app.recovered";
            /**
             * @example pending
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            deploy_id: string;
            /**
             * @description made so far
             * @example 0
             */
            attempts: number;
            /**
             * @description of the last attempt; null when there was no answer
             * @example 1
             */
            response_status: number | null;
            /**
             * @description why the last attempt did not deliver
             * @example invalid_request
             */
            error: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             * @example 2026-01-31T12:00:00.000Z
             */
            finished_at: string | null;
        };
        /**
         * @example {
         *       "domain": "shop.example.com",
         *       "status": "routed"
         *     }
         */
        RoutedDomain: {
            /** @example shop.example.com */
            domain: string;
            /**
             * @example routed
             * @enum {string}
             */
            status: "routed";
        };
        /**
         * @example {
         *       "domain": "shop.example.com"
         *     }
         */
        AddDomain: {
            /**
             * @description two labels or more, in lower case; international names as A-labels (`xn--…`)
             * @example shop.example.com
             */
            domain: string;
        };
        /**
         * @example {
         *       "domain": "shop.example.com",
         *       "status": "active",
         *       "cert": {
         *         "issuer": "R11",
         *         "not_after": "2027-02-19T08:00:00.000Z",
         *         "dns_names": [
         *           "shop.example.com"
         *         ]
         *       }
         *     }
         */
        DomainState: {
            /** @example shop.example.com */
            domain: string;
            /**
             * @example active
             * @enum {string}
             */
            status: "active" | "pending";
            /**
             * @description when `active`: `issuer` is the authority's common name
             * @example {
             *       "issuer": "R11",
             *       "not_after": "2026-01-31T12:00:00.000Z",
             *       "dns_names": [
             *         "shop.example.com"
             *       ]
             *     }
             */
            cert?: {
                /** @example R11 */
                issuer: string;
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                not_after: string;
                /**
                 * @example [
                 *       "shop.example.com"
                 *     ]
                 */
                dns_names: string[];
            };
            /**
             * @description when `pending`: the handshake's error, unchanged
             * @example The port 70000 is out of range: use 1 to 65535.
             */
            detail?: string;
            /**
             * @description what the domain still needs, or has lost, each with a sentence that says why
             * @example [
             *       {
             *         "part": "txt_record",
             *         "detail": "The port 70000 is out of range: use 1 to 65535."
             *       }
             *     ]
             */
            missing?: {
                /**
                 * @example txt_record
                 * @enum {string}
                 */
                part: "txt_record" | "address_record" | "certificate";
                /** @example The port 70000 is out of range: use 1 to 65535. */
                detail: string;
            }[];
        };
        /**
         * @example {
         *       "host": "hello.apps.example.com",
         *       "app": "hello",
         *       "server": "server-1",
         *       "address": "192.0.2.7",
         *       "port": 443
         *     }
         */
        HostRoute: {
            /**
             * @description the name that a request is for
             * @example hello.apps.example.com
             */
            host: string;
            /** @example hello */
            app: string;
            /**
             * @description name of the server that the app lives on
             * @example server-1
             */
            server: string;
            /**
             * @description of that server: as an operator has set it, else where its agent was at its last link
             * @example 192.0.2.7
             */
            address: string | null;
            /**
             * @description where the server's proxy takes HTTPS
             * @example 443
             */
            port: number;
        };
        /**
         * @example {
         *       "model": "text",
         *       "limits": {
         *         "messages_left": 1,
         *         "tokens_left": 1,
         *         "resets_at": "2026-01-31T12:00:00.000Z"
         *       }
         *     }
         */
        Chat: {
            /**
             * @description The model that answers; null when a grammar does.
             * @example null
             */
            model: string | null;
            /**
             * @description What is left of the person's day (UTC).
             * @example {
             *       "messages_left": 1,
             *       "tokens_left": 1,
             *       "resets_at": "2026-01-31T12:00:00.000Z"
             *     }
             */
            limits: {
                /** @example 1 */
                messages_left: number;
                /** @example 1 */
                tokens_left: number;
                /**
                 * Format: date-time
                 * @example 2026-01-31T12:00:00.000Z
                 */
                resets_at: string;
            };
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "title": "Express with PostgreSQL",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Conversation: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /**
             * @description The beginning of its first message; empty before that.
             * @example Express with PostgreSQL
             */
            title: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "role": "person",
         *       "parts": [
         *         {
         *           "type": "text",
         *           "text": "text"
         *         }
         *       ],
         *       "created_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Message: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /**
             * @example person
             * @enum {string}
             */
            role: "person" | "assistant";
            /**
             * @example [
             *       {
             *         "type": "text",
             *         "text": "text"
             *       }
             *     ]
             */
            parts: components["schemas"]["MessagePart"][];
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description More of it comes, here or to another reader.
             * @example true
             * @enum {boolean}
             */
            being_written?: true;
        };
        /**
         * @example {
         *       "type": "text",
         *       "text": "text"
         *     }
         */
        MessagePart: {
            /**
             * @example text
             * @enum {string}
             */
            type: "text";
            /** @example text */
            text: string;
        } | {
            /**
             * @example looked
             * @enum {string}
             */
            type: "looked";
            /** @example text */
            tool: string;
            /** @example Express with PostgreSQL */
            title: string;
            /** @example text */
            text?: string;
        } | {
            /**
             * @example card
             * @enum {string}
             */
            type: "card";
            card: components["schemas"]["Card"];
        } | {
            /**
             * @example problem
             * @enum {string}
             */
            type: "problem";
            /**
             * @example model_unavailable
             * @enum {string}
             */
            code: "model_unavailable" | "model_slow" | "model_nonsense" | "limit_reached" | "interrupted" | "refused";
            /** @example The port 70000 is out of range: use 1 to 65535. */
            detail: string;
        };
        /**
         * @example {
         *       "id": "0198c0de-7a11-7000-8000-000000000001",
         *       "state": "proposed",
         *       "sentence": "deploy hello from main",
         *       "requests": [
         *         {
         *           "method": "POST",
         *           "path": "/api/apps/hello/deploy"
         *         }
         *       ],
         *       "destroys": false,
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Card: {
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            id: string;
            /**
             * @example proposed
             * @enum {string}
             */
            state: "proposed" | "running" | "done" | "failed" | "left" | "expired" | "unknown";
            /**
             * @description What it would do; begins with a verb.
             * @example deploy hello from main
             */
            sentence: string;
            /**
             * @description The requests that it sends, in this order, until one is refused. Values that the person has written are `…`.
             * @example [
             *       {
             *         "method": "POST",
             *         "path": "/api/apps/hello/deploy"
             *       }
             *     ]
             */
            requests: {
                /**
                 * @example POST
                 * @enum {string}
                 */
                method: "POST" | "PUT" | "PATCH" | "DELETE";
                /** @example /api/apps/hello/deploy */
                path: string;
                /** @example {} */
                body?: {
                    [key: string]: unknown;
                };
            }[];
            /**
             * @description Something is gone afterwards.
             * @example false
             */
            destroys: boolean;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description Send it back with the decision. It is there only while the card is proposed.
             * @example text
             */
            signature?: string;
            /**
             * @description What came of it.
             * @example text
             */
            result?: string;
        };
        /**
         * @example {
         *       "text": "deploy hello from main"
         *     }
         */
        SendMessage: {
            /** @example deploy hello from main */
            text: string;
            /**
             * @description name of an app
             * @example hello
             */
            app?: string;
            /**
             * Format: uuid
             * @example 0198c0de-7a11-7000-8000-000000000001
             */
            deploy?: string;
        };
        /**
         * @example {
         *       "decision": "do",
         *       "signature": "text"
         *     }
         */
        DecideCard: {
            /**
             * @example do
             * @enum {string}
             */
            decision: "do" | "leave";
            /**
             * @description The card's own.
             * @example text
             */
            signature: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApps: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the apps */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "apps": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "name": "hello",
                     *           "subdomain": "hello",
                     *           "status": "deploying",
                     *           "stopped_by": {
                     *             "reason": "disk_limit",
                     *             "detail": "The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.",
                     *             "at": "2026-01-31T12:00:00.000Z"
                     *           },
                     *           "health": {
                     *             "state": "healthy",
                     *             "reason": null,
                     *             "since": "2026-01-31T12:00:00.000Z"
                     *           },
                     *           "git_repo": "https://github.com/you/hello",
                     *           "root": "text",
                     *           "database_name": "app_hello",
                     *           "framework": "express",
                     *           "port": 3000,
                     *           "memory": "512m",
                     *           "cpus": "0.5",
                     *           "url": "https://hello.apps.example.com",
                     *           "needs_database": false,
                     *           "deploy_on_push": false,
                     *           "has_deploy_key": false,
                     *           "server": "server-1",
                     *           "pool": "gpu",
                     *           "label": "zone=eu-1",
                     *           "current_release": "v3",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z",
                     *           "last_deployed_at": "2026-01-31T12:00:00.000Z",
                     *           "last_deploy": {
                     *             "release": "v3",
                     *             "status": "success",
                     *             "taken_back": false,
                     *             "finished_at": "2026-01-31T12:00:00.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "name": "hello",
                         *         "subdomain": "hello",
                         *         "status": "deploying",
                         *         "stopped_by": {
                         *           "reason": "disk_limit",
                         *           "detail": "The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.",
                         *           "at": "2026-01-31T12:00:00.000Z"
                         *         },
                         *         "health": {
                         *           "state": "healthy",
                         *           "reason": null,
                         *           "since": "2026-01-31T12:00:00.000Z"
                         *         },
                         *         "git_repo": "https://github.com/you/hello",
                         *         "root": "text",
                         *         "database_name": "app_hello",
                         *         "framework": "express",
                         *         "port": 3000,
                         *         "memory": "512m",
                         *         "cpus": "0.5",
                         *         "url": "https://hello.apps.example.com",
                         *         "needs_database": false,
                         *         "deploy_on_push": false,
                         *         "has_deploy_key": false,
                         *         "server": "server-1",
                         *         "pool": "gpu",
                         *         "label": "zone=eu-1",
                         *         "current_release": "v3",
                         *         "created_at": "2026-01-31T12:00:00.000Z",
                         *         "updated_at": "2026-01-31T12:00:00.000Z",
                         *         "last_deployed_at": "2026-01-31T12:00:00.000Z",
                         *         "last_deploy": {
                         *           "release": "v3",
                         *           "status": "success",
                         *           "taken_back": false,
                         *           "finished_at": "2026-01-31T12:00:00.000Z"
                         *         }
                         *       }
                         *     ]
                         */
                        apps: components["schemas"]["App"][];
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        next_cursor?: string;
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description a retry with the same key and body changes nothing more */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "hello",
                 *       "repo_url": "https://github.com/you/hello"
                 *     }
                 */
                "application/json": components["schemas"]["CreateApp"];
            };
        };
        responses: {
            /** @description created */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "app": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "subdomain": "hello",
                     *         "status": "deploying",
                     *         "stopped_by": {
                     *           "reason": "disk_limit",
                     *           "detail": "The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.",
                     *           "at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "health": {
                     *           "state": "healthy",
                     *           "reason": null,
                     *           "since": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "git_repo": "https://github.com/you/hello",
                     *         "root": "text",
                     *         "database_name": "app_hello",
                     *         "framework": "express",
                     *         "port": 3000,
                     *         "memory": "512m",
                     *         "cpus": "0.5",
                     *         "url": "https://hello.apps.example.com",
                     *         "needs_database": false,
                     *         "deploy_on_push": false,
                     *         "has_deploy_key": false,
                     *         "server": "server-1",
                     *         "pool": "gpu",
                     *         "label": "zone=eu-1",
                     *         "current_release": "v3",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z",
                     *         "last_deployed_at": "2026-01-31T12:00:00.000Z",
                     *         "last_deploy": {
                     *           "release": "v3",
                     *           "status": "success",
                     *           "taken_back": false,
                     *           "finished_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
            /**
             * @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it.
             *
             *     `template_unknown`: There is no such template.
             */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `app_limit`: The tier's number of apps is reached.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `idempotency_key_in_progress`: The first request with this idempotency key still runs.
             *
             *     `name_taken`: The name is taken.
             *
             *     `name_in_use_by_stopped_app`: The caller's own soft-stopped app holds the name.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reuse`: The idempotency key was used with a different body. */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `template_provisioning_failed`: The template's repository could not be made; nothing of the app was kept. */
            502: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the app */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "app": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "subdomain": "hello",
                     *         "status": "deploying",
                     *         "stopped_by": {
                     *           "reason": "disk_limit",
                     *           "detail": "The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.",
                     *           "at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "health": {
                     *           "state": "healthy",
                     *           "reason": null,
                     *           "since": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "git_repo": "https://github.com/you/hello",
                     *         "root": "text",
                     *         "database_name": "app_hello",
                     *         "framework": "express",
                     *         "port": 3000,
                     *         "memory": "512m",
                     *         "cpus": "0.5",
                     *         "url": "https://hello.apps.example.com",
                     *         "needs_database": false,
                     *         "deploy_on_push": false,
                     *         "has_deploy_key": false,
                     *         "server": "server-1",
                     *         "pool": "gpu",
                     *         "label": "zone=eu-1",
                     *         "current_release": "v3",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z",
                     *         "last_deployed_at": "2026-01-31T12:00:00.000Z",
                     *         "last_deploy": {
                     *           "release": "v3",
                     *           "status": "success",
                     *           "taken_back": false,
                     *           "finished_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteApp: {
        parameters: {
            query?: {
                /** @description 1 deletes the record too */
                purge?: "0" | "1";
            };
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done, or noted down */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_in_progress`: A deploy of this app, or on its server, is running or queued.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `database_dump_failed`: The last dump of the app's database could not be made, so its data was not removed.
             *
             *     `engine_unavailable`: The server's container engine can't be reached.
             *
             *     `proxy_unavailable`: The server's proxy can't be reached.
             *
             *     `disk_full`: The server's disk is full.
             */
            503: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "port": 8080
                 *     }
                 */
                "application/json": components["schemas"]["PatchApp"];
            };
        };
        responses: {
            /** @description the app as persisted */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "app": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "subdomain": "hello",
                     *         "status": "deploying",
                     *         "stopped_by": {
                     *           "reason": "disk_limit",
                     *           "detail": "The app hello was stopped: its files on the server's disk grew to 2.1 GiB, and an app may have 2 GiB.",
                     *           "at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "health": {
                     *           "state": "healthy",
                     *           "reason": null,
                     *           "since": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "git_repo": "https://github.com/you/hello",
                     *         "root": "text",
                     *         "database_name": "app_hello",
                     *         "framework": "express",
                     *         "port": 3000,
                     *         "memory": "512m",
                     *         "cpus": "0.5",
                     *         "url": "https://hello.apps.example.com",
                     *         "needs_database": false,
                     *         "deploy_on_push": false,
                     *         "has_deploy_key": false,
                     *         "server": "server-1",
                     *         "pool": "gpu",
                     *         "label": "zone=eu-1",
                     *         "current_release": "v3",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z",
                     *         "last_deployed_at": "2026-01-31T12:00:00.000Z",
                     *         "last_deploy": {
                     *           "release": "v3",
                     *           "status": "success",
                     *           "taken_back": false,
                     *           "finished_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        app: components["schemas"]["App"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    handOverApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "team": "0198c0de-7a11-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["HandOver"];
            };
        };
        responses: {
            /** @description given */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `app_limit`: The tier's number of apps is reached.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `name_taken`: The name is taken.
             *
             *     `deploy_in_progress`: A deploy of this app, or on its server, is running or queued.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    actOnApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "restart"
                 *     }
                 */
                "application/json": components["schemas"]["AppAction"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "app": "hello",
                     *       "action": "restart",
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @example hello */
                        app: string;
                        /**
                         * @example restart
                         * @enum {string}
                         */
                        action: "start" | "stop" | "restart";
                        /**
                         * @example ok
                         * @enum {string}
                         */
                        status: "ok";
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_in_progress`: A deploy of this app, or on its server, is running or queued.
             *
             *     `never_deployed`: The app was never deployed.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `app_not_listening`: The app does not listen on its port. */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `agent_away`: The server's agent is not connected; try again later.
             *
             *     `database_not_ready`: The app's database does not get ready.
             *
             *     `server_memory_full`: The server's memory is promised to other apps; `detail` says how much.
             */
            503: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: {
                /** @description A time (RFC 3339), or how long ago: `90s`, `30m`, `2h`, `7d`; an hour before `until` by default. */
                since?: string;
                /** @description The same; now by default. */
                until?: string;
                /** @description seconds; by default the smallest that is kept for as long and gives 2,000 values at most */
                step?: 10 | 60 | 600 | 3600;
            };
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the values, and the deploys that ended meanwhile */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "app": "hello",
                     *       "since": "2026-01-31T12:00:00.000Z",
                     *       "until": "2026-01-31T12:00:00.000Z",
                     *       "step": 1,
                     *       "series": {
                     *         "requests": [
                     *           1
                     *         ],
                     *         "client_errors": [
                     *           1
                     *         ],
                     *         "errors": [
                     *           1
                     *         ],
                     *         "latency_p50_ms": [
                     *           1
                     *         ],
                     *         "latency_p99_ms": [
                     *           1
                     *         ],
                     *         "cpu_cores": [
                     *           1
                     *         ],
                     *         "memory_bytes": [
                     *           1
                     *         ],
                     *         "memory_bytes_max": [
                     *           1
                     *         ],
                     *         "network_bytes_in": [
                     *           1
                     *         ],
                     *         "network_bytes_out": [
                     *           1
                     *         ],
                     *         "restarts": [
                     *           1
                     *         ]
                     *       },
                     *       "deploys": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "release": "v3",
                     *           "status": "pending",
                     *           "finished_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AppMetrics"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readLogs: {
        parameters: {
            query?: {
                lines?: number;
                follow?: "0" | "1";
                source?: "container" | "access";
                release?: string;
                deploy?: string;
                /** @description From this time on (RFC 3339), or how long ago: `90s`, `30m`, `2h`, `7d`. */
                since?: string;
                /** @description Up to and without this time, or how long ago. */
                until?: string;
                /** @description Which lines: words and fields. */
                query?: string;
            };
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the lines, oldest first, joined by `\n` */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "app": "hello",
                     *       "logs": "2026-01-31T12:00:00.000Z listening on port 3000"
                     *     }
                     */
                    "application/json": {
                        /** @example hello */
                        app: string;
                        /** @example 2026-01-31T12:00:00.000Z listening on port 3000 */
                        logs: string;
                        /**
                         * Format: date-time
                         * @description Of a search: the `until` of the next one, or null.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        continue_until?: string | null;
                        /**
                         * Format: date-time
                         * @description Of a search with `since`: that time, for the next one.
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        since?: string;
                    };
                    /**
                     * @example id: 1
                     *     event: log
                     *     data: {"lines":["listening on port 3000"]}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `never_deployed`: The app was never deployed.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait.
             *
             *     `too_many_streams`: Too many streams are open; `Retry-After` says how many seconds to wait.
             */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `agent_away`: The server's agent is not connected; try again later.
             *
             *     `agent_too_old`: The server's agent is older than the control plane and can't do this.
             */
            503: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the templates, by slug */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templates": [
                     *         {
                     *           "slug": "express-postgres",
                     *           "title": "Express with PostgreSQL",
                     *           "description": "A small web service",
                     *           "framework": "express",
                     *           "port": 3000,
                     *           "needs_database": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "slug": "express-postgres",
                         *         "title": "Express with PostgreSQL",
                         *         "description": "A small web service",
                         *         "framework": "express",
                         *         "port": 3000,
                         *         "needs_database": false
                         *       }
                         *     ]
                         */
                        templates: components["schemas"]["Template"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readTier: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the tier */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tier": {
                     *         "name": "free",
                     *         "apps": 3,
                     *         "memory": "512m",
                     *         "cpus": "1"
                     *       }
                     *     }
                     */
                    "application/json": {
                        tier: components["schemas"]["Tier"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the caller */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "email": "text",
                     *         "email_verified": false,
                     *         "tier": "text",
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "key": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "scopes": [
                     *           "text"
                     *         ],
                     *         "apps": [
                     *           "text"
                     *         ]
                     *       },
                     *       "teams": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "name": "hello",
                     *           "personal": false,
                     *           "role": "viewer",
                     *           "tier": "text",
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the teams */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "teams": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "name": "hello",
                     *           "personal": false,
                     *           "role": "viewer",
                     *           "tier": "text",
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "name": "hello",
                         *         "personal": false,
                         *         "role": "viewer",
                         *         "tier": "text",
                         *         "created_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        teams: components["schemas"]["Team"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "hello"
                 *     }
                 */
                "application/json": components["schemas"]["CreateTeam"];
            };
        };
        responses: {
            /** @description made */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "team": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "personal": false,
                     *         "role": "viewer",
                     *         "tier": "text",
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `team_limit`: The caller owns as many teams as anybody may.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description deleted */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `personal_team`: A personal team has one member and stays with its person.
             *
             *     `team_in_use`: The team has apps.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    renameTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "hello"
                 *     }
                 */
                "application/json": components["schemas"]["RenameTeam"];
            };
        };
        responses: {
            /** @description renamed */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "team": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "personal": false,
                     *         "role": "viewer",
                     *         "tier": "text",
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `personal_team`: A personal team has one member and stays with its person.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the members */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "members": [
                     *         {
                     *           "user_id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "email": "text",
                     *           "role": "viewer",
                     *           "since": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "user_id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "email": "text",
                         *         "role": "viewer",
                         *         "since": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        members: components["schemas"]["Member"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
                /** @description id of the member */
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "viewer"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeRole"];
            };
        };
        responses: {
            /** @description changed */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "member": {
                     *         "user_id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "email": "text",
                     *         "role": "viewer",
                     *         "since": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        member: components["schemas"]["Member"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `team_limit`: The caller owns as many teams as anybody may.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `personal_team`: A personal team has one member and stays with its person.
             *
             *     `last_owner`: The team would have no owner any more.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
                /** @description id of the member */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description removed */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `personal_team`: A personal team has one member and stays with its person.
             *
             *     `last_owner`: The team would have no owner any more.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the invitations */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invitations": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "email": "text",
                     *           "role": "viewer",
                     *           "invited_by": "text",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "expires_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "email": "text",
                         *         "role": "viewer",
                         *         "invited_by": "text",
                         *         "created_at": "2026-01-31T12:00:00.000Z",
                         *         "expires_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        invitations: components["schemas"]["Invitation"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "text",
                 *       "role": "viewer"
                 *     }
                 */
                "application/json": components["schemas"]["CreateInvitation"];
            };
        };
        responses: {
            /** @description invited */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invitation": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "email": "text",
                     *         "role": "viewer",
                     *         "invited_by": "text",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "mail": "sent"
                     *     }
                     */
                    "application/json": {
                        invitation: components["schemas"]["Invitation"];
                        /**
                         * @description kept: there is no mail server, and an operator finds the mail on the service's machine
                         * @example sent
                         * @enum {string}
                         */
                        mail: "sent" | "kept";
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `team_limit`: The caller owns as many teams as anybody may.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `personal_team`: A personal team has one member and stays with its person.
             *
             *     `already_member`: The address is of a member of the team.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
                /** @description id of the invitation */
                invitation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description taken back */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "text"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptInvitation"];
            };
        };
        responses: {
            /** @description the team that the caller is in now */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "team": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "personal": false,
                     *         "role": "viewer",
                     *         "tier": "text",
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        team: components["schemas"]["Team"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `team_limit`: The caller owns as many teams as anybody may.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `not_found`: Nothing has this name or id, or it belongs to another owner.
             *
             *     `invitation_invalid`: The invitation was used, has expired, or is somebody else's.
             */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    leaveTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description left */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `personal_team`: A personal team has one member and stays with its person.
             *
             *     `last_owner`: The team would have no owner any more.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description an action, or the beginning of several: `app.` */
                action?: string;
                /** @description id of a person, whose keys count as well */
                user?: string;
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the entries */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "activity": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "actor": "text",
                     *           "email": "text",
                     *           "key_name": "text",
                     *           "action": "restart",
                     *           "target": "text",
                     *           "target_name": "text",
                     *           "request_id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "detail": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "at": "2026-01-31T12:00:00.000Z",
                         *         "actor": "text",
                         *         "email": "text",
                         *         "key_name": "text",
                         *         "action": "restart",
                         *         "target": "text",
                         *         "target_name": "text",
                         *         "request_id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "detail": {}
                         *       }
                         *     ]
                         */
                        activity: components["schemas"]["Activity"][];
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        next_cursor?: string;
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPlatformActivity: {
        parameters: {
            query?: {
                /** @description an action, or the beginning of several: `app.` */
                action?: string;
                /** @description id of a person, whose keys count as well */
                user?: string;
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the entries */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "activity": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "at": "2026-01-31T12:00:00.000Z",
                     *           "actor": "text",
                     *           "email": "text",
                     *           "key_name": "text",
                     *           "action": "restart",
                     *           "target": "text",
                     *           "target_name": "text",
                     *           "request_id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "detail": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "at": "2026-01-31T12:00:00.000Z",
                         *         "actor": "text",
                         *         "email": "text",
                         *         "key_name": "text",
                         *         "action": "restart",
                         *         "target": "text",
                         *         "target_name": "text",
                         *         "request_id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "detail": {}
                         *       }
                         *     ]
                         */
                        activity: components["schemas"]["Activity"][];
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        next_cursor?: string;
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the servers */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "servers": [
                     *         {
                     *           "name": "server-1",
                     *           "state": "active",
                     *           "pool": "default",
                     *           "labels": [
                     *             "zone=eu-1"
                     *           ],
                     *           "address": "192.0.2.7",
                     *           "linked": false,
                     *           "last_seen_at": "2026-01-31T12:00:00.000Z",
                     *           "agent_version": "0.1.0",
                     *           "certificate_until": "2026-01-31T12:00:00.000Z",
                     *           "joined_at": "2026-01-31T12:00:00.000Z",
                     *           "observed_at": "2026-01-31T12:00:00.000Z",
                     *           "cpu": {
                     *             "cores": 1,
                     *             "used_ratio": 0.25,
                     *             "load_1m": 0.5
                     *           },
                     *           "memory": {
                     *             "total_bytes": 0,
                     *             "available_bytes": 0,
                     *             "promised_bytes": 0,
                     *             "promisable_bytes": 0
                     *           },
                     *           "disks": [
                     *             {
                     *               "purpose": "data",
                     *               "total_bytes": 0,
                     *               "available_bytes": 0
                     *             }
                     *           ],
                     *           "lock": {
                     *             "app": "hello",
                     *             "step": "provision_db",
                     *             "taken_at": "2026-01-31T12:00:00.000Z"
                     *           },
                     *           "queue": {
                     *             "length": 1,
                     *             "oldest_since": "2026-01-31T12:00:00.000Z"
                     *           },
                     *           "apps": 1
                     *         }
                     *       ],
                     *       "unplaced": {
                     *         "length": 1,
                     *         "oldest_since": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "name": "server-1",
                         *         "state": "active",
                         *         "pool": "default",
                         *         "labels": [
                         *           "zone=eu-1"
                         *         ],
                         *         "address": "192.0.2.7",
                         *         "linked": false,
                         *         "last_seen_at": "2026-01-31T12:00:00.000Z",
                         *         "agent_version": "0.1.0",
                         *         "certificate_until": "2026-01-31T12:00:00.000Z",
                         *         "joined_at": "2026-01-31T12:00:00.000Z",
                         *         "observed_at": "2026-01-31T12:00:00.000Z",
                         *         "cpu": {
                         *           "cores": 1,
                         *           "used_ratio": 0.25,
                         *           "load_1m": 0.5
                         *         },
                         *         "memory": {
                         *           "total_bytes": 0,
                         *           "available_bytes": 0,
                         *           "promised_bytes": 0,
                         *           "promisable_bytes": 0
                         *         },
                         *         "disks": [
                         *           {
                         *             "purpose": "data",
                         *             "total_bytes": 0,
                         *             "available_bytes": 0
                         *           }
                         *         ],
                         *         "lock": {
                         *           "app": "hello",
                         *           "step": "provision_db",
                         *           "taken_at": "2026-01-31T12:00:00.000Z"
                         *         },
                         *         "queue": {
                         *           "length": 1,
                         *           "oldest_since": "2026-01-31T12:00:00.000Z"
                         *         },
                         *         "apps": 1
                         *       }
                         *     ]
                         */
                        servers: components["schemas"]["Server"][];
                        /**
                         * @description Deploys that wait because no server takes them.
                         * @example {
                         *       "length": 1,
                         *       "oldest_since": "2026-01-31T12:00:00.000Z"
                         *     }
                         */
                        unplaced: {
                            /** @example 1 */
                            length: number;
                            /**
                             * Format: date-time
                             * @example 2026-01-31T12:00:00.000Z
                             */
                            oldest_since: string | null;
                        };
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "server-2",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["CreateServer"];
            };
        };
        responses: {
            /** @description made */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "server": "server-1",
                     *       "command": "export SVC_JOIN_TOKEN=svcjoin_… && curl -fsSk --http1.1 https://svc.example.com:8443/install-agent.sh …",
                     *       "expires_at": "2026-01-31T12:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @example server-1 */
                        server: string;
                        /**
                         * @description for the host's shell
                         * @example export SVC_JOIN_TOKEN=svcjoin_… && curl -fsSk --http1.1 https://svc.example.com:8443/install-agent.sh …
                         */
                        command: string;
                        /**
                         * Format: date-time
                         * @example 2026-01-31T12:00:00.000Z
                         */
                        expires_at: string;
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked.
             *
             *     `credentials_invalid`: E-mail address, password or code do not fit.
             */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `name_taken`: The name is taken.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the server */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "server": {
                     *         "name": "server-1",
                     *         "state": "active",
                     *         "pool": "default",
                     *         "labels": [
                     *           "zone=eu-1"
                     *         ],
                     *         "address": "192.0.2.7",
                     *         "linked": false,
                     *         "last_seen_at": "2026-01-31T12:00:00.000Z",
                     *         "agent_version": "0.1.0",
                     *         "certificate_until": "2026-01-31T12:00:00.000Z",
                     *         "joined_at": "2026-01-31T12:00:00.000Z",
                     *         "observed_at": "2026-01-31T12:00:00.000Z",
                     *         "cpu": {
                     *           "cores": 1,
                     *           "used_ratio": 0.25,
                     *           "load_1m": 0.5
                     *         },
                     *         "memory": {
                     *           "total_bytes": 0,
                     *           "available_bytes": 0,
                     *           "promised_bytes": 0,
                     *           "promisable_bytes": 0
                     *         },
                     *         "disks": [
                     *           {
                     *             "purpose": "data",
                     *             "total_bytes": 0,
                     *             "available_bytes": 0
                     *           }
                     *         ],
                     *         "lock": {
                     *           "app": "hello",
                     *           "step": "provision_db",
                     *           "taken_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "queue": {
                     *           "length": 1,
                     *           "oldest_since": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "apps": 1
                     *       },
                     *       "deploys": [
                     *         {
                     *           "app": "hello",
                     *           "kind": "deploy",
                     *           "status": "pending",
                     *           "since": "2026-01-31T12:00:00.000Z",
                     *           "waits_for": "server_away"
                     *         }
                     *       ],
                     *       "apps": [
                     *         {
                     *           "name": "hello",
                     *           "status": "running",
                     *           "team": "0198c0de-7a11-7000-8000-000000000001"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        server: components["schemas"]["Server"];
                        /**
                         * @example [
                         *       {
                         *         "app": "hello",
                         *         "kind": "deploy",
                         *         "status": "pending",
                         *         "since": "2026-01-31T12:00:00.000Z",
                         *         "waits_for": "server_away"
                         *       }
                         *     ]
                         */
                        deploys: components["schemas"]["OpenDeploy"][];
                        /**
                         * @example [
                         *       {
                         *         "name": "hello",
                         *         "status": "running",
                         *         "team": "0198c0de-7a11-7000-8000-000000000001"
                         *       }
                         *     ]
                         */
                        apps: components["schemas"]["AppOnServer"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the server */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pool": "default",
                 *       "labels": [
                 *         "zone=eu-1"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SetServer"];
            };
        };
        responses: {
            /** @description set */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "server": {
                     *         "name": "server-1",
                     *         "state": "active",
                     *         "pool": "default",
                     *         "labels": [
                     *           "zone=eu-1"
                     *         ],
                     *         "address": "192.0.2.7",
                     *         "linked": false,
                     *         "last_seen_at": "2026-01-31T12:00:00.000Z",
                     *         "agent_version": "0.1.0",
                     *         "certificate_until": "2026-01-31T12:00:00.000Z",
                     *         "joined_at": "2026-01-31T12:00:00.000Z",
                     *         "observed_at": "2026-01-31T12:00:00.000Z",
                     *         "cpu": {
                     *           "cores": 1,
                     *           "used_ratio": 0.25,
                     *           "load_1m": 0.5
                     *         },
                     *         "memory": {
                     *           "total_bytes": 0,
                     *           "available_bytes": 0,
                     *           "promised_bytes": 0,
                     *           "promisable_bytes": 0
                     *         },
                     *         "disks": [
                     *           {
                     *             "purpose": "data",
                     *             "total_bytes": 0,
                     *             "available_bytes": 0
                     *           }
                     *         ],
                     *         "lock": {
                     *           "app": "hello",
                     *           "step": "provision_db",
                     *           "taken_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "queue": {
                     *           "length": 1,
                     *           "oldest_since": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "apps": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        server: components["schemas"]["Server"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    drainServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "server": {
                     *         "name": "server-1",
                     *         "state": "active",
                     *         "pool": "default",
                     *         "labels": [
                     *           "zone=eu-1"
                     *         ],
                     *         "address": "192.0.2.7",
                     *         "linked": false,
                     *         "last_seen_at": "2026-01-31T12:00:00.000Z",
                     *         "agent_version": "0.1.0",
                     *         "certificate_until": "2026-01-31T12:00:00.000Z",
                     *         "joined_at": "2026-01-31T12:00:00.000Z",
                     *         "observed_at": "2026-01-31T12:00:00.000Z",
                     *         "cpu": {
                     *           "cores": 1,
                     *           "used_ratio": 0.25,
                     *           "load_1m": 0.5
                     *         },
                     *         "memory": {
                     *           "total_bytes": 0,
                     *           "available_bytes": 0,
                     *           "promised_bytes": 0,
                     *           "promisable_bytes": 0
                     *         },
                     *         "disks": [
                     *           {
                     *             "purpose": "data",
                     *             "total_bytes": 0,
                     *             "available_bytes": 0
                     *           }
                     *         ],
                     *         "lock": {
                     *           "app": "hello",
                     *           "step": "provision_db",
                     *           "taken_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "queue": {
                     *           "length": 1,
                     *           "oldest_since": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "apps": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        server: components["schemas"]["Server"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    undrainServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "server": {
                     *         "name": "server-1",
                     *         "state": "active",
                     *         "pool": "default",
                     *         "labels": [
                     *           "zone=eu-1"
                     *         ],
                     *         "address": "192.0.2.7",
                     *         "linked": false,
                     *         "last_seen_at": "2026-01-31T12:00:00.000Z",
                     *         "agent_version": "0.1.0",
                     *         "certificate_until": "2026-01-31T12:00:00.000Z",
                     *         "joined_at": "2026-01-31T12:00:00.000Z",
                     *         "observed_at": "2026-01-31T12:00:00.000Z",
                     *         "cpu": {
                     *           "cores": 1,
                     *           "used_ratio": 0.25,
                     *           "load_1m": 0.5
                     *         },
                     *         "memory": {
                     *           "total_bytes": 0,
                     *           "available_bytes": 0,
                     *           "promised_bytes": 0,
                     *           "promisable_bytes": 0
                     *         },
                     *         "disks": [
                     *           {
                     *             "purpose": "data",
                     *             "total_bytes": 0,
                     *             "available_bytes": 0
                     *           }
                     *         ],
                     *         "lock": {
                     *           "app": "hello",
                     *           "step": "provision_db",
                     *           "taken_at": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "queue": {
                     *           "length": 1,
                     *           "oldest_since": "2026-01-31T12:00:00.000Z"
                     *         },
                     *         "apps": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        server: components["schemas"]["Server"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAllTeams: {
        parameters: {
            query?: {
                /** @description a part of the team's name, or of its owner's address */
                find?: string;
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the teams */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "teams": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "name": "hello",
                     *           "personal": false,
                     *           "owner": "text",
                     *           "tier": "free",
                     *           "pools": [],
                     *           "members": 1,
                     *           "apps": 1,
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "name": "hello",
                         *         "personal": false,
                         *         "owner": "text",
                         *         "tier": "free",
                         *         "pools": [],
                         *         "members": 1,
                         *         "apps": 1,
                         *         "created_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        teams: components["schemas"]["AnyTeam"][];
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        next_cursor?: string;
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTiers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the tiers */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tiers": [
                     *         {
                     *           "name": "free",
                     *           "apps": 3,
                     *           "memory": "512m",
                     *           "cpus": "1"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "name": "free",
                         *         "apps": 3,
                         *         "memory": "512m",
                         *         "cpus": "1"
                         *       }
                         *     ]
                         */
                        tiers: components["schemas"]["Tier"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeTier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tier": "pro",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeTier"];
            };
        };
        responses: {
            /** @description changed */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "team": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "tier": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example {
                         *       "id": "0198c0de-7a11-7000-8000-000000000001",
                         *       "name": "hello",
                         *       "tier": "text"
                         *     }
                         */
                        team: {
                            /** @example 0198c0de-7a11-7000-8000-000000000001 */
                            id: string;
                            /** @example hello */
                            name: string;
                            /** @example text */
                            tier: string;
                        };
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked.
             *
             *     `credentials_invalid`: E-mail address, password or code do not fit.
             */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    givePools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the team */
                team: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pools": [
                 *         "gpu"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GivePools"];
            };
        };
        responses: {
            /** @description given */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "team": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "name": "hello",
                     *         "pools": [
                     *           "text"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example {
                         *       "id": "0198c0de-7a11-7000-8000-000000000001",
                         *       "name": "hello",
                         *       "pools": [
                         *         "text"
                         *       ]
                         *     }
                         */
                        team: {
                            /** @example 0198c0de-7a11-7000-8000-000000000001 */
                            id: string;
                            /** @example hello */
                            name: string;
                            /**
                             * @example [
                             *       "text"
                             *     ]
                             */
                            pools: string[];
                        };
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readAnyMove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app, whichever team's */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the move */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "move": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "from": "server-1",
                     *         "to": "server-2",
                     *         "status": "pending",
                     *         "phase": "carrying",
                     *         "error": "invalid_request",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "refused_seconds": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        move: components["schemas"]["Move"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    moveAnyApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app, whichever team's */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "server": "server-2"
                 *     }
                 */
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description the move has begun */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "move": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "from": "server-1",
                     *         "to": "server-2",
                     *         "status": "pending",
                     *         "phase": "carrying",
                     *         "error": "invalid_request",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "refused_seconds": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        move: components["schemas"]["Move"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_in_progress`: A deploy of this app, or on its server, is running or queued.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `agent_away`: The server's agent is not connected; try again later. */
            503: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelAnyMove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app, whichever team's */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the move is being taken back */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "move": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "from": "server-1",
                     *         "to": "server-2",
                     *         "status": "pending",
                     *         "phase": "carrying",
                     *         "error": "invalid_request",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "refused_seconds": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        move: components["schemas"]["Move"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_finished`: The deploy has ended.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readEvacuation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description how far it is */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evacuation": {
                     *         "state": "running",
                     *         "moved": 1,
                     *         "left": 1,
                     *         "moving": "text",
                     *         "reason": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        evacuation: components["schemas"]["Evacuation"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    evacuateServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the server */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description it has begun, or goes on */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evacuation": {
                     *         "state": "running",
                     *         "moved": 1,
                     *         "left": 1,
                     *         "moving": "text",
                     *         "reason": "text"
                     *       }
                     *     }
                     */
                    "application/json": {
                        evacuation: components["schemas"]["Evacuation"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    ensureRepository: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "hello"
                 *     }
                 */
                "application/json": components["schemas"]["EnsureRepository"];
            };
        };
        responses: {
            /** @description the caller has it already */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "hello",
                     *       "repo_url": "https://deploy.example.com/git/0198c0de-7a11-7000-8000-000000000001/hello.git"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description made; its branch `main` has one commit without files */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "hello",
                     *       "repo_url": "https://deploy.example.com/git/0198c0de-7a11-7000-8000-000000000001/hello.git"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `app_limit`: The tier's number of apps is reached.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEnv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the variables */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "env": {
                     *         "GREETING": "hello"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description key → value; a key matches `^[A-Za-z_][A-Za-z0-9_]*$`, with at most 255 characters, and is not `PORT` or `SVC_*`; a value has at most 8192 bytes, an app at most 64 variables; those with a public prefix, which builds are told, at most 65536 bytes of values in all
                         * @example {
                         *       "GREETING": "hello"
                         *     }
                         */
                        env: {
                            [key: string]: string;
                        };
                        /**
                         * @example [
                         *       "text"
                         *     ]
                         */
                        sealed?: string[];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putEnv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "env": {
                 *         "GREETING": "hello"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PutEnv"];
            };
        };
        responses: {
            /** @description written */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "updated": 1,
                     *       "note": "The values apply on the next deploy; the container is not restarted."
                     *     }
                     */
                    "application/json": {
                        /** @example 1 */
                        updated: number;
                        /** @example The values apply on the next deploy; the container is not restarted. */
                        note: string;
                    };
                };
            };
            /**
             * @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it.
             *
             *     `env_limit`: A variable breaks a limit; `detail` names its key. Nothing was applied.
             *
             *     `reserved_env_key`: The key belongs to the platform. Nothing was applied.
             */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listVariables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the names, in their order */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "variables": [
                     *         {
                     *           "name": "hello",
                     *           "sealed": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "name": "hello",
                         *         "sealed": false
                         *       }
                         *     ]
                         */
                        variables: {
                            /** @example hello */
                            name: string;
                            /** @example false */
                            sealed: boolean;
                        }[];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteEnv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
                /** @description key of the variable */
                KEY: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description deleted */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startDeploy: {
        parameters: {
            query?: never;
            header?: {
                /** @description a retry with the same key and body changes nothing more */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "ref": "main",
                 *       "release": "v3"
                 *     }
                 */
                "application/json": components["schemas"]["DeployRequest"];
            };
        };
        responses: {
            /** @description it runs; or, without `deploy_id`, it waits for another deploy on its server */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *       "status": "running"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example running
                         * @enum {string}
                         */
                        status: "running" | "queued";
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        deploy_id?: string;
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `idempotency_key_in_progress`: The first request with this idempotency key still runs.
             *
             *     `deploy_in_progress`: A deploy of this app, or on its server, is running or queued.
             *
             *     `release_in_use`: The app has a release of that name.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `idempotency_key_reuse`: The idempotency key was used with a different body.
             *
             *     `no_repository`: The app has no repository to deploy from.
             */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the stored answer of an earlier request with this idempotency key */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeploys: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deploys */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deploys": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "app_id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "user_id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "deployed_by": "text",
                     *           "status": "pending",
                     *           "ref": "main",
                     *           "release": "v3",
                     *           "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "started_at": "2026-01-31T12:00:00.000Z",
                     *           "finished_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "app_id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "user_id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "deployed_by": "text",
                         *         "status": "pending",
                         *         "ref": "main",
                         *         "release": "v3",
                         *         "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
                         *         "created_at": "2026-01-31T12:00:00.000Z",
                         *         "started_at": "2026-01-31T12:00:00.000Z",
                         *         "finished_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        deploys: components["schemas"]["Deploy"][];
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        next_cursor?: string;
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDeploy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description identifier of the deploy */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deploy */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deploy": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "app_id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "user_id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "deployed_by": "text",
                     *         "status": "pending",
                     *         "ref": "main",
                     *         "release": "v3",
                     *         "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "steps": [
                     *         {
                     *           "step_name": "provision_db",
                     *           "step_order": 1,
                     *           "status": "pending",
                     *           "output": "added 64 packages in 2s",
                     *           "started_at": "2026-01-31T12:00:00.000Z",
                     *           "finished_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        deploy: components["schemas"]["Deploy"];
                        /**
                         * @example [
                         *       {
                         *         "step_name": "provision_db",
                         *         "step_order": 1,
                         *         "status": "pending",
                         *         "output": "added 64 packages in 2s",
                         *         "started_at": "2026-01-31T12:00:00.000Z",
                         *         "finished_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        steps: components["schemas"]["DeployStep"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelDeploy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description identifier of the deploy */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description it is canceled, or being canceled; asking again meanwhile is answered the same */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *       "status": "canceled"
                     *     }
                     */
                    "application/json": {
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        deploy_id: string;
                        /**
                         * @example canceled
                         * @enum {string}
                         */
                        status: "canceled" | "canceling";
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_finished`: The deploy has ended.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    planRepository: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repo_url": "https://github.com/you/hello"
                 *     }
                 */
                "application/json": components["schemas"]["PlanRequest"];
            };
        };
        responses: {
            /** @description the plan */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
                     *       "name": "hello",
                     *       "framework": "express",
                     *       "reason": "text",
                     *       "port": 3000,
                     *       "start": "text",
                     *       "dockerfile": {
                     *         "path": "text"
                     *       },
                     *       "notes": [
                     *         "text"
                     *       ],
                     *       "root": "text",
                     *       "spec_file": "text",
                     *       "services": [
                     *         {
                     *           "name": "hello",
                     *           "version": "text"
                     *         }
                     *       ],
                     *       "env": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `framework_unknown`: The framework was not recognised.
             *
             *     `repository_not_found`: The repository does not exist.
             *
             *     `repository_needs_credentials`: The repository is not public.
             *
             *     `repository_unreachable`: The repository's host can't be reached.
             *
             *     `repository_too_large`: The repository is larger than allowed.
             *
             *     `ref_not_found`: The repository has no such branch, tag or commit.
             */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `agent_away`: The server's agent is not connected; try again later.
             *
             *     `agent_too_old`: The server's agent is older than the control plane and can't do this.
             *
             *     `disk_full`: The server's disk is full.
             */
            503: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `step_timed_out`: The step took too long. */
            504: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareReleases: {
        parameters: {
            query?: {
                /** @description name of a release */
                from?: string;
                /** @description name of a release */
                to?: string;
            };
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the differences; `from` is null where nothing was deployed, `to` is null for the next deploy */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": {
                     *         "release": "v3",
                     *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
                     *         "image_digest": "text",
                     *         "framework": "express",
                     *         "port": 3000,
                     *         "deployed_by": "text",
                     *         "deployed_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "to": {
                     *         "release": "v3",
                     *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "commit_sha": "4f2d7c0e9a1b5c3d8e6f7a0b1c2d3e4f5a6b7c8d",
                     *         "image_digest": "text",
                     *         "framework": "express",
                     *         "port": 3000,
                     *         "deployed_by": "text",
                     *         "deployed_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "env": {
                     *         "added": [
                     *           "text"
                     *         ],
                     *         "removed": [
                     *           "text"
                     *         ],
                     *         "changed": [
                     *           "text"
                     *         ],
                     *         "written_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readWaitingDeploy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deploy; null when none waits */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "waiting": {
                     *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "release": "v3",
                     *         "status": "pending",
                     *         "since": "2026-01-31T12:00:00.000Z",
                     *         "waits_for": "no_server",
                     *         "ahead": "text",
                     *         "detail": "Every server is drained and takes no new apps. The deploy begins when one takes them again."
                     *       }
                     *     }
                     */
                    "application/json": {
                        waiting: components["schemas"]["WaitingDeploy"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rollBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "release": "v3"
                 *     }
                 */
                "application/json": components["schemas"]["RollbackRequest"];
            };
        };
        responses: {
            /** @description the release is live */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "rolled_back"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example rolled_back
                         * @enum {string}
                         */
                        status: "rolled_back";
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `no_previous_deploy`: There is no earlier successful deploy to go back to.
             *
             *     `deploy_in_progress`: A deploy of this app, or on its server, is running or queued.
             *
             *     `release_image_gone`: The release's image is not on the server any more.
             *
             *     `canceled`: It was canceled.
             *
             *     `lock_held`: Another deploy holds the server.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `app_exited`: The app exited instead of serving.
             *
             *     `app_not_listening`: The app does not listen on its port.
             *
             *     `app_out_of_memory`: The app ran out of memory.
             */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `database_not_ready`: The app's database does not get ready.
             *
             *     `agent_away`: The server's agent is not connected; try again later.
             *
             *     `route_not_proven`: The route to the app could not be proven.
             *
             *     `address_block_exhausted`: The server has no address block left.
             *
             *     `server_memory_full`: The server's memory is promised to other apps; `detail` says how much.
             *
             *     `disk_full`: The server's disk is full.
             *
             *     `engine_unavailable`: The server's container engine can't be reached.
             *
             *     `proxy_unavailable`: The server's proxy can't be reached.
             *
             *     `step_interrupted`: The agent's process ended during the step.
             */
            503: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `step_timed_out`: The step took too long. */
            504: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readMove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the move */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "move": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "from": "server-1",
                     *         "to": "server-2",
                     *         "status": "pending",
                     *         "phase": "carrying",
                     *         "error": "invalid_request",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "refused_seconds": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        move: components["schemas"]["Move"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    moveApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "server": "server-2"
                 *     }
                 */
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description the move has begun */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "move": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "from": "server-1",
                     *         "to": "server-2",
                     *         "status": "pending",
                     *         "phase": "carrying",
                     *         "error": "invalid_request",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "refused_seconds": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        move: components["schemas"]["Move"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_in_progress`: A deploy of this app, or on its server, is running or queued.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `agent_away`: The server's agent is not connected; try again later. */
            503: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelMove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the move is being taken back */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "move": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "from": "server-1",
                     *         "to": "server-2",
                     *         "status": "pending",
                     *         "phase": "carrying",
                     *         "error": "invalid_request",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "refused_seconds": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        move: components["schemas"]["Move"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_finished`: The deploy has ended.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDeployKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the key */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE9f… svc:hello",
                     *       "fingerprint": "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
                     *       "created_at": "2026-01-31T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployKey"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `deploy_key_unsupported`: Deploy keys need a repository of the form https://github.com/<owner>/<repo>. */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createDeployKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description made; the private key never leaves the service */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE9f… svc:hello",
                     *       "fingerprint": "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
                     *       "created_at": "2026-01-31T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployKey"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `deploy_key_exists`: The app has a deploy key; delete it first.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `deploy_key_unsupported`: Deploy keys need a repository of the form https://github.com/<owner>/<repo>. */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteDeployKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description removed */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `deploy_key_unsupported`: Deploy keys need a repository of the form https://github.com/<owner>/<repo>. */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description extension; 1 lists each webhook's last 50 deliveries with it */
                deliveries?: "0" | "1";
            };
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the webhooks */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "url": "https://hello.apps.example.com",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "deliveries": [
                     *             {
                     *               "id": "0198c0de-7a11-7000-8000-000000000001",
                     *               "event": "deploy.succeeded",
                     *               "status": "pending",
                     *               "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *               "attempts": 0,
                     *               "response_status": 1,
                     *               "error": "invalid_request",
                     *               "created_at": "2026-01-31T12:00:00.000Z",
                     *               "finished_at": "2026-01-31T12:00:00.000Z"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "url": "https://hello.apps.example.com",
                         *         "created_at": "2026-01-31T12:00:00.000Z",
                         *         "deliveries": [
                         *           {
                         *             "id": "0198c0de-7a11-7000-8000-000000000001",
                         *             "event": "deploy.succeeded",
                         *             "status": "pending",
                         *             "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                         *             "attempts": 0,
                         *             "response_status": 1,
                         *             "error": "invalid_request",
                         *             "created_at": "2026-01-31T12:00:00.000Z",
                         *             "finished_at": "2026-01-31T12:00:00.000Z"
                         *           }
                         *         ]
                         *       }
                         *     ]
                         */
                        webhooks: components["schemas"]["ListedWebhook"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/deploys"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description registered; `secret` is shown this once */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c0de-7a11-7000-8000-000000000001",
                     *       "url": "https://hello.apps.example.com",
                     *       "created_at": "2026-01-31T12:00:00.000Z",
                     *       "secret": "whsec_7d0f0c9b6a5e4d3c2b1a"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            /**
             * @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it.
             *
             *     `invalid_webhook_url`: The URL is not https, or leads to no public address.
             *
             *     `webhook_limit`: The app has as many webhooks as it may have.
             */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
                /** @description id of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description deleted */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
                /** @description id of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the deliveries */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "event": "deploy.succeeded",
                     *           "status": "pending",
                     *           "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "attempts": 0,
                     *           "response_status": 1,
                     *           "error": "invalid_request",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "finished_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "event": "deploy.succeeded",
                         *         "status": "pending",
                         *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "attempts": 0,
                         *         "response_status": 1,
                         *         "error": "invalid_request",
                         *         "created_at": "2026-01-31T12:00:00.000Z",
                         *         "finished_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        deliveries: components["schemas"]["WebhookDelivery"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
                /** @description id of the webhook */
                id: string;
                /** @description id of the delivery */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description to be sent */
            202: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "event": "deploy.succeeded",
                     *         "status": "pending",
                     *         "deploy_id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "attempts": 0,
                     *         "response_status": 1,
                     *         "error": "invalid_request",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        delivery: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the domains, by name */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domains": [
                     *         "shop.example.com"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       "shop.example.com"
                         *     ]
                         */
                        domains: string[];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "shop.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["AddDomain"];
            };
        };
        responses: {
            /** @description stored and routed */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "shop.example.com",
                     *       "status": "routed"
                     *     }
                     */
                    "application/json": components["schemas"]["RoutedDomain"];
                };
            };
            /**
             * @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it.
             *
             *     `domain_reserved`: The domain belongs to the platform.
             *
             *     `domain_limit`: The app has as many domains as it may have.
             */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `domain_in_use`: The domain is in use on the platform.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `domain_not_verified`: Ownership is not proven yet: publish `txt_value` as the TXT record `txt_record`. */
            422: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
                /** @description the domain, as it was attached */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description its state */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "shop.example.com",
                     *       "status": "active",
                     *       "cert": {
                     *         "issuer": "R11",
                     *         "not_after": "2027-02-19T08:00:00.000Z",
                     *         "dns_names": [
                     *           "shop.example.com"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DomainState"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the app */
                name: string;
                /** @description the domain, as it was attached */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description removed */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRoutes: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
            };
            header?: {
                /** @description ETags of pages that the caller has */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page of the table */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description names this content of the page */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "routes": [
                     *         {
                     *           "host": "hello.apps.example.com",
                     *           "app": "hello",
                     *           "server": "server-1",
                     *           "address": "192.0.2.7",
                     *           "port": 443
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "host": "hello.apps.example.com",
                         *         "app": "hello",
                         *         "server": "server-1",
                         *         "address": "192.0.2.7",
                         *         "port": 443
                         *       }
                         *     ]
                         */
                        routes: components["schemas"]["HostRoute"][];
                        /** @example 0198c0de-7a11-7000-8000-000000000001 */
                        next_cursor?: string;
                    };
                };
            };
            /** @description the page is one of those in If-None-Match */
            304: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description of the page */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamDeployEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description number of the last event that was received */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description identifier of the deploy */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the events */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: log
                     *     data: {"lines":["listening on port 3000"]}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description the deploy has ended and nothing comes after Last-Event-ID */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait.
             *
             *     `too_many_streams`: Too many streams are open; `Retry-After` says how many seconds to wait.
             */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readChat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the chat */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "model": "text",
                     *       "limits": {
                     *         "messages_left": 1,
                     *         "tokens_left": 1,
                     *         "resets_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Chat"];
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    completeChat: {
        parameters: {
            query?: {
                text?: string;
                /** @description The app whose page is looked at. */
                app?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description whole sentences */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "completions": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       "text"
                         *     ]
                         */
                        completions: string[];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listConversations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the conversations */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "conversations": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "title": "Express with PostgreSQL",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "title": "Express with PostgreSQL",
                         *         "created_at": "2026-01-31T12:00:00.000Z",
                         *         "updated_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        conversations: components["schemas"]["Conversation"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createConversation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description begun */
            201: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "conversation": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "title": "Express with PostgreSQL",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        conversation: components["schemas"]["Conversation"];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the conversation */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the conversation, its oldest message first */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "conversation": {
                     *         "id": "0198c0de-7a11-7000-8000-000000000001",
                     *         "title": "Express with PostgreSQL",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "messages": [
                     *         {
                     *           "id": "0198c0de-7a11-7000-8000-000000000001",
                     *           "role": "person",
                     *           "parts": [
                     *             {
                     *               "type": "text",
                     *               "text": "text"
                     *             }
                     *           ],
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        conversation: components["schemas"]["Conversation"];
                        /**
                         * @example [
                         *       {
                         *         "id": "0198c0de-7a11-7000-8000-000000000001",
                         *         "role": "person",
                         *         "parts": [
                         *           {
                         *             "type": "text",
                         *             "text": "text"
                         *           }
                         *         ],
                         *         "created_at": "2026-01-31T12:00:00.000Z"
                         *       }
                         *     ]
                         */
                        messages: components["schemas"]["Message"][];
                    };
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the conversation */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description deleted */
            204: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `other_person`: Another person is signed in than the header `Svc-Person` names. */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait. */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the conversation */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "deploy hello from main"
                 *     }
                 */
                "application/json": components["schemas"]["SendMessage"];
            };
        };
        responses: {
            /** @description the events */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: log
                     *     data: {"lines":["listening on port 3000"]}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `turn_in_progress`: An answer of this conversation is being written.
             *
             *     `conversation_full`: The conversation has as many messages as it may have.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait.
             *
             *     `chat_limit`: The person has written as many messages as a day may have; `Retry-After` says how many seconds to wait.
             *
             *     `too_many_streams`: Too many streams are open; `Retry-After` says how many seconds to wait.
             */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    decideCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the conversation */
                id: string;
                /** @description id of the card */
                card: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "do",
                 *       "signature": "text"
                 *     }
                 */
                "application/json": components["schemas"]["DecideCard"];
            };
        };
        responses: {
            /** @description the events */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 1
                     *     event: log
                     *     data: {"lines":["listening on port 3000"]}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description `invalid_request`: The path, query, a header or the body breaks a rule; `detail` names it. */
            400: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthorized`: The API key is missing, malformed, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description how to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `insufficient_scope`: The API key lacks the scope, or is limited to other apps.
             *
             *     `insufficient_role`: The caller's role in the team does not allow it.
             *
             *     `email_not_verified`: The account's e-mail address is not verified.
             *
             *     `origin_refused`: The request does not come from a page of this service.
             *
             *     `card_invalid`: The signature is not the card's. Nothing was done.
             */
            403: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found`: Nothing has this name or id, or it belongs to another owner. */
            404: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `other_person`: Another person is signed in than the header `Svc-Person` names.
             *
             *     `card_closed`: The card was decided before, or too late. Nothing was done.
             *
             *     `turn_in_progress`: An answer of this conversation is being written.
             */
            409: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: The body is larger than 1 MiB. */
            413: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: The body is not declared as JSON. */
            415: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests; `Retry-After` says how many seconds to wait.
             *
             *     `too_many_streams`: Too many streams are open; `Retry-After` says how many seconds to wait.
             */
            429: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description seconds to wait */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description paths */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a page that sends requests with your key */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html> */
                    "text/html": string;
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSpecSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description JSON Schema, draft 2020-12 */
            200: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/schema+json": Record<string, never>;
                };
            };
            /** @description `method_not_allowed`: The path does not have this method; `Allow` lists those it has. */
            405: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    /** @description the methods of the path */
                    Allow?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`: Something went wrong on our side; `request_id` finds it in our log. */
            500: {
                headers: {
                    /** @description also in the service's log */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
