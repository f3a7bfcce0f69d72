/** Most pages of an app need most of these: as one file they come in one turn, as those of `shared-by-pages.ts`. */
import "../chat/why-button.tsx";
import "./changes.tsx";
import "./deploy-button.tsx";
