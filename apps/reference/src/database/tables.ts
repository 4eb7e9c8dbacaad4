/**
 * The tables of the service. Texts and whole numbers alone, so both databases keep and compare them alike. A moment is an
 * ISO 8601 text in UTC with milliseconds: as text it sorts as time.
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
  /** In small letters; the id, if the account has no address; `null` once it is removed. */
  email: string | null
  /** `operator`, or the issuer of the provider that verified the address; `null` if unknown. */
  email_source: string | null
  /** When they did. */
  email_since: string | null
  /** All that UserInfo may say, as JSON. */
  claims: string
  /** A scrypt hash; empty for an account without a password. */
  password: string
  state: 'active' | 'disabled' | 'removed'
  /** 1 if it may use the operator's view. */
  admin: number
  /** Grows whenever all sessions of the account end. */
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
  /** Up to 2^32 - 1, which is more than an `integer` of Postgres holds. */
  counter: number
  /** A list, as JSON. */
  transports: string
  /** 1 if more than one device has it. */
  synced: number
  added_at: string
  used_at: string | null
}

/** Somebody at an OpenID provider who signs in to an account here. */
export interface IdentityRow {
  issuer: string
  /** The `sub` there. */
  subject: string
  /** The id of an account that is not removed. */
  account: string
  shown_as: string
  added_at: string
}

interface InstallationNameRow {
  /** The id of an account that is not removed. */
  account: string
  /** A `client_id`, or the id of a grant if its client has many installations. */
  installation: string
  name: string
}

export interface SchoolRecordRow {
  area: string
  id: string
  /** The members of the record but its id, as JSON. */
  content: string
  /** 1 if everybody may see it. */
  published: number
  /** Whatever of the record no other one of its area may have: a slug, a code. */
  unique_value: string | null
  /** All words and numbers of the record, in small letters, to be searched. */
  words: string
  /** Grows with every change. */
  revision: number
  added_at: string
}

/** Written once and never changed; the database refuses it. */
export interface AuditRow {
  /** A moment, and what tells rows of one moment apart: as text it sorts as time. */
  id: string
  type: string
  /** The id of a user. */
  subject: string | null
  client_id: string | null
  /** All else, as JSON. */
  facts: string
  /** A day in UTC, as `2026-01-01`. Nobody can delete the row before it is over. */
  kept_until: string
}
