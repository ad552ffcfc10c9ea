import { parseArgs, type ParseArgsConfig } from "node:util";
import { causeText } from "../domain/cause-text.ts";
import { ASSETS_MAX, SEED_MAX } from "./simulated-universe.ts";
import { SPEED_MAX, SPEED_MIN } from "./simulator-clock.ts";
import { startSimulator } from "./simulator.ts";

const USAGE = `usage: npm run simulator -- [--port 4010] [--host 127.0.0.1] [--seed 7] [--speed 1] [--assets N] [--weight-per-minute 1200] [--no-control]
Speaks the exchange's public protocol: POST /info, WebSocket /ws; /control/* lists wallets and starts scenarios.`;

const OPTIONS = {
  port: { type: "string", default: "4010" },
  host: { type: "string", default: "127.0.0.1" },
  seed: { type: "string", default: "7" },
  speed: { type: "string", default: "1" },
  assets: { type: "string" },
  "weight-per-minute": { type: "string", default: "1200" },
  "no-control": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

/** What a person at the terminal can put right, in a line. */
function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

function readArguments(): ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"] {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (cause) {
    return refuse(`${causeText(cause)}\n${USAGE}`);
  }
}

function readNumber(text: string, name: string, min: number, max: number): number {
  const value = text === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  return refuse(`--${name} must be a number from ${min} to ${max}, got "${text}"`);
}

function readInteger(text: string, name: string, min: number, max: number): number {
  const value = readNumber(text, name, min, max);
  return Number.isInteger(value) ? value : refuse(`--${name} must be a whole number, got "${text}"`);
}

const values = readArguments();

if (values.help) {
  console.log(USAGE);
} else {
  const simulator = await startSimulator({
    port: readInteger(values.port, "port", 0, 65_535),
    host: values.host,
    seed: readInteger(values.seed, "seed", 0, SEED_MAX),
    speedFactor: readNumber(values.speed, "speed", SPEED_MIN, SPEED_MAX),
    control: !values["no-control"],
    limits: { weightPerMinute: readInteger(values["weight-per-minute"], "weight-per-minute", 1, 1e9) },
    ...(values.assets !== undefined && { assetCount: readInteger(values.assets, "assets", 1, ASSETS_MAX) }),
  }).catch((cause: unknown) => refuse(`--host and --port cannot be used: ${causeText(cause)}`));
  const { infoUrl, wsUrl, controlUrl } = simulator;
  console.log(JSON.stringify({ infoUrl, wsUrl, controlUrl }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void simulator.stop());
}
