import type { IncomingMessage, ServerResponse } from "node:http";
import { jsonValueOf } from "../domain/json-value.ts";
import type { FeedServer } from "./feed-server.ts";
import { readBody } from "./http-request.ts";
import { parseScenario, SCENARIO_KINDS, type RunningScenario, type Scenarios } from "./scenarios.ts";
import type { SimulatedMarket } from "./simulated-market.ts";
import type { SimulatedWallets } from "./simulated-wallets.ts";

/** /control/*: lists wallets and assets with what each demonstrates, and starts or stops scenarios. Never part of the exchange. */
export class ControlServer {
  readonly #market: SimulatedMarket;
  readonly #wallets: SimulatedWallets;
  readonly #scenarios: Scenarios;
  readonly #feed: FeedServer;

  constructor(market: SimulatedMarket, wallets: SimulatedWallets, scenarios: Scenarios, feed: FeedServer) {
    this.#market = market;
    this.#wallets = wallets;
    this.#scenarios = scenarios;
    this.#feed = feed;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const path = (request.url ?? "").split("?")[0];
    const route = `${request.method} ${path}`;
    const { status, value } = this.#route(route, body);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  }

  #route(route: string, body: string | undefined): { status: number; value: unknown } {
    switch (route) {
      case "GET /control/wallets":
        return { status: 200, value: this.#listWallets() };
      case "GET /control/assets":
        return { status: 200, value: this.#listAssets() };
      case "GET /control/scenarios":
        return { status: 200, value: this.#listScenarios() };
      case "DELETE /control/scenarios":
        this.#scenarios.stopAll();
        return { status: 200, value: this.#listScenarios() };
      case "POST /control/scenario":
        return this.#startScenario(body);
      default: {
        const known = "GET wallets, GET assets, GET scenarios, DELETE scenarios, POST scenario";
        return {
          status: 404,
          value: { error: `no such control route: ${route}; known under /control/: ${known}` },
        };
      }
    }
  }

  #startScenario(body: string | undefined): { status: number; value: unknown } {
    const parsed = jsonValueOf(body ?? "");
    if (parsed === undefined) return { status: 400, value: { error: "body is not JSON" } };
    const coins = new Set(
      this.#market.assets.filter((asset) => asset.isLive).map((asset) => asset.spec.coin),
    );
    const request = parseScenario(parsed, coins);
    if (!request.ok) return { status: 400, value: { error: request.error } };
    const scenario = this.#scenarios.start(request.value, this.#market.nowMs);
    if (scenario.kind === "feed_disconnect") this.#feed.dropAll();
    return { status: 200, value: describeScenario(scenario) };
  }

  #listScenarios(): unknown {
    return {
      running: this.#scenarios.active(this.#market.nowMs).map(describeScenario),
      known: Object.entries(SCENARIO_KINDS).map(([type, { magnitude, unit, durationS }]) => ({
        type,
        default_magnitude: magnitude,
        magnitude_unit: unit,
        default_duration_s: durationS,
      })),
    };
  }

  #listWallets(): unknown {
    return [...this.#wallets.all()].map(({ plan, positions, liquidatedMs }) => ({
      address: plan.address,
      label: plan.label,
      demonstrates: plan.demonstrates,
      account_mode: plan.abstraction,
      positions: [...positions.keys()],
      liquidated_at: liquidatedMs ?? null,
    }));
  }

  #listAssets(): unknown {
    return this.#market.universe.map((spec) => ({
      asset: spec.coin,
      demonstrates: spec.demonstrates ?? null,
      max_leverage: spec.maxLeverage,
      isolated_only: spec.marginMode !== undefined,
      delisted: spec.isDelisted === true,
      at_open_interest_cap: spec.atOpenInterestCap === true,
      listed_hours: spec.listedHours ?? null,
    }));
  }
}

const describeScenario = (scenario: RunningScenario): unknown => ({
  id: scenario.id,
  type: scenario.kind,
  asset: scenario.coin ?? null,
  magnitude: scenario.magnitude,
  duration_s: scenario.durationMs / 1000,
  started_at: scenario.startMs,
  ends_at: scenario.endMs,
});
