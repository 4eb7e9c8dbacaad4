import { randomUUID } from 'node:crypto'
import type { Store } from '@grantkit/core'
import type { GrantOwner, Records } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import { aGrant } from '../sample-records.ts'
import { LIST_LAG } from './listing.ts'
import { CLIENTS, GRANTS, type ListedKind, type RecordKind, TRANSIENTS } from './record-kind.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** Names that a key made by joining, folding or cutting texts would mix up. */
const SIMILAR = [
  'a',
  'A',
  'a=',
  'a ',
  'aa',
  '~',
  '~a',
  '=',
  '*',
  '%',
  '\0',
  '\ud800',
  '\udfff',
  '\ufffd',
  'x'.repeat(256),
]

/** None sees the records of another, however similar their names: nor does the store itself, which has those of no namespace. */
export function namespacePromises(subject: Subject, { transients }: { readonly transients: boolean }): void {
  const within = (namespace: string): Store => {
    const store = subject.store.within?.(namespace)
    if (store === undefined) throw new Error('The store has no within')
    return store
  }
  /** Two namespaces of this run, and the store itself. */
  const stores = (): Store[] => {
    const run = randomUUID()
    return [subject.store, within(run), within(`${run}=`)]
  }

  describe('a namespace', () => {
    it('has 1 to 256 characters, and nothing else is one', () => {
      for (const namespace of ['', 'x'.repeat(257)]) expect(() => within(namespace)).toThrow(RangeError)
    })

    it('has the same records each time', async () => {
      const namespace = randomUUID()
      const client = CLIENTS.marked('once')
      await within(namespace).clients.insert(client.clientId, client, farFuture(subject.clock))
      expect((await read(within(namespace).clients, client.clientId)).value).toStrictEqual(client)
      expect(await within(namespace).clients.remove(client.clientId)).toBe(true)
    })

    it('is distinct from every similar one, and from none', async () => {
      const client = CLIENTS.marked('the same id')
      const run = randomUUID()
      const all = [subject.store, ...SIMILAR.map(within), ...['', '~', '='].map((end) => within(run + end))]
      const insert = async ({ clients }: Store, at: number) =>
        clients.insert(client.clientId, { ...client, clientName: `${at}` }, farFuture(subject.clock))
      for (const [at, store] of all.entries()) expect(await insert(store, at), `${at}`).toBe(true)
      for (const [at, { clients }] of all.entries())
        expect((await read(clients, client.clientId)).value.clientName).toBe(`${at}`)
      for (const { clients } of all) expect(await clients.remove(client.clientId)).toBe(true)
    })
  })

  describe('records of one id in several namespaces', () => {
    describe('clients', () => listedKindApart({ subject, stores, kind: CLIENTS }))
    describe('grants', () => {
      listedKindApart({ subject, stores, kind: GRANTS })
      listsApart(subject, stores)
    })
    if (transients) describe('transients', () => recordsApart({ subject, stores, kind: TRANSIENTS }))
  })
}

interface Apart<Kind> {
  readonly subject: Subject
  readonly stores: () => readonly Store[]
  readonly kind: Kind
}

function listedKindApart<T>(apart: Apart<ListedKind<T>>): void {
  recordsApart(apart)
  scansApart(apart)
}

