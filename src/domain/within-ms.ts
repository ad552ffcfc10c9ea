/** What comes of a promise, or after so long what stands for it; the promise goes on. */
export async function withinMs<T>(promise: Promise<T>, waitMsMax: number, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), waitMsMax);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
