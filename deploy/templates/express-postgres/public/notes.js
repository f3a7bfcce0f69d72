const list = document.querySelector("ul");
const form = document.querySelector("form");
const status = document.querySelector("[role=status]");

async function show() {
  const response = await fetch("/api/notes");
  const { notes } = await response.json();
  list.replaceChildren(
    ...notes.map(({ text }) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }),
  );
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { text } = Object.fromEntries(new FormData(form));
  const response = await fetch("/api/notes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  status.textContent = response.ok ? "" : "The note could not be saved.";
  if (response.ok) form.reset();
  await show();
});

await show();
