import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../domain/clock.ts";
import { jsonValueOf } from "../domain/json-value.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import { clientAddress, readBody } from "./http-request.ts";
import type { InfoWorld } from "./info-answers.ts";
import { answerInfo, type InfoRefusal } from "./info-desk.ts";
import { NoiseStream } from "./noise.ts";
import type { Scenarios } from "./scenarios.ts";

const UNREADABLE = "Failed to deserialize the JSON body into the target type";

/** POST /info with the exchange's statuses, content types and bodies, its weights, and the faults of scenarios. */
export class InfoServer {
  readonly #world: InfoWorld;
  readonly #limits: ConnectionLimits;
  readonly #scenarios: Scenarios;
  readonly #wall: Clock;
  readonly #faults: NoiseStream;

  constructor(world: InfoWorld, limits: ConnectionLimits, scenarios: Scenarios, wall: Clock, seed: number) {
    this.#world = world;
    this.#limits = limits;
    this.#scenarios = scenarios;
    this.#wall = wall;
    this.#faults = new NoiseStream(seed, "http-faults");
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("access-control-allow-origin", "*");
    if (request.method === "OPTIONS") {
      response.setHeader("access-control-allow-headers", "content-type");
      this.#send(response, 200, undefined, "");
      return;
    }
    const body = await readBody(request);
    if (request.method !== "POST") {
      this.#send(response, 405, undefined, "");
      return;
    }
    if (!(request.headers["content-type"] ?? "").startsWith("application/json")) {
      this.#send(response, 415, "text/plain", "Expected request with `Content-Type: application/json`");
      return;
    }
    const fault = this.#drawFault();
    if (fault !== undefined) {
      this.#send(response, fault, "application/json", "null");
      return;
    }
    const delayMs =
      1000 * (this.#scenarios.inForce("slow_replies", this.#world.market.nowMs)?.magnitude ?? 0);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const parsed = jsonValueOf(body ?? "");
    if (parsed === undefined) {
      this.#send(response, 400, "text/plain", "Failed to parse the request body as JSON");
      return;
    }
    this.#reply(response, parsed, clientAddress(request));
  }

  #reply(response: ServerResponse, body: unknown, client: string): void {
    const wallMs = this.#wall.nowMs();
    const usage = this.#limits.clientOf(client, wallMs);
    const answer = answerInfo(body, this.#world, usage, this.#limits.limits, wallMs);
    if (answer.ok) {
      this.#send(response, 200, "application/json", JSON.stringify(answer.value));
      return;
    }
    const [status, contentType, text] = REFUSALS[answer.error];
    this.#send(response, status, contentType, text);
  }

  #drawFault(): 429 | 500 | undefined {
    const nowMs = this.#world.market.nowMs;
    for (const [kind, status] of [
      ["http_429", 429],
      ["http_500", 500],
    ] as const) {
      const scenario = this.#scenarios.inForce(kind, nowMs);
      if (scenario !== undefined && this.#faults.uniform() < scenario.magnitude) return status;
    }
    return undefined;
  }

  #send(response: ServerResponse, status: number, contentType: string | undefined, body: string): void {
    if (contentType !== undefined) response.setHeader("content-type", contentType);
    response.statusCode = status;
    response.end(body);
  }
}

const REFUSALS: Readonly<Record<InfoRefusal, readonly [status: number, contentType: string, body: string]>> =
  {
    unreadable: [422, "text/plain", UNREADABLE],
    unknown_name: [500, "application/json", "null"],
    over_budget: [429, "application/json", "null"],
  };
