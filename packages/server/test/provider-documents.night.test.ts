import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  PRESET_NAMES,
  type PresetName,
  type ProviderPreset,
  presetOf,
} from '../src/config/provider-presets.ts'

/** The discovery documents that providers publish today, compared with the presets. Without a network nothing is compared. */

const Document = z.object({
  issuer: z.string(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  response_modes_supported: z.array(z.string()).optional(),
  prompt_values_supported: z.array(z.string()).optional(),
  claims_supported: z.array(z.string()).optional(),
})
type Document = z.output<typeof Document>

const ENTRA = 'https://login.microsoftonline.com'

/** Where the documents are that everybody may read. GitHub has none, and the others are of customers. */
const ADDRESSES = [
  ...PRESET_NAMES.flatMap((name) => {
    const { issuer, protocol } = presetOf(name)
    return issuer === undefined || protocol === 'github' ? [] : [[name, issuer, issuer] as const]
  }),
  ['microsoft', `${ENTRA}/common/v2.0`, `${ENTRA}/{tenantid}/v2.0`] as const,
]

const text = (value: unknown) => JSON.stringify(value ?? null)

/** One sentence for each difference, with both texts. */
function differences(preset: Partial<ProviderPreset>, issuer: string, document: Document): string[] {
  const {
    token_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: challenges,
    response_modes_supported: modes,
    prompt_values_supported: prompts = preset.prompts ?? [],
    claims_supported: claims,
  } = document
  const { tokenEndpointAuthMethod: method = 'client_secret_post or _basic', pkce = true } = preset
  const { responseMode: mode = 'query' } = preset
  const taken =
    methods === undefined || methods.some((each) => method.includes(each) || each === 'client_secret_basic')
  const compared: readonly (readonly [
    name: string,
    agrees: boolean | undefined,
    preset: unknown,
    document: unknown,
  ])[] = [
    ['issuer', document.issuer === issuer, issuer, document.issuer],
    ['client authentication', taken, method, methods],
    ['PKCE', challenges === undefined || challenges.includes('S256') === pkce, pkce, challenges],
    ['response mode', modes === undefined || modes.includes(mode), mode, modes],
    ['prompt', preset.prompts?.every((each) => prompts.includes(each)), preset.prompts, prompts],
    [
      'email_verified',
      claims?.includes('email_verified') === (preset.unverified === undefined),
      preset.unverified ?? 'it says whether an address is verified',
      claims,
    ],
  ]
  return compared.flatMap(([name, agrees = true, ours, theirs]) =>
    agrees || (name === 'email_verified' && theirs === undefined)
      ? []
      : [`${name}: the preset has ${text(ours)}, the document has ${text(theirs)}`],
  )
}

/** @returns what came instead, where no document did: there is no network, or a wall against programs */
async function documentAt(address: string): Promise<Document | string> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) })
    if (!response.ok) return `status ${response.status}`
    return Document.parse(await response.json())
  } catch (error) {
    return String(error)
  }
}

it.concurrent.each<readonly [PresetName, string, string]>(ADDRESSES)(
  'the preset %s is what %s says',
  async (name, base, issuer) => {
    const document = await documentAt(`${base}/.well-known/openid-configuration`)
    // Reported, whatever the reporter shows of tests that pass.
    if (typeof document === 'string')
      return void process.stderr.write(`${base} was not compared: ${document}\n`)
    expect(differences(presetOf(name), issuer, document)).toEqual([])
  },
)

describe('a document that differs from its preset', () => {
  const google = {
    issuer: 'https://accounts.google.com',
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['plain', 'S256'],
    claims_supported: ['sub', 'email', 'email_verified'],
  }
  it.each<[string, object]>([
    ['issuer', { issuer: 'https://google.example' }],
    ['client authentication', { token_endpoint_auth_methods_supported: ['tls_client_auth'] }],
    ['PKCE', { code_challenge_methods_supported: ['plain'] }],
    ['response mode', { response_modes_supported: ['form_post'] }],
    ['prompt', { prompt_values_supported: ['none'] }],
    ['email_verified', { claims_supported: ['sub'] }],
  ])('in %s is found, with both texts', (name, change) => {
    const preset = presetOf('google')
    expect(differences(preset, google.issuer, google)).toEqual([])
    const [value] = Object.values(change)
    const found = differences(preset, google.issuer, { ...google, ...change })
    expect(found).toEqual([expect.stringContaining(`${name}: the preset has `)])
    expect(found[0]).toContain(`the document has ${text(value)}`)
  })
})
