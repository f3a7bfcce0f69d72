import { app } from "./app.js";
import { migrate, pool } from "./database.js";

const port = Number(process.env.PORT ?? 3000);

await migrate();
const server = app.listen(port, "0.0.0.0", () => console.log(`listening on ${port}`));

// Requests that are under way are answered before the process ends.
process.once("SIGTERM", () => {
  server.close(() => pool.end());
});
