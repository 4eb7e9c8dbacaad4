import { isOnByDefault, KNOWN_CLIENTS } from '@grantkit/known-clients'
import * as z from 'zod'
import { field, listed } from './fields.ts'

const USUAL = KNOWN_CLIENTS.filter(isOnByDefault).map(({ id }) => id)
const IDS = KNOWN_CLIENTS.map(({ id }) => id)
const WORDS = ['on', ...IDS.flatMap((id) => [id, `-${id}`])]
const EXPECTED = `must be off, on, or known clients such as on,cursor,-make; they are ${IDS.join(', ')}`

/** Which known clients may come with their own redirect URIs: their ids, in the order of the table. */
export const knownClientsField = field(
  z
    .union([z.enum(['off', 'on']), z.array(z.enum(WORDS)).min(1)], { error: EXPECTED })
    .refine(startsWithSome, { error: EXPECTED })
    .default('off')
    .transform(idsOf),
  'which known clients may use their own https and private-use redirect URIs. `on`: Claude, ChatGPT, Cursor and the others of the default set. A name adds a client, `-name` removes one: `on,antigravity,-raycast`. All other clients may only use loopback redirect URIs',
  { variable: 'KNOWN_CLIENTS', read: readWords, otherwise: '`off`', guide: 'clients.md' },
)

type Words = 'off' | 'on' | readonly string[]

/** `-make` alone would remove a client from nothing. */
function startsWithSome(words: Words): boolean {
  return typeof words === 'string' || words.some((word) => !word.startsWith('-'))
}

function idsOf(words: Words): readonly string[] {
  if (words === 'off') return []
  const given = [words].flat()
  const chosen = new Set(given.includes('on') ? [...USUAL, ...given] : given)
  return IDS.filter((id) => chosen.has(id) && !given.includes(`-${id}`))
}

function readWords(text: string): unknown {
  const words = listed(text)
  return words.length === 1 && /^o(n|ff)$/.test(text.trim()) ? words[0] : words
}
