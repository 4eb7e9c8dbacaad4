import type { Provider } from '../config/providers.ts'
import type { Database, Rows } from '../database/database.ts'
import { isActive } from './accounts.ts'

/** Roles that a provider gives to its users, as long as it gives them. */

const DEFAULT_SECONDS = 12 * 60 * 60

/** The column of an account, by the id of the provider. */
interface Stored {
  readonly [provider: string]: {
    readonly roles: readonly string[]
    /** Epoch seconds. */
    readonly until: number
  }
}

function storedIn(column: string | null): Stored {
  return column === null ? {} : JSON.parse(column)
}

/** The claims of an account with the roles that providers give it now. */
export function withRoles(
  claims: Readonly<Record<string, unknown>>,
  column: string | null,
): Readonly<Record<string, unknown>> {
  if (column === null) return claims
  const now = Date.now() / 1000
  const given = Object.values(storedIn(column)).flatMap(({ roles, until }) => (until > now ? roles : []))
  const roles = new Set([...(Array.isArray(claims.roles) ? claims.roles : []), ...given])
  return roles.size === 0 ? claims : { ...claims, roles: [...roles] }
}

/** What a provider gives with a sign-in, before anything of it is stored. */
export interface GivenRoles {
  /** The id of the provider. */
  readonly provider: string
  readonly roles: readonly string[]
}

/**
 * The roles of an account, also those that a provider gave it last and that have lapsed since.
 *
 * @param now counts instead of what the same provider gave before
 */
export function lastRoles(
  claims: Readonly<Record<string, unknown>>,
  column: string | null,
  now?: GivenRoles,
): readonly unknown[] {
  const stored = Object.entries(storedIn(column)).filter(([provider]) => provider !== now?.provider)
  const given = [...stored.flatMap(([, { roles }]) => roles), ...(now?.roles ?? [])]
  return [...(Array.isArray(claims.roles) ? claims.roles : []), ...given]
}

/** Sets the roles that a provider gives to an account. @returns whether they are others than before */
export function setRoles(
  database: Database,
  account: string,
  { id, rolesFor = DEFAULT_SECONDS }: Pick<Provider, 'id' | 'rolesFor'>,
  roles: readonly string[],
): Promise<boolean> {
  const until = Math.floor(Date.now() / 1000) + rolesFor
  return database.transaction().execute(async (rows) => {
    if (!(await isActive(rows, account))) return false
    const stored = await storedOf(rows, account)
    const { [id]: before = { roles: [] }, ...others } = stored
    await store(rows, account, roles.length === 0 ? others : { ...others, [id]: { roles, until } })
    return JSON.stringify(before.roles) !== JSON.stringify(roles)
  })
}

/** With the last identity of a provider its roles go too. The account must be locked. */
export async function dropRoles(rows: Rows, account: string): Promise<void> {
  const left = await rows.selectFrom('identity').select('provider').where('account', '=', account).execute()
  const stored = Object.entries(await storedOf(rows, account))
  const kept = stored.filter(([id]) => left.some(({ provider }) => provider === id))
  await store(rows, account, Object.fromEntries(kept))
}

async function storedOf(rows: Rows, account: string): Promise<Stored> {
  const row = await rows
    .selectFrom('account')
    .select('provider_roles')
    .where('id', '=', account)
    .executeTakeFirstOrThrow()
  return storedIn(row.provider_roles)
}

async function store(rows: Rows, account: string, stored: Stored): Promise<void> {
  const provider_roles = Object.keys(stored).length === 0 ? null : JSON.stringify(stored)
  await rows.updateTable('account').set({ provider_roles }).where('id', '=', account).execute()
}
