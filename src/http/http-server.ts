import {
  App,
  SSLApp,
  us_listen_socket_close,
  us_socket_local_port,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
} from "uWebSockets.js";
import type { RequestError } from "../domain/errors.ts";
import { withinMs } from "../domain/within-ms.ts";
import { admittedKeyOf, refusalWithoutEndpoint } from "./admission.ts";
import { AnswerTurn, type ReadRequest } from "./answer-turn.ts";
import type { BusyPolling } from "./busy-polling.ts";
import type { ClientSockets } from "./client-sockets.ts";
import type { Endpoint } from "./endpoint.ts";
import { HttpCall, type OnInternalError } from "./http-call.ts";
import { HttpRefusal } from "./http-refusal.ts";
import type { KeyRing } from "./key-ring.ts";
import { readBody } from "./request-body.ts";
import { newRequestId } from "./request-id.ts";
import { faultOfUpgrade, readHead } from "./request-head.ts";
import { ResponseWriter } from "./response-writer.ts";
import { type AppDescriptor, LISTEN_EXCLUSIVE_PORT } from "./uws-listen.ts";

export interface HttpServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly sockets?: readonly ClientSockets[];
  readonly keys: KeyRing;
  readonly bodyBytesMax: number;
  /** How the thread looks for the next request before it sleeps; null where it does not. */
  readonly polling: BusyPolling | null;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly onInternalError: OnInternalError;
}

/** Where a GET is answered a HEAD is too. */
const METHODS_ANSWERED = { GET: ["GET", "HEAD"], POST: ["POST"] } as const;
/** The longest that shutdown waits for answers still being made, those to what comes meanwhile among them. */
const DRAIN_MS = 10_000;
/** Closing the app resets its sockets, and a reset drops what the peer has not read yet: it gets this long. */
const READ_GRACE_MS = 100;

