/** What the programs share. */

export const [url = "", appKey = "", ...more] = process.argv.slice(2);

export function equal(found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) {
    throw new Error(`${left} is not ${right}`);
  }
}

export async function failing<Kind extends Error>(kind: new (...args: never[]) => Kind, work: Promise<unknown>): Promise<Kind> {
  try {
    await work;
  } catch (error) {
    if (error instanceof kind) {
      return error;
    }
    throw error;
  }
  throw new Error(`no ${kind.name}`);
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
  }
  return found;
}
