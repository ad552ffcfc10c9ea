import { describe, expect, it } from "vitest";
import { createActor } from "xstate";
import { alertMachine, type AlertMachineEvent } from "../../src/actors/alert-machine.ts";
import { walletAddressOf } from "../../src/domain/ids.ts";
import { type AlertBreach, DEFAULT_ALERT_THRESHOLDS } from "../../src/risk/alerts.ts";
import type { LiquidityRegime } from "../../src/risk/regime/liquidity-regime.ts";
import { BTC, WALLET } from "../support/builders.ts";
import { endangeredAccount, monitoredAccount } from "../support/monitored-account.ts";

// Mutants killed by hand: delivers while awaiting a config; delivers of another wallet; delivers nothing's worth of
// breaches; a later config ignored; regimes kept over a change of wallet, lost over a change of thresholds, not noted;
// a closed subscriber that hears.

const OTHER = walletAddressOf("0x2222222222222222222222222222222222222222")!;
const ALARMED = { ...DEFAULT_ALERT_THRESHOLDS, maxRiskScore: 0 };

describe("the alert machine", () => {
  it.each<[string, AlertMachineEvent[], string]>([
    ["nothing", [], "awaitingConfig"],
    ["a monitor call", [evaluated()], "awaitingConfig"],
    ["a config", [config()], "subscribed"],
    ["a second config", [config(), config(ALARMED)], "subscribed"],
    ["a monitor call while subscribed", [config(), evaluated()], "subscribed"],
    ["the end before a config", [{ type: "socket.closed" }], "closed"],
    ["the end", [config(), { type: "socket.closed" }], "closed"],
  ])("after %s: %s leads to %s", (_name, events, state) => {
    const { actor } = started();

    for (const event of events) actor.send(event);

    expect(actor.getSnapshot().value).toBe(state);
  });

  it("delivers what breaches, of its own wallet, only while subscribed", () => {
    const { actor, delivered } = started();

    actor.send({ type: "monitor.evaluated", monitored: endangeredAccount() });
    actor.send(config(ALARMED));
    actor.send({ type: "monitor.evaluated", monitored: { ...monitoredAccount(), wallet: OTHER } });
    expect(delivered).toEqual([]);
    actor.send(evaluated());

    expect(delivered.map((breaches) => breaches.map(({ type }) => type))).toEqual([["high_risk_score"]]);
  });

  it("does not speak where nothing breaches", () => {
    const { actor, delivered } = started();

    actor.send(config());
    actor.send(evaluated());

    expect(delivered).toEqual([]);
  });

  it("lets a later config replace the first", () => {
    const { actor, delivered } = started();

    actor.send(config(ALARMED));
    actor.send(config());
    actor.send(evaluated());

    expect(delivered).toEqual([]);
  });

  it("tells of a shift once, against what this subscriber last saw", () => {
    const { actor, delivered } = started();

    actor.send(config());
    for (const regime of ["normal", "stressed", "stressed", null, "stressed", "crisis", "normal"] as const) {
      actor.send(evaluated(regime));
    }

    expect(
      delivered.flat().map(({ severity, threshold, currentValue }) => [severity, threshold, currentValue]),
    ).toEqual([
      ["warning", 0, 1],
      ["critical", 1, 2],
      ["warning", 2, 0],
    ]);
    expect(delivered.flat().every(({ type, ticker }) => type === "regime_shift" && ticker === BTC)).toBe(
      true,
    );
  });

  it("keeps what it saw over new thresholds, and starts anew with another wallet", () => {
    const { actor, delivered } = started();

    actor.send(config());
    actor.send(evaluated("normal"));
    actor.send(config({ ...DEFAULT_ALERT_THRESHOLDS, maxRiskScore: 200 }));
    actor.send(evaluated("stressed"));
    expect(delivered).toHaveLength(1);

    actor.send({ type: "config.accepted", request: { wallet: OTHER, thresholds: DEFAULT_ALERT_THRESHOLDS } });
    actor.send({ type: "monitor.evaluated", monitored: { ...monitoredAccount("crisis"), wallet: OTHER } });
    expect(delivered).toHaveLength(1);
  });
});

function started() {
  const delivered: (readonly AlertBreach[])[] = [];
  const actor = createActor(alertMachine, { input: { deliver: (breaches) => delivered.push(breaches) } });
  return { actor: actor.start(), delivered };
}

function config(thresholds = DEFAULT_ALERT_THRESHOLDS): AlertMachineEvent {
  return { type: "config.accepted", request: { wallet: WALLET, thresholds } };
}

function evaluated(regime: LiquidityRegime | null = "normal"): AlertMachineEvent {
  return { type: "monitor.evaluated", monitored: monitoredAccount(regime) };
}
