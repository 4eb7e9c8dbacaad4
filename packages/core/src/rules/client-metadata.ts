import { z } from 'zod'
import { listOf, text } from '../message.ts'
import type { GrantType } from '../store.ts'
import { parseScope, type ScopeCatalogue } from './scope.ts'

const LONGEST_NAME = 200
const LONGEST_URI = 2048
const MOST_REDIRECT_URIS = 10

/** Characters that make a name read as something else: controls, and the invisible and text-reversing ones. */
const DECEPTIVE = /[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u

const name = text(LONGEST_NAME)
  .trim()
  .min(1, 'must not be empty')
  .refine((value) => !DECEPTIVE.test(value), 'must not hold control or invisible characters')

/** Links are shown to people, never fetched. */
const webPage = text(LONGEST_URI)
  .refine((value) => /^https:\/\/[^\s\\]+$/.test(value) && URL.canParse(value), 'must be an https URL')
  .optional()

/** A list that must hold what this server does; what it does not do is dropped, and the answer shows what was kept. */
function listWith<Kept extends string>(needed: Kept, known: readonly Kept[]) {
  return listOf(text(100), 20)
    .optional()
    .refine((values) => values === undefined || values.includes(needed), `must include ${needed}`)
    .transform((values) =>
      values === undefined ? [...known] : known.filter((value) => values.includes(value)),
    )
}

/** Client metadata as this server reads it (RFC 7591 2); members it does not know have no effect. */
export const ClientMetadata = z.object({
  redirect_uris: listOf(text(LONGEST_URI), MOST_REDIRECT_URIS).min(1, 'must not be empty'),
  client_name: name.optional(),
  application_type: z.enum(['native', 'web']).optional(),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_post']).default('none'),
  grant_types: listWith<GrantType>('authorization_code', ['authorization_code', 'refresh_token']),
  response_types: listWith('code', ['code']),
  scope: text().optional(),
  id_token_signed_response_alg: z.enum(['RS256', 'ES256', 'EdDSA']).default('RS256'),
  client_uri: webPage,
  logo_uri: webPage,
  tos_uri: webPage,
  policy_uri: webPage,
  contacts: listOf(text(LONGEST_NAME), 10).optional(),
  software_id: text(LONGEST_NAME).optional(),
  software_version: text(LONGEST_NAME).optional(),
})
export type ClientMetadata = z.infer<typeof ClientMetadata>

/**
 * The scopes a client registers for: those of the catalogue, since clients add names of other servers by habit.
 *
 * @returns `undefined` when none of them exists here
 */
export function registeredScopes(scope: string, catalogue: ScopeCatalogue): readonly string[] | undefined {
  const known = parseScope(scope)?.filter((value) => Object.hasOwn(catalogue, value))
  return known === undefined || known.length === 0 ? undefined : known
}
