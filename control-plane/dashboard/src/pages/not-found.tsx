import { openPage } from "../parts/open-page.tsx";

function NotFound() {
  return (
    <>
      <p>There is nothing at this address.</p>
      <p>
        <a href="/">Go to your apps</a>
      </p>
    </>
  );
}

openPage("Not found", NotFound);
