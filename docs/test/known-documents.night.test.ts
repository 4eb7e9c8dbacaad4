/** The documents of known clients, as their hosts publish them today, and the copies of them in the table. */
import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { expect, it } from 'vitest'
import { publishedDocument } from './published-document.ts'

const documents = KNOWN_CLIENTS.flatMap((entry) => entry.documents)

it.for(documents)('$url is published as the table has it', async ({ url, json, seen }, { skip }) => {
  const published = await publishedDocument(url)
  const unknown =
    published.kind === 'unreachable'
      ? `it is not readable from here: ${published.reason}`
      : json === undefined && `the table has no copy of it yet: ${JSON.stringify(published.members)}`
  if (unknown) {
    console.warn(`Not compared: ${url}, ${unknown}`)
    return skip(unknown)
  }
  expect(published, `the copy of ${seen}`).toEqual({ kind: 'published', members: json })
})
