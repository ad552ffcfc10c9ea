import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, STEADY_CLOCK } from "../domain/clock.ts";
import { ConnectionLimits, type ExchangeLimits } from "./connection-limits.ts";
import { ControlServer } from "./control-server.ts";
import { FeedServer } from "./feed-server.ts";
import { InfoServer } from "./info-server.ts";
import { Scenarios } from "./scenarios.ts";
import { type MarketOptions, SimulatedMarket } from "./simulated-market.ts";
import { SimulatedWallets } from "./simulated-wallets.ts";
import { ManualClock, MarketClock } from "./simulator-clock.ts";

/** How often the market is moved and due frames are sent, in wall time: a sixth of the book clock at speed 1. */
const PUMP_MS = 90;
const KEEP_ALIVE_MS = 75_000;

export interface SimulatorOptions extends MarketOptions {
  /** 0 lets the system choose. */
  readonly port: number;
  readonly host: string;
  readonly seed: number;
  /**
   * Market seconds per wall second. Limits stay in wall time; a subscription is told each 90 ms how things are by then,
   * and of trades, candles and a user's events all that there were.
   */
  readonly speedFactor: number;
  /** Overrides of the exchange's documented limits. */
  readonly limits?: Partial<ExchangeLimits>;
  /** Whether /control/* exists. */
  readonly control: boolean;
  /** A ManualClock stops all timers: only `advance` moves the exchange. */
  readonly clock?: Clock;
}

export interface RunningSimulator {
  readonly infoUrl: string;
  readonly wsUrl: string;
  readonly controlUrl: string | undefined;
  /** Moves a ManualClock by so many wall milliseconds, in pump-sized steps, sending what falls due. */
  advance(wallMs: number): void;
  stop(): Promise<void>;
}

/** Starts an exchange: 1. market and wallets, 2. servers over them, 3. one pump that moves time and sends frames. */
export async function startSimulator(options: SimulatorOptions): Promise<RunningSimulator> {
  // An exchange's time does not follow this machine's when that is set: a market set back would stand still.
  const wall = options.clock ?? STEADY_CLOCK;
  const marketClock = new MarketClock(wall, options.speedFactor);
  const scenarios = new Scenarios();
  const market = new SimulatedMarket(options.seed, marketClock.nowMs(), scenarios, options);
  const wallets = new SimulatedWallets(market);
  market.listener = wallets;

  const world = { market, wallets };
  const limits = new ConnectionLimits(options.limits ?? {});
  const feed = new FeedServer(world, limits, scenarios, wall);
  const info = new InfoServer(world, limits, scenarios, wall, options.seed);
  const control = options.control ? new ControlServer(market, wallets, scenarios, feed) : undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const handled =
      path === "/info"
        ? info.handle(request, response)
        : path.startsWith("/control/")
          ? control?.handle(request, response)
          : undefined;
    if (handled === undefined) response.writeHead(404).end();
  });
  // Clients that pause keep their connection, as behind the exchange's front end.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("upgrade", (request, stream, head) => {
    if ((request.url ?? "").split("?")[0] === "/ws") feed.upgrade(request, stream, head);
    else stream.destroy();
  });

  const pump = (): void => {
    market.advanceTo(marketClock.nowMs());
    scenarios.active(market.nowMs);
    feed.pump();
  };
  const { port } = await listen(server, options.port, options.host);
  const timer = wall instanceof ManualClock ? undefined : setInterval(pump, PUMP_MS);
  const origin = `${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  return {
    infoUrl: `http://${origin}/info`,
    wsUrl: `ws://${origin}/ws`,
    controlUrl: options.control ? `http://${origin}/control` : undefined,
    advance(wallMs) {
      if (!(wall instanceof ManualClock)) return;
      for (let left = wallMs; left > 0; left -= PUMP_MS) {
        wall.advance(Math.min(left, PUMP_MS));
        pump();
      }
    },
    async stop() {
      clearInterval(timer);
      feed.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}
