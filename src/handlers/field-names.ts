import type { RequestError } from "../domain/errors.ts";

/**
 * Makes a check for the first key of a body that is nearly the name of a known field which the body does not have. Extra
 * fields are ignored, but a silently dropped "leverge" would be a wrong answer. Nearly, without case, dashes and
 * underscores:
 *
 *   equal, or with two neighbours swapped, or with a letter doubled or a double one single: any name
 *   with one letter left out, put in or exchanged, or two swapped: names of five letters and more; in these a plural s
 *   more or less does not count
 *   another name that exchanges and libraries have for it
 *
 * One letter away from a short name are words of their own (mode: model, code, node; size: side), which clients send
 * and mean; two letters away from long ones, too (leverage: coverage).
 */
export function spellingCheckOf(names: readonly string[]): (body: unknown) => RequestError | undefined {
  const known = names.map((name) => ({ name, plainName: plain(name) }));
  const keyLengthMax = Math.max(...names.map((name) => name.length)) + SLACK;
  return (body) => {
    if (typeof body !== "object" || body === null) return undefined;
    for (const key in body) {
      if (key.length > keyLengthMax || names.includes(key)) continue;
      const plainKey = plain(key);
      const otherName = OTHER_NAMES.get(plainKey);
      for (const { name, plainName } of known) {
        if (isAbsent(body, name) && (name === otherName || isNearMiss(plainKey, plainName))) {
          return { code: "misspelt_field", field: key, meant: name };
        }
      }
    }
    return undefined;
  };
}

/** Null stands for absent in a request. */
function isAbsent(body: object, field: string): boolean {
  return ((body as Readonly<Record<string, unknown>>)[field] ?? null) === null;
}

/** Dashes and more that a key may have; one longer than any name by more is not read. */
const SLACK = 8;
/** Letters that a plural and a slip make a key longer or shorter by. */
const LENGTHS_APART_MAX = 2;
/** Letters of the longest name whose one-letter neighbours are left alone. */
const SHORT_NAME_MAX = 4;

/** What margin mode and leverage are called elsewhere, as `plain` leaves it. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["marginmode", "mode"],
  ["margintype", "mode"],
  ["tdmode", "mode"],
  ["iscross", "mode"],
  ["isisolated", "mode"],
  ["lev", "leverage"],
]);

/** Both names as `plain` leaves them. */
function isNearMiss(key: string, field: string): boolean {
  if (Math.abs(key.length - field.length) > LENGTHS_APART_MAX) return false;
  if (key === field || isSlipOfFinger(key, field)) return true;
  if (field.length <= SHORT_NAME_MAX) return false;
  return isOneLetterAway(singular(key), singular(field)) || isTwoSwapped(key, field);
}

function singular(name: string): string {
  return name.endsWith("s") ? name.slice(0, -1) : name;
}

function plain(name: string): string {
  return name.replace(/[-_ ]/g, "").toLowerCase();
}

/** Two neighbours swapped, or one more or one less of a letter that stands there anyway. */
function isSlipOfFinger(a: string, b: string): boolean {
  const at = firstDifferenceOf(a, b);
  if (a.length === b.length) {
    return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  }
  const longer = a.length > b.length ? a : b;
  return longer[at] === longer[at - 1] && isOneLetterAway(a, b);
}

/** Two letters, neighbours or not, in each other's place. */
function isTwoSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = firstDifferenceOf(a, b);
  const next = at + 1 + firstDifferenceOf(a.slice(at + 1), b.slice(at + 1));
  return a[at] === b[next] && a[next] === b[at] && a.slice(next + 1) === b.slice(next + 1);
}

function isOneLetterAway(a: string, b: string): boolean {
  const at = firstDifferenceOf(a, b);
  if (a.length === b.length) return a.slice(at + 1) === b.slice(at + 1);
  return a.length > b.length ? a.slice(at + 1) === b.slice(at) : a.slice(at) === b.slice(at + 1);
}

function firstDifferenceOf(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
