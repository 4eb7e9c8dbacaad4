import { readdirSync, readFileSync } from 'node:fs'
import { ERRORS } from '@grantkit/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORIES } from './stories.ts'
import { record } from './world.ts'

/**
 * All answers of the server, byte by byte. A change that should not affect answers changes no file here; any other
 * change shows its effect. `pnpm exec vitest run recorded-answers -u` records again.
 */

const ANSWERS = new URL('answers/', import.meta.url)

/** The recorded exchanges of each group, and the reasons of its refusals. */
const texts = new Map<string, string>()
const provoked = new Set<string>()

beforeAll(async () => {
  for (const [group, stories] of Object.entries(STORIES)) {
    const sections: string[] = []
    for (const [name, story] of Object.entries(stories)) {
      const { exchanges, events } = await record({}, story)
      sections.push(`# ${name}\n\n${exchanges.join('\n\n')}\n`)
      for (const event of events)
        if (event.type === 'refused' || event.type === 'failed') provoked.add(event.reason)
    }
    texts.set(group, sections.join('\n'))
  }
}, 60_000)

describe('the recorded answers', () => {
  it.each(Object.keys(STORIES))('of %s are given to the letter', async (group) => {
    const text = texts.get(group) ?? ''
    const changed = changedSections(recorded(group), text)
    await expect(text, `changed: ${changed.join('; ')}`).toMatchFileSnapshot(`answers/${group}.txt`)
  })

  it('all belong to existing stories', () => {
    expect(readdirSync(ANSWERS).sort()).toEqual(
      Object.keys(STORIES)
        .map((group) => `${group}.txt`)
        .sort(),
    )
  })
})

/** Refused without an event. Their answers are recorded like all others. */
const UNREPORTED = {
  method_not_allowed: 'answered before the request is read',
  bearer_missing: 'a request without a token is how clients ask where to get one',
  authorization_pending: 'nothing has failed',
  polled_too_fast: 'nothing has failed',
  dpop_nonce_needed: 'nothing has failed',
  bearer_subject_gone: 'the token is in order; it is the user who left',
}

/** Refusals of the guard without the store, which is no part of a server: jwt-resource-server.test.ts has them. */
const AT_AN_EDGE = ['keys_unavailable', 'revocation_feed_stale']

/** Refusals after a change of the secret: change-of-secret.test.ts has them. */
const AFTER_A_SECRET = ['refresh_retry_key_gone', 'device_retry_key_gone']

describe('the stories', () => {
  it('provoke every refusal (if not: a line of the file in stories/ whose endpoint says it, and -u)', () => {
    expect([...provoked, ...Object.keys(UNREPORTED), ...AT_AN_EDGE, ...AFTER_A_SECRET].sort()).toEqual(
      Object.keys(ERRORS).sort(),
    )
  })
})

function recorded(group: string): string {
  try {
    return readFileSync(new URL(`${group}.txt`, ANSWERS), 'utf8')
  } catch {
    return ''
  }
}

/** The names of the stories that differ, or that only one text has. */
function changedSections(before: string, after: string): string[] {
  const [old, current] = [sectionsOf(before), sectionsOf(after)]
  const differing = new Set(
    [...old, ...current].filter((section) => !(old.has(section) && current.has(section))),
  )
  return [...new Set([...differing].map((section) => section.split('\n', 1)[0] ?? ''))]
}

function sectionsOf(text: string): Set<string> {
  return new Set(
    text
      .trimEnd()
      .split(/^# /m)
      .slice(1)
      .map((section) => section.trimEnd()),
  )
}
