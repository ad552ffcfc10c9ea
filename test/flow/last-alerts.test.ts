import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { AlertClient } from "../support/alert-client.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { keptConnections } from "../support/kept-connection.ts";
import { eventsOf, startService, untilReady, type RunningService } from "../support/running-service.ts";
import { simulatorWallets } from "../support/simulator-wallets.ts";

// Mutants killed by hand: sockets closed when answers are made; of two gateways, when those of its own thread are;
// ready, or lets clients in, while it stops; stopped anew by a second signal.

describe.each(["1", "2"])("a service with %s gateways that stops", (gateways) => {
  let service: RunningService | undefined;

  afterEach(() => service?.kill());

  it("tells alert subscribers what the last monitor call finds, and then says goodbye", async () => {
    service = await startService({ BREAKWATER_GATEWAYS: gateways });
    await untilReady(service, 60_000);
    const address = (await simulatorWallets(service)).get("near-liquidation-cross")!;
    const clients = [await AlertClient.open(service.url), await AlertClient.open(service.url)];
    for (const client of clients) await client.subscribe(address);
    const [asking, other, probing] = await keptConnections(3, service.url);
    await fetch(`${service.simulatorUrl}/control/scenario`, {
      method: "POST",
      body: JSON.stringify({ type: "slow_replies", magnitude: 1, duration_s: 60 }),
    });

    // Its wallet is asked for at the exchange, which takes longer than it takes to notice that there is nothing else to do.
    const last = asking!.get(`/v1/monitor/${address}`);
    await other!.get("/health");
    // Whoever presses Ctrl-C again has nothing cut short by it.
    const ends = Promise.all([service.stop(), service.stop("SIGINT")]);
    while (!eventsOf(service).includes("service.stopping")) await turn();
    await expect(keptConnections(1, service.url)).rejects.toThrow();
    const health = await probing!.get("/health");

    expect([(await last).status, await ends]).toEqual([200, [0, 0]]);
    expect(health).toMatchObject({ status: 503, body: { status: "degraded", ready: false } });
    expect(eventsOf(service).filter((event) => event === "service.stopping")).toHaveLength(1);
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([1001, 1001]);
    for (const { alerts } of clients) {
      for (const alert of alerts) assertMatchesSchema("risk-alert", alert);
      expect(alerts.map(({ alert_type }) => alert_type)).toContain("liquidation_proximity");
    }
  }, 90_000);
});
