import { describe, expect, it } from 'vitest'
import { AS, ISSUER, member, NOW, openService, type Spoil, sendTo } from '../test/spoilt-server.ts'
import { diagnose } from './diagnose.ts'

describe('the way of known clients', () => {
  const documents = member('client_id_metadata_document_supported', true)
  const closed = member('registration_endpoint', undefined)
  const findingWith = async (spoil: Spoil) => {
    const findings = await diagnose(ISSUER, sendTo(openService(), { [AS]: spoil }), { now: () => NOW })
    return findings.find(({ id }) => id === 'known-clients')
  }

  it.each<[string, Spoil, string]>([
    ['registration alone', (answer) => answer, 'each of them by registration'],
    ['both', documents, 'Cursor by registration, the others by their documents'],
    ['documents alone', (answer) => documents(closed(answer)), 'Cursor, which has none'],
  ])('is named where there is %s', async (_, spoil, note) => {
    expect(await findingWith(spoil)).toMatchObject({ verdict: 'passed', note: expect.stringContaining(note) })
  })

  it('is not looked for where the operator adds each client', async () => {
    expect(await findingWith(closed)).toMatchObject({ verdict: 'skipped' })
  })
})
