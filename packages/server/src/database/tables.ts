import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * The tables of the server. All columns are texts or integers, so both databases store and compare them alike. A time
 * is an ISO 8601 text in UTC with milliseconds, which sorts chronologically.
 */
export interface Tables {
  account: AccountRow
  attempt_steps: AttemptStepRow
  audit: AuditRow
  passkey: PasskeyRow
  identity: IdentityRow
  installation_name: InstallationNameRow
  session: SessionRow
  statistic: StatisticRow
}

export interface AccountRow {
  id: string
  /** In lower case; the id, if the account has no address; `null` after removal. */
  email: string | null
  /** `operator`, or the issuer of the provider that verified the address; `null` if unknown. */
  email_source: string | null
  /** When it was verified. */
  email_since: string | null
  /** The claims for UserInfo, as JSON. */
  claims: string
  /** A hash, of a scheme that `password-hashes.ts` lists; empty for an account without a password. */
  password: string
  state: 'active' | 'disabled' | 'removed'
  /** 1 if it may use the operator's view. */
  admin: number
  /** The version of what signs the user in: incremented whenever all sessions of the account end. */
  session_epoch: number
  added_at: string
  /** The roles that providers give, by the id of the provider, as JSON; `null` if there are none. */
  provider_roles: string | null
}

/** A browser in which a user is signed in. Without its row the session has ended. */
export interface SessionRow {
  id: string
  /** The id of an account that is active. */
  account: string
  /** All other members, as JSON. */
  facts: string
  started_at: string
  /** The last use, within some minutes. */
  used_at: string
  /** The row stays for a while after it: clients may still know the session. */
  expires_at: string
}

export interface PasskeyRow {
  /** The id of the credential, in base64url. */
  id: string
  /** The id of an account that is not removed. */
  account: string
  name: string
  public_key: string
  /** Up to 2^32 - 1, which exceeds an `integer` of Postgres. */
  counter: number
  /** A list, as JSON. */
  transports: string
  /** 1 if more than one device has it. */
  synced: number
  added_at: string
  used_at: string | null
}

/** A user of an OpenID provider who signs in to an account of this service. */
export interface IdentityRow {
  issuer: string
  /** The `sub` at the provider. */
  subject: string
  /** The id of an account that is not removed. */
  account: string
  shown_as: string
  added_at: string
  /** The id of the provider as it is configured; `null` if a release before this column linked it, or no provider did. */
  provider: string | null
  /** `tid` and `oid` of Microsoft; `null` for others, and before the first sign-in with this column. */
  tenant: string | null
  oid: string | null
  /** Until when a user with this `tenant` and `oid` may have another `subject`, in ISO 8601. */
  remap_until: string | null
}

interface InstallationNameRow {
  /** The id of an account that is not removed. */
  account: string
  /** A `client_id`, or the id of a grant if the client has many installations. */
  installation: string
  name: string
}

/** Append-only; the database rejects changes. */
export interface AuditRow {
  /** A time and a suffix that is unique within the millisecond: sorts chronologically. */
  id: string
  type: string
  /** The id of a user. */
  subject: string | null
  client_id: string | null
  /** All other members, as JSON. */
  facts: string
  /** A day in UTC, as `2026-01-01`. The row cannot be deleted before the end of this day. */
  kept_until: string
}

/** A step of a sign-in attempt. The database rejects changes. */
export interface AttemptStepRow {
  /** A time and a suffix that is unique within the second: sorts chronologically. */
  id: string
  /** Of the attempt, in 8 characters. */
  reference: string
  /** 1 if the step was refused or failed. */
  failed: number
  /** The id of the user whose attempt it is, in the rows before the sign-in too; `null` if no user is known. */
  subject: string | null
  client_id: string | null
  /** All other members, as JSON. */
  facts: string
  /** A day in UTC, as `2026-01-01`, after which the row is deleted. */
  kept_until: string
}

/** How often something happened in one interval, at all replicas. */
export interface StatisticRow {
  /** The length of the interval, in minutes. */
  resolution: number
  /** Its beginning, in minutes since the epoch. */
  start: number
  name: string
  /** The type of an event, a reason, or a method and route. */
  label: string
  /** Of the duration of a response; 0 for everything else. */
  bucket: number
  count: number
}

type AnyDatabase = Pick<Kysely<unknown>, 'getExecutor'>

/** Compares bytes, as SQLite does, so an index of Postgres stays valid after an update of the system's collations. */
export function textOf(database: AnyDatabase) {
  return isPostgres(database) ? sql`text collate "C"` : sql`text`
}

export function isPostgres(database: AnyDatabase): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter
}
