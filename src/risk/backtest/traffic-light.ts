import { binomialCdf } from "../../math/binomial.ts";

/** The supervisor's zones: green is unremarkable, yellow asks for an explanation, red is a wrong model. */
export type BaselZone = "green" | "yellow" | "red";

export interface TrafficLight {
  /** P(X <= breaches) of a correct model. */
  readonly cumulativeProbability: number;
  readonly zone: BaselZone;
}

const YELLOW_FROM = 0.95;
const RED_FROM = 0.9999;

/**
 * Places a number of breaches in its zone: yellow from F = 0.95, red from 0.9999 (5 and 10 of 250 at 1 %).
 * None is green: of five periods at 1 % even F(0) is above 0.95, and there is nothing to explain.
 *
 * Holds:   one more breach never improves the zone
 * Source:  Basel Committee, Supervisory framework for the use of "backtesting" (1996)
 */
export function trafficLight(breaches: number, observations: number, tailProbability: number): TrafficLight {
  const cumulativeProbability = binomialCdf(breaches, observations, tailProbability);
  return { cumulativeProbability, zone: breaches === 0 ? "green" : zoneOf(cumulativeProbability) };
}

function zoneOf(cumulativeProbability: number): BaselZone {
  if (cumulativeProbability >= RED_FROM) return "red";
  return cumulativeProbability >= YELLOW_FROM ? "yellow" : "green";
}
