import { at, nameOf, valueAt } from './problems.ts'
import type { ParsedConfig } from './schema.ts'
import type { Merged } from './variables.ts'

/** What the FAPI 2.0 Security Profile determines: by key, with the text of the variable and the section. */
const FAPI2 = [
  ['clientAuthentication', ['private_key_jwt'], '5.3.2.1, item 6'],
  // Item 8: the issuer is the only audience.
  ['clientAssertion.audiences', 'issuer', '5.3.2.1, item 8'],
  ['registration', false, '5.3.2.1, item 3'],
  ['clientDocuments.enabled', false, '5.3.2.1, item 3'],
  ['knownClients', 'off', '5.3.2.1, item 3'],
  ['dpop.mode', 'required', '5.3.2.1, item 4'],
  ['par', 'required', '5.3.2.2, item 3'],
  // They are bearer tokens.
  ['personalTokens.enabled', false, '5.3.2.1, item 4'],
] as const

/** In seconds. */
const MAX_CODE_LIFETIME = 60

/** The configuration with the values of its profile. */
export function withProfile(config: ParsedConfig): ParsedConfig {
  if (config.features.profile === undefined) return config
  const { features } = config
  return {
    ...config,
    features: {
      ...features,
      clientAuthentication: ['private_key_jwt'],
      clientAssertion: { ...features.clientAssertion, audiences: 'issuer' },
      registration: false,
      clientDocuments: { ...features.clientDocuments, enabled: false },
      knownClients: [],
      dpop: { ...features.dpop, mode: 'required' },
      par: 'required',
      personalTokens: { ...features.personalTokens, enabled: false },
    },
  }
}

/** What contradicts the profile. */
export function contradictions({ features, lifetimes }: ParsedConfig, merged: Merged): readonly string[] {
  if (features.profile === undefined) return []
  const problem = (key: string, must: string, section: string) => {
    const path = key.split('.')
    const expected = `must be ${must} with ${profileName(merged)}${valueAt(merged, path)}`
    return `${nameOf(merged, path)} ${expected} (FAPI 2.0 Security Profile ${section})`
  }
  const others = FAPI2.flatMap(([name, value, section]) => {
    const key = `features.${name}`
    const given = at(merged.values, key.split('.'))
    if (given === undefined || String(given) === String(value)) return []
    return [problem(key, `${inWords(value, merged.sources.has(key))} or left out`, section)]
  })
  return lifetimes.code > MAX_CODE_LIFETIME
    ? [...others, problem('lifetimes.code', `at most ${MAX_CODE_LIFETIME}`, '5.3.2.1, item 11')]
    : others
}

function profileName(merged: Merged): string {
  return merged.sources.has('features.profile') ? 'PROFILE=fapi2' : "features.profile: 'fapi2'"
}

function inWords(value: (typeof FAPI2)[number][1], inVariable: boolean): string {
  return value === false && inVariable ? 'off' : inVariable ? String(value) : JSON.stringify(value)
}
