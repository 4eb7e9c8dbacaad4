import { DAY_SECONDS } from '../../config/time-units.ts'
import { added, type Database } from '../../database/database.ts'

/**
 * Finds users of Microsoft again after a new app registration, for which each has another `sub`. `tid` and `oid` together name a
 * user to all registrations. They count only for a while after the operator has said so: else the `sub` alone is the key.
 */

const DAYS = 30

/** What a remap would do with the links of one provider. */
export interface RemapPlan {
  /** Users whom a sign-in with another `sub` would find. */
  readonly people: number
  /** Links whose `tid` and `oid` are not known: their users have not signed in since they are kept. */
  readonly unknown: number
  /** The accounts of each user who has several. A sign-in finds none of them. */
  readonly doubles: readonly (readonly string[])[]
}

/** @param provider its id */
export async function remapPlan(database: Database, provider: string): Promise<RemapPlan> {
  const links = await database
    .selectFrom('identity')
    .select(['account', 'tenant', 'oid'])
    .where('provider', '=', provider)
    .orderBy('added_at')
    .execute()
  const known = links.filter(({ oid }) => oid !== null)
  const people = Map.groupBy(known, ({ tenant, oid }) => `${tenant} ${oid}`)
  const accounts = [...people.values()].map((links) => [...new Set(links.map(({ account }) => account))])
  const doubles = accounts.filter(({ length }) => length > 1)
  return {
    people: people.size - doubles.length,
    unknown: links.length - known.length,
    doubles,
  }
}

/** Lets the next sign-in of each user with another `sub` move the link, for 30 days. @returns the end, in epoch milliseconds */
export async function openRemap(database: Database, provider: string): Promise<number> {
  const end = Date.now() + DAYS * DAY_SECONDS * 1000
  await database
    .updateTable('identity')
    .set({ remap_until: new Date(end).toISOString() })
    .where('provider', '=', provider)
    .where('oid', 'is not', null)
    .execute()
  return end
}

interface ComingUser {
  readonly issuer: string
  readonly subject: string
  /** The id of the provider. */
  readonly provider?: string | undefined
  readonly tenant?: string | undefined
  readonly oid?: string | undefined
}

/**
 * Moves the link of the same provider, `tid` and `oid` to this `sub`. Nothing moves if two accounts have such links.
 *
 * @returns the id of the account that has the link now
 */
export async function moveRemapped(
  database: Database,
  { issuer, subject, provider, tenant, oid }: ComingUser,
): Promise<string | undefined> {
  if (provider === undefined || tenant === undefined || oid === undefined) return undefined
  let account: string | undefined
  await added(database, async (rows) => {
    const [link, ...others] = await rows
      .selectFrom('identity')
      .select(['subject', 'account'])
      .where('issuer', '=', issuer)
      .where('provider', '=', provider)
      .where('tenant', '=', tenant)
      .where('oid', '=', oid)
      .where('remap_until', '>', new Date().toISOString())
      .execute()
    if (link === undefined || others.some((other) => other.account !== link.account)) return false
    const { numUpdatedRows } = await rows
      .updateTable('identity')
      .set({ subject, remap_until: null })
      .where('issuer', '=', issuer)
      .where('subject', '=', link.subject)
      .executeTakeFirst()
    // Another tab was first.
    if (numUpdatedRows > 0n) account = link.account
    return true
  })
  return account
}
