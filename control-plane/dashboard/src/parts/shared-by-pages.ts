/**
 * Most pages need most of these. As one file they come in one turn: over HTTP/1.1 a browser asks for six files at a time, and
 * each turn takes a round trip. What a page loads later imports this file, or the bundler would keep apart what both need.
 */
import "@svc/shared/json.ts";
import "@svc/shared/rules/log-query/log-query-hints.ts";
import "../../../src/platform/stream-heartbeat.ts";
import "../client/link-token.ts";
import "../client/page-path.ts";
import "../client/signed-in.ts";
import "../text/app-state.ts";
import "../text/certificate-term.ts";
import "../text/curl.ts";
import "../text/deploy-state.ts";
import "../text/places.ts";
import "../text/time.ts";
import "./action-button.tsx";
import "./app/start-deploy.ts";
import "./chat/open-chat.ts";
import "./choice.tsx";
import "./complaint.tsx";
import "./copy/save-file.ts";
import "./early.ts";
import "./lists/facts.tsx";
import "./lists/found.tsx";
import "./lists/table.tsx";
import "./loaded.tsx";
import "./notice.tsx";
import "./palette/keys.ts";
import "./refreshed.tsx";
import "./style/adopt-style.ts";
import "./time.tsx";
