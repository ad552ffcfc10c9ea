import { Agent, request } from "node:http";
import { assertPublished } from "./published-answer.ts";
import { TEST_KEY } from "./running-service.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One connection to the service, kept from request to request. */
export class KeptConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key = TEST_KEY) {
    this.#url = url;
    this.#key = key;
  }

  /** Refuses an answer that is not as published; a HEAD's has no body. */
  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const { status, text } = await this.#ask(method, path, body);
    if (text === "") return { status, body: undefined };
    const answer: unknown = JSON.parse(text);
    assertPublished(path, status, answer);
    return { status, body: answer };
  }

  #ask(method: string, path: string, body: unknown): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
      const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (text += part));
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode!, text }));
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.send("POST", path, body);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Opened one after the other: of a service with two gateways every second one lands on the other thread. */
export async function keptConnections(count: number, url: string, key = TEST_KEY): Promise<KeptConnection[]> {
  const opened = Array.from({ length: count }, () => new KeptConnection(url, key));
  for (const connection of opened) await connection.get("/health");
  return opened;
}
