import { describe, expect, it } from 'vitest'
import type { Client } from '../../kernel/records.ts'
import type { Hash } from '../../kernel/secrets.ts'
import { approvedRecord, changedMembers, refusedRecord } from './fetched-clients.ts'

const DAY = 24 * 60 * 60
const NOW = 1_800_000_000
const UNTIL = NOW + 180 * DAY

function fetched(fetchedAt: number, changed: Partial<Client> = {}): Client {
  const document = { fetchedAt, hash: `hash at ${fetchedAt}` as Hash }
  return { ...refusedRecord('https://app.dev/c', fetchedAt), refused: undefined, document, ...changed }
}

describe('the record of an approved document', () => {
  it('lives a day longer than it must, so that the next approval need not write', () => {
    const record = approvedRecord(undefined, fetched(NOW), UNTIL) as Client
    expect(record.expiresAt).toBe(UNTIL + DAY)
    expect(approvedRecord(record, fetched(NOW), UNTIL + DAY)).toBeUndefined()
    expect(approvedRecord(record, fetched(NOW), UNTIL + DAY + 1)).toMatchObject({
      expiresAt: UNTIL + 2 * DAY + 1,
    })
  })

  it('has the copy that was fetched last, and the creation time of the first', () => {
    const record = { ...fetched(NOW), createdAt: 7, expiresAt: UNTIL }
    const newer = fetched(NOW + 1, { clientName: 'New' })
    expect(approvedRecord(record, newer, UNTIL)).toEqual({ ...newer, createdAt: 7, expiresAt: UNTIL })
    expect(approvedRecord(record, fetched(NOW - 1), UNTIL)).toBeUndefined()
    const prolonged = { ...record, expiresAt: UNTIL + 3 * DAY }
    expect(approvedRecord(record, fetched(NOW - 1), UNTIL + 2 * DAY)).toEqual(prolonged)
  })

  it('that is pinned is written once, and replaces no copy', () => {
    const pinned = fetched(NOW, { document: undefined })
    expect(approvedRecord(undefined, pinned, UNTIL)).toEqual({ ...pinned, expiresAt: UNTIL + DAY })
    expect(approvedRecord({ ...fetched(NOW), expiresAt: UNTIL }, pinned, UNTIL)).toBeUndefined()
  })

  it('ends earlier grants, if the operator wants it, from a change of what users allowed', () => {
    const approve = (seen: Client | undefined, client: Client) =>
      approvedRecord(seen, client, client.createdAt + 2 * DAY, 'reconsent')
    const first = approve(undefined, fetched(NOW))
    const renamed = approve(first, fetched(NOW + 1, { clientName: 'New', logoUri: 'https://app.dev/l' }))
    const changed = approve(renamed, fetched(NOW + 2, { clientName: 'New' }))
    const since = [first, renamed, changed].map((record) => record?.document?.consentSince)
    expect(since).toEqual([undefined, NOW + 1, NOW + 1])
    const kept = approvedRecord(first, fetched(NOW + 1, { clientName: 'New' }), UNTIL)
    expect(kept?.document?.consentSince).toBeUndefined()
  })

  it('does not come back after a removal', () => {
    expect(() => approvedRecord(refusedRecord('https://app.dev/c', NOW), fetched(NOW), UNTIL)).toThrow(
      'No client has this client_id',
    )
  })

  it('differs from the previous record if members of the document differ', () => {
    const before = fetched(NOW, { clientName: 'One', scopes: ['a'] })
    expect(changedMembers(before, fetched(NOW + 1, { clientName: 'One', scopes: ['a'] }))).toEqual([])
    const after = fetched(NOW + 1, { clientName: 'Two', redirectUris: ['http://127.0.0.1/'] })
    expect(changedMembers(before, after).sort()).toEqual(['clientName', 'redirectUris', 'scopes'])
  })
})
