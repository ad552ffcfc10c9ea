import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";

/** So many hours that trade from 98 to 102 around 100, up to and with the one that begins then. */
export function calmBars(hours: number, lastOpenMs: number): readonly Bar[] {
  return Array.from({ length: hours }, (_, i) => ({
    openTimeMs: lastOpenMs + (i + 1 - hours) * HOUR_MS,
    ...{ open: 100, high: 102, low: 98, close: 100, volumeBase: 1 },
  }));
}
