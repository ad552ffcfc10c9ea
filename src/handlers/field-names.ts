import type { RequestError } from "../domain/errors.ts";

/**
 * The first key of a body that is nearly the name of a known field which the body does not have. Extra fields are
 * ignored, but a silently dropped "leverge" would be a wrong answer. Nearly: equal without case, dashes and
 * underscores, or one insertion, deletion, substitution or swap of neighbours away.
 */
export function misspeltFieldOf(body: unknown, known: readonly string[]): RequestError | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  for (const key in body) {
    if (known.includes(key)) continue;
    for (const field of known) {
      if (!(field in body) && isNearMiss(key, field)) {
        return { code: "misspelt_field", field: key, meant: field };
      }
    }
  }
  return undefined;
}

// A key longer than any field by more than this cannot be one edit away; nothing is spelt out for it.
const SLACK = 8;

function isNearMiss(key: string, field: string): boolean {
  if (key.length > field.length + SLACK) return false;
  const plainKey = plain(key);
  const plainField = plain(field);
  return plainKey === plainField || isOneEditAway(plainKey, plainField);
}

function plain(name: string): string {
  return name.replace(/[-_ ]/g, "").toLowerCase();
}

function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const restA = a.slice(start);
  const restB = b.slice(start);
  if (a.length === b.length) {
    const isSwap = restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0];
    return restA.slice(1) === restB.slice(1) || (isSwap && restA.slice(2) === restB.slice(2));
  }
  return a.length > b.length ? restA.slice(1) === restB : restA === restB.slice(1);
}
