import type { us_listen_socket } from "uWebSockets.js";

/** The package's typings lack the listen call with host and options that the binary has. */
declare module "uWebSockets.js" {
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      callback: (listenSocket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: a second process may not bind the same port unnoticed. */
export const LISTEN_EXCLUSIVE_PORT = 1;
