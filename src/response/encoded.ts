/**
 * A body of which some properties hold what they are encoded from, instead of what is published: they are encoded where
 * they are written. A property that may be absent is undefined then.
 */
export type Encoded<Body, Later extends Partial<Record<keyof Body, unknown>>> = Omit<Body, keyof Later> &
  Later;

/** What an array is encoded from where no object stands for an item: its encoder takes the columns and an index. */
export interface Columns<Facts> {
  readonly columns: Facts;
  readonly length: number;
}

/** What an encoder must give of its body by itself: values; the type of an object is checked where it is written. */
export type Own<Body> = { readonly [Name in keyof Body]: OwnValue<Body[Name]> };

type OwnValue<Value> = Value extends readonly (infer Item extends string | number)[]
  ? readonly Item[]
  : Value extends object
    ? unknown
    : Value;
