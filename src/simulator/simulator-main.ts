import { parseArgs } from "node:util";
import { ASSETS_MAX } from "./simulated-universe.ts";
import { SPEED_MAX } from "./simulator-clock.ts";
import { startSimulator } from "./simulator.ts";

const USAGE = `Usage: simulator-main [--port 4010] [--host 127.0.0.1] [--seed 7] [--speed 1] [--assets N] [--weight-per-minute 1200] [--no-control]
Speaks the exchange's public protocol: POST /info, WebSocket /ws; /control/* lists wallets and starts scenarios.`;

function readNumber(text: string, name: string, min: number, max: number): number {
  const value = text === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  console.error(`--${name} must be a number from ${min} to ${max}, got "${text}"`);
  process.exit(2);
}

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4010" },
    host: { type: "string", default: "127.0.0.1" },
    seed: { type: "string", default: "7" },
    speed: { type: "string", default: "1" },
    assets: { type: "string" },
    "weight-per-minute": { type: "string", default: "1200" },
    "no-control": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(USAGE);
} else {
  const simulator = await startSimulator({
    port: readNumber(values.port, "port", 0, 65_535),
    host: values.host,
    seed: readNumber(values.seed, "seed", 0, 2 ** 31 - 1),
    speedFactor: readNumber(values.speed, "speed", 0.01, SPEED_MAX),
    control: !values["no-control"],
    limits: { weightPerMinute: readNumber(values["weight-per-minute"], "weight-per-minute", 1, 1e9) },
    ...(values.assets !== undefined && { assetCount: readNumber(values.assets, "assets", 1, ASSETS_MAX) }),
  });
  const { infoUrl, wsUrl, controlUrl } = simulator;
  console.log(JSON.stringify({ infoUrl, wsUrl, controlUrl }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void simulator.stop());
}
