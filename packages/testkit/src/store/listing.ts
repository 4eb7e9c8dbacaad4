import { randomUUID } from 'node:crypto'
import type { Grant, GrantOwner } from '@grantkit/core/feature'
import { describe, expect, it } from 'vitest'
import { aGrant } from '../sample-records.ts'
import { farFuture, read, type Subject } from './subject.ts'

/** The time until a listing must show a write, in milliseconds. */
export const LIST_LAG = 2000
/** Enough rounds to meet a listing between two steps of an insert. */
const ROUNDS = 30

/** A list may name a new grant late, but must leave out a removed one at once. */
export function listingPromises(subject: Subject): void {
  describe('list', () => {
    async function opened(
      owner: string | undefined,
      expiresAt = farFuture(subject.clock),
      own = {},
    ): Promise<Grant> {
      const grant = aGrant({ subject: owner, ...own })
      await subject.store.grants.insert(grant.id, grant, expiresAt)
      return grant
    }

    /** All pages, one after the other. */
    async function pagesOf(owner: GrantOwner, limit = 200): Promise<(readonly Grant[])[]> {
      const pages: (readonly Grant[])[] = []
      let after: string | undefined
      do {
        const { grants, next } = await subject.store.grants.list(owner, { limit, after })
        pages.push(grants)
        after = next
        // A last page that leads on fails the tests, and does not hang them.
      } while (after !== undefined && pages.length < 1000)
      return pages
    }

    const listed = async (owner: string) => byId((await pagesOf({ subject: owner })).flat())

    /** Grants that begin one second after the other. */
    async function openedInTurn(owner: string, count: number, own = {}): Promise<Grant[]> {
      const grants: Grant[] = []
      for (let second = 0; second < count; second++) {
        const { createdAt, expiresAt } = aGrant()
        const times = { createdAt: createdAt + second, expiresAt: expiresAt + second }
        grants.push(await opened(owner, undefined, { ...times, ...own }))
      }
      return grants
    }

    async function expectListed(owner: string, grants: Grant[]): Promise<void> {
      await expect.poll(() => listed(owner), { timeout: LIST_LAG }).toStrictEqual(byId(grants))
    }

    it('has all grants of the subject and no others', async () => {
      const [alice, bob] = [`alice-${randomUUID()}`, `bob-${randomUUID()}`]
      const grants = [await opened(alice), await opened(alice), await opened(alice)]
      const other = await opened(bob)
      await expectListed(alice, grants)
      await expectListed(bob, [other])
    })

    it('names nothing for a subject without grants, not even a grant without a subject', async () => {
      await opened(undefined)
      for (const owner of ['', '__proto__', 'constructor', '*', `unknown-${randomUUID()}`]) {
        expect(await listed(owner), owner).toStrictEqual([])
      }
    })

    it('distinguishes similar subjects', async () => {
      const owner = `A:{${randomUUID()}}`
      const grant = await opened(owner)
      await expectListed(owner, [grant])
      for (const other of [owner.toLowerCase(), `${owner} `, owner.slice(0, -1), `${owner}*`]) {
        expect(await listed(other), other).toStrictEqual([])
      }
    })

    it.each(['__proto__', 'constructor', 'größ 😀\r\n'])(
      'knows the subject %j by its name',
      async (owner) => {
        const grant = await opened(owner)
        await expectListed(owner, [grant])
        await subject.store.grants.remove(grant.id)
        expect(await listed(owner)).toStrictEqual([])
      },
    )

    it('has pages of at most so many grants, the newest first', async () => {
      const owner = `alice-${randomUUID()}`
      const grants = await openedInTurn(owner, 7)
      await expectListed(owner, grants)
      const pages = await pagesOf({ subject: owner }, 3)
      expect(pages.map(({ length }) => length)).toEqual([3, 3, 1])
      expect(pages.flat().map(({ id }) => id)).toEqual(grants.map(({ id }) => id).reverse())
    })

    it('names each grant once that began in the same second as others', async () => {
      const owner = `alice-${randomUUID()}`
      const grants = await Promise.all(Array.from({ length: 25 }, () => opened(owner)))
      await expectListed(owner, grants)
      const pages = await pagesOf({ subject: owner }, 10)
      expect(byId(pages.flat())).toStrictEqual(byId(grants))
    })

    it('goes on where it was, though the last grant of the page was removed and a new one was added', async () => {
      const owner = `alice-${randomUUID()}`
      const grants = await openedInTurn(owner, 4)
      await expectListed(owner, grants)
      const first = await subject.store.grants.list({ subject: owner }, { limit: 2 })
      await subject.store.grants.remove(grants[2]?.id ?? '')
      await openedInTurn(owner, 1, { createdAt: grants[3]?.createdAt, expiresAt: grants[3]?.expiresAt })
      const rest = await subject.store.grants.list({ subject: owner }, { limit: 5, after: first.next })
      expect(rest.grants).toEqual([grants[1], grants[0]])
    })

    it('has the grants of a subject and a client, and no others', async () => {
      const [alice, bob] = [`alice-${randomUUID()}`, `bob-${randomUUID()}`]
      const grants = await openedInTurn(alice, 5, { clientId: 'app' })
      await openedInTurn(alice, 5, { clientId: 'other app' })
      await openedInTurn(bob, 2, { clientId: 'app' })
      const owner = { subject: alice, clientId: 'app' }
      await expect
        .poll(async () => (await pagesOf(owner, 2)).flat(), { timeout: LIST_LAG })
        .toStrictEqual(grants.toReversed())
      await subject.store.grants.remove(grants[0]?.id ?? '')
      expect((await pagesOf(owner, 2)).flat()).toStrictEqual(grants.slice(1).toReversed())
    })

    it.each(['', 'x', '-1.x', '1e99.x', `${'9'.repeat(40)}.x`, '.', '5', '5.\0'])(
      'begins at the start after %j, which no store has made',
      async (after) => {
        const owner = `alice-${randomUUID()}`
        const grant = await opened(owner)
        await expectListed(owner, [grant])
        expect((await subject.store.grants.list({ subject: owner }, { limit: 9, after })).grants).toEqual([
          grant,
        ])
      },
    )

    it('shows a grant as it was last replaced', async () => {
      const owner = `alice-${randomUUID()}`
      const { grants } = subject.store
      const grant = await opened(owner)
      const used = { ...grant, usedAt: grant.usedAt + 60 }
      await grants.replace(grant.id, await read(grants, grant.id), used, farFuture(subject.clock))
      await expectListed(owner, [used])
    })

    it('does not name a grant that was removed', async () => {
      const owner = `alice-${randomUUID()}`
      const [first, second, third] = [await opened(owner), await opened(owner), await opened(owner)]
      await expectListed(owner, [first, second, third])
      await subject.store.grants.remove(second.id)
      expect(await listed(owner)).toStrictEqual(byId([first, third]))
      await subject.store.grants.remove(first.id)
      await subject.store.grants.remove(third.id)
      expect(await listed(owner)).toStrictEqual([])
    })

    it('does not name a grant that expired, even when another one lives', async ({ signal }) => {
      const owner = `alice-${randomUUID()}`
      const expiresAt = subject.clock.now() + 2
      const [brief, lasting] = [await opened(owner, expiresAt), await opened(owner)]
      await subject.clock.reach(expiresAt, signal)
      expect((await listed(owner)).map(({ id }) => id)).not.toContain(brief.id)
      await expectListed(owner, [lasting])
    })

    it('names a prolonged grant after its first expiry time', async ({ signal }) => {
      const owner = `alice-${randomUUID()}`
      const { grants } = subject.store
      const expiresAt = subject.clock.now() + 2
      const grant = await opened(owner, expiresAt)
      await grants.replace(grant.id, await read(grants, grant.id), grant, farFuture(subject.clock))
      await subject.clock.reach(expiresAt, signal)
      await expectListed(owner, [grant])
    })

    it('names each grant that was opened while others listed', async () => {
      const owner = `alice-${randomUUID()}`
      const grants: Grant[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const [grant] = await Promise.all([opened(owner), listed(owner), listed(owner), listed(owner)])
        grants.push(grant)
      }
      await expectListed(owner, grants)
    })

    it('names all of a thousand grants, but for the removed ones', async () => {
      const owner = `alice-${randomUUID()}`
      const grants = await Promise.all(Array.from({ length: 1000 }, () => opened(owner)))
      const [gone, live] = [grants.slice(0, 300), grants.slice(300)]
      await Promise.all(gone.map(({ id }) => subject.store.grants.remove(id)))
      await expectListed(owner, live)
    })

    it('names each of many grants that were opened at once', async () => {
      const owner = `alice-${randomUUID()}`
      await expectListed(owner, await Promise.all(Array.from({ length: 50 }, () => opened(owner))))
    })
  })
}

function byId(grants: readonly Grant[]): Grant[] {
  return grants.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}