function recordsApart<T>({ subject, stores, kind }: Apart<RecordKind<T>>): void {
  /** A record of one id in each namespace, until then. */
  async function inserted(expiresAt = farFuture(subject.clock)) {
    const id = kind.id(kind.marked('any'))
    const records = stores().map(kind.records)
    const values = records.map((_, at) => ({ ...kind.marked(`${at}`), ...kind.identified(id) }))
    for (const [at, one] of records.entries())
      expect(await one.insert(id, values[at] as T, expiresAt)).toBe(true)
    const found = async () => Promise.all(records.map(async (one) => (await one.find(id))?.value))
    expect(await found()).toStrictEqual(values)
    return { id, records, values, found }
  }

  it('are replaced one by one, and the version of one replaces no other', async () => {
    const { id, records, values, found } = await inserted()
    const next = { ...kind.marked('next'), ...kind.identified(id) }
    for (const [at, one] of records.entries()) {
      const seen = await read(one, id)
      for (const other of records)
        if (other !== one) expect(await other.replace(id, seen, next, farFuture(subject.clock))).toBe(false)
      expect(await one.replace(id, seen, next, farFuture(subject.clock))).toBe(true)
      values[at] = next
      expect(await found()).toStrictEqual(values)
    }
  })

  it('are removed one by one', async () => {
    const { id, records, values, found } = await inserted()
    const left: (T | undefined)[] = [...values]
    for (const [at, one] of records.entries()) {
      expect(await one.remove(id)).toBe(true)
      expect(await one.remove(id)).toBe(false)
      left[at] = undefined
      expect(await found()).toStrictEqual(left)
    }
  })

  it('expire one by one', async ({ signal }) => {
    const expiresAt = subject.clock.now() + (subject.realTime ? 5 : 2)
    const { id, records, found } = await inserted(expiresAt)
    const last = records.at(-1)
    if (last === undefined) return
    const seen = await read(last, id)
    expect(await last.replace(id, seen, seen.value, farFuture(subject.clock))).toBe(true)
    await subject.clock.reach(expiresAt, signal)
    expect(await found()).toStrictEqual(records.map((one) => (one === last ? seen.value : undefined)))
  })
}

/** More than a page of a scan has. */
const MANY = 600

function scansApart<T>({ subject, stores, kind }: Apart<ListedKind<T>>): void {
  it('are scanned one by one, however many there are', async () => {
    const records = stores().map(kind.records)
    const ids: string[][] = []
    for (const [at, one] of records.entries()) {
      const values = Array.from({ length: at === 1 ? MANY : 20 }, () => kind.marked('scanned'))
      for (let start = 0; start < values.length; start += 20)
        await Promise.all(
          values
            .slice(start, start + 20)
            .map((value) => one.insert(kind.id(value), value, farFuture(subject.clock))),
        )
      ids.push(values.map(kind.id))
    }
    const [none = new Set(), ...others] = await Promise.all(records.map((one) => scannedIds(one, kind)))
    // The store itself may have records of other tests.
    expect(ids[0]?.filter((id) => !none.has(id))).toEqual([])
    expect(
      ids
        .slice(1)
        .flat()
        .filter((id) => none.has(id)),
    ).toEqual([])
    expect(others.map((found) => [...found].toSorted())).toEqual(ids.slice(1).map((some) => some.toSorted()))
  })
}

async function scannedIds<T>(records: Records<T>, { id }: ListedKind<T>): Promise<Set<string>> {
  const found = new Set<string>()
  for await (const value of records.scan()) found.add(id(value))
  return found
}

function listsApart(subject: Subject, stores: () => readonly Store[]): void {
  it('are listed one by one, page after page', async () => {
    const owner = { subject: `alice-${randomUUID()}`, clientId: 'app' }
    const all = stores()
    const opened = await Promise.all(all.map((store, at) => openedIn(store, owner, 3 + at)))
    for (const [at, store] of all.entries())
      for (const asked of [{ subject: owner.subject }, owner])
        await expect.poll(() => listed(store, asked), { timeout: LIST_LAG }).toEqual(opened[at])
    await all[1]?.grants.remove(opened[1]?.[0] ?? '')
    for (const [at, store] of all.entries())
      expect(await listed(store, owner)).toEqual(opened[at]?.slice(at === 1 ? 1 : 0))
  })

  /** Their ids, the newest first. */
  async function openedIn({ grants }: Store, owner: Required<GrantOwner>, count: number): Promise<string[]> {
    const ids: string[] = []
    for (let second = 0; second < count; second++) {
      const { createdAt, expiresAt } = aGrant()
      // The ids are the same in each namespace.
      const id = `${owner.subject}-${second}`
      const grant = aGrant({
        id,
        ...owner,
        clientId: 'app',
        createdAt: createdAt + second,
        expiresAt: expiresAt + second,
      })
      await grants.insert(id, grant, farFuture(subject.clock))
      ids.unshift(id)
    }
    return ids
  }

  async function listed({ grants }: Store, owner: GrantOwner): Promise<string[]> {
    const ids: string[] = []
    let after: string | undefined
    do {
      const page = await grants.list(owner, { limit: 2, after })
      ids.push(...page.grants.map(({ id }) => id))
      after = page.next
      // A last page that leads on fails the test, and does not hang it.
    } while (after !== undefined && ids.length < 100)
    return ids
  }
}
