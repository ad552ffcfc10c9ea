import { describe, expect, it, vi } from "vitest";
import { AlertSubscribers } from "../../src/actors/alert-subscribers.ts";
import type { AlertRejection, RiskAlert } from "../../src/contracts/generated/types.ts";
import { AlertDesk } from "../../src/gateway/alert-desk.ts";
import type { AlertSocketClient } from "../../src/http/alerts-socket.ts";
import type { AnswerText } from "../../src/http/endpoint.ts";
import { BTC, ETH, WALLET, position, walletState } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { endangeredAccount, monitoredOf } from "../support/monitored-account.ts";

// Mutants killed by hand: texts of one asset, one kind, one threshold or one call given for another's; a text written
// anew for every subscriber; a client that left told; a failed subscriber whose socket stays.

describe("AlertDesk", () => {
  it("writes each alert once for all that get the same, and each subscriber's by its own thresholds", () => {
    const desk = open();
    const [one, same, stricter] = [desk.client(), desk.client(), desk.client()];
    one.ask({ wallet: WALLET });
    same.ask({ wallet: WALLET });
    // The same number, of different units.
    stricter.ask({ wallet: WALLET, thresholds: { min_liquidation_distance_pct: 100, max_risk_score: 1 } });
    const writes = vi.spyOn(JSON, "stringify");

    desk.publish(endangeredAccount());
    const written = writes.mock.calls.length;
    writes.mockRestore();

    const distanceOf = (client: Client): RiskAlert =>
      client.alerts.find(({ alert_type }) => alert_type === "liquidation_proximity")!;
    expect(one.sent).toHaveLength(1);
    expect(one.alerts.length).toBeGreaterThan(1);
    for (const alert of one.alerts) assertMatchesSchema("risk-alert", alert);
    expect(same.alerts).toEqual(one.alerts);
    expect(written).toBe(new Set([one, same, stricter].flatMap(({ sent }) => sent.flat())).size);
    expect([distanceOf(one).threshold, distanceOf(stricter).threshold]).toEqual([5, 100]);
    expect(stricter.alerts.map(({ alert_type }) => alert_type)).toEqual(
      one.alerts.map(({ alert_type }) => alert_type),
    );
  });

  it("tells of each asset and each call what was found of it then", () => {
    const desk = open();
    const client = desk.client();
    client.ask({ wallet: WALLET, thresholds: { max_risk_score: 0 } });
    const both = [position({ ticker: BTC }), position({ ticker: ETH, sizeBase: 1 })];
    const scoresOf = (alerts: readonly RiskAlert[]): unknown[] =>
      alerts
        .filter(({ alert_type }) => alert_type === "high_risk_score")
        .map(({ asset, current_value, timestamp }) => [asset, current_value, Date.parse(timestamp)]);

    const calls = [monitoredOf(walletState(100_000, both)), monitoredOf(walletState(20_000, both))].map(
      (monitored, i) => ({ ...monitored, evaluatedAtMs: monitored.evaluatedAtMs + i }),
    );
    for (const call of calls) desk.publish(call);

    expect(scoresOf(client.alerts)).toEqual(
      calls.flatMap(({ assessment, evaluatedAtMs }) =>
        assessment.positions.map(({ position: { ticker }, score }) => [
          ticker,
          score.displayed,
          evaluatedAtMs,
        ]),
      ),
    );
    expect(new Set(scoresOf(client.alerts).map(String)).size).toBe(4);
  });

  it("answers what is no config with the reason, and leaves in force what was asked before", () => {
    const desk = open();
    const client = desk.client();
    client.ask({ wallet: WALLET });

    expect(client.reply(null)).toEqual({ error: "invalid_config", detail: "the message is not UTF-8" });
    expect(client.reply("{")).toEqual({ error: "invalid_config", detail: "the message is not JSON text" });
    expect((client.reply("{}") as AlertRejection).detail).toContain("wallet");
    desk.publish(endangeredAccount());

    expect(client.alerts.length).toBeGreaterThan(0);
  });

  it("tells nothing to one that has gone", () => {
    const desk = open();
    const client = desk.client();
    client.ask({ wallet: WALLET });

    client.connection.closed();
    desk.publish(endangeredAccount());

    expect(client.sent).toEqual([]);
  });

  it("ends the socket of a subscriber that fails, and tells the others", () => {
    const desk = open();
    const [failing, fine] = [desk.client(), desk.client()];
    for (const client of [failing, fine]) client.ask({ wallet: WALLET });
    failing.send = () => {
      throw new Error("cannot be sent");
    };

    desk.publish(endangeredAccount());

    expect([failing.failures, fine.failures]).toEqual([1, 0]);
    expect(fine.alerts.length).toBeGreaterThan(0);
    expect(desk.errors).toEqual([new Error("cannot be sent")]);
  });
});

interface Desk {
  readonly client: () => Client;
  /** Tells the subscribers before it returns. */
  readonly publish: AlertDesk["publish"];
  readonly errors: readonly unknown[];
}

function open(): Desk {
  const errors: unknown[] = [];
  const tasks: (() => void)[] = [];
  const subscribers = new AlertSubscribers({
    defer: (task) => tasks.push(task),
    waitingMax: 100,
    onDropped: () => undefined,
  });
  const desk = new AlertDesk(subscribers, (cause) => errors.push(cause));
  return {
    client: () => new Client(desk),
    publish: (monitored) => {
      desk.publish(monitored);
      for (const task of tasks.splice(0)) task();
    },
    errors,
  };
}

class Client implements AlertSocketClient {
  /** One entry a write. */
  readonly sent: (readonly AnswerText[])[] = [];
  failures = 0;
  readonly connection: ReturnType<AlertDesk["connect"]>;

  constructor(desk: AlertDesk) {
    this.connection = desk.connect(this);
  }

  get alerts(): readonly RiskAlert[] {
    return this.sent.flat().map((text) => JSON.parse(text as string) as RiskAlert);
  }

  ask(config: object): void {
    expect(this.reply(JSON.stringify(config))).toEqual({ subscribed: WALLET });
  }

  reply(text: string | null): unknown {
    return JSON.parse(this.connection.reply(text, 0) as string);
  }

  send(texts: readonly AnswerText[]): void {
    this.sent.push(texts);
  }

  fail(): void {
    this.failures++;
  }
}
