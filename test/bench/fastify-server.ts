import fastify from "fastify";

/** An empty handler of the usual framework: it parses the body, as it does for everyone, and answers a small object. */
const app = fastify();
app.post("/v1/validate", () => ({ ok: true }));
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
