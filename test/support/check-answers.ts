import { assertPublished } from "./published-answer.ts";

// Set up before each file of flow tests: whatever one of them fetches from a service is checked, also where it looks at
// the status alone.

const plainFetch = globalThis.fetch;

globalThis.fetch = async (resource, init) => {
  const response = await plainFetch(resource, init);
  const { pathname } = new URL(response.url);
  if (pathname === "/health" || pathname.startsWith("/v1/")) {
    const text = await response.clone().text();
    if (text !== "") assertPublished(pathname, response.status, JSON.parse(text));
  }
  return response;
};
