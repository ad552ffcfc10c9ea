import type { Logger } from "pino";
import type { Outage } from "../exchange/hyperliquid/outage-watch.ts";

/** Log lines of outages of wallets. The end is no warning: an alarm on warnings would ring when all is well again. */
export function outagesLogged(logger: Pick<Logger, "info" | "warn">): (outage: Outage) => void {
  return ({ type, ...facts }) => {
    const event = `wallets.${type}`;
    if (type === "outage.began") logger.warn({ event, ...facts }, "wallets cannot be read");
    else logger.info({ event, ...facts }, "wallets can be read again");
  };
}
