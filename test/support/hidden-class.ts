import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";

setFlagsFromString("--allow-natives-syntax");

/** Whether V8 reads the fields of both objects by the same code: its shapes, which it calls maps, are one. */
export const haveOneHiddenClass = runInThisContext("(a, b) => %HaveSameMap(a, b)") as (
  a: unknown,
  b: unknown,
) => boolean;
