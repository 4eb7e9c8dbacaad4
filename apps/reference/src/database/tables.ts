/**
 * The tables of the service. All columns are texts or integers, so both databases store and compare them alike. A time
 * is an ISO 8601 text in UTC with milliseconds, which sorts chronologically.
 */
export interface Tables {
  school_record: SchoolRecordRow
  account: AccountRow
  audit: AuditRow
  passkey: PasskeyRow
  identity: IdentityRow
  installation_name: InstallationNameRow
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
  /** A scrypt hash; empty for an account without a password. */
  password: string
  state: 'active' | 'disabled' | 'removed'
  /** 1 if it may use the operator's view. */
  admin: number
  /** Incremented whenever all sessions of the account end. */
  session_epoch: number
  added_at: string
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
}

interface InstallationNameRow {
  /** The id of an account that is not removed. */
  account: string
  /** A `client_id`, or the id of a grant if the client has many installations. */
  installation: string
  name: string
}

export interface SchoolRecordRow {
  area: string
  id: string
  /** The members of the record without its id, as JSON. */
  content: string
  /** 1 if it is public. */
  published: number
  /** The value that must be unique within its area: a slug or a code. */
  unique_value: string | null
  /** All words and numbers of the record in lower case, for searches. */
  words: string
  /** Incremented by every change. */
  revision: number
  added_at: string
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
