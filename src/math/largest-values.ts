const INSERTION_MAX = 12;

/**
 * Moves the `count` largest of the first `length` values to the front, in any order, and returns the smallest of them.
 * Source:  Hoare, Algorithm 65: find, Communications of the ACM 4 (1961)
 */
export function partitionLargest(values: Float64Array, length: number, count: number): number {
  const wanted = count - 1;
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const pivot = medianOf(values[low]!, values[(low + high) >>> 1]!, values[high]!);
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! > pivot) i++;
      while (values[j]! < pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return values[wanted]!;
}

/** The same with the front in descending order. */
export function sortLargest(values: Float64Array, length: number, count: number): void {
  if (count < length) partitionLargest(values, length, count);
  sortDescending(values, 0, Math.min(count, length) - 1);
}

function sortDescending(values: Float64Array, from: number, to: number): void {
  let low = from;
  let high = to;
  while (high - low > INSERTION_MAX) {
    const pivot = medianOf(values[low]!, values[(low + high) >>> 1]!, values[high]!);
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! > pivot) i++;
      while (values[j]! < pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (j - low < high - i) {
      sortDescending(values, low, j);
      low = i;
    } else {
      sortDescending(values, i, high);
      high = j;
    }
  }
  for (let i = low + 1; i <= high; i++) {
    const value = values[i]!;
    let slot = i;
    while (slot > low && value > values[slot - 1]!) {
      values[slot] = values[slot - 1]!;
      slot--;
    }
    values[slot] = value;
  }
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
