import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeRecord } from '@grantkit/core/store-kit'
import { aClient, aGrant } from '@grantkit/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDurableStore, type DurableStore, type RecordsNamespace } from '../../src/durable-objects.ts'
import { PATIENT } from './patient.ts'

const END = 1_900_000_000
const NOW = 1_800_000_000
const now = () => NOW

let store: DurableStore
beforeEach(() => {
  store = createDurableStore(env.RECORDS, { now, ...PATIENT })
})

describe('the number of objects', () => {
  it('is kept at the first call, and a store with another number rejects each call', async () => {
    await store.clients.find('any')
    const other = createDurableStore(env.RECORDS, { objects: 128, now, ...PATIENT })
    await expect(other.clients.find('any')).rejects.toThrow(
      'begun with 64 objects: set objects to 64, not 128',
    )
    await expect(other.clients.insert('any', aClient(), END)).rejects.toThrow('begun with 64 objects')
    expect(await store.clients.find('any')).toBeUndefined()
  })

  it('is checked again later if the first object fails, whose failure is not that of the others', async () => {
    await store.clients.insert('of another object', aClient(), END)
    const failing = createDurableStore(failingAt('objectsOfStore'), { now, ...PATIENT })
    expect(await failing.clients.find('of another object')).toBeDefined()
  })

  it.each([0, 4097, 1.5, Number.NaN])('is not %d', (objects) => {
    expect(() => createDurableStore(env.RECORDS, { objects })).toThrow('objects must be 1 to 4096')
  })
})

describe('the options of a place', () => {
  it('name a location for each object, and a jurisdiction for all of them', async () => {
    const places: unknown[] = []
    const binding: RecordsNamespace = {
      getByName(name, options) {
        places.push(options)
        return env.RECORDS.getByName(name)
      },
      jurisdiction(name) {
        places.push(name)
        return binding
      },
    }
    const options = { locationHint: 'weur', jurisdiction: 'eu', now } as const
    await createDurableStore(binding, options).clients.find('any')
    expect(places).toEqual(['eu', { locationHint: 'weur' }, { locationHint: 'weur' }])
  })
})

describe('the list of a subject', () => {
  it('is written before the grant, so a list misses no grant that exists', async () => {
    const failing = failingAt('run', 'insert')
    const grant = aGrant()
    await expect(
      createDurableStore(failing, { now, ...PATIENT }).grants.insert(grant.id, grant, END),
    ).rejects.toThrow()
    expect((await store.grants.list({ subject: grant.subject ?? '' }, { limit: 9 })).grants).toEqual([])
    expect(await store.grants.insert(grant.id, grant, END)).toBe(true)
    expect((await store.grants.list({ subject: grant.subject ?? '' }, { limit: 9 })).grants).toEqual([grant])
  })

  it('that fails opens no grant', async () => {
    const grant = aGrant()
    const failing = createDurableStore(failingAt('enlist'), { now, ...PATIENT })
    await expect(failing.grants.insert(grant.id, grant, END)).rejects.toThrow('broke')
    expect(await store.grants.find(grant.id)).toBeUndefined()
  })

  it('names a grant once, though a second approval with its id came later or of another user', async () => {
    const first = aGrant()
    const later = { ...first, createdAt: first.createdAt + 1 }
    const other = { ...first, subject: 'another user', clientId: 'another-client' }
    expect(await store.grants.insert(first.id, first, END)).toBe(true)
    for (const lost of [later, other]) expect(await store.grants.insert(first.id, lost, END)).toBe(false)
    const owner = { subject: first.subject ?? '' }
    expect((await store.grants.list(owner, { limit: 9 })).grants).toEqual([first])
    expect((await store.grants.list({ subject: 'another user' }, { limit: 9 })).grants).toEqual([])
    expect((await store.grants.list({ ...owner, clientId: 'another-client' }, { limit: 9 })).grants).toEqual(
      [],
    )
  })

  it('is read with no more calls than a request of the Free plan may make', async () => {
    const subject = 'of many grants'
    const grants = Array.from({ length: 60 }, () => aGrant({ subject }))
    await Promise.all(grants.map((grant) => store.grants.insert(grant.id, grant, END)))
    let calls = 0
    const counting: RecordsNamespace = {
      getByName: (name) => {
        calls++
        return env.RECORDS.getByName(name)
      },
      jurisdiction: () => counting,
    }
    const page = await createDurableStore(counting, { now, ...PATIENT }).grants.list(
      { subject },
      { limit: 200 },
    )
    expect(page.grants).toHaveLength(40)
    expect(calls).toBeLessThan(50)
  })
})

describe('a scan', () => {
  it('reads more than a page of an object', async () => {
    const ids = Array.from({ length: 600 }, (_, at) => `scanned-${at}`)
    await runInDurableObject(env.RECORDS.getByName('g/5'), (_, { storage }) => {
      for (const id of ids)
        storage.sql.exec(
          'INSERT INTO grantkit_client VALUES (?, ?, ?, ?)',
          id,
          'version',
          scannedText(id),
          END,
        )
    })
    const scanned: string[] = []
    for await (const { clientId } of store.clients.scan()) if (ids.includes(clientId)) scanned.push(clientId)
    expect(scanned.sort()).toEqual(ids.sort())
  })
})

function scannedText(clientId: string): string {
  return encodeRecord(aClient({ clientId }))
}

/** A binding whose method fails, of one statement or of all. */
function failingAt(method: 'run' | 'enlist' | 'objectsOfStore', verb?: string): RecordsNamespace {
  const binding: RecordsNamespace = {
    jurisdiction: () => binding,
    getByName: (name) =>
      new Proxy(env.RECORDS.getByName(name), {
        get: (stub, property) =>
          property !== method
            ? Reflect.get(stub, property)
            : (...parameters: never[]) => {
                if (verb === undefined || parameters.includes(verb as never))
                  throw new Error('The call broke')
                return (Reflect.get(stub, property) as (...all: never[]) => unknown)(...parameters)
              },
      }),
  }
  return binding
}
