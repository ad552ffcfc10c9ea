import type { TailArena } from "./tail-arena.ts";

/** More positions are given room when they come. */
const POSITIONS_FIRST = 64;

/** Where the kernel reads positions: by position, where its returns begin, and what it holds. */
export interface PositionRoom {
  columnAddresses: Uint32Array;
  notionalsUsd: Float64Array;
}

export function createPositionRoom(arena: TailArena): PositionRoom {
  return { columnAddresses: arena.integers(POSITIONS_FIRST), notionalsUsd: arena.doubles(POSITIONS_FIRST) };
}

/** Makes room for so many, where there is not enough; what stood there is lost. */
export function makeRoom(positions: number, room: PositionRoom, arena: TailArena): void {
  if (positions <= room.notionalsUsd.length) return;
  arena.release(room.columnAddresses);
  arena.release(room.notionalsUsd);
  room.columnAddresses = arena.integers(2 * positions);
  room.notionalsUsd = arena.doubles(2 * positions);
}
