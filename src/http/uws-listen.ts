import type { us_listen_socket } from "uWebSockets.js";

/** A pointer, as the bits of a number; means something within its process only. */
export type AppDescriptor = number;

/** The package's typings lack calls that the binary has: to listen on a host with options, to hand connections over. */
declare module "uWebSockets.js" {
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      callback: (listenSocket: us_listen_socket | false) => void,
    ): TemplatedApp;
    getDescriptor(): AppDescriptor;
    addChildAppDescriptor(descriptor: AppDescriptor): TemplatedApp;
    removeChildAppDescriptor(descriptor: AppDescriptor): TemplatedApp;
  }
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT: a second process may not bind the same port unnoticed. */
export const LISTEN_EXCLUSIVE_PORT = 1;
