import { readFileSync } from "node:fs";
import { App, us_socket_local_port } from "uWebSockets.js";

/**
 * A bare uWebSockets.js server: reads the body, answers the bytes of the file and the headers that it is given, does
 * nothing else.
 */
const bytes = readFileSync(process.argv[2]!);
const headers = JSON.parse(process.argv[3]!) as [name: string, value: string][];
App()
  .post("/*", (response) => {
    response.onAborted(() => undefined);
    response.onData((_chunk, isLast) => {
      if (!isLast) return;
      response.cork(() => {
        for (const [name, value] of headers) response.writeHeader(name, value);
        response.end(bytes);
      });
    });
  })
  .listen("127.0.0.1", 0, (socket) => {
    if (socket === false) throw new Error("no free port");
    console.log(`http://127.0.0.1:${us_socket_local_port(socket)}`);
  });
