import type { Store } from '@grantkit/core'
import { aGrant } from '../../packages/testkit/src/sample-records.ts'

/** What is measured side by side. Each call carries out as many operations as it is told, all at once. */
export interface Contender {
  readonly name: string
  /** Finds grants, as a bearer check does. */
  find(atOnce: number): Promise<unknown>
  /** Finds and replaces grants, as a code exchange and a refresh do. */
  change(atOnce: number): Promise<unknown>
  close(): Promise<unknown>
}

const END = Math.floor(Date.now() / 1000) + 86_400

/** @param ids of grants, which this writes first */
export async function storeContender(
  name: string,
  { grants }: Store,
  ids: readonly string[],
  close: () => Promise<unknown> = async () => {},
): Promise<Contender> {
  const scopes = ['openid', 'profile', 'courses:read', 'courses:write', 'students:read']
  for (let from = 0; from < ids.length; from += 500)
    await Promise.all(ids.slice(from, from + 500).map((id) => grants.insert(id, aGrant({ id, scopes }), END)))
  return {
    name,
    find: (atOnce) => times(atOnce, () => grants.find(anyOf(ids))),
    change: (atOnce) =>
      times(atOnce, async () => {
        const id = anyOf(ids)
        const seen = await grants.find(id)
        if (seen === undefined) throw new Error(`${id} is gone`)
        await grants.replace(id, seen, seen.value, END)
      }),
    close,
  }
}

export function anyOf(ids: readonly string[]): string {
  return ids[Math.floor(Math.random() * ids.length)] as string
}

export function times(atOnce: number, operation: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: atOnce }, operation))
}
