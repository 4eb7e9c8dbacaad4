import type { Grant, GrantOwner, GrantRecords } from '@grantkit/core/feature'
import { cursorOf, decodeRecord, type Keys, type Place, placeOf } from '@grantkit/core/store-kit'
import type { Objects } from './objects.ts'
import { type StatementRunner, statementRecords } from './records.ts'

/** Each grant of a page may lie in another object, and a request of the Free plan may make 50 calls. */
const MAX_ENTRIES = 40

/** The grants, each in the object of its id, and their lists, each in the object of its subject. */
export function objectGrants(runner: StatementRunner, objects: Objects, keys: Keys): GrantRecords {
  const records = statementRecords<Grant>(runner, 'grant', keys)
  const { now } = runner

  /** Until the absolute end of the grant: no later change touches it. */
  async function enlist(id: string, grant: Grant, expiresAt: number): Promise<void> {
    const { subject, clientId, createdAt } = grant
    const list = keys.subject(subject)
    const until = Math.max(expiresAt, grant.expiresAt)
    const entry = [list, keys.subject(subject, clientId), createdAt, keys.record(id), until]
    await objects.call(list, (stub) => stub.enlist(...entry))
  }

  async function entriesOf({ subject, clientId }: GrantOwner, after: Place, limit: number): Promise<Place[]> {
    const by = clientId === undefined ? 'subject' : 'owner'
    const page = [keys.subject(subject, clientId), after.order, after.key, now(), limit]
    const { result } = await objects.call(keys.subject(subject), (stub) => stub.entries(by, page))
    return result.map(({ created_at, id }) => ({ order: Number(created_at), key: String(id) }))
  }

  /** The live grants among some keys, by key: one call for each object. */
  async function grantsOf(wanted: readonly string[]): Promise<Map<string, Grant>> {
    const groups = Map.groupBy(wanted, (key) => objects.positionOf(key))
    const found = await Promise.all(
      [...groups].map(([position, some]) => objects.callAt(position, (stub) => stub.findAll(some, now()))),
    )
    const rows = found.flatMap(({ result }) => result)
    return new Map(rows.map(({ id, value }) => [String(id), decodeRecord<Grant>(String(value))]))
  }

  return {
    ...records,
    async insert(id, grant, expiresAt) {
      // Before the record, so that a list misses no grant. A grant without a user is in no list.
      if (grant.subject !== undefined) await enlist(id, grant, expiresAt)
      return records.insert(id, grant, expiresAt)
    },
    async list(owner, { limit, after }) {
      const most = Math.min(limit, MAX_ENTRIES)
      const entries = await entriesOf(owner, placeOf(after), most)
      const grants = await grantsOf(entries.map(({ key }) => key))
      const live = entries.flatMap((entry) => {
        const grant = grants.get(entry.key)
        return grant !== undefined && isNamedBy(entry, owner, grant) ? [grant] : []
      })
      const last = entries.length === most ? entries.at(-1) : undefined
      return { grants: live, next: last && cursorOf(last) }
    },
  }
}

/** An insert that lost leaves an entry, perhaps of another user. */
function isNamedBy({ order }: Place, { subject, clientId }: GrantOwner, grant: Grant): boolean {
  const isOwned = grant.subject === subject && (clientId === undefined || grant.clientId === clientId)
  return isOwned && grant.createdAt === order
}
