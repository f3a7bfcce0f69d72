import express from "express";

const app = express();
const port = Number(process.env.PORT ?? 3000);

app.get("/", (req, res) => {
  res.send(`${process.env.GREETING ?? "Hello"} from Express, release ${process.env.SVC_RELEASE ?? "unknown"}\n`);
});

const server = app.listen(port, "0.0.0.0", () => console.log(`listening on ${port}`));

process.once("SIGTERM", () => server.close());