/**
 * Bytes in, bytes out. Order of refusal: rate of a valid key, unknown path, method, key, media type, body size, UTF-8,
 * JSON; then the endpoint answers. Nothing thrown below here reaches the socket as anything but a 500 with the
 * request's id.
 */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #sockets: readonly ClientSockets[];
  readonly #app: TemplatedApp;
  #listenSocket: us_listen_socket | undefined;
  readonly #turn: AnswerTurn;
  /** Whole requests that wait for their answer; one whose body never comes must not hold up the end. */
  #answering = 0;
  readonly #state = {
    isClosing: false,
    onDone: (writer: ResponseWriter): void => {
      if (writer.isAnswering && --this.#answering === 0) this.#onDrained?.();
    },
  };
  #onDrained: (() => void) | undefined;
  /** Something was asked since this was last looked at. */
  #hasRequests = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#turn = new AnswerTurn(options.polling);
    this.#sockets = options.sockets ?? [];
    const { tls } = options;
    this.#app =
      tls === undefined ? App() : SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile });
    this.#route();
  }

  /** Resolves with the bound port; rejects when the address cannot be had, which is all that is known of it then. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#app.listen(host, port, LISTEN_EXCLUSIVE_PORT, (listenSocket) => {
        if (listenSocket === false) {
          reject(new Error(`${host}:${port} is taken, not allowed or not of this machine`));
          return;
        }
        this.#listenSocket = listenSocket;
        resolve(us_socket_local_port(listenSocket));
      });
    });
  }

  /** By this the server of another thread hands connections over to this one, which need not listen itself. */
  get descriptor(): AppDescriptor {
    return this.#app.getDescriptor();
  }

  /** Connections go to the servers that were added, in turn, until they are removed; kept while there is none. */
  addChild(descriptor: AppDescriptor): void {
    this.#app.addChildAppDescriptor(descriptor);
  }

  removeChild(descriptor: AppDescriptor): void {
    this.#app.removeChildAppDescriptor(descriptor);
  }

  /** Requests so far that were read whole, and messages of sockets that ask something. */
  get requests(): number {
    return this.#turn.requests;
  }

  stopListening(): void {
    if (this.#listenSocket !== undefined) us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  /** Drops every connection. */
  closeAtOnce(): void {
    // Closing the app frees a socket that still listens: stopped after that, it would end the process.
    this.stopListening();
    this.#app.close();
  }

  /**
   * Stops accepting, lets answers in flight finish and socket clients be told of them, says goodbye to these, then closes
   * every socket. What still comes on a connection meanwhile is answered; every answer closes its connection.
   */
  async close(clientsTold?: () => Promise<void>): Promise<void> {
    this.stopListening();
    this.#state.isClosing = true;
    this.#hasRequests = this.#answering > 0;
    const untilMs = performance.now() + DRAIN_MS;
    await this.#drained(untilMs, clientsTold);
    const hadClients = this.#sockets.map((sockets) => sockets.closeAll()).includes(true);
    let isWaitedFor = this.#lookForRequests() || hadClients;
    while (isWaitedFor) {
      await new Promise((resolve) => setTimeout(resolve, READ_GRACE_MS));
      isWaitedFor = this.#lookForRequests() && performance.now() < untilMs;
      if (isWaitedFor) await this.#drained(untilMs);
    }
    this.#app.close();
  }

  #lookForRequests(): boolean {
    const hasRequests = this.#hasRequests;
    this.#hasRequests = false;
    return hasRequests;
  }

  /** Resolves when nothing is being answered and what follows is done, or at that time. */
  async #drained(untilMs: number, following?: () => Promise<void>): Promise<void> {
    const settled = this.#turn.settled().then(() => {
      const drained = this.#answering > 0 && new Promise<void>((resolve) => (this.#onDrained = resolve));
      return Promise.all([drained, ...this.#sockets.map((sockets) => sockets.settled())]);
    });
    await withinMs<unknown>(settled.then(following), untilMs - performance.now(), () => undefined);
  }

  #route(): void {
    const methodsByPath = new Map<string, string[]>();
    for (const sockets of this.#sockets) {
      sockets.attach(this.#app, this.#turn);
      methodsByPath.set(sockets.path, ["GET"]);
      // What asks for an upgrade as it should never comes here.
      this.#app.get(sockets.path, (response, request) => {
        this.#refuse(response, request, faultOfUpgrade(request));
      });
    }
    for (const endpoint of this.#options.endpoints) {
      const methods = methodsByPath.get(endpoint.path) ?? [];
      methodsByPath.set(endpoint.path, [...methods, ...METHODS_ANSWERED[endpoint.method]]);
      const hasParameter = endpoint.path.includes(":");
      const handle =
        (isHead: boolean) =>
        (response: HttpResponse, request: HttpRequest): void =>
          this.#handle(endpoint, this.#begin(response, isHead), hasParameter, response, request);
      if (endpoint.method === "POST") this.#app.post(endpoint.path, handle(false));
      else this.#app.get(endpoint.path, handle(false)).head(endpoint.path, handle(true));
    }
    for (const [path, methods] of methodsByPath) {
      this.#app.any(path, (response, request) => {
        this.#refuse(response, request, { code: "method_not_allowed", allowed: methods.join(", ") });
      });
    }
    this.#app.any("/*", (response, request) => {
      this.#refuse(response, request, { code: "not_found", detail: `no such path: ${request.getUrl()}` });
    });
  }

  #refuse(response: HttpResponse, request: HttpRequest, error: RequestError): void {
    const writer = this.#begin(response, request.getMethod() === "head");
    const head = readHead(request, false);
    writer.closeAfter(head);
    this.#tell(writer, refusalWithoutEndpoint(head.authorization, this.#options.keys, writer) ?? error);
  }

  #begin(response: HttpResponse, isHead: boolean): ResponseWriter {
    return new ResponseWriter(response, isHead, this.#state);
  }

  #handle(
    endpoint: Endpoint,
    writer: ResponseWriter,
    hasParameter: boolean,
    response: HttpResponse,
    request: HttpRequest,
  ): void {
    const receivedAtMs = performance.now();
    const head = readHead(request, hasParameter);
    writer.closeAfter(head);
    const admitted = admittedKeyOf(endpoint, head, this.#options.keys, writer, receivedAtMs);
    if (!admitted.ok) {
      this.#tell(writer, admitted.error);
      return;
    }
    const keyId = admitted.value;
    const parameter = head.parameter ?? "";
    const answer = (body: unknown): void => {
      const { isHead } = writer;
      const requestId = newRequestId();
      const asked = { body, isHead, parameter, requestId, keyId, receivedAtMs, reply: writer };
      this.#hasRequests = true;
      this.#add(writer, new HttpCall(endpoint, asked, writer, this.#options.onInternalError));
    };
    if (endpoint.method === "GET") {
      answer(undefined);
      return;
    }
    readBody(response, this.#options.bodyBytesMax, (body) => {
      if (!body.ok) {
        // A body that is too long is read to its end, so that its client gets to read why; endless pieces are not.
        if (body.error.code === "invalid_field") writer.becomeLast();
        this.#tell(writer, body.error);
      } else answer(body.value);
    });
  }

  #tell(writer: ResponseWriter, error: RequestError): void {
    this.#add(writer, new HttpRefusal(writer, error));
  }

  #add(writer: ResponseWriter, request: ReadRequest): void {
    writer.beginAnswering();
    this.#answering++;
    this.#turn.add(request);
  }
}
